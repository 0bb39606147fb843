/* Decoding texts and bytes: one after the other, or by their places in the stripe's dictionary. */
#include <stdlib.h>

#include "format/orc/column.h"

/* CHAR(n) is stored with blanks to its length, and read without them. */
static int32_t trimmed_end(const weir_orc_column *column, const weir_vector *out, int32_t start, int32_t end)
{
    while (column->stored->kind == WEIR_ORC_CHAR && end > start && out->data[end - 1] == ' ') {
        end--;
    }
    return end;
}

/* Adds `bytes` behind `*end`, which counts from the last text of the vector on. */
static int append_bytes(weir_vector *out, int32_t *end, weir_slice bytes, weir_error *err)
{
    size_t pending = (size_t)(*end - out->offsets[out->length]);
    WEIR_TRY(weir_vector_reserve_bytes(out, pending + bytes.size, err));
    if (bytes.size > 0) {
        memcpy(out->data + *end, bytes.data, bytes.size);
    }
    *end += (int32_t)bytes.size;
    return WEIR_OK;
}

/* ---- direct ---- */

/* Memory grows with the bytes that are there, not with what lengths claim. */
static int append_direct(weir_orc_column *column, int64_t length, weir_vector *out, int32_t *end, weir_error *err)
{
    if (length < 0 || length > INT32_MAX - *end) {
        return weir_orc_stream_corrupt(&column->length_stream, "texts of more than 2 GB together", err);
    }
    for (size_t left = (size_t)length; left > 0;) {
        weir_slice bytes;
        WEIR_TRY(weir_orc_stream_some(&column->data_stream, left, &bytes, err));
        WEIR_TRY(append_bytes(out, end, bytes, err));
        left -= bytes.size;
    }
    return WEIR_OK;
}

static int read_direct(weir_orc_column *column, const weir_orc_piece *piece, weir_vector *out, weir_error *err)
{
    int64_t lengths[WEIR_ORC_PIECE];
    WEIR_TRY(weir_orc_integers_read(column->lengths, lengths, piece->present, err));
    const int64_t *length = lengths;
    int32_t end = out->offsets[out->length];
    for (int64_t i = 0; i < piece->slots; i++) {
        if (piece->valid[i]) {
            int32_t start = end;
            WEIR_TRY(append_direct(column, *length++, out, &end, err));
            end = trimmed_end(column, out, start, end);
        }
        out->offsets[out->length + i + 1] = end;
    }
    return WEIR_OK;
}

/* ---- dictionaries ---- */

static int read_dictionary_ends(weir_orc_column *column, weir_error *err)
{
    weir_orc_dictionary *dictionary = &column->dictionary;
    uint64_t end = 0;
    dictionary->count = 0;
    while (dictionary->count < dictionary->size_claimed) {
        int64_t lengths[WEIR_ORC_PIECE];
        uint64_t left = dictionary->size_claimed - dictionary->count;
        int64_t piece = left < WEIR_ORC_PIECE ? (int64_t)left : WEIR_ORC_PIECE;
        WEIR_TRY(weir_orc_integers_read(column->lengths, lengths, piece, err));
        WEIR_GROW(dictionary->ends, dictionary->capacity, dictionary->count + (size_t)piece);
        for (int64_t i = 0; i < piece; i++) {
            if (lengths[i] < 0 || lengths[i] > INT32_MAX || end + (uint64_t)lengths[i] > INT32_MAX) {
                return weir_orc_stream_corrupt(&column->length_stream, "a dictionary of more than 2 GB", err);
            }
            end += (uint64_t)lengths[i];
            dictionary->ends[dictionary->count++] = (uint32_t)end;
        }
        WEIR_TRY(weir_orc_source_settle(column->source,
                                        dictionary->capacity * sizeof *dictionary->ends + dictionary->bytes.capacity,
                                        &dictionary->taken_bytes, err));
    }
    return WEIR_OK;
}

static int load_dictionary(weir_orc_column *column, weir_error *err)
{
    weir_orc_dictionary *dictionary = &column->dictionary;
    WEIR_TRY(read_dictionary_ends(column, err));
    size_t size = dictionary->count == 0 ? 0 : dictionary->ends[dictionary->count - 1];
    weir_buffer_clear(&dictionary->bytes);
    weir_buffer_reserve(&dictionary->bytes, 1); /* an empty text has an address too */
    while (dictionary->bytes.size < size) {
        weir_slice bytes;
        WEIR_TRY(weir_orc_stream_some(&column->secondary_stream, size - dictionary->bytes.size, &bytes, err));
        weir_buffer_append(&dictionary->bytes, bytes.data, bytes.size);
        WEIR_TRY(weir_orc_source_settle(column->source,
                                        dictionary->capacity * sizeof *dictionary->ends + dictionary->bytes.capacity,
                                        &dictionary->taken_bytes, err));
    }
    dictionary->is_loaded = true;
    return WEIR_OK;
}

static int read_by_dictionary(weir_orc_column *column, const weir_orc_piece *piece, weir_vector *out, weir_error *err)
{
    int64_t places[WEIR_ORC_PIECE];
    const weir_orc_dictionary *dictionary = &column->dictionary;
    if (!dictionary->is_loaded) {
        WEIR_TRY(load_dictionary(column, err));
    }
    WEIR_TRY(weir_orc_integers_read(column->data, places, piece->present, err));
    const int64_t *place = places;
    int32_t end = out->offsets[out->length];
    for (int64_t i = 0; i < piece->slots; i++) {
        if (piece->valid[i]) {
            uint64_t entry = (uint64_t)*place++;
            if (entry >= dictionary->count) {
                return weir_orc_stream_corrupt(&column->data_stream, "a place outside of the dictionary", err);
            }
            uint32_t from = entry == 0 ? 0 : dictionary->ends[entry - 1];
            int32_t start = end;
            WEIR_TRY(append_bytes(out, &end,
                                  weir_slice_of(dictionary->bytes.data + from, dictionary->ends[entry] - from), err));
            end = trimmed_end(column, out, start, end);
        }
        out->offsets[out->length + i + 1] = end;
    }
    return WEIR_OK;
}

void weir_orc_dictionary_free(weir_orc_column *column)
{
    weir_orc_dictionary *dictionary = &column->dictionary;
    if (dictionary->taken_bytes > 0) {
        weir_budget_give(column->source->budget, dictionary->taken_bytes);
    }
    weir_buffer_free(&dictionary->bytes);
    free(dictionary->ends);
    *dictionary = (weir_orc_dictionary){0};
}

int weir_orc_read_texts(weir_orc_column *column, const weir_orc_piece *piece, weir_vector *out, weir_error *err)
{
    WEIR_TRY(weir_orc_piece_begin(piece, out, err));
    WEIR_TRY(column->is_dictionary ? read_by_dictionary(column, piece, out, err)
                                   : read_direct(column, piece, out, err));
    weir_orc_piece_end(piece, out);
    return WEIR_OK;
}
