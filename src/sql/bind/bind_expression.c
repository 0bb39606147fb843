/* Expressions: everything that is no name, no operator and no call. */
#include "sql/bind/binder_internal.h"

#include "base/text.h"
#include "sql/function/kernels.h"

int(weir_binder_fail)(weir_binder *binder, const weir_position *at, const char *format, ...)
{
    char message[WEIR_ERROR_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return weir_fail_at(binder->err, WEIR_INVALID, at->line, at->column, "%s", message);
}

int(weir_binder_unsupported)(weir_binder *binder, const weir_position *at, const char *what)
{
    return weir_fail_at(binder->err, WEIR_UNSUPPORTED, at->line, at->column, "%s is not supported yet", what);
}

/* --- CASE ------------------------------------------------------------------------------------------------------ */

static int bind_case(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out)
{
    bool has_operand = (ast->operation & WEIR_AST_CASE_OPERAND) != 0;
    bool has_else = (ast->operation & WEIR_AST_CASE_ELSE) != 0;
    int32_t first = has_operand ? 1 : 0;
    int32_t branches = (ast->argument_count - first - has_else) / 2;
    weir_expression **results = WEIR_NEW_ARRAY(binder->arena, weir_expression *, branches + 1);
    weir_expression *node = weir_expression_new(binder, WEIR_EXPRESSION_CASE, NULL, &ast->position, branches * 2 + 1);
    for (int32_t i = 0; i < branches; i++) {
        const weir_ast_expression *when = ast->arguments[(size_t)first + (size_t)i * 2];
        if (has_operand) {
            weir_expression *operand;
            weir_expression *value;
            WEIR_TRY(weir_bind_expression(binder, ast->arguments[0], &operand));
            WEIR_TRY(weir_bind_expression(binder, when, &value));
            WEIR_TRY(weir_bind_comparison(binder, WEIR_EXPRESSION_EQUAL, &when->position, operand, value,
                                          &node->arguments[(size_t)i * 2]));
        } else {
            WEIR_TRY(weir_bind_condition(binder, when, "WHEN", &node->arguments[(size_t)i * 2]));
        }
        WEIR_TRY(weir_bind_expression(binder, ast->arguments[(size_t)first + (size_t)i * 2 + 1], &results[i]));
    }
    if (has_else) {
        WEIR_TRY(weir_bind_expression(binder, ast->arguments[ast->argument_count - 1], &results[branches]));
    } else {
        results[branches] = weir_expression_null(binder, weir_type_simple(WEIR_NULL, true), &ast->position);
    }
    WEIR_TRY(weir_binder_common(binder, &ast->position, "the branches of CASE", results, branches + 1, &node->type));
    if (node->type->id == WEIR_NULL) {
        return weir_binder_fail(binder, &ast->position,
                                "all branches of CASE are untyped NULLs; write CAST(NULL AS type)");
    }
    for (int32_t i = 0; i < branches; i++) {
        node->arguments[(size_t)i * 2 + 1] = results[i];
    }
    node->arguments[(size_t)branches * 2] = results[branches];
    *out = node;
    return WEIR_OK;
}

/* --- CAST, constructors, items --------------------------------------------------------------------------------- */

static int bind_cast(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out)
{
    weir_expression *operand;
    bool try_cast = ast->operation != 0;
    WEIR_TRY(weir_bind_expression(binder, ast->arguments[0], &operand));
    const weir_type *type = weir_type_copy(binder->arena, ast->type); /* the tree may be gone before the plan */
    bool from_interval = weir_type_is_interval(operand->type) && weir_type_is_integer(type);
    if (from_interval || (weir_type_is_interval(type) && weir_type_is_exact(operand->type))) {
        return weir_bind_interval_cast(binder, ast, operand, type, out);
    }
    weir_cast_rule rule = weir_sql_cast_rule(operand->type, type);
    if (rule == WEIR_CAST_REFUSED) {
        bool timestamp = weir_type_is_timestamp(type) && weir_type_is_numeric(operand->type);
        bool number = weir_type_is_numeric(type) && weir_type_is_timestamp(operand->type);
        return weir_binder_fail(binder, &ast->position, "there is no CAST from %s to %s%s",
                                weir_sql_type_text(binder->arena, operand->type),
                                weir_sql_type_text(binder->arena, type),
                                timestamp ? "; use TO_TIMESTAMP_LTZ(number, 0 for seconds or 3 for milliseconds)"
                                : number  ? "; use UNIX_TIMESTAMP or EXTRACT"
                                          : "");
    }
    bool nullable = try_cast || operand->type->nullable || (type->nullable && operand->type->id == WEIR_NULL);
    return weir_binder_cast(binder, operand, weir_binder_nullable(binder, type, nullable), try_cast, out);
}

static int bind_arguments(weir_binder *binder, const weir_ast_expression *ast, weir_expression ***out)
{
    weir_expression **arguments = WEIR_NEW_ARRAY(binder->arena, weir_expression *, ast->argument_count + 1);
    for (int32_t i = 0; i < ast->argument_count; i++) {
        WEIR_TRY(weir_bind_expression(binder, ast->arguments[i], &arguments[i]));
    }
    *out = arguments;
    return WEIR_OK;
}

static int bind_row(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out)
{
    weir_expression **arguments;
    WEIR_TRY(bind_arguments(binder, ast, &arguments));
    weir_field *fields = WEIR_NEW_ARRAY(binder->arena, weir_field, ast->argument_count + 1);
    for (int32_t i = 0; i < ast->argument_count; i++) {
        WEIR_TRY(weir_binder_typed(binder, arguments[i]));
        fields[i] =
            (weir_field){.id = -1, .name = weir_arena_format(binder->arena, "EXPR$%d", i), .type = arguments[i]->type};
    }
    const weir_type *type = weir_type_row(binder->arena, fields, ast->argument_count, false);
    *out = weir_expression_new(binder, WEIR_EXPRESSION_ROW, type, &ast->position, ast->argument_count);
    memcpy((*out)->arguments, arguments, sizeof *arguments * (size_t)ast->argument_count);
    return WEIR_OK;
}

static int bind_array(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out)
{
    if (ast->query != NULL) {
        return weir_binder_unsupported(binder, &ast->position, "ARRAY(query)");
    }
    if (ast->argument_count == 0) {
        return weir_binder_fail(binder, &ast->position, "ARRAY[] needs an element, or a CAST to its type");
    }
    weir_expression **arguments;
    const weir_type *element;
    WEIR_TRY(bind_arguments(binder, ast, &arguments));
    WEIR_TRY(
        weir_binder_common(binder, &ast->position, "the elements of ARRAY", arguments, ast->argument_count, &element));
    const weir_type *type = weir_type_array(binder->arena, element, false);
    *out = weir_expression_new(binder, WEIR_EXPRESSION_ARRAY, type, &ast->position, ast->argument_count);
    memcpy((*out)->arguments, arguments, sizeof *arguments * (size_t)ast->argument_count);
    return WEIR_OK;
}

static bool are_distinct_literals(weir_expression *const *keys, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        for (int32_t j = 0; j < i; j++) {
            if (weir_expression_equal(keys[i], keys[j])) {
                return false;
            }
        }
        if (keys[i]->kind != WEIR_EXPRESSION_LITERAL) {
            return false;
        }
    }
    return true;
}

