/* Calls of functions: finding the function, checking and casting its arguments, typing its result. */
#include "sql/bind/binder_internal.h"

#include "base/text.h"

static int fail_arguments(weir_binder *binder, const weir_ast_expression *ast, const weir_function *function,
                          weir_expression **arguments, int32_t count)
{
    weir_buffer types = {0};
    for (int32_t i = 0; i < count; i++) {
        weir_buffer_append_text(&types, i == 0 ? "" : ", ");
        weir_sql_type_format(arguments[i]->type, &types);
    }
    weir_binder_fail(binder, &ast->position, "%s does not take (%s); it is %s", function->name,
                     weir_buffer_text(&types), function->signature);
    weir_buffer_free(&types);
    return WEIR_INVALID;
}

static int fail_count(weir_binder *binder, const weir_ast_expression *ast, const weir_function *function)
{
    return weir_binder_fail(binder, &ast->position, "%s does not take %d argument%s; it is %s", function->name,
                            ast->argument_count, ast->argument_count == 1 ? "" : "s", function->signature);
}

/* --- Arguments by the letters of function.h -------------------------------------------------------------------- */

bool weir_function_takes(const char *parameters, int32_t count)
{
    int32_t required = 0;
    int32_t most = 0;
    bool optional = false;
    bool repeated = false;
    for (const char *letter = parameters; *letter != '\0'; letter++) {
        if (*letter == '?') {
            optional = true;
        } else if (*letter == '*') {
            repeated = true;
        } else {
            most++;
            required += !optional;
        }
    }
    return count >= required && (repeated || count <= most);
}

/* The letter of the i-th argument; the last one repeats. */
static char letter_of(const char *parameters, int32_t index)
{
    char letter = 'a';
    for (const char *c = parameters; *c != '\0' && index >= 0; c++) {
        if (*c != '?' && *c != '*') {
            letter = *c;
            index--;
        }
    }
    return letter;
}

static bool letter_takes(char letter, const weir_type *type)
{
    switch (letter) {
    case 's':
        return weir_type_is_text(type);
    case 'y':
        return weir_type_is_bytes(type);
    case 'x':
        return weir_type_is_text(type) || weir_type_is_bytes(type);
    case 'n':
    case 'd':
        return weir_type_is_numeric(type);
    case 'i':
    case 'l':
        return weir_type_is_integer(type);
    case 'b':
        return type->id == WEIR_BOOLEAN;
    case 't':
        return weir_type_is_timestamp(type);
    case 'e':
        return weir_type_is_text(type) || weir_type_is_integer(type);
    case 'p':
        return weir_type_is_text(type) || weir_type_is_numeric(type) || type->id == WEIR_BOOLEAN;
    default:
        return true;
    }
}

static const weir_type *letter_type(char letter, bool nullable)
{
    switch (letter) {
    case 'd':
        return weir_type_simple(WEIR_DOUBLE, nullable);
    case 'i':
        return weir_type_simple(WEIR_INT, nullable);
    case 'l':
        return weir_type_simple(WEIR_BIGINT, nullable);
    default:
        return NULL;
    }
}

static int bind_kernel_call(weir_binder *binder, const weir_ast_expression *ast, const weir_function *function,
                            weir_expression **arguments, int32_t count, weir_expression **out)
{
    if (!weir_function_takes(function->parameters, count)) {
        return fail_count(binder, ast, function);
    }
    const weir_type **types = WEIR_NEW_ARRAY(binder->arena, const weir_type *, count + 1);
    bool nullable = function->nullable;
    for (int32_t i = 0; i < count; i++) {
        char letter = letter_of(function->parameters, i);
        if (letter != 'a') {
            WEIR_TRY(weir_binder_typed(binder, arguments[i]));
        }
        if (!letter_takes(letter, arguments[i]->type)) {
            return fail_arguments(binder, ast, function, arguments, count);
        }
        const weir_type *target = letter_type(letter, arguments[i]->type->nullable);
        if (target != NULL) {
            WEIR_TRY(weir_binder_cast(binder, arguments[i], target, false, &arguments[i]));
        }
        types[i] = arguments[i]->type;
        nullable = nullable || (arguments[i]->type->nullable && !function->kernel->sees_nulls);
    }
    const weir_type *type = function->result(binder->arena, types, count, nullable);
    *out = weir_expression_call(binder, function->kernel, binder->bound->time_zone, type, &ast->position, arguments,
                                count);
    return WEIR_OK;
}

