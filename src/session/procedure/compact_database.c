/* CALL sys.compact_database: the tables of databases, chosen by patterns of their names. */
#include <stdlib.h>

#include "base/text.h"
#include "format/name_pattern.h"
#include "session/procedure/compaction_job.h"
#include "session/procedure/procedure.h"

enum { DATABASES, MODE, TABLES, WITHOUT, OPTIONS, IDLE_TIME, STRATEGY }; /* the arguments */

enum { MOST_TRIES = 5 /* of compactions that others come before */ };

typedef struct chosen_tables {
    weir_name_pattern *databases; /* NULL: all */
    weir_name_pattern *tables;    /* of database.table; NULL: all */
    weir_name_pattern *without;   /* NULL: none */
    const char **names;
    size_t count;
    size_t capacity;
    /* Of the turn at hand. */
    bool dropped;
    weir_error failure;
} chosen_tables;

static int compile(weir_procedure_call *call, int32_t argument, weir_name_pattern **out, weir_error *err)
{
    const char *text = weir_call_text(call, argument);
    if (text == NULL) {
        return WEIR_OK;
    }
    return weir_call_error(call, argument, err,
                           weir_name_pattern_compile(text, call->procedure->arguments[argument].name, out, err));
}

static bool matches(weir_name_pattern *pattern, const char *name, bool fallback)
{
    return pattern == NULL ? fallback : weir_name_pattern_matches(pattern, weir_slice_text(name));
}

static int add_tables(weir_procedure_call *call, const char *database, chosen_tables *self, weir_error *err)
{
    const char **names = NULL;
    size_t count = 0;
    WEIR_TRY(weir_session_catalog_tables(call->catalog, database, call->arena, &names, &count, err));
    for (size_t i = 0; i < count; i++) {
        const char *name = weir_arena_format(call->arena, "%s.%s", database, names[i]);
        if (matches(self->tables, name, true) && !matches(self->without, name, false)) {
            WEIR_GROW(self->names, self->capacity, self->count + 1);
            self->names[self->count++] = name;
        }
    }
    return WEIR_OK;
}

static int choose(weir_procedure_call *call, chosen_tables *self, weir_error *err)
{
    const char **databases = NULL;
    size_t count = 0;
    WEIR_TRY(compile(call, DATABASES, &self->databases, err));
    WEIR_TRY(compile(call, TABLES, &self->tables, err));
    WEIR_TRY(compile(call, WITHOUT, &self->without, err));
    WEIR_TRY(weir_session_catalog_databases(call->catalog, call->arena, &databases, &count, err));
    for (size_t i = 0; i < count; i++) {
        if (matches(self->databases, databases[i], true)) {
            WEIR_TRY(add_tables(call, databases[i], self, err));
        }
    }
    return WEIR_OK;
}

static int read_options(weir_procedure_call *call, weir_options *out, weir_error *err)
{
    int32_t count = 0;
    const char **list = call->given[OPTIONS] ? weir_call_list(call, OPTIONS, &count) : NULL;
    for (int32_t i = 0; i < count; i++) {
        const char *equals = strchr(list[i], '=');
        if (equals == NULL) {
            return weir_call_error(call, OPTIONS, err,
                                   weir_fail(err, WEIR_INVALID, "'%s' is no option; write key=value", list[i]));
        }
        weir_options_set(out, call->arena, weir_arena_strndup(call->arena, list[i], (size_t)(equals - list[i])),
                         equals + 1);
    }
    return WEIR_OK;
}

static void note(void *context, const weir_compaction_report *report)
{
    chosen_tables *self = context;
    self->dropped |= report->failure == NULL && report->round->dropped;
    if (report->failure != NULL && self->failure.code == WEIR_OK) {
        self->failure = *report->failure;
        weir_error_context(&self->failure, self->failure.code, "%s", report->table);
    }
}

static int compact(weir_procedure_call *call, chosen_tables *self, const weir_compaction_request *request,
                   weir_error *err)
{
    weir_compaction_job *job = NULL;
    WEIR_TRY(weir_compaction_job_open(call->session, request, &job, err));
    int code = WEIR_OK;
    self->dropped = true;
    for (int tries = 0; tries < MOST_TRIES && self->dropped && code == WEIR_OK; tries++) {
        self->dropped = false;
        code = weir_compaction_job_run(job, note, self, err);
    }
    weir_compaction_job_close(job);
    WEIR_TRY(code);
    if (self->failure.code != WEIR_OK) {
        *err = self->failure;
        return self->failure.code;
    }
    return self->dropped ? weir_fail(err, WEIR_CONFLICT, "others compact the same files all the time; theirs stand")
                         : WEIR_OK;
}

int weir_procedure_compact_database(weir_procedure_call *call, weir_result **out, weir_error *err)
{
    const char *strategy = weir_call_text(call, STRATEGY);
    bool full = strategy == NULL || weir_text_equal_ignore_case(strategy, "full");
    chosen_tables chosen = {0};
    weir_options options = {0};
    int code;
    if (!full && !weir_text_equal_ignore_case(strategy, "minor")) {
        return weir_call_error(
            call, STRATEGY, err,
            weir_fail(err, WEIR_INVALID, "'%s' is no strategy of compacting; there are 'full' and 'minor'", strategy));
    }
    WEIR_GO(choose(call, &chosen, err));
    WEIR_GO(read_options(call, &options, err));
    const weir_compaction_request request = {.catalog = call->catalog->name,
                                             .tables = chosen.names,
                                             .table_count = chosen.count,
                                             .is_lenient = true,
                                             .full = full,
                                             .options = &options};
    WEIR_GO(compact(call, &chosen, &request, err));
    WEIR_GO(weir_call_success(out, err));
done:
    weir_name_pattern_free(chosen.databases);
    weir_name_pattern_free(chosen.tables);
    weir_name_pattern_free(chosen.without);
    free(chosen.names);
    return code;
}
