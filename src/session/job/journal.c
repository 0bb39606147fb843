/* The journal of a script: reading it line by line, and appending synced lines. */
#include "session/job/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"
#include "fs/fs.h"

struct weir_journal {
    char *path;
    int file;         /* -1: not opened for writing yet */
    bool starts_over; /* what is in the file is of an earlier run that was through */
    weir_arena arena;
    weir_journal_entry *entries;
    size_t count;
    size_t capacity;
};

/* ---- entries ---- */

static weir_journal_entry *find(const weir_journal *journal, int64_t statement)
{
    for (size_t i = 0; i < journal->count; i++) {
        if (journal->entries[i].statement == statement) {
            return &journal->entries[i];
        }
    }
    return NULL;
}

static weir_journal_entry *find_or_add(weir_journal *journal, int32_t statement)
{
    weir_journal_entry *entry = find(journal, statement);
    if (entry == NULL) {
        WEIR_GROW(journal->entries, journal->capacity, journal->count + 1);
        entry = &journal->entries[journal->count++];
        *entry = (weir_journal_entry){.statement = statement, .text = "", .user = ""};
    }
    return entry;
}

const weir_journal_entry *weir_journal_find(const weir_journal *journal, int32_t statement)
{
    return find(journal, statement);
}

bool weir_journal_is_empty(const weir_journal *journal) { return journal->count == 0; }

/* ---- reading ---- */

static int read_line(weir_journal *journal, const json_t *line, weir_error *err)
{
    const char *text = NULL, *user = NULL;
    int64_t statement = 0, rows = -1, commits = 0;
    if (json_is_true(json_object_get(line, "end"))) {
        journal->count = 0;
        journal->starts_over = true;
        return WEIR_OK;
    }
    WEIR_TRY(weir_json_get_int64(line, "statement", true, journal->path, &statement, err));
    WEIR_TRY(weir_json_get_string(line, "text", false, journal->path, &text, err));
    WEIR_TRY(weir_json_get_string(line, "user", false, journal->path, &user, err));
    WEIR_TRY(weir_json_get_int64(line, "rows", false, journal->path, &rows, err));
    WEIR_TRY(weir_json_get_int64(line, "commits", false, journal->path, &commits, err));
    if (statement < 1 || statement > INT32_MAX) {
        return weir_fail(err, WEIR_CORRUPT, "%s: a statement has the number %" PRId64, journal->path, statement);
    }
    journal->starts_over = false;
    weir_journal_entry *entry = find_or_add(journal, (int32_t)statement);
    if (text != NULL && user != NULL) {
        entry->text = weir_arena_strdup(&journal->arena, text);
        entry->user = weir_arena_strdup(&journal->arena, user);
        entry->is_done = false;
    }
    if (rows >= 0) {
        entry->is_done = true;
        entry->rows = rows;
        entry->commits = commits;
    }
    return WEIR_OK;
}

/* What follows the last line feed was cut off by a crash. */
static int read_lines(weir_journal *journal, weir_slice text, weir_error *err)
{
    const uint8_t *end;
    int number = 0;
    while (text.size > 0 && (end = memchr(text.data, '\n', text.size)) != NULL) {
        size_t size = (size_t)(end - text.data);
        json_t *line = NULL;
        int code = weir_json_parse(weir_slice_of(text.data, size), journal->path, &line, err);
        code = code == WEIR_OK ? read_line(journal, line, err) : code;
        json_decref(line);
        number++;
        if (code != WEIR_OK) {
            return weir_fail(err, code, "%s: line %d is damaged; --fresh starts over without it", journal->path,
                             number);
        }
        text = weir_slice_of(end + 1, text.size - size - 1);
    }
    return WEIR_OK;
}

int weir_journal_open(const char *path, weir_journal **out, weir_error *err)
{
    weir_journal *journal = weir_alloc_zeroed(1, sizeof *journal);
    weir_buffer text = {0};
    journal->path = weir_strdup(path);
    journal->file = -1;
    weir_arena_init(&journal->arena);
    int code = weir_fs_read_all(weir_fs_local(), path, &text, err);
    if (code == WEIR_OK) {
        code = read_lines(journal, weir_buffer_slice(&text), err);
    } else if (code == WEIR_NOT_FOUND) {
        code = WEIR_OK;
        weir_error_clear(err);
    }
    weir_buffer_free(&text);
    if (code != WEIR_OK) {
        weir_journal_close(journal);
        return code;
    }
    *out = journal;
    return WEIR_OK;
}

