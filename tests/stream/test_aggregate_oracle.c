/* The aggregates whose answers Flink gave (spec/oracle/aggregates.jsonl), as streams: over their values alone, and over
 * twice their values with one of the copies taken back. tests/sql/test_oracle.c compares what batch gives with Flink;
 * here streams are compared with batch. */
#include "harness.h"
#include "sql/memory_table.h"
#include "support/shared_files.h"

typedef struct tally {
    int compared, refused;
} tally;

/* The one row that a query gives in batch; false when it is refused or fails. */
static bool batch_row(weir_sql_engine *engine, const char *query, weir_buffer *out)
{
    weir_error err = {0};
    weir_arena arena;
    memory_resolver resolver = {.resolver.resolve = memory_resolve};
    weir_bind_context context = {.resolver = &resolver.resolver};
    weir_ast_statement *statement;
    weir_bound *bound = NULL;
    weir_sql_result *result = NULL;
    weir_batch batch = {0};
    int32_t count;
    int code;
    weir_arena_init(&arena);
    WEIR_GO(weir_parse_statement(query, &arena, &statement, &err));
    WEIR_GO(weir_bind_query(&context, statement->query, &bound, &err));
    WEIR_GO(weir_sql_query_start(engine, bound, &result, &err));
    const weir_field *fields = weir_sql_result_fields(result, &count);
    weir_batch_init(&batch, fields, count);
    WEIR_GO(weir_sql_result_next(result, &batch, &err));
    harness_write_row(&batch, 0, out);
done:
    weir_batch_free(&batch);
    weir_sql_result_free(result);
    weir_bound_free(bound);
    weir_arena_free(&arena);
    return code == WEIR_OK;
}

/* What is left at the end of a stream. Without `changes` the query has no table. All streams share one engine, which is
 * opened once. */
static bool stream_row(weir_sql_engine *engine, const char *query, const char *const *changes, weir_buffer *out)
{
    weir_error err = {0};
    harness *h = harness_open();
    weir_sql_engine *own = h->engine;
    h->engine = engine;
    harness_table *once = harness_add(h, "once", "n INT", HARNESS_CHANGES);
    h->query = weir_strdup(query);
    int code = harness_bind(h, &err);
    code = code == WEIR_OK ? harness_build(h, &err) : code;
    code = code == WEIR_OK ? harness_pump(h, &err) : code;
    for (int i = 0; changes != NULL && changes[i] != NULL && code == WEIR_OK; i++) {
        harness_table_add(once, changes[i]);
        code = harness_pump(h, &err);
    }
    if (code == WEIR_OK) {
        harness_rows_text(&h->rows, out);
    } else if (code != WEIR_UNSUPPORTED) {
        fail_msg("%s: %s", query, err.message);
    }
    harness_take_down(h);
    h->engine = own;
    harness_close(h);
    return code == WEIR_OK;
}

static void compare(weir_sql_engine *engine, const char *query, const char *const *changes, const weir_buffer *batch,
                    tally *counts)
{
    weir_buffer stream = {0};
    if (!stream_row(engine, query, changes, &stream)) {
        counts->refused++;
    } else if (strcmp(weir_buffer_text(&stream), weir_buffer_text((weir_buffer *)batch)) != 0) {
        fail_msg("%s\n  stream %s\n  batch  %s", query, weir_buffer_text(&stream),
                 weir_buffer_text((weir_buffer *)batch));
    } else {
        counts->compared++;
    }
    weir_buffer_free(&stream);
}

/* The query over a table: each of its rows brings all values. NULL where the query has no list of values. */
static char *over_table(const char *query)
{
    static const char list[] = " AS a) AS s";
    const char *at = strstr(query, list);
    return at == NULL ? NULL
                      : weir_format("%.*s AS a FROM once) AS s%s", (int)(at - query), query, at + sizeof list - 1);
}

/* DISTINCT without an order gives its values in any. */
static bool has_order(const json_t *line)
{
    const char *order = json_string_value(json_object_get(line, "order"));
    return order == NULL || strstr(order, "any order") == NULL;
}

static void check_line(weir_sql_engine *engine, const json_t *line, tally *counts)
{
    static const char *const changes[] = {"+I [1] +I [2]", "-D [1]", NULL};
    static const char *const at_once[] = {"+I [1] +I [2] -D [1]", NULL};
    const char *query = json_string_value(json_object_get(line, "sql"));
    bool has_rows = json_array_size(json_object_get(line, "values")) > 0;
    weir_buffer batch = {0};
    if (has_rows && has_order(line) && json_object_get(line, "error") == NULL && batch_row(engine, query, &batch)) {
        char *changing = over_table(query);
        compare(engine, query, NULL, &batch, counts);
        if (changing != NULL && strstr(query, "JSON_OBJECTAGG") == NULL) { /* which takes no key twice */
            compare(engine, changing, changes, &batch, counts);
        }
        if (changing != NULL) {
            compare(engine, changing, at_once, &batch, counts);
        }
        free(changing);
    }
    weir_buffer_free(&batch);
}

static void aggregates_of_streams_give_what_batch_gives(void **state)
{
    (void)state;
    FILE *file = shared_oracle("aggregates.jsonl");
    if (file == NULL) {
        return;
    }
    weir_error err = {0};
    weir_sql_engine *engine;
    tally counts = {0};
    char *text = NULL;
    size_t capacity = 0;
    check_code(weir_sql_engine_create(&(weir_sql_engine_options){.threads = 1}, &engine, &err), &err);
    while (getline(&text, &capacity, file) > 0) {
        json_t *line = json_loads(text, JSON_ALLOW_NUL, NULL);
        assert_non_null(line);
        check_line(engine, line, &counts);
        json_decref(line);
    }
    free(text);
    fclose(file);
    weir_sql_engine_free(engine);
    printf("%d streams compared, %d refused\n", counts.compared, counts.refused);
    assert_in_range(counts.compared, 400, 10000);
    assert_in_range(counts.refused, 0, 3); /* APPROX_COUNT_DISTINCT */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aggregates_of_streams_give_what_batch_gives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
