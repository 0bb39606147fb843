/* Reading JSON paths. */
#include "base/text.h"
#include "sql/function/json_step.h"

enum { deepest = 64, most_steps = 1000 };

typedef struct reader {
    const uint8_t *at;
    const uint8_t *end;
    weir_arena *arena;
    const char *unsupported; /* what was met that exists and is not offered */
    int depth;
} reader;

static bool at_byte(const reader *r, uint8_t byte) { return r->at < r->end && *r->at == byte; }

static void skip_blanks(reader *r)
{
    while (at_byte(r, ' ')) {
        r->at++;
    }
}

static bool accept(reader *r, uint8_t byte)
{
    skip_blanks(r);
    if (at_byte(r, byte)) {
        r->at++;
        return true;
    }
    return false;
}

static bool accept_text(reader *r, const char *text)
{
    skip_blanks(r);
    size_t size = strlen(text);
    if ((size_t)(r->end - r->at) < size || memcmp(r->at, text, size) != 0) {
        return false;
    }
    r->at += size;
    return true;
}

static bool refuse(reader *r, const char *what)
{
    r->unsupported = what;
    return false;
}

static weir_json_step *new_step(reader *r, weir_json_step_kind kind)
{
    weir_json_step *step = WEIR_NEW(r->arena, weir_json_step);
    step->kind = kind;
    return step;
}

/* --- Values ---------------------------------------------------------------------------------------------------- */

/* A text in single or double quotes; a backslash takes the next character as it is. */
static bool read_quoted(reader *r, weir_slice *out)
{
    skip_blanks(r);
    uint8_t quote = *r->at++;
    weir_buffer text = {0};
    while (r->at < r->end && *r->at != quote) {
        if (*r->at == '\\' && r->at + 1 < r->end) {
            r->at++;
        }
        weir_buffer_append_byte(&text, *r->at++);
    }
    bool closed = r->at < r->end;
    r->at += closed;
    *out = weir_slice_of(weir_arena_strndup(r->arena, weir_buffer_text(&text), text.size), text.size);
    weir_buffer_free(&text);
    return closed;
}

static bool at_quote(const reader *r) { return at_byte(r, '\'') || at_byte(r, '"'); }

static bool read_integer(reader *r, int64_t *out)
{
    skip_blanks(r);
    const uint8_t *begin = r->at;
    if (at_byte(r, '-')) {
        r->at++;
    }
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9') {
        r->at++;
    }
    return weir_parse_int64(weir_slice_of(begin, (size_t)(r->at - begin)), out) && *out >= INT32_MIN &&
           *out <= INT32_MAX;
}

/* Appends to an array that grows in the arena by doubling. */
static void add_index(reader *r, weir_json_step *step, int64_t index)
{
    if ((step->count & (step->count - 1)) == 0) {
        int64_t *grown = WEIR_NEW_ARRAY(r->arena, int64_t, step->count == 0 ? 1 : step->count * 2);
        if (step->count > 0) {
            memcpy(grown, step->indexes, sizeof *grown * (size_t)step->count);
        }
        step->indexes = grown;
    }
    step->indexes[step->count++] = index;
}

static void add_name(reader *r, weir_json_step *step, weir_slice name)
{
    if ((step->count & (step->count - 1)) == 0) {
        weir_slice *grown = WEIR_NEW_ARRAY(r->arena, weir_slice, step->count == 0 ? 1 : step->count * 2);
        if (step->count > 0) {
            memcpy(grown, step->names, sizeof *grown * (size_t)step->count);
        }
        step->names = grown;
    }
    step->names[step->count++] = name;
}

/* --- Filters --------------------------------------------------------------------------------------------------- */

static bool read_steps(reader *r, weir_json_step **out);

/* A value as JSON has it, or a text in single quotes. */
static bool read_literal(reader *r, weir_dom_node **out)
{
    skip_blanks(r);
    if (at_byte(r, '\'')) {
        *out = WEIR_NEW(r->arena, weir_dom_node);
        (*out)->kind = WEIR_DOM_STRING;
        return read_quoted(r, &(*out)->text);
    }
    const uint8_t *begin = r->at;
    int brackets = 0;
    bool quoted = false;
    for (; r->at < r->end; r->at++) {
        uint8_t c = *r->at;
        quoted = (c == '"' && r->at[-1] != '\\') ? !quoted : quoted;
        brackets += !quoted && (c == '[' || c == '{');
        if (!quoted && brackets == 0 && memchr(" )&|=<>!", c, 8) != NULL) {
            break;
        }
        if (!quoted && (c == ']' || c == '}') && --brackets < 0) {
            break;
        }
    }
    return weir_dom_parse(weir_slice_of(begin, (size_t)(r->at - begin)), r->arena, out);
}

static bool read_operand(reader *r, weir_json_operand *out)
{
    skip_blanks(r);
    if (at_byte(r, '@') || at_byte(r, '$')) {
        out->from_document = *r->at++ == '$';
        return read_steps(r, &out->steps);
    }
    return read_literal(r, &out->value);
}

