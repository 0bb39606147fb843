/* Partitions of Paimon tables: which there are, by name, and dropping them. */
#include "session/ddl/partitions.h"

#include "base/clock.h"
#include "base/text.h"
#include "table/commit/commit.h"
#include "table/scan/scan.h"

/* ---- PARTITION (k = v, …) ---- */

static int unknown_key(const weir_schema *schema, const weir_ast_option *pair, weir_error *err)
{
    const char *near = weir_suggest(pair->key, schema->partition_keys, (size_t)schema->partition_key_count);
    return weir_fail_at(err, WEIR_INVALID, pair->position.line, pair->position.column,
                        "the table is not partitioned by '%s'%s%s%s", pair->key, near == NULL ? "" : "; did you mean '",
                        near == NULL ? "" : near, near == NULL ? "" : "'?");
}

static int parse_value(const weir_schema *schema, const weir_ast_option *pair, int32_t key, weir_arena *arena,
                       weir_literal *out, weir_error *err)
{
    const weir_type *type = schema->fields[schema->partition_columns[key]].type;
    const char *null_name = NULL;
    WEIR_TRY(weir_options_text(&schema->options, "partition.default-name", &null_name, err));
    if (pair->value == NULL) {
        return weir_fail_at(err, WEIR_INVALID, pair->position.line, pair->position.column,
                            "partition column '%s' needs a value: %s = …", pair->key, pair->key);
    }
    if (strcmp(pair->value, null_name) == 0) {
        out->is_null = true;
        return WEIR_OK;
    }
    if (weir_literal_parse(type, weir_slice_text(pair->value), arena, out, NULL) != WEIR_OK) {
        return weir_fail_at(err, WEIR_INVALID, pair->value_position.line, pair->value_position.column,
                            "partition column '%s' is %s, and '%s' is none", pair->key, weir_type_text(arena, type),
                            pair->value);
    }
    return WEIR_OK;
}

/* One literal a partition key; NULL where PARTITION says nothing. */
static int parse_wanted(const weir_session_table *table, const weir_ast_options *wanted, weir_arena *arena,
                        const weir_literal ***out, weir_error *err)
{
    const weir_schema *schema = table->table->schema;
    const weir_literal **values = WEIR_NEW_ARRAY(arena, const weir_literal *, schema->partition_key_count);
    for (int32_t i = 0; i < wanted->count; i++) {
        int32_t key = 0;
        while (key < schema->partition_key_count && strcmp(schema->partition_keys[key], wanted->items[i].key) != 0) {
            key++;
        }
        if (key == schema->partition_key_count) {
            return unknown_key(schema, &wanted->items[i], err);
        }
        weir_literal *value = WEIR_NEW(arena, weir_literal);
        WEIR_TRY(parse_value(schema, &wanted->items[i], key, arena, value, err));
        values[key] = value;
    }
    *out = values;
    return WEIR_OK;
}

/* ---- listing ---- */

static void append_value(const weir_type *type, const weir_literal *value, const char *null_name, weir_buffer *out)
{
    if (value->is_null) {
        weir_buffer_append_text(out, null_name);
    } else {
        weir_literal_to_text(type, value, out);
    }
}

/* "dt=a/hr=7"; NULL: not among those wanted. */
static int partition_line(const weir_schema *schema, weir_slice partition, const weir_literal *const *wanted,
                          weir_arena *arena, const char **out, weir_error *err)
{
    weir_literal *values = WEIR_NEW_ARRAY(arena, weir_literal, schema->partition_key_count);
    const char *null_name = NULL;
    weir_buffer line = {0};
    bool matches = true;
    WEIR_TRY(weir_options_text(&schema->options, "partition.default-name", &null_name, err));
    WEIR_TRY(weir_partition_decode(schema, partition, arena, values, err));
    for (int32_t i = 0; i < schema->partition_key_count; i++) {
        const weir_type *type = schema->fields[schema->partition_columns[i]].type;
        weir_buffer text = {0};
        weir_buffer asked = {0};
        append_value(type, &values[i], null_name, &text);
        if (wanted[i] != NULL) {
            append_value(type, wanted[i], null_name, &asked);
            matches = matches && strcmp(weir_buffer_text(&asked), weir_buffer_text(&text)) == 0;
        }
        weir_buffer_append_format(&line, "%s%s=%s", i == 0 ? "" : "/", schema->partition_keys[i],
                                  weir_buffer_text(&text));
        weir_buffer_free(&text);
        weir_buffer_free(&asked);
    }
    *out = matches ? weir_arena_strdup(arena, weir_buffer_text(&line)) : NULL;
    weir_buffer_free(&line);
    return WEIR_OK;
}

static int check_partitioned(const weir_session_table *table, weir_error *err)
{
    if (table->kind != WEIR_SESSION_PAIMON_TABLE || table->table->schema->partition_key_count == 0) {
        return weir_fail_at(err, WEIR_INVALID, table->position.line, table->position.column,
                            "table '%s' is not partitioned", table->base.name);
    }
    return WEIR_OK;
}

int weir_partitions_list(const weir_session_table *table, const weir_ast_options *wanted, weir_arena *arena,
                         const char ***out, size_t *out_count, weir_error *err)
{
    const weir_literal **values = NULL;
    weir_table_plan *plan = NULL;
    weir_map names = {0};
    WEIR_TRY(check_partitioned(table, err));
    WEIR_TRY(parse_wanted(table, wanted, arena, &values, err));
    int code = weir_scan_plan(table->table, NULL, &plan, err);
    for (size_t i = 0; code == WEIR_OK && i < plan->split_count; i++) {
        const char *line = NULL;
        code = partition_line(table->table->schema, plan->splits[i].partition, values, arena, &line, err);
        if (code == WEIR_OK && line != NULL) {
            weir_map_put(&names, weir_slice_text(line), &names);
        }
    }
    weir_map_names(&names, arena, out, out_count);
    weir_map_free(&names);
    weir_table_plan_free(plan);
    return code;
}

/* ---- dropping ---- */

int weir_partitions_drop(const weir_session_table *table, const weir_ast_options *wanted, weir_error *err)
{
    weir_arena arena;
    weir_commit_messages messages = {0};
    weir_table_commit *commit = NULL;
    const weir_literal **values = NULL;
    weir_committable committable = {
        .identifier = WEIR_BATCH_COMMIT_IDENTIFIER, .watermark = WEIR_NO_WATERMARK, .messages = &messages};
    char user[WEIR_UUID_SIZE];
    int code = WEIR_OK;
    weir_arena_init(&arena);
    WEIR_GO(check_partitioned(table, err));
    WEIR_GO(parse_wanted(table, wanted, &arena, &values, err));
    WEIR_GO(weir_schema_check_writable(table->table->schema, err));
    weir_uuid(user);
    WEIR_GO(weir_table_commit_open(table->table, user, &commit, err));
    WEIR_GO(weir_table_commit_overwrite(commit, &committable, values, NULL, err));
done:
    weir_table_commit_close(commit);
    weir_arena_free(&arena);
    return weir_error_at(err, code, table->position);
}
