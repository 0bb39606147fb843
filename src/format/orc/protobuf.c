/* The wire format of Protocol Buffers, as far as ORC's metadata use it: numbers, fixed numbers and bytes. */
#include "format/orc/protobuf.h"

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

static bool fail(weir_orc_message *message)
{
    message->failed = true;
    message->next = message->end;
    return false;
}

bool weir_orc_message_varint(weir_orc_message *message, uint64_t *out)
{
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && message->next < message->end; shift += 7) {
        uint8_t byte = *message->next++;
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            *out = value;
            return true;
        }
    }
    return fail(message);
}

static bool take(weir_orc_message *message, uint64_t size, weir_slice *out)
{
    if (size > (uint64_t)(message->end - message->next)) {
        return fail(message);
    }
    *out = weir_slice_of(message->next, (size_t)size);
    message->next += size;
    return true;
}

bool weir_orc_message_next(weir_orc_message *message, weir_orc_field *out)
{
    uint64_t key;
    uint64_t size;
    if (message->next >= message->end || !weir_orc_message_varint(message, &key)) {
        return false;
    }
    *out = (weir_orc_field){.number = key >> 3, .bytes = weir_slice_of(message->next, 0)};
    switch (key & 7) {
    case WIRE_VARINT:
        return weir_orc_message_varint(message, &out->value);
    case WIRE_BYTES:
        out->is_bytes = true;
        return weir_orc_message_varint(message, &size) && take(message, size, &out->bytes);
    case WIRE_FIXED64:
    case WIRE_FIXED32: { /* none that ORC needs */
        weir_slice skipped;
        return take(message, (key & 7) == WIRE_FIXED64 ? 8 : 4, &skipped);
    }
    default:
        return fail(message);
    }
}

size_t weir_orc_message_count(weir_slice bytes, uint64_t number)
{
    weir_orc_message message = weir_orc_message_of(bytes);
    weir_orc_field field;
    size_t count = 0;
    while (weir_orc_message_next(&message, &field)) {
        count += field.number == number;
    }
    return count;
}
