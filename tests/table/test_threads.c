/* One table, many threads: readers while commits and compactions go on, committers that contend for snapshots,
 * compactions that are dropped and begun again, and several tables on one pool. Mostly for ThreadSanitizer, but what
 * comes out is checked too.
 *
 * Threads report by a text, since cmocka's assertions belong to the thread of the test. */
#include "cmocka_all.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/log.h"
#include "base/map.h"
#include "fs/fs.h"
#include "support/table_files.h"
#include "support/table_rows.h"
#include "table/commit/commit.h"
#include "table/maintenance/expire.h"
#include "table/write/table_write.h"

#define POOL_THREADS 3
#define TABLE_PATH   "/warehouse/db.db/t"
#define KEYS         200
#define COMMITS      12
#define COMMITTERS   3
#define READERS      2
#define FAILURE_SIZE 600

typedef struct shared_scene {
    weir_fs *fs;
    weir_pool *pool;
    weir_budget budget;
    weir_table *table; /* shared by all threads */
    atomic_bool over;
} shared_scene;

typedef struct worker {
    shared_scene *scene;
    pthread_t thread;
    int number;
    int64_t done; /* reads, dropped compactions: what the test counts */
    char failure[FAILURE_SIZE];
} worker;

#define WORKER_TRY(worker, call, err, what)                                                                            \
    do {                                                                                                               \
        if ((call) != WEIR_OK) {                                                                                       \
            snprintf((worker)->failure, FAILURE_SIZE, "thread %d, %s: %.500s", (worker)->number, what,                 \
                     (err)->message);                                                                                  \
            return NULL;                                                                                               \
        }                                                                                                              \
    } while (0)

static void must(int code, const weir_error *err)
{
    if (code != WEIR_OK) {
        fail_msg("%s", err->message);
    }
}

/* (k BIGINT, n INT, v STRING) in one folder; `options` are key, value, …, NULL. */
static void create_table(weir_fs *fs, const char *path, const char *const *options)
{
    static const char *const keys[] = {"k"};
    const weir_field fields[] = {
        {.name = "k", .type = weir_type_simple(WEIR_BIGINT, false)},
        {.name = "n", .type = weir_type_simple(WEIR_INT, true)},
        {.name = "v", .type = weir_type_simple(WEIR_VARCHAR, true)},
    };
    weir_error err = {0};
    weir_arena arena;
    weir_options set = {0};
    weir_schema *schema = NULL;
    weir_arena_init(&arena);
    weir_options_set(&set, &arena, "commit.max-retries", "1000");
    weir_options_set(&set, &arena, "commit.min-retry-wait", "1 ms");
    weir_options_set(&set, &arena, "num-sorted-run.compaction-trigger", "2");
    for (int i = 0; options[i] != NULL; i += 2) {
        weir_options_set(&set, &arena, options[i], options[i + 1]);
    }
    must(weir_schema_create(&arena, fields, 3, keys, 1, NULL, 0, &set, NULL, &schema, &err), &err);
    must(weir_schema_publish(fs, path, schema, &err), &err);
    weir_arena_free(&arena);
}

static void open_scene(shared_scene *scene, const char *const *options)
{
    weir_error err = {0};
    weir_log_set_level(WEIR_LOG_ERROR);
    scene->fs = weir_fs_memory();
    atomic_init(&scene->over, false);
    must(weir_pool_create(POOL_THREADS, "test", &scene->pool, &err), &err);
    weir_budget_init(&scene->budget, "test", NULL, (int64_t)512 << 20);
    create_table(scene->fs, TABLE_PATH, options);
    weir_table_open_options open = {.pool = scene->pool, .budget = &scene->budget};
    must(weir_table_open(scene->fs, TABLE_PATH, &open, &scene->table, &err), &err);
}

static void close_scene(shared_scene *scene)
{
    weir_table_close(scene->table);
    weir_pool_free(scene->pool);
    weir_fs_close(scene->fs);
    assert_int_equal(scene->budget.used_bytes, 0);
}

