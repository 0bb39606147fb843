/* Settings: what SET and RESET change.
 *
 * Known keys are in one table with their types, defaults and what they do here; the reference and suggestions come
 * from it. Keys of families that belong to other engines (taskmanager.*, state.backend.*, …) are kept without effect.
 */
#ifndef WEIR_SESSION_SETTINGS_H
#define WEIR_SESSION_SETTINGS_H

#include "base/base.h"
#include "sql/ast.h"

typedef enum weir_setting_type {
    WEIR_SETTING_TEXT,
    WEIR_SETTING_BOOLEAN,
    WEIR_SETTING_INTEGER, /* greater than 0 */
    WEIR_SETTING_DURATION,
    WEIR_SETTING_ENUM,
    WEIR_SETTING_ZONE
} weir_setting_type;

typedef struct weir_setting {
    const char *key;
    weir_setting_type type;
    const char *default_value;  /* NULL: none */
    const char *const *values;  /* of ENUM: lower case, NULL after the last */
    const char *const *refused; /* of ENUM: values that are not offered yet; NULL: none */
    bool works;                 /* false: kept, without effect */
    bool is_refused;            /* for it would do something else than one expects; `text` says what to do */
    const char *text;
} weir_setting;

extern const weir_setting weir_settings_table[];
extern const size_t weir_settings_count;

typedef struct weir_settings {
    char **keys;
    char **values;
    size_t count;
    size_t capacity;
} weir_settings; /* zero-initialized is empty */

void weir_settings_free(weir_settings *settings);
const weir_setting *weir_setting_find(const char *key); /* NULL: not in the table */

bool weir_settings_has(const weir_settings *settings, const char *key); /* it was set */

/* As set, or the default, or NULL. */
const char *weir_settings_get(const weir_settings *settings, const char *key);
bool weir_settings_bool(const weir_settings *settings, const char *key);
int64_t weir_settings_int(const weir_settings *settings, const char *key);
int64_t weir_settings_duration_ms(const weir_settings *settings, const char *key); /* -1: unset */

/* Checks the value and sets it. Positions of errors are those given. */
int weir_settings_set(weir_settings *settings, const char *key, weir_position key_position, const char *value,
                      weir_position value_position, weir_error *err);
void weir_settings_reset(weir_settings *settings, const char *key); /* NULL: all */

#endif
