#include "connect/mysql/ddl.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/text.h"

typedef struct ddl_lexer {
    const char *at;
    const char *end;
    weir_buffer word; /* a name without its quotes, a keyword, a sign */
    bool is_name;     /* it had quotes */
    bool is_end;
} ddl_lexer;

typedef struct ddl_parser {
    ddl_lexer lexer;
    weir_arena *arena;
    weir_ddl *out;
    weir_ddl_table *tables;
    size_t table_count, table_capacity;
} ddl_parser;

/* ---- words ---- */

static bool starts(const ddl_lexer *lexer, const char *text)
{
    size_t size = strlen(text);
    return (size_t)(lexer->end - lexer->at) >= size && memcmp(lexer->at, text, size) == 0;
}

static void skip_to(ddl_lexer *lexer, const char *mark)
{
    while (lexer->at < lexer->end && !starts(lexer, mark)) {
        lexer->at++;
    }
    lexer->at += lexer->at < lexer->end ? strlen(mark) : 0;
}

/* Two dashes and a blank; -1 twice is none. */
static bool starts_comment(const ddl_lexer *lexer)
{
    return starts(lexer, "--") && (lexer->end - lexer->at == 2 || isspace((unsigned char)lexer->at[2]));
}

/* What is in comments for some versions only counts: they are where the server put it. */
static void skip_blanks(ddl_lexer *lexer)
{
    while (lexer->at < lexer->end) {
        if (starts(lexer, "/*!") || starts(lexer, "/*M!")) {
            lexer->at += starts(lexer, "/*M!") ? 4 : 3;
            while (lexer->at < lexer->end && isdigit((unsigned char)*lexer->at)) {
                lexer->at++;
            }
        } else if (starts(lexer, "/*")) {
            skip_to(lexer, "*/");
        } else if (starts(lexer, "*/")) {
            lexer->at += 2;
        } else if (starts_comment(lexer) || *lexer->at == '#') {
            skip_to(lexer, "\n");
        } else if (isspace((unsigned char)*lexer->at)) {
            lexer->at++;
        } else {
            return;
        }
    }
}

static bool is_word_character(char character)
{
    return isalnum((unsigned char)character) || character == '_' || character == '$' || (character & 0x80) != 0;
}

static void take_quoted(ddl_lexer *lexer)
{
    char quote = *lexer->at++;
    while (lexer->at < lexer->end) {
        if (*lexer->at == quote) {
            lexer->at++;
            if (lexer->at == lexer->end || *lexer->at != quote) {
                break;
            }
        } else if (*lexer->at == '\\' && quote != '`' && lexer->at + 1 < lexer->end) {
            lexer->at++;
        }
        weir_buffer_append_byte(&lexer->word, (uint8_t)*lexer->at++);
    }
    lexer->is_name = true;
}

static void next(ddl_lexer *lexer)
{
    weir_buffer_clear(&lexer->word);
    lexer->is_name = false;
    skip_blanks(lexer);
    lexer->is_end = lexer->at >= lexer->end;
    if (lexer->is_end) {
        return;
    }
    if (*lexer->at == '`' || *lexer->at == '"' || *lexer->at == '\'') {
        take_quoted(lexer);
    } else if (is_word_character(*lexer->at)) {
        while (lexer->at < lexer->end && is_word_character(*lexer->at)) {
            weir_buffer_append_byte(&lexer->word, (uint8_t)*lexer->at++);
        }
    } else {
        weir_buffer_append_byte(&lexer->word, (uint8_t)*lexer->at++);
    }
}

static bool is(ddl_lexer *lexer, const char *word)
{
    return !lexer->is_end && !lexer->is_name && weir_text_equal_ignore_case(weir_buffer_text(&lexer->word), word);
}

static bool is_any(ddl_lexer *lexer, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (is(lexer, *words)) {
            return true;
        }
    }
    return false;
}

/* Passes over a word if it is there. */
static bool accept(ddl_lexer *lexer, const char *word)
{
    if (!is(lexer, word)) {
        return false;
    }
    next(lexer);
    return true;
}

/* ---- statements ---- */