static void start(worker *workers, int count, shared_scene *scene, void *(*run)(void *))
{
    for (int i = 0; i < count; i++) {
        workers[i] = (worker){.scene = scene, .number = i};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, run, &workers[i]), 0);
    }
}

static void join(const worker *workers, int count)
{
    for (int i = 0; i < count; i++) {
        pthread_join(workers[i].thread, NULL);
    }
    for (int i = 0; i < count; i++) {
        if (workers[i].failure[0] != '\0') {
            fail_msg("%s", workers[i].failure);
        }
    }
}

/* ---- one writer with its committer ---- */

typedef struct write_job {
    weir_table_write *write;
    weir_table_commit *commit;
    int64_t identifier;
    int64_t dropped;
} write_job;

static int open_job(const weir_table *table, const char *user, write_job *out, weir_error *err)
{
    weir_table_write_options options = {.commit_user = user};
    *out = (write_job){0};
    WEIR_TRY(weir_table_write_open(table, &options, &out->write, err));
    return weir_table_commit_open(table, user, &out->commit, err);
}

static void close_job(write_job *job)
{
    weir_table_write_close(job->write);
    weir_table_commit_close(job->commit);
}

/* Keys first, first + step, … below KEYS get the number n. */
static int write_keys(const weir_table *table, write_job *job, int64_t first, int64_t step, int32_t n, size_t text_size,
                      weir_error *err)
{
    weir_batch batch;
    char *text = weir_alloc(text_size + 1);
    int code = WEIR_OK;
    weir_batch_init(&batch, table->schema->fields, table->schema->field_count);
    for (int64_t k = first; k < KEYS && code == WEIR_OK; k += step) {
        for (size_t i = 0; i < text_size; i++) {
            text[i] = (char)('a' + (k * 7 + n * 11 + (int64_t)i) % 26);
        }
        code = weir_vector_append_raw(&batch.columns[0], &k, sizeof k, err);
        code = code == WEIR_OK ? weir_vector_append_raw(&batch.columns[1], &n, sizeof n, err) : code;
        code = code == WEIR_OK ? weir_vector_append_raw(&batch.columns[2], text, text_size, err) : code;
        batch.length++;
    }
    code = code == WEIR_OK ? weir_table_write_batch(job->write, &batch, err) : code;
    weir_batch_free(&batch);
    free(text);
    return code;
}

static int commit_job(write_job *job, bool wait, weir_error *err)
{
    weir_arena arena;
    weir_commit_messages messages = {0};
    weir_arena_init(&arena);
    int code = weir_table_write_prepare(job->write, wait, &arena, &messages, err);
    if (code == WEIR_OK) {
        weir_committable committable = {
            .identifier = ++job->identifier, .watermark = WEIR_NO_WATERMARK, .messages = &messages};
        code = weir_table_commit_run(job->commit, &committable, NULL, err);
    }
    if (code == WEIR_OK && weir_table_commit_dropped_compaction(job->commit)) {
        job->dropped++;
        weir_table_write_reset(job->write);
    }
    weir_commit_messages_free(&messages);
    weir_arena_free(&arena);
    return code;
}

/* ---- readers beside a writer ---- */

/* Every commit gives all keys the same number: a reader that sees two of them has read half a commit. */
static void *write_all_keys(void *argument)
{
    worker *self = argument;
    const weir_table *table = self->scene->table;
    weir_error err = {0};
    write_job job;
    WORKER_TRY(self, open_job(table, "writer", &job, &err), &err, "opening");
    for (int32_t n = 1; n <= COMMITS && self->failure[0] == '\0'; n++) {
        if (write_keys(table, &job, 0, 1, n, 40, &err) != WEIR_OK || commit_job(&job, n % 3 == 0, &err) != WEIR_OK) {
            snprintf(self->failure, FAILURE_SIZE, "commit %d: %.500s", n, err.message);
        }
    }
    close_job(&job);
    atomic_store(&self->scene->over, true);
    return NULL;
}

