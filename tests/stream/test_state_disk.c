/* Keyed state over a database: random batches, checkpoints, reopening and small budgets against plain arrays; and what
 * is said when a folder can't be used. */
#include "stream/state/state.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "state_fixture.h"

#define MAP_KEYS 40

typedef struct model {
    model_value values[2][KEY_LIMIT];
    model_value maps[MAP_KEYS][SUBKEY_LIMIT];
    uint32_t named; /* what is under the name "position"; 0: nothing */
} model;

typedef struct fixture {
    char folder[64];
    weir_budget budget;
    weir_state_backend *backend;
    weir_value_state *values[2];
    weir_map_state *maps;
    int64_t ttl_ms;
    bool temporary;
    weir_error err;
    int64_t now;
    int64_t checkpoint;
    model live, committed;
} fixture;

#define CHECK(test, call) check_ok((call), &(test)->err)

static void open_backend(fixture *test)
{
    weir_state_backend_options options = {
        .folder = test->folder, .budget = &test->budget, .temporary = test->temporary};
    CHECK(test, weir_state_backend_open(&options, &test->backend, &test->err));
    weir_state_backend_set_time(test->backend, test->now);
    for (int i = 0; i < 2; i++) {
        weir_state_options values = {.uid = i == 0 ? "first" : "second", .name = "values", .ttl_ms = test->ttl_ms};
        CHECK(test, weir_value_state_open(test->backend, &values, &test->values[i], &test->err));
    }
    weir_state_options maps = {.uid = "first", .name = "maps", .ttl_ms = test->ttl_ms};
    CHECK(test, weir_map_state_open(test->backend, &maps, &test->maps, &test->err));
}

static void close_backend(fixture *test)
{
    weir_value_state_close(test->values[0]);
    weir_value_state_close(test->values[1]);
    weir_map_state_close(test->maps);
    assert_int_equal(weir_state_backend_memory(test->backend), 0);
    weir_state_backend_close(test->backend);
    assert_int_equal(atomic_load(&test->budget.used_bytes), 0);
    test->backend = NULL;
}

static fixture *start(int64_t limit_bytes, int64_t ttl_ms)
{
    fixture *test = weir_alloc_zeroed(1, sizeof *test);
    snprintf(test->folder, sizeof test->folder, "/tmp/weir-state-XXXXXX");
    assert_non_null(mkdtemp(test->folder));
    weir_budget_init(&test->budget, "test", NULL, limit_bytes);
    test->ttl_ms = ttl_ms;
    test->now = 1000000;
    for (size_t i = 0; i < MAP_KEYS * SUBKEY_LIMIT; i++) {
        test->live.maps[i / SUBKEY_LIMIT][i % SUBKEY_LIMIT].size = -1;
    }
    test->committed = test->live;
    open_backend(test);
    return test;
}

static void remove_folder(const char *folder)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

static void end(fixture *test)
{
    close_backend(test);
    remove_folder(test->folder);
    free(test);
}

static void expire(fixture *test, model_value *value, int32_t gone)
{
    if (test->ttl_ms > 0 && test->now - value->time >= test->ttl_ms) {
        value->size = gone;
    }
}

static void change_values(fixture *test, random_state *random, int which, bool whole, uint64_t range)
{
    enum { ROWS = 2000 };
    uint32_t numbers[ROWS];
    weir_state_slot slots[ROWS];
    weir_sort_keys keys = {0};
    uint64_t first = random_below(random, KEY_LIMIT - range + 1);
    for (int i = 0; i < ROWS; i++) {
        numbers[i] = (uint32_t)(first + random_below(random, range));
    }
    make_keys(&keys, whole, numbers, ROWS);
    CHECK(test, weir_value_state_fetch(test->values[which], &keys, slots, &test->err));
    for (int i = 0; i < ROWS; i++) {
        model_value *expected = &test->live.values[which][numbers[i]];
        expire(test, expected, 0);
        if (!model_matches(*expected, weir_value_state_get(test->values[which], slots[i]))) {
            fail_msg("key %u is not what it was", numbers[i]);
        }
        if (random_below(random, 4) == 0) {
            weir_value_state_remove(test->values[which], slots[i]);
            expected->size = 0;
        } else if (random_below(random, 3) > 0) {
            uint8_t *bytes = NULL;
            int32_t size = (int32_t)random_below(random, random_below(random, 100) == 0 ? 6000 : 60);
            *expected = (model_value){size, (uint8_t)random_next(random), test->now};
            CHECK(test, weir_value_state_edit(test->values[which], slots[i], (size_t)size, &bytes, &test->err));
            memset(bytes, expected->fill, (size_t)size);
        }
    }
    weir_sort_keys_free(&keys);
}

