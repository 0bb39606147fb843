/* The public library as a caller sees it: creating, writing, committing, reading, following changes, maintaining. */
#include "orders.h"

#include <pthread.h>
#include <unistd.h>

typedef struct place {
    char root[64];
    char path[128];
} place;

static int set_up(void **state)
{
    place *here = calloc(1, sizeof *here);
    strcpy(here->root, "/tmp/weir-api-XXXXXX");
    assert_non_null(mkdtemp(here->root));
    snprintf(here->path, sizeof here->path, "%s/shop.db/orders", here->root);
    *state = here;
    return 0;
}

static int tear_down(void **state)
{
    place *here = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", here->root);
    int status = system(command);
    free(here);
    return status;
}

static weir_lake_table *open_table(const char *path)
{
    weir_lake_table *table = NULL;
    CHECK(weir_lake_table_open(path, NULL, &table, err));
    return table;
}

static weir_writer *open_writer(const char *path, const char *user, bool overwrite)
{
    weir_lake_table *table = open_table(path);
    weir_writer *writer = NULL;
    CHECK(weir_writer_open(table, user, overwrite, &writer, err));
    weir_lake_table_close(table);
    return writer;
}

static const order three[] = {
    {"eu", 1, "ann", 10, 0},
    {"eu", 2, NULL, 20, 0},
    {"us", 3, "bob", 30, 0},
};

/* A table with the three orders as snapshot 1, and +U of order 1 and -D of order 3 as snapshot 2. */
static void write_two_snapshots(const char *path, const weir_property *options, int32_t count)
{
    static const order changes[] = {{"eu", 1, "ann", 11, 2}, {"us", 3, "bob", 30, 3}};
    create_orders(path, false, options, count);
    weir_writer *writer = open_writer(path, "tests", false);
    assert_int_equal(commit_orders(writer, three, 3, 1), 1);
    assert_true(commit_orders(writer, changes, 2, 2) >= 2);
    CHECK(weir_writer_verify(writer, err));
    weir_writer_close(writer);
}

/* ---- tables ---- */

static void a_created_table_describes_itself(void **state)
{
    const place *here = *state;
    create_orders(here->path, true, NULL, 0);
    weir_lake_table *table = open_table(here->path);
    weir_lake_table_info info;
    int64_t snapshot = -1;
    weir_lake_table_describe(table, &info);
    assert_string_equal(info.path, here->path);
    assert_string_equal(info.comment, "orders of the tests");
    assert_int_equal(info.primary_key_count, 2);
    assert_string_equal(info.primary_keys[1], "id");
    assert_int_equal(info.partition_key_count, 1);
    assert_string_equal(info.partition_keys[0], "region");
    assert_int_equal(info.option_count, 1);
    assert_string_equal(info.options[0].key, "bucket");
    CHECK(weir_lake_table_latest_snapshot(table, &snapshot, err));
    assert_int_equal(snapshot, 0);
    struct ArrowSchema schema;
    CHECK(weir_lake_table_schema(table, &schema, err));
    weir_lake_table_close(table);
    assert_int_equal(schema.n_children, 4);
    assert_string_equal(schema.children[1]->name, "id");
    assert_string_equal(schema.children[1]->format, "l");
    assert_int_equal(schema.children[1]->flags & ARROW_FLAG_NULLABLE, 0);
    assert_int_equal(schema.children[2]->flags & ARROW_FLAG_NULLABLE, ARROW_FLAG_NULLABLE);
    schema.release(&schema);
}

static void every_type_comes_back_as_it_was_created(void **state)
{
    const place *here = *state;
    static const char *const formats[] = {"b", "c",   "s",   "i",   "l",    "f",    "g",    "d:38,10", "u",
                                          "z", "tdD", "tts", "ttm", "tss:", "tsm:", "tsu:", "tsn:UTC", "w:3"};
    static const char *const expected[] = {"b", "c",   "s",   "i",   "l",    "f",    "g",    "d:38,10", "u",
                                           "z", "tdD", "ttm", "ttm", "tsm:", "tsm:", "tsu:", "tsn:UTC", "z"};
    enum { COUNT = sizeof formats / sizeof *formats };
    struct ArrowSchema children[COUNT];
    struct ArrowSchema *pointers[COUNT];
    char names[COUNT][16];
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "c%d", i);
        children[i] = (struct ArrowSchema){.format = formats[i], .name = names[i], .flags = ARROW_FLAG_NULLABLE};
        pointers[i] = &children[i];
    }
    struct ArrowSchema columns = {.format = "+s", .n_children = COUNT, .children = pointers};
    weir_create_request request = {.columns = &columns};
    CHECK(weir_lake_table_create(here->path, &request, err));
    weir_lake_table *table = open_table(here->path);
    struct ArrowSchema schema;
    CHECK(weir_lake_table_schema(table, &schema, err));
    for (int i = 0; i < COUNT; i++) {
        assert_string_equal(schema.children[i]->format, expected[i]);
    }
    schema.release(&schema);
    weir_lake_table_close(table);
}

