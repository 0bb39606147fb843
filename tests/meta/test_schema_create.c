/* New schemas: what is refused and with what words, and how field ids are given out. */
#include "meta_fixture.h"

typedef struct refusal {
    test_schema schema;
    weir_code code;
    const char *word; /* that the message must hold */
} refusal;

static void what_is_wrong_is_found_before_anything_is_written(void **state)
{
    (void)state;
    static const refusal cases[] = {
        {{"_KEY_a INT", NULL, NULL, NULL}, WEIR_INVALID, "reserved"},
        {{"_SEQUENCE_NUMBER INT", NULL, NULL, NULL}, WEIR_INVALID, "reserved"},
        {{"_VALUE_KIND INT", NULL, NULL, NULL}, WEIR_INVALID, "reserved"},
        {{"_LEVEL INT", NULL, NULL, NULL}, WEIR_INVALID, "reserved"},
        {{"rowkind STRING", NULL, NULL, NULL}, WEIR_INVALID, "reserved"},
        {{"_ROW_ID BIGINT", NULL, NULL, NULL}, WEIR_INVALID, "reserved"},
        {{"user_id INT", "userid", NULL, "bucket=1"}, WEIR_INVALID, "did you mean 'user_id'"},
        {{"a INT", NULL, "b", NULL}, WEIR_INVALID, "'b'"},
        {{"a INT, b INT", "a,a", NULL, "bucket=1"}, WEIR_INVALID, "twice"},
        {{"a INT, b INT", "a", NULL, "bucket=1;primary-key=b"}, WEIR_INVALID, "twice"},
        {{"a INT, m MAP<INT, INT>", "m", NULL, "bucket=1"}, WEIR_INVALID, "MAP"},
        {{"a INT, dt STRING", "dt", "dt", "bucket=1"}, WEIR_INVALID, "no columns but"},
        {{"a INT, dt STRING", "a", "dt", "bucket=1"}, WEIR_INVALID, "all partition columns"},
        {{"a INT", NULL, NULL, "bucket=-2"}, WEIR_INVALID, "'-2'"},
        {{"a INT, b INT", "a", "b", "bucket=-2"}, WEIR_UNSUPPORTED, "'-2'"},
        {{"a INT", "a", NULL, "bucket=0"}, WEIR_INVALID, "greater than 0"},
        {{"a INT", "a", NULL, "bucket=many"}, WEIR_INVALID, "whole number"},
        {{"a INT", NULL, NULL, "bucket=2"}, WEIR_INVALID, "bucket-key"},
        {{"a INT", NULL, NULL, "bucket-key=a"}, WEIR_INVALID, "number of buckets"},
        {{"a INT, b INT", NULL, "b", "bucket=2;bucket-key=b"}, WEIR_INVALID, "partition column"},
        {{"a INT, b INT", "a", NULL, "bucket=2;bucket-key=b"}, WEIR_INVALID, "not in the primary key"},
        {{"a INT, b INT", NULL, NULL, "bucket=2;bucket-key=c"}, WEIR_INVALID, "'c'"},
        {{"a STRING", "a", NULL, "bucket=2;bucket-function.type=mod"}, WEIR_INVALID, "INT or BIGINT"},
        {{"a INT", NULL, NULL, "bukcet=2"}, WEIR_INVALID, "did you mean 'bucket'"},
        {{"a INT", "a", NULL, "merge-engine=first-row;changelog-producer=full-compaction"}, WEIR_INVALID, "'none' and"},
        {{"a INT", "a", NULL, "merge-engine=first-row;sequence.field=a"}, WEIR_INVALID, "sequence field"},
        {{"a INT", "a", NULL, "bucket=1;merge-engine=dedupliacte"}, WEIR_INVALID, "did you mean 'deduplicate'"},
        {{"a INT", "a", NULL, "bucket=1;sequence.field=b"}, WEIR_INVALID, "sequence.field"},
        {{"a INT", "a", NULL, "bucket=1;fields.b.aggregate-function=sum"}, WEIR_INVALID, "aggregate-function"},
        {{"a INT", "a", NULL, "bucket=1;deletion-vectors.enabled=true"}, WEIR_UNSUPPORTED, "deletion-vectors"},
        {{"a INT", NULL, NULL, "file.format=orc"}, WEIR_UNSUPPORTED, "parquet, avro"},
        {{"a INT", NULL, NULL, "file.format=parqet"}, WEIR_INVALID, "did you mean 'parquet'"},
        {{"a TIMESTAMP(9)", NULL, NULL, "file.format=avro"}, WEIR_UNSUPPORTED, "TIMESTAMP(6)"},
        {{"a ARRAY<TIME(9)>", NULL, NULL, "file.format=avro"}, WEIR_UNSUPPORTED, "TIME(3)"},
        {{"a INT", NULL, NULL, "changelog-producer=input"}, WEIR_INVALID, "primary key"},
        {{"a INT", NULL, NULL, "snapshot.num-retained.min=5;snapshot.num-retained.max=3"}, WEIR_INVALID, "min <= max"},
        {{"a INT", NULL, NULL, "target-file-size=large"}, WEIR_INVALID, "128 mb"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_error err = {0};
        weir_arena arena;
        weir_schema *schema = NULL;
        weir_arena_init(&arena);
        int code = create_schema(&arena, &cases[i].schema, &schema, &err);
        if (code != (int)cases[i].code || strstr(err.message, cases[i].word) == NULL) {
            fail_msg("case %d (%s): code %d, %s", (int)i, cases[i].schema.columns, code, err.message);
        }
        weir_arena_free(&arena);
    }
}

static void two_columns_of_one_name_are_refused(void **state)
{
    (void)state;
    weir_error err;
    weir_arena arena;
    weir_schema *schema = NULL;
    weir_arena_init(&arena);
    const weir_type *number = weir_type_simple(WEIR_INT, true);
    const weir_field twice[] = {{.name = "x", .type = number}, {.name = "x", .type = number}};
    const weir_field row = {.name = "r", .type = weir_type_row(&arena, twice, 2, true)};
    assert_int_equal(weir_schema_create(&arena, twice, 2, NULL, 0, NULL, 0, NULL, NULL, &schema, &err), WEIR_INVALID);
    assert_non_null(strstr(err.message, "'x'"));
    assert_int_equal(weir_schema_create(&arena, &row, 1, NULL, 0, NULL, 0, NULL, NULL, &schema, &err), WEIR_INVALID);
    assert_non_null(strstr(err.message, "'x'"));
    assert_int_equal(weir_schema_create(&arena, twice, 0, NULL, 0, NULL, 0, NULL, NULL, &schema, &err), WEIR_INVALID);
    weir_arena_free(&arena);
}

static void what_is_right_is_accepted(void **state)
{
    (void)state;
    static const test_schema cases[] = {
        {"a INT", NULL, NULL, NULL},
        {"a INT, dt STRING", "a,dt", "dt", "bucket=4"},
        {"a INT, dt STRING", NULL, "dt", NULL},
        {"a BIGINT, b INT", "a,b", NULL, "bucket=2;bucket-key=a;bucket-function.type=mod"},
        {"a INT", NULL, NULL, "bucket=2;bucket-key=a"},
        {"a INT", NULL, NULL, "compaction.max.file-num=50;expire-execution.interval=1h"}, /* of earlier versions */
        {"a INT", NULL, NULL, "parquet.compression.codec.zstd.level=3;fields.a.default-value=7"},
        {"a INT", "a", NULL, "bucket=1;deletion-vectors.enabled=false;changelog-producer.lookup-wait=false"},
        {"a INT", "a", NULL, "bucket=1;changelog-producer=LOOKUP;snapshot.time-retained=7d;target-file-size=128MB"},
        {"a INT, n INT, t INT", "a", NULL, "merge-engine=aggregation;fields.n.aggregate-function=sum;sequence.field=t"},
        {"a INT, n INT, t INT", "a", NULL, "merge-engine=partial-update;fields.t.sequence-group=n"},
        {"a VARIANT, b TIMESTAMP(9)", NULL, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_arena arena;
        weir_arena_init(&arena);
        weir_schema *schema = make_schema(&arena, cases[i]);
        assert_int_equal(schema->id, 0);
        weir_arena_free(&arena);
    }
}

static void keys_may_come_from_options_and_are_not_null(void **state)
{
    (void)state;
    weir_arena arena;
    weir_arena_init(&arena);
    weir_schema *schema = make_schema(&arena, (test_schema){.columns = "a INT, dt STRING, v INT",
                                                            .options = "bucket=1;primary-key=dt, a;partition=dt"});
    assert_int_equal(schema->primary_key_count, 2);
    assert_string_equal(schema->primary_keys[0], "dt");
    assert_string_equal(schema->primary_keys[1], "a");
    assert_string_equal(schema->partition_keys[0], "dt");
    assert_int_equal(schema->options.count, 1);
    assert_false(schema->fields[0].type->nullable);
    assert_false(schema->fields[1].type->nullable);
    assert_true(schema->fields[2].type->nullable);
    weir_arena_free(&arena);
}

/* Golden tables that were created with nested columns, their ids as Java gave them out. */
static void nested_fields_get_the_ids_that_java_gives_them(void **state)
{
    (void)state;
    static const char *const tables[] = {"nested-avro-append", "nested-parquet-append", "types-avro-append"};
    for (size_t i = 0; golden_available() && i < sizeof tables / sizeof *tables; i++) {
        weir_error err;
        weir_arena arena;
        weir_schema *theirs = NULL;
        weir_schema *ours = NULL;
        weir_buffer their_text = {0};
        weir_buffer our_text = {0};
        weir_arena_init(&arena);
        check_ok(weir_schema_read(weir_fs_local(), golden_table(&arena, tables[i]), 0, &arena, &theirs, &err), &err);
        check_ok(weir_schema_create(&arena, theirs->fields, theirs->field_count, NULL, 0, NULL, 0, &theirs->options,
                                    NULL, &ours, &err),
                 &err);
        ours->time_ms = theirs->time_ms;
        weir_schema_format(theirs, &their_text);
        weir_schema_format(ours, &our_text);
        assert_string_equal(weir_buffer_text(&our_text), weir_buffer_text(&their_text));
        weir_buffer_free(&our_text);
        weir_buffer_free(&their_text);
        weir_arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_is_found_before_anything_is_written),
        cmocka_unit_test(two_columns_of_one_name_are_refused),
        cmocka_unit_test(what_is_right_is_accepted),
        cmocka_unit_test(keys_may_come_from_options_and_are_not_null),
        cmocka_unit_test(nested_fields_get_the_ids_that_java_gives_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
