/* The parser: statements that must be read, what the tree says, and what is said about mistakes. */
#include "sql/parser.h"

#include "base/text.h"
#include "cmocka_all.h"
#include "sql/type.h"

static int parse(weir_arena *arena, const char *text, weir_ast_statement **out, weir_error *err)
{
    memset(err, 0, sizeof *err);
    return weir_parse_statement(text, arena, out, err);
}

static weir_ast_statement *parse_well(weir_arena *arena, const char *text)
{
    weir_ast_statement *statement = NULL;
    weir_error err;
    if (parse(arena, text, &statement, &err) != WEIR_OK) {
        fail_msg("%s\n%s (column %d)", text, err.message, err.column);
    }
    return statement;
}

/* --- What is read ---------------------------------------------------------------------------------------------- */

typedef struct kind_case {
    const char *text;
    weir_ast_statement_kind kind;
} kind_case;

static void every_statement_is_read_as_its_kind(void **state)
{
    (void)state;
    static const kind_case cases[] = {
        {"SELECT 1", WEIR_AST_QUERY},
        {"VALUES (1, 'a'), (2, 'b')", WEIR_AST_QUERY},
        {"WITH a AS (SELECT 1), b (x) AS (VALUES 1) SELECT * FROM a, b", WEIR_AST_QUERY},
        {"(SELECT 1) UNION ALL (SELECT 2) ORDER BY 1 LIMIT 3 OFFSET 1 ROWS", WEIR_AST_QUERY},
        {"SELECT a FROM t INTERSECT SELECT b FROM u EXCEPT ALL SELECT c FROM v", WEIR_AST_QUERY},
        {"INSERT INTO t SELECT * FROM s", WEIR_AST_INSERT},
        {"INSERT OVERWRITE a.b.t PARTITION (dt = '2024-01-01', h) (x, y) VALUES (1, 2)", WEIR_AST_INSERT},
        {"INSERT INTO t /*+ OPTIONS('sink.parallelism'='2') */ SELECT 1", WEIR_AST_INSERT},
        {"EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; INSERT INTO b SELECT 2; END", WEIR_AST_STATEMENT_SET},
        {"BEGIN STATEMENT SET; INSERT INTO a SELECT 1; END", WEIR_AST_STATEMENT_SET},
        {"DELETE FROM t WHERE id = 1", WEIR_AST_DELETE},
        {"UPDATE t AS x SET a = 1, b = b + 1 WHERE id = 1", WEIR_AST_UPDATE},
        {"TRUNCATE TABLE t", WEIR_AST_TRUNCATE},
        {"CREATE CATALOG c WITH ('type'='paimon')", WEIR_AST_CREATE_CATALOG},
        {"CREATE DATABASE IF NOT EXISTS d COMMENT 'x' WITH ('a'='b')", WEIR_AST_CREATE_DATABASE},
        {"CREATE TEMPORARY VIEW IF NOT EXISTS v (a, b) COMMENT 'c' AS SELECT 1, 2", WEIR_AST_CREATE_VIEW},
        {"CREATE FUNCTION f AS 'com.example.F' LANGUAGE JAVA USING JAR 'a.jar'", WEIR_AST_CREATE_FUNCTION},
        {"DROP TEMPORARY TABLE IF EXISTS t", WEIR_AST_DROP},
        {"DROP DATABASE d CASCADE", WEIR_AST_DROP},
        {"ALTER TABLE t SET ('a'='b')", WEIR_AST_ALTER_TABLE},
        {"ALTER TABLE t RESET ('a', 'b')", WEIR_AST_ALTER_TABLE},
        {"ALTER TABLE t ADD (a INT COMMENT 'x' FIRST, b STRING AFTER a, PRIMARY KEY (a) NOT ENFORCED)",
         WEIR_AST_ALTER_TABLE},
        {"ALTER TABLE t MODIFY a BIGINT NOT NULL", WEIR_AST_ALTER_TABLE},
        {"ALTER TABLE t DROP (a, b)", WEIR_AST_ALTER_TABLE},
        {"ALTER TABLE t RENAME a TO b", WEIR_AST_ALTER_TABLE},
        {"ALTER TABLE t RENAME TO u", WEIR_AST_ALTER_TABLE},
        {"ALTER TABLE t DROP IF EXISTS PARTITION (dt = '1'), PARTITION (dt = '2')", WEIR_AST_ALTER_TABLE},
        {"ALTER VIEW v AS SELECT 1", WEIR_AST_ALTER_VIEW},
        {"ALTER DATABASE d SET ('a'='b')", WEIR_AST_ALTER_DATABASE},
        {"USE CATALOG c", WEIR_AST_USE},
        {"USE c.d", WEIR_AST_USE},
        {"SHOW TABLES FROM d NOT LIKE 'a%'", WEIR_AST_SHOW},
        {"SHOW CREATE TABLE a.b", WEIR_AST_SHOW},
        {"SHOW CURRENT DATABASE", WEIR_AST_SHOW},
        {"SHOW PARTITIONS t PARTITION (dt = '1')", WEIR_AST_SHOW},
        {"DESCRIBE EXTENDED t", WEIR_AST_DESCRIBE},
        {"DESC t", WEIR_AST_DESCRIBE},
        {"EXPLAIN CHANGELOG_MODE, ESTIMATED_COST SELECT 1", WEIR_AST_EXPLAIN},
        {"EXPLAIN STATEMENT SET BEGIN INSERT INTO a SELECT 1; END", WEIR_AST_EXPLAIN},
        {"SET 'a' = 'b'", WEIR_AST_SET},
        {"RESET", WEIR_AST_RESET},
        {"CALL sys.compact(`table` => 'd.t', partitions => 'dt=1')", WEIR_AST_CALL_PROCEDURE},
        {"CALL sys.create_tag('d.t', 'x', 3)", WEIR_AST_CALL_PROCEDURE},
        {"ANALYZE TABLE t PARTITION (dt = '1') COMPUTE STATISTICS FOR ALL COLUMNS", WEIR_AST_ANALYZE},
        {"STOP JOB 'abc' WITH SAVEPOINT WITH DRAIN", WEIR_AST_STOP_JOB},
        {"ADD JAR '/x.jar'", WEIR_AST_ADD_JAR},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_arena arena;
        weir_arena_init(&arena);
        weir_ast_statement *statement = parse_well(&arena, cases[i].text);
        assert_int_equal(statement->kind, cases[i].kind);
        assert_int_equal(statement->position.begin, 0);
        assert_int_equal(statement->position.end, strlen(cases[i].text));
        weir_arena_free(&arena);
    }
}

