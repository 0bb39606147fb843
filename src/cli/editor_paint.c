/* Colours and prompts of further lines.
 *
 * libedit knows plain text after one prompt. Before each wait for a key it has drawn that; the same characters are
 * then drawn over it in colours, the blanks at the beginning of further lines as their prompt. Nothing moves by that,
 * so libedit's picture of the screen stays right. Where the text can't be followed (characters without a place of their
 * own, more lines than the screen), it stays as libedit drew it. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <wchar.h>

#include "cli/editor_internal.h"
#include "cli/sql_text.h"

#define PLAIN "\033[0m"

typedef struct place {
    int row, column;
} place;

static const char *color_of(weir_piece_kind kind)
{
    static const char *const colors[] = {
        [WEIR_PIECE_KEYWORD] = "\033[1;34m", [WEIR_PIECE_QUOTED] = "\033[36m",  [WEIR_PIECE_STRING] = "\033[32m",
        [WEIR_PIECE_NUMBER] = "\033[35m",    [WEIR_PIECE_COMMENT] = "\033[90m", [WEIR_PIECE_SYMBOL] = NULL,
    };
    return colors[kind];
}

/* ---- where characters are ---- */

/* The character at `at`; 0: it is none. */
static size_t decode(weir_slice text, size_t at, wchar_t *out)
{
    mbstate_t state = {0};
    size_t size = mbrtowc(out, (const char *)text.data + at, text.size - at, &state);
    return size == (size_t)-1 || size == (size_t)-2 || size == 0 ? 0 : size;
}

static void step(place *at, int columns)
{
    at->column++;
    if (at->column >= columns) {
        at->row++;
        at->column = 0;
    }
}

/* Moves over a character as libedit does; false: it has no place that is known. */
static bool advance(place *at, wchar_t character, int columns)
{
    if (character == L'\n') {
        at->row++;
        at->column = 0;
        return true;
    }
    if (character == L'\t') {
        do {
            step(at, columns);
        } while (at->column % 8 != 0);
        return true;
    }
    int width = wcwidth(character);
    if (width <= 0) {
        return false;
    }
    while (at->column + width > columns) {
        step(at, columns);
    }
    for (int i = 0; i < width; i++) {
        step(at, columns);
    }
    return true;
}

/* The place before byte `end` of the text; what has no place counts as one column. */
static bool find_place(const weir_editor *editor, weir_slice text, size_t end, int columns, place *out)
{
    place at = {.column = editor->prompt_width};
    bool known = true;
    for (size_t i = 0, size; i < end; i += size) {
        wchar_t character = 0;
        size = decode(text, i, &character);
        if (size == 0 || !advance(&at, character, columns)) {
            known = false;
            size = size == 0 ? 1 : size;
            step(&at, columns);
        }
    }
    *out = at;
    return known;
}

/* ---- brackets ---- */

static bool is_bracket(weir_slice text, const weir_piece *piece, const char *which)
{
    return piece->kind == WEIR_PIECE_SYMBOL && piece->to == piece->from + 1 &&
           strchr(which, text.data[piece->from]) != NULL;
}

/* The bracket at the cursor, or the one before it; false: none. */
static bool bracket_at(weir_slice text, const weir_piece *pieces, size_t count, size_t cursor, size_t *out)
{
    for (size_t i = 0; i < count; i++) {
        if ((pieces[i].to == cursor && is_bracket(text, &pieces[i], ")]")) ||
            (pieces[i].from == cursor && is_bracket(text, &pieces[i], "(["))) {
            *out = i;
            return true;
        }
    }
    return false;
}

/* The pieces of the pair of brackets at the cursor; false: there is none. */
static bool find_match(weir_slice text, const weir_piece *pieces, size_t count, size_t cursor, size_t *out_first,
                       size_t *out_second)
{
    size_t at;
    int depth = 0;
    if (!bracket_at(text, pieces, count, cursor, &at)) {
        return false;
    }
    bool forward = is_bracket(text, &pieces[at], "([");
    *out_first = at;
    for (size_t i = at; i < count; forward ? i++ : i--) { /* i-- ends by wrapping around */
        depth += is_bracket(text, &pieces[i], "([") ? 1 : is_bracket(text, &pieces[i], ")]") ? -1 : 0;
        if (depth == 0) {
            *out_second = i;
            return true;
        }
    }
    return false;
}

/* ---- drawing ---- */

typedef struct painter {
    weir_editor *editor;
    weir_slice text;
    weir_buffer out;
    place at;
} painter;

static void write_all(const weir_buffer *bytes)
{
    size_t written = 0;
    fflush(stdout);
    while (written < bytes->size) {
        ssize_t size = write(STDOUT_FILENO, bytes->data + written, bytes->size - written);
        if (size <= 0) {
            return;
        }
        written += (size_t)size;
    }
}

static void move_up(weir_buffer *out, int rows)
{
    if (rows > 0) {
        weir_buffer_append_format(out, "\033[%dA", rows);
    }
}

