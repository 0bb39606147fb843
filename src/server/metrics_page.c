/* /metrics: see metrics_page.h. */
#include "server/metrics_page.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "file/table_metrics.h"
#include "server/exposition.h"

/* ---- tables ---- */

static const char *type_of(weir_metric_kind kind)
{
    return kind == WEIR_METRIC_COUNTER ? "counter" : kind == WEIR_METRIC_GAUGE ? "gauge" : "histogram";
}

static const char *table_metric_name(const weir_metric_description *metric, weir_arena *arena)
{
    const char *unit = metric->unit == WEIR_METRIC_MS ? "_seconds" : metric->unit == WEIR_METRIC_BYTES ? "_bytes" : "";
    return weir_arena_format(arena, "paimon_%s%s%s", metric->name, unit,
                             metric->kind == WEIR_METRIC_COUNTER ? "_total" : "");
}

/* With its name in Paimon or Flink before it, so that who looks for that finds the metric. */
static const char *help_with_name(const char *other_name, const char *help, weir_arena *arena)
{
    return other_name == NULL ? help : weir_arena_format(arena, "%s: %s", other_name, help);
}

static void write_table_sample(weir_table_metrics *table, int metric, const char *name, weir_buffer *out)
{
    const weir_metric_description *described = &weir_table_metric_descriptions[metric];
    const char *const labels[] = {"table", table->table, NULL};
    int64_t value = atomic_load_explicit(&table->values[metric], memory_order_relaxed);
    if (described->kind == WEIR_METRIC_HISTOGRAM) {
        weir_exposition_histogram(out, name, labels, &table->histograms[metric]);
    } else if (described->unit == WEIR_METRIC_MS) {
        weir_exposition_seconds(out, name, labels, value);
    } else {
        weir_exposition_integer(out, name, labels, value);
    }
}

/* All samples of a metric stand together, under what is said of it once. */
static void write_tables(weir_session *session, weir_arena *arena, weir_buffer *out)
{
    weir_metrics_registry *registry = weir_session_metrics(session);
    for (int metric = 0; metric < WEIR_TABLE_METRIC_COUNT; metric++) {
        const weir_metric_description *described = &weir_table_metric_descriptions[metric];
        const char *name = NULL;
        weir_table_metrics *table;
        for (size_t n = 0; (table = weir_metrics_registry_at(registry, n)) != NULL; n++) {
            if (!atomic_load_explicit(&table->is_set[metric], memory_order_acquire)) {
                continue;
            }
            if (name == NULL) {
                name = table_metric_name(described, arena);
                weir_exposition_describe(out, name, type_of(described->kind),
                                         help_with_name(described->paimon_name, described->help, arena));
            }
            write_table_sample(table, metric, name, out);
        }
    }
}

/* ---- jobs ---- */

typedef enum job_unit { JOB_NUMBER, JOB_SECONDS } job_unit;

typedef struct job_metric {
    const char *name;
    weir_metric_kind kind;
    job_unit unit;
    int64_t none;           /* this value is no sample */
    size_t offset;          /* of an int64_t in weir_job_status */
    const char *flink_name; /* NULL: Flink has none */
    const char *help;
} job_metric;

#define JOB_METRIC(called, of_kind, in_unit, not_a_value, member, in_flink, text)                                      \
    {.name = (called),                                                                                                 \
     .kind = WEIR_METRIC_##of_kind,                                                                                    \
     .unit = JOB_##in_unit,                                                                                            \
     .none = (not_a_value),                                                                                            \
     .offset = offsetof(weir_job_status, member),                                                                      \
     .flink_name = (in_flink),                                                                                         \
     .help = (text)}

#define ALWAYS INT64_MIN

