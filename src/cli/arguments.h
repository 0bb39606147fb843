/* The command line of one command: options that it declares, and operands. */
#ifndef WEIR_CLI_ARGUMENTS_H
#define WEIR_CLI_ARGUMENTS_H

#include "base/base.h"
#include "meta/options.h"

typedef enum weir_cli_kind {
    WEIR_CLI_FLAG,   /* target: bool */
    WEIR_CLI_TEXT,   /* target: const char * */
    WEIR_CLI_TWO,    /* target: const char *[2] */
    WEIR_CLI_NUMBER, /* target: int64_t */
    WEIR_CLI_SIZE,   /* target: int64_t, bytes */
    WEIR_CLI_SECONDS, /* target: int64_t, milliseconds */
    WEIR_CLI_PAIRS,  /* target: weir_options; KEY=VALUE, may come several times */
    WEIR_CLI_TEXTS   /* target: weir_cli_texts; may come several times */
} weir_cli_kind;

typedef struct weir_cli_option {
    const char *name;       /* "--snapshot" */
    const char *short_name; /* "-e"; NULL: none */
    weir_cli_kind kind;
    void *target;
} weir_cli_option;

typedef struct weir_cli_texts {
    const char **items;
    size_t count;
    size_t capacity;
} weir_cli_texts; /* the array is malloc'd */

/* `words` are those after the command's name. A value may also be joined: --snapshot=3. After `--` all are operands.
 * Operands are borrowed from `words`. */
int weir_cli_parse(int count, char **words, const weir_cli_option *options, size_t option_count, weir_arena *arena,
                   weir_cli_texts *operands, weir_error *err);

/* Whether the words ask for help. */
bool weir_cli_wants_help(int count, char **words);

#endif
