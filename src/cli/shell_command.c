/* Commands of the shell itself: what SQL has no statement for. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/complete.h"
#include "cli/process.h"
#include "cli/shell.h"

#define MOST_EDITED_BYTES (16 << 20)

typedef struct command {
    const char *name;     /* after the backslash */
    const char *argument; /* for the help; "": none */
    const char *text;
    void (*run)(weir_shell *shell, const char *argument);
} command;

/* ---- switches ---- */

/* "on", "off", or nothing, which turns it over. False, after saying so, for anything else. */
static bool choose(const char *name, const char *argument, bool *value)
{
    if (argument[0] == '\0') {
        *value = !*value;
    } else if (weir_text_equal_ignore_case(argument, "on") || weir_text_equal_ignore_case(argument, "off")) {
        *value = weir_text_equal_ignore_case(argument, "on");
    } else {
        fprintf(stderr, "\\%s %s: expected on or off\n", name, argument);
        return false;
    }
    return true;
}

static void run_timing(weir_shell *shell, const char *argument)
{
    static const char *const key = "sql-client.display.print-time-cost";
    const char *setting = weir_session_setting(shell->console->session, key);
    bool on = setting != NULL && weir_text_equal_ignore_case(setting, "true");
    if (choose("timing", argument, &on)) {
        char *text = weir_format("SET '%s' = '%s'", key, on ? "true" : "false");
        weir_cli_run_text(shell->console, NULL, text, strlen(text));
        free(text);
    }
}

static void run_pager(weir_shell *shell, const char *argument)
{
    if (choose("pager", argument, &shell->console->pages)) {
        printf("The pager is %s.\n", shell->console->pages ? "on" : "off");
    }
}

static void run_expanded(weir_shell *shell, const char *argument)
{
    bool on = shell->console->format == WEIR_OUTPUT_VERTICAL;
    if (choose("x", argument, &on)) {
        shell->console->format = on ? WEIR_OUTPUT_VERTICAL : WEIR_OUTPUT_TABLE;
        printf("Results are shown as %s.\n", on ? "a line a value" : "tables");
    }
}

/* ---- where results go, and how ---- */

static void run_format(weir_shell *shell, const char *argument)
{
    if (argument[0] == '\0') {
        printf("The format is %s.\n", weir_output_format_name(shell->console->format));
    } else if (!weir_output_format_parse(argument, &shell->console->format)) {
        const char *near = weir_suggest(argument, weir_output_format_names, weir_output_format_count);
        fprintf(stderr, "\\format %s: expected " WEIR_OUTPUT_FORMATS "%s%s%s\n", argument,
                near == NULL ? "" : "; did you mean '", near == NULL ? "" : near, near == NULL ? "" : "'?");
    }
}

static void run_output(weir_shell *shell, const char *argument)
{
    weir_error err = {0};
    if (weir_cli_console_redirect(shell->console, argument[0] == '\0' ? NULL : argument, &err) == WEIR_OK) {
        printf("Results go to %s.\n", argument[0] == '\0' ? "the terminal" : argument);
    } else {
        fprintf(stderr, "%s\n", err.message);
    }
}

static void run_file(weir_shell *shell, const char *argument)
{
    if (argument[0] == '\0') {
        fputs("\\i needs the name of a file with statements\n", stderr);
    } else {
        weir_cli_run_file(shell->console, argument);
    }
}

/* ---- the editor ---- */

/* Runs $VISUAL or $EDITOR on a file, and waits for it. */
static bool run_editor(const char *path)
{
    const char *given = getenv("VISUAL");
    given = given != NULL && given[0] != '\0' ? given : getenv("EDITOR");
    char *line = weir_format("%s '%s'", given != NULL && given[0] != '\0' ? given : "vi", path);
    int process;
    bool done = weir_process_start(line, -1, &process) && weir_process_wait(process) == 0;
    free(line);
    return done;
}

static bool read_back(const char *path, weir_buffer *out)
{
    FILE *file = fopen(path, "rb");
    char piece[4096];
    size_t size;
    if (file == NULL) {
        return false;
    }
    while (out->size < MOST_EDITED_BYTES && (size = fread(piece, 1, sizeof piece, file)) > 0) {
        weir_buffer_append(out, piece, size);
    }
    fclose(file);
    while (out->size > 0 && isspace(out->data[out->size - 1])) {
        out->size--;
    }
    return out->size > 0 && weir_utf8_valid(weir_buffer_slice(out)) && memchr(out->data, '\0', out->size) == NULL;
}

