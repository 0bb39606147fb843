/* Functions over text. Positions and lengths count code points, from 1. */
#include <limits.h>
#include <locale.h>
#include <pthread.h>
#include <wctype.h>

#include "base/text.h"
#include "sql/function/kernels.h"

/* --- Code points ---------------------------------------------------------------------------------------------------
 */

static bool is_continuation(uint8_t byte) { return (byte & 0xC0) == 0x80; }

/* The bytes of the code point at an offset. */
static size_t width_at(weir_slice text, size_t offset)
{
    size_t width = 1;
    while (offset + width < text.size && is_continuation(text.data[offset + width])) {
        width++;
    }
    return width;
}

static uint32_t decode_at(weir_slice text, size_t offset, size_t *width)
{
    *width = width_at(text, offset);
    uint8_t first = text.data[offset];
    uint32_t code = *width == 1 ? first : first & (0xFFu >> (*width + 1));
    for (size_t i = 1; i < *width; i++) {
        code = (code << 6) | (text.data[offset + i] & 0x3Fu);
    }
    return code;
}

static void append_code_point(weir_buffer *out, uint32_t code)
{
    if (code < 0x80) {
        weir_buffer_append_byte(out, (uint8_t)code);
    } else if (code < 0x800) {
        weir_buffer_append_byte(out, (uint8_t)(0xC0 | code >> 6));
        weir_buffer_append_byte(out, (uint8_t)(0x80 | (code & 0x3F)));
    } else if (code < 0x10000) {
        weir_buffer_append_byte(out, (uint8_t)(0xE0 | code >> 12));
        weir_buffer_append_byte(out, (uint8_t)(0x80 | (code >> 6 & 0x3F)));
        weir_buffer_append_byte(out, (uint8_t)(0x80 | (code & 0x3F)));
    } else {
        weir_buffer_append_byte(out, (uint8_t)(0xF0 | code >> 18));
        weir_buffer_append_byte(out, (uint8_t)(0x80 | (code >> 12 & 0x3F)));
        weir_buffer_append_byte(out, (uint8_t)(0x80 | (code >> 6 & 0x3F)));
        weir_buffer_append_byte(out, (uint8_t)(0x80 | (code & 0x3F)));
    }
}

/* Code points `first` .. `first + count - 1`, as far as they exist. */
static weir_slice code_points(weir_slice text, int64_t first, int64_t count)
{
    size_t from = weir_utf8_prefix(text, (size_t)first);
    weir_slice rest = weir_slice_of(text.data + from, text.size - from);
    return weir_slice_of(rest.data, weir_utf8_prefix(rest, (size_t)count));
}

/* --- Putting together ----------------------------------------------------------------------------------------------
 */

static int concat(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    for (int32_t i = 0; i < call->argument_count; i++) {
        weir_slice text = weir_kernel_text(call, i, row);
        weir_buffer_append(&call->scratch, text.data, text.size);
    }
    return weir_kernel_put_scratch(call, row);
}

/* NULLs are left out, a NULL separator makes NULL. */
static int concat_ws(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    if (weir_kernel_is_null(call, 0, row)) {
        return weir_kernel_put_null(call, row);
    }
    weir_slice separator = weir_kernel_text(call, 0, row);
    bool first = true;
    for (int32_t i = 1; i < call->argument_count; i++) {
        if (weir_kernel_is_null(call, i, row)) {
            continue;
        }
        weir_slice text = weir_kernel_text(call, i, row);
        if (!first) {
            weir_buffer_append(&call->scratch, separator.data, separator.size);
        }
        weir_buffer_append(&call->scratch, text.data, text.size);
        first = false;
    }
    return weir_kernel_put_scratch(call, row);
}

static int fail_long(weir_error *err) { return weir_fail(err, WEIR_INVALID, "the text would be longer than 2 GB"); }

