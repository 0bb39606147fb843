/* Settings: what SET takes and refuses, and what is read back. */
#include "cmocka_all.h"

#include "session/settings/settings.h"

static int set(weir_settings *settings, const char *key, const char *value, weir_error *err)
{
    weir_position at_key = {.line = 1, .column = 5}, at_value = {.line = 1, .column = 40};
    return weir_settings_set(settings, key, at_key, value, at_value, err);
}

static void a_setting_has_its_default_until_it_is_set(void **state)
{
    (void)state;
    weir_settings settings = {0};
    assert_string_equal(weir_settings_get(&settings, "weir.commit-rows"), "100000");
    assert_null(weir_settings_get(&settings, "execution.runtime-mode"));
    assert_int_equal(set(&settings, "weir.commit-rows", "7", NULL), WEIR_OK);
    assert_int_equal(weir_settings_int(&settings, "weir.commit-rows"), 7);
    assert_int_equal(set(&settings, "weir.commit-rows", "8", NULL), WEIR_OK);
    assert_int_equal(weir_settings_int(&settings, "weir.commit-rows"), 8);
    weir_settings_reset(&settings, "weir.commit-rows");
    assert_int_equal(weir_settings_int(&settings, "weir.commit-rows"), 100000);
    weir_settings_free(&settings);
}

static void durations_are_read_in_milliseconds(void **state)
{
    (void)state;
    weir_settings settings = {0};
    assert_int_equal(weir_settings_duration_ms(&settings, "execution.checkpointing.interval"), -1);
    assert_int_equal(set(&settings, "execution.checkpointing.interval", "10 s", NULL), WEIR_OK);
    assert_int_equal(weir_settings_duration_ms(&settings, "execution.checkpointing.interval"), 10000);
    weir_settings_free(&settings);
}

static void values_are_checked_by_type_at_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *key, *value, *message;
    } cases[] = {
        {"execution.runtime-mode", "bath", "did you mean 'batch'?"},
        {"weir.commit-rows", "-1", "a whole number greater than 0"},
        {"weir.commit-rows", "many", "a whole number greater than 0"},
        {"execution.checkpointing.interval", "10 apples", "a duration"},
        {"table.dynamic-table-options.enabled", "yes", "'true' or 'false'"},
        {"table.local-time-zone", "Nowhere/Land", "a time zone"},
        {"table.exec.sink.type-length-enforcer", "error", "expected 'ignore' or 'trim_pad'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_settings settings = {0};
        weir_error err = {0};
        assert_int_not_equal(set(&settings, cases[i].key, cases[i].value, &err), WEIR_OK);
        assert_non_null(strstr(err.message, cases[i].message));
        assert_int_equal(err.column, 40);
        assert_int_equal(settings.count, 0);
        weir_settings_free(&settings);
    }
}

static void a_misspelt_key_is_refused_and_a_foreign_one_is_kept(void **state)
{
    (void)state;
    weir_settings settings = {0};
    weir_error err = {0};
    assert_int_not_equal(set(&settings, "table.local-time-zoen", "UTC", &err), WEIR_OK);
    assert_non_null(strstr(err.message, "did you mean 'table.local-time-zone'?"));
    assert_int_equal(err.column, 5);
    assert_int_not_equal(set(&settings, "weir.no-such-thing", "1", &err), WEIR_OK);
    assert_int_equal(set(&settings, "yarn.application.name", "orders", NULL), WEIR_OK);
    assert_string_equal(weir_settings_get(&settings, "yarn.application.name"), "orders");
    weir_settings_free(&settings);
}

static void what_has_another_way_here_is_refused(void **state)
{
    (void)state;
    weir_settings settings = {0};
    weir_error err = {0};
    assert_int_equal(set(&settings, "execution.checkpointing.dir", "file:///tmp/x", &err), WEIR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "--state DIR"));
    assert_int_equal(err.column, 5);
    assert_null(weir_settings_get(&settings, "execution.checkpointing.dir"));
    weir_settings_free(&settings);
}

static void every_default_is_a_value_of_its_type(void **state)
{
    (void)state;
    for (size_t i = 0; i < weir_settings_count; i++) {
        const weir_setting *setting = &weir_settings_table[i];
        weir_settings settings = {0};
        weir_error err = {0};
        assert_ptr_equal(weir_setting_find(setting->key), setting);
        assert_non_null(setting->text);
        if (setting->default_value != NULL && setting->type != WEIR_SETTING_INTEGER) {
            int code = set(&settings, setting->key, setting->default_value, &err);
            assert_string_equal(err.message, "");
            assert_int_equal(code, WEIR_OK);
        }
        weir_settings_free(&settings);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_setting_has_its_default_until_it_is_set),
        cmocka_unit_test(durations_are_read_in_milliseconds),
        cmocka_unit_test(values_are_checked_by_type_at_their_place),
        cmocka_unit_test(a_misspelt_key_is_refused_and_a_foreign_one_is_kept),
        cmocka_unit_test(what_has_another_way_here_is_refused),
        cmocka_unit_test(every_default_is_a_value_of_its_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
