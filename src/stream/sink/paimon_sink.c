/* A Paimon table as the sink of a job: rows to the writers of their buckets, a commit a checkpoint.
 *
 * Commits are made under one user for as long as the job's state lives, with the checkpoints as identifiers, so that a
 * commit can be found again. What is prepared says everything that recovery needs, also when no row was written:
 *
 *   | version: 1 | commit user | latest snapshot when it was prepared: 8 | watermark: 8 | commit messages |
 *
 * Messages without files name buckets whose full compaction (full-compaction.delta-commits) is still to come.
 *
 * Which rows are written at all, how a commit is searched for, and what is done where others write the same buckets,
 * stands in table/write/write_rows.c, table/commit/commit.c and table/write/publish.c. */
#include "stream/sink/paimon_sink.h"

#include <stdlib.h>

#include "base/byte_reader.h"
#include "base/clock.h"
#include "base/text.h"
#include "lsm/commit_message_bytes.h"
#include "table/write/publish.h"
#include "table/write/row_kinds.h"

#define VERSION 1

typedef struct paimon_sink {
    weir_stream_sink base; /* first */
    const weir_table *table;
    weir_paimon_sink_options options;
    weir_table_write *write;
    weir_table_commit *commit;
    char *user;
    char *identity;
} paimon_sink;

/* What was prepared, read again. */
typedef struct prepared_commit {
    weir_arena arena;
    const char *user;
    int64_t seen_snapshot;
    int64_t watermark;
    weir_commit_messages messages;
    weir_commit_messages awaiting; /* messages without files */
} prepared_commit;

/* ---- prepared commits ---- */

static void prepared_free(prepared_commit *prepared)
{
    weir_commit_messages_free(&prepared->messages);
    weir_commit_messages_free(&prepared->awaiting);
    weir_arena_free(&prepared->arena);
}

/* Takes the messages without files out of the others. */
static void set_awaiting_apart(prepared_commit *prepared)
{
    weir_commit_messages *all = &prepared->messages;
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++) {
        const weir_commit_message *message = &all->items[i];
        if (weir_commit_message_is_empty(message)) {
            weir_commit_messages_add(&prepared->awaiting, message->partition, message->bucket, message->total_buckets);
        } else {
            all->items[kept++] = *message;
        }
    }
    all->count = kept;
}

static int prepared_read(const paimon_sink *sink, weir_slice bytes, prepared_commit *out, weir_error *err)
{
    weir_byte_reader reader = weir_byte_reader_of(bytes);
    *out = (prepared_commit){0};
    weir_arena_init(&out->arena);
    uint8_t version = weir_take_u8(&reader);
    weir_slice user = weir_take_slice(&reader);
    out->user = weir_arena_strndup(&out->arena, (const char *)user.data, user.size);
    out->seen_snapshot = weir_take_i64(&reader);
    out->watermark = weir_take_i64(&reader);
    int code = reader.failed || version != VERSION
                   ? weir_fail(err, WEIR_CORRUPT, "what the job has kept of its commit is damaged")
                   : weir_commit_messages_decode(reader.left, &out->arena, &out->messages, err);
    if (code != WEIR_OK) {
        prepared_free(out);
        return weir_error_context(err, code, "%s", sink->table->path);
    }
    set_awaiting_apart(out);
    return WEIR_OK;
}

static int latest_snapshot(const paimon_sink *sink, int64_t *out, weir_error *err)
{
    const weir_table_context *context = &sink->table->context;
    return weir_snapshot_latest_id(context->fs, context->paths.root, out, err);
}

/* ---- rows ---- */

static int write_batch(weir_stream_sink *self, const weir_batch *batch, weir_error *err)
{
    paimon_sink *sink = (paimon_sink *)self;
    int code = weir_table_write_batch(sink->write, batch, err);
    self->summary.rows = weir_table_write_row_count(sink->write);
    return code;
}

