/* Queues of times while the state that they lie in is written and let go. */
#include "stream/operator/time_queue.h"

#include <stdlib.h>
#include <unistd.h>

#include "fs/fs.h"
#include "state_fixture.h"

enum { LIMIT_BYTES = 4 << 20, ROUNDS = 12, ENTRIES = 50, CROWD = 20000 };

typedef struct fixture {
    char folder[64];
    weir_budget budget;
    weir_operator_context context;
    weir_time_queue *queue;
    weir_value_state *crowd; /* what needs the memory */
    weir_error err;
} fixture;

#define CHECK(test, call) check_ok((call), &(test)->err)

static void open_state(fixture *test)
{
    const weir_state_backend_options options = {.folder = test->folder, .budget = &test->budget};
    const weir_state_options crowd = {.uid = "crowd", .name = "values"};
    CHECK(test, weir_state_backend_open(&options, &test->context.state, &test->err));
    CHECK(test, weir_value_state_open(test->context.state, &crowd, &test->crowd, &test->err));
    CHECK(test, weir_time_queue_open(&test->context, "queue", "moments", &test->queue, &test->err));
}

static void close_state(fixture *test)
{
    weir_time_queue_close(test->queue);
    weir_value_state_close(test->crowd);
    weir_state_backend_close(test->context.state);
}

/* Other keys than in the rounds before. */
static void fill_memory(fixture *test, int round)
{
    enum { PART = 1000, BYTES = 100 };
    weir_sort_keys keys = {0};
    for (uint32_t first = 0; first < CROWD; first += PART) {
        uint32_t numbers[PART];
        weir_state_slot slots[PART];
        for (uint32_t i = 0; i < PART; i++) {
            numbers[i] = (uint32_t)round * CROWD + first + i;
        }
        weir_state_backend_set_time(test->context.state, round);
        make_keys(&keys, true, numbers, PART);
        CHECK(test, weir_value_state_fetch(test->crowd, &keys, slots, &test->err));
        for (uint32_t i = 0; i < PART; i++) {
            uint8_t *bytes;
            CHECK(test, weir_value_state_edit(test->crowd, slots[i], BYTES, &bytes, &test->err));
        }
        if (weir_state_backend_is_full(test->context.state)) {
            int64_t next = weir_state_backend_last_checkpoint(test->context.state) + 1;
            CHECK(test, weir_state_backend_checkpoint(test->context.state, next, &test->err));
        }
    }
    weir_sort_keys_free(&keys);
}

static void put(fixture *test, int64_t time)
{
    uint8_t value[200];
    memset(value, (int)(time % 251), sizeof value);
    CHECK(test, weir_time_queue_put(test->queue, time, weir_slice_text("key"), weir_slice_of(value, sizeof value),
                                    &test->err));
}

static int64_t take_all(fixture *test, int64_t last, int64_t first)
{
    const weir_time_entry *entries;
    int64_t count, all = 0;
    do {
        CHECK(test, weir_time_queue_take(test->queue, last, &entries, &count, &test->err));
        for (int64_t i = 0; i < count; i++) {
            assert_int_equal(entries[i].time, first + all + i);
            assert_int_equal(entries[i].value.size, 200);
            assert_int_equal(entries[i].value.data[7], entries[i].time % 251);
        }
        all += count;
    } while (count > 0);
    return all;
}

static void a_queue_holds_while_other_state_takes_its_memory(void **state)
{
    fixture *test = weir_alloc_zeroed(1, sizeof *test);
    int64_t taken = 0;
    (void)state;
    snprintf(test->folder, sizeof test->folder, "/tmp/weir-queue-XXXXXX");
    assert_non_null(mkdtemp(test->folder));
    weir_budget_init(&test->budget, "test", NULL, LIMIT_BYTES);
    open_state(test);
    for (int round = 0; round < ROUNDS; round++) {
        fill_memory(test, round);
        for (int64_t i = 0; i < ENTRIES; i++) {
            put(test, (int64_t)round * ENTRIES + i);
        }
        if (round == 7) {
            int64_t next = weir_state_backend_last_checkpoint(test->context.state) + 1;
            CHECK(test, weir_state_backend_checkpoint(test->context.state, next, &test->err));
            close_state(test);
            open_state(test);
        }
        if (round % 5 == 3) {
            taken += take_all(test, (int64_t)round * ENTRIES - 1, taken);
            assert_int_equal(taken, (int64_t)round * ENTRIES);
        }
    }
    close_state(test);
    assert_int_equal(weir_fs_remove_recursively(weir_fs_local(), test->folder, NULL), WEIR_OK);
    free(test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_queue_holds_while_other_state_takes_its_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
