/* The functions whose result is the value of one of the rows, and finding a function by its name.
 *
 * Most functions only choose: they give the value of one row, or NULL. So what is folded is the row, and the values are
 * gathered once for all keys. Functions that make values are in aggregate_number.c, aggregate_text.c,
 * aggregate_list.c, aggregate_nested.c and aggregate_bitmap.c.
 *
 * Source of truth: org.apache.paimon.mergetree.compact.aggregate. */
#include <stdlib.h>
#include <strings.h>

#include "merge/aggregate_fold.h"
#include "vector/compare.h"

/* --- choosing rows --- */

typedef struct choice {
    int64_t row;   /* -1: NULL */
    bool is_taken; /* of first_value and its like: they have seen their value */
} choice;

int weir_field_aggregate_fail_retraction(const weir_field_aggregate *aggregate, weir_error *err)
{
    return weir_fail(err, WEIR_INVALID,
                     "Aggregate function '%s' does not support retraction, If you allow this function to ignore "
                     "retraction messages, you can configure 'fields.${field_name}.ignore-retract'='true'.",
                     aggregate->name);
}

bool weir_field_aggregate_retracts(const weir_field_aggregate *aggregate)
{
    switch (aggregate->kind) {
    case WEIR_FIELD_FIRST_VALUE:
    case WEIR_FIELD_FIRST_NON_NULL_VALUE:
    case WEIR_FIELD_MAX:
    case WEIR_FIELD_MIN:
    case WEIR_FIELD_LISTAGG:
    case WEIR_FIELD_MERGE_MAP_WITH_KEYTIME:
    case WEIR_FIELD_NESTED_PARTIAL_UPDATE:
    case WEIR_FIELD_BITMAP:
        return aggregate->ignore_retract;
    default:
        return true;
    }
}

static inline bool is_null(const weir_vector *values, int64_t row)
{
    return row < 0 || weir_vector_is_null(values, row);
}

/* max and min, bool_or and bool_and: whether `row` takes the place of the value chosen. */
static inline bool is_better(weir_field_aggregate_kind kind, const weir_vector *values, int64_t chosen, int64_t row)
{
    if (is_null(values, chosen) || is_null(values, row)) {
        return is_null(values, chosen);
    }
    int order = weir_vector_compare(values, row, values, chosen);
    return kind == WEIR_FIELD_MAX ? order > 0 : order <= 0;
}

static inline void add(weir_field_aggregate_kind kind, const weir_vector *values, int64_t row, choice *chosen)
{
    switch (kind) {
    case WEIR_FIELD_LAST_NON_NULL_VALUE:
        chosen->row = is_null(values, row) ? chosen->row : row;
        break;
    case WEIR_FIELD_FIRST_VALUE:
        chosen->row = chosen->is_taken ? chosen->row : row;
        chosen->is_taken = true;
        break;
    case WEIR_FIELD_FIRST_NON_NULL_VALUE:
        if (!chosen->is_taken && !is_null(values, row)) {
            *chosen = (choice){row, true};
        }
        break;
    case WEIR_FIELD_MAX:
    case WEIR_FIELD_MIN:
        chosen->row = is_better(kind, values, chosen->row, row) ? row : chosen->row;
        break;
    default:
        chosen->row = row;
    }
}

/* The row comes before what was chosen: the function with its arguments changed over. */
static inline void add_older(weir_field_aggregate_kind kind, const weir_vector *values, int64_t row, choice *chosen)
{
    switch (kind) {
    case WEIR_FIELD_LAST_NON_NULL_VALUE:
        chosen->row = is_null(values, chosen->row) ? row : chosen->row;
        break;
    case WEIR_FIELD_FIRST_VALUE:
        chosen->row = chosen->is_taken ? row : chosen->row;
        chosen->is_taken = true;
        break;
    case WEIR_FIELD_FIRST_NON_NULL_VALUE:
        if (chosen->is_taken || is_null(values, chosen->row)) {
            chosen->row = row;
        } else {
            chosen->is_taken = true;
        }
        break;
    case WEIR_FIELD_MAX:
    case WEIR_FIELD_MIN:
        chosen->row = is_better(kind, values, chosen->row, row) ? row : chosen->row;
        break;
    default:
        break; /* the newest stays */
    }
}

