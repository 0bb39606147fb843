/* The source of a connector as the source of a job: its batches, with the columns asked for; its positions. */
#include "stream/source/connector_source.h"

#include <stdlib.h>

typedef struct connector_source {
    weir_stream_source base; /* first */
    weir_source *source;
    weir_field *fields; /* of `inner`: the table's and its metadata */
    const int32_t *columns;
    int32_t column_count;
    weir_batch inner;
} connector_source;

static int next_batch(weir_stream_source *self, weir_batch *out, weir_error *err)
{
    connector_source *source = (connector_source *)self;
    int code = source->source->next(source->source, &source->inner, err);
    self->is_waiting = source->source->is_waiting;
    WEIR_TRY(code);
    weir_batch_clear(out);
    for (int32_t i = 0; i < source->column_count; i++) {
        weir_vector column = out->columns[i];
        out->columns[i] = source->inner.columns[source->columns[i]];
        source->inner.columns[source->columns[i]] = column;
    }
    out->length = source->inner.length;
    if (source->inner.kinds != NULL && out->length > 0) {
        weir_batch_reserve_kinds(out, out->length);
        memcpy(out->kinds, source->inner.kinds, (size_t)out->length);
    }
    return WEIR_OK;
}

static int write_position(weir_stream_source *self, weir_buffer *out, weir_error *err)
{
    connector_source *source = (connector_source *)self;
    return source->source->position(source->source, out, err);
}

static int restore(weir_stream_source *self, weir_slice position, weir_error *err)
{
    connector_source *source = (connector_source *)self;
    return source->source->restore(source->source, position, err);
}

static int committed(weir_stream_source *self, weir_slice position, weir_error *err)
{
    connector_source *source = (connector_source *)self;
    return source->source->committed(source->source, position, err);
}

static int64_t lag_ms(weir_stream_source *self)
{
    connector_source *source = (connector_source *)self;
    return source->source->lag_ms(source->source);
}

static void close_source(weir_stream_source *self)
{
    connector_source *source = (connector_source *)self;
    source->source->close(source->source);
    weir_batch_free(&source->inner);
    free(source->fields);
    free(source);
}

const weir_source *weir_connector_source_inner(const weir_stream_source *source)
{
    return ((const connector_source *)source)->source;
}

int weir_connector_source_open(const weir_connector_source_options *options, weir_stream_source **out, weir_error *err)
{
    const weir_source_options *open = options->source;
    weir_source *inner = NULL;
    WEIR_TRY(weir_source_open(open, &inner, err));
    connector_source *source = weir_alloc_zeroed(1, sizeof *source);
    int32_t field_count = open->field_count + open->metadata_count;
    source->source = inner;
    source->columns = options->columns;
    source->column_count = options->column_count;
    source->fields = weir_alloc_zeroed((size_t)field_count + 1, sizeof *source->fields);
    memcpy(source->fields, open->fields, (size_t)open->field_count * sizeof *source->fields);
    if (open->metadata_count > 0) {
        memcpy(source->fields + open->field_count, open->metadata,
               (size_t)open->metadata_count * sizeof *source->fields);
    }
    weir_batch_init(&source->inner, source->fields, field_count);
    source->base = (weir_stream_source){
        .next = next_batch,
        .position = write_position,
        .restore = restore,
        .committed = inner->committed == NULL ? NULL : committed,
        .lag_ms = inner->lag_ms == NULL ? NULL : lag_ms,
        .close = close_source,
        .is_bounded = inner->is_bounded,
        .poll_interval_ms = inner->poll_interval_ms,
        .description = options->description,
    };
    *out = &source->base;
    return WEIR_OK;
}
