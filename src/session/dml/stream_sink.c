/* The tables of INSERTs as the sinks of a job: opened by their kind, and shared where several write one table. */
#include "session/dml/stream_sink.h"

#include "session/dml/enforcer.h"
#include "session/dml/row_writer.h"
#include "stream/sink/connector_sink.h"
#include "stream/sink/paimon_sink.h"
#include "stream/sink/shared_sink.h"

static int open_paimon(weir_session_table *table, const char *job, const char *description, weir_stream_sink **out,
                       weir_error *err)
{
    weir_paimon_sink_options options = {.job = weir_arena_strdup(&table->arena, job), .description = description};
    return weir_paimon_sink_open(table->table, &options, out, err);
}

/* The table's primary key among the columns that are written; NULL: there is none. */
static const int32_t *written_key(weir_session_table *table, const weir_bound *bound)
{
    int32_t count = table->base.primary_key_count;
    int32_t *key = WEIR_NEW_ARRAY(&table->arena, int32_t, count + 1);
    for (int32_t i = 0; i < count; i++) {
        while (key[i] < bound->sink_column_count && bound->sink_columns[key[i]] != table->base.primary_key[i]) {
            key[i]++;
        }
    }
    return count > 0 ? key : NULL;
}

/* Options that live as long as the table. */
static int open_connector(weir_session_table *table, const weir_bound *bound, const char *description,
                          const char *owner, weir_stream_sink **out, weir_error *err)
{
    weir_connector_sink_options *options = WEIR_NEW(&table->arena, weir_connector_sink_options);
    WEIR_TRY(weir_sink_writer_check(table, err));
    weir_sink_writer_options(table, &table->arena, &options->sink);
    options->sink.owner = weir_arena_strdup(&table->arena, owner);
    options->key = written_key(table, bound);
    options->key_count = table->base.primary_key_count;
    options->description = description;
    return weir_connector_sink_open(options, out, err);
}

/* The sink of a table, without what an INSERT's columns demand. */
static int open_sink(const weir_bound *bound, const char *job, const char *owner, weir_stream_sink **out,
                     weir_error *err)
{
    weir_session_table *table = bound->sink->owner;
    const char *description =
        weir_arena_format(&table->arena, "%s.%s.%s", table->base.catalog, table->base.database, table->base.name);
    WEIR_TRY(weir_session_table_check_writable(table, err));
    int code = table->kind == WEIR_SESSION_PAIMON_TABLE ? open_paimon(table, job, description, out, err)
                                                        : open_connector(table, bound, description, owner, out, err);
    return code != WEIR_OK ? weir_error_at(err, code, table->position) : WEIR_OK;
}

/* ---- several INSERTs ---- */

static bool options_equal(const weir_options *a, const weir_options *b)
{
    for (size_t i = 0; i < a->count; i++) {
        const char *other = weir_options_get(b, a->keys[i]);
        if (other == NULL || strcmp(a->values[i], other) != 0) {
            return false;
        }
    }
    return a->count == b->count;
}

/* Whether two INSERTs write one Paimon table, with the same hints. */
static bool is_same_table(const weir_bound *a, const weir_bound *b)
{
    const weir_session_table *first = a->sink->owner, *second = b->sink->owner;
    return first->kind == WEIR_SESSION_PAIMON_TABLE && second->kind == WEIR_SESSION_PAIMON_TABLE &&
           strcmp(first->base.catalog, second->base.catalog) == 0 &&
           strcmp(first->table->context.paths.root, second->table->context.paths.root) == 0 &&
           first->table->schema->id == second->table->schema->id &&
           options_equal(&first->table->schema->options, &second->table->schema->options);
}

/* Gives INSERT `first` a sink, and with it those after it that write the same table. */
static int open_shares(const weir_stream_sinks_request *request, int32_t first, weir_stream_sink **sinks,
                       weir_error *err)
{
    weir_arena *arena = request->arena;
    const weir_bound *bound = request->bounds[first];
    const char *owner =
        request->place_id != NULL ? weir_arena_format(arena, "%s%02x", request->place_id, (unsigned)first) : NULL;
    int32_t *places = WEIR_NEW_ARRAY(arena, int32_t, request->count);
    weir_stream_sink **shares = WEIR_NEW_ARRAY(arena, weir_stream_sink *, request->count);
    int32_t share_count = 0;
    for (int32_t i = first; i < request->count; i++) {
        if (i == first || is_same_table(bound, request->bounds[i])) {
            places[share_count++] = i;
        }
    }
    WEIR_TRY(open_sink(bound, request->job, owner, &shares[0], err));
    if (share_count > 1) {
        weir_shared_sink_create(shares[0], share_count, shares);
    }
    for (int32_t i = 0; i < share_count; i++) {
        sinks[places[i]] = weir_enforcing_sink_create(request->session, request->bounds[places[i]], shares[i]);
    }
    return WEIR_OK;
}

int weir_session_stream_sinks_open(const weir_stream_sinks_request *request, weir_stream_sink **out, weir_error *err)
{
    int code = WEIR_OK;
    memset(out, 0, sizeof *out * (size_t)request->count);
    for (int32_t i = 0; i < request->count && code == WEIR_OK; i++) {
        code = out[i] == NULL ? open_shares(request, i, out, err) : WEIR_OK;
    }
    for (int32_t i = 0; i < request->count && code != WEIR_OK; i++) {
        if (out[i] != NULL) {
            out[i]->close(out[i]);
        }
    }
    return code;
}