static void add_table(ddl_parser *parser, const char *database, const char *table)
{
    WEIR_GROW(parser->tables, parser->table_capacity, parser->table_count + 1);
    parser->tables[parser->table_count++] = (weir_ddl_table){database, table};
}

/* table, or database.table */
static void take_table(ddl_parser *parser)
{
    ddl_lexer *lexer = &parser->lexer;
    const char *database = NULL;
    const char *table = weir_arena_strdup(parser->arena, weir_buffer_text(&lexer->word));
    next(lexer);
    if (accept(lexer, ".")) {
        database = table;
        table = weir_arena_strdup(parser->arena, weir_buffer_text(&lexer->word));
        next(lexer);
    }
    add_table(parser, database, table);
}

static void accept_if_exists(ddl_lexer *lexer)
{
    if (accept(lexer, "if")) {
        accept(lexer, "not");
        accept(lexer, "exists");
    }
}

static void parse_drop(ddl_parser *parser)
{
    ddl_lexer *lexer = &parser->lexer;
    if (accept(lexer, "database") || accept(lexer, "schema")) {
        accept_if_exists(lexer);
        parser->out->kind = WEIR_DDL_DROP_DATABASE;
        add_table(parser, weir_arena_strdup(parser->arena, weir_buffer_text(&lexer->word)), NULL);
        return;
    }
    if (!accept(lexer, "table") && !accept(lexer, "tables")) {
        return; /* TEMPORARY ones, indexes, views */
    }
    accept_if_exists(lexer);
    parser->out->kind = WEIR_DDL_DROP;
    do {
        take_table(parser);
    } while (accept(lexer, ","));
}

static void parse_create(ddl_parser *parser)
{
    ddl_lexer *lexer = &parser->lexer;
    bool replaces = accept(lexer, "or") && accept(lexer, "replace");
    if (accept(lexer, "table")) {
        accept_if_exists(lexer);
        parser->out->kind = replaces ? WEIR_DDL_DROP : WEIR_DDL_CREATE;
        take_table(parser);
    }
}

/* WAIT 5, NOWAIT */
static void skip_wait(ddl_lexer *lexer)
{
    if (accept(lexer, "wait")) {
        next(lexer);
    }
    accept(lexer, "nowait");
}

static void parse_rename(ddl_parser *parser)
{
    ddl_lexer *lexer = &parser->lexer;
    if (!accept(lexer, "table") && !accept(lexer, "tables")) {
        return;
    }
    accept_if_exists(lexer);
    parser->out->kind = WEIR_DDL_RENAME;
    do {
        take_table(parser);
        skip_wait(lexer);
        accept(lexer, "to");
        take_table(parser);
    } while (accept(lexer, ",") && !lexer->is_end);
}

/* What moves rows between tables, or drops them with their partitions; and what moves columns. True: the statement was
 * one of the former. */
static bool parse_moves(ddl_parser *parser)
{
    static const char *const no_columns[] = {"index", "key",     "primary",   "foreign", "constraint",
                                             "check", "default", "partition", "system",  NULL};
    static const char *const moving[] = {"first", "after", "change", "modify", "convert", "rename", NULL};
    ddl_lexer *lexer = &parser->lexer;
    if (accept(lexer, "drop") || accept(lexer, "truncate")) {
        bool is_partition = is(lexer, "partition");
        parser->out->moves_columns = parser->out->moves_columns || !is_any(lexer, no_columns);
        parser->out->kind = is_partition ? WEIR_DDL_DROP_PARTITION : parser->out->kind;
        return is_partition;
    }
    parser->out->moves_columns = parser->out->moves_columns || is_any(lexer, moving);
    bool moves =
        (accept(lexer, "exchange") && is(lexer, "partition")) ||
        (accept(lexer, "convert") && (is(lexer, "partition") || is(lexer, "table"))) ||
        ((accept(lexer, "import") || accept(lexer, "discard")) && (is(lexer, "tablespace") || is(lexer, "partition")));
    if (!moves) {
        return false;
    }
    parser->out->kind = WEIR_DDL_EXCHANGE;
    while (!lexer->is_end) { /* … WITH TABLE u, CONVERT PARTITION p TO TABLE u, CONVERT TABLE u TO PARTITION p */
        if (accept(lexer, "table")) {
            take_table(parser);
        } else {
            next(lexer);
        }
    }
    return true;
}

