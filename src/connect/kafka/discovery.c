/* Looking for partitions.
 *
 * The first look has to succeed, within half a minute; after that what goes wrong is left to the next one. Each split
 * is given with plain offsets, never with "the end", so that a position means the same whenever it is read again.
 * Brokers are asked by discovery_ask.c. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "connect/kafka/discovery_internal.h"

enum {
    FIRST_LOOK_MS = 30000, /* brokers that cannot be reached are tried for so long */
    NUDGE_MS = 200,        /* an answer to a nudge means nothing */
    LONGEST_WAIT_MS = 3600000
};

void weir_kafka_split_free(weir_kafka_split *split) { free(split->topic); }

static int64_t now_ms(void) { return weir_monotonic_ns() / 1000000; }

/* ---- waiting ---- */

static void speak_to_brokers(weir_kafka_discovery *self)
{
    const weir_kafka_library *kafka = self->client->kafka;
    rd_kafka_topic_partition_list_t *list = kafka->topic_partition_list_new((int)self->known_count);
    for (size_t i = 0; i < self->known_count; i++) {
        kafka->topic_partition_list_add(list, self->known[i].topic, self->known[i].partition)->offset =
            RD_KAFKA_OFFSET_END;
    }
    (void)kafka->offsets_for_times(self->client->handle, list, NUDGE_MS); /* one request a broker */
    kafka->topic_partition_list_destroy(list);
}

typedef enum work {
    WORK_END,
    WORK_FIND, /* where partitions go on that have lost their offsets */
    WORK_NUDGE,
    WORK_LOOK
} work;

/* Waits until there is something to do, at the latest until it is time to look (monotonic milliseconds). */
static work wait_for_work(weir_kafka_discovery *self, int64_t look_ms)
{
    struct timespec at = {.tv_sec = look_ms / 1000, .tv_nsec = look_ms % 1000 * 1000000};
    pthread_mutex_lock(&self->mutex);
    while (!self->stop && !self->nudge && self->lost_count == 0 &&
           pthread_cond_timedwait(&self->changed, &self->mutex, &at) == 0) {
    }
    work found = self->stop ? WORK_END : self->lost_count > 0 ? WORK_FIND : self->nudge ? WORK_NUDGE : WORK_LOOK;
    self->nudge = self->nudge && found != WORK_NUDGE;
    pthread_mutex_unlock(&self->mutex);
    return found;
}

/* ---- offsets ---- */

static int reset_offset(const weir_kafka_discovery *self, const weir_kafka_split *split,
                        const weir_kafka_watermarks *marks, const char *what, int64_t *out, weir_error *err)
{
    if (self->table->reset != WEIR_KAFKA_RESET_NONE) {
        *out = self->table->reset == WEIR_KAFKA_RESET_EARLIEST ? marks->low : marks->high;
        return WEIR_OK;
    }
    return weir_fail(
        err, WEIR_INVALID,
        "topic '%s', partition %d: %s; it has offsets %" PRId64 " to %" PRId64
        ". To begin at the oldest or after the newest one set 'properties.auto.offset.reset' = 'earliest' or "
        "'latest'",
        split->topic, split->partition, what, marks->low, marks->high);
}

/* An offset to go on from has to be there still. */
static int check_offset(const weir_kafka_discovery *self, const weir_kafka_split *split,
                        const weir_kafka_watermarks *marks, int64_t *offset, weir_error *err)
{
    char what[160];
    if (*offset >= marks->low && *offset <= marks->high) {
        return WEIR_OK;
    }
    snprintf(what, sizeof what,
             *offset < marks->low ? "offset %" PRId64
                                    " is not there any more: messages were removed before they were read"
                                  : "there is no offset %" PRId64 " yet: was the topic made anew?",
             *offset);
    return reset_offset(self, split, marks, what, offset, err);
}

static int group_start(weir_kafka_discovery *self, const weir_kafka_split *split, const weir_kafka_watermarks *marks,
                       int64_t *out, weir_error *err)
{
    char what[240];
    WEIR_TRY(weir_kafka_ask_offset(self, split, NULL, out, err));
    if (*out >= 0) {
        return check_offset(self, split, marks, out, err);
    }
    snprintf(what, sizeof what, "group '%.150s' has no offset there, and there is no reset policy", self->table->group);
    return reset_offset(self, split, marks, what, out, err);
}