/* Writing would make the folder of a table that was dropped anew. */
static int check_stands(const paimon_sink *sink, weir_error *err)
{
    const weir_table *table = sink->table;
    weir_arena arena;
    weir_schema *schema = NULL;
    weir_arena_init(&arena);
    int code = weir_schema_read(table->context.fs, table->context.paths.root, table->schema->id, &arena, &schema, err);
    if (code == WEIR_NOT_FOUND) {
        code = weir_fail(err, WEIR_NOT_FOUND, "%s: the table was dropped while a job was writing it", table->path);
    } else if (code == WEIR_OK && schema->time_ms != table->schema->time_ms) {
        code = weir_fail(err, WEIR_CONFLICT,
                         "%s: the table was dropped and made anew while a job was writing it; begin anew with --fresh",
                         table->path);
    }
    weir_arena_free(&arena);
    return code;
}

static int prepare(weir_stream_sink *self, int64_t checkpoint, bool last, weir_buffer *out, weir_error *err)
{
    paimon_sink *sink = (paimon_sink *)self;
    weir_arena arena;
    weir_commit_messages messages = {0};
    int64_t seen = 0;
    int code;
    weir_arena_init(&arena);
    WEIR_GO(check_stands(sink, err));
    WEIR_GO(latest_snapshot(sink, &seen, err));
    weir_table_write_compact_due(sink->write, last ? WEIR_BATCH_COMMIT_IDENTIFIER : checkpoint);
    WEIR_GO(weir_table_write_prepare(sink->write, last, &arena, &messages, err));
    weir_table_write_list_awaiting(sink->write, &arena, &messages);
    weir_put_u8(out, VERSION);
    weir_put_slice(out, weir_slice_text(sink->user));
    weir_put_u64(out, (uint64_t)seen);
    weir_put_u64(out, (uint64_t)self->watermark);
    weir_commit_messages_encode(&messages, out);
done:
    weir_commit_messages_free(&messages);
    weir_arena_free(&arena);
    return code;
}

static bool awaits(weir_stream_sink *self) { return weir_table_write_awaits(((paimon_sink *)self)->write); }

/* ---- commits ---- */

/* Commits, or finds out whether it has been done. */
static int publish(paimon_sink *sink, int64_t checkpoint, const prepared_commit *prepared, bool recovers,
                   weir_error *err)
{
    static const char *const keys[] = {"weir.checkpoint", "weir.job"};
    char number[24];
    snprintf(number, sizeof number, "%" PRId64, checkpoint);
    const char *const values[] = {number, sink->options.job};
    weir_publish_summary published = {.last_snapshot = sink->base.summary.last_snapshot};
    bool has_watermark = prepared->watermark != INT64_MIN && prepared->watermark != INT64_MAX;
    weir_committable committable = {
        .identifier = checkpoint,
        .watermark = has_watermark ? prepared->watermark : WEIR_NO_WATERMARK,
        .has_watermark = has_watermark,
        .property_keys = keys,
        .property_values = values,
        .property_count = sink->options.job != NULL ? 2 : 1,
        .messages = &prepared->messages,
    };
    int code = recovers ? weir_table_publish_recovered(sink->write, sink->commit, &committable,
                                                       prepared->seen_snapshot, &published, err)
                        : weir_table_publish(sink->write, sink->commit, &committable, &published, err);
    sink->base.summary.commits += published.commits;
    sink->base.summary.files += published.files;
    sink->base.summary.last_snapshot = published.last_snapshot;
    return code;
}

static int commit(weir_stream_sink *self, int64_t checkpoint, weir_slice bytes, weir_error *err)
{
    paimon_sink *sink = (paimon_sink *)self;
    prepared_commit prepared;
    WEIR_TRY(prepared_read(sink, bytes, &prepared, err));
    int code = publish(sink, checkpoint, &prepared, false, err);
    prepared_free(&prepared);
    return code;
}

