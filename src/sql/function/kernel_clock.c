/* What only streams, whose queries run on, compute row by row: the clock's moment, for PROCTIME(), CURRENT_TIMESTAMP
 * and their like (all rows of a batch have one moment), and the watermark. */
#include "base/clock.h"
#include "sql/function/kernels.h"

static int put_now(weir_kernel_call *call, weir_error *err)
{
    bool seconds = call->type->id == WEIR_BIGINT;
    int64_t now_ms = weir_now_ms();
    int64_t value = seconds ? now_ms / 1000 : now_ms * 1000;
    (void)err;
    for (int64_t row = 0; row < call->length; row++) {
        ((int64_t *)call->result)[row] = value;
    }
    return WEIR_OK;
}

const weir_kernel weir_kernel_now = {.name = "now_of_row", .run = put_now, .is_volatile = true};
const weir_kernel weir_kernel_proctime = {.name = "proctime", .run = put_now, .is_volatile = true};

/* Streams put a column in its place (stream/plan/current_watermark.h); elsewhere nobody knows of one. */
static int fail_watermark(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)call;
    (void)row;
    return weir_fail(err, WEIR_UNSUPPORTED,
                     "CURRENT_WATERMARK(time) stands in the select list or in WHERE; give it a name in a subquery");
}

const weir_kernel weir_kernel_current_watermark = {
    .name = "current_watermark", .row = fail_watermark, .sees_nulls = true, .is_volatile = true};
