/* Options of tables: lists of pairs, typed access, and checking what a user sets. The table of all options is
 * option_table.c. */
#include "meta/options.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"

/* ---- pairs ---- */

static size_t index_of(const weir_options *options, const char *key)
{
    for (size_t i = 0; i < options->count; i++) {
        if (strcmp(options->keys[i], key) == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

const char *weir_options_get(const weir_options *options, const char *key)
{
    size_t i = index_of(options, key);
    return i == SIZE_MAX ? NULL : options->values[i];
}

/* The arrays live in the arena as well, so that a schema's options need no freeing of their own. */
static void make_room(weir_options *options, weir_arena *arena)
{
    if (options->count < options->capacity) {
        return;
    }
    size_t capacity = options->capacity == 0 ? 8 : options->capacity * 2;
    const char **keys = WEIR_NEW_ARRAY(arena, const char *, capacity);
    const char **values = WEIR_NEW_ARRAY(arena, const char *, capacity);
    for (size_t i = 0; i < options->count; i++) {
        keys[i] = options->keys[i];
        values[i] = options->values[i];
    }
    options->keys = keys;
    options->values = values;
    options->capacity = capacity;
}

void weir_options_set(weir_options *options, weir_arena *arena, const char *key, const char *value)
{
    size_t i = index_of(options, key);
    if (i == SIZE_MAX) {
        make_room(options, arena);
        i = options->count++;
        options->keys[i] = weir_arena_strdup(arena, key);
    }
    options->values[i] = weir_arena_strdup(arena, value);
}

void weir_options_unset(weir_options *options, const char *key)
{
    size_t i = index_of(options, key);
    if (i == SIZE_MAX) {
        return;
    }
    options->count--;
    memmove(&options->keys[i], &options->keys[i + 1], (options->count - i) * sizeof *options->keys);
    memmove(&options->values[i], &options->values[i + 1], (options->count - i) * sizeof *options->values);
}

void weir_options_merge(weir_arena *arena, const weir_options *base, const weir_options *overrides, weir_options *out)
{
    weir_options merged = {0};
    for (size_t i = 0; i < base->count; i++) {
        weir_options_set(&merged, arena, base->keys[i], base->values[i]);
    }
    for (size_t i = 0; overrides != NULL && i < overrides->count; i++) {
        weir_options_set(&merged, arena, overrides->keys[i], overrides->values[i]);
    }
    *out = merged;
}

weir_fs_settings weir_options_fs_settings(const weir_options *options)
{
    return (weir_fs_settings){options->keys, options->values, options->count};
}

void weir_options_split_settings(weir_options *options, weir_arena *arena, weir_options *out_settings)
{
    weir_options all = *options;
    *options = (weir_options){0};
    for (size_t i = 0; i < all.count; i++) {
        weir_options_set(weir_fs_is_setting(all.keys[i]) ? out_settings : options, arena, all.keys[i], all.values[i]);
    }
}

const char *weir_option_shown(const char *key, const char *value)
{
    /* The words by which Flink knows them, in any case. */
    static const char *const words[] = {"password",   "secret",      "token",       "account.key",
                                        "apikey",     "api-key",     "auth-params", "service-key",
                                        "basic-auth", "jaas.config", "http-headers"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcasestr(key, words[i]) != NULL) {
            return "******";
        }
    }
    return value;
}

/* ---- the table ---- */

static bool list_has(const char *const *list, const char *word)
{
    for (; list != NULL && *list != NULL; list++) {
        if (weir_text_equal_ignore_case(*list, word)) {
            return true;
        }
    }
    return false;
}

const weir_option *weir_option_find(const char *key)
{
    for (size_t i = 0; i < weir_table_option_count; i++) {
        const weir_option *option = &weir_table_options[i];
        if (strcmp(option->key, key) == 0 || list_has(option->old_keys, key)) {
            return option;
        }
    }
    return NULL;
}

/* ---- typed access ---- */

/* The value of `key`, with its option. NULL: neither set nor with a default. */
static int find_value(const weir_options *options, const char *key, const weir_option **out_option, const char **out,
                      weir_error *err)
{
    const weir_option *option = weir_option_find(key);
    if (option == NULL) {
        return weir_fail(err, WEIR_INVALID, "there is no table option '%s'", key);
    }
    const char *value = weir_options_get(options, option->key);
    for (size_t i = 0; value == NULL && option->old_keys != NULL && i < options->count; i++) {
        if (list_has(option->old_keys, options->keys[i])) {
            value = options->values[i];
        }
    }
    *out = value != NULL ? value : option->default_value;
    *out_option = option;
    return WEIR_OK;
}

static int malformed(const char *key, const char *value, const char *expected, weir_error *err)
{
    return weir_fail(err, WEIR_INVALID, "option '%s' = '%s': expected %s", key, value, expected);
}

static int parse_bool(const char *key, const char *value, bool *out, weir_error *err)
{
    bool is_true = weir_text_equal_ignore_case(value, "true");
    if (!is_true && !weir_text_equal_ignore_case(value, "false")) {
        return malformed(key, value, "true or false", err);
    }
    *out = is_true;
    return WEIR_OK;
}

static int parse_int(const char *key, const char *value, int64_t *out, weir_error *err)
{
    if (!weir_parse_int64(weir_slice_text(value), out)) {
        return malformed(key, value, "a whole number", err);
    }
    return WEIR_OK;
}

static int parse_double(const char *key, const char *value, weir_error *err)
{
    char *end;
    double number = strtod(value, &end);
    if (end == value || *end != '\0' || !isfinite(number)) {
        return malformed(key, value, "a number", err);
    }
    return WEIR_OK;
}

static int parse_size(const char *key, const char *value, int64_t *out, weir_error *err)
{
    if (!weir_parse_size(value, out)) {
        return malformed(key, value, "a size such as '128 mb'", err);
    }
    return WEIR_OK;
}

static int parse_duration(const char *key, const char *value, int64_t *out, weir_error *err)
{
    if (!weir_parse_duration(value, out)) {
        return malformed(key, value, "a duration such as '1 h' or '10 s'", err);
    }
    return WEIR_OK;
}

static size_t list_length(const char *const *list)
{
    size_t count = 0;
    while (list[count] != NULL) {
        count++;
    }
    return count;
}

static void append_list(weir_buffer *out, const char *const *list, const char *const *without)
{
    const char *separator = "";
    for (; *list != NULL; list++) {
        if (!list_has(without, *list)) {
            weir_buffer_append_format(out, "%s%s", separator, *list);
            separator = ", ";
        }
    }
}

/* Values of an enum are compared without case, as Paimon does, and handed on as the table has them. */
static int parse_enum(const weir_option *option, const char *value, const char **out, weir_error *err)
{
    for (const char *const *word = option->values; *word != NULL; word++) {
        if (weir_text_equal_ignore_case(*word, value)) {
            *out = *word;
            return WEIR_OK;
        }
    }
    weir_buffer all = {0};
    append_list(&all, option->values, NULL);
    const char *near = weir_suggest(value, option->values, list_length(option->values));
    int code = weir_fail(err, WEIR_INVALID, "option '%s' = '%s': expected one of %s%s%s%s", option->key, value,
                         weir_buffer_text(&all), near == NULL ? "" : "; did you mean '", near == NULL ? "" : near,
                         near == NULL ? "" : "'?");
    weir_buffer_free(&all);
    return code;
}

int weir_options_bool(const weir_options *options, const char *key, bool *out, weir_error *err)
{
    const weir_option *option;
    const char *value;
    WEIR_TRY(find_value(options, key, &option, &value, err));
    return value == NULL ? WEIR_OK : parse_bool(key, value, out, err);
}

int weir_options_int(const weir_options *options, const char *key, int64_t *out, weir_error *err)
{
    const weir_option *option;
    const char *value;
    WEIR_TRY(find_value(options, key, &option, &value, err));
    return value == NULL ? WEIR_OK : parse_int(key, value, out, err);
}

int weir_options_size(const weir_options *options, const char *key, int64_t *out_bytes, weir_error *err)
{
    const weir_option *option;
    const char *value;
    WEIR_TRY(find_value(options, key, &option, &value, err));
    return value == NULL ? WEIR_OK : parse_size(key, value, out_bytes, err);
}

int weir_options_duration(const weir_options *options, const char *key, int64_t *out_ms, weir_error *err)
{
    const weir_option *option;
    const char *value;
    WEIR_TRY(find_value(options, key, &option, &value, err));
    return value == NULL ? WEIR_OK : parse_duration(key, value, out_ms, err);
}

int weir_options_text(const weir_options *options, const char *key, const char **out, weir_error *err)
{
    const weir_option *option;
    const char *value;
    WEIR_TRY(find_value(options, key, &option, &value, err));
    if (value != NULL && option->type == WEIR_OPTION_ENUM) {
        return parse_enum(option, value, out, err);
    }
    *out = value;
    return WEIR_OK;
}

/* ---- checking ---- */

static int check_value(const weir_option *option, const char *value, weir_error *err)
{
    bool truth;
    int64_t number;
    const char *word;
    switch (option->type) {
    case WEIR_OPTION_BOOLEAN:
        return parse_bool(option->key, value, &truth, err);
    case WEIR_OPTION_INTEGER:
        return parse_int(option->key, value, &number, err);
    case WEIR_OPTION_DOUBLE:
        return parse_double(option->key, value, err);
    case WEIR_OPTION_SIZE:
        return parse_size(option->key, value, &number, err);
    case WEIR_OPTION_DURATION:
        return parse_duration(option->key, value, &number, err);
    case WEIR_OPTION_ENUM:
        return parse_enum(option, value, &word, err);
    case WEIR_OPTION_TEXT:
    case WEIR_OPTION_MAP:
        break;
    }
    return WEIR_OK;
}

/* Families of keys that end in a column's or a codec's name, or that belong to other engines. */
static bool is_dynamic(const char *key)
{
    static const char *const prefixes[] = {
        "fields.",       "schema.",
        "file-index.",   "parquet.",
        "orc.",          "avro.",
        "csv.",          "json.",
        "text.",         "metadata.iceberg.",
        "metadata.",     "iceberg.",
        "metastore.",    "hive.",
        "spark.",        "flink.",
        "trino.",        "commit.callback.",
        "tag.callback.", "partition.mark-done",
        "variant.",      "global-index.",
        "pk-",           "blob",
        "vector",        "dlf.",
        "rest.",         "jdbc.",
        "materialized-table.",
    };
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        if (strncmp(key, prefixes[i], strlen(prefixes[i])) == 0) {
            return true;
        }
    }
    return false;
}

static int unknown_key(const char *key, weir_error *err)
{
    const char **keys = weir_alloc_zeroed(weir_table_option_count, sizeof *keys);
    for (size_t i = 0; i < weir_table_option_count; i++) {
        keys[i] = weir_table_options[i].key;
    }
    const char *near = weir_suggest(key, keys, weir_table_option_count);
    free(keys);
    if (near == NULL) {
        return weir_fail(err, WEIR_INVALID, "there is no table option '%s'", key);
    }
    return weir_fail(err, WEIR_INVALID, "there is no table option '%s'; did you mean '%s'?", key, near);
}

/* Options of earlier versions, in many a table definition to this day. */
static const struct {
    const char *key;
    const char *today;
} forgotten[] = {
    {"compaction.max.file-num", "compactions begin at 'num-sorted-run.compaction-trigger' sorted runs (5), or "
                                "'compaction.min.file-num' files of a "
                                "table without a primary key"},
    {"expire-execution.interval",
     "old snapshots expire after each commit, as 'snapshot.time-retained' and 'snapshot.num-retained.min' say"},
};

const char *weir_option_successor(const char *key)
{
    for (size_t i = 0; i < sizeof forgotten / sizeof *forgotten; i++) {
        if (strcmp(forgotten[i].key, key) == 0) {
            return forgotten[i].today;
        }
    }
    return NULL;
}

int weir_option_check(const char *key, const char *value, weir_error *err)
{
    const weir_option *option = weir_option_find(key);
    if (option != NULL) {
        return check_value(option, value, err);
    }
    if (weir_fs_is_setting(key)) {
        return weir_fs_check_setting(key, err);
    }
    return is_dynamic(key) || weir_option_successor(key) != NULL ? WEIR_OK : unknown_key(key, err);
}

static bool is_default(const weir_option *option, const char *value)
{
    return option->default_value != NULL && weir_text_equal_ignore_case(option->default_value, value);
}

/* Options of columns that change what is written, whatever the column. */
static bool refused_field_option(const char *key)
{
    return strncmp(key, "file-index.", 11) == 0 && strstr(key, ".columns") != NULL;
}

static int refused_value(const weir_option *option, const char *value, weir_error *err)
{
    weir_buffer others = {0};
    if (option->values != NULL) {
        weir_buffer_append_text(&others, "; it offers ");
        append_list(&others, option->values, option->refused);
    }
    int code = weir_fail(err, WEIR_UNSUPPORTED, "tables with '%s' = '%s' are not written by this version%s",
                         option->key, value, weir_buffer_text(&others));
    weir_buffer_free(&others);
    return code;
}

int weir_option_check_readable(const char *key, const char *value, weir_error *err)
{
    const weir_option *option = weir_option_find(key);
    if (option == NULL || option->support != WEIR_OPTION_UNREAD || is_default(option, value)) {
        return WEIR_OK;
    }
    return weir_fail(err, WEIR_UNSUPPORTED,
                     "'%s' = '%s' changes which rows a read gives, and is not followed by this version; leave it out, "
                     "or RESET it where the table keeps it",
                     key, value);
}

int weir_options_check_writable(const weir_options *options, weir_error *err)
{
    for (size_t i = 0; i < options->count; i++) {
        const char *key = options->keys[i];
        const char *value = options->values[i];
        const weir_option *option = weir_option_find(key);
        if (option == NULL) {
            if (refused_field_option(key)) {
                return weir_fail(err, WEIR_UNSUPPORTED,
                                 "tables with '%s' are not written by this version; reset the "
                                 "option, or write the table with another engine",
                                 key);
            }
            continue;
        }
        if (option->support == WEIR_OPTION_REFUSED && !is_default(option, value)) {
            return weir_fail(err, WEIR_UNSUPPORTED,
                             "tables with '%s' = '%s' are not written by this version; reset the "
                             "option, or write the table with another engine",
                             key, value);
        }
        if (list_has(option->refused, value)) {
            return refused_value(option, value, err);
        }
    }
    return WEIR_OK;
}
