/* The editor on libedit: its keys, its history, and texts of several lines. */
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/display.h"
#include "base/text.h"
#include "cli/editor_internal.h"
#include "cli/interrupt.h"
#include "cli/sql_text.h"

/* Keys of our own, for what libedit offers only as a key. */
#define KEY_ACCEPT   "\030\015" /* Ctrl-X Ctrl-M */
#define KEY_PREVIOUS "\030\020"
#define KEY_NEXT     "\030\016"
#define KEY_INITIAL  "\030\011"

#define MOST_STATEMENTS 1000

weir_editor *weir_editor_of(EditLine *line)
{
    void *editor = NULL;
    el_get(line, EL_CLIENTDATA, &editor);
    return editor;
}

weir_slice weir_editor_text(weir_editor *editor, size_t *out_cursor)
{
    const LineInfo *info = el_line(editor->line);
    *out_cursor = (size_t)(info->cursor - info->buffer);
    return weir_slice_of(info->buffer, (size_t)(info->lastchar - info->buffer));
}

/* ---- lines of the text ---- */

static int length(weir_slice text, size_t from, size_t to)
{
    return (int)weir_utf8_length(weir_slice_of(text.data + from, to - from));
}

static size_t line_begin(weir_slice text, size_t at)
{
    while (at > 0 && text.data[at - 1] != '\n') {
        at--;
    }
    return at;
}

static size_t line_end(weir_slice text, size_t at)
{
    while (at < text.size && text.data[at] != '\n') {
        at++;
    }
    return at;
}

static void move_to(weir_editor *editor, size_t to)
{
    size_t cursor;
    weir_slice text = weir_editor_text(editor, &cursor);
    el_cursor(editor->line, to < cursor ? -length(text, to, cursor) : length(text, cursor, to));
}

/* The place in the line from `begin` to `end` below or above column `column` of the screen. */
static size_t place_in_line(const weir_editor *editor, weir_slice text, size_t begin, size_t end, int column)
{
    int skipped = begin == 0 ? column - editor->prompt_width : column;
    weir_slice line = weir_slice_of(text.data + begin, end - begin);
    return begin + weir_utf8_prefix(line, skipped < 0 ? 0 : (size_t)skipped);
}

static int column_of(const weir_editor *editor, weir_slice text, size_t begin, size_t cursor)
{
    return length(text, begin, cursor) + (begin == 0 ? editor->prompt_width : 0);
}

static unsigned char line_up(EditLine *line, int key)
{
    weir_editor *editor = weir_editor_of(line);
    size_t cursor;
    (void)key;
    weir_slice text = weir_editor_text(editor, &cursor);
    size_t begin = line_begin(text, cursor);
    if (begin == 0) {
        el_push(line, KEY_PREVIOUS);
        return CC_NORM;
    }
    size_t above = line_begin(text, begin - 1);
    move_to(editor, place_in_line(editor, text, above, begin - 1, column_of(editor, text, begin, cursor)));
    return CC_REFRESH;
}

static unsigned char line_down(EditLine *line, int key)
{
    weir_editor *editor = weir_editor_of(line);
    size_t cursor;
    (void)key;
    weir_slice text = weir_editor_text(editor, &cursor);
    size_t end = line_end(text, cursor);
    if (end == text.size) {
        el_push(line, KEY_NEXT);
        return CC_NORM;
    }
    int column = column_of(editor, text, line_begin(text, cursor), cursor);
    move_to(editor, place_in_line(editor, text, end + 1, line_end(text, end + 1), column));
    return CC_REFRESH;
}

/* After the blanks that stand for the prompt; once more, the very beginning. */
static unsigned char line_home(EditLine *line, int key)
{
    weir_editor *editor = weir_editor_of(line);
    size_t cursor;
    (void)key;
    weir_slice text = weir_editor_text(editor, &cursor);
    size_t begin = line_begin(text, cursor), to = begin;
    for (int i = 0; begin > 0 && i < editor->prompt_width && to < text.size && text.data[to] == ' '; i++) {
        to++;
    }
    move_to(editor, to == cursor ? 0 : to);
    return CC_REFRESH;
}

