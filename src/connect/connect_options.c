/* Finding connectors and formats, checking what a user sets for them, and reading it. */
#include "connect/connect_options.h"

#include <stdlib.h>

#include "base/text.h"

/* ---- kinds ---- */

static int find_kind(const weir_connect_kind *kinds, size_t count, const char *what, const char *name,
                     const weir_connect_kind **out, weir_error *err)
{
    const char **names = weir_alloc(count * sizeof *names);
    for (size_t i = 0; i < count; i++) {
        names[i] = kinds[i].name;
        if (strcmp(kinds[i].name, name) != 0) {
            continue;
        }
        free(names);
        if (kinds[i].refusal != NULL) {
            return weir_fail(err, WEIR_UNSUPPORTED, "%s '%s' %s", what, name, kinds[i].refusal);
        }
        *out = &kinds[i];
        return WEIR_OK;
    }
    const char *nearest = weir_suggest(name, names, count);
    int code = nearest == NULL
                   ? weir_fail(err, WEIR_INVALID, "there is no %s '%s'", what, name)
                   : weir_fail(err, WEIR_INVALID, "there is no %s '%s'; did you mean '%s'?", what, name, nearest);
    free(names);
    return code;
}

int weir_connector_of(const weir_options *options, const weir_connect_kind **out, weir_error *err)
{
    const char *name = weir_options_get(options, "connector");
    if (name == NULL) {
        return weir_fail(err, WEIR_INVALID,
                         "option 'connector' is missing: it says where the rows are, such as 'connector' = "
                         "'filesystem'");
    }
    return find_kind(weir_connectors, weir_connector_count, "connector", name, out, err);
}

int weir_format_of(const weir_options *options, const weir_connect_kind **out, weir_error *err)
{
    const char *name = weir_options_get(options, "format");
    if (name == NULL) {
        return weir_fail(err, WEIR_INVALID,
                         "option 'format' is missing: it says what is in the files, such as 'format' = 'json'");
    }
    return find_kind(weir_formats, weir_format_count, "format", name, out, err);
}

bool weir_connector_is_kafka(const weir_connect_kind *connector)
{
    return strcmp(connector->name, "kafka") == 0 || strcmp(connector->name, "upsert-kafka") == 0;
}

int weir_format_by_key(const weir_options *options, const char *key, const weir_connect_kind **out, weir_error *err)
{
    const char *name = weir_options_get(options, key);
    if (name == NULL) {
        return weir_fail(err, WEIR_INVALID, "option '%s' is missing: it names a format, such as '%s' = 'json'", key,
                         key);
    }
    return find_kind(weir_formats, weir_format_count, "format", name, out, err);
}

/* ---- options ---- */

/* Whether `key` is `pattern`, whose one '*' stands for any text. */
static bool matches(const char *pattern, const char *key)
{
    const char *star = strchr(pattern, '*');
    if (star == NULL) {
        return strcmp(pattern, key) == 0;
    }
    size_t before = (size_t)(star - pattern);
    size_t after = strlen(star + 1);
    size_t size = strlen(key);
    return size > before + after && strncmp(pattern, key, before) == 0 && strcmp(key + size - after, star + 1) == 0;
}

static const weir_option *find_option(const weir_connect_kind *kind, const char *key)
{
    for (size_t i = 0; i < kind->option_count; i++) {
        if (matches(kind->options[i].key, key)) {
            return &kind->options[i];
        }
    }
    return NULL;
}

/* What follows the prefix, the name of the format and a point in `key`; NULL: something else stands there. */
static const char *after_prefix(const weir_connect_kind *format, const char *prefix, const char *key)
{
    size_t before = strlen(prefix);
    size_t size = strlen(format->name);
    return strncmp(key, prefix, before) == 0 && strncmp(key + before, format->name, size) == 0 &&
                   key[before + size] == '.'
               ? key + before + size + 1
               : NULL;
}

