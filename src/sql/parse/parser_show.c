/* SHOW and DESCRIBE; SET and RESET, quoted and in the old form without quotes. */
#include "sql/parse/parser_internal.h"

/* --- SHOW and DESCRIBE ----------------------------------------------------------------------------------------- */

static int parse_show_create(weir_parser *parser, weir_ast_show *show)
{
    static const char *const words[] = {"TABLE", "VIEW", "CATALOG"};
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_TABLE)) {
        show->kind = WEIR_AST_SHOW_CREATE_TABLE;
    } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_VIEW)) {
        show->kind = WEIR_AST_SHOW_CREATE_VIEW;
    } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_CATALOG)) {
        show->kind = WEIR_AST_SHOW_CREATE_CATALOG;
    } else {
        return weir_parser_unexpected_of(parser, "TABLE, VIEW or CATALOG", words, 3);
    }
    return weir_parser_name(parser, "its name", &show->name);
}

static int parse_show_current(weir_parser *parser, weir_ast_show *show)
{
    static const char *const words[] = {"CATALOG", "DATABASE"};
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_CATALOG)) {
        show->kind = WEIR_AST_SHOW_CURRENT_CATALOG;
        return WEIR_OK;
    }
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_DATABASE)) {
        show->kind = WEIR_AST_SHOW_CURRENT_DATABASE;
        return WEIR_OK;
    }
    return weir_parser_unexpected_of(parser, "CATALOG or DATABASE", words, 2);
}

/* [FROM|IN name] [[NOT] LIKE|ILIKE 'pattern'] */
static int parse_show_filter(weir_parser *parser, weir_ast_show *show)
{
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_FROM) || weir_parser_accept_keyword(parser, WEIR_KEYWORD_IN)) {
        WEIR_TRY(weir_parser_name(parser, "a name", &show->name));
    }
    show->negated = weir_parser_accept_keyword(parser, WEIR_KEYWORD_NOT);
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_ILIKE)) {
        show->ignore_case = true;
    } else if (!weir_parser_accept_keyword(parser, WEIR_KEYWORD_LIKE)) {
        return show->negated ? weir_parser_unexpected(parser, "LIKE after NOT") : WEIR_OK;
    }
    return weir_parser_string(parser, "the pattern as a 'string'", &show->like);
}

static int parse_show_list(weir_parser *parser, weir_ast_show *show)
{
    static const struct {
        weir_keyword keyword;
        weir_ast_show_kind kind;
    } lists[] = {
        {WEIR_KEYWORD_CATALOGS, WEIR_AST_SHOW_CATALOGS},
        {WEIR_KEYWORD_DATABASES, WEIR_AST_SHOW_DATABASES},
        {WEIR_KEYWORD_TABLES, WEIR_AST_SHOW_TABLES},
        {WEIR_KEYWORD_VIEWS, WEIR_AST_SHOW_VIEWS},
        {WEIR_KEYWORD_FUNCTIONS, WEIR_AST_SHOW_FUNCTIONS},
        {WEIR_KEYWORD_PROCEDURES, WEIR_AST_SHOW_PROCEDURES},
        {WEIR_KEYWORD_JOBS, WEIR_AST_SHOW_JOBS},
        {WEIR_KEYWORD_MODULES, WEIR_AST_SHOW_MODULES},
        {WEIR_KEYWORD_JARS, WEIR_AST_SHOW_JARS},
        {WEIR_KEYWORD_COLUMNS, WEIR_AST_SHOW_COLUMNS},
        {WEIR_KEYWORD_PARTITIONS, WEIR_AST_SHOW_PARTITIONS},
    };
    static const char *const words[] = {"CATALOGS", "DATABASES", "TABLES",  "VIEWS", "COLUMNS",   "PARTITIONS",
                                        "CREATE",   "FUNCTIONS", "CURRENT", "JOBS",  "PROCEDURES"};
    show->full = weir_parser_accept_keyword(parser, WEIR_KEYWORD_FULL);
    show->user = weir_parser_accept_keyword(parser, WEIR_KEYWORD_USER);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (!weir_parser_accept_keyword(parser, lists[i].keyword)) {
            continue;
        }
        show->kind = lists[i].kind;
        if (show->kind == WEIR_AST_SHOW_PARTITIONS) {
            WEIR_TRY(weir_parser_name(parser, "a table's name", &show->name));
            return weir_parser_accept_keyword(parser, WEIR_KEYWORD_PARTITION)
                       ? weir_parser_partition(parser, &show->partition)
                       : WEIR_OK;
        }
        if (show->kind == WEIR_AST_SHOW_COLUMNS && !weir_parser_at_keyword(parser, WEIR_KEYWORD_FROM) &&
            !weir_parser_at_keyword(parser, WEIR_KEYWORD_IN)) {
            return weir_parser_unexpected(parser, "FROM and a table's name");
        }
        return parse_show_filter(parser, show);
    }
    return weir_parser_unexpected_of(parser, "what to show, such as TABLES, DATABASES or CREATE TABLE", words,
                                     sizeof words / sizeof words[0]);
}

