/* Rows of literals: INSERT … VALUES and SELECT 1 are answered without DuckDB. */
#include "sql/engine/engine_internal.h"
#include "vector/literal.h"

bool weir_plan_is_literal(const weir_plan *plan)
{
    if (plan->kind != WEIR_PLAN_VALUES) {
        return false;
    }
    for (int32_t i = 0; i < plan->expression_count; i++) {
        const weir_expression *expression = plan->expressions[i];
        bool nested = weir_type_is_nested(expression->type) || expression->type->id >= WEIR_NULL;
        if (expression->kind != WEIR_EXPRESSION_LITERAL || (nested && !expression->literal.is_null)) {
            return false;
        }
    }
    return true;
}

int weir_literal_rows(const weir_plan *plan, int64_t first, int64_t count, weir_batch *out, weir_error *err)
{
    for (int32_t column = 0; column < plan->field_count; column++) {
        for (int64_t row = first; row < first + count; row++) {
            const weir_literal *literal = &plan->expressions[row * plan->field_count + column]->literal;
            WEIR_TRY(literal->is_null ? weir_vector_append_nulls(&out->columns[column], 1, err)
                                      : weir_vector_append_literal(&out->columns[column], literal, err));
        }
    }
    out->length += count;
    return WEIR_OK;
}
