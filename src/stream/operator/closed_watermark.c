/* A watermark among the small things of state. */
#include "stream/operator/closed_watermark.h"

#include <stdlib.h>

#include "base/alloc.h"

int weir_closed_watermark_restore(const weir_operator_context *context, const char *uid, int64_t *out, weir_error *err)
{
    weir_buffer bytes = {0};
    char *name = weir_format("watermark.%s", uid);
    int code = weir_state_backend_get(context->state, name, &bytes, err);
    *out = code == WEIR_OK && bytes.size == 8 ? (int64_t)weir_load_le64(bytes.data) : WEIR_WATERMARK_NONE;
    weir_buffer_free(&bytes);
    free(name);
    return code == WEIR_NOT_FOUND ? WEIR_OK : code;
}

int weir_closed_watermark_keep(const weir_operator_context *context, const char *uid, int64_t watermark,
                               weir_error *err)
{
    uint8_t bytes[8];
    if (watermark == WEIR_WATERMARK_END) {
        return WEIR_OK; /* of this run: after STOP JOB … WITH DRAIN there may be another one, with more rows */
    }
    char *name = weir_format("watermark.%s", uid);
    weir_store_le64(bytes, (uint64_t)watermark);
    int code = weir_state_backend_put(context->state, name, weir_slice_of(bytes, sizeof bytes), err);
    free(name);
    return code;
}