static void check_walk(fixture *test, weir_state_slot slot, const model_value *expected, uint32_t from)
{
    uint8_t space[600];
    weir_map_cursor *cursor = NULL;
    weir_slice subkey;
    weir_slice value;
    CHECK(test, weir_map_cursor_open(test->maps, slot, make_subkey(from, space), &cursor, &test->err));
    for (uint32_t number = from; number < SUBKEY_LIMIT; number++) {
        if (expected[number].size < 0) {
            continue;
        }
        CHECK(test, weir_map_cursor_next(cursor, &subkey, &value, &test->err));
        assert_true(weir_slice_equal(subkey, make_subkey(number, space)));
        assert_true(model_matches(expected[number], value));
    }
    assert_int_equal(weir_map_cursor_next(cursor, &subkey, &value, &test->err), WEIR_END);
    weir_map_cursor_close(cursor);
}

static void change_map(fixture *test, random_state *random, weir_state_slot slot, model_value *expected, uint32_t range,
                       uint64_t remove_of_ten)
{
    uint8_t space[600];
    uint32_t number = (uint32_t)random_below(random, range);
    weir_slice subkey = make_subkey(number, space);
    weir_slice value;
    bool found = false;
    if (random_below(random, 2) == 0) {
        CHECK(test, weir_map_state_get(test->maps, slot, subkey, &found, &value, &test->err));
        assert_int_equal(found, expected[number].size >= 0);
        assert_true(!found || model_matches(expected[number], value));
    }
    if (random_below(random, 10) < remove_of_ten) {
        CHECK(test, weir_map_state_remove(test->maps, slot, subkey, &test->err));
        expected[number].size = -1;
    } else {
        static uint8_t bytes[8000];
        int32_t size = (int32_t)random_below(random, random_below(random, 100) == 0 ? sizeof bytes : 30);
        expected[number] = (model_value){size, (uint8_t)random_next(random), test->now};
        memset(bytes, expected[number].fill, (size_t)size);
        CHECK(test, weir_map_state_put(test->maps, slot, subkey, weir_slice_of(bytes, (size_t)size), &test->err));
    }
}

static void change_maps(fixture *test, random_state *random, bool whole)
{
    enum { KEYS = 8 };
    uint32_t numbers[KEYS];
    weir_state_slot slots[KEYS];
    weir_sort_keys keys = {0};
    for (int i = 0; i < KEYS; i++) {
        numbers[i] = (uint32_t)random_below(random, MAP_KEYS);
    }
    make_keys(&keys, whole, numbers, KEYS);
    CHECK(test, weir_map_state_fetch(test->maps, &keys, slots, &test->err));
    uint64_t remove_of_ten = random_below(random, 10);
    for (int i = 0; i < KEYS; i++) {
        model_value *expected = test->live.maps[numbers[i]];
        for (int s = 0; s < SUBKEY_LIMIT; s++) {
            expire(test, &expected[s], -1);
        }
        uint32_t range = numbers[i] % 3 == 0 ? SUBKEY_LIMIT : numbers[i] % 7 + 1;
        for (int change = 0; change < 20; change++) {
            change_map(test, random, slots[i], expected, range, remove_of_ten);
        }
        if (random_below(random, 4) == 0) {
            check_walk(test, slots[i], expected, (uint32_t)random_below(random, SUBKEY_LIMIT));
            check_walk(test, slots[i], expected, 0);
        }
    }
    weir_sort_keys_free(&keys);
}

static void make_checkpoint(fixture *test)
{
    uint32_t named = (uint32_t)test->checkpoint % 3 == 2 ? 0 : (uint32_t)test->checkpoint + 7;
    if (named == 0) {
        weir_state_backend_remove(test->backend, "position");
    } else {
        CHECK(test, weir_state_backend_put(test->backend, "position", weir_slice_of(&named, 4), &test->err));
    }
    test->live.named = named;
    CHECK(test, weir_state_backend_checkpoint(test->backend, ++test->checkpoint, &test->err));
    test->committed = test->live;
}

