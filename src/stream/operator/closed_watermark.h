/* The watermark up to which an operator has closed windows, across runs: what was late before a restart is late after
 * it, even while an input has not said again how far it is. That an input has ended is said anew in each run. */
#ifndef WEIR_STREAM_CLOSED_WATERMARK_H
#define WEIR_STREAM_CLOSED_WATERMARK_H

#include "stream/operator/operator.h"

/* `out` is WEIR_WATERMARK_NONE where nothing is kept under the uid. */
int weir_closed_watermark_restore(const weir_operator_context *context, const char *uid, int64_t *out, weir_error *err);
int weir_closed_watermark_keep(const weir_operator_context *context, const char *uid, int64_t watermark,
                               weir_error *err);

#endif
