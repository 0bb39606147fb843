/* The schema of a Parquet file as a tree, and what it means: requested Paimon fields as leaves to read and the nesting
 * above them, or the file's own columns as Paimon types. */
#ifndef WEIR_FORMAT_PARQUET_SCHEMA_H
#define WEIR_FORMAT_PARQUET_SCHEMA_H

#include "format/parquet/footer.h"
#include "format/parquet/leaf.h"

typedef struct weir_parquet_node {
    const weir_parquet_element *element;
    const char *path;   /* dotted names from the root's children on */
    uint8_t definition; /* level of a value that is there, which for a repeated node means: one entry */
    uint8_t repetition;
    int32_t leaf_index; /* of a leaf; -1 */
    struct weir_parquet_node *children;
    int32_t child_count;
} weir_parquet_node;

/* A requested column or a part of a nested one: mirrors the type. */
typedef struct weir_parquet_column {
    const weir_type *type;
    weir_layout layout;
    uint8_t slot_definition;    /* a lower definition level: there is no place in this vector */
    uint8_t definition;         /* at least this: not null */
    uint8_t repetition;         /* up to this, an entry begins a new place in this vector */
    uint8_t element_definition; /* of a list: at least this, an element is there */
    int32_t leaf;               /* position of its first leaf among those read */
    int32_t leaf_count;
    struct weir_parquet_column *children;
    int32_t child_count;
} weir_parquet_column;

typedef struct weir_parquet_projection {
    weir_parquet_column *columns; /* one a requested field */
    int32_t column_count;
    weir_parquet_leaf *leaves; /* of all columns, in their order */
    int32_t leaf_count;
} weir_parquet_projection;

/* Arranges the footer's elements as a tree in `arena`. */
int weir_parquet_schema_build(const weir_parquet_footer *footer, const char *path, weir_arena *arena,
                              weir_parquet_node **out, weir_error *err);

/* The child of that name; NULL: there is none. */
const weir_parquet_node *weir_parquet_node_child(const weir_parquet_node *node, const char *name);

/* The element of a list. Accepts the standard three levels (list, a repeated group, its only member) under any names,
 * two levels of older writers (a list whose repeated member is the element), and NULL for what is no list. `element`
 * is the requested type where there is one. */
const weir_parquet_node *weir_parquet_list_element(const weir_parquet_node *list, const weir_type *element);

/* The repeated group of a map, which has a key and a value, or NULL. */
const weir_parquet_node *weir_parquet_map_entries(const weir_parquet_node *map);

/* Finds the fields in the file by name and decides how to read each of them. */
int weir_parquet_project(const weir_parquet_node *root, const weir_field *fields, int32_t field_count, const char *path,
                         weir_arena *arena, weir_parquet_projection *out, weir_error *err);

/* The Paimon type that a node has by itself. */
int weir_parquet_node_type(const weir_parquet_node *node, weir_arena *arena, const char *path, const weir_type **out,
                           weir_error *err);

#endif
