/* Spilled pieces of a write buffer: key-value files of the table's own kind in a temporary folder on the local disk,
 * compressed lightly, each a sorted run; merged like any other runs. */
#include "lsm/write_buffer_spill.h"

#include <stdlib.h>

#include "base/clock.h"
#include "lsm/commit_message.h"
#include "merge/merge_reader.h"

#define MERGE_ROWS 65536

struct weir_spill {
    weir_arena arena;
    weir_table_context context; /* of the temporary folder */
    weir_file_list files;
};

static const char *temporary_folder(void)
{
    const char *folder = getenv("TMPDIR");
    return folder != NULL && folder[0] == '/' ? folder : "/tmp";
}

int weir_spill_create(const weir_table_context *context, weir_spill **out, weir_error *err)
{
    weir_spill *spill = weir_alloc_zeroed(1, sizeof *spill);
    weir_arena_init(&spill->arena);
    char uuid[WEIR_UUID_SIZE];
    weir_uuid(uuid);
    const char *folder = weir_arena_format(&spill->arena, "%s/weir-spill-%s", temporary_folder(), uuid);

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
    int code = weir_fs_make_directories(spill->context.fs, folder, err);
    if (code != WEIR_OK) {
        weir_spill_free(spill);
        return weir_error_context(err, code, "making a folder to spill into (TMPDIR decides where)");
    }
    *out = spill;
    return WEIR_OK;
}

void weir_spill_free(weir_spill *spill)
{
    if (spill == NULL) {
        return;
    }
    weir_fs_remove_recursively(spill->context.fs, spill->context.paths.table, NULL);
    weir_file_list_free(&spill->files);
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

int weir_spill_add(weir_spill *spill, weir_data_file_writer *writer, weir_error *err)
{
    int code = weir_data_file_writer_finish(writer, &spill->arena, &spill->files.files, &spill->files.count,
                                            &spill->files.capacity, err);
    weir_data_file_writer_close(writer);
    return code == WEIR_OK ? WEIR_OK : weir_error_context(err, code, "spilling to %s", spill->context.paths.table);
}

static int merged_column(void *argument, int32_t column, weir_vector *out, weir_error *err)
{
    return weir_merge_column(argument, column, out, err);
}

int weir_spill_merge(weir_spill *spill, weir_data_file_writer *data, weir_error *err)
{
    const weir_schema *schema = spill->context.schema;
    weir_sorted_run *runs = WEIR_NEW_ARRAY(&spill->arena, weir_sorted_run, spill->files.count);
    for (size_t i = 0; i < spill->files.count; i++) {
        runs[i] = (weir_sorted_run){.files = &spill->files.files[i], .file_count = 1, .level = 0};
    }
    int32_t *columns = WEIR_NEW_ARRAY(&spill->arena, int32_t, schema->field_count);
    for (int32_t i = 0; i < schema->field_count; i++) {
        columns[i] = i;
    }
    weir_merge_options options = {.keep_deletes = true};
    weir_merge_reader *merge = NULL;
    WEIR_TRY(weir_merge_open(&spill->context, weir_partition_none(), 0, runs, (int32_t)spill->files.count, columns,
                             schema->field_count, &options, &merge, err));
    int code;
    while ((code = weir_merge_next(merge, MERGE_ROWS, err)) == WEIR_OK) {
        code = weir_data_file_writer_write_columns(data, merge->row_count, merge->sequence_numbers, merge->kinds,
                                                   merged_column, merge, err);
        if (code != WEIR_OK) {
            break;
        }
    }
    weir_merge_close(merge);
    return code == WEIR_END ? WEIR_OK : code;
}
