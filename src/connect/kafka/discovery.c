/* Looking for partitions.
 *
 * The first look has to succeed, within half a minute; after that what goes wrong is left to the next one. Each split
 * is given with plain offsets, never with "the end", so that a position means the same whenever it is read again. */
#include "connect/kafka/discovery.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/stop.h"
#include "format/name_pattern.h"

enum {
    CALL_MS = 1000,        /* an answer of a broker is waited for so long at once */
    FIRST_LOOK_MS = 30000, /* brokers that cannot be reached are tried for so long */
    TOPIC_WAIT_MS = 3000,  /* a topic that was just made may not be known to all brokers */
    PAUSE_MS = 100,
    NUDGE_MS = 200, /* an answer to a nudge means nothing */
    LONGEST_WAIT_MS = 3600000
};

struct weir_kafka_discovery {
    weir_kafka_client *client;
    const weir_kafka_table *table;
    const weir_stop *job;       /* of who reads: once it is raised nobody needs more partitions; NULL: none */
    weir_name_pattern *pattern; /* NULL: topics are listed */
    weir_kafka_split *known;    /* of the thread: all that it has given */
    size_t known_count;
    size_t known_capacity;
    bool resumes;
    int64_t deadline_ms; /* monotonic: of the first look */
    weir_error failure;  /* of the call at hand */

    pthread_t thread;
    pthread_mutex_t mutex; /* of what follows */
    pthread_cond_t changed;
    bool stop;
    bool nudge;
    weir_kafka_split *lost; /* whose next offsets are not there */
    size_t lost_count;
    size_t lost_capacity;
    bool ready;
    int code; /* of the thread's end */
    weir_error error;
    weir_kafka_split *found;
    size_t found_count;
    size_t found_capacity;
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

/* Waits, or until it is to stop; true: it is. */
static bool wait_for_stop(weir_kafka_discovery *self, int64_t wait_ms)
{
    int64_t until = now_ms() + wait_ms;
    struct timespec at = {.tv_sec = until / 1000, .tv_nsec = until % 1000 * 1000000};
    pthread_mutex_lock(&self->mutex);
    while (!self->stop && pthread_cond_timedwait(&self->changed, &self->mutex, &at) == 0) {
    }
    bool stop = self->stop;
    pthread_mutex_unlock(&self->mutex);
    return stop;
}

static bool is_transient(rd_kafka_resp_err_t code)
{
    switch (code) {
    case RD_KAFKA_RESP_ERR__TIMED_OUT:
    case RD_KAFKA_RESP_ERR__TRANSPORT:
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
    case RD_KAFKA_RESP_ERR__RESOLVE:
    case RD_KAFKA_RESP_ERR__WAIT_COORD:
    case RD_KAFKA_RESP_ERR__WAIT_CACHE:
    case RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION:
    case RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS:
    case RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_NOT_COORDINATOR:
    case RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT:
    case RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT:
        return true;
    default:
        return false;
    }
}

static int fail_call(weir_kafka_discovery *self, rd_kafka_resp_err_t code, const char *doing, const char *topic,
                     weir_error *err)
{
    weir_buffer why = {0};
    weir_kafka_client_append_failure(self->client, &why);
    int failed = weir_fail(err, WEIR_IO, "Kafka at %s: %s%s%s%s: %s%s", weir_kafka_brokers(self->table->options), doing,
                           topic == NULL ? "" : " '", topic == NULL ? "" : topic, topic == NULL ? "" : "'",
                           self->client->kafka->err2str(code), weir_buffer_text(&why));
    weir_buffer_free(&why);
    return failed;
}

/* What to do after a call: WEIR_OK: it has succeeded; WEIR_IDLE: try once more; or a failure. */
static int settle(weir_kafka_discovery *self, rd_kafka_resp_err_t code, const char *doing, const char *topic,
                  weir_error *err)
{
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
        return WEIR_OK;
    }
    if (weir_stop_is_raised(self->job)) {
        return weir_fail(err, WEIR_CANCELLED, "looking for Kafka's partitions was stopped");
    }
    bool goes_on = is_transient(code) && now_ms() < self->deadline_ms && !weir_kafka_client_is_refused(self->client);
    if (goes_on && !wait_for_stop(self, PAUSE_MS)) {
        return WEIR_IDLE;
    }
    return fail_call(self, code, doing, topic, err);
}

/* ---- topics ---- */

typedef struct topic_partitions {
    char *topic;
    int32_t count;
} topic_partitions;

typedef struct topic_list {
    topic_partitions *items;
    size_t count;
    size_t capacity;
} topic_list;