static unsigned char line_last(EditLine *line, int key)
{
    weir_editor *editor = weir_editor_of(line);
    size_t cursor;
    (void)key;
    weir_slice text = weir_editor_text(editor, &cursor);
    size_t end = line_end(text, cursor);
    move_to(editor, end == cursor ? text.size : end);
    return CC_REFRESH;
}

/* Inside of a string the line begins without blanks, which would be part of it. */
static unsigned char insert_line(EditLine *line, int key)
{
    weir_editor *editor = weir_editor_of(line);
    size_t cursor;
    bool is_open = false;
    (void)key;
    weir_slice text = weir_editor_text(editor, &cursor);
    for (size_t at = 0; at < cursor;) {
        weir_piece piece = weir_piece_at(weir_slice_of(text.data, cursor), at);
        is_open = piece.is_open;
        at = piece.to;
    }
    char *inserted = weir_format("\n%*s", is_open ? 0 : editor->prompt_width, "");
    el_insertstr(line, inserted);
    free(inserted);
    return CC_REFRESH;
}

/* Enter: runs what is complete, and begins a new line otherwise. */
static unsigned char enter(EditLine *line, int key)
{
    weir_editor *editor = weir_editor_of(line);
    size_t cursor;
    weir_buffer whole = {0};
    weir_text_unindent(weir_editor_text(editor, &cursor), editor->prompt_width, &whole);
    const char *text = weir_buffer_text(&whole);
    bool is_complete = editor->options.is_complete(editor->options.context, text, whole.size);
    weir_buffer_free(&whole);
    if (!is_complete) {
        return insert_line(line, key);
    }
    weir_editor_paint(editor, false);
    el_push(line, KEY_ACCEPT);
    return CC_NORM;
}

/* At the beginning of a further line, goes back to the end of the one before. */
static unsigned char erase(EditLine *line, int key)
{
    weir_editor *editor = weir_editor_of(line);
    size_t cursor;
    (void)key;
    weir_slice text = weir_editor_text(editor, &cursor);
    size_t begin = line_begin(text, cursor);
    size_t blanks = begin;
    while (blanks < cursor && text.data[blanks] == ' ') {
        blanks++;
    }
    if (cursor == 0) {
        return CC_ERROR;
    }
    bool joins = begin > 0 && blanks == cursor && cursor - begin <= (size_t)editor->prompt_width;
    el_deletestr(line, joins ? (int)(cursor - begin) + 1 : 1);
    return CC_REFRESH;
}

/* ---- pasting ---- */

static bool ends_with(const weir_buffer *bytes, const char *end)
{
    size_t size = strlen(end);
    return bytes->size >= size && memcmp(bytes->data + bytes->size - size, end, size) == 0;
}

/* Line ends as line feeds, tabs as blanks, and nothing else that controls terminals. */
static void clean(weir_buffer *pasted, weir_buffer *out)
{
    for (size_t i = 0; i < pasted->size; i++) {
        uint8_t c = pasted->data[i];
        if (c == '\r') {
            bool is_pair = i + 1 < pasted->size && pasted->data[i + 1] == '\n';
            weir_buffer_append_text(out, is_pair ? "" : "\n");
        } else if (c == '\t') {
            weir_buffer_append_text(out, "    ");
        } else if (c == '\n' || (c >= 0x20 && c != 0x7f)) {
            weir_buffer_append_byte(out, c);
        }
    }
    while (out->size > 0 && out->data[out->size - 1] == '\n') { /* Enter runs it */
        out->size--;
    }
}

