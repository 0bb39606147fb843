/* What a table is: columns, keys, options. The same for tables of every kind, for statements that show or use them. */
#ifndef WEIR_SESSION_DESCRIPTION_H
#define WEIR_SESSION_DESCRIPTION_H

#include "connect/source.h"
#include "meta/schema.h"
#include "sql/binder.h"

typedef struct weir_description {
    weir_bound_columns columns;
    weir_options options; /* 'connector' among them, except for tables of a Paimon catalog */
    const char *comment;  /* NULL: none */
    /* Of a view: its query with all names written out, and the same with the names of the view's columns, which stands
     * for the view in other queries. NULL: a table. */
    const char *view_query;
    const char *view_text;
} weir_description;

/* A table that the session itself keeps: temporary, or of an in-memory catalog. */
typedef struct weir_definition {
    weir_arena arena;
    const char *name;
    weir_description description; /* in the arena */
    int32_t users;                /* a job reads on when its table has been dropped */
} weir_definition;

weir_definition *weir_definition_create(const char *name);
weir_definition *weir_definition_keep(weir_definition *definition); /* one more user */
void weir_definition_free(weir_definition *definition);             /* one user less; the last one frees it */

/* In `arena`; texts and types are borrowed from the schema. Computed columns and the watermark, which the schema keeps
 * among its options, are columns here. */
int weir_description_of_schema(const weir_schema *schema, weir_arena *arena, weir_description *out, weir_error *err);

/* The physical columns as fields, in order, in `arena`. */
const weir_field *weir_description_fields(const weir_description *description, weir_arena *arena, int32_t *out_count);

/* The metadata columns as fields whose names are their keys, in order, in `arena`. */
const weir_field *weir_description_metadata(const weir_description *description, weir_arena *arena, int32_t *out_count);

/* Names of the columns at `positions`. */
const char **weir_description_names(const weir_description *description, const int32_t *positions, int32_t count,
                                    weir_arena *arena);

/* What the connector of a table sees of it, in `arena`. `name`: whole, borrowed. */
weir_connector_schema weir_description_connector_schema(const weir_description *description, const char *name,
                                                        weir_arena *arena);

/* The pairs of a WITH clause or a hint; what comes later wins. */
void weir_options_of_ast(const weir_ast_options *pairs, weir_arena *arena, weir_options *out);

#endif
