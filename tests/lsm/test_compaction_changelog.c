/* Changelogs that compactions make: what became of each key's older value, whichever level that stands in. */
#include "lsm_fixture.h"

/* What a commit's changelog says, without sequence numbers: "+I[1,"a"] -D[2,"b"]". */
static const char *changes_of(fixture *test, const weir_commit_message *message)
{
    char *text = weir_arena_strdup(&test->arena, lsm_list_text(test, &message->compact_changelog_files));
    char *to = text;
    for (const char *from = text; *from != '\0';) {
        while (*from >= '0' && *from <= '9') {
            from++;
        }
        from++; /* ':' */
        while (*from != '\0' && *from != ' ') {
            *to++ = *from++;
        }
        if (*from == ' ') {
            *to++ = *from++;
        }
    }
    *to = '\0';
    return text;
}

typedef struct changelog_case {
    const char *what;
    const char *options;
    const char *commits[4]; /* rows, NULL after the last */
    const char *changes;    /* of the last commit */
} changelog_case;

static void the_last_commit_tells_what_became_of_older_rows(void **state)
{
    (void)state;
    static const changelog_case cases[] = {
        {"a new key", "", {"[['+I',1,'a']]"}, "+I[1,\"a\"]"},
        {"a new key, inserted as an update", "", {"[['+U',1,'a']]"}, "+I[1,\"a\"]"},
        {"an update", "", {"[['+I',1,'a']]", "[['+U',1,'b']]"}, "-U[1,\"a\"] +U[1,\"b\"]"},
        {"an update that says insert", "", {"[['+I',1,'a']]", "[['+I',1,'b']]"}, "-U[1,\"a\"] +U[1,\"b\"]"},
        {"a delete gives the older row, not its own", "", {"[['+I',1,'a']]", "[['-D',1,'z']]"}, "-D[1,\"a\"]"},
        {"a delete of what is not there", "", {"[['-D',1,'z']]"}, ""},
        {"a delete of what was deleted", "", {"[['+I',1,'a']]", "[['-D',1,'a']]", "[['-D',1,'a']]"}, ""},
        {"an insert after a delete", "", {"[['+I',1,'a']]", "[['-D',1,'a']]", "[['+I',1,'b']]"}, "+I[1,\"b\"]"},
        {"many rows of a key in one commit",
         "",
         {"[['+I',1,'a'],['+U',1,'b'],['-D',1,'b'],['+I',1,'c']]"},
         "+I[1,\"c\"]"},
        {"in and out within a commit", "", {"[['+I',1,'a'],['-D',1,'a']]"}, ""},
        {"an update before does no more than a delete",
         "",
         {"[['+I',1,'a']]", "[['-U',1,'a'],['+U',1,'b']]"},
         "-U[1,\"a\"] +U[1,\"b\"]"},
        {"other keys are silent", "", {"[['+I',1,'a'],['+I',2,'x']]", "[['+U',1,'b']]"}, "-U[1,\"a\"] +U[1,\"b\"]"},
        {"nulls", "", {"[['+I',1,null]]", "[['+U',1,null]]"}, "-U[1,null] +U[1,null]"},
        {"an update that changes nothing", "", {"[['+I',1,'a']]", "[['+U',1,'a']]"}, "-U[1,\"a\"] +U[1,\"a\"]"},
        {"an update that changes nothing is left out when asked",
         ",'changelog-producer.row-deduplicate':'true'",
         {"[['+I',1,'a'],['+I',2,null],['+I',3,'c']]", "[['+U',1,'a'],['+U',2,null],['+U',3,'d']]"},
         "-U[3,\"c\"] +U[3,\"d\"]"},
        {"ignored columns do not count",
         ",'changelog-producer.row-deduplicate':'true','changelog-producer.row-deduplicate-ignore-fields':'x, v'",
         {"[['+I',1,'a']]", "[['+U',1,'b']]"},
         ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture test;
        char schema[512];
        snprintf(schema, sizeof schema, LSM_SCHEMA(",'changelog-producer':'lookup'%s"), cases[i].options);
        fixture_start(&test, schema);
        weir_bucket_writer *writer = lsm_writer(&test, NULL, 0);
        const char *changes = "";
        for (size_t c = 0; c < 4 && cases[i].commits[c] != NULL; c++) {
            weir_commit_message message = lsm_commit(&test, writer, cases[i].commits[c]);
            changes = changes_of(&test, &message);
            lsm_message_free(&message);
        }
        if (strcmp(changes, cases[i].changes) != 0) {
            fail_msg("%s: %s expected, but %s", cases[i].what, cases[i].changes, changes);
        }
        writer->ops->close(writer);
        fixture_end(&test);
    }
}

/* Restores a bucket whose keys lie in several levels, and updates them all. */
static void older_rows_are_found_in_every_level(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, LSM_SCHEMA(",'changelog-producer':'lookup','num-levels':'6'"));
    weir_data_file *files[] = {
        lsm_file(&test, 5, 0, "[['+I',1,'base-1'],['+I',2,'base-2'],['+I',3,'base-3'],['+I',4,'base-4']]"),
        lsm_file(&test, 4, 10, "[['+U',2,'four-2'],['-D',4,'base-4'],['+I',5,'four-5']]"),
        lsm_file(&test, 3, 20, "[['+U',3,'three-3'],['-D',5,'four-5']]"),
    };
    weir_bucket_writer *writer = lsm_writer(&test, files, 3);
    weir_commit_message message =
        lsm_commit(&test, writer, "[['+I',1,'n'],['+I',2,'n'],['-D',3,'n'],['+I',4,'n'],['+I',5,'n'],['-D',6,'n']]");
    assert_string_equal(changes_of(&test, &message),
                        "-U[1,\"base-1\"] +U[1,\"n\"] -U[2,\"four-2\"] +U[2,\"n\"] -D[3,\"three-3\"] +I[4,\"n\"] "
                        "+I[5,\"n\"]");
    lsm_message_free(&message);
    writer->ops->close(writer);
    fixture_end(&test);
}

