/* The data of the benchmarks: every value follows from the seed, the row's number and the column's.
 *
 *   mix(z)        = the finalizer of splitmix64
 *   h(seed, i, c) = mix(seed + (16 i + c + 1) G)
 *
 * One loop a column, so that generating costs little beside what is measured. */
#include <math.h>

#include "bench/bench.h"
#include "vector/bits.h"

#define GOLDEN 0x9E3779B97F4A7C15u

static inline uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

uint64_t bench_hash(uint64_t seed, int64_t row, uint64_t column)
{
    return mix(seed + ((uint64_t)row * 16 + column + 1) * GOLDEN);
}

static const weir_type type_bigint_not_null = {.id = WEIR_BIGINT};
static const weir_type type_int = {.id = WEIR_INT, .nullable = true};
static const weir_type type_bigint = {.id = WEIR_BIGINT, .nullable = true};
static const weir_type type_double = {.id = WEIR_DOUBLE, .nullable = true};
static const weir_type type_float = {.id = WEIR_FLOAT, .nullable = true};
static const weir_type type_decimal = {.id = WEIR_DECIMAL, .nullable = true, .precision = 18, .scale = 4};
static const weir_type type_string = {.id = WEIR_VARCHAR, .nullable = true, .precision = WEIR_MAX_LENGTH};
static const weir_type type_boolean = {.id = WEIR_BOOLEAN, .nullable = true};
static const weir_type type_date = {.id = WEIR_DATE, .nullable = true};
static const weir_type type_timestamp = {.id = WEIR_TIMESTAMP, .nullable = true, .precision = 3};

const weir_field *bench_fields(void)
{
    static const weir_field fields[BENCH_COLUMNS] = {
        {.id = 0, .name = "k", .type = &type_bigint_not_null}, {.id = 1, .name = "c1", .type = &type_int},
        {.id = 2, .name = "c2", .type = &type_bigint},         {.id = 3, .name = "c3", .type = &type_double},
        {.id = 4, .name = "c4", .type = &type_float},          {.id = 5, .name = "c5", .type = &type_decimal},
        {.id = 6, .name = "c6", .type = &type_string},         {.id = 7, .name = "c7", .type = &type_string},
        {.id = 8, .name = "c8", .type = &type_boolean},        {.id = 9, .name = "c9", .type = &type_date},
        {.id = 10, .name = "c10", .type = &type_timestamp},
    };
    return fields;
}

static void fill_keys(const bench_arguments *arguments, int64_t first, int64_t count, int64_t *out)
{
    uint64_t keys = (uint64_t)arguments->keys;
    if (!arguments->zipf) {
        for (int64_t i = 0; i < count; i++) {
            out[i] = (int64_t)(bench_hash(arguments->seed, first + i, 0) % keys);
        }
        return;
    }
    double scale = log((double)keys + 1.0);
    for (int64_t i = 0; i < count; i++) {
        double u = (double)(bench_hash(arguments->seed, first + i, 0) >> 11) * 0x1p-53;
        int64_t key = (int64_t)floor(exp(u * scale)) - 1;
        out[i] = key < 0 ? 0 : key > arguments->keys - 1 ? arguments->keys - 1 : key;
    }
}

static void fill_numbers(uint64_t seed, int64_t first, int64_t count, weir_batch *batch, int64_t at)
{
    int32_t *c1 = WEIR_VALUES(&batch->columns[1], int32_t) + at;
    double *c3 = WEIR_VALUES(&batch->columns[3], double) + at;
    float *c4 = WEIR_VALUES(&batch->columns[4], float) + at;
    int64_t *c5 = WEIR_VALUES(&batch->columns[5], int64_t) + at;
    int32_t *c9 = WEIR_VALUES(&batch->columns[9], int32_t) + at;
    int64_t *c10 = WEIR_VALUES(&batch->columns[10], int64_t) + at;
    for (int64_t i = 0; i < count; i++) {
        c1[i] = (int32_t)(bench_hash(seed, first + i, 1) >> 32);
        c3[i] = (double)(bench_hash(seed, first + i, 3) >> 11) * 0x1p-53 * 1000.0;
        c4[i] = (float)(bench_hash(seed, first + i, 4) >> 40) * 0x1p-24f;
        c5[i] = (int64_t)((bench_hash(seed, first + i, 5) >> 1) % 1000000000000u);
        c9[i] = 10957 + (int32_t)(bench_hash(seed, first + i, 9) % 10000);
        c10[i] = 1600000000000 + (int64_t)(bench_hash(seed, first + i, 10) % 100000000000u);
    }
}

/* c2 is NULL in one row of sixteen, c8 a bit. */
static void fill_bits(uint64_t seed, int64_t first, int64_t count, weir_batch *batch, int64_t at)
{
    weir_vector *c2 = &batch->columns[2];
    weir_vector *c8 = &batch->columns[8];
    int64_t *values = WEIR_VALUES(c2, int64_t);
    for (int64_t i = 0; i < count; i++) {
        uint64_t x = bench_hash(seed, first + i, 2);
        bool is_null = x >> 60 == 0;
        values[at + i] = is_null ? 0 : (int64_t)(x % 1000000007u);
        weir_bits_fill(c2->validity, at + i, 1, !is_null);
        c2->null_count += is_null;
        weir_bits_fill(c8->data, at + i, 1, (bench_hash(seed, first + i, 8) & 1) != 0);
    }
}

static void fill_texts(uint64_t seed, int64_t first, int64_t count, weir_batch *batch, int64_t at)
{
    weir_vector *c6 = &batch->columns[6];
    weir_vector *c7 = &batch->columns[7];
    for (int64_t i = 0; i < count; i++) {
        uint64_t category = bench_hash(seed, first + i, 6) % 100;
        uint8_t *text = c6->data + c6->offsets[at + i];
        memcpy(text, "cat-", 4);
        int32_t size = 4;
        if (category >= 10) {
            text[size++] = (uint8_t)('0' + category / 10);
        }
        text[size++] = (uint8_t)('0' + category % 10);
        c6->offsets[at + i + 1] = c6->offsets[at + i] + size;
        uint64_t x = bench_hash(seed, first + i, 7);
        uint8_t *digits = c7->data + c7->offsets[at + i];
        for (int d = 0; d < 16; d++) {
            digits[d] = (uint8_t)"0123456789abcdef"[(x >> (60 - 4 * d)) & 15];
        }
        c7->offsets[at + i + 1] = c7->offsets[at + i] + 16;
    }
}

int bench_generate(const bench_arguments *arguments, int64_t first, int64_t count, weir_batch *batch, weir_error *err)
{
    int64_t at = batch->length;
    for (int32_t c = 0; c < BENCH_COLUMNS; c++) {
        WEIR_TRY(weir_vector_reserve(&batch->columns[c], count, err));
    }
    WEIR_TRY(weir_vector_reserve_validity(&batch->columns[2], count, err));
    WEIR_TRY(weir_vector_reserve_bytes(&batch->columns[6], (size_t)count * 6, err));
    WEIR_TRY(weir_vector_reserve_bytes(&batch->columns[7], (size_t)count * 16, err));
    fill_keys(arguments, first, count, WEIR_VALUES(&batch->columns[0], int64_t) + at);
    fill_numbers(arguments->seed, first, count, batch, at);
    fill_bits(arguments->seed, first, count, batch, at);
    fill_texts(arguments->seed, first, count, batch, at);
    for (int32_t c = 0; c < BENCH_COLUMNS; c++) {
        batch->columns[c].length += count;
    }
    batch->length += count;
    return WEIR_OK;
}
