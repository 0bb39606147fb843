/* The state folder of a run: its lock, and the places of jobs in it. */
#include "session/job/state_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "fs/fs.h"

static const char *const own_names[] = {"lock", "journal.jsonl", "jobs", "log"};

static const char *path_of(weir_state_folder *folder, const char *name)
{
    return weir_arena_format(&folder->arena, "%s/%s", folder->path, name);
}

/* ---- opening ---- */

static bool is_own(const char *name)
{
    bool found = false;
    for (size_t i = 0; i < sizeof own_names / sizeof *own_names; i++) {
        found = found || strcmp(name, own_names[i]) == 0;
    }
    return found;
}

/* A folder with other files is somebody's: --fresh must not empty it, nor removing it be possible. */
static int check_contents(weir_state_folder *folder, weir_error *err)
{
    weir_file_info *entries = NULL;
    size_t count = 0;
    WEIR_TRY(weir_fs_list(weir_fs_local(), folder->path, &folder->arena, &entries, &count, err));
    for (size_t i = 0; i < count; i++) {
        if (!is_own(entries[i].name)) {
            return weir_fail(err, WEIR_INVALID,
                             "'%s' can't hold the state of a run: there is '%s' in it; name an empty folder",
                             folder->path, entries[i].name);
        }
        folder->is_resumed |= strcmp(entries[i].name, "journal.jsonl") == 0 || strcmp(entries[i].name, "jobs") == 0;
    }
    return WEIR_OK;
}

static int take_lock(weir_state_folder *folder, weir_error *err)
{
    char holder[32] = "";
    const char *path = path_of(folder, "lock");
    folder->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (folder->lock < 0) {
        return weir_fail_errno(err, errno, "the lock can't be opened", path);
    }
    if (flock(folder->lock, LOCK_EX | LOCK_NB) != 0) {
        ssize_t size = read(folder->lock, holder, sizeof holder - 1);
        holder[size > 0 ? size : 0] = '\0';
        return weir_fail(err, WEIR_CONFLICT,
                         "process %s runs over the state in '%s'; wait for it, or name another folder with --state",
                         holder[0] != '\0' ? holder : "of another name", folder->path);
    }
    int size = snprintf(holder, sizeof holder, "%d", (int)getpid());
    if (ftruncate(folder->lock, 0) != 0 || pwrite(folder->lock, holder, (size_t)size, 0) != size) {
        return weir_fail_errno(err, errno, "the lock can't be written", path);
    }
    return WEIR_OK;
}

static int empty(weir_state_folder *folder, weir_error *err)
{
    for (size_t i = 1; i < sizeof own_names / sizeof *own_names; i++) {
        WEIR_TRY(weir_fs_remove_recursively(weir_fs_local(), path_of(folder, own_names[i]), err));
    }
    folder->is_resumed = false;
    return WEIR_OK;
}

static int open_folder(weir_state_folder *folder, const char *path, bool fresh, weir_error *err)
{
    weir_fs *fs = NULL;
    WEIR_TRY(weir_fs_open(path, NULL, &folder->arena, &fs, &folder->path, err));
    if (fs != weir_fs_local()) {
        weir_fs_close(fs);
        return weir_fail(err, WEIR_UNSUPPORTED, "'%s': the state of a run lies on the local disk", path);
    }
    WEIR_TRY(weir_fs_make_directories(fs, folder->path, err));
    WEIR_TRY(check_contents(folder, err));
    WEIR_TRY(take_lock(folder, err));
    if (fresh) {
        WEIR_TRY(empty(folder, err));
    }
    return weir_journal_open(path_of(folder, "journal.jsonl"), &folder->journal, err);
}

int weir_state_folder_open(const char *path, bool fresh, weir_state_folder **out, weir_error *err)
{
    weir_state_folder *folder = weir_alloc_zeroed(1, sizeof *folder);
    weir_arena_init(&folder->arena);
    folder->lock = -1;
    int code = open_folder(folder, path, fresh, err);
    if (code != WEIR_OK) {
        weir_journal_close(folder->journal);
        if (folder->lock >= 0) {
            close(folder->lock);
        }
        weir_arena_free(&folder->arena);
        free(folder);
        return code;
    }
    *out = folder;
    return WEIR_OK;
}

static bool has_jobs(weir_state_folder *folder)
{
    weir_file_info *entries = NULL;
    size_t count = 0;
    int code = weir_fs_list(weir_fs_local(), path_of(folder, "jobs"), &folder->arena, &entries, &count, NULL);
    return code != WEIR_OK || count > 0;
}

