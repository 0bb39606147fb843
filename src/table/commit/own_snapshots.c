/* Following a table's snapshots as long as they are a writer's own. */
#include "table/commit/own_snapshots.h"

static int is_own(const weir_table *table, int64_t id, const char *user, bool rows_only, bool *out, weir_error *err)
{
    const weir_table_context *context = &table->context;
    weir_arena arena;
    weir_snapshot *snapshot = NULL;
    weir_arena_init(&arena);
    *out = false;
    int code = weir_snapshot_read(context->fs, context->paths.root, id, &arena, &snapshot, err);
    if (code == WEIR_OK) {
        bool has_rows = snapshot->commit_kind == WEIR_COMMIT_APPEND || snapshot->commit_kind == WEIR_COMMIT_OVERWRITE;
        *out = (rows_only && !has_rows) || strcmp(snapshot->commit_user, user) == 0;
    } else if (code == WEIR_NOT_FOUND) {
        weir_error_clear(err);
        code = WEIR_OK;
    }
    weir_arena_free(&arena);
    return code;
}

int weir_own_snapshots_follow(const weir_table *table, const char *user, bool rows_only, int64_t latest, int64_t *known,
                              bool *out_all, weir_error *err)
{
    bool own = latest >= *known;
    while (own && *known < latest) {
        WEIR_TRY(is_own(table, *known + 1, user, rows_only, &own, err));
        *known += own;
    }
    *out_all = own;
    return WEIR_OK;
}

int weir_own_snapshots_check_keys(const weir_table *table, const char *user, int64_t latest, int64_t *known,
                                  weir_error *err)
{
    bool all = false;
    WEIR_TRY(weir_own_snapshots_follow(table, user, true, latest, known, &all, err));
    if (all) {
        return WEIR_OK;
    }
    return weir_fail(err, WEIR_CONFLICT,
                     "%s: another job has written to the table after snapshot %" PRId64 ". A table whose primary key "
                     "lacks a partition column has one writing job at a time, for the places of its keys cannot be "
                     "shared; stop the other one and run this again",
                     table->path, *known);
}
