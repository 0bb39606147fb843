/* Placing a page's values into a vector: decoded densely at its end, then spread apart where nulls lie between them.
 *
 * Everything goes in blocks that stay in the first-level cache: dictionary indexes, views of byte strings, numbers on
 * their way to another width. */
#include "format/parquet/column_reader.h"
#include "vector/bits.h"

#define NUMBER_BLOCK  512
#define BOOLEAN_BLOCK 4096

static int too_short(const weir_parquet_column_reader *reader, weir_error *err)
{
    return weir_parquet_column_damaged(reader, "a page ends too early", err);
}

/* --- dictionary indexes ----------------------------------------------------------------------------------------- */

static uint32_t greatest_of(const uint32_t *indexes, int64_t count)
{
    uint32_t greatest = 0;
    for (int64_t i = 0; i < count; i++) {
        greatest = indexes[i] > greatest ? indexes[i] : greatest;
    }
    return greatest;
}

/* The next `count` (> 0) indexes, all of them inside the dictionary. */
static int read_indexes(weir_parquet_column_reader *reader, int64_t count, uint32_t *out, weir_error *err)
{
    if (!weir_parquet_rle_read(&reader->indexes, count, out)) {
        return too_short(reader, err);
    }
    if (greatest_of(out, count) >= reader->dictionary.count) {
        return weir_parquet_column_damaged(reader, "a page has a value that its dictionary lacks", err);
    }
    return WEIR_OK;
}

#define DEFINE_LOOK_UP(name, ctype)                                                                                    \
    static void name(const ctype *restrict dictionary, const uint32_t *restrict indexes, int64_t count,                \
                     ctype *restrict out)                                                                              \
    {                                                                                                                  \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            out[i] = dictionary[indexes[i]];                                                                           \
        }                                                                                                              \
    }

DEFINE_LOOK_UP(look_up_8, uint8_t)
DEFINE_LOOK_UP(look_up_16, uint16_t)
DEFINE_LOOK_UP(look_up_32, uint32_t)
DEFINE_LOOK_UP(look_up_64, uint64_t)
DEFINE_LOOK_UP(look_up_128, weir_int128)
DEFINE_LOOK_UP(look_up_views, weir_parquet_view)

static void look_up_numbers(const weir_parquet_column_reader *reader, const uint32_t *indexes, int64_t count, void *out)
{
    const void *dictionary = reader->dictionary.values.data;
    switch (reader->leaf->layout) {
    case WEIR_LAYOUT_8:
        look_up_8(dictionary, indexes, count, out);
        return;
    case WEIR_LAYOUT_16:
        look_up_16(dictionary, indexes, count, out);
        return;
    case WEIR_LAYOUT_32:
        look_up_32(dictionary, indexes, count, out);
        return;
    case WEIR_LAYOUT_64:
        look_up_64(dictionary, indexes, count, out);
        return;
    default:
        look_up_128(dictionary, indexes, count, out);
        return;
    }
}

/* --- byte strings ----------------------------------------------------------------------------------------------- */

/* Copies of constant size, which need no call: what is read and written beyond the value is padding. */
static inline void copy_short(uint8_t *to, weir_parquet_view from)
{
    if (from.size <= 16) {
        memcpy(to, from.data, 16);
    } else if (from.size <= 32) {
        memcpy(to, from.data, 32);
    } else {
        memcpy(to, from.data, from.size);
    }
}

/* Appends without nulls. */
static int append_views(const weir_parquet_view *views, int64_t count, weir_vector *out, weir_error *err)
{
    size_t bytes = 0;
    for (int64_t i = 0; i < count; i++) {
        bytes += views[i].size;
    }
    WEIR_TRY(weir_vector_reserve_bytes(out, bytes + 32, err));
    int32_t *offsets = out->offsets + out->length;
    int32_t at = offsets[0];
    for (int64_t i = 0; i < count; i++) {
        copy_short(out->data + at, views[i]);
        at += (int32_t)views[i].size;
        offsets[i + 1] = at;
    }
    out->length += count;
    return WEIR_OK;
}