/* What the terminal brackets as pasted comes in as it is; nothing runs. */
static unsigned char paste(EditLine *line, int key)
{
    static const char end[] = "\033[201~";
    weir_editor *editor = weir_editor_of(line);
    weir_buffer pasted = {0}, text = {0}, indented = {0};
    uint8_t byte;
    (void)key;
    while (!ends_with(&pasted, end)) {
        if (!weir_editor_next_byte(editor, &byte)) {
            break;
        }
        weir_buffer_append_byte(&pasted, byte);
    }
    pasted.size -= ends_with(&pasted, end) ? strlen(end) : 0;
    clean(&pasted, &text);
    weir_text_indent(weir_buffer_slice(&text), editor->prompt_width, &indented);
    bool inserted = weir_utf8_valid(weir_buffer_slice(&indented)) &&
                    (indented.size == 0 || el_insertstr(line, weir_buffer_text(&indented)) == 0);
    weir_buffer_free(&pasted);
    weir_buffer_free(&text);
    weir_buffer_free(&indented);
    return inserted ? CC_REFRESH : CC_REFRESH_BEEP;
}

static unsigned char insert_initial(EditLine *line, int key)
{
    weir_editor *editor = weir_editor_of(line);
    weir_buffer indented = {0};
    (void)key;
    weir_text_indent(weir_slice_text(editor->initial), editor->prompt_width, &indented);
    el_insertstr(line, weir_buffer_text(&indented));
    weir_buffer_free(&indented);
    return CC_REFRESH;
}

/* ---- making it ---- */

typedef struct function {
    const char *name, *text;
    unsigned char (*run)(EditLine *line, int key);
} function;

static const function functions[] = {
    {"weir-enter", "Runs a complete statement or begins a line", enter},
    {"weir-insert-line", "Begins a line", insert_line},
    {"weir-up", "The line above, or the statement before", line_up},
    {"weir-down", "The line below, or the statement after", line_down},
    {"weir-home", "The beginning of the line", line_home},
    {"weir-end", "The end of the line", line_last},
    {"weir-erase", "Erases backwards", erase},
    {"weir-paste", "Takes a pasted text", paste},
    {"weir-initial", "Takes a text to begin with", insert_initial},
    {"weir-complete", "Completes the word", weir_editor_complete},
};

static const char *const bindings[][2] = {
    {"^M", "weir-enter"},
    {"^J", "weir-enter"},
    {"\\e^M", "weir-insert-line"},
    {"\\e^J", "weir-insert-line"},
    {"\\e[A", "weir-up"},
    {"\\eOA", "weir-up"},
    {"\\e[B", "weir-down"},
    {"\\eOB", "weir-down"},
    {"\\e[H", "weir-home"},
    {"\\eOH", "weir-home"},
    {"\\e[1~", "weir-home"},
    {"\\e[F", "weir-end"},
    {"\\eOF", "weir-end"},
    {"\\e[4~", "weir-end"},
    {"\\e[3~", "ed-delete-next-char"},
    {"\\e[1;5C", "em-next-word"},
    {"\\e[1;3C", "em-next-word"},
    {"\\e[1;5D", "ed-prev-word"},
    {"\\e[1;3D", "ed-prev-word"},
    {"\\e[5~", "ed-search-prev-history"},
    {"\\e[6~", "ed-search-next-history"},
    {"\\e[200~", "weir-paste"},
    {"^A", "weir-home"},
    {"^E", "weir-end"},
    {"^H", "weir-erase"},
    {"^?", "weir-erase"},
    {"^I", "weir-complete"},
    {"^R", "em-inc-search-prev"},
    {"^S", "em-inc-search-next"},
    {"^W", "ed-delete-prev-word"},
    {"^X^M", "ed-newline"},
    {"^X^P", "ed-prev-history"},
    {"^X^N", "ed-next-history"},
    {"^X^I", "weir-initial"},
};

static char *give_prompt(EditLine *line) { return (char *)weir_editor_of(line)->options.prompt; }

/* libedit decodes what is typed by the locale; texts here are UTF-8 whatever the environment says. */
static void use_utf8(void)
{
    if (setlocale(LC_CTYPE, "") == NULL || strcmp(nl_langinfo(CODESET), "UTF-8") != 0) {
        setlocale(LC_CTYPE, "C.UTF-8");
    }
}

