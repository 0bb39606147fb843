/* Finding keywords, and writing names and strings so that the lexer reads them back. */
#include "sql/parse/keyword.h"

#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "sql/parser.h"

typedef struct keyword_row {
    const char *text;
    bool reserved;
} keyword_row;

static const keyword_row keyword_rows[] = {{"", false},
#define RESERVED_ROW(name) {#name, true},
#define FREE_ROW(name)     {#name, false},
                                           WEIR_KEYWORDS(RESERVED_ROW, FREE_ROW)
#undef RESERVED_ROW
#undef FREE_ROW
};

weir_keyword weir_keyword_find(const char *text, size_t size)
{
    size_t low = 1;
    size_t high = WEIR_KEYWORD_END_OF_TABLE;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const char *candidate = keyword_rows[middle].text;
        int order = strncasecmp(text, candidate, size);
        if (order == 0 && candidate[size] != '\0') {
            order = -1;
        }
        if (order == 0) {
            return (weir_keyword)middle;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return WEIR_KEYWORD_NONE;
}

const char *weir_keyword_text(weir_keyword keyword) { return keyword_rows[keyword].text; }

bool weir_keyword_reserved(weir_keyword keyword) { return keyword_rows[keyword].reserved; }

size_t weir_sql_keyword_count(void) { return WEIR_KEYWORD_END_OF_TABLE - 1; }

const char *weir_sql_keyword(size_t index) { return keyword_rows[index + 1].text; }

static bool is_plain_name(const char *name)
{
    if (name[0] == '\0' || (name[0] >= '0' && name[0] <= '9')) {
        return false;
    }
    for (const char *c = name; *c != '\0'; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_';
        if (!plain) {
            return false;
        }
    }
    return !weir_keyword_reserved(weir_keyword_find(name, strlen(name)));
}

void weir_sql_quote_name(const char *name, weir_buffer *out)
{
    if (is_plain_name(name)) {
        weir_buffer_append_text(out, name);
    } else {
        weir_append_quoted(name, '`', out);
    }
}

void weir_sql_quote_string(const char *text, weir_buffer *out) { weir_append_quoted(text, '\'', out); }
