/* Tables taking turns at being compacted; each turn uses all threads of the pool. */
#include "session/procedure/compaction_job.h"

#include <stdlib.h>

#include "session/table/sql_table.h"

enum { MOST_FAILURES = 10 };

typedef struct compacted_table {
    char *name;       /* database.table */
    bool is_wanted;   /* named by the request, not found in a database: it must be there, and one that can be written */
    bool is_refused;  /* cannot be written: left alone */
    int32_t failures; /* turns without end */
    weir_arena arena; /* of what follows; all of it is NULL when it is to be opened */
    weir_session_table *opened;
    weir_compactor *compactor;
} compacted_table;

struct weir_compaction_job {
    weir_session *session;
    const weir_compaction_request *request;
    compacted_table *tables;
    size_t count;
    size_t capacity;
};

/* ---- tables ---- */

static const char *catalog_name(const weir_compaction_job *job)
{
    const char *name = job->request->catalog;
    return name != NULL ? name : job->session->catalogs.current_catalog;
}

static compacted_table *find(const weir_compaction_job *job, const char *name)
{
    for (size_t i = 0; i < job->count; i++) {
        if (strcmp(job->tables[i].name, name) == 0) {
            return &job->tables[i];
        }
    }
    return NULL;
}

static void add(weir_compaction_job *job, const char *name, bool is_wanted)
{
    if (find(job, name) == NULL) {
        WEIR_GROW(job->tables, job->capacity, job->count + 1);
        job->tables[job->count++] = (compacted_table){.name = weir_strdup(name), .is_wanted = is_wanted};
    }
}

static void close_table(compacted_table *table)
{
    weir_compactor_close(table->compactor);
    if (table->opened != NULL) {
        table->opened->base.close(&table->opened->base);
    }
    weir_arena_free(&table->arena);
    table->compactor = NULL;
    table->opened = NULL;
}

static void forget(weir_compaction_job *job, compacted_table *table)
{
    close_table(table);
    free(table->name);
    *table = job->tables[--job->count];
}

/* Options of the request, and those of every dedicated compaction: what write-only tables leave to it, expiry included.
 */
static weir_ast_options option_pairs(const weir_compaction_request *request, weir_arena *arena)
{
    size_t given = request->options != NULL ? request->options->count : 0;
    weir_ast_options pairs = {.items = WEIR_NEW_ARRAY(arena, weir_ast_option, given + 1)};
    pairs.items[pairs.count++] = (weir_ast_option){.key = "write-only", .value = "false"};
    for (size_t i = 0; i < given; i++) {
        pairs.items[pairs.count++] =
            (weir_ast_option){.key = request->options->keys[i], .value = request->options->values[i]};
    }
    return pairs;
}

static int resolve(weir_compaction_job *job, compacted_table *table, weir_error *err)
{
    weir_session_resolver resolver;
    weir_sql_table *found = NULL;
    const char *view = NULL;
    const char *dot = strchr(table->name, '.');
    weir_ast_part parts[] = {
        {.text = catalog_name(job)},
        {.text = weir_arena_strndup(&table->arena, table->name, (size_t)(dot - table->name))},
        {.text = dot + 1},
    };
    weir_ast_name name = {.parts = parts, .count = 3};
    weir_ast_options pairs = option_pairs(job->request, &table->arena);
    weir_session_resolver_init(&resolver, job->session);
    WEIR_TRY(resolver.base.resolve(&resolver.base, &name, &pairs, &table->arena, &found, &view, err));
    table->opened = view == NULL ? found->owner : NULL;
    if (table->opened == NULL || !weir_session_table_is_plain(table->opened)) {
        return weir_fail(err, WEIR_INVALID, "'%s' is no Paimon table", table->name);
    }
    return WEIR_OK;
}

static int open_table(weir_compaction_job *job, compacted_table *table, weir_error *err)
{
    const weir_compactor_options options = {.full = job->request->full};
    WEIR_TRY(resolve(job, table, err));
    int code = weir_schema_check_writable(table->opened->table->schema, err);
    if (code != WEIR_OK && !table->is_wanted) {
        table->is_refused = true;
        return WEIR_OK;
    }
    WEIR_TRY(code);
    return weir_compactor_open(table->opened->table, &options, &table->compactor, err);
}

