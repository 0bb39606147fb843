/* Columns: entering a stripe, NULLs, and nesting. Values of flat columns are decoded in values.c and texts.c. */
#include "format/orc/column.h"

#include <stdlib.h>

/* Midnight of 2015-01-01, as seconds since 1970: timestamps count from there, in the writer's zone. */
#define ORC_EPOCH_SECONDS INT64_C(1420070400)

/* ---- entering a stripe ---- */

static void open_stream(weir_orc_column *column, const weir_orc_layout *layout, weir_orc_stream_kind kind,
                        const char *kind_name, weir_orc_stream *stream, bool *out_exists)
{
    uint64_t offset = 0;
    uint64_t size = 0;
    *out_exists = false;
    for (size_t i = 0; i < layout->stream_count && !*out_exists; i++) {
        const weir_orc_stream_place *place = &layout->streams[i];
        if (place->column == column->id && place->kind == (uint64_t)kind) {
            offset = place->offset;
            size = place->size;
            *out_exists = true;
        }
    }
    weir_orc_stream_open(stream, column->source, offset, size, column->name, kind_name);
}

static bool has_zone_name(const char *name)
{
    return name[0] != '\0' && strcmp(name, "UTC") != 0 && strcmp(name, "GMT") != 0 && strcmp(name, "Etc/UTC") != 0;
}

static int enter_zone(weir_orc_column *column, const char *name, weir_error *err)
{
    column->zone = NULL;
    column->epoch = ORC_EPOCH_SECONDS;
    if (!column->is_shifted || !has_zone_name(name)) {
        return WEIR_OK;
    }
    column->zone = weir_zone_find(name);
    if (column->zone == NULL) {
        return weir_fail(err, WEIR_UNSUPPORTED, "%s: %s was written in the time zone '%s', which this system lacks",
                         column->source->path, column->name, name);
    }
    if (column->stored->kind == WEIR_ORC_TIMESTAMP) { /* an instant's epoch is that of UTC */
        column->epoch -= weir_zone_local_offset(column->zone, ORC_EPOCH_SECONDS);
    }
    return WEIR_OK;
}

static void begin_integers(weir_orc_integers *integers, weir_orc_stream *stream, bool is_signed,
                           const weir_orc_encoding *encoding)
{
    if (integers != NULL) {
        weir_orc_integers_begin(integers, stream, is_signed, encoding->is_version_2);
    }
}

static int enter_streams(weir_orc_column *column, const weir_orc_layout *layout, const weir_orc_encoding *encoding,
                         weir_error *err)
{
    bool exists;
    bool is_text = column->reading == WEIR_ORC_READ_TEXTS;
    if (encoding->is_dictionary && !is_text) {
        return weir_fail(err, WEIR_CORRUPT, "%s: %s has a dictionary, but is no text", column->source->path,
                         column->name);
    }
    column->is_dictionary = encoding->is_dictionary;
    column->dictionary.size_claimed = encoding->dictionary_size;
    column->dictionary.is_loaded = false;
    open_stream(column, layout, WEIR_ORC_PRESENT, "PRESENT stream", &column->present_stream, &column->has_present);
    open_stream(column, layout, WEIR_ORC_DATA, "DATA stream", &column->data_stream, &exists);
    open_stream(column, layout, WEIR_ORC_LENGTH, "LENGTH stream", &column->length_stream, &exists);
    if (is_text && column->is_dictionary) {
        open_stream(column, layout, WEIR_ORC_DICTIONARY_DATA, "DICTIONARY_DATA stream", &column->secondary_stream,
                    &exists);
    } else {
        open_stream(column, layout, WEIR_ORC_SECONDARY, "SECONDARY stream", &column->secondary_stream, &exists);
    }
    weir_orc_bit_runs_begin(&column->present, &column->present_stream);
    weir_orc_bit_runs_begin(&column->bits, &column->data_stream);
    weir_orc_byte_runs_begin(&column->bytes, &column->data_stream);
    begin_integers(column->data, &column->data_stream, !is_text, encoding);
    begin_integers(column->lengths, &column->length_stream, false, encoding);
    begin_integers(column->secondary, &column->secondary_stream, column->reading == WEIR_ORC_READ_DECIMALS, encoding);
    return WEIR_OK;
}

