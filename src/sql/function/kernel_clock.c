/* The clock's moment, for streams, whose queries run on: PROCTIME(), CURRENT_TIMESTAMP and their like. All rows of a
 * batch have one moment. */
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
