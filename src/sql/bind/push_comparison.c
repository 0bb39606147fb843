/* Comparisons brought below casts that keep the order.
 *
 * Two kinds of casts do. Those into a finer type lose nothing (INT to DECIMAL(12, 2), DATE to TIMESTAMP): the literal
 * is rounded down to a value of the coarser type, and the comparison follows from whether it was one. Those into a
 * coarser type (TIMESTAMP to DATE, the year of a date) make one value of a range: the literal stands for that range.
 * Both work on whole numbers of the finer type's grain: unscaled decimals, nanoseconds. */
#include "sql/bind/push_comparison.h"

#include <math.h>

#include "base/clock.h"
#include "sql/function/kernels.h"

#define NANOS_PER_MILLI ((weir_int128)1000000)
#define NANOS_PER_DAY   (NANOS_PER_MILLI * WEIR_MILLIS_PER_DAY)

weir_predicate_kind weir_comparison_kind(weir_expression_kind kind, bool mirrored, bool negated)
{
    /* In the order of the expression kinds from EQUAL on: as it is, mirrored, negated, both. */
    static const weir_predicate_kind kinds[6][4] = {
        {WEIR_PREDICATE_EQUAL, WEIR_PREDICATE_EQUAL, WEIR_PREDICATE_NOT_EQUAL, WEIR_PREDICATE_NOT_EQUAL},
        {WEIR_PREDICATE_NOT_EQUAL, WEIR_PREDICATE_NOT_EQUAL, WEIR_PREDICATE_EQUAL, WEIR_PREDICATE_EQUAL},
        {WEIR_PREDICATE_LESS, WEIR_PREDICATE_GREATER, WEIR_PREDICATE_GREATER_OR_EQUAL, WEIR_PREDICATE_LESS_OR_EQUAL},
        {WEIR_PREDICATE_LESS_OR_EQUAL, WEIR_PREDICATE_GREATER_OR_EQUAL, WEIR_PREDICATE_GREATER, WEIR_PREDICATE_LESS},
        {WEIR_PREDICATE_GREATER, WEIR_PREDICATE_LESS, WEIR_PREDICATE_LESS_OR_EQUAL, WEIR_PREDICATE_GREATER_OR_EQUAL},
        {WEIR_PREDICATE_GREATER_OR_EQUAL, WEIR_PREDICATE_LESS_OR_EQUAL, WEIR_PREDICATE_LESS, WEIR_PREDICATE_GREATER},
    };
    return kinds[kind - WEIR_EXPRESSION_EQUAL][(mirrored ? 1 : 0) + (negated ? 2 : 0)];
}

bool weir_comparison_fits(const weir_type *column, const weir_type *literal)
{
    if (weir_type_is_nested(column) || column->id != literal->id) {
        return weir_type_is_text(column) && weir_type_is_text(literal);
    }
    switch (column->id) {
    case WEIR_DECIMAL:
        return column->scale == literal->scale && (column->precision <= 18) == (literal->precision <= 18);
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        return (column->precision <= 3) == (literal->precision <= 3) &&
               (column->precision <= 6) == (literal->precision <= 6);
    default:
        return true;
    }
}

bool weir_comparison_is_like(const weir_expression *call) { return call->kernel == &weir_kernel_like; }
bool weir_comparison_is_starts_with(const weir_expression *call) { return call->kernel == &weir_kernel_starts_with; }

/* --- literals as whole numbers ----------------------------------------------------------------------------------- */

/* Of exact numbers and times: unscaled values; nanoseconds since 1970. */
static weir_int128 to_whole(const weir_type *type, const weir_literal *literal)
{
    switch (type->id) {
    case WEIR_DECIMAL:
        return type->precision <= 18 ? literal->integer : literal->decimal;
    case WEIR_DATE:
        return literal->integer * NANOS_PER_DAY;
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ: {
        weir_timestamp_nanos value =
            type->precision <= 6 ? weir_timestamp_widen(literal->integer, type->precision) : literal->nanos;
        return value.millis * NANOS_PER_MILLI + value.nanos_of_milli;
    }
    default:
        return literal->integer;
    }
}

static weir_int128 floor_div(weir_int128 value, weir_int128 divisor) { return value / divisor - (value % divisor < 0); }

