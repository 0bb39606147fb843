/* Text to tokens, on demand. */
#ifndef WEIR_SQL_PARSE_LEXER_H
#define WEIR_SQL_PARSE_LEXER_H

#include "base/base.h"
#include "sql/ast.h"
#include "sql/parse/keyword.h"

typedef enum weir_token_kind {
    WEIR_TOKEN_END,
    WEIR_TOKEN_ERROR,  /* the lexer's error says why */
    WEIR_TOKEN_WORD,   /* a name or keyword without quotes */
    WEIR_TOKEN_QUOTED, /* `name` */
    WEIR_TOKEN_STRING, /* 'text' and U&'text', unescaped */
    WEIR_TOKEN_BYTES,  /* x'0A', decoded */
    WEIR_TOKEN_NUMBER,
    WEIR_TOKEN_HINT, /* the opening of a hint comment; it is closed by WEIR_TOKEN_HINT_END */
    WEIR_TOKEN_HINT_END,
    WEIR_TOKEN_SEMICOLON,
    WEIR_TOKEN_LEFT_PARENTHESIS,
    WEIR_TOKEN_RIGHT_PARENTHESIS,
    WEIR_TOKEN_LEFT_BRACKET,
    WEIR_TOKEN_RIGHT_BRACKET,
    WEIR_TOKEN_COMMA,
    WEIR_TOKEN_DOT,
    WEIR_TOKEN_EQUAL,
    WEIR_TOKEN_NOT_EQUAL,
    WEIR_TOKEN_LESS,
    WEIR_TOKEN_LESS_OR_EQUAL,
    WEIR_TOKEN_GREATER,
    WEIR_TOKEN_GREATER_OR_EQUAL,
    WEIR_TOKEN_PLUS,
    WEIR_TOKEN_MINUS,
    WEIR_TOKEN_STAR,
    WEIR_TOKEN_SLASH,
    WEIR_TOKEN_PERCENT,
    WEIR_TOKEN_CONCAT,
    WEIR_TOKEN_ARROW, /* => */
    WEIR_TOKEN_COLON  /* in JSON_OBJECT alone */
} weir_token_kind;

typedef struct weir_token {
    weir_token_kind kind;
    weir_keyword keyword; /* of WORD */
    weir_position position;
    const char *text; /* NUL-terminated in the arena: the word, the unescaped text, the number as written */
    size_t text_size;
} weir_token;

typedef struct weir_lexer {
    const char *text;
    size_t size;
    size_t offset;
    int32_t line;
    int32_t column;
    weir_arena *arena;
    weir_error error;  /* of the ERROR token */
    bool unterminated; /* the error is a string, name or comment without its end */

    /* Of the token before, to tell what a typographic dash stands for. */
    bool in_statement;
    bool after_operand;
    bool after_not;
} weir_lexer;

void weir_lexer_init(weir_lexer *lexer, const char *text, size_t size, weir_arena *arena);
weir_token weir_lexer_next(weir_lexer *lexer);

/* Moves to a later offset, keeping count of lines and columns. */
void weir_lexer_advance(weir_lexer *lexer, size_t offset);

#endif
