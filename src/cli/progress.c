/* Progress and summaries for people. */
#include "cli/progress.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/display.h"
#include "cli/figures.h"

#define FIRST_AFTER_MS 500 /* what is faster needs no line */
#define INTERVAL_MS    100
#define LEFT_AFTER_MS  2000 /* before, how long it will take is a guess */
#define BAR_WIDTH      20

/* ---- the line ---- */

/* How much is done, 0 to 1; less than 0: unknown. Rows say more than splits, but may be fewer than were expected. */
static double fraction_of(const weir_progress *progress)
{
    double rows = -1, splits = -1;
    if (progress->total_bytes > 0) {
        rows = (double)progress->done_bytes / (double)progress->total_bytes;
    } else if (progress->read.total_rows > 0) {
        rows = (double)progress->read.rows / (double)progress->read.total_rows;
    }
    if (progress->read.total_splits > 1) {
        splits = (double)progress->read.splits / (double)progress->read.total_splits;
    }
    double fraction = rows > splits ? rows : splits;
    return fraction > 1 ? 1 : fraction;
}

static void append_bar(double fraction, weir_buffer *out)
{
    int filled = (int)(fraction * BAR_WIDTH + 0.5);
    weir_buffer_append_format(out, "%3d %% ", (int)(fraction * 100));
    for (int i = 0; i < BAR_WIDTH; i++) {
        weir_buffer_append_text(out, i < filled ? "█" : "░");
    }
    weir_buffer_append_text(out, "  ");
}

static void append_progress(const weir_progress *progress, int64_t elapsed_ns, weir_buffer *out)
{
    double fraction = fraction_of(progress);
    int64_t rows = progress->rows > 0 ? progress->rows : progress->read.rows;
    if (fraction >= 0) {
        append_bar(fraction, out);
    }
    weir_append_count(rows, progress->rows > 0 ? "row written" : "row read",
                 progress->rows > 0 ? "rows written" : "rows read", out);
    if (progress->commits > 0) {
        weir_buffer_append_text(out, "  ");
        weir_append_count(progress->commits, "commit", "commits", out);
    }
    if (progress->done_bytes > 0) {
        weir_buffer_append_format(out, "  %.1f MB", (double)progress->done_bytes / 1e6);
    }
    if (progress->read.total_splits > 1) {
        weir_buffer_append_format(out, "  %" PRId64 "/%" PRId64 " splits", progress->read.splits,
                                  progress->read.total_splits);
    }
    weir_buffer_append_text(out, rows > 0 ? "  " : "");
    weir_append_rate(rows, elapsed_ns, out);
    weir_buffer_append_text(out, "  ");
    weir_append_duration(elapsed_ns / 1000000000, out);
    if (fraction > 0.01 && fraction < 1 && elapsed_ns > LEFT_AFTER_MS * 1000000LL) {
        weir_buffer_append_text(out, ", about ");
        weir_append_duration((int64_t)((double)elapsed_ns / 1e9 * (1 - fraction) / fraction) + 1, out);
        weir_buffer_append_text(out, " left");
    }
}

static int terminal_width(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

/* The cursor stands in the last of the lines, and then where the first one was. */
static void append_clear(weir_cli_progress *self, weir_buffer *out)
{
    for (int i = 0; i < self->lines; i++) {
        weir_buffer_append_text(out, i == 0 ? "\r\033[K" : "\033[A\033[K");
    }
    self->lines = 0;
}

/* Cut to the terminal: a line that wraps could not be rewritten. */
static void append_line(weir_slice line, weir_buffer *out)
{
    int width = weir_display_width(line);
    int most = terminal_width() - 1;
    weir_display_pad(line, width < most ? width : most, false, out);
}

static void draw(weir_cli_progress *self, const char *text)
{
    weir_buffer shown = {0};
    append_clear(self, &shown);
    while (*text != '\0') {
        size_t size = strcspn(text, "\n");
        append_line(weir_slice_of(text, size), &shown);
        self->lines++;
        text += size;
        if (*text == '\n') {
            weir_buffer_append_byte(&shown, '\n');
            text++;
        }
    }
    fputs(weir_buffer_text(&shown), stderr);
    fflush(stderr);
    weir_buffer_free(&shown);
}

static void show_line(weir_cli_progress *self)
{
    weir_progress progress;
    weir_buffer line = {0};
    weir_session_progress(self->session, &progress);
    append_progress(&progress, weir_monotonic_ns() - self->start_ns, &line);
    draw(self, weir_buffer_text(&line));
    weir_buffer_free(&line);
}

void weir_cli_progress_show(weir_cli_progress *progress, const char *text)
{
    pthread_mutex_lock(&progress->mutex);
    draw(progress, text);
    pthread_mutex_unlock(&progress->mutex);
}

void weir_cli_progress_clear(weir_cli_progress *progress)
{
    pthread_mutex_lock(&progress->mutex);
    if (progress->lines > 0) {
        draw(progress, "");
    }
    pthread_mutex_unlock(&progress->mutex);
}

/* ---- what others print ---- */

typedef struct stream {
    weir_cli_progress *progress;
    FILE *to;
} stream;

static ssize_t write_stream(void *cookie, const char *bytes, size_t size)
{
    stream *self = cookie;
    pthread_mutex_lock(&self->progress->mutex);
    if (self->progress->lines > 0) {
        draw(self->progress, "");
    }
    size_t written = fwrite(bytes, 1, size, self->to);
    fflush(self->to);
    pthread_mutex_unlock(&self->progress->mutex);
    return (ssize_t)written;
}

static int close_stream(void *cookie)
{
    free(cookie);
    return 0;
}

FILE *weir_cli_progress_stream(weir_cli_progress *progress, FILE *to)
{
    stream *self = weir_alloc_zeroed(1, sizeof *self);
    *self = (stream){progress, to};
    return fopencookie(self, "w", (cookie_io_functions_t){.write = write_stream, .close = close_stream});
}

static void add_ms(struct timespec *time, int64_t ms)
{
    int64_t nanos = time->tv_nsec + ms % 1000 * 1000000;
    time->tv_sec += ms / 1000 + nanos / 1000000000;
    time->tv_nsec = nanos % 1000000000;
}

static void *show_lines(void *argument)
{
    weir_cli_progress *self = argument;
    int64_t wait_ms = FIRST_AFTER_MS;
    pthread_mutex_lock(&self->mutex);
    while (!self->ends) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        add_ms(&until, wait_ms);
        bool is_over = pthread_cond_timedwait(&self->ended, &self->mutex, &until) == 0;
        if (!is_over && !self->ends) {
            show_line(self);
            wait_ms = INTERVAL_MS;
        }
    }
    pthread_mutex_unlock(&self->mutex);
    return NULL;
}