static int repeat(weir_kernel_call *call, int64_t row, weir_error *err)
{
    weir_slice text = weir_kernel_text(call, 0, row);
    int64_t count = weir_kernel_integer(call, 1, row);
    if (count > 0 && text.size > (size_t)(INT32_MAX / count)) {
        return fail_long(err);
    }
    for (int64_t i = 0; i < count && text.size > 0; i++) {
        weir_buffer_append(&call->scratch, text.data, text.size);
    }
    return weir_kernel_put_scratch(call, row);
}

/* LPAD and RPAD: to exactly n code points; n < 0 or an empty pad make NULL. */
static int pad(weir_kernel_call *call, int64_t row, bool left)
{
    weir_slice text = weir_kernel_text(call, 0, row);
    int64_t length = weir_kernel_integer(call, 1, row);
    weir_slice padding = weir_kernel_text(call, 2, row);
    if (length < 0 || padding.size == 0) {
        return weir_kernel_put_null(call, row);
    }
    int64_t have = (int64_t)weir_utf8_length(text);
    if (have >= length) {
        return weir_kernel_put_text(call, row, code_points(text, 0, length));
    }
    if (!left) {
        weir_buffer_append(&call->scratch, text.data, text.size);
    }
    int64_t unit = (int64_t)weir_utf8_length(padding);
    for (int64_t missing = length - have; missing > 0; missing -= unit) {
        weir_slice piece = missing < unit ? code_points(padding, 0, missing) : padding;
        weir_buffer_append(&call->scratch, piece.data, piece.size);
    }
    if (left) {
        weir_buffer_append(&call->scratch, text.data, text.size);
    }
    return weir_kernel_put_scratch(call, row);
}

static int lpad(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    return pad(call, row, true);
}

static int rpad(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    return pad(call, row, false);
}

static int reverse(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_slice text = weir_kernel_text(call, 0, row);
    size_t end = text.size;
    while (end > 0) {
        size_t begin = end - 1;
        while (begin > 0 && is_continuation(text.data[begin])) {
            begin--;
        }
        weir_buffer_append(&call->scratch, text.data + begin, end - begin);
        end = begin;
    }
    return weir_kernel_put_scratch(call, row);
}

const weir_kernel weir_kernel_concat = {.name = "concat", .row = concat};
const weir_kernel weir_kernel_concat_ws = {.name = "concat_ws", .row = concat_ws, .sees_nulls = true};
const weir_kernel weir_kernel_repeat = {.name = "repeat", .row = repeat};
const weir_kernel weir_kernel_lpad = {.name = "lpad", .row = lpad};
const weir_kernel weir_kernel_rpad = {.name = "rpad", .row = rpad};
const weir_kernel weir_kernel_reverse = {.name = "reverse", .row = reverse};

/* --- Cutting -------------------------------------------------------------------------------------------------------
 */

/* SUBSTRING: 0 is read as 1, a negative position counts from the end; before the beginning there is nothing. */
static int substring(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_slice text = weir_kernel_text(call, 0, row);
    int64_t position = weir_kernel_integer(call, 1, row);
    int64_t count = call->argument_count > 2 ? weir_kernel_integer(call, 2, row) : INT32_MAX;
    if (count < 0) {
        return weir_kernel_put_null(call, row);
    }
    if (position > 0) {
        return weir_kernel_put_text(call, row, code_points(text, position - 1, count));
    }
    if (position == 0) {
        return weir_kernel_put_text(call, row, code_points(text, 0, count));
    }
    int64_t first = (int64_t)weir_utf8_length(text) + position;
    return weir_kernel_put_text(call, row, first < 0 ? weir_slice_of(text.data, 0) : code_points(text, first, count));
}

static int left(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    int64_t count = weir_kernel_integer(call, 1, row);
    return weir_kernel_put_text(call, row, code_points(weir_kernel_text(call, 0, row), 0, count < 0 ? 0 : count));
}

static int right(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_slice text = weir_kernel_text(call, 0, row);
    int64_t count = weir_kernel_integer(call, 1, row);
    int64_t length = (int64_t)weir_utf8_length(text);
    count = count < 0 ? 0 : count < length ? count : length;
    return weir_kernel_put_text(call, row, code_points(text, length - count, count));
}

