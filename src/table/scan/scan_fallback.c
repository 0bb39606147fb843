/* Planning the partitions that a table lacks from its fallback branch
 * (org.apache.paimon.table.FallbackReadFileStoreTable).
 *
 * A partition with any file in the table counts as there, whatever a predicate leaves of it. */
#include "table/scan/scan_fallback.h"

#include "base/map.h"

int weir_fallback_columns(const weir_table *table, const weir_table *fallback, weir_arena *arena, int32_t **out,
                          weir_error *err)
{
    const weir_schema *schema = table->schema;
    int32_t *positions = WEIR_NEW_ARRAY(arena, int32_t, schema->field_count);
    for (int32_t i = 0; i < schema->field_count; i++) {
        const weir_field *field = &schema->fields[i];
        positions[i] = weir_schema_column(fallback->schema, field->name);
        if (positions[i] < 0 || !weir_type_equal(field->type, fallback->schema->fields[positions[i]].type, true)) {
            return weir_fail(
                err, WEIR_INVALID,
                "%s: the fallback branch '%s' has no column '%s' of the type %s; alter it there as in this "
                "branch, or remove scan.fallback-branch",
                table->path, fallback->branch != NULL ? fallback->branch : "main", field->name,
                weir_type_text(arena, field->type));
        }
    }
    *out = positions;
    return WEIR_OK;
}

/* Partitions are told apart by their serialized rows, so that both branches must have the same keys. */
static int check_partition_keys(const weir_table *table, const weir_table *fallback, weir_error *err)
{
    const weir_schema *mine = table->schema, *other = fallback->schema;
    bool equal = mine->partition_key_count == other->partition_key_count;
    for (int32_t i = 0; i < mine->partition_key_count && equal; i++) {
        equal = strcmp(mine->partition_keys[i], other->partition_keys[i]) == 0;
    }
    if (!equal) {
        return weir_fail(err, WEIR_INVALID, "%s: the fallback branch '%s' has other partition keys", table->path,
                         fallback->branch != NULL ? fallback->branch : "main");
    }
    return WEIR_OK;
}

/* Ids of snapshots differ from branch to branch: the one that the branch had at that time, or its first. */
static int travel_to(const weir_table *table, const char *branch, const weir_snapshot *snapshot, weir_arena *arena,
                     weir_options *options, weir_error *err)
{
    weir_table_paths paths = weir_table_paths_of(arena, table->path, branch);
    weir_snapshot *then = NULL;
    int64_t id = 0;
    WEIR_TRY(weir_snapshot_at_time(table->context.fs, paths.root, snapshot->time_ms, false, arena, &then, err));
    if (then != NULL) {
        id = then->id;
    } else {
        WEIR_TRY(weir_snapshot_earliest_id(table->context.fs, paths.root, &id, err));
    }
    if (id > 0) {
        weir_options_set(options, arena, "scan.snapshot-id", weir_arena_format(arena, "%" PRId64, id));
    }
    return WEIR_OK;
}

/* The options of this read that say when: they hold for the branch too. */
static int travel_options(const weir_table *table, const char *branch, const weir_snapshot *snapshot, weir_arena *arena,
                          weir_options *out, weir_error *err)
{
    static const char *const keys[] = {"scan.tag-name",         "scan.version",   "scan.watermark",
                                       "scan.timestamp-millis", "scan.timestamp", "scan.mode"};
    const weir_options *set = &table->schema->options;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *value = weir_options_get(set, keys[i]);
        if (value != NULL) {
            weir_options_set(out, arena, keys[i], value);
        }
    }
    if (weir_options_get(set, "scan.snapshot-id") != NULL && snapshot != NULL) {
        return travel_to(table, branch, snapshot, arena, out, err);
    }
    return WEIR_OK;
}

static int collect_partitions(const weir_table *table, const weir_snapshot *snapshot, weir_arena *arena, weir_map *out,
                              weir_error *err)
{
    weir_manifest_entries entries = {0};
    weir_manifest_filter filter = {.bucket = -1, .min_level = -1, .without_stats = true};
    if (snapshot == NULL) {
        return WEIR_OK;
    }
    int code = weir_snapshot_files(table->context.fs, &table->context.paths, table->schema, snapshot, &filter,
                                   table->context.pool, arena, &entries, err);
    for (size_t i = 0; i < entries.count; i++) {
        weir_map_put(out, entries.items[i].partition, out);
    }
    weir_manifest_entries_free(&entries);
    return code;
}

/* The branch's splits become the plan's; what they are made of stays in the branch's own plan. */
static void take_splits(weir_table_plan *plan)
{
    const weir_table_plan *from = plan->fallback;
    plan->splits = weir_realloc(plan->splits, sizeof(weir_split) * (plan->split_count + from->split_count + 1));
    for (size_t i = 0; i < from->split_count; i++) {
        weir_split *split = &plan->splits[plan->split_count++];
        *split = from->splits[i];
        split->table = plan->fallback_table;
    }
    plan->manifests_read += from->manifests_read;
    plan->files_total += from->files_total;
    plan->files_kept += from->files_kept;
}

static int plan_branch(const weir_table *table, const weir_scan_options *options, const weir_map *present,
                       weir_table_plan *plan, weir_error *err)
{
    int32_t *positions = NULL;
    weir_scan_options scan = {.limit = -1, .without_partitions = present};
    WEIR_TRY(check_partition_keys(table, plan->fallback_table, err));
    WEIR_TRY(weir_fallback_columns(table, plan->fallback_table, &plan->arena, &positions, err));
    if (options != NULL && options->predicate != NULL) {
        scan.predicate = weir_predicate_map(&plan->arena, options->predicate, positions);
    }
    WEIR_TRY(weir_scan_plan(plan->fallback_table, &scan, &plan->fallback, err));
    take_splits(plan);
    return WEIR_OK;
}

int weir_scan_plan_fallback(const weir_table *table, const weir_scan_options *options, weir_table_plan *plan,
                            weir_error *err)
{
    const char *branch = weir_options_get(&table->schema->options, "scan.fallback-branch");
    bool is_fallback = options != NULL && options->without_partitions != NULL;
    if (branch == NULL || branch[0] == '\0' || is_fallback) {
        return WEIR_OK;
    }
    weir_options dynamic = {0};
    weir_map present = {0};
    weir_table_open_options open = {
        .dynamic_options = &dynamic,
        .branch = branch,
        .pool = table->context.pool,
        .budget = table->context.budget,
    };
    int code = WEIR_OK;
    WEIR_GO(travel_options(table, branch, plan->snapshot, &plan->arena, &dynamic, err));
    WEIR_GO(weir_table_open(table->context.fs, table->path, &open, &plan->fallback_table, err));
    WEIR_GO(collect_partitions(table, plan->snapshot, &plan->arena, &present, err));
    WEIR_GO(plan_branch(table, options, &present, plan, err));
done:
    weir_map_free(&present);
    return code == WEIR_OK ? WEIR_OK : weir_error_context(err, code, "the fallback branch '%s'", branch);
}
