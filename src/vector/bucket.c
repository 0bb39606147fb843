/* Bucket functions: from the values of the bucket key to a bucket number.
 *
 * `default` takes the hash of the row (row_hash.c), `mod` the value of an integer key itself, `hive` the hash that Hive
 * gives the values. A bucket number is part of a table's layout on disk: these functions never change. */
#include "vector/bucket.h"

#include <stdlib.h>

#include "vector/binary_row_layout.h"

__extension__ typedef unsigned __int128 unsigned_int128;

static int default_buckets(const weir_batch *batch, const int32_t *columns, int32_t column_count, int32_t bucket_count,
                           int32_t *out_buckets, weir_error *err)
{
    WEIR_TRY(weir_batch_hash(batch, columns, column_count, out_buckets, err));
    for (int64_t i = 0; i < batch->length; i++) {
        out_buckets[i] = abs(out_buckets[i] % bucket_count);
    }
    return WEIR_OK;
}

static int32_t floor_mod(int64_t value, int32_t divisor)
{
    int32_t rest = (int32_t)(value % divisor);
    return rest < 0 ? rest + divisor : rest;
}

/* NULL counts as 0, as its slot does. */
static int mod_buckets(const weir_batch *batch, const int32_t *columns, int32_t column_count, int32_t bucket_count,
                       int32_t *out_buckets, weir_error *err)
{
    const weir_vector *key = column_count == 1 ? &batch->columns[columns[0]] : NULL;
    if (key == NULL || (key->type->id != WEIR_INT && key->type->id != WEIR_BIGINT)) {
        return weir_fail(err, WEIR_INVALID,
                         "bucket-function.type 'mod' needs a bucket key of one INT or BIGINT column; use 'default'");
    }
    for (int64_t i = 0; i < batch->length; i++) {
        int64_t value = key->type->id == WEIR_INT ? WEIR_VALUES(key, int32_t)[i] : WEIR_VALUES(key, int64_t)[i];
        out_buckets[i] = weir_vector_is_null(key, i) ? 0 : floor_mod(value, bucket_count);
    }
    return WEIR_OK;
}

static uint32_t hive_hash_long(uint64_t value) { return (uint32_t)(value ^ value >> 32); }

/* Bytes are signed in Java. */
static uint32_t hive_hash_bytes(weir_slice bytes)
{
    uint32_t hash = 0;
    for (size_t i = 0; i < bytes.size; i++) {
        hash = hash * 31 + (uint32_t)(int32_t)(int8_t)bytes.data[i];
    }
    return hash;
}

/* BigDecimal.hashCode of the value without trailing zeros: 31 * hash of the unscaled value + scale. */
static uint32_t hive_hash_decimal(weir_int128 unscaled, int32_t scale)
{
    unsigned_int128 magnitude = unscaled < 0 ? 0 - (unsigned_int128)unscaled : (unsigned_int128)unscaled;
    if (magnitude == 0) {
        return 0;
    }
    while (scale > 0 && magnitude % 10 == 0) {
        magnitude /= 10;
        scale--;
    }
    uint32_t hash = 0;
    for (int shift = 96; shift >= 0; shift -= 32) {
        hash = hash * 31 + (uint32_t)(magnitude >> shift); /* leading zero words add nothing */
    }
    return 31 * (unscaled < 0 ? 0 - hash : hash) + (uint32_t)scale;
}

static uint32_t hive_hash(const weir_vector *vector, int64_t i)
{
    switch (vector->type->id) {
    case WEIR_BOOLEAN:
        return weir_bit_get(vector->data, i);
    case WEIR_TINYINT:
        return (uint32_t)(int32_t)WEIR_VALUES(vector, int8_t)[i];
    case WEIR_SMALLINT:
        return (uint32_t)(int32_t)WEIR_VALUES(vector, int16_t)[i];
    case WEIR_INT:
    case WEIR_DATE:
    case WEIR_TIME:
        return WEIR_VALUES(vector, uint32_t)[i];
    case WEIR_BIGINT:
        return hive_hash_long(WEIR_VALUES(vector, uint64_t)[i]);
    case WEIR_FLOAT:
        return weir_row_float_bits(WEIR_VALUES(vector, float)[i] + 0.0f); /* -0.0 counts as 0.0 */
    case WEIR_DOUBLE:
        return hive_hash_long(weir_row_double_bits(WEIR_VALUES(vector, double)[i] + 0.0));
    case WEIR_DECIMAL:
        return hive_hash_decimal(vector->layout == WEIR_LAYOUT_128 ? WEIR_VALUES(vector, weir_int128)[i]
                                                                   : WEIR_VALUES(vector, int64_t)[i],
                                 vector->type->scale);
    default:
        return hive_hash_bytes(weir_vector_bytes(vector, i));
    }
}

static bool hive_knows(const weir_type *type)
{
    return type->id <= WEIR_TIME; /* the types before it are numbers, text, bytes and dates */
}

static int hive_buckets(const weir_batch *batch, const int32_t *columns, int32_t column_count, int32_t bucket_count,
                        int32_t *out_buckets, weir_error *err)
{
    memset(out_buckets, 0, (size_t)batch->length * sizeof *out_buckets);
    for (int32_t c = 0; c < column_count; c++) {
        const weir_vector *column = &batch->columns[columns[c]];
        if (!hive_knows(column->type)) {
            return weir_fail(err, WEIR_UNSUPPORTED,
                             "bucket-function.type 'hive' has no hash for timestamps and nested values, as in bucket "
                             "key column %" PRId32 "; use 'default'",
                             c + 1);
        }
        for (int64_t i = 0; i < batch->length; i++) {
            uint32_t hash = weir_vector_is_null(column, i) ? 0 : hive_hash(column, i);
            out_buckets[i] = (int32_t)((uint32_t)out_buckets[i] * 31 + hash);
        }
    }
    for (int64_t i = 0; i < batch->length; i++) {
        out_buckets[i] = (out_buckets[i] & INT32_MAX) % bucket_count;
    }
    return WEIR_OK;
}

int weir_batch_buckets(weir_bucket_function function, const weir_batch *batch, const int32_t *columns,
                       int32_t column_count, int32_t bucket_count, int32_t *out_buckets, weir_error *err)
{
    if (bucket_count < 1) {
        return weir_fail(err, WEIR_INVALID,
                         "rows cannot be spread over %" PRId32 " buckets; there must be one at least", bucket_count);
    }
    switch (function) {
    case WEIR_BUCKET_MOD:
        return mod_buckets(batch, columns, column_count, bucket_count, out_buckets, err);
    case WEIR_BUCKET_HIVE:
        return hive_buckets(batch, columns, column_count, bucket_count, out_buckets, err);
    default:
        return default_buckets(batch, columns, column_count, bucket_count, out_buckets, err);
    }
}