static const weir_kafka_offset *find_offset(const weir_kafka_offsets *offsets, int32_t partition)
{
    for (int32_t i = 0; i < offsets->count; i++) {
        if (offsets->items[i].partition == partition) {
            return &offsets->items[i];
        }
    }
    return NULL;
}

/* Partitions that are not listed begin where the group is, or at their beginnings. */
static int specific_start(weir_kafka_discovery *self, const weir_kafka_split *split, const weir_kafka_watermarks *marks,
                          int64_t *out, weir_error *err)
{
    const weir_kafka_offset *listed = find_offset(&self->table->startup_offsets, split->partition);
    if (listed != NULL) {
        *out = listed->offset;
        return check_offset(self, split, marks, out, err);
    }
    *out = -1;
    if (self->table->group != NULL) {
        WEIR_TRY(weir_kafka_ask_offset(self, split, NULL, out, err));
    }
    *out = *out < 0 ? marks->low : *out;
    return check_offset(self, split, marks, out, err);
}

static int find_start(weir_kafka_discovery *self, const weir_kafka_split *split, const weir_kafka_watermarks *marks,
                      int64_t *out, weir_error *err)
{
    const weir_kafka_table *table = self->table;
    *out = marks->low;
    if (self->resumes) {
        return WEIR_OK; /* a new partition */
    }
    switch (table->startup) {
    case WEIR_KAFKA_FROM_EARLIEST:
        return WEIR_OK;
    case WEIR_KAFKA_FROM_LATEST:
        *out = marks->high;
        return WEIR_OK;
    case WEIR_KAFKA_FROM_TIMESTAMP:
        WEIR_TRY(weir_kafka_ask_offset(self, split, &table->startup_ms, out, err));
        *out = *out < 0 ? marks->high : *out;
        return WEIR_OK;
    case WEIR_KAFKA_FROM_SPECIFIC_OFFSETS:
        return specific_start(self, split, marks, out, err);
    default:
        return group_start(self, split, marks, out, err);
    }
}

static int find_end(weir_kafka_discovery *self, const weir_kafka_split *split, const weir_kafka_watermarks *marks,
                    int64_t *out, weir_error *err)
{
    const weir_kafka_table *table = self->table;
    const weir_kafka_offset *listed = find_offset(&table->bound_offsets, split->partition);
    switch (table->bound) {
    case WEIR_KAFKA_TO_LATEST:
        *out = marks->high;
        return WEIR_OK;
    case WEIR_KAFKA_TO_TIMESTAMP:
        WEIR_TRY(weir_kafka_ask_offset(self, split, &table->bound_ms, out, err));
        *out = *out < 0 ? marks->high : *out;
        return WEIR_OK;
    case WEIR_KAFKA_TO_GROUP_OFFSETS:
        WEIR_TRY(weir_kafka_ask_offset(self, split, NULL, out, err));
        return *out >= 0 ? WEIR_OK
                         : weir_fail(err, WEIR_INVALID,
                                     "topic '%s', partition %d: 'scan.bounded.mode' is 'group-offsets', but group '%s' "
                                     "has no offset there",
                                     split->topic, split->partition, table->group);
    case WEIR_KAFKA_TO_SPECIFIC_OFFSETS:
        *out = listed == NULL ? 0 : listed->offset; /* what is not listed is not read */
        return WEIR_OK;
    default:
        *out = WEIR_KAFKA_NO_END;
        return WEIR_OK;
    }
}

/* ---- looking ---- */

static void give(weir_kafka_discovery *self, const weir_kafka_split *split)
{
    weir_kafka_split copy = *split;
    copy.topic = weir_strdup(split->topic);
    pthread_mutex_lock(&self->mutex);
    WEIR_GROW(self->found, self->found_capacity, self->found_count + 1);
    self->found[self->found_count++] = copy;
    pthread_mutex_unlock(&self->mutex);
}

static bool is_known(const weir_kafka_discovery *self, const char *topic, int32_t partition)
{
    for (size_t i = 0; i < self->known_count; i++) {
        if (self->known[i].partition == partition && strcmp(self->known[i].topic, topic) == 0) {
            return true;
        }
    }
    return false;
}

