/* Lines about jobs: live ones while they run, and a table when they have ended. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/display.h"
#include "cli/figures.h"
#include "cli/jobs.h"

#define WIDTH_FOR_EACH 100 /* narrower terminals have one line for all */
#define LINES_LEFT     6   /* of the terminal, for other things */
#define NAME_WIDTH     32

/* What stands in a line. */
typedef struct figures {
    int64_t in_per_second, out_per_second;
    int64_t lag_ms; /* -1: unknown */
    int64_t state_bytes;
    int64_t checkpoint_age_ms; /* -1: there was none */
} figures;

/* ---- live ---- */

static void grow(weir_job_lines *lines, int32_t count)
{
    if (count > lines->count) {
        lines->rows_in = weir_realloc(lines->rows_in, sizeof *lines->rows_in * (size_t)count);
        lines->rows_out = weir_realloc(lines->rows_out, sizeof *lines->rows_out * (size_t)count);
        for (int32_t i = lines->count; i < count; i++) {
            lines->rows_in[i] = lines->rows_out[i] = 0;
        }
        lines->count = count;
    }
}

static int64_t per_second(int64_t rows, int64_t before, double seconds)
{
    return rows > before && seconds > 0 ? (int64_t)((double)(rows - before) / seconds) : 0;
}

static figures figures_of(const weir_job_lines *lines, int32_t place, const weir_job_status *status, double seconds)
{
    return (figures){
        .in_per_second = per_second(status->rows_in, lines->rows_in[place], seconds),
        .out_per_second = per_second(status->rows_out, lines->rows_out[place], seconds),
        .lag_ms = status->lag_ms,
        .state_bytes = status->state_memory_bytes + status->state_disk_bytes,
        .checkpoint_age_ms = status->checkpoints > 0 ? status->checkpoint_age_ms : -1,
    };
}

static void append_figures(const figures *of, weir_buffer *out)
{
    weir_append_number(of->in_per_second, out);
    weir_buffer_append_text(out, " rows/s in, ");
    weir_append_number(of->out_per_second, out);
    weir_buffer_append_text(out, " out");
    if (of->lag_ms >= 0) {
        weir_buffer_append_text(out, ", lag ");
        weir_append_lag(of->lag_ms, out);
    }
    weir_buffer_append_text(out, ", state ");
    weir_append_bytes(of->state_bytes, out);
    if (of->checkpoint_age_ms >= 0) {
        weir_buffer_append_text(out, ", checkpoint ");
        weir_append_lag(of->checkpoint_age_ms, out);
        weir_buffer_append_text(out, " ago");
    }
}

static void append_name(const weir_job_info *info, weir_buffer *out)
{
    weir_buffer_append_format(out, "%2d ", (int)info->number);
    weir_display_pad(weir_slice_text(info->name), NAME_WIDTH, false, out);
    weir_buffer_append_text(out, "  ");
}

static void add(figures *sum, const figures *one)
{
    sum->in_per_second += one->in_per_second;
    sum->out_per_second += one->out_per_second;
    sum->lag_ms = one->lag_ms > sum->lag_ms ? one->lag_ms : sum->lag_ms;
    sum->state_bytes += one->state_bytes;
    sum->checkpoint_age_ms =
        one->checkpoint_age_ms > sum->checkpoint_age_ms ? one->checkpoint_age_ms : sum->checkpoint_age_ms;
}