/* A table may be called JOB; what a job is called is a string. */
static bool at_job(weir_parser *parser)
{
    return weir_parser_at_keyword(parser, WEIR_KEYWORD_JOB) && weir_parser_peek(parser, 1)->kind == WEIR_TOKEN_STRING;
}

static int parse_describe(weir_parser *parser, weir_ast_statement *out)
{
    if (at_job(parser)) {
        out->kind = WEIR_AST_DESCRIBE_JOB;
        weir_parser_take(parser);
        return weir_parser_string(parser, "the job's id as a 'string'", &out->job.id);
    }
    out->kind = WEIR_AST_DESCRIBE;
    out->describe.object = WEIR_AST_OBJECT_TABLE;
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_CATALOG)) {
        out->describe.object = WEIR_AST_OBJECT_CATALOG;
    } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_DATABASE)) {
        out->describe.object = WEIR_AST_OBJECT_DATABASE;
    } else {
        weir_parser_accept_keyword(parser, WEIR_KEYWORD_TABLE);
    }
    out->describe.extended = weir_parser_accept_keyword(parser, WEIR_KEYWORD_EXTENDED);
    return weir_parser_name(parser, "a table's name", &out->describe.name);
}

int weir_parser_show(weir_parser *parser, weir_ast_statement *out)
{
    weir_keyword keyword = weir_parser_take(parser).keyword;
    if (keyword != WEIR_KEYWORD_SHOW) {
        return parse_describe(parser, out);
    }
    weir_ast_show *show = WEIR_NEW(parser->arena, weir_ast_show);
    out->kind = WEIR_AST_SHOW;
    out->show = show;
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_CREATE)) {
        return parse_show_create(parser, show);
    }
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_CURRENT)) {
        return parse_show_current(parser, show);
    }
    return parse_show_list(parser, show);
}

/* --- SET and RESET --------------------------------------------------------------------------------------------- */

/* Where the raw text of SET key = value ends: at the semicolon outside of quotes, or where a comment begins. */
static size_t find_raw_end(const char *text, size_t from, size_t size)
{
    bool quoted = false;
    size_t i = from;
    for (; i < size; i++) {
        bool comment = text[i] == '-' && i + 1 < size && text[i + 1] == '-' && i > from &&
                       (text[i - 1] == ' ' || text[i - 1] == '\t' || text[i - 1] == '\n');
        if (text[i] == '\'') {
            quoted = !quoted;
        } else if (!quoted && (text[i] == ';' || comment)) {
            break;
        }
    }
    return i;
}

/* The size of a typographic single quote, where the text between two offsets begins and ends with one; or 0. */
static size_t typographic_quote(const char *text, size_t from, size_t to)
{
    static const char left[] = "\xE2\x80\x98", right[] = "\xE2\x80\x99";
    size_t size = sizeof left - 1;
    bool opens =
        to - from >= 2 * size && (memcmp(text + from, left, size) == 0 || memcmp(text + from, right, size) == 0);
    return opens && memcmp(text + to - size, right, size) == 0 ? size : 0;
}

