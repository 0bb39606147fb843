/* JSON_VALUE, JSON_QUERY, JSON_EXISTS and IS JSON.
 *
 * Arguments: the document and the path; then the values of DEFAULT … ON EMPTY and DEFAULT … ON ERROR, where there are
 * such. The option says what happens, a letter each (bind/rule_json.c writes it): on empty, on error, the wrapper, and
 * whether an array is asked for. Making JSON is in kernel_json_make.c. */
#include "base/text.h"
#include "sql/function/json_path.h"
#include "sql/function/kernels.h"

#include <stdlib.h>

/* What the rows of a call share: the path that was read last, and room for documents. */
typedef struct json_state {
    weir_arena path_arena;
    weir_arena arena;
    weir_buffer path_text;
    weir_json_path path;
    bool has_path;
} json_state;

static json_state *state_of(weir_kernel_call *call)
{
    if (call->state == NULL) {
        json_state *state = weir_alloc_zeroed(1, sizeof *state);
        weir_arena_init(&state->path_arena);
        weir_arena_init(&state->arena);
        call->state = state;
    }
    return call->state;
}

static void finish(weir_kernel_call *call)
{
    json_state *state = call->state;
    if (state != NULL) {
        weir_arena_free(&state->path_arena);
        weir_arena_free(&state->arena);
        weir_buffer_free(&state->path_text);
        free(state);
        call->state = NULL;
    }
}

static int take_path(json_state *state, weir_slice text, weir_error *err)
{
    if (state->has_path && weir_slice_equal(weir_buffer_slice(&state->path_text), text)) {
        return WEIR_OK;
    }
    weir_arena_free(&state->path_arena);
    state->has_path = false;
    WEIR_TRY(weir_json_path_parse(text, &state->path_arena, &state->path, err));
    weir_buffer_clear(&state->path_text);
    weir_buffer_append(&state->path_text, text.data, text.size);
    state->has_path = true;
    return WEIR_OK;
}

/* What the path finds in the document: NULL when there is nothing, `*failed` when that is an error. */
static int find(weir_kernel_call *call, int64_t row, weir_dom_node **out, bool *failed, weir_error *err)
{
    json_state *state = state_of(call);
    WEIR_TRY(take_path(state, weir_kernel_text(call, 1, row), err));
    weir_arena_free(&state->arena);
    weir_dom_node *document;
    bool read = weir_dom_parse(weir_kernel_text(call, 0, row), &state->arena, &document);
    *out = NULL;
    if (!read) {
        *failed = !state->path.lax;
    } else {
        *failed = !state->path.valid || !weir_json_path_find(&state->path, document, &state->arena, out);
    }
    if (*out != NULL && (*out)->kind == WEIR_DOM_NULL) {
        *out = NULL;
    }
    return WEIR_OK;
}

static bool lacks_input(const weir_kernel_call *call, int64_t row)
{
    return weir_kernel_is_null(call, 0, row) || weir_kernel_is_null(call, 1, row);
}

static int fail_json(weir_kernel_call *call, int64_t row, const char *function, bool empty, weir_error *err)
{
    weir_slice path = weir_kernel_text(call, 1, row);
    return weir_fail(err, WEIR_INVALID, "%s, path %.*s: %s", function, (int)path.size, (const char *)path.data,
                     empty ? "nothing is there, and it says ERROR ON EMPTY"
                           : "the document or the path does not give a value, and it says ERROR ON ERROR");
}

/* --- JSON_EXISTS ----------------------------------------------------------------------------------------------- */

static int json_exists(weir_kernel_call *call, int64_t row, weir_error *err)
{
    weir_dom_node *found;
    bool failed;
    WEIR_TRY(find(call, row, &found, &failed, err));
    if (!failed) {
        return weir_kernel_put_boolean(call, row, found != NULL);
    }
    switch (call->option[1]) {
    case 'e':
        return fail_json(call, row, "JSON_EXISTS", false, err);
    case 'u':
        return weir_kernel_put_null(call, row);
    default:
        return weir_kernel_put_boolean(call, row, call->option[1] == 't');
    }
}

/* --- JSON_VALUE ------------------------------------------------------------------------------------------------ */

