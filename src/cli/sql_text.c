/* Pieces of SQL text. Never fails: what is not understood is a symbol. */
#include "cli/sql_text.h"

#include <ctype.h>

#include "base/alloc.h"
#include "sql/parse/keyword.h"

static bool is_word_byte(uint8_t c) { return isalnum(c) || c == '_' || c == '$' || c >= 0x80; }

/* After the closing quote, which is doubled inside; the end when it is missing. */
static size_t quoted_end(weir_slice text, size_t from, uint8_t quote, bool *out_open)
{
    for (size_t at = from + 1; at < text.size; at++) {
        if (text.data[at] != quote) {
            continue;
        }
        if (at + 1 < text.size && text.data[at + 1] == quote) {
            at++;
        } else {
            return at + 1;
        }
    }
    *out_open = true;
    return text.size;
}

static size_t comment_end(weir_slice text, size_t from, bool *out_open)
{
    if (text.data[from] == '-') {
        while (from < text.size && text.data[from] != '\n' && text.data[from] != '\r') {
            from++;
        }
        return from;
    }
    for (size_t at = from + 2; at + 1 < text.size; at++) {
        if (text.data[at] == '*' && text.data[at + 1] == '/') {
            return at + 2;
        }
    }
    *out_open = true;
    return text.size;
}

static size_t run_end(weir_slice text, size_t from, bool (*belongs)(uint8_t c))
{
    size_t at = from;
    while (at < text.size && belongs(text.data[at])) {
        at++;
    }
    return at;
}

static bool is_blank(uint8_t c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static bool is_number_byte(uint8_t c) { return isalnum(c) || c == '.' || c == '_'; }

static bool begins(weir_slice text, size_t at, const char *with)
{
    size_t size = strlen(with);
    return at + size <= text.size && memcmp(text.data + at, with, size) == 0;
}

weir_piece weir_piece_at(weir_slice text, size_t at)
{
    weir_piece piece = {.kind = WEIR_PIECE_SYMBOL, .from = at, .to = at + 1};
    uint8_t c = text.data[at];
    if (is_blank(c)) {
        piece.kind = WEIR_PIECE_BLANK;
        piece.to = run_end(text, at, is_blank);
    } else if (c == '\'' || c == '`') {
        piece.kind = c == '`' ? WEIR_PIECE_QUOTED : WEIR_PIECE_STRING;
        piece.to = quoted_end(text, at, c, &piece.is_open);
    } else if (begins(text, at, "/*+") || begins(text, at, "*/")) {
        piece.to = at + (c == '/' ? 3 : 2);
    } else if (begins(text, at, "--") || begins(text, at, "/*")) {
        piece.kind = WEIR_PIECE_COMMENT;
        piece.to = comment_end(text, at, &piece.is_open);
    } else if (isdigit(c)) {
        piece.kind = WEIR_PIECE_NUMBER;
        piece.to = run_end(text, at, is_number_byte);
    } else if (is_word_byte(c)) {
        piece.to = run_end(text, at, is_word_byte);
        bool is_keyword = weir_keyword_find((const char *)text.data + at, piece.to - at) != WEIR_KEYWORD_NONE;
        piece.kind = is_keyword ? WEIR_PIECE_KEYWORD : WEIR_PIECE_WORD;
    }
    return piece;
}

weir_piece *weir_pieces(weir_slice text, size_t *out_count)
{
    weir_piece *pieces = NULL;
    size_t count = 0, capacity = 0;
    for (size_t at = 0; at < text.size; at = pieces[count++].to) {
        WEIR_GROW(pieces, capacity, count + 1);
        pieces[count] = weir_piece_at(text, at);
    }
    *out_count = count;
    return pieces;
}

/* ---- indenting ---- */

/* Appends a run of blanks with `width` more or fewer of them after each line end. */
static void append_blanks(weir_slice blanks, int width, bool adds, weir_buffer *out)
{
    for (size_t i = 0; i < blanks.size; i++) {
        weir_buffer_append_byte(out, blanks.data[i]);
        if (blanks.data[i] != '\n') {
            continue;
        }
        if (adds) {
            weir_buffer_append_format(out, "%*s", width, "");
        }
        for (int n = 0; !adds && n < width && i + 1 < blanks.size && blanks.data[i + 1] == ' '; n++) {
            i++;
        }
    }
}

static void change_indentation(weir_slice text, int width, bool adds, weir_buffer *out)
{
    for (size_t at = 0; at < text.size;) {
        weir_piece piece = weir_piece_at(text, at);
        weir_slice bytes = weir_slice_of(text.data + piece.from, piece.to - piece.from);
        if (piece.kind == WEIR_PIECE_BLANK) {
            append_blanks(bytes, width, adds, out);
        } else {
            weir_buffer_append(out, bytes.data, bytes.size);
        }
        at = piece.to;
    }
}

void weir_text_indent(weir_slice text, int width, weir_buffer *out) { change_indentation(text, width, true, out); }

void weir_text_unindent(weir_slice text, int width, weir_buffer *out) { change_indentation(text, width, false, out); }
