/* One call of the table tool: a command's words and options, and where its output goes.
 *
 *   weir_table_tool.c   the program: one command, or a batch of them from standard input
 *   tool_create.c       create
 *   tool_write.c        write, compact, expire, truncate
 *   tool_read.c         dump, snapshots, files
 *
 * Commands take the arguments of the Java peer's and print what it prints, so that scripts drive both alike. */
#ifndef WEIR_TESTS_TABLE_TOOL_H
#define WEIR_TESTS_TABLE_TOOL_H

#include "base/json.h"
#include "table/table.h"

typedef struct tool_call {
    weir_arena arena; /* lives as long as the call */
    weir_pool *pool;
    const char **words; /* after the command's name, without options */
    size_t word_count;
    const char **names; /* of options, without their dashes; an option of two values stands here twice */
    const char **values;
    size_t option_count;
} tool_call;

/* Word `i`; a missing one is WEIR_INVALID, which tells what it should be. */
int tool_word(const tool_call *call, size_t i, const char *what, const char **out, weir_error *err);
const char *tool_option(const tool_call *call, const char *name); /* the last value, or NULL */
bool tool_has(const tool_call *call, const char *name);
int tool_number(const tool_call *call, const char *name, int64_t *out, weir_error *err); /* stays when not given */

/* Opens the table that word 0 names, with --branch and the --option pairs. */
int tool_open_table(tool_call *call, const weir_options *more, bool for_stream, weir_table **out, weir_error *err);

int tool_create(tool_call *call, weir_error *err);
int tool_write(tool_call *call, weir_error *err);
int tool_close_session(tool_call *call, weir_error *err);
int tool_compact(tool_call *call, weir_error *err);
int tool_expire(tool_call *call, weir_error *err);
int tool_truncate(tool_call *call, weir_error *err);
int tool_dump(tool_call *call, weir_error *err);
int tool_snapshots(tool_call *call, weir_error *err);
int tool_files(tool_call *call, weir_error *err);

void tool_close_sessions(void);

#endif