static bool contains_code_point(weir_slice set, weir_slice text, size_t offset, size_t width)
{
    for (size_t i = 0; i + width <= set.size; i += width_at(set, i)) {
        if (width_at(set, i) == width && memcmp(set.data + i, text.data + offset, width) == 0) {
            return true;
        }
    }
    return false;
}

/* Takes all characters of a set (blanks, when none is given) off the ends. */
static int trim_ends(weir_kernel_call *call, int64_t row, bool leading, bool trailing)
{
    weir_slice text = weir_kernel_text(call, 0, row);
    weir_slice set = call->argument_count > 1 ? weir_kernel_text(call, 1, row) : weir_slice_text(" ");
    while (leading && text.size > 0) {
        size_t width = width_at(text, 0);
        if (!contains_code_point(set, text, 0, width)) {
            break;
        }
        text = weir_slice_of(text.data + width, text.size - width);
    }
    while (trailing && text.size > 0) {
        size_t begin = text.size - 1;
        while (begin > 0 && is_continuation(text.data[begin])) {
            begin--;
        }
        if (!contains_code_point(set, text, begin, text.size - begin)) {
            break;
        }
        text.size = begin;
    }
    return weir_kernel_put_text(call, row, text);
}

static int trim_both(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    return trim_ends(call, row, true, true);
}

static int trim_leading(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    return trim_ends(call, row, true, false);
}

static int trim_trailing(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    return trim_ends(call, row, false, true);
}

/* The n-th part between separators, from 0; an empty separator splits nothing. */
static int split_index(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_slice text = weir_kernel_text(call, 0, row);
    weir_slice separator = weir_kernel_text(call, 1, row);
    int64_t index = weir_kernel_integer(call, 2, row);
    if (index < 0 || text.size == 0) {
        return weir_kernel_put_null(call, row);
    }
    for (;;) {
        const uint8_t *found =
            separator.size == 0 ? NULL : memmem(text.data, text.size, separator.data, separator.size);
        if (index == 0) {
            size_t size = found == NULL ? text.size : (size_t)(found - text.data);
            return weir_kernel_put_text(call, row, weir_slice_of(text.data, size));
        }
        if (found == NULL) {
            return weir_kernel_put_null(call, row);
        }
        size_t used = (size_t)(found - text.data) + separator.size;
        text = weir_slice_of(text.data + used, text.size - used);
        index--;
    }
}

/* OVERLAY(text PLACING new FROM position [FOR length]): length is that of `new` when not given; a negative or 0 length
 * reaches to the end, and positions outside of the text change nothing. */
static int overlay(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_slice text = weir_kernel_text(call, 0, row);
    weir_slice placed = weir_kernel_text(call, 1, row);
    int64_t position = weir_kernel_integer(call, 2, row);
    int64_t length = (int64_t)weir_utf8_length(text);
    int64_t count = call->argument_count > 3 ? weir_kernel_integer(call, 3, row) : (int64_t)weir_utf8_length(placed);
    if (position <= 0 || position > length) {
        return weir_kernel_put_text(call, row, text);
    }
    weir_slice before = code_points(text, 0, position - 1);
    weir_buffer_append(&call->scratch, before.data, before.size);
    weir_buffer_append(&call->scratch, placed.data, placed.size);
    if (count > 0) {
        weir_slice after = code_points(text, position - 1 + count, INT32_MAX);
        weir_buffer_append(&call->scratch, after.data, after.size);
    }
    return weir_kernel_put_scratch(call, row);
}