/* The number that all rows have; 0 for an empty table, -1 when they differ. */
static int64_t common_number(const lines *rows)
{
    int64_t number = 0;
    for (size_t i = 0; i < rows->count; i++) {
        int64_t n = strtoll(strchr(rows->items[i], ',') + 1, NULL, 10);
        if (number != 0 && n != number) {
            return -1;
        }
        number = n;
    }
    return number;
}

static int read_table(const weir_table *table, lines *out, weir_error *err)
{
    weir_scan_options scan_options = {.limit = -1};
    weir_read_options read_options = {0};
    weir_table_plan *plan = NULL;
    WEIR_TRY(weir_scan_plan(table, &scan_options, &plan, err));
    int code = plan_rows(table, plan, &read_options, false, out, err);
    weir_table_plan_free(plan);
    return code;
}

static void *read_again_and_again(void *argument)
{
    worker *self = argument;
    int64_t newest = 0;
    bool last = false;
    while (!last) {
        weir_error err = {0};
        lines rows = {0};
        last = atomic_load(&self->scene->over);
        int code = read_table(self->scene->table, &rows, &err);
        int64_t number = common_number(&rows);
        size_t count = rows.count;
        lines_free(&rows);
        WORKER_TRY(self, code, &err, "reading");
        if (number < newest || (number > 0 && count != KEYS)) {
            snprintf(self->failure, FAILURE_SIZE, "thread %d read %zu rows, number %lld after %lld", self->number,
                     count, (long long)number, (long long)newest);
            return NULL;
        }
        newest = number;
        self->done++;
    }
    if (newest != COMMITS) {
        snprintf(self->failure, FAILURE_SIZE, "thread %d saw %lld at the end", self->number, (long long)newest);
    }
    return NULL;
}

/* Follows the changelog: each update's old row is the row that was there. */
static void *follow(void *argument)
{
    worker *self = argument;
    weir_error err = {0};
    weir_arena arena;
    weir_options options = {0};
    weir_table *table = NULL;
    weir_stream_scan *scan = NULL;
    weir_read_options read_options = {.with_kinds = true};
    lines rows = {0};
    bool last = false;
    int code = WEIR_OK;
    weir_arena_init(&arena);
    weir_options_set(&options, &arena, "scan.mode", "from-snapshot");
    weir_options_set(&options, &arena, "scan.snapshot-id", "1");
    weir_table_open_options open = {
        .dynamic_options = &options, .for_stream = true, .pool = self->scene->pool, .budget = &self->scene->budget};
    WORKER_TRY(self, weir_table_open(self->scene->fs, TABLE_PATH, &open, &table, &err), &err, "opening");
    WORKER_TRY(self, weir_stream_scan_open(table, NULL, &scan, &err), &err, "opening the stream");
    while (!last || code == WEIR_OK) {
        weir_table_plan *plan = NULL;
        last = atomic_load(&self->scene->over);
        code = weir_stream_scan_next(scan, &plan, &err);
        if (code == WEIR_OK) {
            code = plan_rows(table, plan, &read_options, false, &rows, &err);
            weir_table_plan_free(plan);
        }
        if (code != WEIR_OK && code != WEIR_IDLE) {
            snprintf(self->failure, FAILURE_SIZE, "following: %.500s", err.message);
            break;
        }
        if (code == WEIR_IDLE) {
            sched_yield();
        }
    }
    self->done = (int64_t)rows.count;
    lines_free(&rows);
    weir_stream_scan_close(scan);
    weir_table_close(table);
    weir_arena_free(&arena);
    return NULL;
}

