/* Functions over arrays and maps, whose types come from those of their elements; value[index]. */
#include "sql/bind/rules.h"
#include "sql/function/kernels.h"

static int fail_argument(weir_binder *binder, const weir_ast_expression *call, const weir_expression *argument,
                         const char *wanted)
{
    return weir_binder_fail(binder, &argument->position, "%s takes %s here, and this is %s", call->text, wanted,
                            weir_sql_type_text(binder->arena, argument->type));
}

static int require(weir_binder *binder, const weir_ast_expression *call, weir_expression *argument, weir_type_id id)
{
    WEIR_TRY(weir_binder_typed(binder, argument));
    return argument->type->id == id ? WEIR_OK
                                    : fail_argument(binder, call, argument, id == WEIR_ARRAY ? "an array" : "a map");
}

static bool any_nullable(weir_expression *const *arguments, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        if (arguments[i]->type->nullable) {
            return true;
        }
    }
    return false;
}

static int finish(weir_binder *binder, const weir_ast_expression *call, const weir_kernel *kernel,
                  const weir_type *type, weir_expression **arguments, int32_t count, weir_expression **out)
{
    *out = weir_expression_call(binder, kernel, NULL, type, &call->position, arguments, count);
    return WEIR_OK;
}

/* Makes a value comparable with the elements of an array, or the keys of a map: what is implicitly cast to them.
 * Texts and bytes stay as they are, for a cast would cut them. */
static int fit_element(weir_binder *binder, const weir_ast_expression *call, const weir_type *element,
                       weir_expression **value)
{
    const weir_type *type = (*value)->type;
    bool alike = (weir_type_is_text(type) && weir_type_is_text(element)) ||
                 (weir_type_is_bytes(type) && weir_type_is_bytes(element));
    const weir_type *target = weir_binder_nullable(binder, element, type->nullable || type->id == WEIR_NULL);
    if (alike) {
        return WEIR_OK;
    }
    if (weir_sql_cast_rule(type, element) != WEIR_CAST_IMPLICIT) {
        return weir_binder_fail(binder, &(*value)->position, "%s compares %s with %s; cast one of them", call->text,
                                weir_sql_type_text(binder->arena, element), weir_sql_type_text(binder->arena, type));
    }
    return weir_binder_cast(binder, *value, target, false, value);
}

static int require_integer(weir_binder *binder, const weir_ast_expression *call, weir_expression **value)
{
    WEIR_TRY(weir_binder_typed(binder, *value));
    if (!weir_type_is_integer((*value)->type)) {
        return fail_argument(binder, call, *value, "a whole number");
    }
    return weir_binder_cast(binder, *value, weir_type_simple(WEIR_INT, (*value)->type->nullable), false, value);
}

/* --- Looking into collections ---------------------------------------------------------------------------------- */

WEIR_BIND_RULE(weir_rule_cardinality)
{
    const weir_type *type = arguments[0]->type;
    WEIR_TRY(weir_binder_typed(binder, arguments[0]));
    if (type->id != WEIR_ARRAY && type->id != WEIR_MAP && type->id != WEIR_MULTISET) {
        return fail_argument(binder, call, arguments[0], "an array, a map or a multiset");
    }
    return finish(binder, call, &weir_kernel_cardinality, weir_type_simple(WEIR_INT, type->nullable), arguments, count,
                  out);
}

WEIR_BIND_RULE(weir_rule_element)
{
    WEIR_TRY(require(binder, call, arguments[0], WEIR_ARRAY));
    const weir_type *array = arguments[0]->type;
    const weir_type *type = weir_binder_nullable(binder, array->element, array->nullable || array->element->nullable);
    return finish(binder, call, &weir_kernel_element, type, arguments, count, out);
}

WEIR_BIND_RULE(weir_rule_array_contains)
{
    WEIR_TRY(require(binder, call, arguments[0], WEIR_ARRAY));
    WEIR_TRY(fit_element(binder, call, arguments[0]->type->element, &arguments[1]));
    return finish(binder, call, &weir_kernel_array_contains, weir_binder_boolean(arguments[0]->type->nullable),
                  arguments, count, out);
}