static void nested_columns_come_back_as_they_were_created(void **state)
{
    const place *here = *state;
    struct ArrowSchema text = {.format = "u", .name = "key"};
    struct ArrowSchema number = {.format = "i", .name = "value", .flags = ARROW_FLAG_NULLABLE};
    struct ArrowSchema *pair[] = {&text, &number};
    struct ArrowSchema entries = {.format = "+s", .name = "entries", .n_children = 2, .children = pair};
    struct ArrowSchema *entries_list[] = {&entries};
    struct ArrowSchema map = {.format = "+m", .name = "m", .n_children = 1, .children = entries_list};
    struct ArrowSchema *number_list[] = {&number};
    struct ArrowSchema list = {.format = "+l", .name = "l", .n_children = 1, .children = number_list};
    struct ArrowSchema row = {.format = "+s", .name = "r", .n_children = 2, .children = pair};
    struct ArrowSchema *all[] = {&map, &list, &row};
    struct ArrowSchema columns = {.format = "+s", .n_children = 3, .children = all};
    weir_create_request request = {.columns = &columns};
    CHECK(weir_lake_table_create(here->path, &request, err));
    weir_lake_table *table = open_table(here->path);
    struct ArrowSchema schema;
    CHECK(weir_lake_table_schema(table, &schema, err));
    assert_string_equal(schema.children[0]->format, "+m");
    assert_string_equal(schema.children[0]->children[0]->children[0]->format, "u");
    assert_string_equal(schema.children[1]->children[0]->format, "i");
    assert_string_equal(schema.children[2]->children[1]->name, "value");
    schema.release(&schema);
    weir_lake_table_close(table);
}

/* ---- writing and reading ---- */

static void committed_rows_come_out_merged(void **state)
{
    const place *here = *state;
    write_two_snapshots(here->path, NULL, 0);
    assert_string_equal(table_text(here->path, NULL, 0, NULL), "eu:1:ann:11 eu:2:null:20");
}

static void nothing_is_visible_before_a_commit(void **state)
{
    const place *here = *state;
    create_orders(here->path, false, NULL, 0);
    weir_writer *writer = open_writer(here->path, NULL, false);
    weir_prepared *prepared = NULL;
    CHECK(write_orders(writer, three, 3, err));
    CHECK(weir_writer_prepare(writer, false, &prepared, err));
    assert_false(weir_prepared_is_empty(prepared));
    assert_string_equal(table_text(here->path, NULL, 0, NULL), "");
    CHECK(weir_writer_abort(writer, prepared, err));
    weir_prepared_free(prepared);
    CHECK(weir_writer_prepare(writer, false, &prepared, err));
    assert_true(weir_prepared_is_empty(prepared));
    int64_t snapshot = -1;
    CHECK(weir_writer_commit(writer, prepared, 1, &snapshot, err));
    assert_int_equal(snapshot, 0);
    weir_prepared_free(prepared);
    weir_writer_close(writer);
}

static void an_older_snapshot_is_read_by_its_id(void **state)
{
    const place *here = *state;
    static const weir_property travel[] = {{"scan.snapshot-id", "1"}};
    write_two_snapshots(here->path, NULL, 0);
    assert_string_equal(table_text(here->path, travel, 1, NULL), "eu:1:ann:10 eu:2:null:20 us:3:bob:30");
}

static void the_changes_between_snapshots_carry_their_kinds(void **state)
{
    const place *here = *state;
    static const weir_property options[] = {{"changelog-producer", "input"}};
    static const weir_property between[] = {{"incremental-between", "1,2"}};
    static const weir_read_request request = {.with_kinds = true};
    write_two_snapshots(here->path, options, 1);
    assert_string_equal(table_text(here->path, between, 1, &request), "eu:1:ann:11:+U us:3:bob:30:-D");
}

static void columns_come_in_the_order_asked_for(void **state)
{
    const place *here = *state;
    static const char *const columns[] = {"amount", "id"};
    static const weir_read_request request = {.columns = columns, .column_count = 2};
    write_two_snapshots(here->path, NULL, 0);
    assert_string_equal(table_text(here->path, NULL, 0, &request), "11:1 20:2");
}

static void columns_are_found_by_name_and_may_be_missing(void **state)
{
    const place *here = *state;
    create_orders(here->path, false, NULL, 0);
    weir_writer *writer = open_writer(here->path, NULL, false);
    struct ArrowSchema schema = orders_schema(false);
    struct ArrowArray array = orders_array(three, 3, false);
    struct ArrowSchema *schema_children[] = {schema.children[3], schema.children[1], schema.children[0]};
    struct ArrowArray *array_children[] = {array.children[3], array.children[1], array.children[0]};
    struct ArrowSchema some_schema = {.format = "+s", .n_children = 3, .children = schema_children};
    struct ArrowArray some = {.length = 2,
                              .offset = 1,
                              .n_buffers = 1,
                              .buffers = array.buffers,
                              .n_children = 3,
                              .children = array_children};
    weir_prepared *prepared = NULL;
    CHECK(weir_writer_write(writer, &some_schema, &some, err));
    CHECK(weir_writer_prepare(writer, true, &prepared, err));
    CHECK(weir_writer_commit(writer, prepared, 1, NULL, err));
    weir_prepared_free(prepared);
    weir_writer_close(writer);
    schema.release(&schema);
    array.release(&array);
    assert_string_equal(table_text(here->path, NULL, 0, NULL), "eu:2:null:20 us:3:null:30");
}

