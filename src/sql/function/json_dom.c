/* Reading JSON into trees, and writing them. */
#include "sql/function/json_dom.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/text.h"
#include "sql/function/code_points.h"

enum { deepest = 1000, few_members = 8 };

typedef struct reader {
    const uint8_t *at;
    const uint8_t *end;
    weir_arena *arena;
    weir_buffer text; /* of the string being read */
    int depth;
} reader;

static weir_dom_node *new_node(reader *r, weir_dom_kind kind)
{
    weir_dom_node *node = WEIR_NEW(r->arena, weir_dom_node);
    node->kind = kind;
    return node;
}

void weir_dom_add(weir_dom_node *parent, weir_dom_node **last, weir_dom_node *child)
{
    if (*last == NULL) {
        parent->first = child;
    } else {
        (*last)->next = child;
    }
    *last = child;
    parent->count++;
}

static void skip_blanks(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r')) {
        r->at++;
    }
}

static bool accept(reader *r, uint8_t byte)
{
    skip_blanks(r);
    if (r->at < r->end && *r->at == byte) {
        r->at++;
        return true;
    }
    return false;
}

/* --- Strings --------------------------------------------------------------------------------------------------- */

static bool read_hex4(reader *r, uint32_t *out)
{
    if (r->end - r->at < 4) {
        return false;
    }
    uint32_t code = 0;
    for (int i = 0; i < 4; i++) {
        uint8_t c = r->at[i];
        uint8_t lower = c | 0x20;
        if (c >= '0' && c <= '9') {
            code = code * 16 + (c - (uint32_t)'0');
        } else if (lower >= 'a' && lower <= 'f') {
            code = code * 16 + (lower - (uint32_t)'a') + 10;
        } else {
            return false;
        }
    }
    r->at += 4;
    *out = code;
    return true;
}

/* After \u. Halves of a surrogate pair that stand alone become '?', as when Java encodes them. */
static bool read_code_point(reader *r)
{
    uint32_t code;
    if (!read_hex4(r, &code)) {
        return false;
    }
    bool high = code >= 0xD800 && code < 0xDC00;
    if (high && r->end - r->at >= 6 && r->at[0] == '\\' && r->at[1] == 'u') {
        const uint8_t *before = r->at;
        uint32_t low;
        r->at += 2;
        if (!read_hex4(r, &low)) {
            return false;
        }
        if (low >= 0xDC00 && low < 0xE000) {
            weir_append_code_point(&r->text, 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00));
            return true;
        }
        r->at = before;
    }
    weir_append_code_point(&r->text, code >= 0xD800 && code < 0xE000 ? '?' : code);
    return true;
}

static bool read_escape(reader *r)
{
    static const char escapes[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
    if (r->at == r->end) {
        return false;
    }
    uint8_t c = *r->at++;
    if (c == 'u') {
        return read_code_point(r);
    }
    for (size_t i = 0; i + 1 < sizeof escapes; i += 2) {
        if (c == (uint8_t)escapes[i]) {
            weir_buffer_append_byte(&r->text, (uint8_t)escapes[i + 1]);
            return true;
        }
    }
    return false;
}

static bool read_string(reader *r, weir_slice *out)
{
    weir_buffer_clear(&r->text);
    for (;;) {
        const uint8_t *begin = r->at;
        while (r->at < r->end && *r->at != '"' && *r->at != '\\' && *r->at >= 0x20) {
            r->at++;
        }
        weir_buffer_append(&r->text, begin, (size_t)(r->at - begin));
        if (r->at == r->end || *r->at < 0x20) {
            return false;
        }
        if (*r->at++ == '"') {
            break;
        }
        if (!read_escape(r)) {
            return false;
        }
    }
    const char *copy = weir_arena_strndup(r->arena, r->text.size == 0 ? "" : (const char *)r->text.data, r->text.size);
    *out = weir_slice_of(copy, r->text.size);
    return true;
}

/* --- Scalars --------------------------------------------------------------------------------------------------- */

static size_t skip_digits(reader *r)
{
    const uint8_t *begin = r->at;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9') {
        r->at++;
    }
    return (size_t)(r->at - begin);
}

/* A number or word must end before something that can't go on with it. */
static bool at_end_of_word(const reader *r)
{
    if (r->at == r->end) {
        return true;
    }
    uint8_t c = *r->at;
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',' || c == ']' || c == '}' || c == ':';
}

