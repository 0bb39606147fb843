/* SQL type text to types: Flink's spellings, nested types in both notations (`ARRAY<INT>`, `INT ARRAY`) and Paimon's
 * shorter ones. A VARCHAR or VARBINARY without length is unbounded, as in Flink SQL. */
#include <stdlib.h>
#include <strings.h>

#include "base/text.h"
#include "vector/type.h"

typedef enum token_kind { TOKEN_END, TOKEN_WORD, TOKEN_QUOTED_NAME, TOKEN_STRING, TOKEN_NUMBER, TOKEN_SIGN } token_kind;

typedef struct parser {
    const char *text;
    const char *next; /* where the token after this one begins */
    weir_arena *arena;
    weir_error *err;
    int depth;
    token_kind kind; /* of the current token */
    const char *start;
    size_t size;
} parser;

/* What may follow a type's name in parentheses. */
typedef enum parameters { NO_PARAMETERS, LENGTH, PRECISION, PRECISION_AND_SCALE } parameters;

typedef struct type_name {
    const char *name;
    weir_type_id id;
    parameters parameters;
} type_name;

static const type_name type_names[] = {
    {"BOOLEAN", WEIR_BOOLEAN, NO_PARAMETERS},
    {"TINYINT", WEIR_TINYINT, NO_PARAMETERS},
    {"SMALLINT", WEIR_SMALLINT, NO_PARAMETERS},
    {"INT", WEIR_INT, NO_PARAMETERS},
    {"INTEGER", WEIR_INT, NO_PARAMETERS},
    {"BIGINT", WEIR_BIGINT, NO_PARAMETERS},
    {"FLOAT", WEIR_FLOAT, NO_PARAMETERS},
    {"DOUBLE", WEIR_DOUBLE, NO_PARAMETERS},
    {"DECIMAL", WEIR_DECIMAL, PRECISION_AND_SCALE},
    {"DEC", WEIR_DECIMAL, PRECISION_AND_SCALE},
    {"NUMERIC", WEIR_DECIMAL, PRECISION_AND_SCALE},
    {"CHAR", WEIR_CHAR, LENGTH},
    {"VARCHAR", WEIR_VARCHAR, LENGTH},
    {"STRING", WEIR_VARCHAR, NO_PARAMETERS},
    {"BINARY", WEIR_BINARY, LENGTH},
    {"VARBINARY", WEIR_VARBINARY, LENGTH},
    {"BYTES", WEIR_VARBINARY, NO_PARAMETERS},
    {"DATE", WEIR_DATE, NO_PARAMETERS},
    {"TIME", WEIR_TIME, PRECISION},
    {"TIMESTAMP", WEIR_TIMESTAMP, PRECISION},
    {"TIMESTAMP_LTZ", WEIR_TIMESTAMP_LTZ, PRECISION},
    {"ARRAY", WEIR_ARRAY, NO_PARAMETERS},
    {"MAP", WEIR_MAP, NO_PARAMETERS},
    {"MULTISET", WEIR_MULTISET, NO_PARAMETERS},
    {"ROW", WEIR_ROW, NO_PARAMETERS},
    {"VARIANT", WEIR_VARIANT, NO_PARAMETERS},
    {"BLOB", WEIR_BLOB, NO_PARAMETERS},
    {"NULL", WEIR_NULL, NO_PARAMETERS},
};

#define TYPE_NAME_COUNT (sizeof type_names / sizeof *type_names)

/* ---- tokens ---- */

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static bool ends_word(char c) { return c == 0 || is_blank(c) || strchr("<>(),.`'", c) != NULL; }

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Makes the token between two `quote`s the current one; those inside are doubled. */
static int read_quoted(parser *p, token_kind kind, char quote)
{
    const char *end = p->start + 1;
    while (*end != 0 && (*end != quote || end[1] == quote)) {
        end += *end == quote ? 2 : 1;
    }
    if (*end == 0) {
        return weir_fail(p->err, WEIR_INVALID, "type text \"%s\": the %c at position %zu is not closed", p->text, quote,
                         (size_t)(p->start - p->text) + 1);
    }
    p->kind = kind;
    p->next = end + 1;
    p->size = (size_t)(p->next - p->start);
    return WEIR_OK;
}