static void check_readers(const char *producer, int64_t changes)
{
    const char *const options[] = {
        "bucket", "2", "changelog-producer", producer, "snapshot.num-retained.min", "500", "snapshot.num-retained.max",
        "500",    NULL};
    shared_scene scene;
    worker writer, readers[READERS], follower;
    open_scene(&scene, options);
    start(readers, READERS, &scene, read_again_and_again);
    start(&follower, 1, &scene, follow);
    start(&writer, 1, &scene, write_all_keys);
    join(&writer, 1);
    join(readers, READERS);
    join(&follower, 1);
    printf("%s: %lld and %lld reads, %lld changes\n", producer, (long long)readers[0].done, (long long)readers[1].done,
           (long long)follower.done);
    assert_int_equal(follower.done, changes);
    close_scene(&scene);
}

static void readers_see_whole_commits_while_tables_change(void **state)
{
    (void)state;
    check_readers("none", (int64_t)KEYS * COMMITS);
    check_readers("input", (int64_t)KEYS * COMMITS);
    check_readers("lookup", KEYS + (int64_t)KEYS * 2 * (COMMITS - 1));
}

/* ---- committers that contend ---- */

/* Each has keys of its own, but all share one bucket: they contend for snapshots and for the files to compact. */
static void *contend(void *argument)
{
    worker *self = argument;
    const weir_table *table = self->scene->table;
    weir_error err = {0};
    char user[16];
    write_job job;
    snprintf(user, sizeof user, "user-%d", self->number);
    WORKER_TRY(self, open_job(table, user, &job, &err), &err, "opening");
    for (int32_t n = 1; n <= COMMITS && self->failure[0] == '\0'; n++) {
        if (write_keys(table, &job, self->number, COMMITTERS, n, 20, &err) != WEIR_OK ||
            commit_job(&job, n % 2 == 0, &err) != WEIR_OK) {
            snprintf(self->failure, FAILURE_SIZE, "user %d, commit %d: %.500s", self->number, n, err.message);
        }
    }
    self->done = job.dropped;
    close_job(&job);
    return NULL;
}

/* Every committable must have become one APPEND snapshot, in the order of its user. */
static void check_history(const shared_scene *scene)
{
    weir_error err = {0};
    weir_arena arena;
    int64_t latest = 0;
    int64_t last_of_user[COMMITTERS] = {0};
    weir_arena_init(&arena);
    must(weir_snapshot_latest_id(scene->fs, TABLE_PATH, &latest, &err), &err);
    for (int64_t id = 1; id <= latest; id++) {
        weir_snapshot *snapshot = NULL;
        must(weir_snapshot_read(scene->fs, TABLE_PATH, id, &arena, &snapshot, &err), &err);
        int user = snapshot->commit_user[strlen("user-")] - '0';
        assert_in_range(user, 0, COMMITTERS - 1);
        if (snapshot->commit_kind == WEIR_COMMIT_APPEND) {
            assert_int_equal(snapshot->commit_identifier, last_of_user[user] + 1);
            last_of_user[user]++;
        }
    }
    for (int i = 0; i < COMMITTERS; i++) {
        assert_int_equal(last_of_user[i], COMMITS);
    }
    weir_arena_free(&arena);
}

static void check_contention(const char *producer)
{
    const char *const options[] = {"bucket",
                                   "1",
                                   "bucket-key",
                                   "k",
                                   "changelog-producer",
                                   producer,
                                   "snapshot.num-retained.min",
                                   "500",
                                   "snapshot.num-retained.max",
                                   "500",
                                   NULL};
    shared_scene scene;
    worker committers[COMMITTERS];
    int64_t dropped = 0;
    weir_error err = {0};
    lines rows = {0};
    open_scene(&scene, options);
    start(committers, COMMITTERS, &scene, contend);
    join(committers, COMMITTERS);
    for (int i = 0; i < COMMITTERS; i++) {
        dropped += committers[i].done;
    }
    printf("%s: %lld compactions were dropped\n", producer, (long long)dropped);
    check_history(&scene);
    check_no_file_is_left_over(scene.fs, TABLE_PATH, scene.table->schema);
    must(read_table(scene.table, &rows, &err), &err);
    assert_int_equal(rows.count, KEYS);
    assert_int_equal(common_number(&rows), COMMITS);
    lines_free(&rows);
    close_scene(&scene);
}

