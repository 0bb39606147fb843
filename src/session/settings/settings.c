/* Settings: checking, keeping, reading them. The table of keys is settings_table.c. */
#include "session/settings/settings.h"

#include <stdlib.h>

#include "base/text.h"
#include "base/zone.h"

void weir_settings_free(weir_settings *settings)
{
    weir_settings_reset(settings, NULL);
    free(settings->keys);
    free(settings->values);
    *settings = (weir_settings){0};
}

const weir_setting *weir_setting_find(const char *key)
{
    for (size_t i = 0; i < weir_settings_count; i++) {
        if (strcmp(weir_settings_table[i].key, key) == 0) {
            return &weir_settings_table[i];
        }
    }
    return NULL;
}

static const char *find_set(const weir_settings *settings, const char *key)
{
    for (size_t i = 0; i < settings->count; i++) {
        if (strcmp(settings->keys[i], key) == 0) {
            return settings->values[i];
        }
    }
    return NULL;
}

bool weir_settings_has(const weir_settings *settings, const char *key) { return find_set(settings, key) != NULL; }

const char *weir_settings_get(const weir_settings *settings, const char *key)
{
    const char *value = find_set(settings, key);
    if (value != NULL) {
        return value;
    }
    const weir_setting *setting = weir_setting_find(key);
    return setting == NULL ? NULL : setting->default_value;
}

/* Values were checked when they were set. */
bool weir_settings_bool(const weir_settings *settings, const char *key)
{
    const char *value = weir_settings_get(settings, key);
    return value != NULL && weir_text_equal_ignore_case(value, "true");
}

int64_t weir_settings_int(const weir_settings *settings, const char *key)
{
    const char *value = weir_settings_get(settings, key);
    int64_t number = 0;
    return value != NULL && weir_parse_int64(weir_slice_text(value), &number) ? number : 0;
}

int64_t weir_settings_duration_ms(const weir_settings *settings, const char *key)
{
    const char *value = weir_settings_get(settings, key);
    int64_t milliseconds = 0;
    return value != NULL && weir_parse_duration(value, &milliseconds) ? milliseconds : -1;
}

static int fail_value(const weir_setting *setting, const char *value, weir_position position, const char *expected,
                      weir_error *err)
{
    return weir_fail_at(err, WEIR_INVALID, position.line, position.column, "'%s' = '%s': expected %s", setting->key,
                        value, expected);
}

static bool is_among(const char *const *words, const char *word)
{
    for (; words != NULL && *words != NULL; words++) {
        if (weir_text_equal_ignore_case(*words, word)) {
            return true;
        }
    }
    return false;
}

static int check_enum(const weir_setting *setting, const char *value, weir_position position, weir_error *err)
{
    if (is_among(setting->refused, value)) {
        return weir_fail_at(err, WEIR_UNSUPPORTED, position.line, position.column,
                            "'%s' = '%s' is not offered by this version", setting->key, value);
    }
    if (is_among(setting->values, value)) {
        return WEIR_OK;
    }
    weir_buffer expected = {0};
    size_t count = 0;
    for (; setting->values[count] != NULL; count++) {
        weir_buffer_append_format(&expected, "%s'%s'", count == 0 ? "" : " or ", setting->values[count]);
    }
    const char *near = weir_suggest(value, setting->values, count);
    if (near != NULL) {
        weir_buffer_append_format(&expected, "; did you mean '%s'?", near);
    }
    int code = fail_value(setting, value, position, weir_buffer_text(&expected), err);
    weir_buffer_free(&expected);
    return code;
}

static int check_value(const weir_setting *setting, const char *value, weir_position position, weir_error *err)
{
    int64_t number = 0;
    switch (setting->type) {
    case WEIR_SETTING_BOOLEAN:
        if (!weir_text_equal_ignore_case(value, "true") && !weir_text_equal_ignore_case(value, "false")) {
            return fail_value(setting, value, position, "'true' or 'false'", err);
        }
        return WEIR_OK;
    case WEIR_SETTING_INTEGER:
        if (!weir_parse_int64(weir_slice_text(value), &number) || number <= 0) {
            return fail_value(setting, value, position, "a whole number greater than 0", err);
        }
        return WEIR_OK;
    case WEIR_SETTING_DURATION:
        if (!weir_parse_duration(value, &number)) {
            return fail_value(setting, value, position, "a duration such as '10 s' or '1 min'", err);
        }
        return WEIR_OK;
    case WEIR_SETTING_ENUM:
        return check_enum(setting, value, position, err);
    case WEIR_SETTING_ZONE:
        if (weir_zone_find(value) == NULL) {
            return fail_value(setting, value, position, "a time zone such as 'UTC', 'Asia/Shanghai' or 'GMT+08:00'",
                              err);
        }
        return WEIR_OK;
    case WEIR_SETTING_TEXT:
        break;
    }
    return WEIR_OK;
}

/* A key that is not in the table but close to one that is, is a slip; anything else may be meant for another engine. */
static int check_unknown(const char *key, weir_position position, weir_error *err)
{
    const char **keys = weir_alloc_zeroed(weir_settings_count, sizeof *keys);
    for (size_t i = 0; i < weir_settings_count; i++) {
        keys[i] = weir_settings_table[i].key;
    }
    const char *near = weir_suggest(key, keys, weir_settings_count);
    free(keys);
    if (near != NULL) {
        return weir_fail_at(err, WEIR_INVALID, position.line, position.column,
                            "there is no setting '%s'; did you mean '%s'?", key, near);
    }
    if (strncmp(key, "weir.", 5) == 0) {
        return weir_fail_at(err, WEIR_INVALID, position.line, position.column, "there is no setting '%s'", key);
    }
    return WEIR_OK;
}

int weir_settings_set(weir_settings *settings, const char *key, weir_position key_position, const char *value,
                      weir_position value_position, weir_error *err)
{
    const weir_setting *setting = weir_setting_find(key);
    if (setting != NULL && setting->is_refused) {
        return weir_fail_at(err, WEIR_UNSUPPORTED, key_position.line, key_position.column,
                            "there is no '%s' here; leave it out. %s", key, setting->text);
    }
    WEIR_TRY(setting == NULL ? check_unknown(key, key_position, err)
                             : check_value(setting, value, value_position, err));
    for (size_t i = 0; i < settings->count; i++) {
        if (strcmp(settings->keys[i], key) == 0) {
            free(settings->values[i]);
            settings->values[i] = weir_strdup(value);
            return WEIR_OK;
        }
    }
    if (settings->count == settings->capacity) {
        settings->capacity = settings->capacity == 0 ? 8 : settings->capacity * 2;
        settings->keys = weir_realloc(settings->keys, settings->capacity * sizeof *settings->keys);
        settings->values = weir_realloc(settings->values, settings->capacity * sizeof *settings->values);
    }
    settings->keys[settings->count] = weir_strdup(key);
    settings->values[settings->count++] = weir_strdup(value);
    return WEIR_OK;
}

void weir_settings_reset(weir_settings *settings, const char *key)
{
    size_t left = 0;
    for (size_t i = 0; i < settings->count; i++) {
        if (key == NULL || strcmp(settings->keys[i], key) == 0) {
            free(settings->keys[i]);
            free(settings->values[i]);
        } else {
            settings->keys[left] = settings->keys[i];
            settings->values[left++] = settings->values[i];
        }
    }
    settings->count = left;
}
