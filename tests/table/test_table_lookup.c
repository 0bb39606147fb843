/* Rows by key: against a model in memory, while the table changes, is compacted and expires, with little disk, by
 * several threads; and tables in which rows cannot be looked up. */
#include "cmocka_all.h"

#include <pthread.h>
#include <unistd.h>

#include "random.h"
#include "table/lookup/lookup_cache.h"
#include "table/lookup/table_lookup.h"
#include "table/maintenance/rollback.h"
#include "table_fixture.h"

static const char *folder(void)
{
    const char *named = getenv("TMPDIR");
    return named != NULL ? named : "/tmp";
}

static weir_table_lookup *open_lookup(const fixture *table, int64_t disk_bytes)
{
    weir_error err = {0};
    int32_t columns[16];
    weir_table_lookup *lookup = NULL;
    for (int32_t i = 0; i < table->table->schema->field_count; i++) {
        columns[i] = i;
    }
    weir_table_lookup_options options = {.columns = columns,
                                         .column_count = table->table->schema->field_count,
                                         .folder = folder(),
                                         .disk_bytes = disk_bytes};
    must(weir_table_lookup_open(table->table, &options, &lookup, &err), &err, "opening a lookup");
    return lookup;
}

/* ---- a model ---- */

#define PARTITIONS 3
#define KEYS       40

typedef struct model {
    int64_t values[PARTITIONS][KEYS]; /* -1: no such row */
} model;

/* What is there of one key in two notations. */
static void check_key(weir_table_lookup *lookup, const fixture *table, const model *expected, int32_t p, int64_t k,
                      bool long_keys)
{
    weir_error err = {0};
    const weir_schema *schema = table->table->schema;
    weir_batch keys, out;
    int64_t row = 0;
    /* as a join's keys are: nullable */
    weir_type types[2] = {*schema->fields[0].type, *schema->fields[1].type};
    weir_field fields[3] = {schema->fields[0], schema->fields[1]};
    for (int i = 0; i < 2; i++) {
        types[i].nullable = true;
        fields[i].type = &types[i];
    }
    weir_batch_init(&keys, fields, 2);
    weir_batch_init(&out, schema->fields, schema->field_count);
    json_t *key = long_keys ? json_sprintf("a key that is longer than eight bytes %d", (int)k) : json_integer(k);
    json_t *partition = json_integer(p);
    must(weir_vector_append_json(&keys.columns[0], partition, &err), &err, "a key");
    must(weir_vector_append_json(&keys.columns[1], key, &err), &err, "a key");
    keys.length = 1;
    must(weir_table_lookup_find(lookup, &keys, &row, &out, &err), &err, "finding");
    int64_t wanted = p < PARTITIONS && k < KEYS ? expected->values[p][k] : -1;
    if (wanted < 0) {
        assert_int_equal(row, -1);
        assert_int_equal(out.length, 0);
    } else {
        assert_int_equal(row, 0);
        assert_int_equal(WEIR_VALUES(&out.columns[0], int32_t)[0], p);
        assert_int_equal(WEIR_VALUES(&out.columns[2], int64_t)[0], wanted);
    }
    json_decref(key);
    json_decref(partition);
    weir_batch_free(&keys);
    weir_batch_free(&out);
}

/* A key with a NULL among others. */
static void check_null(weir_table_lookup *lookup, const fixture *table)
{
    weir_error err = {0};
    const weir_schema *schema = table->table->schema;
    weir_type type = *schema->fields[1].type;
    type.nullable = true;
    weir_field fields[2] = {schema->fields[0], {.name = "k", .type = &type}};
    weir_batch keys, out;
    int64_t rows[2] = {7, 7};
    int32_t nobody = 1000;
    weir_batch_init(&keys, fields, 2);
    weir_batch_init(&out, schema->fields, schema->field_count);
    must(weir_vector_append_raw(&keys.columns[0], &nobody, sizeof nobody, &err), &err, "a key");
    must(weir_vector_append_raw(&keys.columns[0], &nobody, sizeof nobody, &err), &err, "a key");
    must(weir_vector_append_nulls(&keys.columns[1], 2, &err), &err, "a key");
    keys.length = 2;
    must(weir_table_lookup_find(lookup, &keys, rows, &out, &err), &err, "finding");
    assert_int_equal(rows[0], -1);
    assert_int_equal(rows[1], -1);
    weir_batch_free(&keys);
    weir_batch_free(&out);
}

static void check_all(weir_table_lookup *lookup, const fixture *table, const model *expected, bool long_keys)
{
    check_null(lookup, table);
    for (int32_t p = 0; p <= PARTITIONS; p++) {
        for (int64_t k = 0; k <= KEYS; k++) {
            check_key(lookup, table, expected, p, k, long_keys);
        }
    }
}