static inline int retract(const weir_field_aggregate *aggregate, const weir_vector *values, int64_t row, bool is_older,
                          choice *chosen, weir_error *err)
{
    if (aggregate->ignore_retract) {
        return WEIR_OK;
    }
    switch (aggregate->kind) {
    case WEIR_FIELD_GROUP_VALUE:
        chosen->row = is_older ? chosen->row : -1;
        return WEIR_OK;
    case WEIR_FIELD_GROUP_SEQUENCE:
        chosen->row = is_older ? chosen->row : row;
        return WEIR_OK;
    case WEIR_FIELD_PRIMARY_KEY:
        chosen->row = row;
        return WEIR_OK;
    case WEIR_FIELD_LAST_VALUE:
        chosen->row = -1;
        return WEIR_OK;
    case WEIR_FIELD_LAST_NON_NULL_VALUE:
        chosen->row = is_null(values, row) ? chosen->row : -1;
        return WEIR_OK;
    default:
        return weir_field_aggregate_fail_retraction(aggregate, err);
    }
}

static int take_step(const weir_field_aggregate *aggregate, const weir_vector *values, uint8_t step, int64_t row,
                     choice *chosen, weir_error *err)
{
    switch ((weir_fold_step)step) {
    case WEIR_STEP_NONE:
        return WEIR_OK;
    case WEIR_STEP_ADD:
        add(aggregate->kind, values, row, chosen);
        return WEIR_OK;
    case WEIR_STEP_ADD_OLDER:
        add_older(aggregate->kind, values, row, chosen);
        return WEIR_OK;
    case WEIR_STEP_SET:
        chosen->row = row;
        return WEIR_OK;
    case WEIR_STEP_SET_RETRACT:
        chosen->row = row;
        return retract(aggregate, values, row, false, chosen, err);
    default:
        return retract(aggregate, values, row, step == WEIR_STEP_RETRACT_OLDER, chosen, err);
    }
}

/* Of each group the row chosen; rows of NULL are `null_row`. */
static int choose_by_steps(const weir_field_aggregate *aggregate, const weir_fold_rows *rows, const weir_vector *values,
                           uint32_t null_row, uint32_t *out, weir_error *err)
{
    for (int64_t g = 0; g < rows->group_count; g++) {
        choice chosen = {.row = -1};
        for (int64_t row = rows->group_starts[g]; row < rows->group_starts[g + 1]; row++) {
            WEIR_TRY(take_step(aggregate, values, rows->steps[row], row, &chosen, err));
        }
        out[g] = chosen.row < 0 ? null_row : (uint32_t)chosen.row;
    }
    return WEIR_OK;
}

static void choose_last(const weir_fold_rows *rows, uint32_t *out)
{
    for (int64_t g = 0; g < rows->group_count; g++) {
        out[g] = (uint32_t)(rows->group_starts[g + 1] - 1);
    }
}

static void choose_first(const weir_fold_rows *rows, uint32_t *out)
{
    for (int64_t g = 0; g < rows->group_count; g++) {
        out[g] = (uint32_t)rows->group_starts[g];
    }
}

/* The newest value that is not NULL; of a key that has none its oldest row. */
static void choose_last_valid(const weir_fold_rows *rows, const uint8_t *validity, uint32_t *out)
{
    for (int64_t g = 0; g < rows->group_count; g++) {
        int64_t row = rows->group_starts[g + 1] - 1;
        while (row > rows->group_starts[g] && !weir_bit_get(validity, row)) {
            row--;
        }
        out[g] = (uint32_t)row;
    }
}

static void choose_first_valid(const weir_fold_rows *rows, const uint8_t *validity, uint32_t *out)
{
    for (int64_t g = 0; g < rows->group_count; g++) {
        int64_t row = rows->group_starts[g];
        while (row + 1 < rows->group_starts[g + 1] && !weir_bit_get(validity, row)) {
            row++;
        }
        out[g] = (uint32_t)row;
    }
}

