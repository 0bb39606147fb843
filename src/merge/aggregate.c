/* The functions whose result is the value of one of the rows, and finding a function by its name.
 *
 * Most functions only choose: they give the value of one row, or NULL. So what is folded is the row, and the values are
 * gathered once for all keys. Functions that make values are in aggregate_number.c and aggregate_nested.c.
 *
 * Source of truth: org.apache.paimon.mergetree.compact.aggregate. */
#include "merge/aggregate.h"

#include <stdlib.h>
#include <strings.h>

#include "vector/compare.h"

/* --- choosing rows --- */

typedef struct choice {
    int64_t row;   /* -1: NULL */
    bool is_taken; /* of first_value and its like: they have seen their value */
} choice;

static int fail_retraction(const weir_aggregate *aggregate, weir_error *err)
{
    return weir_fail(err, WEIR_INVALID,
                     "Aggregate function '%s' does not support retraction, If you allow this function to ignore "
                     "retraction messages, you can configure 'fields.${field_name}.ignore-retract'='true'.",
                     aggregate->name);
}

static inline bool is_null(const weir_vector *values, int64_t row)
{
    return row < 0 || weir_vector_is_null(values, row);
}

/* max and min, bool_or and bool_and: whether `row` takes the place of the value chosen. */
static inline bool is_better(weir_aggregate_kind kind, const weir_vector *values, int64_t chosen, int64_t row)
{
    if (is_null(values, chosen) || is_null(values, row)) {
        return is_null(values, chosen);
    }
    int order = weir_vector_compare(values, row, values, chosen);
    return kind == WEIR_AGGREGATE_MAX ? order > 0 : order <= 0;
}

static inline void add(weir_aggregate_kind kind, const weir_vector *values, int64_t row, choice *chosen)
{
    switch (kind) {
    case WEIR_AGGREGATE_LAST_NON_NULL_VALUE:
        chosen->row = is_null(values, row) ? chosen->row : row;
        break;
    case WEIR_AGGREGATE_FIRST_VALUE:
        chosen->row = chosen->is_taken ? chosen->row : row;
        chosen->is_taken = true;
        break;
    case WEIR_AGGREGATE_FIRST_NON_NULL_VALUE:
        if (!chosen->is_taken && !is_null(values, row)) {
            *chosen = (choice){row, true};
        }
        break;
    case WEIR_AGGREGATE_MAX:
    case WEIR_AGGREGATE_MIN:
        chosen->row = is_better(kind, values, chosen->row, row) ? row : chosen->row;
        break;
    default:
        chosen->row = row;
    }
}

/* The row comes before what was chosen: the function with its arguments changed over. */
static inline void add_older(weir_aggregate_kind kind, const weir_vector *values, int64_t row, choice *chosen)
{
    switch (kind) {
    case WEIR_AGGREGATE_LAST_NON_NULL_VALUE:
        chosen->row = is_null(values, chosen->row) ? row : chosen->row;
        break;
    case WEIR_AGGREGATE_FIRST_VALUE:
        chosen->row = chosen->is_taken ? row : chosen->row;
        chosen->is_taken = true;
        break;
    case WEIR_AGGREGATE_FIRST_NON_NULL_VALUE:
        if (chosen->is_taken || is_null(values, chosen->row)) {
            chosen->row = row;
        } else {
            chosen->is_taken = true;
        }
        break;
    case WEIR_AGGREGATE_MAX:
    case WEIR_AGGREGATE_MIN:
        chosen->row = is_better(kind, values, chosen->row, row) ? row : chosen->row;
        break;
    default:
        break; /* the newest stays */
    }
}

static inline int retract(const weir_aggregate *aggregate, const weir_vector *values, int64_t row, bool is_older,
                          choice *chosen, weir_error *err)
{
    if (aggregate->ignore_retract) {
        return WEIR_OK;
    }
    switch (aggregate->kind) {
    case WEIR_AGGREGATE_GROUP_VALUE:
        chosen->row = is_older ? chosen->row : -1;
        return WEIR_OK;
    case WEIR_AGGREGATE_GROUP_SEQUENCE:
        chosen->row = is_older ? chosen->row : row;
        return WEIR_OK;
    case WEIR_AGGREGATE_PRIMARY_KEY:
        chosen->row = row;
        return WEIR_OK;
    case WEIR_AGGREGATE_LAST_VALUE:
        chosen->row = -1;
        return WEIR_OK;
    case WEIR_AGGREGATE_LAST_NON_NULL_VALUE:
        chosen->row = is_null(values, row) ? chosen->row : -1;
        return WEIR_OK;
    default:
        return fail_retraction(aggregate, err);
    }
}

