/* The source of Kafka tables.
 *
 * librdkafka's threads fetch ahead into one queue, as much as the budget allows; next() takes what is there. Which
 * partitions are read, and from where, comes from discovery.h. The position has the next offset of each partition, and
 * that is where a job goes on; the group's offsets on the brokers only follow it.
 *
 *   | version: 1 | looked: 1 | partitions: 4 | topic | partition: 4 | next: 8 | end: 8 | …      topic: | size: 4 |
 * bytes |
 */
#include <stdlib.h>

#include "base/byte_reader.h"
#include "base/clock.h"
#include "base/stop.h"
#include "connect/kafka/discovery.h"
#include "connect/kafka/kafka.h"
#include "connect/kafka/message_rows.h"

enum {
    POSITION_VERSION = 1,
    MESSAGES_AT_ONCE = 2048,
    MESSAGE_OVERHEAD = 64, /* bytes that a message takes beside its own, about */
    QUEUED_OVERHEAD = 400, /* …in the client's queue */
    NUDGE_INTERVAL_MS = 25,
    FIRST_USUAL_BYTES = 64 << 10,
    DEFAULT_BATCH_ROWS = 65536,
    LEAST_QUEUE_BYTES = 1 << 20,
    MOST_QUEUE_BYTES = 64 << 20,
    MOST_BATCH_BYTES = 8 << 20, /* of messages in one batch; one more may come */
    LAST_COMMIT_MS = 2000       /* closing waits for so long until the brokers have the last offsets */
};

typedef struct kafka_split {
    weir_kafka_split at; /* first */
    bool is_done;        /* of a bounded one */
    bool is_assigned;    /* the client fetches it */
    bool is_at_end;      /* everything that was there has been given out */
} kafka_split;

typedef struct kafka_source {
    weir_source base; /* first */
    weir_arena arena;
    weir_kafka_table table;
    const weir_source_options *options;
    int64_t batch_rows;
    int64_t queue_bytes;
    int64_t batch_bytes;
    int64_t taken_bytes; /* of the budget */
    weir_kafka_client *client;
    rd_kafka_queue_t *queue;
    weir_kafka_message_rows *rows;
    weir_kafka_discovery *discovery;
    bool has_looked; /* the first look is over, in this run or an earlier one */
    bool is_ready;   /* …in this run */
    kafka_split *splits;
    size_t split_count;
    size_t split_capacity;
    kafka_split *last; /* of the last message */
    rd_kafka_message_t **messages;
    int64_t last_message_ms; /* when the last message was made, as its timestamp says; -1: unknown */
    int64_t queued_messages; /* the client fetches while it has fewer */
    int64_t next_nudge_ms;   /* monotonic */
    int64_t usual_bytes;     /* of a message: as in the last piece */
    int commits_under_way;
} kafka_source;

/* ---- splits ---- */

static kafka_split *find_split(kafka_source *self, const char *topic, int32_t partition)
{
    kafka_split *last = self->last;
    if (last != NULL && last->at.partition == partition && strcmp(last->at.topic, topic) == 0) {
        return last;
    }
    for (size_t i = 0; i < self->split_count; i++) {
        kafka_split *found = &self->splits[i];
        if (found->at.partition == partition && strcmp(found->at.topic, topic) == 0) {
            self->last = found;
            return found;
        }
    }
    return NULL;
}

static bool has_end(const kafka_split *of) { return of->at.end != WEIR_KAFKA_NO_END; }

/* Takes the split's topic over. */
static kafka_split *put_split(kafka_source *self, weir_kafka_split *from)
{
    kafka_split *found = find_split(self, from->topic, from->partition);
    if (found == NULL) {
        WEIR_GROW(self->splits, self->split_capacity, self->split_count + 1);
        self->last = NULL;
        found = &self->splits[self->split_count++];
    } else {
        weir_kafka_split_free(&found->at);
    }
    *found = (kafka_split){.at = *from};
    found->is_done = has_end(found) && found->at.next >= found->at.end;
    return found;
}

