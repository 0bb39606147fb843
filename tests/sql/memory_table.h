/* Tables in memory for tests of the sql room: columns written as the fields of a ROW, rows as JSON with single quotes.
 * Scans give the rows in batches of `batch_rows`, spread over `split_count` splits. */
#ifndef WEIR_TESTS_SQL_MEMORY_TABLE_H
#define WEIR_TESTS_SQL_MEMORY_TABLE_H

#include "cmocka_all.h"
#include "sql/sql.h"
#include "vector/literal.h"

typedef struct memory_table {
    weir_sql_table table;
    weir_arena arena;
    weir_batch rows;
    int64_t batch_rows;
    int64_t split_count;
    int64_t limit_seen;   /* of the last scan */
    bool predicate_seen;  /* the last scan had one */
    int32_t columns_seen; /* of the last scan */
    int fail_after;       /* a split fails after so many batches; -1: never */
} memory_table;

typedef struct memory_scan {
    weir_sql_scan scan;
    memory_table *table;
    int32_t columns[64];
    int32_t column_count;
} memory_scan;

typedef struct memory_split {
    weir_sql_split split;
    memory_scan *scan;
    int64_t next, end;
    int batches;
} memory_split;

static inline int memory_next(weir_sql_split *self, weir_batch *out, weir_error *err)
{
    memory_split *split = (memory_split *)self;
    memory_table *table = split->scan->table;
    if (table->fail_after >= 0 && split->batches++ >= table->fail_after) {
        return weir_fail(err, WEIR_CORRUPT, "the file orders-7 ends too early");
    }
    if (split->next >= split->end) {
        return WEIR_END;
    }
    int64_t count = split->end - split->next < table->batch_rows ? split->end - split->next : table->batch_rows;
    weir_batch_clear(out);
    for (int32_t i = 0; i < split->scan->column_count; i++) {
        WEIR_TRY(weir_vector_append_range(&out->columns[i], &table->rows.columns[split->scan->columns[i]], split->next,
                                          count, err));
    }
    out->length = count;
    split->next += count;
    return WEIR_OK;
}

static inline void memory_close_split(weir_sql_split *self) { free(self); }

static inline int memory_open_split(weir_sql_scan *self, int64_t number, weir_sql_split **out, weir_error *err)
{
    (void)err;
    memory_scan *scan = (memory_scan *)self;
    memory_split *split = calloc(1, sizeof *split);
    int64_t rows = scan->table->rows.length;
    split->split = (weir_sql_split){memory_next, memory_close_split};
    split->scan = scan;
    split->next = rows * number / scan->table->split_count;
    split->end = rows * (number + 1) / scan->table->split_count;
    *out = &split->split;
    return WEIR_OK;
}

static inline void memory_close_scan(weir_sql_scan *self) { free(self); }

static inline int memory_open(weir_sql_table *self, const weir_scan_request *request, weir_sql_scan **out,
                              weir_error *err)
{
    (void)err;
    memory_table *table = self->owner;
    memory_scan *scan = calloc(1, sizeof *scan);
    scan->scan = (weir_sql_scan){.split_count = table->split_count,
                                 .estimated_rows = table->rows.length,
                                 .exact_rows = true,
                                 .open_split = memory_open_split,
                                 .close = memory_close_scan};
    scan->table = table;
    scan->column_count = request->column_count;
    for (int32_t i = 0; i < request->column_count; i++) {
        scan->columns[i] = request->columns[i];
    }
    table->limit_seen = request->limit;
    table->predicate_seen = request->predicate != NULL;
    table->columns_seen = request->column_count;
    *out = &scan->scan;
    return WEIR_OK;
}

static inline void check_code(int code, const weir_error *err)
{
    if (code != WEIR_OK) {
        fail_msg("%s (line %d, column %d)", err->message, err->line, err->column);
    }
}

