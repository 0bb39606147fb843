/* System tables of what was and is kept: snapshots, tags, branches, consumers, statistics. */
#include "base/clock.h"
#include "base/json.h"
#include "table/scan/scan.h"
#include "table/system/system_rows.h"

/* ---- snapshots ---- */

const weir_field weir_snapshot_columns[] = {
    {.name = "snapshot_id", .type = &weir_system_bigint},
    {.name = "schema_id", .type = &weir_system_bigint},
    {.name = "commit_user", .type = &weir_system_text},
    {.name = "commit_identifier", .type = &weir_system_bigint},
    {.name = "commit_kind", .type = &weir_system_text},
    {.name = "commit_time", .type = &weir_system_time},
    {.name = "base_manifest_list", .type = &weir_system_text},
    {.name = "delta_manifest_list", .type = &weir_system_text},
    {.name = "changelog_manifest_list", .type = &weir_system_text_null},
    {.name = "total_record_count", .type = &weir_system_bigint_null},
    {.name = "delta_record_count", .type = &weir_system_bigint_null},
    {.name = "changelog_record_count", .type = &weir_system_bigint_null},
    {.name = "watermark", .type = &weir_system_bigint_null},
    {.name = "next_row_id", .type = &weir_system_bigint_null},
};

static int add_snapshot(weir_system_rows *rows, const weir_snapshot *snapshot)
{
    weir_system_put_bigint(rows, snapshot->id);
    weir_system_put_bigint(rows, snapshot->schema_id);
    weir_system_put_text(rows, snapshot->commit_user);
    weir_system_put_bigint(rows, snapshot->commit_identifier);
    weir_system_put_text(rows, weir_commit_kind_name(snapshot->commit_kind));
    weir_system_put_time(rows, weir_local_ms(snapshot->time_ms));
    weir_system_put_text(rows, snapshot->base_manifest_list);
    weir_system_put_text(rows, snapshot->delta_manifest_list);
    weir_system_put_text(rows, snapshot->changelog_manifest_list);
    weir_system_put_bigint(rows, snapshot->total_record_count);
    weir_system_put_bigint(rows, snapshot->delta_record_count);
    weir_system_put_count(rows, snapshot->changelog_record_count);
    if (snapshot->has_watermark) {
        weir_system_put_bigint(rows, snapshot->watermark);
    } else {
        weir_system_put_null(rows);
    }
    weir_system_put_count(rows, snapshot->next_row_id);
    return weir_system_end_row(rows);
}

int weir_system_read_snapshots(const weir_table *table, weir_batch *out, weir_error *err)
{
    weir_fs *fs = table->context.fs;
    const char *root = table->context.paths.root;
    weir_system_rows rows = weir_system_rows_of(out, err);
    int64_t earliest = 0, latest = 0;
    WEIR_TRY(weir_snapshot_earliest_id(fs, root, &earliest, err));
    WEIR_TRY(weir_snapshot_latest_id(fs, root, &latest, err));
    int code = WEIR_OK;
    for (int64_t id = earliest; id > 0 && id <= latest && code == WEIR_OK; id++) {
        weir_arena arena;
        weir_snapshot *snapshot = NULL;
        weir_arena_init(&arena);
        code = weir_snapshot_read(fs, root, id, &arena, &snapshot, err);
        if (code == WEIR_OK) {
            code = add_snapshot(&rows, snapshot);
        } else if (code == WEIR_NOT_FOUND) { /* expired since */
            weir_error_clear(err);
            code = WEIR_OK;
        }
        weir_arena_free(&arena);
    }
    return code;
}

/* ---- tags ---- */

const weir_field weir_tag_columns[] = {
    {.name = "tag_name", .type = &weir_system_text},
    {.name = "snapshot_id", .type = &weir_system_bigint},
    {.name = "schema_id", .type = &weir_system_bigint},
    {.name = "commit_time", .type = &weir_system_time},
    {.name = "record_count", .type = &weir_system_bigint_null},
    {.name = "create_time", .type = &weir_system_time_null},
    {.name = "time_retained", .type = &weir_system_text_null},
};

