/* Reading from a table's options what its merge engine does with each column.
 *
 * Combinations that Java refuses when the table is made (SchemaValidation, the engines' factories) are refused here. */
#include <strings.h>

#include "merge/age_order.h"
#include "merge/merge_engine.h"
#include "merge/record_expire.h"

#define FIELDS_PREFIX         "fields."
#define SEQUENCE_GROUP_SUFFIX ".sequence-group"

static bool is_set(const weir_schema *schema, const char *key)
{
    const char *value = weir_options_get(&schema->options, key);
    return value != NULL && strcasecmp(value, "true") == 0;
}

/* Tables of before 0.8 may say it with the engine's name in front. */
static bool ignores_deletes(const weir_schema *schema)
{
    static const char *const keys[] = {"ignore-delete", "first-row.ignore-delete", "deduplicate.ignore-delete",
                                       "partial-update.ignore-delete"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (weir_options_get(&schema->options, keys[i]) != NULL) {
            return is_set(schema, keys[i]);
        }
    }
    return false;
}

static bool looks_rows_up(const weir_schema *schema)
{
    const char *producer = weir_options_get(&schema->options, "changelog-producer");
    return (producer != NULL && strcasecmp(producer, "lookup") == 0) || is_set(schema, "deletion-vectors.enabled") ||
           is_set(schema, "force-lookup");
}

/* --- sequence groups --- */

/* Being read: the engine, and the column merges, whose groups are filled in. */
typedef struct engine_parts {
    const weir_schema *schema;
    weir_arena *arena;
    weir_column_merge *columns;
    weir_sequence_group *groups;
    int32_t group_count;
    bool *is_order_column; /* one a column */
} engine_parts;

/* The columns that a list of names, separated by commas, holds; option `key` says it. */
static int read_columns(engine_parts *parts, const char *key, const char *names, size_t size, int32_t **out,
                        int32_t *out_count, weir_error *err)
{
    char *copy = weir_arena_strndup(parts->arena, names, size);
    *out = WEIR_NEW_ARRAY(parts->arena, int32_t, size + 1);
    *out_count = 0;
    char *rest = NULL;
    for (char *name = strtok_r(copy, ",", &rest); name != NULL; name = strtok_r(NULL, ",", &rest)) {
        int32_t column = weir_schema_column(parts->schema, name);
        if (column < 0) {
            return weir_fail(err, WEIR_INVALID, "option '%s': Field %s can not be found in table schema", key, name);
        }
        (*out)[(*out_count)++] = column;
    }
    return WEIR_OK;
}

static int read_sequence_group(engine_parts *parts, const char *key, const char *value, weir_error *err)
{
    int32_t *order_columns = NULL;
    int32_t *members = NULL;
    int32_t order_count = 0;
    int32_t member_count = 0;
    const char *names = key + sizeof FIELDS_PREFIX - 1;
    size_t size = strlen(names) - (sizeof SEQUENCE_GROUP_SUFFIX - 1);
    WEIR_TRY(read_columns(parts, key, names, size, &order_columns, &order_count, err));
    WEIR_TRY(read_columns(parts, key, value, strlen(value), &members, &member_count, err));
    int32_t group = parts->group_count++;
    for (int32_t i = 0; i < member_count; i++) {
        weir_column_merge *column = &parts->columns[members[i]];
        if (column->group >= 0) {
            return weir_fail(err, WEIR_INVALID, "Field %s is defined repeatedly by multiple groups: %s",
                             parts->schema->fields[members[i]].name, key);
        }
        column->group = group;
    }
    for (int32_t i = 0; i < order_count; i++) {
        parts->columns[order_columns[i]].group = group;
        parts->is_order_column[order_columns[i]] = true;
    }
    parts->groups[group] = (weir_sequence_group){.order_columns = order_columns, .order_count = order_count};
    return WEIR_OK;
}

static int read_sequence_groups(engine_parts *parts, weir_error *err)
{
    const weir_options *options = &parts->schema->options;
    parts->groups = WEIR_NEW_ARRAY(parts->arena, weir_sequence_group, options->count + 1);
    for (size_t i = 0; i < options->count; i++) {
        size_t size = strlen(options->keys[i]);
        size_t suffix = sizeof SEQUENCE_GROUP_SUFFIX - 1;
        if (strncmp(options->keys[i], FIELDS_PREFIX, sizeof FIELDS_PREFIX - 1) == 0 &&
            size > sizeof FIELDS_PREFIX - 1 + suffix &&
            strcmp(options->keys[i] + size - suffix, SEQUENCE_GROUP_SUFFIX) == 0) {
            WEIR_TRY(read_sequence_group(parts, options->keys[i], options->values[i], err));
        }
    }
    return WEIR_OK;
}