static void committers_that_contend_lose_nothing(void **state)
{
    (void)state;
    check_contention("none");
    check_contention("lookup");
}

/* ---- expiry beside readers ---- */

static void *expire_again_and_again(void *argument)
{
    worker *self = argument;
    while (!atomic_load(&self->scene->over)) {
        weir_error err = {0};
        int64_t expired = 0;
        weir_expire_options options = {.retain_min = 2, .retain_max = 2, .older_than_ms = INT64_MIN};
        WORKER_TRY(self, weir_table_expire(self->scene->table, &options, &expired, &err), &err, "expiring");
        self->done += expired;
    }
    return NULL;
}

/* Committers of rows build on what may have been taken away before it is read: then there is something newer. */
static void *expire_all_but_a_few(void *argument)
{
    worker *self = argument;
    while (!atomic_load(&self->scene->over)) {
        weir_error err = {0};
        int64_t expired = 0;
        weir_expire_options options = {.retain_min = 3, .retain_max = 3, .older_than_ms = INT64_MIN};
        WORKER_TRY(self, weir_table_expire(self->scene->table, &options, &expired, &err), &err, "expiring");
    }
    return NULL;
}

static void committers_that_contend_bear_snapshots_that_expire_at_once(void **state)
{
    (void)state;
    const char *const options[] = {"bucket", "1", "bucket-key", "k", "write-only", "true", NULL};
    shared_scene scene;
    worker committers[COMMITTERS], expirer;
    weir_error err = {0};
    lines rows = {0};
    open_scene(&scene, options);
    start(&expirer, 1, &scene, expire_all_but_a_few);
    start(committers, COMMITTERS, &scene, contend);
    for (int i = 0; i < COMMITTERS; i++) {
        pthread_join(committers[i].thread, NULL);
    }
    atomic_store(&scene.over, true);
    join(&expirer, 1);
    for (int i = 0; i < COMMITTERS; i++) {
        assert_string_equal(committers[i].failure, "");
    }
    must(read_table(scene.table, &rows, &err), &err);
    assert_int_equal(rows.count, KEYS);
    assert_int_equal(common_number(&rows), COMMITS);
    lines_free(&rows);
    close_scene(&scene);
}

/* A reader may lose the race against expiry, and then is told so; it never reads wrong rows. */
static void *read_what_may_expire(void *argument)
{
    worker *self = argument;
    while (!atomic_load(&self->scene->over)) {
        weir_error err = {0};
        lines rows = {0};
        int code = read_table(self->scene->table, &rows, &err);
        int64_t number = common_number(&rows);
        size_t count = rows.count;
        lines_free(&rows);
        if (code == WEIR_NOT_FOUND) {
            continue;
        }
        WORKER_TRY(self, code, &err, "reading");
        if (number < 0 || (number > 0 && count != KEYS)) {
            snprintf(self->failure, FAILURE_SIZE, "thread %d read %zu rows", self->number, count);
            return NULL;
        }
        self->done++;
    }
    return NULL;
}

static void expiry_beside_readers_and_writers_takes_nothing_that_is_needed(void **state)
{
    (void)state;
    const char *const options[] = {"bucket", "2", "snapshot.num-retained.min", "2", "snapshot.num-retained.max",
                                   "3",      NULL};
    shared_scene scene;
    worker writer, expirer, readers[READERS];
    weir_error err = {0};
    lines rows = {0};
    open_scene(&scene, options);
    start(readers, READERS, &scene, read_what_may_expire);
    start(&expirer, 1, &scene, expire_again_and_again);
    start(&writer, 1, &scene, write_all_keys);
    join(&writer, 1);
    join(&expirer, 1);
    join(readers, READERS);
    must(read_table(scene.table, &rows, &err), &err);
    assert_int_equal(rows.count, KEYS);
    assert_int_equal(common_number(&rows), COMMITS);
    lines_free(&rows);
    close_scene(&scene);
}

