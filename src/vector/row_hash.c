/* Hashes of rows: Murmur3-32 with seed 42 over the words of a BinaryRow.
 *
 * Keys are hashed a column at a time, without building rows, where every column lies in its slot alone, and for a
 * single text column. Everything else (wide decimals, timestamps with micros, texts in composite keys, nested values)
 * goes through weir_binary_row_write. Which bucket a hash means is decided in bucket.c. */
#include "vector/binary_row.h"
#include "vector/binary_row_layout.h"
#include "vector/bucket.h"

#define SEED                       42u
#define BLOCK_ROWS                 1024
#define COLUMNS_OF_ONE_HEADER_WORD 56 /* whose null bits stand in the first eight bytes, after the row kind */

static inline uint32_t mix_word(uint32_t hash, uint32_t word)
{
    word *= 0xcc9e2d51u;
    word = word << 15 | word >> 17;
    hash ^= word * 0x1b873593u;
    hash = hash << 13 | hash >> 19;
    return hash * 5 + 0xe6546b64u;
}

static inline uint32_t mix_two_words(uint32_t hash, uint64_t words)
{
    return mix_word(mix_word(hash, (uint32_t)words), (uint32_t)(words >> 32));
}

static inline uint32_t finish(uint32_t hash, uint32_t size)
{
    hash ^= size;
    hash = (hash ^ hash >> 16) * 0x85ebca6bu;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
    return hash ^ hash >> 16;
}

int32_t weir_binary_row_hash(weir_slice row)
{
    uint32_t hash = SEED;
    for (size_t i = 0; i + 8 <= row.size; i += 8) {
        hash = mix_two_words(hash, weir_load_le64(row.data + i));
    }
    return (int32_t)finish(hash, (uint32_t)row.size);
}

/* Whether a value is all in its slot: no variable part, not even a reserved one. */
static bool lies_in_slot(const weir_type *type)
{
    return !weir_type_is_nested(type) && !weir_type_is_text(type) && !weir_type_is_bytes(type) &&
           type->id != WEIR_NULL && weir_row_reserved_bytes(type) == 0;
}

/* The row slots of values first .. first + count - 1. */
static void fill_slots(const weir_vector *vector, int64_t first, int64_t count, uint64_t *slots)
{
    if (vector->type->id == WEIR_FLOAT) {
        for (int64_t i = 0; i < count; i++) {
            slots[i] = weir_row_float_bits(WEIR_VALUES(vector, float)[first + i]);
        }
        return;
    }
    if (vector->type->id == WEIR_DOUBLE) {
        for (int64_t i = 0; i < count; i++) {
            slots[i] = weir_row_double_bits(WEIR_VALUES(vector, double)[first + i]);
        }
        return;
    }
    switch (vector->layout) {
    case WEIR_LAYOUT_BIT:
        for (int64_t i = 0; i < count; i++) {
            slots[i] = weir_bit_get(vector->data, first + i);
        }
        break;
    case WEIR_LAYOUT_8:
        for (int64_t i = 0; i < count; i++) {
            slots[i] = vector->data[first + i];
        }
        break;
    case WEIR_LAYOUT_16:
        for (int64_t i = 0; i < count; i++) {
            slots[i] = WEIR_VALUES(vector, uint16_t)[first + i];
        }
        break;
    case WEIR_LAYOUT_32:
        for (int64_t i = 0; i < count; i++) {
            slots[i] = WEIR_VALUES(vector, uint32_t)[first + i];
        }
        break;
    default:
        memcpy(slots, WEIR_VALUES(vector, uint64_t) + first, (size_t)count * sizeof *slots);
        break;
    }
}

static void hash_block(const weir_batch *batch, const int32_t *columns, int32_t column_count, int64_t first,
                       int64_t count, uint32_t *hashes)
{
    uint64_t headers[BLOCK_ROWS] = {0};
    uint64_t slots[BLOCK_ROWS];
    for (int32_t c = 0; c < column_count; c++) {
        const weir_vector *column = &batch->columns[columns[c]];
        for (int64_t i = 0; column->validity != NULL && i < count; i++) {
            uint64_t null = !weir_bit_get(column->validity, first + i);
            headers[i] |= null << (WEIR_ROW_HEADER_BITS + (uint32_t)c);
        }
    }
    for (int64_t i = 0; i < count; i++) {
        hashes[i] = mix_two_words(SEED, headers[i]);
    }
    for (int32_t c = 0; c < column_count; c++) {
        fill_slots(&batch->columns[columns[c]], first, count, slots);
        for (int64_t i = 0; i < count; i++) {
            uint64_t valid = ~headers[i] >> (WEIR_ROW_HEADER_BITS + (uint32_t)c) & 1;
            hashes[i] = mix_two_words(hashes[i], slots[i] & (0 - valid));
        }
    }
    uint32_t size = (uint32_t)weir_row_fixed_bytes(column_count);
    for (int64_t i = 0; i < count; i++) {
        hashes[i] = finish(hashes[i], size);
    }
}