/* partial-update.remove-record-on-sequence-group names version columns of the groups whose -D removes the row. */
static int read_removing_groups(engine_parts *parts, const char *names, weir_error *err)
{
    static const char key[] = "partial-update.remove-record-on-sequence-group";
    int32_t *columns = NULL;
    int32_t count = 0;
    WEIR_TRY(read_columns(parts, key, names, strlen(names), &columns, &count, err));
    for (int32_t i = 0; i < count; i++) {
        if (!parts->is_order_column[columns[i]]) {
            return weir_fail(err, WEIR_INVALID, "field '%s' defined in '%s' option must be part of sequence groups",
                             names, key);
        }
        parts->groups[parts->columns[columns[i]].group].removes_record = true;
    }
    return WEIR_OK;
}

/* --- columns --- */

static bool is_primary_key(const weir_schema *schema, int32_t column)
{
    for (int32_t i = 0; i < schema->primary_key_count; i++) {
        if (schema->primary_columns[i] == column) {
            return true;
        }
    }
    return false;
}

/* The function that options name for the column, or NULL. */
static const char *named_function(engine_parts *parts, int32_t column)
{
    const weir_options *options = &parts->schema->options;
    const char *key =
        weir_arena_format(parts->arena, FIELDS_PREFIX "%s.aggregate-function", parts->schema->fields[column].name);
    const char *name = weir_options_get(options, key);
    return name != NULL ? name : weir_options_get(options, "fields.default-aggregate-function");
}

static int set_partial_update_column(engine_parts *parts, int32_t column, weir_error *err)
{
    weir_column_merge *merge = &parts->columns[column];
    const char *field = parts->schema->fields[column].name;
    if (parts->is_order_column[column]) {
        merge->aggregate = (weir_field_aggregate){.kind = WEIR_FIELD_GROUP_SEQUENCE};
        return WEIR_OK;
    }
    if (is_primary_key(parts->schema, column)) {
        merge->aggregate = (weir_field_aggregate){.kind = WEIR_FIELD_PRIMARY_KEY};
        merge->group = -1;
        return WEIR_OK;
    }
    const char *function = named_function(parts, column);
    if (function == NULL) {
        merge->aggregate.kind = merge->group >= 0 ? WEIR_FIELD_GROUP_VALUE : WEIR_FIELD_LAST_NON_NULL_VALUE;
        return WEIR_OK;
    }
    if (merge->group < 0 && strcmp(function, "last_non_null_value") != 0) {
        return weir_fail(err, WEIR_INVALID,
                         "Must use sequence group for aggregation functions but not found for field %s: set "
                         "'fields.<version column>.sequence-group' = '%s'",
                         field, field);
    }
    return weir_field_aggregate_of(parts->schema, column, function, parts->arena, &merge->aggregate, err);
}

static int set_aggregation_column(engine_parts *parts, int32_t column, weir_error *err)
{
    weir_column_merge *merge = &parts->columns[column];
    const char *function = named_function(parts, column);
    if (parts->is_order_column[column]) {
        merge->aggregate = (weir_field_aggregate){.kind = WEIR_FIELD_LAST_VALUE};
        return WEIR_OK;
    }
    if (is_primary_key(parts->schema, column)) {
        merge->aggregate = (weir_field_aggregate){.kind = WEIR_FIELD_PRIMARY_KEY};
        return WEIR_OK;
    }
    return weir_field_aggregate_of(parts->schema, column, function != NULL ? function : "last_non_null_value",
                                   parts->arena, &merge->aggregate, err);
}

/* --- engines --- */

static int fail_conflict(const char *a, const char *b, weir_error *err)
{
    return weir_fail(err, WEIR_INVALID,
                     "%s and %s have conflicting behavior so should not be enabled at the same time.", a, b);
}