/* Rows that a write-only job left in level 0 get their changelog with the next compaction, newest against oldest. */
static void rows_that_waited_in_level_zero_are_told_once(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, LSM_SCHEMA(",'changelog-producer':'lookup'"));
    weir_data_file *files[] = {
        lsm_file(&test, 5, 0, "[['+I',1,'base']]"),
        lsm_file(&test, 0, 10, "[['+U',1,'waited'],['+I',2,'waited'],['+I',3,'waited']]"),
        lsm_file(&test, 0, 20, "[['-D',2,'waited'],['+U',3,'waited-again']]"),
    };
    weir_bucket_writer *writer = lsm_writer(&test, files, 3);
    weir_commit_message message = lsm_commit(&test, writer, "[['+I',9,'new']]");
    assert_string_equal(changes_of(&test, &message),
                        "-U[1,\"base\"] +U[1,\"waited\"] +I[3,\"waited-again\"] +I[9,\"new\"]");
    lsm_message_free(&message);
    message = lsm_commit(&test, writer, "[['+U',9,'newer']]");
    assert_string_equal(changes_of(&test, &message), "-U[9,\"new\"] +U[9,\"newer\"]");
    lsm_message_free(&message);
    writer->ops->close(writer);
    fixture_end(&test);
}

typedef struct full_case {
    const char *what;
    const char *options;
    struct {
        int32_t level;
        const char *rows;
    } files[4]; /* the oldest first */
    const char *changes;
} full_case;