static void choose_best(weir_field_aggregate_kind kind, const weir_fold_rows *rows, const weir_vector *values,
                        uint32_t *out)
{
    for (int64_t g = 0; g < rows->group_count; g++) {
        int64_t best = rows->group_starts[g];
        for (int64_t row = best + 1; row < rows->group_starts[g + 1]; row++) {
            best = is_better(kind, values, best, row) ? row : best;
        }
        out[g] = (uint32_t)best;
    }
}

/* The same where all rows are adds. */
static void choose_plainly(weir_field_aggregate_kind kind, const weir_fold_rows *rows, const weir_vector *values,
                           uint32_t *out)
{
    switch (kind) {
    case WEIR_FIELD_MAX:
    case WEIR_FIELD_MIN:
        choose_best(kind, rows, values, out);
        break;
    case WEIR_FIELD_FIRST_VALUE:
        choose_first(rows, out);
        break;
    case WEIR_FIELD_FIRST_NON_NULL_VALUE:
        if (values->validity == NULL) {
            choose_first(rows, out);
        } else {
            choose_first_valid(rows, values->validity, out);
        }
        break;
    case WEIR_FIELD_LAST_NON_NULL_VALUE:
        if (values->validity != NULL) {
            choose_last_valid(rows, values->validity, out);
            break;
        }
        choose_last(rows, out);
        break;
    default:
        choose_last(rows, out);
    }
}

static int fold_choices(const weir_field_aggregate *aggregate, const weir_fold_rows *rows, weir_vector *values,
                        weir_vector *out, weir_error *err)
{
    uint32_t *chosen = NULL;
    WEIR_TRY(weir_alloc_checked((size_t)rows->group_count + 1, sizeof *chosen, (void **)&chosen, err));
    int code = WEIR_OK;
    if (rows->only_adds) {
        choose_plainly(aggregate->kind, rows, values, chosen);
    } else {
        uint32_t null_row = (uint32_t)values->length;
        WEIR_GO(weir_vector_append_nulls(values, 1, err));
        WEIR_GO(choose_by_steps(aggregate, rows, values, null_row, chosen, err));
    }
    code = weir_vector_append_rows(out, values, chosen, rows->group_count, err);
done:
    free(chosen);
    return code;
}

int weir_field_aggregate_fold(const weir_field_aggregate *aggregate, const weir_fold_rows *rows, weir_vector *values,
                              weir_vector *out, weir_error *err)
{
    switch (aggregate->kind) {
    case WEIR_FIELD_SUM:
    case WEIR_FIELD_PRODUCT:
        return weir_field_aggregate_fold_numbers(aggregate, rows, values, out, err);
    case WEIR_FIELD_LISTAGG:
        return weir_field_aggregate_fold_texts(aggregate, rows, values, out, err);
    case WEIR_FIELD_COLLECT:
    case WEIR_FIELD_MERGE_MAP:
    case WEIR_FIELD_MERGE_MAP_WITH_KEYTIME:
    case WEIR_FIELD_NESTED_UPDATE:
        return weir_field_aggregate_fold_lists(aggregate, rows, values, out, err);
    case WEIR_FIELD_NESTED_PARTIAL_UPDATE:
        return weir_field_aggregate_fold_elements(aggregate, rows, values, out, err);
    case WEIR_FIELD_BITMAP:
        return weir_field_aggregate_fold_bitmaps(aggregate, rows, values, out, err);
    default:
        return fold_choices(aggregate, rows, values, out, err);
    }
}

/* --- functions by name --- */