static void conditions_leave_exactly_the_matching_rows(void **state)
{
    const place *here = *state;
    static const char *const ten[] = {"10"}, *const eu[] = {"eu"}, *const some[] = {"1", "3", "7"}, *const b[] = {"b"};
    static const struct {
        weir_condition condition;
        const char *expected;
    } cases[] = {
        {{"amount", WEIR_CONDITION_EQUAL, ten, 1}, "1"},
        {{"amount", WEIR_CONDITION_NOT_EQUAL, ten, 1}, "2 3"},
        {{"amount", WEIR_CONDITION_GREATER, ten, 1}, "2 3"},
        {{"amount", WEIR_CONDITION_LESS_OR_EQUAL, ten, 1}, "1"},
        {{"amount", WEIR_CONDITION_LESS, ten, 1}, ""},
        {{"amount", WEIR_CONDITION_GREATER_OR_EQUAL, ten, 1}, "1 2 3"},
        {{"region", WEIR_CONDITION_EQUAL, eu, 1}, "1 2"},
        {{"id", WEIR_CONDITION_IN, some, 3}, "1 3"},
        {{"id", WEIR_CONDITION_IN, NULL, 0}, ""},
        {{"customer", WEIR_CONDITION_IS_NULL, NULL, 0}, "2"},
        {{"customer", WEIR_CONDITION_IS_NOT_NULL, NULL, 0}, "1 3"},
        {{"customer", WEIR_CONDITION_STARTS_WITH, b, 1}, "3"},
    };
    static const char *const id[] = {"id"};
    create_orders(here->path, false, NULL, 0);
    weir_writer *writer = open_writer(here->path, NULL, false);
    commit_orders(writer, three, 3, 1);
    weir_writer_close(writer);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_read_request request = {
            .columns = id, .column_count = 1, .conditions = &cases[i].condition, .condition_count = 1};
        assert_string_equal(table_text(here->path, NULL, 0, &request), cases[i].expected);
    }
}

static void splits_together_give_every_row_once(void **state)
{
    const place *here = *state;
    write_two_snapshots(here->path, NULL, 0);
    weir_lake_table *table = open_table(here->path);
    weir_read_plan *plan = NULL;
    int64_t rows = 0;
    CHECK(weir_read_plan_make(table, NULL, &plan, err));
    weir_lake_table_close(table);
    assert_true(weir_read_plan_snapshot(plan) >= 2);
    assert_true(weir_read_plan_split_count(plan) >= 1);
    for (int64_t i = 0; i < weir_read_plan_split_count(plan); i++) {
        weir_split_info info;
        struct ArrowArrayStream stream;
        CHECK(weir_read_plan_split(plan, i, &info, err));
        assert_true(info.row_count > 0 && info.size_bytes > 0 && info.file_count > 0 && info.bucket >= 0);
        CHECK(weir_read_plan_read(plan, i, &stream, err));
        const char *text = rows_of(&stream);
        rows += *text != '\0';
        for (const char *at = text; *at != '\0'; at++) {
            rows += *at == ' ';
        }
    }
    assert_int_equal(rows, 2);
    struct ArrowArrayStream stream;
    assert_int_equal(weir_read_plan_read(plan, 1000, &stream, NULL), WEIR_INVALID);
    weir_read_plan_free(plan);
}

/* The number of rows of all splits, each read four times. */
static void *read_all_splits(void *argument)
{
    const weir_read_plan *plan = argument;
    int64_t rows = 0;
    for (int64_t i = 0; i < 4 * weir_read_plan_split_count(plan); i++) {
        struct ArrowArrayStream stream;
        struct ArrowArray array;
        if (weir_read_plan_read(plan, i % weir_read_plan_split_count(plan), &stream, NULL) != WEIR_OK) {
            return NULL;
        }
        while (stream.get_next(&stream, &array) == 0 && array.release != NULL) {
            rows += array.length;
            array.release(&array);
        }
        stream.release(&stream);
    }
    return (void *)(intptr_t)rows;
}

static void splits_are_read_by_several_threads_at_a_time(void **state)
{
    const place *here = *state;
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    write_two_snapshots(here->path, NULL, 0);
    weir_lake_table *table = open_table(here->path);
    weir_read_plan *plan = NULL;
    CHECK(weir_read_plan_make(table, NULL, &plan, err));
    weir_lake_table_close(table);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, read_all_splits, plan), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *rows = NULL;
        assert_int_equal(pthread_join(threads[i], &rows), 0);
        assert_int_equal((intptr_t)rows, 4 * 2);
    }
    weir_read_plan_free(plan);
}

static void a_stream_outlives_its_table_and_may_be_released_unread(void **state)
{
    const place *here = *state;
    struct ArrowArrayStream read, unread;
    write_two_snapshots(here->path, NULL, 0);
    weir_lake_table *table = open_table(here->path);
    weir_read_plan *plan = NULL;
    CHECK(weir_lake_table_read(table, NULL, &unread, err));
    CHECK(weir_read_plan_make(table, NULL, &plan, err));
    CHECK(weir_read_plan_read(plan, 0, &read, err));
    weir_read_plan_free(plan);
    weir_lake_table_close(table);
    unread.release(&unread);
    assert_non_null(strstr(rows_of(&read), "eu:"));
}

static void a_stream_of_rows_is_taken_as_well(void **state)
{
    const place *here = *state;
    char copy[160];
    snprintf(copy, sizeof copy, "%s/shop.db/copy", here->root);
    write_two_snapshots(here->path, NULL, 0);
    create_orders(copy, true, NULL, 0);
    weir_lake_table *table = open_table(here->path);
    weir_writer *writer = open_writer(copy, "copy", false);
    struct ArrowArrayStream stream;
    weir_prepared *prepared = NULL;
    CHECK(weir_lake_table_read(table, NULL, &stream, err));
    CHECK(weir_writer_write_stream(writer, &stream, err));
    assert_null(stream.release);
    CHECK(weir_writer_prepare(writer, true, &prepared, err));
    CHECK(weir_writer_commit(writer, prepared, WEIR_BATCH_COMMIT_IDENTIFIER, NULL, err));
    weir_prepared_free(prepared);
    weir_writer_close(writer);
    weir_lake_table_close(table);
    assert_string_equal(table_text(copy, NULL, 0, NULL), "eu:1:ann:11 eu:2:null:20");
}