static int advance(parser *p)
{
    while (is_blank(*p->next)) {
        p->next++;
    }
    p->start = p->next;
    char c = *p->start;
    if (c == '`' || c == '\'') {
        return read_quoted(p, c == '`' ? TOKEN_QUOTED_NAME : TOKEN_STRING, c);
    }
    if (c == 0) {
        p->kind = TOKEN_END;
    } else if (is_digit(c)) {
        p->kind = TOKEN_NUMBER;
        while (is_digit(*p->next)) {
            p->next++;
        }
    } else if (ends_word(c)) {
        p->kind = TOKEN_SIGN;
        p->next++;
    } else {
        p->kind = TOKEN_WORD;
        while (!ends_word(*p->next)) {
            p->next++;
        }
    }
    p->size = (size_t)(p->next - p->start);
    return WEIR_OK;
}

static int expected(const parser *p, const char *what)
{
    if (p->kind == TOKEN_END) {
        return weir_fail(p->err, WEIR_INVALID, "type text \"%s\": %s is missing at the end", p->text, what);
    }
    return weir_fail(p->err, WEIR_INVALID, "type text \"%s\": expected %s, not \"%.*s\" at position %zu", p->text, what,
                     (int)(p->size < 60 ? p->size : 60), p->start, (size_t)(p->start - p->text) + 1);
}

static bool at_sign(const parser *p, char sign) { return p->kind == TOKEN_SIGN && *p->start == sign; }

static bool at_word(const parser *p, const char *word)
{
    return p->kind == TOKEN_WORD && p->size == strlen(word) && strncasecmp(p->start, word, p->size) == 0;
}

static int take_sign(parser *p, char sign)
{
    if (!at_sign(p, sign)) {
        char what[] = {'"', sign, '"', 0};
        return expected(p, what);
    }
    return advance(p);
}

static int take_word(parser *p, const char *word) { return at_word(p, word) ? advance(p) : expected(p, word); }

/* The text of a quoted token, its doubled quotes single. */
static const char *unquote(const parser *p)
{
    char quote = *p->start;
    char *text = WEIR_NEW_ARRAY(p->arena, char, p->size);
    size_t size = 0;
    for (size_t i = 1; i + 1 < p->size; i++) {
        text[size++] = p->start[i];
        i += p->start[i] == quote;
    }
    return text;
}

/* ---- types ---- */

static int parse_type(parser *p, const weir_type **out);

static int take_number(parser *p, const char *what, int64_t least, int64_t most, int32_t *out)
{
    int64_t number = 0;
    if (p->kind != TOKEN_NUMBER) {
        return expected(p, what);
    }
    if (!weir_parse_int64(weir_slice_of(p->start, p->size), &number) || number < least || number > most) {
        return weir_fail(p->err, WEIR_INVALID,
                         "type text \"%s\": %s at position %zu must be from %" PRId64 " to %" PRId64, p->text, what,
                         (size_t)(p->start - p->text) + 1, least, most);
    }
    *out = (int32_t)number;
    return advance(p);
}

static int parse_parameters(parser *p, parameters allowed, weir_type *type)
{
    if (allowed == NO_PARAMETERS || !at_sign(p, '(')) {
        return WEIR_OK;
    }
    WEIR_TRY(advance(p));
    if (allowed == LENGTH) {
        WEIR_TRY(take_number(p, "the length", 1, WEIR_MAX_LENGTH, &type->precision));
    } else {
        bool decimal = allowed == PRECISION_AND_SCALE;
        WEIR_TRY(take_number(p, "the precision", decimal ? 1 : 0, decimal ? 38 : 9, &type->precision));
        if (decimal && at_sign(p, ',')) {
            WEIR_TRY(advance(p));
            WEIR_TRY(take_number(p, "the scale", 0, type->precision, &type->scale));
        }
    }
    return take_sign(p, ')');
}

