/* Completion inside of strings: keys and values of WITH, OPTIONS and SET, from the tables that the reference is made
 * from, and names of files. */
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/text.h"
#include "cli/complete.h"
#include "connect/connect_options.h"
#include "session/settings/settings.h"

/* ---- files ---- */

static bool is_folder(const char *folder, const char *name)
{
    struct stat status;
    char *path = weir_format("%s%s", folder, name);
    bool found = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    free(path);
    return found;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(((const weir_candidate *)a)->text, ((const weir_candidate *)b)->text);
}

void weir_complete_files(const char *prefix, const char *suffix, weir_candidates *out)
{
    const char *slash = strrchr(prefix, '/');
    const char *name = slash == NULL ? prefix : slash + 1;
    const char *folder = weir_arena_strndup(&out->arena, prefix, (size_t)(name - prefix));
    DIR *entries = opendir(folder[0] == '\0' ? "." : folder);
    struct dirent *entry;
    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        bool hidden = entry->d_name[0] == '.' && name[0] != '.';
        if (hidden || strncmp(entry->d_name, name, strlen(name)) != 0 || strcmp(entry->d_name, ".") == 0 ||
            strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        bool goes_on = is_folder(folder, entry->d_name);
        WEIR_GROW(out->items, out->capacity, out->count + 1);
        out->items[out->count++] = (weir_candidate){
            .text = weir_arena_format(&out->arena, "%s%s%s", folder, entry->d_name, goes_on ? "/" : ""),
            .suffix = goes_on ? "" : suffix,
        };
    }
    if (entries != NULL) {
        closedir(entries);
    }
    if (out->count > 1) {
        qsort(out->items, out->count, sizeof *out->items, by_text);
    }
}

/* ---- which string ---- */

typedef enum string_place {
    OTHER_STRING,
    SETTING,        /* SET 'key' = 'value', RESET 'key' */
    CATALOG_OPTION, /* CREATE CATALOG … WITH (…) */
    TABLE_OPTION,   /* WITH (…) and SET (…) of tables */
    HINTED_OPTION   /* OPTIONS (…) in a hint */
} string_place;

static string_place place_of(const weir_completion *self)
{
    bool starts_set = weir_completion_is(self, 0, "SET") || weir_completion_is(self, 0, "RESET");
    if (self->at > 0 && starts_set) {
        return SETTING;
    }
    size_t open = self->at;
    while (open > 0 && !weir_completion_is(self, open, "(")) {
        open--;
    }
    if (open == 0) {
        return OTHER_STRING;
    }
    if (weir_completion_is(self, open - 1, "OPTIONS")) {
        return HINTED_OPTION;
    }
    if (weir_completion_is(self, open - 1, "WITH")) {
        return weir_completion_is(self, 1, "CATALOG") ? CATALOG_OPTION : TABLE_OPTION;
    }
    bool changes = weir_completion_is(self, 0, "ALTER") &&
                   (weir_completion_is(self, open - 1, "SET") || weir_completion_is(self, open - 1, "RESET"));
    return changes ? TABLE_OPTION : OTHER_STRING;
}

/* The string at a piece, without its quotes. */
static const char *string_at(const weir_completion *self, size_t piece)
{
    const weir_piece *found = &self->pieces[piece];
    size_t size = found->to - found->from - (found->is_open ? 1 : 2);
    return weir_arena_strndup(&self->out->arena, (const char *)self->text.data + found->from + 1, size);
}

/* The value of a key that the clause gives elsewhere; NULL: none. */
static const char *given(const weir_completion *self, const char *key)
{
    for (size_t i = 0; i + 2 < self->count; i++) {
        if (self->pieces[i].kind == WEIR_PIECE_STRING && self->pieces[i + 2].kind == WEIR_PIECE_STRING &&
            weir_completion_is(self, i + 1, "=") && strcmp(string_at(self, i), key) == 0) {
            return string_at(self, i + 2);
        }
    }
    return NULL;
}

/* ---- keys ---- */

static const weir_connect_kind *find_kind(const weir_connect_kind *kinds, size_t count, const char *name)
{
    for (size_t i = 0; name != NULL && i < count; i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            return &kinds[i];
        }
    }
    return NULL;
}

static void add_options(weir_completion *self, const weir_option *options, size_t count, const char *prefix,
                        const char *suffix)
{
    for (size_t i = 0; i < count; i++) {
        if (options[i].support != WEIR_OPTION_REFUSED && options[i].support != WEIR_OPTION_UNREAD) {
            const char *key = weir_arena_format(&self->out->arena, "%s%s", prefix, options[i].key);
            weir_completion_add(self, key, suffix);
        }
    }
}

static void add_table_keys(weir_completion *self, const char *suffix)
{
    const weir_connect_kind *connector = find_kind(weir_connectors, weir_connector_count, given(self, "connector"));
    const weir_connect_kind *format = find_kind(weir_formats, weir_format_count, given(self, "format"));
    if (connector != NULL) {
        add_options(self, connector->options, connector->option_count, "", suffix);
    }
    if (format != NULL) {
        const char *prefix = weir_arena_format(&self->out->arena, "%s.", format->name);
        add_options(self, format->options, format->option_count, prefix, suffix);
    }
    if (connector == NULL) {
        weir_completion_add(self, "connector", suffix);
        add_options(self, weir_table_options, weir_table_option_count, "", suffix);
    }
}

