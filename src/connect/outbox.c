/* The outbox.
 *
 * Its name is new in each run that finds nothing prepared; numbers count up under one name. What is prepared:
 *
 *   | version: 1 | name | number: 8 | rows |      name: | size: 4 | bytes | */
#include "connect/outbox.h"

#include <stdlib.h>

#include "base/byte_reader.h"
#include "base/clock.h"
#include "base/text.h"

enum {
    VERSION = 1,
    HELD_BYTES = 8 << 20 /* so much should not be held back for long */
};

typedef struct outbox_sink {
    weir_sink base; /* first */
    weir_outbox_target *target;
    char *name;
    int64_t number; /* of the last that was prepared */
    weir_buffer rows;
} outbox_sink;

typedef struct outbox_entry {
    weir_slice name;
    int64_t number;
    weir_slice rows;
} outbox_entry;

static int write_batch(weir_sink *sink, const weir_batch *batch, weir_error *err)
{
    outbox_sink *self = (outbox_sink *)sink;
    return self->target->append(self->target, batch, &self->rows, err);
}

static int prepare(weir_sink *sink, weir_buffer *out, weir_error *err)
{
    outbox_sink *self = (outbox_sink *)sink;
    (void)err;
    if (self->target->drain != NULL) {
        self->target->drain(self->target, &self->rows);
    }
    if (self->rows.size == 0) {
        return WEIR_OK;
    }
    weir_put_u8(out, VERSION);
    weir_put_slice(out, weir_slice_text(self->name));
    weir_put_u64(out, (uint64_t)++self->number);
    weir_buffer_append(out, self->rows.data, self->rows.size);
    weir_buffer_clear(&self->rows);
    return WEIR_OK;
}

static int read_entry(weir_slice prepared, outbox_entry *out, weir_error *err)
{
    weir_byte_reader reader = weir_byte_reader_of(prepared);
    uint8_t version = weir_take_u8(&reader);
    out->name = weir_take_slice(&reader);
    out->number = weir_take_i64(&reader);
    out->rows = reader.left;
    return reader.failed || version != VERSION
               ? weir_fail(err, WEIR_CORRUPT, "the rows that were to be delivered are damaged in the job's state")
               : WEIR_OK;
}

static int commit(weir_sink *sink, weir_slice prepared, weir_error *err)
{
    outbox_sink *self = (outbox_sink *)sink;
    outbox_entry entry;
    if (prepared.size == 0) {
        return WEIR_OK;
    }
    WEIR_TRY(read_entry(prepared, &entry, err));
    return self->target->deliver(self->target, self->name, entry.number, entry.rows, err);
}

static int recover(weir_sink *sink, weir_slice prepared, weir_error *err)
{
    outbox_sink *self = (outbox_sink *)sink;
    outbox_entry entry;
    int64_t delivered = 0;
    WEIR_TRY(read_entry(prepared, &entry, err));
    free(self->name);
    self->name = weir_alloc_zeroed(entry.name.size + 1, 1);
    memcpy(self->name, entry.name.data, entry.name.size);
    self->number = entry.number;
    WEIR_TRY(self->target->find_number(self->target, self->name, &delivered, err));
    return delivered >= entry.number ? WEIR_OK
                                     : self->target->deliver(self->target, self->name, entry.number, entry.rows, err);
}

static bool is_full(weir_sink *sink) { return ((const outbox_sink *)sink)->rows.size >= HELD_BYTES; }

static void close_sink(weir_sink *sink)
{
    outbox_sink *self = (outbox_sink *)sink;
    self->target->close(self->target);
    weir_buffer_free(&self->rows);
    free(self->name);
    free(self);
}

weir_sink *weir_outbox_sink_create(weir_outbox_target *target, const char *prefix)
{
    char id[WEIR_UUID_SIZE];
    outbox_sink *self = weir_alloc_zeroed(1, sizeof *self);
    weir_uuid(id);
    self->base = (weir_sink){.write = write_batch,
                             .prepare = prepare,
                             .commit = commit,
                             .recover = recover,
                             .close = close_sink,
                             .is_full = is_full};
    self->target = target;
    self->name = weir_format("%s-%s", prefix, id);
    return &self->base;
}