/* `WITH LOCAL TIME ZONE` and `WITHOUT TIME ZONE` after TIME and TIMESTAMP. */
static int parse_zone(parser *p, weir_type *type)
{
    if (at_word(p, "WITHOUT") && type->id != WEIR_TIMESTAMP_LTZ) {
        WEIR_TRY(advance(p));
        WEIR_TRY(take_word(p, "TIME"));
        return take_word(p, "ZONE");
    }
    if (at_word(p, "WITH") && type->id == WEIR_TIMESTAMP) {
        WEIR_TRY(advance(p));
        if (!at_word(p, "LOCAL")) {
            return weir_fail(p->err, WEIR_UNSUPPORTED,
                             "type text \"%s\": TIMESTAMP WITH TIME ZONE is not supported; use WITH LOCAL TIME ZONE",
                             p->text);
        }
        WEIR_TRY(advance(p));
        WEIR_TRY(take_word(p, "TIME"));
        WEIR_TRY(take_word(p, "ZONE"));
        type->id = WEIR_TIMESTAMP_LTZ;
    }
    return WEIR_OK;
}

static int parse_comment(parser *p, weir_field *field)
{
    if (at_word(p, "COMMENT")) {
        WEIR_TRY(advance(p));
        if (p->kind != TOKEN_STRING) {
            return expected(p, "the comment in single quotes");
        }
    }
    if (p->kind == TOKEN_STRING) {
        field->description = unquote(p);
        return advance(p);
    }
    return WEIR_OK;
}

static int parse_field(parser *p, weir_field *field)
{
    *field = (weir_field){.id = -1};
    if (p->kind == TOKEN_QUOTED_NAME) {
        field->name = unquote(p);
    } else if (p->kind == TOKEN_WORD) {
        field->name = weir_arena_strndup(p->arena, p->start, p->size);
    } else {
        return expected(p, "the name of a field");
    }
    WEIR_TRY(advance(p));
    WEIR_TRY(parse_type(p, &field->type));
    return parse_comment(p, field);
}

static int check_new_name(const parser *p, const weir_field *fields, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(fields[i].name, fields[count].name) == 0) {
            return weir_fail(p->err, WEIR_INVALID, "type text \"%s\": the field \"%s\" is there twice", p->text,
                             fields[count].name);
        }
    }
    return WEIR_OK;
}

static int parse_fields(parser *p, char end, weir_type *type)
{
    weir_field *fields = NULL;
    size_t capacity = 0;
    int32_t count = 0;
    int code = WEIR_OK;
    while (!at_sign(p, end)) {
        if (count > 0) {
            WEIR_GO(take_sign(p, ','));
        }
        WEIR_GROW(fields, capacity, count + 1);
        WEIR_GO(parse_field(p, &fields[count]));
        WEIR_GO(check_new_name(p, fields, count));
        count++;
    }
    type->fields = weir_arena_copy(p->arena, fields, (size_t)count * sizeof *fields);
    type->field_count = count;
    code = advance(p);
done:
    free(fields);
    return code;
}

static int parse_parts(parser *p, weir_type *type)
{
    if (type->id == WEIR_ROW && at_sign(p, '(')) {
        WEIR_TRY(advance(p));
        return parse_fields(p, ')', type);
    }
    WEIR_TRY(take_sign(p, '<'));
    if (type->id == WEIR_ROW) {
        return parse_fields(p, '>', type);
    }
    const weir_type *first = NULL;
    WEIR_TRY(parse_type(p, &first));
    if (type->id == WEIR_ARRAY) {
        type->element = first;
    } else if (type->id == WEIR_MULTISET) {
        type->key = first;
        type->element = weir_type_simple(WEIR_INT, false);
    } else {
        type->key = first;
        WEIR_TRY(take_sign(p, ','));
        WEIR_TRY(parse_type(p, &type->element));
    }
    return take_sign(p, '>');
}

