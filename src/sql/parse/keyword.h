/* The keywords of the dialect, in one table: the lexer finds them, messages and completion list them.
 *
 * R marks words that can't stand as a name without backquotes; N those that the grammar uses but leaves free.
 * Keep the rows in alphabetical order: they are searched by halves (a test checks it). */
#ifndef WEIR_SQL_PARSE_KEYWORD_H
#define WEIR_SQL_PARSE_KEYWORD_H

#include <stdbool.h>
#include <stddef.h>

#define WEIR_KEYWORDS(R, N)                                                                                             \
    N(ABSENT)                                                                                                           \
    N(ADD)                                                                                                              \
    N(AFTER)                                                                                                            \
    R(ALL) N(ALTER) N(ANALYZE) R(AND) N(ANTI) R(ANY) R(ARRAY) R(AS) N(ASC) N(ASYMMETRIC) N(AT) N(BEGIN) N(BERNOULLI)    \
        R(BETWEEN) N(BIGINT) N(BINARY) N(BOOLEAN) N(BOTH) N(BUCKETS) R(BY) N(BYTES) N(CALL) N(CASCADE) R(CASE) R(CAST)  \
            N(CATALOG) N(CATALOGS) N(CHAR) N(CHARACTER) N(COLUMN) N(COLUMNS) N(COMMENT) N(COMPUTE) N(CONDITIONAL) N(    \
                CONSTRAINT) N(CONSTRAINTS) R(CREATE) R(CROSS) R(CUBE) R(CURRENT) N(CURRENT_DATE) N(CURRENT_TIME)        \
                N(CURRENT_TIMESTAMP) N(DATABASE) N(DATABASES) N(DATE) N(DAY) N(DEC) N(DECIMAL) N(DEFAULT) R(DELETE) N(  \
                    DESC) N(DESCRIBE) N(DESCRIPTOR) R(DISTINCT) N(DISTRIBUTED) N(DISTRIBUTION) N(DOUBLE) N(DRAIN)       \
                    R(DROP) R(ELSE) N(EMPTY) R(END) N(ENFORCED) N(ERROR) N(ESCAPE) R(EXCEPT) N(EXCLUDING) N(            \
                        EXECUTE) R(EXISTS) N(EXPLAIN) N(EXTENDED) N(EXTRACT) R(FALSE) R(FETCH) N(FILTER) N(FIRST)       \
                        N(FLOAT) N(FOLLOWING) R(FOR) N(FORMAT) R(FROM) R(FULL) N(FUNCTION) N(FUNCTIONS) N(              \
                            GENERATED) R(GROUP) R(GROUPING) N(HASH) R(HAVING) N(HOUR) N(IF)                             \
                            N(IGNORE) N(ILIKE) R(IN) N(INCLUDING) R(INNER) R(INSERT) N(INT) N(INTEGER) R(               \
                                INTERSECT) R(INTERVAL) R(INTO) R(IS) N(JAR) N(JARS) N(JOB) N(JOBS) R(JOIN) N(JSON)      \
                                N(KEY) N(LANGUAGE) N(LAST) R(LATERAL) N(LEADING) R(LEFT) R(LIKE) R(LIMIT) N(LOCAL) N(   \
                                    LOCALTIME) N(LOCALTIMESTAMP) N(MAP) N(MATCH_RECOGNIZE) N(MATERIALIZED) N(METADATA)  \
                                    R(MINUS) N(MINUTE) N(                                                               \
                                        MODIFY) N(MODULES) N(MONTH) N(MULTISET) R(NATURAL) N(NEXT) R(NOT) R(NULL)       \
                                        N(NULLS) N(                                                                     \
                                            NUMERIC) N(OBJECT) R(OF) R(OFFSET) R(ON) N(OPTIONS) R(OR) R(ORDER)          \
                                            N(ORDINALITY) R(OUTER) N(OVER) N(OVERLAPS) N(OVERLAY) N(OVERWRITE) N(       \
                                                OVERWRITING) R(PARTITION) N(PARTITIONED)                                \
                                                N(PARTITIONS) N(PLACING) N(POSITION) N(PRECEDING) N(PRECISION) N(       \
                                                    PRIMARY) N(PROCEDURES)                                              \
                                                    R(QUALIFY) N(QUARTER) R(RANGE) N(RAW) N(REAL) N(REMOVE) N(          \
                                                        RENAME) N(REPLACE) N(RESET) N(RESPECT) N(RESTRICT) N(RETURNING) \
                                                        R(RIGHT) R(ROLLUP) R(ROW) R(ROWS) N(SAVEPOINT) N(SCALAR) N(     \
                                                            SECOND) R(SELECT) N(SEMI)                                   \
                                                            R(SET) N(SETS) N(SHOW) N(SIMILAR) N(SMALLINT) R(SOME) N(    \
                                                                STATEMENT) N(STATISTICS) N(STOP) N(STRING) N(SUBSTRING) \
                                                                N(SYMMETRIC) N(SYSTEM) N(SYSTEM_TIME) R(TABLE) N(       \
                                                                    TABLES) R(TABLESAMPLE)                              \
                                                                    N(TEMPORARY) R(THEN) N(TIME) N(TIMESTAMP) N(        \
                                                                        TIMESTAMP_LTZ) N(TINYINT)                       \
                                                                        R(TO) N(TRAILING) N(TRIM) R(TRUE) N(            \
                                                                            TRUNCATE) N(TRY_CAST)                       \
                                                                            N(UNBOUNDED) N(UNCONDITIONAL) R(UNION) R(   \
                                                                                UNKNOWN) R(UNNEST)                      \
                                                                                R(UPDATE) N(USE) N(USER) R(USING) N(    \
                                                                                    VALUE) R(VALUES) N(VARBINARY)       \
                                                                                    N(VARCHAR) N(VARIANT) N(            \
                                                                                        VARYING) N(VIEW) N(VIEWS)       \
                                                                                        N(VIRTUAL) N(WATERMARK) N(      \
                                                                                            WEEK) R(WHEN)               \
                                                                                            R(WHERE) R(WINDOW) R(WITH)  \
                                                                                                N(WITHIN) N(WITHOUT)    \
                                                                                                    N(WRAPPER) N(YEAR)  \
                                                                                                        N(ZONE)

typedef enum weir_keyword {
    WEIR_KEYWORD_NONE,
#define WEIR_KEYWORD_ENUM(name) WEIR_KEYWORD_##name,
    WEIR_KEYWORDS(WEIR_KEYWORD_ENUM, WEIR_KEYWORD_ENUM)
#undef WEIR_KEYWORD_ENUM
        WEIR_KEYWORD_END_OF_TABLE
} weir_keyword;

/* The keyword with this spelling in any case, or WEIR_KEYWORD_NONE. */
weir_keyword weir_keyword_find(const char *text, size_t size);
const char *weir_keyword_text(weir_keyword keyword); /* upper case */
bool weir_keyword_reserved(weir_keyword keyword);

#endif