/* The text between two offsets without the blanks around it, and without quotes if it is quoted as a whole. */
static const char *take_raw(weir_parser *parser, size_t from, size_t to)
{
    const char *text = parser->lexer.text;
    while (from < to && (unsigned char)text[from] <= ' ') {
        from++;
    }
    while (to > from && (unsigned char)text[to - 1] <= ' ') {
        to--;
    }
    bool quoted = to - from >= 2 && (text[from] == '\'' || text[from] == '`') && text[to - 1] == text[from];
    size_t quote = quoted ? 1 : typographic_quote(text, from, to);
    return weir_arena_strndup(parser->arena, text + from + quote, to - from - 2 * quote);
}

/* SET key = value without quotes, as older clients took it: everything up to the semicolon is the value. */
static int parse_raw_set(weir_parser *parser, bool with_value, weir_ast_statement *out)
{
    weir_token first = *weir_parser_peek(parser, 0);
    const char *text = parser->lexer.text;
    size_t from = first.position.begin;
    size_t end = find_raw_end(text, from, parser->lexer.size);
    const char *equal = with_value ? memchr(text + from, '=', end - from) : NULL;
    size_t key_end = equal == NULL ? end : (size_t)(equal - text);
    out->set.key = take_raw(parser, from, key_end);
    out->set.key_position = first.position;
    if (equal != NULL) {
        out->set.value = take_raw(parser, key_end + 1, end);
    }
    /* The lexer goes on after the raw text, which counts as one word, whatever tokens it would have made of it. */
    parser->token_count = parser->index;
    parser->lexer.offset = from;
    parser->lexer.line = first.position.line;
    parser->lexer.column = first.position.column;
    weir_lexer_advance(&parser->lexer, key_end);
    out->set.key_position.end = (uint32_t)key_end;
    out->set.value_position =
        (weir_position){parser->lexer.line, parser->lexer.column, (uint32_t)key_end, (uint32_t)end};
    weir_lexer_advance(&parser->lexer, end);
    parser->tokens[parser->token_count] = first;
    parser->tokens[parser->token_count++].position.end = (uint32_t)end;
    parser->index++;
    bool valid = out->set.key[0] != '\0';
    for (const char *c = out->set.key; *c != '\0'; c++) {
        valid = valid && (unsigned char)*c > ' ' && *c != '\'';
    }
    if (!valid) {
        return weir_parser_fail(parser, &first.position, "SET takes 'key' = 'value'; what stands here is no key");
    }
    return WEIR_OK;
}

int weir_parser_set(weir_parser *parser, weir_ast_statement *out)
{
    bool is_set = weir_parser_take(parser).keyword == WEIR_KEYWORD_SET;
    out->kind = is_set ? WEIR_AST_SET : WEIR_AST_RESET;
    if (weir_parser_at(parser, WEIR_TOKEN_END) || weir_parser_at(parser, WEIR_TOKEN_SEMICOLON)) {
        return WEIR_OK;
    }
    if (!weir_parser_at(parser, WEIR_TOKEN_STRING)) {
        bool lexes = !weir_parser_at(parser, WEIR_TOKEN_ERROR);
        return lexes ? parse_raw_set(parser, is_set, out)
                     : weir_parser_unexpected(parser, "an option's key as a 'string'");
    }
    out->set.key_position = weir_parser_peek(parser, 0)->position;
    WEIR_TRY(weir_parser_string(parser, "an option's key as a 'string'", &out->set.key));
    if (!is_set || !weir_parser_accept(parser, WEIR_TOKEN_EQUAL)) {
        return WEIR_OK;
    }
    out->set.value_position = weir_parser_peek(parser, 0)->position;
    if (weir_parser_at(parser, WEIR_TOKEN_WORD) || weir_parser_at(parser, WEIR_TOKEN_NUMBER)) {
        out->set.value = weir_parser_take(parser).text; /* 'key' = true */
        return WEIR_OK;
    }
    return weir_parser_string(parser, "the option's value as a 'string'", &out->set.value);
}
