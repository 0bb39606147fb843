/* The table of commands with their help texts. */
#include "cli/cli.h"

/* What weir run and weir sql share. */
#define SESSION_OPTIONS                                                                                                \
    "  --format FORMAT    of results: table, vertical, csv, json or jsonl    (table)\n"                                \
    "  -o, --output FILE  writes results to FILE\n"                                                                    \
    "  --warehouse DIR    makes a Paimon catalog `paimon` over DIR and uses it\n"                                      \
    "  -D, --set K=V      as SET 'K' = 'V' would; may be given several times\n"                                        \
    "  --memory SIZE      most memory for buffers, such as 256MB or 4g       (half of the machine)\n"                  \
    "  --threads N        worker threads                                     (one per processor)\n"                    \
    "  --color WHEN       auto, always or never; NO_COLOR is heeded          (auto)\n"                                 \
    "  -q, --quiet        no messages, timings and progress\n"                                                         \
    "  --until-idle SEC   ends jobs that have had nothing to do for so long, readers after their writers\n"            \
    "  --timeout SEC      ends everything after so long\n"                                                             \
    "  --metrics-port N   serves figures for Prometheus on port N of this machine; 0.0.0.0:N: of all its addresses\n"

#define FORMATS                                                                                                        \
    "Formats\n"                                                                                                        \
    "  table     columns in a box; on a terminal cut to its width\n"                                                   \
    "  vertical  a line a value, for wide rows\n"                                                                      \
    "  csv       a header line, then RFC 4180; NULL is empty\n"                                                        \
    "  json      one array of objects a query\n"                                                                       \
    "  jsonl     an array of values a row: 1, \"text\", DECIMAL as \"1.50\", bytes in hex, "                           \
    "\"2024-02-29 12:34:56.789\"\n"

#define STATUSES                                                                                                       \
    "Exit status\n"                                                                                                    \
    "  0    all statements ran; jobs have ended, or were stopped by Ctrl-C, SIGTERM or SIGHUP with a last "            \
    "checkpoint\n"                                                                                                     \
    "  1    a statement or a job failed\n"                                                                             \
    "  2    the command line is wrong\n"                                                                               \
    "  124  --timeout ended it\n"                                                                                      \
    "  130  Ctrl-C came while statements ran; 143: SIGTERM did\n"

static const char run_help[] =
    "\n"
    "Runs the statements of a file of Flink SQL, one after the other; '-' reads standard input. Stops at the first\n"
    "statement that fails and shows where.\n"
    "\n"
    "An INSERT whose input ends is waited for. One whose input does not end runs on as a job beside the statements\n"
    "that follow, and the program waits for all jobs. Ctrl-C and SIGTERM stop them with a last checkpoint; a second\n"
    "signal ends the program at once.\n"
    "\n"
    "What is done and where jobs are is kept in a folder beside the script (FILE.sql.weir). However a run ended, the\n"
    "same command goes on from there: statements that are done are passed over, jobs go on exactly where they were.\n"
    "After a script has come to its end, it begins with its first statement again; jobs still go on.\n"
    "\n"
    "Options\n" SESSION_OPTIONS "  --state DIR        keeps that state in DIR\n"
    "  --fresh            forgets what an earlier run has left there\n"
    "\n" FORMATS "\n" STATUSES "\n"
    "Examples\n"
    "  weir run examples/orders/pipeline.sql\n"
    "  weir run report.sql --format csv --output report.csv\n"
    "  weir run load.sql --memory 512MB -D execution.runtime-mode=batch\n"
    "  weir run pipeline.sql --until-idle 5 --state /var/lib/pipeline\n";

static const char sql_help[] =
    "\n"
    "Runs SQL given by -e, from a file, or from standard input. On a terminal, and with none of these, it is a shell "
    "with\n"
    "history, completion by Tab and statements of several lines; HELP lists its commands.\n"
    "\n"
    "Options\n"
    "  -e, --execute SQL  runs these statements; may be given several times\n"
    "  -f, --file FILE    runs the statements of FILE\n"
    "  -i, --init FILE    runs the statements of FILE first: catalogs, settings\n" SESSION_OPTIONS "\n" FORMATS
    "\n" STATUSES "\n"
    "Environment\n"
    "  PAGER              shows results of the shell that are longer than the screen (less)\n"
    "  EDITOR, VISUAL     what \\e edits the last statement with               (vi)\n"
    "  WEIR_HISTORY       where statements of the shell are remembered; empty: nowhere\n"
    "                     ($XDG_STATE_HOME/weir/history, or ~/.local/state/weir/history)\n"
    "  NO_COLOR           any value: no colours\n"
    "\n"
    "Examples\n"
    "  weir sql --warehouse ./lake                              the shell\n"
    "  weir sql -i catalogs.sql                                 the same, with catalogs of your own\n"
    "  weir sql -e \"SELECT 1\"\n"
    "  weir sql --warehouse ./lake --format csv -o users.csv -e \"SELECT * FROM users\"\n"
    "  weir sql --warehouse ./lake --format jsonl -e \"SELECT * FROM users /*+ OPTIONS('scan.snapshot-id'='2') */\"\n"
    "  echo 'SELECT 1;' | weir sql\n";

