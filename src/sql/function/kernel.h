/* Kernels: functions over columns of carried values, which is how every scalar function that isn't DuckDB's own runs.
 *
 * Carried values are what DuckDB's vectors hold:
 *
 *   BOOLEAN                   uint8_t, 0 or 1
 *   TINYINT … BIGINT          int8_t … int64_t
 *   FLOAT, DOUBLE             float, double
 *   DECIMAL(p, s)             int16_t (p <= 4), int32_t (<= 9), int64_t (<= 18), 16 bytes (<= 38), unscaled
 *   CHAR, VARCHAR, *BINARY    weir_carried_text
 *   DATE                      int32_t days
 *   TIME                      int32_t milliseconds
 *   TIMESTAMP(<= 6), LTZ      int64_t microseconds
 *   TIMESTAMP(7–9), LTZ       16 bytes, nanoseconds
 *   intervals                 int32_t months, int64_t milliseconds
 *
 * A kernel knows nothing of DuckDB: engine/ fills weir_kernel_call. Nested values reach kernels of the `nested` form,
 * as vectors of the vector room. Threading: kernels are pure; one call is used by one thread. */
#ifndef WEIR_SQL_FUNCTION_KERNEL_H
#define WEIR_SQL_FUNCTION_KERNEL_H

#include "sql/type.h"
#include "vector/decimal.h"
#include "vector/time_text.h"
#include "vector/vector.h"

/* Text up to 12 bytes lies inside, longer text elsewhere, its first four bytes also here. */
typedef union weir_carried_text {
    struct {
        uint32_t size;
        char bytes[12];
    } inlined;
    struct {
        uint32_t size;
        char prefix[4];
        const char *bytes;
    } pointer;
} weir_carried_text;

typedef struct weir_kernel_call weir_kernel_call;
struct weir_kernel_call {
    int64_t length;
    int32_t argument_count;
    const weir_type *const *types; /* of the arguments */
    const weir_type *type;         /* of the result */
    const char *option;            /* weir_expression.kernel_option; NULL: none */
    const void **data;             /* of the arguments */
    const uint64_t **validity;     /* bit set: not NULL; NULL pointer: no NULLs */
    void *result;
    uint64_t *result_validity; /* all set at first */
    weir_buffer scratch;       /* for building text */
    size_t charged;            /* bytes of text that weir_kernel_charge has counted */
    const void *cache;         /* what a row kernel looked up for all rows, such as a zone; NULL at first */
    void *state;               /* what a row kernel made for all rows and its `finish` frees; NULL at first */
    void (*put_text)(weir_kernel_call *call, int64_t row, const void *bytes, size_t size);
    void *host;
};

typedef struct weir_kernel {
    const char *name; /* part of the function's name in generated SQL */
    /* One of three forms. Rows with a NULL argument are NULL and not visited, unless `sees_nulls`.
     * run: all rows at once; must not fail on values under NULLs. */
    int (*run)(weir_kernel_call *call, weir_error *err);
    int (*row)(weir_kernel_call *call, int64_t row, weir_error *err);
    int (*nested)(const weir_kernel_call *call, const weir_vector *arguments, weir_vector *out, weir_error *err);
    void (*finish)(weir_kernel_call *call); /* frees `state`; of the forms run and row */
    bool sees_nulls;
    bool null_on_error; /* a failing row is NULL: TRY_CAST. Not of `run` */
    bool is_volatile;
} weir_kernel;

/* --- Reading arguments ----------------------------------------------------------------------------------------- */

static inline bool weir_kernel_is_null(const weir_kernel_call *call, int32_t argument, int64_t row)
{
    const uint64_t *validity = call->validity[argument];
    return validity != NULL && !((validity[row >> 6] >> (row & 63)) & 1);
}

static inline bool weir_kernel_boolean(const weir_kernel_call *call, int32_t argument, int64_t row)
{
    return ((const uint8_t *)call->data[argument])[row] != 0;
}