/* The default of ON EMPTY is argument 2, that of ON ERROR the last one. */
static int put_default(weir_kernel_call *call, int64_t row, bool on_empty)
{
    int32_t argument = on_empty ? 2 : call->argument_count - 1;
    if (weir_kernel_is_null(call, argument, row)) {
        return weir_kernel_put_null(call, row);
    }
    switch (call->type->id) {
    case WEIR_BOOLEAN:
        return weir_kernel_put_boolean(call, row, weir_kernel_boolean(call, argument, row));
    case WEIR_INT:
        return weir_kernel_put_integer(call, row, weir_kernel_integer(call, argument, row));
    case WEIR_DOUBLE:
        return weir_kernel_put_double(call, row, weir_kernel_double(call, argument, row));
    default:
        return weir_kernel_put_text(call, row, weir_kernel_text(call, argument, row));
    }
}

/* RETURNING takes values of its own type only: Flink converts none, and fails whatever ON ERROR says. */
static int put_scalar(weir_kernel_call *call, int64_t row, const weir_dom_node *scalar, weir_error *err)
{
    static const char *const kinds[] = {"null", "a boolean", "a whole number", "a number", "a text"};
    int64_t integer = 0;
    switch (call->type->id) {
    case WEIR_BOOLEAN:
        if (scalar->kind == WEIR_DOM_BOOLEAN) {
            return weir_kernel_put_boolean(call, row, scalar->boolean);
        }
        break;
    case WEIR_INT:
        if (scalar->kind == WEIR_DOM_INTEGER && weir_parse_int64(scalar->text, &integer) && integer >= INT32_MIN &&
            integer <= INT32_MAX) {
            return weir_kernel_put_integer(call, row, integer);
        }
        break;
    case WEIR_DOUBLE:
        if (scalar->kind == WEIR_DOM_REAL) {
            return weir_kernel_put_double(call, row, weir_dom_double(scalar));
        }
        break;
    default:
        weir_dom_write_plain(scalar, &call->scratch);
        return weir_kernel_put_scratch(call, row);
    }
    return weir_fail(err, WEIR_INVALID,
                     "JSON_VALUE … RETURNING %s found %s, and values are not converted; take the text and CAST it",
                     call->type->id == WEIR_BOOLEAN ? "BOOLEAN"
                     : call->type->id == WEIR_INT   ? "INTEGER"
                                                    : "DOUBLE",
                     kinds[scalar->kind]);
}

static int json_value(weir_kernel_call *call, int64_t row, weir_error *err)
{
    if (lacks_input(call, row)) {
        return weir_kernel_put_null(call, row);
    }
    weir_dom_node *found;
    bool failed;
    WEIR_TRY(find(call, row, &found, &failed, err));
    bool lax = ((json_state *)call->state)->path.lax;
    bool scalar = found != NULL && weir_dom_is_scalar(found);
    if (!failed && scalar) {
        return put_scalar(call, row, found, err);
    }
    bool empty = !failed && (found == NULL || lax);
    char behaviour = call->option[empty ? 0 : 1];
    if (behaviour == 'e') {
        return fail_json(call, row, "JSON_VALUE", empty, err);
    }
    return behaviour == 'd' ? put_default(call, row, empty) : weir_kernel_put_null(call, row);
}

/* --- JSON_QUERY ------------------------------------------------------------------------------------------------ */

static weir_dom_node *wrap(weir_kernel_call *call, weir_dom_node *found)
{
    char wrapper = call->option[2];
    if (wrapper == 'w' || (wrapper == 'c' && found->kind != WEIR_DOM_ARRAY)) {
        json_state *state = call->state;
        weir_dom_node *array = WEIR_NEW(&state->arena, weir_dom_node);
        weir_dom_node *last = NULL;
        array->kind = WEIR_DOM_ARRAY;
        weir_dom_add(array, &last, found);
        return array;
    }
    return found;
}

