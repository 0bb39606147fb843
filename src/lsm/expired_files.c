/* Telling by statistics whether a file holds rows that have expired. */
#include "lsm/expired_files.h"

#include "base/clock.h"
#include "file/stats.h"
#include "merge/record_expire.h"

/* The least time that the file's statistics tell of its rows, in seconds since 1970; false: they tell none. */
static bool least_seconds(const weir_column_stats *stats, const weir_type *type, int64_t *out)
{
    weir_vector value;
    bool is_told = false;
    if (!stats->has_min_max) {
        return false;
    }
    weir_vector_init(&value, type);
    if (weir_vector_append_literal(&value, &stats->min, NULL) == WEIR_OK) {
        is_told = weir_record_expire_seconds(&value, 0, out);
    }
    weir_vector_free(&value);
    return is_told;
}

int weir_file_has_expired_rows(const weir_table_context *context, const weir_data_file *file, bool *out,
                               weir_error *err)
{
    weir_record_expire expire;
    *out = false;
    WEIR_TRY(weir_record_expire_of(context->schema, &expire, err));
    if (expire.column < 0) {
        return WEIR_OK;
    }
    weir_arena arena;
    weir_column_stats stats = {0};
    int64_t seconds = 0;
    weir_arena_init(&arena);
    int code = weir_stats_decode(context, file, &expire.column, 1, &arena, &stats, err);
    if (code == WEIR_OK && least_seconds(&stats, context->schema->fields[expire.column].type, &seconds)) {
        *out = weir_record_expire_is_over(&expire, seconds, weir_now_ms() / 1000);
    }
    weir_arena_free(&arena);
    return code;
}

int weir_run_has_expired_rows(const weir_table_context *context, const weir_sorted_run *run, bool *out, weir_error *err)
{
    *out = false;
    for (int32_t f = 0; f < run->file_count && !*out; f++) {
        WEIR_TRY(weir_file_has_expired_rows(context, run->files[f], out, err));
    }
    return WEIR_OK;
}
