/* Compiling and matching. Matching is bounded: patterns that go back and forth without end fail with a message. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "sql/function/pattern.h"

#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "sql/function/code_points.h"

/* Steps back that one search may take, and memory (in KiB) for remembering them: under a second of work. */
enum { most_steps = 5000000, most_depth = 1000000, most_heap_kib = 64 * 1024 };

struct weir_pattern {
    pcre2_code *code;
    pcre2_match_data *match;
    pcre2_match_context *context;
    weir_slice text; /* of the last search */
    char shown[64];  /* the pattern, for errors */
    uint32_t groups;
};

void weir_pattern_free(weir_pattern *pattern)
{
    if (pattern != NULL) {
        pcre2_match_context_free(pattern->context);
        pcre2_match_data_free(pattern->match);
        pcre2_code_free(pattern->code);
        free(pattern);
    }
}

/* What Java takes and PCRE2 refuses. */
static bool is_of_java_alone(int number)
{
    return number == PCRE2_ERROR_LOOKBEHIND_NOT_FIXED_LENGTH || number == PCRE2_ERROR_PATTERN_TOO_LARGE ||
           number == PCRE2_ERROR_PARENTHESES_NEST_TOO_DEEP || number == PCRE2_ERROR_LOOKBEHIND_TOO_COMPLICATED;
}

int weir_pattern_compile(weir_slice text, bool whole, weir_pattern **out, weir_error *err)
{
    weir_buffer translated = {0};
    bool valid;
    int code = weir_pattern_from_java(text, &translated, &valid, err);
    *out = NULL;
    if (code != WEIR_OK || !valid) {
        weir_buffer_free(&translated);
        return code;
    }
    uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C;
    if (whole) {
        options |= PCRE2_ANCHORED | PCRE2_ENDANCHORED;
    }
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    pcre2_set_newline(context, PCRE2_NEWLINE_ANY);
    int number;
    size_t offset;
    pcre2_code *compiled = pcre2_compile(translated.size == 0 ? (PCRE2_SPTR) "" : translated.data, translated.size,
                                         options, &number, &offset, context);
    pcre2_compile_context_free(context);
    weir_buffer_free(&translated);
    if (compiled == NULL) {
        char reason[128];
        pcre2_get_error_message(number, (PCRE2_UCHAR *)reason, sizeof reason);
        return is_of_java_alone(number)
                   ? weir_fail(err, WEIR_UNSUPPORTED, "the regular expression '%.*s' is not supported: %s",
                               (int)weir_utf8_prefix(text, 60), (const char *)text.data, reason)
                   : WEIR_OK;
    }
    weir_pattern *pattern = weir_alloc_zeroed(1, sizeof *pattern);
    pattern->code = compiled;
    pattern->match = pcre2_match_data_create_from_pattern(compiled, NULL);
    pattern->context = pcre2_match_context_create(NULL);
    pcre2_set_match_limit(pattern->context, most_steps);
    pcre2_set_depth_limit(pattern->context, most_depth);
    pcre2_set_heap_limit(pattern->context, most_heap_kib);
    pcre2_pattern_info(compiled, PCRE2_INFO_CAPTURECOUNT, &pattern->groups);
    snprintf(pattern->shown, sizeof pattern->shown, "%.*s", (int)weir_utf8_prefix(text, 15), (const char *)text.data);
    *out = pattern;
    return WEIR_OK;
}

int32_t weir_pattern_groups(const weir_pattern *pattern) { return (int32_t)pattern->groups; }

int weir_pattern_find(weir_pattern *pattern, weir_slice text, size_t from, bool *out_found, weir_error *err)
{
    pattern->text = text;
    int code = pcre2_match(pattern->code, text.size == 0 ? (PCRE2_SPTR) "" : text.data, text.size, from, 0,
                           pattern->match, pattern->context);
    *out_found = code > 0;
    if (code > 0 || code == PCRE2_ERROR_NOMATCH) {
        return WEIR_OK;
    }
    if (code == PCRE2_ERROR_MATCHLIMIT || code == PCRE2_ERROR_DEPTHLIMIT || code == PCRE2_ERROR_HEAPLIMIT) {
        return weir_fail(
            err, WEIR_INVALID,
            "the regular expression '%s' takes more than %d steps on a text of %zu bytes; write it so that "
            "fewer parts can match the same characters",
            pattern->shown, (int)most_steps, text.size);
    }
    char reason[128];
    pcre2_get_error_message(code, (PCRE2_UCHAR *)reason, sizeof reason);
    return weir_fail(err, WEIR_INVALID, "the regular expression '%s' can't be matched: %s", pattern->shown, reason);
}

weir_slice weir_pattern_group(const weir_pattern *pattern, int32_t group)
{
    const PCRE2_SIZE *bounds = pcre2_get_ovector_pointer(pattern->match);
    size_t begin = bounds[group * 2];
    size_t end = bounds[group * 2 + 1];
    if (begin == PCRE2_UNSET || end < begin) { /* \K can't be written in Java */
        return (weir_slice){0};
    }
    return weir_slice_of(pattern->text.size == 0 ? (const uint8_t *)"" : pattern->text.data + begin, end - begin);
}

size_t weir_pattern_next(const weir_pattern *pattern)
{
    const PCRE2_SIZE *bounds = pcre2_get_ovector_pointer(pattern->match);
    size_t end = bounds[1];
    bool is_empty = end <= bounds[0];
    return !is_empty                  ? end
           : end < pattern->text.size ? end + weir_width_at(pattern->text, end)
                                      : pattern->text.size + 1;
}
