/* Keys in the order that a server gives them: before, within or beyond a chunk. */
#ifndef WEIR_MYSQL_SNAPSHOT_KEY_H
#define WEIR_MYSQL_SNAPSHOT_KEY_H

#include "connect/mysql/capture.h"

typedef enum weir_key_side { WEIR_KEY_GIVEN, WEIR_KEY_IN_CHUNK, WEIR_KEY_BEYOND } weir_key_side;

/* Finds the columns that a table is read in the order of. None (order_count 0): there are none whose order can be had,
 * and the table is one chunk. To be called when the table's definition is another one. */
void weir_snapshot_find_order(const weir_mysql_settings *settings, weir_captured_table *table);

/* Tells for each of `count` keys (texts of weir_row_append_texts, one after the other) on which side it is: up to the
 * table's frontier, up to `end` (texts NULL: all that is left), or beyond. Texts with a collation are compared by the
 * server. */
int weir_snapshot_sides(weir_capture *capture, const weir_captured_table *table, const weir_capture_key *end,
                        weir_slice keys, size_t count, weir_key_side *out, weir_error *err);

/* Appends "(a > 1 OR (a = 1 AND b > 2))": keys behind this one. */
void weir_snapshot_append_after(const weir_captured_table *table, const weir_capture_key *key, weir_buffer *sql);
/* Appends "a <= 2" for the first column. */
void weir_snapshot_append_up_to(const weir_captured_table *table, const weir_capture_key *key, weir_buffer *sql);

/* Takes texts as weir_row_append_texts wrote them: *out is freed first. */
void weir_capture_key_set(weir_capture_key *out, weir_slice texts, uint32_t count);

#endif
