/* Texts taken apart into arrays and maps: SPLIT, STR_TO_MAP, REGEXP_EXTRACT_ALL. */
#include "sql/function/code_points.h"
#include "sql/function/kernels.h"
#include "sql/function/nested_rows.h"
#include "sql/function/pattern.h"

static weir_slice text_of(const weir_nested_rows *rows, int32_t argument, int64_t row)
{
    weir_slice text = weir_vector_bytes(&rows->arguments[argument], row);
    return text.size == 0 ? weir_slice_of("", 0) : text;
}

static int append_text(weir_vector *texts, weir_slice text, weir_error *err)
{
    return weir_vector_append_raw(texts, text.size == 0 ? (const void *)"" : text.data, text.size, err);
}

/* --- SPLIT ----------------------------------------------------------------------------------------------------- */

/* By a delimiter that is taken literally; an empty one parts all characters. An empty text has no parts. */
static int split(weir_nested_rows *rows, int64_t row, weir_error *err)
{
    weir_slice text = text_of(rows, 0, row);
    weir_slice delimiter = text_of(rows, 1, row);
    weir_vector *parts = &rows->out->children[0];
    bool more = text.size > 0;
    while (more) {
        const uint8_t *found = NULL;
        if (delimiter.size > 0) {
            found = memmem(text.data, text.size, delimiter.data, delimiter.size);
        } else if (weir_width_at(text, 0) < text.size) {
            found = text.data + weir_width_at(text, 0);
        }
        size_t size = found == NULL ? text.size : (size_t)(found - text.data);
        WEIR_TRY(append_text(parts, weir_slice_of(text.data, size), err));
        more = found != NULL;
        if (more) {
            text = weir_slice_of(found + delimiter.size, text.size - size - delimiter.size);
        }
    }
    return weir_vector_append_list(rows->out, err);
}

WEIR_DEFINE_NESTED(run_split, 0, split)

const weir_kernel weir_kernel_split = {.name = "split", .nested = run_split};

/* --- STR_TO_MAP ------------------------------------------------------------------------------------------------ */

/* Delimiters are regular expressions, as of Java's String.split; one of a plain character needs none. */
typedef struct delimiter {
    weir_buffer text;
    weir_pattern *pattern; /* NULL: the text itself */
    bool known;
} delimiter;

static int take_delimiter(delimiter *by, weir_slice text, weir_error *err)
{
    if (by->known && weir_slice_equal(weir_buffer_slice(&by->text), text)) {
        return WEIR_OK;
    }
    weir_pattern_free(by->pattern);
    by->pattern = NULL;
    by->known = false;
    weir_buffer_clear(&by->text);
    weir_buffer_append(&by->text, text.data, text.size);
    bool plain = text.size == 1 && memchr(".$|()[{^?*+\\", text.data[0], 12) == NULL;
    if (!plain) {
        WEIR_TRY(weir_pattern_compile(text, false, &by->pattern, err));
        if (by->pattern == NULL) {
            return weir_fail(err, WEIR_INVALID,
                             "STR_TO_MAP takes regular expressions as delimiters, and '%.*s' is none",
                             (int)weir_utf8_prefix(text, 60), (const char *)text.data);
        }
    }
    by->known = true;
    return WEIR_OK;
}

/* The next delimiter at `from` or behind it. An empty match at the beginning of the text parts nothing. */
static int find_delimiter(delimiter *by, weir_slice text, size_t from, weir_slice *out, bool *found, weir_error *err)
{
    if (by->pattern == NULL) {
        const uint8_t *at =
            from >= text.size ? NULL : memmem(text.data + from, text.size - from, by->text.data, by->text.size);
        *found = at != NULL;
        *out = weir_slice_of(at, by->text.size);
        return WEIR_OK;
    }
    for (;;) {
        *found = false;
        if (from > text.size) {
            return WEIR_OK;
        }
        WEIR_TRY(weir_pattern_find(by->pattern, text, from, found, err));
        if (!*found) {
            return WEIR_OK;
        }
        *out = weir_pattern_group(by->pattern, 0);
        if (out->size > 0 || out->data > text.data) {
            return WEIR_OK;
        }
        from = weir_pattern_next(by->pattern);
    }
}

typedef struct map_maker {
    weir_nested_rows *rows;
    delimiter pairs, values;
    weir_vector keys; /* of one row, with their values */
    weir_vector texts;
} map_maker;

/* A pair without a delimiter is a key alone, its value NULL. */
static int add_pair(map_maker *maker, weir_slice pair, weir_error *err)
{
    weir_slice by;
    bool found;
    WEIR_TRY(find_delimiter(&maker->values, pair, 0, &by, &found, err));
    if (!found) {
        WEIR_TRY(append_text(&maker->keys, pair, err));
        return weir_vector_append_nulls(&maker->texts, 1, err);
    }
    size_t before = (size_t)(by.data - pair.data);
    WEIR_TRY(append_text(&maker->keys, weir_slice_of(pair.data, before), err));
    return append_text(&maker->texts, weir_slice_of(by.data + by.size, pair.size - before - by.size), err);
}

static int add_pairs(map_maker *maker, weir_slice text, weir_error *err)
{
    size_t begin = 0;
    size_t from = 0;
    while (begin <= text.size) {
        weir_slice by;
        bool found;
        WEIR_TRY(find_delimiter(&maker->pairs, text, from, &by, &found, err));
        size_t end = found ? (size_t)(by.data - text.data) : text.size;
        bool last = !found || (by.size == 0 && end == text.size);
        end = last ? text.size : end;
        WEIR_TRY(add_pair(maker, weir_slice_of(text.data + begin, end - begin), err));
        if (last) {
            break;
        }
        begin = end + by.size;
        from = by.size > 0 ? begin : begin + weir_width_at(text, begin);
    }
    return WEIR_OK;
}

