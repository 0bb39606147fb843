/* DELETE from a table without a primary key: rows cannot be taken back one by one, but whole partitions can go.
 *
 * A condition that looks at partition columns alone is tested once a partition, with a row that holds its values. */
#include "session/dml/delete_partitions.h"

#include "base/clock.h"
#include "session/dml/change.h"
#include "table/commit/commit.h"
#include "table/scan/scan.h"

typedef struct partition_delete {
    const weir_bound *bound;
    const weir_session_table *table;
    weir_arena arena;
    weir_manifest_entries files;
    weir_map partitions; /* → row count */
    weir_batch input, output;
    bool has_batches;
    weir_change_summary summary;
} partition_delete;

/* ---- which conditions ---- */

static bool is_partition_column(const weir_sql_table *table, int32_t column)
{
    for (int32_t i = 0; i < table->partition_key_count; i++) {
        if (table->partition_keys[i] == column) {
            return true;
        }
    }
    return false;
}

static bool uses_partitions_only(const weir_expression *expression, const weir_plan *scan)
{
    if (expression->kind == WEIR_EXPRESSION_COLUMN) {
        return is_partition_column(scan->table, scan->columns[expression->column]);
    }
    for (int32_t i = 0; i < expression->argument_count; i++) {
        if (!uses_partitions_only(expression->arguments[i], scan)) {
            return false;
        }
    }
    return true;
}

bool weir_delete_is_of_partitions(const weir_bound *bound)
{
    const weir_plan *plan = bound->plan;
    const weir_plan *scan = weir_plan_row_wise_scan(plan);
    if (scan == NULL || bound->sink->partition_key_count == 0) {
        return false;
    }
    for (; plan != scan; plan = plan->inputs[0]) {
        if (plan->kind == WEIR_PLAN_FILTER &&
            (plan->inputs[0] != scan || !uses_partitions_only(plan->predicate, scan))) {
            return false;
        }
    }
    return true;
}

/* ---- which partitions ---- */

static int list_partitions(partition_delete *self, weir_error *err)
{
    const weir_table *table = self->table->table;
    const weir_table_context *context = &table->context;
    weir_manifest_filter filter = {.bucket = -1, .min_level = -1, .without_stats = true};
    int64_t latest = 0;
    weir_snapshot *snapshot = NULL;
    WEIR_TRY(weir_snapshot_latest_id(context->fs, context->paths.root, &latest, err));
    if (latest == 0) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_snapshot_read(context->fs, context->paths.root, latest, &self->arena, &snapshot, err));
    WEIR_TRY(weir_snapshot_files(context->fs, &context->paths, table->schema, snapshot, &filter, context->pool,
                                 &self->arena, &self->files, err));
    for (size_t i = 0; i < self->files.count; i++) {
        weir_slice partition = self->files.items[i].partition;
        int64_t *rows = weir_map_get(&self->partitions, partition);
        if (rows == NULL) {
            rows = WEIR_NEW(&self->arena, int64_t);
            weir_map_put(&self->partitions, partition, rows);
        }
        *rows += self->files.items[i].file->row_count;
    }
    return WEIR_OK;
}

/* A row of the columns that the condition's scan has; what is no partition column is not looked at. */
static int append_partition_row(partition_delete *self, const weir_plan *scan, weir_slice partition, weir_error *err)
{
    const weir_schema *schema = self->table->table->schema;
    weir_literal *values = WEIR_NEW_ARRAY(&self->arena, weir_literal, schema->partition_key_count);
    WEIR_TRY(weir_partition_decode(schema, partition, &self->arena, values, err));
    for (int32_t c = 0; c < scan->field_count; c++) {
        const weir_literal *value = NULL;
        for (int32_t k = 0; k < schema->partition_key_count; k++) {
            if (schema->partition_columns[k] == scan->columns[c] && !values[k].is_null) {
                value = &values[k];
            }
        }
        WEIR_TRY(value != NULL ? weir_vector_append_literal(&self->input.columns[c], value, err)
                               : weir_vector_append_nulls(&self->input.columns[c], 1, err));
    }
    self->input.length++;
    return WEIR_OK;
}

/* The rows of `output` are the partitions whose rows match. */
static int test_partitions(partition_delete *self, weir_sql_engine *engine, weir_error *err)
{
    weir_flat_plan flat;
    weir_sql_compute *compute = NULL;
    weir_plan_flatten(self->bound->plan, &self->arena, &flat);
    const weir_plan *scan = flat.bottom;
    const weir_sql_compute_options options = {.fields = scan->fields,
                                              .field_count = scan->field_count,
                                              .conditions = flat.conditions,
                                              .condition_count = flat.condition_count,
                                              .expressions = flat.expressions,
                                              .expression_count = flat.expression_count};
    WEIR_TRY(weir_sql_compute_create(engine, &options, &compute, err));
    weir_batch_init(&self->input, scan->fields, scan->field_count);
    weir_batch_init(&self->output, self->bound->plan->fields, self->bound->plan->field_count);
    self->has_batches = true;
    int code = WEIR_OK;
    for (size_t i = 0; i < self->partitions.entry_count && code == WEIR_OK; i++) {
        code = append_partition_row(self, scan, self->partitions.entries[i].key, err);
    }
    if (code == WEIR_OK) {
        code = weir_sql_compute_run(compute, &self->input, &self->output, NULL, err);
    }
    weir_sql_compute_free(compute);
    return code;
}

