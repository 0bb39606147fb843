/* The table of functions. Rows are in the order of what they are about; finding goes by name, in any case.
 *
 * Functions that Flink has and this version lacks are listed too, so that they are refused by name and not called
 * unknown. */
#include "base/text.h"
#include "sql/bind/rules.h"
#include "sql/function/kernels.h"

/* --- Result types ---------------------------------------------------------------------------------------------- */

#define DEFINE_RESULT(name, id)                                                                                        \
    static const weir_type *name(weir_arena *arena, const weir_type *const *arguments, int32_t count, bool nullable)   \
    {                                                                                                                  \
        (void)arena;                                                                                                   \
        (void)arguments;                                                                                               \
        (void)count;                                                                                                   \
        return weir_type_simple(id, nullable);                                                                         \
    }

DEFINE_RESULT(string, WEIR_VARCHAR)
DEFINE_RESULT(integer, WEIR_INT)
DEFINE_RESULT(floating, WEIR_DOUBLE)
DEFINE_RESULT(boolean, WEIR_BOOLEAN)
DEFINE_RESULT(date, WEIR_DATE)
DEFINE_RESULT(bytes, WEIR_VARBINARY)

static const weir_type *timestamp(weir_arena *arena, const weir_type *const *arguments, int32_t count, bool nullable)
{
    (void)arguments;
    (void)count;
    return weir_type_with_length(arena, WEIR_TIMESTAMP, 3, nullable);
}

/* BOOLEAN NOT NULL whatever the arguments. */
static const weir_type *certain(weir_arena *arena, const weir_type *const *arguments, int32_t count, bool nullable)
{
    (void)arena;
    (void)arguments;
    (void)count;
    (void)nullable;
    return weir_type_simple(WEIR_BOOLEAN, false);
}

/* CHAR of the digits of digests, and of UUIDs. */
#define DEFINE_DIGITS(name, count)                                                                                     \
    static const weir_type *name(weir_arena *arena, const weir_type *const *arguments, int32_t arity, bool nullable)   \
    {                                                                                                                  \
        (void)arguments;                                                                                               \
        (void)arity;                                                                                                   \
        return weir_type_with_length(arena, WEIR_CHAR, count, nullable);                                               \
    }

DEFINE_DIGITS(digits32, 32)
DEFINE_DIGITS(identifier, 36)
DEFINE_DIGITS(digits40, 40)
DEFINE_DIGITS(digits56, 56)
DEFINE_DIGITS(digits64, 64)
DEFINE_DIGITS(digits96, 96)
DEFINE_DIGITS(digits128, 128)

static const weir_type *digits_of_any(weir_arena *arena, const weir_type *const *arguments, int32_t count,
                                      bool nullable)
{
    (void)arguments;
    (void)count;
    return weir_type_with_length(arena, WEIR_VARCHAR, 128, nullable);
}

static const weir_type *texts(weir_arena *arena, const weir_type *const *arguments, int32_t count, bool nullable)
{
    (void)arguments;
    (void)count;
    return weir_type_array(arena, weir_type_simple(WEIR_VARCHAR, true), nullable);
}

static const weir_type *text_map(weir_arena *arena, const weir_type *const *arguments, int32_t count, bool nullable)
{
    (void)arguments;
    (void)count;
    const weir_type *text = weir_type_simple(WEIR_VARCHAR, true);
    return weir_type_map(arena, text, text, nullable);
}

/* The type of the first argument. */
static const weir_type *same(weir_arena *arena, const weir_type *const *arguments, int32_t count, bool nullable)
{
    (void)count;
    weir_type *type = weir_arena_copy(arena, arguments[0], sizeof *arguments[0]);
    type->nullable = nullable;
    return type;
}

/* VARCHAR as long as the first argument. */
static const weir_type *shorter(weir_arena *arena, const weir_type *const *arguments, int32_t count, bool nullable)
{
    (void)count;
    weir_type *type = weir_type_new(arena, WEIR_VARCHAR, nullable);
    type->precision = arguments[0]->precision;
    return type;
}

/* VARCHAR as long as the first two arguments together. */
static const weir_type *longer(weir_arena *arena, const weir_type *const *arguments, int32_t count, bool nullable)
{
    (void)count;
    weir_type *type = weir_type_new(arena, WEIR_VARCHAR, nullable);
    int64_t length = (int64_t)arguments[0]->precision + arguments[1]->precision;
    type->precision = length > WEIR_MAX_LENGTH ? WEIR_MAX_LENGTH : (int32_t)length;
    return type;
}

