/* Making, removing and forwarding branches. */
#include "table/maintenance/branch.h"

#include <stdlib.h>

#include "base/text.h"

typedef struct branching {
    const weir_table *table;
    weir_fs *fs;
    weir_arena arena;
    const char *name;
    const char *root; /* of the branch */
} branching;

static void begin(branching *self, const weir_table *table, const char *name)
{
    *self = (branching){.table = table, .fs = table->context.fs, .name = name};
    weir_arena_init(&self->arena);
    self->root = weir_arena_format(&self->arena, "%s/branch/branch-%s", table->path, name);
}

static int check_name(const char *name, weir_error *err)
{
    int64_t number;
    if (strcmp(name, "main") == 0) {
        return weir_fail(err, WEIR_INVALID, "'main' is the branch that a table begins with; choose another name");
    }
    if (name[strspn(name, " \t")] == '\0' || strchr(name, '/') != NULL || strchr(name, '$') != NULL) {
        return weir_fail(err, WEIR_INVALID, "'%s' cannot be a branch's name: it must not be blank or hold '/' or '$'",
                         name);
    }
    if (weir_parse_int64(weir_slice_text(name), &number)) {
        return weir_fail(err, WEIR_INVALID, "'%s' cannot be a branch's name: it is a number", name);
    }
    return WEIR_OK;
}