/* ---- replay ---- */

static void a_replayed_commit_changes_nothing_twice(void **state)
{
    const place *here = *state;
    create_orders(here->path, false, NULL, 0);
    weir_writer *writer = open_writer(here->path, "job", false);
    weir_prepared *prepared = NULL;
    int64_t first = 0, again = -1, latest = 0;
    CHECK(write_orders(writer, three, 3, err));
    CHECK(weir_writer_prepare(writer, true, &prepared, err));
    CHECK(weir_writer_replay(writer, prepared, 7, &first, err));
    CHECK(weir_writer_replay(writer, prepared, 7, &again, err));
    assert_true(first > 0);
    assert_int_equal(again, 0);
    weir_prepared_free(prepared);
    weir_writer_close(writer);
    weir_lake_table *table = open_table(here->path);
    CHECK(weir_lake_table_latest_snapshot(table, &latest, err));
    assert_int_equal(latest, first);
    weir_lake_table_close(table);
}

static void a_saved_commit_is_replayed_by_another_writer(void **state)
{
    const place *here = *state;
    create_orders(here->path, true, NULL, 0);
    weir_writer *writer = open_writer(here->path, "job", false);
    weir_prepared *prepared = NULL, *loaded = NULL;
    void *bytes = NULL;
    size_t size = 0;
    int64_t snapshot = 0;
    CHECK(write_orders(writer, three, 3, err));
    CHECK(weir_writer_prepare(writer, true, &prepared, err));
    CHECK(weir_prepared_save(prepared, &bytes, &size, err));
    weir_prepared_free(prepared);
    weir_writer_close(writer);
    assert_string_equal(table_text(here->path, NULL, 0, NULL), "");

    writer = open_writer(here->path, "job", false);
    CHECK(weir_prepared_load(bytes, size, &loaded, err));
    CHECK(weir_writer_replay(writer, loaded, 1, &snapshot, err));
    assert_true(snapshot > 0);
    CHECK(weir_writer_replay(writer, loaded, 1, &snapshot, err));
    assert_int_equal(snapshot, 0);
    weir_prepared_free(loaded);
    weir_writer_close(writer);
    free(bytes);
    assert_string_equal(table_text(here->path, NULL, 0, NULL), "eu:1:ann:10 eu:2:null:20 us:3:bob:30");
}

/* The files below a folder of the table. */
static int count_files(const place *here, const char *folder)
{
    char command[256];
    int count = -1;
    snprintf(command, sizeof command, "find '%s/%s' -type f | wc -l", here->path, folder);
    FILE *found = popen(command, "r");
    assert_non_null(found);
    assert_int_equal(fscanf(found, "%d", &count), 1);
    assert_int_equal(pclose(found), 0);
    return count;
}

static void a_writer_whose_commit_was_refused_takes_nothing_more(void **state)
{
    const place *here = *state;
    static const weir_property dynamic[] = {{"bucket", "-1"}};
    static const order other[] = {{"eu", 9, "eve", 90, 0}};
    weir_prepared *prepared = NULL;
    weir_error refusal = {0};
    create_orders(here->path, false, dynamic, 1);
    weir_writer *late = open_writer(here->path, "late", false), *early = open_writer(here->path, "early", false);
    CHECK(write_orders(late, three, 3, err));
    CHECK(weir_writer_prepare(late, true, &prepared, err));
    commit_orders(early, other, 1, 1);
    int files = count_files(here, "index");
    assert_int_equal(weir_writer_commit(late, prepared, 1, NULL, &refusal), WEIR_CONFLICT);
    assert_non_null(strstr(refusal.message, "one writing job at a time"));
    assert_int_equal(write_orders(late, three, 3, &refusal), WEIR_INVALID);
    assert_non_null(strstr(refusal.message, "close it"));
    CHECK(weir_writer_abort(late, prepared, err));
    assert_int_equal(count_files(here, "index"), files - 1);
    weir_prepared_free(prepared);
    weir_writer_close(late);

    late = open_writer(here->path, "late", false);
    commit_orders(late, three, 3, 1);
    weir_writer_close(late);
    weir_writer_close(early);
    assert_string_equal(table_text(here->path, NULL, 0, NULL), "eu:1:ann:10 eu:2:null:20 eu:9:eve:90 us:3:bob:30");
}

/* The index of keys goes with the files, or the next writer would give each key a second bucket. */
static void a_saved_commit_keeps_the_buckets_of_its_keys(void **state)
{
    const place *here = *state;
    static const weir_property dynamic[] = {{"bucket", "-1"}, {"dynamic-bucket.target-row-num", "2"}};
    static const order again[] = {{"us", 3, "bob", 31, 0}, {"eu", 4, "dan", 40, 0}, {"eu", 2, "cid", 21, 0}};
    weir_prepared *prepared = NULL, *loaded = NULL;
    void *bytes = NULL;
    size_t size = 0;
    create_orders(here->path, false, dynamic, 2);
    weir_writer *writer = open_writer(here->path, "job", false);
    CHECK(write_orders(writer, three, 3, err));
    CHECK(weir_writer_prepare(writer, true, &prepared, err));
    CHECK(weir_prepared_save(prepared, &bytes, &size, err));
    weir_prepared_free(prepared);
    weir_writer_close(writer);

    writer = open_writer(here->path, "job", false);
    CHECK(weir_prepared_load(bytes, size, &loaded, err));
    CHECK(weir_writer_replay(writer, loaded, 1, NULL, err));
    weir_prepared_free(loaded);
    free(bytes);
    commit_orders(writer, again, 3, 2);
    weir_writer_close(writer);
    assert_int_equal(count_files(here, "index"), 3); /* one of the first bucket, two of the second */
    assert_string_equal(table_text(here->path, NULL, 0, NULL), "eu:1:ann:10 eu:2:cid:21 eu:4:dan:40 us:3:bob:31");
}