static int take_step(const weir_aggregate *aggregate, const weir_vector *values, uint8_t step, int64_t row,
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
static int choose_by_steps(const weir_aggregate *aggregate, const weir_fold_rows *rows, const weir_vector *values,
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

static void choose_best(weir_aggregate_kind kind, const weir_fold_rows *rows, const weir_vector *values, uint32_t *out)
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
static void choose_plainly(weir_aggregate_kind kind, const weir_fold_rows *rows, const weir_vector *values,
                           uint32_t *out)
{
    switch (kind) {
    case WEIR_AGGREGATE_MAX:
    case WEIR_AGGREGATE_MIN:
        choose_best(kind, rows, values, out);
        break;
    case WEIR_AGGREGATE_FIRST_VALUE:
        choose_first(rows, out);
        break;
    case WEIR_AGGREGATE_FIRST_NON_NULL_VALUE:
        if (values->validity == NULL) {
            choose_first(rows, out);
        } else {
            choose_first_valid(rows, values->validity, out);
        }
        break;
    case WEIR_AGGREGATE_LAST_NON_NULL_VALUE:
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

static int fold_choices(const weir_aggregate *aggregate, const weir_fold_rows *rows, weir_vector *values,
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

int weir_aggregate_fold(const weir_aggregate *aggregate, const weir_fold_rows *rows, weir_vector *values,
                        weir_vector *out, weir_error *err)
{
    return fold_choices(aggregate, rows, values, out, err);
}

/* --- functions by name --- */

static bool is_any(const weir_type *type) { return type != NULL; }
static bool is_boolean(const weir_type *type) { return type->id == WEIR_BOOLEAN; }

typedef struct function {
    const char *name;
    weir_aggregate_kind kind;
    bool (*takes)(const weir_type *type);
    const char *type_name;
} function;

static const function functions[] = {
    {"last_value", WEIR_AGGREGATE_LAST_VALUE, is_any, NULL},
    {"last_non_null_value", WEIR_AGGREGATE_LAST_NON_NULL_VALUE, is_any, NULL},
    {"first_value", WEIR_AGGREGATE_FIRST_VALUE, is_any, NULL},
    {"first_non_null_value", WEIR_AGGREGATE_FIRST_NON_NULL_VALUE, is_any, NULL},
    {"first_not_null_value", WEIR_AGGREGATE_FIRST_NON_NULL_VALUE, is_any, NULL},
    {"max", WEIR_AGGREGATE_MAX, is_any, NULL},
    {"min", WEIR_AGGREGATE_MIN, is_any, NULL},
    {"bool_or", WEIR_AGGREGATE_MAX, is_boolean, "BOOLEAN"},
    {"bool_and", WEIR_AGGREGATE_MIN, is_boolean, "BOOLEAN"},
};

static const char *const functions_not_here[] = {
    "sum",         "product",       "listagg",      "collect", "merge_map", "merge_map_with_keytime",
    "nested_update", "nested_partial_update", "rbm32",   "rbm64",     "hll_sketch", "theta_sketch",
};

static bool option_is_true(const weir_schema *schema, const char *field, const char *name, weir_arena *arena)
{
    const char *value =
        weir_options_get(&schema->options, weir_arena_format(arena, "fields.%s.%s", field, name));
    return value != NULL && strcasecmp(value, "true") == 0;
}

int weir_aggregate_of(const weir_schema *schema, int32_t column, const char *name, weir_arena *arena,
                      weir_aggregate *out, weir_error *err)
{
    const weir_field *field = &schema->fields[column];
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        const function *known = &functions[i];
        if (strcmp(name, known->name) != 0) {
            continue;
        }
        if (!known->takes(field->type)) {
            return weir_fail(err, WEIR_INVALID, "column '%s': aggregate function '%s' is for %s, not for %s",
                             field->name, name, known->type_name, weir_type_text(arena, field->type));
        }
        *out = (weir_aggregate){.kind = known->kind,
                                .name = known->name,
                                .ignore_retract = option_is_true(schema, field->name, "ignore-retract", arena)};
        return WEIR_OK;
    }
    for (size_t i = 0; i < sizeof functions_not_here / sizeof functions_not_here[0]; i++) {
        if (strcmp(name, functions_not_here[i]) == 0) {
            return weir_fail(err, WEIR_UNSUPPORTED, "column '%s': this version does not have the aggregate function '%s'",
                             field->name, name);
        }
    }
    return weir_fail(err, WEIR_INVALID,
                     "column '%s': Use unsupported aggregation: %s or spell aggregate function incorrectly!",
                     field->name, name);
}