/* The other way round, of a value that the type has. False: it is outside of the type's range. */
static bool from_whole(const weir_type *type, weir_int128 value, weir_literal *out)
{
    static const int64_t highest[] = {INT8_MAX, INT16_MAX, INT32_MAX, INT64_MAX};
    *out = (weir_literal){0};
    if (type->id == WEIR_DECIMAL) {
        if (type->precision > 18) {
            out->decimal = value;
        } else {
            out->integer = (int64_t)value;
        }
        return weir_decimal_fits(value, type->precision);
    }
    if (weir_type_is_timestamp(type)) {
        weir_int128 millis = floor_div(value, NANOS_PER_MILLI);
        weir_timestamp_nanos nanos = {(int64_t)millis, (int32_t)(value - millis * NANOS_PER_MILLI), 0};
        if (type->precision > 6) {
            out->nanos = nanos;
            return millis >= INT64_MIN && millis <= INT64_MAX;
        }
        return millis >= INT64_MIN && millis <= INT64_MAX &&
               weir_timestamp_narrow(nanos, type->precision, &out->integer);
    }
    if (type->id == WEIR_DATE) {
        value = floor_div(value, NANOS_PER_DAY);
    }
    int64_t limit = type->id == WEIR_DATE ? INT32_MAX : highest[type->id - WEIR_TINYINT];
    out->integer = (int64_t)value;
    return value >= -(weir_int128)limit - 1 && value <= limit;
}

/* --- into a finer type ------------------------------------------------------------------------------------------- */

/* One unit of the coarse type, in the grain of whole numbers of the fine one; 0: the cast is none into a finer type. */
static weir_int128 coarse_unit(const weir_type *coarse, const weir_type *fine)
{
    if (weir_type_is_integer(coarse) && weir_type_is_integer(fine)) {
        return coarse->id <= fine->id ? 1 : 0;
    }
    if (fine->id == WEIR_DECIMAL && (weir_type_is_integer(coarse) || coarse->id == WEIR_DECIMAL)) {
        int digits = fine->scale - (coarse->id == WEIR_DECIMAL ? coarse->scale : 0);
        return digits >= 0 ? weir_power_of_ten(digits) : 0;
    }
    if (fine->id == WEIR_TIMESTAMP && coarse->id == WEIR_DATE) {
        return NANOS_PER_DAY;
    }
    if (weir_type_is_timestamp(fine) && coarse->id == fine->id && coarse->precision <= fine->precision) {
        return weir_power_of_ten(9 - coarse->precision);
    }
    return 0;
}

/* A comparison with a number that the argument's type cannot hold. */
static weir_comparison_result beyond(weir_predicate_kind kind, bool above)
{
    switch (kind) {
    case WEIR_PREDICATE_EQUAL:
        return WEIR_COMPARISON_NEVER;
    case WEIR_PREDICATE_NOT_EQUAL:
        return WEIR_COMPARISON_IF_NOT_NULL;
    case WEIR_PREDICATE_LESS:
    case WEIR_PREDICATE_LESS_OR_EQUAL:
        return above ? WEIR_COMPARISON_IF_NOT_NULL : WEIR_COMPARISON_NEVER;
    default:
        return above ? WEIR_COMPARISON_NEVER : WEIR_COMPARISON_IF_NOT_NULL;
    }
}

/* `floor`: the literal rounded down, in units of the argument's type. */
static weir_comparison_result compare_rounded(const weir_type *type, weir_int128 floor, bool is_exact,
                                              weir_predicate_kind kind, weir_comparison *out)
{
    out->kind = kind;
    out->type = type;
    bool is_temporal = type->id == WEIR_DATE || weir_type_is_timestamp(type);
    weir_int128 grain = type->id == WEIR_DATE          ? NANOS_PER_DAY
                        : weir_type_is_timestamp(type) ? weir_power_of_ten(9 - type->precision)
                                                       : 1;
    if (!from_whole(type, floor * grain, &out->literal)) {
        return is_temporal ? WEIR_COMPARISON_UNKNOWN : beyond(kind, floor > 0);
    }
    if (is_exact) {
        return WEIR_COMPARISON_ONE;
    }
    switch (kind) {
    case WEIR_PREDICATE_EQUAL:
        return WEIR_COMPARISON_NEVER;
    case WEIR_PREDICATE_NOT_EQUAL:
        return WEIR_COMPARISON_IF_NOT_NULL;
    case WEIR_PREDICATE_LESS:
        out->kind = WEIR_PREDICATE_LESS_OR_EQUAL;
        return WEIR_COMPARISON_ONE;
    case WEIR_PREDICATE_GREATER_OR_EQUAL:
        out->kind = WEIR_PREDICATE_GREATER;
        return WEIR_COMPARISON_ONE;
    default:
        return WEIR_COMPARISON_ONE;
    }
}

/* Integers compared as DOUBLE: exact for literals within the 53 bits of one. */
static weir_comparison_result below_double(const weir_type *type, const weir_comparison *comparison,
                                           weir_comparison *out)
{
    double value = comparison->literal.float64;
    if (!weir_type_is_integer(type) || !(fabs(value) < 9007199254740992.0)) {
        return WEIR_COMPARISON_UNKNOWN;
    }
    return compare_rounded(type, (weir_int128)floor(value), floor(value) == value, comparison->kind, out);
}

