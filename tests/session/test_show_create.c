/* What SHOW CREATE prints makes the same thing again. */
#include "cmocka_all.h"

#include <stdlib.h>
#include <unistd.h>

#include "fs/fs.h"
#include "session/session.h"
#include "sql/parser.h"

typedef struct fixture {
    char warehouse[64];
    weir_session *session;
} fixture;

/* Runs one statement; the text of its first row's first column goes to `out`. */
static void run(fixture *self, const char *text, weir_buffer *out)
{
    weir_arena arena;
    weir_error err = {0};
    weir_ast_statement *statement = NULL;
    weir_result *result = NULL;
    weir_arena_init(&arena);
    int code = weir_parse_statement(text, &arena, &statement, &err);
    if (code == WEIR_OK) {
        code = weir_session_execute(self->session, statement, text, &result, &err);
    }
    if (code != WEIR_OK) {
        fail_msg("%s\n%d:%d: %s", text, err.line, err.column, err.message);
    }
    if (out != NULL) {
        weir_batch batch;
        weir_batch_init(&batch, result->fields, result->field_count);
        assert_int_equal(result->next(result, &batch, &err), WEIR_OK);
        weir_slice value = weir_vector_bytes(&batch.columns[0], 0);
        weir_buffer_append(out, value.data, value.size);
        weir_batch_free(&batch);
    }
    weir_result_free(result);
    weir_arena_free(&arena);
}

static int setup(void **state)
{
    fixture *self = weir_alloc_zeroed(1, sizeof *self);
    weir_error err = {0};
    char text[256];
    *state = self;
    snprintf(self->warehouse, sizeof self->warehouse, "/tmp/weir-show-XXXXXX");
    weir_session_options options = {.threads = 1, .memory_bytes = 64 << 20};
    if (mkdtemp(self->warehouse) == NULL || weir_session_create(&options, &self->session, &err) != WEIR_OK) {
        return -1;
    }
    snprintf(text, sizeof text, "CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '%s')", self->warehouse);
    run(self, text, NULL);
    return 0;
}

static int teardown(void **state)
{
    fixture *self = *state;
    weir_error err = {0};
    weir_session_free(self->session);
    int code = weir_fs_remove_recursively(weir_fs_local(), self->warehouse, &err);
    free(self);
    return code == WEIR_OK ? 0 : -1;
}

typedef struct object {
    const char *create;
    const char *show; /* what follows SHOW CREATE */
    const char *drop;
} object;

static void what_is_shown_makes_the_same_again(void **state)
{
    fixture *self = *state;
    static const object objects[] = {
        {"CREATE TABLE lake.`default`.t (`a b` INT NOT NULL COMMENT 'it''s', c STRING, d DECIMAL(10, 2), "
         "`from` ROW<x INT, `y z` ARRAY<MAP<STRING, TIMESTAMP_LTZ(6)>>>, twice AS `a b` * 2 COMMENT 'x', ts "
         "TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND, PRIMARY KEY (`a b`, c) NOT ENFORCED) COMMENT "
         "'words' PARTITIONED BY (c) WITH ('bucket' = '2', 'snapshot.num-retained.max' = '20')",
         "TABLE lake.`default`.t", "DROP TABLE lake.`default`.t"},
        {"CREATE TABLE lake.`default`.u (v BYTES, w CHAR(3), x VARCHAR(7), y TIME(3), z DATE)",
         "TABLE lake.`default`.u", "DROP TABLE lake.`default`.u"},
        {"CREATE TABLE k (id INT, path STRING METADATA FROM 'file.path' VIRTUAL, `file.size` BIGINT METADATA VIRTUAL "
         "COMMENT 'bytes', dt STRING) PARTITIONED BY (dt) WITH ('connector' = 'filesystem', 'path' = '/tmp/x', "
         "'format' = 'csv', 'csv.field-delimiter' = ';')",
         "TABLE k", "DROP TABLE k"},
        {"CREATE TEMPORARY TABLE lake.`default`.p (id INT) WITH ('connector' = 'print')", "TABLE lake.`default`.p",
         "DROP TEMPORARY TABLE lake.`default`.p"},
        {"CREATE VIEW v (`a b`, c) COMMENT 'it''s a view' AS SELECT 1, 'x' -- one row\n UNION ALL SELECT 2, 'y'",
         "VIEW v", "DROP VIEW v"},
        {"CREATE TEMPORARY VIEW w AS SELECT * FROM (VALUES (1, ‘a’)) AS t (n, `from`)", "VIEW w",
         "DROP TEMPORARY VIEW w"},
        {"CREATE CATALOG memory COMMENT 'it''s gone soon' WITH ('type' = 'generic_in_memory', 'default-database' = "
         "'d')",
         "CATALOG memory", "DROP CATALOG memory"},
    };
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        char show[128];
        weir_buffer first = {0}, second = {0};
        snprintf(show, sizeof show, "SHOW CREATE %s", objects[i].show);
        run(self, objects[i].create, NULL);
        run(self, show, &first);
        run(self, objects[i].drop, NULL);
        run(self, weir_buffer_text(&first), NULL);
        run(self, show, &second);
        run(self, objects[i].drop, NULL);
        assert_string_equal(weir_buffer_text(&second), weir_buffer_text(&first));
        weir_buffer_free(&first);
        weir_buffer_free(&second);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_shown_makes_the_same_again, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