static int read_partial_update(engine_parts *parts, weir_merge_engine *engine, weir_error *err)
{
    static const char on_delete[] = "partial-update.remove-record-on-delete";
    static const char on_group[] = "partial-update.remove-record-on-sequence-group";
    const char *removing = weir_options_get(&parts->schema->options, on_group);
    engine->remove_record_on_delete = is_set(parts->schema, on_delete);
    WEIR_TRY(read_sequence_groups(parts, err));
    if (engine->ignore_delete && engine->remove_record_on_delete) {
        return fail_conflict("ignore-delete", on_delete, err);
    }
    if (engine->ignore_delete && removing != NULL) {
        return fail_conflict("ignore-delete", on_group, err);
    }
    if (engine->remove_record_on_delete && parts->group_count > 0) {
        return fail_conflict("sequence-group", on_delete, err);
    }
    if (removing != NULL) {
        WEIR_TRY(read_removing_groups(parts, removing, err));
    }
    for (int32_t c = 0; c < parts->schema->field_count; c++) {
        WEIR_TRY(set_partial_update_column(parts, c, err));
    }
    return WEIR_OK;
}

static int read_aggregation(engine_parts *parts, weir_merge_engine *engine, weir_error *err)
{
    engine->remove_record_on_delete = is_set(parts->schema, "aggregation.remove-record-on-delete");
    const char *order = weir_options_get(&parts->schema->options, "sequence.field");
    if (order != NULL) {
        int32_t *columns = NULL;
        int32_t count = 0;
        WEIR_TRY(read_columns(parts, "sequence.field", order, strlen(order), &columns, &count, err));
        for (int32_t i = 0; i < count; i++) {
            parts->is_order_column[columns[i]] = true;
        }
    }
    for (int32_t c = 0; c < parts->schema->field_count; c++) {
        WEIR_TRY(set_aggregation_column(parts, c, err));
        if (engine->remove_record_on_delete && parts->columns[c].aggregate.ignore_retract) {
            return fail_conflict(
                "aggregation.remove-record-on-delete",
                weir_arena_format(parts->arena, FIELDS_PREFIX "%s.ignore-retract", parts->schema->fields[c].name), err);
        }
    }
    return WEIR_OK;
}

static int read_folding_engine(weir_merge_engine *engine, weir_arena *arena, weir_error *err)
{
    int32_t field_count = engine->schema->field_count;
    engine_parts parts = {
        .schema = engine->schema,
        .arena = arena,
        .columns = WEIR_NEW_ARRAY(arena, weir_column_merge, field_count + 1),
        .is_order_column = WEIR_NEW_ARRAY(arena, bool, field_count + 1),
    };
    for (int32_t c = 0; c < field_count; c++) {
        parts.columns[c].group = -1;
    }
    WEIR_TRY(engine->kind == WEIR_MERGE_AGGREGATION ? read_aggregation(&parts, engine, err)
                                                    : read_partial_update(&parts, engine, err));
    engine->columns = parts.columns;
    engine->groups = parts.groups;
    engine->group_count = parts.group_count;
    return WEIR_OK;
}

int weir_merge_engine_of(const weir_schema *schema, weir_arena *arena, weir_merge_engine *out, weir_error *err)
{
    static const char *const names[] = {
        [WEIR_MERGE_DEDUPLICATE] = "deduplicate",
        [WEIR_MERGE_PARTIAL_UPDATE] = "partial-update",
        [WEIR_MERGE_AGGREGATION] = "aggregation",
        [WEIR_MERGE_FIRST_ROW] = "first-row",
    };
    const char *name = NULL;
    WEIR_TRY(weir_options_text(&schema->options, "merge-engine", &name, err));
    weir_merge_engine engine = {.schema = schema, .ignore_delete = ignores_deletes(schema)};
    for (int kind = 0; kind < (int)(sizeof names / sizeof names[0]); kind++) {
        if (name != NULL && strcmp(name, names[kind]) == 0) {
            engine.kind = (weir_merge_engine_kind)kind;
        }
    }
    engine.name = names[engine.kind];
    if (!weir_merge_engine_picks(&engine)) {
        engine.reads_one_level = looks_rows_up(schema);
        WEIR_TRY(read_folding_engine(&engine, arena, err));
    }
    *out = engine;
    return WEIR_OK;
}

int weir_merge_check_options(const weir_schema *schema, weir_error *err)
{
    weir_arena arena;
    weir_merge_engine engine;
    weir_age_order order;
    weir_record_expire expire;
    int code = WEIR_OK;
    if (schema->primary_key_count == 0) {
        return WEIR_OK;
    }
    weir_arena_init(&arena);
    WEIR_GO(weir_merge_engine_of(schema, &arena, &engine, err));
    WEIR_GO(weir_age_order_of(schema, &arena, &order, err));
    WEIR_GO(weir_record_expire_of(schema, &expire, err));
done:
    weir_arena_free(&arena);
    return code;
}
