/* Flink's own answers: every line of functions.jsonl and aggregates.jsonl through the binder and the engine, its types
 * and values compared.
 *
 * Lines that differ are listed in oracle_exceptions.txt and oracle_aggregate_exceptions.txt (id, reason): a line there
 * that has become right, or one missing there that is wrong, fails the test. WEIR_ORACLE=list prints the lines that
 * differ; WEIR_ORACLE=<id> shows one. */
#include <math.h>
#include <unistd.h>

#include "base/map.h"
#include "memory_table.h"
#include "support/shared_files.h"

typedef struct fixture {
    memory_table edge;
    memory_resolver resolver;
    weir_sql_engine *engine;
    weir_map exceptions;
    int64_t right, wrong, surprises;
} fixture;

/* --- Comparing values ------------------------------------------------------------------------------------------ */

static bool same_number(double a, double b, bool is_float)
{
    if (is_float && (float)a == (float)b) {
        return true;
    }
    return a == b || fabs(a - b) <= 1e-14 * fabs(b);
}

static bool same_value(const json_t *got, const json_t *wanted, bool is_float)
{
    if (json_is_number(got) && json_is_number(wanted)) {
        return json_is_integer(got) && json_is_integer(wanted)
                   ? json_integer_value(got) == json_integer_value(wanted)
                   : same_number(json_number_value(got), json_number_value(wanted), is_float);
    }
    if (json_is_array(got) && json_is_array(wanted)) {
        bool same = json_array_size(got) == json_array_size(wanted);
        for (size_t i = 0; i < json_array_size(got) && same; i++) {
            same = same_value(json_array_get(got, i), json_array_get(wanted, i), is_float);
        }
        return same;
    }
    return json_equal(got, wanted);
}

/* An interval as java.time.Duration or Period prints it, from the text that queries give: +1 02:03:04.567, -1-02. */
static void interval_to_java(const char *text, char *out, size_t size)
{
    long days;
    int hours, minutes, seconds, millis, years, months;
    int sign = text[0] == '-' ? -1 : 1;
    if (sscanf(text + 1, "%ld %d:%d:%d.%d", &days, &hours, &minutes, &seconds, &millis) == 5) {
        long all_hours = sign * (days * 24 + hours);
        int used = snprintf(out, size, "PT");
        if (all_hours != 0) {
            used += snprintf(out + used, size - (size_t)used, "%ldH", all_hours);
        }
        if (minutes != 0) {
            used += snprintf(out + used, size - (size_t)used, "%dM", sign * minutes);
        }
        if (millis != 0) {
            double fraction = sign * (seconds + millis / 1000.0);
            used += snprintf(out + used, size - (size_t)used, "%gS", fraction);
        } else if (seconds != 0 || used == 2) {
            snprintf(out + used, size - (size_t)used, "%dS", sign * seconds);
        }
    } else if (sscanf(text + 1, "%d-%d", &years, &months) == 2) {
        snprintf(out, size, "P%dM", sign * (years * 12 + months));
    } else {
        snprintf(out, size, "%s", text);
    }
}

/* --- One line -------------------------------------------------------------------------------------------------- */

/* What a line gave: an error's message, or type and value. */
typedef struct answer {
    bool failed;
    bool unsupported;
    char message[1024];
    char type[512];
    json_t *value;
} answer;