static void change_some(fixture *table, model *rows, random_state *random, bool long_keys)
{
    weir_buffer text = {0};
    bool deletes = random_below(random, 3) == 0;
    weir_buffer_append_text(&text, "[");
    int count = 1 + (int)random_below(random, 12);
    for (int i = 0; i < count; i++) {
        int p = (int)random_below(random, PARTITIONS), k = (int)random_below(random, KEYS);
        int64_t value = (int64_t)random_below(random, 1000000);
        char row[160];
        snprintf(row, sizeof row,
                 long_keys ? "%s[%d,\"a key that is longer than eight bytes %d\",%lld]" : "%s[%d,%d,%lld]",
                 i > 0 ? "," : "", p, k, (long long)value);
        weir_buffer_append_text(&text, row);
        rows->values[p][k] = deletes ? -1 : value;
    }
    weir_buffer_append(&text, "]", 2);
    fixture_write(table, (const char *)text.data, deletes ? "-D" : "+I");
    weir_buffer_free(&text);
}

static void commit_and_perhaps_compact(fixture *table, random_state *random)
{
    fixture_prepared prepared;
    weir_error err = {0};
    if (random_below(random, 4) == 0) {
        must(weir_table_write_compact_written(table->write, &err), &err, "compacting");
    }
    fixture_prepare(table, &prepared);
    fixture_commit_prepared(table, &prepared);
}

static void follow_a_model(bool long_keys, int64_t disk_bytes)
{
    random_state random = random_start();
    fixture table;
    model rows;
    memset(&rows, -1, sizeof rows);
    fixture_create(
        &table, long_keys ? "p INT NOT NULL, k STRING NOT NULL, v BIGINT" : "p INT NOT NULL, k INT NOT NULL, v BIGINT",
        "p,k", "p", "bucket=2;snapshot.num-retained.min=1;snapshot.num-retained.max=4;write-buffer-size=1 mb");
    weir_table_lookup *lookup = open_lookup(&table, disk_bytes);
    check_all(lookup, &table, &rows, long_keys);
    for (int round = 0; round < 12; round++) {
        /* Sometimes it falls behind so far that snapshots between are gone. */
        for (int step = random_below(&random, 6) == 0 ? 8 : 1; step > 0; step--) {
            change_some(&table, &rows, &random, long_keys);
            commit_and_perhaps_compact(&table, &random);
        }
        weir_error err = {0};
        must(weir_table_lookup_refresh(lookup, &err), &err, "refreshing");
        check_all(lookup, &table, &rows, long_keys);
    }
    weir_table_lookup_close(lookup);
    fixture_free(&table);
}

static void rows_are_found_by_short_keys_as_the_table_changes(void **state)
{
    (void)state;
    follow_a_model(false, 0);
}

static void rows_are_found_by_long_keys_as_the_table_changes(void **state)
{
    (void)state;
    follow_a_model(true, 0);
}

static void little_disk_makes_files_go_and_come_again(void **state)
{
    (void)state;
    follow_a_model(true, 600);
}

/* ---- the disk ---- */

/* What the lookup files of this process take: files without a name, mapped from the folder. */
static int64_t mapped_bytes(void)
{
    char line[4096], start[4096];
    int64_t bytes = 0;
    FILE *maps = fopen("/proc/self/maps", "re");
    assert_non_null(maps);
    snprintf(start, sizeof start, " %s/", folder());
    while (fgets(line, sizeof line, maps) != NULL) {
        unsigned long long from = 0, to = 0;
        if (strstr(line, start) != NULL && strstr(line, "(deleted)") != NULL &&
            sscanf(line, "%llx-%llx", &from, &to) == 2) {
            bytes += (int64_t)(to - from);
        }
    }
    fclose(maps);
    return bytes;
}

static const weir_fs_ops *in_memory;
static int64_t most_mapped, opened;

/* Each lookup file is made from a data file that is opened. */
static int open_and_measure(weir_fs *fs, const char *path, weir_file **out, weir_error *err)
{
    int64_t bytes = mapped_bytes();
    most_mapped = bytes > most_mapped ? bytes : most_mapped;
    opened++;
    return in_memory->open(fs, path, out, err);
}