static int replace(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_slice text = weir_kernel_text(call, 0, row);
    weir_slice search = weir_kernel_text(call, 1, row);
    weir_slice by = weir_kernel_text(call, 2, row);
    while (text.size > 0 && search.size > 0) {
        const uint8_t *found = memmem(text.data, text.size, search.data, search.size);
        if (found == NULL) {
            break;
        }
        size_t before = (size_t)(found - text.data);
        weir_buffer_append(&call->scratch, text.data, before);
        weir_buffer_append(&call->scratch, by.data, by.size);
        text = weir_slice_of(found + search.size, text.size - before - search.size);
    }
    weir_buffer_append(&call->scratch, text.data, text.size);
    return weir_kernel_put_scratch(call, row);
}

const weir_kernel weir_kernel_substring = {.name = "substring", .row = substring};
const weir_kernel weir_kernel_left = {.name = "left", .row = left};
const weir_kernel weir_kernel_right = {.name = "right", .row = right};
const weir_kernel weir_kernel_trim_both = {.name = "trim", .row = trim_both};
const weir_kernel weir_kernel_trim_leading = {.name = "ltrim", .row = trim_leading};
const weir_kernel weir_kernel_trim_trailing = {.name = "rtrim", .row = trim_trailing};
const weir_kernel weir_kernel_split_index = {.name = "split_index", .row = split_index};
const weir_kernel weir_kernel_overlay = {.name = "overlay", .row = overlay};
const weir_kernel weir_kernel_replace = {.name = "replace", .row = replace};

/* --- Measuring and finding -----------------------------------------------------------------------------------------
 */

static int char_length(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    return weir_kernel_put_integer(call, row, (int64_t)weir_utf8_length(weir_kernel_text(call, 0, row)));
}

/* POSITION(x IN s), LOCATE(x, s[, from]): 0 when there is none. */
static int position(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_slice search = weir_kernel_text(call, 0, row);
    weir_slice text = weir_kernel_text(call, 1, row);
    int64_t from = call->argument_count > 2 ? weir_kernel_integer(call, 2, row) : 1;
    if (search.size == 0) {
        return weir_kernel_put_integer(call, row, 1);
    }
    size_t skipped = weir_utf8_prefix(text, from > 1 ? (size_t)(from - 1) : 0);
    const uint8_t *found = memmem(text.data + skipped, text.size - skipped, search.data, search.size);
    size_t before = found == NULL ? 0 : (size_t)(found - text.data);
    int64_t result = found == NULL ? 0 : (int64_t)weir_utf8_length(weir_slice_of(text.data, before)) + 1;
    return weir_kernel_put_integer(call, row, result);
}

/* INSTR(s, x[, from[, n-th]]): a negative `from` searches backwards from that place. */
static int instr(weir_kernel_call *call, int64_t row, weir_error *err)
{
    weir_slice text = weir_kernel_text(call, 0, row);
    weir_slice search = weir_kernel_text(call, 1, row);
    int64_t from = call->argument_count > 2 ? weir_kernel_integer(call, 2, row) : 1;
    int64_t nth = call->argument_count > 3 ? weir_kernel_integer(call, 3, row) : 1;
    if (nth <= 0) {
        return weir_fail(err, WEIR_INVALID, "INSTR looks for the n-th occurrence; n is %" PRId64, nth);
    }
    int64_t length = (int64_t)weir_utf8_length(text);
    int64_t width = (int64_t)weir_utf8_length(search);
    int64_t step = from < 0 ? -1 : 1;
    int64_t at = from < 0 ? length + from : from == 0 ? length : from - 1;
    if (search.size == 0) {
        return weir_kernel_put_integer(call, row, from == 0 ? 0 : 1);
    }
    for (; at >= 0 && at + width <= length + (step < 0 ? width : 0); at += step) {
        weir_slice here = code_points(text, at, width);
        if (weir_slice_equal(here, search) && --nth == 0) {
            return weir_kernel_put_integer(call, row, at + 1);
        }
    }
    return weir_kernel_put_integer(call, row, 0);
}

static int starts_with(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_slice text = weir_kernel_text(call, 0, row);
    weir_slice start = weir_kernel_text(call, 1, row);
    bool same = start.size <= text.size && (start.size == 0 || memcmp(text.data, start.data, start.size) == 0);
    return weir_kernel_put_boolean(call, row, same);
}

