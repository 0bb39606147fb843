/* Numbers of rows and bounds of columns from manifests.
 *
 * Only files whose rows stand alone are summed up: rows of append tables, and of buckets that need no merge and hold no
 * deletes. Partitions are left out exactly, anything finer is not. */
#include "table/scan/summary.h"

#include "table/scan/scan_deletions.h"

#include "vector/compare.h"

/* Whether values of the type can be summarized: statistics of texts may be truncated, those of floats leave NaN out. */
static bool has_bounds(const weir_type *type)
{
    switch (type->id) {
    case WEIR_TINYINT:
    case WEIR_SMALLINT:
    case WEIR_INT:
    case WEIR_BIGINT:
    case WEIR_DECIMAL:
    case WEIR_DATE:
    case WEIR_TIME:
        return true;
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        return type->precision <= 6;
    default:
        return false;
    }
}

static bool names_partitions_only(const weir_schema *schema, const weir_predicate *predicate, weir_arena *arena)
{
    bool *named = WEIR_NEW_ARRAY(arena, bool, schema->field_count + 1);
    weir_predicate_columns(predicate, named);
    for (int32_t i = 0; i < schema->partition_key_count; i++) {
        named[schema->partition_columns[i]] = false;
    }
    for (int32_t i = 0; i < schema->field_count; i++) {
        if (named[i]) {
            return false;
        }
    }
    return true;
}

static bool take_bound(weir_summary *summary, const weir_type *type, const weir_column_stats *stats)
{
    bool is_min = summary->kind == WEIR_SUMMARY_MIN;
    const weir_literal *bound = is_min ? &stats->min : &stats->max;
    if (stats->null_count == stats->row_count && stats->row_count >= 0) {
        return true; /* nothing but NULLs */
    }
    if (!stats->has_min_max || bound->is_null) {
        return false;
    }
    int order = summary->value.is_null ? 0 : weir_literal_compare(type, bound, &summary->value);
    if (summary->value.is_null || (is_min ? order < 0 : order > 0)) {
        summary->value = *bound;
    }
    return true;
}

/* Takes a file into a summary; false: its statistics do not tell. */
static bool add_file(weir_summary *summary, const weir_schema *schema, const weir_data_file *file,
                     const weir_column_stats *stats)
{
    const weir_type *type = summary->kind == WEIR_SUMMARY_ROWS ? NULL : schema->fields[summary->column].type;
    if (file->deletion != NULL && summary->kind != WEIR_SUMMARY_ROWS) {
        return false;
    }
    switch (summary->kind) {
    case WEIR_SUMMARY_ROWS:
        summary->value.integer += weir_live_row_count(file);
        return weir_live_row_count(file) >= 0;
    case WEIR_SUMMARY_VALUES:
        if (type->nullable) {
            summary->value.integer += file->row_count - stats->null_count;
            return stats->null_count >= 0;
        }
        summary->value.integer += file->row_count;
        return true;
    default:
        return take_bound(summary, type, stats);
    }
}

/* In all of the split's files; the arena holds statistics of bounds. */
static int add_split(const weir_table *table, const weir_split *split, weir_summary *summaries, int32_t count,
                     weir_arena *arena, bool *out_known, weir_error *err)
{
    for (int32_t f = 0; f < split->file_count && *out_known; f++) {
        for (int32_t i = 0; i < count && *out_known; i++) {
            weir_column_stats stats = {.null_count = -1};
            if (summaries[i].kind != WEIR_SUMMARY_ROWS) {
                WEIR_TRY(
                    weir_stats_decode(&table->context, split->files[f], &summaries[i].column, 1, arena, &stats, err));
                stats.row_count = split->files[f]->row_count;
            }
            *out_known = add_file(&summaries[i], table->schema, split->files[f], &stats);
        }
    }
    return WEIR_OK;
}

int weir_table_summarize(const weir_table *table, const weir_predicate *predicate, weir_summary *summaries,
                         int32_t count, bool *out_known, weir_error *err)
{
    weir_table_plan *plan = NULL;
    weir_scan_options options = {.predicate = predicate, .limit = -1, .with_stats = true};
    weir_arena arena;
    weir_arena_init(&arena);
    int code = WEIR_OK;
    *out_known = predicate == NULL || names_partitions_only(table->schema, predicate, &arena);
    for (int32_t i = 0; i < count; i++) {
        bool is_bound = summaries[i].kind >= WEIR_SUMMARY_MIN;
        summaries[i].value = (weir_literal){.is_null = is_bound};
        *out_known = *out_known && (!is_bound || has_bounds(table->schema->fields[summaries[i].column].type));
    }
    if (*out_known) {
        WEIR_GO(weir_scan_plan(table, &options, &plan, err));
    }
    for (size_t s = 0; plan != NULL && s < plan->split_count && *out_known; s++) {
        const weir_split *split = &plan->splits[s];
        *out_known = split->kind == WEIR_SPLIT_RAW && split->table == NULL;
        if (*out_known) {
            WEIR_GO(add_split(table, split, summaries, count, &arena, out_known, err));
        }
    }
done:
    weir_table_plan_free(plan);
    weir_arena_free(&arena);
    return code;
}
