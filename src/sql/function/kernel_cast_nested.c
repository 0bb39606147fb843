/* CAST between nested types: arrays, maps and rows whose parts are cast. Parts that are no nested values go through the
 * kernels of their own casts, one at a time. TRY_CAST gives NULL for the whole value when a part fails. */
#include "base/text.h"
#include "sql/function/carried.h"
#include "sql/function/kernels.h"
#include "vector/literal.h"

typedef struct casting {
    const char *zone;
    weir_arena arena; /* of one row */
    weir_buffer text;
} casting;

static int cast_value(casting *c, const weir_vector *from, int64_t row, weir_vector *to, weir_error *err);

static int cast_scalar(casting *c, const weir_vector *from, int64_t row, weir_vector *to, weir_error *err)
{
    bool needs_zone = false;
    const weir_kernel *kernel = weir_kernel_cast(from->type, to->type, false, &needs_zone);
    weir_literal literal = weir_literal_of(from, row);
    weir_literal result;
    if (kernel == NULL) { /* carried alike */
        _Alignas(16) uint8_t carried[16];
        weir_carried_from_literal(from->type, &literal, carried);
        result = weir_carried_to_literal(to->type, carried, &c->arena);
    } else {
        WEIR_TRY(weir_kernel_run_literals(kernel, needs_zone ? c->zone : NULL, &from->type, &literal, 1, to->type,
                                          &c->arena, &result, err));
    }
    return weir_vector_append_literal(to, &result, err);
}

static int cast_list(casting *c, const weir_vector *from, int64_t row, weir_vector *to, weir_error *err)
{
    for (int32_t child = 0; child < from->child_count; child++) {
        for (int64_t i = from->offsets[row]; i < from->offsets[row + 1]; i++) {
            WEIR_TRY(cast_value(c, &from->children[child], i, &to->children[child], err));
        }
    }
    return weir_vector_append_list(to, err);
}

static int cast_row(casting *c, const weir_vector *from, int64_t row, weir_vector *to, weir_error *err)
{
    for (int32_t child = 0; child < from->child_count; child++) {
        WEIR_TRY(cast_value(c, &from->children[child], row, &to->children[child], err));
    }
    return weir_vector_append_struct(to, err);
}

static int cast_value(casting *c, const weir_vector *from, int64_t row, weir_vector *to, weir_error *err)
{
    if (weir_vector_is_null(from, row)) {
        return weir_vector_append_nulls(to, 1, err);
    }
    if (weir_sql_type_equal(from->type, to->type, true)) {
        return weir_vector_append_range(to, from, row, 1, err);
    }
    if (from->layout == WEIR_LAYOUT_LIST && to->layout == WEIR_LAYOUT_LIST) {
        return cast_list(c, from, row, to, err);
    }
    if (from->layout == WEIR_LAYOUT_STRUCT && to->layout == WEIR_LAYOUT_STRUCT) {
        return cast_row(c, from, row, to, err);
    }
    if (from->layout == WEIR_LAYOUT_LIST || from->layout == WEIR_LAYOUT_STRUCT) {
        weir_buffer_clear(&c->text);
        weir_value_to_text(from, row, &c->text);
        size_t length = (size_t)to->type->precision;
        size_t size = to->type->precision == WEIR_MAX_LENGTH ? c->text.size
                                                             : weir_utf8_prefix(weir_buffer_slice(&c->text), length);
        return weir_vector_append_raw(to, c->text.data, size, err);
    }
    return cast_scalar(c, from, row, to, err);
}

/* A row at a time into `one`, so that a failure leaves nothing behind. */
static int run(const weir_kernel_call *call, const weir_vector *arguments, weir_vector *out, bool try_cast,
               weir_error *err)
{
    casting c = {.zone = call->option};
    weir_vector one;
    int code = WEIR_OK;
    weir_vector_init(&one, call->type);
    for (int64_t row = 0; row < call->length && code == WEIR_OK; row++) {
        weir_arena_init(&c.arena);
        weir_vector_clear(&one);
        code = cast_value(&c, &arguments[0], row, &one, try_cast ? NULL : err);
        if (code == WEIR_OK) {
            code = weir_vector_append_range(out, &one, 0, 1, err);
        } else if (try_cast) {
            code = weir_vector_append_nulls(out, 1, err);
        }
        weir_arena_free(&c.arena);
    }
    weir_buffer_free(&c.text);
    weir_vector_free(&one);
    return code;
}

static int cast_strict(const weir_kernel_call *call, const weir_vector *arguments, weir_vector *out, weir_error *err)
{
    return run(call, arguments, out, false, err);
}

static int cast_lenient(const weir_kernel_call *call, const weir_vector *arguments, weir_vector *out, weir_error *err)
{
    return run(call, arguments, out, true, err);
}

const weir_kernel weir_kernel_cast_nested = {.name = "cast_nested", .nested = cast_strict, .sees_nulls = true};
const weir_kernel weir_kernel_try_cast_nested = {.name = "try_cast_nested", .nested = cast_lenient, .sees_nulls = true};
