/* Tables of what is pasted, and finding in them. */
#include "sql/parse/pasted.h"

static bool begins_with(weir_slice text, const char *beginning)
{
    size_t size = strlen(beginning);
    return text.size >= size && memcmp(text.data, beginning, size) == 0;
}

/* Blanks of typesetting, and what takes no place: web pages and documents put them between words, where nobody sees
 * them. */
static const struct {
    const char *first, *last; /* of the same size */
} blanks[] = {
    {"\xC2\xA0", "\xC2\xA0"},         /* no-break space */
    {"\xC2\xAD", "\xC2\xAD"},         /* soft hyphen */
    {"\xE2\x80\x80", "\xE2\x80\x8F"}, /* spaces by width, zero-width ones, joiners, marks of direction */
    {"\xE2\x80\xA8", "\xE2\x80\xAF"}, /* ends of lines and paragraphs, more marks, narrow no-break space */
    {"\xE2\x81\x9F", "\xE2\x81\xA0"}, /* mathematical space, word joiner */
    {"\xE3\x80\x80", "\xE3\x80\x80"}, /* ideographic space */
    {"\xEF\xBB\xBF", "\xEF\xBB\xBF"}, /* byte order mark */
};

size_t weir_pasted_blank(weir_slice text)
{
    for (size_t i = 0; i < sizeof blanks / sizeof blanks[0]; i++) {
        size_t size = strlen(blanks[i].first);
        if (text.size >= size && memcmp(text.data, blanks[i].first, size) >= 0 &&
            memcmp(text.data, blanks[i].last, size) <= 0) {
            return size;
        }
    }
    return 0;
}

#define DASH_MESSAGE(dash)                                                                                             \
    "the typographic dash " dash " may stand for a minus sign or begin a comment; write - or -- instead"
#define DOUBLE_QUOTE_MESSAGE(what, quote)                                                                              \
    "the " what " quote " quote " is no quote of SQL; write ' around text, ` around a name"

