/* Table schemas: schema/schema-N, one JSON file a version.
 *
 * Format: spec "Schema JSON", version 3; source of truth org.apache.paimon.schema.SchemaSerializer. Old versions'
 * defaults (v1: bucket 1; v1 and v2: file.format orc) are filled in on reading. */
#ifndef WEIR_META_SCHEMA_H
#define WEIR_META_SCHEMA_H

#include "fs/fs.h"
#include "meta/options.h"
#include "vector/type.h"

typedef struct weir_schema {
    int64_t id;
    const weir_field *fields;
    int32_t field_count;
    int32_t highest_field_id;
    const char **partition_keys;
    int32_t partition_key_count;
    const char **primary_keys;
    int32_t primary_key_count;
    weir_options options;
    const char *comment; /* NULL: none */
    int64_t time_ms;

    /* Derived: positions in fields. */
    int32_t *partition_columns;
    int32_t *primary_columns;
    int32_t *key_columns; /* the trimmed primary key: primary keys without partition keys */
    int32_t key_column_count;
} weir_schema;

/* Reads schema/schema-<id> under `root` (the table's or branch's folder). */
int weir_schema_read(weir_fs *fs, const char *root, int64_t id, weir_arena *arena, weir_schema **out, weir_error *err);
/* The newest; WEIR_NOT_FOUND when there is none: no table. */
int weir_schema_read_latest(weir_fs *fs, const char *root, weir_arena *arena, weir_schema **out, weir_error *err);
int weir_schema_parse(weir_slice text, const char *path, weir_arena *arena, weir_schema **out, weir_error *err);
void weir_schema_format(const weir_schema *schema, weir_buffer *out);
json_t *weir_schema_to_json(const weir_schema *schema); /* the same as a document, the caller's */

/* Publishes schema/schema-<schema->id>; WEIR_EXISTS when another writer was faster. */
int weir_schema_publish(weir_fs *fs, const char *root, const weir_schema *schema, weir_error *err);

/* A new schema 0 from columns and keys: assigns field ids depth-first, makes keys NOT NULL, moves the options
 * `primary-key` and `partition` into keys, and checks everything that can be wrong before anything is written:
 * duplicate or reserved names, keys that are no columns, a primary key without a partition column, bucket and
 * bucket-key, option names and values, types that the file format cannot hold. */
int weir_schema_create(weir_arena *arena, const weir_field *fields, int32_t field_count,
                       const char *const *primary_keys, int32_t primary_key_count, const char *const *partition_keys,
                       int32_t partition_key_count, const weir_options *options, const char *comment, weir_schema **out,
                       weir_error *err);

/* Fills the derived members from the others, after a schema was changed by hand. WEIR_CORRUPT when a key is no column.
 */
int weir_schema_derive(weir_schema *schema, const char *path, weir_arena *arena, weir_error *err);

/* Whether the primary key lacks a partition column, so that a row may move from one partition to another. */
bool weir_schema_is_cross_partition(const weir_schema *schema);

/* Whether this version writes such a table: options (weir_options_check_writable) and buckets. WEIR_UNSUPPORTED says
 * what to change. */
int weir_schema_check_writable(const weir_schema *schema, weir_error *err);

/* Position of a column by name, or -1. By id likewise. */
int32_t weir_schema_column(const weir_schema *schema, const char *name);
int32_t weir_schema_column_by_id(const weir_schema *schema, int32_t field_id);

/* Ids of the columns that key-value files have beside the table's own. */
#define WEIR_KEY_FIELD_ID_BASE        1073741823
#define WEIR_SEQUENCE_NUMBER_FIELD_ID 2147483646
#define WEIR_VALUE_KIND_FIELD_ID      2147483645
#define WEIR_SEQUENCE_NUMBER_FIELD    "_SEQUENCE_NUMBER"
#define WEIR_VALUE_KIND_FIELD         "_VALUE_KIND"
#define WEIR_KEY_FIELD_PREFIX         "_KEY_"

#endif
