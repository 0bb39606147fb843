/* write, compact, expire, truncate: what changes a table. */
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "meta/partition.h"
#include "table/commit/commit.h"
#include "table/maintenance/expire.h"
#include "table/write/compact.h"
#include "table/write/table_write.h"
#include "table_tool.h"

/* A table with its writer and committer; kept under a name where the call asks for it. */
typedef struct session {
    struct session *next;
    char *name; /* NULL: closed after the call */
    weir_table *table;
    weir_table_write *write;
    weir_table_commit *commit;
} session;

static session *sessions;

static void close_session(session *self)
{
    if (self != NULL) {
        weir_table_write_close(self->write);
        weir_table_commit_close(self->commit);
        weir_table_close(self->table);
        free(self->name);
        free(self);
    }
}

void tool_close_sessions(void)
{
    while (sessions != NULL) {
        session *first = sessions;
        sessions = first->next;
        close_session(first);
    }
}

static session *find_session(const char *name)
{
    for (session *one = sessions; name != NULL && one != NULL; one = one->next) {
        if (strcmp(one->name, name) == 0) {
            return one;
        }
    }
    return NULL;
}

int tool_close_session(tool_call *call, weir_error *err)
{
    const char *name = NULL;
    WEIR_TRY(tool_word(call, 0, "the session's name", &name, err));
    for (session **at = &sessions; *at != NULL; at = &(*at)->next) {
        if (strcmp((*at)->name, name) == 0) {
            session *found = *at;
            *at = found->next;
            close_session(found);
            return WEIR_OK;
        }
    }
    return weir_fail(err, WEIR_NOT_FOUND, "there is no session %s", name);
}

static int open_session(tool_call *call, const char *user, session **out, weir_error *err)
{
    const char *name = tool_option(call, "session");
    session *self = find_session(name);
    if (self != NULL) {
        *out = self;
        return WEIR_OK;
    }
    self = weir_alloc_zeroed(1, sizeof *self);
    weir_table_write_options options = {.commit_user = user, .overwrite = tool_has(call, "overwrite")};
    int code = WEIR_OK;
    WEIR_GO(tool_open_table(call, NULL, false, &self->table, err));
    WEIR_GO(weir_table_write_open(self->table, &options, &self->write, err));
    WEIR_GO(weir_table_commit_open(self->table, user, &self->commit, err));
    if (name != NULL) {
        self->name = weir_strdup(name);
        self->next = sessions;
        sessions = self;
    }
    *out = self;
done:
    if (code != WEIR_OK) {
        close_session(self);
    }
    return code;
}

static int append_row(const weir_schema *schema, const json_t *row, weir_batch *batch, weir_error *err)
{
    const char *kind = json_string_value(json_array_get(row, 0));
    int8_t parsed = WEIR_INSERT;
    if (json_array_size(row) != (size_t)schema->field_count + 1 || kind == NULL ||
        !weir_row_kind_parse(weir_slice_text(kind), &parsed)) {
        return weir_fail(err, WEIR_INVALID, "expected a kind and %d values", schema->field_count);
    }
    for (int32_t c = 0; c < schema->field_count; c++) {
        WEIR_TRY(weir_vector_append_json(&batch->columns[c], json_array_get(row, (size_t)c + 1), err));
    }
    weir_batch_reserve_kinds(batch, batch->length + 1);
    batch->kinds[batch->length++] = parsed;
    return WEIR_OK;
}

