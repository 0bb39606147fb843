/* Single rows of a Paimon table for lookup joins (table/lookup/table_lookup.h).
 *
 * A small table is better taken in whole: it is read once, and its rows are found in memory. 'lookup.cache' says which
 * it is: full and memory take in all of it; with auto the number of rows decides when the job starts. */
#include <stdlib.h>

#include "session/table/sql_table.h"
#include "table/lookup/table_lookup.h"
#include "table/scan/scan.h"

#define FEW_ROWS 200000 /* up to so many are taken in whole */

typedef struct paimon_lookup {
    weir_sql_lookup base;
    weir_session_table *table;
    weir_table_lookup *lookup;
} paimon_lookup;

static int refresh(weir_sql_lookup *base, weir_error *err)
{
    paimon_lookup *self = (paimon_lookup *)base;
    return weir_error_at(err, weir_table_lookup_refresh(self->lookup, err), self->table->position);
}

static int find(weir_sql_lookup *base, const weir_batch *keys, int64_t *out_rows, weir_batch *out, weir_error *err)
{
    paimon_lookup *self = (paimon_lookup *)base;
    return weir_error_at(err, weir_table_lookup_find(self->lookup, keys, out_rows, out, err), self->table->position);
}

static void close_lookup(weir_sql_lookup *base)
{
    paimon_lookup *self = (paimon_lookup *)base;
    weir_table_lookup_close(self->lookup);
    free(self);
}

/* Whether rows are to be found one by one. */
static int is_wanted(const weir_session_table *table, bool *out, weir_error *err)
{
    const weir_options *set = &table->table->schema->options;
    const char *cache = NULL;
    weir_arena arena;
    weir_snapshot *snapshot = NULL;
    *out = false;
    WEIR_TRY(weir_options_text(set, "lookup.cache", &cache, err));
    if (strcmp(cache, "auto") != 0 || table->audit_log || table->read_optimized ||
        weir_table_lookup_check(table->table, NULL) != WEIR_OK) {
        return WEIR_OK;
    }
    weir_arena_init(&arena);
    int code = weir_scan_snapshot(table->table, &arena, &snapshot, err);
    *out = code == WEIR_OK && snapshot != NULL && snapshot->total_record_count > FEW_ROWS;
    weir_arena_free(&arena);
    return code;
}

int weir_paimon_lookup_open(weir_sql_table *base, const weir_scan_request *request, const char *folder,
                            weir_sql_lookup **out, weir_error *err)
{
    weir_session_table *table = base->owner;
    bool wanted;
    *out = NULL;
    WEIR_TRY(weir_error_at(err, is_wanted(table, &wanted, err), table->position));
    if (!wanted) {
        return WEIR_OK;
    }
    int32_t *columns = weir_alloc(sizeof *columns * (size_t)(request->column_count + 1));
    const int32_t *places = weir_session_schema_places(table, &table->arena);
    for (int32_t i = 0; i < request->column_count; i++) {
        columns[i] = places[request->columns[i]];
    }
    weir_table_lookup_options options = {.columns = columns, .column_count = request->column_count, .folder = folder};
    paimon_lookup *self = weir_alloc_zeroed(1, sizeof *self);
    self->base = (weir_sql_lookup){refresh, find, close_lookup};
    self->table = table;
    int code = weir_table_lookup_open(table->table, &options, &self->lookup, err);
    free(columns);
    if (code != WEIR_OK) {
        close_lookup(&self->base);
        return weir_error_at(err, code, table->position);
    }
    *out = &self->base;
    return WEIR_OK;
}