static void set_up(weir_editor *editor)
{
    EditLine *line = editor->line;
    HistEvent event;
    history(editor->history, &event, H_SETSIZE, MOST_STATEMENTS);
    el_set(line, EL_CLIENTDATA, editor);
    el_set(line, EL_PROMPT, give_prompt);
    el_set(line, EL_EDITOR, "emacs");
    el_set(line, EL_HIST, history, editor->history);
    el_set(line, EL_GETCFN, weir_editor_read_character);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        el_set(line, EL_ADDFN, functions[i].name, functions[i].text, functions[i].run);
    }
    el_source(line, NULL); /* the user's ~/.editrc */
    for (size_t i = 0; i < sizeof bindings / sizeof *bindings; i++) {
        el_set(line, EL_BIND, bindings[i][0], bindings[i][1], NULL);
    }
    el_set(line, EL_SETTY, "-d", "-ixon", NULL); /* Ctrl-S searches */
}

bool weir_editor_open(const weir_editor_options *options, weir_editor **out)
{
    const char *terminal = getenv("TERM");
    use_utf8();
    weir_editor *editor = weir_alloc_zeroed(1, sizeof *editor);
    editor->options = *options;
    editor->prompt_width = weir_display_width(weir_slice_text(options->prompt));
    editor->paints = terminal != NULL && strcmp(terminal, "dumb") != 0 && terminal[0] != '\0';
    editor->history = history_init();
    editor->line = el_init("weir", stdin, stdout, stderr);
    if (editor->history == NULL || editor->line == NULL) {
        weir_editor_close(editor);
        return false;
    }
    set_up(editor);
    weir_editor_measure(editor);
    weir_editor_watch_signals();
    *out = editor;
    return true;
}

void weir_editor_close(weir_editor *editor)
{
    if (editor->history != NULL) {
        history_end(editor->history);
    }
    if (editor->line != NULL) {
        el_end(editor->line);
    }
    free(editor);
}

/* ---- using it ---- */

static void bracket_pastes(const weir_editor *editor, bool on)
{
    if (editor->paints) {
        fputs(on ? "\033[?2004h" : "\033[?2004l", stdout);
        fflush(stdout);
    }
}

weir_editor_event weir_editor_read(weir_editor *editor, const char *initial, weir_buffer *out)
{
    int size = 0;
    editor->was_interrupted = false;
    editor->initial = initial;
    if (initial != NULL) {
        el_push(editor->line, KEY_INITIAL);
    }
    weir_editor_measure(editor);
    el_resize(editor->line);
    bracket_pastes(editor, true);
    el_set(editor->line, EL_PREP_TERM, 1); /* before the prompt is there, so that nothing typed at it is echoed */
    weir_interrupt_begin_prompt();
    const char *line = el_gets(editor->line, &size);
    weir_interrupt_end_prompt();
    if (editor->was_interrupted) {
        weir_editor_leave_text(editor);
        el_reset(editor->line);
    }
    bracket_pastes(editor, false);
    weir_buffer_clear(out);
    if (editor->was_interrupted) {
        return WEIR_EDITOR_INTERRUPTED;
    }
    if (line == NULL || size <= 0) {
        fputc('\n', stdout);
        return WEIR_EDITOR_END;
    }
    weir_text_unindent(weir_slice_of(line, strlen(line)), editor->prompt_width, out);
    return WEIR_EDITOR_TEXT;
}

/* Drops an equal one, so that each is offered once. */
static void forget(weir_editor *editor, const char *text)
{
    HistEvent event;
    for (int found = history(editor->history, &event, H_FIRST); found >= 0;
         found = history(editor->history, &event, H_NEXT)) {
        if (strcmp(event.str, text) == 0) {
            if (history(editor->history, &event, H_DEL, event.num) >= 0) {
                free((void *)event.str); /* a copy of what was deleted */
            }
            return;
        }
    }
}

void weir_editor_remember(weir_editor *editor, const char *text)
{
    HistEvent event;
    weir_buffer indented = {0};
    weir_text_indent(weir_slice_text(text), editor->prompt_width, &indented);
    const char *shown = weir_buffer_text(&indented);
    forget(editor, shown);
    history(editor->history, &event, H_ENTER, shown);
    weir_buffer_free(&indented);
}
