/* Altered schemas: ids of fields, types that may become others, options that follow columns, and writers at the same
 * time. */
#include "meta_fixture.h"

#include <pthread.h>

#include "meta/schema_change.h"

static int change(weir_arena *arena, const weir_schema *old, weir_schema_change wanted, bool has_data,
                  weir_schema **out, weir_error *err)
{
    int32_t failed = 0;
    return weir_schema_apply(old, &wanted, 1, has_data, arena, out, &failed, err);
}

static const weir_type *parse_type(weir_arena *arena, const char *text)
{
    const weir_type *type = NULL;
    weir_error err;
    check_ok(weir_type_parse(text, arena, &type, &err), &err);
    return type;
}

/* ---- types ---- */

typedef struct type_case {
    const char *from;
    const char *to;
    const char *refusal; /* a word of it; NULL: allowed */
} type_case;

static void a_type_becomes_what_paimon_lets_it_become(void **state)
{
    (void)state;
    static const type_case cases[] = {
        {"INT", "BIGINT", NULL},
        {"BIGINT", "TINYINT", NULL},
        {"INT", "STRING", NULL},
        {"STRING", "INT", NULL},
        {"STRING", "DATE", NULL},
        {"DOUBLE", "DECIMAL(10, 2)", NULL},
        {"BOOLEAN", "INT", NULL},
        {"TIMESTAMP(6)", "DATE", NULL},
        {"DATE", "TIMESTAMP(3)", NULL},
        {"INT", "TIMESTAMP(3)", NULL},
        {"ARRAY<INT>", "ARRAY<STRING>", NULL},
        {"MAP<STRING, INT>", "MAP<STRING, BIGINT>", NULL},
        {"ROW<a INT>", "ROW<b INT, a BIGINT, c STRING>", NULL},
        {"ROW<a INT, b INT>", "ROW<b INT>", NULL},
        {"ARRAY<ROW<a INT>>", "ARRAY<ROW<a INT, b MAP<INT, ROW<c INT>>>>", NULL},
        {"INT NOT NULL", "INT", NULL},
        {"INT", "DATE", "cannot become DATE"},
        {"DOUBLE", "TIMESTAMP(3)", "cannot become"},
        {"BOOLEAN", "DATE", "cannot become"},
        {"BYTES", "INT", "cannot become"},
        {"INT", "INT NOT NULL", "NOT NULL"},
        {"INT", "ARRAY<INT>", "cannot become"},
        {"ARRAY<INT>", "STRING", "cannot become"},
        {"ROW<a INT>", "STRING", "cannot become"},
        {"MAP<STRING, INT>", "MAP<INT, INT>", "keys"},
        {"ROW<a INT, b INT>", "ROW<b INT, a INT>", "order"},
        {"ROW<a INT>", "ROW<a INT, b INT NOT NULL>", "'v.b'"},
        {"ROW<a INT>", "ROW<a DATE>", "'v.a'"},
        {"ARRAY<ROW<a INT>>", "ARRAY<ROW<a DATE>>", "'v.element.a'"},
        {"MAP<INT, INT>", "MAP<INT, DATE>", "'v.value'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_arena arena;
        weir_error err = {0};
        weir_schema *altered = NULL;
        weir_arena_init(&arena);
        const char *columns = weir_arena_format(&arena, "v %s", cases[i].from);
        weir_schema *old = make_schema(&arena, (test_schema){.columns = columns});
        const weir_type *wanted = parse_type(&arena, cases[i].to);
        int code =
            change(&arena, old, (weir_schema_change){.kind = WEIR_CHANGE_COLUMN_TYPE, .name = "v", .type = wanted},
                   true, &altered, &err);
        bool right = cases[i].refusal == NULL
                         ? code == WEIR_OK && weir_type_equal(altered->fields[0].type, wanted, false)
                         : code == WEIR_INVALID && strstr(err.message, cases[i].refusal) != NULL;
        if (!right) {
            fail_msg("%s to %s: code %d, %s", cases[i].from, cases[i].to, code, err.message);
        }
        weir_arena_free(&arena);
    }
}

static void new_columns_and_fields_get_new_ids_and_others_keep_theirs(void **state)
{
    (void)state;
    weir_arena arena;
    weir_error err = {0};
    weir_schema *altered = NULL;
    int32_t failed = 0;
    weir_arena_init(&arena);
    weir_schema *old = make_schema(&arena, (test_schema){.columns = "a INT, r ROW<x INT, y INT>, b INT"});
    assert_int_equal(old->highest_field_id, 4);
    const weir_schema_change changes[] = {
        {.kind = WEIR_CHANGE_DROP_COLUMN, .name = "b"},
        {.kind = WEIR_CHANGE_ADD_COLUMN,
         .name = "b",
         .type = parse_type(&arena, "ROW<p INT, q ROW<s INT>>"),
         .place = WEIR_PLACE_FIRST},
        {.kind = WEIR_CHANGE_COLUMN_TYPE, .name = "r", .type = parse_type(&arena, "ROW<y BIGINT, z INT>")},
        {.kind = WEIR_CHANGE_RENAME_COLUMN, .name = "a", .text = "aa"},
        {.kind = WEIR_CHANGE_COLUMN_PLACE, .name = "aa", .place = WEIR_PLACE_AFTER, .after = "r"},
    };
    check_ok(weir_schema_apply(old, changes, 5, true, &arena, &altered, &failed, &err), &err);
    static const char *const names[] = {"b", "r", "aa"};
    static const int32_t ids[] = {5, 1, 0};
    assert_int_equal(altered->id, 1);
    assert_int_equal(altered->field_count, 3);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(altered->fields[i].name, names[i]);
        assert_int_equal(altered->fields[i].id, ids[i]);
    }
    const weir_type *added = altered->fields[0].type;
    assert_int_equal(added->fields[0].id, 6);
    assert_int_equal(added->fields[1].type->fields[0].id, 7); /* inside of a ROW the innermost come first */
    assert_int_equal(added->fields[1].id, 8);
    assert_int_equal(altered->fields[1].type->fields[0].id, 3);
    assert_int_equal(altered->fields[1].type->fields[1].id, 9);
    assert_int_equal(altered->highest_field_id, 9);
    assert_int_equal(old->field_count, 3); /* the old version is as it was */
    assert_string_equal(old->fields[0].name, "a");
    weir_arena_free(&arena);
}

