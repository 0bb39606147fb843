/* Waiting for jobs. A job that fails takes the others with it: they are stopped, with a last checkpoint, so that the
 * same command can go on when the reason is gone. */
#include "cli/jobs.h"

#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/interrupt.h"

#define LOOK_INTERVAL_MS 20
#define LINE_INTERVAL_MS 250

typedef struct waiting {
    weir_cli_console *console;
    weir_job_lines lines;
    int64_t shown_ns;
    int status;
    bool is_stopping;
} waiting;

/* ---- telling ---- */

static void tell(weir_cli_console *console, const weir_job_info *info, const weir_error *err)
{
    bool has_colors = console->progress.has_colors && isatty(STDERR_FILENO);
    if (info->status.phase == WEIR_JOB_FAILED) {
        fprintf(stderr, "%sjob %d '%s': %s%s\n", has_colors ? "\033[31m" : "", (int)info->number, info->name,
                err->message, has_colors ? WEIR_OUTPUT_PLAIN : "");
    } else if (console->progress.is_live) {
        fprintf(stderr, "%sjob %d '%s' is %s%s\n", has_colors ? WEIR_OUTPUT_DIM : "", (int)info->number, info->name,
                weir_job_phase_text(info->status.phase), has_colors ? WEIR_OUTPUT_PLAIN : "");
    }
}

bool weir_cli_tell_ended_jobs(weir_cli_console *console)
{
    weir_job_info info;
    weir_error err;
    bool good = true;
    while (weir_session_take_ended_job(console->session, &info, &err)) {
        weir_cli_progress_clear(&console->progress);
        tell(console, &info, &err);
        good = good && info.status.phase != WEIR_JOB_FAILED;
    }
    return good;
}

/* ---- the lines ---- */

static void show_lines(waiting *self)
{
    weir_cli_console *console = self->console;
    struct winsize size = {.ws_col = 80, .ws_row = 24};
    weir_buffer text = {0};
    int64_t now = weir_monotonic_ns();
    if (!console->progress.is_live || now - self->shown_ns < LINE_INTERVAL_MS * 1000000LL) {
        return;
    }
    self->shown_ns = now;
    (void)ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
    weir_job_lines_append(&self->lines, console->session, size.ws_col, size.ws_row, &text);
    weir_cli_progress_show(&console->progress, weir_buffer_text(&text));
    weir_buffer_free(&text);
}

static void show_table(const weir_cli_console *console)
{
    weir_buffer text = {0};
    if (!console->progress.is_quiet && weir_session_job_count(console->session) > 0) {
        weir_job_table_append(console->session, &text);
        fputs(weir_buffer_text(&text), stderr);
    }
    weir_buffer_free(&text);
}

/* ---- waiting ---- */

static void stop(waiting *self)
{
    if (!self->is_stopping) {
        self->is_stopping = true;
        weir_session_stop_jobs(self->console->session, WEIR_JOB_STOP_CHECKPOINT);
    }
}

static void look(waiting *self)
{
    weir_cli_console *console = self->console;
    if (!weir_cli_tell_ended_jobs(console)) {
        self->status = WEIR_CLI_FAILED;
    }
    if (self->status != WEIR_CLI_DONE || weir_interrupt_asked() != 0) {
        stop(self);
    }
    if (console->until_idle_ms >= 0 && !self->is_stopping) {
        weir_session_stop_idle_jobs(console->session, console->until_idle_ms);
    }
}

/* The script was through unless somebody ended it before; then the next run passes over what is done. */
static int end(waiting *self)
{
    int number = weir_interrupt_asked();
    weir_error err = {0};
    if (self->status == WEIR_CLI_DONE && number == 0 && weir_session_end_script(self->console->session, &err) != WEIR_OK) {
        fprintf(stderr, "weir: %s\n", err.message);
        return WEIR_CLI_FAILED;
    }
    return self->status == WEIR_CLI_DONE && number == SIGALRM ? weir_interrupt_status(number) : self->status;
}

int weir_cli_wait_for_jobs(weir_cli_console *console, int status)
{
    waiting self = {.console = console, .status = status};
    while (weir_session_has_jobs(console->session)) {
        look(&self);
        show_lines(&self);
        weir_sleep_ms(LOOK_INTERVAL_MS);
    }
    weir_cli_progress_clear(&console->progress);
    look(&self);
    show_table(console);
    weir_job_lines_free(&self.lines);
    return end(&self);
}