static int bind_map(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out)
{
    if (ast->argument_count == 0 || ast->argument_count % 2 != 0) {
        return weir_binder_fail(binder, &ast->position, "MAP[key, value, …] takes pairs; this one has %d values",
                                ast->argument_count);
    }
    weir_expression **arguments;
    WEIR_TRY(bind_arguments(binder, ast, &arguments));
    int32_t pairs = ast->argument_count / 2;
    weir_expression **keys = WEIR_NEW_ARRAY(binder->arena, weir_expression *, pairs);
    weir_expression **values = WEIR_NEW_ARRAY(binder->arena, weir_expression *, pairs);
    for (int32_t i = 0; i < pairs; i++) {
        keys[i] = arguments[(size_t)i * 2];
        values[i] = arguments[(size_t)i * 2 + 1];
    }
    const weir_type *key;
    const weir_type *value;
    WEIR_TRY(weir_binder_common(binder, &ast->position, "the keys of MAP", keys, pairs, &key));
    WEIR_TRY(weir_binder_common(binder, &ast->position, "the values of MAP", values, pairs, &value));
    const weir_type *type = weir_type_map(binder->arena, key, value, false);
    *out = weir_expression_new(binder, WEIR_EXPRESSION_MAP, type, &ast->position, ast->argument_count);
    for (int32_t i = 0; i < pairs; i++) {
        (*out)->arguments[(size_t)i * 2] = keys[i];
        (*out)->arguments[(size_t)i * 2 + 1] = values[i];
    }
    bool may_repeat = pairs > 1 && (pairs > 1000 || !are_distinct_literals(keys, pairs));
    if (may_repeat) { /* a key stands in a map once */
        *out = weir_expression_call(binder, &weir_kernel_map_union, NULL, type, &ast->position, out, 1);
    }
    return WEIR_OK;
}

