/* Accumulators by themselves: keys whose rows were merged give what one key gives that had all the rows, and follow
 * what is retracted afterwards. */
#include "harness.h"
#include "random.h"
#include "stream/operator/aggregate/accumulator.h"

static const char *const columns = "k INT NOT NULL, s STRING, i INT, d DECIMAL(10,2), w DECIMAL(38,2), f DOUBLE, "
                                   "u TIMESTAMP(9), a ARRAY<INT>, o BOOLEAN";

/* Lists are left out where their order shows: what is merged comes after what was there. */
static const char *const lists[] = {
    "COUNT(*), COUNT(i), SUM(i), AVG(i), SUM(d), SUM(w), AVG(d), SUM(f), AVG(f)",
    "MIN(i), MAX(i), MIN(s), MAX(s), MIN(u), MAX(w), MAX(f), MIN(o)",
    "COUNT(DISTINCT i), SUM(DISTINCT i), AVG(DISTINCT d), COUNT(DISTINCT s) FILTER (WHERE o), SUM(DISTINCT f)",
    "FIRST_VALUE(s), LAST_VALUE(s), FIRST_VALUE(i), LAST_VALUE(a)",
    "FIRST_VALUE(s) WITHIN GROUP (ORDER BY i), LAST_VALUE(i) WITHIN GROUP (ORDER BY s DESC)",
    "COLLECT(s), ARRAY_AGG(i) WITHIN GROUP (ORDER BY i), PERCENTILE(i, 0.5)",
    "LISTAGG(DISTINCT s) WITHIN GROUP (ORDER BY s), COLLECT(DISTINCT i)",
};

/* One set of accumulators with its own state. */
typedef struct test_set {
    weir_operator_context context;
    weir_accumulators *accumulators;
    const weir_plan *plan;
} test_set;

static const weir_plan *find_aggregate(const weir_plan *plan)
{
    while (plan->kind != WEIR_PLAN_AGGREGATE) {
        plan = plan->inputs[0];
    }
    return plan;
}

static void open_set(test_set *set, harness *h, bool retracts)
{
    weir_error err = {0};
    const weir_state_backend_options state = {.folder = NULL};
    set->plan = find_aggregate(h->bound->plan);
    set->context = (weir_operator_context){.engine = h->engine, .time_zone = "UTC", .clock_ms = harness_clock};
    harness_ok(weir_state_backend_open(&state, &set->context.state, &err), &err);
    const weir_accumulators_options options = {.context = &set->context,
                                               .uid = "test",
                                               .fields = set->plan->inputs[0]->fields,
                                               .field_count = set->plan->inputs[0]->field_count,
                                               .aggregates = set->plan->aggregates,
                                               .aggregate_count = set->plan->aggregate_count,
                                               .retracts = retracts,
                                               .merges = true};
    harness_ok(weir_accumulators_create(&options, &set->accumulators, &err), &err);
}

static void close_set(test_set *set)
{
    weir_accumulators_free(set->accumulators);
    weir_state_backend_close(set->context.state);
}

/* --- Keys and rows --------------------------------------------------------------------------------------------- */

static void append_key(weir_sort_keys *keys, int32_t number)
{
    weir_error err = {0};
    weir_vector column;
    int32_t first = 0;
    weir_vector_init(&column, weir_type_simple(WEIR_INT, false));
    harness_ok(weir_vector_append_raw(&column, &number, sizeof number, &err), &err);
    weir_batch batch = {.length = 1, .columns = &column, .column_count = 1};
    harness_ok(weir_state_keys_append(keys, &batch, &first, 1, &err), &err);
    weir_vector_free(&column);
}

static const char *random_value(random_state *random, const weir_type *type, weir_arena *arena)
{
    static const char *const texts[] = {"''", "'a'", "'b'", "'a text that is longer than others'"};
    static const char *const floats[] = {"0.1", "1e300", "-1e300", "'NaN'", "2.5"};
    static const char *const wides[] = {"'1.00'", "'-999999999999999999999999999999999999.99'",
                                        "'999999999999999999999999999999999999.99'"};
    if (random_below(random, 7) == 0 && type->nullable) {
        return "null";
    }
    switch (type->id) {
    case WEIR_VARCHAR:
        return texts[random_below(random, 4)];
    case WEIR_DOUBLE:
        return floats[random_below(random, 5)];
    case WEIR_DECIMAL:
        return type->precision > 18 ? wides[random_below(random, 3)]
                                    : weir_arena_format(arena, "'%d.25'", (int)random_below(random, 5));
    case WEIR_TIMESTAMP:
        return weir_arena_format(arena, "'2024-01-01 00:00:00.00000000%d'", (int)random_below(random, 5));
    case WEIR_ARRAY:
        return weir_arena_format(arena, "[%d]", (int)random_below(random, 3));
    case WEIR_BOOLEAN:
        return random_below(random, 2) ? "true" : "false";
    default:
        return weir_arena_format(arena, "%d", (int)random_below(random, 6));
    }
}

static char *random_row(random_state *random, const weir_plan *input, weir_arena *arena)
{
    weir_buffer row = {0};
    for (int32_t i = 0; i < input->field_count; i++) {
        weir_buffer_append_text(&row, i == 0 ? "[" : ", ");
        weir_buffer_append_text(&row, random_value(random, input->fields[i].type, arena));
    }
    weir_buffer_append_text(&row, "]");
    char *text = weir_arena_strdup(arena, weir_buffer_text(&row));
    weir_buffer_free(&row);
    return text;
}

