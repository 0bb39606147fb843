/* Where the configuration of a Hadoop cluster is looked for, and its properties. */
#include "fs/hdfs/configuration.h"

#include <ctype.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "fs/fs.h"
#include "fs/hdfs/site_file.h"

/* Variables inside of variables, as deep as Hadoop follows them. */
#define DEEPEST_VARIABLE 20

static void set_property(void *argument, const char *name, const char *value)
{
    weir_hadoop_configuration *self = argument;
    size_t capacity = self->capacity;
    WEIR_GROW(self->names, self->capacity, self->count + 1);
    WEIR_GROW(self->values, capacity, self->count + 1);
    self->names[self->count] = weir_arena_strdup(self->arena, name);
    self->values[self->count] = weir_arena_strdup(self->arena, value);
    self->count++;
}

/* ---- files ---- */

static int read_file(weir_hadoop_configuration *self, const char *folder, const char *name, weir_error *err)
{
    weir_buffer text = {0};
    const char *path = weir_arena_format(self->arena, "%s/%s", folder, name);
    int code = weir_fs_read_all(weir_fs_local(), path, &text, err);
    if (code == WEIR_OK) {
        self->folder = folder;
        code = weir_site_file_read(weir_buffer_slice(&text), path, set_property, self, err);
    } else if (code == WEIR_NOT_FOUND) {
        code = WEIR_OK;
    }
    weir_buffer_free(&text);
    return code;
}

static int read_folder(weir_hadoop_configuration *self, const char *folder, weir_error *err)
{
    WEIR_TRY(read_file(self, folder, "core-site.xml", err));
    return read_file(self, folder, "hdfs-site.xml", err);
}

static int read_folders(weir_hadoop_configuration *self, const weir_fs_settings *settings, weir_error *err)
{
    const char *loader = weir_fs_setting(settings, "hadoop-conf-loader");
    bool from_environment = loader == NULL || strcmp(loader, "option") != 0;
    const char *home = from_environment ? getenv("HADOOP_HOME") : NULL;
    if (home != NULL && *home) {
        WEIR_TRY(read_folder(self, weir_arena_format(self->arena, "%s/conf", home), err));
        WEIR_TRY(read_folder(self, weir_arena_format(self->arena, "%s/etc/hadoop", home), err));
    }
    const char *option = weir_fs_setting(settings, "hadoop-conf-dir");
    if (option != NULL && *option && (loader == NULL || strcmp(loader, "env") != 0)) {
        WEIR_TRY_CTX(read_folder(self, weir_arena_strdup(self->arena, option), err), err, "option 'hadoop-conf-dir'");
    }
    const char *folder = from_environment ? getenv("HADOOP_CONF_DIR") : NULL;
    if (folder != NULL && *folder) {
        WEIR_TRY_CTX(read_folder(self, weir_arena_strdup(self->arena, folder), err), err, "HADOOP_CONF_DIR");
    }
    return WEIR_OK;
}

/* ---- options ---- */

static void take_options(weir_hadoop_configuration *self, const weir_fs_settings *settings)
{
    static const char *const prefixes[] = {"hadoop.", "fs.", "dfs."};
    for (size_t prefix = 0; settings != NULL && prefix < sizeof prefixes / sizeof *prefixes; prefix++) {
        size_t size = strlen(prefixes[prefix]);
        for (size_t i = 0; i < settings->count; i++) {
            if (strncmp(settings->keys[i], prefixes[prefix], size) == 0) {
                set_property(self, settings->keys[i] + (prefix == 0 ? size : 0), settings->values[i]);
            }
        }
    }
}

int weir_hadoop_configuration_load(const weir_fs_settings *settings, weir_arena *arena, weir_hadoop_configuration *out,
                                   weir_error *err)
{
    weir_hadoop_configuration loaded = {.arena = arena};
    int code = read_folders(&loaded, settings, err);
    if (code != WEIR_OK) {
        weir_hadoop_configuration_free(&loaded);
        return code;
    }
    take_options(&loaded, settings);
    *out = loaded;
    return WEIR_OK;
}

void weir_hadoop_configuration_free(weir_hadoop_configuration *configuration)
{
    free(configuration->names);
    free(configuration->values);
    *configuration = (weir_hadoop_configuration){0};
}

/* ---- values ---- */

const char *weir_hadoop_user_name(weir_arena *arena)
{
    const char *name = getenv("HADOOP_USER_NAME");
    if (name != NULL && *name) {
        return weir_arena_strdup(arena, name);
    }
    struct passwd entry, *found = NULL;
    char bytes[4096];
    if (getpwuid_r(geteuid(), &entry, bytes, sizeof bytes, &found) == 0 && found != NULL) {
        return weir_arena_strdup(arena, found->pw_name);
    }
    name = getenv("USER");
    return weir_arena_strdup(arena, name != NULL && *name ? name : "nobody");
}

static const char *raw_value(const weir_hadoop_configuration *self, const char *name)
{
    for (size_t i = self->count; i > 0; i--) {
        if (strcmp(self->names[i - 1], name) == 0) {
            return self->values[i - 1];
        }
    }
    return NULL;
}

/* What a variable stands for; NULL: nothing, so that it stays as it is written. */
static const char *variable_value(const weir_hadoop_configuration *self, const char *name)
{
    if (strcmp(name, "user.name") == 0) {
        return weir_hadoop_user_name(self->arena);
    }
    if (strcmp(name, "user.home") == 0) {
        return getenv("HOME");
    }
    return strncmp(name, "env.", 4) == 0 ? getenv(name + 4) : raw_value(self, name);
}

const char *weir_hadoop_configuration_get(const weir_hadoop_configuration *configuration, const char *name)
{
    const char *value = raw_value(configuration, name);
    for (int depth = 0; value != NULL && depth < DEEPEST_VARIABLE; depth++) {
        const char *begin = strstr(value, "${");
        const char *end = begin != NULL ? strchr(begin, '}') : NULL;
        if (end == NULL) {
            break;
        }
        const char *variable = weir_arena_strndup(configuration->arena, begin + 2, (size_t)(end - begin - 2));
        const char *inner = variable_value(configuration, variable);
        if (inner == NULL) {
            break;
        }
        value = weir_arena_format(configuration->arena, "%.*s%s%s", (int)(begin - value), value, inner, end + 1);
    }
    return value;
}

size_t weir_hadoop_split_list(const char *value, weir_arena *arena, const char ***out)
{
    size_t count = 0;
    const char **parts = WEIR_NEW_ARRAY(arena, const char *, strlen(value) / 2 + 1);
    for (const char *at = value; *at;) {
        size_t size = strcspn(at, ",");
        const char *begin = at;
        at += size + (at[size] == ',');
        while (size > 0 && isspace((unsigned char)begin[0])) {
            begin++;
            size--;
        }
        while (size > 0 && isspace((unsigned char)begin[size - 1])) {
            size--;
        }
        if (size > 0) {
            parts[count++] = weir_arena_strndup(arena, begin, size);
        }
    }
    *out = parts;
    return count;
}