static const weir_lookalike lookalikes[] = {
    {"\xE2\x80\x98", WEIR_LOOKALIKE_QUOTE, WEIR_TOKEN_STRING, NULL}, /* left and right single quote, low one, prime */
    {"\xE2\x80\x99", WEIR_LOOKALIKE_QUOTE, WEIR_TOKEN_STRING, NULL},
    {"\xE2\x80\x9A", WEIR_LOOKALIKE_QUOTE, WEIR_TOKEN_STRING, NULL},
    {"\xE2\x80\x9B", WEIR_LOOKALIKE_QUOTE, WEIR_TOKEN_STRING, NULL},
    {"\xE2\x80\xB2", WEIR_LOOKALIKE_QUOTE, WEIR_TOKEN_STRING, NULL},
    {"\xEF\xBC\x87", WEIR_LOOKALIKE_QUOTE, WEIR_TOKEN_STRING, NULL}, /* full-width */
    {"\xC2\xB4", WEIR_LOOKALIKE_WRONG, WEIR_TOKEN_ERROR,
     "the accent \xC2\xB4 doesn't begin a string; write ' (or ` around a name) instead"},
    {"\xE2\x80\x9C", WEIR_LOOKALIKE_WRONG, WEIR_TOKEN_ERROR, DOUBLE_QUOTE_MESSAGE("typographic", "\xE2\x80\x9C")},
    {"\xE2\x80\x9D", WEIR_LOOKALIKE_WRONG, WEIR_TOKEN_ERROR, DOUBLE_QUOTE_MESSAGE("typographic", "\xE2\x80\x9D")},
    {"\xE2\x80\x9E", WEIR_LOOKALIKE_WRONG, WEIR_TOKEN_ERROR, DOUBLE_QUOTE_MESSAGE("typographic", "\xE2\x80\x9E")},
    {"\xEF\xBC\x82", WEIR_LOOKALIKE_WRONG, WEIR_TOKEN_ERROR, DOUBLE_QUOTE_MESSAGE("full-width", "\xEF\xBC\x82")},
    {"\xE2\x80\x93", WEIR_LOOKALIKE_DASH, WEIR_TOKEN_MINUS, DASH_MESSAGE("\xE2\x80\x93")},
    {"\xE2\x80\x94", WEIR_LOOKALIKE_DASH, WEIR_TOKEN_MINUS, DASH_MESSAGE("\xE2\x80\x94")},
    {"\xE2\x80\x90", WEIR_LOOKALIKE_OPERATOR, WEIR_TOKEN_MINUS, NULL}, /* hyphens */
    {"\xE2\x80\x91", WEIR_LOOKALIKE_OPERATOR, WEIR_TOKEN_MINUS, NULL},
    {"\xE2\x88\x92", WEIR_LOOKALIKE_OPERATOR, WEIR_TOKEN_MINUS, NULL}, /* the minus sign of mathematics */
    {"\xEF\xBC\x8D", WEIR_LOOKALIKE_OPERATOR, WEIR_TOKEN_MINUS, NULL}, /* from here on full-width */
    {"\xEF\xBC\x8B", WEIR_LOOKALIKE_OPERATOR, WEIR_TOKEN_PLUS, NULL},
    {"\xEF\xBC\x8A", WEIR_LOOKALIKE_OPERATOR, WEIR_TOKEN_STAR, NULL},
    {"\xEF\xBC\x8F", WEIR_LOOKALIKE_OPERATOR, WEIR_TOKEN_SLASH, NULL},
    {"\xEF\xBC\x85", WEIR_LOOKALIKE_OPERATOR, WEIR_TOKEN_PERCENT, NULL},
    {"\xEF\xBC\x9C", WEIR_LOOKALIKE_OPERATOR, WEIR_TOKEN_LESS, NULL},
    {"\xEF\xBC\x9E", WEIR_LOOKALIKE_OPERATOR, WEIR_TOKEN_GREATER, NULL},
    {"\xEF\xBC\x9D", WEIR_LOOKALIKE_OPERATOR, WEIR_TOKEN_EQUAL, NULL},
    {"\xEF\xBC\x8C", WEIR_LOOKALIKE_OPERATOR, WEIR_TOKEN_COMMA, NULL},
    {"\xEF\xBC\x8E", WEIR_LOOKALIKE_OPERATOR, WEIR_TOKEN_DOT, NULL},
    {"\xEF\xBC\x9B", WEIR_LOOKALIKE_OPERATOR, WEIR_TOKEN_SEMICOLON, NULL},
    {"\xEF\xBC\x88", WEIR_LOOKALIKE_OPERATOR, WEIR_TOKEN_LEFT_PARENTHESIS, NULL},
    {"\xEF\xBC\x89", WEIR_LOOKALIKE_OPERATOR, WEIR_TOKEN_RIGHT_PARENTHESIS, NULL},
    {"\xEF\xBC\xBB", WEIR_LOOKALIKE_OPERATOR, WEIR_TOKEN_LEFT_BRACKET, NULL},
    {"\xEF\xBC\xBD", WEIR_LOOKALIKE_OPERATOR, WEIR_TOKEN_RIGHT_BRACKET, NULL},
};

const weir_lookalike *weir_pasted_lookalike(weir_slice text)
{
    for (size_t i = 0; i < sizeof lookalikes / sizeof lookalikes[0]; i++) {
        if (begins_with(text, lookalikes[i].text)) {
            return &lookalikes[i];
        }
    }
    return NULL;
}

/* Operators of other languages and of other databases' SQL. */
static const weir_foreign_operator foreign_operators[] = {
    {"<=>", "Flink's SQL has no <=>; write IS NOT DISTINCT FROM"},
    {"==", "write = to compare"},
    {"&&", "write AND"},
    {"::", "Flink's SQL has no ::; write CAST(value AS type)"},
    {":=", "Flink's SQL has no :="},
    {"#", "# begins no comment; write --"},
    {"\\", "commands that begin with \\ are for the shell on a terminal"},
    {"\"", "double quotes are no quotes of Flink SQL; write ' around text, ` around a name"},
};

const weir_foreign_operator *weir_pasted_operator(weir_slice text)
{
    for (size_t i = 0; i < sizeof foreign_operators / sizeof foreign_operators[0]; i++) {
        if (begins_with(text, foreign_operators[i].text)) {
            return &foreign_operators[i];
        }
    }
    return NULL;
}
