/* Literals: numbers by how they are written, text, dates and times, intervals. */
#include <errno.h>
#include <stdlib.h>

#include "sql/bind/binder_internal.h"
#include "vector/decimal.h"
#include "vector/time_text.h"

static weir_expression *new_literal(weir_binder *binder, const weir_ast_expression *ast, const weir_type *type,
                                    weir_literal literal)
{
    return weir_expression_literal(binder, type, literal, &ast->position);
}

/* --- Numbers --------------------------------------------------------------------------------------------------- */

enum { MOST_DIGITS = 38 }; /* of a DECIMAL */

static int bind_whole_number(weir_binder *binder, const weir_ast_expression *ast, bool negated, weir_expression **out)
{
    errno = 0;
    uint64_t magnitude = strtoull(ast->text, NULL, 10);
    uint64_t highest = (uint64_t)INT64_MAX + (negated ? 1 : 0);
    if (strlen(ast->text) > MOST_DIGITS) {
        return weir_binder_fail(binder, &ast->position,
                                "the number %s has more digits than a DECIMAL holds, which are %d", ast->text,
                                MOST_DIGITS);
    }
    if (errno != 0 || magnitude > highest) {
        return weir_binder_fail(binder, &ast->position,
                                strlen(ast->text) < MOST_DIGITS
                                    ? "the number %s is out of the range of BIGINT; write %s.0 for a DECIMAL"
                                    : "the number %s is out of the range of BIGINT; write CAST('%s' AS DECIMAL(38, 0))",
                                ast->text, ast->text);
    }
    int64_t value = negated ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    bool fits = value >= INT32_MIN && value <= INT32_MAX;
    *out = new_literal(binder, ast, weir_type_simple(fits ? WEIR_INT : WEIR_BIGINT, false),
                       (weir_literal){.integer = value});
    return WEIR_OK;
}

/* 1.50 is DECIMAL(3, 2) and 0.05 is too: all digits count as written. */
static int bind_decimal(weir_binder *binder, const weir_ast_expression *ast, bool negated, weir_expression **out)
{
    const char *point = strchr(ast->text, '.');
    int scale = (int)strlen(point + 1);
    int precision = (int)strlen(ast->text) - 1;
    if (precision > MOST_DIGITS) {
        return weir_binder_fail(binder, &ast->position, "the number %s has more than 38 digits", ast->text);
    }
    weir_int128 value;
    weir_slice text = weir_slice_text(ast->text);
    if (!weir_decimal_parse(text, precision, scale, &value)) {
        return weir_binder_fail(binder, &ast->position, "the number %s is out of range", ast->text);
    }
    value = negated ? -value : value;
    weir_literal literal = {0};
    if (precision <= 18) {
        literal.integer = (int64_t)value;
    } else {
        literal.decimal = value;
    }
    *out = new_literal(binder, ast, weir_type_decimal(binder->arena, precision, scale, false), literal);
    return WEIR_OK;
}

static int bind_number(weir_binder *binder, const weir_ast_expression *ast, bool negated, weir_expression **out)
{
    if (strpbrk(ast->text, "eE") != NULL) {
        double value = strtod(ast->text, NULL);
        *out = new_literal(binder, ast, weir_type_simple(WEIR_DOUBLE, false),
                           (weir_literal){.float64 = negated ? -value : value});
        return WEIR_OK;
    }
    return strchr(ast->text, '.') != NULL ? bind_decimal(binder, ast, negated, out)
                                          : bind_whole_number(binder, ast, negated, out);
}

/* --- Dates and times ------------------------------------------------------------------------------------------- */

/* Digits after the last point: the precision of a TIME or TIMESTAMP literal. */
static int fraction_digits(const char *text)
{
    const char *point = strrchr(text, '.');
    int digits = 0;
    while (point != NULL && point[1 + digits] >= '0' && point[1 + digits] <= '9') {
        digits++;
    }
    return digits < 9 ? digits : 9;
}

