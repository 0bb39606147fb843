/* weir-bench-state: keyed state alone, without SQL. Prints one JSON line for each tenth of a run, so that it can be
 * seen whether the cost of a change stays the same while state grows, and one for each kind of checkpoint.
 *
 *   weir-bench-state values [options]   groups with a value of some bytes: each key is set once, then changed at random
 *   weir-bench-state maps   [options]   two sides of a join: a row is put on one side and looked for on the other
 *   weir-bench-state timers [options]   one map as a queue: put at random, taken from the front */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "stream/state/state.h"

typedef struct bench {
    const char *folder; /* NULL: memory alone */
    int64_t keys;
    int64_t changes;
    int64_t batch;
    int64_t value_bytes;
    int64_t memory_bytes;
    int64_t checkpoint_rows; /* changes between checkpoints */
    weir_budget budget;
    weir_state_backend *backend;
    weir_sort_keys key_bytes;
    weir_state_slot *slots;
    int64_t since_checkpoint;
    int64_t checkpoints;
    double checkpoint_seconds;     /* by the clock */
    double checkpoint_cpu_seconds; /* of this thread */
    weir_error err;
} bench;

static void check(int code, const bench *run)
{
    if (code != WEIR_OK) {
        fprintf(stderr, "%s\n", run->err.message);
        exit(1);
    }
}

static double seconds(void) { return (double)weir_monotonic_ns() / 1e9; }

static double cpu_seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int64_t resident_bytes(void)
{
    long pages = 0;
    long resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%ld %ld", &pages, &resident) != 2) {
        resident = 0;
    }
    if (file != NULL) {
        fclose(file);
    }
    return (int64_t)resident * sysconf(_SC_PAGESIZE);
}

/* A number between 0 and limit - 1 for each i, in no order; a permutation of them over i when limit is a power of two.
 */
static uint64_t scattered(uint64_t i, uint64_t limit)
{
    uint64_t bits = 1;
    while (bits < limit) {
        bits *= 2;
    }
    do {
        i = (i * 0x9e3779b97f4a7c15u + 12345) & (bits - 1);
        i ^= (i >> 7) & (bits - 1) >> 7;
    } while (i >= limit);
    return i;
}

static uint64_t random_next(uint64_t *state)
{
    uint64_t mixed = *state += 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ (mixed >> 32)) * 0xD6E8FEB86659FD93u;
    mixed = (mixed ^ (mixed >> 32)) * 0xD6E8FEB86659FD93u;
    return mixed ^ (mixed >> 32);
}

/* The keys are those of a BIGINT NOT NULL column: whole in their prefixes. */
static void set_keys(bench *run, int64_t count)
{
    run->key_bytes.length = count;
    run->key_bytes.whole = true;
}

static void checkpoint(bench *run)
{
    double begin = seconds();
    double cpu_begin = cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
    check(weir_state_backend_checkpoint(run->backend, ++run->checkpoints, &run->err), run);
    run->checkpoint_seconds += seconds() - begin;
    run->checkpoint_cpu_seconds += cpu_seconds(CLOCK_THREAD_CPUTIME_ID) - cpu_begin;
    run->since_checkpoint = 0;
}

static void after_batch(bench *run, int64_t changes)
{
    run->since_checkpoint += changes;
    if (run->since_checkpoint >= run->checkpoint_rows || weir_state_backend_is_full(run->backend)) {
        checkpoint(run);
    }
    weir_state_backend_set_time(run->backend, 1);
}

/* What a stretch of a run took: processor time of this thread, which does the work, and of all. */
typedef struct stretch {
    double thread, process, checkpoint, checkpoint_thread;
    int64_t checkpoints;
} stretch;

static stretch begin_stretch(const bench *run)
{
    return (stretch){cpu_seconds(CLOCK_THREAD_CPUTIME_ID), cpu_seconds(CLOCK_PROCESS_CPUTIME_ID),
                     run->checkpoint_seconds, run->checkpoint_cpu_seconds, run->checkpoints};
}

static void end_stretch(const bench *run, const char *what, const stretch *from, int64_t changes)
{
    double process = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - from->process;
    double checkpoint_thread = run->checkpoint_cpu_seconds - from->checkpoint_thread;
    double thread = cpu_seconds(CLOCK_THREAD_CPUTIME_ID) - from->thread - checkpoint_thread;
    printf("{\"bench\":\"%s\",\"changes\":%" PRId64 ",\"nanosPerChange\":%.0f,\"nanosWithCheckpoints\":%.0f,"
           "\"checkpoints\":%" PRId64
           ",\"checkpointSeconds\":%.3f,\"checkpointCpuSeconds\":%.3f,\"stateBytes\":%" PRId64 ",\"diskBytes\":%" PRId64
           ",\"budgetBytes\":%" PRId64 ",\"rssBytes\":%" PRId64 "}\n",
           what, changes, thread * 1e9 / (double)changes, process * 1e9 / (double)changes,
           run->checkpoints - from->checkpoints, run->checkpoint_seconds - from->checkpoint, checkpoint_thread,
           weir_state_backend_memory(run->backend), weir_state_backend_disk_bytes(run->backend),
           atomic_load(&run->budget.used_bytes), resident_bytes());
    fflush(stdout);
}

