/* Errors: messages, contexts, errno values. */
#include <errno.h>

#include "base/error.h"
#include "cmocka_all.h"

static void a_failure_carries_its_code_and_message(void **state)
{
    (void)state;
    weir_error err;
    memset(&err, 0x55, sizeof err);
    assert_int_equal(weir_fail(&err, WEIR_CORRUPT, "%s: %d bytes", "a.parquet", 3), WEIR_CORRUPT);
    assert_int_equal(err.code, WEIR_CORRUPT);
    assert_string_equal(err.message, "a.parquet: 3 bytes");
    assert_int_equal(err.line, 0);
    assert_int_equal(weir_fail_at(&err, WEIR_INVALID, 4, 7, "no such column"), WEIR_INVALID);
    assert_int_equal(err.line, 4);
    assert_int_equal(err.column, 7);
}

static void nobody_needs_to_want_the_message(void **state)
{
    (void)state;
    assert_int_equal(weir_fail(NULL, WEIR_IO, "x"), WEIR_IO);
    assert_int_equal(weir_error_context(NULL, WEIR_IO, "x"), WEIR_IO);
    assert_int_equal(weir_fail_errno(NULL, ENOENT, "opening", "/a"), WEIR_NOT_FOUND);
    weir_error_clear(NULL);
}

static void a_context_goes_before_the_message_and_keeps_the_position(void **state)
{
    (void)state;
    weir_error err;
    weir_fail_at(&err, WEIR_INVALID, 2, 5, "no such column");
    assert_int_equal(weir_error_context(&err, WEIR_INVALID, "view %s", "v"), WEIR_INVALID);
    assert_string_equal(err.message, "view v: no such column");
    assert_int_equal(err.line, 2);
    assert_int_equal(err.column, 5);
}

static void a_path_that_the_message_begins_with_is_named_once(void **state)
{
    (void)state;
    weir_error err;
    weir_fail(&err, WEIR_CORRUPT, "/lake/t/data-1: cut off");
    weir_error_context(&err, WEIR_CORRUPT, "reading %s", "/lake/t");
    assert_string_equal(err.message, "reading: /lake/t/data-1: cut off");
    weir_fail(&err, WEIR_CORRUPT, "cut off");
    weir_error_context(&err, WEIR_CORRUPT, "reading %s", "/lake/t");
    assert_string_equal(err.message, "reading /lake/t: cut off");
}

static void the_end_of_data_gets_no_context(void **state)
{
    (void)state;
    weir_error err;
    weir_error_clear(&err);
    assert_int_equal(weir_error_context(&err, WEIR_END, "reading"), WEIR_END);
    assert_int_equal(weir_error_context(&err, WEIR_IDLE, "reading"), WEIR_IDLE);
    assert_string_equal(err.message, "");
}

static void a_message_may_be_made_of_the_one_it_replaces(void **state)
{
    (void)state;
    weir_error err;
    weir_fail(&err, WEIR_IO, "inner");
    weir_fail(&err, WEIR_RETRY, "outer (%s)", err.message);
    assert_string_equal(err.message, "outer (inner)");
}

static void a_long_message_is_cut_between_characters(void **state)
{
    (void)state;
    for (int shift = 0; shift < 4; shift++) {
        char text[4096] = "xxxx";
        for (int i = shift; i + 3 < 4000; i += 3) {
            memcpy(text + i, "\xe2\x82\xac", 4);
        }
        weir_error err;
        weir_fail(&err, WEIR_IO, "%s", text);
        size_t size = strlen(err.message);
        assert_in_range(size, WEIR_ERROR_MESSAGE_SIZE - 4, WEIR_ERROR_MESSAGE_SIZE - 1);
        assert_string_equal(err.message + size - 3, "\xe2\x80\xa6");
        assert_int_equal((size - 3 - (size_t)shift) % 3, 0);
        weir_error_context(&err, WEIR_IO, "context");
        assert_memory_equal(err.message, "context: ", 9);
        assert_in_range(strlen(err.message), WEIR_ERROR_MESSAGE_SIZE - 4, WEIR_ERROR_MESSAGE_SIZE - 1);
    }
}

static void an_errno_value_becomes_the_code_that_fits(void **state)
{
    (void)state;
    static const struct {
        int errno_value;
        int code;
    } cases[] = {
        {ENOENT, WEIR_NOT_FOUND}, {EACCES, WEIR_DENIED}, {EPERM, WEIR_DENIED}, {EEXIST, WEIR_EXISTS},
        {ENOSPC, WEIR_IO},        {EIO, WEIR_IO},        {EMFILE, WEIR_IO},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_error err;
        assert_int_equal(weir_fail_errno(&err, cases[i].errno_value, "opening", "/a/b"), cases[i].code);
        assert_memory_equal(err.message, "/a/b: opening: ", 15);
    }
    weir_error err;
    weir_fail_errno(&err, ENOSPC, "writing", "/a");
    assert_non_null(strstr(err.message, "disk is full"));
}

static int count_calls(int *calls, int code)
{
    ++*calls;
    return code;
}

static int try_both(int *calls, int first, weir_error *err)
{
    WEIR_TRY(count_calls(calls, first));
    WEIR_TRY_CTX(weir_fail(err, WEIR_IO, "inner"), err, "bucket %d", 3);
    return WEIR_OK;
}

static void the_macros_leave_at_the_first_failure(void **state)
{
    (void)state;
    weir_error err;
    int calls = 0;
    assert_int_equal(try_both(&calls, WEIR_END, &err), WEIR_END);
    assert_int_equal(try_both(&calls, WEIR_OK, &err), WEIR_IO);
    assert_int_equal(calls, 2);
    assert_string_equal(err.message, "bucket 3: inner");
}

static void every_code_has_a_name(void **state)
{
    (void)state;
    for (int code = WEIR_OK; code <= WEIR_IDLE; code++) {
        assert_non_null(weir_code_name(code));
        assert_string_not_equal(weir_code_name(code), "unknown error");
    }
    assert_string_equal(weir_code_name(WEIR_NOT_FOUND), "not found");
    assert_string_equal(weir_code_name(-1), "unknown error");
    assert_string_equal(weir_code_name(1000), "unknown error");
    assert_non_null(weir_version());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_carries_its_code_and_message),
        cmocka_unit_test(nobody_needs_to_want_the_message),
        cmocka_unit_test(a_context_goes_before_the_message_and_keeps_the_position),
        cmocka_unit_test(a_path_that_the_message_begins_with_is_named_once),
        cmocka_unit_test(the_end_of_data_gets_no_context),
        cmocka_unit_test(a_message_may_be_made_of_the_one_it_replaces),
        cmocka_unit_test(a_long_message_is_cut_between_characters),
        cmocka_unit_test(an_errno_value_becomes_the_code_that_fits),
        cmocka_unit_test(the_macros_leave_at_the_first_failure),
        cmocka_unit_test(every_code_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
