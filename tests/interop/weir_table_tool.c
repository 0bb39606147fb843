/* Table operations from a command line, as the Java peer offers them: the Weir side of the interoperability tests.
 *
 *   weir_table_tool create WAREHOUSE DB TABLE SCHEMA.json
 *   weir_table_tool write TABLE FILE.jsonl [--commit-user U] [--commit-id N] [--compact] [--no-wait]
 *                   [--filter-committed] [--overwrite k=v,…] [--branch B] [--option k=v]… [--session NAME]
 *   weir_table_tool close NAME
 *   weir_table_tool compact TABLE [--minor] [--commit-user U] [--commit-id N] [--option k=v]…
 *   weir_table_tool expire TABLE MIN MAX
 *   weir_table_tool truncate TABLE
 *   weir_table_tool dump TABLE [--snapshot N] [--tag T] [--branch B] [--changelog FROM TO] [--stream FROM TO]
 *                   [--with-snapshot] [--sort] [--option k=v]…
 *   weir_table_tool snapshots TABLE, files TABLE [--snapshot N]
 *   weir_table_tool batch       commands from standard input, a JSON array of words a line; after each "#rc 0" or 1
 *
 * --session keeps the writer open between the writes of a batch, as a long job does; `close` ends it. */
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "table_tool.h"

static const struct {
    const char *name;
    int (*run)(tool_call *call, weir_error *err);
} commands[] = {
    {"create", tool_create},   {"write", tool_write},         {"close", tool_close_session},
    {"compact", tool_compact}, {"expire", tool_expire},       {"truncate", tool_truncate},
    {"dump", tool_dump},       {"snapshots", tool_snapshots}, {"files", tool_files},
};

/* Options by the number of their values; those that are not named here have one. */
static int option_arity(const char *name)
{
    static const char *const flags[] = {"compact", "no-wait", "filter-committed", "minor", "with-snapshot", "sort"};
    static const char *const pairs[] = {"changelog", "stream"};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (strcmp(flags[i], name) == 0) {
            return 0;
        }
    }
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (strcmp(pairs[i], name) == 0) {
            return 2;
        }
    }
    return 1;
}

int tool_word(const tool_call *call, size_t i, const char *what, const char **out, weir_error *err)
{
    if (i >= call->word_count) {
        return weir_fail(err, WEIR_INVALID, "%s is missing", what);
    }
    *out = call->words[i];
    return WEIR_OK;
}

const char *tool_option(const tool_call *call, const char *name)
{
    for (size_t i = call->option_count; i-- > 0;) {
        if (strcmp(call->names[i], name) == 0) {
            return call->values[i];
        }
    }
    return NULL;
}

bool tool_has(const tool_call *call, const char *name) { return tool_option(call, name) != NULL; }

int tool_number(const tool_call *call, const char *name, int64_t *out, weir_error *err)
{
    const char *text = tool_option(call, name);
    if (text != NULL && !weir_parse_int64(weir_slice_text(text), out)) {
        return weir_fail(err, WEIR_INVALID, "--%s %s: expected a number", name, text);
    }
    return WEIR_OK;
}

static int collect_options(tool_call *call, const weir_options *more, weir_options *out, weir_error *err)
{
    weir_options_merge(&call->arena, more, NULL, out);
    for (size_t i = 0; i < call->option_count; i++) {
        if (strcmp(call->names[i], "option") != 0) {
            continue;
        }
        const char *equals = strchr(call->values[i], '=');
        if (equals == NULL) {
            return weir_fail(err, WEIR_INVALID, "--option %s: expected key=value", call->values[i]);
        }
        const char *key = weir_arena_strndup(&call->arena, call->values[i], (size_t)(equals - call->values[i]));
        weir_options_set(out, &call->arena, key, equals + 1);
    }
    return WEIR_OK;
}