static int bind_field_access(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out)
{
    weir_expression *row;
    WEIR_TRY(weir_bind_expression(binder, ast->arguments[0], &row));
    return weir_bind_field(binder, row, ast->text, &ast->position, out);
}

/* --- Dispatch -------------------------------------------------------------------------------------------------- */

static int bind_plain(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out)
{
    switch (ast->kind) {
    case WEIR_AST_NULL:
    case WEIR_AST_BOOLEAN:
    case WEIR_AST_NUMBER:
    case WEIR_AST_STRING:
    case WEIR_AST_BYTES:
    case WEIR_AST_DATE:
    case WEIR_AST_TIME:
    case WEIR_AST_TIMESTAMP:
    case WEIR_AST_INTERVAL:
        return weir_bind_literal(binder, ast, false, out);
    case WEIR_AST_COLUMN:
        return weir_bind_name(binder, &ast->name, out);
    case WEIR_AST_UNARY:
        return weir_bind_unary(binder, ast, out);
    case WEIR_AST_BINARY:
    case WEIR_AST_BETWEEN:
    case WEIR_AST_IN:
    case WEIR_AST_LIKE:
    case WEIR_AST_IS:
        return weir_bind_binary(binder, ast, out);
    case WEIR_AST_CASE:
        return bind_case(binder, ast, out);
    case WEIR_AST_CAST:
        return bind_cast(binder, ast, out);
    case WEIR_AST_CALL:
        return weir_bind_call(binder, ast, out);
    case WEIR_AST_ROW:
        return bind_row(binder, ast, out);
    case WEIR_AST_ARRAY:
        return bind_array(binder, ast, out);
    case WEIR_AST_MAP:
        return bind_map(binder, ast, out);
    case WEIR_AST_FIELD:
        return bind_field_access(binder, ast, out);
    case WEIR_AST_ITEM:
        return weir_bind_item(binder, ast, out);
    case WEIR_AST_MULTISET:
        return weir_binder_fail(binder, &ast->position,
                                "Flink has no plan for MULTISET[…]; COLLECT makes multisets of rows");
    case WEIR_AST_QUANTIFIED:
        return weir_bind_quantified(binder, ast, out);
    case WEIR_AST_EXISTS:
        return weir_bind_exists(binder, ast, out);
    case WEIR_AST_SUBQUERY:
        return weir_bind_scalar_subquery(binder, ast, out);
    case WEIR_AST_STAR:
        return weir_binder_fail(binder, &ast->position,
                                "* stands for columns only directly after SELECT, and in COUNT(*)");
    case WEIR_AST_UNIT:
        return weir_binder_fail(binder, &ast->position, "%s is no expression", ast->text);
    case WEIR_AST_NAMED:
        return weir_binder_fail(binder, &ast->position,
                                "arguments by name (%s => …) are for procedures and window functions", ast->text);
    default:
        return weir_binder_fail(binder, &ast->position, "this is an argument of table functions and no expression");
    }
}