static void add_known(weir_kafka_discovery *self, const weir_kafka_split *split)
{
    WEIR_GROW(self->known, self->known_capacity, self->known_count + 1);
    self->known[self->known_count] = *split;
    self->known[self->known_count++].topic = weir_strdup(split->topic);
}

static int add_partition(weir_kafka_discovery *self, char *topic, int32_t partition, weir_error *err)
{
    weir_kafka_split split = {.topic = topic, .partition = partition};
    weir_kafka_watermarks marks;
    WEIR_TRY(weir_kafka_ask_watermarks(self, &split, &marks, err));
    WEIR_TRY(find_start(self, &split, &marks, &split.next, err));
    WEIR_TRY(find_end(self, &split, &marks, &split.end, err));
    add_known(self, &split);
    give(self, &split);
    return WEIR_OK;
}

static int look(weir_kafka_discovery *self, weir_error *err)
{
    weir_kafka_topics topics = {0};
    int code = self->pattern != NULL ? weir_kafka_ask_all_topics(self, &topics, err) : WEIR_OK;
    for (int32_t i = 0; code == WEIR_OK && i < self->table->topic_count; i++) {
        code = weir_kafka_ask_topic(self, self->table->topics[i], &topics, err);
    }
    for (size_t i = 0; code == WEIR_OK && i < topics.count; i++) {
        for (int32_t k = 0; code == WEIR_OK && k < topics.items[i].count; k++) {
            code =
                is_known(self, topics.items[i].topic, k) ? WEIR_OK : add_partition(self, topics.items[i].topic, k, err);
        }
    }
    weir_kafka_topics_free(&topics);
    return code;
}

/* The partitions of an earlier run go on where it was. */
static int resume_known(weir_kafka_discovery *self, weir_error *err)
{
    for (size_t i = 0; i < self->known_count; i++) {
        weir_kafka_split *split = &self->known[i];
        weir_kafka_watermarks marks;
        WEIR_TRY(weir_kafka_ask_watermarks(self, split, &marks, err));
        if (split->end == WEIR_KAFKA_NO_END || split->next < split->end) {
            WEIR_TRY(check_offset(self, split, &marks, &split->next, err));
        }
        give(self, split);
    }
    return WEIR_OK;
}

/* Where a partition goes on whose offset is not there, by the table's policy; it is given once more. */
static int find_lost(weir_kafka_discovery *self, weir_error *err)
{
    weir_kafka_watermarks marks;
    pthread_mutex_lock(&self->mutex);
    weir_kafka_split split = self->lost[--self->lost_count];
    pthread_mutex_unlock(&self->mutex);
    self->deadline_ms = now_ms() + FIRST_LOOK_MS;
    int code = weir_kafka_ask_watermarks(self, &split, &marks, err);
    if (code == WEIR_OK) {
        int64_t lost = split.next;
        bool shrinks = split.end > marks.high && self->table->bound != WEIR_KAFKA_TO_SPECIFIC_OFFSETS;
        split.next = self->table->reset == WEIR_KAFKA_RESET_EARLIEST ? marks.low : marks.high;
        split.end = shrinks ? marks.high : split.end;
        weir_log(WEIR_LOG_WARN,
                 "topic '%s', partition %d: offset %" PRId64 " is not there; reading goes on at %" PRId64
                 ", as 'properties.auto.offset.reset' says",
                 split.topic, split.partition, lost, split.next);
        give(self, &split);
    }
    weir_kafka_split_free(&split);
    return code;
}

static int first_look(weir_kafka_discovery *self, weir_error *err)
{
    self->deadline_ms = now_ms() + FIRST_LOOK_MS;
    WEIR_TRY(resume_known(self, err));
    /* What is bounded was all there when it began. */
    return self->resumes && self->table->bound != WEIR_KAFKA_UNBOUNDED ? WEIR_OK : look(self, err);
}

static int note_end(weir_kafka_discovery *self, int code, const weir_error *error)
{
    pthread_mutex_lock(&self->mutex);
    self->ready = code == WEIR_OK;
    self->code = code;
    self->error = *error;
    pthread_mutex_unlock(&self->mutex);
    return code;
}

static void look_again(weir_kafka_discovery *self)
{
    if (self->table->bound == WEIR_KAFKA_UNBOUNDED && self->table->discovery_ms > 0) {
        self->deadline_ms = now_ms();
        (void)look(self, NULL);
    }
}