static bool is_any(const weir_type *type) { return type != NULL; }
static bool is_boolean(const weir_type *type) { return type->id == WEIR_BOOLEAN; }
static bool is_comparable(const weir_type *type) { return !weir_type_is_nested(type) && type->id != WEIR_VARIANT; }
static bool is_number(const weir_type *type)
{
    return (type->id >= WEIR_TINYINT && type->id <= WEIR_DOUBLE) || type->id == WEIR_DECIMAL;
}
static bool is_string(const weir_type *type) { return type->id == WEIR_VARCHAR; }
static bool is_array(const weir_type *type) { return type->id == WEIR_ARRAY; }
static bool is_map(const weir_type *type) { return type->id == WEIR_MAP; }
static bool is_array_of_rows(const weir_type *type) { return type->id == WEIR_ARRAY && type->element->id == WEIR_ROW; }
static bool is_bytes(const weir_type *type) { return type->id == WEIR_VARBINARY; }
static bool is_map_of_rows(const weir_type *type)
{
    return type->id == WEIR_MAP && type->element->id == WEIR_ROW && type->element->field_count >= 2;
}

typedef struct function {
    const char *name;
    weir_field_aggregate_kind kind;
    bool (*takes)(const weir_type *type);
    const char *type_name;
} function;

static const function functions[] = {
    {"last_value", WEIR_FIELD_LAST_VALUE, is_any, NULL},
    {"last_non_null_value", WEIR_FIELD_LAST_NON_NULL_VALUE, is_any, NULL},
    {"first_value", WEIR_FIELD_FIRST_VALUE, is_any, NULL},
    {"first_non_null_value", WEIR_FIELD_FIRST_NON_NULL_VALUE, is_any, NULL},
    {"first_not_null_value", WEIR_FIELD_FIRST_NON_NULL_VALUE, is_any, NULL},
    {"max", WEIR_FIELD_MAX, is_comparable, "types that are not nested"},
    {"min", WEIR_FIELD_MIN, is_comparable, "types that are not nested"},
    {"bool_or", WEIR_FIELD_MAX, is_boolean, "BOOLEAN"},
    {"bool_and", WEIR_FIELD_MIN, is_boolean, "BOOLEAN"},
    {"sum", WEIR_FIELD_SUM, is_number, "numbers"},
    {"product", WEIR_FIELD_PRODUCT, is_number, "numbers"},
    {"listagg", WEIR_FIELD_LISTAGG, is_string, "STRING"},
    {"collect", WEIR_FIELD_COLLECT, is_array, "ARRAY"},
    {"merge_map", WEIR_FIELD_MERGE_MAP, is_map, "MAP"},
    {"merge_map_with_keytime", WEIR_FIELD_MERGE_MAP_WITH_KEYTIME, is_map_of_rows,
     "MAP of ROW with two members or more"},
    {"nested_update", WEIR_FIELD_NESTED_UPDATE, is_array_of_rows, "ARRAY<ROW>"},
    {"nested_partial_update", WEIR_FIELD_NESTED_PARTIAL_UPDATE, is_array_of_rows, "ARRAY<ROW>"},
    {"rbm32", WEIR_FIELD_BITMAP, is_bytes, "VARBINARY"},
};

/* Functions of Paimon's that this version does not have. */
static const char *const other_functions[] = {"rbm64", "hll_sketch", "theta_sketch"};

/* What the function does with a column is told by options fields.<column>.<name>. */
typedef struct function_options {
    const weir_schema *schema;
    const weir_field *field;
    weir_arena *arena;
} function_options;

static const char *get(const function_options *options, const char *name)
{
    const char *key = weir_arena_format(options->arena, "fields.%s.%s", options->field->name, name);
    return weir_options_get(&options->schema->options, key);
}

static bool is_true(const function_options *options, const char *name)
{
    const char *value = get(options, name);
    return value != NULL && strcasecmp(value, "true") == 0;
}

static int read_nested_key(const function_options *options, weir_field_aggregate *out, weir_error *err)
{
    const weir_type *row = options->field->type->element;
    char *names = weir_arena_strdup(options->arena, get(options, "nested-key"));
    int32_t *members = WEIR_NEW_ARRAY(options->arena, int32_t, row->field_count + 1);
    char *rest = NULL;
    for (char *name = names == NULL ? NULL : strtok_r(names, ", ", &rest); name != NULL;
         name = strtok_r(NULL, ", ", &rest)) {
        int32_t member = 0;
        while (member < row->field_count && strcmp(row->fields[member].name, name) != 0) {
            member++;
        }
        if (member == row->field_count || out->nested_count == row->field_count) {
            return weir_fail(err, WEIR_INVALID, "column '%s': nested-key names '%s', which its rows do not have",
                             options->field->name, name);
        }
        members[out->nested_count++] = member;
    }
    out->nested = members;
    return WEIR_OK;
}

