/* Fuzzes the parser, the binder and the generator: any text as a script, whose queries are bound over a small table and
 * turned into the engine's SQL. Built with -DWEIR_FUZZ=ON (libFuzzer).
 *
 * Seeds: the .sql and .slt files of tests and examples. */
#include <stdlib.h>

#include "sql/generate/generate.h"
#include "sql/sql.h"

static int open_nothing(weir_sql_table *self, const weir_scan_request *request, weir_sql_scan **out, weir_error *err)
{
    (void)self;
    (void)request;
    (void)out;
    return weir_fail(err, WEIR_UNSUPPORTED, "nothing is read here");
}

static weir_sql_table table = {.name = "t", .open = open_nothing};

static void start_table(weir_arena *arena)
{
    static const char *const columns[][2] = {
        {"a", "INT NOT NULL"},       {"b", "STRING"}, {"c", "DECIMAL(10, 2)"}, {"d", "TIMESTAMP(3)"},
        {"e", "ROW<x INT, y DATE>"}, {"f", "DOUBLE"}, {"g", "ARRAY<BIGINT>"},  {"h", "BOOLEAN"}};
    int32_t count = (int32_t)(sizeof columns / sizeof columns[0]);
    weir_sql_column *list = WEIR_NEW_ARRAY(arena, weir_sql_column, count);
    for (int32_t i = 0; i < count; i++) {
        list[i].name = columns[i][0];
        if (weir_parse_type(columns[i][1], arena, &list[i].type, NULL) != WEIR_OK) {
            abort();
        }
    }
    table.columns = list;
    table.column_count = count;
}

static int resolve(weir_resolver *self, const weir_ast_name *name, const weir_ast_options *hints, weir_arena *arena,
                   weir_sql_table **out, const char **out_view, weir_error *err)
{
    (void)self;
    (void)hints;
    (void)arena;
    (void)out_view;
    *out = &table;
    return name->count > 3 ? weir_fail(err, WEIR_NOT_FOUND, "no such table") : WEIR_OK;
}

static void use_plan(const weir_plan *plan)
{
    weir_generated generated;
    weir_buffer shown = {0};
    if (weir_generate(plan, "scan(", &generated, NULL) == WEIR_OK) {
        weir_generated_free(&generated);
    }
    weir_plan_explain(plan, &shown);
    weir_buffer_free(&shown);
}

static void bind_statement(const weir_ast_statement *statement, const char *text, weir_arena *arena)
{
    static weir_resolver resolver = {resolve};
    weir_bind_context context = {.resolver = &resolver, .now_ms = 1};
    weir_bound *bound = NULL;
    weir_bound_columns columns;
    weir_error err;
    switch (statement->kind) {
    case WEIR_AST_QUERY:
        (void)weir_bind_query(&context, statement->query, &bound, &err);
        break;
    case WEIR_AST_INSERT:
        (void)weir_bind_insert(&context, statement->insert, &bound, &err);
        break;
    case WEIR_AST_DELETE:
        (void)weir_bind_delete(&context, statement->modify, &bound, &err);
        break;
    case WEIR_AST_UPDATE:
        (void)weir_bind_update(&context, statement->modify, &bound, &err);
        break;
    case WEIR_AST_CREATE_TABLE:
        (void)weir_bind_create_table(&context, statement->create_table, text, arena, &columns, &err);
        break;
    default:
        break;
    }
    if (bound != NULL) {
        use_plan(bound->plan);
    }
    weir_bound_free(bound);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static weir_arena kept;
    if (table.columns == NULL) {
        weir_arena_init(&kept);
        start_table(&kept);
    }
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    weir_script script;
    weir_script_init(&script, text, size);
    int code;
    do {
        weir_arena arena;
        weir_arena_init(&arena);
        weir_ast_statement *statement;
        weir_error err = {0};
        code = weir_script_next(&script, &arena, &statement, &err);
        if (code == WEIR_OK) {
            bind_statement(statement, text, &arena);
        } else if (code != WEIR_END) {
            weir_buffer shown = {0};
            weir_sql_render_error(text, size, &err, &shown);
            weir_buffer_free(&shown);
        }
        weir_arena_free(&arena);
    } while (code != WEIR_END);
    (void)weir_script_incomplete(text, size);
    free(text);
    return 0;
}