static void reopen(fixture *test)
{
    close_backend(test);
    open_backend(test);
    test->live = test->committed;
    weir_buffer named = {0};
    int code = weir_state_backend_get(test->backend, "position", &named, &test->err);
    assert_int_equal(code, test->live.named == 0 ? WEIR_NOT_FOUND : WEIR_OK);
    assert_true(code != WEIR_OK || weir_load_le32(named.data) == test->live.named);
    weir_buffer_free(&named);
    assert_int_equal(weir_state_backend_last_checkpoint(test->backend), test->checkpoint);
}

static void run(random_state *random, int64_t limit_bytes, int64_t ttl_ms, int steps)
{
    fixture *test = start(limit_bytes, ttl_ms);
    bool whole = random_below(random, 2) == 0;
    for (int step = 0; step < steps; step++) {
        test->now += (int64_t)random_below(random, 300);
        weir_state_backend_set_time(test->backend, test->now);
        uint64_t range = random_below(random, 3) == 0 ? KEY_LIMIT : random_below(random, 500) + 1;
        change_values(test, random, (int)random_below(random, 2), whole, range);
        change_maps(test, random, whole);
        if (weir_state_backend_is_full(test->backend) || random_below(random, 8) == 0) {
            make_checkpoint(test);
        }
        if (random_below(random, 25) == 0) {
            reopen(test);
        }
    }
    end(test);
}

static void state_is_what_it_was_at_the_last_checkpoint(void **unused)
{
    (void)unused;
    random_state random = random_start();
    run(&random, INT64_MAX, 0, 80);
    run(&random, INT64_MAX, 4000, 80);
}

static void a_small_budget_changes_nothing_but_where_state_lies(void **unused)
{
    (void)unused;
    random_state random = random_start();
    run(&random, (int64_t)10 << 20, 0, 200);
    run(&random, (int64_t)10 << 20, 30000, 150);
}

/* --- single facts ------------------------------------------------------------------------------------------------ */

static weir_state_slot slot_of(fixture *test, uint32_t number)
{
    weir_sort_keys keys = {0};
    weir_state_slot slot = 0;
    make_keys(&keys, true, &number, 1);
    CHECK(test, weir_value_state_fetch(test->values[0], &keys, &slot, &test->err));
    weir_sort_keys_free(&keys);
    return slot;
}

static void set_number(fixture *test, uint32_t key, uint32_t number)
{
    uint8_t *bytes = NULL;
    CHECK(test, weir_value_state_edit(test->values[0], slot_of(test, key), 4, &bytes, &test->err));
    weir_store_le32(bytes, number);
}

static uint32_t number_at(fixture *test, uint32_t key)
{
    weir_slice bytes = weir_value_state_get(test->values[0], slot_of(test, key));
    return bytes.size == 4 ? weir_load_le32(bytes.data) : 0;
}

/* More than fits one batch of writes goes through a file. */
static void large_checkpoints_are_whole_too(void **unused)
{
    (void)unused;
    fixture *test = start(INT64_MAX, 0);
    uint32_t *numbers = weir_alloc(200000 * sizeof *numbers);
    weir_state_slot *slots = weir_alloc(200000 * sizeof *slots);
    weir_sort_keys keys = {0};
    for (uint32_t i = 0; i < 200000; i++) {
        numbers[i] = i;
    }
    make_keys(&keys, true, numbers, 200000);
    for (int round = 0; round < 2; round++) {
        CHECK(test, weir_value_state_fetch(test->values[0], &keys, slots, &test->err));
        for (uint32_t i = 0; i < 200000; i++) {
            uint8_t *bytes = NULL;
            CHECK(test, weir_value_state_edit(test->values[0], slots[i], 30, &bytes, &test->err));
            memset(bytes, (int)(i + (uint32_t)round), 30);
        }
        make_checkpoint(test);
        reopen(test);
        CHECK(test, weir_value_state_fetch(test->values[0], &keys, slots, &test->err));
        for (uint32_t i = 0; i < 200000; i++) {
            weir_slice bytes = weir_value_state_get(test->values[0], slots[i]);
            assert_int_equal(bytes.size, 30);
            assert_int_equal(bytes.data[29], (uint8_t)(i + (uint32_t)round));
        }
    }
    weir_sort_keys_free(&keys);
    free(numbers);
    free(slots);
    end(test);
}