static void hash_slots(const weir_batch *batch, const int32_t *columns, int32_t column_count, int32_t *out_hashes)
{
    for (int64_t first = 0; first < batch->length; first += BLOCK_ROWS) {
        int64_t count = batch->length - first < BLOCK_ROWS ? batch->length - first : BLOCK_ROWS;
        uint32_t hashes[BLOCK_ROWS];
        hash_block(batch, columns, column_count, first, count, hashes);
        memcpy(out_hashes + first, hashes, (size_t)count * sizeof *hashes);
    }
}

static uint32_t hash_text(uint32_t after_header, const uint8_t *text, size_t size, size_t readable)
{
    if (size <= WEIR_INLINE_BYTES) {
        uint64_t slot = 0;
        if (readable >= 8) {
            slot = weir_load_le64(text) & (((uint64_t)1 << size * 8) - 1);
        } else if (size > 0) {
            memcpy(&slot, text, size);
        }
        slot |= (uint64_t)(WEIR_INLINE_MARK | size) << 56;
        return finish(mix_two_words(after_header, slot), 16);
    }
    /* The slot of the only field: its bytes begin after the header and this slot. */
    uint32_t hash = mix_two_words(after_header, (uint64_t)16 << 32 | size);
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        hash = mix_two_words(hash, weir_load_le64(text + i));
    }
    if (i < size) {
        uint64_t rest = 0;
        memcpy(&rest, text + i, size - i);
        hash = mix_two_words(hash, rest);
    }
    return finish(hash, 16 + (uint32_t)weir_round_to_word(size));
}

static void hash_texts(const weir_vector *vector, int64_t count, int32_t *out_hashes)
{
    uint32_t after_header = mix_two_words(SEED, 0);
    uint32_t of_null = finish(mix_two_words(mix_two_words(SEED, 1u << WEIR_ROW_HEADER_BITS), 0), 16);
    int32_t end = count > 0 ? vector->offsets[count] : 0;
    for (int64_t i = 0; i < count; i++) {
        int32_t from = vector->offsets[i];
        size_t size = (size_t)(vector->offsets[i + 1] - from);
        out_hashes[i] = weir_vector_is_null(vector, i)
                            ? (int32_t)of_null
                            : (int32_t)hash_text(after_header, vector->data + from, size, (size_t)(end - from));
    }
}

static int hash_rows(const weir_batch *batch, const int32_t *columns, int32_t column_count, int32_t *out_hashes,
                     weir_error *err)
{
    weir_buffer row = {0};
    int code = WEIR_OK;
    for (int64_t i = 0; i < batch->length; i++) {
        weir_buffer_clear(&row);
        WEIR_GO(weir_binary_row_write(batch, columns, column_count, i, &row, err));
        out_hashes[i] = weir_binary_row_hash(weir_buffer_slice(&row));
    }
done:
    weir_buffer_free(&row);
    return code;
}

int weir_batch_hash(const weir_batch *batch, const int32_t *columns, int32_t column_count, int32_t *out_hashes,
                    weir_error *err)
{
    bool all_in_slots = column_count <= COLUMNS_OF_ONE_HEADER_WORD;
    for (int32_t c = 0; c < column_count; c++) {
        all_in_slots = all_in_slots && lies_in_slot(batch->columns[columns[c]].type);
    }
    if (all_in_slots) {
        hash_slots(batch, columns, column_count, out_hashes);
        return WEIR_OK;
    }
    if (column_count == 1 && batch->columns[columns[0]].layout == WEIR_LAYOUT_BYTES) {
        hash_texts(&batch->columns[columns[0]], batch->length, out_hashes);
        return WEIR_OK;
    }
    return hash_rows(batch, columns, column_count, out_hashes, err);
}