/* The member of a map's values that tells the time: the one that ts-field names, or the last. */
static int read_time_member(const function_options *options, weir_field_aggregate *out, weir_error *err)
{
    const weir_type *row = options->field->type->element;
    const char *name = get(options, "ts-field");
    int32_t member = name == NULL ? row->field_count - 1 : 0;
    while (name != NULL && member < row->field_count && strcmp(row->fields[member].name, name) != 0) {
        member++;
    }
    if (member == row->field_count) {
        return weir_fail(err, WEIR_INVALID, "column '%s': Timestamp field '%s' not found in the ROW type of its values",
                         options->field->name, name);
    }
    const weir_type *type = row->fields[member].type;
    if (type->id != WEIR_VARCHAR && type->id != WEIR_CHAR) {
        return weir_fail(err, WEIR_INVALID,
                         "column '%s': merge_map_with_keytime compares times as text, but '%s' is %s",
                         options->field->name, row->fields[member].name, weir_type_text(options->arena, type));
    }
    out->time_member = member;
    return WEIR_OK;
}

static int read_function_options(const function_options *options, weir_field_aggregate *out, weir_error *err)
{
    out->ignore_retract = is_true(options, "ignore-retract");
    out->distinct = is_true(options, "distinct");
    const char *delimiter = get(options, "list-agg-delimiter");
    out->delimiter = weir_slice_text(delimiter != NULL ? delimiter : ",");
    out->count_limit = INT32_MAX;
    if (out->kind == WEIR_FIELD_MERGE_MAP_WITH_KEYTIME) {
        return read_time_member(options, out, err);
    }
    if (out->kind == WEIR_FIELD_NESTED_PARTIAL_UPDATE) {
        WEIR_TRY(read_nested_key(options, out, err));
        if (out->nested_count == 0) {
            return weir_fail(err, WEIR_INVALID, "column '%s': nested_partial_update needs 'fields.%s.nested-key'",
                             options->field->name, options->field->name);
        }
    }
    if (out->kind != WEIR_FIELD_NESTED_UPDATE) {
        return WEIR_OK;
    }
    const char *limit = get(options, "count-limit");
    if (limit != NULL) {
        char *end = NULL;
        out->count_limit = strtoll(limit, &end, 10);
        if (*end != '\0' || end == limit || out->count_limit < 0 || out->count_limit > INT32_MAX) {
            return weir_fail(err, WEIR_INVALID,
                             "option 'fields.%s.count-limit' is '%s', which is no number of elements",
                             options->field->name, limit);
        }
    }
    return read_nested_key(options, out, err);
}

int weir_field_aggregate_of(const weir_schema *schema, int32_t column, const char *name, weir_arena *arena,
                            weir_field_aggregate *out, weir_error *err)
{
    const weir_field *field = &schema->fields[column];
    const function_options options = {schema, field, arena};
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        const function *known = &functions[i];
        if (strcmp(name, known->name) != 0) {
            continue;
        }
        if (!known->takes(field->type)) {
            return weir_fail(err, WEIR_INVALID, "column '%s': aggregate function '%s' is for %s, not for %s",
                             field->name, name, known->type_name, weir_type_text(arena, field->type));
        }
        *out = (weir_field_aggregate){.kind = known->kind, .name = known->name};
        return read_function_options(&options, out, err);
    }
    for (size_t i = 0; i < sizeof other_functions / sizeof other_functions[0]; i++) {
        if (strcmp(name, other_functions[i]) == 0) {
            return weir_fail(err, WEIR_UNSUPPORTED,
                             "column '%s': this version does not have the aggregate function '%s'", field->name, name);
        }
    }
    return weir_fail(err, WEIR_INVALID,
                     "column '%s': Use unsupported aggregation: %s or spell aggregate function incorrectly!",
                     field->name, name);
}