/* The rows of a file of JSON lines, all at once. */
static int read_rows(const weir_schema *schema, const char *path, weir_batch *batch, weir_error *err)
{
    weir_buffer text = {0};
    int code = WEIR_OK;
    WEIR_GO(weir_fs_read_all(weir_fs_local(), path, &text, err));
    const char *line = weir_buffer_text(&text);
    for (int number = 1; *line != '\0'; number++) {
        size_t size = strcspn(line, "\n");
        json_error_t problem;
        json_t *row = json_loadb(line, size, JSON_ALLOW_NUL, &problem);
        code = row != NULL ? append_row(schema, row, batch, err) : weir_fail(err, WEIR_INVALID, "%s", problem.text);
        json_decref(row);
        if (code != WEIR_OK) {
            code = weir_error_context(err, code, "%s, line %d", path, number);
            goto done;
        }
        line += size + (line[size] == '\n');
    }
done:
    weir_buffer_free(&text);
    return code;
}

/* k=v,… as literals, one a partition key, NULL where none is given. Empty text: the whole table (*out stays NULL). */
static int parse_partition(tool_call *call, const weir_schema *schema, const char *text,
                           const weir_literal *const **out, weir_error *err)
{
    const weir_literal **values = WEIR_NEW_ARRAY(&call->arena, const weir_literal *, schema->partition_key_count + 1);
    if (*text == '\0') {
        return WEIR_OK;
    }
    for (const char *at = text; *at != '\0'; at += *at == ',') {
        size_t name_size = strcspn(at, "="), value_size = strcspn(at + name_size, ",");
        const char *name = weir_arena_strndup(&call->arena, at, name_size);
        int32_t key = 0;
        while (key < schema->partition_key_count && strcmp(schema->partition_keys[key], name) != 0) {
            key++;
        }
        if (key == schema->partition_key_count || value_size == 0) {
            return weir_fail(err, WEIR_INVALID, "--overwrite %s: '%s' is no partition key with a value", text, name);
        }
        weir_literal *value = WEIR_NEW(&call->arena, weir_literal);
        const weir_type *type = schema->fields[schema->partition_columns[key]].type;
        weir_slice bytes = weir_slice_of(at + name_size + 1, value_size - 1);
        WEIR_TRY(weir_literal_parse(type, bytes, &call->arena, value, err));
        values[key] = value;
        at += name_size + value_size;
    }
    *out = values;
    return WEIR_OK;
}

static int commit_messages(tool_call *call, session *self, const weir_commit_messages *messages, int64_t identifier,
                           weir_error *err)
{
    weir_committable committable = {.identifier = identifier, .watermark = WEIR_NO_WATERMARK, .messages = messages};
    const char *overwrite = tool_option(call, "overwrite");
    if (overwrite != NULL) {
        const weir_literal *const *values = NULL;
        WEIR_TRY(parse_partition(call, self->table->schema, overwrite, &values, err));
        return weir_table_commit_overwrite(self->commit, &committable, values, NULL, err);
    }
    return tool_has(call, "filter-committed") ? weir_table_commit_replay(self->commit, &committable, NULL, err)
                                              : weir_table_commit_run(self->commit, &committable, NULL, err);
}

/* `dropped`: whether a compaction gave way to somebody else's. */
static int print_result(const weir_table *table, size_t message_count, bool dropped, weir_error *err)
{
    int64_t latest = 0;
    WEIR_TRY(weir_snapshot_latest_id(table->context.fs, table->context.paths.root, &latest, err));
    printf("{\"messages\":%zu,\"latestSnapshot\":%" PRId64 ",\"droppedCompaction\":%s}\n", message_count, latest,
           dropped ? "true" : "false");
    return WEIR_OK;
}

static int write_rows(tool_call *call, session *self, const char *path, int64_t identifier, weir_error *err)
{
    weir_commit_messages messages = {0};
    weir_batch batch;
    weir_batch_init(&batch, self->table->schema->fields, self->table->schema->field_count);
    int code = WEIR_OK;
    WEIR_GO(read_rows(self->table->schema, path, &batch, err));
    WEIR_GO(weir_table_write_batch(self->write, &batch, err));
    if (tool_has(call, "compact")) {
        WEIR_GO(weir_table_write_compact_written(self->write, err));
    }
    WEIR_GO(weir_table_write_prepare(self->write, !tool_has(call, "no-wait"), &call->arena, &messages, err));
    WEIR_GO(commit_messages(call, self, &messages, identifier, err));
    bool dropped = weir_table_commit_dropped_compaction(self->commit);
    if (dropped) {
        weir_table_write_reset(self->write);
    }
    WEIR_GO(print_result(self->table, messages.count, dropped, err));
done:
    weir_commit_messages_free(&messages);
    weir_batch_free(&batch);
    return code;
}