/* What lies in the highest level has been told, what lies below has not. */
static void a_full_compaction_tells_what_became_of_the_highest_level(void **state)
{
    (void)state;
    static const full_case cases[] = {
        {"nothing was told", "", {{0, "[['+I',1,'a'],['+U',2,'b'],['-D',3,'c']]"}}, "+I[1,\"a\"] +I[2,\"b\"]"},
        {"each kind of change",
         "",
         {{5, "[['+I',1,'a'],['+I',2,'b'],['+I',3,'c']]"}, {0, "[['+U',1,'aa'],['-D',2,'b'],['+I',4,'d']]"}},
         "-U[1,\"a\"] +U[1,\"aa\"] -D[2,\"b\"] +I[4,\"d\"]"},
        {"levels between have not been told either",
         "",
         {{5, "[['+I',1,'a'],['+I',2,'b']]"}, {4, "[['+U',1,'between'],['+I',3,'c']]"}, {0, "[['-D',3,'c']]"}},
         "-U[1,\"a\"] +U[1,\"between\"]"},
        {"only the last of several changes",
         "",
         {{5, "[['+I',1,'a']]"}, {0, "[['+U',1,'b']]"}, {0, "[['-D',1,'b']]"}, {0, "[['+I',1,'c']]"}},
         "-U[1,\"a\"] +U[1,\"c\"]"},
        {"in and out between two compactions", "", {{0, "[['+I',1,'a']]"}, {0, "[['-D',1,'a']]"}}, ""},
        {"an update that changes nothing", "", {{5, "[['+I',1,'a']]"}, {0, "[['+U',1,'a']]"}},
         "-U[1,\"a\"] +U[1,\"a\"]"},
        {"the same left out when asked",
         ",'changelog-producer.row-deduplicate':'true'",
         {{5, "[['+I',1,'a'],['+I',2,'b']]"}, {0, "[['+U',1,'a'],['+U',2,'c']]"}},
         "-U[2,\"b\"] +U[2,\"c\"]"},
        {"what has been told already", "", {{5, "[['+I',1,'a']]"}}, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture test;
        char schema[512];
        weir_data_file *files[4];
        size_t count = 0;
        snprintf(schema, sizeof schema, LSM_SCHEMA(",'changelog-producer':'full-compaction'%s"), cases[i].options);
        fixture_start(&test, schema);
        for (; count < 4 && cases[i].files[count].rows != NULL; count++) {
            int64_t sequence = 100 * (int64_t)count;
            files[count] = lsm_file(&test, cases[i].files[count].level, sequence, cases[i].files[count].rows);
        }
        weir_bucket_writer *writer = lsm_writer(&test, files, count);
        CHECK(&test, writer->ops->compact(writer, true, &test.err));
        weir_commit_message message = lsm_prepare(&test, writer);
        const char *changes = changes_of(&test, &message);
        if (strcmp(changes, cases[i].changes) != 0) {
            fail_msg("%s: %s expected, but %s", cases[i].what, cases[i].changes, changes);
        }
        lsm_message_free(&message);
        writer->ops->close(writer);
        fixture_end(&test);
    }
}

/* Rows that only moved to a level between are told by the next full compaction, and not before. */
static void a_compaction_into_a_level_between_tells_nothing(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, LSM_SCHEMA(",'changelog-producer':'full-compaction','num-sorted-run.compaction-trigger':'2'"));
    weir_batch batch;
    int64_t sequence_numbers[3000];
    for (int64_t i = 0; i < 3000; i++) {
        sequence_numbers[i] = i;
    }
    lsm_many_rows(&test, &batch, 0, 1, 3000); /* so large that what is new goes below it */
    written_files large = fixture_write(&test, WEIR_DATA_FILE_KEY_VALUE, 5, &batch, sequence_numbers);
    weir_batch_free(&batch);
    weir_bucket_writer *writer = lsm_writer(&test, large.files, large.count);
    weir_commit_message message = lsm_commit(&test, writer, "[['-D',1,'']]");
    lsm_message_free(&message);
    message = lsm_commit(&test, writer, "[['+I',9000,'new']]");
    assert_int_equal(message.compact_after.count, 1);
    assert_in_range(message.compact_after.files[0]->level, 1, 4);
    assert_string_equal(changes_of(&test, &message), "");
    lsm_message_free(&message);
    CHECK(&test, writer->ops->compact(writer, true, &test.err));
    message = lsm_prepare(&test, writer);
    assert_true(strncmp(changes_of(&test, &message), "-D[1,", 5) == 0);
    assert_non_null(strstr(changes_of(&test, &message), " +I[9000,\"new\"]"));
    lsm_message_free(&message);
    free(large.files);
    writer->ops->close(writer);
    fixture_end(&test);
}

/* The changes of many commits, replayed, are the table; every commit empties level 0. */
static void each_commit_tells_all_of_its_changes(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, LSM_SCHEMA(",'changelog-producer':'lookup','num-sorted-run.compaction-trigger':'3'"));
    weir_bucket_writer *writer = lsm_writer(&test, NULL, 0);
    int64_t value[7] = {0}; /* of each key; 0: absent */
    for (int64_t commit = 1; commit <= 40; commit++) {
        weir_buffer rows = {0}, expected = {0};
        weir_buffer_append_byte(&rows, '[');
        for (int64_t key = 0; key < 7; key++) {
            if ((commit * 5 + key * 3) % 4 == 0) {
                continue;
            }
            bool deletes = (commit + key) % 5 == 0;
            const char *before = rows.size > 1 ? "," : "";
            weir_buffer_append_format(&rows, "%s['%s',%d,'%d']", before, deletes ? "-D" : "+U", (int)key, (int)commit);
            const char *blank = expected.size > 0 ? " " : "";
            if (deletes && value[key] != 0) {
                weir_buffer_append_format(&expected, "%s-D[%d,\"%d\"]", blank, (int)key, (int)value[key]);
            } else if (!deletes && value[key] != 0) {
                weir_buffer_append_format(&expected, "%s-U[%d,\"%d\"] +U[%d,\"%d\"]", blank, (int)key, (int)value[key],
                                          (int)key, (int)commit);
            } else if (!deletes) {
                weir_buffer_append_format(&expected, "%s+I[%d,\"%d\"]", blank, (int)key, (int)commit);
            }
            value[key] = deletes ? 0 : commit;
        }
        weir_buffer_append_byte(&rows, ']');
        weir_commit_message message = lsm_commit(&test, writer, weir_buffer_text(&rows));
        assert_string_equal(changes_of(&test, &message), weir_buffer_text(&expected));
        lsm_message_free(&message);
        weir_buffer_free(&rows);
        weir_buffer_free(&expected);
    }
    writer->ops->close(writer);
    fixture_end(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_commit_tells_what_became_of_older_rows),
        cmocka_unit_test(older_rows_are_found_in_every_level),
        cmocka_unit_test(rows_that_waited_in_level_zero_are_told_once),
        cmocka_unit_test(a_full_compaction_tells_what_became_of_the_highest_level),
        cmocka_unit_test(a_compaction_into_a_level_between_tells_nothing),
        cmocka_unit_test(each_commit_tells_all_of_its_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
