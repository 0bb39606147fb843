/* weir-bench write: makes the table anew and writes the generator's rows in equal commits.
 *
 * One writer and one commit user for the whole run. Only the last commit waits for compactions, unless asked otherwise.
 */
#include "bench/bench.h"
#include "table/commit/commit.h"
#include "table/write/table_write.h"

#define BATCH_ROWS  16384
#define COMMIT_USER "bench"

/* As a catalog would: the folder WAREHOUSE/DB.db/TABLE with its first schema. */
static int make_table(const bench_arguments *arguments, bench_environment *environment, weir_error *err)
{
    weir_options options = {0};
    const char *keys[] = {"k"};
    weir_schema *schema = NULL;
    weir_options_set(&options, &environment->arena, "bucket",
                     weir_arena_format(&environment->arena, "%" PRId64, arguments->bucket));
    weir_options_set(&options, &environment->arena, "file.format", "parquet");
    weir_options_set(&options, &environment->arena, "file.compression", "zstd");
    weir_options_merge(&environment->arena, &options, &arguments->options, &options);
    WEIR_TRY(weir_schema_create(&environment->arena, bench_fields(), BENCH_COLUMNS, keys, 1, NULL, 0, &options, NULL,
                                &schema, err));
    WEIR_TRY(weir_fs_remove_recursively(environment->fs, environment->path, err));
    WEIR_TRY(weir_schema_publish(environment->fs, environment->path, schema, err));
    weir_table_open_options open = {
        .pool = environment->pool,
        .budget = arguments->memory_bytes > 0 ? &environment->budget : NULL,
    };
    return weir_table_open(environment->fs, environment->path, &open, &environment->table, err);
}

static int write_rows(const bench_arguments *arguments, weir_table_write *write, weir_batch *batch, int64_t first,
                      int64_t end, weir_error *err)
{
    while (first < end) {
        int64_t count = end - first < BATCH_ROWS ? end - first : BATCH_ROWS;
        weir_batch_clear(batch);
        WEIR_TRY(bench_generate(arguments, first, count, batch, err));
        WEIR_TRY(weir_table_write_batch(write, batch, err));
        first += count;
    }
    return WEIR_OK;
}

static int commit_rows(weir_table_write *write, weir_table_commit *commit, int64_t identifier, bool wait,
                       weir_error *err)
{
    weir_arena arena;
    weir_arena_init(&arena);
    weir_commit_messages messages = {0};
    int code = weir_table_write_prepare(write, wait, &arena, &messages, err);
    if (code == WEIR_OK) {
        weir_committable committable = {
            .identifier = identifier, .watermark = WEIR_NO_WATERMARK, .messages = &messages};
        code = weir_table_commit_run(commit, &committable, NULL, err);
    }
    if (code == WEIR_OK && weir_table_commit_dropped_compaction(commit)) {
        weir_table_write_reset(write);
    }
    weir_commit_messages_free(&messages);
    weir_arena_free(&arena);
    return code;
}

static int load(const bench_arguments *arguments, const weir_table *table, weir_error *err)
{
    weir_table_write_options options = {.commit_user = COMMIT_USER};
    weir_table_write *write = NULL;
    weir_table_commit *commit = NULL;
    weir_batch batch;
    int code = WEIR_OK;
    int64_t per_commit = (arguments->rows + arguments->commits - 1) / arguments->commits;
    int64_t first = 0;
    weir_batch_init(&batch, bench_fields(), BENCH_COLUMNS);
    WEIR_GO(weir_table_write_open(table, &options, &write, err));
    WEIR_GO(weir_table_commit_open(table, COMMIT_USER, &commit, err));
    for (int64_t c = 1; c <= arguments->commits; c++) {
        int64_t end = first + per_commit < arguments->rows ? first + per_commit : arguments->rows;
        WEIR_GO(write_rows(arguments, write, &batch, first, end, err));
        WEIR_GO(commit_rows(write, commit, c, arguments->wait_compaction || c == arguments->commits, err));
        first = end;
    }
done:
    weir_table_write_close(write);
    weir_table_commit_close(commit);
    weir_batch_free(&batch);
    return code;
}

static int folder_bytes(weir_fs *fs, const char *path, weir_arena *arena, int64_t *out, weir_error *err)
{
    weir_file_info *files = NULL;
    size_t count = 0;
    WEIR_TRY(weir_fs_list(fs, path, arena, &files, &count, err));
    for (size_t i = 0; i < count; i++) {
        if (files[i].is_directory) {
            WEIR_TRY(folder_bytes(fs, weir_arena_format(arena, "%s/%s", path, files[i].name), arena, out, err));
        } else {
            *out += (int64_t)files[i].size_bytes;
        }
    }
    return WEIR_OK;
}

static int run(const bench_arguments *arguments, bench_environment *environment, bench_report *report, weir_error *err)
{
    int64_t table_bytes = 0, latest = 0;
    WEIR_TRY(make_table(arguments, environment, err));
    bench_report_begin(report, "write");
    WEIR_TRY(load(arguments, environment->table, err));
    bench_report_stop(report);
    WEIR_TRY(folder_bytes(environment->fs, environment->path, &environment->arena, &table_bytes, err));
    WEIR_TRY(weir_snapshot_latest_id(environment->fs, environment->path, &latest, err));
    bench_report_integer(report, "rows", arguments->rows);
    bench_report_integer(report, "commits", arguments->commits);
    bench_report_integer(report, "keys", arguments->keys);
    bench_report_text(report, "dist", arguments->zipf ? "zipf" : "uniform");
    bench_report_integer(report, "bucket", arguments->bucket);
    bench_report_integer(report, "seed", (int64_t)arguments->seed);
    bench_report_integer(report, "tableBytes", table_bytes);
    bench_report_integer(report, "snapshots", latest);
    return WEIR_OK;
}

int bench_write(const bench_arguments *arguments, weir_error *err) { return bench_run_once(arguments, run, err); }
