/* Writing: Arrow arrays to rows, rows to prepared commits, prepared commits to snapshots.
 *
 * What this adds to the table room: columns are found by name, and a writer and its committer are one handle, so that a
 * compaction dropped on a conflict makes the writer start from the newest files by itself, and a refused commit ends
 * it. */
#include <stdlib.h>

#include "api/lake_table.h"
#include "api/prepared.h"
#include "api/read_request.h"
#include "base/clock.h"
#include "base/text.h"
#include "table/write/publish.h"
#include "vector/arrow.h"

struct weir_writer {
    weir_lake_table *table; /* with the newest schema */
    char *commit_user;
    bool overwrite;
    weir_table_write *write;
    weir_table_commit *commit;
    weir_batch batch;
    int64_t prepared_count;
    bool has_rows; /* since the last prepare */
};

/* ---- opening ---- */

static int open_writer(weir_writer *writer, const weir_lake_table *table, weir_error *err)
{
    WEIR_TRY(weir_lake_table_reopen_latest(table, &writer->table, err));
    const weir_table *opened = writer->table->table;
    weir_batch_init(&writer->batch, opened->schema->fields, opened->schema->field_count);
    weir_table_write_options options = {.commit_user = writer->commit_user, .overwrite = writer->overwrite};
    WEIR_TRY(weir_schema_check_writable(opened->schema, err));
    WEIR_TRY(weir_table_write_open(opened, &options, &writer->write, err));
    return weir_table_commit_open(opened, writer->commit_user, &writer->commit, err);
}

int weir_writer_open(const weir_lake_table *table, const char *commit_user, bool overwrite, weir_writer **out,
                     weir_error *err)
{
    char random_user[WEIR_UUID_SIZE];
    if (commit_user == NULL) {
        weir_uuid(random_user);
        commit_user = random_user;
    }
    weir_writer *writer = weir_alloc_zeroed(1, sizeof *writer);
    writer->commit_user = weir_strdup(commit_user);
    writer->overwrite = overwrite;
    int code = open_writer(writer, table, err);
    if (code != WEIR_OK) {
        weir_writer_close(writer);
        return code;
    }
    *out = writer;
    return WEIR_OK;
}

void weir_writer_close(weir_writer *writer)
{
    if (writer == NULL) {
        return;
    }
    weir_table_write_close(writer->write);
    weir_table_commit_close(writer->commit);
    weir_batch_free(&writer->batch);
    weir_lake_table_release(writer->table);
    free(writer->commit_user);
    free(writer);
}

/* ---- rows ---- */

/* The columns of an Arrow struct in the order of the table's, with a column of nulls where one is missing. Borrows all
 * that it points to. */
typedef struct arranged_rows {
    struct ArrowSchema schema;
    struct ArrowArray array;
    struct ArrowSchema null_schema;
    struct ArrowArray null_array;
} arranged_rows;

