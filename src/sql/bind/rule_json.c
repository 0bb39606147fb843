/* JSON functions, whose clauses (RETURNING, ON EMPTY, ON ERROR, WRAPPER, ON NULL) the parser keeps beside the
 * arguments. Kernels get them as letters of their option. */
#include "sql/bind/rules.h"
#include "sql/function/kernels.h"

static int require_text(weir_binder *binder, const weir_ast_expression *call, const weir_expression *argument)
{
    WEIR_TRY(weir_binder_typed(binder, argument));
    if (!weir_type_is_text(argument->type)) {
        return weir_binder_fail(binder, &argument->position, "%s takes text here, and this is %s", call->text,
                                weir_sql_type_text(binder->arena, argument->type));
    }
    return WEIR_OK;
}

static char behaviour_letter(weir_ast_json_behaviour behaviour)
{
    switch (behaviour) {
    case WEIR_AST_JSON_ERROR:
        return 'e';
    case WEIR_AST_JSON_DEFAULT:
        return 'd';
    case WEIR_AST_JSON_EMPTY_ARRAY:
        return 'a';
    case WEIR_AST_JSON_EMPTY_OBJECT:
        return 'o';
    case WEIR_AST_JSON_TRUE:
        return 't';
    case WEIR_AST_JSON_UNKNOWN:
        return 'u';
    case WEIR_AST_JSON_FALSE:
        return 'f';
    default:
        return 'n';
    }
}

/* Refuses what stands before ON EMPTY or ON ERROR and means nothing to this function. */
static int check_behaviour(weir_binder *binder, const weir_ast_expression *call, weir_ast_json_behaviour behaviour,
                           const char *allowed, const char *words)
{
    if (behaviour == WEIR_AST_JSON_UNSET || strchr(allowed, behaviour_letter(behaviour)) != NULL) {
        return WEIR_OK;
    }
    return weir_binder_fail(binder, &call->position, "%s takes %s before ON EMPTY and ON ERROR", call->text, words);
}

WEIR_BIND_RULE(weir_rule_json_exists)
{
    WEIR_TRY(require_text(binder, call, arguments[0]));
    WEIR_TRY(require_text(binder, call, arguments[1]));
    weir_ast_json_behaviour on_error = call->call->on_error;
    bool known = on_error == WEIR_AST_JSON_UNSET || strchr("tfue", behaviour_letter(on_error)) != NULL;
    if (!known || call->call->on_empty != WEIR_AST_JSON_UNSET) {
        return weir_binder_fail(binder, &call->position, "JSON_EXISTS takes TRUE, FALSE, UNKNOWN or ERROR ON ERROR");
    }
    char error = on_error == WEIR_AST_JSON_UNSET ? 'f' : behaviour_letter(on_error);
    const char *option = weir_arena_format(binder->arena, "n%c", error);
    *out = weir_expression_call(binder, &weir_kernel_json_exists, option, weir_binder_boolean(true), &call->position,
                                arguments, count);
    return WEIR_OK;
}

/* The value of DEFAULT, cast to what the function gives. */
static int bind_default(weir_binder *binder, const weir_ast_expression *ast, const weir_type *type,
                        weir_expression **out)
{
    WEIR_TRY(weir_bind_expression(binder, ast, out));
    if (weir_sql_cast_rule((*out)->type, type) == WEIR_CAST_REFUSED) {
        return weir_binder_fail(binder, &ast->position, "DEFAULT %s does not become %s",
                                weir_sql_type_text(binder->arena, (*out)->type),
                                weir_sql_type_text(binder->arena, type));
    }
    return weir_binder_cast(binder, *out, type, false, out);
}

