/* weir compact: the compaction of tables as a program of its own, once or beside those who write them. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/console.h"
#include "cli/interrupt.h"
#include "session/procedure/compaction_job.h"

enum {
    MOST_TRIES = 5,             /* of a compaction that others come before */
    DEFAULT_INTERVAL_MS = 1000, /* between two looks at the tables */
    NAP_MS = 20                 /* between two looks whether somebody asks for the end */
};

typedef struct compact_command {
    weir_cli_session_options session;
    weir_cli_texts tables;
    const char *init;
    const char *database;
    const char *partitions;
    const char *where;
    bool minor;
    bool follow;
    int64_t interval_ms;  /* between two looks at the tables; -1: the default */
    weir_options options; /* of the tables */
    /* While it runs. */
    weir_cli_console console;
    int64_t dropped;
} compact_command;

/* ---- telling ---- */

static void report(void *context, const weir_compaction_report *report)
{
    compact_command *self = context;
    const weir_compactor_round *round = report->round;
    weir_cli_progress_clear(&self->console.progress);
    if (report->failure != NULL) {
        fprintf(stderr, "weir: %s: %s; tried again\n", report->table, report->failure->message);
        self->dropped++;
        return;
    }
    if (round->dropped) {
        self->dropped++;
    }
    if (self->console.progress.is_quiet) {
        return;
    }
    if (round->dropped) {
        fprintf(stderr, "%s: others compacted the same files; tried again\n", report->table);
    } else {
        fprintf(stderr,
                "%s: snapshot %" PRId64 ", %" PRId64 " buckets, %" PRId64 " files to %" PRId64 ", %" PRId64
                " changelog files, %" PRId64 " ms\n",
                report->table, round->snapshot_id, round->buckets, round->files_before, round->files_after,
                round->changelog_files, round->duration_ms);
    }
}

static int say(compact_command *self, const weir_error *err)
{
    weir_cli_progress_clear(&self->console.progress);
    fprintf(stderr, "weir: %s\n", err->message);
    return WEIR_CLI_FAILED;
}

/* ---- once ---- */

/* ", name => 'text'", quotes doubled. */
static void append_argument(weir_buffer *to, const char *name, const char *text)
{
    if (text == NULL) {
        return;
    }
    weir_buffer_append_format(to, "%s%s => '", to->data[to->size - 1] == '(' ? "" : ", ", name);
    for (const char *c = text; *c != '\0'; c++) {
        weir_buffer_append_text(to, *c == '\'' ? "''" : (const char[]){*c, '\0'});
    }
    weir_buffer_append_byte(to, '\'');
}

static char *options_text(const weir_options *options)
{
    weir_buffer text = {0};
    for (size_t i = 0; i < options->count; i++) {
        weir_buffer_append_format(&text, "%s%s=%s", i > 0 ? "," : "", options->keys[i], options->values[i]);
    }
    char *copy = text.size > 0 ? weir_strdup(weir_buffer_text(&text)) : NULL;
    weir_buffer_free(&text);
    return copy;
}

/* CALL sys.compact of each table. */
static int compact_once(compact_command *self)
{
    int status = WEIR_CLI_DONE;
    char *options = options_text(&self->options);
    for (size_t i = 0; i < self->tables.count && status == WEIR_CLI_DONE; i++) {
        weir_buffer call = {0};
        weir_buffer_append_text(&call, "CALL sys.compact(");
        append_argument(&call, "`table`", self->tables.items[i]);
        append_argument(&call, "partitions", self->partitions);
        append_argument(&call, "`where`", self->where);
        append_argument(&call, "options", options);
        append_argument(&call, "compact_strategy", self->minor ? "minor" : NULL);
        weir_buffer_append_byte(&call, ')');
        status = weir_cli_run_text(&self->console, NULL, (const char *)call.data, call.size);
        weir_buffer_free(&call);
    }
    free(options);
    return status;
}

/* ---- following ---- */

/* Until the next look at the tables, or somebody asks for the end. */
static void wait_for_next(const compact_command *self)
{
    int64_t interval_ms = self->interval_ms < 0 ? DEFAULT_INTERVAL_MS : self->interval_ms;
    for (int64_t waited = 0; waited < interval_ms && weir_interrupt_asked() == 0; waited += NAP_MS) {
        weir_sleep_ms(NAP_MS);
    }
}

