/* The table of an INSERT as the sink of a job: opened by its kind. */
#include "session/dml/stream_sink.h"

#include "session/dml/enforcer.h"
#include "session/dml/row_writer.h"
#include "stream/sink/connector_sink.h"
#include "stream/sink/paimon_sink.h"

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

int weir_session_stream_sink_open(weir_session *session, const weir_bound *bound, const char *job, const char *owner,
                                  weir_stream_sink **out, weir_error *err)
{
    weir_session_table *table = bound->sink->owner;
    const char *description =
        weir_arena_format(&table->arena, "%s.%s.%s", table->base.catalog, table->base.database, table->base.name);
    WEIR_TRY(weir_session_table_check_writable(table, err));
    weir_stream_sink *sink = NULL;
    int code = table->kind == WEIR_SESSION_PAIMON_TABLE ? open_paimon(table, job, description, &sink, err)
                                                        : open_connector(table, bound, description, owner, &sink, err);
    if (code != WEIR_OK) {
        return weir_error_at(err, code, table->position);
    }
    *out = weir_enforcing_sink_create(session, bound, sink);
    return WEIR_OK;
}
