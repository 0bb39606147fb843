/* What the datagen source makes of a column, as the table's options say. */
#ifndef WEIR_CONNECT_DATAGEN_OPTIONS_H
#define WEIR_CONNECT_DATAGEN_OPTIONS_H

#include "connect/datagen.h"

typedef struct weir_datagen_column {
    const weir_field *field;
    bool is_sequence;
    int64_t start; /* of a sequence */
    int64_t end;
    int64_t unit;  /* unscaled, of the sequence's numbers: 1, and of DECIMAL what 1 is */
    int64_t least; /* of random whole numbers, and of DECIMAL unscaled */
    int64_t most;
    double least_double;
    double most_double;
    int64_t length;
    bool varies_in_length;
    double null_rate;
    int64_t past_ms;
} weir_datagen_column;

/* Reads fields.<name>.*; WEIR_INVALID says which of them is wrong. */
int weir_datagen_column_read(const weir_options *options, const weir_field *field, weir_datagen_column *column,
                             weir_error *err);

#endif