/* Numbers in GROUP BY are meant for columns where people come from other systems. */
static const char *number_hint(weir_binder *binder, const weir_grouping *grouping)
{
    for (int32_t i = 0; i < grouping->group_count; i++) {
        const weir_expression *group = grouping->groups[i];
        if (group->kind == WEIR_EXPRESSION_LITERAL && weir_type_is_integer(group->type) && !group->literal.is_null) {
            return weir_arena_format(binder->arena,
                                     "; GROUP BY %" PRId64 " groups by the number %" PRId64 ", and not by a column",
                                     group->literal.integer, group->literal.integer);
        }
    }
    return "";
}

/* Over groups and aggregates an expression that equals a group is that column, and other columns can't be seen. */
static int bind_grouped(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out, bool *found)
{
    weir_grouping *grouping = binder->grouping;
    *found = false;
    if (weir_ast_has_aggregate(ast) || weir_ast_has_over(ast) || weir_ast_has_subquery(ast)) {
        return WEIR_OK;
    }
    binder->grouping = NULL;
    weir_error *err = binder->err;
    weir_error ignored;
    bool leaf = ast->kind == WEIR_AST_COLUMN;
    binder->err = leaf ? err : &ignored;
    weir_expression *plain = NULL;
    int code = weir_bind_expression(binder, ast, &plain);
    binder->err = err;
    binder->grouping = grouping;
    if (code != WEIR_OK) {
        return leaf ? code : WEIR_OK; /* its parts will say what is wrong */
    }
    for (int32_t i = 0; i < grouping->group_count; i++) {
        if (weir_expression_equal(plain, grouping->groups[i])) {
            *found = true;
            *out = weir_expression_column(binder, i, grouping->types[i], &ast->position);
            return WEIR_OK;
        }
    }
    if (weir_expression_constant(plain)) {
        *found = true;
        *out = plain;
        return WEIR_OK;
    }
    if (leaf) {
        const char *name = ast->name.parts[ast->name.count - 1].text;
        return weir_binder_fail(binder, &ast->position,
                                "column '%s' stands neither in GROUP BY nor inside of an aggregate such as MAX(%s)%s",
                                name, name, number_hint(binder, grouping));
    }
    return WEIR_OK;
}

int weir_bind_expression(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out)
{
    enum { deepest = 3000 };
    if (binder->depth >= deepest) {
        return weir_binder_fail(binder, &ast->position, "the expression is nested too deeply; take it apart");
    }
    binder->depth++;
    bool found = false;
    int code = WEIR_OK;
    if (binder->grouping != NULL && !binder->grouping->binding_argument) {
        code = bind_grouped(binder, ast, out, &found);
    }
    if (code == WEIR_OK && !found) {
        code = bind_plain(binder, ast, out);
    }
    binder->depth--;
    return code;
}

int weir_bind_condition(weir_binder *binder, const weir_ast_expression *ast, const char *clause, weir_expression **out)
{
    WEIR_TRY(weir_bind_expression(binder, ast, out));
    if ((*out)->type->id == WEIR_NULL) {
        *out = weir_expression_null(binder, weir_binder_boolean(true), &ast->position);
    }
    if ((*out)->type->id != WEIR_BOOLEAN) {
        return weir_binder_fail(binder, &ast->position, "%s takes a condition, but this is %s", clause,
                                weir_sql_type_text(binder->arena, (*out)->type));
    }
    return WEIR_OK;
}