static int bind_date(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out)
{
    int32_t days;
    weir_slice text = weir_slice_text(ast->text);
    const char *dash = strchr(ast->text, '-');
    bool whole = dash != NULL && strchr(dash + 1, '-') != NULL && strchr(ast->text, ' ') == NULL;
    if (!whole || !weir_date_parse(text, &days)) { /* also 2024-1-1 */
        return weir_binder_fail(binder, &ast->position, "DATE '%s' is no date; it is written as DATE '2024-02-29'",
                                ast->text);
    }
    *out = new_literal(binder, ast, weir_type_simple(WEIR_DATE, false), (weir_literal){.integer = days});
    return WEIR_OK;
}

static int bind_time(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out)
{
    int32_t millis;
    if (!weir_time_parse(weir_slice_text(ast->text), &millis)) {
        return weir_binder_fail(binder, &ast->position, "TIME '%s' is no time; it is written as TIME '12:34:56'",
                                ast->text);
    }
    const weir_type *type = weir_type_with_length(binder->arena, WEIR_TIME, fraction_digits(ast->text), false);
    *out = new_literal(binder, ast, type, (weir_literal){.integer = millis});
    return WEIR_OK;
}

static int bind_timestamp(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out)
{
    int precision = fraction_digits(ast->text);
    weir_timestamp_nanos value;
    if (!weir_timestamp_parse(weir_slice_text(ast->text), precision, &value)) {
        return weir_binder_fail(binder, &ast->position,
                                "TIMESTAMP '%s' is no timestamp; it is written as TIMESTAMP '2024-02-29 12:34:56.789'",
                                ast->text);
    }
    weir_literal literal = {0};
    if (precision > 6) {
        literal.nanos = value;
    } else if (!weir_timestamp_narrow(value, precision, &literal.integer)) {
        return weir_binder_fail(binder, &ast->position, "TIMESTAMP '%s' is out of range", ast->text);
    }
    *out = new_literal(binder, ast, weir_type_with_length(binder->arena, WEIR_TIMESTAMP, precision, false), literal);
    return WEIR_OK;
}

/* --- Intervals ------------------------------------------------------------------------------------------------- */

static const weir_type *interval_type(weir_binder *binder, bool months)
{
    weir_type *type = weir_type_new(binder->arena, months ? WEIR_INT : WEIR_BIGINT, false);
    type->id = months ? WEIR_INTERVAL_MONTHS : WEIR_INTERVAL_MILLIS;
    return type;
}

typedef struct interval_unit {
    const char *name;
    int64_t size;   /* in months or milliseconds */
    char separator; /* between it and the next smaller one */
    int64_t limit;  /* of a value that is not the first; 0: none */
} interval_unit;

/* The order within one text, larger units first. */
static const interval_unit month_units[] = {{"YEAR", 12, '-', 0}, {"MONTH", 1, 0, 12}};
static const interval_unit milli_units[] = {
    {"DAY", 86400000, ' ', 0}, {"HOUR", 3600000, ':', 24}, {"MINUTE", 60000, ':', 60}, {"SECOND", 1000, 0, 60}};

static bool parse_digits(const char **text, int64_t *out)
{
    int64_t value = 0;
    const char *from = *text;
    while (**text >= '0' && **text <= '9' && value < INT64_C(100000000000)) {
        value = value * 10 + (*(*text)++ - '0');
    }
    *out = value;
    return *text > from;
}

/* Reads e.g. "1 02:03:04.567" for DAY TO SECOND. */
static bool parse_parts(const char *text, const interval_unit *units, int first, int last, int64_t *out,
                        int *out_leading)
{
    int64_t sum = 0;
    for (int i = first; i <= last; i++) {
        int64_t value;
        const char *digits = text;
        if (!parse_digits(&text, &value) || (i > first && value >= units[i].limit)) {
            return false;
        }
        *out_leading = i == first ? (int)(text - digits) : *out_leading;
        sum += value * units[i].size;
        if (i < last && *text++ != units[i].separator) {
            return false;
        }
    }
    if (*text == '.' && strcmp(units[last].name, "SECOND") == 0) {
        text++;
        for (int64_t unit = 100; *text >= '0' && *text <= '9'; text++, unit /= 10) {
            sum += (*text - '0') * unit;
        }
    }
    *out = sum;
    return *text == '\0';
}