WEIR_BIND_RULE(weir_rule_array_position)
{
    WEIR_TRY(require(binder, call, arguments[0], WEIR_ARRAY));
    WEIR_TRY(fit_element(binder, call, arguments[0]->type->element, &arguments[1]));
    return finish(binder, call, &weir_kernel_array_position, weir_type_simple(WEIR_INT, any_nullable(arguments, count)),
                  arguments, count, out);
}

static int bind_extreme(weir_binder *binder, const weir_ast_expression *call, weir_expression **arguments,
                        const weir_kernel *kernel, weir_expression **out)
{
    WEIR_TRY(require(binder, call, arguments[0], WEIR_ARRAY));
    const weir_type *element = arguments[0]->type->element;
    if (weir_type_is_nested(element)) {
        return fail_argument(binder, call, arguments[0], "an array of values that have an order");
    }
    return finish(binder, call, kernel, weir_binder_nullable(binder, element, true), arguments, 1, out);
}

WEIR_BIND_RULE(weir_rule_array_max)
{
    (void)count;
    return bind_extreme(binder, call, arguments, &weir_kernel_array_max, out);
}

WEIR_BIND_RULE(weir_rule_array_min)
{
    (void)count;
    return bind_extreme(binder, call, arguments, &weir_kernel_array_min, out);
}

WEIR_BIND_RULE(weir_rule_array_join)
{
    WEIR_TRY(require(binder, call, arguments[0], WEIR_ARRAY));
    if (!weir_type_is_text(arguments[0]->type->element)) {
        return fail_argument(binder, call, arguments[0], "an array of texts");
    }
    for (int32_t i = 1; i < count; i++) {
        WEIR_TRY(weir_binder_typed(binder, arguments[i]));
        if (!weir_type_is_text(arguments[i]->type)) {
            return fail_argument(binder, call, arguments[i], "text");
        }
    }
    return finish(binder, call, &weir_kernel_array_join, weir_type_simple(WEIR_VARCHAR, any_nullable(arguments, count)),
                  arguments, count, out);
}

/* --- Arrays of arrays ------------------------------------------------------------------------------------------ */

static int bind_same_array(weir_binder *binder, const weir_ast_expression *call, weir_expression **arguments,
                           int32_t count, const weir_kernel *kernel, weir_expression **out)
{
    WEIR_TRY(require(binder, call, arguments[0], WEIR_ARRAY));
    const weir_type *type = weir_binder_nullable(binder, arguments[0]->type, any_nullable(arguments, count));
    return finish(binder, call, kernel, type, arguments, count, out);
}

WEIR_BIND_RULE(weir_rule_array_distinct)
{
    return bind_same_array(binder, call, arguments, count, &weir_kernel_array_distinct, out);
}

WEIR_BIND_RULE(weir_rule_array_reverse)
{
    return bind_same_array(binder, call, arguments, count, &weir_kernel_array_reverse, out);
}

WEIR_BIND_RULE(weir_rule_array_slice)
{
    for (int32_t i = 1; i < count; i++) {
        WEIR_TRY(require_integer(binder, call, &arguments[i]));
    }
    return bind_same_array(binder, call, arguments, count, &weir_kernel_array_slice, out);
}

WEIR_BIND_RULE(weir_rule_array_sort)
{
    WEIR_TRY(require(binder, call, arguments[0], WEIR_ARRAY));
    if (weir_type_is_nested(arguments[0]->type->element)) {
        return fail_argument(binder, call, arguments[0], "an array of values that have an order");
    }
    for (int32_t i = 1; i < count; i++) {
        if (arguments[i]->type->id != WEIR_BOOLEAN) {
            return fail_argument(binder, call, arguments[i], "BOOLEAN");
        }
    }
    return bind_same_array(binder, call, arguments, count, &weir_kernel_array_sort, out);
}

WEIR_BIND_RULE(weir_rule_array_remove)
{
    WEIR_TRY(require(binder, call, arguments[0], WEIR_ARRAY));
    WEIR_TRY(fit_element(binder, call, arguments[0]->type->element, &arguments[1]));
    return finish(binder, call, &weir_kernel_array_remove, arguments[0]->type, arguments, count, out);
}

