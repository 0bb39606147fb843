/* Progress and summaries for people. Numbers have separators of thousands: 1,234,567. */
#include "cli/progress.h"

#include <unistd.h>

#include "base/base.h"

void weir_cli_progress_init(weir_cli_progress *progress, bool is_quiet)
{
    *progress = (weir_cli_progress){.is_quiet = is_quiet, .is_live = !is_quiet && isatty(STDERR_FILENO)};
}

static void append_number(int64_t value, weir_buffer *out)
{
    char digits[32];
    int count = snprintf(digits, sizeof digits, "%" PRId64, value);
    for (int i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0 && digits[i - 1] != '-') {
            weir_buffer_append_byte(out, ',');
        }
        weir_buffer_append_byte(out, (uint8_t)digits[i]);
    }
}

static void append_count(int64_t value, const char *one, const char *many, weir_buffer *out)
{
    append_number(value, out);
    weir_buffer_append_format(out, " %s", value == 1 ? one : many);
}

static void append_seconds(int64_t elapsed_ns, weir_buffer *out)
{
    double seconds = (double)elapsed_ns / 1e9;
    weir_buffer_append_format(out, seconds < 10 ? "%.3f s" : "%.1f s", seconds);
}

static void append_rate(int64_t rows, int64_t elapsed_ns, weir_buffer *out)
{
    if (elapsed_ns > 0 && rows > 0) {
        append_number((int64_t)((double)rows * 1e9 / (double)elapsed_ns), out);
        weir_buffer_append_text(out, " rows/s");
    }
}

void weir_cli_progress_show(void *context, const weir_progress *progress)
{
    weir_cli_progress *self = context;
    if (!self->is_live) {
        return;
    }
    weir_buffer line = {0};
    if (progress->total_bytes > 0) {
        weir_buffer_append_format(&line, "%3.0f %%  ",
                                  100.0 * (double)progress->done_bytes / (double)progress->total_bytes);
    }
    append_count(progress->rows, "row", "rows", &line);
    weir_buffer_append_text(&line, "  ");
    append_count(progress->commits, "commit", "commits", &line);
    if (progress->done_bytes > 0) {
        weir_buffer_append_format(&line, "  %.1f MB", (double)progress->done_bytes / 1e6);
    }
    weir_buffer_append_text(&line, "  ");
    append_rate(progress->rows, progress->elapsed_ms * 1000000, &line);
    fprintf(stderr, "\r\033[K%s", weir_buffer_text(&line));
    fflush(stderr);
    weir_buffer_free(&line);
    self->has_line = true;
}

void weir_cli_progress_clear(weir_cli_progress *progress)
{
    if (progress->has_line) {
        fputs("\r\033[K", stderr);
        progress->has_line = false;
    }
}

static void append_changes(const weir_change_summary *changes, weir_buffer *line)
{
    append_count(changes->rows, "row", "rows", line);
    weir_buffer_append_text(line, " in ");
    append_count(changes->commits, "commit", "commits", line);
    if (changes->last_snapshot > 0) {
        weir_buffer_append_format(line, ", snapshot %" PRId64, changes->last_snapshot);
    }
    if (changes->files > 0) {
        weir_buffer_append_text(line, ", ");
        append_count(changes->files, "file", "files", line);
    }
    weir_buffer_append_text(line, ", ");
    append_seconds(changes->elapsed_ns, line);
    if (changes->rows > 0) {
        weir_buffer_append_text(line, ", ");
        append_rate(changes->rows, changes->elapsed_ns, line);
    }
}

void weir_cli_progress_done(weir_cli_progress *progress, const weir_result *result, int64_t rows, int64_t elapsed_ns)
{
    weir_buffer line = {0};
    weir_cli_progress_clear(progress);
    if (progress->is_quiet) {
        return;
    }
    if (result->kind == WEIR_RESULT_CHANGES) {
        weir_buffer_append_format(&line, "%s: ", result->message);
        append_changes(&result->changes, &line);
    } else if (progress->is_live && result->kind == WEIR_RESULT_ROWS) {
        append_count(rows, "row", "rows", &line);
        weir_buffer_append_text(&line, ", ");
        append_seconds(elapsed_ns, &line);
    } else if (progress->is_live && result->message != NULL) {
        weir_buffer_append_text(&line, result->message);
    }
    if (line.size > 0) {
        fprintf(stderr, "%s\n", weir_buffer_text(&line));
    }
    weir_buffer_free(&line);
}