void weir_job_lines_append(weir_job_lines *lines, weir_session *session, int width, int height, weir_buffer *out)
{
    weir_job_info info;
    figures sum = {.lag_ms = -1, .checkpoint_age_ms = -1};
    int32_t running = 0, count = weir_session_job_count(session);
    int64_t now = weir_monotonic_ns();
    double seconds = lines->looked_ns == 0 ? 0 : (double)(now - lines->looked_ns) / 1e9;
    bool is_each = width >= WIDTH_FOR_EACH && count + LINES_LEFT <= height;
    grow(lines, count);
    for (int32_t i = 0; i < count && weir_session_job_info(session, i, &info); i++) {
        figures one = figures_of(lines, i, &info.status, seconds);
        lines->rows_in[i] = info.status.rows_in;
        lines->rows_out[i] = info.status.rows_out;
        if (info.status.phase >= WEIR_JOB_FINISHED) {
            continue;
        }
        if (is_each) {
            weir_buffer_append_text(out, running > 0 ? "\n" : "");
            append_name(&info, out);
            append_figures(&one, out);
        }
        add(&sum, &one);
        running++;
    }
    if (!is_each && running > 0) {
        weir_append_count(running, "job", "jobs", out);
        weir_buffer_append_text(out, ": ");
        append_figures(&sum, out);
    }
    lines->looked_ns = now;
}

void weir_job_lines_free(weir_job_lines *lines)
{
    free(lines->rows_in);
    free(lines->rows_out);
}

/* ---- at the end ---- */

enum { COLUMN_COUNT = 9 };
static const char *const titles[COLUMN_COUNT] = {"job",     "status",      "rows in", "rows out", "rows/s",
                                                 "commits", "checkpoints", "latency", "name"};

static void append_cell(int column, const weir_job_info *info, weir_buffer *out)
{
    switch (column) {
    case 0:
        weir_append_number(info->number, out);
        break;
    case 1:
        weir_buffer_append_text(out, weir_job_phase_text(info->status.phase));
        break;
    case 2:
        weir_append_number(info->status.rows_in, out);
        break;
    case 3:
        weir_append_number(info->status.rows_out, out);
        break;
    case 4: /* while there were any */
        weir_append_number(info->status.rows_in * 1000 / (info->status.active_ms + 1), out);
        break;
    case 5:
        weir_append_number(info->written.commits, out);
        break;
    case 6:
        weir_append_number(info->status.checkpoints, out);
        break;
    case 7: /* the median from a row being read to its being visible */
        if (info->status.latency_ms >= 0) {
            weir_buffer_append_format(out, "%" PRId64 " ms", info->status.latency_ms);
        }
        break;
    default:
        weir_display_escape(weir_slice_text(info->name), out);
    }
}

static int cell_width(int column, const weir_job_info *info)
{
    weir_buffer cell = {0};
    append_cell(column, info, &cell);
    int width = weir_display_width(weir_buffer_slice(&cell));
    weir_buffer_free(&cell);
    return width;
}

static void append_row(const int *widths, const weir_job_info *info, weir_buffer *out)
{
    for (int column = 0; column < COLUMN_COUNT; column++) {
        bool is_text = column == 1 || column == COLUMN_COUNT - 1;
        weir_buffer cell = {0};
        if (info == NULL) {
            weir_buffer_append_text(&cell, titles[column]);
        } else {
            append_cell(column, info, &cell);
        }
        weir_buffer_append_text(out, column > 0 ? "  " : "");
        if (column == COLUMN_COUNT - 1) {
            weir_buffer_append(out, cell.data, cell.size); /* no blanks at the end */
        } else {
            weir_display_pad(weir_buffer_slice(&cell), widths[column], !is_text, out);
        }
        weir_buffer_free(&cell);
    }
    weir_buffer_append_byte(out, '\n');
}

void weir_job_table_append(weir_session *session, weir_buffer *out)
{
    int widths[COLUMN_COUNT];
    weir_job_info info;
    for (int column = 0; column < COLUMN_COUNT; column++) {
        widths[column] = (int)strlen(titles[column]);
        for (int32_t i = 0; weir_session_job_info(session, i, &info); i++) {
            int width = cell_width(column, &info);
            widths[column] = width > widths[column] ? width : widths[column];
        }
    }
    append_row(widths, NULL, out);
    for (int32_t i = 0; weir_session_job_info(session, i, &info); i++) {
        append_row(widths, &info, out);
    }
}