/* ARRAY_APPEND and ARRAY_PREPEND: the elements may become NULL, or longer texts, by the new one. */
static int bind_extension(weir_binder *binder, const weir_ast_expression *call, weir_expression **arguments,
                          int32_t count, const weir_kernel *kernel, weir_expression **out)
{
    WEIR_TRY(require(binder, call, arguments[0], WEIR_ARRAY));
    const weir_type *array = arguments[0]->type;
    WEIR_TRY(fit_element(binder, call, array->element, &arguments[1]));
    const weir_type *both[2] = {array->element, arguments[1]->type};
    const weir_type *element = weir_sql_common_type(binder->arena, both, 2);
    const weir_type *target = weir_type_array(binder->arena, element, array->nullable);
    WEIR_TRY(weir_binder_cast(binder, arguments[0], target, false, &arguments[0]));
    const weir_type *type = weir_type_array(binder->arena, element, any_nullable(arguments, count));
    return finish(binder, call, kernel, type, arguments, count, out);
}

WEIR_BIND_RULE(weir_rule_array_append)
{
    return bind_extension(binder, call, arguments, count, &weir_kernel_array_append, out);
}

WEIR_BIND_RULE(weir_rule_array_prepend)
{
    return bind_extension(binder, call, arguments, count, &weir_kernel_array_prepend, out);
}

/* Arrays, or maps, brought to one type. */
static int bind_common(weir_binder *binder, const weir_ast_expression *call, weir_expression **arguments, int32_t count,
                       weir_type_id id, const weir_kernel *kernel, weir_expression **out)
{
    const weir_type *common;
    for (int32_t i = 0; i < count; i++) {
        WEIR_TRY(require(binder, call, arguments[i], id));
    }
    WEIR_TRY(weir_binder_common(binder, &call->position, "the arguments", arguments, count, &common));
    return finish(binder, call, kernel, common, arguments, count, out);
}

WEIR_BIND_RULE(weir_rule_array_concat)
{
    return bind_common(binder, call, arguments, count, WEIR_ARRAY, &weir_kernel_array_concat, out);
}

WEIR_BIND_RULE(weir_rule_array_union)
{
    return bind_common(binder, call, arguments, count, WEIR_ARRAY, &weir_kernel_array_union, out);
}

WEIR_BIND_RULE(weir_rule_array_intersect)
{
    return bind_common(binder, call, arguments, count, WEIR_ARRAY, &weir_kernel_array_intersect, out);
}

WEIR_BIND_RULE(weir_rule_array_except)
{
    return bind_common(binder, call, arguments, count, WEIR_ARRAY, &weir_kernel_array_except, out);
}

/* --- Maps ------------------------------------------------------------------------------------------------------ */

static int bind_of_map(weir_binder *binder, const weir_ast_expression *call, weir_expression **arguments,
                       const weir_kernel *kernel, const weir_type *element, weir_expression **out)
{
    const weir_type *type = weir_type_array(binder->arena, element, arguments[0]->type->nullable);
    return finish(binder, call, kernel, type, arguments, 1, out);
}

WEIR_BIND_RULE(weir_rule_map_keys)
{
    (void)count;
    WEIR_TRY(require(binder, call, arguments[0], WEIR_MAP));
    return bind_of_map(binder, call, arguments, &weir_kernel_map_keys, arguments[0]->type->key, out);
}

WEIR_BIND_RULE(weir_rule_map_values)
{
    (void)count;
    WEIR_TRY(require(binder, call, arguments[0], WEIR_MAP));
    return bind_of_map(binder, call, arguments, &weir_kernel_map_values, arguments[0]->type->element, out);
}

WEIR_BIND_RULE(weir_rule_map_entries)
{
    (void)count;
    WEIR_TRY(require(binder, call, arguments[0], WEIR_MAP));
    weir_field *fields = WEIR_NEW_ARRAY(binder->arena, weir_field, 2);
    fields[0] = (weir_field){.id = -1, .name = "key", .type = arguments[0]->type->key};
    fields[1] = (weir_field){.id = -1, .name = "value", .type = arguments[0]->type->element};
    const weir_type *row = weir_type_row(binder->arena, fields, 2, true);
    return bind_of_map(binder, call, arguments, &weir_kernel_map_entries, row, out);
}

WEIR_BIND_RULE(weir_rule_map_union)
{
    return bind_common(binder, call, arguments, count, WEIR_MAP, &weir_kernel_map_union, out);
}