static void append_colored(painter *self, const char *color, const char *text)
{
    bool has_color = color != NULL && self->editor->options.has_colors;
    weir_buffer_append_text(&self->out, has_color ? color : "");
    weir_buffer_append_text(&self->out, text);
    weir_buffer_append_text(&self->out, has_color ? PLAIN : "");
}

/* The blanks that a further line begins with become its prompt. Returns how many bytes that were. */
static size_t paint_next_prompt(painter *self, size_t from)
{
    size_t width = (size_t)self->editor->prompt_width;
    for (size_t i = 0; i < width; i++) {
        if (from + i >= self->text.size || self->text.data[from + i] != ' ') {
            return 0;
        }
    }
    append_colored(self, "\033[90m", self->editor->options.next_prompt);
    self->at.column = (int)width;
    return width;
}

static void paint_character(painter *self, size_t at, size_t size, wchar_t character)
{
    place before = self->at;
    advance(&self->at, character, self->editor->columns);
    if (character == L'\n') {
        weir_buffer_append_text(&self->out, "\033[K\r\n");
        return;
    }
    if (character == L'\t') {
        for (int i = before.column; i < (before.row == self->at.row ? self->at.column : self->editor->columns); i++) {
            weir_buffer_append_byte(&self->out, ' ');
        }
    } else {
        bool is_too_wide = before.column + wcwidth(character) > self->editor->columns; /* for what is left of the row */
        weir_buffer_append_text(&self->out, is_too_wide ? "\033[K\r\n" : "");
        weir_buffer_append(&self->out, self->text.data + at, size);
    }
    if (self->at.row > before.row && self->at.column == 0) {
        weir_buffer_append_text(&self->out, "\r\n");
    }
}

static void paint_piece(painter *self, const weir_piece *piece, bool is_match)
{
    const char *color = is_match ? "\033[1;7m" : color_of(piece->kind);
    bool has_color = color != NULL && self->editor->options.has_colors;
    weir_buffer_append_text(&self->out, has_color ? color : "");
    for (size_t i = piece->from, size; i < piece->to; i += size) {
        wchar_t character = 0;
        size = decode(self->text, i, &character);
        paint_character(self, i, size, character);
        if (character == L'\n' && piece->kind == WEIR_PIECE_BLANK) {
            size += paint_next_prompt(self, i + 1);
        }
    }
    weir_buffer_append_text(&self->out, has_color ? PLAIN : "");
}

static void paint_text(painter *self, size_t cursor, bool with_match)
{
    size_t count, first = SIZE_MAX, second = SIZE_MAX;
    weir_piece *pieces = weir_pieces(self->text, &count);
    if (!with_match || !find_match(self->text, pieces, count, cursor, &first, &second)) {
        first = second = SIZE_MAX;
    }
    append_colored(self, "\033[1m", self->editor->options.prompt);
    self->at = (place){.column = self->editor->prompt_width};
    for (size_t i = 0; i < count; i++) {
        paint_piece(self, &pieces[i], i == first || i == second);
    }
    free(pieces);
}

void weir_editor_paint(weir_editor *editor, bool with_match)
{
    size_t cursor;
    place end, here;
    painter self = {.editor = editor, .text = weir_editor_text(editor, &cursor)};
    bool known = find_place(editor, self.text, self.text.size, editor->columns, &end);
    find_place(editor, self.text, cursor, editor->columns, &here);
    if (!editor->paints || !known || end.row >= editor->rows - 1) {
        return;
    }
    weir_buffer_append_text(&self.out, "\033[?25l");
    move_up(&self.out, here.row);
    weir_buffer_append_byte(&self.out, '\r');
    paint_text(&self, cursor, with_match);
    weir_buffer_append_text(&self.out, "\033[J");
    move_up(&self.out, end.row - here.row);
    weir_buffer_append_byte(&self.out, '\r');
    if (here.column > 0) {
        weir_buffer_append_format(&self.out, "\033[%dC", here.column);
    }
    weir_buffer_append_text(&self.out, "\033[?25h");
    write_all(&self.out);
    weir_buffer_free(&self.out);
}

/* ---- around the text ---- */

void weir_editor_leave_text(weir_editor *editor)
{
    size_t cursor;
    place end, here;
    weir_buffer out = {0};
    weir_slice text = weir_editor_text(editor, &cursor);
    find_place(editor, text, text.size, editor->columns, &end);
    find_place(editor, text, cursor, editor->columns, &here);
    if (end.row > here.row) {
        weir_buffer_append_format(&out, "\033[%dB", end.row - here.row);
    }
    weir_buffer_append_text(&out, "\r\n");
    write_all(&out);
    weir_buffer_free(&out);
}

/* Terminals of another width break the text's lines anew. (One that doesn't leaves a rest of it above, which is better
 * than to clear what stood before.) */
void weir_editor_clear_text(weir_editor *editor, int columns)
{
    size_t cursor;
    place here;
    weir_buffer out = {0};
    weir_slice text = weir_editor_text(editor, &cursor);
    find_place(editor, text, cursor, columns, &here);
    move_up(&out, here.row);
    weir_buffer_append_text(&out, "\r\033[J");
    write_all(&out);
    weir_buffer_free(&out);
}