int weir_orc_column_enter(weir_orc_column *column, const weir_orc_stripe *stripe, weir_error *err)
{
    const weir_orc_layout *layout = stripe->layout;
    if (column->reading == WEIR_ORC_READ_NOTHING) {
        return WEIR_OK;
    }
    if (column->id >= layout->encoding_count) {
        return weir_fail(err, WEIR_CORRUPT, "%s: the footer of the stripe at %" PRIu64 " does not speak of %s",
                         column->source->path, stripe->offset, column->name);
    }
    WEIR_TRY(enter_streams(column, layout, &layout->encodings[column->id], err));
    WEIR_TRY(enter_zone(column, layout->zone, err));
    for (int32_t i = 0; i < column->child_count; i++) {
        WEIR_TRY(weir_orc_column_enter(&column->children[i], stripe, err));
    }
    return WEIR_OK;
}

void weir_orc_column_close(weir_orc_column *column)
{
    for (int32_t i = 0; i < column->child_count; i++) {
        weir_orc_column_close(&column->children[i]);
    }
    weir_orc_dictionary_free(column);
    weir_orc_stream_close(&column->present_stream);
    weir_orc_stream_close(&column->data_stream);
    weir_orc_stream_close(&column->length_stream);
    weir_orc_stream_close(&column->secondary_stream);
}

/* ---- pieces ---- */

int weir_orc_piece_begin(const weir_orc_piece *piece, weir_vector *out, weir_error *err)
{
    if (piece->present < piece->slots || out->validity != NULL) {
        return weir_vector_reserve_validity(out, piece->slots, err);
    }
    return weir_vector_reserve(out, piece->slots, err);
}

void weir_orc_piece_end(const weir_orc_piece *piece, weir_vector *out)
{
    for (int64_t i = 0; out->validity != NULL && i < piece->slots; i++) {
        if (piece->valid[i]) {
            weir_bit_set(out->validity, out->length + i);
        } else {
            weir_bit_clear(out->validity, out->length + i);
        }
    }
    out->null_count += piece->slots - piece->present;
    out->length += piece->slots;
}

/* Which slots have values: `valid` is filled with 0 and 1, `out_present` counts the latter. */
static int read_present(weir_orc_column *column, int64_t slots, const uint8_t *parents, uint8_t *valid,
                        int64_t *out_present, weir_error *err)
{
    uint8_t bits[WEIR_ORC_PIECE];
    int64_t stored = slots;
    if (parents != NULL) {
        stored = 0;
        for (int64_t i = 0; i < slots; i++) {
            stored += parents[i];
        }
    }
    if (column->has_present) {
        WEIR_TRY(weir_orc_bit_runs_read(&column->present, bits, stored, err));
    } else {
        memset(bits, 1, (size_t)stored);
    }
    const uint8_t *next = bits;
    *out_present = 0;
    for (int64_t i = 0; i < slots; i++) {
        valid[i] = parents == NULL || parents[i] ? *next++ : 0;
        *out_present += valid[i];
    }
    if (column->is_required && *out_present < stored) {
        return weir_orc_stream_corrupt(&column->present_stream, "a NULL where there can be none", err);
    }
    return WEIR_OK;
}

/* ---- nesting ---- */

static int read_structs(weir_orc_column *column, const weir_orc_piece *piece, weir_vector *out, weir_error *err)
{
    const uint8_t *parents = piece->present < piece->slots ? piece->valid : NULL;
    for (int32_t i = 0; i < column->child_count; i++) {
        WEIR_TRY(weir_orc_column_read(&column->children[i], piece->slots, parents, &out->children[i], err));
    }
    WEIR_TRY(weir_orc_piece_begin(piece, out, err));
    weir_orc_piece_end(piece, out);
    return WEIR_OK;
}