/* A format whose options have this key, which the table does not use there; or NULL. */
static const weir_connect_kind *other_format(const weir_connect_format *formats, size_t format_count, const char *key)
{
    for (size_t k = 0; k < format_count; k++) {
        for (size_t i = 0; i < weir_format_count; i++) {
            if (after_prefix(&weir_formats[i], formats[k].prefix, key) != NULL) {
                return &weir_formats[i];
            }
        }
    }
    for (size_t i = 0; format_count == 0 && i < weir_format_count; i++) {
        if (after_prefix(&weir_formats[i], "", key) != NULL) {
            return &weir_formats[i];
        }
    }
    return NULL;
}

static int fail_foreign(const weir_connect_kind *other, const weir_connect_format *formats, size_t format_count,
                        const char *key, weir_error *err)
{
    weir_buffer names = {0};
    for (size_t k = 0; k < format_count; k++) {
        weir_buffer_append_format(&names, "%s%s", k == 0 ? "" : " and ", formats[k].kind->name);
    }
    int code = weir_fail(err, WEIR_INVALID, "option '%s' belongs to format %s, but the table's format is %s", key,
                         other->name, format_count == 0 ? "none" : weir_buffer_text(&names));
    weir_buffer_free(&names);
    return code;
}

static int fail_unknown(const weir_connect_kind *connector, const weir_connect_format *formats, size_t format_count,
                        const char *key, weir_error *err)
{
    weir_arena arena;
    weir_arena_init(&arena);
    size_t count = 0;
    size_t most = connector->option_count + 1;
    for (size_t k = 0; k < format_count; k++) {
        most += formats[k].kind->option_count;
    }
    const char **names = WEIR_NEW_ARRAY(&arena, const char *, most);
    names[count++] = "connector";
    for (size_t i = 0; i < connector->option_count; i++) {
        names[count++] = connector->options[i].key;
    }
    for (size_t k = 0; k < format_count; k++) {
        for (size_t i = 0; i < formats[k].kind->option_count; i++) {
            names[count++] = weir_arena_format(&arena, "%s%s.%s", formats[k].prefix, formats[k].kind->name,
                                               formats[k].kind->options[i].key);
        }
    }
    const char *nearest = weir_suggest(key, names, count);
    int code = nearest == NULL ? weir_fail(err, WEIR_INVALID, "connector %s has no option '%s'", connector->name, key)
                               : weir_fail(err, WEIR_INVALID, "connector %s has no option '%s'; did you mean '%s'?",
                                           connector->name, key, nearest);
    weir_arena_free(&arena);
    return code;
}

static int fail_value(const char *key, const char *value, const char *expected, weir_error *err)
{
    return weir_fail(err, WEIR_INVALID, "option '%s' = '%s': expected %s", key, value, expected);
}

static int check_enum(const weir_option *option, const char *key, const char *value, weir_error *err)
{
    weir_buffer words = {0};
    const char *const *word = option->values;
    for (; *word != NULL; word++) {
        if (weir_text_equal_ignore_case(*word, value)) {
            weir_buffer_free(&words);
            return WEIR_OK;
        }
        weir_buffer_append_format(&words, "%s%s", word == option->values ? "" : ", ", *word);
    }
    const char *near = weir_suggest(value, option->values, (size_t)(word - option->values));
    if (near != NULL) {
        weir_buffer_append_format(&words, "; did you mean '%s'?", near);
    }
    int code = fail_value(key, value, weir_buffer_text(&words), err);
    weir_buffer_free(&words);
    return code;
}

static int check_value(const weir_option *option, const char *key, const char *value, weir_error *err)
{
    int64_t number;
    bool is_default = option->default_value != NULL && weir_text_equal_ignore_case(option->default_value, value);
    if (option->support == WEIR_OPTION_REFUSED && !is_default) {
        return weir_fail(err, WEIR_UNSUPPORTED, "option '%s' = '%s' is not offered by this version; leave it out", key,
                         value);
    }
    switch (option->type) {
    case WEIR_OPTION_BOOLEAN:
        return weir_text_equal_ignore_case(value, "true") || weir_text_equal_ignore_case(value, "false")
                   ? WEIR_OK
                   : fail_value(key, value, "true or false", err);
    case WEIR_OPTION_INTEGER:
        return weir_parse_int64(weir_slice_text(value), &number) && number >= 0
                   ? WEIR_OK
                   : fail_value(key, value, "a whole number", err);
    case WEIR_OPTION_SIZE:
        return weir_parse_size(value, &number) && number > 0 ? WEIR_OK
                                                             : fail_value(key, value, "a size such as '128 mb'", err);
    case WEIR_OPTION_DURATION:
        return weir_parse_duration(value, &number) ? WEIR_OK : fail_value(key, value, "a duration such as '10 s'", err);
    case WEIR_OPTION_ENUM:
        return check_enum(option, key, value, err);
    default:
        return WEIR_OK;
    }
}