static void update(test_set *set, const char *changes, const weir_sort_keys *keys)
{
    weir_error err = {0};
    weir_batch batch;
    const weir_batch *computed;
    weir_batch_init(&batch, set->plan->inputs[0]->fields, set->plan->inputs[0]->field_count);
    harness_read_rows(changes, &batch);
    harness_ok(weir_accumulators_compute(set->accumulators, &batch, &computed, &err), &err);
    harness_ok(weir_accumulators_update(set->accumulators, keys, NULL, NULL, &err), &err);
    weir_batch_free(&batch);
}

/* --- The run --------------------------------------------------------------------------------------------------- */

enum { most_keys = 6, most_rows = 400 };

typedef struct live_row {
    char *text;
    int32_t key;
} live_row;

/* Rows come to `apart` under key, or once those were merged under the even one, and to `together` under the even one.
 */
static void change(test_set *apart, test_set *together, random_state *random, weir_arena *arena, live_row *rows,
                   int *count, bool retracts, bool merged)
{
    weir_buffer changes = {0};
    weir_sort_keys keys = {0};
    weir_sort_keys even_keys = {0};
    for (uint64_t i = 1 + random_below(random, 6); i > 0 && *count < most_rows; i--) {
        bool takes = retracts && *count > 0 && random_below(random, 5) < 2;
        live_row row = {NULL, (int32_t)random_below(random, most_keys)};
        if (takes) {
            uint64_t place = random_below(random, (uint64_t)*count);
            row = rows[place];
            rows[place] = rows[--*count];
        } else {
            row.text = random_row(random, apart->plan->inputs[0], arena);
            rows[(*count)++] = row;
        }
        weir_buffer_append_format(&changes, " %s %s", takes ? "-D" : "+I", row.text);
        append_key(&keys, merged ? row.key & ~1 : row.key);
        append_key(&even_keys, row.key & ~1);
    }
    if (keys.length > 0) {
        update(apart, weir_buffer_text(&changes), &keys);
        update(together, weir_buffer_text(&changes), &even_keys);
    }
    weir_buffer_free(&changes);
    weir_sort_keys_free(&keys);
    weir_sort_keys_free(&even_keys);
}

static void append_values(test_set *set, weir_buffer *out)
{
    weir_error err = {0};
    weir_batch batch;
    weir_sort_keys keys = {0};
    bool exists[most_keys];
    const weir_plan *plan = set->plan;
    weir_batch_init(&batch, plan->fields + plan->expression_count, plan->aggregate_count);
    for (int32_t key = 0; key < most_keys; key += 2) {
        append_key(&keys, key);
    }
    harness_ok(weir_accumulators_values(set->accumulators, &keys, &batch, 0, exists, &err), &err);
    for (int64_t i = 0; i < keys.length; i++) {
        weir_buffer_append_text(out, exists[i] ? " " : " none");
        if (exists[i]) {
            harness_write_row(&batch, i, out);
        }
    }
    weir_sort_keys_free(&keys);
    weir_batch_free(&batch);
}

static void compare(test_set *apart, test_set *together, const char *query)
{
    weir_buffer first = {0};
    weir_buffer second = {0};
    append_values(apart, &first);
    append_values(together, &second);
    if (strcmp(weir_buffer_text(&first), weir_buffer_text(&second)) != 0) {
        fail_msg("%s\n  merged   %s\n  together %s", query, weir_buffer_text(&first), weir_buffer_text(&second));
    }
    weir_buffer_free(&first);
    weir_buffer_free(&second);
}

static void merge_odd_keys(test_set *set)
{
    weir_error err = {0};
    weir_sort_keys from = {0};
    weir_sort_keys to = {0};
    for (int32_t key = 1; key < most_keys; key += 2) {
        append_key(&from, key);
        append_key(&to, key - 1);
    }
    harness_ok(weir_accumulators_merge(set->accumulators, &from, &to, &err), &err);
    harness_ok(weir_accumulators_remove(set->accumulators, &from, &err), &err);
    weir_sort_keys_free(&from);
    weir_sort_keys_free(&to);
}

static void run(const char *list, random_state *random, bool retracts)
{
    weir_error err = {0};
    weir_arena arena;
    live_row rows[most_rows];
    int count = 0;
    test_set apart;
    test_set together;
    harness *h = harness_open();
    weir_arena_init(&arena);
    harness_add(h, "t", columns, HARNESS_CHANGES);
    h->query = weir_format("SELECT k, %s FROM t GROUP BY k", list);
    harness_ok(harness_bind(h, &err), &err);
    open_set(&apart, h, retracts);
    open_set(&together, h, retracts);
    /* Of equal values the oldest of its key is retracted: which one that is depends on the keys. */
    bool depends = strstr(list, "FIRST_VALUE") != NULL;
    for (int i = 0; i < 12; i++) {
        change(&apart, &together, random, &arena, rows, &count, retracts && !depends, false);
    }
    merge_odd_keys(&apart);
    compare(&apart, &together, h->query);
    for (int i = 0; i < 24; i++) {
        change(&apart, &together, random, &arena, rows, &count, retracts, true);
        compare(&apart, &together, h->query);
    }
    close_set(&apart);
    close_set(&together);
    weir_arena_free(&arena);
    harness_close(h);
}

static void merged_keys_give_what_one_key_gives(void **state)
{
    (void)state;
    random_state random = random_start();
    for (size_t i = 0; i < 4 * sizeof lists / sizeof *lists; i++) {
        run(lists[i % (sizeof lists / sizeof *lists)], &random, false);
    }
}

static void merged_keys_follow_retractions(void **state)
{
    (void)state;
    random_state random = random_start();
    for (size_t i = 0; i < 4 * sizeof lists / sizeof *lists; i++) {
        run(lists[i % (sizeof lists / sizeof *lists)], &random, true);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merged_keys_give_what_one_key_gives),
        cmocka_unit_test(merged_keys_follow_retractions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