WEIR_BIND_RULE(weir_rule_map_from_arrays)
{
    WEIR_TRY(require(binder, call, arguments[0], WEIR_ARRAY));
    WEIR_TRY(require(binder, call, arguments[1], WEIR_ARRAY));
    const weir_type *type = weir_type_map(binder->arena, arguments[0]->type->element, arguments[1]->type->element,
                                          any_nullable(arguments, count));
    return finish(binder, call, &weir_kernel_map_from_arrays, type, arguments, count, out);
}

/* --- value[index] ---------------------------------------------------------------------------------------------- */

static int bind_array_item(weir_binder *binder, const weir_ast_expression *ast, weir_expression **both,
                           weir_expression **out)
{
    weir_expression *index = both[1];
    WEIR_TRY(weir_binder_typed(binder, index));
    if (!weir_type_is_integer(index->type)) {
        return weir_binder_fail(binder, &index->position, "an array's element is taken by a whole number, not by %s",
                                weir_sql_type_text(binder->arena, index->type));
    }
    if (index->kind == WEIR_EXPRESSION_LITERAL && !index->literal.is_null && index->literal.integer < 1) {
        return weir_binder_fail(binder, &index->position,
                                "the elements of an array count from 1; there is none at %" PRId64,
                                index->literal.integer);
    }
    WEIR_TRY(weir_binder_cast(binder, index, weir_type_simple(WEIR_BIGINT, index->type->nullable), false, &both[1]));
    return finish(binder, ast, &weir_kernel_array_item, weir_binder_nullable(binder, both[0]->type->element, true),
                  both, 2, out);
}

/* Whole numbers of another width find the keys that are equal to them: those that the keys' type can't hold find none.
 */
static int fit_key(weir_binder *binder, const weir_type *key, weir_expression **index)
{
    weir_expression *there;
    weir_expression *back;
    weir_expression *same;
    const weir_type *type = (*index)->type;
    WEIR_TRY(weir_binder_cast(binder, *index, weir_binder_nullable(binder, key, type->nullable), false, &there));
    if (!weir_type_is_integer(type) || type->id <= key->id) {
        *index = there;
        return WEIR_OK;
    }
    WEIR_TRY(weir_binder_cast(binder, there, type, false, &back));
    WEIR_TRY(weir_bind_comparison(binder, WEIR_EXPRESSION_EQUAL, &(*index)->position, *index, back, &same));
    const weir_type *nullable = weir_binder_nullable(binder, key, true);
    weir_expression *node = weir_expression_new(binder, WEIR_EXPRESSION_CASE, nullable, &(*index)->position, 3);
    node->arguments[0] = same;
    node->arguments[1] = there;
    node->arguments[2] = weir_expression_null(binder, nullable, &(*index)->position);
    *index = node;
    return WEIR_OK;
}

static int bind_map_item(weir_binder *binder, const weir_ast_expression *ast, weir_expression **both,
                         weir_expression **out)
{
    const weir_type *map = both[0]->type;
    const weir_type *type = both[1]->type;
    bool text = weir_type_is_text(map->key) && weir_type_is_text(type);
    bool whole = weir_type_is_integer(map->key) && weir_type_is_integer(type);
    if (!text && !whole && weir_sql_cast_rule(type, map->key) != WEIR_CAST_IMPLICIT) {
        return weir_binder_fail(binder, &both[1]->position, "the keys of this map are %s, and this is %s; cast it",
                                weir_sql_type_text(binder->arena, map->key), weir_sql_type_text(binder->arena, type));
    }
    if (!text) {
        WEIR_TRY(fit_key(binder, map->key, &both[1]));
    }
    return finish(binder, ast, &weir_kernel_map_item, weir_binder_nullable(binder, map->element, true), both, 2, out);
}

int weir_bind_item(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out)
{
    weir_expression *both[2];
    WEIR_TRY(weir_bind_expression(binder, ast->arguments[0], &both[0]));
    WEIR_TRY(weir_bind_expression(binder, ast->arguments[1], &both[1]));
    WEIR_TRY(weir_binder_typed(binder, both[0]));
    switch (both[0]->type->id) {
    case WEIR_ARRAY:
        return bind_array_item(binder, ast, both, out);
    case WEIR_MAP:
        return bind_map_item(binder, ast, both, out);
    default:
        return weir_binder_fail(binder, &ast->position, "[ ] takes an element of an array or a map, and this is %s",
                                weir_sql_type_text(binder->arena, both[0]->type));
    }
}