static int fail_client(kafka_source *self, rd_kafka_resp_err_t code, const char *doing, weir_error *err)
{
    weir_buffer why = {0};
    weir_kafka_client_append_failure(self->client, &why);
    int failed = weir_fail(err, WEIR_IO, "Kafka at %s: %s: %s%s", weir_kafka_brokers(self->table.options), doing,
                           self->client->kafka->err2str(code), weir_buffer_text(&why));
    weir_buffer_free(&why);
    return failed;
}

static void unassign(kafka_source *self, kafka_split *at)
{
    const weir_kafka_library *kafka = self->client->kafka;
    rd_kafka_topic_partition_list_t *list = kafka->topic_partition_list_new(1);
    kafka->topic_partition_list_add(list, at->at.topic, at->at.partition);
    rd_kafka_error_t *error = kafka->incremental_unassign(self->client->handle, list);
    if (error != NULL) {
        kafka->error_destroy(error); /* it is fetched in vain, then */
    }
    kafka->topic_partition_list_destroy(list);
    at->is_assigned = false;
}

/* Lets the client fetch the partitions that were found. */
static int assign(kafka_source *self, weir_kafka_split *found, size_t count, weir_error *err)
{
    const weir_kafka_library *kafka = self->client->kafka;
    rd_kafka_topic_partition_list_t *list = kafka->topic_partition_list_new((int)count);
    rd_kafka_resp_err_t result = RD_KAFKA_RESP_ERR_NO_ERROR;
    int assigned = 0;
    for (size_t i = 0; i < count; i++) {
        kafka_split *put = put_split(self, &found[i]);
        if (!put->is_done) {
            kafka->topic_partition_list_add(list, put->at.topic, put->at.partition)->offset = put->at.next;
            put->is_assigned = true;
            assigned++;
        }
    }
    if (assigned > 0) {
        rd_kafka_error_t *error = kafka->incremental_assign(self->client->handle, list);
        if (error != NULL) {
            result = kafka->error_code(error);
            kafka->error_destroy(error);
        }
    }
    kafka->topic_partition_list_destroy(list);
    return result == RD_KAFKA_RESP_ERR_NO_ERROR ? WEIR_OK : fail_client(self, result, "reading partitions", err);
}

static void end_split(kafka_source *self, kafka_split *at)
{
    if (!at->is_done) {
        at->is_done = true;
        unassign(self, at);
    }
}

static int take_found(kafka_source *self, weir_error *err)
{
    weir_kafka_split *found = NULL;
    size_t count = 0;
    if (self->discovery == NULL) {
        weir_kafka_split *known = weir_alloc_zeroed(self->split_count + 1, sizeof *known);
        for (size_t i = 0; i < self->split_count; i++) {
            known[i] = self->splits[i].at;
        }
        int code = weir_kafka_discovery_start(self->client, &self->table, known, self->split_count, self->has_looked,
                                              &self->discovery, err);
        free(known);
        WEIR_TRY(code);
    }
    WEIR_TRY(weir_kafka_discovery_take(self->discovery, &found, &count, &self->is_ready, err));
    self->has_looked = self->has_looked || self->is_ready;
    int code = count > 0 ? assign(self, found, count, err) : WEIR_OK;
    free(found);
    return code;
}

/* ---- messages ---- */

/* The next offset of a partition is not there. Until it is found where to go on the partition is not fetched: so it is
 * looked for once, however often the client says so. */
static int go_on_elsewhere(kafka_source *self, kafka_split *at, weir_error *err)
{
    if (!at->is_assigned) {
        return WEIR_OK;
    }
    if (self->table.reset == WEIR_KAFKA_RESET_NONE) {
        return weir_fail(err, WEIR_INVALID,
                         "topic '%s', partition %d: offset %" PRId64 " is not there any more: messages were removed "
                         "before they were read, or the topic was made anew. To go on with the oldest or after the "
                         "newest one set 'properties.auto.offset.reset' = 'earliest' or 'latest'",
                         at->at.topic, at->at.partition, at->at.next);
    }
    unassign(self, at);
    weir_kafka_discovery_find_again(self->discovery, &at->at);
    return WEIR_OK;
}

