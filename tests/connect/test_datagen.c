/* Rows out of nowhere. */
#include "base/clock.h"
#include "connect/connect_fixture.h"

/* All rows, waiting where there are none yet. */
static void read_all(weir_source *source, const test_table *table, weir_batch *out)
{
    weir_error err;
    weir_batch batch;
    int code;
    weir_batch_init(&batch, table->columns.fields, table->columns.count);
    while ((code = source->next(source, &batch, &err)) != WEIR_END) {
        if (code == WEIR_IDLE) {
            weir_sleep_ms(1);
            continue;
        }
        check_ok(code, &err);
        check_batch(&batch);
        check_ok(weir_batch_append_range(out, &batch, 0, batch.length, &err), &err);
    }
    weir_batch_free(&batch);
}

static void sequences_count_and_end_the_table(void **state)
{
    (void)state;
    test_table table;
    table_start(&table, "a BIGINT, s STRING, d DECIMAL(10, 2), f DOUBLE",
                "connector=datagen;rows-per-second=1000000;fields.a.kind=sequence;fields.a.start=5;fields.a.end=7;"
                "fields.s.kind=sequence;fields.s.start=-1;fields.s.end=100;fields.d.kind=sequence;fields.d.start=1;"
                "fields.d.end=9;fields.f.kind=sequence;fields.f.start=0;fields.f.end=9",
                "");
    check_table(&table, "+I[5,\"-1\",\"1.00\",0.0]\n+I[6,\"0\",\"2.00\",1.0]\n+I[7,\"1\",\"3.00\",2.0]\n");
    weir_source *source = open_source(&table, 1);
    weir_buffer rows = {0};
    weir_buffer position = {0};
    weir_error err;
    assert_true(source->is_bounded);
    assert_true(next_rows(source, &table, &rows));
    check_ok(source->position(source, &position, &err), &err);
    source->close(source);
    source = open_source(&table, 1);
    check_ok(source->restore(source, weir_buffer_slice(&position), &err), &err);
    weir_buffer_clear(&rows);
    assert_true(next_rows(source, &table, &rows));
    assert_string_equal(weir_buffer_text(&rows), "+I[6,\"0\",\"2.00\",1.0]\n");
    source->close(source);
    weir_buffer_free(&rows);
    weir_buffer_free(&position);
    table_end(&table);
}

static void random_values_stay_within_their_bounds(void **state)
{
    (void)state;
    test_table table;
    weir_batch rows;
    table_start(&table,
                "b BOOLEAN, t TINYINT, i INT, f FLOAT, d DOUBLE, c DECIMAL(10, 2), s STRING, v STRING, h CHAR(5), "
                "y BYTES, dt DATE, ts TIMESTAMP(6), l TIMESTAMP_LTZ(9)",
                "connector=datagen;rows-per-second=1000000;number-of-rows=5000;fields.i.min=-3;fields.i.max=3;"
                "fields.d.min=1;fields.d.max=2;fields.c.min=1.5;fields.c.max=2.5;fields.s.length=7;fields.v.length=9;"
                "fields.v.var-len=true;fields.ts.max-past=1 d;fields.i.null-rate=0.5",
                "");
    weir_batch_init(&rows, table.columns.fields, table.columns.count);
    weir_source *source = open_source(&table, 1000);
    int64_t before = weir_now_ms();
    read_all(source, &table, &rows);
    int64_t after = weir_now_ms();
    source->close(source);
    assert_int_equal(rows.length, 5000);
    assert_in_range(rows.columns[2].null_count, 2000, 3000);
    assert_int_equal(rows.columns[0].null_count, 0);
    for (int64_t row = 0; row < rows.length; row++) {
        if (!weir_vector_is_null(&rows.columns[2], row)) {
            int32_t number = WEIR_VALUES(&rows.columns[2], int32_t)[row];
            assert_true(number >= -3 && number <= 3);
        }
        double real = WEIR_VALUES(&rows.columns[4], double)[row];
        assert_true(real >= 1 && real <= 2);
        int64_t cents = WEIR_VALUES(&rows.columns[5], int64_t)[row];
        assert_true(cents >= 150 && cents <= 250);
        assert_int_equal(weir_vector_bytes(&rows.columns[6], row).size, 7);
        assert_in_range(weir_vector_bytes(&rows.columns[7], row).size, 1, 9);
        assert_int_equal(weir_vector_bytes(&rows.columns[8], row).size, 5);
        int64_t micros = WEIR_VALUES(&rows.columns[11], int64_t)[row];
        assert_true(micros >= (before - 86400000) * 1000 && micros <= after * 1000);
        int64_t millis = WEIR_VALUES(&rows.columns[12], weir_timestamp_nanos)[row].millis;
        assert_true(millis >= before && millis <= after);
    }
    weir_batch_free(&rows);
    table_end(&table);
}

static void without_a_number_of_rows_the_table_never_ends(void **state)
{
    (void)state;
    test_table table;
    weir_batch batch;
    weir_error err;
    table_start(&table, "a INT", "connector=datagen;rows-per-second=10", "");
    weir_source *source = open_source(&table, 0);
    weir_batch_init(&batch, table.columns.fields, 1);
    assert_false(source->is_bounded);
    check_ok(source->next(source, &batch, &err), &err);
    assert_int_equal(batch.length, 1);
    assert_int_equal(source->next(source, &batch, &err), WEIR_IDLE); /* the next row is due in a tenth of a second */
    weir_batch_free(&batch);
    source->close(source);
    table_end(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequences_count_and_end_the_table),
        cmocka_unit_test(random_values_stay_within_their_bounds),
        cmocka_unit_test(without_a_number_of_rows_the_table_never_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
