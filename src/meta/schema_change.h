/* Changes of a table's schema: what ALTER TABLE may do, and the next version of the schema.
 *
 * What is allowed is what Paimon allows (org.apache.paimon.schema.SchemaManager), so that a table altered here can be
 * read and altered everywhere. */
#ifndef WEIR_META_SCHEMA_CHANGE_H
#define WEIR_META_SCHEMA_CHANGE_H

#include "meta/schema.h"

typedef enum weir_schema_change_kind {
    WEIR_CHANGE_SET_OPTION,     /* name: the key; text: the value */
    WEIR_CHANGE_RESET_OPTION,   /* name: the key */
    WEIR_CHANGE_COMMENT,        /* text: of the table; NULL: none */
    WEIR_CHANGE_ADD_COLUMN,     /* name, type, text: the comment or NULL; place */
    WEIR_CHANGE_RENAME_COLUMN,  /* name; text: the new name */
    WEIR_CHANGE_DROP_COLUMN,    /* name */
    WEIR_CHANGE_COLUMN_TYPE,    /* name, type: a ROW may get, lose and change fields, which are matched by name */
    WEIR_CHANGE_COLUMN_COMMENT, /* name; text: NULL: none */
    WEIR_CHANGE_COLUMN_DEFAULT, /* name; text: the value as text, NULL: none */
    WEIR_CHANGE_COLUMN_PLACE    /* name, place */
} weir_schema_change_kind;

typedef enum weir_column_place {
    WEIR_PLACE_UNSAID, /* of a new column: the last one */
    WEIR_PLACE_FIRST,
    WEIR_PLACE_AFTER, /* after the column `after` */
    WEIR_PLACE_BEFORE
} weir_column_place;

typedef struct weir_schema_change {
    weir_schema_change_kind kind;
    const char *name;
    const char *text;
    const weir_type *type;
    weir_column_place place;
    const char *after; /* of AFTER and BEFORE: the other column */
} weir_schema_change;

/* The version after `old`, with the next id, in `arena`; nothing is written. `has_data`: there is a snapshot, and what
 * is immutable then may not change. On failure *out_failed is the change that is refused, or -1 when all of them
 * together are. */
int weir_schema_apply(const weir_schema *old, const weir_schema_change *changes, int32_t count, bool has_data,
                      weir_arena *arena, weir_schema **out, int32_t *out_failed, weir_error *err);

/* Applies the changes to the newest version under `root` and publishes the result; begins again when another writer was
 * faster. */
int weir_schema_alter(weir_fs *fs, const char *root, const weir_schema_change *changes, int32_t count,
                      weir_arena *arena, weir_schema **out, int32_t *out_failed, weir_error *err);

/* The type of a column after MODIFY: that of `wanted`, with the ids that `type` has for fields of the same names, new
 * ids from *highest_id + 1 on for others. `column` names it in messages. */
int weir_schema_change_type(const char *column, const weir_type *type, const weir_type *wanted,
                            const weir_options *options, int32_t *highest_id, weir_arena *arena, const weir_type **out,
                            weir_error *err);

#endif