/* ---- options ---- */

static void options_that_name_a_column_follow_when_it_is_renamed(void **state)
{
    (void)state;
    static const struct {
        const char *key, *value;
        const char *new_key, *new_value;
    } cases[] = {
        {"bucket-key", "k", "bucket-key", "kk"},
        {"sequence.field", "x,k", "sequence.field", "x,kk"},
        {"fields.k.ignore-retract", "false", "fields.kk.ignore-retract", "false"},
        {"fields.x.ignore-retract", "true", "fields.x.ignore-retract", "true"},
        {"fields.k,x.sequence-group", "v", "fields.kk,x.sequence-group", "v"},
        {"fields.x.sequence-group", "k,v", "fields.x.sequence-group", "kk,v"},
        {"fields.k.list-agg-delimiter", "k", "fields.kk.list-agg-delimiter", "k"},
        {"snapshot.num-retained.min", "3", "snapshot.num-retained.min", "3"},
    };
    weir_arena arena;
    weir_error err = {0};
    weir_schema *altered = NULL;
    weir_arena_init(&arena);
    weir_schema *old = make_schema(
        &arena, (test_schema){.columns = "k INT, x INT, v INT", .primary_keys = "k", .options = "bucket=1"});
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_options_set(&old->options, &arena, cases[i].key, cases[i].value);
    }
    check_ok(change(&arena, old, (weir_schema_change){.kind = WEIR_CHANGE_RENAME_COLUMN, .name = "k", .text = "kk"},
                    true, &altered, &err),
             &err);
    assert_string_equal(altered->primary_keys[0], "kk");
    assert_string_equal(old->primary_keys[0], "k");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *value = weir_options_get(&altered->options, cases[i].new_key);
        assert_non_null(value);
        assert_string_equal(value, cases[i].new_value);
    }
    int code =
        change(&arena, old, (weir_schema_change){.kind = WEIR_CHANGE_DROP_COLUMN, .name = "x"}, true, &altered, &err);
    assert_int_equal(code, WEIR_INVALID); /* sequence.field names it */
    assert_non_null(strstr(err.message, "'x'"));
    weir_arena_free(&arena);
}