static void many_keys_take_no_more_disk_than_they_may(void **state)
{
    (void)state;
    enum { BUCKETS = 16, ROWS = 4000, PAGE = 4096 };
    fixture table;
    weir_error err = {0};
    weir_buffer text = {0};
    fixture_create(&table, "p INT NOT NULL, k INT NOT NULL, v BIGINT", "p,k", "p", "bucket=16");
    for (int k = 0; k < ROWS; k++) {
        weir_buffer_append_format(&text, "%s[0,%d,%d]", k == 0 ? "[" : ",", k, k * 3);
    }
    weir_buffer_append_text(&text, "]");
    fixture_commit(&table, weir_buffer_text(&text), "+I");
    enum { DISK = 4 * ROWS / BUCKETS * 50 }; /* for about four of the sixteen */
    weir_table_lookup *lookup = open_lookup(&table, DISK);
    weir_batch keys, out;
    weir_batch_init(&keys, table.table->schema->fields, 2);
    weir_batch_init(&out, table.table->schema->fields, 3);
    int64_t *rows = weir_alloc(sizeof *rows * ROWS);
    for (int32_t k = 0, partition = 0; k < ROWS; k += 10) {
        must(weir_vector_append_raw(&keys.columns[0], &partition, sizeof partition, &err), &err, "a key");
        must(weir_vector_append_raw(&keys.columns[1], &k, sizeof k, &err), &err, "a key");
        keys.length++;
    }
    in_memory = table.fs->ops;
    weir_fs_ops measured = *in_memory;
    measured.open = open_and_measure;
    table.fs->ops = &measured;
    must(weir_table_lookup_find(lookup, &keys, rows, &out, &err), &err, "finding");
    assert_int_equal(out.length, keys.length);
    for (int64_t i = 0; i < keys.length; i++) {
        assert_int_equal(WEIR_VALUES(&out.columns[2], int64_t)[rows[i]], i * 30);
    }
    assert_in_range(opened, BUCKETS + 1, INT64_MAX); /* some more than once */
    assert_in_range(most_mapped, PAGE, DISK + 8 * PAGE);
    assert_in_range(mapped_bytes(), PAGE, DISK + 8 * PAGE);
    weir_table_lookup_close(lookup);
    assert_int_equal(mapped_bytes(), 0);
    table.fs->ops = in_memory;
    weir_batch_free(&keys);
    weir_batch_free(&out);
    weir_buffer_free(&text);
    free(rows);
    fixture_free(&table);
}

/* ---- files that go away ---- */

static void a_find_goes_on_to_the_latest_snapshot_when_files_have_expired(void **state)
{
    (void)state;
    fixture table;
    fixture_create(&table, "p INT NOT NULL, k INT NOT NULL, v BIGINT", "p,k", "p",
                   "bucket=1;snapshot.num-retained.min=1;snapshot.num-retained.max=1;snapshot.time-retained=1 ms");
    model rows;
    memset(&rows, -1, sizeof rows);
    fixture_commit(&table, "[[0,1,10],[0,2,20]]", "+I");
    weir_table_lookup *lookup = open_lookup(&table, 0);
    weir_error err = {0};
    fixture_write(&table, "[[0,1,11]]", "+I");
    must(weir_table_write_compact_written(table.write, &err), &err, "compacting");
    fixture_prepared prepared;
    fixture_prepare(&table, &prepared);
    fixture_commit_prepared(&table, &prepared);
    fixture_commit(&table, "[[1,5,50]]", "+I");
    usleep(5000);
    fixture_commit(&table, "[[1,6,60]]", "+I");
    rows.values[0][1] = 11;
    rows.values[0][2] = 20;
    check_key(lookup, &table, &rows, 0, 1, false);
    check_key(lookup, &table, &rows, 0, 2, false);
    assert_int_equal(weir_table_lookup_snapshot(lookup), 5);
    weir_table_lookup_close(lookup);
    fixture_free(&table);
}

static void a_table_that_was_rolled_back_and_went_on_is_read_anew(void **state)
{
    (void)state;
    fixture table;
    model rows;
    weir_error err = {0};
    memset(&rows, -1, sizeof rows);
    fixture_create(&table, "p INT NOT NULL, k INT NOT NULL, v BIGINT", "p,k", "p", "bucket=1;write-only=true");
    fixture_commit(&table, "[[0,1,10]]", "+I");
    fixture_commit(&table, "[[0,1,11],[0,2,20]]", "+I");
    fixture reader = table; /* the writer's table is opened anew meanwhile */
    must(weir_table_open(table.fs, FIXTURE_PATH, NULL, &reader.table, &err), &err, "opening");
    weir_table_lookup *lookup = open_lookup(&reader, 0);
    must(weir_table_rollback_to_snapshot(table.table, 1, &err), &err, "rolling back");
    fixture_close(&table);
    fixture_open(&table);
    fixture_commit(&table, "[[0,3,30]]", "+I");
    fixture_commit(&table, "[[0,4,40]]", "+I");
    must(weir_table_lookup_refresh(lookup, &err), &err, "refreshing");
    rows.values[0][1] = 10;
    rows.values[0][3] = 30;
    rows.values[0][4] = 40;
    check_all(lookup, &reader, &rows, false);
    weir_table_lookup_close(lookup);
    weir_table_close(reader.table);
    fixture_free(&table);
}

