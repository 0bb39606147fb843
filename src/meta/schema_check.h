/* What must hold of every version of a schema, new or altered. Inside of the meta room. */
#ifndef WEIR_META_SCHEMA_CHECK_H
#define WEIR_META_SCHEMA_CHECK_H

#include "meta/schema.h"

/* Names of the columns, types, keys, buckets and options. `before`: the version that was altered; what it has already
 * is not held against the new one (a type or an option that only other engines write). NULL: a new table. */
int weir_schema_check(const weir_schema *schema, const weir_schema *before, weir_arena *arena, weir_error *err);

/* Names separated by commas, blanks around them dropped. */
const char **weir_split_names(weir_arena *arena, const char *text, int32_t *out_count);

/* Whether a name is among them, to the letter. */
bool weir_names_have(const char *const *names, int32_t count, const char *name);

/* Fails: `what` names a column that there is not; the likely one is suggested. */
int weir_schema_unknown_column(const weir_schema *schema, const char *what, const char *name, weir_arena *arena,
                               weir_error *err);

/* Ids for all fields nested in a type, from *last_id + 1 on; the type is copied. */
const weir_type *weir_type_with_ids(weir_arena *arena, const weir_type *type, int32_t *last_id);

#endif