int tool_write(tool_call *call, weir_error *err)
{
    const char *path = NULL, *user = tool_option(call, "commit-user");
    int64_t identifier = WEIR_BATCH_COMMIT_IDENTIFIER;
    session *self = NULL;
    WEIR_TRY(tool_word(call, 1, "the file of rows", &path, err));
    WEIR_TRY(tool_number(call, "commit-id", &identifier, err));
    WEIR_TRY(open_session(call, user != NULL ? user : "weir", &self, err));
    int code = write_rows(call, self, path, identifier, err);
    if (self->name == NULL) {
        close_session(self);
    }
    return code;
}

int tool_compact(tool_call *call, weir_error *err)
{
    const char *user = tool_option(call, "commit-user");
    int64_t identifier = WEIR_BATCH_COMMIT_IDENTIFIER;
    weir_table *table = NULL;
    weir_table_commit *commit = NULL;
    weir_commit_messages messages = {0};
    int code = WEIR_OK;
    WEIR_GO(tool_number(call, "commit-id", &identifier, err));
    WEIR_GO(tool_open_table(call, NULL, false, &table, err));
    WEIR_GO(weir_table_compact(table, !tool_has(call, "minor"), NULL, &call->arena, &messages, err));
    WEIR_GO(weir_table_commit_open(table, user != NULL ? user : "weir-compact", &commit, err));
    weir_committable committable = {.identifier = identifier, .watermark = WEIR_NO_WATERMARK, .messages = &messages};
    WEIR_GO(weir_table_commit_run(commit, &committable, NULL, err));
    WEIR_GO(print_result(table, messages.count, weir_table_commit_dropped_compaction(commit), err));
done:
    weir_commit_messages_free(&messages);
    weir_table_commit_close(commit);
    weir_table_close(table);
    return code;
}

int tool_expire(tool_call *call, weir_error *err)
{
    const char *least = NULL, *most = NULL;
    weir_expire_options options = {.older_than_ms = INT64_MAX};
    weir_table *table = NULL;
    int64_t expired = 0;
    WEIR_TRY(tool_word(call, 1, "the least number of snapshots to keep", &least, err));
    WEIR_TRY(tool_word(call, 2, "the greatest number of snapshots to keep", &most, err));
    if (!weir_parse_int64(weir_slice_text(least), &options.retain_min) ||
        !weir_parse_int64(weir_slice_text(most), &options.retain_max)) {
        return weir_fail(err, WEIR_INVALID, "expire %s %s: expected two numbers", least, most);
    }
    WEIR_TRY(tool_open_table(call, NULL, false, &table, err));
    int code = weir_table_expire(table, &options, &expired, err);
    if (code == WEIR_OK) {
        printf("{\"expired\":%" PRId64 "}\n", expired);
    }
    weir_table_close(table);
    return code;
}

int tool_truncate(tool_call *call, weir_error *err)
{
    weir_table *table = NULL;
    weir_table_commit *commit = NULL;
    int code = WEIR_OK;
    WEIR_GO(tool_open_table(call, NULL, false, &table, err));
    WEIR_GO(weir_table_commit_open(table, "weir", &commit, err));
    WEIR_GO(weir_table_commit_truncate(commit, WEIR_BATCH_COMMIT_IDENTIFIER, NULL, err));
    WEIR_GO(print_result(table, 0, false, err));
done:
    weir_table_commit_close(commit);
    weir_table_close(table);
    return code;
}