/* NULL: nothing is to be given, whether because of an error or of emptiness. */
static int query(weir_kernel_call *call, int64_t row, weir_dom_node **out, char *behaviour, weir_error *err)
{
    weir_dom_node *found;
    bool failed;
    WEIR_TRY(find(call, row, &found, &failed, err));
    bool lax = ((json_state *)call->state)->path.lax;
    found = found == NULL || failed ? NULL : wrap(call, found);
    bool listed = call->option[3] != 'l' || (found != NULL && found->kind == WEIR_DOM_ARRAY);
    *out = NULL;
    if (found != NULL && !weir_dom_is_scalar(found) && listed) {
        *out = found;
        return WEIR_OK;
    }
    bool empty = !failed && (found == NULL || (lax && weir_dom_is_scalar(found)));
    *behaviour = call->option[empty ? 0 : 1];
    return *behaviour == 'e' ? fail_json(call, row, "JSON_QUERY", empty, err) : WEIR_OK;
}

static int json_query(weir_kernel_call *call, int64_t row, weir_error *err)
{
    weir_dom_node *found;
    char behaviour;
    WEIR_TRY(query(call, row, &found, &behaviour, err));
    if (found != NULL) {
        weir_dom_write(found, &call->scratch);
        return weir_kernel_put_scratch(call, row);
    }
    return behaviour == 'a'   ? weir_kernel_put_text(call, row, weir_slice_text("[]"))
           : behaviour == 'o' ? weir_kernel_put_text(call, row, weir_slice_text("{}"))
                              : weir_kernel_put_null(call, row);
}

/* RETURNING ARRAY<STRING>: the elements of what json_query gave; texts as they are, all else as JSON. */
static int json_elements(const weir_dom_node *array, weir_vector *out, weir_buffer *text, weir_error *err)
{
    for (const weir_dom_node *element = array->first; element != NULL; element = element->next) {
        if (element->kind == WEIR_DOM_NULL) {
            WEIR_TRY(weir_vector_append_nulls(&out->children[0], 1, err));
            continue;
        }
        weir_buffer_clear(text);
        if (weir_dom_is_scalar(element)) {
            weir_dom_write_plain(element, text);
        } else {
            weir_dom_write(element, text);
        }
        WEIR_TRY(weir_vector_append_raw(&out->children[0], text->size == 0 ? (const void *)"" : text->data, text->size,
                                        err));
    }
    return weir_vector_append_list(out, err);
}

static int json_texts(const weir_kernel_call *call, const weir_vector *arguments, weir_vector *out, weir_error *err)
{
    int code = WEIR_OK;
    weir_buffer text = {0};
    for (int64_t row = 0; row < call->length && code == WEIR_OK; row++) {
        weir_arena arena;
        weir_arena_init(&arena);
        weir_dom_node *array;
        bool null = weir_vector_is_null(&arguments[0], row) ||
                    !weir_dom_parse(weir_vector_bytes(&arguments[0], row), &arena, &array);
        code = null ? weir_vector_append_nulls(out, 1, err) : json_elements(array, out, &text, err);
        weir_arena_free(&arena);
    }
    weir_buffer_free(&text);
    return code;
}

/* --- IS JSON --------------------------------------------------------------------------------------------------- */

/* NULL is no JSON. */
static int is_json(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    if (weir_kernel_is_null(call, 0, row)) {
        return weir_kernel_put_boolean(call, row, false);
    }
    json_state *state = state_of(call);
    weir_arena_free(&state->arena);
    weir_dom_node *value;
    bool is = weir_dom_parse(weir_kernel_text(call, 0, row), &state->arena, &value);
    switch (call->option[0]) {
    case 'o':
        is = is && value->kind == WEIR_DOM_OBJECT;
        break;
    case 'a':
        is = is && value->kind == WEIR_DOM_ARRAY;
        break;
    case 's':
        is = is && weir_dom_is_scalar(value);
        break;
    default:
        break;
    }
    return weir_kernel_put_boolean(call, row, is);
}

const weir_kernel weir_kernel_json_exists = {.name = "json_exists", .row = json_exists, .finish = finish};
const weir_kernel weir_kernel_json_value = {
    .name = "json_value", .row = json_value, .finish = finish, .sees_nulls = true};
const weir_kernel weir_kernel_json_query = {.name = "json_query", .row = json_query, .finish = finish};
const weir_kernel weir_kernel_json_texts = {.name = "json_texts", .nested = json_texts, .sees_nulls = true};
const weir_kernel weir_kernel_is_json = {.name = "is_json", .row = is_json, .finish = finish, .sees_nulls = true};
