/* Sorted runs in a temporary folder on the local disk; see the header. */
#include "merge/spill.h"

#include <stdlib.h>

#include "fs/temporary.h"

#define MERGE_ROWS 65536

/* What one run takes of memory in a merge, nearly: a page of a thousand rows or more of each column, and its keys. */
#define LEAST_RUN_BYTES    ((int64_t)3 << 19)
#define BYTES_A_RUN_COLUMN ((int64_t)32 << 10)

struct weir_spill {
    weir_arena arena;
    char *folder;
    weir_table_context context; /* of that folder */
    weir_data_file **files;     /* a run each */
    size_t file_count;
    size_t file_capacity;
};

int weir_spill_create(const weir_table_context *context, weir_spill **out, weir_error *err)
{
    char *folder = NULL;
    WEIR_TRY(weir_temporary_make(NULL, "spill", &folder, err));
    weir_spill *spill = weir_alloc_zeroed(1, sizeof *spill);
    weir_arena_init(&spill->arena);
    spill->folder = folder;

    static const char *keys[] = {"file.compression", "file.format", "metadata.stats-mode", "target-file-size"};
    static const char *values[] = {"lz4_raw", "parquet", "none", "1 tb"};
    weir_options quick = {.keys = keys, .values = values, .count = 4};
    weir_schema *schema = weir_arena_copy(&spill->arena, context->schema, sizeof *schema);
    weir_options_merge(&spill->arena, &context->schema->options, &quick, &schema->options);
    weir_options_unset(&schema->options, "file.format.per.level");
    weir_options_unset(&schema->options, "file.compression.per.level");
    schema->partition_key_count = 0; /* all pieces lie in one folder */

    spill->context = *context;
    spill->context.fs = weir_fs_local();
    spill->context.paths = weir_table_paths_of(&spill->arena, folder, NULL);
    spill->context.schema = schema;
    *out = spill;
    return WEIR_OK;
}

void weir_spill_free(weir_spill *spill)
{
    if (spill == NULL) {
        return;
    }
    weir_temporary_remove(spill->folder);
    free(spill->files);
    weir_arena_free(&spill->arena);
    free(spill);
}

int weir_spill_writer(weir_spill *spill, weir_data_file_writer **out, weir_error *err)
{
    weir_data_file_writer_options options = {
        .kind = WEIR_DATA_FILE_KEY_VALUE,
        .partition = weir_partition_none(),
        .source = WEIR_FILE_SOURCE_APPEND,
    };
    return weir_data_file_writer_create(&spill->context, &options, out, err);
}

int weir_spill_add(weir_spill *spill, weir_data_file_writer *writer, int32_t level, weir_error *err)
{
    size_t first = spill->file_count;
    int code = weir_data_file_writer_finish(writer, &spill->arena, &spill->files, &spill->file_count,
                                            &spill->file_capacity, err);
    weir_data_file_writer_close(writer);
    for (size_t i = first; i < spill->file_count; i++) {
        spill->files[i]->level = level;
    }
    return code == WEIR_OK ? WEIR_OK : weir_error_context(err, code, "spilling to %s", spill->context.paths.table);
}

const weir_table_context *weir_spill_context(const weir_spill *spill) { return &spill->context; }

int32_t weir_spill_runs(weir_spill *spill, weir_sorted_run **out)
{
    weir_sorted_run *runs = WEIR_NEW_ARRAY(&spill->arena, weir_sorted_run, spill->file_count);
    for (size_t i = 0; i < spill->file_count; i++) {
        runs[i] = (weir_sorted_run){.files = &spill->files[i], .file_count = 1, .level = spill->files[i]->level};
    }
    *out = runs;
    return (int32_t)spill->file_count;
}

static int merged_column(void *argument, int32_t column, weir_vector *out, weir_error *err)
{
    return weir_merge_column(argument, column, out, err);
}

int weir_merge_write(weir_merge_reader *merge, weir_data_file_writer *writer, weir_error *err)
{
    int code;
    while ((code = weir_merge_next(merge, MERGE_ROWS, err)) == WEIR_OK) {
        WEIR_TRY(weir_data_file_writer_write_columns(writer, merge->row_count, merge->sequence_numbers, merge->kinds,
                                                     merged_column, merge, err));
    }
    return code == WEIR_END ? WEIR_OK : code;
}

/* As many runs as half of the memory that is left has room for; 0: all. */
static int32_t runs_at_once(const weir_spill *spill)
{
    int64_t run_bytes = BYTES_A_RUN_COLUMN * spill->context.schema->field_count;
    run_bytes = run_bytes < LEAST_RUN_BYTES ? LEAST_RUN_BYTES : run_bytes;
    int64_t runs = weir_budget_left(spill->context.budget) / 2 / run_bytes;
    return runs > (int64_t)spill->file_count ? 0 : runs < 2 ? 2 : (int32_t)runs;
}

int weir_spill_merge(weir_spill *spill, weir_data_file_writer *data, weir_error *err)
{
    const weir_schema *schema = spill->context.schema;
    weir_sorted_run *runs = NULL;
    int32_t run_count = weir_spill_runs(spill, &runs);
    int32_t *columns = WEIR_NEW_ARRAY(&spill->arena, int32_t, schema->field_count);
    for (int32_t i = 0; i < schema->field_count; i++) {
        columns[i] = i;
    }
    weir_merge_options options = {.keep_deletes = true, .max_runs = runs_at_once(spill)};
    weir_merge_reader *merge = NULL;
    WEIR_TRY(weir_merge_open(&spill->context, weir_partition_none(), 0, runs, run_count, columns, schema->field_count,
                             &options, &merge, err));
    int code = weir_merge_write(merge, data, err);
    weir_merge_close(merge);
    return code;
}