static inline void memory_table_add(memory_table *table, const char *json_row)
{
    weir_error err = {0};
    char *text = weir_strdup(json_row);
    for (char *c = text; *c != '\0'; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    json_t *row = json_loads(text, 0, NULL);
    assert_non_null(row);
    for (int32_t i = 0; i < table->rows.column_count; i++) {
        check_code(weir_vector_append_json(&table->rows.columns[i], json_array_get(row, (size_t)i), &err), &err);
    }
    table->rows.length++;
    json_decref(row);
    free(text);
}

/* `columns` such as "id INT NOT NULL, name STRING". */
static inline void memory_table_start(memory_table *table, const char *name, const char *columns)
{
    weir_error err = {0};
    const weir_type *row;
    *table = (memory_table){.batch_rows = 1000, .split_count = 1, .fail_after = -1};
    weir_arena_init(&table->arena);
    check_code(weir_parse_type(weir_arena_format(&table->arena, "ROW<%s>", columns), &table->arena, &row, &err), &err);
    weir_sql_column *list = WEIR_NEW_ARRAY(&table->arena, weir_sql_column, row->field_count);
    for (int32_t i = 0; i < row->field_count; i++) {
        list[i] = (weir_sql_column){.name = row->fields[i].name, .type = row->fields[i].type};
    }
    table->table = (weir_sql_table){.catalog = "default_catalog",
                                    .database = "default_database",
                                    .name = name,
                                    .columns = list,
                                    .column_count = row->field_count,
                                    .owner = table,
                                    .open = memory_open};
    weir_batch_init(&table->rows, row->fields, row->field_count);
}

static inline void memory_table_free(memory_table *table)
{
    weir_batch_free(&table->rows);
    weir_arena_free(&table->arena);
}

/* Resolves the tables of a list by their last name. */
typedef struct memory_resolver {
    weir_resolver resolver;
    memory_table *tables[8];
    const char *view_name, *view_query;
    int32_t hint_count; /* of the last table */
} memory_resolver;

static inline int memory_resolve(weir_resolver *self, const weir_ast_name *name, const weir_ast_options *hints,
                                 weir_arena *arena, weir_sql_table **out, const char **out_view, weir_error *err)
{
    (void)arena;
    memory_resolver *resolver = (memory_resolver *)self;
    const char *last = name->parts[name->count - 1].text;
    resolver->hint_count = hints->count;
    for (size_t i = 0; i < 8 && resolver->tables[i] != NULL; i++) {
        if (strcmp(resolver->tables[i]->table.name, last) == 0) {
            *out = &resolver->tables[i]->table;
            return WEIR_OK;
        }
    }
    if (resolver->view_name != NULL && strcmp(resolver->view_name, last) == 0) {
        *out_view = resolver->view_query;
        return WEIR_OK;
    }
    return weir_fail(err, WEIR_NOT_FOUND, "table '%s' does not exist", last);
}

/* The orders table that most tests use. */
static inline void memory_orders(memory_table *table)
{
    memory_table_start(table, "orders",
                       "id INT NOT NULL, user_id BIGINT, item STRING, price DECIMAL(10, 2), rate DOUBLE, paid BOOLEAN, "
                       "at TIMESTAMP(3), day DATE");
    memory_table_add(table, "[1, 10, 'apple', '1.50', 0.5, true, '2024-01-01 10:00:00.000', '2024-01-01']");
    memory_table_add(table, "[2, 11, 'pear', '2.25', 1.5, false, '2024-01-01 11:30:00.500', '2024-01-01']");
    memory_table_add(table, "[3, 10, 'a rather long name of an item', '100.00', null, true, '2024-01-02 00:00:00.000', "
                            "'2024-01-02']");
    memory_table_add(table, "[4, null, null, null, -2.0, null, null, null]");
    memory_table_add(table, "[5, 12, 'apple', '0.01', 'NaN', false, '2024-02-29 23:59:59.999', '2024-02-29']");
}

#endif
