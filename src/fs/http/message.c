/* What requests and answers are made of: header lines, escaped text. */
#include <ctype.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "fs/http.h"

void weir_http_headers_add(weir_http_headers *headers, const char *name, const char *value)
{
    WEIR_GROW(headers->lines, headers->capacity, headers->count + 1);
    headers->lines[headers->count++] = weir_format("%s: %s", name, value);
}

void weir_http_headers_free(weir_http_headers *headers)
{
    for (size_t i = 0; i < headers->count; i++) {
        free(headers->lines[i]);
    }
    free(headers->lines);
    *headers = (weir_http_headers){0};
}

void weir_http_response_free(weir_http_response *response)
{
    weir_buffer_free(&response->headers);
    weir_buffer_free(&response->body);
    *response = (weir_http_response){0};
}

bool weir_http_response_header(const weir_http_response *response, const char *name, char *out, size_t size)
{
    const char *at = (const char *)response->headers.data;
    const char *end = at + response->headers.size;
    size_t name_size = strlen(name);
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        if ((size_t)(line_end - at) > name_size && memcmp(at, name, name_size) == 0 && at[name_size] == ':') {
            const char *value = at + name_size + 1;
            while (value < line_end && (*value == ' ' || *value == '\t')) {
                value++;
            }
            size_t value_size = (size_t)(line_end - value);
            if (value_size >= size) {
                return false;
            }
            memcpy(out, value, value_size);
            out[value_size] = '\0';
            return true;
        }
        at = line_end + 1;
    }
    return false;
}

void weir_http_append_escaped(weir_slice text, bool keeps_slashes, weir_buffer *out)
{
    for (size_t i = 0; i < text.size; i++) {
        uint8_t byte = text.data[i];
        bool is_plain = (byte < 0x80 && isalnum(byte)) || byte == '-' || byte == '.' || byte == '_' || byte == '~';
        if (is_plain || (keeps_slashes && byte == '/')) {
            weir_buffer_append_byte(out, byte);
        } else {
            weir_buffer_append_format(out, "%%%02X", byte);
        }
    }
}
