/* Rows as messages: keys and values are written by their formats, one message after the other into a buffer, from which
 * they are produced at once or later.
 *
 *   | flags: 1 | [key] | [value] | [time: 8] | [headers] | [topic] |      key, value, topic: | size: 4 | bytes |
 *   headers: | count: 4 | name | is there: 1 | value | …                name and value: | size: 4 | bytes | */
#ifndef WEIR_CONNECT_KAFKA_ROW_MESSAGES_H
#define WEIR_CONNECT_KAFKA_ROW_MESSAGES_H

#include "base/byte_reader.h"
#include "connect/kafka/table.h"
#include "connect/sink.h"

typedef struct weir_kafka_row_messages weir_kafka_row_messages;

/* `table` and what the options name are borrowed. */
int weir_kafka_row_messages_open(const weir_kafka_table *table, const weir_sink_options *options,
                                 weir_kafka_row_messages **out, weir_error *err);

/* Whether rows of every kind can be written, as events; or, of upsert-kafka, by their key. */
bool weir_kafka_row_messages_take_changes(const weir_kafka_row_messages *messages);

int weir_kafka_row_messages_append(weir_kafka_row_messages *messages, const weir_batch *batch, weir_buffer *out,
                                   weir_error *err);
void weir_kafka_row_messages_close(weir_kafka_row_messages *messages); /* NULL is passed over */

/* A message out of the buffer; one that has no key or no value has NULL data there. */
typedef struct weir_kafka_outgoing {
    weir_slice key;
    weir_slice value;
    int64_t time_ms;    /* 0: that of sending */
    weir_slice headers; /* NULL: none; weir_kafka_take_header takes them */
    uint32_t header_count;
    weir_slice topic; /* NULL data: the only one */
} weir_kafka_outgoing;

typedef struct weir_kafka_header {
    weir_slice name;
    weir_slice value; /* NULL data: there is none */
} weir_kafka_header;

weir_kafka_outgoing weir_kafka_take_outgoing(weir_byte_reader *reader);
weir_kafka_header weir_kafka_take_header(weir_byte_reader *reader);

#endif
