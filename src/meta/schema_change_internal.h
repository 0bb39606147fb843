/* What the files of altering schemas share. */
#ifndef WEIR_META_SCHEMA_CHANGE_INTERNAL_H
#define WEIR_META_SCHEMA_CHANGE_INTERNAL_H

#include "meta/schema.h"

/* The version that is being made. */
typedef struct weir_altered {
    weir_arena *arena;
    const weir_schema *old;
    weir_schema *schema;
    weir_field *fields; /* those of `schema`, with room for more */
    bool has_data;
} weir_altered;

/* Options that may change, and those that may not once the table has data. */
int weir_altered_set_option(weir_altered *self, const char *key, const char *value, weir_error *err);
int weir_altered_reset_option(weir_altered *self, const char *key, weir_error *err);

/* Options that name the column name the new one. */
void weir_altered_rename_in_options(weir_altered *self, const char *name, const char *new_name);

/* Whether a default value can be read as the column's type. */
int weir_altered_check_default(const weir_altered *self, const weir_field *field, const char *value, weir_error *err);

#endif
