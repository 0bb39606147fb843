/* Fuzzes the readers of type texts and of values as text: the first line is a type, the second a value of it. A type
 * must stay the same through its text and its JSON, a value through its text. */
#include <stdlib.h>

#include "vector/literal.h"

static void must(bool holds, const char *what, const char *text)
{
    if (!holds) {
        fprintf(stderr, "%s: %s\n", what, text);
        abort();
    }
}

static void through_text(const weir_type *type, weir_arena *arena)
{
    weir_error err = {0};
    const weir_type *again = NULL;
    const char *text = weir_type_text(arena, type);
    must(weir_type_parse(text, arena, &again, &err) == WEIR_OK, err.message, text);
    must(weir_type_equal(type, again, false), "another type came of the text", text);
}

static void through_json(const weir_type *type, weir_arena *arena)
{
    weir_error err = {0};
    const weir_type *again = NULL;
    json_t *json = weir_type_to_json(type);
    const char *text = weir_type_text(arena, type);
    must(weir_type_from_json(json, "fuzz", arena, &again, &err) == WEIR_OK, err.message, text);
    must(weir_type_equal(type, again, false), "another type came of the JSON", text);
    json_decref(json);
}

static void read_value(const weir_type *type, weir_slice text, weir_arena *arena)
{
    weir_literal value = {0};
    weir_buffer printed = {0};
    weir_vector vector;
    weir_error err = {0};
    if (weir_type_is_nested(type) || weir_literal_parse(type, text, arena, &value, NULL) != WEIR_OK) {
        return;
    }
    weir_literal_to_text(type, &value, &printed);
    weir_vector_init(&vector, type);
    must(weir_vector_append_literal(&vector, &value, &err) == WEIR_OK, err.message, weir_buffer_text(&printed));
    weir_value_to_json(&vector, 0, &printed);
    weir_value_to_text(&vector, 0, &printed);
    weir_vector_free(&vector);
    weir_buffer_free(&printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    weir_arena arena;
    const weir_type *type = NULL;
    weir_error err = {0};
    weir_arena_init(&arena);
    const uint8_t *end = size > 0 ? memchr(data, '\n', size) : NULL;
    size_t type_size = end != NULL ? (size_t)(end - data) : size;
    if (weir_type_parse(weir_arena_strndup(&arena, (const char *)data, type_size), &arena, &type, &err) == WEIR_OK) {
        through_text(type, &arena);
        through_json(type, &arena);
        if (end != NULL) {
            read_value(type, weir_slice_of(end + 1, size - type_size - 1), &arena);
        }
    } else {
        must((err.code == WEIR_INVALID || err.code == WEIR_UNSUPPORTED) && err.message[0] != '\0',
             "an error without a reason", err.message);
    }
    weir_arena_free(&arena);
    return 0;
}
