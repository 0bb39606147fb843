/* State after the death of its process: what is found is one checkpoint, the last that was made, whole and nothing
 * else.
 *
 * A child makes checkpoints whose contents follow from their numbers, tells how far it is, and is killed. */
#include "stream/state/state.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "state_fixture.h"

#define KILLS      8
#define KEYS       40000
#define FEW        300
#define MAP_CHANGE 40

typedef struct held {
    weir_state_backend *backend;
    weir_value_state *values;
    weir_map_state *map;
} held;

static void open_state(held *state, const char *folder)
{
    weir_error err;
    weir_state_backend_options options = {.folder = folder};
    weir_state_options values = {.uid = "job", .name = "values"};
    weir_state_options map = {.uid = "job", .name = "map"};
    check_ok(weir_state_backend_open(&options, &state->backend, &err), &err);
    check_ok(weir_value_state_open(state->backend, &values, &state->values, &err), &err);
    check_ok(weir_map_state_open(state->backend, &map, &state->map, &err), &err);
}

static void close_state(held *state)
{
    weir_value_state_close(state->values);
    weir_map_state_close(state->map);
    weir_state_backend_close(state->backend);
}

/* The keys that checkpoint `id` sets to `id`: a few, or all, so that both ways of writing occur. */
static int64_t keys_of(int64_t id, uint32_t *out)
{
    random_state random = {(uint64_t)id * 7919};
    bool all = id % 4 == 0;
    int64_t count = all ? KEYS : FEW;
    for (int64_t i = 0; i < count; i++) {
        out[i] = all ? (uint32_t)i : (uint32_t)random_below(&random, KEYS);
    }
    return count;
}

static weir_slice subkey_of(int64_t id, int i, uint8_t bytes[8])
{
    weir_store_be64(bytes, (uint64_t)(id * 131 + i * 17) % 5000);
    return weir_slice_of(bytes, 8);
}

static void make_checkpoint(held *state, int64_t id, uint32_t *numbers, weir_state_slot *slots, weir_sort_keys *keys)
{
    weir_error err;
    int64_t count = keys_of(id, numbers);
    make_keys(keys, true, numbers, count);
    weir_state_backend_set_time(state->backend, id);
    check_ok(weir_value_state_fetch(state->values, keys, slots, &err), &err);
    for (int64_t i = 0; i < count; i++) {
        uint8_t *bytes = NULL;
        check_ok(weir_value_state_edit(state->values, slots[i], 100, &bytes, &err), &err);
        weir_store_le64(bytes, (uint64_t)id);
    }
    weir_state_slot slot = 0;
    check_ok(weir_map_state_fetch_one(state->map, weir_slice_text("map"), &slot, &err), &err);
    for (int i = 0; i < MAP_CHANGE; i++) {
        uint8_t bytes[8];
        weir_slice subkey = subkey_of(id, i, bytes);
        if (i % 3 == 0) {
            check_ok(weir_map_state_remove(state->map, slot, subkey, &err), &err);
        } else {
            check_ok(weir_map_state_put(state->map, slot, subkey, weir_slice_of(&id, 8), &err), &err);
        }
    }
    check_ok(weir_state_backend_put(state->backend, "id", weir_slice_of(&id, 8), &err), &err);
    check_ok(weir_state_backend_checkpoint(state->backend, id, &err), &err);
}

/* In the child: never returns. */
static void make_checkpoints(const char *folder, int pipe_to)
{
    held state;
    open_state(&state, folder);
    uint32_t *numbers = weir_alloc(KEYS * sizeof *numbers);
    weir_state_slot *slots = weir_alloc(KEYS * sizeof *slots);
    weir_sort_keys keys = {0};
    for (;;) {
        int64_t id = weir_state_backend_last_checkpoint(state.backend) + 1;
        make_checkpoint(&state, id, numbers, slots, &keys);
        if (write(pipe_to, &id, sizeof id) != sizeof id) {
            _exit(1);
        }
    }
}

typedef struct model {
    int64_t values[KEYS];
    int64_t map[5000]; /* -1: not there */
} model;

static void follow(model *expected, int64_t id, uint32_t *numbers)
{
    int64_t count = keys_of(id, numbers);
    for (int64_t i = 0; i < count; i++) {
        expected->values[numbers[i]] = id;
    }
    for (int i = 0; i < MAP_CHANGE; i++) {
        uint8_t bytes[8];
        expected->map[weir_load_be64(subkey_of(id, i, bytes).data)] = i % 3 == 0 ? -1 : id;
    }
}

