/* weir-bench compact: a full compaction of every bucket, committed; of write-only tables too. */
#include "table/write/compact.h"
#include "base/clock.h"
#include "bench/bench.h"
#include "table/commit/commit.h"
#include "table/scan/scan.h"
#include "table/write/table_write.h"

#define COMMIT_USER "bench-compact"

static int record_count(const weir_table *table, int64_t *out, weir_error *err)
{
    weir_arena arena;
    weir_snapshot *snapshot = NULL;
    int64_t latest = 0;
    *out = 0;
    WEIR_TRY(weir_snapshot_latest_id(table->context.fs, table->context.paths.root, &latest, err));
    if (latest == 0) {
        return WEIR_OK;
    }
    weir_arena_init(&arena);
    int code = weir_snapshot_read(table->context.fs, table->context.paths.root, latest, &arena, &snapshot, err);
    if (code == WEIR_OK) {
        *out = snapshot->total_record_count;
    }
    weir_arena_free(&arena);
    return code;
}

static int compact(const weir_table *table, int64_t *out_messages, weir_error *err)
{
    weir_arena arena;
    weir_commit_messages messages = {0};
    weir_table_commit *commit = NULL;
    int code = WEIR_OK;
    weir_arena_init(&arena);
    WEIR_GO(weir_table_compact(table, true, NULL, &arena, &messages, err));
    WEIR_GO(weir_table_commit_open(table, COMMIT_USER, &commit, err));
    weir_committable committable = {.identifier = weir_now_ms(), .watermark = WEIR_NO_WATERMARK, .messages = &messages};
    WEIR_GO(weir_table_commit_run(commit, &committable, NULL, err));
    *out_messages = (int64_t)messages.count;
done:
    weir_table_commit_close(commit);
    weir_commit_messages_free(&messages);
    weir_arena_free(&arena);
    return code;
}

static int run(const bench_arguments *arguments, bench_environment *environment, bench_report *report, weir_error *err)
{
    int64_t before = 0, after = 0, messages = 0;
    weir_options options = {0};
    weir_options_set(&options, &environment->arena, "write-only", "false");
    WEIR_TRY(bench_environment_open_table(arguments, &options, environment, err));
    WEIR_TRY(record_count(environment->table, &before, err));
    bench_report_begin(report, "compact");
    WEIR_TRY(compact(environment->table, &messages, err));
    bench_report_stop(report);
    WEIR_TRY(record_count(environment->table, &after, err));
    bench_report_integer(report, "rows", before);
    bench_report_integer(report, "rowsAfter", after);
    bench_report_integer(report, "messages", messages);
    return WEIR_OK;
}

int bench_compact(const bench_arguments *arguments, weir_error *err) { return bench_run_once(arguments, run, err); }
