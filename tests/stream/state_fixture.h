/* Tables of state beside plain arrays that say what must be in them. Keys and subkeys are numbers 0 .. n - 1 that stand
 * for bytes of many sizes; subkeys ascend with their numbers. */
#ifndef WEIR_TESTS_STATE_FIXTURE_H
#define WEIR_TESTS_STATE_FIXTURE_H

#include "stream/state/state.h"
#include "vector/rows.h"

#define KEY_LIMIT    60000
#define SUBKEY_LIMIT 600

/* What is under a key, or a subkey: `size` bytes, each of them `fill`. */
typedef struct model_value {
    int32_t size; /* 0: nothing (in a map: -1) */
    uint8_t fill;
    int64_t time;
} model_value;

static inline bool model_matches(model_value expected, weir_slice bytes)
{
    for (size_t i = 0; i < bytes.size; i++) {
        if (bytes.data[i] != expected.fill) {
            return false;
        }
    }
    return bytes.size == (size_t)expected.size;
}

/* The keys of these numbers: of one BIGINT NOT NULL column, or of a text. */
static inline void make_keys(weir_sort_keys *keys, bool whole, const uint32_t *numbers, int64_t count)
{
    weir_error err;
    test_rows rows;
    rows_start(&rows, whole ? "BIGINT NOT NULL" : "STRING");
    for (int64_t i = 0; i < count; i++) {
        weir_vector *column = &rows.batch.columns[0];
        if (whole) {
            int64_t value = (int64_t)numbers[i] * 1000003 - 77;
            check_ok(weir_vector_append_raw(column, &value, sizeof value, &err), &err);
        } else if (numbers[i] == 0) {
            check_ok(weir_vector_append_nulls(column, 1, &err), &err);
        } else {
            char text[512];
            memset(text, 'k', sizeof text);
            int digits = snprintf(text, sizeof text, "%u", numbers[i]);
            text[digits] = 'k';
            size_t size = (size_t)digits + (numbers[i] % 50 == 0 ? 300 : numbers[i] % 13);
            check_ok(weir_vector_append_raw(column, text, size, &err), &err);
        }
        rows.batch.length++;
    }
    weir_sort_keys_clear(keys);
    check_ok(weir_state_keys_append(keys, &rows.batch, all_columns, 1, &err), &err);
    rows_free(&rows);
}

/* The bytes of a subkey, in `space` of 600 bytes. */
static inline weir_slice make_subkey(uint32_t number, uint8_t *space)
{
    if (number == 0) {
        return weir_slice_of(space, 0);
    }
    memset(space, 's', 600);
    weir_store_be16(space, (uint16_t)(number * 7));
    return weir_slice_of(space, number % 37 == 0 ? 500 : 2 + number % 11);
}

#endif
