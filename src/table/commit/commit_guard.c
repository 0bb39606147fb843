/* Remembering the last commit, and looking whether it is still there. */
#include "table/commit/commit_guard.h"

void weir_commit_guard_init(weir_commit_guard *guard)
{
    *guard = (weir_commit_guard){0};
    weir_arena_init(&guard->arena);
}

void weir_commit_guard_free(weir_commit_guard *guard)
{
    weir_commit_changes_free(&guard->changes);
    weir_arena_free(&guard->arena);
    *guard = (weir_commit_guard){0};
    weir_arena_init(&guard->arena);
}

void weir_commit_guard_remember(weir_commit_guard *guard, const weir_published *published, int64_t identifier,
                                const weir_commit_changes *changes)
{
    weir_commit_guard_free(guard);
    guard->published = *published;
    guard->identifier = identifier;
    weir_commit_changes_copy(changes, &guard->arena, &guard->changes);
}

int weir_commit_guard_is_lost(const weir_commit_guard *guard, const weir_table *table, bool *out, weir_error *err)
{
    *out = false;
    if (guard->published.snapshot_id == 0) {
        return WEIR_OK;
    }
    weir_arena arena;
    weir_arena_init(&arena);
    weir_snapshot *snapshot = NULL;
    int code = weir_snapshot_read(table->context.fs, table->context.paths.root, guard->published.snapshot_id, &arena,
                                  &snapshot, err);
    if (code == WEIR_OK) {
        *out = strcmp(snapshot->delta_manifest_list, guard->published.delta_list) != 0;
    }
    weir_arena_free(&arena);
    return code == WEIR_NOT_FOUND ? WEIR_OK : code;
}