/* TINYINT … BIGINT, DATE, TIME, intervals. */
static inline int64_t weir_kernel_integer(const weir_kernel_call *call, int32_t argument, int64_t row)
{
    const void *data = call->data[argument];
    switch ((int)call->types[argument]->id) {
    case WEIR_TINYINT:
        return ((const int8_t *)data)[row];
    case WEIR_SMALLINT:
        return ((const int16_t *)data)[row];
    case WEIR_BIGINT:
    case WEIR_INTERVAL_MILLIS:
        return ((const int64_t *)data)[row];
    default:
        return ((const int32_t *)data)[row];
    }
}

static inline weir_int128 weir_kernel_load128(const void *data, int64_t row)
{
    weir_int128 value;
    memcpy(&value, (const char *)data + row * 16, 16);
    return value;
}

/* The unscaled value of a DECIMAL, or an integer. */
static inline weir_int128 weir_kernel_decimal(const weir_kernel_call *call, int32_t argument, int64_t row)
{
    const weir_type *type = call->types[argument];
    const void *data = call->data[argument];
    if (type->id != WEIR_DECIMAL) {
        return weir_kernel_integer(call, argument, row);
    }
    if (type->precision <= 4) {
        return ((const int16_t *)data)[row];
    }
    if (type->precision <= 9) {
        return ((const int32_t *)data)[row];
    }
    if (type->precision <= 18) {
        return ((const int64_t *)data)[row];
    }
    return weir_kernel_load128(data, row);
}

/* FLOAT and DOUBLE. */
static inline double weir_kernel_double(const weir_kernel_call *call, int32_t argument, int64_t row)
{
    const void *data = call->data[argument];
    return call->types[argument]->id == WEIR_FLOAT ? (double)((const float *)data)[row] : ((const double *)data)[row];
}

static inline weir_slice weir_kernel_text(const weir_kernel_call *call, int32_t argument, int64_t row)
{
    const weir_carried_text *text = &((const weir_carried_text *)call->data[argument])[row];
    return text->inlined.size <= sizeof text->inlined.bytes ? weir_slice_of(text->inlined.bytes, text->inlined.size)
                                                            : weir_slice_of(text->pointer.bytes, text->pointer.size);
}

/* TIMESTAMP and LTZ of any precision. */
static inline weir_timestamp_nanos weir_kernel_timestamp(const weir_kernel_call *call, int32_t argument, int64_t row)
{
    const void *data = call->data[argument];
    if (call->types[argument]->precision <= 6) {
        int64_t micros = ((const int64_t *)data)[row];
        int64_t millis = weir_floor_div(micros, 1000);
        return (weir_timestamp_nanos){millis, (int32_t)(micros - millis * 1000) * 1000, 0};
    }
    weir_int128 nanos = weir_kernel_load128(data, row);
    weir_int128 millis = nanos / 1000000 - (nanos % 1000000 < 0);
    return (weir_timestamp_nanos){(int64_t)millis, (int32_t)(nanos - millis * 1000000), 0};
}

/* --- Writing results ------------------------------------------------------------------------------------------- */

static inline int weir_kernel_put_null(weir_kernel_call *call, int64_t row)
{
    call->result_validity[row >> 6] &= ~(UINT64_C(1) << (row & 63));
    return WEIR_OK;
}

static inline int weir_kernel_put_boolean(weir_kernel_call *call, int64_t row, bool value)
{
    ((uint8_t *)call->result)[row] = value;
    return WEIR_OK;
}

/* Integers wrap to the result's width. */
static inline int weir_kernel_put_integer(weir_kernel_call *call, int64_t row, int64_t value)
{
    switch ((int)call->type->id) {
    case WEIR_TINYINT:
        ((int8_t *)call->result)[row] = (int8_t)value;
        break;
    case WEIR_SMALLINT:
        ((int16_t *)call->result)[row] = (int16_t)value;
        break;
    case WEIR_BIGINT:
    case WEIR_INTERVAL_MILLIS:
        ((int64_t *)call->result)[row] = value;
        break;
    default:
        ((int32_t *)call->result)[row] = (int32_t)value;
        break;
    }
    return WEIR_OK;
}