static void a_table_is_opened_once(void **unused)
{
    (void)unused;
    fixture *test = start(INT64_MAX, 0);
    weir_state_options options = {.uid = "first", .name = "values"};
    weir_value_state *twice = NULL;
    assert_int_equal(weir_value_state_open(test->backend, &options, &twice, &test->err), WEIR_EXISTS);
    end(test);
}

static void a_folder_that_is_open_elsewhere_is_refused(void **unused)
{
    (void)unused;
    fixture *test = start(INT64_MAX, 0);
    weir_state_backend *second = NULL;
    weir_state_backend_options options = {.folder = test->folder};
    assert_int_equal(weir_state_backend_open(&options, &second, &test->err), WEIR_CONFLICT);
    assert_non_null(strstr(test->err.message, test->folder));
    assert_non_null(strstr(test->err.message, "--state"));
    end(test);
}

static void a_folder_that_cannot_be_made_is_an_error(void **unused)
{
    (void)unused;
    weir_error err;
    weir_state_backend *backend = NULL;
    weir_state_backend_options options = {.folder = "/proc/none/state"};
    assert_int_not_equal(weir_state_backend_open(&options, &backend, &err), WEIR_OK);
    assert_non_null(strstr(err.message, "/proc/none"));
}

/* Overwrites the middle of every file whose name ends so. */
static int damage(const char *folder, const char *ending)
{
    int damaged = 0;
    DIR *listing = opendir(folder);
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        size_t size = strlen(entry->d_name);
        if (size < strlen(ending) || strcmp(entry->d_name + size - strlen(ending), ending) != 0) {
            continue;
        }
        char path[400];
        struct stat about;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        int file = open(path, O_WRONLY);
        assert_int_equal(fstat(file, &about), 0);
        char junk[4096];
        memset(junk, 0x5a, sizeof junk);
        for (off_t at = 0; at < about.st_size; at += 4096) {
            size_t count = about.st_size - at < 4096 ? (size_t)(about.st_size - at) : 4096;
            assert_int_equal(pwrite(file, junk, count, at), count);
        }
        close(file);
        damaged++;
    }
    closedir(listing);
    return damaged;
}

static void a_damaged_database_is_named_with_what_to_do(void **unused)
{
    (void)unused;
    fixture *test = start(INT64_MAX, 0);
    for (uint32_t i = 0; i < 100; i++) {
        set_number(test, i, i + 1);
    }
    make_checkpoint(test);
    reopen(test);
    close_backend(test);
    assert_true(damage(test->folder, ".sst") > 0);
    weir_state_backend_options options = {.folder = test->folder, .budget = &test->budget};
    assert_int_equal(weir_state_backend_open(&options, &test->backend, &test->err), WEIR_CORRUPT);
    assert_non_null(strstr(test->err.message, test->folder));
    assert_non_null(strstr(test->err.message, "--fresh"));
    assert_int_equal(atomic_load(&test->budget.used_bytes), 0);
    remove_folder(test->folder);
    free(test);
}

static void a_database_without_its_first_file_is_not_made_anew(void **unused)
{
    (void)unused;
    fixture *test = start(INT64_MAX, 0);
    set_number(test, 1, 10);
    make_checkpoint(test);
    close_backend(test);
    char current[96];
    snprintf(current, sizeof current, "%s/CURRENT", test->folder);
    assert_int_equal(unlink(current), 0);
    weir_state_backend_options options = {.folder = test->folder, .budget = &test->budget};
    for (int round = 0; round < 2; round++) {
        assert_int_equal(weir_state_backend_open(&options, &test->backend, &test->err), WEIR_CORRUPT);
        assert_non_null(strstr(test->err.message, "--fresh"));
    }
    remove_folder(test->folder);
    free(test);
}

static void leave_file(const fixture *test, const char *name)
{
    char *path = weir_format("%s/%s", test->folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("begun", file) >= 0);
    fclose(file);
    free(path);
}