/* What the queue has beside messages. */
static int take_event(kafka_source *self, const rd_kafka_message_t *message, weir_error *err)
{
    kafka_split *at = message->rkt == NULL
                          ? NULL
                          : find_split(self, self->client->kafka->topic_name(message->rkt), message->partition);
    switch (message->err) {
    case RD_KAFKA_RESP_ERR__PARTITION_EOF:
        if (at != NULL) {
            at->is_at_end = true;
            if (has_end(at) && message->offset >= at->at.end) {
                end_split(self, at);
            }
        }
        return WEIR_OK;
    case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET:
    case RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE:
        return at == NULL ? WEIR_OK : go_on_elsewhere(self, at, err);
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
        return at == NULL ? WEIR_OK
                          : weir_fail(err, WEIR_NOT_FOUND, "topic '%s', partition %d is not there any more",
                                      at->at.topic, at->at.partition);
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR__AUTHENTICATION:
    case RD_KAFKA_RESP_ERR__FATAL:
        return fail_client(self, message->err, at == NULL ? "reading" : at->at.topic, err);
    default:
        return WEIR_OK; /* of connections: the client tries again by itself */
    }
}

/* Moves a split past a message; false: it is none of its messages. */
static bool take_message(kafka_source *self, const rd_kafka_message_t *message)
{
    kafka_split *at = find_split(self, self->client->kafka->topic_name(message->rkt), message->partition);
    if (at == NULL || at->is_done || message->offset < at->at.next) {
        return false;
    }
    if (has_end(at) && message->offset >= at->at.end) {
        end_split(self, at);
        return false;
    }
    at->at.next = message->offset + 1;
    at->is_at_end = false;
    if (has_end(at) && at->at.next >= at->at.end) {
        end_split(self, at);
    }
    return true;
}

/* Sorts what came: messages to read first, the others behind them. */
static int sort_messages(kafka_source *self, size_t count, size_t *out_kept, int64_t *bytes, weir_error *err)
{
    rd_kafka_message_t **messages = self->messages;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        rd_kafka_message_t *message = messages[i];
        if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
            WEIR_TRY(take_event(self, message, err));
        } else if (take_message(self, message)) {
            *bytes += (int64_t)(message->len + message->key_len) + MESSAGE_OVERHEAD;
            messages[i] = messages[kept];
            messages[kept++] = message;
        }
    }
    if (kept > 0) {
        rd_kafka_timestamp_type_t type;
        self->last_message_ms = self->client->kafka->message_timestamp(messages[kept - 1], &type);
    }
    *out_kept = kept;
    return WEIR_OK;
}

/* How many messages a piece of a batch may have: fewer where they are large, and few until that is known. */
static size_t piece_size(const kafka_source *self, int64_t rows, int64_t bytes)
{
    int64_t by_size = (self->batch_bytes - bytes) / self->usual_bytes + 1;
    int64_t most = rows < by_size ? rows : by_size;
    return most < MESSAGES_AT_ONCE ? (size_t)most : MESSAGES_AT_ONCE;
}

/* One piece of a batch. *out_count: of what came from the queue. */
static int take_piece(kafka_source *self, weir_batch *batch, int64_t *bytes, size_t *out_count, weir_error *err)
{
    const weir_kafka_library *kafka = self->client->kafka;
    size_t kept = 0;
    size_t wanted = piece_size(self, self->batch_rows - batch->length, *bytes);
    int64_t bytes_before = *bytes;
    ssize_t count = kafka->consume_batch_queue(self->queue, 0, self->messages, wanted);
    *out_count = count < 0 ? 0 : (size_t)count;
    int code = sort_messages(self, *out_count, &kept, bytes, err);
    self->usual_bytes = kept > 0 ? (*bytes - bytes_before) / (int64_t)kept : self->usual_bytes;
    if (code == WEIR_OK && kept > 0) {
        code = weir_kafka_message_rows_append(self->rows, self->messages, (int64_t)kept, batch, err);
    }
    for (size_t i = 0; i < *out_count; i++) {
        kafka->message_destroy(self->messages[i]);
    }
    return code;
}

