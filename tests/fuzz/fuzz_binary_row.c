/* Fuzzes the BinaryRow readers: the first byte chooses the columns, the others are a row. What can be read must be fit
 * for everything that is done with values, and stay the same when it is written and read again. */
#include <stdlib.h>

#include "fuzz/binary_row_types.h"
#include "vector/binary_row.h"
#include "vector/bucket.h"
#include "vector/sort_key.h"

static void must(int code, const weir_error *err)
{
    if (code != WEIR_OK) {
        fprintf(stderr, "%s\n", err->message);
        abort();
    }
}

/* A serialized row as literals: as partitions, keys and statistics are read. */
static void read_literals(weir_slice bytes, const weir_type *row, weir_arena *arena)
{
    const weir_type **types = WEIR_NEW_ARRAY(arena, const weir_type *, row->field_count + 1);
    weir_literal *values = WEIR_NEW_ARRAY(arena, weir_literal, row->field_count + 1);
    weir_buffer text = {0};
    bool nested = false;
    for (int32_t i = 0; i < row->field_count; i++) {
        types[i] = row->fields[i].type;
        nested = nested || weir_type_is_nested(types[i]);
    }
    if (weir_binary_row_deserialize(bytes, types, row->field_count, "fuzz", arena, values, NULL) == WEIR_OK) {
        for (int32_t i = 0; i < row->field_count && !nested; i++) {
            weir_literal_to_text(types[i], &values[i], &text);
        }
        if (!nested) {
            weir_buffer_clear(&text);
            weir_binary_row_serialize(types, values, row->field_count, &text);
        }
    }
    weir_buffer_free(&text);
}

static void print_row(const weir_batch *batch, weir_buffer *out)
{
    for (int32_t i = 0; i < batch->column_count; i++) {
        weir_value_to_json(&batch->columns[i], 0, out);
        weir_buffer_append_byte(out, '\n');
    }
}

/* What a row that came from bytes goes through: keys, hashes, text. */
static void use_row(const weir_batch *batch, const weir_type *row)
{
    int32_t columns[16];
    int32_t flat = 0;
    int32_t bucket = 0;
    weir_buffer text = {0};
    weir_sort_keys keys = {0};
    weir_error err = {0};
    for (int32_t i = 0; i < row->field_count; i++) {
        weir_value_to_text(&batch->columns[i], 0, &text);
        if (!weir_type_is_nested(row->fields[i].type)) {
            columns[flat++] = i;
        }
    }
    must(weir_sort_keys_append(&keys, batch, columns, flat, &err), &err);
    must(weir_batch_buckets(WEIR_BUCKET_DEFAULT, batch, columns, flat, 7, &bucket, &err), &err);
    if (bucket < 0 || bucket > 6) {
        abort();
    }
    weir_sort_keys_free(&keys);
    weir_buffer_free(&text);
}

/* The row as it is written again must read as the same values. */
static void write_again(const weir_batch *batch, const weir_type *row)
{
    static const int32_t columns[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    weir_batch again;
    weir_buffer written = {0};
    weir_buffer expected = {0};
    weir_buffer found = {0};
    weir_error err = {0};
    weir_batch_init(&again, row->fields, row->field_count);
    must(weir_binary_row_write(batch, columns, row->field_count, 0, &written, &err), &err);
    (void)weir_binary_row_hash(weir_buffer_slice(&written));
    must(weir_binary_row_read(weir_buffer_slice(&written), &again, "written", &err), &err);
    print_row(batch, &expected);
    print_row(&again, &found);
    if (!weir_slice_equal(weir_buffer_slice(&expected), weir_buffer_slice(&found))) {
        fprintf(stderr, "read:\n%sread again:\n%s", weir_buffer_text(&expected), weir_buffer_text(&found));
        abort();
    }
    weir_buffer_free(&expected);
    weir_buffer_free(&found);
    weir_buffer_free(&written);
    weir_batch_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    weir_arena arena;
    weir_batch batch;
    const weir_type *row = NULL;
    weir_error err = {0};
    weir_slice bytes = weir_slice_of(data + 1, size - 1);
    weir_arena_init(&arena);
    must(weir_type_parse(binary_row_types[data[0] % BINARY_ROW_TYPES], &arena, &row, &err), &err);
    read_literals(bytes, row, &arena);
    weir_batch_init(&batch, row->fields, row->field_count);
    if (weir_binary_row_read(bytes, &batch, "fuzz", NULL) == WEIR_OK) {
        use_row(&batch, row);
        write_again(&batch, row);
    }
    weir_batch_free(&batch);
    weir_arena_free(&arena);
    return 0;
}
