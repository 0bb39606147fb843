/* SET and RESET. */
#include "session/state.h"

static int list_settings(const weir_session *session, weir_result **out, weir_error *err)
{
    static const char *const names[] = {"key", "value"};
    const weir_settings *settings = &session->settings;
    weir_memory_result *result = weir_text_result_create(names, 2);
    int code = WEIR_OK;
    for (size_t i = 0; i < settings->count && code == WEIR_OK; i++) {
        const char *row[] = {settings->keys[i], weir_option_shown(settings->keys[i], settings->values[i])};
        code = weir_text_result_add(result, row, err);
    }
    /* What was not set but has a default that matters here. */
    for (size_t i = 0; i < weir_settings_count && code == WEIR_OK; i++) {
        const weir_setting *setting = &weir_settings_table[i];
        bool is_set = false;
        for (size_t j = 0; j < settings->count; j++) {
            is_set = is_set || strcmp(settings->keys[j], setting->key) == 0;
        }
        if (!is_set && setting->works && setting->default_value != NULL) {
            const char *row[] = {setting->key, setting->default_value};
            code = weir_text_result_add(result, row, err);
        }
    }
    if (code != WEIR_OK) {
        weir_result_free(&result->result);
        return code;
    }
    *out = &result->result;
    return WEIR_OK;
}

int weir_session_set(weir_session *session, const weir_ast_statement *statement, weir_result **out, weir_error *err)
{
    const char *key = statement->set.key;
    const char *value = statement->set.value;
    if (statement->kind == WEIR_AST_RESET) {
        weir_settings_reset(&session->settings, key);
        *out = key == NULL ? weir_result_done("All settings have their defaults") : weir_result_done("Reset '%s'", key);
        return WEIR_OK;
    }
    if (key == NULL) {
        return list_settings(session, out, err);
    }
    if (value == NULL) {
        static const char *const names[] = {"key", "value"};
        const char *set = weir_settings_get(&session->settings, key);
        const char *row[] = {key, set == NULL ? NULL : weir_option_shown(key, set)};
        weir_memory_result *result = weir_text_result_create(names, 2);
        int code = weir_text_result_add(result, row, err);
        if (code != WEIR_OK) {
            weir_result_free(&result->result);
            return code;
        }
        *out = &result->result;
        return WEIR_OK;
    }
    WEIR_TRY(weir_settings_set(&session->settings, key, statement->set.key_position, value,
                               statement->set.value_position, err));
    *out = weir_result_done("Set '%s' to '%s'", key, weir_option_shown(key, value));
    return WEIR_OK;
}
