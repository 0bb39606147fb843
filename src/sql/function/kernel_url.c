/* PARSE_URL: the parts of a URL, as java.net.URL tells them apart. */
#include <strings.h>

#include "base/text.h"
#include "sql/function/kernels.h"

/* Parts that a URL lacks have data NULL. */
typedef struct url {
    weir_slice protocol, authority, user, host, path, query, reference;
} url;

static weir_slice between(const uint8_t *begin, const uint8_t *end)
{
    return weir_slice_of(begin, (size_t)(end - begin));
}

static const uint8_t *find_byte(const uint8_t *begin, const uint8_t *end, char byte)
{
    return begin == end ? NULL : memchr(begin, byte, (size_t)(end - begin));
}

/* Java knows these; a URL of any other protocol is none. */
static bool is_known_protocol(weir_slice name)
{
    static const char *const protocols[] = {"http", "https", "ftp", "file", "jar", "mailto"};
    for (size_t i = 0; i < sizeof protocols / sizeof protocols[0]; i++) {
        if (name.size == strlen(protocols[i]) && strncasecmp((const char *)name.data, protocols[i], name.size) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_port(weir_slice text)
{
    int64_t port;
    return text.size == 0 || (weir_parse_int64(text, &port) && port >= -1 && port <= INT32_MAX);
}

/* user@host:port. Two @ leave neither user nor host. */
static bool split_authority(url *out)
{
    const uint8_t *begin = out->authority.data;
    const uint8_t *end = begin + out->authority.size;
    const uint8_t *at = find_byte(begin, end, '@');
    if (at != NULL && find_byte(at + 1, end, '@') != NULL) {
        out->host = weir_slice_of(end, 0);
        return true;
    }
    if (at != NULL) {
        out->user = between(begin, at);
        begin = at + 1;
    }
    const uint8_t *after = begin; /* where the port's colon may be looked for: behind [::1] */
    if (begin < end && *begin == '[') {
        const uint8_t *close = find_byte(begin, end, ']');
        if (close == NULL) {
            return false;
        }
        after = close + 1;
    }
    const uint8_t *colon = find_byte(after, end, ':');
    out->host = between(begin, colon == NULL ? end : colon);
    return colon == NULL || is_port(between(colon + 1, end));
}

static bool parse(weir_slice text, url *out)
{
    *out = (url){0};
    const uint8_t *begin = text.data;
    const uint8_t *end = begin + text.size;
    while (begin < end && *begin <= ' ') {
        begin++;
    }
    while (begin < end && end[-1] <= ' ') {
        end--;
    }
    const uint8_t *colon = find_byte(begin, end, ':');
    if (colon == NULL || !is_known_protocol(between(begin, colon))) {
        return false;
    }
    out->protocol = between(begin, colon);
    begin = colon + 1;
    const uint8_t *mark = find_byte(begin, end, '#');
    if (mark != NULL) {
        out->reference = between(mark + 1, end);
        end = mark;
    }
    mark = find_byte(begin, end, '?');
    if (mark != NULL) {
        out->query = between(mark + 1, end);
        end = mark;
    }
    out->host = weir_slice_of(end, 0);
    if (end - begin >= 2 && begin[0] == '/' && begin[1] == '/') {
        const uint8_t *slash = find_byte(begin + 2, end, '/');
        out->authority = between(begin + 2, slash == NULL ? end : slash);
        begin = out->authority.data + out->authority.size;
        if (!split_authority(out)) {
            return false;
        }
    }
    out->path = between(begin, end);
    return true;
}

/* The value of a key of the query; false when it has none. */
static bool find_key(weir_slice query, weir_slice key, weir_slice *out)
{
    const uint8_t *begin = query.data;
    const uint8_t *end = begin + query.size;
    while (begin < end) {
        const uint8_t *ampersand = find_byte(begin, end, '&');
        const uint8_t *last = ampersand == NULL ? end : ampersand;
        bool same = (size_t)(last - begin) > key.size && begin[key.size] == '=' &&
                    (key.size == 0 || memcmp(begin, key.data, key.size) == 0);
        if (same) {
            *out = between(begin + key.size + 1, last);
            return true;
        }
        begin = last + (ampersand != NULL);
    }
    return false;
}

static bool is_named(weir_slice part, const char *name) { return weir_slice_equal(part, weir_slice_text(name)); }

static int put_part(weir_kernel_call *call, int64_t row, weir_slice part)
{
    return part.data == NULL ? weir_kernel_put_null(call, row) : weir_kernel_put_text(call, row, part);
}

static int put_lower(weir_kernel_call *call, int64_t row, weir_slice text)
{
    for (size_t i = 0; i < text.size; i++) {
        uint8_t c = text.data[i];
        weir_buffer_append_byte(&call->scratch, c >= 'A' && c <= 'Z' ? c | 0x20 : c);
    }
    return weir_kernel_put_scratch(call, row);
}

static int put_file(weir_kernel_call *call, int64_t row, const url *parsed)
{
    weir_buffer_append(&call->scratch, parsed->path.data, parsed->path.size);
    if (parsed->query.data != NULL) {
        weir_buffer_append_byte(&call->scratch, '?');
        weir_buffer_append(&call->scratch, parsed->query.data, parsed->query.size);
    }
    return weir_kernel_put_scratch(call, row);
}

/* PARSE_URL(url, part[, key]): a key is for QUERY alone. */
static int parse_url(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    url parsed;
    weir_slice part = weir_kernel_text(call, 1, row);
    if (!parse(weir_kernel_text(call, 0, row), &parsed)) {
        return weir_kernel_put_null(call, row);
    }
    if (call->argument_count > 2) {
        weir_slice value;
        bool found = is_named(part, "QUERY") && find_key(parsed.query, weir_kernel_text(call, 2, row), &value);
        return found ? weir_kernel_put_text(call, row, value) : weir_kernel_put_null(call, row);
    }
    if (is_named(part, "PROTOCOL")) {
        return put_lower(call, row, parsed.protocol);
    }
    if (is_named(part, "FILE")) {
        return put_file(call, row, &parsed);
    }
    const struct {
        const char *name;
        weir_slice part;
    } parts[] = {{"HOST", parsed.host},     {"PATH", parsed.path},           {"QUERY", parsed.query},
                 {"REF", parsed.reference}, {"AUTHORITY", parsed.authority}, {"USERINFO", parsed.user}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (is_named(part, parts[i].name)) {
            return put_part(call, row, parts[i].part);
        }
    }
    return weir_kernel_put_null(call, row);
}

const weir_kernel weir_kernel_parse_url = {.name = "parse_url", .row = parse_url};