WEIR_BIND_RULE(weir_rule_json_value)
{
    const weir_ast_call *clauses = call->call;
    const weir_type *returning = clauses->returning;
    weir_type_id id = returning == NULL ? WEIR_VARCHAR : returning->id;
    bool known = id == WEIR_BOOLEAN || id == WEIR_INT || id == WEIR_DOUBLE ||
                 (id == WEIR_VARCHAR && (returning == NULL || returning->precision == WEIR_MAX_LENGTH));
    WEIR_TRY(require_text(binder, call, arguments[0]));
    WEIR_TRY(require_text(binder, call, arguments[1]));
    if (!known) {
        return weir_binder_fail(binder, &call->position,
                                "JSON_VALUE is RETURNING STRING, BOOLEAN, INTEGER or DOUBLE; CAST its text to %s",
                                weir_sql_type_text(binder->arena, returning));
    }
    WEIR_TRY(check_behaviour(binder, call, clauses->on_empty, "ned", "NULL, ERROR or DEFAULT value"));
    WEIR_TRY(check_behaviour(binder, call, clauses->on_error, "ned", "NULL, ERROR or DEFAULT value"));
    const weir_type *type = weir_type_simple(id, true);
    weir_expression *all[4] = {arguments[0], arguments[1], NULL, NULL};
    if (clauses->empty_default != NULL) {
        WEIR_TRY(bind_default(binder, clauses->empty_default, type, &all[count++]));
    }
    if (clauses->error_default != NULL) {
        WEIR_TRY(bind_default(binder, clauses->error_default, type, &all[count++]));
    }
    const char *option = weir_arena_format(binder->arena, "%c%c", behaviour_letter(clauses->on_empty),
                                           behaviour_letter(clauses->on_error));
    *out = weir_expression_call(binder, &weir_kernel_json_value, option, type, &call->position, all, count);
    return WEIR_OK;
}

WEIR_BIND_RULE(weir_rule_json_query)
{
    static const char wrappers[] = {'n', 'n', 'w', 'c'};
    const weir_ast_call *clauses = call->call;
    const weir_type *returning = clauses->returning;
    bool array = returning != NULL && returning->id == WEIR_ARRAY && returning->element->id == WEIR_VARCHAR;
    bool text = returning == NULL || returning->id == WEIR_VARCHAR;
    WEIR_TRY(require_text(binder, call, arguments[0]));
    WEIR_TRY(require_text(binder, call, arguments[1]));
    if (!array && !text) {
        return weir_binder_fail(binder, &call->position, "JSON_QUERY is RETURNING STRING or ARRAY<STRING>, not %s",
                                weir_sql_type_text(binder->arena, returning));
    }
    const char *allowed = array ? "nea" : "neao";
    WEIR_TRY(check_behaviour(binder, call, clauses->on_empty, allowed, "NULL, ERROR or EMPTY ARRAY (OBJECT)"));
    WEIR_TRY(check_behaviour(binder, call, clauses->on_error, allowed, "NULL, ERROR or EMPTY ARRAY (OBJECT)"));
    const char *option =
        weir_arena_format(binder->arena, "%c%c%c%c", behaviour_letter(clauses->on_empty),
                          behaviour_letter(clauses->on_error), wrappers[clauses->wrapper], array ? 'l' : 't');
    const weir_type *string = weir_type_simple(WEIR_VARCHAR, true);
    *out = weir_expression_call(binder, &weir_kernel_json_query, option, string, &call->position, arguments, count);
    if (array) {
        const weir_type *type = weir_type_array(binder->arena, string, true);
        *out = weir_expression_call(binder, &weir_kernel_json_texts, NULL, type, &call->position, out, 1);
    }
    return WEIR_OK;
}

/* --- Making JSON ----------------------------------------------------------------------------------------------- */

static bool becomes_json(const weir_type *type)
{
    switch ((int)type->id) {
    case WEIR_DATE:
    case WEIR_TIME:
    case WEIR_VARIANT:
    case WEIR_INTERVAL_MONTHS:
    case WEIR_INTERVAL_MILLIS:
        return false;
    case WEIR_MAP:
    case WEIR_MULTISET:
        return weir_type_is_text(type->key) && becomes_json(type->element);
    case WEIR_ARRAY:
        return becomes_json(type->element);
    case WEIR_ROW:
        for (int32_t i = 0; i < type->field_count; i++) {
            if (!becomes_json(type->fields[i].type)) {
                return false;
            }
        }
        return true;
    default:
        return true;
    }
}

