/* System tables for queries: their rows are made whole when a scan opens, and given in one batch. */
#include <stdlib.h>

#include "session/table/sql_table.h"

typedef struct system_scan {
    weir_sql_scan base; /* first */
    weir_batch rows;
    int32_t *columns; /* asked for */
    int32_t column_count;
} system_scan;

typedef struct system_split {
    weir_sql_split base; /* first */
    const system_scan *scan;
    bool given;
} system_split;

static int next_batch(weir_sql_split *self, weir_batch *out, weir_error *err)
{
    system_split *split = (system_split *)self;
    const system_scan *scan = split->scan;
    weir_batch_clear(out);
    if (split->given || scan->rows.length == 0) {
        return WEIR_END;
    }
    for (int32_t i = 0; i < scan->column_count; i++) {
        WEIR_TRY(weir_vector_append_range(&out->columns[i], &scan->rows.columns[scan->columns[i]], 0, scan->rows.length,
                                          err));
    }
    out->length = scan->rows.length;
    split->given = true;
    return WEIR_OK;
}

static void close_split(weir_sql_split *self) { free(self); }

static int open_split(weir_sql_scan *self, int64_t number, weir_sql_split **out, weir_error *err)
{
    (void)number;
    (void)err;
    system_split *split = weir_alloc_zeroed(1, sizeof *split);
    split->base.next = next_batch;
    split->base.close = close_split;
    split->scan = (const system_scan *)self;
    *out = &split->base;
    return WEIR_OK;
}

static void close_scan(weir_sql_scan *self)
{
    system_scan *scan = (system_scan *)self;
    weir_batch_free(&scan->rows);
    free(scan->columns);
    free(scan);
}

static int open_scan(weir_sql_table *self, const weir_scan_request *request, weir_sql_scan **out, weir_error *err)
{
    const weir_session_table *table = self->owner;
    system_scan *scan = weir_alloc_zeroed(1, sizeof *scan);
    scan->base.open_split = open_split;
    scan->base.close = close_scan;
    scan->base.split_count = 1;
    weir_batch_init(&scan->rows, table->system->fields, table->system->field_count);
    scan->columns = weir_alloc_zeroed((size_t)request->column_count + 1, sizeof *scan->columns);
    scan->column_count = request->column_count;
    if (request->column_count > 0) {
        memcpy(scan->columns, request->columns, sizeof *scan->columns * (size_t)request->column_count);
    }
    int code = table->system->read(table->table, &scan->rows, err);
    if (code != WEIR_OK) {
        close_scan(&scan->base);
        return weir_error_at(err, code, table->position);
    }
    scan->base.estimated_rows = scan->rows.length;
    scan->base.exact_rows = true;
    *out = &scan->base;
    return WEIR_OK;
}

void weir_session_table_make_system(weir_session_table *table, const weir_system_table *system)
{
    weir_bound_columns *columns = &table->description.columns;
    weir_sql_column *list = WEIR_NEW_ARRAY(&table->arena, weir_sql_column, system->field_count);
    for (int32_t i = 0; i < system->field_count; i++) {
        list[i] = (weir_sql_column){.name = system->fields[i].name, .type = system->fields[i].type};
    }
    *columns = (weir_bound_columns){.columns = list, .column_count = system->field_count, .watermark_column = -1};
    table->kind = WEIR_SESSION_SYSTEM_TABLE;
    table->system = system;
    table->base.open = open_scan;
    table->base.summarize = NULL; /* metadata tell of the table's rows, not of these */
    table->base.describe = NULL;
}
