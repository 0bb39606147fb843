/* The sinks of Kafka tables.
 *
 *   at least once   messages are sent as rows come; a checkpoint waits until all are delivered
 *   none            the same without waiting, other than at the end
 *   exactly once    in a job the outbox (connect/outbox.h): a transaction a checkpoint, of what its state holds.
 *                   A statement that is no job sends in one transaction as rows come
 *
 * Of upsert-kafka, rows of one key may be folded before (fold.h): until there are enough keys, for some time, or until
 * the next checkpoint. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/text.h"
#include "connect/kafka/fold.h"
#include "connect/kafka/kafka.h"
#include "connect/kafka/producer.h"
#include "connect/kafka/row_messages.h"
#include "connect/outbox.h"

enum { FOLDED_BYTES = 8 << 20 /* so much is not held back for long */ };

/* What both kinds of sinks have. */
typedef struct kafka_target {
    weir_outbox_target base; /* first; of the outbox */
    weir_arena arena;
    weir_kafka_table table;
    weir_kafka_row_messages *messages;
    weir_kafka_producer *producer;
    weir_kafka_fold *fold; /* NULL: rows go out as they come */
    weir_buffer folded;    /* messages of the batch at hand, on their way there */
    int64_t folding_ns;    /* monotonic: since when messages wait in it */
} kafka_target;

typedef struct direct_sink {
    weir_sink base; /* first */
    kafka_target *target;
    weir_buffer buffer; /* of the batch at hand */
    bool in_transaction;
} direct_sink;

/* ---- the target ---- */

static void close_target(weir_outbox_target *base)
{
    kafka_target *self = (kafka_target *)base;
    weir_kafka_producer_close(self->producer);
    weir_kafka_row_messages_close(self->messages);
    weir_kafka_fold_free(self->fold);
    weir_buffer_free(&self->folded);
    weir_arena_free(&self->arena);
    free(self);
}

static bool is_time_to_send(const kafka_target *self)
{
    return weir_kafka_fold_count(self->fold) > 0 &&
           (weir_monotonic_ns() - self->folding_ns) / 1000000 >= self->table.fold_ms;
}

static int append(weir_outbox_target *base, const weir_batch *batch, weir_buffer *out, weir_error *err)
{
    kafka_target *self = (kafka_target *)base;
    if (self->fold == NULL) {
        return weir_kafka_row_messages_append(self->messages, batch, out, err);
    }
    weir_buffer_clear(&self->folded);
    WEIR_TRY(weir_kafka_row_messages_append(self->messages, batch, &self->folded, err));
    self->folding_ns = weir_kafka_fold_count(self->fold) == 0 ? weir_monotonic_ns() : self->folding_ns;
    weir_kafka_fold_add(self->fold, weir_buffer_slice(&self->folded));
    if (weir_kafka_fold_count(self->fold) >= self->table.fold_rows ||
        weir_kafka_fold_bytes(self->fold) >= FOLDED_BYTES || is_time_to_send(self)) {
        weir_kafka_fold_take(self->fold, out);
    }
    return WEIR_OK;
}

static void drain(weir_outbox_target *base, weir_buffer *out)
{
    kafka_target *self = (kafka_target *)base;
    if (self->fold != NULL) {
        weir_kafka_fold_take(self->fold, out);
    }
}

static int deliver(weir_outbox_target *base, const char *name, int64_t number, weir_slice rows, weir_error *err)
{
    return weir_kafka_producer_deliver(((kafka_target *)base)->producer, name, number, rows, err);
}

static int find_number(weir_outbox_target *base, const char *name, int64_t *out, weir_error *err)
{
    return weir_kafka_producer_find_number(((kafka_target *)base)->producer, name, out, err);
}

/* The id under which brokers know the transactions of a sink over all of its runs. */
static char *transactional_id(const kafka_target *self, const weir_sink_options *options)
{
    char id[WEIR_UUID_SIZE];
    if (self->table.guarantee != WEIR_KAFKA_EXACTLY_ONCE) {
        return NULL;
    }
    if (options->owner != NULL) {
        return weir_format("%s-%s", self->table.transactional_prefix, options->owner);
    }
    weir_uuid(id);
    return weir_format("%s-%s", self->table.transactional_prefix, id);
}

