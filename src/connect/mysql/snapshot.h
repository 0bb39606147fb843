/* Chunks: rows of a table that wait until the binlog has come to where the server was when they were read. */
#ifndef WEIR_MYSQL_SNAPSHOT_H
#define WEIR_MYSQL_SNAPSHOT_H

#include "connect/mysql/snapshot_key.h"

struct weir_snapshot_chunk {
    weir_captured_table *table;
    weir_batch rows;
    weir_map by_key;  /* a key's texts to the number of its row, from 1 */
    uint8_t *is_gone; /* of each row: it was changed since, or deleted */
    size_t gone_capacity;
    weir_capture_key end;     /* texts NULL: all that is left of the table */
    weir_binlog_offset until; /* rows and the changes up to here make the chunk */
    bool is_exact;            /* … or the rows alone: they are as of there */
};

/* A change of the binlog within the chunk. */
int weir_snapshot_put(weir_capture *capture, weir_row_binding *binding, const weir_mysql_value *values,
                      weir_error *err);
int weir_snapshot_remove(weir_capture *capture, weir_row_binding *binding, const weir_mysql_value *values,
                         weir_error *err);

void weir_snapshot_chunk_free(weir_snapshot_chunk *chunk);

#endif
