/* Arrow schemas as columns of a table. */
#ifndef WEIR_API_ARROW_TYPES_H
#define WEIR_API_ARROW_TYPES_H

#include "vector/type.h"

/* The children of a struct as fields (ids not given), in `arena`. WEIR_UNSUPPORTED names a column whose type Paimon
 * does not have, and what to use instead. */
int weir_fields_from_arrow(const struct ArrowSchema *columns, weir_arena *arena, weir_field **out, int32_t *out_count,
                           weir_error *err);

#endif