/* ---- one large compaction ---- */

static void a_large_compaction_is_cut_into_pieces_that_run_at_once(void **state)
{
    (void)state;
    const char *const options[] = {"bucket", "1", "file.compression", "none", "num-sorted-run.compaction-trigger",
                                   "3",      NULL};
    shared_scene scene;
    weir_error err = {0};
    lines rows = {0};
    write_job job;
    open_scene(&scene, options);
    must(open_job(scene.table, "writer", &job, &err), &err);
    for (int32_t n = 1; n <= 4; n++) {
        must(write_keys(scene.table, &job, 0, 1, n, 24 << 10, &err), &err);
        must(commit_job(&job, true, &err), &err);
    }
    must(weir_table_write_compact_written(job.write, &err), &err);
    must(commit_job(&job, true, &err), &err);
    must(read_table(scene.table, &rows, &err), &err);
    assert_int_equal(rows.count, KEYS);
    assert_int_equal(common_number(&rows), 4);
    lines_free(&rows);
    close_job(&job);
    close_scene(&scene);
}

/* ---- several tables on one pool ---- */

static void *write_own_table(void *argument)
{
    worker *self = argument;
    weir_error err = {0};
    char path[64];
    weir_table *table = NULL;
    write_job job;
    lines rows = {0};
    snprintf(path, sizeof path, "/warehouse/db.db/table-%d", self->number);
    weir_table_open_options open = {.pool = self->scene->pool, .budget = &self->scene->budget};
    WORKER_TRY(self, weir_table_open(self->scene->fs, path, &open, &table, &err), &err, "opening");
    WORKER_TRY(self, open_job(table, "writer", &job, &err), &err, "opening");
    for (int32_t n = 1; n <= COMMITS && self->failure[0] == '\0'; n++) {
        if (write_keys(table, &job, 0, 1, n, 40, &err) != WEIR_OK || commit_job(&job, false, &err) != WEIR_OK ||
            read_table(table, &rows, &err) != WEIR_OK) {
            snprintf(self->failure, FAILURE_SIZE, "table %d, commit %d: %.500s", self->number, n, err.message);
        } else if (rows.count != KEYS || common_number(&rows) != n) {
            snprintf(self->failure, FAILURE_SIZE, "table %d: %zu rows after commit %d", self->number, rows.count, n);
        }
        lines_free(&rows);
    }
    close_job(&job);
    weir_table_close(table);
    return NULL;
}

static void tables_share_a_pool_and_a_budget(void **state)
{
    (void)state;
    static const char *const producers[] = {"none", "input", "lookup"};
    shared_scene scene;
    worker workers[3];
    open_scene(&scene, (const char *const[]){"bucket", "1", NULL});
    for (int i = 0; i < 3; i++) {
        char path[64];
        const char *const options[] = {"bucket", "3", "changelog-producer", producers[i], "write-buffer-size",
                                       "8 kb",   NULL};
        snprintf(path, sizeof path, "/warehouse/db.db/table-%d", i);
        create_table(scene.fs, path, options);
    }
    start(workers, 3, &scene, write_own_table);
    join(workers, 3);
    close_scene(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_see_whole_commits_while_tables_change),
        cmocka_unit_test(committers_that_contend_lose_nothing),
        cmocka_unit_test(committers_that_contend_bear_snapshots_that_expire_at_once),
        cmocka_unit_test(expiry_beside_readers_and_writers_takes_nothing_that_is_needed),
        cmocka_unit_test(a_large_compaction_is_cut_into_pieces_that_run_at_once),
        cmocka_unit_test(tables_share_a_pool_and_a_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