/* What a kill leaves behind just before CURRENT is named. */
static void a_database_whose_making_was_cut_off_is_made(void **unused)
{
    (void)unused;
    fixture *test = start(INT64_MAX, 0);
    close_backend(test);
    remove_folder(test->folder);
    assert_int_equal(mkdir(test->folder, 0777), 0);
    leave_file(test, "IDENTITY");
    leave_file(test, "LOG");
    leave_file(test, "MANIFEST-000001");
    leave_file(test, "000001.dbtmp");
    open_backend(test);
    set_number(test, 1, 10);
    make_checkpoint(test);
    reopen(test);
    end(test);
}

static void a_database_without_its_manifest_is_damaged(void **unused)
{
    (void)unused;
    fixture *test = start(INT64_MAX, 0);
    set_number(test, 1, 10);
    make_checkpoint(test);
    close_backend(test);
    char *command = weir_format("rm %s/MANIFEST-*", test->folder);
    assert_int_equal(system(command), 0);
    free(command);
    weir_state_backend_options options = {.folder = test->folder, .budget = &test->budget};
    assert_int_equal(weir_state_backend_open(&options, &test->backend, &test->err), WEIR_CORRUPT);
    assert_non_null(strstr(test->err.message, "--fresh"));
    remove_folder(test->folder);
    free(test);
}

static void a_checkpoint_that_cannot_be_written_leaves_the_one_before(void **unused)
{
    (void)unused;
    fixture *test = start(INT64_MAX, 0);
    set_number(test, 1, 10);
    make_checkpoint(test);
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit small = {65536, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    for (uint32_t i = 0; i < 20000; i++) {
        set_number(test, i, i + 100);
    }
    int code = weir_state_backend_checkpoint(test->backend, test->checkpoint + 1, &test->err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(code, WEIR_IO);
    assert_non_null(strstr(test->err.message, test->folder));
    reopen(test);
    assert_int_equal(number_at(test, 1), 10);
    assert_int_equal(number_at(test, 2), 0);
    end(test);
}

static void a_temporary_folder_is_emptied_and_removed(void **unused)
{
    (void)unused;
    fixture *test = start(INT64_MAX, 0);
    set_number(test, 5, 55);
    make_checkpoint(test);
    close_backend(test);
    test->temporary = true;
    open_backend(test);
    assert_int_equal(number_at(test, 5), 0);
    assert_int_equal(weir_state_backend_last_checkpoint(test->backend), 0);
    set_number(test, 5, 56);
    CHECK(test, weir_state_backend_checkpoint(test->backend, 1, &test->err));
    assert_int_equal(number_at(test, 5), 56);
    close_backend(test);
    assert_int_not_equal(access(test->folder, F_OK), 0);
    free(test);
}

static void entries_past_their_time_are_not_read_from_disk(void **unused)
{
    (void)unused;
    fixture *test = start(INT64_MAX, 1000);
    set_number(test, 1, 10);
    make_checkpoint(test);
    test->now += 999;
    reopen(test);
    assert_int_equal(number_at(test, 1), 10);
    test->now += 1;
    reopen(test);
    assert_int_equal(number_at(test, 1), 0);
    set_number(test, 1, 12);
    assert_int_equal(number_at(test, 1), 12);
    end(test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(state_is_what_it_was_at_the_last_checkpoint),
        cmocka_unit_test(a_small_budget_changes_nothing_but_where_state_lies),
        cmocka_unit_test(large_checkpoints_are_whole_too),
        cmocka_unit_test(a_table_is_opened_once),
        cmocka_unit_test(a_folder_that_is_open_elsewhere_is_refused),
        cmocka_unit_test(a_folder_that_cannot_be_made_is_an_error),
        cmocka_unit_test(a_damaged_database_is_named_with_what_to_do),
        cmocka_unit_test(a_database_whose_making_was_cut_off_is_made),
        cmocka_unit_test(a_database_without_its_manifest_is_damaged),
        cmocka_unit_test(a_database_without_its_first_file_is_not_made_anew),
        cmocka_unit_test(a_checkpoint_that_cannot_be_written_leaves_the_one_before),
        cmocka_unit_test(a_temporary_folder_is_emptied_and_removed),
        cmocka_unit_test(entries_past_their_time_are_not_read_from_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
