/* The dictionary of a column chunk: each distinct value once, and for every value its number. */
#ifndef WEIR_FORMAT_PARQUET_DICTIONARY_BUILDER_H
#define WEIR_FORMAT_PARQUET_DICTIONARY_BUILDER_H

#include "format/parquet/dense_values.h"

typedef struct weir_dictionary {
    weir_buffer values; /* fixed-width: as in memory; BYTES: each as in PLAIN */
    uint32_t *offsets;  /* of BYTES: where value i begins in `values` */
    size_t offset_capacity;
    size_t count;
    uint64_t *slots; /* hash table: 0 is free, else hash << 32 | number + 1 */
    size_t slot_count;
} weir_dictionary; /* zero-initialized is empty */

void weir_dictionary_free(weir_dictionary *dictionary);
void weir_dictionary_clear(weir_dictionary *dictionary);

/* Appends the numbers of `values` to `numbers`; new values get the next ones. Any form but BOOLEAN. */
void weir_dictionary_add(weir_dictionary *dictionary, const weir_dense_values *values, weir_buffer *numbers);

/* Appends the values of `count` numbers in the encoding PLAIN. */
void weir_dictionary_expand(const weir_dictionary *dictionary, const weir_write_leaf *leaf, const uint32_t *numbers,
                            size_t count, weir_dense_scratch *scratch, weir_buffer *out);

/* Appends the values themselves in PLAIN, as a dictionary page holds them. */
void weir_dictionary_write(const weir_dictionary *dictionary, const weir_write_leaf *leaf, weir_buffer *out);

#endif
