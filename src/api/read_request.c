/* Names and texts of a read request as positions, types and a predicate. */
#include "api/read_request.h"

#include <stdlib.h>

#include "base/text.h"

int weir_read_request_column(const weir_schema *schema, const char *name, int32_t *out, weir_error *err)
{
    if (name == NULL) {
        return weir_fail(err, WEIR_INVALID, "a column has no name");
    }
    *out = weir_schema_column(schema, name);
    if (*out >= 0) {
        return WEIR_OK;
    }
    const char **names = weir_alloc(sizeof *names * (size_t)(schema->field_count + 1));
    for (int32_t i = 0; i < schema->field_count; i++) {
        names[i] = schema->fields[i].name;
    }
    const char *near = weir_suggest(name, names, (size_t)schema->field_count);
    int code = near != NULL ? weir_fail(err, WEIR_NOT_FOUND, "there is no column '%s'; did you mean '%s'?", name, near)
                            : weir_fail(err, WEIR_NOT_FOUND, "there is no column '%s'", name);
    free(names);
    return code;
}

int weir_read_request_value(const weir_field *field, const char *text, weir_arena *arena, weir_literal *out,
                            weir_error *err)
{
    if (weir_type_is_nested(field->type)) {
        return weir_fail(err, WEIR_INVALID, "column '%s' is of type %s, which cannot be compared with a value",
                         field->name, weir_type_text(arena, field->type));
    }
    if (text == NULL) {
        return weir_fail(err, WEIR_INVALID, "a value for column '%s' is missing", field->name);
    }
    WEIR_TRY_CTX(weir_literal_parse(field->type, weir_slice_text(text), arena, out, err), err, "column '%s'",
                 field->name);
    return WEIR_OK;
}

/* ---- conditions ---- */

static const struct {
    weir_predicate_kind predicate;
    int32_t min_values;
    int32_t max_values;
} condition_kinds[] = {
    [WEIR_CONDITION_EQUAL] = {WEIR_PREDICATE_EQUAL, 1, 1},
    [WEIR_CONDITION_NOT_EQUAL] = {WEIR_PREDICATE_NOT_EQUAL, 1, 1},
    [WEIR_CONDITION_LESS] = {WEIR_PREDICATE_LESS, 1, 1},
    [WEIR_CONDITION_LESS_OR_EQUAL] = {WEIR_PREDICATE_LESS_OR_EQUAL, 1, 1},
    [WEIR_CONDITION_GREATER] = {WEIR_PREDICATE_GREATER, 1, 1},
    [WEIR_CONDITION_GREATER_OR_EQUAL] = {WEIR_PREDICATE_GREATER_OR_EQUAL, 1, 1},
    [WEIR_CONDITION_IN] = {WEIR_PREDICATE_IN, 0, INT32_MAX},
    [WEIR_CONDITION_IS_NULL] = {WEIR_PREDICATE_IS_NULL, 0, 0},
    [WEIR_CONDITION_IS_NOT_NULL] = {WEIR_PREDICATE_IS_NOT_NULL, 0, 0},
    [WEIR_CONDITION_STARTS_WITH] = {WEIR_PREDICATE_STARTS_WITH, 1, 1},
};

static int check_condition(const weir_condition *condition, weir_error *err)
{
    if ((size_t)condition->kind >= sizeof condition_kinds / sizeof *condition_kinds) {
        return weir_fail(err, WEIR_INVALID, "the condition on column '%s' is of an unknown kind: %d", condition->column,
                         (int)condition->kind);
    }
    int32_t least = condition_kinds[condition->kind].min_values, most = condition_kinds[condition->kind].max_values;
    if (condition->value_count < least || condition->value_count > most ||
        (condition->value_count > 0 && condition->values == NULL)) {
        return weir_fail(err, WEIR_INVALID, "the condition on column '%s' takes %s, but %d were given",
                         condition->column, most == 0 ? "no value" : "one value", condition->value_count);
    }
    return WEIR_OK;
}

