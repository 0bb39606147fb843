/* weir-bench scan: the whole table, merged, all columns, with checksums.
 *
 * Splits are read by the pool's threads; their sums are added in the order of the splits, so that the sums of doubles
 * are the same in every run. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "table/read/read.h"

/* Integer sums wrap. */
typedef struct checksums {
    int64_t rows, bytes_c6_c7, true_c8, null_c2;
    uint64_t k, c1, c2, c5, c9, c10;
    double c3, c4;
} checksums;

typedef struct scan_task {
    const weir_table *table;
    const weir_split *split;
    checksums sums;
} scan_task;

static uint64_t sum_int64(const weir_vector *vector)
{
    const int64_t *values = WEIR_VALUES(vector, const int64_t);
    uint64_t sum = 0;
    for (int64_t i = 0; i < vector->length; i++) {
        sum += (uint64_t)values[i]; /* slots of nulls hold zeros */
    }
    return sum;
}

static uint64_t sum_int32(const weir_vector *vector)
{
    const int32_t *values = WEIR_VALUES(vector, const int32_t);
    int64_t sum = 0;
    for (int64_t i = 0; i < vector->length; i++) {
        sum += values[i];
    }
    return (uint64_t)sum;
}

static double sum_double(double sum, const weir_vector *vector)
{
    const double *values = WEIR_VALUES(vector, const double);
    for (int64_t i = 0; i < vector->length; i++) {
        sum += values[i];
    }
    return sum;
}

static double sum_float(double sum, const weir_vector *vector)
{
    const float *values = WEIR_VALUES(vector, const float);
    for (int64_t i = 0; i < vector->length; i++) {
        sum += (double)values[i];
    }
    return sum;
}

static int64_t count_true(const weir_vector *vector)
{
    int64_t count = 0;
    for (int64_t i = 0; i < vector->length; i++) {
        count += weir_bit_get(vector->data, i);
    }
    return count;
}

static void add_batch(checksums *sums, const weir_batch *batch)
{
    const weir_vector *c = batch->columns;
    sums->rows += batch->length;
    sums->k += sum_int64(&c[0]);
    sums->c1 += sum_int32(&c[1]);
    sums->c2 += sum_int64(&c[2]);
    sums->null_c2 += c[2].null_count;
    sums->c3 = sum_double(sums->c3, &c[3]);
    sums->c4 = sum_float(sums->c4, &c[4]);
    sums->c5 += sum_int64(&c[5]);
    sums->bytes_c6_c7 += c[6].offsets[batch->length] + c[7].offsets[batch->length];
    sums->true_c8 += count_true(&c[8]);
    sums->c9 += sum_int32(&c[9]);
    sums->c10 += sum_int64(&c[10]);
}

static void add_sums(checksums *total, const checksums *sums)
{
    total->rows += sums->rows;
    total->k += sums->k;
    total->c1 += sums->c1;
    total->c2 += sums->c2;
    total->null_c2 += sums->null_c2;
    total->c3 += sums->c3;
    total->c4 += sums->c4;
    total->c5 += sums->c5;
    total->bytes_c6_c7 += sums->bytes_c6_c7;
    total->true_c8 += sums->true_c8;
    total->c9 += sums->c9;
    total->c10 += sums->c10;
}

static int read_split(void *argument, weir_error *err)
{
    scan_task *task = argument;
    weir_read_options options = {0};
    weir_split_reader *reader = NULL;
    weir_batch batch;
    weir_batch_init(&batch, task->table->schema->fields, BENCH_COLUMNS);
    int code = weir_split_open(task->table, task->split, &options, &reader, err);
    while (code == WEIR_OK) {
        code = weir_split_next(reader, &batch, err);
        if (code == WEIR_OK && batch.length > 0) {
            add_batch(&task->sums, &batch);
        }
    }
    weir_split_close(reader);
    weir_batch_free(&batch);
    return code == WEIR_END ? WEIR_OK : code;
}

static int scan_table(const weir_table *table, weir_pool *pool, checksums *out, weir_error *err)
{
    weir_table_plan *plan = NULL;
    WEIR_TRY(weir_scan_plan(table, NULL, &plan, err));
    scan_task *tasks = weir_alloc_zeroed(plan->split_count, sizeof *tasks);
    weir_task_group group;
    weir_task_group_init(&group, pool);
    for (size_t i = 0; i < plan->split_count; i++) {
        tasks[i].table = table;
        tasks[i].split = &plan->splits[i];
        weir_task_group_run(&group, read_split, &tasks[i]);
    }
    int code = weir_task_group_wait(&group, err);
    weir_task_group_free(&group);
    *out = (checksums){0};
    for (size_t i = 0; i < plan->split_count; i++) {
        add_sums(out, &tasks[i].sums);
    }
    free(tasks);
    weir_table_plan_free(plan);
    return code;
}

static void report_sums(bench_report *report, const checksums *sums)
{
    bench_report_integer(report, "rows", sums->rows);
    bench_report_integer(report, "sumK", (int64_t)sums->k);
    bench_report_integer(report, "sumC1", (int64_t)sums->c1);
    bench_report_integer(report, "sumC2", (int64_t)sums->c2);
    bench_report_integer(report, "nullC2", sums->null_c2);
    bench_report_double(report, "sumC3", sums->c3);
    bench_report_double(report, "sumC4", sums->c4);
    bench_report_integer(report, "sumC5", (int64_t)sums->c5);
    bench_report_integer(report, "bytesC6C7", sums->bytes_c6_c7);
    bench_report_integer(report, "trueC8", sums->true_c8);
    bench_report_integer(report, "sumC9", (int64_t)sums->c9);
    bench_report_integer(report, "sumC10", (int64_t)sums->c10);
}

/* The layouts that add_batch relies on. */
static int check_columns(const weir_table *table, weir_error *err)
{
    if (table->schema->field_count != BENCH_COLUMNS) {
        return weir_fail(err, WEIR_INVALID, "%s: not a table of weir-bench write: %d columns, not %d", table->path,
                         table->schema->field_count, BENCH_COLUMNS);
    }
    for (int32_t c = 0; c < BENCH_COLUMNS; c++) {
        if (weir_layout_of(table->schema->fields[c].type) != weir_layout_of(bench_fields()[c].type)) {
            return weir_fail(err, WEIR_INVALID, "%s: not a table of weir-bench write: column '%s' is of another type",
                             table->path, table->schema->fields[c].name);
        }
    }
    return WEIR_OK;
}

static int run(const bench_arguments *arguments, bench_environment *environment, int64_t number, weir_error *err)
{
    bench_report report;
    checksums sums;
    WEIR_TRY(bench_environment_open_table(arguments, NULL, environment, err));
    WEIR_TRY(check_columns(environment->table, err));
    bench_report_begin(&report, "scan");
    bench_report_integer(&report, "run", number);
    int code = scan_table(environment->table, environment->pool, &sums, err);
    if (code != WEIR_OK) {
        weir_buffer_free(&report.line);
        return code;
    }
    bench_report_stop(&report);
    report_sums(&report, &sums);
    bench_report_print(&report);
    return WEIR_OK;
}

int bench_scan(const bench_arguments *arguments, weir_error *err)
{
    bench_environment environment;
    int code = bench_environment_open(arguments, &environment, err);
    for (int64_t i = 1; i <= arguments->repeat && code == WEIR_OK; i++) {
        code = run(arguments, &environment, i, err);
    }
    bench_environment_close(&environment);
    return code;
}
