/* The options of a mysql-cdc table, read and checked. */
#ifndef WEIR_MYSQL_SETTINGS_H
#define WEIR_MYSQL_SETTINGS_H

#include "connect/mysql/connection.h"
#include "connect/mysql/row_binding.h"
#include "connect/source.h"
#include "format/name_pattern.h"

typedef enum weir_mysql_startup {
    WEIR_MYSQL_FROM_SNAPSHOT,
    WEIR_MYSQL_FROM_EARLIEST,
    WEIR_MYSQL_FROM_LATEST,
    WEIR_MYSQL_FROM_OFFSET,
    WEIR_MYSQL_FROM_TIME,
    WEIR_MYSQL_SNAPSHOT_ONLY
} weir_mysql_startup;

typedef enum weir_mysql_metadata {
    WEIR_MYSQL_TABLE_NAME,
    WEIR_MYSQL_DATABASE_NAME,
    WEIR_MYSQL_CHANGE_TIME,
    WEIR_MYSQL_ROW_KIND
} weir_mysql_metadata;

typedef struct weir_mysql_settings {
    weir_arena arena;
    weir_mysql_address address;
    int64_t most_retries; /* of the first connection */
    weir_name_pattern *databases;
    weir_name_pattern *tables;
    const char *database_pattern, *table_pattern; /* for messages */
    uint32_t server_id;

    weir_mysql_startup startup;
    const char *start_file;
    uint64_t start_position;
    const char *start_gtids; /* NULL: by file and position */
    uint64_t start_skip_rows;
    int64_t start_ms;

    bool in_chunks;
    int64_t chunk_rows;
    const char *chunk_column; /* NULL: the primary key */
    int64_t heartbeat_ms;     /* 0: none */
    bool append_only;         /* changes are inserts */
    bool passes_truncations;  /* TRUNCATE and DROP of a table are no reason to stop */
    bool follows_renames;

    weir_mysql_conversion conversion;
    weir_row_fields fields;
    weir_field *all_fields; /* those of the table, and of its metadata */
    int32_t all_count;
    weir_mysql_metadata *metadata; /* of the fields behind the table's */
    int32_t metadata_count;
    int64_t batch_rows;
    int64_t batch_bytes; /* of a batch or a chunk at most, by the budget */
    int64_t whole_bytes; /* … of rows that have to be read at once */
    weir_budget *budget; /* of the source: whoever reads on after it was closed must not look at it */
} weir_mysql_settings;

/* Whether the rows that there are are read, and not only changes. */
static inline bool weir_mysql_reads_rows(const weir_mysql_settings *settings)
{
    return settings->startup == WEIR_MYSQL_FROM_SNAPSHOT || settings->startup == WEIR_MYSQL_SNAPSHOT_ONLY;
}

/* The options of a table alone: what can be said of it without its columns. */
int weir_mysql_settings_check(const weir_options *options, weir_error *err);

/* Reads everything. Field types and the budget are borrowed. */
int weir_mysql_settings_read(const weir_source_options *options, weir_mysql_settings *out, weir_error *err);
void weir_mysql_settings_free(weir_mysql_settings *settings);

/* The place of a metadata key in weir_mysql_metadata; -1: there is none. */
int weir_mysql_metadata_find(const char *key);
const weir_type *weir_mysql_metadata_type(int place);

#endif
