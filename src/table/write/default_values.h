/* Default values of columns: written where a row has NULL, as Paimon's writers do. Used by the files of writing. */
#ifndef WEIR_TABLE_DEFAULT_VALUES_H
#define WEIR_TABLE_DEFAULT_VALUES_H

#include "table/table.h"

typedef struct weir_default_values {
    const weir_schema *schema;
    const weir_literal **literals; /* one a column, NULL without a default; NULL: no column has one */
    weir_vector *filled;           /* the columns of the last batch that were changed */
} weir_default_values;

/* In `arena`. WEIR_INVALID when a default cannot be read as its column's type. */
int weir_default_values_init(const weir_schema *schema, weir_arena *arena, weir_default_values *out, weir_error *err);
void weir_default_values_free(weir_default_values *defaults);

/* `*out` is `batch` with the defaults in the place of NULLs; it borrows from both and is valid until the next call.
 * `columns` has room for all of them. */
int weir_default_values_fill(weir_default_values *defaults, const weir_batch *batch, weir_vector *columns,
                             weir_batch *out, weir_error *err);

#endif
