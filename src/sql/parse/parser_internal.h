/* What the files of the parser share: the token window, accepting and expecting, and the entry points of each part.
 *
 * Tokens are read from the lexer as far as somebody looks ahead, and kept, so that a part may go back by setting
 * `index`. */
#ifndef WEIR_SQL_PARSE_PARSER_INTERNAL_H
#define WEIR_SQL_PARSE_PARSER_INTERNAL_H

#include "sql/ast.h"
#include "sql/parse/lexer.h"

typedef struct weir_parser {
    weir_lexer lexer;
    weir_arena *arena;
    weir_token *tokens;
    size_t token_count;
    size_t token_capacity;
    size_t index;  /* of the current token */
    int32_t depth; /* of nested expressions, queries and types */
    weir_error *err;
} weir_parser;

/* The token `ahead` places after the current one. Borrowed until the next call. */
const weir_token *weir_parser_peek(weir_parser *parser, size_t ahead);
weir_token weir_parser_take(weir_parser *parser); /* the current one; moves on */

/* Whether the current token is of a kind, or a keyword, or is a keyword that another one follows. */
bool weir_parser_at(weir_parser *parser, weir_token_kind kind);
bool weir_parser_at_keyword(weir_parser *parser, weir_keyword keyword);
bool weir_parser_at_keywords(weir_parser *parser, weir_keyword first, weir_keyword second);
/* The same; where it is so, moves on behind what was asked for. */
bool weir_parser_accept(weir_parser *parser, weir_token_kind kind);
bool weir_parser_accept_keyword(weir_parser *parser, weir_keyword keyword);
bool weir_parser_accept_keywords(weir_parser *parser, weir_keyword first, weir_keyword second);
/* Accepts, or fails as weir_parser_unexpected does; `what` stands for the token in the message. */
int weir_parser_expect(weir_parser *parser, weir_token_kind kind, const char *what);
int weir_parser_expect_keyword(weir_parser *parser, weir_keyword keyword);

/* Fails at the current token: "unexpected 'x'; expected <what>", with the candidate that is spelled most alike. */
int weir_parser_unexpected(weir_parser *parser, const char *what);
int weir_parser_unexpected_of(weir_parser *parser, const char *what, const char *const *candidates, size_t count);
int weir_parser_fail(weir_parser *parser, const weir_position *position, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Bounds recursion; every enter that succeeds is followed by a leave. */
int weir_parser_enter(weir_parser *parser);
void weir_parser_leave(weir_parser *parser);

/* The place from a token on up to the last token taken. */
weir_position weir_parser_since(const weir_parser *parser, const weir_position *begin);

/* Names, strings, options (parser.c). What they give lives in the parser's arena, here and below; `what` says in
 * messages what was expected. They fail with WEIR_INVALID at the token that does not fit. */
bool weir_parser_at_name(weir_parser *parser);
int weir_parser_part(weir_parser *parser, const char *what, weir_ast_part *out);
int weir_parser_name(weir_parser *parser, const char *what, weir_ast_name *out);
int weir_parser_name_list(weir_parser *parser, const char *what, weir_ast_names *out); /* (a, b, …) */
int weir_parser_string(weir_parser *parser, const char *what, const char **out);
int weir_parser_comment(weir_parser *parser, const char **out); /* COMMENT 'text', if it is there */
int weir_parser_integer(weir_parser *parser, const char *what, int32_t *out);
int weir_parser_options(weir_parser *parser, weir_ast_options *out);   /* ('k' = 'v', …) */
int weir_parser_partition(weir_parser *parser, weir_ast_options *out); /* (k = literal, …), values as text */
int weir_parser_hints(weir_parser *parser, weir_ast_hints *out);       /* any number of hint comments */

/* The parts of statements, from the current token on: each in the file that is named after it. */
int weir_parser_type(weir_parser *parser, const weir_type **out);
bool weir_parser_interval_unit(weir_parser *parser, const char **out);
int weir_parser_interval_units(weir_parser *parser, weir_ast_interval *out);
int weir_parser_expression(weir_parser *parser, weir_ast_expression **out);
int weir_parser_expressions(weir_parser *parser, weir_ast_expressions *out); /* one or more, comma between */
int weir_parser_primary(weir_parser *parser, weir_ast_expression **out);
int weir_parser_call(weir_parser *parser, weir_ast_expression **out); /* at a function's name */
bool weir_parser_at_special_call(weir_parser *parser);
int weir_parser_window(weir_parser *parser, weir_ast_window **out);
int weir_parser_query(weir_parser *parser, weir_ast_query **out);
bool weir_parser_at_query(weir_parser *parser);
int weir_parser_from(weir_parser *parser, weir_ast_from **out);
int weir_parser_alias(weir_parser *parser, weir_ast_alias *out);
int weir_parser_sort_keys(weir_parser *parser, weir_ast_sort_keys *out);
int weir_parser_statement(weir_parser *parser, weir_ast_statement **out);
int weir_parser_create(weir_parser *parser, weir_ast_statement *out);
int weir_parser_column(weir_parser *parser, weir_ast_column *out);
int weir_parser_watermark(weir_parser *parser, weir_ast_watermark **out);
int weir_parser_primary_key(weir_parser *parser, weir_ast_names *out);
int weir_parser_alter(weir_parser *parser, weir_ast_statement *out);
int weir_parser_show(weir_parser *parser, weir_ast_statement *out);
int weir_parser_set(weir_parser *parser, weir_ast_statement *out);

/* Elements up to `close`, as arguments of `node`, whose place then ends there; and one argument more. */
int weir_parser_list(weir_parser *parser, weir_token_kind close, const char *closing, weir_ast_expression *node);
void weir_parser_append(weir_parser *parser, weir_ast_expression *node, weir_ast_expression *argument);

/* An expression without arguments, in the arena, whose place begins at a token and ends at the last one taken. */
weir_ast_expression *weir_parser_new_expression(weir_parser *parser, weir_ast_expression_kind kind,
                                                const weir_position *begin);

/* Appends one element to an array in the arena that is grown by doubling. */
void *weir_parser_grow(weir_arena *arena, void *items, int32_t count, size_t size);
#define WEIR_PARSER_APPEND(parser, items, count, value)                                                                \
    do {                                                                                                               \
        (items) = weir_parser_grow((parser)->arena, (items), (count), sizeof *(items));                                \
        (items)[(count)++] = (value);                                                                                  \
    } while (0)

#endif
