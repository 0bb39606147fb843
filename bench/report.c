/* The JSON line of a run: its own fields, then wallSeconds, cpuSeconds and peakRssBytes. */
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"
#include "bench/bench.h"

/* Of all threads. */
static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int64_t peak_rss_bytes(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    if (file == NULL) {
        return -1;
    }
    char line[256];
    long long kilobytes = -1;
    while (fgets(line, sizeof line, file) != NULL && sscanf(line, "VmHWM: %lld", &kilobytes) != 1) {
    }
    fclose(file);
    return kilobytes < 0 ? -1 : kilobytes * 1024;
}

static void begin_member(bench_report *report, const char *name)
{
    weir_buffer_append_text(&report->line, report->line.size == 0 ? "{" : ",");
    weir_json_write_string(weir_slice_text(name), &report->line);
    weir_buffer_append_text(&report->line, ":");
}

void bench_report_text(bench_report *report, const char *name, const char *value)
{
    begin_member(report, name);
    weir_json_write_string(weir_slice_text(value), &report->line);
}

void bench_report_integer(bench_report *report, const char *name, int64_t value)
{
    begin_member(report, name);
    weir_buffer_append_format(&report->line, "%" PRId64, value);
}

void bench_report_double(bench_report *report, const char *name, double value)
{
    begin_member(report, name);
    weir_format_double(value, &report->line);
}

void bench_report_begin(bench_report *report, const char *bench)
{
    *report = (bench_report){0};
    bench_report_text(report, "bench", bench);
    report->start_ns = weir_monotonic_ns();
    report->start_cpu_seconds = cpu_seconds();
}

static double milliseconds_of(double seconds) { return (double)(int64_t)(seconds * 1e3 + 0.5) / 1e3; }

void bench_report_stop(bench_report *report)
{
    report->start_ns = weir_monotonic_ns() - report->start_ns;
    report->start_cpu_seconds = cpu_seconds() - report->start_cpu_seconds;
}

void bench_report_print(bench_report *report)
{
    bench_report_double(report, "wallSeconds", milliseconds_of((double)report->start_ns / 1e9));
    bench_report_double(report, "cpuSeconds", milliseconds_of(report->start_cpu_seconds));
    bench_report_integer(report, "peakRssBytes", peak_rss_bytes());
    weir_buffer_append_text(&report->line, "}\n");
    fwrite(report->line.data, 1, report->line.size, stdout);
    fflush(stdout);
    weir_buffer_free(&report->line);
}

int bench_run_once(const bench_arguments *arguments, bench_run run, weir_error *err)
{
    bench_environment environment;
    bench_report report = {0};
    int code = bench_environment_open(arguments, &environment, err);
    if (code == WEIR_OK) {
        code = run(arguments, &environment, &report, err);
    }
    if (code == WEIR_OK) {
        bench_report_print(&report);
    }
    weir_buffer_free(&report.line);
    bench_environment_close(&environment);
    return code;
}