static void check_state(held *state, const model *expected, int64_t id)
{
    weir_error err;
    weir_buffer named = {0};
    check_ok(weir_state_backend_get(state->backend, "id", &named, &err), &err);
    assert_int_equal(weir_load_le64(named.data), id);
    weir_buffer_free(&named);
    uint32_t *numbers = weir_alloc(KEYS * sizeof *numbers);
    weir_state_slot *slots = weir_alloc(KEYS * sizeof *slots);
    weir_sort_keys keys = {0};
    for (uint32_t i = 0; i < KEYS; i++) {
        numbers[i] = i;
    }
    make_keys(&keys, true, numbers, KEYS);
    check_ok(weir_value_state_fetch(state->values, &keys, slots, &err), &err);
    for (uint32_t i = 0; i < KEYS; i++) {
        weir_slice bytes = weir_value_state_get(state->values, slots[i]);
        int64_t found = bytes.size == 100 ? (int64_t)weir_load_le64(bytes.data) : 0;
        if (found != expected->values[i]) {
            fail_msg("key %u is of checkpoint %lld, not %lld", i, (long long)found, (long long)expected->values[i]);
        }
    }
    weir_state_slot slot = 0;
    check_ok(weir_map_state_fetch_one(state->map, weir_slice_text("map"), &slot, &err), &err);
    weir_map_cursor *cursor = NULL;
    weir_slice subkey;
    weir_slice value;
    check_ok(weir_map_cursor_open(state->map, slot, weir_slice_of(NULL, 0), &cursor, &err), &err);
    for (uint64_t i = 0; i < 5000; i++) {
        if (expected->map[i] >= 0) {
            check_ok(weir_map_cursor_next(cursor, &subkey, &value, &err), &err);
            assert_int_equal(weir_load_be64(subkey.data), i);
            assert_int_equal(weir_load_le64(value.data), expected->map[i]);
        }
    }
    assert_int_equal(weir_map_cursor_next(cursor, &subkey, &value, &err), WEIR_END);
    weir_map_cursor_close(cursor);
    weir_sort_keys_free(&keys);
    free(numbers);
    free(slots);
}

/* This program anew, since RocksDB's threads would not be there after a fork alone. */
static pid_t start_child(const char *folder, int pipe_to)
{
    char number[16];
    snprintf(number, sizeof number, "%d", pipe_to);
    fflush(stdout);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        execl("/proc/self/exe", "test_state_crash", folder, number, (char *)NULL);
        _exit(1);
    }
    return child;
}

/* Runs a child for a while; returns the last checkpoint that it told of. */
static int64_t run_and_kill(const char *folder, int64_t wait_ms)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = start_child(folder, ends[1]);
    close(ends[1]);
    int64_t told = 0;
    ssize_t got = read(ends[0], &told, sizeof told); /* it has begun */
    weir_sleep_ms(wait_ms);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    int64_t id = 0;
    while (got == sizeof id && read(ends[0], &id, sizeof id) == sizeof id) {
        told = id;
    }
    close(ends[0]);
    return told;
}

static void a_killed_process_leaves_its_last_checkpoint(void **unused)
{
    (void)unused;
    random_state random = random_start();
    char folder[] = "/tmp/weir-state-XXXXXX";
    assert_non_null(mkdtemp(folder));
    model *expected = weir_alloc_zeroed(1, sizeof *expected);
    memset(expected->map, 0xff, sizeof expected->map);
    uint32_t *numbers = weir_alloc(KEYS * sizeof *numbers);
    int64_t followed = 0;
    for (int round = 0; round < KILLS; round++) {
        int64_t told = run_and_kill(folder, (int64_t)random_below(&random, 150));
        held state;
        open_state(&state, folder);
        int64_t found = weir_state_backend_last_checkpoint(state.backend);
        assert_true(found == told || found == told + 1);
        for (; followed < found; followed++) {
            follow(expected, followed + 1, numbers);
        }
        check_state(&state, expected, found);
        close_state(&state);
    }
    free(numbers);
    free(expected);
    char command[64];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

static void a_folder_that_another_process_has_open_is_refused(void **unused)
{
    (void)unused;
    char folder[] = "/tmp/weir-state-XXXXXX";
    assert_non_null(mkdtemp(folder));
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = start_child(folder, ends[1]);
    int64_t id = 0;
    assert_int_equal(read(ends[0], &id, sizeof id), sizeof id);
    weir_error err;
    weir_state_backend *backend = NULL;
    weir_state_backend_options options = {.folder = folder};
    assert_int_equal(weir_state_backend_open(&options, &backend, &err), WEIR_CONFLICT);
    assert_non_null(strstr(err.message, folder));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(ends[0]);
    close(ends[1]);
    char command[64];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

int main(int argc, char **argv)
{
    if (argc == 3) {
        make_checkpoints(argv[1], atoi(argv[2]));
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_process_leaves_its_last_checkpoint),
        cmocka_unit_test(a_folder_that_another_process_has_open_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
