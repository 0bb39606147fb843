/* System tables of tables that real Java Paimon wrote: rows as Java 1.4.2 gives them (seen once, and written down).
 * What is there only with the folder of golden tables is skipped without it. */
#include "cmocka_all.h"

#include "golden.h"
#include "support/table_rows.h"
#include "table/system/system_table.h"

typedef struct expectation {
    const char *table;
    const char *system;
    const char *rows; /* a line each, only the first `columns` values */
    int32_t columns;
} expectation;

static const expectation expectations[] = {
    {"flink-procedures", "snapshots",
     "[1,0,\"2bc037f4-d5af-4536-9864-9296d2fef505\",9223372036854775807,\"APPEND\",\"2026-11-29 14:55:42.934\"]\n"
     "[2,0,\"7b3567af-ee4c-451e-b93a-703ba4959cad\",9223372036854775807,\"APPEND\",\"2026-11-29 14:55:46.629\"]\n"
     "[3,0,\"51e13221-6024-4672-9c6a-e1dc301efe06\",9223372036854775807,\"COMPACT\",\"2026-11-29 14:55:53.034\"]\n",
     6},
    {"flink-procedures", "manifests",
     "[\"manifest-f6696f1f-afc1-4be3-92a0-76515cb73428-0\",2089,1,0,0,\"{}\",\"{}\",null,null]\n"
     "[\"manifest-de3d6aa9-354f-40de-af2f-e3cb125999b6-0\",2089,1,0,0,\"{}\",\"{}\",null,null]\n"
     "[\"manifest-bebf6c86-69a7-4609-8317-95bf5f849d37-0\",2205,1,2,0,\"{}\",\"{}\",null,null]\n",
     9},
    {"flink-procedures", "partitions", "[\"\",2,1164,1,\"2026-11-29 14:55:52.991\",null,null,null,null]\n", 9},
    {"flink-procedures", "tags", "[\"tag1\",1,0,\"2026-11-29 14:55:42.934\",1,null,null]\n", 7},
    {"flink-procedures", "branches", "[\"br\"]\n", 1},
    {"flink-analyze", "statistics", "[1,0,3,-1]\n", 4},
    {"part-types-pk", "partitions",
     "[\"s=x/i=1/d=2024-01-01\",3,3374,2,\"2026-11-29 14:54:05.301\"]\n"
     "[\"s=y/i=-1/d=1969-12-31\",2,3149,2,\"2026-11-29 14:54:05.303\"]\n"
     "[\"s=z/i=0/d=2024-02-29\",1,1608,1,\"2026-11-29 14:54:05.308\"]\n",
     5},
    {"part-types-pk", "buckets",
     "[\"{x, 1, 2024-01-01}\",0,3,3374,2,\"2026-11-29 14:54:05.301\"]\n"
     "[\"{y, -1, 1969-12-31}\",0,2,3149,2,\"2026-11-29 14:54:05.303\"]\n"
     "[\"{z, 0, 2024-02-29}\",0,1,1608,1,\"2026-11-29 14:54:05.308\"]\n",
     6},
    {"part-types-pk", "manifests",
     "[\"manifest-f550cea6-e196-4078-a265-25281c3d6034-0\",2214,2,0,0,\"{x, -1, 1969-12-31}\",\"{y, 1, 2024-01-01}\"]\n"
     "[\"manifest-8a337130-3fc2-4f8e-9c2b-fef885655cc1-0\",2267,3,0,0,\"{x, -1, 1969-12-31}\",\"{z, 1, "
     "2024-02-29}\"]\n",
     7},
    {"tags", "tags",
     "[\"t-three\",3,0,\"2026-11-29 14:54:11.710\",4,null,null]\n"
     "[\"t1\",1,0,\"2026-11-29 14:54:11.646\",1,null,null]\n",
     7},
    {"consumer", "consumers", "[\"c-2\",3]\n[\"c1\",2]\n", 2},
    {"branches", "branches", "[\"b1\"]\n[\"b2\"]\n", 1},
};

