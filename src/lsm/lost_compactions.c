/* Dropping compactions whose files are gone. */
#include "base/log.h"
#include "lsm/bucket_writer.h"

#define MOST_IN_A_ROW 5

int weir_lost_compactions_take(weir_lost_compactions *lost, int code, const char *bucket_path, weir_error *err)
{
    if (code == WEIR_OK) {
        lost->count = 0;
        return WEIR_OK;
    }
    if (code != WEIR_NOT_FOUND || !lost->may_drop || lost->count == MOST_IN_A_ROW) {
        return weir_error_context(err, code, "compacting %s", bucket_path);
    }
    lost->count++;
    lost->is_outdated = true;
    weir_log(WEIR_LOG_INFO, "%s: a compaction was dropped, for others have compacted its files: %s", bucket_path,
             err != NULL ? err->message : "they are gone");
    weir_error_clear(err);
    return WEIR_OK;
}