static void topic_list_free(topic_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].topic);
    }
    free(list->items);
}

static void add_topic(topic_list *list, const char *topic, int32_t partitions)
{
    WEIR_GROW(list->items, list->capacity, list->count + 1);
    list->items[list->count++] = (topic_partitions){.topic = weir_strdup(topic), .count = partitions};
}

static int ask_topic(weir_kafka_discovery *self, const char *topic, topic_list *out, weir_error *err)
{
    const weir_kafka_library *kafka = self->client->kafka;
    rd_kafka_topic_t *handle = kafka->topic_new(self->client->handle, topic, NULL);
    int64_t gives_up_ms = now_ms() + TOPIC_WAIT_MS;
    int code = WEIR_IDLE;
    while (code == WEIR_IDLE) {
        const struct rd_kafka_metadata *answer = NULL;
        rd_kafka_resp_err_t result = kafka->metadata(self->client->handle, 0, handle, &answer, CALL_MS);
        if (result == RD_KAFKA_RESP_ERR_NO_ERROR && answer->topic_cnt == 1) {
            result = answer->topics[0].err;
            if (result == RD_KAFKA_RESP_ERR_NO_ERROR) {
                add_topic(out, topic, answer->topics[0].partition_cnt);
            }
        }
        if (answer != NULL) {
            kafka->metadata_destroy(answer);
        }
        if (result == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART || result == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC) {
            bool stops = now_ms() >= gives_up_ms || wait_for_stop(self, PAUSE_MS);
            code = stops ? weir_fail(err, WEIR_NOT_FOUND, "Kafka at %s has no topic '%s'",
                                     weir_kafka_brokers(self->table->options), topic)
                         : WEIR_IDLE;
        } else {
            code = settle(self, result, "asking for topic", topic, err);
        }
    }
    kafka->topic_destroy(handle);
    return code;
}

static bool is_internal(const char *topic)
{
    return strcmp(topic, "__consumer_offsets") == 0 || strcmp(topic, "__transaction_state") == 0;
}

static int ask_all_topics(weir_kafka_discovery *self, topic_list *out, weir_error *err)
{
    const weir_kafka_library *kafka = self->client->kafka;
    const struct rd_kafka_metadata *answer = NULL;
    int code;
    do {
        code = settle(self, kafka->metadata(self->client->handle, 1, NULL, &answer, CALL_MS), "asking for topics", NULL,
                      err);
    } while (code == WEIR_IDLE);
    for (int i = 0; code == WEIR_OK && i < answer->topic_cnt; i++) {
        const rd_kafka_metadata_topic_t *topic = &answer->topics[i];
        if (topic->err == RD_KAFKA_RESP_ERR_NO_ERROR && !is_internal(topic->topic) &&
            weir_name_pattern_matches(self->pattern, weir_slice_text(topic->topic))) {
            add_topic(out, topic->topic, topic->partition_cnt);
        }
    }
    if (code == WEIR_OK) {
        kafka->metadata_destroy(answer);
    }
    return code;
}

/* ---- offsets ---- */

typedef struct watermarks {
    int64_t low;  /* the oldest offset that is there */
    int64_t high; /* behind the newest one */
} watermarks;

static int ask_watermarks(weir_kafka_discovery *self, const weir_kafka_split *split, watermarks *out, weir_error *err)
{
    int code;
    do {
        code = settle(self,
                      self->client->kafka->query_watermark_offsets(self->client->handle, split->topic, split->partition,
                                                                   &out->low, &out->high, CALL_MS),
                      "asking for the offsets of topic", split->topic, err);
    } while (code == WEIR_IDLE);
    return code;
}

/* An answer about one partition: the offset at a time, or that of the group; negative: there is none. */
static int ask_offset(weir_kafka_discovery *self, const weir_kafka_split *split, const int64_t *time_ms, int64_t *out,
                      weir_error *err)
{
    const weir_kafka_library *kafka = self->client->kafka;
    int code = WEIR_IDLE;
    while (code == WEIR_IDLE) {
        rd_kafka_topic_partition_list_t *list = kafka->topic_partition_list_new(1);
        rd_kafka_topic_partition_t *item = kafka->topic_partition_list_add(list, split->topic, split->partition);
        item->offset = time_ms == NULL ? RD_KAFKA_OFFSET_INVALID : *time_ms;
        rd_kafka_resp_err_t result = time_ms == NULL ? kafka->committed(self->client->handle, list, CALL_MS)
                                                     : kafka->offsets_for_times(self->client->handle, list, CALL_MS);
        result = result == RD_KAFKA_RESP_ERR_NO_ERROR ? item->err : result;
        *out = item->offset;
        kafka->topic_partition_list_destroy(list);
        code =
            settle(self, result,
                   time_ms == NULL ? "asking for the group's offsets of topic" : "asking for offsets by time of topic",
                   split->topic, err);
    }
    return code;
}

