/* Writing statistics files. Bounds are texts of the values' internal forms, which Java's serializers read back. */
#include "table/maintenance/statistics.h"

#include "base/clock.h"
#include "base/json.h"
#include "meta/partition.h"
#include "table/commit/commit_internal.h"

bool weir_statistics_have_bounds(const weir_type *type)
{
    switch (type->id) {
    case WEIR_TINYINT:
    case WEIR_SMALLINT:
    case WEIR_INT:
    case WEIR_BIGINT:
    case WEIR_FLOAT:
    case WEIR_DOUBLE:
    case WEIR_DECIMAL:
    case WEIR_DATE:
        return true;
    default:
        return false;
    }
}

static void put_count(json_t *object, const char *name, int64_t count)
{
    if (count >= 0) {
        json_object_set_new(object, name, json_integer(count));
    }
}

static int put_bound(json_t *object, const char *name, const weir_type *type, const weir_literal *value,
                     weir_error *err)
{
    weir_buffer text = {0};
    int code = weir_append_java_value(type, value, &text, err);
    if (code == WEIR_OK) {
        json_object_set_new(object, name, json_string(weir_buffer_text(&text)));
    }
    weir_buffer_free(&text);
    return code;
}

static int column_json(const weir_field *field, const weir_column_statistics *column, json_t *out, weir_error *err)
{
    json_object_set_new(out, "colId", json_integer(field->id));
    put_count(out, "distinctCount", column->distinct_count);
    if (column->has_bounds) {
        WEIR_TRY(put_bound(out, "min", field->type, &column->min, err));
        WEIR_TRY(put_bound(out, "max", field->type, &column->max, err));
    }
    put_count(out, "nullCount", column->null_count);
    put_count(out, "avgLen", column->average_length);
    put_count(out, "maxLen", column->greatest_length);
    return WEIR_OK;
}

static int statistics_json(const weir_schema *schema, const weir_table_statistics *statistics, json_t *out,
                           weir_error *err)
{
    json_t *columns = json_object();
    json_object_set_new(out, "snapshotId", json_integer(statistics->snapshot_id));
    json_object_set_new(out, "schemaId", json_integer(schema->id));
    json_object_set_new(out, "mergedRecordCount", json_integer(statistics->row_count));
    json_object_set_new(out, "mergedRecordSize", json_integer(-1));
    json_object_set_new(out, "colStats", columns);
    for (int32_t i = 0; i < statistics->column_count; i++) {
        const weir_field *field = &schema->fields[statistics->columns[i].column];
        json_t *column = json_object();
        json_object_set_new(columns, field->name, column);
        WEIR_TRY(column_json(field, &statistics->columns[i], column, err));
    }
    return WEIR_OK;
}

static int write_file(const weir_table *table, const weir_table_statistics *statistics, const char *path,
                      weir_error *err)
{
    weir_buffer text = {0};
    json_t *document = json_object();
    int code = statistics_json(table->schema, statistics, document, err);
    if (code == WEIR_OK) {
        weir_json_write_pretty(document, &text);
        code = weir_fs_publish(table->context.fs, path, weir_buffer_slice(&text), err);
    }
    json_decref(document);
    weir_buffer_free(&text);
    return code;
}

int weir_table_commit_statistics(weir_table_commit *commit, const weir_table_statistics *statistics,
                                 int64_t *out_snapshot_id, weir_error *err)
{
    const weir_table *table = weir_table_commit_table(commit);
    char uuid[WEIR_UUID_SIZE];
    weir_arena arena;
    weir_arena_init(&arena);
    weir_uuid(uuid);
    const char *name = weir_arena_format(&arena, "stat-%s-0", uuid);
    const char *path = weir_arena_format(&arena, "%s/statistics/%s", table->path, name);
    int code = write_file(table, statistics, path, err);
    if (code == WEIR_OK) {
        code = weir_table_commit_analyze(commit, name, out_snapshot_id, err);
        if (code != WEIR_OK && code != WEIR_IO) { /* after WEIR_IO the snapshot may stand */
            weir_fs_remove(table->context.fs, path, NULL);
        }
    }
    weir_arena_free(&arena);
    return code;
}
