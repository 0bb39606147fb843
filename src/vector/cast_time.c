/* Casts among DATE, TIME and timestamps, and between timestamps and integers (seconds since 1970).
 *
 * The zone of timestamps with local time zone is UTC, so that both kinds of timestamp hold the same numbers. Giving up
 * digits rounds as Paimon does: below the millisecond down, from there on towards zero. Dates and times of day before
 * 1970 are rounded down, which gives the day itself; Paimon up to 1.4 gives the next one. */
#include "vector/cast_rules.h"
#include "vector/time_text.h"

/* Any source as milliseconds since 1970 and nanoseconds of the millisecond. */
static weir_timestamp_nanos load(const weir_vector *from, int64_t row)
{
    switch (from->type->id) {
    case WEIR_DATE:
        return (weir_timestamp_nanos){(int64_t)WEIR_VALUES(from, int32_t)[row] * WEIR_MILLIS_PER_DAY, 0, 0};
    case WEIR_TIME:
        return (weir_timestamp_nanos){WEIR_VALUES(from, int32_t)[row], 0, 0};
    case WEIR_INT:
        return (weir_timestamp_nanos){(int64_t)WEIR_VALUES(from, int32_t)[row] * 1000, 0, 0};
    case WEIR_BIGINT: /* wraps as in Java */
        return (weir_timestamp_nanos){(int64_t)(WEIR_VALUES(from, uint64_t)[row] * 1000), 0, 0};
    default:
        break;
    }
    return from->type->precision > 6 ? WEIR_VALUES(from, weir_timestamp_nanos)[row]
                                     : weir_timestamp_widen(WEIR_VALUES(from, int64_t)[row], from->type->precision);
}

static int32_t power_of_ten(int32_t exponent)
{
    int32_t power = 1;
    for (int32_t i = 0; i < exponent; i++) {
        power *= 10;
    }
    return power;
}

static int store_timestamp(weir_vector *out, int64_t row, weir_timestamp_nanos value, weir_error *err)
{
    int32_t precision = out->type->precision;
    if (precision <= 3) {
        int64_t unit = power_of_ten(3 - precision);
        WEIR_VALUES(out, int64_t)[row] = value.millis / unit * unit;
        return WEIR_OK;
    }
    int32_t unit = power_of_ten(9 - precision);
    int32_t nanos = value.nanos_of_milli / unit * unit;
    if (precision > 6) {
        WEIR_VALUES(out, weir_timestamp_nanos)[row] = (weir_timestamp_nanos){value.millis, nanos, 0};
        return WEIR_OK;
    }
    value.nanos_of_milli = nanos;
    if (!weir_timestamp_narrow(value, precision, &WEIR_VALUES(out, int64_t)[row])) {
        return weir_fail(err, WEIR_INVALID,
                         "%" PRId64 " milliseconds since 1970 are out of the range of TIMESTAMP(%" PRId32 ")",
                         value.millis, precision);
    }
    return WEIR_OK;
}

static int store(weir_vector *out, int64_t row, weir_timestamp_nanos value, weir_error *err)
{
    switch (out->type->id) {
    case WEIR_DATE:
        WEIR_VALUES(out, int32_t)[row] = (int32_t)weir_floor_div(value.millis, WEIR_MILLIS_PER_DAY);
        return WEIR_OK;
    case WEIR_TIME:
        WEIR_VALUES(out, int32_t)[row] = (int32_t)weir_floor_mod(value.millis, WEIR_MILLIS_PER_DAY);
        return WEIR_OK;
    case WEIR_INT:
        WEIR_VALUES(out, int32_t)[row] = (int32_t)(value.millis / 1000);
        return WEIR_OK;
    case WEIR_BIGINT:
        WEIR_VALUES(out, int64_t)[row] = value.millis / 1000;
        return WEIR_OK;
    default:
        return store_timestamp(out, row, value, err);
    }
}

int weir_cast_times(const weir_vector *from, weir_vector *out, weir_error *err)
{
    WEIR_TRY(weir_cast_begin(from, out, err));
    for (int64_t i = 0; i < from->length; i++) {
        /* The slot of a NULL holds zeros, and must do so in the result. */
        weir_timestamp_nanos value = weir_vector_is_null(from, i) ? (weir_timestamp_nanos){0} : load(from, i);
        WEIR_TRY(store(out, out->length + i, value, err));
    }
    weir_cast_end(from, out);
    return WEIR_OK;
}
