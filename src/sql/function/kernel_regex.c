/* REGEXP and its like, SIMILAR TO, and functions that cut by a regular expression. Patterns are Java's; one that is not
 * valid makes NULL (false of REGEXP), as in Flink, which logs it. */
#include <stdlib.h>

#include "base/text.h"
#include "sql/function/code_points.h"
#include "sql/function/kernels.h"
#include "sql/function/pattern.h"

/* --- The pattern of a call ------------------------------------------------------------------------------------- */

/* The pattern that was compiled last: mostly it is the same for all rows. */
typedef struct compiled {
    weir_buffer text;
    weir_pattern *pattern; /* NULL: not valid */
} compiled;

static void free_compiled(compiled *state)
{
    if (state != NULL) {
        weir_pattern_free(state->pattern);
        weir_buffer_free(&state->text);
        free(state);
    }
}

static void finish(weir_kernel_call *call)
{
    free_compiled(call->state);
    call->state = NULL;
}

/* The pattern of a text, NULL when it is not valid. */
static int take_pattern(void **state, weir_slice text, bool whole, weir_pattern **out, weir_error *err)
{
    compiled *last = *state;
    if (last == NULL || !weir_slice_equal(weir_buffer_slice(&last->text), text)) {
        free_compiled(last);
        *state = NULL;
        weir_pattern *pattern;
        WEIR_TRY(weir_pattern_compile(text, whole, &pattern, err));
        last = weir_alloc_zeroed(1, sizeof *last);
        last->pattern = pattern;
        weir_buffer_append(&last->text, text.data, text.size);
        *state = last;
    }
    *out = last->pattern;
    return WEIR_OK;
}

static int pattern_of(weir_kernel_call *call, int64_t row, weir_pattern **out, weir_error *err)
{
    return take_pattern(&call->state, weir_kernel_text(call, 1, row), false, out, err);
}

/* The text, at an address even when it is empty, so that matches lie in it. */
static weir_slice searched_text(weir_kernel_call *call, int64_t row)
{
    weir_slice text = weir_kernel_text(call, 0, row);
    return text.size == 0 ? weir_slice_of("", 0) : text;
}

/* --- Functions ------------------------------------------------------------------------------------------------- */

static int regexp(weir_kernel_call *call, int64_t row, weir_error *err)
{
    weir_pattern *pattern;
    bool found = false;
    if (weir_kernel_text(call, 1, row).size == 0) {
        return weir_kernel_put_boolean(call, row, false);
    }
    WEIR_TRY(pattern_of(call, row, &pattern, err));
    if (pattern != NULL) {
        WEIR_TRY(weir_pattern_find(pattern, searched_text(call, row), 0, &found, err));
    }
    return weir_kernel_put_boolean(call, row, found);
}

/* Every match replaced by a text that is taken as it is: $1 means nothing in Flink. */
static int regexp_replace(weir_kernel_call *call, int64_t row, weir_error *err)
{
    weir_pattern *pattern;
    WEIR_TRY(pattern_of(call, row, &pattern, err));
    if (pattern == NULL) {
        return weir_kernel_put_null(call, row);
    }
    weir_slice text = searched_text(call, row);
    weir_slice by = weir_kernel_text(call, 2, row);
    size_t copied = 0;
    for (size_t from = 0; from <= text.size;) {
        bool found;
        WEIR_TRY(weir_pattern_find(pattern, text, from, &found, err));
        if (!found) {
            break;
        }
        weir_slice match = weir_pattern_group(pattern, 0);
        size_t begin = (size_t)(match.data - text.data);
        weir_buffer_append(&call->scratch, text.data + copied, begin - copied);
        WEIR_TRY(weir_kernel_charge(call, by.size, err));
        weir_buffer_append(&call->scratch, by.data, by.size);
        copied = begin + match.size;
        from = weir_pattern_next(pattern);
    }
    weir_buffer_append(&call->scratch, text.data + copied, text.size - copied);
    return weir_kernel_put_scratch(call, row);
}

/* REGEXP_EXTRACT(text, pattern[, group]): NULL without a match. */
static int regexp_extract(weir_kernel_call *call, int64_t row, weir_error *err)
{
    weir_pattern *pattern;
    int64_t group = call->argument_count > 2 ? weir_kernel_integer(call, 2, row) : 0;
    WEIR_TRY(pattern_of(call, row, &pattern, err));
    bool found = false;
    if (pattern != NULL && group >= 0 && group <= weir_pattern_groups(pattern)) {
        WEIR_TRY(weir_pattern_find(pattern, searched_text(call, row), 0, &found, err));
    }
    weir_slice match = found ? weir_pattern_group(pattern, (int32_t)group) : (weir_slice){0};
    return match.data == NULL ? weir_kernel_put_null(call, row) : weir_kernel_put_text(call, row, match);
}

static int regexp_count(weir_kernel_call *call, int64_t row, weir_error *err)
{
    weir_pattern *pattern;
    WEIR_TRY(pattern_of(call, row, &pattern, err));
    if (pattern == NULL) {
        return weir_kernel_put_null(call, row);
    }
    weir_slice text = searched_text(call, row);
    int64_t count = 0;
    for (size_t from = 0; from <= text.size;) {
        bool found;
        WEIR_TRY(weir_pattern_find(pattern, text, from, &found, err));
        if (!found) {
            break;
        }
        count++;
        from = weir_pattern_next(pattern);
    }
    return weir_kernel_put_integer(call, row, count);
}