static bool all_done(const kafka_source *self)
{
    for (size_t i = 0; i < self->split_count; i++) {
        if (!self->splits[i].is_done) {
            return false;
        }
    }
    return self->is_ready && self->base.is_bounded;
}

/* Whether messages are known to be there that have not come yet. */
static bool awaits_messages(const kafka_source *self)
{
    for (size_t i = 0; i < self->split_count; i++) {
        if (!self->splits[i].is_done && !self->splits[i].is_at_end) {
            return true;
        }
    }
    return !self->is_ready;
}

/* The client has stopped fetching while its queue was full: it is woken when that is no longer so. */
static void nudge_client(kafka_source *self)
{
    int64_t now = weir_monotonic_ns() / 1000000;
    if (now >= self->next_nudge_ms && self->base.is_waiting && self->is_ready &&
        (int64_t)self->client->kafka->queue_length(self->queue) < self->queued_messages / 2) {
        self->next_nudge_ms = now + NUDGE_INTERVAL_MS;
        weir_kafka_discovery_nudge(self->discovery);
    }
}

static int next_batch(weir_source *source, weir_batch *batch, weir_error *err)
{
    kafka_source *self = (kafka_source *)source;
    int64_t bytes = 0;
    bool moved = false;
    size_t count;
    weir_batch_clear(batch);
    WEIR_TRY(take_found(self, err));
    do {
        int64_t before = bytes;
        WEIR_TRY(take_piece(self, batch, &bytes, &count, err));
        moved = moved || bytes > before;
    } while (count > 0 && bytes < self->batch_bytes && batch->length < self->batch_rows);
    source->is_waiting = awaits_messages(self);
    nudge_client(self);
    if (batch->length > 0 || moved) {
        return WEIR_OK;
    }
    return all_done(self) ? WEIR_END : WEIR_IDLE;
}

/* ---- positions ---- */

static int write_position(weir_source *source, weir_buffer *out, weir_error *err)
{
    const kafka_source *self = (const kafka_source *)source;
    (void)err;
    weir_put_u8(out, POSITION_VERSION);
    weir_put_u8(out, self->has_looked);
    weir_put_u32(out, (uint32_t)self->split_count);
    for (size_t i = 0; i < self->split_count; i++) {
        const weir_kafka_split *at = &self->splits[i].at;
        weir_put_slice(out, weir_slice_text(at->topic));
        weir_put_u32(out, (uint32_t)at->partition);
        weir_put_u64(out, (uint64_t)at->next);
        weir_put_u64(out, (uint64_t)at->end);
    }
    return WEIR_OK;
}

static weir_kafka_split take_split(weir_byte_reader *reader)
{
    weir_slice topic = weir_take_slice(reader);
    weir_kafka_split split = {.topic = weir_alloc_zeroed(topic.size + 1, 1)};
    if (topic.size > 0) {
        memcpy(split.topic, topic.data, topic.size);
    }
    split.partition = weir_take_i32(reader);
    split.next = weir_take_i64(reader);
    split.end = weir_take_i64(reader);
    return split;
}

static void free_splits(kafka_source *self)
{
    for (size_t i = 0; i < self->split_count; i++) {
        weir_kafka_split_free(&self->splits[i].at);
    }
    self->split_count = 0;
    self->last = NULL;
}

static int restore(weir_source *source, weir_slice position, weir_error *err)
{
    kafka_source *self = (kafka_source *)source;
    weir_byte_reader reader = weir_byte_reader_of(position);
    if (weir_take_u8(&reader) != POSITION_VERSION) {
        return weir_fail(err, WEIR_CORRUPT, "the stored position in Kafka's topics is of another version");
    }
    free_splits(self);
    self->has_looked = weir_take_u8(&reader) != 0;
    for (uint32_t left = weir_take_count(&reader, 24); left > 0; left--) {
        weir_kafka_split split = take_split(&reader);
        put_split(self, &split);
    }
    return weir_byte_reader_is_done(&reader)
               ? WEIR_OK
               : weir_fail(err, WEIR_CORRUPT, "the stored position in Kafka's topics is damaged");
}