/* The next one or more byte strings, at most WEIR_PARQUET_VIEW_BLOCK and `max`. */
static int next_views(weir_parquet_column_reader *reader, int64_t max, weir_parquet_view *views, int64_t *out_count,
                      weir_error *err)
{
    uint32_t indexes[WEIR_PARQUET_VIEW_BLOCK];
    if (!reader->uses_dictionary) {
        return weir_parquet_values_views(&reader->values, max, views, out_count, err);
    }
    *out_count = max < WEIR_PARQUET_VIEW_BLOCK ? max : WEIR_PARQUET_VIEW_BLOCK;
    WEIR_TRY(read_indexes(reader, *out_count, indexes, err));
    look_up_views((const weir_parquet_view *)(const void *)reader->dictionary.values.data, indexes, *out_count, views);
    return WEIR_OK;
}

/* Moves the dense offsets of `valid` values apart, from behind: a null's end is that of the value before it. */
static void spread_offsets(int32_t *ends, const uint8_t *validity, int64_t first, int64_t slots, int64_t valid)
{
    int64_t dense = valid;
    for (int64_t i = slots; i-- > 0 && dense <= i;) {
        ends[i] = ends[dense - 1]; /* ends[-1], the end of what was there before, when no value is left */
        dense -= weir_bit_get(validity, first + i);
    }
}

static int append_bytes(weir_parquet_column_reader *reader, int64_t slots, int64_t valid, weir_vector *out,
                        weir_error *err)
{
    weir_parquet_view views[WEIR_PARQUET_VIEW_BLOCK];
    int64_t first = out->length;
    for (int64_t done = 0, got; done < valid; done += got) {
        WEIR_TRY(next_views(reader, valid - done, views, &got, err));
        WEIR_TRY(append_views(views, got, out, err));
    }
    if (valid < slots) {
        spread_offsets(out->offsets + first + 1, out->validity, first, slots, valid);
    }
    out->length = first;
    return WEIR_OK;
}

/* --- booleans --------------------------------------------------------------------------------------------------- */

static int append_bits(weir_parquet_column_reader *reader, int64_t slots, int64_t valid, weir_vector *out,
                       weir_error *err)
{
    if (reader->uses_dictionary) {
        return weir_parquet_column_damaged(reader, "booleans have a dictionary", err);
    }
    if (valid == slots) {
        return weir_parquet_values_bits(&reader->values, slots, out->data, out->length, err);
    }
    uint8_t dense[BOOLEAN_BLOCK / 8];
    for (int64_t done = 0; done < slots; done += BOOLEAN_BLOCK) {
        int64_t size = slots - done < BOOLEAN_BLOCK ? slots - done : BOOLEAN_BLOCK;
        int64_t first = out->length + done;
        int64_t next = 0;
        WEIR_TRY(weir_parquet_values_bits(&reader->values, weir_bits_count(out->validity, first, size), dense, 0, err));
        weir_bits_fill(out->data, first, size, false);
        for (int64_t i = 0; i < size; i++) {
            if (weir_bit_get(out->validity, first + i) && weir_bit_get(dense, next++)) {
                weir_bit_set(out->data, first + i);
            }
        }
    }
    return WEIR_OK;
}

/* --- numbers ---------------------------------------------------------------------------------------------------- */

static int append_dense_indexed(weir_parquet_column_reader *reader, int64_t count, uint8_t *to, size_t width,
                                weir_error *err)
{
    uint32_t indexes[NUMBER_BLOCK];
    for (int64_t done = 0; done < count; done += NUMBER_BLOCK) {
        int64_t size = count - done < NUMBER_BLOCK ? count - done : NUMBER_BLOCK;
        WEIR_TRY(read_indexes(reader, size, indexes, err));
        look_up_numbers(reader, indexes, size, to + (size_t)done * width);
    }
    return WEIR_OK;
}