/* Empty parts at the end are none, as in Java. */
static int64_t count_pairs(const map_maker *maker)
{
    int64_t count = maker->keys.length;
    while (count > 0 && weir_vector_is_null(&maker->texts, count - 1) &&
           weir_vector_bytes(&maker->keys, count - 1).size == 0) {
        count--;
    }
    return count;
}

static int append_map(map_maker *maker, int64_t row, weir_error *err)
{
    weir_nested_rows *rows = maker->rows;
    weir_vector *out = rows->out;
    bool given = rows->call->argument_count > 2;
    WEIR_TRY(take_delimiter(&maker->pairs, given ? text_of(rows, 1, row) : weir_slice_text(","), err));
    WEIR_TRY(take_delimiter(&maker->values, given ? text_of(rows, 2, row) : weir_slice_text("="), err));
    weir_vector_clear(&maker->keys);
    weir_vector_clear(&maker->texts);
    weir_value_set_clear(&rows->set);
    weir_slice text = text_of(rows, 0, row);
    if (text.size > 0) {
        WEIR_TRY(add_pairs(maker, text, err));
    }
    int64_t count = count_pairs(maker);
    weir_buffer_clear(&rows->text); /* for each key the pair that gives its value */
    for (int64_t i = 0; i < count; i++) {
        size_t index = weir_value_set_add(&rows->set, &maker->keys, i);
        if ((index + 1) * sizeof i > rows->text.size) {
            weir_buffer_append(&rows->text, &i, sizeof i);
        }
        memcpy(rows->text.data + index * sizeof i, &i, sizeof i);
    }
    for (size_t i = 0; i < rows->set.count; i++) {
        int64_t pair;
        memcpy(&pair, rows->text.data + i * sizeof pair, sizeof pair);
        WEIR_TRY(weir_vector_append_range(&out->children[0], &maker->keys, rows->set.entries[i].row, 1, err));
        WEIR_TRY(weir_vector_append_range(&out->children[1], &maker->texts, pair, 1, err));
    }
    return weir_vector_append_list(out, err);
}

static int str_to_map(const weir_kernel_call *call, const weir_vector *arguments, weir_vector *out, weir_error *err)
{
    weir_nested_rows rows = {.call = call, .arguments = arguments, .out = out};
    map_maker maker = {.rows = &rows};
    weir_vector_init(&maker.keys, weir_type_simple(WEIR_VARCHAR, true));
    weir_vector_init(&maker.texts, weir_type_simple(WEIR_VARCHAR, true));
    int code = WEIR_OK;
    for (int64_t row = 0; row < call->length && code == WEIR_OK; row++) {
        bool null = false;
        for (int32_t i = 0; i < call->argument_count; i++) {
            null = null || weir_vector_is_null(&arguments[i], row);
        }
        code = null ? weir_vector_append_nulls(out, 1, err) : append_map(&maker, row, err);
    }
    weir_pattern_free(maker.pairs.pattern);
    weir_pattern_free(maker.values.pattern);
    weir_buffer_free(&maker.pairs.text);
    weir_buffer_free(&maker.values.text);
    weir_vector_free(&maker.keys);
    weir_vector_free(&maker.texts);
    weir_value_set_free(&rows.set);
    weir_buffer_free(&rows.text);
    return code;
}

const weir_kernel weir_kernel_str_to_map = {.name = "str_to_map", .nested = str_to_map};

/* --- REGEXP_EXTRACT_ALL ---------------------------------------------------------------------------------------- */

static int append_matches(weir_pattern *pattern, weir_slice text, int32_t group, weir_vector *out, weir_error *err)
{
    for (size_t from = 0; from <= text.size;) {
        bool found;
        WEIR_TRY(weir_pattern_find(pattern, text, from, &found, err));
        if (!found) {
            break;
        }
        weir_slice part = weir_pattern_group(pattern, group);
        WEIR_TRY(part.data == NULL ? weir_vector_append_nulls(&out->children[0], 1, err)
                                   : append_text(&out->children[0], part, err));
        from = weir_pattern_next(pattern);
    }
    return weir_vector_append_list(out, err);
}

/* REGEXP_EXTRACT_ALL(text, pattern[, group]): the first group by default; a group that the pattern lacks makes NULL. */
static int extract_all(weir_nested_rows *rows, int64_t row, weir_error *err)
{
    int64_t group = rows->call->argument_count > 2 ? weir_nested_integer(&rows->arguments[2], row) : 1;
    weir_slice text = text_of(rows, 1, row);
    if (rows->state == NULL || !weir_slice_equal(weir_buffer_slice(&rows->text), text)) {
        weir_pattern_free(rows->state);
        rows->state = NULL;
        weir_pattern *pattern;
        WEIR_TRY(weir_pattern_compile(text, false, &pattern, err));
        rows->state = pattern;
        weir_buffer_clear(&rows->text);
        weir_buffer_append(&rows->text, text.data, text.size);
    }
    weir_pattern *pattern = rows->state;
    bool known = pattern != NULL && group >= 0 && group <= weir_pattern_groups(pattern);
    return known ? append_matches(pattern, text_of(rows, 0, row), (int32_t)group, rows->out, err)
                 : weir_vector_append_nulls(rows->out, 1, err);
}

static void free_pattern(weir_nested_rows *rows) { weir_pattern_free(rows->state); }

static int run_extract_all(const weir_kernel_call *call, const weir_vector *arguments, weir_vector *out,
                           weir_error *err)
{
    return weir_nested_run_with(call, arguments, out, 0, extract_all, free_pattern, err);
}

const weir_kernel weir_kernel_regexp_extract_all = {.name = "regexp_extract_all", .nested = run_extract_all};