static int resolve_condition(const weir_schema *schema, const weir_condition *condition, weir_arena *arena,
                             const weir_predicate **out, weir_error *err)
{
    int32_t column = -1;
    WEIR_TRY(weir_read_request_column(schema, condition->column, &column, err));
    WEIR_TRY(check_condition(condition, err));
    const weir_field *field = &schema->fields[column];
    if (condition->kind == WEIR_CONDITION_STARTS_WITH && !weir_type_is_text(field->type)) {
        return weir_fail(err, WEIR_INVALID, "column '%s' is of type %s: only text starts with something", field->name,
                         weir_type_text(arena, field->type));
    }
    weir_literal *literals = WEIR_NEW_ARRAY(arena, weir_literal, condition->value_count);
    for (int32_t i = 0; i < condition->value_count; i++) {
        WEIR_TRY(weir_read_request_value(field, condition->values[i], arena, &literals[i], err));
    }
    *out = weir_predicate_leaf(arena, condition_kinds[condition->kind].predicate, column, field->type, literals,
                               condition->value_count);
    return WEIR_OK;
}

static int resolve_conditions(const weir_schema *schema, const weir_read_request *request, weir_arena *arena,
                              weir_resolved_request *out, weir_error *err)
{
    if (request->condition_count == 0) {
        return WEIR_OK;
    }
    const weir_predicate **leaves = WEIR_NEW_ARRAY(arena, const weir_predicate *, request->condition_count);
    for (int32_t i = 0; i < request->condition_count; i++) {
        WEIR_TRY(resolve_condition(schema, &request->conditions[i], arena, &leaves[i], err));
    }
    out->predicate = weir_predicate_combine(arena, WEIR_PREDICATE_AND, leaves, request->condition_count);
    return WEIR_OK;
}

/* ---- columns ---- */

static int resolve_columns(const weir_schema *schema, const weir_read_request *request, int32_t *place,
                           weir_resolved_request *out, weir_error *err)
{
    int32_t count = request->columns != NULL ? request->column_count : schema->field_count;
    for (int32_t i = 0; i < count; i++) {
        int32_t column = i;
        if (request->columns != NULL) {
            WEIR_TRY(weir_read_request_column(schema, request->columns[i], &column, err));
        }
        if (place[column] >= 0) {
            return weir_fail(err, WEIR_INVALID, "the column '%s' is asked for twice", schema->fields[column].name);
        }
        place[column] = out->column_count;
        out->columns[out->column_count++] = column;
    }
    out->visible_count = count;
    return WEIR_OK;
}

static void add_column(int32_t *place, int32_t column, weir_resolved_request *out)
{
    if (place[column] < 0) {
        place[column] = out->column_count;
        out->columns[out->column_count++] = column;
    }
}

static void add_columns_of(const weir_predicate *predicate, int32_t *place, weir_resolved_request *out)
{
    if (predicate->child_count == 0) {
        add_column(place, predicate->column, out);
    }
    for (int32_t i = 0; i < predicate->child_count; i++) {
        add_columns_of(predicate->children[i], place, out);
    }
}

int weir_read_request_resolve(const weir_schema *schema, const weir_read_request *request, weir_arena *arena,
                              weir_resolved_request *out, weir_error *err)
{
    static const weir_read_request everything;
    request = request != NULL ? request : &everything;
    int32_t *place = WEIR_NEW_ARRAY(arena, int32_t, schema->field_count);
    for (int32_t i = 0; i < schema->field_count; i++) {
        place[i] = -1;
    }
    *out = (weir_resolved_request){
        .columns = WEIR_NEW_ARRAY(arena, int32_t, schema->field_count + 1),
        .with_kinds = request->with_kinds,
        .batch_rows = request->batch_rows,
    };
    WEIR_TRY(resolve_columns(schema, request, place, out, err));
    WEIR_TRY(resolve_conditions(schema, request, arena, out, err));
    if (out->predicate != NULL) {
        add_columns_of(out->predicate, place, out);
        out->filter = weir_predicate_map(arena, out->predicate, place);
    }
    if (out->column_count == 0) {
        add_column(place, 0, out); /* rows are counted by a column */
    }
    return WEIR_OK;
}