/* CONCAT_WS is NULL only when the separator is; Flink's type looks at all arguments. */
static const weir_type *joined(weir_arena *arena, const weir_type *const *arguments, int32_t count, bool nullable)
{
    (void)arena;
    for (int32_t i = 0; i < count; i++) {
        nullable = nullable || arguments[i]->nullable;
    }
    return weir_type_simple(WEIR_VARCHAR, nullable);
}

/* --- The table ------------------------------------------------------------------------------------------------- */

#define KERNEL(name, parameters, result, nullable, kernel, signature)                                                  \
    {name, WEIR_FUNCTION_SCALAR, parameters, result, nullable, &weir_kernel_##kernel,                                  \
     NULL, WEIR_AGGREGATE_NONE,  signature}
#define RULE(name, parameters, rule, signature)                                                                        \
    {name, WEIR_FUNCTION_SCALAR, parameters, NULL, false, NULL, weir_rule_##rule, WEIR_AGGREGATE_NONE, signature}
#define AGGREGATE(name, parameters, kind, signature)                                                                   \
    {name, WEIR_FUNCTION_AGGREGATE, parameters, NULL, false, NULL, NULL, WEIR_AGGREGATE_##kind, signature}
#define WINDOW(name, parameters, kind, signature)                                                                      \
    {name, WEIR_FUNCTION_WINDOW, parameters, NULL, false, NULL, NULL, WEIR_AGGREGATE_##kind, signature}
#define GROUP(name, parameters, kind, signature)                                                                       \
    {name, WEIR_FUNCTION_GROUP, parameters, NULL, false, NULL, NULL, WEIR_AGGREGATE_##kind, signature}
#define KNOWN(name) {name, WEIR_FUNCTION_KNOWN, "", NULL, false, NULL, NULL, WEIR_AGGREGATE_NONE, name "(…)"}

const weir_function weir_functions[] = {
    /* choosing */
    RULE("COALESCE", "a*", coalesce, "COALESCE(value, ...)"),
    RULE("IFNULL", "aa", coalesce, "IFNULL(value, replacement)"),
    RULE("NULLIF", "aa", nullif, "NULLIF(value, value)"),
    RULE("IF", "aaa", if, "IF(condition, value, otherwise)"),
    RULE("GREATEST", "a*", greatest, "GREATEST(value, ...)"),
    RULE("LEAST", "a*", least, "LEAST(value, ...)"),
    RULE("TYPEOF", "a?b", typeof, "TYPEOF(value[, full])"),
    RULE("CURRENT_DATABASE", "", current_database, "CURRENT_DATABASE()"),

    /* text */
    KERNEL("CONCAT", "s*", string, false, concat, "CONCAT(text, ...)"),
    KERNEL("CONCAT_WS", "ss*", joined, false, concat_ws, "CONCAT_WS(separator, text, ...)"),
    KERNEL("CHAR_LENGTH", "s", integer, false, char_length, "CHAR_LENGTH(text)"),
    KERNEL("CHARACTER_LENGTH", "s", integer, false, char_length, "CHARACTER_LENGTH(text)"),
    KERNEL("UPPER", "s", same, false, upper, "UPPER(text)"),
    KERNEL("LOWER", "s", same, false, lower, "LOWER(text)"),
    KERNEL("INITCAP", "s", same, false, initcap, "INITCAP(text)"),
    KERNEL("REVERSE", "s", string, true, reverse, "REVERSE(text)"),
    KERNEL("REPEAT", "si", string, false, repeat, "REPEAT(text, count)"),
    KERNEL("LPAD", "sis", string, false, lpad, "LPAD(text, length, pad)"),
    KERNEL("RPAD", "sis", string, false, rpad, "RPAD(text, length, pad)"),
    KERNEL("LEFT", "si", shorter, true, left, "LEFT(text, length)"),
    KERNEL("RIGHT", "si", shorter, true, right, "RIGHT(text, length)"),
    KERNEL("SUBSTRING", "si?i", shorter, true, substring, "SUBSTRING(text, position[, length])"),
    KERNEL("SUBSTR", "si?i", shorter, true, substring, "SUBSTR(text, position[, length])"),
    KERNEL("POSITION", "ss", integer, false, position, "POSITION(search IN text)"),
    KERNEL("LOCATE", "ss?i", integer, false, position, "LOCATE(search, text[, position])"),
    KERNEL("INSTR", "ss?ii", integer, false, instr, "INSTR(text, search[, position[, occurrence]])"),
    RULE("TRIM", "aa?a", trim, "TRIM([BOTH | LEADING | TRAILING] [characters FROM] text)"),
    RULE("LTRIM", "a?a", trim, "LTRIM(text[, characters])"),
    RULE("RTRIM", "a?a", trim, "RTRIM(text[, characters])"),
    RULE("BTRIM", "a?a", trim, "BTRIM(text[, characters])"),
    KERNEL("REPLACE", "sss", string, false, replace, "REPLACE(text, search, replacement)"),
    KERNEL("OVERLAY", "ssi?i", longer, false, overlay, "OVERLAY(text PLACING new FROM position [FOR length])"),
    KERNEL("ASCII", "s", integer, false, ascii, "ASCII(text)"),
    KERNEL("CHR", "i", string, true, chr, "CHR(code)"),
    KERNEL("SPLIT_INDEX", "ssi", string, true, split_index, "SPLIT_INDEX(text, separator, index)"),
    KERNEL("STARTSWITH", "xx", boolean, false, starts_with, "STARTSWITH(text, start)"),
    KERNEL("ENDSWITH", "xx", boolean, false, ends_with, "ENDSWITH(text, end)"),
    KERNEL("IS_ALPHA", "s", certain, false, is_alpha, "IS_ALPHA(text)"),
    KERNEL("IS_DIGIT", "s", certain, false, is_digit, "IS_DIGIT(text)"),
    KERNEL("IS_DECIMAL", "s", certain, false, is_decimal, "IS_DECIMAL(text)"),

    KERNEL("TRANSLATE", "sss", string, false, translate, "TRANSLATE(text, from, to)"),
    KERNEL("ELT", "is*", string, true, elt, "ELT(index, text, ...)"),
    KERNEL("PRINTF", "s?p*", string, true, printf, "PRINTF(format, value, ...)"),
    KERNEL("TO_BASE64", "x", string, false, to_base64, "TO_BASE64(text or bytes)"),
    KERNEL("FROM_BASE64", "s", string, false, from_base64, "FROM_BASE64(text)"),
    KERNEL("ENCODE", "ss", bytes, true, encode, "ENCODE(text, charset)"),
    KERNEL("DECODE", "ys", string, true, decode, "DECODE(bytes, charset)"),
    KERNEL("UNHEX", "s", bytes, true, unhex, "UNHEX(text)"),
    KERNEL("URL_ENCODE", "s", string, true, url_encode, "URL_ENCODE(text)"),
    KERNEL("URL_DECODE", "s", string, true, url_decode, "URL_DECODE(text)"),
    KERNEL("PARSE_URL", "ss?s", string, true, parse_url, "PARSE_URL(url, part[, key])"),
    KERNEL("MD5", "s", digits32, false, md5, "MD5(text)"),
    KERNEL("SHA1", "s", digits40, false, sha1, "SHA1(text)"),
    KERNEL("SHA224", "s", digits56, false, sha224, "SHA224(text)"),
    KERNEL("SHA256", "s", digits64, false, sha256, "SHA256(text)"),
    KERNEL("SHA384", "s", digits96, false, sha384, "SHA384(text)"),
    KERNEL("SHA512", "s", digits128, false, sha512, "SHA512(text)"),
    KERNEL("SHA2", "si", digits_of_any, false, sha2, "SHA2(text, bits)"),

    /* regular expressions, as Java writes them */
    KERNEL("REGEXP", "ss", boolean, false, regexp, "REGEXP(text, pattern)"),
    KERNEL("REGEXP_REPLACE", "sss", string, false, regexp_replace, "REGEXP_REPLACE(text, pattern, replacement)"),
    KERNEL("REGEXP_EXTRACT", "ss?i", string, true, regexp_extract, "REGEXP_EXTRACT(text, pattern[, group])"),
    KERNEL("REGEXP_SUBSTR", "ss", string, true, regexp_extract, "REGEXP_SUBSTR(text, pattern)"),
    KERNEL("REGEXP_COUNT", "ss", integer, true, regexp_count, "REGEXP_COUNT(text, pattern)"),
    KERNEL("REGEXP_INSTR", "ss", integer, true, regexp_instr, "REGEXP_INSTR(text, pattern)"),

    /* numbers */
    KERNEL("ABS", "n", same, false, absolute, "ABS(number)"),
    KERNEL("SIGN", "n", same, false, sign, "SIGN(number)"),
    RULE("MOD", "aa", mod, "MOD(dividend, divisor)"),
    RULE("ROUND", "a?a", round, "ROUND(number[, places])"),
    RULE("TRUNCATE", "a?a", truncate, "TRUNCATE(number[, places])"),
    RULE("CEIL", "a?a", ceil, "CEIL(number) or CEIL(time TO unit)"),
    RULE("CEILING", "a?a", ceil, "CEILING(number) or CEILING(time TO unit)"),
    RULE("FLOOR", "a?a", floor, "FLOOR(number) or FLOOR(time TO unit)"),
    KERNEL("POWER", "dd", floating, false, power, "POWER(base, exponent)"),
    KERNEL("SQRT", "d", floating, false, sqrt, "SQRT(number)"),
    KERNEL("EXP", "d", floating, false, exp, "EXP(number)"),
    KERNEL("LN", "d", floating, false, ln, "LN(number)"),
    KERNEL("LOG10", "d", floating, false, log10, "LOG10(number)"),
    KERNEL("LOG2", "d", floating, false, log2, "LOG2(number)"),
    KERNEL("LOG", "d?d", floating, false, log, "LOG([base, ]number)"),
    KERNEL("SIN", "d", floating, false, sin, "SIN(number)"),
    KERNEL("COS", "d", floating, false, cos, "COS(number)"),
    KERNEL("TAN", "d", floating, false, tan, "TAN(number)"),
    KERNEL("COT", "d", floating, false, cot, "COT(number)"),
    KERNEL("ASIN", "d", floating, false, asin, "ASIN(number)"),
    KERNEL("ACOS", "d", floating, false, acos, "ACOS(number)"),
    KERNEL("ATAN", "d", floating, false, atan, "ATAN(number)"),
    KERNEL("ATAN2", "dd", floating, false, atan2, "ATAN2(y, x)"),
    KERNEL("SINH", "d", floating, false, sinh, "SINH(number)"),
    KERNEL("COSH", "d", floating, false, cosh, "COSH(number)"),
    KERNEL("TANH", "d", floating, false, tanh, "TANH(number)"),
    KERNEL("DEGREES", "d", floating, false, degrees, "DEGREES(radians)"),
    KERNEL("RADIANS", "d", floating, false, radians, "RADIANS(degrees)"),
    KERNEL("PI", "", floating, false, pi, "PI()"),
    KERNEL("E", "", floating, false, e, "E()"),
    KERNEL("BIN", "l", string, false, bin, "BIN(integer)"),
    KERNEL("CONV", "eii", string, true, conv, "CONV(integer or text, from_base, to_base)"),
    RULE("HEX", "a", hex, "HEX(integer or text)"),

    KERNEL("RAND", "?i", floating, false, rand, "RAND([seed])"),
    KERNEL("RAND_INTEGER", "i?i", integer, false, rand_integer, "RAND_INTEGER([seed, ]bound)"),
    KERNEL("UUID", "", identifier, false, uuid, "UUID()"),

    /* time */
    RULE("EXTRACT", "aa", extract, "EXTRACT(unit FROM time)"),
    RULE("YEAR", "a", date_part, "YEAR(date)"),
    RULE("QUARTER", "a", date_part, "QUARTER(date)"),
    RULE("MONTH", "a", date_part, "MONTH(date)"),
    RULE("WEEK", "a", date_part, "WEEK(date)"),
    RULE("DAYOFYEAR", "a", date_part, "DAYOFYEAR(date)"),
    RULE("DAYOFMONTH", "a", date_part, "DAYOFMONTH(date)"),
    RULE("DAYOFWEEK", "a", date_part, "DAYOFWEEK(date)"),
    RULE("HOUR", "a", date_part, "HOUR(time)"),
    RULE("MINUTE", "a", date_part, "MINUTE(time)"),
    RULE("SECOND", "a", date_part, "SECOND(time)"),
    RULE("TIMESTAMPADD", "aaa", timestamp_add, "TIMESTAMPADD(unit, count, time)"),
    RULE("TIMESTAMPDIFF", "aaa", timestamp_diff, "TIMESTAMPDIFF(unit, from, to)"),
    RULE("DATE_FORMAT", "aa", date_format, "DATE_FORMAT(timestamp, pattern)"),
    KERNEL("TO_TIMESTAMP", "s?s", timestamp, true, to_timestamp, "TO_TIMESTAMP(text[, pattern])"),
    KERNEL("TO_DATE", "s?s", date, true, to_date, "TO_DATE(text[, pattern])"),
    RULE("TO_TIMESTAMP_LTZ", "a?aa", to_timestamp_ltz,
         "TO_TIMESTAMP_LTZ(number[, 0 or 3]) or TO_TIMESTAMP_LTZ(text[, pattern[, zone]])"),
    KERNEL("FROM_UNIXTIME", "l?s", string, true, from_unixtime, "FROM_UNIXTIME(seconds[, pattern])"),
    RULE("UNIX_TIMESTAMP", "?aa", unix_timestamp, "UNIX_TIMESTAMP([text[, pattern]])"),
    KERNEL("CONVERT_TZ", "sss", string, true, convert_zone, "CONVERT_TZ(text, from_zone, to_zone)"),
    RULE("CURRENT_DATE", "", current_date, "CURRENT_DATE"),
    RULE("CURRENT_TIME", "", current_time, "CURRENT_TIME"),
    RULE("LOCALTIME", "", current_time, "LOCALTIME"),
    RULE("CURRENT_TIMESTAMP", "", current_timestamp, "CURRENT_TIMESTAMP"),
    RULE("NOW", "", current_timestamp, "NOW()"),
    RULE("CURRENT_ROW_TIMESTAMP", "", current_timestamp, "CURRENT_ROW_TIMESTAMP()"),
    RULE("PROCTIME", "", proctime, "PROCTIME()"),
    RULE("LOCALTIMESTAMP", "", local_timestamp, "LOCALTIMESTAMP"),
    RULE("CURRENT_WATERMARK", "a", current_watermark, "CURRENT_WATERMARK(time)"),

    /* arrays and maps */
    RULE("CARDINALITY", "a", cardinality, "CARDINALITY(array, map or multiset)"),
    RULE("ELEMENT", "a", element, "ELEMENT(array)"),
    RULE("ARRAY_CONTAINS", "aa", array_contains, "ARRAY_CONTAINS(array, value)"),
    RULE("ARRAY_POSITION", "aa", array_position, "ARRAY_POSITION(array, value)"),
    RULE("ARRAY_REMOVE", "aa", array_remove, "ARRAY_REMOVE(array, value)"),
    RULE("ARRAY_APPEND", "aa", array_append, "ARRAY_APPEND(array, value)"),
    RULE("ARRAY_PREPEND", "aa", array_prepend, "ARRAY_PREPEND(array, value)"),
    RULE("ARRAY_CONCAT", "a*", array_concat, "ARRAY_CONCAT(array, ...)"),
    RULE("ARRAY_DISTINCT", "a", array_distinct, "ARRAY_DISTINCT(array)"),
    RULE("ARRAY_UNION", "aa", array_union, "ARRAY_UNION(array, array)"),
    RULE("ARRAY_INTERSECT", "aa", array_intersect, "ARRAY_INTERSECT(array, array)"),
    RULE("ARRAY_EXCEPT", "aa", array_except, "ARRAY_EXCEPT(array, array)"),
    RULE("ARRAY_REVERSE", "a", array_reverse, "ARRAY_REVERSE(array)"),
    RULE("ARRAY_SLICE", "aa?a", array_slice, "ARRAY_SLICE(array, from[, to])"),
    RULE("ARRAY_SORT", "a?aa", array_sort, "ARRAY_SORT(array[, ascending[, nulls_first]])"),
    RULE("ARRAY_MAX", "a", array_max, "ARRAY_MAX(array)"),
    RULE("ARRAY_MIN", "a", array_min, "ARRAY_MIN(array)"),
    RULE("ARRAY_JOIN", "aa?a", array_join, "ARRAY_JOIN(array, delimiter[, for_nulls])"),
    RULE("MAP_KEYS", "a", map_keys, "MAP_KEYS(map)"),
    RULE("MAP_VALUES", "a", map_values, "MAP_VALUES(map)"),
    RULE("MAP_ENTRIES", "a", map_entries, "MAP_ENTRIES(map)"),
    RULE("MAP_UNION", "a*", map_union, "MAP_UNION(map, ...)"),
    RULE("MAP_FROM_ARRAYS", "aa", map_from_arrays, "MAP_FROM_ARRAYS(keys, values)"),
    KERNEL("SPLIT", "ss", texts, false, split, "SPLIT(text, delimiter)"),
    KERNEL("STR_TO_MAP", "s?ss", text_map, true, str_to_map, "STR_TO_MAP(text[, pairs, values])"),
    KERNEL("REGEXP_EXTRACT_ALL", "ss?i", texts, true, regexp_extract_all, "REGEXP_EXTRACT_ALL(text, pattern[, group])"),

    /* JSON */
    RULE("JSON_EXISTS", "aa", json_exists, "JSON_EXISTS(json, path [TRUE | FALSE | UNKNOWN | ERROR ON ERROR])"),
    RULE("JSON_VALUE", "aa", json_value,
         "JSON_VALUE(json, path [RETURNING type] [NULL | ERROR | DEFAULT value ON EMPTY] [… ON ERROR])"),
    RULE("JSON_QUERY", "aa", json_query,
         "JSON_QUERY(json, path [RETURNING type] [WITH [CONDITIONAL] WRAPPER] [NULL | ERROR | EMPTY ARRAY | EMPTY "
         "OBJECT ON EMPTY] [… ON ERROR])"),
    RULE("JSON_STRING", "a", json_string, "JSON_STRING(value)"),
    RULE("JSON_OBJECT", "?a*", json_object, "JSON_OBJECT([KEY] key VALUE value, ... [NULL | ABSENT ON NULL])"),
    RULE("JSON_ARRAY", "?a*", json_array, "JSON_ARRAY(value, ... [NULL | ABSENT ON NULL])"),
    KERNEL("JSON_QUOTE", "s", string, false, json_quote, "JSON_QUOTE(text)"),
    KERNEL("JSON_UNQUOTE", "s", string, false, json_unquote, "JSON_UNQUOTE(json)"),

    /* aggregates */
    AGGREGATE("COUNT", "a", COUNT, "COUNT(*) or COUNT([DISTINCT] value)"),
    AGGREGATE("SUM", "a", SUM, "SUM([DISTINCT] number)"),
    AGGREGATE("MIN", "a", MIN, "MIN(value)"),
    AGGREGATE("MAX", "a", MAX, "MAX(value)"),
    AGGREGATE("AVG", "a", AVG, "AVG([DISTINCT] number)"),
    AGGREGATE("STDDEV_POP", "a", STDDEV_POP, "STDDEV_POP(number)"),
    AGGREGATE("STDDEV_SAMP", "a", STDDEV_SAMP, "STDDEV_SAMP(number)"),
    AGGREGATE("STDDEV", "a", STDDEV_SAMP, "STDDEV(number)"),
    AGGREGATE("VAR_POP", "a", VAR_POP, "VAR_POP(number)"),
    AGGREGATE("VAR_SAMP", "a", VAR_SAMP, "VAR_SAMP(number)"),
    AGGREGATE("VARIANCE", "a", VAR_SAMP, "VARIANCE(number)"),
    AGGREGATE("FIRST_VALUE", "a", FIRST_VALUE, "FIRST_VALUE(value)"),
    AGGREGATE("LAST_VALUE", "a", LAST_VALUE, "LAST_VALUE(value)"),
    AGGREGATE("LISTAGG", "a?a", LISTAGG, "LISTAGG([DISTINCT] text[, separator])"),
    AGGREGATE("COLLECT", "a", COLLECT, "COLLECT([DISTINCT] value)"),
    AGGREGATE("ARRAY_AGG", "a", ARRAY_AGG, "ARRAY_AGG([DISTINCT] value)"),
    AGGREGATE("JSON_ARRAYAGG", "a", JSON_ARRAYAGG, "JSON_ARRAYAGG(value [NULL | ABSENT ON NULL])"),
    AGGREGATE("JSON_OBJECTAGG", "aa", JSON_OBJECTAGG, "JSON_OBJECTAGG([KEY] key VALUE value [NULL | ABSENT ON NULL])"),
    AGGREGATE("APPROX_COUNT_DISTINCT", "a", APPROX_COUNT_DISTINCT, "APPROX_COUNT_DISTINCT(value)"),
    AGGREGATE("PERCENTILE", "aa", PERCENTILE, "PERCENTILE(number, share)"),
    AGGREGATE("SINGLE_VALUE", "a", SINGLE_VALUE, "SINGLE_VALUE(value)"),
    GROUP("GROUPING", "a*", GROUPING, "GROUPING(group, ...)"),
    GROUP("GROUPING_ID", "a*", GROUPING, "GROUPING_ID(group, ...)"),
    GROUP("GROUP_ID", "", GROUP_ID, "GROUP_ID()"),

    /* over windows */
    WINDOW("ROW_NUMBER", "", ROW_NUMBER, "ROW_NUMBER() OVER (... ORDER BY ...)"),
    WINDOW("RANK", "", RANK, "RANK() OVER (... ORDER BY ...)"),
    WINDOW("DENSE_RANK", "", DENSE_RANK, "DENSE_RANK() OVER (... ORDER BY ...)"),
    WINDOW("PERCENT_RANK", "", PERCENT_RANK, "PERCENT_RANK() OVER (... ORDER BY ...)"),
    WINDOW("CUME_DIST", "", CUME_DIST, "CUME_DIST() OVER (... ORDER BY ...)"),
    WINDOW("NTILE", "a", NTILE, "NTILE(parts) OVER (... ORDER BY ...)"),
    WINDOW("LAG", "a?aa", LAG, "LAG(value[, rows[, otherwise]]) OVER (... ORDER BY ...)"),
    WINDOW("LEAD", "a?aa", LEAD, "LEAD(value[, rows[, otherwise]]) OVER (... ORDER BY ...)"),

    /* windows of time: TABLE(TUMBLE(...)) is written in FROM; these stand in GROUP BY, and tell of it */
    GROUP("TUMBLE", "aa*", NONE, "TUMBLE(TABLE t, DESCRIPTOR(time), size[, offset])"),
    GROUP("HOP", "aa*", NONE, "HOP(TABLE t, DESCRIPTOR(time), slide, size[, offset])"),
    GROUP("CUMULATE", "aa*", NONE, "CUMULATE(TABLE t, DESCRIPTOR(time), step, size[, offset])"),
    GROUP("SESSION", "aa*", NONE, "SESSION(TABLE t [PARTITION BY key, ...], DESCRIPTOR(time), gap)"),
    GROUP("TUMBLE_START", "aa", NONE, "TUMBLE_START(time, size)"),
    GROUP("TUMBLE_END", "aa", NONE, "TUMBLE_END(time, size)"),
    GROUP("TUMBLE_ROWTIME", "aa", NONE, "TUMBLE_ROWTIME(time, size)"),
    GROUP("TUMBLE_PROCTIME", "aa", NONE, "TUMBLE_PROCTIME(time, size)"),
    GROUP("HOP_START", "aaa", NONE, "HOP_START(time, slide, size)"),
    GROUP("HOP_END", "aaa", NONE, "HOP_END(time, slide, size)"),
    GROUP("HOP_ROWTIME", "aaa", NONE, "HOP_ROWTIME(time, slide, size)"),
    GROUP("HOP_PROCTIME", "aaa", NONE, "HOP_PROCTIME(time, slide, size)"),
    GROUP("SESSION_START", "aa", NONE, "SESSION_START(time, gap)"),
    GROUP("SESSION_END", "aa", NONE, "SESSION_END(time, gap)"),
    GROUP("SESSION_ROWTIME", "aa", NONE, "SESSION_ROWTIME(time, gap)"),
    GROUP("SESSION_PROCTIME", "aa", NONE, "SESSION_PROCTIME(time, gap)"),

    /* what Flink has besides: for MATCH_RECOGNIZE, for watermarks in DDL, and of later versions */
    KNOWN("JSON"),
    KNOWN("MATCH_PROCTIME"),
    KNOWN("MATCH_ROWTIME"),
    KNOWN("PARSE_JSON"),
    KNOWN("SOURCE_WATERMARK"),
    KNOWN("TRY_PARSE_JSON"),
};

const size_t weir_function_count = sizeof weir_functions / sizeof weir_functions[0];

const weir_function *weir_function_find(const char *name)
{
    for (size_t i = 0; i < weir_function_count; i++) {
        if (weir_text_equal_ignore_case(weir_functions[i].name, name)) {
            return &weir_functions[i];
        }
    }
    return NULL;
}

const char *weir_function_suggest(const char *name)
{
    const char *names[sizeof weir_functions / sizeof weir_functions[0]];
    for (size_t i = 0; i < weir_function_count; i++) {
        names[i] = weir_functions[i].name;
    }
    return weir_suggest(name, names, weir_function_count);
}