void weir_journal_close(weir_journal *journal)
{
    if (journal == NULL) {
        return;
    }
    if (journal->file >= 0) {
        close(journal->file);
    }
    weir_arena_free(&journal->arena);
    free(journal->entries);
    free(journal->path);
    free(journal);
}

/* ---- writing ---- */

/* Where the last whole line ends: what a crash cut off goes, and all of it when the last run was through. */
static int end_of_lines(const weir_journal *journal, off_t *out, weir_error *err)
{
    weir_buffer text = {0};
    *out = 0;
    if (journal->starts_over) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_fs_read_all(weir_fs_local(), journal->path, &text, err));
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '\n') {
            *out = (off_t)i + 1;
        }
    }
    weir_buffer_free(&text);
    return WEIR_OK;
}

/* The file survives a power loss by its name, too. */
static int sync_name(const weir_journal *journal, weir_error *err)
{
    const char *slash = strrchr(journal->path, '/');
    char *folder = slash == NULL ? weir_strdup(".") : weir_strndup(journal->path, (size_t)(slash - journal->path) + 1);
    int code = weir_fs_sync_directory(weir_fs_local(), folder, err);
    free(folder);
    return code;
}

static int open_for_writing(weir_journal *journal, weir_error *err)
{
    off_t size = 0;
    if (journal->file >= 0) {
        return WEIR_OK;
    }
    journal->file = open(journal->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (journal->file < 0) {
        return weir_fail_errno(err, errno, "the journal can't be opened", journal->path);
    }
    WEIR_TRY(end_of_lines(journal, &size, err));
    if (ftruncate(journal->file, size) != 0) {
        return weir_fail_errno(err, errno, "the journal can't be cut", journal->path);
    }
    journal->starts_over = false;
    return sync_name(journal, err);
}

/* A disk that is full takes a part; the next attempt says why. */
static bool write_whole(int file, const weir_buffer *line)
{
    for (size_t at = 0; at < line->size;) {
        ssize_t written = write(file, line->data + at, line->size - at);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        at += written > 0 ? (size_t)written : 0;
    }
    return true;
}

/* After a failure the file is opened anew, which cuts off what was written of the line. */
static int append_line(weir_journal *journal, weir_buffer *line, weir_error *err)
{
    int code = open_for_writing(journal, err);
    weir_buffer_append_byte(line, '\n');
    if (code == WEIR_OK && (!write_whole(journal->file, line) || fdatasync(journal->file) != 0)) {
        code = weir_fail_errno(err, errno, "the journal can't be written", journal->path);
    }
    if (code != WEIR_OK && journal->file >= 0) {
        close(journal->file);
        journal->file = -1;
    }
    weir_buffer_free(line);
    return code;
}

int weir_journal_begin(weir_journal *journal, int32_t statement, const char *text, const char *user, weir_error *err)
{
    weir_buffer line = {0};
    weir_buffer_append_format(&line, "{\"statement\":%d,\"text\":", (int)statement);
    weir_json_write_string(weir_slice_text(text), &line);
    weir_buffer_append_text(&line, ",\"user\":");
    weir_json_write_string(weir_slice_text(user), &line);
    weir_buffer_append_byte(&line, '}');
    WEIR_TRY(append_line(journal, &line, err));
    weir_journal_entry *entry = find_or_add(journal, statement);
    entry->text = weir_arena_strdup(&journal->arena, text);
    entry->user = weir_arena_strdup(&journal->arena, user);
    entry->is_done = false;
    return WEIR_OK;
}

int weir_journal_done(weir_journal *journal, int32_t statement, int64_t rows, int64_t commits, weir_error *err)
{
    weir_buffer line = {0};
    weir_buffer_append_format(&line, "{\"statement\":%d,\"rows\":%" PRId64 ",\"commits\":%" PRId64 "}", (int)statement,
                              rows, commits);
    WEIR_TRY(append_line(journal, &line, err));
    weir_journal_entry *entry = find_or_add(journal, statement);
    entry->is_done = true;
    entry->rows = rows;
    entry->commits = commits;
    return WEIR_OK;
}

int weir_journal_end(weir_journal *journal, weir_error *err)
{
    weir_buffer line = {0};
    weir_buffer_append_text(&line, "{\"end\":true}");
    WEIR_TRY(append_line(journal, &line, err));
    journal->count = 0;
    close(journal->file);
    journal->file = -1;
    journal->starts_over = true;
    return WEIR_OK;
}
