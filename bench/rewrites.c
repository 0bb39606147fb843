/* weir-bench rewrites: how much compactions wrote beside what writers wrote, by the manifests of all snapshots there
 * are.
 *
 * Files that only moved to another level are not counted. Works for tables of any writer. */
#include "base/map.h"
#include "bench/bench.h"

typedef struct rewrites {
    int64_t compactions;
    int64_t rows_written;
    int64_t rows_rewritten;
} rewrites;

static int64_t rows_added(const weir_manifest_entries *entries)
{
    int64_t rows = 0;
    weir_map deleted = {0};
    for (size_t i = 0; i < entries->count; i++) {
        if (entries->items[i].kind == WEIR_FILE_DELETE) {
            weir_map_put(&deleted, weir_slice_text(entries->items[i].file->name), entries->items[i].file);
        }
    }
    for (size_t i = 0; i < entries->count; i++) {
        const weir_data_file *file = entries->items[i].file;
        if (entries->items[i].kind == WEIR_FILE_ADD && weir_map_get(&deleted, weir_slice_text(file->name)) == NULL) {
            rows += file->row_count;
        }
    }
    weir_map_free(&deleted);
    return rows;
}

static int add_snapshot(const weir_table *table, int64_t id, rewrites *out, weir_error *err)
{
    const weir_table_context *context = &table->context;
    weir_arena arena;
    weir_snapshot *snapshot = NULL;
    weir_manifest_files manifests = {0};
    weir_manifest_entries entries = {0};
    weir_manifest_filter filter = {.bucket = -1, .min_level = -1, .without_stats = true};
    int code = WEIR_OK;
    weir_arena_init(&arena);
    WEIR_GO(weir_snapshot_read(context->fs, context->paths.root, id, &arena, &snapshot, err));
    WEIR_GO(
        weir_manifest_list_read(context->fs, &context->paths, snapshot->delta_manifest_list, &arena, &manifests, err));
    for (size_t i = 0; i < manifests.count; i++) {
        WEIR_GO(
            weir_manifest_read(context->fs, &context->paths, manifests.items[i].name, &filter, &arena, &entries, err));
    }
    if (snapshot->commit_kind == WEIR_COMMIT_COMPACT) {
        out->compactions++;
        out->rows_rewritten += rows_added(&entries);
    } else {
        out->rows_written += rows_added(&entries);
    }
done:
    weir_manifest_entries_free(&entries);
    weir_manifest_files_free(&manifests);
    weir_arena_free(&arena);
    return code;
}

static int run(const bench_arguments *arguments, bench_environment *environment, bench_report *report, weir_error *err)
{
    rewrites sums = {0};
    int64_t earliest = 0, latest = 0;
    WEIR_TRY(bench_environment_open_table(arguments, NULL, environment, err));
    const weir_table *table = environment->table;
    bench_report_begin(report, "rewrites");
    WEIR_TRY(weir_snapshot_earliest_id(table->context.fs, table->context.paths.root, &earliest, err));
    WEIR_TRY(weir_snapshot_latest_id(table->context.fs, table->context.paths.root, &latest, err));
    for (int64_t id = earliest; id > 0 && id <= latest; id++) {
        WEIR_TRY(add_snapshot(table, id, &sums, err));
    }
    bench_report_stop(report);
    bench_report_integer(report, "compactions", sums.compactions);
    bench_report_integer(report, "rowsWritten", sums.rows_written);
    bench_report_integer(report, "rowsRewritten", sums.rows_rewritten);
    return WEIR_OK;
}

int bench_rewrites(const bench_arguments *arguments, weir_error *err) { return bench_run_once(arguments, run, err); }
