/* Compacting and expiring. */
#include "api/lake_table.h"
#include "base/clock.h"
#include "table/commit/commit.h"
#include "table/maintenance/expire.h"
#include "table/write/compact.h"
#include "table/write/table_write.h"

static int compact(const weir_table *table, bool full, weir_commit_messages *messages, weir_arena *arena,
                   int64_t *out_snapshot_id, weir_error *err)
{
    char user[WEIR_UUID_SIZE];
    weir_table_commit *commit = NULL;
    weir_uuid(user);
    WEIR_TRY(weir_table_compact(table, full, NULL, arena, messages, err));
    WEIR_TRY(weir_table_commit_open(table, user, &commit, err));
    weir_committable committable = {
        .identifier = WEIR_BATCH_COMMIT_IDENTIFIER,
        .watermark = WEIR_NO_WATERMARK,
        .messages = messages,
    };
    int code = weir_table_commit_run(commit, &committable, out_snapshot_id, err);
    bool dropped = weir_table_commit_dropped_compaction(commit);
    weir_table_commit_close(commit);
    WEIR_TRY(code);
    return dropped ? weir_fail(err, WEIR_CONFLICT,
                               "%s: another writer compacted the same files meanwhile; its result stands", table->path)
                   : WEIR_OK;
}

int weir_lake_table_compact(const weir_lake_table *table, bool full, int64_t *out_snapshot_id, weir_error *err)
{
    weir_lake_table *latest = NULL;
    weir_commit_messages messages = {0};
    weir_arena arena;
    WEIR_TRY(weir_lake_table_reopen_latest(table, &latest, err));
    weir_arena_init(&arena);
    int code = compact(latest->table, full, &messages, &arena, out_snapshot_id, err);
    weir_commit_messages_free(&messages);
    weir_arena_free(&arena);
    weir_lake_table_release(latest);
    return code;
}

int weir_lake_table_expire(const weir_lake_table *table, int64_t retain_min, int64_t retain_max, int64_t older_than_ms,
                           int64_t *out_count, weir_error *err)
{
    weir_expire_options options = {
        .retain_min = retain_min,
        .retain_max = retain_max,
        .older_than_ms = older_than_ms,
    };
    int64_t expired = 0;
    WEIR_TRY(weir_table_expire(table->table, &options, &expired, err));
    if (out_count != NULL) {
        *out_count = expired;
    }
    return WEIR_OK;
}
