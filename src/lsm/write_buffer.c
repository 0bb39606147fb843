/* The write buffer: columns in memory, sorted by a radix sort of their keys when they leave it.
 *
 * Rows that memory has no room for are set aside by merge/spill.h. */
#include "lsm/write_buffer.h"

#include <stdlib.h>

#include "vector/sort_key.h"

/* Rows written at a time: bounds the memory of gathered columns and lets the file roll between. */
#define FLUSH_ROWS 131072

int weir_write_buffer_init(weir_write_buffer *buffer, const weir_table_context *context, weir_error *err)
{
    *buffer = (weir_write_buffer){.context = context};
    weir_batch_init(&buffer->rows, context->schema->fields, context->schema->field_count);
    return weir_buffer_merge_init(&buffer->merge, context->schema, err);
}

void weir_write_buffer_free(weir_write_buffer *buffer)
{
    weir_batch_free(&buffer->rows);
    free(buffer->sequence_numbers);
    weir_spill_free(buffer->spill);
    weir_buffer_merge_free(&buffer->merge);
    *buffer = (weir_write_buffer){0};
}

int weir_write_buffer_append(weir_write_buffer *buffer, const weir_batch *batch, const uint32_t *rows, int64_t count,
                             int64_t *next_sequence, weir_error *err)
{
    int64_t length = buffer->rows.length;
    weir_batch_reserve_kinds(&buffer->rows, length + count);
    if (rows == NULL) {
        WEIR_TRY(weir_batch_append_range(&buffer->rows, batch, 0, count, err));
    } else {
        WEIR_TRY(weir_batch_append_rows(&buffer->rows, batch, rows, count, err));
    }
    WEIR_GROW(buffer->sequence_numbers, buffer->sequence_capacity, length + count);
    int64_t sequence = *next_sequence;
    for (int64_t i = 0; i < count; i++) {
        buffer->sequence_numbers[length + i] = sequence + i;
    }
    *next_sequence = sequence + count;
    return WEIR_OK;
}

void weir_write_buffer_renumber(weir_write_buffer *buffer, int64_t *next_sequence)
{
    for (int64_t i = 0; i < buffer->rows.length; i++) {
        buffer->sequence_numbers[i] = *next_sequence + i;
    }
    *next_sequence += buffer->rows.length;
}

bool weir_write_buffer_is_empty(const weir_write_buffer *buffer)
{
    return buffer->rows.length == 0 && buffer->spill == NULL;
}

int64_t weir_write_buffer_bytes(const weir_write_buffer *buffer)
{
    const weir_batch *rows = &buffer->rows;
    int64_t bytes = rows->length * (int64_t)(sizeof(int64_t) + sizeof(int8_t)); /* sequence number and kind */
    for (int32_t c = 0; rows->length > 0 && c < rows->column_count; c++) {
        bytes += weir_vector_range_bytes(&rows->columns[c], 0, rows->length);
    }
    return bytes;
}

void weir_write_buffer_release(weir_write_buffer *buffer)
{
    const weir_schema *schema = buffer->context->schema;
    weir_batch_free(&buffer->rows);
    weir_batch_init(&buffer->rows, schema->fields, schema->field_count);
    free(buffer->sequence_numbers);
    buffer->sequence_numbers = NULL;
    buffer->sequence_capacity = 0;
}

/* Rows of the buffer in the order in which a file shall have them. */
typedef struct ordered_rows {
    const weir_write_buffer *buffer;
    uint32_t *rows;
    int64_t count;
    int64_t first; /* of those being written */
    int64_t written_at_once;
} ordered_rows;

static int gather_column(void *argument, int32_t column, weir_vector *out, weir_error *err)
{
    const ordered_rows *ordered = argument;
    return weir_vector_append_rows(out, &ordered->buffer->rows.columns[column], ordered->rows + ordered->first,
                                   ordered->written_at_once, err);
}