static int ends_with(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_slice text = weir_kernel_text(call, 0, row);
    weir_slice end = weir_kernel_text(call, 1, row);
    bool same =
        end.size <= text.size && (end.size == 0 || memcmp(text.data + text.size - end.size, end.data, end.size) == 0);
    return weir_kernel_put_boolean(call, row, same);
}

/* The first byte, signed as in Java. */
static int ascii(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_slice text = weir_kernel_text(call, 0, row);
    return weir_kernel_put_integer(call, row, text.size == 0 ? 0 : (int8_t)text.data[0]);
}

static int chr(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    int64_t code = weir_kernel_integer(call, 0, row);
    if (code >= 0) {
        append_code_point(&call->scratch, (uint32_t)code & 0xFF);
    }
    return weir_kernel_put_scratch(call, row);
}

const weir_kernel weir_kernel_char_length = {.name = "char_length", .row = char_length};
const weir_kernel weir_kernel_position = {.name = "position", .row = position};
const weir_kernel weir_kernel_instr = {.name = "instr", .row = instr};
const weir_kernel weir_kernel_starts_with = {.name = "starts_with", .row = starts_with};
const weir_kernel weir_kernel_ends_with = {.name = "ends_with", .row = ends_with};
const weir_kernel weir_kernel_ascii = {.name = "ascii", .row = ascii};
const weir_kernel weir_kernel_chr = {.name = "chr", .row = chr};

/* --- LIKE ----------------------------------------------------------------------------------------------------------
 */

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
    size_t width = width_at(text, offset);
    bool escape =
        pattern->escaping && width == pattern->escape_size && memcmp(text.data + offset, pattern->escape, width) == 0;
    if (escape) {
        size_t after = offset + width;
        if (after >= text.size) {
            return false;
        }
        size_t literal = width_at(text, after);
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
    uint32_t code = decode_at(text, offset, &width);
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
                at += step.wildcard == '_' ? width_at(text, at) : step.literal_size;
                step_offset = step.next;
                continue;
            }
        } else if (at == text.size) {
            return true;
        }
        if (retry_step == SIZE_MAX || retry_text >= text.size) {
            return false;
        }
        retry_text += width_at(text, retry_text);
        at = retry_text;
        step_offset = retry_step;
    }
}

/* literal, %literal, literal% and %literal% are what most patterns are: one comparison or search. False when the
 * pattern is another one. */
static bool like_simply(weir_slice pattern, weir_slice text, bool *matches)
{
    bool open_start = pattern.size > 0 && pattern.data[0] == '%';
    bool open_end = pattern.size > 1 && pattern.data[pattern.size - 1] == '%';
    weir_slice literal = weir_slice_of(pattern.data + open_start, pattern.size - open_start - open_end);
    if (literal.size == 0 || memchr(literal.data, '%', literal.size) != NULL ||
        memchr(literal.data, '_', literal.size) != NULL) {
        return false;
    }
    if (literal.size > text.size) {
        *matches = false;
    } else if (open_start && open_end) {
        *matches = memmem(text.data, text.size, literal.data, literal.size) != NULL;
    } else {
        size_t from = open_start ? text.size - literal.size : 0;
        *matches = (open_start || open_end || literal.size == text.size) &&
                   memcmp(text.data + from, literal.data, literal.size) == 0;
    }
    return true;
}

/* Without ESCAPE nothing escapes. An empty pattern matches everything, which is Flink's answer. */
static int like(weir_kernel_call *call, int64_t row, weir_error *err)
{
    like_pattern pattern = {.text = weir_kernel_text(call, 1, row)};
    if (call->argument_count > 2) {
        weir_slice escape = weir_kernel_text(call, 2, row);
        if (escape.size == 0 || escape.size > sizeof pattern.escape || width_at(escape, 0) != escape.size) {
            return weir_fail(err, WEIR_INVALID, "ESCAPE takes one character");
        }
        memcpy(pattern.escape, escape.data, escape.size);
        pattern.escape_size = escape.size;
        pattern.escaping = true;
    } else if (pattern.text.size == 0) {
        return weir_kernel_put_boolean(call, row, true);
    }
    bool matches;
    if (!pattern.escaping && like_simply(pattern.text, weir_kernel_text(call, 0, row), &matches)) {
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

/* --- Upper and lower case ------------------------------------------------------------------------------------------
 */

static locale_t utf8_locale;

static void open_locale(void) { utf8_locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0); }

static locale_t case_locale(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_locale);
    return utf8_locale;
}

