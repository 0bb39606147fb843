/* weir-bench plan: how long it takes to find the files of one partition among many.
 *
 * The table has no data: its commits describe files that do not exist, of `--partitions` partitions with ten buckets
 * each. A commit adds the files of some neighbouring partitions, as a table that is partitioned by day gets them; with
 * --spread, of all. */
#include <stdlib.h>

#include "base/clock.h"
#include "bench/bench.h"
#include "table/commit/commit.h"
#include "table/scan/scan.h"

#define COMMIT_USER  "bench-plan"
#define PLAN_BUCKETS 10
#define PLAN_COLUMNS (BENCH_COLUMNS + 1)
#define FILE_ROWS    100000
#define FILE_BYTES   ((int64_t)4 << 20)

static const weir_type type_int_not_null = {.id = WEIR_INT};

/* The columns of the generator behind a partition key. */
static const weir_field *plan_fields(weir_arena *arena)
{
    weir_field *fields = WEIR_NEW_ARRAY(arena, weir_field, PLAN_COLUMNS);
    fields[0] = (weir_field){.id = 0, .name = "dt", .type = &type_int_not_null};
    for (int32_t i = 0; i < BENCH_COLUMNS; i++) {
        fields[i + 1] = bench_fields()[i];
        fields[i + 1].id = i + 1;
    }
    return fields;
}

static int make_table(const bench_arguments *arguments, bench_environment *environment, weir_error *err)
{
    static const char *const keys[] = {"dt", "k"};
    weir_options options = {0};
    weir_schema *schema = NULL;
    weir_arena *arena = &environment->arena;
    weir_options_set(&options, arena, "bucket", weir_arena_format(arena, "%d", PLAN_BUCKETS));
    weir_options_merge(arena, &options, &arguments->options, &options);
    WEIR_TRY(
        weir_schema_create(arena, plan_fields(arena), PLAN_COLUMNS, keys, 2, keys, 1, &options, NULL, &schema, err));
    WEIR_TRY(weir_fs_remove_recursively(environment->fs, environment->path, err));
    WEIR_TRY(weir_schema_publish(environment->fs, environment->path, schema, err));
    return bench_environment_open_table(arguments, NULL, environment, err);
}

/* --- files that are only described ---------------------------------------------------------------------------------
 */

static weir_slice serialize_integer(const weir_type *type, int64_t value, weir_arena *arena)
{
    weir_literal literal = {.integer = value};
    weir_buffer row = {0};
    weir_binary_row_serialize(&type, &literal, 1, &row);
    weir_slice copy = weir_slice_of(weir_arena_copy(arena, row.data, row.size), row.size);
    weir_buffer_free(&row);
    return copy;
}

/* File `number` of some bucket: its keys lie behind those of the files before it. */
static int describe_file(const weir_table *table, int64_t partition, int64_t number, weir_arena *arena,
                         weir_data_file **out, weir_error *err)
{
    char uuid[WEIR_UUID_SIZE];
    weir_uuid(uuid);
    weir_data_file *file = WEIR_NEW(arena, weir_data_file);
    *file = (weir_data_file){
        .name = weir_arena_format(arena, "data-%s-0.parquet", uuid),
        .size_bytes = FILE_BYTES,
        .row_count = FILE_ROWS,
        .min_key = serialize_integer(bench_fields()[0].type, number * FILE_ROWS, arena),
        .max_key = serialize_integer(bench_fields()[0].type, (number + 1) * FILE_ROWS - 1, arena),
        .min_sequence_number = number * FILE_ROWS,
        .max_sequence_number = (number + 1) * FILE_ROWS - 1,
        .schema_id = table->schema->id,
        .creation_time_ms = 1700000000000,
        .file_source = WEIR_FILE_SOURCE_APPEND,
        .first_row_id = -1,
    };
    weir_written_stats stats[PLAN_COLUMNS];
    for (int32_t i = 0; i < PLAN_COLUMNS; i++) {
        const weir_type *type = table->schema->fields[i].type;
        stats[i] = (weir_written_stats){.has_min_max = true};
        if (weir_type_is_text(type)) {
            stats[i].min.bytes = weir_slice_of(uuid, 8);
            stats[i].max.bytes = weir_slice_of(uuid + 9, 16);
        } else {
            stats[i].min.integer = number;
            stats[i].max.integer = number + partition;
        }
    }
    WEIR_TRY(weir_stats_encode_keys(table->schema, &stats[1], arena, file, err));
    WEIR_TRY(
        weir_stats_encode_values(table->schema, NULL, table->schema->fields, PLAN_COLUMNS, stats, arena, file, err));
    *out = file;
    return WEIR_OK;
}