static void queries_of_all_clauses_are_read(void **state)
{
    (void)state;
    static const char *const queries[] = {
        "SELECT DISTINCT a AS b, t.*, COUNT(DISTINCT c) FILTER (WHERE d > 1) FROM t WHERE x GROUP BY a HAVING COUNT(*) "
        "> 1",
        "SELECT a FROM t GROUP BY GROUPING SETS ((a, b), (a), ()), ROLLUP (a, b), CUBE (c)",
        "SELECT ROW_NUMBER() OVER (PARTITION BY a ORDER BY b DESC NULLS LAST) AS rn FROM t",
        "SELECT SUM(a) OVER w FROM t WINDOW w AS (ORDER BY ts RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT "
        "ROW)",
        "SELECT SUM(a) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING) FROM t",
        "SELECT * FROM a JOIN b ON a.id = b.id LEFT OUTER JOIN c USING (id) CROSS JOIN d NATURAL FULL JOIN e",
        "SELECT * FROM a AS x (p, q), LATERAL TABLE(f(x.p)) AS u (w)",
        "SELECT * FROM t CROSS JOIN UNNEST(t.list) WITH ORDINALITY AS u (e, n)",
        "SELECT * FROM o LEFT JOIN d FOR SYSTEM_TIME AS OF o.proc_time ON o.id = d.id",
        "SELECT * FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' MINUTE))",
        "SELECT * FROM TABLE(SESSION(DATA => TABLE t PARTITION BY k, TIMECOL => DESCRIPTOR(ts), GAP => INTERVAL '1' "
        "HOUR))",
        "SELECT * FROM (SELECT 1) AS t (a) WHERE EXISTS (SELECT 1 FROM u) AND a IN (SELECT b FROM v)",
        "SELECT /*+ BROADCAST(t), STATE_TTL('a'='1d') */ * FROM t /*+ OPTIONS('a'='b', 'c'='d') */ AS x",
        "SELECT * FROM t TABLESAMPLE BERNOULLI (10)",
        "SELECT LISTAGG(a, ',') WITHIN GROUP (ORDER BY b), FIRST_VALUE(a) IGNORE NULLS FROM t",
        "SELECT a FROM t ORDER BY a ASC NULLS FIRST, 2 DESC FETCH FIRST 5 ROWS ONLY",
    };
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        weir_arena arena;
        weir_arena_init(&arena);
        assert_int_equal(parse_well(&arena, queries[i])->kind, WEIR_AST_QUERY);
        weir_arena_free(&arena);
    }
}

/* --- Expressions ----------------------------------------------------------------------------------------------- */

