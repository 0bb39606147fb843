/* The dictionary of a column chunk, converted once so that decoding a page is a gather. */
#ifndef WEIR_FORMAT_PARQUET_DICTIONARY_H
#define WEIR_FORMAT_PARQUET_DICTIONARY_H

#include "format/parquet/chunk_reader.h"
#include "format/parquet/values.h"

typedef struct weir_parquet_dictionary {
    uint32_t load; /* of the chunk reader's loads, which it was made of; 0: none */
    uint32_t count;
    weir_parquet_scratch values; /* numbers in the layout of the leaf's type, or weir_parquet_view of texts and bytes */
} weir_parquet_dictionary;

/* Decodes the dictionary page that the chunk reader has loaded; none is WEIR_CORRUPT. Views point into the chunk
 * reader's dictionary body. */
int weir_parquet_dictionary_build(weir_parquet_dictionary *dictionary, weir_parquet_chunk_reader *chunk,
                                  weir_error *err);

#endif