static bool read_number(reader *r, weir_dom_node **out)
{
    const uint8_t *begin = r->at;
    bool real = false;
    if (*r->at == '-') {
        r->at++;
    }
    const uint8_t *digits = r->at;
    size_t whole = skip_digits(r);
    if (whole == 0 || (whole > 1 && *digits == '0')) {
        return false;
    }
    if (r->at < r->end && *r->at == '.') {
        real = true;
        r->at++;
        if (skip_digits(r) == 0) {
            return false;
        }
    }
    if (r->at < r->end && (*r->at | 0x20) == 'e') {
        real = true;
        r->at++;
        if (r->at < r->end && (*r->at == '-' || *r->at == '+')) {
            r->at++;
        }
        if (skip_digits(r) == 0) {
            return false;
        }
    }
    weir_dom_node *node = new_node(r, real ? WEIR_DOM_REAL : WEIR_DOM_INTEGER);
    size_t size = (size_t)(r->at - begin);
    node->text = weir_slice_of(begin, size);
    if (!real && size == 2 && begin[0] == '-' && begin[1] == '0') {
        node->text = weir_slice_of(begin + 1, 1); /* a whole number has no negative zero */
    }
    *out = node;
    return at_end_of_word(r);
}

static bool read_word(reader *r, const char *word, weir_dom_kind kind, bool boolean, weir_dom_node **out)
{
    size_t size = strlen(word);
    if ((size_t)(r->end - r->at) < size || memcmp(r->at, word, size) != 0) {
        return false;
    }
    r->at += size;
    *out = new_node(r, kind);
    (*out)->boolean = boolean;
    return at_end_of_word(r);
}

/* --- Arrays and objects ---------------------------------------------------------------------------------------- */

static bool read_value(reader *r, weir_dom_node **out);

static bool read_array(reader *r, weir_dom_node **out)
{
    weir_dom_node *array = new_node(r, WEIR_DOM_ARRAY);
    weir_dom_node *last = NULL;
    *out = array;
    if (accept(r, ']')) {
        return true;
    }
    do {
        weir_dom_node *element;
        if (!read_value(r, &element)) {
            return false;
        }
        weir_dom_add(array, &last, element);
    } while (accept(r, ','));
    return accept(r, ']');
}

/* Takes over a repeated member's value, the first one's place staying. */
static void replace_value(weir_dom_node *member, const weir_dom_node *later)
{
    weir_dom_node *next = member->next;
    weir_slice name = member->name;
    *member = *later;
    member->next = next;
    member->name = name;
}

static weir_dom_node *find_member(const weir_dom_node *object, weir_map *members, weir_slice name)
{
    if (object->count > few_members) {
        return weir_map_get(members, name);
    }
    for (weir_dom_node *member = object->first; member != NULL; member = member->next) {
        if (weir_slice_equal(member->name, name)) {
            return member;
        }
    }
    return NULL;
}

/* Objects of more than a few members are looked up by a map while they are read. */
static void index_members(const weir_dom_node *object, weir_map *members, weir_dom_node *added)
{
    if (object->count == few_members + 1) {
        for (weir_dom_node *member = object->first; member != NULL; member = member->next) {
            weir_map_put(members, member->name, member);
        }
    } else if (object->count > few_members) {
        weir_map_put(members, added->name, added);
    }
}

static bool read_members(reader *r, weir_dom_node *object, weir_map *members)
{
    weir_dom_node *last = NULL;
    do {
        weir_slice name;
        weir_dom_node *value;
        if (!accept(r, '"') || !read_string(r, &name) || !accept(r, ':') || !read_value(r, &value)) {
            return false;
        }
        weir_dom_node *earlier = find_member(object, members, name);
        if (earlier != NULL) {
            replace_value(earlier, value);
            continue;
        }
        value->name = name;
        weir_dom_add(object, &last, value);
        index_members(object, members, value);
    } while (accept(r, ','));
    return accept(r, '}');
}

static bool read_object(reader *r, weir_dom_node **out)
{
    *out = new_node(r, WEIR_DOM_OBJECT);
    if (accept(r, '}')) {
        return true;
    }
    weir_map members = {0};
    bool read = read_members(r, *out, &members);
    weir_map_free(&members);
    return read;
}