static uint32_t to_upper(uint32_t code)
{
    if (code < 0x80) {
        return code >= 'a' && code <= 'z' ? code - 32 : code;
    }
    return case_locale() == (locale_t)0 ? code : (uint32_t)towupper_l((wint_t)code, case_locale());
}

static uint32_t to_lower(uint32_t code)
{
    if (code < 0x80) {
        return code >= 'A' && code <= 'Z' ? code + 32 : code;
    }
    return case_locale() == (locale_t)0 ? code : (uint32_t)towlower_l((wint_t)code, case_locale());
}

/* Upper case that is longer than one code point, as in Unicode's SpecialCasing. */
static const struct {
    uint32_t code;
    const char *upper;
} long_upper[] = {
    {0xDF, "SS"},    {0x149, "\xCA\xBCN"}, {0x1F0, "J\xCC\x8C"}, {0x587, "\xD4\xB5\xD5\x92"},
    {0xFB00, "FF"},  {0xFB01, "FI"},       {0xFB02, "FL"},       {0xFB03, "FFI"},
    {0xFB04, "FFL"}, {0xFB05, "ST"},       {0xFB06, "ST"},
};

static bool is_ascii(weir_slice text)
{
    uint8_t all = 0;
    for (size_t i = 0; i < text.size; i++) {
        all |= text.data[i];
    }
    return all < 0x80;
}

/* ASCII letters from `first` on (26 of them) change their case. */
static int put_ascii(weir_kernel_call *call, int64_t row, weir_slice text, uint8_t first)
{
    weir_buffer *out = &call->scratch;
    weir_buffer_reserve(out, text.size + 1);
    for (size_t i = 0; i < text.size; i++) {
        uint8_t byte = text.data[i];
        out->data[i] = byte ^ (uint8_t)((uint8_t)(byte - first) < 26 ? 0x20 : 0);
    }
    out->size = text.size;
    return weir_kernel_put_scratch(call, row);
}

static int upper(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_slice text = weir_kernel_text(call, 0, row);
    if (is_ascii(text)) {
        return put_ascii(call, row, text, 'a');
    }
    size_t width;
    for (size_t i = 0; i < text.size; i += width) {
        uint32_t code = decode_at(text, i, &width);
        const char *longer = NULL;
        for (size_t j = 0; code >= 0x80 && j < sizeof long_upper / sizeof long_upper[0]; j++) {
            longer = long_upper[j].code == code ? long_upper[j].upper : longer;
        }
        if (longer != NULL) {
            weir_buffer_append_text(&call->scratch, longer);
        } else {
            append_code_point(&call->scratch, to_upper(code));
        }
    }
    return weir_kernel_put_scratch(call, row);
}

static bool is_letter(uint32_t code)
{
    return code < 0x80 ? (code | 0x20) >= 'a' && (code | 0x20) <= 'z'
                       : case_locale() != (locale_t)0 && iswalpha_l((wint_t)code, case_locale()) != 0;
}