static int append_dense_converted(weir_parquet_column_reader *reader, int64_t count, uint8_t *to, size_t width,
                                  weir_error *err)
{
    _Alignas(16) uint8_t block[NUMBER_BLOCK * 12];
    for (int64_t done = 0; done < count; done += NUMBER_BLOCK) {
        int64_t size = count - done < NUMBER_BLOCK ? count - done : NUMBER_BLOCK;
        WEIR_TRY(weir_parquet_values_numbers(&reader->values, size, block, err));
        WEIR_TRY(weir_parquet_convert(reader->leaf, block, size, to + (size_t)done * width, reader->chunk.source->path,
                                      err));
    }
    return WEIR_OK;
}

static int append_dense_from_bytes(weir_parquet_column_reader *reader, int64_t count, uint8_t *to, size_t width,
                                   weir_error *err)
{
    weir_parquet_view views[WEIR_PARQUET_VIEW_BLOCK];
    for (int64_t done = 0, got; done < count; done += got) {
        WEIR_TRY(weir_parquet_values_views(&reader->values, count - done, views, &got, err));
        WEIR_TRY(weir_parquet_convert_views(reader->leaf, views, got, to + (size_t)done * width,
                                            reader->chunk.source->path, err));
    }
    return WEIR_OK;
}

#define DEFINE_SPREAD(name, ctype)                                                                                     \
    static void name(ctype *values, const uint8_t *validity, int64_t first, int64_t slots, int64_t valid)              \
    {                                                                                                                  \
        int64_t dense = valid;                                                                                         \
        int64_t i = slots;                                                                                             \
        while (dense > 0 && dense < i) {                                                                               \
            i--;                                                                                                       \
            bool is_valid = weir_bit_get(validity, first + i);                                                         \
            ctype value = values[dense - 1];                                                                           \
            values[i] = is_valid ? value : 0;                                                                          \
            dense -= is_valid;                                                                                         \
        }                                                                                                              \
        if (dense == 0) {                                                                                              \
            memset(values, 0, (size_t)i * sizeof *values);                                                             \
        }                                                                                                              \
    }

DEFINE_SPREAD(spread_8, uint8_t)
DEFINE_SPREAD(spread_16, uint16_t)
DEFINE_SPREAD(spread_32, uint32_t)
DEFINE_SPREAD(spread_64, uint64_t)
DEFINE_SPREAD(spread_128, weir_int128)

/* Moves `valid` dense values apart to where the validity has them, from behind; nulls become zeros. */
static void spread_numbers(weir_vector *out, int64_t slots, int64_t valid)
{
    int64_t first = out->length;
    switch (out->layout) {
    case WEIR_LAYOUT_8:
        spread_8(WEIR_VALUES(out, uint8_t) + first, out->validity, first, slots, valid);
        return;
    case WEIR_LAYOUT_16:
        spread_16(WEIR_VALUES(out, uint16_t) + first, out->validity, first, slots, valid);
        return;
    case WEIR_LAYOUT_32:
        spread_32(WEIR_VALUES(out, uint32_t) + first, out->validity, first, slots, valid);
        return;
    case WEIR_LAYOUT_64:
        spread_64(WEIR_VALUES(out, uint64_t) + first, out->validity, first, slots, valid);
        return;
    default:
        spread_128(WEIR_VALUES(out, weir_int128) + first, out->validity, first, slots, valid);
        return;
    }
}