static const job_metric job_metrics[] = {
    JOB_METRIC("weir_job_rows_in_total", COUNTER, NUMBER, ALWAYS, rows_in, "numRecordsIn",
               "Rows that the job's sources gave."),
    JOB_METRIC("weir_job_rows_out_total", COUNTER, NUMBER, ALWAYS, rows_out, "numRecordsOut",
               "Rows that the job's sinks took."),
    JOB_METRIC("weir_job_late_rows_total", COUNTER, NUMBER, ALWAYS, late_rows, "numLateRecordsDropped",
               "Rows that came after their window had closed, and were dropped."),
    JOB_METRIC("weir_job_checkpoints_total", COUNTER, NUMBER, ALWAYS, checkpoints, "numberOfCompletedCheckpoints",
               "Checkpoints of this run."),
    JOB_METRIC("weir_job_last_checkpoint_id", GAUGE, NUMBER, ALWAYS, last_checkpoint, "lastCompletedCheckpointId",
               "The last checkpoint."),
    JOB_METRIC("weir_job_last_checkpoint_age_seconds", GAUGE, SECONDS, ALWAYS, checkpoint_age_ms, NULL,
               "Time since the last checkpoint, or since the start."),
    JOB_METRIC("weir_job_last_checkpoint_duration_seconds", GAUGE, SECONDS, ALWAYS, checkpoint_ms,
               "lastCheckpointDuration", "Time the last checkpoint took."),
    JOB_METRIC("weir_job_latency_seconds", GAUGE, SECONDS, -1, latency_ms, NULL,
               "Median of the last checkpoints: from a row's reading to its being visible."),
    JOB_METRIC("weir_job_lag_seconds", GAUGE, SECONDS, -1, lag_ms, "currentFetchEventTimeLag",
               "Lag of the source that is most behind."),
    JOB_METRIC("weir_job_idle_seconds", GAUGE, SECONDS, ALWAYS, idle_ms, "sourceIdleTime",
               "Time since a source gave a row."),
    JOB_METRIC("weir_job_state_memory_bytes", GAUGE, NUMBER, ALWAYS, state_memory_bytes, NULL, "State in memory."),
    JOB_METRIC("weir_job_state_disk_bytes", GAUGE, NUMBER, ALWAYS, state_disk_bytes, NULL, "State on disk."),
    JOB_METRIC("weir_job_watermark_timestamp_seconds", GAUGE, SECONDS, WEIR_WATERMARK_NONE, watermark,
               "currentInputWatermark", "The least watermark of the sources, as a Unix time."),
    JOB_METRIC("weir_job_start_time_seconds", GAUGE, SECONDS, ALWAYS, started_ms, NULL,
               "Start of this run, as a Unix time."),
};

/* The labels that Flink's own reporter gives. */
#define JOB_LABELS(info) ((const char *const[]){"job_id", (info)->id, "job_name", (info)->name, NULL})

static void write_job_metric(const job_metric *metric, const weir_job_info *jobs, int32_t count, weir_arena *arena,
                             weir_buffer *out)
{
    bool is_described = false;
    for (int32_t i = 0; i < count; i++) {
        int64_t value;
        memcpy(&value, (const char *)&jobs[i].status + metric->offset, sizeof value);
        if (value == metric->none) {
            continue;
        }
        if (!is_described) {
            weir_exposition_describe(out, metric->name, type_of(metric->kind),
                                     help_with_name(metric->flink_name, metric->help, arena));
            is_described = true;
        }
        if (metric->unit == JOB_SECONDS) {
            weir_exposition_seconds(out, metric->name, JOB_LABELS(&jobs[i]), value);
        } else {
            weir_exposition_integer(out, metric->name, JOB_LABELS(&jobs[i]), value);
        }
    }
}

#define RUNNING_NAME "weir_job_running"
#define RUNNING_HELP "1 while the job runs; 0: it has ended, as the label says."

static void write_running(const weir_job_info *jobs, int32_t count, weir_buffer *out)
{
    if (count > 0) {
        weir_exposition_describe(out, RUNNING_NAME, "gauge", RUNNING_HELP);
    }
    for (int32_t i = 0; i < count; i++) {
        weir_job_phase phase = jobs[i].status.phase;
        const char *const labels[] = {
            "job_id", jobs[i].id, "job_name", jobs[i].name, "phase", weir_job_phase_text(phase), NULL};
        weir_exposition_integer(out, RUNNING_NAME, labels, phase == WEIR_JOB_RUNNING || phase == WEIR_JOB_STOPPING);
    }
}

