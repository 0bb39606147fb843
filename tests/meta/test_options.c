/* The table of options and typed access to it. */
#include "meta_fixture.h"

static void every_option_is_described_once_and_has_a_valid_default(void **state)
{
    (void)state;
    for (size_t i = 0; i < weir_table_option_count; i++) {
        const weir_option *option = &weir_table_options[i];
        weir_error err = {0};
        assert_ptr_equal(weir_option_find(option->key), option);
        assert_true(strlen(option->text) > 10 && option->text[strlen(option->text) - 1] == '.');
        assert_true((option->values != NULL) == (option->type == WEIR_OPTION_ENUM));
        if (option->default_value != NULL) {
            check_ok(weir_option_check(option->key, option->default_value, &err), &err);
        }
        for (const char *const *refused = option->refused; refused != NULL && *refused != NULL; refused++) {
            check_ok(weir_option_check(option->key, *refused, &err), &err);
        }
    }
}

static void values_are_as_set_or_the_default(void **state)
{
    (void)state;
    weir_error err;
    weir_arena arena;
    weir_options options = {0};
    int64_t number = 0;
    bool truth = true;
    const char *text = NULL;
    weir_arena_init(&arena);
    weir_options_set(&options, &arena, "snapshot.time-retained", "7d");
    weir_options_set(&options, &arena, "target-file-size", "128MB");
    weir_options_set(&options, &arena, "changelog-producer", "LOOKUP");
    weir_options_set(&options, &arena, "write.compaction-skip", "true");
    check_ok(weir_options_duration(&options, "snapshot.time-retained", &number, &err), &err);
    assert_int_equal(number, 7LL * 86400000);
    check_ok(weir_options_size(&options, "target-file-size", &number, &err), &err);
    assert_int_equal(number, 128 << 20);
    check_ok(weir_options_text(&options, "changelog-producer", &text, &err), &err);
    assert_string_equal(text, "lookup");
    check_ok(weir_options_text(&options, "merge-engine", &text, &err), &err);
    assert_string_equal(text, "deduplicate");
    truth = false;
    check_ok(weir_options_bool(&options, "write-only", &truth, &err), &err); /* by its old key */
    assert_true(truth);
    check_ok(weir_options_int(&options, "num-sorted-run.compaction-trigger", &number, &err), &err);
    assert_int_equal(number, 5);
    number = 99;
    check_ok(weir_options_int(&options, "num-levels", &number, &err), &err); /* neither set nor with a default */
    assert_int_equal(number, 99);
    check_ok(weir_options_text(&options, "sequence.field", &text, &err), &err);
    assert_null(text);
    assert_int_equal(weir_options_int(&options, "no.such.key", &number, &err), WEIR_INVALID);
    weir_arena_free(&arena);
}

static void malformed_values_name_key_and_value(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        const char *value;
    } cases[] = {
        {"bucket", "four"},
        {"write-only", "yes"},
        {"target-file-size", "128 apples"},
        {"bucket", ""},
        {"commit.timeout", "soon"},
        {"changelog-producer", "sometimes"},
        {"bucket", "1.5"},
        {"lookup.hash-load-factor", "a"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_error err = {0};
        assert_int_equal(weir_option_check(cases[i].key, cases[i].value, &err), WEIR_INVALID);
        assert_non_null(strstr(err.message, cases[i].key));
        assert_non_null(strstr(err.message, cases[i].value));
    }
}

static void unknown_keys_suggest_a_near_one(void **state)
{
    (void)state;
    weir_error err;
    assert_int_equal(weir_option_check("merge-engin", "deduplicate", &err), WEIR_INVALID);
    assert_non_null(strstr(err.message, "did you mean 'merge-engine'"));
    assert_int_equal(weir_option_check("nothing.like.it.at.all", "1", &err), WEIR_INVALID);
    assert_null(strstr(err.message, "did you mean"));
    check_ok(weir_option_check("file-index.bloom-filter.columns", "a", &err), &err);
    check_ok(weir_option_check("fields.a.default-value", "1", &err), &err);
}

static void setting_and_unsetting_keep_the_order(void **state)
{
    (void)state;
    weir_arena arena;
    weir_options options = {0};
    weir_options over = {0};
    weir_options merged;
    weir_arena_init(&arena);
    for (int i = 0; i < 20; i++) {
        weir_options_set(&options, &arena, weir_arena_format(&arena, "k%d", i), "old");
    }
    weir_options_unset(&options, "k3");
    weir_options_unset(&options, "k77");
    weir_options_set(&over, &arena, "k5", "new");
    weir_options_set(&over, &arena, "z", "new");
    weir_options_merge(&arena, &options, &over, &merged);
    assert_int_equal(options.count, 19);
    assert_int_equal(merged.count, 20);
    assert_string_equal(merged.keys[3], "k4");
    assert_string_equal(merged.values[4], "new");
    assert_string_equal(merged.keys[19], "z");
    assert_string_equal(weir_options_get(&options, "k5"), "old");
    weir_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_is_described_once_and_has_a_valid_default),
        cmocka_unit_test(values_are_as_set_or_the_default),
        cmocka_unit_test(malformed_values_name_key_and_value),
        cmocka_unit_test(unknown_keys_suggest_a_near_one),
        cmocka_unit_test(setting_and_unsetting_keep_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
