/* Scripts whose answers were worked out with Flink and Java Paimon: $WEIR_SHARED/cases (default ../shared/cases), each
 * with script.sql, expected.jsonl and maybe a warehouse. A checkout need not have them. Rows of all their queries are
 * compared together, as a multiset. */
#include "script_fixture.h"

/* Those whose statements this version offers. */
static const char *const cases[] = {
    "01-sequence-group-null-writes", "03-early-retraction-must-survive",  "07-null-empty-odd-partitions",
    "08-typed-partition-keys",       "13-key-order-differs-from-columns", "14-debezium-odd-messages",
    "16-rows-move-between-groups",   "18-parquet-pages-by-others",        "20-consumer-and-tag-keep-files",
};

static int open_case(void **state)
{
    *state = open_script(shared_path("cases"), *state);
    return 0;
}

static int close_case(void **state)
{
    close_script(*state);
    return 0;
}

static void gives_the_expected_rows(void **state)
{
    script_fixture *self = *state;
    weir_error err = {0};
    int code = run_script(self, &err);
    assert_string_equal(err.message, "");
    assert_int_equal(code, WEIR_OK);
    char *expected = normalize_rows(weir_buffer_text(&self->expected), false);
    char *found = normalize_rows(weir_buffer_text(&self->found), false);
    assert_string_equal(found, expected);
    free(expected);
    free(found);
}

int main(void)
{
    struct CMUnitTest tests[sizeof cases / sizeof *cases];
    size_t count = sizeof cases / sizeof *cases;
    if (!shared_available("cases")) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        tests[i] = (struct CMUnitTest){cases[i], gives_the_expected_rows, open_case, close_case, (void *)cases[i]};
    }
    return _cmocka_run_group_tests("cases", tests, count, NULL, NULL);
}