static void append_rows(const weir_system_table *system, const weir_batch *batch, int32_t columns, weir_buffer *out)
{
    assert_true(columns <= system->field_count);
    for (int64_t row = 0; row < batch->length; row++) {
        for (int32_t c = 0; c < columns; c++) {
            weir_buffer_append_text(out, c == 0 ? "[" : ",");
            weir_value_to_json(&batch->columns[c], row, out);
        }
        weir_buffer_append_text(out, "]\n");
    }
}

static void read_system(const char *path, const weir_system_table *system, int32_t columns, weir_buffer *out)
{
    weir_error err = {0};
    weir_table *table = NULL;
    weir_batch batch;
    weir_batch_init(&batch, system->fields, system->field_count);
    if (weir_table_open(weir_fs_local(), path, NULL, &table, &err) != WEIR_OK ||
        system->read(table, &batch, &err) != WEIR_OK) {
        fail_msg("%s$%s: %s", path, system->name, err.message);
    }
    append_rows(system, &batch, columns, out);
    weir_batch_free(&batch);
    weir_table_close(table);
}

static void system_tables_show_what_java_shows(void **state)
{
    (void)state;
    if (!golden_available()) {
        return;
    }
    for (size_t i = 0; i < sizeof expectations / sizeof expectations[0]; i++) {
        const expectation *expected = &expectations[i];
        weir_buffer rows = {0};
        read_system(golden_path(expected->table, "table"), weir_system_table_find(expected->system), expected->columns,
                    &rows);
        const char *found = weir_buffer_text(&rows);
        if (strcmp(found, expected->rows) != 0) {
            fail_msg("%s$%s gives\n%s, not\n%s", expected->table, expected->system, found, expected->rows);
        }
        weir_buffer_free(&rows);
    }
}

/* Statistics of files with older schemas: columns by their names of today, bounds in today's types. */
static void bounds_of_older_files_are_shown_as_the_columns_are_today(void **state)
{
    static const char expected[] = "{a=10, bb=b1, c=1.5, d=1.25, e=null, id=1, r=null, t=null}";
    (void)state;
    if (!golden_available()) {
        return;
    }
    weir_buffer rows = {0};
    read_system(golden_path("evo-parquet-pk", "table"), weir_system_table_find("files"), 13, &rows);
    assert_non_null(strstr(weir_buffer_text(&rows), expected));
    weir_buffer_free(&rows);
}

static void every_system_table_of_every_golden_table_is_read(void **state)
{
    (void)state;
    struct dirent **entries = NULL;
    int count = golden_available() ? scandir(golden_root(), &entries, NULL, alphasort) : 0;
    for (int i = 0; i < count; i++) {
        char name[256];
        snprintf(name, sizeof name, "%s", entries[i]->d_name);
        free(entries[i]);
        const char *path = golden_path(name, "table");
        weir_table *table = NULL;
        if (weir_table_open(weir_fs_local(), path, NULL, &table, NULL) != WEIR_OK) {
            continue;
        }
        for (size_t s = 0; s < weir_system_table_count; s++) {
            const weir_system_table *system = &weir_system_tables[s];
            weir_error err = {0};
            weir_batch batch;
            weir_batch_init(&batch, system->fields, system->field_count);
            int code = system->read(table, &batch, &err);
            if (code != WEIR_OK && code != WEIR_UNSUPPORTED) {
                fail_msg("%s$%s: %s", name, system->name, err.message);
            }
            weir_batch_free(&batch);
        }
        weir_table_close(table);
    }
    free(entries);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(system_tables_show_what_java_shows),
        cmocka_unit_test(bounds_of_older_files_are_shown_as_the_columns_are_today),
        cmocka_unit_test(every_system_table_of_every_golden_table_is_read),
    };
    setenv("TZ", "UTC", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
