/* FOR SYSTEM_TIME AS OF: the state of a table at a moment that is constant in the query, as the option
 * scan.timestamp-millis asks for it. */
#include "base/text.h"
#include "sql/bind/binder_internal.h"

#define TIME_OPTION "scan.timestamp-millis"

static int bind_moment(weir_binder *binder, const weir_ast_expression *ast, int64_t *out_ms)
{
    static const weir_type moment = {.id = WEIR_TIMESTAMP_LTZ, .nullable = true, .precision = 3};
    weir_binder inner = *binder;
    weir_expression *value;
    inner.scope = NULL;
    inner.grouping = NULL;
    inner.clause = "FOR SYSTEM_TIME AS OF";
    if (ast->kind == WEIR_AST_COLUMN) {
        return weir_binder_unsupported(binder, &ast->position,
                                       "FOR SYSTEM_TIME AS OF a column (a join with the state at each row's time)");
    }
    if (binder->context->streaming && ast->kind == WEIR_AST_CALL &&
        weir_text_equal_ignore_case(ast->text, "PROCTIME")) {
        return weir_binder_fail(binder, &ast->position,
                                "Temporal table join currently only supports 'FOR SYSTEM_TIME AS OF' left table's time "
                                "attribute field; give the left table a column PROCTIME() AS p, and name that here");
    }
    if (ast->kind == WEIR_AST_STRING) {
        return weir_binder_fail(binder, &ast->position, "FOR SYSTEM_TIME AS OF takes a timestamp; write TIMESTAMP '%s'",
                                ast->text);
    }
    WEIR_TRY(weir_binder_constant(&inner, ast, &moment, &value));
    if (value->literal.is_null) {
        return weir_binder_fail(binder, &ast->position, "FOR SYSTEM_TIME AS OF takes a timestamp, and this is NULL");
    }
    *out_ms = value->literal.integer;
    return WEIR_OK;
}

int weir_bind_system_time(weir_binder *binder, const weir_ast_from *from, weir_ast_hints *out)
{
    int64_t ms = 0;
    WEIR_TRY(bind_moment(binder, from->system_time, &ms));
    weir_ast_option *option = WEIR_NEW(binder->arena, weir_ast_option);
    *option = (weir_ast_option){
        .key = TIME_OPTION,
        .value = weir_arena_format(binder->arena, "%" PRId64, ms),
        .position = from->system_time->position,
        .value_position = from->system_time->position,
    };
    weir_ast_hint *hints = WEIR_NEW_ARRAY(binder->arena, weir_ast_hint, from->hints.count + 1);
    for (int32_t i = 0; i < from->hints.count; i++) {
        hints[i] = from->hints.items[i];
    }
    hints[from->hints.count] =
        (weir_ast_hint){.position = from->system_time->position, .name = "OPTIONS", .options = {option, 1}};
    *out = (weir_ast_hints){.items = hints, .count = from->hints.count + 1};
    return WEIR_OK;
}