/* What was edited stands at the next prompt, so that it is seen before it runs. */
static void run_edit(weir_shell *shell, const char *argument)
{
    const char *folder = getenv("TMPDIR");
    char *path = weir_format("%s/weir-XXXXXX.sql", folder != NULL && folder[0] == '/' ? folder : "/tmp");
    int file = mkstemps(path, 4);
    (void)argument;
    if (file < 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        free(path);
        return;
    }
    bool written = write(file, shell->last.data, shell->last.size) == (ssize_t)shell->last.size;
    written = close(file) == 0 && written;
    weir_buffer_clear(&shell->initial);
    if (!written || !run_editor(path) || !read_back(path, &shell->initial)) {
        fputs("The text was not taken over.\n", stderr);
        weir_buffer_clear(&shell->initial);
    }
    unlink(path);
    free(path);
}

/* ---- leaving and helping ---- */

static void run_quit(weir_shell *shell, const char *argument)
{
    (void)argument;
    shell->leaves = true;
}

static void run_clear(weir_shell *shell, const char *argument)
{
    (void)shell;
    (void)argument;
    fputs("\033[H\033[2J", stdout);
    fflush(stdout);
}

static void run_help(weir_shell *shell, const char *argument);

static const command commands[] = {
    {"?", "", "this text", run_help},
    {"e", "", "edits the last statement in $EDITOR", run_edit},
    {"format", "[FORMAT]", "of results: " WEIR_OUTPUT_FORMATS, run_format},
    {"i", "FILE", "runs the statements of a file", run_file},
    {"o", "[FILE]", "writes results to a file; without one, to the screen", run_output},
    {"pager", "[on|off]", "shows what is longer than the screen with $PAGER", run_pager},
    {"q", "", "leaves (also Ctrl-D)", run_quit},
    {"timing", "[on|off]", "says how long statements took", run_timing},
    {"x", "[on|off]", "shows wide rows with a line a value", run_expanded},
    /* The longer names that people know from elsewhere. */
    {"help", NULL, NULL, run_help},
    {"quit", NULL, NULL, run_quit},
    {"edit", NULL, NULL, run_edit},
};

static void run_help(weir_shell *shell, const char *argument)
{
    (void)shell;
    (void)argument;
    puts("Statements end with a semicolon and may have several lines. Without one:\n"
         "  QUIT, EXIT, CLEAR   leave; clear the screen");
    for (size_t i = 0; i < sizeof commands / sizeof *commands && commands[i].text != NULL; i++) {
        char *shown = weir_format("\\%s %s", commands[i].name, commands[i].argument);
        printf("  %-18s  %s\n", shown, commands[i].text);
        free(shown);
    }
    puts("Keys\n"
         "  Tab                 completes keywords, names, functions, options and values\n"
         "  Up, Down            move in the statement, then through earlier ones\n"
         "  Ctrl-R              searches earlier statements\n"
         "  Ctrl-C              stops what runs, or drops what was typed\n"
         "  Alt-Enter           begins a line where Enter would run the statement\n"
         "First steps\n"
         "  CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = './lake');\n"
         "  USE CATALOG lake;\n"
         "  SHOW TABLES; DESCRIBE users; SELECT * FROM users LIMIT 10;");
    fflush(stdout);
}

/* ---- finding them ---- */

/* The words of Flink's client, which need neither semicolon nor backslash. */
static const struct {
    const char *word;
    void (*run)(weir_shell *shell, const char *argument);
} words[] = {{"quit", run_quit}, {"exit", run_quit}, {"clear", run_clear}, {"help", run_help}};

static int find_word(const char *text)
{
    size_t size = strcspn(text, "; \t\r\n");
    if (text[size + strspn(text + size, "; \t\r\n")] != '\0') {
        return -1;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i].word) == size && strncasecmp(words[i].word, text, size) == 0) {
            return (int)i;
        }
    }
    return -1;
}

