/* Fuzzes everything that reads a table: the input is an archive of a table's folder,
 *
 *   | size of the name: 1 | name | size of the file: 4, little-endian | bytes |, again and again,
 *
 * and whatever its files say, the table is planned, read, read as a stream, compacted, expired. */
#include <stdlib.h>

#include "base/log.h"
#include "table/commit/commit.h"
#include "table/maintenance/expire.h"
#include "table/scan/stream_scan.h"
#include "table/write/compact.h"
#include "table/write/table_write.h"

#define TABLE        "/t"
#define BUDGET_BYTES (64 << 20)
#define LARGEST_READ 20000 /* rows of a split: a small file may rightly hold a value many times over */
#define MOST_SPLITS  16

static void unpack(weir_fs *fs, weir_slice archive)
{
    while (archive.size >= 5) {
        char path[300];
        size_t name_size = archive.data[0];
        if (archive.size < 5 + name_size) {
            return;
        }
        snprintf(path, sizeof path, TABLE "/%.*s", (int)name_size, (const char *)archive.data + 1);
        size_t size = weir_load_le32(archive.data + 1 + name_size);
        archive.data += 5 + name_size;
        archive.size -= 5 + name_size;
        size = size < archive.size ? size : archive.size;
        (void)weir_fs_publish(fs, path, weir_slice_of(archive.data, size), NULL);
        archive.data += size;
        archive.size -= size;
    }
}

static void read_splits(const weir_table *table, const weir_table_plan *plan, bool with_kinds)
{
    weir_arena arena;
    weir_batch batch;
    int32_t field_count = 0;
    weir_read_options options = {.with_kinds = with_kinds, .batch_rows = 1000};
    weir_arena_init(&arena);
    const weir_field *fields = weir_read_fields(table, &options, &arena, &field_count);
    weir_batch_init(&batch, fields, field_count);
    for (size_t i = 0; i < plan->split_count && i < MOST_SPLITS; i++) {
        weir_split_reader *reader = NULL;
        if (weir_split_open(table, &plan->splits[i], &options, &reader, NULL) != WEIR_OK) {
            continue;
        }
        int64_t rows = 0;
        while (rows < LARGEST_READ && weir_split_next(reader, &batch, NULL) == WEIR_OK) {
            rows += batch.length;
        }
        weir_split_close(reader);
    }
    weir_batch_free(&batch);
    weir_arena_free(&arena);
}

static void read_batch(const weir_table *table)
{
    weir_scan_options options = {.limit = -1};
    weir_table_plan *plan = NULL;
    if (weir_scan_plan(table, &options, &plan, NULL) == WEIR_OK) {
        read_splits(table, plan, false);
        weir_table_plan_free(plan);
    }
}

static void read_stream(weir_fs *fs, const weir_table_open_options *shared)
{
    weir_arena arena;
    weir_options options = {0};
    weir_table *table = NULL;
    weir_stream_scan *scan = NULL;
    weir_arena_init(&arena);
    weir_options_set(&options, &arena, "scan.mode", "from-snapshot");
    weir_options_set(&options, &arena, "scan.snapshot-id", "1");
    weir_table_open_options open = *shared;
    open.dynamic_options = &options;
    open.for_stream = true;
    if (weir_table_open(fs, TABLE, &open, &table, NULL) == WEIR_OK &&
        weir_stream_scan_open(table, NULL, &scan, NULL) == WEIR_OK) {
        weir_table_plan *plan = NULL;
        for (int i = 0; i < MOST_SPLITS && weir_stream_scan_next(scan, &plan, NULL) == WEIR_OK; i++) {
            read_splits(table, plan, true);
            weir_table_plan_free(plan);
        }
    }
    weir_stream_scan_close(scan);
    weir_table_close(table);
    weir_arena_free(&arena);
}

static void compact(const weir_table *table)
{
    weir_arena arena;
    weir_commit_messages messages = {0};
    weir_table_commit *commit = NULL;
    weir_committable committable = {.identifier = 77, .watermark = WEIR_NO_WATERMARK, .messages = &messages};
    weir_arena_init(&arena);
    if (weir_table_compact(table, true, NULL, &arena, &messages, NULL) == WEIR_OK &&
        weir_table_commit_open(table, "fuzz", &commit, NULL) == WEIR_OK) {
        (void)weir_table_commit_run(commit, &committable, NULL, NULL);
    }
    weir_table_commit_close(commit);
    weir_commit_messages_free(&messages);
    weir_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    weir_budget budget;
    weir_table *table = NULL;
    weir_fs *fs = weir_fs_memory();
    weir_log_set_level(WEIR_LOG_ERROR); /* expiry complains of what it cannot read, as it should */
    weir_budget_init(&budget, "fuzzing", NULL, BUDGET_BYTES);
    weir_table_open_options open = {.budget = &budget};
    unpack(fs, weir_slice_of(data, size));
    if (weir_table_open(fs, TABLE, &open, &table, NULL) == WEIR_OK) {
        read_batch(table);
        read_stream(fs, &open);
        compact(table);
        read_batch(table);
        weir_expire_options expire = {.retain_min = 1, .retain_max = 1, .older_than_ms = INT64_MAX};
        int64_t expired = 0;
        (void)weir_table_expire(table, &expire, &expired, NULL);
        weir_table_close(table);
    }
    if (budget.used_bytes != 0) {
        abort(); /* the budget must get everything back */
    }
    weir_fs_close(fs);
    return 0;
}