static const weir_option *find_format_option(const weir_connect_format *formats, size_t format_count, const char *key)
{
    const weir_option *found = NULL;
    for (size_t k = 0; k < format_count && found == NULL; k++) {
        const char *format_key = after_prefix(formats[k].kind, formats[k].prefix, key);
        found = format_key == NULL ? NULL : find_option(formats[k].kind, format_key);
    }
    return found;
}

int weir_connect_options_check(const weir_options *options, const weir_connect_kind *connector,
                               const weir_connect_format *formats, size_t format_count, weir_error *err)
{
    for (size_t i = 0; i < options->count; i++) {
        const char *key = options->keys[i];
        const weir_option *option = find_option(connector, key);
        bool has_files = find_option(connector, "path") != NULL;
        if (strcmp(key, "connector") == 0) {
            continue;
        }
        if (has_files && weir_fs_is_setting(key)) {
            WEIR_TRY(weir_fs_check_setting(key, err));
            continue;
        }
        if (option == NULL) {
            option = find_format_option(formats, format_count, key);
        }
        if (option == NULL) {
            const weir_connect_kind *other = other_format(formats, format_count, key);
            bool is_used = false;
            for (size_t k = 0; k < format_count; k++) {
                is_used = is_used || formats[k].kind == other;
            }
            return other != NULL && !is_used ? fail_foreign(other, formats, format_count, key, err)
                                             : fail_unknown(connector, formats, format_count, key, err);
        }
        WEIR_TRY(check_value(option, key, options->values[i], err));
    }
    return WEIR_OK;
}

/* ---- values ---- */

const char *weir_connect_text(const weir_connect_kind *connector, const weir_options *options, const char *key)
{
    const char *value = weir_options_get(options, key);
    const weir_option *option = find_option(connector, key);
    return value == NULL && option != NULL ? option->default_value : value;
}

bool weir_connect_bool(const weir_connect_kind *connector, const weir_options *options, const char *key)
{
    const char *value = weir_connect_text(connector, options, key);
    return value != NULL && weir_text_equal_ignore_case(value, "true");
}

int64_t weir_connect_int(const weir_connect_kind *connector, const weir_options *options, const char *key)
{
    int64_t number = 0;
    const char *value = weir_connect_text(connector, options, key);
    return value != NULL && weir_parse_int64(weir_slice_text(value), &number) ? number : 0;
}

int64_t weir_connect_size(const weir_connect_kind *connector, const weir_options *options, const char *key)
{
    int64_t number = 0;
    const char *value = weir_connect_text(connector, options, key);
    return value != NULL && weir_parse_size(value, &number) ? number : 0;
}

int64_t weir_connect_duration_ms(const weir_connect_kind *connector, const weir_options *options, const char *key)
{
    int64_t number = 0;
    const char *value = weir_connect_text(connector, options, key);
    return value != NULL && weir_parse_duration(value, &number) ? number : 0;
}

const char *weir_connect_format_text(const weir_connect_kind *format, const weir_options *options, const char *key)
{
    for (size_t i = 0; i < options->count; i++) {
        const char *format_key = after_prefix(format, "", options->keys[i]);
        if (format_key != NULL && strcmp(format_key, key) == 0) {
            return options->values[i];
        }
    }
    const weir_option *option = find_option(format, key);
    return option == NULL ? NULL : option->default_value;
}

bool weir_connect_format_bool(const weir_connect_kind *format, const weir_options *options, const char *key)
{
    const char *value = weir_connect_format_text(format, options, key);
    return value != NULL && weir_text_equal_ignore_case(value, "true");
}