/* All changes from the first snapshot on. */
static const char *all_changes(const char *path)
{
    static const weir_property start[] = {{"scan.mode", "from-snapshot"}, {"scan.snapshot-id", "1"}};
    static char text[4096];
    weir_open_settings settings = {.options = start, .option_count = 2, .for_changes = true};
    weir_lake_table *table = NULL;
    weir_change_stream *changes = NULL;
    struct ArrowArrayStream stream;
    size_t size = 0;
    CHECK(weir_lake_table_open(path, &settings, &table, err));
    CHECK(weir_change_stream_open(table, NULL, &changes, err));
    weir_lake_table_close(table);
    text[0] = '\0';
    while (weir_change_stream_next(changes, &stream, NULL, NULL) == WEIR_OK) {
        size += (size_t)snprintf(text + size, sizeof text - size, "%s%s", size > 0 ? " | " : "", rows_of(&stream));
    }
    weir_change_stream_close(changes);
    return text;
}

/* Whose compaction met another's and was dropped, tells its changes all the same, though no more rows come. */
static void changes_are_told_whoever_compacts_in_between(void **state)
{
    const place *here = *state;
    static const weir_property lookup[] = {{"bucket", "1"}, {"changelog-producer", "lookup"}};
    static const order first[] = {{"eu", 1, "ann", 10, 0}},
                       second[] = {{"eu", 5, "eve", 50, 0}, {"eu", 1, "bob", 20, 0}};
    weir_prepared *prepared = NULL;
    int64_t snapshot = 0;
    create_orders(here->path, false, lookup, 2);
    weir_writer *late = open_writer(here->path, "late", false), *early = open_writer(here->path, "early", false);
    CHECK(write_orders(late, second, 2, err));
    CHECK(weir_writer_prepare(late, true, &prepared, err));
    commit_orders(early, first, 1, 1);
    CHECK(weir_writer_commit(late, prepared, 1, &snapshot, err));
    assert_true(snapshot > 0);
    weir_prepared_free(prepared);
    weir_writer_close(late);
    weir_writer_close(early);
    assert_string_equal(all_changes(here->path), "eu:1:ann:10:+I | eu:1:ann:10:-U eu:1:bob:20:+U eu:5:eve:50:+I");
}

static void damaged_bytes_of_a_commit_are_an_error(void **state)
{
    const place *here = *state;
    create_orders(here->path, false, NULL, 0);
    weir_writer *writer = open_writer(here->path, "job", false);
    weir_prepared *prepared = NULL;
    void *bytes = NULL;
    size_t size = 0;
    CHECK(write_orders(writer, three, 3, err));
    CHECK(weir_writer_prepare(writer, true, &prepared, err));
    CHECK(weir_prepared_save(prepared, &bytes, &size, err));
    weir_prepared_free(prepared);
    weir_writer_close(writer);
    for (size_t cut = 0; cut < size; cut++) {
        weir_error error = {0};
        char *part = malloc(cut + 1);
        memcpy(part, bytes, cut);
        prepared = NULL;
        assert_int_equal(weir_prepared_load(part, cut, &prepared, &error), WEIR_CORRUPT);
        assert_null(prepared);
        free(part);
    }
    for (size_t at = 0; at < size; at++) {
        uint8_t *damaged = malloc(size);
        memcpy(damaged, bytes, size);
        damaged[at] ^= 0x55;
        prepared = NULL;
        weir_prepared_load(damaged, size, &prepared, NULL); /* an error or not: never a crash */
        weir_prepared_free(prepared);
        free(damaged);
    }
    free(bytes);
}

/* ---- overwriting ---- */

static void an_overwrite_replaces_the_partitions_it_touches(void **state)
{
    const place *here = *state;
    static const order newer[] = {{"eu", 9, "eve", 90, 0}};
    create_orders(here->path, true, NULL, 0);
    weir_writer *writer = open_writer(here->path, NULL, false);
    commit_orders(writer, three, 3, 1);
    weir_writer_close(writer);
    writer = open_writer(here->path, NULL, true);
    weir_prepared *prepared = NULL;
    CHECK(write_orders(writer, newer, 1, err));
    CHECK(weir_writer_prepare(writer, true, &prepared, err));
    CHECK(weir_writer_overwrite(writer, prepared, 1, NULL, NULL, err));
    weir_prepared_free(prepared);
    weir_writer_close(writer);
    assert_string_equal(table_text(here->path, NULL, 0, NULL), "eu:9:eve:90 us:3:bob:30");
}

static void an_overwrite_of_a_named_partition_may_leave_it_empty(void **state)
{
    const place *here = *state;
    static const char *const us[] = {"us"};
    create_orders(here->path, true, NULL, 0);
    weir_writer *writer = open_writer(here->path, NULL, false);
    commit_orders(writer, three, 3, 1);
    weir_writer_close(writer);
    writer = open_writer(here->path, NULL, true);
    weir_prepared *prepared = NULL;
    CHECK(weir_writer_prepare(writer, true, &prepared, err));
    CHECK(weir_writer_overwrite(writer, prepared, 1, us, NULL, err));
    weir_prepared_free(prepared);
    weir_writer_close(writer);
    assert_string_equal(table_text(here->path, NULL, 0, NULL), "eu:1:ann:10 eu:2:null:20");
}

