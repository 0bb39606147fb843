/* Command lines: declared options, their values, operands, and suggestions for misspelt ones. */
#include "cli/arguments.h"

#include <stdlib.h>

#include "base/text.h"

bool weir_cli_wants_help(int count, char **words)
{
    for (int i = 0; i < count && strcmp(words[i], "--") != 0; i++) {
        if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0) {
            return true;
        }
    }
    return false;
}

static void append(weir_cli_texts *texts, const char *text)
{
    WEIR_GROW(texts->items, texts->capacity, texts->count + 1);
    texts->items[texts->count++] = text;
}

static int unknown_option(const char *word, const weir_cli_option *options, size_t count, weir_error *err)
{
    const char **names = weir_alloc_zeroed(count, sizeof *names);
    for (size_t i = 0; i < count; i++) {
        names[i] = options[i].name;
    }
    const char *near = weir_suggest(word, names, count);
    free(names);
    return weir_fail(err, WEIR_INVALID, "there is no option '%s'%s%s%s", word, near == NULL ? "" : "; did you mean '",
                     near == NULL ? "" : near, near == NULL ? "" : "'?");
}

/* The option that `word` names; a joined value is given back. */
static const weir_cli_option *find_option(const weir_cli_option *options, size_t count, const char *word,
                                          const char **joined)
{
    *joined = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t size = strlen(options[i].name);
        if (strcmp(options[i].name, word) == 0 ||
            (options[i].short_name != NULL && strcmp(options[i].short_name, word) == 0)) {
            return &options[i];
        }
        if (options[i].kind != WEIR_CLI_FLAG && strncmp(options[i].name, word, size) == 0 && word[size] == '=') {
            *joined = word + size + 1;
            return &options[i];
        }
        if (options[i].kind == WEIR_CLI_PAIRS && options[i].short_name != NULL &&
            strncmp(options[i].short_name, word, 2) == 0) { /* -Dkey=value, as in Flink's client */
            *joined = word + 2;
            return &options[i];
        }
    }
    return NULL;
}

static int set_pair(const weir_cli_option *option, const char *value, weir_arena *arena, weir_error *err)
{
    const char *equals = strchr(value, '=');
    if (equals == NULL || equals == value) {
        return weir_fail(err, WEIR_INVALID, "%s %s: expected KEY=VALUE", option->name, value);
    }
    const char *key = weir_arena_strndup(arena, value, (size_t)(equals - value));
    weir_options_set(option->target, arena, key, equals + 1);
    return WEIR_OK;
}

/* Seconds as a number, or a duration such as 2min. */
static int set_seconds(const weir_cli_option *option, const char *value, weir_error *err)
{
    char *end = NULL;
    double seconds = strtod(value, &end);
    int64_t ms = (int64_t)(seconds * 1000);
    bool is_number = end != value && *end == '\0' && seconds >= 0 && seconds < 1e9;
    if (!is_number && (!weir_parse_duration(value, &ms) || ms < 0)) {
        return weir_fail(err, WEIR_INVALID, "%s %s: expected seconds such as 10 or 0.5, or a duration such as 2min",
                         option->name, value);
    }
    *(int64_t *)option->target = ms;
    return WEIR_OK;
}

static int set_value(const weir_cli_option *option, const char *value, weir_arena *arena, weir_error *err)
{
    switch (option->kind) {
    case WEIR_CLI_TEXT:
        *(const char **)option->target = value;
        return WEIR_OK;
    case WEIR_CLI_TEXTS:
        append(option->target, value);
        return WEIR_OK;
    case WEIR_CLI_NUMBER:
        if (!weir_parse_int64(weir_slice_text(value), option->target) || *(int64_t *)option->target <= 0) {
            return weir_fail(err, WEIR_INVALID, "%s %s: expected a number above 0", option->name, value);
        }
        return WEIR_OK;
    case WEIR_CLI_SIZE:
        if (!weir_parse_size(value, option->target) || *(int64_t *)option->target <= 0) {
            return weir_fail(err, WEIR_INVALID, "%s %s: expected a size such as 256MB or 2g", option->name, value);
        }
        return WEIR_OK;
    case WEIR_CLI_SECONDS:
        return set_seconds(option, value, err);
    case WEIR_CLI_PAIRS:
        return set_pair(option, value, arena, err);
    case WEIR_CLI_FLAG:
    case WEIR_CLI_TWO:
        break;
    }
    return WEIR_OK;
}

/* Takes the option at words[*at] with its values; *at is left at its last word. */
static int take_option(const weir_cli_option *option, const char *joined, int count, char **words, int *at,
                       weir_arena *arena, weir_error *err)
{
    int wanted = option->kind == WEIR_CLI_FLAG ? 0 : option->kind == WEIR_CLI_TWO ? 2 : 1;
    if (option->kind == WEIR_CLI_FLAG) {
        *(bool *)option->target = true;
        return WEIR_OK;
    }
    if (joined != NULL && wanted == 1) {
        return set_value(option, joined, arena, err);
    }
    if (joined != NULL || count - *at <= wanted) {
        return weir_fail(err, WEIR_INVALID, "%s needs %s", option->name, wanted == 2 ? "two values" : "a value");
    }
    if (option->kind == WEIR_CLI_TWO) {
        ((const char **)option->target)[0] = words[*at + 1];
        ((const char **)option->target)[1] = words[*at + 2];
        *at += 2;
        return WEIR_OK;
    }
    *at += 1;
    return set_value(option, words[*at], arena, err);
}

int weir_cli_parse(int count, char **words, const weir_cli_option *options, size_t option_count, weir_arena *arena,
                   weir_cli_texts *operands, weir_error *err)
{
    bool only_operands = false;
    for (int i = 0; i < count; i++) {
        const char *joined = NULL;
        if (only_operands || words[i][0] != '-' || words[i][1] == '\0') {
            append(operands, words[i]);
        } else if (strcmp(words[i], "--") == 0) {
            only_operands = true;
        } else {
            const weir_cli_option *option = find_option(options, option_count, words[i], &joined);
            if (option == NULL) {
                return unknown_option(words[i], options, option_count, err);
            }
            WEIR_TRY(take_option(option, joined, count, words, &i, arena, err));
        }
    }
    return WEIR_OK;
}