static int evaluate(fixture *f, const char *text, const char *zone, answer *out, weir_error *err)
{
    weir_arena arena;
    weir_arena_init(&arena);
    weir_ast_statement *statement;
    weir_bound *bound = NULL;
    weir_sql_result *result = NULL;
    weir_bind_context context = {.resolver = &f->resolver.resolver, .time_zone = zone};
    weir_batch batch = {0};
    weir_buffer json = {0};
    int code;
    WEIR_GO(weir_parse_statement(text, &arena, &statement, err));
    WEIR_GO(weir_bind_query(&context, statement->query, &bound, err));
    snprintf(out->type, sizeof out->type, "%s", weir_sql_type_text(&arena, bound->plan->fields[0].type));
    WEIR_GO(weir_sql_query_start(f->engine, bound, &result, err));
    int32_t count;
    const weir_field *fields = weir_sql_result_fields(result, &count);
    weir_batch_init(&batch, fields, count);
    WEIR_GO(weir_sql_result_next(result, &batch, err));
    weir_value_to_json(&batch.columns[0], 0, &json);
    out->value = json_loads(weir_buffer_text(&json), JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    if (strncmp(out->type, "INTERVAL", 8) == 0 && json_is_string(out->value)) {
        char java[64];
        interval_to_java(json_string_value(out->value), java, sizeof java);
        json_decref(out->value);
        out->value = json_string(java);
    }
done:
    weir_buffer_free(&json);
    weir_batch_free(&batch);
    weir_sql_result_free(result);
    weir_bound_free(bound);
    weir_arena_free(&arena);
    return code;
}

/* Of a DISTINCT that has no order, the elements as a set: those of an array, or the parts of a text between commas. */
static json_t *sorted_parts(const json_t *value)
{
    json_t *parts = json_object();
    size_t count = json_array_size(value);
    for (size_t i = 0; i < count; i++) {
        char *text = json_dumps(json_array_get(value, i), JSON_ENCODE_ANY);
        json_object_set_new(parts, text, json_true());
        free(text);
    }
    const char *text = json_string_value(value);
    while (text != NULL) {
        size_t size = strcspn(text, ",");
        json_object_setn_new_nocheck(parts, text, size, json_true());
        text = text[size] == ',' ? text + size + 1 : NULL;
    }
    return parts;
}

/* A value wanted by a line: in its literal form, or as run-time columns give it. */
static bool is_wanted(const json_t *line, const json_t *holder, const answer *got)
{
    const json_t *value = json_is_object(holder) ? json_object_get(holder, "value") : NULL;
    if (value == NULL || got->failed) {
        return false;
    }
    const char *order = json_string_value(json_object_get(line, "order"));
    if (order != NULL && strstr(order, "any order") != NULL) {
        json_t *wanted = sorted_parts(value);
        json_t *found = sorted_parts(got->value);
        bool same = json_equal(wanted, found);
        json_decref(wanted);
        json_decref(found);
        return same;
    }
    return same_value(got->value, value, strncmp(got->type, "FLOAT", 5) == 0);
}

static bool is_error_wanted(const json_t *holder, const answer *got)
{
    return json_is_object(holder) && json_object_get(holder, "error") != NULL && got->failed && !got->unsupported;
}

static bool is_right(const json_t *line, const answer *got)
{
    const char *kind = json_string_value(json_object_get(line, "error_kind"));
    const char *type = json_string_value(json_object_get(line, "type"));
    const json_t *on_columns = json_object_get(line, "on_columns");
    if (kind != NULL && strcmp(kind, "flink-defect") == 0) {
        return !got->unsupported;
    }
    if (kind != NULL && strcmp(kind, "null-in-not-null") == 0) {
        return !got->failed && json_is_null(got->value);
    }
    bool value = is_wanted(line, line, got) || is_wanted(line, on_columns, got) || is_error_wanted(line, got) ||
                 is_error_wanted(on_columns, got);
    return value && (got->failed || type == NULL || strcmp(type, got->type) == 0);
}

static const char *zone_of(const json_t *line)
{
    return json_string_value(json_object_get(json_object_get(line, "conf"), "table.local-time-zone"));
}

static void report(const json_t *line, const answer *got, const char *how)
{
    const char *id = json_string_value(json_object_get(line, "id"));
    char *value = got->value == NULL ? NULL : json_dumps(got->value, JSON_ENCODE_ANY);
    const char *expression = json_string_value(json_object_get(line, "expr"));
    printf("%s %s: %s gave %s %s\n", how, id,
           expression != NULL ? expression : json_string_value(json_object_get(line, "sql")),
           got->failed ? "error:" : got->type, got->failed ? got->message : value);
    free(value);
}

static char *function_statement(const json_t *line)
{
    const char *from = json_string_value(json_object_get(line, "from"));
    return weir_format("SELECT %s%s%s", json_string_value(json_object_get(line, "expr")), from == NULL ? "" : " FROM ",
                       from == NULL ? "" : from);
}

static char *aggregate_statement(const json_t *line)
{
    return weir_format("%s", json_string_value(json_object_get(line, "sql")));
}

static void check_line(fixture *f, const json_t *line, char *(*statement)(const json_t *line))
{
    const char *id = json_string_value(json_object_get(line, "id"));
    const char *show = getenv("WEIR_ORACLE");
    char *text = statement(line);
    answer got = {0};
    weir_error err = {0};
    int code = evaluate(f, text, zone_of(line), &got, &err);
    got.failed = code != WEIR_OK;
    got.unsupported = code == WEIR_UNSUPPORTED;
    snprintf(got.message, sizeof got.message, "%s", err.message);
    bool right = is_right(line, &got);
    bool excepted = weir_map_get(&f->exceptions, weir_slice_text(id)) != NULL;
    f->right += right;
    f->wrong += !right;
    if (right == excepted) {
        f->surprises++;
        report(line, &got, right ? "right, but listed as an exception:" : "wrong:");
    } else if (show != NULL && ((strcmp(show, "list") == 0 && !right) || strcmp(show, id) == 0)) {
        report(line, &got, right ? "right:" : "wrong, as listed:");
    }
    json_decref(got.value);
    free(text);
}

/* --- All lines ------------------------------------------------------------------------------------------------- */

static void read_exceptions(fixture *f, const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char line[1024];
    while (fgets(line, sizeof line, file) != NULL) {
        size_t size = strcspn(line, " \n");
        if (line[0] != '#' && size > 0) {
            weir_map_put(&f->exceptions, weir_slice_of(line, size), f);
        }
    }
    fclose(file);
}

static void start_edge(memory_table *edge)
{
    memory_table_start(
        edge, "edge",
        "c_tinyint TINYINT, c_smallint SMALLINT, c_int INT, c_bigint BIGINT, c_float FLOAT, c_double DOUBLE, "
        "c_decimal DECIMAL(10, 2), c_string STRING, c_char CHAR(3), c_varchar VARCHAR(5), c_boolean BOOLEAN, "
        "c_date DATE, c_ts TIMESTAMP(3), c_ltz TIMESTAMP_LTZ(3)");
    memory_table_add(edge,
                     "[1, 1, 1, 1, 1.0, 1.0, '1.00', '1', '1  ', '1', true, '2024-01-01', '2024-01-01 00:00:00.000', "
                     "'2024-01-01 00:00:00.000Z']");
}

static void check_file(const char *name, const char *exceptions, char *(*statement)(const json_t *line))
{
    FILE *file = shared_oracle(name);
    if (file == NULL) {
        return;
    }
    fixture f = {0};
    weir_error err = {0};
    start_edge(&f.edge);
    f.resolver = (memory_resolver){.resolver = {memory_resolve}, .tables = {&f.edge}};
    check_code(weir_sql_engine_create(&(weir_sql_engine_options){.threads = 1}, &f.engine, &err), &err);
    read_exceptions(&f, exceptions);
    char *text = NULL;
    size_t capacity = 0;
    while (getline(&text, &capacity, file) > 0) {
        json_t *line = json_loads(text, JSON_ALLOW_NUL, NULL);
        assert_non_null(line);
        check_line(&f, line, statement);
        json_decref(line);
    }
    free(text);
    fclose(file);
    printf("%" PRId64 " lines as in Flink, %" PRId64 " listed exceptions\n", f.right, f.wrong);
    weir_sql_engine_free(f.engine);
    weir_map_free(&f.exceptions);
    memory_table_free(&f.edge);
    assert_int_equal(f.surprises, 0);
}

static void expressions_give_what_flink_gives(void **state)
{
    (void)state;
    check_file("functions.jsonl", "tests/sql/oracle_exceptions.txt", function_statement);
}

static void aggregates_give_what_flink_gives(void **state)
{
    (void)state;
    check_file("aggregates.jsonl", "tests/sql/oracle_aggregate_exceptions.txt", aggregate_statement);
}

/* insert_casts.jsonl: which types INSERT takes for which. */
static void insert_takes_what_flink_takes(void **state)
{
    (void)state;
    FILE *file = shared_oracle("insert_casts.jsonl");
    if (file == NULL) {
        return;
    }
    char *text = NULL;
    size_t capacity = 0;
    int lines = 0;
    while (getline(&text, &capacity, file) > 0) {
        weir_arena arena;
        weir_arena_init(&arena);
        weir_error err = {0};
        json_t *line = json_loads(text, 0, NULL);
        const weir_type *from;
        const weir_type *to;
        check_code(weir_parse_type(json_string_value(json_object_get(line, "from")), &arena, &from, &err), &err);
        check_code(weir_parse_type(json_string_value(json_object_get(line, "to")), &arena, &to, &err), &err);
        bool accepted = weir_sql_cast_rule(from, to) == WEIR_CAST_IMPLICIT;
        if (accepted != json_is_true(json_object_get(line, "accepted"))) {
            fail_msg("%s to %s", json_string_value(json_object_get(line, "from")),
                     json_string_value(json_object_get(line, "to")));
        }
        json_decref(line);
        weir_arena_free(&arena);
        lines++;
    }
    free(text);
    fclose(file);
    printf("%d pairs of types as in Flink\n", lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_give_what_flink_gives),
        cmocka_unit_test(aggregates_give_what_flink_gives),
        cmocka_unit_test(insert_takes_what_flink_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
