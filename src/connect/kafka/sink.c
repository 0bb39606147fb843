/* The sinks of Kafka tables.
 *
 *   at least once   messages are sent as rows come; a checkpoint waits until all are delivered
 *   none            the same without waiting, other than at the end
 *   exactly once    in a job the outbox (connect/outbox.h): a transaction a checkpoint, of what its state holds.
 *                   A statement that is no job sends in one transaction as rows come */
#include <stdlib.h>

#include "base/clock.h"
#include "base/text.h"
#include "connect/kafka/kafka.h"
#include "connect/kafka/producer.h"
#include "connect/kafka/row_messages.h"
#include "connect/outbox.h"

/* What both kinds of sinks have. */
typedef struct kafka_target {
    weir_outbox_target base; /* first; of the outbox */
    weir_arena arena;
    weir_kafka_table table;
    weir_kafka_row_messages *messages;
    weir_kafka_producer *producer;
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
    weir_arena_free(&self->arena);
    free(self);
}

static int append(weir_outbox_target *base, const weir_batch *batch, weir_buffer *out, weir_error *err)
{
    return weir_kafka_row_messages_append(((kafka_target *)base)->messages, batch, out, err);
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
    if (self->table.topic_count != 1) {
        return weir_fail(err, WEIR_UNSUPPORTED, "option '%s': rows are written to one topic; name it with 'topic'",
                         self->table.topic_pattern != NULL ? "topic-pattern" : "topic");
    }
    WEIR_TRY(weir_kafka_row_messages_open(&self->table, options, &self->messages, err));
    char *id = transactional_id(self, options);
    int code = weir_kafka_producer_open(&self->table, id, &self->producer, err);
    free(id);
    return code;
}

/* ---- sinks that send at once ---- */

static int write_batch(weir_sink *base, const weir_batch *batch, weir_error *err)
{
    direct_sink *self = (direct_sink *)base;
    kafka_target *target = self->target;
    if (target->table.guarantee == WEIR_KAFKA_EXACTLY_ONCE && !self->in_transaction) {
        WEIR_TRY(weir_kafka_producer_begin(target->producer, err));
        self->in_transaction = true;
    }
    weir_buffer_clear(&self->buffer);
    WEIR_TRY(weir_kafka_row_messages_append(target->messages, batch, &self->buffer, err));
    return weir_kafka_producer_send(target->producer, weir_buffer_slice(&self->buffer), err);
}

static int prepare(weir_sink *base, weir_buffer *out, weir_error *err)
{
    direct_sink *self = (direct_sink *)base;
    (void)out;
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
    self->base =
        (weir_sink){.write = write_batch, .prepare = prepare, .commit = commit, .recover = commit, .close = close_sink};
    self->target = target;
    return &self->base;
}

int weir_kafka_sink_open(const weir_sink_options *options, weir_sink **out, weir_error *err)
{
    kafka_target *target = weir_alloc_zeroed(1, sizeof *target);
    target->base =
        (weir_outbox_target){.append = append, .deliver = deliver, .find_number = find_number, .close = close_target};
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
