/* Where parsing begins: a script statement by statement, or one thing alone. */
#include "sql/parser.h"

#include "base/text.h"
#include "sql/parse/parser_internal.h"

static void init_parser(weir_parser *parser, const char *text, size_t size, weir_arena *arena, weir_error *err)
{
    *parser = (weir_parser){.arena = arena, .err = err};
    weir_lexer_init(&parser->lexer, text, size, arena);
}

static void free_parser(weir_parser *parser)
{
    free(parser->tokens);
    parser->tokens = NULL;
}

/* --- Scripts --------------------------------------------------------------------------------------------------- */

void weir_script_init(weir_script *script, const char *text, size_t size)
{
    *script = (weir_script){.text = text, .size = size, .line = 1, .column = 1};
}

/* The token after which the next statement begins: the semicolon that is next, outside of quotes and comments. */
static weir_token end_of_statement(weir_parser *parser)
{
    for (size_t i = parser->index;; i++) {
        while (i >= parser->token_count) {
            WEIR_GROW(parser->tokens, parser->token_capacity, parser->token_count + 1);
            parser->tokens[parser->token_count] = weir_lexer_next(&parser->lexer);
            parser->token_count++;
        }
        weir_token_kind kind = parser->tokens[i].kind;
        if (kind == WEIR_TOKEN_END || kind == WEIR_TOKEN_SEMICOLON) {
            return parser->tokens[i];
        }
    }
}

/* People misspell a clause's first word, and it then passes for an alias: "SELECT a FORM t" fails at t. */
static int fail_after_statement(weir_parser *parser)
{
    static const char *const clauses[] = {"FROM",  "WHERE", "GROUP BY", "ORDER BY", "HAVING", "LIMIT",
                                          "UNION", "JOIN",  "VALUES",   "SELECT",   "WITH",   "PARTITIONED BY"};
    static const char *const words[] = {"FROM",  "WHERE", "GROUP",  "ORDER",  "HAVING", "LIMIT",
                                        "UNION", "JOIN",  "VALUES", "SELECT", "WITH",   "PARTITIONED"};
    bool lexed = weir_parser_peek(parser, 0)->kind != WEIR_TOKEN_ERROR; /* which may move the tokens */
    const weir_token *before = parser->index > 0 ? &parser->tokens[parser->index - 1] : NULL;
    if (lexed && before != NULL && before->kind == WEIR_TOKEN_WORD && before->keyword == WEIR_KEYWORD_NONE) {
        if (weir_text_equal_ignore_case(before->text, "TOP") && weir_parser_at(parser, WEIR_TOKEN_NUMBER)) {
            return weir_parser_fail(parser, &before->position,
                                    "Flink's SQL has no TOP; write LIMIT %s at the end of the query",
                                    weir_parser_peek(parser, 0)->text);
        }
        const char *meant = weir_suggest(before->text, words, sizeof words / sizeof words[0]);
        for (size_t i = 0; meant != NULL && i < sizeof words / sizeof words[0]; i++) {
            if (words[i] == meant) {
                return weir_parser_fail(parser, &before->position, "unexpected '%s'; did you mean %s?", before->text,
                                        clauses[i]);
            }
        }
    }
    return weir_parser_unexpected_of(parser, "the end of the statement", clauses, sizeof clauses / sizeof clauses[0]);
}

static int parse_one(weir_parser *parser, weir_ast_statement **out)
{
    WEIR_TRY(weir_parser_statement(parser, out));
    if (!weir_parser_at(parser, WEIR_TOKEN_SEMICOLON) && !weir_parser_at(parser, WEIR_TOKEN_END)) {
        return fail_after_statement(parser);
    }
    return WEIR_OK;
}

int weir_script_next(weir_script *script, weir_arena *arena, weir_ast_statement **out, weir_error *err)
{
    weir_parser parser;
    init_parser(&parser, script->text, script->size, arena, err);
    parser.lexer.offset = script->offset;
    parser.lexer.line = script->line;
    parser.lexer.column = script->column;
    while (weir_parser_accept(&parser, WEIR_TOKEN_SEMICOLON)) {
    }
    int code = WEIR_END;
    if (!weir_parser_at(&parser, WEIR_TOKEN_END)) {
        code = parse_one(&parser, out);
    }
    weir_token last = end_of_statement(&parser);
    script->offset = last.position.end;
    script->line = last.position.line;
    script->column = last.position.column + (last.kind == WEIR_TOKEN_SEMICOLON);
    free_parser(&parser);
    return code;
}

bool weir_script_incomplete(const char *text, size_t size)
{
    weir_arena arena;
    weir_arena_init(&arena);
    weir_lexer lexer;
    weir_lexer_init(&lexer, text, size, &arena);
    bool in_statement = false;
    bool in_set = false; /* EXECUTE STATEMENT SET BEGIN … END */
    weir_token before = {0};
    weir_token token = weir_lexer_next(&lexer);
    while (token.kind != WEIR_TOKEN_END && !lexer.unterminated) {
        if (token.kind == WEIR_TOKEN_SEMICOLON) {
            bool ends = !in_set || before.keyword == WEIR_KEYWORD_END;
            in_set = in_set && !ends;
            in_statement = in_statement && !ends;
        } else {
            bool begins_set = (before.keyword == WEIR_KEYWORD_STATEMENT && token.keyword == WEIR_KEYWORD_SET);
            in_set = in_set || begins_set;
            in_statement = true;
        }
        before = token;
        token = weir_lexer_next(&lexer);
    }
    bool incomplete = in_statement || lexer.unterminated;
    weir_arena_free(&arena);
    return incomplete;
}

/* --- One thing alone ------------------------------------------------------------------------------------------- */

static int expect_end(weir_parser *parser)
{
    return weir_parser_at(parser, WEIR_TOKEN_END) ? WEIR_OK : weir_parser_unexpected(parser, "nothing more");
}

int weir_parse_statement(const char *text, weir_arena *arena, weir_ast_statement **out, weir_error *err)
{
    weir_parser parser;
    init_parser(&parser, text, strlen(text), arena, err);
    int code;
    if (weir_parser_at(&parser, WEIR_TOKEN_END)) {
        WEIR_GO(weir_parser_unexpected(&parser, "a statement"));
    }
    weir_ast_statement *statement;
    WEIR_GO(parse_one(&parser, &statement));
    while (weir_parser_accept(&parser, WEIR_TOKEN_SEMICOLON)) {
    }
    WEIR_GO(expect_end(&parser));
    *out = statement;
done:
    free_parser(&parser);
    return code;
}

int weir_parse_expression(const char *text, weir_arena *arena, weir_ast_expression **out, weir_error *err)
{
    weir_parser parser;
    init_parser(&parser, text, strlen(text), arena, err);
    int code;
    WEIR_GO(weir_parser_expression(&parser, out));
    WEIR_GO(expect_end(&parser));
done:
    free_parser(&parser);
    return code;
}

int weir_parse_query(const char *text, weir_arena *arena, weir_ast_query **out, weir_error *err)
{
    weir_parser parser;
    init_parser(&parser, text, strlen(text), arena, err);
    int code;
    WEIR_GO(weir_parser_query(&parser, out));
    WEIR_GO(expect_end(&parser));
done:
    free_parser(&parser);
    return code;
}

int weir_parse_type(const char *text, weir_arena *arena, const weir_type **out, weir_error *err)
{
    weir_parser parser;
    init_parser(&parser, text, strlen(text), arena, err);
    int code;
    WEIR_GO(weir_parser_type(&parser, out));
    WEIR_GO(expect_end(&parser));
done:
    free_parser(&parser);
    return code;
}