static int unknown_type(const parser *p)
{
    if (p->kind != TOKEN_WORD) {
        return expected(p, "a type");
    }
    const char *names[TYPE_NAME_COUNT];
    for (size_t i = 0; i < TYPE_NAME_COUNT; i++) {
        names[i] = type_names[i].name;
    }
    const char *word = weir_arena_strndup(p->arena, p->start, p->size);
    const char *meant = weir_suggest(word, names, TYPE_NAME_COUNT);
    return weir_fail(p->err, WEIR_INVALID, "type text \"%s\": there is no type \"%.60s\"%s%s%s", p->text, word,
                     meant != NULL ? "; did you mean " : "", meant != NULL ? meant : "", meant != NULL ? "?" : "");
}

static int parse_named_type(parser *p, weir_type **out)
{
    const type_name *name = NULL;
    for (size_t i = 0; i < TYPE_NAME_COUNT && name == NULL; i++) {
        name = at_word(p, type_names[i].name) ? &type_names[i] : NULL;
    }
    if (name == NULL) {
        return unknown_type(p);
    }
    WEIR_TRY(advance(p));
    weir_type *type = weir_type_new(p->arena, name->id, true);
    if (weir_type_is_nested(type) && type->id != WEIR_VARIANT) {
        WEIR_TRY(parse_parts(p, type));
    } else if (type->id == WEIR_DOUBLE && at_word(p, "PRECISION")) {
        WEIR_TRY(advance(p));
    } else {
        WEIR_TRY(parse_parameters(p, name->parameters, type));
        if (type->id == WEIR_TIME || type->id == WEIR_TIMESTAMP || type->id == WEIR_TIMESTAMP_LTZ) {
            WEIR_TRY(parse_zone(p, type));
        }
    }
    *out = type;
    return WEIR_OK;
}

static int parse_nullability(parser *p, weir_type *type)
{
    if (at_word(p, "NOT")) {
        WEIR_TRY(advance(p));
        WEIR_TRY(take_word(p, "NULL"));
        type->nullable = false;
    } else if (at_word(p, "NULL")) {
        WEIR_TRY(advance(p));
    }
    return WEIR_OK;
}

static int parse_type(parser *p, const weir_type **out)
{
    if (++p->depth > WEIR_MAX_TYPE_DEPTH) {
        return weir_fail(p->err, WEIR_INVALID, "types cannot be nested more than %d deep", WEIR_MAX_TYPE_DEPTH);
    }
    weir_type *type = NULL;
    WEIR_TRY(parse_named_type(p, &type));
    WEIR_TRY(parse_nullability(p, type));
    int around = 0;
    while (at_word(p, "ARRAY") || at_word(p, "MULTISET")) {
        if (p->depth + ++around > WEIR_MAX_TYPE_DEPTH) {
            return weir_fail(p->err, WEIR_INVALID, "types cannot be nested more than %d deep", WEIR_MAX_TYPE_DEPTH);
        }
        bool array = at_word(p, "ARRAY");
        weir_type *outer = weir_type_new(p->arena, array ? WEIR_ARRAY : WEIR_MULTISET, true);
        outer->key = array ? NULL : type;
        outer->element = array ? type : weir_type_simple(WEIR_INT, false);
        type = outer;
        WEIR_TRY(advance(p));
        WEIR_TRY(parse_nullability(p, type));
    }
    p->depth--;
    *out = type;
    return WEIR_OK;
}

int weir_type_parse(const char *text, weir_arena *arena, const weir_type **out, weir_error *err)
{
    parser p = {.text = text, .next = text, .arena = arena, .err = err};
    const weir_type *type = NULL;
    if (!weir_utf8_valid(weir_slice_text(text))) { /* names and comments go into JSON */
        return weir_fail(err, WEIR_INVALID, "the text of a type is not UTF-8");
    }
    WEIR_TRY(advance(&p));
    WEIR_TRY(parse_type(&p, &type));
    if (p.kind != TOKEN_END) {
        return expected(&p, "the end");
    }
    *out = type;
    return WEIR_OK;
}
