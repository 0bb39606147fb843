/* A column of an ORC file: its streams in the current stripe, and the values they become. */
#ifndef WEIR_FORMAT_ORC_COLUMN_H
#define WEIR_FORMAT_ORC_COLUMN_H

#include "base/zone.h"
#include "format/orc/metadata.h"
#include "format/orc/run_length.h"
#include "vector/vector.h"

/* Values that are decoded at a time. */
#define WEIR_ORC_PIECE 1024

/* How a column is read, by what the file holds and what is asked for. */
typedef enum weir_orc_reading {
    WEIR_ORC_READ_BOOLEANS,
    WEIR_ORC_READ_BYTES, /* runs of bytes as numbers */
    WEIR_ORC_READ_INTEGERS,
    WEIR_ORC_READ_FLOATS,
    WEIR_ORC_READ_DOUBLES,
    WEIR_ORC_READ_TEXTS,
    WEIR_ORC_READ_DECIMALS,
    WEIR_ORC_READ_TIMESTAMPS,
    WEIR_ORC_READ_LISTS,
    WEIR_ORC_READ_STRUCTS,
    WEIR_ORC_READ_NOTHING /* the file has no such column: NULLs; the column has nothing but this */
} weir_orc_reading;

/* The texts of a stripe, one after the other; text i ends at ends[i]. */
typedef struct weir_orc_dictionary {
    weir_buffer bytes;
    uint32_t *ends;
    size_t count;
    size_t capacity;
    uint64_t size_claimed;
    bool is_loaded;
    int64_t taken_bytes; /* from the budget */
} weir_orc_dictionary;

typedef struct weir_orc_column {
    const weir_orc_source *source;
    const char *name; /* of messages: the path from the top, such as "column a.b" */
    uint32_t id;      /* its number in the file */
    const weir_orc_type *stored;
    const weir_type *type;
    weir_orc_reading reading;
    bool is_required; /* a NULL is an error */
    bool is_shifted;  /* timestamps: local times of the writer's zone are wanted, not instants */
    struct weir_orc_column *children;
    int32_t child_count;

    /* Of the current stripe. */
    weir_orc_stream present_stream;
    weir_orc_stream data_stream;
    weir_orc_stream length_stream;
    weir_orc_stream secondary_stream;
    bool has_present;
    bool is_dictionary;
    weir_orc_bit_runs present;
    weir_orc_bit_runs bits;
    weir_orc_byte_runs bytes;
    weir_orc_integers *data; /* NULL: the column has none */
    weir_orc_integers *lengths;
    weir_orc_integers *secondary;
    weir_orc_dictionary dictionary;
    const weir_zone *zone; /* NULL: UTC */
    int64_t epoch;         /* what timestamps count from, in seconds */
} weir_orc_column;

/* Makes the column and those under it read from the beginning of a stripe whose footer is there. */
int weir_orc_column_enter(weir_orc_column *column, const weir_orc_stripe *stripe, weir_error *err);
void weir_orc_column_close(weir_orc_column *column); /* streams and dictionaries, with those under it */

/* Appends the next `count` values. `parents` (NULL: all) tells by 0 and 1 for which of them the surrounding struct is
 * there: for others the file has nothing, and NULL is appended. */
int weir_orc_column_read(weir_orc_column *column, int64_t count, const uint8_t *parents, weir_vector *out,
                         weir_error *err);

/* One piece of a column: slot i of `slots` has a value when valid[i] is 1; `present` are those. */
typedef struct weir_orc_piece {
    const uint8_t *valid;
    int64_t slots; /* up to WEIR_ORC_PIECE */
    int64_t present;
} weir_orc_piece;

/* Room for the piece in `out`, with validity where it is needed; and the end of appending it. */
int weir_orc_piece_begin(const weir_orc_piece *piece, weir_vector *out, weir_error *err);
void weir_orc_piece_end(const weir_orc_piece *piece, weir_vector *out);

/* values.c, texts.c: appending a piece of one kind. */
int weir_orc_read_booleans(weir_orc_column *column, const weir_orc_piece *piece, weir_vector *out, weir_error *err);
int weir_orc_read_numbers(weir_orc_column *column, const weir_orc_piece *piece, weir_vector *out, weir_error *err);
int weir_orc_read_floats(weir_orc_column *column, const weir_orc_piece *piece, weir_vector *out, weir_error *err);
int weir_orc_read_decimals(weir_orc_column *column, const weir_orc_piece *piece, weir_vector *out, weir_error *err);
int weir_orc_read_timestamps(weir_orc_column *column, const weir_orc_piece *piece, weir_vector *out, weir_error *err);
int weir_orc_read_texts(weir_orc_column *column, const weir_orc_piece *piece, weir_vector *out, weir_error *err);
void weir_orc_dictionary_free(weir_orc_column *column);

#endif