static int check_exists(branching *self, weir_error *err)
{
    const char **names = NULL;
    size_t count = 0;
    WEIR_TRY(weir_branch_list(self->fs, self->table->path, &self->arena, &names, &count, err));
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], self->name) == 0) {
            return WEIR_OK;
        }
    }
    const char *near = weir_suggest(self->name, names, count);
    return weir_fail(err, WEIR_NOT_FOUND, "%s has no branch '%s'%s%s%s", self->table->path, self->name,
                     near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int has_content(branching *self, const char *path, weir_slice content, bool *out, weir_error *err)
{
    weir_buffer text = {0};
    int code = weir_fs_read_all(self->fs, path, &text, err);
    *out = code == WEIR_OK && weir_slice_equal(weir_buffer_slice(&text), content);
    weir_buffer_free(&text);
    if (code == WEIR_NOT_FOUND) {
        weir_error_clear(err);
        code = WEIR_OK;
    }
    return code;
}

/* Copies a file; it appears at once. With `replace`, over what is there; but what is the same already stays, so that a
 * table is never without its schema. */
static int copy_file(branching *self, const char *from, const char *to, bool replace, weir_error *err)
{
    weir_buffer text = {0};
    bool is_same = false;
    int code;
    WEIR_GO(weir_fs_read_all(self->fs, from, &text, err));
    if (replace) {
        WEIR_GO(has_content(self, to, weir_buffer_slice(&text), &is_same, err));
    }
    if (is_same) {
        goto done;
    }
    if (replace) {
        WEIR_GO(weir_fs_remove(self->fs, to, err));
    }
    WEIR_GO(weir_fs_publish(self->fs, to, weir_buffer_slice(&text), err));
done:
    weir_buffer_free(&text);
    return code;
}

/* ---- create ---- */

static int copy_schemas(branching *self, int64_t last, weir_error *err)
{
    for (int64_t id = 0; id <= last; id++) {
        const char *from = weir_arena_format(&self->arena, "%s/schema/schema-%" PRId64, self->table->path, id);
        const char *to = weir_arena_format(&self->arena, "%s/schema/schema-%" PRId64, self->root, id);
        int code = copy_file(self, from, to, false, err);
        if (code == WEIR_NOT_FOUND) {
            weir_error_clear(err);
            continue;
        }
        WEIR_TRY(code);
    }
    return WEIR_OK;
}

/* The schemas come last: they make the folder a branch that can be opened. */
static int create_from_tag(branching *self, const char *tag, weir_error *err)
{
    weir_snapshot *snapshot = NULL;
    const char *from = weir_tag_path(&self->arena, self->table->path, tag);
    int code = weir_tag_read(self->fs, self->table->path, tag, &self->arena, &snapshot, err);
    if (code == WEIR_NOT_FOUND) {
        const char **names = NULL;
        size_t count = 0;
        WEIR_TRY(weir_tag_list(self->fs, self->table->path, &self->arena, &names, &count, err));
        const char *near = weir_suggest(tag, names, count);
        return weir_fail(err, WEIR_NOT_FOUND, "%s has no tag '%s' to begin a branch at%s%s%s", self->table->path, tag,
                         near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    WEIR_TRY(code);
    WEIR_TRY(copy_file(self, from, weir_tag_path(&self->arena, self->root, tag), false, err));
    WEIR_TRY(weir_snapshot_publish(self->fs, self->root, snapshot, err));
    return copy_schemas(self, snapshot->schema_id, err);
}

int weir_table_create_branch(const weir_table *table, const char *name, const char *tag, weir_error *err)
{
    branching self;
    bool exists = false;
    int code;
    begin(&self, table, name);
    WEIR_GO(check_name(name, err));
    WEIR_GO(weir_fs_exists(self.fs, self.root, &exists, err));
    if (exists) {
        code = weir_fail(err, WEIR_EXISTS, "%s has a branch '%s' already", table->path, name);
        goto done;
    }
    code = tag != NULL ? create_from_tag(&self, tag, err) : copy_schemas(&self, table->latest_schema_id, err);
    if (code != WEIR_OK) {
        weir_fs_remove_recursively(self.fs, self.root, NULL); /* half of a branch would be in the way */
    }
done:
    weir_arena_free(&self.arena);
    return code;
}

/* ---- delete ---- */

int weir_table_delete_branch(const weir_table *table, const char *name, weir_error *err)
{
    branching self;
    int code;
    begin(&self, table, name);
    WEIR_GO(check_exists(&self, err));
    WEIR_GO(weir_fs_remove_recursively(self.fs, self.root, err));
done:
    weir_arena_free(&self.arena);
    return code;
}

/* ---- fast forward ---- */

/* Removes <prefix><id> with id >= first, the greatest first: what is left in between is an older state. */
static int remove_from(branching *self, const char *folder, const char *prefix, int64_t first, weir_error *err)
{
    weir_file_info *files = NULL;
    size_t count = 0;
    int64_t id, greatest;
    const char *path = weir_arena_format(&self->arena, "%s/%s", self->table->path, folder);
    WEIR_TRY(weir_fs_list(self->fs, path, &self->arena, &files, &count, err));
    do {
        const char *name = NULL;
        greatest = -1;
        for (size_t i = 0; i < count; i++) {
            if (files[i].name != NULL && strncmp(files[i].name, prefix, strlen(prefix)) == 0 &&
                weir_parse_int64(weir_slice_text(files[i].name + strlen(prefix)), &id) && id >= first &&
                id > greatest) {
                greatest = id;
                name = files[i].name;
            }
        }
        for (size_t i = 0; i < count && name != NULL; i++) {
            files[i].name = files[i].name == name ? NULL : files[i].name;
        }
        if (name != NULL) {
            WEIR_TRY(weir_fs_remove(self->fs, weir_arena_format(&self->arena, "%s/%s", path, name), err));
        }
    } while (greatest >= 0);
    /* What goes must not be back after a power loss, among what has come in its place. */
    return weir_fs_sync_directory(self->fs, path, err);
}

static int remove_tags_from(branching *self, int64_t first, weir_error *err)
{
    const char *root = self->table->path;
    const char **names = NULL;
    size_t count = 0;
    WEIR_TRY(weir_tag_list(self->fs, root, &self->arena, &names, &count, err));
    for (size_t i = 0; i < count; i++) {
        weir_snapshot *tagged = NULL;
        WEIR_TRY(weir_tag_read(self->fs, root, names[i], &self->arena, &tagged, err));
        if (tagged->id >= first) {
            WEIR_TRY(weir_fs_remove(self->fs, weir_tag_path(&self->arena, root, names[i]), err));
        }
    }
    return WEIR_OK;
}

/* The files of a folder of the branch, to where the table has them. */
static int copy_folder(branching *self, const char *folder, const char *prefix, weir_error *err)
{
    weir_file_info *files = NULL;
    size_t count = 0;
    const char *from = weir_arena_format(&self->arena, "%s/%s", self->root, folder);
    WEIR_TRY(weir_fs_list(self->fs, from, &self->arena, &files, &count, err));
    for (size_t i = 0; i < count; i++) {
        if (strncmp(files[i].name, prefix, strlen(prefix)) == 0) {
            const char *path = weir_arena_format(&self->arena, "%s/%s", from, files[i].name);
            const char *to = weir_arena_format(&self->arena, "%s/%s/%s", self->table->path, folder, files[i].name);
            WEIR_TRY(copy_file(self, path, to, true, err));
        }
    }
    return WEIR_OK;
}

/* Schemas come before the snapshots that name them. */
static int fast_forward(branching *self, weir_error *err)
{
    const char *root = self->table->path;
    weir_snapshot *first = NULL;
    int64_t first_id = 0, latest = 0;
    WEIR_TRY(check_exists(self, err));
    WEIR_TRY(weir_snapshot_earliest_id(self->fs, self->root, &first_id, err));
    WEIR_TRY(weir_snapshot_latest_id(self->fs, self->root, &latest, err));
    if (first_id == 0) {
        return weir_fail(err, WEIR_INVALID, "branch '%s' of %s has no snapshot, so there is nothing to go forward to",
                         self->name, root);
    }
    WEIR_TRY(weir_snapshot_read(self->fs, self->root, first_id, &self->arena, &first, err));
    /* Without hints the folder tells which snapshots there are, while and after they are exchanged. */
    WEIR_TRY(weir_fs_remove(self->fs, weir_arena_format(&self->arena, "%s/snapshot/LATEST", root), err));
    WEIR_TRY(weir_fs_remove(self->fs, weir_arena_format(&self->arena, "%s/snapshot/EARLIEST", root), err));
    /* An expiry that was stopped would take these ids up again, which stand for other snapshots from now on. */
    WEIR_TRY(remove_from(self, "snapshot", "expired-", first_id, err));
    WEIR_TRY(remove_from(self, "snapshot", "snapshot-", first_id, err));
    WEIR_TRY(remove_tags_from(self, first_id, err));
    WEIR_TRY(remove_from(self, "schema", "schema-", first->schema_id + 1, err));
    WEIR_TRY(copy_folder(self, "schema", "schema-", err));
    WEIR_TRY(copy_folder(self, "snapshot", "snapshot-", err));
    WEIR_TRY(copy_folder(self, "tag", "tag-", err));
    return weir_snapshot_write_hint(self->fs, root, "LATEST", latest, err);
}

int weir_table_fast_forward(const weir_table *table, const char *name, weir_error *err)
{
    branching self;
    begin(&self, table, name);
    int code = fast_forward(&self, err);
    weir_arena_free(&self.arena);
    return code;
}
