/* New tables from Arrow schemas. */
#include "api/arrow_types.h"
#include "api/lake_table.h"
#include "merge/merge_engine.h"

/* A table is there when it has a schema; publishing the first one creates it, atomically. */
static int publish(weir_fs *fs, const char *path, const weir_schema *schema, weir_arena *arena, weir_error *err)
{
    weir_schema *present = NULL;
    int code = weir_schema_read_latest(fs, path, arena, &present, err);
    if (code == WEIR_NOT_FOUND) {
        weir_error_clear(err);
        if (!fs->is_object_store) {
            WEIR_TRY(weir_fs_make_directories(fs, weir_arena_format(arena, "%s/schema", path), err));
        }
        code = weir_schema_publish(fs, path, schema, err);
    } else if (code == WEIR_OK) {
        code = WEIR_EXISTS;
    }
    if (code == WEIR_EXISTS) {
        return weir_fail(err, WEIR_EXISTS, "%s: there is a table already", path);
    }
    return code;
}

static int create(const char *path, const weir_create_request *request, weir_arena *arena, weir_fs **fs,
                  weir_error *err)
{
    weir_options options = {0};
    weir_options settings = {0};
    weir_field *fields = NULL;
    int32_t field_count = 0;
    weir_schema *schema = NULL;
    const char *folder = NULL;
    WEIR_TRY(weir_options_from_properties(request->options, request->option_count, arena, &options, err));
    weir_options_split_settings(&options, arena, &settings);
    WEIR_TRY(weir_fields_from_arrow(request->columns, arena, &fields, &field_count, err));
    WEIR_TRY(weir_schema_create(arena, fields, field_count, request->primary_keys, request->primary_key_count,
                                request->partition_keys, request->partition_key_count, &options, request->comment,
                                &schema, err));
    WEIR_TRY(weir_merge_check_options(schema, err));
    weir_fs_settings fs_settings = weir_options_fs_settings(&settings);
    WEIR_TRY(weir_fs_open(path, &fs_settings, arena, fs, &folder, err));
    return publish(*fs, folder, schema, arena, err);
}

int weir_lake_table_create(const char *path, const weir_create_request *request, weir_error *err)
{
    weir_arena arena;
    weir_fs *fs = NULL;
    weir_arena_init(&arena);
    int code = create(path, request, &arena, &fs, err);
    weir_fs_close(fs);
    weir_arena_free(&arena);
    return code;
}
