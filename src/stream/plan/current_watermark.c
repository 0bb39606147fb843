/* Replacing calls in expressions, which are copied: plans share them. */
#include "stream/plan/current_watermark.h"

#include "sql/function/kernels.h"
#include "sql/type.h"

typedef struct replacing {
    const weir_flat_plan *flat;
    const weir_stream_traits *input;
    weir_arena *arena;
    const weir_type *type; /* of the calls; NULL: none yet */
    weir_error *err;
} replacing;

static bool is_call(const weir_expression *expression)
{
    return expression->kind == WEIR_EXPRESSION_CALL && expression->kernel == &weir_kernel_current_watermark;
}

static bool asks(const weir_expression *expression)
{
    bool found = is_call(expression);
    for (int32_t i = 0; i < expression->argument_count && !found; i++) {
        found = asks(expression->arguments[i]);
    }
    return found;
}

bool weir_current_watermark_is_asked(const weir_flat_plan *flat)
{
    bool asked = false;
    for (int32_t i = 0; i < flat->condition_count && !asked; i++) {
        asked = asks(flat->conditions[i]);
    }
    for (int32_t i = 0; i < flat->expression_count && !asked; i++) {
        asked = asks(flat->expressions[i]);
    }
    return asked;
}

static int check_call(replacing *self, const weir_expression *call)
{
    const weir_expression *time = weir_expression_bare(call->arguments[0]);
    if (time->kind != WEIR_EXPRESSION_COLUMN || self->input->times[time->column] != WEIR_TIME_ROWTIME) {
        return weir_fail_at(self->err, WEIR_INVALID, call->position.line, call->position.column,
                            "The argument of CURRENT_WATERMARK() must be a rowtime attribute, but was '%s'.",
                            weir_sql_type_text(self->arena, time->type));
    }
    if (self->type != NULL && self->type->id != call->type->id) {
        return weir_fail_at(self->err, WEIR_UNSUPPORTED, call->position.line, call->position.column,
                            "CURRENT_WATERMARK of both TIMESTAMP and TIMESTAMP_LTZ columns in one SELECT does not run "
                            "in this version");
    }
    self->type = self->type == NULL ? call->type : self->type;
    return WEIR_OK;
}

static int replace(replacing *self, weir_expression **slot)
{
    if (!asks(*slot)) {
        return WEIR_OK;
    }
    weir_expression *copy = weir_arena_copy(self->arena, *slot, sizeof **slot);
    if (is_call(copy)) {
        WEIR_TRY(check_call(self, copy));
        *copy = (weir_expression){.kind = WEIR_EXPRESSION_COLUMN,
                                  .position = copy->position,
                                  .type = copy->type,
                                  .column = self->flat->bottom->field_count};
        *slot = copy;
        return WEIR_OK;
    }
    copy->arguments =
        weir_arena_copy(self->arena, copy->arguments, sizeof *copy->arguments * (size_t)copy->argument_count);
    for (int32_t i = 0; i < copy->argument_count; i++) {
        WEIR_TRY(replace(self, &copy->arguments[i]));
    }
    *slot = copy;
    return WEIR_OK;
}

static int replace_all(replacing *self, weir_expression ***list, int32_t count)
{
    if (count == 0) {
        return WEIR_OK;
    }
    *list = weir_arena_copy(self->arena, *list, sizeof **list * (size_t)count);
    for (int32_t i = 0; i < count; i++) {
        WEIR_TRY(replace(self, &(*list)[i]));
    }
    return WEIR_OK;
}

int weir_current_watermark_replace(weir_flat_plan *flat, const weir_stream_traits *input, weir_arena *arena,
                                   const weir_plan **out_bottom, weir_error *err)
{
    replacing self = {flat, input, arena, NULL, err};
    WEIR_TRY(replace_all(&self, &flat->conditions, flat->condition_count));
    WEIR_TRY(replace_all(&self, &flat->expressions, flat->expression_count));
    weir_plan *bottom = weir_arena_copy(arena, flat->bottom, sizeof *flat->bottom);
    int32_t count = bottom->field_count;
    bottom->fields = WEIR_NEW_ARRAY(arena, weir_field, count + 1);
    memcpy(bottom->fields, flat->bottom->fields, sizeof *bottom->fields * (size_t)count);
    bottom->fields[count] = (weir_field){.id = -1, .name = "watermark", .type = self.type};
    bottom->field_count = count + 1;
    *out_bottom = bottom;
    return WEIR_OK;
}
