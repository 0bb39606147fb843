/* weir-bench: what its files share.
 *
 *   main.c        the commands and their help
 *   arguments.c   the command line
 *   generator.c   the data: a table of eleven columns whose rows follow from a seed and the row's number
 *   environment.c opening tables with threads and memory as asked
 *   report.c      the JSON line of a run
 *   write.c, scan.c, lookup.c, compact.c, rewrites.c, plan.c, rows.c   one command each
 *
 * The benchmarks stand on the table room alone: no SQL, no catalog. */
#ifndef WEIR_BENCH_H
#define WEIR_BENCH_H

#include "base/budget.h"
#include "base/pool.h"
#include "table/table.h"

typedef struct bench_arguments {
    const char *command;
    const char *path; /* of the table */
    int64_t rows;
    int64_t commits;
    int64_t keys;
    bool zipf;
    int64_t bucket;
    uint64_t seed;
    int64_t repeat;
    bool wait_compaction;
    int64_t files;        /* of plan */
    int64_t partitions;   /* likewise */
    bool spread;          /* likewise: each commit touches all partitions */
    int64_t readers;      /* of lookup, at a time */
    int64_t rate;         /* of lookup: lookups a second of all readers; 0: as fast as it goes */
    int64_t threads;      /* 0: one per processor */
    int64_t memory_bytes; /* 0: no limit */
    weir_options options; /* of --option */
    weir_arena arena;
} bench_arguments;

int bench_arguments_parse(int count, char **words, bench_arguments *out, weir_error *err);

/* The generator: rows first … first + count - 1 appended to a batch of bench_fields. */
enum { BENCH_COLUMNS = 11 };
const weir_field *bench_fields(void);
uint64_t bench_hash(uint64_t seed, int64_t row, uint64_t column); /* what all of it comes from */
int bench_generate(const bench_arguments *arguments, int64_t first, int64_t count, weir_batch *batch, weir_error *err);

/* Where a table lies, and what its readers and writers use. */
typedef struct bench_environment {
    weir_arena arena;
    weir_fs *fs;
    const char *path;
    weir_pool *pool;
    weir_budget budget;
    weir_table *table; /* NULL: not opened */
} bench_environment;

int bench_environment_open(const bench_arguments *arguments, bench_environment *out, weir_error *err);
/* `options` on top of those of the command line; NULL: none. Closes the table that was open. */
int bench_environment_open_table(const bench_arguments *arguments, const weir_options *options,
                                 bench_environment *environment, weir_error *err);
void bench_environment_close(bench_environment *environment);

/* A JSON line under construction, and the clocks that started with it. */
typedef struct bench_report {
    weir_buffer line;
    int64_t start_ns;
    double start_cpu_seconds;
} bench_report;

void bench_report_begin(bench_report *report, const char *bench); /* starts the clocks */
void bench_report_text(bench_report *report, const char *name, const char *value);
void bench_report_integer(bench_report *report, const char *name, int64_t value);
void bench_report_double(bench_report *report, const char *name, double value);
void bench_report_stop(bench_report *report); /* stops the clocks: what is added later costs nothing */
void bench_report_print(bench_report *report);

/* One run of a command that prints one line: `run` begins and stops the report and adds its fields. */
typedef int (*bench_run)(const bench_arguments *arguments, bench_environment *environment, bench_report *report,
                         weir_error *err);
int bench_run_once(const bench_arguments *arguments, bench_run run, weir_error *err);

int bench_write(const bench_arguments *arguments, weir_error *err);
int bench_scan(const bench_arguments *arguments, weir_error *err);
int bench_lookup(const bench_arguments *arguments, weir_error *err);
int bench_compact(const bench_arguments *arguments, weir_error *err);
int bench_rewrites(const bench_arguments *arguments, weir_error *err);
int bench_plan(const bench_arguments *arguments, weir_error *err);
int bench_rows(const bench_arguments *arguments, weir_error *err);

#endif