/* Elements cost a byte of memory at least: a claim that the budget has no room for fails before it is followed. */
static int check_elements(weir_orc_column *column, int64_t elements, weir_error *err)
{
    WEIR_TRY_CTX(weir_budget_take(column->source->budget, elements, err), err, "%s: %s", column->source->path,
                 column->name);
    weir_budget_give(column->source->budget, elements);
    return WEIR_OK;
}

/* Lists, and maps, which are lists of keys and of values. */
static int read_lists(weir_orc_column *column, const weir_orc_piece *piece, weir_vector *out, weir_error *err)
{
    int64_t lengths[WEIR_ORC_PIECE];
    WEIR_TRY(weir_orc_integers_read(column->lengths, lengths, piece->present, err));
    WEIR_TRY(weir_orc_piece_begin(piece, out, err));
    int64_t end = out->offsets[out->length];
    const int64_t *next = lengths;
    for (int64_t i = 0; i < piece->slots; i++) {
        int64_t length = piece->valid[i] ? *next++ : 0;
        if (length < 0 || length > INT32_MAX - end) {
            return weir_orc_stream_corrupt(&column->length_stream, "lists of more than 2^31 elements together", err);
        }
        end += length;
        out->offsets[out->length + i + 1] = (int32_t)end;
    }
    int64_t elements = end - out->offsets[out->length];
    WEIR_TRY(check_elements(column, elements, err));
    for (int32_t i = 0; i < column->child_count; i++) {
        WEIR_TRY(weir_orc_column_read(&column->children[i], elements, NULL, &out->children[i], err));
    }
    weir_orc_piece_end(piece, out);
    return WEIR_OK;
}

static int read_piece(weir_orc_column *column, const weir_orc_piece *piece, weir_vector *out, weir_error *err)
{
    switch (column->reading) {
    case WEIR_ORC_READ_BOOLEANS:
        return weir_orc_read_booleans(column, piece, out, err);
    case WEIR_ORC_READ_BYTES:
    case WEIR_ORC_READ_INTEGERS:
        return weir_orc_read_numbers(column, piece, out, err);
    case WEIR_ORC_READ_FLOATS:
    case WEIR_ORC_READ_DOUBLES:
        return weir_orc_read_floats(column, piece, out, err);
    case WEIR_ORC_READ_TEXTS:
        return weir_orc_read_texts(column, piece, out, err);
    case WEIR_ORC_READ_DECIMALS:
        return weir_orc_read_decimals(column, piece, out, err);
    case WEIR_ORC_READ_TIMESTAMPS:
        return weir_orc_read_timestamps(column, piece, out, err);
    case WEIR_ORC_READ_LISTS:
        return read_lists(column, piece, out, err);
    case WEIR_ORC_READ_STRUCTS:
        return read_structs(column, piece, out, err);
    case WEIR_ORC_READ_NOTHING:
        break;
    }
    return weir_fail(err, WEIR_INVALID, "%s: %s cannot be read", column->source->path, column->name);
}

int weir_orc_column_read(weir_orc_column *column, int64_t count, const uint8_t *parents, weir_vector *out,
                         weir_error *err)
{
    uint8_t valid[WEIR_ORC_PIECE];
    if (column->reading == WEIR_ORC_READ_NOTHING) {
        return weir_vector_append_nulls(out, count, err);
    }
    for (int64_t done = 0; done < count;) {
        weir_orc_piece piece = {.valid = valid};
        piece.slots = count - done < WEIR_ORC_PIECE ? count - done : WEIR_ORC_PIECE;
        WEIR_TRY(
            read_present(column, piece.slots, parents == NULL ? NULL : parents + done, valid, &piece.present, err));
        WEIR_TRY(read_piece(column, &piece, out, err));
        done += piece.slots;
    }
    return WEIR_OK;
}