static int reset_offset(const weir_kafka_discovery *self, const weir_kafka_split *split, const watermarks *marks,
                        const char *what, int64_t *out, weir_error *err)
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
static int check_offset(const weir_kafka_discovery *self, const weir_kafka_split *split, const watermarks *marks,
                        int64_t *offset, weir_error *err)
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

static int group_start(weir_kafka_discovery *self, const weir_kafka_split *split, const watermarks *marks, int64_t *out,
                       weir_error *err)
{
    char what[240];
    WEIR_TRY(ask_offset(self, split, NULL, out, err));
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
static int specific_start(weir_kafka_discovery *self, const weir_kafka_split *split, const watermarks *marks,
                          int64_t *out, weir_error *err)
{
    const weir_kafka_offset *listed = find_offset(&self->table->startup_offsets, split->partition);
    if (listed != NULL) {
        *out = listed->offset;
        return check_offset(self, split, marks, out, err);
    }
    *out = -1;
    if (self->table->group != NULL) {
        WEIR_TRY(ask_offset(self, split, NULL, out, err));
    }
    *out = *out < 0 ? marks->low : *out;
    return check_offset(self, split, marks, out, err);
}

static int find_start(weir_kafka_discovery *self, const weir_kafka_split *split, const watermarks *marks, int64_t *out,
                      weir_error *err)
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
        WEIR_TRY(ask_offset(self, split, &table->startup_ms, out, err));
        *out = *out < 0 ? marks->high : *out;
        return WEIR_OK;
    case WEIR_KAFKA_FROM_SPECIFIC_OFFSETS:
        return specific_start(self, split, marks, out, err);
    default:
        return group_start(self, split, marks, out, err);
    }
}

static int find_end(weir_kafka_discovery *self, const weir_kafka_split *split, const watermarks *marks, int64_t *out,
                    weir_error *err)
{
    const weir_kafka_table *table = self->table;
    const weir_kafka_offset *listed = find_offset(&table->bound_offsets, split->partition);
    switch (table->bound) {
    case WEIR_KAFKA_TO_LATEST:
        *out = marks->high;
        return WEIR_OK;
    case WEIR_KAFKA_TO_TIMESTAMP:
        WEIR_TRY(ask_offset(self, split, &table->bound_ms, out, err));
        *out = *out < 0 ? marks->high : *out;
        return WEIR_OK;
    case WEIR_KAFKA_TO_GROUP_OFFSETS:
        WEIR_TRY(ask_offset(self, split, NULL, out, err));
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
    watermarks marks;
    WEIR_TRY(ask_watermarks(self, &split, &marks, err));
    WEIR_TRY(find_start(self, &split, &marks, &split.next, err));
    WEIR_TRY(find_end(self, &split, &marks, &split.end, err));
    add_known(self, &split);
    give(self, &split);
    return WEIR_OK;
}

static int look(weir_kafka_discovery *self, weir_error *err)
{
    topic_list topics = {0};
    int code = self->pattern != NULL ? ask_all_topics(self, &topics, err) : WEIR_OK;
    for (int32_t i = 0; code == WEIR_OK && i < self->table->topic_count; i++) {
        code = ask_topic(self, self->table->topics[i], &topics, err);
    }
    for (size_t i = 0; code == WEIR_OK && i < topics.count; i++) {
        for (int32_t k = 0; code == WEIR_OK && k < topics.items[i].count; k++) {
            code =
                is_known(self, topics.items[i].topic, k) ? WEIR_OK : add_partition(self, topics.items[i].topic, k, err);
        }
    }
    topic_list_free(&topics);
    return code;
}

/* The partitions of an earlier run go on where it was. */
static int resume_known(weir_kafka_discovery *self, weir_error *err)
{
    for (size_t i = 0; i < self->known_count; i++) {
        weir_kafka_split *split = &self->known[i];
        watermarks marks;
        WEIR_TRY(ask_watermarks(self, split, &marks, err));
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
    watermarks marks;
    pthread_mutex_lock(&self->mutex);
    weir_kafka_split split = self->lost[--self->lost_count];
    pthread_mutex_unlock(&self->mutex);
    self->deadline_ms = now_ms() + FIRST_LOOK_MS;
    int code = ask_watermarks(self, &split, &marks, err);
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