/* ---- the group's offsets ---- */

static void note_committed(rd_kafka_t *handle, rd_kafka_resp_err_t code, rd_kafka_topic_partition_list_t *list,
                           void *owner)
{
    kafka_source *self = owner;
    (void)handle;
    (void)code; /* they are for people and monitors: the next ones may arrive */
    (void)list;
    self->commits_under_way--;
}

static int committed(weir_source *source, weir_slice position, weir_error *err)
{
    kafka_source *self = (kafka_source *)source;
    const weir_kafka_library *kafka = self->client->kafka;
    weir_byte_reader reader = weir_byte_reader_of(position);
    (void)err;
    (void)weir_take_bytes(&reader, 2);
    uint32_t count = weir_take_count(&reader, 24);
    if (count == 0 || self->commits_under_way > 0) {
        return WEIR_OK;
    }
    rd_kafka_topic_partition_list_t *list = kafka->topic_partition_list_new((int)count);
    for (; count > 0; count--) {
        weir_kafka_split split = take_split(&reader);
        kafka->topic_partition_list_add(list, split.topic, split.partition)->offset = split.next;
        weir_kafka_split_free(&split);
    }
    if (kafka->commit(self->client->handle, list, 1) == RD_KAFKA_RESP_ERR_NO_ERROR) {
        self->commits_under_way++;
    }
    kafka->topic_partition_list_destroy(list);
    return WEIR_OK;
}

static int64_t lag_ms(weir_source *source)
{
    const kafka_source *self = (const kafka_source *)source;
    if (self->is_ready && !awaits_messages(self)) {
        return 0;
    }
    int64_t lag = weir_now_ms() - self->last_message_ms;
    return self->last_message_ms < 0 ? -1 : lag > 0 ? lag : 0;
}

/* ---- opening and closing ---- */

static void await_commits(kafka_source *self)
{
    int64_t since_ns = weir_monotonic_ns();
    int64_t until_ns = since_ns + (int64_t)LAST_COMMIT_MS * 1000000;
    while (self->commits_under_way > 0 && weir_monotonic_ns() < until_ns &&
           !weir_stop_gives_up(weir_stop_current(), since_ns)) {
        ssize_t count = self->client->kafka->consume_batch_queue(self->queue, 20, self->messages, MESSAGES_AT_ONCE);
        for (ssize_t i = 0; i < count; i++) {
            self->client->kafka->message_destroy(self->messages[i]);
        }
    }
}

static void close_source(weir_source *source)
{
    kafka_source *self = (kafka_source *)source;
    weir_kafka_discovery_stop(self->discovery);
    if (self->queue != NULL) {
        await_commits(self);
        self->client->kafka->queue_destroy(self->queue);
    }
    weir_kafka_message_rows_close(self->rows);
    weir_kafka_client_close(self->client);
    free_splits(self);
    free(self->splits);
    free(self->messages);
    weir_budget_give(self->options->budget, self->taken_bytes);
    weir_arena_free(&self->arena);
    free(self);
}

/* Half of what sources may have is for messages: fetched ones, and those of a batch. */
static int take_memory(kafka_source *self, weir_error *err)
{
    weir_budget *budget = self->options->budget;
    int64_t limit = budget == NULL ? INT64_MAX : weir_budget_limit(budget);
    self->usual_bytes = FIRST_USUAL_BYTES;
    self->queue_bytes = limit / 4 < MOST_QUEUE_BYTES ? limit / 4 : MOST_QUEUE_BYTES;
    self->queue_bytes = self->queue_bytes < LEAST_QUEUE_BYTES ? LEAST_QUEUE_BYTES : self->queue_bytes;
    self->batch_bytes = self->queue_bytes / 4 < MOST_BATCH_BYTES ? self->queue_bytes / 4 : MOST_BATCH_BYTES;
    int64_t wanted = self->queue_bytes + self->batch_bytes;
    WEIR_TRY(weir_budget_take(budget, wanted, err));
    self->taken_bytes = wanted;
    return WEIR_OK;
}

