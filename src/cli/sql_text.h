/* Statements as they are typed: cut into pieces, whatever is wrong or missing in them. For colours, for completion and
 * for where lines may be indented; the parser has its own, exact lexer. */
#ifndef WEIR_CLI_SQL_TEXT_H
#define WEIR_CLI_SQL_TEXT_H

#include "base/buffer.h"

typedef enum weir_piece_kind {
    WEIR_PIECE_BLANK, /* line ends included */
    WEIR_PIECE_WORD,
    WEIR_PIECE_KEYWORD,
    WEIR_PIECE_QUOTED, /* `name` */
    WEIR_PIECE_STRING, /* 'text' */
    WEIR_PIECE_NUMBER,
    WEIR_PIECE_COMMENT,
    WEIR_PIECE_SYMBOL /* one byte, or the opening or the end of a hint */
} weir_piece_kind;

typedef struct weir_piece {
    weir_piece_kind kind;
    size_t from, to; /* bytes */
    bool is_open;    /* of QUOTED, STRING, COMMENT: the end is missing */
} weir_piece;

/* The piece that begins at `at`, which is where another one ended. */
weir_piece weir_piece_at(weir_slice text, size_t at);

/* All of them, malloc'd. */
weir_piece *weir_pieces(weir_slice text, size_t *out_count);

/* A text of several lines as it stands after the prompt: the lines but the first one begin with `width` blanks more,
 * except inside of strings and the like; and back again. Both append. */
void weir_text_indent(weir_slice text, int width, weir_buffer *out);
void weir_text_unindent(weir_slice text, int width, weir_buffer *out);

#endif
