/* What an ORC file says of itself: types, stripes, and in each stripe where its streams lie. */
#ifndef WEIR_FORMAT_ORC_METADATA_H
#define WEIR_FORMAT_ORC_METADATA_H

#include "format/orc/source.h"

/* As the format numbers them. */
typedef enum weir_orc_kind {
    WEIR_ORC_BOOLEAN,
    WEIR_ORC_BYTE,
    WEIR_ORC_SHORT,
    WEIR_ORC_INT,
    WEIR_ORC_LONG,
    WEIR_ORC_FLOAT,
    WEIR_ORC_DOUBLE,
    WEIR_ORC_STRING,
    WEIR_ORC_BINARY,
    WEIR_ORC_TIMESTAMP,
    WEIR_ORC_LIST,
    WEIR_ORC_MAP,
    WEIR_ORC_STRUCT,
    WEIR_ORC_UNION,
    WEIR_ORC_DECIMAL,
    WEIR_ORC_DATE,
    WEIR_ORC_VARCHAR,
    WEIR_ORC_CHAR,
    WEIR_ORC_TIMESTAMP_INSTANT,
    WEIR_ORC_UNKNOWN_KIND
} weir_orc_kind;

/* One node of the tree of types, by its place in the list of them: the root, a struct, is 0, and children have greater
 * places than their parent. Columns of a stripe have the same numbers. */
typedef struct weir_orc_type {
    weir_orc_kind kind;
    uint32_t child_count;
    uint32_t *children;
    const char **names; /* of a struct's children */
    uint32_t scale;     /* of a decimal */
} weir_orc_type;

typedef enum weir_orc_stream_kind {
    WEIR_ORC_PRESENT,
    WEIR_ORC_DATA,
    WEIR_ORC_LENGTH,
    WEIR_ORC_DICTIONARY_DATA,
    WEIR_ORC_DICTIONARY_COUNT,
    WEIR_ORC_SECONDARY
} weir_orc_stream_kind;

typedef struct weir_orc_stream_place {
    uint64_t kind; /* a weir_orc_stream_kind, or another number that readers pass over */
    uint64_t column;
    uint64_t offset; /* in the file */
    uint64_t size;
} weir_orc_stream_place;

typedef struct weir_orc_encoding {
    bool is_dictionary;
    bool is_version_2; /* of the integers' run lengths */
    uint64_t dictionary_size;
} weir_orc_encoding;

/* The footer of a stripe. */
typedef struct weir_orc_layout {
    weir_orc_stream_place *streams;
    size_t stream_count;
    weir_orc_encoding *encodings; /* one a column */
    size_t encoding_count;
    const char *zone; /* of the writer; "": not told */
} weir_orc_layout;

typedef struct weir_orc_stripe {
    uint64_t offset;
    uint64_t index_size;
    uint64_t data_size;
    uint64_t footer_size;
    int64_t first_row;
    int64_t row_count;
    weir_orc_layout *layout; /* NULL: not read yet */
} weir_orc_stripe;

typedef struct weir_orc_metadata {
    weir_orc_type *types;
    uint32_t type_count; /* at least 1 */
    weir_orc_stripe *stripes;
    size_t stripe_count;
    int64_t row_count;
    uint64_t writer_version;
    uint64_t statistics_offset; /* of the message with the statistics of all stripes */
    uint64_t statistics_size;   /* 0: there are none */
} weir_orc_metadata;

/* Reads the message of `size` stored bytes at `offset`, decompressed, into `arena`; `what` names it in errors. */
int weir_orc_message_read(const weir_orc_source *source, uint64_t offset, uint64_t size, const char *what,
                          weir_arena *arena, weir_slice *out, weir_error *err);

/* Reads postscript and footer, and sets the source's codec. What is read lives in `arena`. */
int weir_orc_metadata_read(weir_orc_source *source, weir_arena *arena, weir_orc_metadata *out, weir_error *err);

/* Reads the footer of a stripe, unless it is there already. */
int weir_orc_stripe_read(const weir_orc_source *source, weir_arena *arena, weir_orc_stripe *stripe, weir_error *err);

const char *weir_orc_kind_name(weir_orc_kind kind);

#endif
