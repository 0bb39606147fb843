/* Where in the binlog a reader is. */
#ifndef WEIR_MYSQL_OFFSET_H
#define WEIR_MYSQL_OFFSET_H

#include "base/byte_reader.h"
#include "connect/mysql/gtid.h"

#define WEIR_BINLOG_NAME_SIZE 512

/* Behind a whole transaction, or so many rows into the one that follows. */
typedef struct weir_binlog_offset {
    char file[WEIR_BINLOG_NAME_SIZE]; /* "": none yet, the beginning of the oldest one */
    uint64_t position;
    bool has_gtids;      /* all transactions before it are known by their global ids */
    weir_gtid_set gtids; /* of these */
    uint64_t skip_rows;  /* in the transaction that follows, of the tables whose reading has begun */
} weir_binlog_offset;

void weir_binlog_offset_free(weir_binlog_offset *offset);
void weir_binlog_offset_copy(const weir_binlog_offset *from, weir_binlog_offset *out); /* *out is empty before */

/* By file and position: below 0, 0 or above 0. Files of one server are numbered. */
int weir_binlog_offset_compare(const weir_binlog_offset *a, const weir_binlog_offset *b);

/* False: the name is too long. */
bool weir_binlog_offset_set_file(weir_binlog_offset *offset, weir_slice name);

void weir_binlog_offset_encode(const weir_binlog_offset *offset, weir_buffer *out);
/* What is damaged leaves the reader failed. */
void weir_binlog_offset_decode(weir_byte_reader *reader, weir_binlog_offset *out);

/* Appends "binlog.000003:1234", for people. */
void weir_binlog_offset_format(const weir_binlog_offset *offset, weir_buffer *out);

#endif
