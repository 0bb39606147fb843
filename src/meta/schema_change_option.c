/* Options of an altered table: which may change, and which name columns that are renamed. */
#include "base/text.h"
#include "meta/schema_change_internal.h"
#include "meta/schema_check.h"
#include "vector/cast.h"
#include "vector/literal.h"

/* ---- what may change ---- */

static bool is_true(const char *value) { return value != NULL && weir_text_equal_ignore_case(value, "true"); }

static int check_immutable(const weir_altered *self, const char *key, weir_error *err)
{
    const weir_option *option = weir_option_find(key);
    if (strcmp(key, "path") == 0) {
        return weir_fail(err, WEIR_INVALID, "'path' is where the table is and cannot be changed");
    }
    if (self->has_data && option != NULL && option->immutable) {
        return weir_fail(err, WEIR_INVALID,
                         "'%s' cannot be changed, because the files that are there rest on it; create another table "
                         "and INSERT the rows into it",
                         key);
    }
    return WEIR_OK;
}

static int check_bucket(const weir_altered *self, const char *value, weir_error *err)
{
    int64_t old = -1;
    WEIR_TRY(weir_options_int(&self->schema->options, "bucket", &old, err));
    if (old == -1) {
        return weir_fail(err, WEIR_INVALID,
                         "'bucket' is -1 and cannot become a number, because rows lie in buckets by "
                         "other rules; create another table");
    }
    if (strcmp(value, "-1") == 0) {
        return weir_fail(err, WEIR_INVALID,
                         "'bucket' cannot become -1, because rows lie in buckets by their key; "
                         "create another table");
    }
    return WEIR_OK;
}

static int check_deletion_vectors(const weir_altered *self, const char *value, weir_error *err)
{
    const weir_options *options = &self->schema->options;
    bool was = is_true(weir_options_get(options, "deletion-vectors.enabled"));
    if (was == is_true(value) || is_true(weir_options_get(options, "deletion-vectors.modifiable"))) {
        return WEIR_OK;
    }
    return weir_fail(err, WEIR_INVALID,
                     "'deletion-vectors.enabled' cannot be changed without a full compaction, or deleted rows "
                     "come back; if you are sure, SET ('deletion-vectors.modifiable' = 'true') first");
}

/* Options that forget rows cannot be made to remember them. */
static int check_one_way(const weir_altered *self, const char *key, const char *value, weir_error *err)
{
    if (is_true(weir_options_get(&self->schema->options, key)) && !is_true(value)) {
        return weir_fail(err, WEIR_INVALID, "'%s' cannot go back from true to false", key);
    }
    return WEIR_OK;
}

int weir_altered_set_option(weir_altered *self, const char *key, const char *value, weir_error *err)
{
    WEIR_TRY(weir_option_check(key, value, err));
    const char *old = weir_options_get(&self->schema->options, key);
    if (old == NULL || strcmp(old, value) != 0) {
        WEIR_TRY(check_immutable(self, key, err));
        if (self->has_data && strcmp(key, "bucket") == 0) {
            WEIR_TRY(check_bucket(self, value, err));
        } else if (self->has_data && strcmp(key, "deletion-vectors.enabled") == 0) {
            WEIR_TRY(check_deletion_vectors(self, value, err));
        } else if (self->has_data && (strcmp(key, "ignore-delete") == 0 || strcmp(key, "ignore-update-before") == 0)) {
            WEIR_TRY(check_one_way(self, key, value, err));
        }
    }
    weir_options_set(&self->schema->options, self->arena, key, value);
    return WEIR_OK;
}

int weir_altered_reset_option(weir_altered *self, const char *key, weir_error *err)
{
    if (weir_options_get(&self->schema->options, key) == NULL) {
        return WEIR_OK;
    }
    WEIR_TRY(check_immutable(self, key, err));
    if (self->has_data && strcmp(key, "bucket") == 0) {
        return weir_fail(err, WEIR_INVALID, "'bucket' cannot be reset; SET it to another number");
    }
    weir_options_unset(&self->schema->options, key);
    return WEIR_OK;
}

/* ---- renamed columns ---- */

/* "a,b" with `name` replaced. */
static const char *rename_in_list(weir_arena *arena, const char *list, const char *name, const char *new_name)
{
    int32_t count;
    const char **names = weir_split_names(arena, list, &count);
    weir_buffer text = {0};
    for (int32_t i = 0; i < count; i++) {
        weir_buffer_append_format(&text, "%s%s", i == 0 ? "" : ",", strcmp(names[i], name) == 0 ? new_name : names[i]);
    }
    const char *renamed = weir_arena_strdup(arena, weir_buffer_text(&text));
    weir_buffer_free(&text);
    return renamed;
}

static bool ends_with(const char *text, const char *end)
{
    size_t size = strlen(text);
    return size >= strlen(end) && strcmp(text + size - strlen(end), end) == 0;
}

/* Keys such as fields.a,b.sequence-group: the names stand up to the last dot. */
static const char *rename_in_key(weir_arena *arena, const char *key, const char *name, const char *new_name)
{
    const char *suffix = strncmp(key, "fields.", 7) == 0 ? strrchr(key + 7, '.') : NULL;
    if (suffix == NULL) {
        return key;
    }
    const char *names = weir_arena_strndup(arena, key + 7, (size_t)(suffix - key) - 7);
    return weir_arena_format(arena, "fields.%s%s", rename_in_list(arena, names, name, new_name), suffix);
}

void weir_altered_rename_in_options(weir_altered *self, const char *name, const char *new_name)
{
    weir_options *options = &self->schema->options;
    for (size_t i = 0; i < options->count; i++) {
        const char *key = options->keys[i];
        bool is_list = strcmp(key, "bucket-key") == 0 || strcmp(key, "sequence.field") == 0 ||
                       strcmp(key, "rowkind.field") == 0 || ends_with(key, ".sequence-group");
        if (is_list) {
            options->values[i] = rename_in_list(self->arena, options->values[i], name, new_name);
        }
        options->keys[i] = rename_in_key(self->arena, key, name, new_name);
    }
}

/* ---- defaults ---- */

int weir_altered_check_default(const weir_altered *self, const weir_field *field, const char *value, weir_error *err)
{
    const weir_schema *schema = self->schema;
    weir_vector text;
    weir_vector cast;
    if (value == NULL) {
        return WEIR_OK;
    }
    if (weir_names_have(schema->primary_keys, schema->primary_key_count, field->name) ||
        weir_names_have(schema->partition_keys, schema->partition_key_count, field->name)) {
        return weir_fail(err, WEIR_INVALID, "column '%s' is a key and cannot have a default value", field->name);
    }
    weir_vector_init(&text, weir_type_simple(WEIR_VARCHAR, true));
    weir_vector_init(&cast, field->type);
    int code = weir_vector_append_raw(&text, value, strlen(value), err);
    if (code == WEIR_OK && weir_vector_cast(&text, &cast, NULL) != WEIR_OK) {
        code = weir_fail(err, WEIR_INVALID, "the default value '%s' of column '%s' is no %s", value, field->name,
                         weir_type_text(self->arena, field->type));
    }
    weir_vector_free(&text);
    weir_vector_free(&cast);
    return code;
}