static int find_unit(const interval_unit *units, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(units[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static int bind_interval(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out)
{
    const weir_ast_interval *interval = &ast->interval;
    const char *text = ast->text;
    while (*text == ' ') {
        text++;
    }
    bool negative = ast->negated != (*text == '-');
    text += *text == '-' || *text == '+';
    int64_t factor = 1; /* WEEK and QUARTER stand alone and count others */
    const char *from = interval->from;
    if (strcmp(from, "WEEK") == 0) {
        from = "DAY";
        factor = 7;
    } else if (strcmp(from, "QUARTER") == 0) {
        from = "MONTH";
        factor = 3;
    }
    const char *to = interval->to == NULL ? from : interval->to;
    bool months = find_unit(month_units, 2, from) >= 0;
    const interval_unit *units = months ? month_units : milli_units;
    int first = find_unit(units, months ? 2 : 4, from);
    int last = find_unit(units, months ? 2 : 4, to);
    int64_t value;
    if (first < 0 || last < first) {
        return weir_binder_fail(binder, &ast->position, "an INTERVAL can't reach from %s to %s", interval->from, to);
    }
    int leading = 0;
    if (!parse_parts(text, units, first, last, &value, &leading)) {
        return weir_binder_fail(binder, &ast->position, "'%s' is no interval of %s%s%s", ast->text, interval->from,
                                interval->to == NULL ? "" : " TO ", interval->to == NULL ? "" : interval->to);
    }
    int precision = interval->leading_precision < 0 ? 2 : interval->leading_precision;
    if (leading > precision) {
        return weir_binder_fail(binder, &ast->position, "'%s' has more than %d digits of %s; write %s(%d)", ast->text,
                                precision, interval->from, interval->from, leading);
    }
    bool too_large = __builtin_mul_overflow(value, negative ? -factor : factor, &value);
    if (too_large) {
        return weir_binder_fail(binder, &ast->position, "the interval is out of range");
    }
    if (months && (value > INT32_MAX || value < INT32_MIN)) {
        return weir_binder_fail(binder, &ast->position, "the interval is out of range");
    }
    *out = new_literal(binder, ast, interval_type(binder, months), (weir_literal){.integer = value});
    return WEIR_OK;
}

/* --- Which literal --------------------------------------------------------------------------------------------- */

static const weir_type *type_of_bytes(weir_binder *binder, weir_type_id id, size_t length)
{
    weir_type *type = weir_type_new(binder->arena, id, false);
    type->precision = (int32_t)length;
    return type;
}

static size_t count_code_points(const char *text, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++) {
        count += ((unsigned char)text[i] & 0xC0) != 0x80;
        count += (unsigned char)text[i] >= 0xF0; /* CHAR(n) of a literal counts UTF-16 units, as Java's length() */
    }
    return count;
}

int weir_bind_literal(weir_binder *binder, const weir_ast_expression *ast, bool negated, weir_expression **out)
{
    switch (ast->kind) {
    case WEIR_AST_NULL:
        *out = weir_expression_null(binder, weir_type_simple(WEIR_NULL, true), &ast->position);
        return WEIR_OK;
    case WEIR_AST_BOOLEAN:
        *out = new_literal(binder, ast, weir_binder_boolean(false), (weir_literal){.boolean = ast->operation != 0});
        return WEIR_OK;
    case WEIR_AST_NUMBER:
        return bind_number(binder, ast, negated, out);
    case WEIR_AST_STRING:
        *out = new_literal(
            binder, ast, type_of_bytes(binder, WEIR_CHAR, count_code_points(ast->text, ast->text_size)),
            (weir_literal){
                .bytes = weir_slice_of(weir_arena_strndup(binder->arena, ast->text, ast->text_size), ast->text_size)});
        return WEIR_OK;
    case WEIR_AST_BYTES:
        *out = new_literal(
            binder, ast, type_of_bytes(binder, WEIR_BINARY, ast->text_size),
            (weir_literal){
                .bytes = weir_slice_of(weir_arena_strndup(binder->arena, ast->text, ast->text_size), ast->text_size)});
        return WEIR_OK;
    case WEIR_AST_DATE:
        return bind_date(binder, ast, out);
    case WEIR_AST_TIME:
        return bind_time(binder, ast, out);
    case WEIR_AST_TIMESTAMP:
        return bind_timestamp(binder, ast, out);
    default:
        return bind_interval(binder, ast, out);
    }
}
