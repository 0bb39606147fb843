/* Counts, sums and averages: cells of a fixed width, and floating-point sums, which may grow a tail.
 *
 * Integers are summed modulo 2^64 and cut to the aggregate's width when they are told, which is what wrapping at every
 * step would give. Decimals are summed wide enough not to overflow: a sum that does not fit DECIMAL(38, s) is NULL, and
 * is none any more when values go. Floating-point sums are exact (sql/function/exact_sum.h). */
#include <math.h>
#include <stdlib.h>

#include "sql/function/carried.h"
#include "sql/function/exact_sum.h"
#include "sql/function/kernels.h"
#include "sql/function/wide.h"
#include "stream/operator/aggregate/accumulator_value.h"

/* The fixed part of a cell in a row. */
static inline uint8_t *part(const weir_accumulator_rows *rows, int64_t row, const weir_cell *cell)
{
    return rows->bytes[row] + cell->offset;
}

static inline int64_t load_64(const uint8_t *from)
{
    int64_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

static inline void add_64(uint8_t *to, uint64_t value)
{
    uint64_t sum;
    memcpy(&sum, to, sizeof sum);
    sum += value;
    memcpy(to, &sum, sizeof sum);
}

/* --- Counts ---------------------------------------------------------------------------------------------------- */

static void count_rows(int32_t offset, const weir_accumulator_rows *rows, const weir_entries *entries)
{
    if (entries->signs == NULL) {
        for (int64_t i = 0; i < entries->count; i++) {
            add_64(rows->bytes[entries->rows[i]] + offset, 1);
        }
        return;
    }
    for (int64_t i = 0; i < entries->count; i++) {
        add_64(rows->bytes[entries->rows[i]] + offset, (uint64_t)(int64_t)entries->signs[i]);
    }
}

static void count_values(int32_t offset, const weir_accumulator_rows *rows, const weir_entries *entries,
                         const uint8_t *validity)
{
    for (int64_t i = 0; i < entries->count; i++) {
        uint64_t is_there = weir_bit_get(validity, entries->values[i]);
        add_64(rows->bytes[entries->rows[i]] + offset, is_there * (uint64_t)weir_entry_sign(entries, i));
    }
}

static int apply_count(weir_cell *cell, weir_accumulator_rows *rows, const weir_entries *entries,
                       const weir_batch *computed, weir_error *err)
{
    (void)err;
    const weir_vector *column = cell->column < 0 ? NULL : &computed->columns[cell->column];
    if (column == NULL || (column->validity == NULL && column->layout != WEIR_LAYOUT_NONE)) {
        count_rows(cell->offset, rows, entries);
    } else if (column->layout != WEIR_LAYOUT_NONE) {
        count_values(cell->offset, rows, entries, column->validity);
    }
    return WEIR_OK;
}

static int merge_64(weir_cell *cell, weir_accumulator_rows *rows, int64_t from, int64_t to, weir_error *err)
{
    (void)err;
    add_64(part(rows, to, cell), (uint64_t)load_64(part(rows, from, cell)));
    return WEIR_OK;
}

const weir_cell_kind weir_cell_count = {.name = "count", .apply = apply_count, .merge = merge_64};

/* --- Sums of integers ------------------------------------------------------------------------------------------ */

/* NULLs hold zeros. */
#define SUM_LOOP(ctype)                                                                                                \
    for (int64_t i = 0; i < entries->count; i++) {                                                                     \
        uint64_t value = (uint64_t)(int64_t)((const ctype *)(const void *)column->data)[entries->values[i]];           \
        add_64(rows->bytes[entries->rows[i]] + offset, value * (uint64_t)weir_entry_sign(entries, i));                 \
    }

static int apply_integer_sum(weir_cell *cell, weir_accumulator_rows *rows, const weir_entries *entries,
                             const weir_batch *computed, weir_error *err)
{
    (void)err;
    const weir_vector *column = &computed->columns[cell->column];
    int32_t offset = cell->offset;
    switch (column->layout) {
    case WEIR_LAYOUT_8:
        SUM_LOOP(int8_t)
        break;
    case WEIR_LAYOUT_16:
        SUM_LOOP(int16_t)
        break;
    case WEIR_LAYOUT_32:
        SUM_LOOP(int32_t)
        break;
    default:
        SUM_LOOP(int64_t)
        break;
    }
    return WEIR_OK;
}

const weir_cell_kind weir_cell_integer_sum = {.name = "sum", .apply = apply_integer_sum, .merge = merge_64};

/* --- Sums of decimals ------------------------------------------------------------------------------------------ */

static inline void add_128(uint8_t *to, weir_int128 value)
{
    weir_int128 sum;
    memcpy(&sum, to, sizeof sum);
    sum += value;
    memcpy(to, &sum, sizeof sum);
}

/* 10^18 times 2^64 rows is less than 2^127. */
static int apply_decimal_sum(weir_cell *cell, weir_accumulator_rows *rows, const weir_entries *entries,
                             const weir_batch *computed, weir_error *err)
{
    (void)err;
    const int64_t *values = WEIR_VALUES(&computed->columns[cell->column], int64_t);
    for (int64_t i = 0; i < entries->count; i++) {
        add_128(part(rows, entries->rows[i], cell),
                (weir_int128)values[entries->values[i]] * weir_entry_sign(entries, i));
    }
    return WEIR_OK;
}

static int merge_decimal_sum(weir_cell *cell, weir_accumulator_rows *rows, int64_t from, int64_t to, weir_error *err)
{
    (void)err;
    weir_int128 sum;
    memcpy(&sum, part(rows, from, cell), sizeof sum);
    add_128(part(rows, to, cell), sum);
    return WEIR_OK;
}

const weir_cell_kind weir_cell_decimal_sum = {
    .name = "decimal sum", .apply = apply_decimal_sum, .merge = merge_decimal_sum};

/* A number of 192 bits. */
typedef struct wide {
    weir_uint128 low;
    int64_t high;
} wide;

static wide load_wide(const uint8_t *from)
{
    wide value;
    memcpy(&value.low, from, 16);
    memcpy(&value.high, from + 16, 8);
    return value;
}

static void add_wide(uint8_t *to, wide value)
{
    wide sum = load_wide(to);
    sum.low += value.low;
    sum.high = (int64_t)((uint64_t)sum.high + (uint64_t)value.high + (sum.low < value.low));
    memcpy(to, &sum.low, 16);
    memcpy(to + 16, &sum.high, 8);
}

static int apply_wide_sum(weir_cell *cell, weir_accumulator_rows *rows, const weir_entries *entries,
                          const weir_batch *computed, weir_error *err)
{
    (void)err;
    const weir_int128 *values = WEIR_VALUES(&computed->columns[cell->column], weir_int128);
    for (int64_t i = 0; i < entries->count; i++) {
        weir_int128 value = values[entries->values[i]] * weir_entry_sign(entries, i);
        add_wide(part(rows, entries->rows[i], cell), (wide){(weir_uint128)value, value < 0 ? -1 : 0});
    }
    return WEIR_OK;
}

static int merge_wide_sum(weir_cell *cell, weir_accumulator_rows *rows, int64_t from, int64_t to, weir_error *err)
{
    (void)err;
    add_wide(part(rows, to, cell), load_wide(part(rows, from, cell)));
    return WEIR_OK;
}

const weir_cell_kind weir_cell_wide_sum = {.name = "wide sum", .apply = apply_wide_sum, .merge = merge_wide_sum};

/* --- Sums of floating-point numbers ---------------------------------------------------------------------------- */

/* Long sums that are being added to, until all entries are through. */
typedef struct long_sums {
    uint32_t *places; /* of each row, 1 for the first; 0: its sum is not here */
    weir_long_sum *sums;
    uint32_t *rows;
    size_t sums_capacity, rows_capacity;
    uint32_t count;
} long_sums;

static weir_short_sum load_short(const uint8_t *from)
{
    weir_short_sum sum;
    memcpy(&sum, from, sizeof sum);
    return sum;
}

static int load_long(const weir_cell *cell, const weir_accumulator_rows *rows, int64_t row, weir_long_sum *out,
                     weir_error *err)
{
    weir_slice tail = weir_tail_get(rows, row, cell->tail);
    if (tail.size > 0) {
        return weir_long_sum_decode(tail, out, err);
    }
    weir_short_sum sum = load_short(part(rows, row, cell));
    *out = (weir_long_sum){0};
    weir_long_sum_add(out, sum.high, 1);
    weir_long_sum_add(out, sum.low, 1);
    return WEIR_OK;
}

static int open_long(long_sums *open, const weir_cell *cell, const weir_accumulator_rows *rows, uint32_t row,
                     weir_long_sum **out, weir_error *err)
{
    if (open->places == NULL) {
        open->places = weir_alloc_zeroed((size_t)rows->count, sizeof *open->places);
    }
    if (open->places[row] == 0) {
        WEIR_GROW(open->sums, open->sums_capacity, open->count + 1);
        WEIR_GROW(open->rows, open->rows_capacity, open->count + 1);
        WEIR_TRY(load_long(cell, rows, row, &open->sums[open->count], err));
        open->rows[open->count++] = row;
        open->places[row] = open->count;
    }
    *out = &open->sums[open->places[row] - 1];
    return WEIR_OK;
}

static void store_sum(const weir_cell *cell, weir_accumulator_rows *rows, int64_t row, const weir_long_sum *sum)
{
    weir_short_sum two = {0};
    weir_buffer bytes = {0};
    if (!weir_long_sum_shorten(sum, &two)) {
        weir_long_sum_encode(sum, &bytes);
    }
    memcpy(part(rows, row, cell), &two, sizeof two);
    weir_tail_set(rows, row, cell->tail, weir_buffer_slice(&bytes));
    weir_buffer_free(&bytes);
}

static void close_long(long_sums *open, const weir_cell *cell, weir_accumulator_rows *rows)
{
    for (uint32_t i = 0; i < open->count; i++) {
        store_sum(cell, rows, open->rows[i], &open->sums[i]);
    }
    free(open->places);
    free(open->sums);
    free(open->rows);
}

static inline double float_at(const weir_vector *column, uint32_t row)
{
    return column->type->id == WEIR_FLOAT ? (double)WEIR_VALUES(column, float)[row] : WEIR_VALUES(column, double)[row];
}

static int apply_float_sum(weir_cell *cell, weir_accumulator_rows *rows, const weir_entries *entries,
                           const weir_batch *computed, weir_error *err)
{
    const weir_vector *column = &computed->columns[cell->column];
    long_sums open = {0};
    int code = WEIR_OK;
    for (int64_t i = 0; i < entries->count && code == WEIR_OK; i++) {
        uint32_t row = entries->rows[i];
        int64_t sign = weir_entry_sign(entries, i);
        double value = float_at(column, entries->values[i]);
        bool is_long = open.places != NULL && open.places[row] != 0;
        if (!is_long && weir_tail_get(rows, row, cell->tail).size == 0) {
            weir_short_sum sum = load_short(part(rows, row, cell));
            if (weir_short_sum_add(&sum, sign < 0 ? -value : value)) {
                memcpy(part(rows, row, cell), &sum, sizeof sum);
                continue;
            }
        }
        weir_long_sum *sum = NULL;
        code = open_long(&open, cell, rows, row, &sum, err);
        if (code == WEIR_OK) {
            weir_long_sum_add(sum, value, sign);
        }
    }
    close_long(&open, cell, rows);
    return code;
}

static int merge_float_sum(weir_cell *cell, weir_accumulator_rows *rows, int64_t from, int64_t to, weir_error *err)
{
    weir_long_sum sum;
    weir_long_sum other;
    WEIR_TRY(load_long(cell, rows, to, &sum, err));
    WEIR_TRY(load_long(cell, rows, from, &other, err));
    weir_long_sum_add_long(&sum, &other);
    store_sum(cell, rows, to, &sum);
    return WEIR_OK;
}

const weir_cell_kind weir_cell_float_sum = {.name = "float sum", .apply = apply_float_sum, .merge = merge_float_sum};

static int float_sum_of(const weir_cell *cell, const weir_accumulator_rows *rows, int64_t row, double *out,
                        weir_error *err)
{
    weir_slice tail = weir_tail_get(rows, row, cell->tail);
    weir_long_sum sum;
    if (tail.size == 0) {
        *out = load_short(part(rows, row, cell)).high;
        return WEIR_OK;
    }
    WEIR_TRY(weir_long_sum_decode(tail, &sum, err));
    *out = weir_long_sum_value(&sum);
    return WEIR_OK;
}

/* --- What they give -------------------------------------------------------------------------------------------- */

int weir_give_count(const weir_aggregate_output *output, const weir_accumulator_rows *rows, weir_vector *out,
                    weir_error *err)
{
    WEIR_TRY(weir_given_open(out, rows->count, err));
    int64_t *to = WEIR_VALUES(out, int64_t) + out->length;
    for (int64_t i = 0; i < rows->count; i++) {
        to[i] = load_64(part(rows, i, output->cell));
    }
    weir_given_close(out, rows->count);
    return WEIR_OK;
}

/* How many values there are behind each aggregate; without any it is NULL. */
static int64_t count_of(const weir_aggregate_output *output, const weir_accumulator_rows *rows, int64_t row)
{
    return load_64(part(rows, row, output->count));
}

/* Writes a number as the integer type of a vector, cut to its width. */
static void put_integer(weir_layout layout, int64_t value, uint8_t *to)
{
    switch (layout) {
    case WEIR_LAYOUT_8:
        *to = (uint8_t)value;
        break;
    case WEIR_LAYOUT_16:
        weir_store_le16(to, (uint16_t)value);
        break;
    case WEIR_LAYOUT_32:
        weir_store_le32(to, (uint32_t)value);
        break;
    default:
        weir_store_le64(to, (uint64_t)value);
        break;
    }
}

static void put_float(const weir_type *type, double value, uint8_t *to)
{
    float narrow = (float)value;
    if (type->id == WEIR_FLOAT) {
        memcpy(to, &narrow, sizeof narrow);
    } else {
        memcpy(to, &value, sizeof value);
    }
}

/* The exact sum, false when 38 digits do not hold it. */
static bool decimal_sum_of(const weir_cell *cell, const weir_accumulator_rows *rows, int64_t row, weir_int128 *out)
{
    const uint8_t *from = part(rows, row, cell);
    if (cell->kind == &weir_cell_wide_sum) {
        wide sum = load_wide(from);
        *out = (weir_int128)sum.low;
        if (sum.high != (*out < 0 ? -1 : 0)) {
            return false;
        }
    } else {
        memcpy(out, from, sizeof *out);
    }
    return weir_decimal_fits(*out, 38);
}

/* Writes the aggregate of a row; *out_valid: it is not NULL. */
typedef int (*put_function)(const weir_aggregate_output *output, const weir_accumulator_rows *rows, int64_t row,
                            const weir_vector *out, uint8_t *to, bool *out_valid, weir_error *err);

static int put_sum(const weir_aggregate_output *output, const weir_accumulator_rows *rows, int64_t row,
                   const weir_vector *out, uint8_t *to, bool *out_valid, weir_error *err)
{
    const weir_cell *cell = output->cell;
    weir_int128 decimal;
    double number;
    if (cell->kind == &weir_cell_integer_sum) {
        put_integer(out->layout, load_64(part(rows, row, cell)), to);
    } else if (cell->kind == &weir_cell_float_sum) {
        WEIR_TRY(float_sum_of(cell, rows, row, &number, err));
        put_float(out->type, number, to);
    } else {
        *out_valid = decimal_sum_of(cell, rows, row, &decimal);
        memcpy(to, &decimal, sizeof decimal);
    }
    return WEIR_OK;
}

/* Flink sums integers in the argument's type where NULLs are possible, and in BIGINT where they aren't. */
static int64_t cut_to(const weir_type *type, int64_t value)
{
    switch (type->id) {
    case WEIR_TINYINT:
        return (int8_t)value;
    case WEIR_SMALLINT:
        return (int16_t)value;
    case WEIR_INT:
        return (int32_t)value;
    default:
        return value;
    }
}

/* Decimals are divided by the kernel that does it in batch. */
static int put_decimal_average(const weir_aggregate_output *output, const weir_accumulator_rows *rows, int64_t row,
                               const weir_vector *out, uint8_t *to, bool *out_valid, weir_error *err)
{
    weir_int128 sum;
    *out_valid = decimal_sum_of(output->cell, rows, row, &sum);
    if (!*out_valid) {
        return WEIR_OK;
    }
    weir_type wide_type = *output->cell->type;
    wide_type.precision = 38;
    const weir_type *types[2] = {&wide_type, weir_type_simple(WEIR_BIGINT, false)};
    int64_t count = count_of(output, rows, row);
    const void *data[2] = {&sum, &count};
    const uint64_t *validity[2] = {NULL, NULL};
    weir_int128 average = 0;
    uint64_t bits = UINT64_MAX;
    weir_kernel_call call = {.length = 1,
                             .argument_count = 2,
                             .types = types,
                             .type = out->type,
                             .data = data,
                             .validity = validity,
                             .result = &average,
                             .result_validity = &bits};
    WEIR_TRY(weir_kernel_run(weir_kernel_arithmetic('/', types[0]), &call, err));
    *out_valid = (bits & 1) != 0;
    memcpy(to, &average, sizeof average);
    return WEIR_OK;
}

static int put_average(const weir_aggregate_output *output, const weir_accumulator_rows *rows, int64_t row,
                       const weir_vector *out, uint8_t *to, bool *out_valid, weir_error *err)
{
    const weir_cell *cell = output->cell;
    double sum;
    if (cell->kind == &weir_cell_integer_sum) {
        int64_t whole = load_64(part(rows, row, cell));
        whole = cell->type->nullable ? cut_to(cell->type, whole) : whole;
        put_integer(out->layout, whole / count_of(output, rows, row), to);
        return WEIR_OK;
    }
    if (cell->kind == &weir_cell_float_sum) {
        WEIR_TRY(float_sum_of(cell, rows, row, &sum, err));
        put_float(out->type, sum / (double)count_of(output, rows, row), to);
        return WEIR_OK;
    }
    return put_decimal_average(output, rows, row, out, to, out_valid, err);
}

/* Puts all rows; those without values are NULL. */
static int put_all(const weir_aggregate_output *output, const weir_accumulator_rows *rows, put_function put,
                   weir_vector *out, weir_error *err)
{
    size_t width = weir_layout_width(out->layout);
    WEIR_TRY(weir_given_open(out, rows->count, err));
    uint8_t *to = out->data + width * (size_t)out->length;
    for (int64_t i = 0; i < rows->count; i++) {
        bool valid = count_of(output, rows, i) > 0;
        if (valid) {
            WEIR_TRY(put(output, rows, i, out, to + width * (size_t)i, &valid, err));
        }
        if (!valid) {
            weir_given_null(out, i);
        }
    }
    weir_given_close(out, rows->count);
    return WEIR_OK;
}

int weir_give_sum(const weir_aggregate_output *output, const weir_accumulator_rows *rows, weir_vector *out,
                  weir_error *err)
{
    return put_all(output, rows, put_sum, out, err);
}

int weir_give_average(const weir_aggregate_output *output, const weir_accumulator_rows *rows, weir_vector *out,
                      weir_error *err)
{
    return put_all(output, rows, put_average, out, err);
}

int weir_give_constant(const weir_aggregate_output *output, const weir_accumulator_rows *rows, weir_vector *out,
                       weir_error *err)
{
    for (int64_t i = 0; i < rows->count; i++) {
        WEIR_TRY(weir_vector_append_raw(out, &output->constant, sizeof output->constant, err));
    }
    return WEIR_OK;
}
