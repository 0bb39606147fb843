/* What people paste from documents, web pages and other languages in place of SQL's own characters. */
#ifndef WEIR_SQL_PARSE_PASTED_H
#define WEIR_SQL_PARSE_PASTED_H

#include "base/buffer.h"
#include "sql/parse/lexer.h"

typedef enum weir_lookalike_kind {
    WEIR_LOOKALIKE_QUOTE,    /* begins or ends a string */
    WEIR_LOOKALIKE_OPERATOR, /* stands for `plain` */
    WEIR_LOOKALIKE_DASH,     /* a minus sign before an operand; behind one and before a blank it may mean both */
    WEIR_LOOKALIKE_WRONG
} weir_lookalike_kind;

/* A character that looks like one of SQL's. What can mean one thing only is taken for it; the rest is explained. */
typedef struct weir_lookalike {
    const char *text;
    weir_lookalike_kind kind;
    weir_token_kind plain;
    const char *message; /* NULL: understood */
} weir_lookalike;

/* An operator that SQL does not have, and what to write for it. */
typedef struct weir_foreign_operator {
    const char *text;
    const char *message;
} weir_foreign_operator;

/* What `text` begins with: bytes of a blank of typesetting or of what takes no place (0: none), a character that looks
 * like one of SQL's, or an operator of another language (NULL: none). */
size_t weir_pasted_blank(weir_slice text);
const weir_lookalike *weir_pasted_lookalike(weir_slice text);
const weir_foreign_operator *weir_pasted_operator(weir_slice text);

#endif