static bool read_value(reader *r, weir_dom_node **out)
{
    skip_blanks(r);
    if (r->at == r->end) {
        return false;
    }
    switch (*r->at) {
    case '{':
    case '[': {
        bool object = *r->at++ == '{';
        if (++r->depth > deepest) {
            return false;
        }
        bool read = object ? read_object(r, out) : read_array(r, out);
        r->depth--;
        return read;
    }
    case '"':
        r->at++;
        *out = new_node(r, WEIR_DOM_STRING);
        return read_string(r, &(*out)->text);
    case 't':
        return read_word(r, "true", WEIR_DOM_BOOLEAN, true, out);
    case 'f':
        return read_word(r, "false", WEIR_DOM_BOOLEAN, false, out);
    case 'n':
        return read_word(r, "null", WEIR_DOM_NULL, false, out);
    default:
        return read_number(r, out);
    }
}

bool weir_dom_parse(weir_slice text, weir_arena *arena, weir_dom_node **out)
{
    reader r = {.at = text.data, .end = text.data + text.size, .arena = arena};
    bool read = text.size > 0 && read_value(&r, out);
    weir_buffer_free(&r.text);
    return read;
}

/* --- Writing --------------------------------------------------------------------------------------------------- */

double weir_dom_double(const weir_dom_node *number)
{
    char small[64];
    if (number->text.size < sizeof small) {
        memcpy(small, number->text.data, number->text.size);
        small[number->text.size] = '\0';
        return strtod(small, NULL);
    }
    weir_buffer copy = {0};
    weir_buffer_append(&copy, number->text.data, number->text.size);
    double value = strtod(weir_buffer_text(&copy), NULL);
    weir_buffer_free(&copy);
    return value;
}

void weir_dom_write_text(weir_slice text, weir_buffer *out)
{
    static const char escapes[] = "\"\"\\\\b\bf\fn\nr\rt\t";
    weir_buffer_append_byte(out, '"');
    size_t plain = 0; /* where what needs no escape began */
    for (size_t i = 0; i < text.size; i++) {
        uint8_t c = text.data[i];
        if (c >= 0x20 && c != '"' && c != '\\') {
            continue;
        }
        weir_buffer_append(out, text.data + plain, i - plain);
        plain = i + 1;
        char letter = 0;
        for (size_t j = 0; j + 1 < sizeof escapes && letter == 0; j += 2) {
            letter = c == (uint8_t)escapes[j + 1] ? escapes[j] : 0;
        }
        if (letter != 0) {
            weir_buffer_append_byte(out, '\\');
            weir_buffer_append_byte(out, (uint8_t)letter);
        } else {
            weir_buffer_append_format(out, "\\u%04X", c);
        }
    }
    weir_buffer_append(out, text.data + plain, text.size - plain);
    weir_buffer_append_byte(out, '"');
}

void weir_dom_write_plain(const weir_dom_node *scalar, weir_buffer *out)
{
    switch (scalar->kind) {
    case WEIR_DOM_NULL:
        weir_buffer_append_text(out, "null");
        break;
    case WEIR_DOM_BOOLEAN:
        weir_buffer_append_text(out, scalar->boolean ? "true" : "false");
        break;
    case WEIR_DOM_REAL:
        weir_format_double(weir_dom_double(scalar), out);
        break;
    default:
        weir_buffer_append(out, scalar->text.data, scalar->text.size);
        break;
    }
}

void weir_dom_write(const weir_dom_node *node, weir_buffer *out)
{
    if (node->kind == WEIR_DOM_STRING) {
        weir_dom_write_text(node->text, out);
        return;
    }
    if (weir_dom_is_scalar(node)) {
        weir_dom_write_plain(node, out);
        return;
    }
    bool object = node->kind == WEIR_DOM_OBJECT;
    weir_buffer_append_byte(out, object ? '{' : '[');
    for (const weir_dom_node *child = node->first; child != NULL; child = child->next) {
        if (child != node->first) {
            weir_buffer_append_byte(out, ',');
        }
        if (object) {
            weir_dom_write_text(child->name, out);
            weir_buffer_append_byte(out, ':');
        }
        weir_dom_write(child, out);
    }
    weir_buffer_append_byte(out, object ? '}' : ']');
}