/* What people who come from other shells type, and what does it here. */
static const char *const elsewhere[][2] = {
    {".quit", "\\q"},
    {".exit", "\\q"},
    {".help", "\\?"},
    {".tables", "SHOW TABLES;"},
    {".databases", "SHOW DATABASES;"},
    {".schema", "SHOW CREATE TABLE t;"},
    {".read", "\\i FILE"},
    {".output", "\\o FILE"},
    {".mode", "\\format FORMAT"},
    {".timer", "\\timing"},
    {".edit", "\\e"},
    {".columns", "\\x"},
    {"\\d", "DESCRIBE t;"},
    {"\\dt", "SHOW TABLES;"},
    {"\\l", "SHOW DATABASES;"},
    {"\\c", "USE database;"},
    {"\\df", "SHOW FUNCTIONS;"},
    {"\\set", "SET 'key' = 'value';"},
};

static const char *find_elsewhere(const char *word)
{
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
        if (strcmp(elsewhere[i][0], word) == 0) {
            return elsewhere[i][1];
        }
    }
    return NULL;
}

bool weir_shell_is_command(const char *text, size_t size)
{
    bool has_dot = size > 1 && text[0] == '.' && isalpha((unsigned char)text[1]);
    return text[0] == '\\' || has_dot || find_word(text) >= 0;
}

static void unknown_command(const char *word)
{
    const char *here = find_elsewhere(word);
    const char *names[sizeof commands / sizeof *commands];
    size_t count = 0;
    for (; count < sizeof commands / sizeof *commands; count++) {
        names[count] = commands[count].name;
    }
    if (here != NULL) {
        fprintf(stderr, "there is no command %s; here it is %s\n", word, here);
        return;
    }
    const char *near = weir_suggest(word + 1, names, count);
    fprintf(stderr, "there is no command %s; %s%s%s\n", word, near == NULL ? "\\? lists them" : "did you mean \\",
            near == NULL ? "" : near, near == NULL ? "" : "?");
}

void weir_shell_run_command(weir_shell *shell, const char *text)
{
    if (find_word(text) >= 0) {
        words[find_word(text)].run(shell, "");
        return;
    }
    size_t size = strcspn(text, " \t\r\n;");
    char *word = weir_strndup(text, size);
    const char *rest = text + size;
    rest += strspn(rest, " \t\r\n;");
    size_t length = strlen(rest);
    while (length > 0 && strchr(" \t\r\n;", rest[length - 1]) != NULL) {
        length--;
    }
    char *argument = weir_strndup(rest, length);
    const command *found = NULL;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        found = text[0] == '\\' && strcmp(commands[i].name, word + 1) == 0 ? &commands[i] : found;
    }
    if (found != NULL) {
        found->run(shell, argument);
    } else {
        unknown_command(word);
    }
    free(word);
    free(argument);
}

/* ---- completing them ---- */

static void add(weir_candidates *out, const char *text, const char *prefix, const char *suffix)
{
    if (strncmp(text, prefix, strlen(prefix)) == 0) {
        WEIR_GROW(out->items, out->capacity, out->count + 1);
        out->items[out->count++] = (weir_candidate){.text = text, .suffix = suffix};
    }
}

void weir_shell_complete_command(weir_slice text, size_t cursor, weir_candidates *out)
{
    const char *line = weir_arena_strndup(&out->arena, (const char *)text.data, cursor);
    const char *blank = strpbrk(line, " \t");
    if (blank == NULL) {
        out->word_from = 1;
        for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
            add(out, commands[i].name, line + 1,
                commands[i].text != NULL && commands[i].argument[0] != '\0' ? " " : "");
        }
        return;
    }
    const char *argument = blank + strspn(blank, " \t");
    out->word_from = (size_t)(argument - line);
    if (strncmp(line, "\\format ", 8) == 0) {
        for (size_t i = 0; i < weir_output_format_count; i++) {
            add(out, weir_output_format_names[i], argument, "");
        }
    } else if (strncmp(line, "\\i ", 3) == 0 || strncmp(line, "\\o ", 3) == 0) {
        weir_complete_files(argument, "", out);
    } else {
        add(out, "on", argument, "");
        add(out, "off", argument, "");
    }
}
