/* Writing success files: { "creationTime" : ms, "modificationTime" : ms }. */
#include "table/maintenance/partition_done.h"

#include "base/clock.h"
#include "base/json.h"

/* When it was first marked; now where it was not, or where that cannot be told. */
static int64_t creation_time(const weir_table *table, const char *path)
{
    weir_buffer text = {0};
    json_t *document = NULL;
    int64_t created = weir_now_ms();
    if (weir_fs_read_all(table->context.fs, path, &text, NULL) == WEIR_OK &&
        weir_json_parse(weir_buffer_slice(&text), path, &document, NULL) == WEIR_OK) {
        (void)weir_json_get_int64(document, "creationTime", false, path, &created, NULL);
    }
    json_decref(document);
    weir_buffer_free(&text);
    return created;
}

int weir_table_mark_partition_done(const weir_table *table, const weir_literal *values, weir_error *err)
{
    weir_arena arena;
    weir_buffer partition = {0}, text = {0};
    const char *folder = NULL;
    int code;
    weir_arena_init(&arena);
    weir_partition_encode(table->schema, values, &partition);
    WEIR_GO(weir_partition_path(table->schema, weir_buffer_slice(&partition), &arena, &folder, err));
    const char *path = weir_arena_format(&arena, "%s/%s/_SUCCESS", table->path, folder);
    weir_buffer_append_format(&text, "{\n  \"creationTime\" : %" PRId64 ",\n  \"modificationTime\" : %" PRId64 "\n}",
                              creation_time(table, path), weir_now_ms());
    WEIR_GO(weir_fs_replace_synced(table->context.fs, path, weir_buffer_slice(&text), err));
done:
    weir_buffer_free(&text);
    weir_buffer_free(&partition);
    weir_arena_free(&arena);
    return code;
}
