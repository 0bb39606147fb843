/* The outbox: what is prepared is delivered once, whenever a job ends between the steps. */
#include "connect/connect_fixture.h"
#include "connect/outbox.h"

/* What a target has delivered, which outlives sinks. */
typedef struct deliveries {
    weir_buffer rows;
    char name[128];
    int64_t number;
    bool fails;
} deliveries;

typedef struct test_target {
    weir_outbox_target base; /* first */
    deliveries *to;
} test_target;

static int append(weir_outbox_target *self, const weir_batch *batch, weir_buffer *out, weir_error *err)
{
    (void)self;
    (void)err;
    append_rows_as_text(batch, out);
    return WEIR_OK;
}

static int deliver(weir_outbox_target *self, const char *name, int64_t number, weir_slice rows, weir_error *err)
{
    deliveries *to = ((test_target *)self)->to;
    if (to->fails) {
        return weir_fail(err, WEIR_IO, "away");
    }
    snprintf(to->name, sizeof to->name, "%s", name);
    to->number = number;
    weir_buffer_append(&to->rows, rows.data, rows.size);
    return WEIR_OK;
}

static int find_number(weir_outbox_target *self, const char *name, int64_t *out, weir_error *err)
{
    const deliveries *to = ((test_target *)self)->to;
    (void)err;
    *out = strcmp(to->name, name) == 0 ? to->number : 0;
    return WEIR_OK;
}

static void close_target(weir_outbox_target *self) { free(self); }

static weir_sink *open_outbox(deliveries *to)
{
    test_target *target = weir_alloc_zeroed(1, sizeof *target);
    target->base = (weir_outbox_target){
        .append = append, .deliver = deliver, .find_number = find_number, .close = close_target};
    target->to = to;
    return weir_outbox_sink_create(&target->base, "prefix");
}

static void what_was_prepared_is_delivered_once(void **state)
{
    (void)state;
    static const bool delivered_before[] = {false, true};
    for (size_t i = 0; i < 2; i++) {
        deliveries to = {0};
        test_table table;
        weir_error err;
        weir_buffer prepared = {0};
        table_start(&table, "a INT", "connector=print", "");
        weir_sink *sink = open_outbox(&to);
        write_rows(sink, &table, "[[1]]", NULL);
        check_ok(sink->prepare(sink, &prepared, &err), &err);
        assert_int_equal(to.rows.size, 0);
        if (delivered_before[i]) {
            check_ok(sink->commit(sink, weir_buffer_slice(&prepared), &err), &err);
        }
        write_rows(sink, &table, "[[2]]", NULL); /* which the next run reads again */
        sink->close(sink);
        for (int run = 0; run < 2; run++) {
            sink = open_outbox(&to);
            check_ok(sink->recover(sink, weir_buffer_slice(&prepared), &err), &err);
            assert_string_equal(weir_buffer_text(&to.rows), "+I[1]\n");
            sink->close(sink);
        }
        /* The number goes on. */
        sink = open_outbox(&to);
        check_ok(sink->recover(sink, weir_buffer_slice(&prepared), &err), &err);
        write_rows(sink, &table, "[[2]]", NULL);
        check_ok(weir_sink_show(sink, &err), &err);
        assert_int_equal(to.number, 2);
        assert_memory_equal(to.name, "prefix-", 7);
        assert_string_equal(weir_buffer_text(&to.rows), "+I[1]\n+I[2]\n");
        sink->close(sink);
        weir_buffer_free(&to.rows);
        weir_buffer_free(&prepared);
        table_end(&table);
    }
}

static void a_checkpoint_without_rows_prepares_nothing(void **state)
{
    (void)state;
    deliveries to = {0};
    weir_error err;
    weir_buffer prepared = {0};
    weir_sink *sink = open_outbox(&to);
    check_ok(sink->prepare(sink, &prepared, &err), &err);
    assert_int_equal(prepared.size, 0);
    check_ok(sink->commit(sink, weir_buffer_slice(&prepared), &err), &err);
    assert_int_equal(to.number, 0);
    sink->close(sink);
}

static void what_is_damaged_or_cannot_be_delivered_fails(void **state)
{
    (void)state;
    deliveries to = {.fails = true};
    test_table table;
    weir_error err = {0};
    weir_buffer prepared = {0};
    table_start(&table, "a INT", "connector=print", "");
    weir_sink *sink = open_outbox(&to);
    write_rows(sink, &table, "[[1]]", NULL);
    check_ok(sink->prepare(sink, &prepared, &err), &err);
    assert_int_equal(sink->commit(sink, weir_buffer_slice(&prepared), &err), WEIR_IO);
    for (size_t size = 0; size < 13; size++) {
        assert_int_equal(sink->recover(sink, weir_slice_of(prepared.data, size), &err), WEIR_CORRUPT);
    }
    prepared.data[0] = 9;
    assert_int_equal(sink->recover(sink, weir_buffer_slice(&prepared), &err), WEIR_CORRUPT);
    sink->close(sink);
    weir_buffer_free(&prepared);
    table_end(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_prepared_is_delivered_once),
        cmocka_unit_test(a_checkpoint_without_rows_prepares_nothing),
        cmocka_unit_test(what_is_damaged_or_cannot_be_delivered_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