static bool read_comparison(reader *r, weir_json_comparison *out)
{
    static const struct {
        const char *text;
        weir_json_comparison comparison;
    } signs[] = {{"==", WEIR_PATH_EQUAL},         {"!=", WEIR_PATH_NOT_EQUAL},
                 {"<=", WEIR_PATH_LESS_OR_EQUAL}, {">=", WEIR_PATH_GREATER_OR_EQUAL},
                 {"<", WEIR_PATH_LESS},           {">", WEIR_PATH_GREATER},
                 {"in ", WEIR_PATH_IN},           {"nin ", WEIR_PATH_NOT_IN}};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        if (accept_text(r, signs[i].text)) {
            *out = signs[i].comparison;
            return true;
        }
    }
    skip_blanks(r);
    bool other = r->at < r->end && *r->at != ')' && *r->at != '&' && *r->at != '|';
    return other ? refuse(r, "this operator in a filter of a JSON path") : false;
}

static bool read_or(reader *r, weir_json_test **out);

static bool read_test(reader *r, weir_json_test **out)
{
    weir_json_test *test = WEIR_NEW(r->arena, weir_json_test);
    *out = test;
    if (++r->depth > deepest) {
        return false;
    }
    bool read;
    skip_blanks(r);
    bool negation = at_byte(r, '!');
    if (negation) {
        r->at++;
        test->kind = WEIR_TEST_NOT;
        read = read_test(r, &test->a);
    } else if (accept(r, '(')) {
        read = read_or(r, out) && accept(r, ')');
    } else {
        read = read_operand(r, &test->left);
        if (read && read_comparison(r, &test->comparison)) {
            test->kind = WEIR_TEST_COMPARE;
            read = read_operand(r, &test->right);
        } else {
            test->kind = WEIR_TEST_EXISTS;
            read = read && r->unsupported == NULL && test->left.value == NULL;
        }
    }
    r->depth--;
    return read;
}

static bool read_both(reader *r, weir_json_test_kind kind, const char *sign,
                      bool (*read_side)(reader *, weir_json_test **), weir_json_test **out)
{
    if (!read_side(r, out)) {
        return false;
    }
    for (int count = 0; accept_text(r, sign); count++) {
        weir_json_test *both = WEIR_NEW(r->arena, weir_json_test);
        both->kind = kind;
        both->a = *out;
        if (count > most_steps || !read_side(r, &both->b)) {
            return false;
        }
        *out = both;
    }
    return true;
}

static bool read_and(reader *r, weir_json_test **out) { return read_both(r, WEIR_TEST_AND, "&&", read_test, out); }

static bool read_or(reader *r, weir_json_test **out) { return read_both(r, WEIR_TEST_OR, "||", read_and, out); }

/* --- Steps ----------------------------------------------------------------------------------------------------- */

static bool read_names(reader *r, weir_json_step **out)
{
    *out = new_step(r, WEIR_PATH_NAMES);
    do {
        skip_blanks(r);
        weir_slice name;
        if (!at_quote(r) || !read_quoted(r, &name)) {
            return false;
        }
        add_name(r, *out, name);
    } while (accept(r, ','));
    return accept(r, ']');
}

static bool read_slice(reader *r, weir_json_step *step)
{
    step->kind = WEIR_PATH_SLICE;
    step->has_from = step->count == 1;
    int64_t to = 0;
    skip_blanks(r);
    step->has_to = !at_byte(r, ']');
    if (step->has_to && !read_integer(r, &to)) {
        return false;
    }
    if (!step->has_from) {
        add_index(r, step, 0);
    }
    add_index(r, step, to);
    return accept(r, ']');
}

static bool read_indexes(reader *r, weir_json_step **out)
{
    weir_json_step *step = new_step(r, WEIR_PATH_INDEXES);
    *out = step;
    if (accept(r, ':')) {
        return read_slice(r, step);
    }
    do {
        int64_t index;
        if (!read_integer(r, &index)) {
            return false;
        }
        add_index(r, step, index);
    } while (accept(r, ','));
    return step->count == 1 && accept(r, ':') ? read_slice(r, step) : accept(r, ']');
}

static bool read_bracket(reader *r, weir_json_step **out)
{
    skip_blanks(r);
    if (at_quote(r)) {
        return read_names(r, out);
    }
    if (accept(r, '*')) {
        *out = new_step(r, WEIR_PATH_WILDCARD);
        return accept(r, ']');
    }
    if (accept(r, '?')) {
        *out = new_step(r, WEIR_PATH_FILTER);
        if (!accept(r, '(')) {
            return refuse(r, "[?] in a JSON path");
        }
        return read_or(r, &(*out)->test) && accept(r, ')') && accept(r, ']');
    }
    return read_indexes(r, out);
}