/* An unscaled value of the result's scale that is known to fit the precision. */
static inline int weir_kernel_put_fitting_decimal(weir_kernel_call *call, int64_t row, weir_int128 value)
{
    if (call->type->precision <= 4) {
        ((int16_t *)call->result)[row] = (int16_t)value;
    } else if (call->type->precision <= 9) {
        ((int32_t *)call->result)[row] = (int32_t)value;
    } else if (call->type->precision <= 18) {
        ((int64_t *)call->result)[row] = (int64_t)value;
    } else {
        memcpy((char *)call->result + row * 16, &value, 16);
    }
    return WEIR_OK;
}

/* The same, NULL when it doesn't fit. */
static inline int weir_kernel_put_decimal(weir_kernel_call *call, int64_t row, weir_int128 value)
{
    return weir_decimal_fits(value, call->type->precision) ? weir_kernel_put_fitting_decimal(call, row, value)
                                                           : weir_kernel_put_null(call, row);
}

static inline int weir_kernel_put_double(weir_kernel_call *call, int64_t row, double value)
{
    if (call->type->id == WEIR_FLOAT) {
        ((float *)call->result)[row] = (float)value;
    } else {
        ((double *)call->result)[row] = value;
    }
    return WEIR_OK;
}

static inline int weir_kernel_put_text(weir_kernel_call *call, int64_t row, weir_slice text)
{
    call->put_text(call, row, text.data, text.size);
    return WEIR_OK;
}

/* What was built in call->scratch, which is empty afterwards. */
static inline int weir_kernel_put_scratch(weir_kernel_call *call, int64_t row)
{
    call->put_text(call, row, call->scratch.data, call->scratch.size);
    weir_buffer_clear(&call->scratch);
    return WEIR_OK;
}

/* Counts bytes that are about to be appended to scratch by functions that can make much of little, such as REPEAT; an
 * error when one text, or those of all rows together, would fill the memory. */
static inline int weir_kernel_charge(weir_kernel_call *call, size_t bytes, weir_error *err)
{
    const size_t longest = (size_t)256 << 20;
    const size_t together = (size_t)1 << 30;
    if (bytes > longest || call->scratch.size + bytes > longest) {
        return weir_fail(err, WEIR_INVALID, "a text would be longer than 256 MB");
    }
    call->charged += bytes;
    if (call->charged > together) {
        return weir_fail(err, WEIR_INVALID, "the texts of %" PRId64 " rows would take more than 1 GB", call->length);
    }
    return WEIR_OK;
}

/* Cut to the result's precision. */
static inline int weir_kernel_put_timestamp(weir_kernel_call *call, int64_t row, weir_timestamp_nanos value)
{
    int precision = call->type->precision;
    int64_t unit = 1; /* of the nanoseconds that are kept within a millisecond */
    for (int i = precision < 3 ? 9 : precision; i < 9; i++) {
        unit *= 10;
    }
    int64_t nanos = precision <= 3 ? 0 : value.nanos_of_milli / unit * unit;
    int64_t millis = value.millis;
    static const int64_t milli_units[] = {1000, 100, 10, 1};
    if (precision < 3) {
        millis = weir_floor_div(millis, milli_units[precision]) * milli_units[precision];
    }
    if (precision <= 6) {
        ((int64_t *)call->result)[row] = (int64_t)((uint64_t)millis * 1000 + (uint64_t)(nanos / 1000));
    } else {
        weir_int128 all = (weir_int128)millis * 1000000 + nanos;
        memcpy((char *)call->result + row * 16, &all, 16);
    }
    return WEIR_OK;
}

#endif