static void show(const weir_ast_expression *e, weir_buffer *out)
{
    static const char *const signs[] = {"",   "OR", "AND", "NOT", "=", "<>", "<",  "<=",      ">",
                                        ">=", "+",  "-",   "*",   "/", "%",  "||", "OVERLAPS"};
    switch (e->kind) {
    case WEIR_AST_NUMBER:
    case WEIR_AST_STRING:
    case WEIR_AST_UNIT:
        weir_buffer_append_text(out, e->text);
        return;
    case WEIR_AST_COLUMN:
        weir_buffer_append_text(out, e->name.parts[e->name.count - 1].text);
        return;
    case WEIR_AST_BINARY:
    case WEIR_AST_UNARY:
        weir_buffer_append_format(out, "(%s", signs[e->operation]);
        break;
    case WEIR_AST_BETWEEN:
        weir_buffer_append_format(out, "(%sBETWEEN", e->negated ? "NOT " : "");
        break;
    case WEIR_AST_IN:
        weir_buffer_append_format(out, "(%sIN", e->negated ? "NOT " : "");
        break;
    case WEIR_AST_LIKE:
        weir_buffer_append_format(out, "(%sLIKE", e->negated ? "NOT " : "");
        break;
    case WEIR_AST_IS:
        weir_buffer_append_format(out, "(IS%s %d", e->negated ? " NOT" : "", e->operation);
        break;
    case WEIR_AST_CASE:
        weir_buffer_append_text(out, "(CASE");
        break;
    case WEIR_AST_CALL:
        weir_buffer_append_format(out, "(%s", e->text);
        break;
    case WEIR_AST_ITEM:
        weir_buffer_append_text(out, "([]");
        break;
    case WEIR_AST_FIELD:
        weir_buffer_append_format(out, "(.%s", e->text);
        break;
    default:
        weir_buffer_append_format(out, "(kind%d", e->kind);
        break;
    }
    for (int32_t i = 0; i < e->argument_count; i++) {
        weir_buffer_append_byte(out, ' ');
        show(e->arguments[i], out);
    }
    weir_buffer_append_byte(out, ')');
}

typedef struct tree_case {
    const char *text;
    const char *tree;
} tree_case;