static bool read_function(reader *r, weir_slice name, weir_json_step **out)
{
    static const struct {
        const char *name;
        weir_json_function function;
    } functions[] = {{"length", WEIR_PATH_LENGTH}, {"size", WEIR_PATH_LENGTH}, {"sum", WEIR_PATH_SUM},
                     {"min", WEIR_PATH_MIN},       {"max", WEIR_PATH_MAX},     {"avg", WEIR_PATH_AVG},
                     {"stddev", WEIR_PATH_STDDEV}, {"keys", WEIR_PATH_KEYS},   {"first", WEIR_PATH_FIRST},
                     {"last", WEIR_PATH_LAST}};
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (weir_slice_equal(name, weir_slice_text(functions[i].name))) {
            *out = new_step(r, WEIR_PATH_FUNCTION);
            (*out)->function = functions[i].function;
            return accept(r, ')') ? true : refuse(r, "a function with arguments in a JSON path");
        }
    }
    return refuse(r, "this function in a JSON path");
}

static bool ends_name(const reader *r) { return r->at == r->end || memchr(".[( )&|=<>!,", *r->at, 12) != NULL; }

/* After a dot. */
static bool read_member(reader *r, weir_json_step **out)
{
    if (at_byte(r, '*')) {
        r->at++;
        *out = new_step(r, WEIR_PATH_WILDCARD);
        return true;
    }
    const uint8_t *begin = r->at;
    while (!ends_name(r)) {
        r->at++;
    }
    weir_slice name = weir_slice_of(begin, (size_t)(r->at - begin));
    if (name.size == 0) {
        return false;
    }
    if (at_byte(r, '(')) {
        r->at++;
        return read_function(r, name, out);
    }
    *out = new_step(r, WEIR_PATH_NAMES);
    const char *copy = weir_arena_strndup(r->arena, (const char *)name.data, name.size);
    add_name(r, *out, weir_slice_of(copy, name.size));
    return true;
}

static bool read_steps(reader *r, weir_json_step **out)
{
    weir_json_step **place = out;
    *out = NULL;
    for (int count = 0; r->at < r->end && (*r->at == '.' || *r->at == '['); count++) {
        if (count > most_steps) {
            return false;
        }
        bool bracket = *r->at++ == '[';
        if (!bracket && at_byte(r, '.')) {
            r->at++;
            *place = new_step(r, WEIR_PATH_SCAN);
            place = &(*place)->next;
            bracket = at_byte(r, '[');
            r->at += bracket;
        } else if (!bracket && at_byte(r, '[')) { /* $.[0] is $[0] */
            bracket = true;
            r->at++;
        }
        if (!(bracket ? read_bracket(r, place) : read_member(r, place))) {
            return false;
        }
        bool over = (*place)->kind == WEIR_PATH_FUNCTION;
        place = &(*place)->next;
        if (over) {
            break;
        }
    }
    return true;
}

/* Takes `strict` or `lax` and blanks off the front. */
static void read_mode(reader *r, weir_json_path *path)
{
    static const char *const modes[] = {"strict", "lax"};
    const uint8_t *at = r->at;
    while (at < r->end && (*at == ' ' || (*at >= '\t' && *at <= '\r'))) {
        at++;
    }
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        size_t size = strlen(modes[i]);
        bool blank = (size_t)(r->end - at) > size && (at[size] == ' ' || (at[size] >= '\t' && at[size] <= '\r'));
        if (blank && strncasecmp((const char *)at, modes[i], size) == 0) {
            path->lax = i == 1;
            r->at = at + size;
            skip_blanks(r);
            return;
        }
    }
}

int weir_json_path_parse(weir_slice text, weir_arena *arena, weir_json_path *out, weir_error *err)
{
    const char *copy = weir_arena_strndup(arena, (const char *)text.data, text.size);
    reader r = {.at = (const uint8_t *)copy, .end = (const uint8_t *)copy + text.size, .arena = arena};
    *out = (weir_json_path){.valid = true};
    read_mode(&r, out);
    skip_blanks(&r);
    while (r.end > r.at && r.end[-1] == ' ') {
        r.end--;
    }
    bool rooted = at_byte(&r, '$') || at_byte(&r, '@');
    if (r.at == r.end) {
        out->valid = false;
    } else if (rooted) {
        r.at++;
        out->valid = read_steps(&r, &out->steps);
    } else { /* a is $.a */
        bool bracket = at_byte(&r, '[');
        out->valid = bracket || (read_member(&r, &out->steps) && out->steps != NULL);
        out->valid = out->valid && read_steps(&r, bracket ? &out->steps : &out->steps->next);
    }
    if (r.unsupported != NULL) {
        return weir_fail(err, WEIR_UNSUPPORTED, "%s is not supported: %.*s", r.unsupported, (int)text.size, copy);
    }
    out->valid = out->valid && r.at == r.end;
    out->definite = weir_json_steps_are_definite(out->steps);
    return WEIR_OK;
}
