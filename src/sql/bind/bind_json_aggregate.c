/* JSON_ARRAYAGG and JSON_OBJECTAGG: their values become JSON row by row, and the aggregate puts the texts together. */
#include "base/text.h"
#include "sql/bind/rules.h"

/* Whether the argument is JSON already, which is put in as it is. */
static bool is_made(const weir_ast_expression *ast)
{
    return ast->kind == WEIR_AST_CALL && (weir_text_equal_ignore_case(ast->text, "JSON_OBJECT") ||
                                          weir_text_equal_ignore_case(ast->text, "JSON_ARRAY"));
}

static int bind_json(weir_binder *binder, const weir_ast_expression *ast, const weir_ast_expression *argument,
                     weir_expression **value)
{
    return is_made(argument) ? WEIR_OK : weir_rule_json_string(binder, ast, value, 1, value);
}

/* Rows whose value is NULL are left out. */
static void skip_nulls(weir_binder *binder, const weir_ast_expression *ast, weir_aggregate *aggregate,
                       weir_expression *value)
{
    if (!value->type->nullable) {
        return;
    }
    const weir_type *boolean = weir_binder_boolean(false);
    weir_expression *present = weir_expression_new(binder, WEIR_EXPRESSION_IS_NOT_NULL, boolean, &ast->position, 1);
    present->arguments[0] = value;
    aggregate->filter = aggregate->filter == NULL
                            ? present
                            : weir_expression_two(binder, WEIR_EXPRESSION_AND, weir_binder_boolean(true),
                                                  &ast->position, aggregate->filter, present);
}

static int bind_array(weir_binder *binder, const weir_ast_expression *ast, weir_aggregate *aggregate)
{
    WEIR_TRY(bind_json(binder, ast, ast->arguments[0], &aggregate->arguments[0]));
    if (ast->call->on_null != 1) { /* ABSENT ON NULL by default */
        skip_nulls(binder, ast, aggregate, aggregate->arguments[0]);
    }
    return WEIR_OK;
}

/* Key and value go together as a ROW. */
static int bind_object(weir_binder *binder, const weir_ast_expression *ast, weir_aggregate *aggregate)
{
    weir_expression **arguments = aggregate->arguments;
    if (!weir_type_is_text(arguments[0]->type)) {
        return weir_binder_fail(binder, &ast->arguments[0]->position,
                                "the keys of JSON_OBJECTAGG are texts, but this is %s; CAST it to STRING",
                                weir_sql_type_text(binder->arena, arguments[0]->type));
    }
    weir_expression *value = arguments[1];
    WEIR_TRY(weir_rule_json_string(binder, ast, &arguments[0], 1, &arguments[0]));
    WEIR_TRY(bind_json(binder, ast, ast->arguments[1], &arguments[1]));
    if (ast->call->on_null == 2) { /* NULL ON NULL by default */
        skip_nulls(binder, ast, aggregate, value);
    }
    weir_field *fields = WEIR_NEW_ARRAY(binder->arena, weir_field, 2);
    fields[0] = (weir_field){.id = -1, .name = "key", .type = arguments[0]->type};
    fields[1] = (weir_field){.id = -1, .name = "value", .type = arguments[1]->type};
    weir_expression *pair = weir_expression_new(binder, WEIR_EXPRESSION_ROW,
                                                weir_type_row(binder->arena, fields, 2, false), &ast->position, 2);
    pair->arguments[0] = arguments[0];
    pair->arguments[1] = arguments[1];
    arguments[0] = pair;
    aggregate->argument_count = 1;
    return WEIR_OK;
}

int weir_bind_json_aggregate(weir_binder *binder, const weir_ast_expression *ast, weir_aggregate *aggregate)
{
    switch (aggregate->function->aggregate) {
    case WEIR_AGGREGATE_JSON_ARRAYAGG:
        return bind_array(binder, ast, aggregate);
    case WEIR_AGGREGATE_JSON_OBJECTAGG:
        return bind_object(binder, ast, aggregate);
    default:
        return WEIR_OK;
    }
}
