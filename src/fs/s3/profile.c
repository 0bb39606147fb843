/* Profile files of AWS's programs:
 *
 *   [name]
 *   key = value      # lines that begin with # or ; are comments
 *     nested = 1     indented: belongs to the key above, and is passed over
 */
#include "fs/s3/profile.h"

#include <stdlib.h>
#include <string.h>

#include "fs/fs.h"

/* ---- the text ---- */

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t')) {
        at++;
    }
    return at;
}

static const char *trim_end(const char *start, const char *end)
{
    while (end > start && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) {
        end--;
    }
    return end;
}

static bool is_text(const char *start, const char *end, const char *text)
{
    return (size_t)(end - start) == strlen(text) && memcmp(start, text, (size_t)(end - start)) == 0;
}

/* Whether "[ section ]" names it; blanks inside count as one. */
static bool is_section(const char *start, const char *end, const char *section)
{
    start = skip_blanks(start + 1, end);
    const char *close = memchr(start, ']', (size_t)(end - start));
    return close != NULL && is_text(start, trim_end(start, close), section);
}

static const char *value_in(const char *text, const char *section, const char *key, weir_arena *arena)
{
    bool inside = false;
    const char *found = NULL;
    for (const char *line = text; *line != '\0';) {
        const char *end = line + strcspn(line, "\n");
        const char *equals = memchr(line, '=', (size_t)(end - line));
        if (*line == '[') {
            inside = is_section(line, end, section);
        } else if (inside && equals != NULL && *line != '#' && *line != ';' && *line != ' ' && *line != '\t' &&
                   is_text(line, trim_end(line, equals), key)) {
            const char *value = skip_blanks(equals + 1, end);
            found = weir_arena_strndup(arena, value, (size_t)(trim_end(value, end) - value));
        }
        line = end + (*end == '\n');
    }
    return found;
}

/* ---- the files ---- */

const char *weir_s3_environment(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

/* A small file of the user; "" when it cannot be read. */
static const char *read_user_file(const char *variable, const char *name, weir_arena *arena)
{
    const char *path = weir_s3_environment(variable);
    const char *home = weir_s3_environment("HOME");
    weir_buffer text = {0};
    if (path == NULL && home != NULL) {
        path = weir_arena_format(arena, "%s/.aws/%s", home, name);
    }
    if (path == NULL || weir_fs_read_all(weir_fs_local(), path, &text, NULL) != WEIR_OK) {
        weir_buffer_clear(&text);
    }
    const char *copy = weir_arena_strndup(arena, weir_buffer_text(&text), text.size);
    weir_buffer_free(&text);
    return copy;
}

void weir_s3_profile_read(weir_arena *arena, weir_s3_profile *out)
{
    const char *name = weir_s3_environment("AWS_PROFILE");
    name = name == NULL ? weir_s3_environment("AWS_DEFAULT_PROFILE") : name;
    out->name = weir_arena_strdup(arena, name == NULL ? "default" : name);
    out->credentials_text = read_user_file("AWS_SHARED_CREDENTIALS_FILE", "credentials", arena);
    out->config_text = read_user_file("AWS_CONFIG_FILE", "config", arena);
}

/* The files name the sections of a profile differently. */
const char *weir_s3_profile_get(const weir_s3_profile *profile, const char *key, weir_arena *arena)
{
    const char *section = weir_arena_format(arena, "profile %s", profile->name);
    const char *value = value_in(profile->credentials_text, profile->name, key, arena);
    value = value == NULL ? value_in(profile->config_text, section, key, arena) : value;
    if (value == NULL && strcmp(profile->name, "default") == 0) {
        value = value_in(profile->config_text, "default", key, arena);
    }
    return value;
}