static void operators_bind_as_in_flink(void **state)
{
    (void)state;
    static const tree_case cases[] = {
        {"1 + 2 * 3 - 4", "(- (+ 1 (* 2 3)) 4)"},
        {"a || b || c", "(|| (|| a b) c)"},
        {"a OR b AND NOT c OR d", "(OR a (AND b (NOT c)) d)"},
        {"a AND b AND c", "(AND a b c)"},
        {"1 = 1 IS NOT UNKNOWN", "(IS NOT 4 (= 1 1))"},
        {"NOT a = b", "(NOT (= a b))"},
        {"a BETWEEN 1 AND 2 AND b", "(AND (BETWEEN a 1 2) b)"},
        {"a NOT IN (1, 2 + 3) = b", "(= (NOT IN a 1 (+ 2 3)) b)"},
        {"a + 1 LIKE 'x%' ESCAPE '!'", "(LIKE (+ a 1) x% !)"},
        {"- - 1", "(- (- 1))"},
        {"a[1].b[c]", "([] (.b ([] a 1)) c)"},
        {"CASE WHEN a THEN 1 ELSE 2 END", "(CASE a 1 2)"},
        {"TRIM(LEADING 'x' FROM a)", "(TRIM LEADING x a)"},
        {"EXTRACT(DAY FROM a)", "(EXTRACT DAY a)"},
        {"POSITION('a' IN b || c)", "(POSITION a (|| b c))"},
        {"SUBSTRING(a FROM 1 FOR 2)", "(SUBSTRING a 1 2)"},
        {"OVERLAY(a PLACING b FROM 1)", "(OVERLAY a b 1)"},
        {"TIMESTAMPADD(SQL_TSI_HOUR, 1, a)", "(TIMESTAMPADD HOUR 1 a)"},
        {"FLOOR(a TO MONTH)", "(FLOOR a MONTH)"},
        {"LEFT(a, 1) || IF(b, c, d)", "(|| (LEFT a 1) (IF b c d))"},
        {"JSON_VALUE(a, '$.x' RETURNING INT DEFAULT 0 ON EMPTY NULL ON ERROR)", "(JSON_VALUE a $.x)"},
        {"a IS DISTINCT FROM b + 1", "(IS 5 a (+ b 1))"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_arena arena;
        weir_arena_init(&arena);
        weir_ast_expression *expression;
        weir_error err = {0};
        if (weir_parse_expression(cases[i].text, &arena, &expression, &err) != WEIR_OK) {
            fail_msg("%s: %s", cases[i].text, err.message);
        }
        weir_buffer tree = {0};
        show(expression, &tree);
        assert_string_equal(weir_buffer_text(&tree), cases[i].tree);
        weir_buffer_free(&tree);
        weir_arena_free(&arena);
    }
}

static void types_are_read_in_all_their_spellings(void **state)
{
    (void)state;
    static const tree_case cases[] = {
        {"INTEGER", "INT"},
        {"DEC(4)", "DECIMAL(4, 0)"},
        {"NUMERIC", "DECIMAL(10, 0)"},
        {"DOUBLE PRECISION NOT NULL", "DOUBLE NOT NULL"},
        {"VARCHAR", "STRING"},
        {"VARCHAR(7)", "VARCHAR(7)"},
        {"CHAR", "CHAR(1)"},
        {"TIMESTAMP", "TIMESTAMP(6)"},
        {"TIMESTAMP(3) WITH LOCAL TIME ZONE", "TIMESTAMP_LTZ(3)"},
        {"TIMESTAMP(9) WITHOUT TIME ZONE", "TIMESTAMP(9)"},
        {"TIME", "TIME(0)"},
        {"INT ARRAY NOT NULL", "ARRAY<INT> NOT NULL"},
        {"MAP<STRING, ARRAY<INT NOT NULL>>", "MAP<STRING, ARRAY<INT NOT NULL>>"},
        {"ROW<a INT 'first', `b c` STRING>", "ROW<`a` INT, `b c` STRING>"},
        {"ROW(a INT)", "ROW<`a` INT>"},
        {"INTERVAL DAY TO SECOND(3)", "INTERVAL SECOND(3)"},
        {"INTERVAL YEAR", "INTERVAL MONTH"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_arena arena;
        weir_arena_init(&arena);
        const weir_type *type;
        weir_error err = {0};
        if (weir_parse_type(cases[i].text, &arena, &type, &err) != WEIR_OK) {
            fail_msg("%s: %s", cases[i].text, err.message);
        }
        assert_string_equal(weir_sql_type_text(&arena, type), cases[i].tree);
        weir_arena_free(&arena);
    }
}

/* --- Details of the tree --------------------------------------------------------------------------------------- */

static void create_table_keeps_all_of_its_parts(void **state)
{
    (void)state;
    const char *text = "CREATE TEMPORARY TABLE IF NOT EXISTS a.b (\n"
                       "  id BIGINT COMMENT 'the key',\n"
                       "  at TIMESTAMP(3) METADATA FROM 'ts' VIRTUAL,\n"
                       "  cost AS price * 2 COMMENT 'twice',\n"
                       "  WATERMARK FOR at AS at - INTERVAL '5' SECOND,\n"
                       "  CONSTRAINT pk PRIMARY KEY (id, `day`) NOT ENFORCED\n"
                       ") COMMENT 'orders' PARTITIONED BY (`day`) DISTRIBUTED BY HASH(id) INTO 4 BUCKETS\n"
                       "WITH ('bucket' = '4', 'connector' = 'filesystem')";
    weir_arena arena;
    weir_arena_init(&arena);
    const weir_ast_create_table *create = parse_well(&arena, text)->create_table;
    assert_true(create->temporary && create->if_not_exists && create->has_primary_key);
    assert_int_equal(create->name.count, 2);
    assert_int_equal(create->column_count, 3);
    assert_string_equal(create->columns[0].comment, "the key");
    assert_int_equal(create->columns[1].kind, WEIR_AST_METADATA_COLUMN);
    assert_string_equal(create->columns[1].metadata_key, "ts");
    assert_true(create->columns[1].is_virtual);
    assert_int_equal(create->columns[2].kind, WEIR_AST_COMPUTED_COLUMN);
    assert_int_equal(create->columns[2].name.position.line, 4);
    assert_int_equal(create->primary_key.count, 2);
    assert_string_equal(create->primary_key.items[1].text, "day");
    assert_string_equal(create->comment, "orders");
    assert_string_equal(create->partitioned_by.items[0].text, "day");
    assert_int_equal(create->bucket_count, 4);
    assert_string_equal(create->options.items[1].value, "filesystem");
    assert_non_null(create->watermark);
    weir_arena_free(&arena);
}

static void a_script_is_split_where_statements_end(void **state)
{
    (void)state;
    const char *text = "-- first\nSELECT ';' ; ; /* ; */ SET a.b = c d;\n"
                       "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; END;SELECT 2";
    static const char *const statements[] = {"SELECT ';'", "SET a.b = c d",
                                             "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; END", "SELECT 2"};
    weir_script script;
    weir_arena arena;
    weir_arena_init(&arena);
    weir_script_init(&script, text, strlen(text));
    weir_ast_statement *statement;
    weir_error err = {0};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(weir_script_next(&script, &arena, &statement, &err), WEIR_OK);
        size_t size = statement->position.end - statement->position.begin;
        assert_string_equal(weir_arena_strndup(&arena, text + statement->position.begin, size), statements[i]);
    }
    assert_int_equal(weir_script_next(&script, &arena, &statement, &err), WEIR_END);
    weir_arena_free(&arena);
}

static void after_an_error_a_script_goes_on_with_the_next_statement(void **state)
{
    (void)state;
    const char *text = "SELCT 'a;b';\nSELECT 1;";
    weir_script script;
    weir_arena arena;
    weir_arena_init(&arena);
    weir_script_init(&script, text, strlen(text));
    weir_ast_statement *statement;
    weir_error err = {0};
    assert_int_equal(weir_script_next(&script, &arena, &statement, &err), WEIR_INVALID);
    assert_int_equal(weir_script_next(&script, &arena, &statement, &err), WEIR_OK);
    assert_int_equal(statement->position.line, 2);
    weir_arena_free(&arena);
}

typedef struct set_case {
    const char *text, *key, *value;
} set_case;

static void set_is_read_with_and_without_quotes(void **state)
{
    (void)state;
    static const set_case cases[] = {
        {"SET 'a.b' = 'c;d'", "a.b", "c;d"},
        {"SET execution.runtime-mode = batch", "execution.runtime-mode", "batch"},
        {"SET execution.checkpointing.interval=10s -- soon", "execution.checkpointing.interval", "10s"},
        {"set table.local-time-zone = 'Asia/Shanghai'", "table.local-time-zone", "Asia/Shanghai"},
        {"SET state.dir = file:///tmp/x", "state.dir", "file:///tmp/x"},
        {"SET 'a' = true", "a", "true"},
        {"SET", NULL, NULL},
        {"SET 'a'", "a", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_arena arena;
        weir_arena_init(&arena);
        const weir_ast_statement *statement = parse_well(&arena, cases[i].text);
        const char *texts[2] = {statement->set.key, statement->set.value};
        const char *wanted[2] = {cases[i].key, cases[i].value};
        for (int j = 0; j < 2; j++) {
            if (wanted[j] == NULL) {
                assert_null(texts[j]);
            } else {
                assert_non_null(texts[j]);
                assert_string_equal(texts[j], wanted[j]);
            }
        }
        weir_arena_free(&arena);
    }
}

static void a_shell_knows_when_a_statement_goes_on(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool incomplete;
    } cases[] = {
        {"", false},
        {"-- only a comment", false},
        {"SELECT 1;", false},
        {"SELECT 1", true},
        {"SELECT ';", true},
        {"SELECT 1; SELECT", true},
        {"/* a", true},
        {"SELECT 'a;b';", false},
        {"EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1;", true},
        {"EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; END;", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(weir_script_incomplete(cases[i].text, strlen(cases[i].text)), cases[i].incomplete);
    }
}

/* --- Errors ---------------------------------------------------------------------------------------------------- */

typedef struct error_case {
    const char *text;
    int column;
    const char *message;
} error_case;

static void mistakes_are_placed_and_named(void **state)
{
    (void)state;
    static const error_case cases[] = {
        {"SELCT 1", 1, "unexpected 'SELCT'; did you mean SELECT?"},
        {"SELECT a FORM t", 10, "unexpected 'FORM'; did you mean FROM?"},
        {"SELECT a FROM t WEHRE a", 17, "unexpected 'WEHRE'; did you mean WHERE?"},
        {"SELECT a FROM t WHERE", 22, "unexpected end of the text; expected an expression"},
        {"SELECT order FROM t", 8,
         "unexpected 'order'; expected an expression or a column's name (ORDER is a reserved word: as a name write "
         "`order`)"},
        {"SELECT 1::INT", 9, "Flink's SQL has no ::; write CAST(value AS type)"},
        {"SELECT (1", 10, "unexpected end of the text; expected )"},
        {"SELECT a FROM t GROUP a", 23, "unexpected 'a'; expected BY"},
        {"CREATE TABEL t (a INT)", 8, "unexpected 'TABEL'; did you mean TABLE?"},
        {"CREATE TABLE t (a INTT)", 19, "unexpected 'INTT'; did you mean INT?"},
        {"CREATE TABLE t (a INT PRIMARY KEY)", 34, "a PRIMARY KEY must be written with NOT ENFORCED after it"},
        {"CREATE TABLE t (a INT,)", 23, "unexpected ')'; expected another column after the comma"},
        {"CREATE TABLE t (a DECIMAL(40, 2))", 27, "the precision is 40; it must lie between 1 and 38"},
        {"CREATE TABLE t (a TIMESTAMP(3) WITH TIME ZONE)", 32,
         "TIMESTAMP WITH TIME ZONE does not exist; use TIMESTAMP_LTZ"},
        {"CREATE TABLE t (a INT) WITH (bucket = '4')", 30,
         "unexpected 'bucket'; expected an option's key as a 'string'"},
        {"CREATE TABLE t (a INT) WITH ('bucket' = 4)", 41, "unexpected '4'; expected the option's value as a 'string'"},
        {"INSERT t SELECT 1", 8, "unexpected 't'; expected INTO or OVERWRITE"},
        {"INSERT INTO t SELEC 1", 15, "unexpected 'SELEC'; did you mean SELECT?"},
        {"SHOW TABELS", 6, "unexpected 'TABELS'; did you mean TABLES?"},
        {"DROP TABL t", 6, "unexpected 'TABL'; did you mean TABLE?"},
        {"SELECT INTERVAL 5 DAY", 17, "an interval's number is written in quotes: INTERVAL '5' …"},
        {"SELECT a > ALL (1, 2)", 17, "unexpected '1'; expected a query, as ALL and ANY take"},
        {"SELECT * FROM a JOIN b", 23, "unexpected end of the text; expected ON and the join's condition, or USING"},
        {"EXECUTE STATEMENT SET BEGIN END", 29, "unexpected 'END'; expected at least one INSERT before END"},
        {"CREATE MATERIALIZED TABLE t AS SELECT 1", 8,
         "materialized tables are not supported; use CREATE TABLE and INSERT INTO"},
        {"SELECT 1; SELECT 2", 11, "unexpected 'SELECT'; expected nothing more"},
        {"SELECT \"a\"", 8, "double quotes are no quotes of Flink SQL; write ' around text, ` around a name"},
        {"", 1, "unexpected end of the text; expected a statement"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_arena arena;
        weir_arena_init(&arena);
        weir_ast_statement *statement;
        weir_error err;
        assert_int_equal(parse(&arena, cases[i].text, &statement, &err), WEIR_INVALID);
        assert_string_equal(err.message, cases[i].message);
        assert_int_equal(err.line, 1);
        assert_int_equal(err.column, cases[i].column);
        weir_arena_free(&arena);
    }
}

static void an_error_is_shown_with_its_line_and_a_caret(void **state)
{
    (void)state;
    const char *text = "SELECT id,\n\tamuont FROM\r\norders";
    weir_error err = {.code = WEIR_INVALID, .line = 2, .column = 2, .message = "unknown column 'amuont'"};
    weir_buffer out = {0};
    weir_sql_render_error(text, strlen(text), &err, &out);
    assert_string_equal(weir_buffer_text(&out), "line 2, column 2: unknown column 'amuont'\n  \tamuont FROM\n  \t^\n");
    weir_buffer_clear(&out);
    err.line = 0;
    weir_sql_render_error(text, strlen(text), &err, &out);
    assert_string_equal(weir_buffer_text(&out), "unknown column 'amuont'\n");
    weir_buffer_free(&out);
}

static void the_caret_stands_under_its_word_whatever_stands_before_it(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        int32_t column;
        const char *shown;
    } cases[] = {
        {"SELECT '杭州', bad", 14, "  SELECT '杭州', bad\n                 ^\n"}, /* two places a character */
        {"SELECT 'e\u0301', bad", 14, "  SELECT 'e\u0301', bad\n              ^\n"},
        {"a \x1b[2J bad", 8, "  a \\x1b[2J bad\n            ^\n"}, /* a terminal is told nothing */
        {"a \xff\xfe bad", 6, "  a \\xff\\xfe bad\n             ^\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_error err = {.code = WEIR_INVALID, .line = 1, .column = cases[i].column, .message = "unexpected \x1b[2J"};
        weir_buffer out = {0};
        weir_buffer expected = {0};
        weir_buffer_append_format(&expected, "line 1, column %d: unexpected \\x1b[2J\n%s", cases[i].column,
                                  cases[i].shown);
        weir_sql_render_error(cases[i].line, strlen(cases[i].line), &err, &out);
        assert_string_equal(weir_buffer_text(&out), weir_buffer_text(&expected));
        weir_buffer_free(&out);
        weir_buffer_free(&expected);
    }
}

static void a_line_is_shown_without_its_secrets(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        const char *shown;
    } cases[] = {
        {"'s3.secret-key' = 'geheim', 'b' = 'c'", "'s3.secret-key' = '******', 'b' = 'c'"},
        {"'password'='ge''he\xc3\xafm' x", "'password'='**''****' *"},
        {"'s3.access-key' = 'me', 'a.token' = 'geheim", "'s3.access-key' = 'me', 'a.token' = '******"},
        {"\xe2\x80\x98secret\xe2\x80\x99 = \xe2\x80\x98gn\xe2\x80\x99;",
         "\xe2\x80\x98secret\xe2\x80\x99 = \xe2\x80\x98**\xe2\x80\x99;"},
        {"'password' = 'pa'ss', 'b' = 'c'", "'password' = '**'**'**'*'***'*'"},
        {"'password' = \"gn\", 'b' = 'c'", "'password' = \"**\", 'b' = 'c'"},
        {"'password' = geheim, 'b' = 'c'", "'password' = ******, 'b' = 'c'"},
        {"'password' -- it's 'x'", "'password' -- it's 'x'"},
        {"-- 'password' = 'gn' -- -- /* ' */", "-- 'password' = '**' ** ** ** '***"},
        {"/*+ OPTIONS('password' = 'gn') */ x", "/*+ OPTIONS('password' = '**') */ x"},
        {"'password'\xc2\xa0=\xc2\xa0'gn', 'b'\xef\xbc\x9d'c'", "'password'\xc2\xa0=*'**', 'b'\xef\xbc\x9d'c'"},
        {"'password'\xef\xbc\x9d'gn'", "'password'\xef\xbc\x9d'**'"},
        {"SET my.password = gn; SET 'a' = 'b'", "SET my.password = **; SET 'a' = 'b'"},
        {"WITH (password = 'gn', 'b' = 'c')", "WITH (password = '**', 'b' = 'c')"},
        {"WITH (`password` = `gn`)", "WITH (`password` = `***)"},
        {"OPTIONS(my.password 'gn')", "OPTIONS(my.password '**')"},
        {"SET ('password' : 'gn')", "SET ('password' : '**')"},
        {"WITH t AS (SELECT token = 'n')", "WITH t AS (SELECT token = 'n')"},
        {"WITH ('a' = 'b') AS SELECT (token = 'n')", "WITH ('a' = 'b') AS SELECT (token = 'n')"},
        {"\xef\xbc\x87password\xef\xbc\x87 = \xef\xbc\x87gn\xef\xbc\x87;",
         "\xef\xbc\x87password\xef\xbc\x87 = \xef\xbc\x87**\xef\xbc\x87;"},
        {"\xc2\xb4password\xc2\xb4 = \xc2\xb4gn\xc2\xb4;", "\xc2\xb4password\xc2\xb4 = \xc2\xb4**\xc2\xb4;"},
        {"CALL p(secret => 'gn', a => 'b')", "CALL p(secret => '**', a => 'b')"},
        {"SELECT x FROM t WHERE kind = 'token' AND name = 'n'", "SELECT x FROM t WHERE kind = 'token' AND name = 'n'"},
        {"SELECT x FROM t WHERE token = 'n'", "SELECT x FROM t WHERE token = 'n'"},
        {"SELECT 'password', 'shown'", "SELECT 'password', 'shown'"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_error err = {.code = WEIR_INVALID, .line = 1, .column = 1, .message = "m"};
        weir_buffer out = {0};
        weir_buffer expected = {0};
        weir_buffer_append_format(&expected, "line 1, column 1: m\n  %s\n  ^\n", cases[i].shown);
        weir_sql_render_error(cases[i].line, strlen(cases[i].line), &err, &out);
        assert_string_equal(weir_buffer_text(&out), weir_buffer_text(&expected));
        weir_buffer_free(&out);
        weir_buffer_free(&expected);
    }
}

static void a_secret_is_hidden_wherever_its_key_stands(void **state)
{
    (void)state;
    const char *text = "CREATE TABLE t (a INT) WITH (\n  'password' -- it's the one\n  =\n  'geheim\nnis'\n  'b' = 'c')";
    static const char *const lines[] = {"CREATE TABLE t (a INT) WITH (", "  'password' -- it's the one", "  =", "  '******",
                                        "***'", "  'b' = 'c')"};
    for (int i = 0; i < 6; i++) {
        weir_error err = {.code = WEIR_INVALID, .line = i + 1, .column = 1, .message = "m"};
        weir_buffer out = {0};
        weir_buffer expected = {0};
        weir_buffer_append_format(&expected, "line %d, column 1: m\n  %s\n  ^\n", i + 1, lines[i]);
        weir_sql_render_error(text, strlen(text), &err, &out);
        assert_string_equal(weir_buffer_text(&out), weir_buffer_text(&expected));
        weir_buffer_free(&out);
        weir_buffer_free(&expected);
    }
    weir_buffer kept = {0};
    weir_sql_append_without_secrets(weir_slice_text("SET 'a.token' = 'gn'; x 'password' = 'a'b;"), false, &kept);
    assert_string_equal(weir_buffer_text(&kept), "SET 'a.token' = '******'; x 'password' = '******';");
    weir_buffer_clear(&kept);
    weir_sql_append_without_secrets(weir_slice_text("'password' = -- its value\r'gn'"), false, &kept);
    assert_string_equal(weir_buffer_text(&kept), "'password' = -- its value\r'******'");
    weir_buffer_free(&kept);
}

static void errors_do_not_quote_secrets(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *message;
    } cases[] = {
        {"CREATE TABLE t (a INT) WITH ('password' = 'pa'geheim)",
         "unexpected a part of what may be a secret; expected ) or a comma after the option"},
        {"CREATE TABLE t (a INT) WITH ('password' 'geheim')", "unexpected a part of what may be a secret; expected = after the option's key"},
        {"CREATE TABLE t (a INT) WITH ('password' = geheim)", "unexpected a part of what may be a secret; expected the option's value as a 'string'"},
        {"SET my.password 'geheim'", "SET takes 'key' = 'value'; what stands here is no key"},
        {"CREATE TABLE t (a INT) WITH ('password' = 'x'\n'b' = 'c')", "unexpected 'b'; expected ) or a comma after the option"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_arena arena;
        weir_error err = {0};
        weir_ast_statement *statement = NULL;
        weir_arena_init(&arena);
        assert_int_equal(weir_parse_statement(cases[i].text, &arena, &statement, &err), WEIR_INVALID);
        assert_string_equal(err.message, cases[i].message);
        weir_arena_free(&arena);
    }
}

static void depth_and_length_are_bounded(void **state)
{
    (void)state;
    weir_buffer deep = {0};
    weir_buffer_append_text(&deep, "SELECT ");
    for (int i = 0; i < 20000; i++) {
        weir_buffer_append_byte(&deep, '(');
    }
    weir_buffer chain = {0};
    weir_buffer_append_text(&chain, "SELECT 1");
    for (int i = 0; i < 20000; i++) {
        weir_buffer_append_text(&chain, "+1");
    }
    const char *texts[2] = {weir_buffer_text(&deep), weir_buffer_text(&chain)};
    for (int i = 0; i < 2; i++) {
        weir_arena arena;
        weir_arena_init(&arena);
        weir_ast_statement *statement;
        weir_error err;
        assert_int_equal(parse(&arena, texts[i], &statement, &err), WEIR_INVALID);
        weir_arena_free(&arena);
    }
    weir_buffer_free(&deep);
    weir_buffer_free(&chain);
}

static void names_are_quoted_only_where_they_must_be(void **state)
{
    (void)state;
    static const tree_case cases[] = {
        {"a_1", "a_1"}, {"order", "`order`"}, {"1a", "`1a`"}, {"a`b", "`a``b`"}, {"", "``"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_buffer out = {0};
        weir_sql_quote_name(cases[i].text, &out);
        assert_string_equal(weir_buffer_text(&out), cases[i].tree);
        weir_buffer_free(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_statement_is_read_as_its_kind),
        cmocka_unit_test(queries_of_all_clauses_are_read),
        cmocka_unit_test(operators_bind_as_in_flink),
        cmocka_unit_test(types_are_read_in_all_their_spellings),
        cmocka_unit_test(create_table_keeps_all_of_its_parts),
        cmocka_unit_test(a_script_is_split_where_statements_end),
        cmocka_unit_test(after_an_error_a_script_goes_on_with_the_next_statement),
        cmocka_unit_test(set_is_read_with_and_without_quotes),
        cmocka_unit_test(a_shell_knows_when_a_statement_goes_on),
        cmocka_unit_test(mistakes_are_placed_and_named),
        cmocka_unit_test(an_error_is_shown_with_its_line_and_a_caret),
        cmocka_unit_test(the_caret_stands_under_its_word_whatever_stands_before_it),
        cmocka_unit_test(a_line_is_shown_without_its_secrets),
        cmocka_unit_test(a_secret_is_hidden_wherever_its_key_stands),
        cmocka_unit_test(errors_do_not_quote_secrets),
        cmocka_unit_test(depth_and_length_are_bounded),
        cmocka_unit_test(names_are_quoted_only_where_they_must_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