/* The position of the first match, from 1; 0 without one. */
static int regexp_instr(weir_kernel_call *call, int64_t row, weir_error *err)
{
    weir_pattern *pattern;
    bool found;
    WEIR_TRY(pattern_of(call, row, &pattern, err));
    if (pattern == NULL) {
        return weir_kernel_put_null(call, row);
    }
    weir_slice text = searched_text(call, row);
    WEIR_TRY(weir_pattern_find(pattern, text, 0, &found, err));
    size_t before = found ? (size_t)(weir_pattern_group(pattern, 0).data - text.data) : 0;
    return weir_kernel_put_integer(call, row,
                                   found ? (int64_t)weir_utf8_length(weir_slice_of(text.data, before)) + 1 : 0);
}

const weir_kernel weir_kernel_regexp = {.name = "regexp", .row = regexp, .finish = finish};
const weir_kernel weir_kernel_regexp_replace = {.name = "regexp_replace", .row = regexp_replace, .finish = finish};
const weir_kernel weir_kernel_regexp_extract = {.name = "regexp_extract", .row = regexp_extract, .finish = finish};
const weir_kernel weir_kernel_regexp_count = {.name = "regexp_count", .row = regexp_count, .finish = finish};
const weir_kernel weir_kernel_regexp_instr = {.name = "regexp_instr", .row = regexp_instr, .finish = finish};

/* --- SIMILAR TO ------------------------------------------------------------------------------------------------ */

static int fail_escape(weir_slice pattern, weir_error *err)
{
    return weir_fail(err, WEIR_INVALID,
                     "SIMILAR TO '%.*s': behind the escape character stands one of []()|^-+*_%%?{} or itself",
                     (int)weir_utf8_prefix(pattern, 60), (const char *)pattern.data);
}

/* The named classes of SQL within brackets, [:ALPHA:]; true when one was taken. */
static bool take_named_class(weir_slice pattern, size_t *at, weir_buffer *out)
{
    static const char *const classes[][2] = {
        {"[:ALPHA:]", "\\p{Alpha}"}, {"[:UPPER:]", "\\p{Upper}"}, {"[:LOWER:]", "\\p{Lower}"}, {"[:DIGIT:]", "\\d"},
        {"[:SPACE:]", " "},          {"[:WHITESPACE:]", "\\s"},   {"[:ALNUM:]", "\\p{Alnum}"},
    };
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        size_t size = strlen(classes[i][0]);
        if (pattern.size - *at >= size && strncasecmp((const char *)pattern.data + *at, classes[i][0], size) == 0) {
            weir_buffer_append_text(out, classes[i][1]);
            *at += size;
            return true;
        }
    }
    return false;
}

/* SQL's pattern as Java's: _ and % mean . and .*, \ and $ themselves; all else is alike. */
static int similar_to_java(weir_slice pattern, weir_slice escape, weir_buffer *out, weir_error *err)
{
    bool in_class = false;
    size_t width;
    for (size_t i = 0; i < pattern.size; i += width) {
        width = weir_width_at(pattern, i);
        uint8_t c = pattern.data[i];
        if (escape.size == width && memcmp(pattern.data + i, escape.data, width) == 0) {
            i += width;
            if (i >= pattern.size) {
                return fail_escape(pattern, err);
            }
            width = weir_width_at(pattern, i);
            bool special = memchr("[]()|^-+*_%?{}", pattern.data[i], 14) != NULL;
            bool itself = width == escape.size && memcmp(pattern.data + i, escape.data, width) == 0;
            if (!special && !itself) {
                return fail_escape(pattern, err);
            }
            if (width == 1) {
                weir_buffer_append_byte(out, '\\');
            }
            weir_buffer_append(out, pattern.data + i, width);
        } else if (in_class && c == '[') {
            if (!take_named_class(pattern, &i, out)) {
                return weir_fail(err, WEIR_INVALID, "SIMILAR TO '%.*s' is no pattern: [ within [ ]",
                                 (int)weir_utf8_prefix(pattern, 60), (const char *)pattern.data);
            }
            width = 0;
        } else if (c == '\\' || (c == '$' && !in_class)) {
            weir_buffer_append_byte(out, '\\');
            weir_buffer_append_byte(out, c);
        } else if ((c == '_' || c == '%') && !in_class) {
            weir_buffer_append_text(out, c == '_' ? "." : "(?s:.*)");
        } else {
            in_class = c == '[' || (in_class && c != ']');
            weir_buffer_append(out, pattern.data + i, width);
        }
    }
    return WEIR_OK;
}

/* text SIMILAR TO pattern [ESCAPE escape]. */
static int similar(weir_kernel_call *call, int64_t row, weir_error *err)
{
    weir_slice sql = weir_kernel_text(call, 1, row);
    weir_slice escape = call->argument_count > 2 ? weir_kernel_text(call, 2, row) : (weir_slice){0};
    weir_pattern *pattern = NULL;
    if (call->argument_count > 2 && weir_utf8_length(escape) != 1) {
        return weir_fail(err, WEIR_INVALID, "ESCAPE takes one character");
    }
    int code = similar_to_java(sql, escape, &call->scratch, err);
    if (code == WEIR_OK) {
        code = take_pattern(&call->state, weir_buffer_slice(&call->scratch), true, &pattern, err);
    }
    weir_buffer_clear(&call->scratch);
    WEIR_TRY(code);
    if (pattern == NULL) {
        return weir_fail(err, WEIR_INVALID, "SIMILAR TO '%.*s' is no valid pattern", (int)weir_utf8_prefix(sql, 60),
                         (const char *)sql.data);
    }
    bool found;
    WEIR_TRY(weir_pattern_find(pattern, searched_text(call, row), 0, &found, err));
    return weir_kernel_put_boolean(call, row, found);
}

const weir_kernel weir_kernel_similar = {.name = "similar", .row = similar, .finish = finish};