static void what_files_rest_on_changes_only_while_there_are_none(void **state)
{
    (void)state;
    static const struct {
        const char *key, *value; /* NULL: reset */
        bool allowed_with_data;
    } cases[] = {
        {"bucket-key", "k", false},      {"bucket-function.type", "mod", false},
        {"bucket", NULL, false},         {"bucket", "-1", false},
        {"bucket", "3", true},           {"snapshot.num-retained.max", "30", true},
        {"ignore-delete", "true", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int has_data = 0; has_data < 2; has_data++) {
            weir_arena arena;
            weir_error err = {0};
            weir_schema *altered = NULL;
            weir_arena_init(&arena);
            weir_schema *old = make_schema(
                &arena, (test_schema){.columns = "k INT, v INT", .primary_keys = "k", .options = "bucket=1"});
            weir_schema_change wanted = {
                .kind = cases[i].value == NULL ? WEIR_CHANGE_RESET_OPTION : WEIR_CHANGE_SET_OPTION,
                .name = cases[i].key,
                .text = cases[i].value,
            };
            int code = change(&arena, old, wanted, has_data != 0, &altered, &err);
            bool writes_no_more = strcmp(cases[i].key, "bucket") == 0 && !cases[i].allowed_with_data;
            if (has_data != 0 || !writes_no_more) {
                assert_int_equal(code, has_data != 0 && !cases[i].allowed_with_data ? WEIR_INVALID : WEIR_OK);
            }
            weir_arena_free(&arena);
        }
    }
}

static void a_default_value_is_of_its_columns_type(void **state)
{
    (void)state;
    static const struct {
        const char *column, *value, *refusal;
    } cases[] = {{"v", "7", NULL}, {"v", NULL, NULL}, {"v", "seven", "'seven'"}, {"k", "1", "key"}, {"w", "1", "'w'"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_arena arena;
        weir_error err = {0};
        weir_schema *altered = NULL;
        weir_arena_init(&arena);
        weir_schema *old =
            make_schema(&arena, (test_schema){.columns = "k INT, v INT", .primary_keys = "k", .options = "bucket=1"});
        int code = change(
            &arena, old,
            (weir_schema_change){.kind = WEIR_CHANGE_COLUMN_DEFAULT, .name = cases[i].column, .text = cases[i].value},
            true, &altered, &err);
        assert_int_equal(code, cases[i].refusal == NULL ? WEIR_OK : WEIR_INVALID);
        assert_true(cases[i].refusal == NULL || strstr(err.message, cases[i].refusal) != NULL);
        weir_arena_free(&arena);
    }
}

/* ---- several writers ---- */

#define WRITERS             4
#define COLUMNS_OF_A_WRITER 12

typedef struct alterer {
    weir_fs *fs;
    int number;
    int failures;
} alterer;

static void *add_columns(void *data)
{
    alterer *self = data;
    for (int i = 0; i < COLUMNS_OF_A_WRITER; i++) {
        weir_arena arena;
        weir_error err = {0};
        weir_schema *altered = NULL;
        int32_t failed;
        weir_arena_init(&arena);
        weir_schema_change wanted = {.kind = WEIR_CHANGE_ADD_COLUMN,
                                     .name = weir_arena_format(&arena, "c%d_%d", self->number, i),
                                     .type = weir_type_simple(WEIR_INT, true)};
        self->failures += weir_schema_alter(self->fs, "/t", &wanted, 1, &arena, &altered, &failed, &err) != WEIR_OK;
        weir_arena_free(&arena);
    }
    return NULL;
}

static void whoever_is_slower_begins_again(void **state)
{
    (void)state;
    weir_fs *fs = weir_fs_memory();
    weir_arena arena;
    weir_error err = {0};
    alterer alterers[WRITERS];
    pthread_t threads[WRITERS];
    weir_schema *latest = NULL;
    weir_arena_init(&arena);
    check_ok(weir_fs_make_directories(fs, "/t/schema", &err), &err);
    check_ok(weir_schema_publish(fs, "/t", make_schema(&arena, (test_schema){.columns = "a INT"}), &err), &err);
    for (int i = 0; i < WRITERS; i++) {
        alterers[i] = (alterer){.fs = fs, .number = i};
        pthread_create(&threads[i], NULL, add_columns, &alterers[i]);
    }
    for (int i = 0; i < WRITERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(alterers[i].failures, 0);
    }
    check_ok(weir_schema_read_latest(fs, "/t", &arena, &latest, &err), &err);
    assert_int_equal(latest->id, WRITERS * COLUMNS_OF_A_WRITER);
    assert_int_equal(latest->field_count, WRITERS * COLUMNS_OF_A_WRITER + 1);
    assert_int_equal(latest->highest_field_id, WRITERS * COLUMNS_OF_A_WRITER);
    weir_arena_free(&arena);
    weir_fs_close(fs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_type_becomes_what_paimon_lets_it_become),
        cmocka_unit_test(new_columns_and_fields_get_new_ids_and_others_keep_theirs),
        cmocka_unit_test(options_that_name_a_column_follow_when_it_is_renamed),
        cmocka_unit_test(what_files_rest_on_changes_only_while_there_are_none),
        cmocka_unit_test(a_default_value_is_of_its_columns_type),
        cmocka_unit_test(whoever_is_slower_begins_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
