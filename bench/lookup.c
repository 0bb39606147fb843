/* weir-bench lookup: single rows by random keys, a fifth of which there are none of; by several readers at a time.
 *
 * Each lookup asks for one key and all columns. The first run also makes the local lookup files; what each lookup took
 * is counted from when it was due, so that a reader that is held up is not let off what it should have asked meanwhile.
 */
#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "bench/bench.h"
#include "table/lookup/table_lookup.h"

typedef struct reader {
    const bench_arguments *arguments;
    weir_table_lookup *lookup;
    const weir_schema *schema;
    int64_t run;
    int64_t first, count; /* lookups */
    int64_t interval_ns;  /* from one to the next; 0: as fast as it goes */
    int32_t *micros;      /* that each took */
    int64_t found;
    uint64_t sum_c1;
    int code;
    weir_error err;
} reader;

static int look_up(reader *self, int64_t key, weir_batch *keys, weir_batch *out)
{
    int64_t row = 0;
    weir_batch_clear(keys);
    WEIR_TRY(weir_vector_append_raw(&keys->columns[0], &key, sizeof key, &self->err));
    keys->length = 1;
    WEIR_TRY(weir_table_lookup_find(self->lookup, keys, &row, out, &self->err));
    if (row >= 0) {
        self->found++;
        self->sum_c1 += (uint64_t)(int64_t)WEIR_VALUES(&out->columns[1], int32_t)[row];
    }
    return WEIR_OK;
}

static void wait_until(int64_t due_ns)
{
    int64_t left_ns = due_ns - weir_monotonic_ns();
    if (left_ns > 0) {
        const struct timespec pause = {.tv_sec = left_ns / 1000000000, .tv_nsec = left_ns % 1000000000};
        nanosleep(&pause, NULL);
    }
}

static void *read_keys(void *argument)
{
    reader *self = argument;
    weir_batch keys, out;
    const uint64_t range = (uint64_t)self->arguments->keys * 5 / 4;
    weir_batch_init(&keys, self->schema->fields, 1);
    weir_batch_init(&out, self->schema->fields, self->schema->field_count);
    int64_t begin_ns = weir_monotonic_ns();
    for (int64_t i = 0; i < self->count && self->code == WEIR_OK; i++) {
        int64_t due_ns = begin_ns + i * self->interval_ns;
        if (self->interval_ns > 0) {
            wait_until(due_ns);
        } else {
            due_ns = weir_monotonic_ns();
        }
        uint64_t key = bench_hash(self->arguments->seed + 6 + (uint64_t)self->run, self->first + i, 0) % range;
        self->code = look_up(self, (int64_t)key, &keys, &out);
        self->micros[i] = (int32_t)((weir_monotonic_ns() - due_ns) / 1000);
    }
    weir_batch_free(&keys);
    weir_batch_free(&out);
    return NULL;
}

static int compare_micros(const void *a, const void *b)
{
    int32_t first = *(const int32_t *)a, second = *(const int32_t *)b;
    return (first > second) - (first < second);
}

static void report_times(bench_report *report, int32_t *micros, int64_t count)
{
    qsort(micros, (size_t)count, sizeof *micros, compare_micros);
    bench_report_integer(report, "medianMicros", micros[count / 2]);
    bench_report_integer(report, "p99Micros", micros[count * 99 / 100]);
    bench_report_integer(report, "maxMicros", micros[count - 1]);
}

static int run_readers(const bench_arguments *arguments, weir_table_lookup *lookup, const weir_schema *schema,
                       int64_t run, bench_report *report, weir_error *err)
{
    int64_t readers = arguments->readers, each = (arguments->rows + readers - 1) / readers;
    reader *all = weir_alloc_zeroed((size_t)readers, sizeof *all);
    pthread_t *threads = weir_alloc_zeroed((size_t)readers, sizeof *threads);
    int32_t *micros = weir_alloc_zeroed((size_t)(each * readers) + 1, sizeof *micros);
    for (int64_t r = 0; r < readers; r++) {
        all[r] = (reader){.arguments = arguments,
                          .lookup = lookup,
                          .schema = schema,
                          .run = run,
                          .first = r * each,
                          .count = each,
                          .interval_ns = arguments->rate > 0 ? 1000000000 * readers / arguments->rate : 0,
                          .micros = micros + r * each};
        pthread_create(&threads[r], NULL, read_keys, &all[r]);
    }
    int64_t found = 0;
    uint64_t sum_c1 = 0;
    int code = WEIR_OK;
    for (int64_t r = 0; r < readers; r++) {
        pthread_join(threads[r], NULL);
        found += all[r].found;
        sum_c1 += all[r].sum_c1;
        if (all[r].code != WEIR_OK && code == WEIR_OK) {
            code = all[r].code;
            *err = all[r].err;
        }
    }
    bench_report_stop(report);
    bench_report_integer(report, "run", run);
    bench_report_integer(report, "rows", each * readers);
    bench_report_integer(report, "found", found);
    bench_report_integer(report, "sumC1", (int64_t)sum_c1);
    bench_report_integer(report, "readers", readers);
    report_times(report, micros, each * readers);
    free(micros);
    free(threads);
    free(all);
    return code;
}

static int open_lookup(const bench_environment *environment, weir_table_lookup **out, weir_error *err)
{
    int32_t columns[BENCH_COLUMNS];
    const char *folder = getenv("TMPDIR");
    for (int32_t i = 0; i < BENCH_COLUMNS; i++) {
        columns[i] = i;
    }
    weir_table_lookup_options options = {
        .columns = columns, .column_count = BENCH_COLUMNS, .folder = folder != NULL ? folder : "/tmp"};
    return weir_table_lookup_open(environment->table, &options, out, err);
}

int bench_lookup(const bench_arguments *arguments, weir_error *err)
{
    bench_environment environment;
    weir_table_lookup *lookup = NULL;
    int code = bench_environment_open(arguments, &environment, err);
    code = code == WEIR_OK ? bench_environment_open_table(arguments, NULL, &environment, err) : code;
    if (code == WEIR_OK && environment.table->schema->field_count != BENCH_COLUMNS) {
        code = weir_fail(err, WEIR_INVALID, "%s was not made by weir-bench write", arguments->path);
    }
    code = code == WEIR_OK ? open_lookup(&environment, &lookup, err) : code;
    for (int64_t run = 1; run <= arguments->repeat && code == WEIR_OK; run++) {
        bench_report report;
        bench_report_begin(&report, "lookup");
        code = run_readers(arguments, lookup, environment.table->schema, run, &report, err);
        bench_report_print(&report);
    }
    weir_table_lookup_close(lookup);
    bench_environment_close(&environment);
    return code;
}