/* --- values ------------------------------------------------------------------------------------------------------ */

static void change_values(bench *run, weir_value_state *state, int64_t count)
{
    set_keys(run, count);
    check(weir_value_state_fetch(state, &run->key_bytes, run->slots, &run->err), run);
    for (int64_t i = 0; i < count; i++) {
        uint8_t *bytes = NULL;
        check(weir_value_state_edit(state, run->slots[i], (size_t)run->value_bytes, &bytes, &run->err), run);
        weir_store_le64(bytes, weir_load_le64(bytes) + 1);
    }
    after_batch(run, count);
}

static void run_values(bench *run)
{
    weir_value_state *state = NULL;
    weir_state_options options = {.uid = "bench", .name = "values"};
    check(weir_value_state_open(run->backend, &options, &state, &run->err), run);
    for (int64_t done = 0, tenth = 0; done < run->keys; tenth++) {
        stretch from = begin_stretch(run);
        int64_t end = run->keys / 10 * (tenth + 1);
        int64_t begin = done;
        while (done < end) {
            int64_t count = end - done < run->batch ? end - done : run->batch;
            for (int64_t i = 0; i < count; i++) {
                run->key_bytes.prefixes[i] = scattered((uint64_t)(done + i), (uint64_t)run->keys);
            }
            change_values(run, state, count);
            done += count;
        }
        end_stretch(run, "values.first", &from, done - begin);
    }
    uint64_t random = 42;
    for (int64_t done = 0, tenth = 0; done < run->changes; tenth++) {
        stretch from = begin_stretch(run);
        int64_t end = run->changes / 10 * (tenth + 1);
        int64_t begin = done;
        while (done < end) {
            int64_t count = end - done < run->batch ? end - done : run->batch;
            for (int64_t i = 0; i < count; i++) {
                run->key_bytes.prefixes[i] = random_next(&random) % (uint64_t)run->keys;
            }
            change_values(run, state, count);
            done += count;
        }
        end_stretch(run, "values.change", &from, done - begin);
    }
    for (int64_t rows = 1000; rows <= 100000; rows *= 10) {
        checkpoint(run);
        for (int64_t i = 0; i < rows; i++) {
            run->key_bytes.prefixes[i] = random_next(&random) % (uint64_t)run->keys;
        }
        run->checkpoint_rows = INT64_MAX;
        change_values(run, state, rows);
        stretch from = begin_stretch(run);
        checkpoint(run);
        end_stretch(run, "values.checkpoint", &from, rows);
    }
    weir_value_state_close(state);
}

/* --- maps -------------------------------------------------------------------------------------------------------- */

static void join_rows(bench *run, weir_map_state *own, weir_map_state *other, int64_t first, int64_t count)
{
    uint8_t row[256] = {0};
    set_keys(run, count);
    for (int64_t i = 0; i < count; i++) {
        run->key_bytes.prefixes[i] = scattered((uint64_t)(first + i), (uint64_t)run->keys);
    }
    check(weir_map_state_fetch(own, &run->key_bytes, run->slots, &run->err), run);
    for (int64_t i = 0; i < count; i++) {
        uint8_t subkey[8];
        weir_store_be64(subkey, (uint64_t)(first + i));
        check(weir_map_state_put(own, run->slots[i], weir_slice_of(subkey, 8),
                                 weir_slice_of(row, (size_t)run->value_bytes), &run->err),
              run);
    }
    check(weir_map_state_fetch(other, &run->key_bytes, run->slots, &run->err), run);
    for (int64_t i = 0; i < count; i++) {
        weir_map_cursor *cursor = NULL;
        weir_slice subkey;
        weir_slice value;
        check(weir_map_cursor_open(other, run->slots[i], weir_slice_of(NULL, 0), &cursor, &run->err), run);
        int code = WEIR_OK;
        while (code == WEIR_OK) {
            code = weir_map_cursor_next(cursor, &subkey, &value, &run->err);
        }
        check(code == WEIR_END ? WEIR_OK : code, run);
        weir_map_cursor_close(cursor);
    }
    after_batch(run, count);
}

static void run_maps(bench *run)
{
    weir_map_state *left = NULL;
    weir_map_state *right = NULL;
    weir_state_options left_options = {.uid = "bench", .name = "left"};
    weir_state_options right_options = {.uid = "bench", .name = "right"};
    check(weir_map_state_open(run->backend, &left_options, &left, &run->err), run);
    check(weir_map_state_open(run->backend, &right_options, &right, &run->err), run);
    for (int64_t done = 0, tenth = 0; done < run->keys; tenth++) {
        stretch from = begin_stretch(run);
        int64_t end = run->keys / 10 * (tenth + 1);
        int64_t begin = done;
        while (done < end) {
            int64_t count = end - done < run->batch ? end - done : run->batch;
            join_rows(run, left, right, done, count);
            join_rows(run, right, left, done, count);
            done += count;
        }
        end_stretch(run, "maps.join", &from, 2 * (done - begin));
    }
    weir_map_state_close(left);
    weir_map_state_close(right);
}