/* --- The call -------------------------------------------------------------------------------------------------- */

static int fail_unknown(weir_binder *binder, const weir_ast_expression *ast)
{
    const char *meant = weir_function_suggest(ast->text);
    weir_position at = ast->position;
    return weir_binder_fail(binder, &at, "there is no function %s%s%s%s", ast->text,
                            meant == NULL ? "" : "; did you mean ", meant == NULL ? "" : meant,
                            meant == NULL ? "" : "?");
}

/* The word of a UNIT argument stays with the syntax tree; rules read it there. */
static int bind_arguments(weir_binder *binder, const weir_ast_expression *ast, weir_expression **arguments)
{
    for (int32_t i = 0; i < ast->argument_count; i++) {
        if (ast->arguments[i]->kind == WEIR_AST_UNIT) {
            arguments[i] =
                weir_expression_null(binder, weir_type_simple(WEIR_NULL, true), &ast->arguments[i]->position);
            continue;
        }
        WEIR_TRY(weir_bind_expression(binder, ast->arguments[i], &arguments[i]));
    }
    return WEIR_OK;
}

int weir_bind_call(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out)
{
    const weir_function *function = weir_function_find(ast->text);
    if (function == NULL) {
        return fail_unknown(binder, ast);
    }
    if (function->kind == WEIR_FUNCTION_KNOWN) {
        return weir_binder_unsupported(binder, &ast->position, function->name);
    }
    const weir_ast_call *call = ast->call;
    if (call->over != NULL) {
        return weir_bind_over(binder, ast, function, out);
    }
    if (function->kind == WEIR_FUNCTION_AGGREGATE) {
        return weir_bind_aggregate(binder, ast, function, out);
    }
    if (function->kind == WEIR_FUNCTION_GROUP) {
        return weir_bind_group_function(binder, ast, function, out);
    }
    if (function->kind == WEIR_FUNCTION_WINDOW) {
        return weir_binder_fail(binder, &ast->position, "%s needs OVER (… ORDER BY …); it is %s", function->name,
                                function->signature);
    }
    if (call->star || call->distinct || call->filter != NULL || call->within_group.count > 0) {
        return weir_binder_fail(binder, &ast->position,
                                "%s is no aggregate: it takes no *, DISTINCT, FILTER or WITHIN GROUP", function->name);
    }
    weir_expression **arguments = WEIR_NEW_ARRAY(binder->arena, weir_expression *, ast->argument_count + 1);
    WEIR_TRY(bind_arguments(binder, ast, arguments));
    if (function->bind != NULL) {
        if (!weir_function_takes(function->parameters, ast->argument_count)) {
            return fail_count(binder, ast, function);
        }
        return function->bind(binder, ast, arguments, ast->argument_count, out);
    }
    return bind_kernel_call(binder, ast, function, arguments, ast->argument_count, out);
}

/* The index-th function that is offered: those known by name alone are left out. */
static const weir_function *offered(size_t index)
{
    for (size_t i = 0; i < weir_function_count; i++) {
        if (weir_functions[i].kind != WEIR_FUNCTION_KNOWN && index-- == 0) {
            return &weir_functions[i];
        }
    }
    return NULL;
}

size_t weir_sql_function_count(void)
{
    size_t count = 0;
    while (offered(count) != NULL) {
        count++;
    }
    return count;
}

const char *weir_sql_function_name(size_t index) { return offered(index)->name; }