static int run_job(compact_command *self, weir_compaction_job *job, weir_error *err)
{
    int tries = 0;
    do {
        self->dropped = 0;
        WEIR_TRY(weir_compaction_job_run(job, report, self, err));
        if (self->follow) {
            wait_for_next(self);
        }
    } while (weir_interrupt_asked() == 0 && (self->follow || (self->dropped > 0 && ++tries < MOST_TRIES)));
    return self->follow || self->dropped == 0
               ? WEIR_OK
               : weir_fail(err, WEIR_CONFLICT, "some tables were not compacted; others come between all the time");
}

static int compact_tables(compact_command *self)
{
    weir_error err = {0};
    weir_compaction_job *job = NULL;
    weir_compaction_request request = {
        .tables = self->tables.items,
        .table_count = self->tables.count,
        .database = self->database,
        .full = !self->follow && !self->minor,
        .options = &self->options,
    };
    weir_interrupt_watch(self->console.session);
    int code = weir_compaction_job_open(self->console.session, &request, &job, &err);
    if (code == WEIR_OK) {
        code = run_job(self, job, &err);
    }
    weir_compaction_job_close(job);
    weir_interrupt_watch(NULL);
    int number = weir_interrupt_asked();
    return code != WEIR_OK ? say(self, &err) : number == SIGALRM ? weir_interrupt_status(number) : WEIR_CLI_DONE;
}

/* ---- the command ---- */

static int check(const compact_command *self, weir_error *err)
{
    if (self->tables.count == 0 && self->database == NULL) {
        return weir_fail(err, WEIR_INVALID, "name tables, or a database with --database");
    }
    if (self->tables.count > 0 && self->database != NULL) {
        return weir_fail(err, WEIR_INVALID, "--database takes all tables of '%s'; leave it out, or '%s'",
                         self->database, self->tables.items[0]);
    }
    if (self->session.warehouse == NULL && self->init == NULL) {
        return weir_fail(err, WEIR_INVALID, "say where the tables are: --warehouse DIR, or --init FILE with a catalog");
    }
    if ((self->follow || self->database != NULL) && (self->partitions != NULL || self->where != NULL)) {
        return weir_fail(err, WEIR_INVALID, "--partitions and --where go with tables that are compacted once");
    }
    if (self->follow && self->minor) {
        return weir_fail(err, WEIR_INVALID, "--follow compacts as writers would do by themselves; leave --minor out");
    }
    if (!self->follow && self->interval_ms >= 0) {
        return weir_fail(err, WEIR_INVALID, "--interval goes with --follow");
    }
    return WEIR_OK;
}

int weir_cli_compact(const weir_cli_command *command, int count, char **words)
{
    compact_command self = {
        .session = {.until_idle_ms = -1, .needs_warehouse = true}, .interval_ms = -1, .console = {.output = stdout}};
    const weir_cli_option options[] = {
        WEIR_CLI_SESSION_OPTIONS(self.session),
        {"--init", "-i", WEIR_CLI_TEXT, &self.init},
        {"--database", NULL, WEIR_CLI_TEXT, &self.database},
        {"--partitions", NULL, WEIR_CLI_TEXT, &self.partitions},
        {"--where", NULL, WEIR_CLI_TEXT, &self.where},
        {"--minor", NULL, WEIR_CLI_FLAG, &self.minor},
        {"--follow", NULL, WEIR_CLI_FLAG, &self.follow},
        {"--interval", NULL, WEIR_CLI_SECONDS, &self.interval_ms},
        {"--option", NULL, WEIR_CLI_PAIRS, &self.options},
    };
    weir_error err = {0};
    weir_arena arena;
    weir_arena_init(&arena);
    int code = weir_cli_parse(count, words, options, sizeof options / sizeof *options, &arena, &self.tables, &err);
    code = code == WEIR_OK ? check(&self, &err) : code;
    int status = code == WEIR_OK ? weir_cli_console_open(command, &self.session, &self.console)
                                 : weir_cli_usage_error(command, &err);
    if (status == WEIR_CLI_DONE && self.init != NULL) {
        status = weir_cli_run_file(&self.console, self.init);
    }
    if (status == WEIR_CLI_DONE) {
        status = self.follow || self.database != NULL ? compact_tables(&self) : compact_once(&self);
    }
    if (!weir_cli_console_close(&self.console) && status == WEIR_CLI_DONE) {
        status = WEIR_CLI_FAILED;
    }
    free(self.tables.items);
    weir_arena_free(&arena);
    return status;
}