/* ---- dropping ---- */

/* The partition of one row of `output`: values by key. */
static const weir_literal *const *spec_of_row(partition_delete *self, int64_t row)
{
    const weir_schema *schema = self->table->table->schema;
    const weir_literal **spec = WEIR_NEW_ARRAY(&self->arena, const weir_literal *, schema->partition_key_count);
    for (int32_t k = 0; k < schema->partition_key_count; k++) {
        weir_literal *value = WEIR_NEW(&self->arena, weir_literal);
        for (int32_t c = 0; c < self->bound->sink_column_count; c++) {
            if (self->bound->sink_columns[c] == schema->partition_columns[k]) {
                *value = weir_literal_of(&self->output.columns[c], row);
            }
        }
        spec[k] = value;
    }
    return spec;
}

/* Those that match, in the statement's arena. */
static int find_matching(partition_delete *self, weir_session *session, const weir_literal *const ***out,
                         int32_t *out_count, weir_error *err)
{
    weir_sql_engine *engine = NULL;
    WEIR_TRY(weir_session_engine(session, false, &engine, err));
    WEIR_TRY(list_partitions(self, err));
    WEIR_TRY(test_partitions(self, engine, err));
    *out_count = (int32_t)self->output.length;
    *out = WEIR_NEW_ARRAY(&self->arena, const weir_literal *const *, *out_count + 1);
    for (int32_t i = 0; i < *out_count; i++) {
        (*out)[i] = spec_of_row(self, i);
    }
    return WEIR_OK;
}

static void free_delete(partition_delete *self)
{
    if (self->has_batches) {
        weir_batch_free(&self->input);
        weir_batch_free(&self->output);
    }
    weir_map_free(&self->partitions);
    weir_manifest_entries_free(&self->files);
    weir_arena_free(&self->arena);
}

static int drop_partitions(partition_delete *self, const weir_literal *const **specs, int32_t count, weir_error *err)
{
    char user[WEIR_UUID_SIZE];
    const weir_table *table = self->table->table;
    weir_table_commit *commit = NULL;
    for (int32_t i = 0; i < count; i++) {
        for (size_t p = 0; p < self->partitions.entry_count; p++) {
            if (weir_partition_matches(table->schema, specs[i], self->partitions.entries[p].key)) {
                self->summary.rows += *(int64_t *)self->partitions.entries[p].value;
            }
        }
    }
    if (count == 0) {
        return WEIR_OK;
    }
    weir_uuid(user);
    WEIR_TRY(weir_table_commit_open(table, user, &commit, err));
    int code = weir_table_commit_drop_partitions(commit, (const weir_literal *const *const *)specs, count,
                                                 WEIR_BATCH_COMMIT_IDENTIFIER, &self->summary.last_snapshot, err);
    weir_table_commit_close(commit);
    self->summary.commits = self->summary.last_snapshot > 0;
    return code;
}

int weir_delete_partitions(weir_session *session, const weir_bound *bound, weir_result **out, weir_error *err)
{
    partition_delete self = {.bound = bound, .table = bound->sink->owner};
    const weir_literal *const **specs = NULL;
    int32_t count = 0;
    int64_t start = weir_monotonic_ns();
    int code;
    weir_arena_init(&self.arena);
    WEIR_GO(weir_schema_check_writable(self.table->table->schema, err));
    WEIR_GO(find_matching(&self, session, &specs, &count, err));
    WEIR_GO(drop_partitions(&self, specs, count, err));
    self.summary.elapsed_ns = weir_monotonic_ns() - start;
    *out = weir_change_result("DELETE FROM", self.table, &self.summary);
done:
    free_delete(&self);
    return code;
}

int weir_partitions_of_condition(weir_session *session, const weir_bound *bound, weir_arena *arena,
                                 const weir_literal *const *const **out, int32_t *out_count, weir_error *err)
{
    partition_delete self = {.bound = bound, .table = bound->sink->owner};
    const weir_schema *schema = self.table->table->schema;
    const weir_literal *const **specs = NULL;
    *out_count = 0;
    weir_arena_init(&self.arena);
    int code = find_matching(&self, session, &specs, out_count, err);
    const weir_literal ***copies = WEIR_NEW_ARRAY(arena, const weir_literal **, *out_count + 1);
    for (int32_t i = 0; code == WEIR_OK && i < *out_count; i++) {
        copies[i] = WEIR_NEW_ARRAY(arena, const weir_literal *, schema->partition_key_count + 1);
        for (int32_t k = 0; k < schema->partition_key_count; k++) {
            weir_literal *copy = weir_arena_copy(arena, specs[i][k], sizeof *copy);
            copy->bytes = weir_slice_of(weir_arena_copy(arena, copy->bytes.data, copy->bytes.size), copy->bytes.size);
            copies[i][k] = copy;
        }
    }
    *out = (const weir_literal *const *const *)copies;
    free_delete(&self);
    return code;
}
