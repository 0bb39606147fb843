/* Which attempts are repeated, and when. Used by the files of this folder. */
#ifndef WEIR_FS_HTTP_RETRY_H
#define WEIR_FS_HTTP_RETRY_H

#include <stdbool.h>
#include <stdint.h>

/* How an attempt without a final answer ended. */
typedef enum weir_http_end {
    WEIR_HTTP_ANSWERED,    /* with a status */
    WEIR_HTTP_UNREACHED,   /* no connection: the server has not seen it */
    WEIR_HTTP_INTERRUPTED, /* reset, silent or cut off: the server may have done it */
    WEIR_HTTP_HOPELESS     /* another attempt would end the same way */
} weir_http_end;

typedef struct weir_http_outcome {
    weir_http_end end;
    int status;         /* of WEIR_HTTP_ANSWERED */
    bool was_resent;    /* within the attempt */
    bool host_is_known; /* has answered before */
} weir_http_outcome;

/* Whether the server may have done what the attempt asked for, though the answer does not say so. */
bool weir_http_may_be_done(const weir_http_outcome *outcome);

/* Whether to try again, after `attempts`. A host that never answered is given up soon: its name is probably wrong. */
bool weir_http_tries_again(const weir_http_outcome *outcome, bool is_idempotent, int attempts, int most_attempts);

/* The pause after `attempts`, in milliseconds: a random part of 100 ms, 200 ms, 400 ms, … 8 s; or what the server asked
 * for (`retry_after_s`, 0: nothing), up to 30 s. `random` is any number. */
int64_t weir_http_pause_ms(int attempts, int64_t retry_after_s, uint64_t random);

#endif