/* FLOAT compared as DOUBLE, with a number that is a FLOAT too. */
static weir_comparison_result below_widened_float(const weir_type *type, const weir_comparison *comparison,
                                                  weir_comparison *out)
{
    float value = (float)comparison->literal.float64;
    *out = (weir_comparison){comparison->kind, type, {.float32 = value}};
    return (double)value == comparison->literal.float64 ? WEIR_COMPARISON_ONE : WEIR_COMPARISON_UNKNOWN;
}

/* --- into a coarser type ----------------------------------------------------------------------------------------- */

/* The comparison of something that makes the range [low, high) of its argument equal to the literal. */
static weir_comparison_result compare_range(const weir_type *type, weir_int128 low, weir_int128 high,
                                            weir_predicate_kind kind, weir_comparison out[2])
{
    bool takes_high = kind == WEIR_PREDICATE_LESS_OR_EQUAL || kind == WEIR_PREDICATE_GREATER;
    bool takes_below = kind == WEIR_PREDICATE_LESS || kind == WEIR_PREDICATE_LESS_OR_EQUAL;
    out[0].type = out[1].type = type;
    out[0].kind = takes_below ? WEIR_PREDICATE_LESS : WEIR_PREDICATE_GREATER_OR_EQUAL;
    out[1].kind = WEIR_PREDICATE_LESS;
    if (kind == WEIR_PREDICATE_NOT_EQUAL || !from_whole(type, takes_high ? high : low, &out[0].literal) ||
        !from_whole(type, high, &out[1].literal)) {
        return WEIR_COMPARISON_UNKNOWN;
    }
    return kind == WEIR_PREDICATE_EQUAL ? WEIR_COMPARISON_TWO : WEIR_COMPARISON_ONE;
}

/* EXTRACT(YEAR FROM date or timestamp). */
static weir_comparison_result below_year(const weir_type *type, const weir_comparison *comparison,
                                         weir_comparison out[2])
{
    int64_t year = comparison->literal.integer;
    if ((type->id != WEIR_DATE && type->id != WEIR_TIMESTAMP) || year < 1 || year > 9998) {
        return WEIR_COMPARISON_UNKNOWN;
    }
    return compare_range(type, weir_days_from_civil(year, 1, 1) * NANOS_PER_DAY,
                         weir_days_from_civil(year + 1, 1, 1) * NANOS_PER_DAY, comparison->kind, out);
}

/* --- choosing ---------------------------------------------------------------------------------------------------- */

static bool is_cast(const weir_expression *call)
{
    bool needs_zone;
    if (call->argument_count != 1) {
        return false;
    }
    const weir_type *from = call->arguments[0]->type;
    return !weir_type_is_nested(from) && !weir_type_is_nested(call->type) &&
           (call->kernel == weir_kernel_cast(from, call->type, false, &needs_zone) ||
            call->kernel == weir_kernel_cast(from, call->type, true, &needs_zone));
}

static weir_comparison_result below_cast(const weir_type *from, const weir_comparison *comparison,
                                         weir_comparison out[2])
{
    const weir_type *to = comparison->type;
    if (to->id == WEIR_DOUBLE) {
        return from->id == WEIR_FLOAT ? below_widened_float(from, comparison, out)
                                      : below_double(from, comparison, out);
    }
    weir_int128 unit = coarse_unit(from, to);
    if (unit > 0) {
        weir_int128 value = to_whole(to, &comparison->literal);
        weir_int128 units = floor_div(value, unit);
        return compare_rounded(from, units, units * unit == value, comparison->kind, out);
    }
    bool cuts = (from->id == WEIR_TIMESTAMP && to->id == WEIR_DATE) ||
                (weir_type_is_timestamp(from) && to->id == from->id && to->precision < from->precision);
    if (cuts) {
        weir_int128 low = to_whole(to, &comparison->literal);
        weir_int128 grain = to->id == WEIR_DATE ? NANOS_PER_DAY : weir_power_of_ten(9 - to->precision);
        return compare_range(from, low, low + grain, comparison->kind, out);
    }
    return WEIR_COMPARISON_UNKNOWN;
}

weir_comparison_result weir_comparison_below(const weir_expression *side, const weir_comparison *comparison,
                                             weir_comparison out[2])
{
    if (side->kind == WEIR_EXPRESSION_COLUMN) { /* under casts between types that are carried alike */
        return weir_sql_type_equal(side->type, comparison->type, true) ? WEIR_COMPARISON_UNKNOWN
                                                                       : below_cast(side->type, comparison, out);
    }
    if (side->kind != WEIR_EXPRESSION_CALL) {
        return WEIR_COMPARISON_UNKNOWN;
    }
    if (side->kernel == &weir_kernel_extract && strncmp(side->kernel_option, "YEAR:", 5) == 0) {
        return below_year(side->arguments[0]->type, comparison, out);
    }
    return is_cast(side) && weir_sql_type_equal(side->type, comparison->type, true)
               ? below_cast(side->arguments[0]->type, comparison, out)
               : WEIR_COMPARISON_UNKNOWN;
}