void weir_state_folder_close(weir_state_folder *folder)
{
    if (folder == NULL) {
        return;
    }
    if (weir_journal_is_empty(folder->journal) && !has_jobs(folder)) {
        (void)weir_fs_remove_recursively(weir_fs_local(), folder->path, NULL);
    }
    weir_journal_close(folder->journal);
    close(folder->lock);
    weir_arena_free(&folder->arena);
    free(folder);
}

/* ---- jobs ---- */

/* A name as that of a folder; what had to be changed is told apart by a hash. */
static const char *folder_name(weir_arena *arena, const char *name)
{
    char *clean = weir_arena_strndup(arena, name, strlen(name) < 64 ? strlen(name) : 64);
    bool changed = strlen(name) > 64 || name[0] == '.' || name[0] == '\0';
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (const char *at = name; *at != '\0'; at++) {
        hash = (hash ^ (uint8_t)*at) * 1099511628211u;
    }
    for (char *at = clean; *at != '\0'; at++) {
        bool is_plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') ||
                        strchr("-_.", *at) != NULL;
        changed = changed || !is_plain;
        *at = is_plain ? *at : '_';
    }
    return changed ? weir_arena_format(arena, "_%s-%08x", clean, (unsigned)(hash ^ hash >> 32)) : clean;
}

/* The id that job.json keeps. */
static int read_job(const char *path, weir_arena *arena, const char **out_id, weir_error *err)
{
    weir_buffer bytes = {0};
    json_t *document = NULL;
    int code = weir_fs_read_all(weir_fs_local(), path, &bytes, err);
    if (code == WEIR_OK) {
        code = weir_json_parse(weir_buffer_slice(&bytes), path, &document, err);
    }
    if (code == WEIR_OK) {
        *out_id = weir_arena_strdup(arena, json_string_value(json_object_get(document, "id")));
    }
    json_decref(document);
    weir_buffer_free(&bytes);
    return code;
}

/* What lies there without a job.json is left of one that was forgotten. */
static int write_job(const char *path, const char *name, const char *text, const weir_job_place *place, weir_error *err)
{
    WEIR_TRY(weir_fs_remove_recursively(weir_fs_local(), place->folder, err));
    json_t *document = json_object();
    weir_buffer bytes = {0};
    json_object_set_new(document, "name", json_string(name));
    json_object_set_new(document, "statement", json_string(text));
    json_object_set_new(document, "id", json_string(place->id));
    weir_json_write_pretty(document, &bytes);
    json_decref(document);
    int code = weir_fs_make_directories(weir_fs_local(), place->folder, err);
    if (code == WEIR_OK) {
        code = weir_fs_publish(weir_fs_local(), path, weir_buffer_slice(&bytes), err);
    }
    weir_buffer_free(&bytes);
    return code;
}

static const char *folder_of_job(weir_state_folder *folder, const char *name)
{
    return weir_arena_format(&folder->arena, "%s/jobs/%s", folder->path, folder_name(&folder->arena, name));
}

int weir_state_folder_job(weir_state_folder *folder, const char *name, const char *text, weir_job_place *out,
                          weir_error *err)
{
    bool exists = false;
    weir_job_place place = {.folder = folder_of_job(folder, name)};
    place.state_folder = weir_arena_format(&folder->arena, "%s/state", place.folder);
    const char *path = weir_arena_format(&folder->arena, "%s/job.json", place.folder);
    WEIR_TRY(weir_fs_exists(weir_fs_local(), path, &exists, err));
    if (exists) {
        WEIR_TRY(read_job(path, &folder->arena, &place.id, err));
    } else {
        char uuid[WEIR_UUID_SIZE];
        weir_uuid(uuid);
        place.id = weir_arena_strndup(&folder->arena, uuid, 8);
        WEIR_TRY(write_job(path, name, text, &place, err));
    }
    place.is_resumed = exists;
    *out = place;
    return WEIR_OK;
}

/* job.json goes first: without it the rest is of nobody. */
int weir_state_folder_forget(weir_state_folder *folder, const char *name, weir_error *err)
{
    if (name == NULL) {
        return WEIR_OK;
    }
    const char *job = folder_of_job(folder, name);
    WEIR_TRY(weir_fs_remove(weir_fs_local(), weir_arena_format(&folder->arena, "%s/job.json", job), err));
    return weir_fs_remove_recursively(weir_fs_local(), job, err);
}
