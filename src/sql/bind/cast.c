/* Casts and common types of bound expressions. */
#include "sql/bind/binder_internal.h"
#include "sql/function/kernels.h"

int weir_binder_typed(weir_binder *binder, const weir_expression *expression)
{
    if (expression->type->id != WEIR_NULL) {
        return WEIR_OK;
    }
    return weir_binder_fail(binder, &expression->position,
                            "an untyped NULL is not allowed here; write CAST(NULL AS type)");
}

static bool same_shape(const weir_type *from, const weir_type *to);

static bool fields_same_shape(const weir_type *from, const weir_type *to)
{
    for (int32_t i = 0; i < from->field_count; i++) {
        if (!same_shape(from->fields[i].type, to->fields[i].type)) {
            return false;
        }
    }
    return true;
}

/* Whether nested values of one type are carried as those of the other, untouched. */
static bool same_shape(const weir_type *from, const weir_type *to)
{
    if (!weir_type_is_nested(from) || from->id != to->id) {
        bool needs_zone;
        return from->id != WEIR_NULL && !weir_type_is_nested(from) && !weir_type_is_nested(to) &&
               weir_kernel_cast(from, to, false, &needs_zone) == NULL;
    }
    if (from->id == WEIR_ROW) {
        return from->field_count == to->field_count && fields_same_shape(from, to);
    }
    bool keys = from->key == NULL || same_shape(from->key, to->key);
    return keys && (from->element == NULL || same_shape(from->element, to->element));
}

static const weir_type *without_zone(weir_arena *arena, const weir_type *type);

static const weir_field *fields_without_zone(weir_arena *arena, const weir_type *type)
{
    weir_field *fields = WEIR_NEW_ARRAY(arena, weir_field, type->field_count + 1);
    bool changed = false;
    for (int32_t i = 0; i < type->field_count; i++) {
        fields[i] = type->fields[i];
        fields[i].type = without_zone(arena, type->fields[i].type);
        changed = changed || fields[i].type != type->fields[i].type;
    }
    return changed ? fields : type->fields;
}

/* The type with TIMESTAMP for each TIMESTAMP_LTZ; the type itself when there is none. */
static const weir_type *without_zone(weir_arena *arena, const weir_type *type)
{
    weir_type changed = *type;
    if (type->id == WEIR_TIMESTAMP_LTZ) {
        changed.id = WEIR_TIMESTAMP;
    } else if (weir_type_is_nested(type)) {
        changed.key = type->key == NULL ? NULL : without_zone(arena, type->key);
        changed.element = type->element == NULL ? NULL : without_zone(arena, type->element);
        changed.fields = fields_without_zone(arena, type);
    }
    bool same = changed.id == type->id && changed.key == type->key && changed.element == type->element &&
                changed.fields == type->fields;
    return same ? type : weir_arena_copy(arena, &changed, sizeof changed);
}

int weir_binder_cast(weir_binder *binder, weir_expression *expression, const weir_type *type, bool try_cast,
                     weir_expression **out)
{
    const weir_type *from = expression->type;
    if (from->id == WEIR_NULL) {
        *out = weir_expression_null(binder, type, &expression->position);
        return WEIR_OK;
    }
    if (weir_sql_type_equal(from, type, false)) {
        *out = expression;
        return WEIR_OK;
    }
    bool nested = weir_type_is_nested(from) || weir_type_is_nested(type);
    bool alike = nested && !weir_type_is_text(type) && same_shape(from, type);
    bool needs_zone = false;
    const weir_kernel *kernel = NULL;
    const weir_type *zoneless = nested && weir_type_is_text(type) ? without_zone(binder->arena, from) : from;
    if (zoneless != from) { /* as text, instants inside are times of the session's zone */
        WEIR_TRY(weir_binder_cast(binder, expression, zoneless, false, &expression));
        from = zoneless;
    }
    if (nested && !alike && !weir_type_is_text(type)) {
        kernel = try_cast ? &weir_kernel_try_cast_nested : &weir_kernel_cast_nested;
        needs_zone = true;
    } else if (nested && !alike) {
        kernel = weir_kernel_cast_to_text(from, &needs_zone);
    } else if (!alike) {
        kernel = weir_kernel_cast(from, type, try_cast, &needs_zone);
    }
    if (kernel == NULL) {
        weir_expression *same = weir_expression_new(binder, WEIR_EXPRESSION_SAME, type, &expression->position, 1);
        same->arguments[0] = expression;
        *out = weir_fold(binder, same, NULL);
        return WEIR_OK;
    }
    const char *option = needs_zone ? binder->bound->time_zone : NULL;
    *out = weir_expression_call(binder, kernel, option, type, &expression->position, &expression, 1);
    return WEIR_OK;
}

int weir_binder_common(weir_binder *binder, const weir_position *at, const char *what, weir_expression **expressions,
                       int32_t count, const weir_type **out)
{
    const weir_type **types = WEIR_NEW_ARRAY(binder->arena, const weir_type *, count + 1);
    for (int32_t i = 0; i < count; i++) {
        types[i] = expressions[i]->type;
    }
    const weir_type *common = weir_sql_common_type(binder->arena, types, count);
    if (common == NULL) {
        int32_t other = 1; /* the first that doesn't fit those before it */
        while (other < count - 1 && weir_sql_common_type(binder->arena, types, other + 1) != NULL) {
            other++;
        }
        return weir_binder_fail(binder, at, "%s have no common type: %s and %s; cast one of them", what,
                                weir_sql_type_text(binder->arena, types[0]),
                                weir_sql_type_text(binder->arena, types[other]));
    }
    for (int32_t i = 0; i < count; i++) {
        const weir_type *target = weir_binder_nullable(binder, common, expressions[i]->type->nullable);
        WEIR_TRY(weir_binder_cast(binder, expressions[i], target, false, &expressions[i]));
    }
    *out = common;
    return WEIR_OK;
}
