/* Writing to a Paimon table: rows that its buckets take, and one commit. */
#include <stdlib.h>

#include "base/clock.h"
#include "session/dml/row_writer.h"
#include "table/write/publish.h"

typedef struct paimon_writer {
    weir_row_writer base; /* first */
    const weir_table *table;
    weir_row_writer_options options;
    weir_table_write *write;
    weir_table_commit *commit;
    char *user;
} paimon_writer;

static int write_batch(weir_row_writer *self, const weir_batch *batch, weir_error *err)
{
    paimon_writer *writer = (paimon_writer *)self;
    int code = weir_table_write_batch(writer->write, batch, err);
    self->summary.rows = weir_table_write_row_count(writer->write);
    return code;
}

/* ---- commits ---- */

/* The values of PARTITION (k = v, …), one a partition key, NULL where it says nothing; NULL where what is replaced
 * follows from the rows: without PARTITION, and with dynamic-partition-overwrite, as in Paimon. */
static int static_partition(const paimon_writer *writer, weir_arena *arena, const weir_literal *const **out,
                            weir_error *err)
{
    const weir_bound *bound = writer->options.bound;
    const weir_schema *schema = writer->table->schema;
    bool dynamic = false;
    WEIR_TRY(weir_options_bool(&schema->options, "dynamic-partition-overwrite", &dynamic, err));
    if (bound->partition_count == 0 || dynamic) {
        *out = NULL;
        return WEIR_OK;
    }
    const weir_literal **values = WEIR_NEW_ARRAY(arena, const weir_literal *, schema->partition_key_count);
    for (int32_t i = 0; i < bound->partition_count; i++) {
        for (int32_t k = 0; k < schema->partition_key_count; k++) {
            if (strcmp(schema->partition_keys[k], bound->sink->columns[bound->partition_columns[i]].name) == 0) {
                values[k] = &bound->partition_values[i];
            }
        }
    }
    *out = values;
    return WEIR_OK;
}

static int commit_overwrite(paimon_writer *writer, const weir_committable *committable, weir_arena *arena,
                            weir_publish_summary *summary, weir_error *err)
{
    const weir_literal *const *partition = NULL;
    int64_t snapshot_id = 0;
    WEIR_TRY(static_partition(writer, arena, &partition, err));
    WEIR_TRY(weir_table_commit_overwrite(writer->commit, committable, partition, &snapshot_id, err));
    weir_publish_count(committable->messages, snapshot_id, summary);
    if (weir_table_commit_dropped_compaction(writer->commit)) {
        (void)weir_table_write_reload(writer->write, NULL); /* the commit stands; a failure comes with the next write */
    }
    return WEIR_OK;
}

static int commit_messages(paimon_writer *writer, weir_commit_messages *messages, weir_arena *arena,
                           weir_publish_summary *summary, weir_error *err)
{
    weir_committable committable = {
        .identifier = WEIR_BATCH_COMMIT_IDENTIFIER,
        .watermark = WEIR_NO_WATERMARK,
        .messages = messages,
    };
    if (writer->options.bound == NULL || !writer->options.bound->overwrite) {
        return weir_table_publish(writer->write, writer->commit, &committable, summary, err);
    }
    return commit_overwrite(writer, &committable, arena, summary, err);
}

static int commit_writer(weir_row_writer *self, bool last, weir_error *err)
{
    paimon_writer *writer = (paimon_writer *)self;
    weir_arena arena;
    weir_commit_messages messages = {0};
    weir_publish_summary published = {.last_snapshot = self->summary.last_snapshot};
    int code = WEIR_OK;
    weir_arena_init(&arena);
    if (last) {
        weir_table_write_compact_due(writer->write, WEIR_BATCH_COMMIT_IDENTIFIER);
    }
    WEIR_GO(weir_table_write_prepare(writer->write, last, &arena, &messages, err));
    WEIR_GO(commit_messages(writer, &messages, &arena, &published, err));
done:
    self->summary.files += published.files;
    self->summary.commits += published.commits;
    self->summary.last_snapshot = published.last_snapshot;
    /* After WEIR_IO the snapshot may stand: then its files must stay. */
    if (code != WEIR_OK && code != WEIR_IO) {
        weir_table_commit_abort(writer->commit, &messages, NULL);
    }
    weir_commit_messages_free(&messages);
    weir_arena_free(&arena);
    return code;
}

static int find_commit(weir_row_writer *self, bool *out, weir_error *err)
{
    bool has_compact = false;
    return weir_table_commit_find(((paimon_writer *)self)->commit, WEIR_BATCH_COMMIT_IDENTIFIER, out, &has_compact,
                                  err);
}

static void close_writer(weir_row_writer *self)
{
    paimon_writer *writer = (paimon_writer *)self;
    weir_table_write_close(writer->write);
    weir_table_commit_close(writer->commit);
    free(writer->user);
    free(writer);
}

/* ---- opening ---- */

static int check_kinds(const weir_session_table *table, const weir_row_writer_options *options, weir_error *err)
{
    if (options->takes_changes && !weir_table_has_primary_key(table->table)) {
        return weir_fail_at(err, WEIR_INVALID, table->position.line, table->position.column,
                            "table '%s' has no primary key and takes inserts only, but updates and deletes would come; "
                            "give it a PRIMARY KEY",
                            table->base.name);
    }
    return WEIR_OK;
}

int weir_paimon_writer_open(weir_session_table *table, const weir_row_writer_options *options, weir_row_writer **out,
                            weir_error *err)
{
    char user[WEIR_UUID_SIZE];
    int code = WEIR_OK;
    WEIR_TRY(check_kinds(table, options, err));
    paimon_writer *writer = weir_alloc_zeroed(1, sizeof *writer);
    writer->base.write = write_batch;
    writer->base.commit = commit_writer;
    writer->base.find_commit = find_commit;
    writer->base.close = close_writer;
    writer->table = table->table;
    writer->options = *options;
    weir_uuid(user);
    writer->user = weir_strdup(options->commit_user != NULL ? options->commit_user : user);
    weir_table_write_options write = {
        .commit_user = writer->user,
        .overwrite = options->bound != NULL && options->bound->overwrite,
        .batch = true,
        .changes = true,
    };
    WEIR_GO(weir_schema_check_writable(table->table->schema, err));
    WEIR_GO(weir_table_write_open(table->table, &write, &writer->write, err));
    WEIR_GO(weir_table_commit_open(table->table, writer->user, &writer->commit, err));
    *out = &writer->base;
done:
    if (code != WEIR_OK) {
        close_writer(&writer->base);
        weir_error_at(err, code, table->position);
    }
    return code;
}
