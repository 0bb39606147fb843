/* weir sql on a terminal: asks for statements, and runs them. */
#include "cli/shell.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/complete.h"
#include "cli/history.h"
#include "cli/interrupt.h"
#include "cli/jobs.h"
#include "sql/parser.h"

static bool is_complete(void *context, const char *text, size_t size)
{
    (void)context;
    return weir_shell_is_command(text, size) || !weir_script_incomplete(text, size);
}

static void complete(void *context, weir_slice text, size_t cursor, weir_candidates *out)
{
    const weir_shell *shell = context;
    if (text.size > 0 && text.data[0] == '\\') {
        weir_shell_complete_command(text, cursor, out);
    } else {
        weir_complete_sql(shell->console->session, text, cursor, out);
    }
}

/* Blanks and the line end that Enter left at the end. */
static void trim(weir_buffer *text)
{
    while (text->size > 0 && strchr(" \t\r\n", text->data[text->size - 1]) != NULL) {
        text->size--;
    }
}

static void run(weir_shell *shell, const weir_buffer *text)
{
    weir_buffer copy = {0};
    weir_buffer_append(&copy, text->data, text->size);
    const char *whole = weir_buffer_text(&copy);
    if (weir_shell_is_command(whole, copy.size)) {
        weir_shell_run_command(shell, whole);
    } else {
        weir_buffer_clear(&shell->last);
        weir_buffer_append(&shell->last, copy.data, copy.size);
        weir_editor_hush(true);
        weir_cli_run_text(shell->console, NULL, whole, copy.size);
        weir_editor_hush(false);
    }
    weir_buffer_free(&copy);
}

static void read_statements(weir_shell *shell, weir_editor *editor, weir_past *past)
{
    weir_buffer text = {0}, initial = {0};
    while (!shell->leaves) {
        weir_buffer_clear(&initial);
        weir_buffer_append(&initial, shell->initial.data, shell->initial.size);
        weir_buffer_clear(&shell->initial);
        weir_editor_event event = weir_editor_read(editor, initial.size > 0 ? weir_buffer_text(&initial) : NULL, &text);
        if (event == WEIR_EDITOR_END) {
            break;
        }
        trim(&text);
        if (event == WEIR_EDITOR_INTERRUPTED || text.size == 0) {
            continue;
        }
        const char *whole = weir_buffer_text(&text);
        weir_past_add(past, whole);
        weir_editor_remember(editor, whole);
        run(shell, &text);
        weir_cli_tell_ended_jobs(shell->console);
    }
    weir_buffer_free(&text);
    weir_buffer_free(&initial);
}

int weir_cli_shell(weir_cli_console *console)
{
    weir_shell shell = {.console = console};
    weir_editor_options options = {
        .prompt = "weir> ",
        .next_prompt = "   -> ",
        .has_colors = console->has_colors,
        .is_complete = is_complete,
        .complete = complete,
        .context = &shell,
    };
    weir_editor *editor = NULL;
    weir_past past;
    if (!weir_editor_open(&options, &editor)) {
        fputs("weir: this terminal cannot be used for a shell; give statements with -e or -f\n", stderr);
        return WEIR_CLI_FAILED;
    }
    weir_past_open(&past);
    for (size_t i = 0; i < past.count; i++) {
        weir_editor_remember(editor, past.statements[i]);
    }
    weir_interrupt_stay();
    console->pages = true;
    if (!console->progress.is_quiet) {
        printf("Weir %s: Flink SQL over Paimon tables. HELP for help, QUIT to leave.\n", weir_version());
    }
    read_statements(&shell, editor, &past);
    weir_session_stop_jobs(console->session, WEIR_JOB_STOP_CHECKPOINT);
    weir_past_close(&past);
    weir_editor_close(editor);
    weir_buffer_free(&shell.last);
    weir_buffer_free(&shell.initial);
    return WEIR_CLI_DONE;
}
