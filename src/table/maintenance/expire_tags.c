/* Choosing the tags whose files an expiry must spare.
 *
 * A file belongs to a table's state from one snapshot to another without a gap. So whatever a tag holds of the
 * snapshots that go, it is held by a tag on one of them, or else by the last tag before them; younger tags hold no more
 * of it than the first snapshot that stays. However many tags a table has, an expiry reads the manifests of a few. */
#include "table/maintenance/expire_tags.h"

#include <stdlib.h>

#include "base/clock.h"

/* A file that is younger may be written over without a change of its time. */
#define SETTLED_MS 60000

#define MOST_TRIES 5

typedef struct known_tag {
    int64_t snapshot_id;
    int64_t modified_ms;
    uint64_t size_bytes;
} known_tag;

void weir_tag_ids_free(weir_tag_ids *known)
{
    for (size_t i = 0; i < known->tags.entry_count; i++) {
        free(known->tags.entries[i].value);
    }
    weir_map_free(&known->tags);
}

static const known_tag *find_known(const weir_tag_ids *known, const weir_file_info *file)
{
    const known_tag *tag = weir_map_get(&known->tags, weir_slice_text(file->name));
    bool is_same = tag != NULL && tag->modified_ms == file->modified_ms && tag->size_bytes == file->size_bytes;
    return is_same ? tag : NULL;
}

static void remember(weir_tag_ids *known, const weir_file_info *file, int64_t snapshot_id)
{
    if (weir_now_ms() - file->modified_ms < SETTLED_MS) {
        return;
    }
    known_tag *tag = weir_map_get(&known->tags, weir_slice_text(file->name));
    if (tag == NULL) {
        tag = weir_alloc(sizeof *tag);
        weir_map_put(&known->tags, weir_slice_text(file->name), tag);
    }
    *tag = (known_tag){snapshot_id, file->modified_ms, file->size_bytes};
}

/* A tag in the folder. */
typedef struct tag_on_snapshot {
    const char *name;
    int64_t snapshot_id;
} tag_on_snapshot;

static int compare_by_snapshot(const void *a, const void *b)
{
    const tag_on_snapshot *first = a, *second = b;
    return (first->snapshot_id > second->snapshot_id) - (first->snapshot_id < second->snapshot_id);
}

/* All tags by the snapshots they stand for. WEIR_RETRY: one has gone meanwhile, perhaps to another name. */
static int list_tags(weir_tag_ids *known, const weir_table *table, const char *root, weir_arena *arena,
                     tag_on_snapshot **out, size_t *out_count, weir_error *err)
{
    static const char prefix[] = "tag-";
    weir_file_info *files = NULL;
    size_t file_count = 0, count = 0;
    WEIR_TRY(
        weir_fs_list(table->context.fs, weir_arena_format(arena, "%s/tag", root), arena, &files, &file_count, err));
    tag_on_snapshot *tags = WEIR_NEW_ARRAY(arena, tag_on_snapshot, file_count);
    for (size_t i = 0; i < file_count; i++) {
        if (strncmp(files[i].name, prefix, sizeof prefix - 1) != 0) {
            continue;
        }
        tag_on_snapshot *tag = &tags[count];
        tag->name = files[i].name + sizeof prefix - 1;
        const known_tag *seen = find_known(known, &files[i]);
        if (seen != NULL) {
            tag->snapshot_id = seen->snapshot_id;
            count++;
            continue;
        }
        weir_snapshot *snapshot = NULL;
        int code = weir_tag_read(table->context.fs, root, tag->name, arena, &snapshot, err);
        if (code == WEIR_NOT_FOUND) {
            return weir_fail(err, WEIR_RETRY, "%s: tag '%s' has gone while snapshots were expired", root, tag->name);
        }
        WEIR_TRY(code);
        tag->snapshot_id = snapshot->id;
        remember(known, &files[i], snapshot->id);
        count++;
    }
    if (count > 1) {
        qsort(tags, count, sizeof *tags, compare_by_snapshot);
    }
    *out = tags;
    *out_count = count;
    return WEIR_OK;
}

/* WEIR_RETRY: a tag that matters has gone or been moved meanwhile; another one may matter now. */
static int choose_tags(weir_tag_ids *known, const weir_table *table, const char *root, int64_t first, int64_t end,
                       weir_arena *arena, weir_snapshot ***out, size_t *out_count, weir_error *err)
{
    tag_on_snapshot *tags = NULL;
    size_t count = 0, chosen = 0;
    WEIR_TRY(list_tags(known, table, root, arena, &tags, &count, err));
    weir_snapshot **snapshots = WEIR_NEW_ARRAY(arena, weir_snapshot *, count);
    for (size_t i = 0; i < count && tags[i].snapshot_id < end; i++) {
        int64_t next = i + 1 < count ? tags[i + 1].snapshot_id : INT64_MAX;
        bool is_last_before = tags[i].snapshot_id < first && next >= first;
        bool is_last_of_its_snapshot = tags[i].snapshot_id >= first && next > tags[i].snapshot_id;
        if (!is_last_before && !is_last_of_its_snapshot) {
            continue;
        }
        int code = weir_tag_read(table->context.fs, root, tags[i].name, arena, &snapshots[chosen], err);
        if (code == WEIR_NOT_FOUND || (code == WEIR_OK && snapshots[chosen]->id != tags[i].snapshot_id)) {
            weir_tag_ids_free(known);
            return weir_fail(err, WEIR_RETRY, "%s: tag '%s' has changed while snapshots were expired", root,
                             tags[i].name);
        }
        WEIR_TRY(code);
        chosen++;
    }
    *out = snapshots;
    *out_count = chosen;
    return WEIR_OK;
}

int weir_tags_of_expiry(weir_tag_ids *known, const weir_table *table, const char *root, int64_t first, int64_t end,
                        weir_arena *arena, weir_snapshot ***out, size_t *out_count, weir_error *err)
{
    int code = WEIR_RETRY;
    for (int tries = 0; tries < MOST_TRIES && code == WEIR_RETRY; tries++) {
        code = choose_tags(known, table, root, first, end, arena, out, out_count, err);
    }
    return code;
}