static int append_numbers(weir_parquet_column_reader *reader, int64_t slots, int64_t valid, weir_vector *out,
                          weir_error *err)
{
    size_t width = weir_layout_width(out->layout);
    uint8_t *to = out->data + (size_t)out->length * width;
    if (reader->uses_dictionary) {
        WEIR_TRY(append_dense_indexed(reader, valid, to, width, err));
    } else if (weir_parquet_leaf_is_bytes(reader->leaf)) {
        WEIR_TRY(append_dense_from_bytes(reader, valid, to, width, err));
    } else if (reader->leaf->conversion == WEIR_PARQUET_CONVERT_NONE) {
        WEIR_TRY(weir_parquet_values_numbers(&reader->values, valid, to, err));
    } else {
        WEIR_TRY(append_dense_converted(reader, valid, to, width, err));
    }
    if (valid < slots) {
        spread_numbers(out, slots, valid);
    }
    return WEIR_OK;
}

/* --- what the readers call -------------------------------------------------------------------------------------- */

int weir_parquet_append_values(weir_parquet_column_reader *reader, int64_t slots, int64_t valid, weir_vector *out,
                               weir_error *err)
{
    if (slots == 0) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_vector_reserve(out, slots, err));
    if (out->layout == WEIR_LAYOUT_BYTES) {
        WEIR_TRY(append_bytes(reader, slots, valid, out, err));
    } else if (out->layout == WEIR_LAYOUT_BIT) {
        WEIR_TRY(append_bits(reader, slots, valid, out, err));
    } else {
        WEIR_TRY(append_numbers(reader, slots, valid, out, err));
    }
    if (valid == slots && out->validity != NULL) {
        weir_bits_fill(out->validity, out->length, slots, true);
    }
    out->length += slots;
    out->null_count += slots - valid;
    return WEIR_OK;
}

static int append_picked_indexed(weir_parquet_column_reader *reader, int64_t count, const uint32_t *picks,
                                 int64_t pick_count, weir_vector *out, weir_error *err)
{
    uint32_t indexes[WEIR_PARQUET_LEVEL_BLOCK];
    uint32_t picked[WEIR_PARQUET_LEVEL_BLOCK];
    WEIR_TRY(read_indexes(reader, count, indexes, err));
    look_up_32(indexes, picks, pick_count, picked);
    look_up_numbers(reader, picked, pick_count, out->data + (size_t)out->length * weir_layout_width(out->layout));
    out->length += pick_count;
    return WEIR_OK;
}

static int append_picked_bytes(weir_parquet_column_reader *reader, int64_t count, const uint32_t *picks,
                               int64_t pick_count, weir_vector *out, weir_error *err)
{
    weir_parquet_view views[WEIR_PARQUET_VIEW_BLOCK];
    weir_parquet_view picked[WEIR_PARQUET_VIEW_BLOCK];
    int64_t pick = 0;
    for (int64_t done = 0, got; done < count; done += got) {
        int64_t found = 0;
        WEIR_TRY(next_views(reader, count - done, views, &got, err));
        while (pick < pick_count && picks[pick] < done + got) {
            picked[found++] = views[picks[pick++] - done];
        }
        WEIR_TRY(append_views(picked, found, out, err));
    }
    return WEIR_OK;
}

int weir_parquet_append_picked(weir_parquet_column_reader *reader, int64_t count, const uint32_t *picks,
                               int64_t pick_count, weir_vector *out, weir_error *err)
{
    int64_t first = out->length;
    WEIR_TRY(weir_vector_reserve(out, pick_count, err));
    if (out->layout == WEIR_LAYOUT_BYTES) {
        WEIR_TRY(append_picked_bytes(reader, count, picks, pick_count, out, err));
    } else {
        WEIR_TRY(append_picked_indexed(reader, count, picks, pick_count, out, err));
    }
    if (out->validity != NULL) {
        weir_bits_fill(out->validity, first, pick_count, true);
    }
    return WEIR_OK;
}

int weir_parquet_skip_values(weir_parquet_column_reader *reader, int64_t valid, weir_error *err)
{
    if (!reader->uses_dictionary) {
        return weir_parquet_values_skip(&reader->values, valid, err);
    }
    return weir_parquet_rle_skip(&reader->indexes, valid) ? WEIR_OK : too_short(reader, err);
}
