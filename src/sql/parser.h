/* Text to statements.
 *
 * The parser knows Flink's grammar and no names: it accepts all of it that the AST can hold, and later stages say what
 * is not offered yet. Errors are WEIR_INVALID with line and column; they name what was found, what was expected, and
 * the keyword that was probably meant. Threading: no shared state. */
#ifndef WEIR_SQL_PARSER_H
#define WEIR_SQL_PARSER_H

#include "base/base.h"
#include "sql/ast.h"

/* Walks through a script statement by statement, so that each one can run before the next is read (SET and CREATE
 * change what follows). Positions count from the beginning of the whole text. */
typedef struct weir_script {
    const char *text; /* borrowed */
    size_t size;
    size_t offset; /* where the next statement is looked for */
    int32_t line;  /* of `offset` */
    int32_t column;
} weir_script;

void weir_script_init(weir_script *script, const char *text, size_t size);

/* The next statement, in `arena`; WEIR_END when only blanks and comments are left. After an error in a statement the
 * script stands after its semicolon, so that a shell can go on. */
int weir_script_next(weir_script *script, weir_arena *arena, weir_ast_statement **out, weir_error *err);

/* Whether the text ends inside of a statement, a string or a comment, so that a shell should ask for more lines.
 * Blanks and comments alone are complete. */
bool weir_script_incomplete(const char *text, size_t size);

/* Exactly one statement (a semicolon may follow). */
int weir_parse_statement(const char *text, weir_arena *arena, weir_ast_statement **out, weir_error *err);

/* One expression alone, such as that of a computed column; one query alone, such as that of a view. */
int weir_parse_expression(const char *text, weir_arena *arena, weir_ast_expression **out, weir_error *err);
int weir_parse_query(const char *text, weir_arena *arena, weir_ast_query **out, weir_error *err);

/* One type, with position errors; also INTERVAL types (type.h), unlike weir_type_parse. */
int weir_parse_type(const char *text, weir_arena *arena, const weir_type **out, weir_error *err);

/* Appends the message; where the error has a position also the line of `text` that it points at, with a caret:
 *
 *   line 3, column 8: unknown column 'amuont'; did you mean 'amount'?
 *     SELECT amuont FROM orders
 *            ^
 */
void weir_sql_render_error(const char *text, size_t size, const weir_error *err, weir_buffer *out);

/* Appends `text`, of one or more statements, right or wrong, with what stands for a password, secret key or token in
 * its options hidden. `keeps_places`: a star for each character, so that lines and columns stay; otherwise "******". */
void weir_sql_append_without_secrets(weir_slice text, bool keeps_places, weir_buffer *out);

/* Whether an option's value is a secret. */
bool weir_sql_is_secret_key(weir_slice key);

/* The keywords of the dialect, upper case, for completion. */
size_t weir_sql_keyword_count(void);
const char *weir_sql_keyword(size_t index);

/* Appends a name as it must be written: in backquotes when it is a reserved word or no plain identifier. */
void weir_sql_quote_name(const char *name, weir_buffer *out);

/* Appends 'text' as a string literal. */
void weir_sql_quote_string(const char *text, weir_buffer *out);

#endif