/* --- timers ------------------------------------------------------------------------------------------------------ */

static void take_first(bench *run, weir_map_state *state, weir_state_slot slot)
{
    uint8_t first[16];
    weir_slice subkey;
    weir_slice value;
    weir_map_cursor *cursor = NULL;
    check(weir_map_cursor_open(state, slot, weir_slice_of(NULL, 0), &cursor, &run->err), run);
    check(weir_map_cursor_next(cursor, &subkey, &value, &run->err), run);
    memcpy(first, subkey.data, sizeof first);
    weir_map_cursor_close(cursor);
    check(weir_map_state_remove(state, slot, weir_slice_of(first, sizeof first), &run->err), run);
}

static void run_timers(bench *run)
{
    weir_map_state *state = NULL;
    weir_state_options options = {.uid = "bench", .name = "timers"};
    check(weir_map_state_open(run->backend, &options, &state, &run->err), run);
    uint64_t random = 42;
    for (int64_t done = 0, tenth = 0; done < run->changes; tenth++) {
        stretch from = begin_stretch(run);
        int64_t end = run->changes / 10 * (tenth + 1);
        int64_t begin = done;
        for (; done < end; done++) {
            uint8_t subkey[16];
            weir_state_slot slot = 0;
            if (done % run->batch == 0) {
                after_batch(run, run->batch);
            }
            check(weir_map_state_fetch_one(state, weir_slice_of(NULL, 0), &slot, &run->err), run);
            weir_store_be64(subkey, (uint64_t)done + random_next(&random) % (uint64_t)run->keys);
            weir_store_be64(subkey + 8, (uint64_t)done);
            check(weir_map_state_put(state, slot, weir_slice_of(subkey, sizeof subkey), weir_slice_of(NULL, 0),
                                     &run->err),
                  run);
            if (done >= run->keys) {
                take_first(run, state, slot);
            }
        }
        end_stretch(run, "timers", &from, done - begin);
    }
    weir_map_state_close(state);
}

/* --- the command line -------------------------------------------------------------------------------------------- */

static const char help[] = "weir-bench-state values|maps|timers [options]\n"
                           "\n"
                           "  --folder DIR         where the database lies; it should not be there  (memory alone)\n"
                           "  --keys N             different keys, or timers that wait              (1000000)\n"
                           "  --changes N          changes of values, or timers                     (1000000)\n"
                           "  --batch N            rows that are looked up together                 (10000)\n"
                           "  --value-bytes N      8 .. 256                                         (24)\n"
                           "  --memory-mb N        the budget                                       (no limit)\n"
                           "  --checkpoint-rows N  changes between two checkpoints                  (1000000)\n";

static bool set_option(bench *run, const char *option, const char *value)
{
    struct {
        const char *name;
        int64_t *number;
    } numbers[] = {{"--keys", &run->keys},
                   {"--changes", &run->changes},
                   {"--batch", &run->batch},
                   {"--value-bytes", &run->value_bytes},
                   {"--memory-mb", &run->memory_bytes},
                   {"--checkpoint-rows", &run->checkpoint_rows}};
    if (strcmp(option, "--folder") == 0) {
        run->folder = value;
        return true;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (strcmp(option, numbers[i].name) == 0) {
            *numbers[i].number = strtoll(value, NULL, 10);
            return *numbers[i].number > 0;
        }
    }
    return false;
}

int main(int argc, char **argv)
{
    weir_alloc_tune();
    bench run = {.keys = 1000000, .changes = 1000000, .batch = 10000, .value_bytes = 24, .checkpoint_rows = 1000000};
    bool understood = argc >= 2 && argc % 2 == 0;
    for (int i = 2; understood && i + 1 < argc; i += 2) {
        understood = set_option(&run, argv[i], argv[i + 1]);
    }
    bool values = understood && strcmp(argv[1], "values") == 0;
    bool maps = understood && strcmp(argv[1], "maps") == 0;
    bool timers = understood && strcmp(argv[1], "timers") == 0;
    if ((!values && !maps && !timers) || run.value_bytes < 8 || run.value_bytes > 256) {
        fputs(help, stderr);
        return 2;
    }
    weir_budget_init(&run.budget, "state", NULL, run.memory_bytes == 0 ? INT64_MAX : run.memory_bytes << 20);
    weir_state_backend_options options = {.folder = run.folder, .budget = &run.budget};
    check(weir_state_backend_open(&options, &run.backend, &run.err), &run);
    int64_t rows = run.batch > 100000 ? run.batch : 100000;
    run.key_bytes.prefixes = weir_alloc((size_t)rows * sizeof *run.key_bytes.prefixes);
    run.slots = weir_alloc((size_t)rows * sizeof *run.slots);
    if (values) {
        run_values(&run);
    } else if (maps) {
        run_maps(&run);
    } else {
        run_timers(&run);
    }
    weir_state_backend_close(run.backend);
    weir_sort_keys_free(&run.key_bytes);
    free(run.slots);
    return 0;
}