/* ---- threads ---- */

typedef struct reader {
    weir_table_lookup *lookup;
    const fixture *table;
    uint64_t seed;
    atomic_bool *stop;
    int64_t found;
} reader;

/* A row's value is its key times a thousand, and a round that only grows. */
static void *find_rows(void *argument)
{
    reader *self = argument;
    random_state random = {self->seed};
    const weir_schema *schema = self->table->table->schema;
    weir_field fields[2] = {schema->fields[0], schema->fields[1]};
    int64_t last[KEYS] = {0};
    weir_batch keys, out;
    weir_batch_init(&keys, fields, 2);
    weir_batch_init(&out, schema->fields, schema->field_count);
    while (!atomic_load(self->stop)) {
        int64_t row = 0, k = (int64_t)random_below(&random, KEYS);
        weir_error err = {0};
        json_t *zero = json_integer(0), *key = json_integer(k);
        weir_batch_clear(&keys);
        must(weir_vector_append_json(&keys.columns[0], zero, &err), &err, "a key");
        must(weir_vector_append_json(&keys.columns[1], key, &err), &err, "a key");
        keys.length = 1;
        must(weir_table_lookup_find(self->lookup, &keys, &row, &out, &err), &err, "finding");
        assert_int_equal(row, 0);
        int64_t value = WEIR_VALUES(&out.columns[2], int64_t)[0];
        assert_int_equal(value / 1000, k);
        assert_true(value >= last[k]); /* never back to an older snapshot */
        last[k] = value;
        self->found++;
        json_decref(zero);
        json_decref(key);
    }
    weir_batch_free(&keys);
    weir_batch_free(&out);
    return NULL;
}

static void write_round(fixture *table, int round)
{
    weir_buffer text = {0};
    weir_error err = {0};
    fixture_prepared prepared;
    for (int k = 0; k < KEYS; k++) {
        char row[64];
        snprintf(row, sizeof row, "%s[0,%d,%d]", k == 0 ? "[" : ",", k, k * 1000 + round);
        weir_buffer_append_text(&text, row);
    }
    weir_buffer_append(&text, "]", 2);
    fixture_write(table, (const char *)text.data, "+I");
    if (round % 3 == 0) {
        must(weir_table_write_compact_written(table->write, &err), &err, "compacting");
    }
    fixture_prepare(table, &prepared);
    fixture_commit_prepared(table, &prepared);
    weir_buffer_free(&text);
}

static void threads_find_while_the_table_goes_on(void **state)
{
    (void)state;
    fixture table;
    fixture_create(&table, "p INT NOT NULL, k INT NOT NULL, v BIGINT", "p,k", "p",
                   "bucket=2;snapshot.num-retained.min=1;snapshot.num-retained.max=2");
    write_round(&table, 0);
    atomic_bool stop = false;
    weir_table_lookup *lookup = open_lookup(&table, 3000);
    reader readers[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        readers[i] = (reader){lookup, &table, (uint64_t)i, &stop, 0};
        pthread_create(&threads[i], NULL, find_rows, &readers[i]);
    }
    for (int round = 1; round <= 60; round++) {
        weir_error err = {0};
        write_round(&table, round);
        must(weir_table_lookup_refresh(lookup, &err), &err, "refreshing");
    }
    atomic_store(&stop, true);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_true(readers[i].found > 0);
    }
    weir_table_lookup_close(lookup);
    fixture_free(&table);
}

/* ---- what can't be looked up ---- */

static void refused(const char *primary_key, const char *options, const char *reason)
{
    fixture table;
    weir_error err = {0};
    fixture_create(&table, "p INT NOT NULL, k INT NOT NULL, v BIGINT", primary_key, "", options);
    assert_int_equal(weir_table_lookup_check(table.table, &err), WEIR_UNSUPPORTED);
    assert_non_null(strstr(err.message, reason));
    fixture_free(&table);
}

static void tables_whose_newest_row_is_not_in_the_newest_file_are_refused(void **state)
{
    (void)state;
    refused("", "bucket=-1", "it has no primary key");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_found_by_short_keys_as_the_table_changes),
        cmocka_unit_test(rows_are_found_by_long_keys_as_the_table_changes),
        cmocka_unit_test(little_disk_makes_files_go_and_come_again),
        cmocka_unit_test(many_keys_take_no_more_disk_than_they_may),
        cmocka_unit_test(a_find_goes_on_to_the_latest_snapshot_when_files_have_expired),
        cmocka_unit_test(a_table_that_was_rolled_back_and_went_on_is_read_anew),
        cmocka_unit_test(threads_find_while_the_table_goes_on),
        cmocka_unit_test(tables_whose_newest_row_is_not_in_the_newest_file_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