static int check_value(weir_binder *binder, const weir_ast_expression *call, weir_expression **value)
{
    if ((*value)->type->id == WEIR_NULL) {
        *value = weir_expression_null(binder, weir_type_simple(WEIR_VARCHAR, true), &(*value)->position);
    }
    if (!becomes_json((*value)->type)) {
        return weir_binder_fail(binder, &(*value)->position, "%s does not take %s; cast it to STRING first", call->text,
                                weir_sql_type_text(binder->arena, (*value)->type));
    }
    return WEIR_OK;
}

/* Whether a value is JSON that is put in as it is: what JSON_OBJECT and JSON_ARRAY give directly. */
static bool is_made(const weir_expression *value)
{
    return value->kind == WEIR_EXPRESSION_CALL &&
           (value->kernel == &weir_kernel_json_object || value->kernel == &weir_kernel_json_array);
}

static int bind_making(weir_binder *binder, const weir_ast_expression *call, weir_expression **arguments, int32_t count,
                       const weir_kernel *kernel, char on_null, weir_expression **out)
{
    char *option = weir_arena_alloc(binder->arena, (size_t)count + 2);
    option[0] = on_null;
    for (int32_t i = 0; i < count; i++) {
        option[1 + i] = is_made(arguments[i]) ? 'j' : 'v';
    }
    option[1 + count] = '\0';
    *out = weir_expression_call(binder, kernel, option, weir_type_simple(WEIR_VARCHAR, false), &call->position,
                                arguments, count);
    return WEIR_OK;
}

/* NULL ON NULL by default. */
WEIR_BIND_RULE(weir_rule_json_object)
{
    for (int32_t i = 0; i + 1 < count; i += 2) {
        WEIR_TRY(require_text(binder, call, arguments[i]));
        WEIR_TRY(check_value(binder, call, &arguments[i + 1]));
    }
    return bind_making(binder, call, arguments, count, &weir_kernel_json_object, call->call->on_null == 2 ? 'a' : 'n',
                       out);
}

/* ABSENT ON NULL by default. */
WEIR_BIND_RULE(weir_rule_json_array)
{
    for (int32_t i = 0; i < count; i++) {
        WEIR_TRY(check_value(binder, call, &arguments[i]));
    }
    return bind_making(binder, call, arguments, count, &weir_kernel_json_array, call->call->on_null == 1 ? 'n' : 'a',
                       out);
}

WEIR_BIND_RULE(weir_rule_json_string)
{
    WEIR_TRY(weir_binder_typed(binder, arguments[0]));
    WEIR_TRY(check_value(binder, call, &arguments[0]));
    const weir_type *type = weir_type_simple(WEIR_VARCHAR, arguments[0]->type->nullable);
    *out = weir_expression_call(binder, &weir_kernel_json_string, NULL, type, &call->position, arguments, count);
    return WEIR_OK;
}

int weir_bind_is_json(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out)
{
    weir_expression *operand;
    WEIR_TRY(weir_bind_expression(binder, ast->arguments[0], &operand));
    WEIR_TRY(weir_binder_typed(binder, operand));
    if (!weir_type_is_text(operand->type)) {
        return weir_binder_fail(binder, &ast->position, "IS JSON asks about text, and this is %s",
                                weir_sql_type_text(binder->arena, operand->type));
    }
    const char *option = ast->operation == WEIR_AST_IS_JSON_OBJECT   ? "o"
                         : ast->operation == WEIR_AST_IS_JSON_ARRAY  ? "a"
                         : ast->operation == WEIR_AST_IS_JSON_SCALAR ? "s"
                                                                     : "v";
    *out = weir_expression_call(binder, &weir_kernel_is_json, option, weir_binder_boolean(false), &ast->position,
                                &operand, 1);
    return ast->negated ? weir_bind_not(binder, &ast->position, *out, out) : WEIR_OK;
}