/* As java.time.Duration prints it: PT26H, PT1M30.5S. */
static const char *duration_text(weir_arena *arena, int64_t ms)
{
    weir_buffer text = {0};
    int64_t hours = ms / 3600000, minutes = ms / 60000 % 60, rest = ms % 60000;
    weir_buffer_append_text(&text, "PT");
    if (hours != 0) {
        weir_buffer_append_format(&text, "%" PRId64 "H", hours);
    }
    if (minutes != 0) {
        weir_buffer_append_format(&text, "%" PRId64 "M", minutes);
    }
    if (rest % 1000 != 0) {
        const char *sign = rest < 0 ? "-" : "";
        int64_t size = rest < 0 ? -rest : rest;
        weir_buffer_append_format(&text, "%s%" PRId64 ".%03" PRId64, sign, size / 1000, size % 1000);
        while (text.data[text.size - 1] == '0') {
            text.size--;
        }
        weir_buffer_append_byte(&text, 'S');
    } else if (rest != 0 || ms == 0) {
        weir_buffer_append_format(&text, "%" PRId64 "S", rest / 1000);
    }
    const char *copy = weir_arena_strdup(arena, weir_buffer_text(&text));
    weir_buffer_free(&text);
    return copy;
}

static int add_tag(const weir_table *table, const char *name, weir_arena *arena, weir_system_rows *rows)
{
    weir_fs *fs = table->context.fs;
    const char *root = table->context.paths.root;
    weir_snapshot *snapshot = NULL;
    weir_tag_lifetime lifetime;
    WEIR_TRY(weir_tag_read(fs, root, name, arena, &snapshot, rows->err));
    WEIR_TRY(weir_tag_read_lifetime(fs, root, name, &lifetime, rows->err));
    weir_system_put_text(rows, name);
    weir_system_put_bigint(rows, snapshot->id);
    weir_system_put_bigint(rows, snapshot->schema_id);
    weir_system_put_time(rows, weir_local_ms(snapshot->time_ms));
    weir_system_put_bigint(rows, snapshot->total_record_count);
    if (lifetime.is_given) {
        weir_system_put_time(rows, lifetime.created_local_ms);
        weir_system_put_text(rows, duration_text(arena, lifetime.retained_ms));
    } else {
        weir_system_put_null(rows);
        weir_system_put_null(rows);
    }
    return weir_system_end_row(rows);
}

int weir_system_read_tags(const weir_table *table, weir_batch *out, weir_error *err)
{
    weir_system_rows rows = weir_system_rows_of(out, err);
    weir_arena arena;
    const char **names = NULL;
    size_t count = 0;
    weir_arena_init(&arena);
    int code = weir_tag_list(table->context.fs, table->context.paths.root, &arena, &names, &count, err);
    for (size_t i = 0; i < count && code == WEIR_OK; i++) {
        code = add_tag(table, names[i], &arena, &rows);
    }
    weir_arena_free(&arena);
    return code;
}

/* ---- branches ---- */

const weir_field weir_branch_columns[] = {
    {.name = "branch_name", .type = &weir_system_text},
    {.name = "create_time", .type = &weir_system_time},
};

int weir_system_read_branches(const weir_table *table, weir_batch *out, weir_error *err)
{
    weir_system_rows rows = weir_system_rows_of(out, err);
    weir_arena arena;
    weir_file_info *files = NULL;
    size_t count = 0;
    weir_arena_init(&arena);
    const char *folder = weir_arena_format(&arena, "%s/branch", table->path);
    int code = weir_fs_list(table->context.fs, folder, &arena, &files, &count, err);
    for (size_t i = 0; i < count && code == WEIR_OK; i++) {
        if (files[i].is_directory && strncmp(files[i].name, "branch-", 7) == 0) {
            weir_system_put_text(&rows, files[i].name + 7);
            weir_system_put_time(&rows, weir_local_ms(files[i].modified_ms));
            code = weir_system_end_row(&rows);
        }
    }
    weir_arena_free(&arena);
    return code;
}

