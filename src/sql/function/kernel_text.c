/* Functions over text: putting together, cutting, measuring, finding. Positions and lengths count code points, from 1.
 * LIKE is in kernel_like.c, upper and lower case in kernel_text_case.c. */
#include "sql/function/code_points.h"
#include "sql/function/kernels.h"

/* --- Putting together ------------------------------------------------------------------------------------------ */

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

static int repeat(weir_kernel_call *call, int64_t row, weir_error *err)
{
    weir_slice text = weir_kernel_text(call, 0, row);
    int64_t count = weir_kernel_integer(call, 1, row);
    if (count > 0) {
        WEIR_TRY(weir_kernel_charge(call, text.size * (size_t)count, err));
    }
    for (int64_t i = 0; i < count && text.size > 0; i++) {
        weir_buffer_append(&call->scratch, text.data, text.size);
    }
    return weir_kernel_put_scratch(call, row);
}

/* LPAD and RPAD: to exactly n code points; n < 0 or an empty pad make NULL. */
static int pad(weir_kernel_call *call, int64_t row, bool left, weir_error *err)
{
    weir_slice text = weir_kernel_text(call, 0, row);
    int64_t length = weir_kernel_integer(call, 1, row);
    weir_slice padding = weir_kernel_text(call, 2, row);
    if (length < 0 || padding.size == 0) {
        return weir_kernel_put_null(call, row);
    }
    int64_t have = (int64_t)weir_utf8_length(text);
    if (have >= length) {
        return weir_kernel_put_text(call, row, weir_code_points(text, 0, length));
    }
    WEIR_TRY(weir_kernel_charge(call, text.size + (size_t)(length - have), err));
    if (!left) {
        weir_buffer_append(&call->scratch, text.data, text.size);
    }
    int64_t unit = (int64_t)weir_utf8_length(padding);
    for (int64_t missing = length - have; missing > 0; missing -= unit) {
        weir_slice piece = missing < unit ? weir_code_points(padding, 0, missing) : padding;
        weir_buffer_append(&call->scratch, piece.data, piece.size);
    }
    if (left) {
        weir_buffer_append(&call->scratch, text.data, text.size);
    }
    return weir_kernel_put_scratch(call, row);
}

static int lpad(weir_kernel_call *call, int64_t row, weir_error *err) { return pad(call, row, true, err); }

static int rpad(weir_kernel_call *call, int64_t row, weir_error *err) { return pad(call, row, false, err); }

static int reverse(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_slice text = weir_kernel_text(call, 0, row);
    size_t end = text.size;
    while (end > 0) {
        size_t begin = end - 1;
        while (begin > 0 && weir_is_continuation(text.data[begin])) {
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

/* --- Cutting --------------------------------------------------------------------------------------------------- */

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
        return weir_kernel_put_text(call, row, weir_code_points(text, position - 1, count));
    }
    if (position == 0) {
        return weir_kernel_put_text(call, row, weir_code_points(text, 0, count));
    }
    int64_t first = (int64_t)weir_utf8_length(text) + position;
    return weir_kernel_put_text(call, row,
                                first < 0 ? weir_slice_of(text.data, 0) : weir_code_points(text, first, count));
}

static int left(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    int64_t count = weir_kernel_integer(call, 1, row);
    return weir_kernel_put_text(call, row, weir_code_points(weir_kernel_text(call, 0, row), 0, count < 0 ? 0 : count));
}

static int right(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_slice text = weir_kernel_text(call, 0, row);
    int64_t count = weir_kernel_integer(call, 1, row);
    int64_t length = (int64_t)weir_utf8_length(text);
    count = count < 0 ? 0 : count < length ? count : length;
    return weir_kernel_put_text(call, row, weir_code_points(text, length - count, count));
}

static bool contains_code_point(weir_slice set, weir_slice text, size_t offset, size_t width)
{
    for (size_t i = 0; i + width <= set.size; i += weir_width_at(set, i)) {
        if (weir_width_at(set, i) == width && memcmp(set.data + i, text.data + offset, width) == 0) {
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
        size_t width = weir_width_at(text, 0);
        if (!contains_code_point(set, text, 0, width)) {
            break;
        }
        text = weir_slice_of(text.data + width, text.size - width);
    }
    while (trailing && text.size > 0) {
        size_t begin = text.size - 1;
        while (begin > 0 && weir_is_continuation(text.data[begin])) {
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
    weir_slice before = weir_code_points(text, 0, position - 1);
    weir_buffer_append(&call->scratch, before.data, before.size);
    weir_buffer_append(&call->scratch, placed.data, placed.size);
    if (count > 0) {
        weir_slice after = weir_code_points(text, position - 1 + count, INT32_MAX);
        weir_buffer_append(&call->scratch, after.data, after.size);
    }
    return weir_kernel_put_scratch(call, row);
}

static int replace(weir_kernel_call *call, int64_t row, weir_error *err)
{
    weir_slice text = weir_kernel_text(call, 0, row);
    weir_slice search = weir_kernel_text(call, 1, row);
    weir_slice by = weir_kernel_text(call, 2, row);
    while (text.size > 0 && search.size > 0) {
        const uint8_t *found = memmem(text.data, text.size, search.data, search.size);
        if (found == NULL) {
            break;
        }
        size_t before = (size_t)(found - text.data);
        WEIR_TRY(weir_kernel_charge(call, before + by.size, err));
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

/* --- Measuring and finding ------------------------------------------------------------------------------------- */

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
        weir_slice here = weir_code_points(text, at, width);
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
        weir_append_code_point(&call->scratch, (uint32_t)code & 0xFF);
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