static void add_keys(weir_completion *self, string_place place, const char *suffix)
{
    if (place == SETTING) {
        for (size_t i = 0; i < weir_settings_count; i++) {
            if (!weir_settings_table[i].is_refused) {
                weir_completion_add(self, weir_settings_table[i].key, suffix);
            }
        }
    } else if (place == CATALOG_OPTION) {
        weir_completion_add(self, "type", suffix);
        weir_completion_add(self, "warehouse", suffix);
        weir_completion_add(self, "default-database", suffix);
    } else {
        add_table_keys(self, suffix);
    }
}

/* ---- values ---- */

static void add_texts(weir_completion *self, const char *const *texts, const char *suffix)
{
    for (; texts != NULL && *texts != NULL; texts++) {
        weir_completion_add(self, *texts, suffix);
    }
}

static void add_kinds(weir_completion *self, const weir_connect_kind *kinds, size_t count, const char *suffix)
{
    for (size_t i = 0; i < count; i++) {
        if (kinds[i].refusal == NULL) {
            weir_completion_add(self, kinds[i].name, suffix);
        }
    }
}

static const char *const truths[] = {"true", "false", NULL};

static void add_setting_values(weir_completion *self, const char *key, const char *suffix)
{
    const weir_setting *setting = weir_setting_find(key);
    if (setting == NULL) {
        return;
    }
    add_texts(self, setting->type == WEIR_SETTING_BOOLEAN ? truths : setting->values, suffix);
    if (setting->default_value != NULL) {
        weir_completion_add(self, setting->default_value, suffix);
    }
}

static const weir_option *find_option(const weir_completion *self, const char *key)
{
    const weir_connect_kind *connector = find_kind(weir_connectors, weir_connector_count, given(self, "connector"));
    const weir_connect_kind *format = find_kind(weir_formats, weir_format_count, given(self, "format"));
    for (size_t i = 0; connector != NULL && i < connector->option_count; i++) {
        if (strcmp(connector->options[i].key, key) == 0) {
            return &connector->options[i];
        }
    }
    size_t prefix = format == NULL ? 0 : strlen(format->name);
    for (size_t i = 0; format != NULL && i < format->option_count; i++) {
        if (strncmp(key, format->name, prefix) == 0 && key[prefix] == '.' &&
            strcmp(format->options[i].key, key + prefix + 1) == 0) {
            return &format->options[i];
        }
    }
    return connector == NULL ? weir_option_find(key) : NULL;
}

static void add_option_values(weir_completion *self, const char *key, const char *suffix)
{
    if (strcmp(key, "connector") == 0) {
        add_kinds(self, weir_connectors, weir_connector_count, suffix);
    } else if (strcmp(key, "format") == 0) {
        add_kinds(self, weir_formats, weir_format_count, suffix);
    } else if (strcmp(key, "path") == 0 || strcmp(key, "warehouse") == 0) {
        weir_complete_files(self->word, suffix, self->out);
    } else {
        const weir_option *option = find_option(self, key);
        if (option == NULL) {
            return;
        }
        add_texts(self, option->type == WEIR_OPTION_BOOLEAN ? truths : option->values, suffix);
        if (option->default_value != NULL) {
            weir_completion_add(self, option->default_value, suffix);
        }
    }
}

static void add_values(weir_completion *self, string_place place, const char *key, const char *suffix)
{
    static const char *const catalog_types[] = {"paimon", "generic_in_memory", NULL};
    if (place == SETTING) {
        add_setting_values(self, key, suffix);
    } else if (place == CATALOG_OPTION && strcmp(key, "type") == 0) {
        add_texts(self, catalog_types, suffix);
    } else {
        add_option_values(self, key, suffix);
    }
}

bool weir_completion_in_string(weir_completion *self)
{
    if (self->at == self->count) {
        return false;
    }
    const weir_piece *piece = &self->pieces[self->at];
    bool is_inside =
        piece->kind == WEIR_PIECE_STRING && piece->from < self->cursor && (piece->to > self->cursor || piece->is_open);
    if (!is_inside) {
        return false;
    }
    string_place place = place_of(self);
    bool is_value = self->at >= 2 && weir_completion_is(self, self->at - 1, "=");
    self->out->word_from = piece->from + 1;
    self->word = weir_arena_strndup(&self->out->arena, (const char *)self->text.data + piece->from + 1,
                                    self->cursor - piece->from - 1);
    if (place == OTHER_STRING) {
        if (weir_completion_is(self, 0, "CALL")) {
            weir_completion_add_tables(self); /* most procedures begin with one */
        }
        return true;
    }
    if (is_value) {
        add_values(self, place, string_at(self, self->at - 2), piece->is_open ? "'" : "");
    } else {
        add_keys(self, place, !piece->is_open ? "" : weir_completion_is(self, 0, "RESET") ? "'" : "' = '");
    }
    return true;
}