static void *run_thread(void *argument)
{
    weir_kafka_discovery *self = argument;
    weir_error error = {0};
    int64_t interval_ms = self->table->discovery_ms > 0 ? self->table->discovery_ms : LONGEST_WAIT_MS;
    int code = note_end(self, first_look(self, &error), &error);
    int64_t look_ms = now_ms() + interval_ms;
    self->resumes = true;
    while (code == WEIR_OK) {
        switch (wait_for_work(self, look_ms)) {
        case WORK_FIND:
            code = note_end(self, find_lost(self, &error), &error);
            break;
        case WORK_NUDGE:
            speak_to_brokers(self);
            break;
        case WORK_LOOK:
            look_again(self);
            look_ms = now_ms() + interval_ms;
            break;
        case WORK_END:
            return NULL;
        }
    }
    return NULL;
}

/* ---- life ---- */

static void free_discovery(weir_kafka_discovery *self)
{
    for (size_t i = 0; i < self->known_count; i++) {
        weir_kafka_split_free(&self->known[i]);
    }
    for (size_t i = 0; i < self->found_count; i++) {
        weir_kafka_split_free(&self->found[i]);
    }
    for (size_t i = 0; i < self->lost_count; i++) {
        weir_kafka_split_free(&self->lost[i]);
    }
    free(self->known);
    free(self->found);
    free(self->lost);
    weir_name_pattern_free(self->pattern);
    pthread_cond_destroy(&self->changed);
    pthread_mutex_destroy(&self->mutex);
    free(self);
}

int weir_kafka_discovery_start(weir_kafka_client *client, const weir_kafka_table *table, const weir_kafka_split *known,
                               size_t known_count, bool resumes, weir_kafka_discovery **out, weir_error *err)
{
    weir_kafka_discovery *self = weir_alloc_zeroed(1, sizeof *self);
    self->client = client;
    self->table = table;
    self->job = weir_stop_current();
    self->resumes = resumes;
    pthread_mutex_init(&self->mutex, NULL);
    weir_condition_init(&self->changed);
    for (size_t i = 0; i < known_count; i++) {
        add_known(self, &known[i]);
    }
    int code = table->topic_pattern == NULL
                   ? WEIR_OK
                   : weir_name_pattern_compile(table->topic_pattern, "topic-pattern", &self->pattern, err);
    if (code == WEIR_OK && pthread_create(&self->thread, NULL, run_thread, self) != 0) {
        code = weir_fail(err, WEIR_NO_MEMORY, "there is no thread to look for Kafka's partitions");
    }
    if (code != WEIR_OK) {
        free_discovery(self);
        return code;
    }
    *out = self;
    return WEIR_OK;
}

int weir_kafka_discovery_take(weir_kafka_discovery *self, weir_kafka_split **out, size_t *out_count, bool *out_ready,
                              weir_error *err)
{
    int code = WEIR_OK;
    *out = NULL;
    *out_count = 0;
    pthread_mutex_lock(&self->mutex);
    *out_ready = self->ready;
    if (self->code != WEIR_OK) {
        code = self->code;
        if (err != NULL) {
            *err = self->error;
        }
    } else if (self->ready && self->found_count > 0) {
        *out = self->found;
        *out_count = self->found_count;
        self->found = NULL;
        self->found_count = 0;
        self->found_capacity = 0;
    }
    pthread_mutex_unlock(&self->mutex);
    return code;
}

void weir_kafka_discovery_find_again(weir_kafka_discovery *self, const weir_kafka_split *split)
{
    weir_kafka_split copy = *split;
    copy.topic = weir_strdup(split->topic);
    pthread_mutex_lock(&self->mutex);
    WEIR_GROW(self->lost, self->lost_capacity, self->lost_count + 1);
    self->lost[self->lost_count++] = copy;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->mutex);
}

void weir_kafka_discovery_nudge(weir_kafka_discovery *self)
{
    pthread_mutex_lock(&self->mutex);
    self->nudge = true;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->mutex);
}

void weir_kafka_discovery_stop(weir_kafka_discovery *self)
{
    if (self == NULL) {
        return;
    }
    pthread_mutex_lock(&self->mutex);
    self->stop = true;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->mutex);
    pthread_join(self->thread, NULL);
    free_discovery(self);
}
