/* Patterns for names, by PCRE2, whose syntax is Java's as far as names need it. */
#define PCRE2_CODE_UNIT_WIDTH 8

#include "format/name_pattern.h"

#include <pcre2.h>
#include <stdlib.h>

struct weir_name_pattern {
    pcre2_code *code;
    pcre2_match_data *match;
};

int weir_name_pattern_compile(const char *pattern, const char *option, weir_name_pattern **out, weir_error *err)
{
    int number;
    PCRE2_SIZE offset;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
                                     PCRE2_UTF | PCRE2_ANCHORED | PCRE2_ENDANCHORED, &number, &offset, NULL);
    if (code == NULL) {
        char reason[120] = "";
        pcre2_get_error_message(number, (PCRE2_UCHAR *)reason, sizeof reason);
        return weir_fail(err, WEIR_INVALID, "'%s' = '%s' is no regular expression: %s at character %zu", option,
                         pattern, reason, (size_t)offset + 1);
    }
    *out = weir_alloc(sizeof **out);
    **out = (weir_name_pattern){.code = code, .match = pcre2_match_data_create(1, NULL)};
    return WEIR_OK;
}

bool weir_name_pattern_matches(weir_name_pattern *pattern, weir_slice name)
{
    return pattern->match != NULL && pcre2_match(pattern->code, name.data, name.size, 0, 0, pattern->match, NULL) >= 0;
}

void weir_name_pattern_free(weir_name_pattern *pattern)
{
    if (pattern != NULL) {
        pcre2_match_data_free(pattern->match);
        pcre2_code_free(pattern->code);
        free(pattern);
    }
}