static void write_jobs(weir_session *session, weir_arena *arena, weir_buffer *out)
{
    int32_t most = weir_session_job_count(session), count = 0;
    weir_job_info *jobs = weir_alloc_zeroed((size_t)most + 1, sizeof *jobs);
    while (count < most && weir_session_job_info(session, count, &jobs[count])) {
        count++;
    }
    write_running(jobs, count, out);
    for (size_t i = 0; i < sizeof job_metrics / sizeof *job_metrics; i++) {
        write_job_metric(&job_metrics[i], jobs, count, arena, out);
    }
    free(jobs);
}

/* ---- the process ---- */

typedef struct process_metric {
    const char *name;
    const char *type;
    const char *help;
    double (*value)(void); /* below 0: not known */
} process_metric;

static double cpu_seconds(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0) {
        return -1;
    }
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static double resident_bytes(void)
{
    long pages = -1;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file != NULL) {
        if (fscanf(file, "%*d %ld", &pages) != 1) {
            pages = -1;
        }
        fclose(file);
    }
    return pages < 0 ? -1 : (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static double open_files(void)
{
    DIR *folder = opendir("/proc/self/fd");
    double count = -1; /* the folder's own */
    while (folder != NULL && readdir(folder) != NULL) {
        count++;
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return count - 2; /* . and .. */
}

static const process_metric process_metrics[] = {
    {"process_cpu_seconds_total", "counter", "CPU time of the process, user and system.", cpu_seconds},
    {"process_resident_memory_bytes", "gauge", "Memory of the process that is resident.", resident_bytes},
    {"process_open_fds", "gauge", "Open files of the process.", open_files},
};

#define BUILD_NAME "weir_build_info"
#define BUILD_HELP "Always 1; the version stands in the label."

static void write_process(weir_buffer *out)
{
    const char *const labels[] = {"version", WEIR_VERSION, NULL};
    weir_exposition_describe(out, BUILD_NAME, "gauge", BUILD_HELP);
    weir_exposition_integer(out, BUILD_NAME, labels, 1);
    for (size_t i = 0; i < sizeof process_metrics / sizeof *process_metrics; i++) {
        double value = process_metrics[i].value();
        if (value >= 0) {
            weir_exposition_describe(out, process_metrics[i].name, process_metrics[i].type, process_metrics[i].help);
            weir_exposition_number(out, process_metrics[i].name, NULL, value);
        }
    }
}

void weir_metrics_page_write(void *session, weir_buffer *out)
{
    weir_arena arena;
    weir_arena_init(&arena);
    write_tables(session, &arena, out);
    write_jobs(session, &arena, out);
    write_process(out);
    weir_arena_free(&arena);
}

/* ---- for the documentation ---- */

bool weir_metrics_page_reference(size_t n, weir_arena *arena, weir_metric_reference *out)
{
    size_t job_count = sizeof job_metrics / sizeof *job_metrics;
    size_t process_count = sizeof process_metrics / sizeof *process_metrics;
    if (n < WEIR_TABLE_METRIC_COUNT) {
        const weir_metric_description *metric = &weir_table_metric_descriptions[n];
        *out = (weir_metric_reference){table_metric_name(metric, arena), type_of(metric->kind), metric->paimon_name,
                                       metric->help};
        return true;
    }
    n -= WEIR_TABLE_METRIC_COUNT;
    if (n == 0) {
        *out = (weir_metric_reference){RUNNING_NAME, "gauge", NULL, RUNNING_HELP};
        return true;
    }
    n--;
    if (n < job_count) {
        *out = (weir_metric_reference){job_metrics[n].name, type_of(job_metrics[n].kind), job_metrics[n].flink_name,
                                       job_metrics[n].help};
        return true;
    }
    n -= job_count;
    if (n == 0) {
        *out = (weir_metric_reference){BUILD_NAME, "gauge", NULL, BUILD_HELP};
        return true;
    }
    n--;
    if (n < process_count) {
        *out = (weir_metric_reference){process_metrics[n].name, process_metrics[n].type, NULL, process_metrics[n].help};
        return true;
    }
    return false;
}