/* ---- turns ---- */

static int add_database(weir_compaction_job *job, weir_error *err)
{
    weir_arena arena;
    weir_session_catalog *catalog = weir_catalogs_find(&job->session->catalogs, catalog_name(job));
    weir_object_path path = {.catalog = catalog, .database = job->request->database};
    const char **names = NULL;
    size_t count = 0;
    int code;
    if (job->request->database == NULL) {
        return WEIR_OK;
    }
    weir_arena_init(&arena);
    WEIR_GO(weir_catalogs_check_database(&path, err));
    WEIR_GO(weir_session_catalog_tables(catalog, path.database, &arena, &names, &count, err));
    for (size_t i = 0; i < count; i++) {
        add(job, weir_arena_format(&arena, "%s.%s", path.database, names[i]), false);
    }
done:
    weir_arena_free(&arena);
    return code;
}

static int run_table(weir_compaction_job *job, compacted_table *table, weir_compactor_round *out, weir_error *err)
{
    *out = (weir_compactor_round){0};
    if (table->opened == NULL) {
        weir_arena_init(&table->arena);
        WEIR_TRY(open_table(job, table, err));
    }
    return table->is_refused ? WEIR_OK : weir_compactor_run(table->compactor, out, err);
}

static int run_tables(weir_compaction_job *job, void (*report)(void *context, const weir_compaction_report *report),
                      void *context, weir_error *err)
{
    WEIR_TRY(add_database(job, err));
    for (size_t i = 0; i < job->count; i++) {
        compacted_table *table = &job->tables[i];
        weir_compactor_round round;
        weir_error failure = {0};
        int code = run_table(job, table, &round, &failure);
        weir_compaction_report told = {table->name, &round, code == WEIR_OK ? NULL : &failure};
        if (code == WEIR_OK) {
            table->failures = 0;
            if (round.buckets > 0 || round.dropped) {
                report(context, &told);
            }
            continue;
        }
        close_table(table); /* altered, perhaps, or made anew: the next turn opens it as it is then */
        if (code == WEIR_NOT_FOUND && !table->is_wanted) {
            forget(job, table);
            i--;
            continue;
        }
        if (++table->failures == MOST_FAILURES) {
            *err = failure;
            return code;
        }
        report(context, &told);
    }
    return WEIR_OK;
}

int weir_compaction_job_run(weir_compaction_job *job,
                            void (*report)(void *context, const weir_compaction_report *report), void *context,
                            weir_error *err)
{
    weir_stop *before = weir_stop_enter(&job->session->stop);
    int code = run_tables(job, report, context, err);
    (void)weir_stop_enter(before);
    return code;
}

int weir_compaction_job_open(weir_session *session, const weir_compaction_request *request, weir_compaction_job **out,
                             weir_error *err)
{
    weir_compaction_job *job = weir_alloc_zeroed(1, sizeof *job);
    weir_stop *before = weir_stop_enter(&session->stop);
    int code = WEIR_OK;
    job->session = session;
    job->request = request;
    for (size_t i = 0; i < request->table_count; i++) {
        const char *name = request->tables[i];
        char *full = strchr(name, '.') != NULL ? weir_strdup(name)
                                               : weir_format("%s.%s", session->catalogs.current_database, name);
        add(job, full, !request->is_lenient);
        free(full);
    }
    for (size_t i = 0; i < job->count && code == WEIR_OK; i++) {
        weir_arena_init(&job->tables[i].arena);
        code = open_table(job, &job->tables[i], err);
    }
    if (code == WEIR_OK) {
        code = add_database(job, err);
    }
    (void)weir_stop_enter(before);
    if (code != WEIR_OK) {
        weir_compaction_job_close(job);
        return code;
    }
    *out = job;
    return WEIR_OK;
}

void weir_compaction_job_close(weir_compaction_job *job)
{
    if (job == NULL) {
        return;
    }
    for (size_t i = 0; i < job->count; i++) {
        close_table(&job->tables[i]);
        free(job->tables[i].name);
    }
    free(job->tables);
    free(job);
}
