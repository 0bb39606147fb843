/* The program `weir`: finds the command and runs it. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/cli.h"
#include "cli/output.h"

static void print_overview(FILE *to)
{
    fputs("Weir runs Flink SQL over Apache Paimon tables, in one process.\n"
          "\n"
          "Usage\n"
          "  weir COMMAND [arguments]\n"
          "\n"
          "Commands\n",
          to);
    for (size_t i = 0; i < weir_cli_command_count; i++) {
        const weir_cli_command *command = &weir_cli_commands[i];
        fprintf(to, "  %-10s  %s\n", command->name, command->summary);
    }
    fputs("\n"
          "  weir COMMAND --help    what a command takes, with examples\n"
          "  weir --version\n"
          "\n"
          "First steps\n"
          "  weir sql                              a shell; HELP says more\n"
          "  weir sql -e \"SELECT 1 + 1 AS two\"\n"
          "\n"
          "  weir sql -e \"\n"
          "    CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = './lake');\n"
          "    USE CATALOG lake;\n"
          "    CREATE TABLE users (id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('bucket' = '1');\n"
          "    INSERT INTO users VALUES (1, 'Ada'), (2, 'Bob');\n"
          "    SELECT * FROM users\"\n"
          "\n"
          "  weir dump ./lake/default.db/users --sort\n"
          "\n"
          "Results go to standard output, everything else to standard error.\n"
          "Exit status: 0 done, 1 a statement or a job failed, 2 the command line is wrong, 124 out of time,\n"
          "130 interrupted.\n",
          to);
}

static const weir_cli_command *find_command(const char *word)
{
    for (size_t i = 0; i < weir_cli_command_count; i++) {
        if (strcmp(weir_cli_commands[i].name, word) == 0) {
            return &weir_cli_commands[i];
        }
    }
    return NULL;
}

static int unknown_command(const char *word)
{
    const char *names[16];
    size_t count = 0;
    for (; count < weir_cli_command_count && count < sizeof names / sizeof *names; count++) {
        names[count] = weir_cli_commands[count].name;
    }
    const char *near = weir_suggest(word, names, count);
    fprintf(stderr, "weir: there is no command '%s'%s%s%s\nSee weir --help.\n", word,
            near == NULL ? "" : "; did you mean '", near == NULL ? "" : near, near == NULL ? "" : "'?");
    return WEIR_CLI_USAGE;
}

int weir_cli_usage_error(const weir_cli_command *command, const weir_error *err)
{
    fprintf(stderr, "weir %s: %s\nSee weir %s --help.\n", command->name, err->message, command->name);
    return WEIR_CLI_USAGE;
}

static int run_command(const weir_cli_command *command, int count, char **words)
{
    if (weir_cli_wants_help(count, words)) {
        printf("weir %s %s\n%s", command->name, command->arguments, command->help);
        return WEIR_CLI_DONE;
    }
    return command->run(command, count, words);
}

/* A file opened while standard output is closed would take its number, and get what is printed. Opened for reading only,
 * writing fails, and is told. */
static void keep_standard_streams(void)
{
    for (int number = 0; number <= STDERR_FILENO; number++) {
        if (fcntl(number, F_GETFD) < 0) {
            int opened = open("/dev/null", number == STDERR_FILENO ? O_WRONLY : O_RDONLY);
            (void)opened; /* the lowest free number: this one */
        }
    }
}

/* weir help, or weir help COMMAND. */
static int show_help(const char *name)
{
    char *help[] = {(char *)"--help"};
    if (name == NULL) {
        print_overview(stdout);
        return WEIR_CLI_DONE;
    }
    const weir_cli_command *command = find_command(name);
    return command == NULL ? unknown_command(name) : run_command(command, 1, help);
}

static int run_words(int count, char **words)
{
    const char *first = words[0];
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0 || strcmp(first, "help") == 0) {
        return show_help(count > 1 ? words[1] : NULL);
    }
    if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0) {
        printf("weir %s\n", weir_version());
        return WEIR_CLI_DONE;
    }
    const weir_cli_command *command = find_command(first);
    return command == NULL ? unknown_command(first) : run_command(command, count - 1, words + 1);
}

int main(int count, char **words)
{
    weir_alloc_tune();
    keep_standard_streams();
    signal(SIGXFSZ, SIG_IGN); /* writing more than a limit allows is an error like any other, and told */
    if (count < 2) {
        print_overview(stderr);
        return WEIR_CLI_USAGE;
    }
    int status = run_words(count - 1, words + 1);
    weir_error err = {0};
    if (status == WEIR_CLI_DONE && weir_output_flush(stdout, &err) != WEIR_OK) {
        fprintf(stderr, "weir: %s\n", err.message);
        return WEIR_CLI_FAILED;
    }
    return status;
}