/* ---- around a statement ---- */

void weir_cli_progress_init(weir_cli_progress *progress, bool is_quiet, bool has_colors)
{
    *progress = (weir_cli_progress){
        .is_quiet = is_quiet, .is_live = !is_quiet && isatty(STDERR_FILENO), .has_colors = has_colors};
    pthread_mutex_init(&progress->mutex, NULL);
    weir_condition_init(&progress->ended);
}

void weir_cli_progress_begin(weir_cli_progress *progress, weir_session *session)
{
    if (!progress->is_live) {
        return;
    }
    progress->session = session;
    progress->ends = false;
    progress->start_ns = weir_monotonic_ns();
    progress->is_running = pthread_create(&progress->thread, NULL, show_lines, progress) == 0;
}

void weir_cli_progress_end(weir_cli_progress *progress)
{
    if (!progress->is_running) {
        return;
    }
    pthread_mutex_lock(&progress->mutex);
    progress->ends = true;
    pthread_cond_signal(&progress->ended);
    pthread_mutex_unlock(&progress->mutex);
    pthread_join(progress->thread, NULL);
    progress->is_running = false;
    weir_cli_progress_clear(progress);
}

/* ---- after it ---- */

static void append_changes(const weir_change_summary *changes, weir_buffer *line)
{
    weir_append_count(changes->rows, "row", "rows", line);
    weir_buffer_append_text(line, " in ");
    weir_append_count(changes->commits, "commit", "commits", line);
    if (changes->last_snapshot > 0) {
        weir_buffer_append_format(line, ", snapshot %" PRId64, changes->last_snapshot);
    }
    if (changes->files > 0) {
        weir_buffer_append_text(line, ", ");
        weir_append_count(changes->files, "file", "files", line);
    }
    weir_buffer_append_text(line, ", ");
    weir_append_seconds(changes->elapsed_ns, line);
    if (changes->rows > 0) {
        weir_buffer_append_text(line, ", ");
        weir_append_rate(changes->rows, changes->elapsed_ns, line);
    }
}

/* As Flink's client says it, and what it does not show. */
static void append_set(const weir_output_summary *output, bool with_time, int64_t elapsed_ns, weir_buffer *line)
{
    if (output->was_left) {
        weir_buffer_append_text(line, "Left before the end");
    } else if (output->rows == 0) {
        weir_buffer_append_text(line, "Empty set");
    } else {
        weir_append_count(output->rows, "row in set", "rows in set", line);
    }
    if (with_time) {
        weir_buffer_append_format(line, " (%.2f seconds)", (double)elapsed_ns / 1e9);
    }
    if (output->hidden_rows > 0) {
        weir_buffer_append_text(line, "; ");
        weir_append_count(output->hidden_rows, "more row is", "more rows are", line);
        weir_buffer_append_text(line, " not shown (sql-client.execution.max-table-result.rows)");
    }
    if (output->hidden_columns > 0) {
        weir_buffer_append_text(line, "; ");
        weir_append_count(output->hidden_columns, "column is", "columns are", line);
        weir_buffer_append_text(line, " not shown: see --format vertical, or \\x");
    }
}

static bool shows_time(const weir_session *session)
{
    const char *setting = weir_session_setting(session, "sql-client.display.print-time-cost");
    return setting == NULL || setting[0] == 't' || setting[0] == 'T';
}

void weir_cli_progress_done(weir_cli_progress *progress, const weir_result *result, const weir_output_summary *output,
                            int64_t elapsed_ns)
{
    weir_buffer line = {0};
    if (progress->is_quiet) {
        return;
    }
    if (result->kind == WEIR_RESULT_JOB) {
        weir_buffer_append_text(&line, result->message);
    } else if (result->kind == WEIR_RESULT_CHANGES) {
        weir_buffer_append_format(&line, "%s: ", result->message);
        append_changes(&result->changes, &line);
    } else if (progress->is_live && result->kind == WEIR_RESULT_ROWS && !result->is_page) {
        append_set(output, shows_time(progress->session), elapsed_ns, &line);
    } else if (progress->is_live && result->kind == WEIR_RESULT_DONE) {
        weir_buffer_append_text(&line, result->message);
    }
    if (line.size > 0) {
        const char *color = progress->is_live && progress->has_colors ? WEIR_OUTPUT_DIM : "";
        fprintf(stderr, "%s%s%s\n", color, weir_buffer_text(&line), color[0] != '\0' ? WEIR_OUTPUT_PLAIN : "");
    }
    weir_buffer_free(&line);
}