int tool_open_table(tool_call *call, const weir_options *more, bool for_stream, weir_table **out, weir_error *err)
{
    static const weir_options none;
    const char *path = NULL;
    weir_options options = {0};
    WEIR_TRY(tool_word(call, 0, "the table's path", &path, err));
    WEIR_TRY(collect_options(call, more != NULL ? more : &none, &options, err));
    weir_table_open_options open_options = {
        .dynamic_options = &options,
        .branch = tool_option(call, "branch"),
        .for_stream = for_stream,
        .pool = call->pool,
    };
    return weir_table_open(weir_fs_local(), path, &open_options, out, err);
}

/* Words and options, in any order. */
static int parse_call(tool_call *call, const char *const *arguments, size_t count, weir_error *err)
{
    call->words = WEIR_NEW_ARRAY(&call->arena, const char *, count + 1);
    call->names = WEIR_NEW_ARRAY(&call->arena, const char *, count + 1);
    call->values = WEIR_NEW_ARRAY(&call->arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++) {
        if (strncmp(arguments[i], "--", 2) != 0) {
            call->words[call->word_count++] = arguments[i];
            continue;
        }
        const char *name = arguments[i] + 2;
        int arity = option_arity(name);
        if (i + (size_t)arity >= count) {
            return weir_fail(err, WEIR_INVALID, "--%s needs a value", name);
        }
        for (int v = 0; v < (arity == 0 ? 1 : arity); v++) {
            call->names[call->option_count] = name;
            call->values[call->option_count++] = arity == 0 ? "" : arguments[++i];
        }
    }
    return WEIR_OK;
}

static int run_command(weir_pool *pool, const char *const *arguments, size_t count, weir_error *err)
{
    if (count == 0) {
        return weir_fail(err, WEIR_INVALID, "no command given");
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(commands[i].name, arguments[0]) == 0) {
            tool_call call = {.pool = pool};
            weir_arena_init(&call.arena);
            int code = parse_call(&call, arguments + 1, count - 1, err);
            if (code == WEIR_OK) {
                code = commands[i].run(&call, err);
            }
            weir_arena_free(&call.arena);
            return code;
        }
    }
    return weir_fail(err, WEIR_INVALID, "unknown command %s", arguments[0]);
}

static int run_line(weir_pool *pool, const char *line, weir_error *err)
{
    json_t *words = NULL;
    WEIR_TRY(weir_json_parse(weir_slice_text(line), "the command line", &words, err));
    size_t count = json_array_size(words);
    const char **arguments = weir_alloc_zeroed(count + 1, sizeof *arguments);
    int code = WEIR_OK;
    for (size_t i = 0; i < count; i++) {
        arguments[i] = json_string_value(json_array_get(words, i));
        if (arguments[i] == NULL) {
            code = weir_fail(err, WEIR_INVALID, "word %zu of the command is not a string", i);
        }
    }
    if (code == WEIR_OK) {
        code = run_command(pool, arguments, count, err);
    }
    free(arguments);
    json_decref(words);
    return code;
}

static void run_batch(weir_pool *pool)
{
    char *line = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, stdin) > 0) {
        weir_error err = {0};
        int code = run_line(pool, line, &err);
        if (code != WEIR_OK) {
            fprintf(stderr, "%s\n", err.message);
        }
        printf("#rc %d\n", code == WEIR_OK ? 0 : 1);
        fflush(stdout);
    }
    free(line);
}

int main(int count, char **words)
{
    weir_pool *pool = NULL;
    weir_error err = {0};
    int code = weir_pool_create(2, "tool", &pool, &err);
    if (code == WEIR_OK && count == 2 && strcmp(words[1], "batch") == 0) {
        run_batch(pool);
    } else if (code == WEIR_OK) {
        code = run_command(pool, (const char *const *)words + 1, (size_t)count - 1, &err);
    }
    if (code != WEIR_OK) {
        fprintf(stderr, "weir_table_tool: %s\n", err.message);
    }
    tool_close_sessions();
    weir_pool_free(pool);
    return code == WEIR_OK ? 0 : 1;
}
