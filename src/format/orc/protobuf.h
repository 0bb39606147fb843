/* Reading the fields of a Protocol Buffers message from bytes in memory. Nothing reads past the end. */
#ifndef WEIR_FORMAT_ORC_PROTOBUF_H
#define WEIR_FORMAT_ORC_PROTOBUF_H

#include "base/base.h"

typedef struct weir_orc_message {
    const uint8_t *next;
    const uint8_t *end;
    bool failed; /* the bytes are no message */
} weir_orc_message;

/* One field. A number has no bytes and bytes have the value 0, so that a field of another kind than expected is as one
 * that is empty. */
typedef struct weir_orc_field {
    uint64_t number;
    bool is_bytes;
    uint64_t value;
    weir_slice bytes; /* borrowed; never NULL */
} weir_orc_field;

static inline weir_orc_message weir_orc_message_of(weir_slice bytes)
{
    return (weir_orc_message){.next = bytes.data, .end = bytes.data + bytes.size};
}

/* A number of at most ten bytes, seven bits each, the lowest first. False, and failed: cut off, or too long. */
bool weir_orc_message_varint(weir_orc_message *message, uint64_t *out);

/* The next field; false at the end, and when the rest is no message (failed). */
bool weir_orc_message_next(weir_orc_message *message, weir_orc_field *out);

/* How many fields of this number the message has; those after damage are not counted. */
size_t weir_orc_message_count(weir_slice bytes, uint64_t number);

#endif