static int open_target(kafka_target *self, const weir_sink_options *options, weir_error *err)
{
    const weir_connector_schema schema = {.fields = options->fields,
                                          .field_count = options->field_count,
                                          .primary_keys = options->primary_keys,
                                          .primary_key_count = options->primary_key_count};
    WEIR_TRY(weir_kafka_table_read(options->options, &schema, &self->arena, &self->table, err));
    if (self->table.topic_pattern != NULL && self->table.guarantee == WEIR_KAFKA_EXACTLY_ONCE) {
        return weir_fail(err, WEIR_UNSUPPORTED,
                         "option 'topic-pattern': what is delivered exactly once is noted under a topic; name the "
                         "topics with 'topic'");
    }
    self->fold = self->table.fold_rows > 0 ? weir_kafka_fold_create() : NULL;
    WEIR_TRY(weir_kafka_row_messages_open(&self->table, options, &self->messages, err));
    char *id = transactional_id(self, options);
    int code = weir_kafka_producer_open(&self->table, id, &self->producer, err);
    free(id);
    return code;
}

/* ---- sinks that send at once ---- */

/* Sends what is in the buffer. */
static int send_messages(direct_sink *self, weir_error *err)
{
    kafka_target *target = self->target;
    if (self->buffer.size == 0) {
        return WEIR_OK;
    }
    if (target->table.guarantee == WEIR_KAFKA_EXACTLY_ONCE && !self->in_transaction) {
        WEIR_TRY(weir_kafka_producer_begin(target->producer, err));
        self->in_transaction = true;
    }
    return weir_kafka_producer_send(target->producer, weir_buffer_slice(&self->buffer), err);
}

static int write_batch(weir_sink *base, const weir_batch *batch, weir_error *err)
{
    direct_sink *self = (direct_sink *)base;
    weir_buffer_clear(&self->buffer);
    WEIR_TRY(append(&self->target->base, batch, &self->buffer, err));
    return send_messages(self, err);
}

static int tick(weir_sink *base, weir_error *err)
{
    direct_sink *self = (direct_sink *)base;
    if (self->target->fold == NULL || !is_time_to_send(self->target)) {
        return WEIR_OK;
    }
    weir_buffer_clear(&self->buffer);
    drain(&self->target->base, &self->buffer);
    return send_messages(self, err);
}

static int prepare(weir_sink *base, weir_buffer *out, weir_error *err)
{
    direct_sink *self = (direct_sink *)base;
    (void)out;
    weir_buffer_clear(&self->buffer);
    drain(&self->target->base, &self->buffer);
    WEIR_TRY(send_messages(self, err));
    return self->target->table.guarantee == WEIR_KAFKA_AT_LEAST_ONCE
               ? weir_kafka_producer_flush(self->target->producer, err)
               : WEIR_OK;
}

static int commit(weir_sink *base, weir_slice prepared, weir_error *err)
{
    direct_sink *self = (direct_sink *)base;
    (void)prepared;
    if (!self->in_transaction) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_kafka_producer_commit(self->target->producer, err));
    self->in_transaction = false;
    return WEIR_OK;
}

static void close_sink(weir_sink *base)
{
    direct_sink *self = (direct_sink *)base;
    if (self->target->table.guarantee == WEIR_KAFKA_NO_GUARANTEE) {
        (void)weir_kafka_producer_flush(self->target->producer, NULL);
    }
    close_target(&self->target->base);
    weir_buffer_free(&self->buffer);
    free(self);
}

static weir_sink *create_direct(kafka_target *target)
{
    direct_sink *self = weir_alloc_zeroed(1, sizeof *self);
    self->base = (weir_sink){.write = write_batch,
                             .prepare = prepare,
                             .commit = commit,
                             .recover = commit,
                             .close = close_sink,
                             .tick = tick};
    self->target = target;
    return &self->base;
}

int weir_kafka_sink_open(const weir_sink_options *options, weir_sink **out, weir_error *err)
{
    kafka_target *target = weir_alloc_zeroed(1, sizeof *target);
    target->base = (weir_outbox_target){
        .append = append, .drain = drain, .deliver = deliver, .find_number = find_number, .close = close_target};
    weir_arena_init(&target->arena);
    int code = open_target(target, options, err);
    if (code != WEIR_OK) {
        close_target(&target->base);
        return code;
    }
    bool waits = target->table.guarantee == WEIR_KAFKA_EXACTLY_ONCE && options->holds_back;
    weir_sink *sink =
        waits ? weir_outbox_sink_create(&target->base, target->table.transactional_prefix) : create_direct(target);
    sink->takes_changes = weir_kafka_row_messages_take_changes(target->messages);
    sink->takes_upserts = target->table.upsert;
    *out = sink;
    return WEIR_OK;
}
