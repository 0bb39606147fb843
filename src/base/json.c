/* JSON documents: reading members with errors that name them, and writing as Jackson's pretty printer does.
 *
 * Parsing is jansson's. Writing is ours, because metadata files should not differ by a byte from those of the Java
 * writers beside us. */
#include "base/json.h"

#include "base/text.h"

int weir_json_parse(weir_slice text, const char *path, json_t **out, weir_error *err)
{
    json_error_t problem;
    if (text.size == 0) {
        return weir_fail(err, WEIR_CORRUPT, "%s: the file is empty", path);
    }
    json_t *document = json_loadb((const char *)text.data, text.size, JSON_DECODE_ANY, &problem);
    if (!document) {
        return weir_fail(err, WEIR_CORRUPT, "%s: not valid JSON at line %d, column %d: %s", path, problem.line,
                         problem.column, problem.text);
    }
    *out = document;
    return WEIR_OK;
}

/* --- reading members ------------------------------------------------------------------------------------------ */

static const char *type_name(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
        return "a whole number";
    case JSON_REAL:
        return "a number with a fraction";
    case JSON_TRUE:
    case JSON_FALSE:
        return "a boolean";
    default:
        return "null";
    }
}

/* The member, or NULL when it is absent or null and not required. */
static int get_member(const json_t *object, const char *name, bool required, const char *path, json_t **out,
                      weir_error *err)
{
    if (!json_is_object(object)) {
        return weir_fail(err, WEIR_CORRUPT, "%s: an object with a member \"%s\" was expected", path, name);
    }
    json_t *member = json_object_get(object, name);
    if (json_is_null(member)) {
        member = NULL;
    }
    if (!member && required) {
        return weir_fail(err, WEIR_CORRUPT, "%s: the member \"%s\" is missing", path, name);
    }
    *out = member;
    return WEIR_OK;
}

static int wrong_type(const json_t *member, const char *name, const char *expected, const char *path, weir_error *err)
{
    return weir_fail(err, WEIR_CORRUPT, "%s: the member \"%s\" should be %s but is %s", path, name, expected,
                     type_name(member));
}

int weir_json_get_string(const json_t *object, const char *name, bool required, const char *path, const char **out,
                         weir_error *err)
{
    json_t *member = NULL;
    WEIR_TRY(get_member(object, name, required, path, &member, err));
    if (!member) {
        return WEIR_OK;
    }
    if (!json_is_string(member)) {
        return wrong_type(member, name, "a string", path, err);
    }
    *out = json_string_value(member);
    return WEIR_OK;
}

int weir_json_get_int64(const json_t *object, const char *name, bool required, const char *path, int64_t *out,
                        weir_error *err)
{
    json_t *member = NULL;
    WEIR_TRY(get_member(object, name, required, path, &member, err));
    if (!member) {
        return WEIR_OK;
    }
    if (!json_is_integer(member)) {
        return wrong_type(member, name, "a whole number", path, err);
    }
    *out = json_integer_value(member);
    return WEIR_OK;
}

int weir_json_get_array(const json_t *object, const char *name, bool required, const char *path, json_t **out,
                        weir_error *err)
{
    json_t *member = NULL;
    WEIR_TRY(get_member(object, name, required, path, &member, err));
    if (!member) {
        return WEIR_OK;
    }
    if (!json_is_array(member)) {
        return wrong_type(member, name, "an array", path, err);
    }
    *out = member;
    return WEIR_OK;
}

int weir_json_get_object(const json_t *object, const char *name, bool required, const char *path, json_t **out,
                         weir_error *err)
{
    json_t *member = NULL;
    WEIR_TRY(get_member(object, name, required, path, &member, err));
    if (!member) {
        return WEIR_OK;
    }
    if (!json_is_object(member)) {
        return wrong_type(member, name, "an object", path, err);
    }
    *out = member;
    return WEIR_OK;
}

/* --- writing -------------------------------------------------------------------------------------------------- */

static void write_escape(uint8_t byte, weir_buffer *out)
{
    static const char short_escapes[32] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};
    char letter = byte < 32 ? short_escapes[byte] : (char)byte;
    if (letter) {
        weir_buffer_append_byte(out, '\\');
        weir_buffer_append_byte(out, (uint8_t)letter);
    } else {
        weir_buffer_append_format(out, "\\u%04X", byte);
    }
}

void weir_json_write_string(weir_slice text, weir_buffer *out)
{
    weir_buffer_append_byte(out, '"');
    size_t plain = 0; /* where the run of bytes that need no escape began */
    for (size_t i = 0; i < text.size; i++) {
        uint8_t byte = text.data[i];
        if (byte < 32 || byte == '"' || byte == '\\') {
            weir_buffer_append(out, text.data + plain, i - plain);
            write_escape(byte, out);
            plain = i + 1;
        }
    }
    if (plain < text.size) {
        weir_buffer_append(out, text.data + plain, text.size - plain);
    }
    weir_buffer_append_byte(out, '"');
}

static void write_value(const json_t *value, int depth, weir_buffer *out);

static void write_new_line(int depth, weir_buffer *out)
{
    weir_buffer_append_byte(out, '\n');
    for (int i = 0; i < depth; i++) {
        weir_buffer_append_text(out, "  ");
    }
}

static void write_object(const json_t *object, int depth, weir_buffer *out)
{
    if (json_object_size(object) == 0) {
        weir_buffer_append_text(out, "{ }");
        return;
    }
    const char *separator = "{";
    const char *name;
    json_t *member;
    json_object_foreach((json_t *)object, name, member)
    {
        weir_buffer_append_text(out, separator);
        write_new_line(depth + 1, out);
        weir_json_write_string(weir_slice_text(name), out);
        weir_buffer_append_text(out, " : ");
        write_value(member, depth + 1, out);
        separator = ",";
    }
    write_new_line(depth, out);
    weir_buffer_append_byte(out, '}');
}

/* Jackson keeps arrays on one line and does not count them as a level of indentation. */
static void write_array(const json_t *array, int depth, weir_buffer *out)
{
    size_t count = json_array_size(array);
    weir_buffer_append_byte(out, '[');
    for (size_t i = 0; i < count; i++) {
        weir_buffer_append_text(out, i == 0 ? " " : ", ");
        write_value(json_array_get(array, i), depth, out);
    }
    weir_buffer_append_text(out, " ]");
}

static void write_value(const json_t *value, int depth, weir_buffer *out)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        write_object(value, depth, out);
        break;
    case JSON_ARRAY:
        write_array(value, depth, out);
        break;
    case JSON_STRING:
        weir_json_write_string(weir_slice_of(json_string_value(value), json_string_length(value)), out);
        break;
    case JSON_INTEGER:
        weir_buffer_append_format(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        break;
    case JSON_REAL:
        weir_format_double(json_real_value(value), out);
        break;
    case JSON_TRUE:
        weir_buffer_append_text(out, "true");
        break;
    case JSON_FALSE:
        weir_buffer_append_text(out, "false");
        break;
    default:
        weir_buffer_append_text(out, "null");
        break;
    }
}

void weir_json_write_pretty(const json_t *document, weir_buffer *out) { write_value(document, 0, out); }