static const char dump_help[] =
    "\n"
    "Prints the rows of a Paimon table, one JSON array a line.\n"
    "\n"
    "Options\n"
    "  --sort               sorts the lines by their bytes\n"
    "  --snapshot N         the rows as of snapshot N\n"
    "  --tag NAME           the rows as of a tag\n"
    "  --branch NAME        of a branch\n"
    "  --columns a,b        these columns only (not of changes)\n"
    "  --changelog FROM TO  the changes after snapshot FROM up to TO, the kind first: +I, -U, +U, -D\n"
    "  --stream FROM TO     what a streaming reader gets from snapshot FROM to TO; '-': the table's own start, the "
    "latest\n"
    "  --with-snapshot      with --stream: the number of the snapshot before the kind\n"
    "  --option KEY=VALUE   an option of the table for this reading; may be given several times\n"
    "\n"
    "Examples\n"
    "  weir dump ./lake/default.db/users --sort\n"
    "  weir dump ./lake/default.db/users --snapshot 2 --columns id,name\n"
    "  weir dump ./lake/default.db/orders --changelog 1 4\n"
    "  weir dump ./lake/default.db/orders --stream 1 - --with-snapshot\n";

static const char compact_help[] =
    "\n"
    "Compacts Paimon tables: each bucket into one sorted run, or small files of a table without a key into larger ones.\n"
    "Tables are named `table` or `database.table`, in the catalog that --warehouse or the statements of --init make\n"
    "current. Others may write to them meanwhile: what meets another compaction is dropped and done again.\n"
    "\n"
    "With --follow it stays and compacts as writers would do by themselves, for tables with 'write-only' = 'true'; it\n"
    "expires their snapshots, and makes the changelogs of lookup and of full compactions (a look at the tables counts as\n"
    "a commit for full-compaction.delta-commits). Ctrl-C and SIGTERM end it after the compaction at hand; a second\n"
    "signal, or a kill, at once: what it was at is begun anew by the next one.\n"
    "\n"
    "Options\n"
    "  --database NAME    all tables of a database that can be written; with --follow those made later, too\n"
    "  --partitions P     only these, such as 'dt=2024-01-01,hour=7;dt=2024-01-02'\n"
    "  --where CONDITION  only partitions that match, such as \"dt < '2024-01-01'\"\n"
    "  --minor            what writers would do by themselves, rather than everything\n"
    "  --follow           stays beside those who write\n"
    "  --interval SEC     with --follow: the time between two looks at the tables   (1)\n"
    "  --option K=V       an option of the tables for this; may be given several times\n"
    "  -i, --init FILE    runs the statements of FILE first: catalogs, settings\n" SESSION_OPTIONS "\n"
    "Examples\n"
    "  weir compact --warehouse ./lake orders\n"
    "  weir compact --warehouse ./lake dwd.orders --where \"dt < '2024-01-01'\"\n"
    "  weir compact --warehouse ./lake --database dwd --follow --memory 1GB --metrics-port 9249\n";

static const char completion_help[] =
    "\n"
    "Prints a script that completes commands and options of weir in a shell.\n"
    "\n"
    "Examples\n"
    "  source <(weir completion bash)                                           bash, for this shell\n"
    "  weir completion bash > ~/.local/share/bash-completion/completions/weir   bash, for all\n"
    "  weir completion zsh > \"${fpath[1]}/_weir\"                                zsh\n"
    "  weir completion fish > ~/.config/fish/completions/weir.fish              fish\n";

#define SESSION_WORDS                                                                                                  \
    "--format", "--output", "--warehouse", "--set", "--memory", "--threads", "--color", "--quiet", "--until-idle",     \
        "--metrics-port", "--timeout", "--help", NULL

static const char *const run_words[] = {"--state", "--fresh", SESSION_WORDS};
static const char *const sql_words[] = {"-e", "--execute", "-f", "--file", "-i", "--init", "-o", "-D", SESSION_WORDS};
static const char *const dump_words[] = {"--sort",    "--snapshot",  "--tag",    "--branch",
                                         "--columns", "--changelog", "--stream", "--with-snapshot",
                                         "--option",  "--help",      NULL};
static const char *const compact_words[] = {"--database", "--partitions", "--where", "--minor", "--follow", "--interval",
                                            "--option",   "-i",           "--init",  "-o",      "-D",       SESSION_WORDS};
static const char *const completion_words[] = {"bash", "zsh", "fish", "--help", NULL};

const weir_cli_command weir_cli_commands[] = {
    {"run", "FILE.sql [options]", "runs a file of SQL", run_help, run_words, weir_cli_run},
    {"sql", "[-e SQL | -f FILE] [options]", "runs SQL from the command line or a pipe; on a terminal, a shell",
     sql_help, sql_words, weir_cli_sql},
    {"dump", "TABLE_PATH [options]", "prints a table's rows or changes as JSON lines", dump_help, dump_words,
     weir_cli_dump},
    {"compact", "TABLE... [options]", "compacts tables, once or beside those who write them", compact_help,
     compact_words, weir_cli_compact},
    {"completion", "bash|zsh|fish", "prints a completion script for a shell", completion_help, completion_words,
     weir_cli_completion},
};
const size_t weir_cli_command_count = sizeof weir_cli_commands / sizeof *weir_cli_commands;