static int open_client(kafka_source *self, weir_error *err)
{
    char queue_kbytes[24];
    char queue_messages[24];
    self->queued_messages = self->queue_bytes / 2 / QUEUED_OVERHEAD;
    snprintf(queue_kbytes, sizeof queue_kbytes, "%" PRId64, self->queue_bytes / 2 / 1024);
    snprintf(queue_messages, sizeof queue_messages, "%" PRId64, self->queued_messages);
    /* librdkafka's own default of the first is the other one. */
    const weir_kafka_setting defaults[] = {
        {"isolation.level", "read_uncommitted"}, {"queued.min.messages", queue_messages},
        {"fetch.queue.backoff.ms", "10"},        {"queued.max.messages.kbytes", queue_kbytes},
        {"fetch.error.backoff.ms", "100"},       {"reconnect.backoff.max.ms", "2000"}};
    const weir_kafka_setting settings[] = {{"group.id", self->table.group == NULL ? "weir" : self->table.group},
                                           {"enable.auto.commit", "false"},
                                           {"enable.auto.offset.store", "false"},
                                           {"enable.partition.eof", "true"},
                                           {"auto.offset.reset", "error"}}; /* discovery knows what to do */
    const weir_kafka_client_options options = {.options = self->table.options,
                                               .defaults = defaults,
                                               .default_count = sizeof defaults / sizeof *defaults,
                                               .settings = settings,
                                               .setting_count = sizeof settings / sizeof *settings,
                                               .owner = self,
                                               .committed = note_committed};
    WEIR_TRY(weir_kafka_client_open(&options, &self->client, err));
    self->client->kafka->poll_set_consumer(self->client->handle);
    self->queue = self->client->kafka->queue_get_consumer(self->client->handle);
    return WEIR_OK;
}

static int open_source(kafka_source *self, weir_error *err)
{
    const weir_source_options *options = self->options;
    const weir_connector_schema schema = {.fields = options->fields,
                                          .field_count = options->field_count,
                                          .primary_keys = options->primary_keys,
                                          .primary_key_count = options->primary_key_count};
    WEIR_TRY(weir_kafka_table_read(options->options, &schema, &self->arena, &self->table, err));
    if (self->table.startup == WEIR_KAFKA_FROM_GROUP_OFFSETS) {
        WEIR_TRY(weir_kafka_table_check_group(&self->table, "scan.startup.mode", err));
    }
    self->base.is_bounded = self->table.bound != WEIR_KAFKA_UNBOUNDED;
    self->base.is_waiting = true;
    self->batch_rows = options->batch_rows > 0 ? options->batch_rows : DEFAULT_BATCH_ROWS;
    WEIR_TRY(take_memory(self, err));
    self->messages = weir_alloc_zeroed(MESSAGES_AT_ONCE, sizeof *self->messages);
    WEIR_TRY(open_client(self, err));
    self->base.committed = self->table.commits ? committed : NULL;
    return weir_kafka_message_rows_open(self->client->kafka, &self->table, options, &self->rows, err);
}

int weir_kafka_source_open(const weir_source_options *options, weir_source **out, weir_error *err)
{
    kafka_source *self = weir_alloc_zeroed(1, sizeof *self);
    weir_arena_init(&self->arena);
    self->options = options;
    self->last_message_ms = -1;
    self->base = (weir_source){.next = next_batch,
                               .position = write_position,
                               .restore = restore,
                               .lag_ms = lag_ms,
                               .close = close_source,
                               .total_bytes = -1};
    int code = open_source(self, err);
    if (code != WEIR_OK) {
        close_source(&self->base);
        return code;
    }
    *out = &self->base;
    return WEIR_OK;
}
