/* The loser tree against sorting all entries. */
#include "cmocka_all.h"

#include <string.h>

#include "merge/loser_tree.h"
#include "random.h"

#define MOST_RUNS 70
#define MOST_ROWS 200
#define KEY_BYTES 20

typedef struct run {
    char keys[MOST_ROWS][KEY_BYTES + 1];
    int count;
    int at;
} run;

typedef struct item {
    const char *key;
    uint32_t run;
} item;

static run runs[MOST_RUNS];

static int compare_texts(const void *a, const void *b) { return strcmp(a, b); }

static int compare_items(const void *left, const void *right)
{
    const item *a = left;
    const item *b = right;
    int order = strcmp(a->key, b->key);
    return order != 0 ? order : (a->run > b->run) - (a->run < b->run);
}

static weir_loser_entry entry_of(uint32_t r)
{
    if (runs[r].at == runs[r].count) {
        return WEIR_LOSER_TREE_END;
    }
    weir_loser_entry entry = 0;
    const char *key = runs[r].keys[runs[r].at];
    for (int i = 0; i < 14; i++) {
        entry = entry << 8 | (uint8_t)(i < (int)strlen(key) ? key[i] : 0);
    }
    return entry << 16 | r;
}

static int compare_current(void *context, uint32_t a, uint32_t b)
{
    (void)context;
    return strcmp(runs[a].keys[runs[a].at], runs[b].keys[runs[b].at]);
}

/* Keys of `shared` equal characters and then random ones. */
static int fill_runs(random_state *random, int run_count, int shared, item *items)
{
    int total = 0;
    for (int r = 0; r < run_count; r++) {
        runs[r].at = 0;
        runs[r].count = (int)random_below(random, MOST_ROWS);
        for (int i = 0; i < runs[r].count; i++) {
            char *key = runs[r].keys[i];
            int size = shared + (int)random_below(random, 4);
            memset(key, 'k', (size_t)shared);
            for (int c = shared; c < size; c++) {
                key[c] = (char)('a' + (int)random_below(random, 6));
            }
            key[size] = 0;
        }
        qsort(runs[r].keys, (size_t)runs[r].count, sizeof runs[r].keys[0], compare_texts);
        for (int i = 0; i < runs[r].count; i++) {
            items[total++] = (item){runs[r].keys[i], (uint32_t)r};
        }
    }
    qsort(items, (size_t)total, sizeof *items, compare_items);
    return total;
}

static void check_merge(random_state *random, int run_count, int shared, bool whole)
{
    item *items = weir_alloc_zeroed(MOST_RUNS * MOST_ROWS, sizeof *items);
    int total = fill_runs(random, run_count, shared, items);
    weir_loser_entry first[MOST_RUNS];
    for (int r = 0; r < run_count; r++) {
        first[r] = entry_of((uint32_t)r);
    }
    weir_loser_tree tree = {.compare = whole ? NULL : compare_current};
    weir_loser_tree_build(&tree, first, (uint32_t)run_count);
    for (int i = 0; i < total; i++) {
        uint32_t r = weir_loser_entry_run(tree.nodes[0]);
        assert_int_equal(r, items[i].run);
        assert_string_equal(runs[r].keys[runs[r].at], items[i].key);
        runs[r].at++;
        if (whole) {
            weir_loser_tree_replace_whole(&tree, r, entry_of(r));
        } else {
            weir_loser_tree_replace(&tree, r, entry_of(r));
        }
    }
    assert_true(tree.nodes[0] == WEIR_LOSER_TREE_END);
    weir_loser_tree_free(&tree);
    free(items);
}

static void rows_come_in_the_order_of_keys_and_then_of_runs(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int round = 0; round < 60; round++) {
        int run_count = 1 + (int)random_below(&random, MOST_RUNS);
        check_merge(&random, run_count, 0, true);
        check_merge(&random, run_count, 0, false);
    }
}

static void keys_that_differ_after_fourteen_bytes_are_compared_in_full(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int round = 0; round < 60; round++) {
        check_merge(&random, 1 + (int)random_below(&random, MOST_RUNS), 8 + (int)random_below(&random, 8), false);
    }
}

static void a_tree_without_rows_is_at_its_end(void **state)
{
    (void)state;
    weir_loser_entry ends[3] = {WEIR_LOSER_TREE_END, WEIR_LOSER_TREE_END, WEIR_LOSER_TREE_END};
    weir_loser_tree tree = {0};
    weir_loser_tree_build(&tree, ends, 3);
    assert_true(tree.nodes[0] == WEIR_LOSER_TREE_END);
    weir_loser_tree_free(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_in_the_order_of_keys_and_then_of_runs),
        cmocka_unit_test(keys_that_differ_after_fourteen_bytes_are_compared_in_full),
        cmocka_unit_test(a_tree_without_rows_is_at_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
