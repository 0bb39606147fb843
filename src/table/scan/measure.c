/* Counting what pruning leaves of the files of a plan: their footers and page indexes are read, their rows are not. */
#include "table/scan/measure.h"

/* The columns that the predicate names, as fields to open files with; positions[column] is their place. */
static int32_t named_fields(const weir_schema *schema, const weir_predicate *predicate, weir_arena *arena,
                            weir_field **out, int32_t **out_positions)
{
    bool *named = WEIR_NEW_ARRAY(arena, bool, schema->field_count + 1);
    int32_t count = 0;
    *out = WEIR_NEW_ARRAY(arena, weir_field, schema->field_count + 1);
    *out_positions = WEIR_NEW_ARRAY(arena, int32_t, schema->field_count + 1);
    weir_predicate_columns(predicate, named);
    for (int32_t i = 0; i < schema->field_count; i++) {
        (*out_positions)[i] = named[i] ? count : -1;
        if (named[i]) {
            (*out)[count++] = schema->fields[i];
        }
    }
    return count;
}

static int measure_file(const weir_table *table, const weir_split *split, const weir_data_file *file,
                        const weir_predicate *predicate, weir_arena *arena, weir_scan_counts *counts, weir_error *err)
{
    weir_field *fields;
    int32_t *positions;
    const char *bucket_path;
    weir_format_reader *reader = NULL;
    weir_row_ranges ranges = {0};
    int32_t count = named_fields(table->schema, predicate, arena, &fields, &positions);
    WEIR_TRY(weir_bucket_path(arena, &table->context.paths, table->schema, split->partition, split->bucket,
                              &bucket_path, err));
    WEIR_TRY(weir_data_file_open(&table->context, bucket_path, file, fields, count, &reader, err));
    int code = reader->ops->prune(reader, weir_predicate_map(arena, predicate, positions), &ranges, err);
    counts->row_groups += reader->row_groups;
    counts->row_groups_kept += reader->row_groups_kept;
    counts->rows += reader->row_count;
    for (size_t i = 0; i < ranges.count; i++) {
        counts->rows_kept += ranges.ranges[i].count;
    }
    weir_row_ranges_free(&ranges);
    reader->ops->close(reader);
    return code;
}

int weir_table_plan_measure(const weir_table *table, const weir_table_plan *plan, const weir_read_options *options,
                            weir_scan_counts *out, weir_error *err)
{
    weir_arena arena;
    weir_arena_init(&arena);
    int code = WEIR_OK;
    *out = (weir_scan_counts){.snapshot_id = plan->snapshot_id,
                              .files = plan->files_total,
                              .files_kept = plan->files_kept,
                              .splits = (int64_t)plan->split_count};
    for (size_t s = 0; s < plan->split_count && code == WEIR_OK; s++) {
        const weir_split *split = &plan->splits[s];
        out->merges += split->kind == WEIR_SPLIT_MERGE;
        bool is_counted = split->kind == WEIR_SPLIT_RAW && split->table == NULL && split->first_row == 0;
        for (int32_t f = 0; is_counted && f < split->file_count && code == WEIR_OK; f++) {
            code = measure_file(table, split, split->files[f], options->predicate, &arena, out, err);
        }
    }
    weir_arena_free(&arena);
    return code;
}
