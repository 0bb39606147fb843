/* Text as Java sees it. */
#include "vector/java_text.h"

#include "base/text.h"

static bool is_continuation(uint8_t byte) { return (byte & 0xc0) == 0x80; }

/* How many bytes a sequence that begins with `lead` has; 0 when none may begin so. */
static size_t sequence_length(uint8_t lead)
{
    if (lead < 0x80) {
        return 1;
    }
    if (lead >= 0xc2 && lead <= 0xdf) {
        return 2;
    }
    if (lead >= 0xe0 && lead <= 0xef) {
        return 3;
    }
    return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

static bool may_follow_lead(uint8_t lead, uint8_t second)
{
    return is_continuation(second) && !(lead == 0xe0 && second < 0xa0) && !(lead == 0xf0 && second < 0x90) &&
           !(lead == 0xf4 && second > 0x8f);
}

/* Bytes of the sequence at `bytes`, and whether it is a character. One that is none ends before the byte that spoils
 * it, so that the byte begins the next; surrogates, which UTF-8 has no room for, are taken whole. */
static size_t next_sequence(const uint8_t *bytes, size_t left, bool *valid)
{
    size_t length = sequence_length(bytes[0]);
    *valid = false;
    if (length < 2) {
        *valid = length == 1;
        return 1;
    }
    if (left < 2 || !may_follow_lead(bytes[0], bytes[1])) {
        return 1;
    }
    for (size_t i = 2; i < length; i++) {
        if (i >= left || !is_continuation(bytes[i])) {
            return i;
        }
    }
    *valid = !(bytes[0] == 0xed && bytes[1] >= 0xa0);
    return length;
}

void weir_java_text_append(weir_slice bytes, weir_buffer *out)
{
    if (weir_utf8_valid(bytes)) {
        weir_buffer_append(out, bytes.data, bytes.size);
        return;
    }
    for (size_t i = 0; i < bytes.size;) {
        bool valid;
        size_t size = next_sequence(bytes.data + i, bytes.size - i, &valid);
        if (valid) {
            weir_buffer_append(out, bytes.data + i, size);
        } else {
            weir_buffer_append_text(out, "\xef\xbf\xbd");
        }
        i += size;
    }
}

/* Bytes renumbered so that the leads of four-byte sequences, which UTF-16 spells with surrogates, come before U+E000.
 */
static int utf16_rank(uint8_t byte)
{
    if (byte >= 0xf0) {
        return byte - 2;
    }
    return byte >= 0xee ? byte + 16 : byte;
}

int weir_java_text_compare(weir_slice a, weir_slice b)
{
    size_t common = a.size < b.size ? a.size : b.size;
    for (size_t i = 0; i < common; i++) {
        if (a.data[i] != b.data[i]) {
            return utf16_rank(a.data[i]) - utf16_rank(b.data[i]);
        }
    }
    return (a.size > b.size) - (a.size < b.size);
}