static int open_as(paimon_sink *sink, const char *user, weir_error *err)
{
    weir_table_write_close(sink->write);
    weir_table_commit_close(sink->commit);
    sink->write = NULL;
    sink->commit = NULL;
    char *copy = weir_strdup(user);
    free(sink->user);
    sink->user = copy;
    weir_table_write_options options = {.commit_user = sink->user, .changes = true};
    WEIR_TRY(weir_table_write_open(sink->table, &options, &sink->write, err));
    return weir_table_commit_open(sink->table, sink->user, &sink->commit, err);
}

/* Buckets whose full compaction was still to come await it again, and so do those of this commit: whether theirs was a
 * full one is not known. */
static void await_again(const paimon_sink *sink, const prepared_commit *prepared)
{
    const weir_commit_messages *all[] = {&prepared->messages, &prepared->awaiting};
    for (int i = 0; i < 2; i++) {
        for (size_t m = 0; m < all[i]->count; m++) {
            weir_table_write_await(sink->write, all[i]->items[m].partition, all[i]->items[m].bucket);
        }
    }
}

/* The earlier run's user is this one's, too. Nothing is written yet, so buckets see what was recovered. */
static int recover(weir_stream_sink *self, int64_t checkpoint, weir_slice bytes, weir_error *err)
{
    paimon_sink *sink = (paimon_sink *)self;
    prepared_commit prepared;
    WEIR_TRY(prepared_read(sink, bytes, &prepared, err));
    int code;
    WEIR_GO(open_as(sink, prepared.user, err));
    WEIR_GO(publish(sink, checkpoint, &prepared, true, err));
    await_again(sink, &prepared);
done:
    prepared_free(&prepared);
    return code;
}

/* ---- opening and closing ---- */

static void close_sink(weir_stream_sink *self)
{
    paimon_sink *sink = (paimon_sink *)self;
    weir_table_write_close(sink->write);
    if (sink->commit != NULL) {
        (void)weir_table_commit_verify(sink->commit, NULL); /* nothing can be done about it any more */
    }
    weir_table_commit_close(sink->commit);
    free(sink->user);
    free(sink->identity);
    free(sink);
}

static int choose_changes(paimon_sink *sink, weir_error *err)
{
    const weir_schema *schema = sink->table->schema;
    weir_row_kinds kinds;
    weir_arena arena;
    weir_arena_init(&arena);
    int code = weir_row_kinds_init(sink->table, true, &arena, &kinds, err);
    bool drops_before = (kinds.dropped >> WEIR_UPDATE_BEFORE & 1) != 0;
    weir_row_kinds_free(&kinds);
    weir_arena_free(&arena);
    WEIR_TRY(code);
    sink->base.takes = schema->primary_key_count == 0 ? WEIR_SINK_INSERTS
                       : drops_before                 ? WEIR_SINK_UPSERTS
                                                      : WEIR_SINK_ALL;
    sink->base.key = schema->primary_key_count > 0 ? schema->primary_columns : NULL;
    sink->base.key_count = schema->primary_key_count;
    return WEIR_OK;
}

int weir_paimon_sink_open(const weir_table *table, const weir_paimon_sink_options *options, weir_stream_sink **out,
                          weir_error *err)
{
    char user[WEIR_UUID_SIZE];
    weir_uuid(user);
    paimon_sink *sink = weir_alloc_zeroed(1, sizeof *sink);
    sink->base = (weir_stream_sink){
        .write = write_batch,
        .prepare = prepare,
        .commit = commit,
        .recover = recover,
        .awaits = awaits,
        .close = close_sink,
        .description = options->description,
        .watermark = INT64_MIN,
    };
    sink->table = table;
    sink->options = *options;
    sink->identity = weir_format("paimon:%s", table->context.paths.root);
    sink->base.identity = sink->identity;
    int code = choose_changes(sink, err);
    if (code == WEIR_OK) {
        code = open_as(sink, user, err);
    }
    if (code != WEIR_OK) {
        close_sink(&sink->base);
        return code;
    }
    *out = &sink->base;
    return WEIR_OK;
}
