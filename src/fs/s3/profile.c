/* Profile files of AWS's programs:
 *
 *   [name]
 *   key = value      # lines that begin with # or ; are comments
 *     nested = 1     indented: belongs to the key above, and is passed over
 */
#include <string.h>

#include "fs/s3/config.h"

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

const char *weir_s3_profile_value(const char *text, const char *section, const char *key, weir_arena *arena)
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