/* ---- changes ---- */

static void a_change_stream_gives_the_state_and_then_what_changes(void **state)
{
    const place *here = *state;
    static const weir_property options[] = {{"changelog-producer", "input"}};
    static const order later[] = {{"us", 4, "dan", 40, 0}};
    write_two_snapshots(here->path, options, 1);
    weir_lake_table *table = open_table(here->path);
    weir_change_stream *changes = NULL;
    struct ArrowArrayStream stream;
    int64_t snapshot = 0;
    CHECK(weir_change_stream_open(table, NULL, &changes, err));
    weir_lake_table_close(table);
    assert_int_equal(weir_change_stream_position(changes), -1);
    CHECK(weir_change_stream_next(changes, &stream, &snapshot, err));
    const char *text = rows_of(&stream);
    assert_non_null(strstr(text, "eu:2:null:20:+I"));
    assert_null(strstr(text, "bob"));
    assert_int_equal(weir_change_stream_next(changes, &stream, NULL, NULL), WEIR_IDLE);
    int64_t position = weir_change_stream_position(changes);
    assert_int_equal(position, snapshot + 1);

    weir_writer *writer = open_writer(here->path, NULL, false);
    commit_orders(writer, later, 1, 1);
    weir_writer_close(writer);
    CHECK(weir_change_stream_next(changes, &stream, &snapshot, err));
    assert_string_equal(rows_of(&stream), "us:4:dan:40:+I");
    assert_int_equal(snapshot, position);
    CHECK(weir_change_stream_restore(changes, position, err));
    weir_change_stream_stop_after(changes, position);
    CHECK(weir_change_stream_next(changes, &stream, &snapshot, err));
    assert_string_equal(rows_of(&stream), "us:4:dan:40:+I");
    assert_int_equal(weir_change_stream_next(changes, &stream, NULL, NULL), WEIR_END);
    weir_change_stream_close(changes);
}

static void a_change_stream_starts_where_the_options_say(void **state)
{
    const place *here = *state;
    static const weir_property options[] = {{"changelog-producer", "input"}};
    static const weir_property start[] = {{"scan.mode", "from-snapshot"}, {"scan.snapshot-id", "1"}};
    static const char *const id[] = {"id"}, *const three_text[] = {"3"};
    static const weir_condition only_three[] = {{"id", WEIR_CONDITION_EQUAL, three_text, 1}};
    static const weir_read_request request = {
        .columns = id, .column_count = 1, .conditions = only_three, .condition_count = 1};
    write_two_snapshots(here->path, options, 1);
    weir_open_settings settings = {.options = start, .option_count = 2, .for_changes = true};
    weir_lake_table *table = NULL;
    weir_change_stream *changes = NULL;
    struct ArrowArrayStream stream;
    CHECK(weir_lake_table_open(here->path, &settings, &table, err));
    CHECK(weir_change_stream_open(table, &request, &changes, err));
    weir_lake_table_close(table);
    CHECK(weir_change_stream_next(changes, &stream, NULL, err));
    assert_string_equal(rows_of(&stream), "3:+I");
    CHECK(weir_change_stream_next(changes, &stream, NULL, err));
    assert_string_equal(rows_of(&stream), "3:-D");
    weir_change_stream_close(changes);
}

static void a_change_stream_may_start_at_a_snapshot_to_come(void **state)
{
    const place *here = *state;
    static const weir_property options[] = {{"changelog-producer", "input"}};
    static const weir_property start[] = {{"scan.mode", "from-snapshot"}, {"scan.snapshot-id", "4"}};
    weir_open_settings settings = {.options = start, .option_count = 2, .for_changes = true};
    weir_lake_table *table = NULL;
    weir_change_stream *changes = NULL;
    struct ArrowArrayStream stream;
    write_two_snapshots(here->path, options, 1);
    CHECK(weir_lake_table_open(here->path, &settings, &table, err));
    CHECK(weir_change_stream_open(table, NULL, &changes, err));
    weir_lake_table_close(table);
    assert_int_equal(weir_change_stream_next(changes, &stream, NULL, NULL), WEIR_IDLE);
    assert_int_equal(weir_change_stream_position(changes), 4);
    weir_change_stream_close(changes);
}

/* ---- maintenance ---- */

static void compaction_keeps_the_rows_and_expiry_keeps_the_newest_snapshot(void **state)
{
    const place *here = *state;
    write_two_snapshots(here->path, NULL, 0);
    weir_lake_table *table = open_table(here->path);
    int64_t compacted = 0, expired = 0, latest = 0;
    CHECK(weir_lake_table_compact(table, true, &compacted, err));
    CHECK(weir_lake_table_latest_snapshot(table, &latest, err));
    assert_true(compacted == 0 || compacted == latest);
    CHECK(weir_lake_table_expire(table, 1, 1, INT64_MAX, &expired, err));
    assert_int_equal(expired, latest - 1);
    weir_read_plan *plan = NULL;
    CHECK(weir_read_plan_make(table, NULL, &plan, err));
    assert_int_equal(weir_read_plan_row_count(plan), 2);
    weir_read_plan_free(plan);
    weir_lake_table_close(table);
    assert_string_equal(table_text(here->path, NULL, 0, NULL), "eu:1:ann:11 eu:2:null:20");
}

/* ---- errors ---- */

static int try_open(const char *path, const weir_property *options, int32_t count, weir_error *err)
{
    weir_open_settings settings = {.options = options, .option_count = count};
    weir_lake_table *table = NULL;
    int code = weir_lake_table_open(path, &settings, &table, err);
    weir_lake_table_close(table);
    return code;
}

