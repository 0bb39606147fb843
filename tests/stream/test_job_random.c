/* Jobs with state over random changes, failing at random steps of their checkpoints and starting again: what they leave
 * is what an undisturbed run leaves. The ledger takes changes strictly, so that what is given twice or lost shows at
 * once. */
#include "job_fixture.h"
#include "random.h"

enum { KEYS = 12, BATCHES = 40 };

/* The rows of a table that are there, to make changes of. */
typedef struct live_rows {
    int values[KEYS];
    bool there[KEYS];
} live_rows;

static void add_batch(random_state *random, harness_table *table, live_rows *live)
{
    weir_buffer text = {0};
    for (uint64_t i = 1 + random_below(random, 6); i > 0; i--) {
        int id = (int)random_below(random, KEYS);
        int value = (int)random_below(random, 5);
        bool deletes = live->there[id] && random_below(random, 3) == 0;
        if (deletes) {
            weir_buffer_append_format(&text, "-D [%d, 'v%d'] ", id, live->values[id]);
        } else if (live->there[id]) {
            weir_buffer_append_format(&text, "-U [%d, 'v%d'] +U [%d, 'v%d'] ", id, live->values[id], id, value);
        } else {
            weir_buffer_append_format(&text, "+I [%d, 'v%d'] ", id, value);
        }
        live->there[id] = !deletes;
        live->values[id] = value;
    }
    harness_table_add(table, weir_buffer_text(&text));
    weir_buffer_free(&text);
}

/* Whether the input has ended, rather than something failed. */
static bool run_once(fixture *f, const char *query)
{
    weir_error err = {0};
    char text[1000];
    snprintf(text, sizeof text, "INSERT INTO a %s", query);
    create_job(f);
    harness_ok(add_insert(f, text, &f->a, &err), &err);
    bool finished = false;
    if (weir_job_start(f->job, &err) == WEIR_OK) { /* a commit that is made up for may fail again */
        assert_true(weir_job_wait(f->job, 60000));
        finished = status_of(f).phase == WEIR_JOB_FINISHED;
    }
    close_job(f);
    return finished;
}

/* Runs the query to the end of its input. Gives the rows that are left, as one text. */
static char *rows_of(fixture *f, const char *query)
{
    weir_buffer text = {0};
    assert_true(run_once(f, query));
    harness_rows_text(&f->a.rows, &text);
    char *rows = weir_strdup(weir_buffer_text(&text));
    weir_buffer_free(&text);
    harness_rows_free(&f->a.rows);
    f->a.id_count = 0;
    return rows;
}

static void fail_somewhere(random_state *random, fixture *f)
{
    int *const counters[] = {&f->a.fail_write,        &f->a.fail_prepare,        &f->a.fail_commit,
                             &f->a.fail_after_commit, &f->orders->fail_position, &f->orders->fail_committed};
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
        *counters[i] = 0;
    }
    *counters[random_below(random, sizeof counters / sizeof *counters)] = 1 + (int)random_below(random, 4);
}

static void jobs_that_fail_anywhere_leave_what_undisturbed_ones_leave(void **state)
{
    static const char *const queries[] = {
        "SELECT id, item FROM orders WHERE item <> 'v2'",
        "SELECT CAST(COUNT(*) AS INT), item FROM orders GROUP BY item",
        "SELECT CAST(SUM(id) AS INT), MAX(item) FROM orders GROUP BY MOD(id, 3)",
        "SELECT o.id, u.name FROM orders o JOIN users u ON o.id = u.id",
        "SELECT o.id, u.name FROM orders o LEFT JOIN users u ON o.item = u.name",
        "SELECT id, item FROM orders UNION SELECT id, name FROM users",
        "SELECT DISTINCT id, item FROM (SELECT id, item FROM orders UNION ALL SELECT id + 1, name FROM users)",
        "SELECT id, item FROM orders WHERE id NOT IN (SELECT id FROM users WHERE name = 'v1')",
        "SELECT id, item FROM (SELECT id, item, ROW_NUMBER() OVER (PARTITION BY item ORDER BY id DESC) AS n FROM "
        "orders) "
        "WHERE n <= 2",
        "SELECT CAST(c AS INT), item FROM (SELECT item, COUNT(*) AS c FROM orders GROUP BY item) WHERE c > 1",
    };
    random_state random = random_start();
    (void)state;
    for (size_t q = 0; q < sizeof queries / sizeof *queries; q++) {
        void *own = NULL;
        set_up(&own);
        fixture *f = own;
        live_rows orders = {0}, users = {0};
        f->orders->table.has_row_kinds = true;
        for (int i = 0; i < BATCHES; i++) {
            add_batch(&random, f->orders, &orders);
            add_batch(&random, f->users, &users);
        }
        f->orders->bounded = f->orders->ended = f->users->bounded = f->users->ended = true;
        char *expected = rows_of(f, queries[q]);
        f->options.state_folder = f->folder;
        bool finished = false;
        for (int run = 0; run < 60 && !finished; run++) {
            f->options.checkpoint_rows = 1 + (int64_t)random_below(&random, 30);
            fail_somewhere(&random, f);
            finished = run_once(f, queries[q]);
        }
        assert_true(finished);
        weir_buffer text = {0};
        harness_rows_text(&f->a.rows, &text);
        if (strcmp(weir_buffer_text(&text), expected) != 0) {
            fail_msg("%s\n  leaves   %s\n  and not  %s", queries[q], weir_buffer_text(&text), expected);
        }
        weir_buffer_free(&text);
        free(expected);
        tear_down(&own);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_that_fail_anywhere_leave_what_undisturbed_ones_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
