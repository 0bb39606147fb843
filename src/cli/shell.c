/* weir sql on a terminal: asks for statements, line by line, with history. */
#include "cli/script.h"

#include <histedit.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "cli/interrupt.h"
#include "sql/parser.h"

#define HISTORY_SIZE 1000

static const char *prompt = "weir> ";

static char *give_prompt(EditLine *editor)
{
    (void)editor;
    return (char *)prompt;
}

static const char shell_help[] = "Statements end with a semicolon. Besides SQL there are:\n"
                                 "  help    this text\n"
                                 "  quit    leaves (also exit, or Ctrl-D)\n"
                                 "First steps\n"
                                 "  CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = './lake');\n"
                                 "  USE CATALOG lake;\n"
                                 "  SHOW TABLES;\n";

/* A word that is a command of the shell; *out_leaves: it ends it. */
static bool run_shell_command(const char *line, bool *out_leaves)
{
    char word[16];
    size_t size = strcspn(line, "; \t\r\n");
    if (size == 0 || size >= sizeof word || line[size + strspn(line + size, "; \t\r\n")] != '\0') {
        return false;
    }
    memcpy(word, line, size);
    word[size] = '\0';
    if (weir_text_equal_ignore_case(word, "quit") || weir_text_equal_ignore_case(word, "exit")) {
        *out_leaves = true;
        return true;
    }
    if (weir_text_equal_ignore_case(word, "help")) {
        fputs(shell_help, stderr);
        return true;
    }
    return false;
}

/* The next line; NULL: the end of input. *out_interrupted: Ctrl-C took it back. */
static const char *read_line(EditLine *editor, int *out_size, bool *out_interrupted)
{
    weir_interrupt_begin_prompt();
    const char *line = el_gets(editor, out_size);
    *out_interrupted = weir_interrupt_end_prompt();
    return *out_size > 0 ? line : NULL;
}

/* Statements are run when the text read so far is complete. */
static void read_statements(weir_cli_console *console, EditLine *editor, History *past)
{
    weir_buffer text = {0};
    HistEvent event;
    int size = 0;
    bool leaves = false, interrupted = false;
    while (!leaves) {
        const char *line = read_line(editor, &size, &interrupted);
        if (interrupted) {
            fputc('\n', stderr);
            el_reset(editor);
            weir_buffer_clear(&text);
            prompt = "weir> ";
            continue;
        }
        if (line == NULL) {
            fputc('\n', stderr);
            break;
        }
        if (text.size == 0 && (line[0] == '\n' || run_shell_command(line, &leaves))) {
            continue;
        }
        weir_buffer_append(&text, line, (size_t)size);
        const char *whole = weir_buffer_text(&text);
        if (weir_script_incomplete(whole, text.size)) {
            prompt = "   -> ";
            continue;
        }
        prompt = "weir> ";
        history(past, &event, H_ENTER, whole);
        weir_cli_run_text(console, NULL, whole, text.size);
        weir_buffer_clear(&text);
    }
    weir_buffer_free(&text);
}

int weir_cli_shell(weir_cli_console *console)
{
    const char *home = getenv("HOME");
    char *path = weir_format("%s/.weir_history", home != NULL ? home : ".");
    HistEvent event;
    History *past = history_init();
    EditLine *editor = el_init("weir", stdin, stdout, stderr);
    if (past == NULL || editor == NULL) {
        fputs("weir: this terminal cannot be used for a shell; give statements with -e or -f\n", stderr);
        free(path);
        return WEIR_CLI_FAILED;
    }
    history(past, &event, H_SETSIZE, HISTORY_SIZE);
    history(past, &event, H_SETUNIQUE, 1);
    history(past, &event, H_LOAD, path);
    el_set(editor, EL_PROMPT, give_prompt);
    el_set(editor, EL_EDITOR, "emacs");
    el_set(editor, EL_HIST, history, past);
    el_source(editor, NULL);
    fprintf(stderr, "weir %s. Statements end with a semicolon; help shows more, quit leaves.\n", weir_version());
    read_statements(console, editor, past);
    history(past, &event, H_SAVE, path);
    history_end(past);
    el_end(editor);
    free(path);
    return WEIR_CLI_DONE;
}