static void a_table_that_cannot_be_opened_says_why(void **state)
{
    const place *here = *state;
    static const weir_property misspelt[] = {{"scan.snapshotid", "1"}};
    static const weir_property layout[] = {{"bucket", "7"}};
    static const weir_property missing[] = {{"scan.snapshot-id", "99"}};
    weir_error error = {0};
    assert_int_equal(try_open(here->path, NULL, 0, &error), WEIR_NOT_FOUND);
    assert_non_null(strstr(error.message, here->path));
    assert_int_equal(try_open("gopher://host/t", NULL, 0, &error), WEIR_UNSUPPORTED);
    write_two_snapshots(here->path, NULL, 0);
    assert_int_equal(try_open(here->path, misspelt, 1, &error), WEIR_INVALID);
    assert_non_null(strstr(error.message, "scan.snapshot-id"));
    assert_int_equal(try_open(here->path, layout, 1, &error), WEIR_INVALID);
    assert_int_equal(try_open(here->path, missing, 1, &error), WEIR_NOT_FOUND);
    assert_int_equal(try_open(here->path, missing, 1, NULL), WEIR_NOT_FOUND);
}

static void a_table_that_cannot_be_created_is_refused_before_anything_is_written(void **state)
{
    const place *here = *state;
    static const char *const keys[] = {"nowhere"};
    static const weir_property wrong[] = {{"bucket", "many"}};
    struct ArrowSchema unsigned_column = {.format = "I", .name = "n"};
    struct ArrowSchema *children[] = {&unsigned_column};
    struct ArrowSchema unsigned_columns = {.format = "+s", .n_children = 1, .children = children};
    struct ArrowSchema schema = orders_schema(false);
    weir_error error = {0};
    weir_create_request request = {.columns = &schema, .primary_keys = keys, .primary_key_count = 1};
    assert_int_equal(weir_lake_table_create(here->path, &request, &error), WEIR_INVALID);
    assert_non_null(strstr(error.message, "nowhere"));
    request = (weir_create_request){.columns = &schema, .options = wrong, .option_count = 1};
    assert_int_equal(weir_lake_table_create(here->path, &request, &error), WEIR_INVALID);
    request = (weir_create_request){.columns = &unsigned_columns};
    assert_int_equal(weir_lake_table_create(here->path, &request, &error), WEIR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "signed"));
    request = (weir_create_request){0};
    assert_int_equal(weir_lake_table_create(here->path, &request, &error), WEIR_INVALID);
    assert_int_equal(access(here->path, F_OK), -1);
    request = (weir_create_request){.columns = &schema};
    CHECK(weir_lake_table_create(here->path, &request, err));
    assert_int_equal(weir_lake_table_create(here->path, &request, &error), WEIR_EXISTS);
    schema.release(&schema);
}

static void a_request_that_does_not_fit_names_what_is_wrong(void **state)
{
    const place *here = *state;
    static const char *const unknown[] = {"amuont"}, *const twice[] = {"id", "id"};
    static const char *const word[] = {"many"}, *const two[] = {"1", "2"}, *const none[] = {NULL};
    static const struct {
        weir_read_request request;
        weir_condition condition;
        int code;
        const char *part;
    } cases[] = {
        {{.columns = unknown, .column_count = 1}, {0}, WEIR_NOT_FOUND, "amount"},
        {{.columns = twice, .column_count = 2}, {0}, WEIR_INVALID, "twice"},
        {{.condition_count = 1}, {"amount", WEIR_CONDITION_EQUAL, word, 1}, WEIR_INVALID, "many"},
        {{.condition_count = 1}, {"amount", WEIR_CONDITION_EQUAL, two, 2}, WEIR_INVALID, "one value"},
        {{.condition_count = 1}, {"amount", WEIR_CONDITION_EQUAL, none, 1}, WEIR_INVALID, "missing"},
        {{.condition_count = 1}, {"amount", WEIR_CONDITION_IS_NULL, two, 1}, WEIR_INVALID, "no value"},
        {{.condition_count = 1}, {"amount", WEIR_CONDITION_STARTS_WITH, two, 1}, WEIR_INVALID, "text"},
        {{.condition_count = 1}, {"amount", (weir_condition_kind)77, two, 1}, WEIR_INVALID, "77"},
        {{.condition_count = 1}, {"nothing", WEIR_CONDITION_EQUAL, two, 1}, WEIR_NOT_FOUND, "nothing"},
    };
    create_orders(here->path, false, NULL, 0);
    weir_lake_table *table = open_table(here->path);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_read_request request = cases[i].request;
        struct ArrowArrayStream stream;
        weir_error error = {0};
        request.conditions = &cases[i].condition;
        assert_int_equal(weir_lake_table_read(table, &request, &stream, &error), cases[i].code);
        assert_non_null(strstr(error.message, cases[i].part));
    }
    weir_lake_table_close(table);
}