static int write_ordered(ordered_rows *ordered, weir_data_file_writer *writer, weir_error *err)
{
    int code = WEIR_OK;
    int64_t most = ordered->count < FLUSH_ROWS ? ordered->count : FLUSH_ROWS;
    int64_t *sequence_numbers = weir_alloc(sizeof(int64_t) * (size_t)(most + 1));
    int8_t *kinds = weir_alloc((size_t)(most + 1));
    for (ordered->first = 0; ordered->first < ordered->count; ordered->first += FLUSH_ROWS) {
        int64_t left = ordered->count - ordered->first;
        ordered->written_at_once = left < FLUSH_ROWS ? left : FLUSH_ROWS;
        const uint32_t *rows = ordered->rows + ordered->first;
        for (int64_t i = 0; i < ordered->written_at_once; i++) {
            sequence_numbers[i] = ordered->buffer->sequence_numbers[rows[i]];
            kinds[i] = ordered->buffer->rows.kinds[rows[i]];
        }
        WEIR_GO(weir_data_file_writer_write_columns(writer, ordered->written_at_once, sequence_numbers, kinds,
                                                    gather_column, ordered, err));
    }
done:
    free(sequence_numbers);
    free(kinds);
    return code;
}

/* Keeps the last of each group of equal keys; returns how many are left. Works in place. */
static int64_t keep_last_of_each_key(const weir_sort_keys *keys, uint32_t *order, int64_t count)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < count; i++) {
        if (i + 1 == count || weir_sort_keys_compare(keys, order[i], keys, order[i + 1]) != 0) {
            order[kept++] = order[i];
        }
    }
    return kept;
}

/* Sorts the rows in memory and writes them; they stay in the buffer. */
static int write_sorted(weir_write_buffer *buffer, weir_data_file_writer *data, weir_data_file_writer *changelog,
                        weir_error *err)
{
    int code = WEIR_OK;
    const weir_schema *schema = buffer->context->schema;
    weir_sort_keys keys = {0};
    ordered_rows ordered = {.buffer = buffer, .count = buffer->rows.length};
    WEIR_GO(weir_alloc_checked((size_t)buffer->rows.length, sizeof *ordered.rows, (void **)&ordered.rows, err));
    WEIR_GO(weir_sort_keys_append(&keys, &buffer->rows, schema->key_columns, schema->key_column_count, err));
    WEIR_GO(weir_sort_keys_order(&keys, ordered.rows, err));
    const weir_sorted_buffer sorted = {&buffer->rows, buffer->sequence_numbers, &keys, ordered.rows, ordered.count};
    weir_buffer_merge_order(&buffer->merge, &sorted);
    if (changelog != NULL) {
        WEIR_GO(write_ordered(&ordered, changelog, err));
    }
    if (!weir_buffer_merge_keeps_last(&buffer->merge)) {
        WEIR_GO(weir_buffer_merge_write(&buffer->merge, &sorted, data, err));
        goto done;
    }
    ordered.count = keep_last_of_each_key(&keys, ordered.rows, ordered.count);
    weir_sort_keys_free(&keys);
    WEIR_GO(write_ordered(&ordered, data, err));
done:
    weir_sort_keys_free(&keys);
    free(ordered.rows);
    return code;
}

bool weir_write_buffer_can_spill(const weir_write_buffer *buffer)
{
    return weir_merge_engine_picks(&buffer->merge.engine);
}

int weir_write_buffer_spill(weir_write_buffer *buffer, weir_error *err)
{
    if (buffer->rows.length == 0) {
        return WEIR_OK;
    }
    if (buffer->spill == NULL) {
        WEIR_TRY(weir_spill_create(buffer->context, &buffer->spill, err));
    }
    weir_data_file_writer *writer = NULL;
    WEIR_TRY(weir_spill_writer(buffer->spill, &writer, err));
    int code = write_sorted(buffer, writer, NULL, err);
    if (code != WEIR_OK) {
        weir_data_file_writer_close(writer);
        return code;
    }
    WEIR_TRY(weir_spill_add(buffer->spill, writer, 0, err));
    weir_batch_clear(&buffer->rows);
    return WEIR_OK;
}

int weir_write_buffer_flush(weir_write_buffer *buffer, weir_data_file_writer *data, weir_data_file_writer *changelog,
                            weir_error *err)
{
    if (buffer->spill == NULL) {
        return write_sorted(buffer, data, changelog, err);
    }
    WEIR_TRY(weir_write_buffer_spill(buffer, err));
    return weir_spill_merge(buffer->spill, data, err);
}

void weir_write_buffer_clear(weir_write_buffer *buffer)
{
    weir_batch_clear(&buffer->rows);
    weir_spill_free(buffer->spill);
    buffer->spill = NULL;
}