static int lower(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_slice text = weir_kernel_text(call, 0, row);
    if (is_ascii(text)) {
        return put_ascii(call, row, text, 'A');
    }
    size_t width;
    bool after_letter = false;
    for (size_t i = 0; i < text.size; i += width) {
        uint32_t code = decode_at(text, i, &width);
        size_t next_width;
        bool before_letter = i + width < text.size && is_letter(decode_at(text, i + width, &next_width));
        if (code == 0x130) { /* I with a dot keeps its dot */
            weir_buffer_append_text(&call->scratch, "i\xCC\x87");
        } else if (code == 0x3A3 && after_letter && !before_letter) { /* sigma at the end of a word */
            append_code_point(&call->scratch, 0x3C2);
        } else {
            append_code_point(&call->scratch, to_lower(code));
        }
        after_letter = is_letter(code);
    }
    return weir_kernel_put_scratch(call, row);
}

/* Only ASCII letters change, and only they and digits make words. */
static int initcap(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_slice text = weir_kernel_text(call, 0, row);
    bool in_word = false;
    for (size_t i = 0; i < text.size; i++) {
        uint8_t byte = text.data[i];
        bool letter = (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
        if (letter) {
            byte = in_word ? byte | 0x20 : byte & (uint8_t)~0x20;
        }
        in_word = letter || (byte >= '0' && byte <= '9');
        weir_buffer_append_byte(&call->scratch, byte);
    }
    return weir_kernel_put_scratch(call, row);
}

const weir_kernel weir_kernel_upper = {.name = "upper", .row = upper};
const weir_kernel weir_kernel_lower = {.name = "lower", .row = lower};
const weir_kernel weir_kernel_initcap = {.name = "initcap", .row = initcap};

/* --- What text consists of -----------------------------------------------------------------------------------------
 */

static int put_all(weir_kernel_call *call, int64_t row, bool (*test)(uint32_t code))
{
    bool all = !weir_kernel_is_null(call, 0, row);
    weir_slice text = all ? weir_kernel_text(call, 0, row) : weir_slice_of(NULL, 0);
    all = all && text.size > 0;
    size_t width;
    for (size_t i = 0; i < text.size && all; i += width) {
        all = test(decode_at(text, i, &width));
    }
    return weir_kernel_put_boolean(call, row, all);
}

/* Java's Character.isDigit: the decimal digits of any script (blocks of ten). */
static bool is_digit(uint32_t code)
{
    static const uint32_t zeros[] = {0x30,  0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66,  0xAE6,  0xB66,  0xBE6,
                                     0xC66, 0xCE6, 0xD66, 0xE50, 0xED0, 0xF20, 0x1040, 0x17E0, 0x1810, 0xFF10};
    for (size_t i = 0; i < sizeof zeros / sizeof zeros[0]; i++) {
        if (code >= zeros[i] && code < zeros[i] + 10) {
            return true;
        }
    }
    return false;
}

static int is_alpha(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    return put_all(call, row, is_letter);
}

static int is_digits(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    return put_all(call, row, is_digit);
}

static int is_decimal(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    bool number = false;
    if (!weir_kernel_is_null(call, 0, row)) {
        weir_slice text = weir_kernel_text(call, 0, row);
        size_t i = text.size > 0 && (text.data[0] == '-' || text.data[0] == '+');
        size_t digits = 0;
        bool point = false;
        for (; i < text.size; i++) {
            if (text.data[i] == '.' && !point) {
                point = true;
            } else if (text.data[i] >= '0' && text.data[i] <= '9') {
                digits++;
            } else {
                break;
            }
        }
        if (digits > 0 && i + 1 < text.size && (text.data[i] | 0x20) == 'e') {
            i += 1 + (text.data[i + 1] == '-' || text.data[i + 1] == '+');
            digits = 0;
            while (i < text.size && text.data[i] >= '0' && text.data[i] <= '9') {
                i++;
                digits++;
            }
        }
        number = digits > 0 && i == text.size;
    }
    return weir_kernel_put_boolean(call, row, number);
}

const weir_kernel weir_kernel_is_alpha = {.name = "is_alpha", .row = is_alpha, .sees_nulls = true};
const weir_kernel weir_kernel_is_digit = {.name = "is_digit", .row = is_digits, .sees_nulls = true};
const weir_kernel weir_kernel_is_decimal = {.name = "is_decimal", .row = is_decimal, .sees_nulls = true};
