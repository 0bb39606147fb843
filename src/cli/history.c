/* The file of past statements: line ends are written as \n and backslashes twice, so that a statement is one line. */
#include "cli/history.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/map.h"
#include "sql/parser.h"

#define MOST_STATEMENTS 1000 /* that are offered */
#define MOST_LINES      2000 /* of the file, before the oldest are dropped */
#define MOST_FILE_BYTES (16 << 20)
#define MOST_STATEMENT  65536

static char *history_path(void)
{
    const char *given = getenv("WEIR_HISTORY");
    const char *state = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");
    if (given != NULL) {
        return given[0] == '\0' ? NULL : weir_strdup(given);
    }
    if (state != NULL && state[0] == '/') {
        return weir_format("%s/weir/history", state);
    }
    return home == NULL || home[0] == '\0' ? NULL : weir_format("%s/.local/state/weir/history", home);
}

/* Makes the folders above the file, for the user alone. */
static void make_folders(const char *path)
{
    char *folder = weir_strdup(path);
    for (char *slash = strchr(folder + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(folder, 0700);
        *slash = '/';
    }
    free(folder);
}

static void encode(const char *statement, weir_buffer *out)
{
    for (const char *c = statement; *c != '\0'; c++) {
        if (*c == '\n' || *c == '\\') {
            weir_buffer_append_byte(out, '\\');
        }
        weir_buffer_append_byte(out, *c == '\n' ? 'n' : (uint8_t)*c);
    }
    weir_buffer_append_byte(out, '\n');
}

static char *decode(const char *line, size_t size)
{
    char *text = weir_alloc(size + 1);
    size_t length = 0;
    for (size_t i = 0; i < size; i++) {
        char c = line[i];
        if (c == '\\' && i + 1 < size) {
            c = line[++i] == 'n' ? '\n' : line[i];
        }
        text[length++] = c;
    }
    text[length] = '\0';
    return text;
}

/* ---- the list ---- */

static void remember(weir_past *past, char *statement)
{
    WEIR_GROW(past->statements, past->capacity, past->count + 1);
    past->statements[past->count++] = statement;
}

static void forget(weir_past *past, size_t index)
{
    free(past->statements[index]);
    memmove(past->statements + index, past->statements + index + 1,
            sizeof *past->statements * (past->count - index - 1));
    past->count--;
}

/* Takes the places of the first ones, which are freed already. */
static void drop_oldest(weir_past *past, size_t gone)
{
    if (gone > 0) {
        memmove(past->statements, past->statements + gone, sizeof *past->statements * (past->count - gone));
        past->count -= gone;
    }
}

/* Of equal statements the last one stays. */
static void drop_repeated(weir_past *past)
{
    weir_map seen = {0};
    size_t kept = past->count;
    for (size_t i = past->count; i-- > 0;) {
        weir_slice key = weir_slice_text(past->statements[i]);
        if (weir_map_get(&seen, key) != NULL) {
            free(past->statements[i]);
        } else {
            weir_map_put(&seen, key, past);
            past->statements[--kept] = past->statements[i];
        }
    }
    drop_oldest(past, kept);
    weir_map_free(&seen);
}

static void keep_newest(weir_past *past, size_t most)
{
    if (past->count > most) {
        size_t gone = past->count - most;
        for (size_t i = 0; i < gone; i++) {
            free(past->statements[i]);
        }
        drop_oldest(past, gone);
    }
}

/* ---- the file ---- */

static size_t read_lines(weir_past *past, const weir_buffer *text)
{
    size_t lines = 0;
    const char *at = (const char *)text->data;
    const char *end = at + text->size;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t size = newline == NULL ? (size_t)(end - at) : (size_t)(newline - at);
        if (size > 0 && memchr(at, '\0', size) == NULL) {
            remember(past, decode(at, size));
        }
        lines++;
        at += size + 1;
    }
    return lines;
}

static bool read_file(const char *path, weir_buffer *out)
{
    FILE *file = fopen(path, "rb");
    char piece[16384];
    size_t size;
    if (file == NULL) {
        return false;
    }
    while (out->size < MOST_FILE_BYTES && (size = fread(piece, 1, sizeof piece, file)) > 0) {
        weir_buffer_append(out, piece, size);
    }
    fclose(file);
    return true;
}

/* Replaces the file by what is remembered, so that it stays small. A failure leaves it as it was. */
static void write_file(const weir_past *past)
{
    char *temporary = weir_format("%s.%ld", past->path, (long)getpid());
    weir_buffer text = {0};
    for (size_t i = 0; i < past->count; i++) {
        encode(past->statements[i], &text);
    }
    int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file >= 0) {
        bool written = write(file, text.data, text.size) == (ssize_t)text.size;
        written = close(file) == 0 && written;
        if (!written || rename(temporary, past->path) != 0) {
            unlink(temporary);
        }
    }
    weir_buffer_free(&text);
    free(temporary);
}

void weir_past_open(weir_past *past)
{
    weir_buffer text = {0};
    *past = (weir_past){.path = history_path()};
    if (past->path == NULL) {
        return;
    }
    make_folders(past->path);
    size_t lines = read_file(past->path, &text) ? read_lines(past, &text) : 0;
    drop_repeated(past);
    keep_newest(past, MOST_STATEMENTS);
    if (lines > MOST_LINES) {
        write_file(past);
    }
    weir_buffer_free(&text);
}

void weir_past_close(weir_past *past)
{
    keep_newest(past, 0);
    free(past->statements);
    free(past->path);
    *past = (weir_past){0};
}

/* ---- adding ---- */

/* Whether the statement may hold what nobody else should read. */
static bool is_secret(const char *statement)
{
    static const char *const words[] = {"password", "secret", "access-key", "access_key", "token", "credential"};
    if (statement[0] == ' ') {
        return true;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcasestr(statement, words[i]) != NULL) {
            return true;
        }
    }
    weir_buffer shown = {0};
    weir_sql_append_without_secrets(weir_slice_text(statement), false, &shown);
    bool hides = !weir_slice_equal(weir_buffer_slice(&shown), weir_slice_text(statement));
    weir_buffer_free(&shown);
    return hides;
}

static void append_to_file(const weir_past *past, const char *statement)
{
    weir_buffer line = {0};
    int file = open(past->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file >= 0) {
        encode(statement, &line);
        /* A history that cannot be written is no reason to stop. */
        ssize_t written = write(file, line.data, line.size);
        (void)written;
        close(file);
    }
    weir_buffer_free(&line);
}

void weir_past_add(weir_past *past, const char *statement)
{
    if (strlen(statement) > MOST_STATEMENT) {
        return;
    }
    bool is_last = past->count > 0 && strcmp(past->statements[past->count - 1], statement) == 0;
    for (size_t i = 0; i < past->count; i++) {
        if (strcmp(past->statements[i], statement) == 0) {
            forget(past, i);
            break;
        }
    }
    remember(past, weir_strdup(statement));
    keep_newest(past, MOST_STATEMENTS);
    if (past->path != NULL && !is_last && !is_secret(statement)) {
        append_to_file(past, statement);
    }
}
