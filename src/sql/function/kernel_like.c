/* LIKE: patterns of % and _. */
#include "sql/function/code_points.h"
#include "sql/function/kernels.h"

typedef struct like_pattern {
    weir_slice text;
    bool escaping;
    uint8_t escape[4];
    size_t escape_size;
} like_pattern;

/* One step of a pattern at an offset: '%', '_', or the literal code point. False when it is malformed. */
typedef struct like_step {
    char wildcard; /* 0: a literal */
    size_t literal, literal_size;
    size_t next;
} like_step;

static bool read_step(const like_pattern *pattern, size_t offset, like_step *out)
{
    weir_slice text = pattern->text;
    size_t width = weir_width_at(text, offset);
    bool escape =
        pattern->escaping && width == pattern->escape_size && memcmp(text.data + offset, pattern->escape, width) == 0;
    if (escape) {
        size_t after = offset + width;
        if (after >= text.size) {
            return false;
        }
        size_t literal = weir_width_at(text, after);
        bool special = text.data[after] == '%' || text.data[after] == '_' ||
                       (literal == width && memcmp(text.data + after, pattern->escape, width) == 0);
        *out = (like_step){0, after, literal, after + literal};
        return special;
    }
    char wildcard = text.data[offset] == '%' || text.data[offset] == '_' ? (char)text.data[offset] : 0;
    *out = (like_step){wildcard, offset, width, offset + width};
    return true;
}

/* _ stands for any character but a line's end (it is the dot of Java's patterns). */
static bool ends_line(weir_slice text, size_t offset)
{
    size_t width;
    uint32_t code = weir_decode_at(text, offset, &width);
    return code == '\n' || code == '\r' || code == 0x85 || code == 0x2028 || code == 0x2029;
}

/* Goes back to the last % whenever the rest does not fit: linear for the usual patterns. */
static bool like_matches(const like_pattern *pattern, weir_slice text, bool *valid)
{
    size_t at = 0;
    size_t step_offset = 0;
    size_t retry_text = 0;
    size_t retry_step = SIZE_MAX;
    like_step step;
    for (;;) {
        if (step_offset < pattern->text.size) {
            *valid = read_step(pattern, step_offset, &step);
            if (!*valid) {
                return false;
            }
            if (step.wildcard == '%') {
                retry_step = step.next;
                retry_text = at;
                step_offset = step.next;
                continue;
            }
            bool fits =
                at < text.size && ((step.wildcard == '_' && !ends_line(text, at)) ||
                                   (step.wildcard == 0 && text.size - at >= step.literal_size &&
                                    memcmp(text.data + at, pattern->text.data + step.literal, step.literal_size) == 0));
            if (fits) {
                at += step.wildcard == '_' ? weir_width_at(text, at) : step.literal_size;
                step_offset = step.next;
                continue;
            }
        } else if (at == text.size) {
            return true;
        }
        if (retry_step == SIZE_MAX || retry_text >= text.size) {
            return false;
        }
        retry_text += weir_width_at(text, retry_text);
        at = retry_text;
        step_offset = retry_step;
    }
}

/* Patterns without _ are texts between %: the first stands at the start, the last at the end, and of each between them
 * the next place that there is does. False when the pattern has a _. */
static bool like_texts(weir_slice pattern, weir_slice text, bool *matches)
{
    if (memchr(pattern.data, '_', pattern.size) != NULL) {
        return false;
    }
    *matches = false;
    const uint8_t *wildcard = memchr(pattern.data, '%', pattern.size);
    size_t first = wildcard == NULL ? pattern.size : (size_t)(wildcard - pattern.data);
    if (first > text.size || memcmp(text.data, pattern.data, first) != 0) {
        return true;
    }
    if (wildcard == NULL) {
        *matches = first == text.size;
        return true;
    }
    const uint8_t *last = memrchr(pattern.data, '%', pattern.size);
    size_t last_size = pattern.size - (size_t)(last - pattern.data) - 1;
    if (first + last_size > text.size || memcmp(text.data + text.size - last_size, last + 1, last_size) != 0) {
        return true;
    }
    const uint8_t *at = text.data + first, *end = text.data + text.size - last_size;
    while (wildcard != last) {
        const uint8_t *next = memchr(wildcard + 1, '%', (size_t)(last - wildcard));
        size_t size = (size_t)(next - wildcard) - 1;
        at = size == 0 ? at : memmem(at, (size_t)(end - at), wildcard + 1, size);
        if (at == NULL) {
            return true;
        }
        at += size;
        wildcard = next;
    }
    *matches = true;
    return true;
}

/* Without ESCAPE nothing escapes. An empty pattern matches everything, which is Flink's answer. */
static int like(weir_kernel_call *call, int64_t row, weir_error *err)
{
    like_pattern pattern = {.text = weir_kernel_text(call, 1, row)};
    if (call->argument_count > 2) {
        weir_slice escape = weir_kernel_text(call, 2, row);
        if (escape.size == 0 || escape.size > sizeof pattern.escape || weir_width_at(escape, 0) != escape.size) {
            return weir_fail(err, WEIR_INVALID, "ESCAPE takes one character");
        }
        memcpy(pattern.escape, escape.data, escape.size);
        pattern.escape_size = escape.size;
        pattern.escaping = true;
    } else if (pattern.text.size == 0) {
        return weir_kernel_put_boolean(call, row, true);
    }
    bool matches;
    if (!pattern.escaping && like_texts(pattern.text, weir_kernel_text(call, 0, row), &matches)) {
        return weir_kernel_put_boolean(call, row, matches);
    }
    bool valid = true;
    matches = like_matches(&pattern, weir_kernel_text(call, 0, row), &valid);
    if (!valid) {
        return weir_fail(err, WEIR_INVALID, "the pattern '%.*s' of LIKE escapes what needs no escaping",
                         (int)(pattern.text.size < 100 ? pattern.text.size : 100), (const char *)pattern.text.data);
    }
    return weir_kernel_put_boolean(call, row, matches);
}

const weir_kernel weir_kernel_like = {.name = "like_pattern", .row = like};