static int64_t find_child(const struct ArrowSchema *schema, const char *name)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (schema->children[i]->name != NULL && strcmp(schema->children[i]->name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* Columns that the table does not have, and columns that come twice. */
static int check_names(const weir_schema *schema, const struct ArrowSchema *rows, weir_error *err)
{
    for (int64_t i = 0; i < rows->n_children; i++) {
        const char *name = rows->children[i]->name != NULL ? rows->children[i]->name : "";
        int32_t column = -1;
        if (find_child(rows, name) != i) {
            return weir_fail(err, WEIR_INVALID, "the rows have the column '%s' twice", name);
        }
        if (strcmp(name, WEIR_ARROW_ROW_KIND) != 0 && weir_read_request_column(schema, name, &column, err) != WEIR_OK) {
            return weir_error_context(err, WEIR_INVALID, "the rows do not fit the table");
        }
    }
    return WEIR_OK;
}

static int arrange(const weir_table *table, const struct ArrowSchema *schema, const struct ArrowArray *array,
                   weir_arena *arena, arranged_rows *out, weir_error *err)
{
    const weir_schema *columns = table->schema;
    if (schema->format == NULL || strcmp(schema->format, "+s") != 0 || schema->n_children != array->n_children) {
        return weir_fail(err, WEIR_INVALID, "rows must come as an Arrow struct");
    }
    WEIR_TRY(check_names(columns, schema, err));
    *out = (arranged_rows){.schema = *schema, .array = *array};
    out->null_schema = (struct ArrowSchema){.format = "n", .flags = ARROW_FLAG_NULLABLE};
    out->null_array =
        (struct ArrowArray){.length = array->offset + array->length, .null_count = array->offset + array->length};
    out->schema.children = WEIR_NEW_ARRAY(arena, struct ArrowSchema *, columns->field_count + 1);
    out->array.children = WEIR_NEW_ARRAY(arena, struct ArrowArray *, columns->field_count + 1);
    int64_t count = 0;
    for (int32_t i = 0; i < columns->field_count; i++) {
        int64_t child = find_child(schema, columns->fields[i].name);
        if (child < 0 && !columns->fields[i].type->nullable) {
            return weir_fail(err, WEIR_INVALID, "the rows have no column '%s', which is NOT NULL in %s",
                             columns->fields[i].name, table->path);
        }
        out->schema.children[count] = child >= 0 ? schema->children[child] : &out->null_schema;
        out->array.children[count++] = child >= 0 ? array->children[child] : &out->null_array;
    }
    int64_t kinds = find_child(schema, WEIR_ARROW_ROW_KIND);
    if (kinds >= 0) {
        out->schema.children[count] = schema->children[kinds];
        out->array.children[count++] = array->children[kinds];
    }
    out->schema.n_children = out->array.n_children = count;
    return WEIR_OK;
}

int weir_writer_write(weir_writer *writer, const struct ArrowSchema *schema, const struct ArrowArray *array,
                      weir_error *err)
{
    arranged_rows rows;
    weir_arena arena;
    weir_arena_init(&arena);
    int code = WEIR_OK;
    weir_batch_clear(&writer->batch);
    WEIR_GO(arrange(writer->table->table, schema, array, &arena, &rows, err));
    WEIR_GO(weir_arrow_import_batch(&rows.schema, &rows.array, &writer->batch, err));
    writer->has_rows = true;
    WEIR_GO(weir_table_write_batch(writer->write, &writer->batch, err));
done:
    weir_arena_free(&arena);
    return code;
}

static int stream_failure(struct ArrowArrayStream *stream, int errno_value, weir_error *err)
{
    const char *reason = stream->get_last_error(stream);
    return weir_fail(err, WEIR_IO, "the stream of rows failed: %s", reason != NULL ? reason : strerror(errno_value));
}

static int write_batches(weir_writer *writer, struct ArrowArrayStream *stream, const struct ArrowSchema *schema,
                         weir_error *err)
{
    for (;;) {
        struct ArrowArray array = {0};
        int failure = stream->get_next(stream, &array);
        if (failure != 0) {
            return stream_failure(stream, failure, err);
        }
        if (array.release == NULL) {
            return WEIR_OK;
        }
        int code = weir_writer_write(writer, schema, &array, err);
        array.release(&array);
        WEIR_TRY(code);
    }
}

int weir_writer_write_stream(weir_writer *writer, struct ArrowArrayStream *stream, weir_error *err)
{
    struct ArrowSchema schema = {0};
    int failure = stream->get_schema(stream, &schema);
    int code = failure != 0 ? stream_failure(stream, failure, err) : write_batches(writer, stream, &schema, err);
    if (schema.release != NULL) {
        schema.release(&schema);
    }
    stream->release(stream);
    return code;
}

/* ---- commits ---- */

int weir_writer_prepare(weir_writer *writer, bool wait_compaction, weir_prepared **out, weir_error *err)
{
    weir_prepared *prepared = weir_prepared_new();
    /* Its identifier is not known yet. Most number their commits from 1 on, as this does. */
    int64_t number = wait_compaction ? WEIR_BATCH_COMMIT_IDENTIFIER : ++writer->prepared_count;
    weir_table_write_compact_due(writer->write, number);
    int code = weir_table_write_prepare(writer->write, wait_compaction, &prepared->arena, &prepared->messages, err);
    if (code != WEIR_OK) {
        weir_prepared_free(prepared);
        return code;
    }
    writer->has_rows = false;
    *out = prepared;
    return WEIR_OK;
}

static weir_committable committable_of(const weir_prepared *prepared, int64_t identifier)
{
    return (weir_committable){
        .identifier = identifier,
        .watermark = WEIR_NO_WATERMARK,
        .messages = &prepared->messages,
    };
}

/* After a commit that has come to `code`. The changes that a dropped compaction would have told are told at once where
 * the committer can; rows that came since the prepare must not be drawn into that, and bring them with the next commit.
 */
static int finish_commit(weir_writer *writer, const weir_committable *committable, bool owes, int code,
                         int64_t snapshot_id, int64_t *out_snapshot_id, weir_error *err)
{
    weir_publish_summary summary = {.last_snapshot = snapshot_id};
    if (code == WEIR_CONFLICT) {
        weir_table_write_refused(writer->write);
    }
    WEIR_TRY(code);
    weir_table_write_committed(writer->write, weir_table_commit_rows_snapshot(writer->commit));
    if (!writer->has_rows && !writer->overwrite) {
        WEIR_TRY(weir_table_publish_settle(writer->write, writer->commit, committable, owes, &summary, err));
    } else if (weir_table_commit_dropped_compaction(writer->commit)) {
        (void)weir_table_write_reload(writer->write, NULL); /* the commit stands; a failure comes with the next write */
    }
    if (out_snapshot_id != NULL) {
        *out_snapshot_id = summary.last_snapshot;
    }
    return WEIR_OK;
}

int weir_writer_commit(weir_writer *writer, const weir_prepared *prepared, int64_t identifier, int64_t *out_snapshot_id,
                       weir_error *err)
{
    int64_t snapshot_id = 0;
    weir_committable committable = committable_of(prepared, identifier);
    int code = weir_table_commit_run(writer->commit, &committable, &snapshot_id, err);
    return finish_commit(writer, &committable, false, code, snapshot_id, out_snapshot_id, err);
}

int weir_writer_replay(weir_writer *writer, const weir_prepared *prepared, int64_t identifier, int64_t *out_snapshot_id,
                       weir_error *err)
{
    int64_t snapshot_id = 0;
    weir_committable committable = committable_of(prepared, identifier);
    int code = weir_table_commit_replay(writer->commit, &committable, &snapshot_id, err);
    bool owes = !weir_table_write_compacts_fully(writer->write); /* full compactions have their time */
    return finish_commit(writer, &committable, owes, code, snapshot_id, out_snapshot_id, err);
}

/* Values of partition keys as literals; NULL where there is none. */
static int parse_partition(const weir_schema *schema, const char *const *values, weir_arena *arena,
                           const weir_literal ***out, weir_error *err)
{
    if (values == NULL) {
        *out = NULL;
        return WEIR_OK;
    }
    *out = WEIR_NEW_ARRAY(arena, const weir_literal *, schema->partition_key_count + 1);
    for (int32_t i = 0; i < schema->partition_key_count; i++) {
        if (values[i] != NULL) {
            weir_literal *value = WEIR_NEW(arena, weir_literal);
            WEIR_TRY(
                weir_read_request_value(&schema->fields[schema->partition_columns[i]], values[i], arena, value, err));
            (*out)[i] = value;
        }
    }
    return WEIR_OK;
}

int weir_writer_overwrite(weir_writer *writer, const weir_prepared *prepared, int64_t identifier,
                          const char *const *partition_values, int64_t *out_snapshot_id, weir_error *err)
{
    const weir_literal **partition = NULL;
    weir_committable committable = committable_of(prepared, identifier);
    weir_arena arena;
    int64_t snapshot_id = 0;
    int code;
    if (!writer->overwrite) {
        return weir_fail(err, WEIR_INVALID, "%s: this writer was not opened to overwrite", writer->table->table->path);
    }
    weir_arena_init(&arena);
    WEIR_GO(parse_partition(writer->table->table->schema, partition_values, &arena, &partition, err));
    WEIR_GO(weir_table_commit_overwrite(writer->commit, &committable, partition, &snapshot_id, err));
done:
    weir_arena_free(&arena);
    return finish_commit(writer, &committable, false, code, snapshot_id, out_snapshot_id, err);
}

int weir_writer_verify(weir_writer *writer, weir_error *err) { return weir_table_commit_verify(writer->commit, err); }

int weir_writer_abort(weir_writer *writer, const weir_prepared *prepared, weir_error *err)
{
    return weir_table_commit_abort(writer->commit, &prepared->messages, err);
}