/* ALTER TABLE t …, RENAME TO u; other renames name a COLUMN, an INDEX or a KEY. */
static void parse_alter(ddl_parser *parser)
{
    ddl_lexer *lexer = &parser->lexer;
    while (accept(lexer, "online") || accept(lexer, "offline") || accept(lexer, "ignore")) {
    }
    if (!accept(lexer, "table")) {
        return;
    }
    accept_if_exists(lexer);
    parser->out->kind = WEIR_DDL_ALTER;
    take_table(parser);
    skip_wait(lexer);
    while (!lexer->is_end) {
        if (parse_moves(parser)) {
            return;
        }
        if (accept(lexer, "rename")) {
            if (is(lexer, "column") || is(lexer, "index") || is(lexer, "key")) {
                continue;
            }
            if (!accept(lexer, "to")) {
                accept(lexer, "as");
            }
            parser->out->kind = WEIR_DDL_RENAME;
            take_table(parser);
            return;
        }
        next(lexer);
    }
}

/* Every name of a statement may be one of a table. */
static void parse_change(ddl_parser *parser)
{
    ddl_lexer *lexer = &parser->lexer;
    parser->out->kind = WEIR_DDL_CHANGE;
    while (!lexer->is_end && parser->table_count < 64) {
        if (lexer->is_name || is_word_character((char)lexer->word.data[0])) {
            take_table(parser);
        } else {
            next(lexer);
        }
    }
}

static void parse_statement(ddl_parser *parser)
{
    ddl_lexer *lexer = &parser->lexer;
    next(lexer);
    while (accept(lexer, "set")) { /* SET STATEMENT … FOR another */
        while (!lexer->is_end && !is(lexer, "for")) {
            next(lexer);
        }
        accept(lexer, "for");
    }
    if (accept(lexer, "begin") || is(lexer, "start")) {
        parser->out->kind = WEIR_DDL_BEGIN;
    } else if (accept(lexer, "commit")) {
        parser->out->kind = WEIR_DDL_COMMIT;
    } else if (accept(lexer, "rollback")) {
        parser->out->kind = lexer->is_end ? WEIR_DDL_COMMIT : WEIR_DDL_SAVEPOINT;
    } else if (accept(lexer, "savepoint") || accept(lexer, "release")) {
        parser->out->kind = WEIR_DDL_SAVEPOINT;
    } else if (accept(lexer, "xa")) {
        bool ends = is(lexer, "commit") || is(lexer, "rollback");
        parser->out->kind = ends ? WEIR_DDL_COMMIT : WEIR_DDL_SAVEPOINT;
    } else if (accept(lexer, "alter")) {
        parse_alter(parser);
    } else if (accept(lexer, "create")) {
        parse_create(parser);
    } else if (accept(lexer, "drop")) {
        parse_drop(parser);
    } else if (accept(lexer, "rename")) {
        parse_rename(parser);
    } else if (accept(lexer, "truncate")) {
        accept(lexer, "table");
        parser->out->kind = WEIR_DDL_TRUNCATE;
        take_table(parser);
    } else if (accept(lexer, "insert") || accept(lexer, "update") || accept(lexer, "delete") ||
               accept(lexer, "replace") || accept(lexer, "load") || accept(lexer, "with")) {
        parse_change(parser);
    }
}

void weir_ddl_parse(weir_slice statement, weir_arena *arena, weir_ddl *out)
{
    *out = (weir_ddl){.kind = WEIR_DDL_NONE};
    const char *text = (const char *)statement.data;
    ddl_parser parser = {.arena = arena, .out = out};
    if (statement.size == 0) {
        return;
    }
    parser.lexer.at = text;
    parser.lexer.end = text + statement.size;
    parse_statement(&parser);
    weir_buffer_free(&parser.lexer.word);
    if (parser.table_count > 0) {
        out->tables = weir_arena_copy(arena, parser.tables, parser.table_count * sizeof *parser.tables);
        out->table_count = parser.table_count;
    }
    free(parser.tables);
}
