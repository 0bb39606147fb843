/* Cutting the keys of some sorted runs into ranges of equal weight, so that several threads can merge them.
 *
 * Keys are sampled at even distances from every file, each sample weighing the rows it stands for; the bounds are the
 * weighted quantiles. A sample costs decoding one page of the key columns. */
#include <stdlib.h>

#include "merge/merge_reader.h"

#define SAMPLES_PER_PART 32

typedef struct key_samples {
    const weir_field *fields; /* the key columns */
    int32_t field_count;
    weir_batch rows;
    int64_t *weights; /* rows that each sample stands for */
    size_t weight_capacity;
} key_samples;

static int sample_file(const weir_table_context *context, const char *bucket_path, const weir_data_file *file,
                       int64_t step, key_samples *samples, weir_error *err)
{
    weir_format_reader *reader = NULL;
    WEIR_TRY(weir_data_file_open(context, bucket_path, file, samples->fields, samples->field_count, &reader, err));
    int code = WEIR_OK;
    for (int64_t row = step < file->row_count ? step / 2 : file->row_count / 2; row < file->row_count; row += step) {
        for (int32_t i = 0; i < samples->field_count; i++) {
            WEIR_GO(reader->ops->read(reader, i, row, 1, &samples->rows.columns[i], err));
        }
        int64_t at = samples->rows.length++;
        WEIR_GROW(samples->weights, samples->weight_capacity, at + 1);
        samples->weights[at] = step < file->row_count ? step : file->row_count;
    }
done:
    reader->ops->close(reader);
    return code;
}

static int sample_runs(const weir_table_context *context, const char *bucket_path, const weir_sorted_run *runs,
                       int32_t run_count, int32_t parts, key_samples *samples, weir_error *err)
{
    int64_t total = 0;
    for (int32_t r = 0; r < run_count; r++) {
        for (int32_t f = 0; f < runs[r].file_count; f++) {
            total += runs[r].files[f]->row_count;
        }
    }
    int64_t step = total / ((int64_t)parts * SAMPLES_PER_PART) + 1;
    for (int32_t r = 0; r < run_count; r++) {
        for (int32_t f = 0; f < runs[r].file_count; f++) {
            WEIR_TRY(sample_file(context, bucket_path, runs[r].files[f], step, samples, err));
        }
    }
    return WEIR_OK;
}

/* The bytes of key i: of a whole key, its prefix. */
static weir_slice copy_key(const weir_sort_keys *keys, int64_t i, weir_arena *arena)
{
    if (keys->whole) {
        uint8_t bytes[8];
        weir_store_be64(bytes, keys->prefixes[i]);
        return weir_slice_of(weir_arena_copy(arena, bytes, sizeof bytes), sizeof bytes);
    }
    size_t size = (size_t)(keys->offsets[i + 1] - keys->offsets[i]);
    return weir_slice_of(weir_arena_copy(arena, keys->bytes + keys->offsets[i], size), size);
}

/* Takes as bounds the keys at which the weight passes 1/parts, 2/parts, …; equal neighbours and empty keys are left
 * out. */
static int choose_bounds(const key_samples *samples, const weir_sort_keys *keys, int32_t parts, weir_arena *arena,
                         weir_slice *bounds, int32_t *out_count, weir_error *err)
{
    int64_t count = keys->length;
    uint32_t *order = weir_alloc_zeroed((size_t)count + 1, sizeof *order);
    int code;
    WEIR_GO(weir_sort_keys_order(keys, order, err));
    int64_t total = 0;
    for (int64_t i = 0; i < count; i++) {
        total += samples->weights[i];
    }
    int64_t passed = 0;
    int32_t part = 1;
    int64_t last = count > 0 ? order[0] : 0; /* a bound at the least key would leave its range empty */
    for (int64_t i = 0; i < count && part < parts; i++) {
        if (passed >= total / parts * part) {
            weir_slice key = copy_key(keys, order[i], arena);
            if (key.size > 0 && weir_sort_keys_compare(keys, last, keys, order[i]) != 0) {
                bounds[(*out_count)++] = key;
                last = order[i];
            }
            part++;
        }
        passed += samples->weights[order[i]];
    }
done:
    free(order);
    return code;
}

int weir_merge_split_keys(const weir_table_context *context, weir_slice partition, int32_t bucket,
                          const weir_sorted_run *runs, int32_t run_count, int32_t parts, weir_arena *arena,
                          weir_slice **out_bounds, int32_t *out_count, weir_error *err)
{
    const weir_schema *schema = context->schema;
    int32_t field_count = schema->key_column_count;
    weir_slice *bounds = WEIR_NEW_ARRAY(arena, weir_slice, parts > 0 ? parts : 1);
    int32_t bound_count = 0;
    weir_field *fields = WEIR_NEW_ARRAY(arena, weir_field, field_count + 1);
    int32_t *positions = WEIR_NEW_ARRAY(arena, int32_t, field_count + 1);
    for (int32_t i = 0; i < field_count; i++) {
        fields[i] = schema->fields[schema->key_columns[i]];
        positions[i] = i;
    }
    const char *bucket_path = NULL;
    WEIR_TRY(weir_bucket_path(arena, &context->paths, schema, partition, bucket, &bucket_path, err));
    key_samples samples = {.fields = fields, .field_count = field_count};
    weir_batch_init(&samples.rows, fields, field_count);
    weir_sort_keys keys = {0};
    int code = WEIR_OK;
    if (parts > 1) {
        WEIR_GO(sample_runs(context, bucket_path, runs, run_count, parts, &samples, err));
        WEIR_GO(weir_sort_keys_append(&keys, &samples.rows, positions, field_count, err));
        WEIR_GO(choose_bounds(&samples, &keys, parts, arena, bounds, &bound_count, err));
    }
    *out_bounds = bounds;
    *out_count = bound_count;
done:
    weir_sort_keys_free(&keys);
    weir_batch_free(&samples.rows);
    free(samples.weights);
    return code;
}
