/* Rows from bytes.
 *
 * The bytes come from a state store, so every length is checked against what is left before anything is taken by it. */
#include "stream/state/row_codec.h"
#include "stream/state/row_layout.h"

static int take_value(weir_slice *from, weir_vector *out, weir_error *err);

static int fail_short(weir_error *err) { return weir_fail(err, WEIR_CORRUPT, "a row in state ends too soon"); }

static int take_bytes(weir_slice *from, size_t size, const uint8_t **out, weir_error *err)
{
    if (size > from->size) {
        return fail_short(err);
    }
    *out = from->data;
    *from = weir_slice_of(from->data + size, from->size - size);
    return WEIR_OK;
}

static int take_length(weir_slice *from, uint32_t *out, weir_error *err)
{
    if (!weir_row_take_length(from, out)) {
        return weir_fail(err, WEIR_CORRUPT, "a row in state has a length that is none");
    }
    return WEIR_OK;
}

static int take_bits(weir_slice *from, int64_t count, const uint8_t **out, weir_error *err)
{
    return take_bytes(from, ((size_t)count + 7) / 8, out, err);
}

static int take_values(weir_slice *from, int64_t count, weir_vector *out, weir_error *err)
{
    const uint8_t *null_bits = NULL;
    WEIR_TRY(take_bits(from, count, &null_bits, err));
    for (int64_t i = 0; i < count; i++) {
        if (weir_bit_get(null_bits, i)) {
            WEIR_TRY(weir_vector_append_nulls(out, 1, err));
        } else {
            WEIR_TRY(take_value(from, out, err));
        }
    }
    return WEIR_OK;
}

static int take_list(weir_slice *from, weir_vector *out, weir_error *err)
{
    uint32_t count = 0;
    WEIR_TRY(take_length(from, &count, err));
    for (int32_t c = 0; c < out->child_count; c++) {
        WEIR_TRY(take_values(from, count, &out->children[c], err));
    }
    return weir_vector_append_list(out, err);
}

static int take_struct(weir_slice *from, weir_vector *out, weir_error *err)
{
    const uint8_t *null_bits = NULL;
    WEIR_TRY(take_bits(from, out->child_count, &null_bits, err));
    for (int32_t c = 0; c < out->child_count; c++) {
        if (weir_bit_get(null_bits, c)) {
            WEIR_TRY(weir_vector_append_nulls(&out->children[c], 1, err));
        } else {
            WEIR_TRY(take_value(from, &out->children[c], err));
        }
    }
    return weir_vector_append_struct(out, err);
}

static int take_fixed(weir_slice *from, weir_vector *out, weir_error *err)
{
    const uint8_t *bytes = NULL;
    uint32_t width = weir_row_value_width(out);
    WEIR_TRY(take_bytes(from, width, &bytes, err));
    if (out->layout == WEIR_LAYOUT_BIT && *bytes > 1) {
        return weir_fail(err, WEIR_CORRUPT, "a row in state has the BOOLEAN %d", *bytes);
    }
    uint8_t value[16] = {0};
    memcpy(value, bytes, width);
    return weir_vector_append_raw(out, value, out->layout == WEIR_LAYOUT_BIT ? 1 : weir_layout_width(out->layout), err);
}

static int take_value(weir_slice *from, weir_vector *out, weir_error *err)
{
    switch (out->layout) {
    case WEIR_LAYOUT_BYTES: {
        uint32_t size = 0;
        const uint8_t *bytes = NULL;
        WEIR_TRY(take_length(from, &size, err));
        WEIR_TRY(take_bytes(from, size, &bytes, err));
        return weir_vector_append_raw(out, bytes, size, err);
    }
    case WEIR_LAYOUT_LIST:
        return take_list(from, out, err);
    case WEIR_LAYOUT_STRUCT:
        return take_struct(from, out, err);
    case WEIR_LAYOUT_NONE:
        return weir_fail(err, WEIR_CORRUPT, "a row in state has a value of type NULL");
    default:
        return take_fixed(from, out, err);
    }
}

int weir_row_decode(weir_slice bytes, weir_batch *out, int32_t first, int32_t count, weir_error *err)
{
    if (bytes.size < 1 || bytes.data[0] != WEIR_ROW_FORMAT_VERSION) {
        return weir_fail(err, WEIR_CORRUPT, "a row in state has format version %d; this program knows %d",
                         bytes.size < 1 ? -1 : bytes.data[0], WEIR_ROW_FORMAT_VERSION);
    }
    weir_slice from = weir_slice_of(bytes.data + 1, bytes.size - 1);
    const uint8_t *null_bits = NULL;
    WEIR_TRY(take_bits(&from, count, &null_bits, err));
    for (int32_t c = 0; c < count; c++) {
        weir_vector *column = &out->columns[first + c];
        if (weir_bit_get(null_bits, c)) {
            WEIR_TRY(weir_vector_append_nulls(column, 1, err));
        } else {
            WEIR_TRY(take_value(&from, column, err));
        }
    }
    if (from.size > 0) {
        return weir_fail(err, WEIR_CORRUPT, "a row in state has %zu bytes too many", from.size);
    }
    return WEIR_OK;
}