/* Files `number` of all buckets of some partitions. */
static int commit_files(weir_table_commit *commit, const weir_table *table, int64_t identifier, int64_t first_partition,
                        int64_t partition_count, int64_t number, weir_error *err)
{
    weir_arena arena;
    weir_commit_messages messages = {0};
    int code = WEIR_OK;
    weir_arena_init(&arena);
    for (int64_t p = first_partition; p < first_partition + partition_count; p++) {
        weir_slice partition = serialize_integer(&type_int_not_null, p, &arena);
        for (int64_t bucket = 0; bucket < PLAN_BUCKETS; bucket++) {
            weir_data_file *file = NULL;
            WEIR_GO(describe_file(table, p, number, &arena, &file, err));
            weir_commit_message *message =
                weir_commit_messages_add(&messages, partition, (int32_t)bucket, PLAN_BUCKETS);
            weir_file_list_append(&message->new_files, file);
        }
    }
    weir_committable committable = {.identifier = identifier, .watermark = WEIR_NO_WATERMARK, .messages = &messages};
    WEIR_GO(weir_table_commit_run(commit, &committable, NULL, err));
done:
    weir_commit_messages_free(&messages);
    weir_arena_free(&arena);
    return code;
}

/* Each commit adds one file to each bucket of its partitions. */
static int fill_table(const bench_arguments *arguments, const weir_table *table, weir_error *err)
{
    int64_t files_of_bucket = arguments->files / (arguments->partitions * PLAN_BUCKETS);
    int64_t width =
        arguments->spread || arguments->partitions < 10 ? arguments->partitions : arguments->partitions / 100;
    width = width > 0 ? width : 1;
    weir_table_commit *commit = NULL;
    int64_t identifier = 0;
    int code = WEIR_OK;
    WEIR_TRY(weir_table_commit_open(table, COMMIT_USER, &commit, err));
    for (int64_t first = 0; first < arguments->partitions; first += width) {
        int64_t left = arguments->partitions - first;
        for (int64_t number = 0; number < files_of_bucket; number++) {
            WEIR_GO(commit_files(commit, table, ++identifier, first, left < width ? left : width, number, err));
        }
    }
done:
    weir_table_commit_close(commit);
    return code;
}

/* --- planning ------------------------------------------------------------------------------------------------------
 */

static int plan_partition(const weir_table *table, int64_t partition, weir_arena *arena, weir_table_plan **out,
                          weir_error *err)
{
    weir_literal value = {.integer = partition};
    weir_scan_options options = {
        .predicate = weir_predicate_leaf(arena, WEIR_PREDICATE_EQUAL, 0, &type_int_not_null, &value, 1), .limit = -1};
    return weir_scan_plan(table, &options, out, err);
}

/* Opening the table is part of it. */
static int run_once(const bench_arguments *arguments, bench_environment *environment, int64_t number, weir_error *err)
{
    bench_report report;
    weir_table_plan *plan = NULL;
    bench_report_begin(&report, "plan");
    bench_report_integer(&report, "run", number);
    int code = bench_environment_open_table(arguments, NULL, environment, err);
    if (code == WEIR_OK) {
        code = plan_partition(environment->table, arguments->partitions / 2, &environment->arena, &plan, err);
    }
    bench_report_stop(&report);
    if (code == WEIR_OK) {
        bench_report_integer(&report, "files", arguments->files);
        bench_report_integer(&report, "partitions", arguments->partitions);
        bench_report_integer(&report, "splits", (int64_t)plan->split_count);
        bench_report_integer(&report, "filesKept", plan->files_kept);
        bench_report_print(&report);
    }
    weir_table_plan_free(plan);
    weir_buffer_free(&report.line);
    return code;
}

int bench_plan(const bench_arguments *arguments, weir_error *err)
{
    bench_environment environment;
    int code = bench_environment_open(arguments, &environment, err);
    if (code == WEIR_OK) {
        code = make_table(arguments, &environment, err);
    }
    if (code == WEIR_OK) {
        code = fill_table(arguments, environment.table, err);
    }
    for (int64_t i = 1; i <= arguments->repeat && code == WEIR_OK; i++) {
        code = run_once(arguments, &environment, i, err);
    }
    bench_environment_close(&environment);
    return code;
}
