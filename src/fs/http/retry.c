/* The rules of repeating: pure functions, so that they can be tested without servers. */
#include "fs/http/retry.h"

#define DEFAULT_ATTEMPTS      10
#define UNKNOWN_HOST_ATTEMPTS 4
#define FIRST_PAUSE_MS        100
#define LONGEST_PAUSE_MS      8000
#define LONGEST_ASKED_MS      30000

/* Statuses of servers that have too much to do, or trouble of their own. */
static bool status_passes(int status)
{
    return status == 408 || status == 429 || status == 500 || status == 502 || status == 503 || status == 504;
}

bool weir_http_may_be_done(const weir_http_outcome *outcome)
{
    bool doubtful = outcome->end == WEIR_HTTP_ANSWERED && outcome->status >= 500;
    return outcome->end == WEIR_HTTP_INTERRUPTED || doubtful || outcome->was_resent;
}

bool weir_http_tries_again(const weir_http_outcome *outcome, bool is_idempotent, int attempts, int most_attempts)
{
    int most = most_attempts > 0 ? most_attempts : DEFAULT_ATTEMPTS;
    switch (outcome->end) {
    case WEIR_HTTP_ANSWERED:
        return status_passes(outcome->status) && is_idempotent && attempts < most;
    case WEIR_HTTP_UNREACHED:
        most = outcome->host_is_known || most < UNKNOWN_HOST_ATTEMPTS ? most : UNKNOWN_HOST_ATTEMPTS;
        return attempts < most;
    case WEIR_HTTP_INTERRUPTED:
        return is_idempotent && attempts < most;
    case WEIR_HTTP_HOPELESS:
        break;
    }
    return false;
}

int64_t weir_http_pause_ms(int attempts, int64_t retry_after_s, uint64_t random)
{
    if (retry_after_s > 0) {
        int64_t most_s = LONGEST_ASKED_MS / 1000;
        return (retry_after_s < most_s ? retry_after_s : most_s) * 1000 + (int64_t)(random % FIRST_PAUSE_MS);
    }
    int64_t longest = FIRST_PAUSE_MS;
    for (int i = 1; i < attempts && longest < LONGEST_PAUSE_MS; i++) {
        longest *= 2;
    }
    longest = longest < LONGEST_PAUSE_MS ? longest : LONGEST_PAUSE_MS;
    return longest / 4 + (int64_t)(random % (uint64_t)(longest * 3 / 4 + 1));
}