static void rows_that_do_not_fit_are_not_taken(void **state)
{
    const place *here = *state;
    create_orders(here->path, false, NULL, 0);
    weir_writer *writer = open_writer(here->path, NULL, false);
    struct ArrowSchema schema = orders_schema(true);
    struct ArrowArray array = orders_array(three, 3, true);
    weir_error error = {0};
    schema.children[3]->name = "amuont";
    assert_int_equal(weir_writer_write(writer, &schema, &array, &error), WEIR_INVALID);
    assert_non_null(strstr(error.message, "did you mean 'amount'"));
    schema.children[3]->name = "id";
    assert_int_equal(weir_writer_write(writer, &schema, &array, &error), WEIR_INVALID);
    schema.children[3]->name = "amount";
    schema.children[3]->format = "u";
    array.children[3]->n_buffers = 2;
    assert_int_equal(weir_writer_write(writer, &schema, &array, &error), WEIR_INVALID);
    schema.children[3]->format = "l";
    ((int8_t *)array.children[4]->buffers[1])[0] = 9;
    assert_int_equal(weir_writer_write(writer, &schema, &array, &error), WEIR_INVALID);
    ((int8_t *)array.children[4]->buffers[1])[0] = 0;
    schema.format = "l";
    assert_int_equal(weir_writer_write(writer, &schema, &array, &error), WEIR_INVALID);
    schema.release(&schema);
    array.release(&array);
    weir_prepared *prepared = NULL;
    CHECK(weir_writer_prepare(writer, true, &prepared, err));
    assert_true(weir_prepared_is_empty(prepared));
    assert_int_equal(weir_writer_overwrite(writer, prepared, 1, NULL, NULL, &error), WEIR_INVALID);
    weir_prepared_free(prepared);
    weir_writer_close(writer);
}

static void a_row_without_its_key_is_not_taken(void **state)
{
    const place *here = *state;
    static const order keyless[] = {{NULL, 1, "ann", 10, 0}};
    create_orders(here->path, false, NULL, 0);
    weir_writer *writer = open_writer(here->path, NULL, false);
    weir_error error = {0};
    assert_int_equal(write_orders(writer, keyless, 1, &error), WEIR_INVALID);
    assert_non_null(strstr(error.message, "region"));
    weir_writer_close(writer);
}

static void a_damaged_file_is_an_error_of_the_stream(void **state)
{
    const place *here = *state;
    char command[256];
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    write_two_snapshots(here->path, NULL, 0);
    snprintf(command, sizeof command, "for f in '%s'/bucket-*/data-*; do echo damaged > \"$f\"; done", here->path);
    assert_int_equal(system(command), 0);
    weir_lake_table *table = open_table(here->path);
    CHECK(weir_lake_table_read(table, NULL, &stream, err));
    assert_null(stream.get_last_error(&stream));
    assert_int_not_equal(stream.get_next(&stream, &array), 0);
    assert_non_null(strstr(stream.get_last_error(&stream), "bucket-"));
    stream.release(&stream);
    weir_lake_table_close(table);
}

static void a_table_within_a_budget_of_memory_and_one_thread_works_the_same(void **state)
{
    const place *here = *state;
    weir_open_settings settings = {.memory_bytes = 64 << 20, .threads = 1};
    weir_lake_table *table = NULL;
    struct ArrowArrayStream stream;
    write_two_snapshots(here->path, NULL, 0);
    CHECK(weir_lake_table_open(here->path, &settings, &table, err));
    CHECK(weir_lake_table_read(table, NULL, &stream, err));
    assert_string_equal(rows_of(&stream), "eu:1:ann:11 eu:2:null:20");
    weir_lake_table_close(table);
}

static void nothing_is_freed_without_complaint(void **state)
{
    (void)state;
    weir_lake_table_close(NULL);
    weir_read_plan_free(NULL);
    weir_change_stream_close(NULL);
    weir_writer_close(NULL);
    weir_prepared_free(NULL);
    assert_non_null(strchr(weir_version(), '.'));
    assert_string_equal(weir_code_name(WEIR_CONFLICT), "conflict");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_created_table_describes_itself),
        TEST(every_type_comes_back_as_it_was_created),
        TEST(nested_columns_come_back_as_they_were_created),
        TEST(committed_rows_come_out_merged),
        TEST(nothing_is_visible_before_a_commit),
        TEST(an_older_snapshot_is_read_by_its_id),
        TEST(the_changes_between_snapshots_carry_their_kinds),
        TEST(columns_come_in_the_order_asked_for),
        TEST(columns_are_found_by_name_and_may_be_missing),
        TEST(conditions_leave_exactly_the_matching_rows),
        TEST(splits_together_give_every_row_once),
        TEST(splits_are_read_by_several_threads_at_a_time),
        TEST(a_stream_outlives_its_table_and_may_be_released_unread),
        TEST(a_stream_of_rows_is_taken_as_well),
        TEST(a_replayed_commit_changes_nothing_twice),
        TEST(a_saved_commit_is_replayed_by_another_writer),
        TEST(a_writer_whose_commit_was_refused_takes_nothing_more),
        TEST(a_saved_commit_keeps_the_buckets_of_its_keys),
        TEST(changes_are_told_whoever_compacts_in_between),
        TEST(damaged_bytes_of_a_commit_are_an_error),
        TEST(an_overwrite_replaces_the_partitions_it_touches),
        TEST(an_overwrite_of_a_named_partition_may_leave_it_empty),
        TEST(a_change_stream_gives_the_state_and_then_what_changes),
        TEST(a_change_stream_starts_where_the_options_say),
        TEST(a_change_stream_may_start_at_a_snapshot_to_come),
        TEST(compaction_keeps_the_rows_and_expiry_keeps_the_newest_snapshot),
        TEST(a_table_that_cannot_be_opened_says_why),
        TEST(a_table_that_cannot_be_created_is_refused_before_anything_is_written),
        TEST(a_request_that_does_not_fit_names_what_is_wrong),
        TEST(rows_that_do_not_fit_are_not_taken),
        TEST(a_row_without_its_key_is_not_taken),
        TEST(a_damaged_file_is_an_error_of_the_stream),
        TEST(a_table_within_a_budget_of_memory_and_one_thread_works_the_same),
        TEST(nothing_is_freed_without_complaint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
