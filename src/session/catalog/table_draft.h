/* A table's definition in the words of CREATE TABLE, for statements that begin with a table that is there: ALTER TABLE
 * and CREATE TABLE … LIKE change the draft, and the binder checks the result as it checks any CREATE TABLE. */
#ifndef WEIR_SESSION_TABLE_DRAFT_H
#define WEIR_SESSION_TABLE_DRAFT_H

#include "session/catalog/description.h"

/* In `arena`, with room for `more` columns; `name` is what the statement calls the table, and where errors of what was
 * there before are shown. Options and comment are left out. */
int weir_table_draft(const weir_description *description, const weir_ast_name *name, int32_t more, weir_arena *arena,
                     weir_ast_create_table **out, weir_error *err);

int32_t weir_draft_find(const weir_ast_create_table *draft, const char *column); /* -1: none */
void weir_draft_insert(weir_ast_create_table *draft, int32_t place, const weir_ast_column *column);
void weir_draft_remove(weir_ast_create_table *draft, int32_t place);
bool weir_names_hold(const weir_ast_names *names, const char *name);

/* The columns that an expression names. */
bool weir_expression_names(const weir_ast_expression *expression, const char *column);

/* Deep: into the definition's own arena, which outlives the statement's. */
void weir_definition_keep_columns(weir_definition *definition);

#endif