/* ---- consumers ---- */

const weir_field weir_consumer_columns[] = {
    {.name = "consumer_id", .type = &weir_system_text},
    {.name = "next_snapshot_id", .type = &weir_system_bigint},
};

int weir_system_read_consumers(const weir_table *table, weir_batch *out, weir_error *err)
{
    weir_system_rows rows = weir_system_rows_of(out, err);
    weir_arena arena;
    weir_consumer *consumers = NULL;
    size_t count = 0;
    weir_arena_init(&arena);
    int code = weir_consumer_list(table->context.fs, table->context.paths.root, &arena, &consumers, &count, err);
    for (size_t i = 0; i < count && code == WEIR_OK; i++) {
        weir_system_put_text(&rows, consumers[i].id);
        weir_system_put_bigint(&rows, consumers[i].next_snapshot);
        code = weir_system_end_row(&rows);
    }
    weir_arena_free(&arena);
    return code;
}

/* ---- statistics ---- */

const weir_field weir_statistics_columns[] = {
    {.name = "snapshot_id", .type = &weir_system_bigint},
    {.name = "schema_id", .type = &weir_system_bigint},
    {.name = "mergedRecordCount", .type = &weir_system_bigint_null},
    {.name = "mergedRecordSize", .type = &weir_system_bigint_null},
    {.name = "colstat", .type = &weir_system_text_null},
};

/* A number of the statistics file, or NULL. */
static int put_member(weir_system_rows *rows, const json_t *document, const char *name, const char *path)
{
    int64_t value = INT64_MIN;
    WEIR_TRY(weir_json_get_int64(document, name, false, path, &value, rows->err));
    if (value == INT64_MIN) {
        weir_system_put_null(rows);
    } else {
        weir_system_put_bigint(rows, value);
    }
    return WEIR_OK;
}

static int add_statistics(weir_system_rows *rows, const json_t *document, const char *path)
{
    json_t *columns = NULL;
    WEIR_TRY(put_member(rows, document, "snapshotId", path));
    WEIR_TRY(put_member(rows, document, "schemaId", path));
    WEIR_TRY(put_member(rows, document, "mergedRecordCount", path));
    WEIR_TRY(put_member(rows, document, "mergedRecordSize", path));
    WEIR_TRY(weir_json_get_object(document, "colStats", false, path, &columns, rows->err));
    if (columns == NULL) {
        weir_system_put_null(rows);
    } else {
        weir_buffer text = {0};
        weir_json_write_pretty(columns, &text);
        weir_system_put_buffer(rows, &text);
        weir_buffer_free(&text);
    }
    return weir_system_end_row(rows);
}

int weir_system_read_statistics(const weir_table *table, weir_batch *out, weir_error *err)
{
    weir_system_rows rows = weir_system_rows_of(out, err);
    weir_arena arena;
    weir_buffer text = {0};
    json_t *document = NULL;
    weir_snapshot *snapshot = NULL;
    int code;
    weir_arena_init(&arena);
    WEIR_GO(weir_scan_snapshot(table, &arena, &snapshot, err));
    if (snapshot != NULL && snapshot->statistics != NULL) {
        const char *path = weir_arena_format(&arena, "%s/statistics/%s", table->path, snapshot->statistics);
        WEIR_GO(weir_fs_read_all(table->context.fs, path, &text, err));
        WEIR_GO(weir_json_parse(weir_buffer_slice(&text), path, &document, err));
        WEIR_GO(add_statistics(&rows, document, path));
    }
done:
    json_decref(document);
    weir_buffer_free(&text);
    weir_arena_free(&arena);
    return code;
}
