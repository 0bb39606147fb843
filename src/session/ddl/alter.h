/* What the files of ALTER TABLE share. */
#ifndef WEIR_SESSION_ALTER_H
#define WEIR_SESSION_ALTER_H

#include "meta/schema_change.h"
#include "session/catalog/table_draft.h"
#include "session/state.h"

/* What happens to one column, for tables that are altered step by step. */
typedef struct weir_alter_step {
    weir_schema_change_kind kind; /* ADD_COLUMN, DROP_COLUMN, RENAME_COLUMN or COLUMN_TYPE (of MODIFY) */
    weir_position position;
    const char *name;
    const char *new_name; /* RENAME */
    bool moved;           /* of MODIFY: FIRST or AFTER was said */
    weir_column_place place;
    const char *after; /* the stored column before its place */
} weir_alter_step;

/* A table being altered: the draft of what it will be, and how it gets there. */
typedef struct weir_alter_draft {
    weir_arena *arena;
    const weir_ast_alter *alter;
    weir_ast_create_table *draft;
    weir_alter_step *steps;
    int32_t step_count;
} weir_alter_draft;

/* Columns, keys and watermark by Flink's rules: what the statement says, done to the draft. */
int weir_alter_columns(weir_alter_draft *self, weir_error *err);

/* The changes of a Paimon table's schema from `old` to `altered`, with their places in the statement. */
int weir_alter_paimon(const weir_object_path *path, const weir_alter_draft *self, const weir_description *old,
                      const weir_bound_columns *altered, weir_error *err);

/* SET and RESET of a Paimon table's options. */
int weir_alter_paimon_options(const weir_object_path *path, const weir_ast_alter *alter, weir_arena *arena,
                              weir_error *err);

#endif
