/* Splits as an Arrow stream: batches are read, filtered and handed over one by one.
 *
 * Pruning in the rooms below leaves out what cannot match; here the rows that still do not match go, and the columns
 * that only the conditions needed. */
#include <errno.h>
#include <stdlib.h>

#include "api/read_plan.h"
#include "vector/arrow.h"

typedef struct read_stream {
    weir_read_plan *plan; /* a reference */
    size_t next_split;
    size_t end_split;
    weir_split_reader *reader; /* of the split before next_split; NULL: none is open */
    weir_read_options options;
    weir_arena arena;
    const weir_field *fields; /* that are read */
    weir_batch batch;
    weir_batch matching; /* the rows of a batch that match, where not all do */
    uint32_t *rows;
    size_t row_capacity;
    weir_error error;
} read_stream;

/* Meanings that callers of the stream interface know. */
static int errno_of(int code)
{
    switch (code) {
    case WEIR_OK:
        return 0;
    case WEIR_NOT_FOUND:
        return ENOENT;
    case WEIR_NO_MEMORY:
        return ENOMEM;
    case WEIR_UNSUPPORTED:
        return ENOTSUP;
    case WEIR_DENIED:
        return EACCES;
    case WEIR_INVALID:
        return EINVAL;
    default:
        return EIO;
    }
}

/* ---- schema ---- */

static int export_schema(read_stream *stream, struct ArrowSchema *out)
{
    static const weir_type kind_type = {.id = WEIR_TINYINT};
    const weir_resolved_request *request = &stream->plan->request;
    weir_field *fields = weir_alloc(sizeof *fields * (size_t)(request->visible_count + 1));
    int32_t count = request->visible_count;
    memcpy(fields, stream->fields, sizeof *fields * (size_t)count);
    if (request->with_kinds) {
        fields[count++] = (weir_field){.id = -1, .name = WEIR_ARROW_ROW_KIND, .type = &kind_type};
    }
    int code = weir_arrow_export_schema(fields, count, out, &stream->error);
    free(fields);
    return code;
}

static int stream_schema(struct ArrowArrayStream *self, struct ArrowSchema *out)
{
    return errno_of(export_schema(self->private_data, out));
}

/* ---- rows ---- */

static int open_next_split(read_stream *stream)
{
    if (stream->next_split == stream->end_split) {
        return WEIR_END;
    }
    const weir_split *split = &stream->plan->plan->splits[stream->next_split++];
    return weir_split_open(stream->plan->table->table, split, &stream->options, &stream->reader, &stream->error);
}

/* The next batch of any split that has rows; WEIR_END after the last one. */
static int read_batch(read_stream *stream)
{
    for (;;) {
        if (stream->reader == NULL) {
            WEIR_TRY(open_next_split(stream));
        }
        int code = weir_split_next(stream->reader, &stream->batch, &stream->error);
        if (code != WEIR_END) {
            return code;
        }
        weir_split_close(stream->reader);
        stream->reader = NULL;
    }
}

/* The rows that match: in the batch read when all do, otherwise copied. Zero rows are possible. */
static int filter_batch(read_stream *stream, weir_batch **out)
{
    const weir_predicate *filter = stream->plan->request.filter;
    *out = &stream->batch;
    if (filter == NULL) {
        return WEIR_OK;
    }
    WEIR_GROW(stream->rows, stream->row_capacity, stream->batch.length);
    int64_t count = weir_predicate_select(filter, &stream->batch, stream->rows);
    if (count == stream->batch.length) {
        return WEIR_OK;
    }
    *out = &stream->matching;
    weir_batch_clear(&stream->matching);
    return weir_batch_append_rows(&stream->matching, &stream->batch, stream->rows, count, &stream->error);
}

/* Moves the visible columns out. */
static int export_batch(const read_stream *stream, weir_batch *batch, struct ArrowArray *out, weir_error *err)
{
    const weir_resolved_request *request = &stream->plan->request;
    weir_batch visible = *batch; /* shares the columns, which are moved out of their places */
    visible.column_count = request->visible_count;
    if (request->with_kinds) {
        weir_batch_reserve_kinds(&visible, visible.length);
        batch->kinds = NULL;
        batch->kinds_capacity = 0;
    } else {
        visible.kinds = NULL;
        visible.kinds_capacity = 0;
    }
    int code = weir_arrow_export_batch(&visible, out, err);
    weir_batch_clear(batch);
    return code;
}

static int next_array(read_stream *stream, struct ArrowArray *out)
{
    weir_batch *batch = NULL;
    do {
        WEIR_TRY(read_batch(stream));
        WEIR_TRY(filter_batch(stream, &batch));
    } while (batch->length == 0);
    return export_batch(stream, batch, out, &stream->error);
}

static int stream_next(struct ArrowArrayStream *self, struct ArrowArray *out)
{
    int code = next_array(self->private_data, out);
    if (code == WEIR_END) {
        *out = (struct ArrowArray){0}; /* released: the end of the stream */
        return 0;
    }
    return errno_of(code);
}

static const char *stream_last_error(struct ArrowArrayStream *self)
{
    const read_stream *stream = self->private_data;
    return stream->error.code != WEIR_OK ? stream->error.message : NULL;
}

/* ---- lifetime ---- */

static void stream_release(struct ArrowArrayStream *self)
{
    read_stream *stream = self->private_data;
    weir_split_close(stream->reader);
    weir_batch_free(&stream->batch);
    weir_batch_free(&stream->matching);
    weir_arena_free(&stream->arena);
    weir_read_plan_release(stream->plan);
    free(stream->rows);
    free(stream);
    self->release = NULL;
}

void weir_read_stream_init(const weir_read_plan *plan, size_t first, size_t end, struct ArrowArrayStream *out)
{
    const weir_resolved_request *request = &plan->request;
    read_stream *stream = weir_alloc_zeroed(1, sizeof *stream);
    stream->plan = weir_read_plan_retain(plan);
    stream->next_split = first;
    stream->end_split = end;
    stream->options = (weir_read_options){
        .columns = request->columns,
        .column_count = request->column_count,
        .predicate = request->predicate,
        .with_kinds = request->with_kinds,
        .batch_rows = request->batch_rows,
    };
    int32_t count = 0;
    weir_arena_init(&stream->arena);
    stream->fields = weir_read_fields(plan->table->table, &stream->options, &stream->arena, &count);
    weir_batch_init(&stream->batch, stream->fields, count);
    weir_batch_init(&stream->matching, stream->fields, count);
    *out = (struct ArrowArrayStream){
        .get_schema = stream_schema,
        .get_next = stream_next,
        .get_last_error = stream_last_error,
        .release = stream_release,
        .private_data = stream,
    };
}
