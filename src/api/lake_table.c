/* Opened tables: opening, sharing, describing. Creating stands in create.c. */
#include "api/lake_table.h"

#include <stdlib.h>

#include "vector/arrow.h"

/* ---- what is shared ---- */

static weir_lake_resources *retain_resources(weir_lake_resources *resources)
{
    atomic_fetch_add_explicit(&resources->references, 1, memory_order_relaxed);
    return resources;
}

static void release_resources(weir_lake_resources *resources)
{
    if (resources == NULL || atomic_fetch_sub_explicit(&resources->references, 1, memory_order_acq_rel) != 1) {
        return;
    }
    weir_pool_free(resources->pool);
    weir_fs_close(resources->fs);
    weir_arena_free(&resources->arena);
    free(resources);
}

int weir_options_from_properties(const weir_property *properties, int32_t count, weir_arena *arena, weir_options *out,
                                 weir_error *err)
{
    for (int32_t i = 0; i < count; i++) {
        if (properties[i].key == NULL || properties[i].value == NULL) {
            return weir_fail(err, WEIR_INVALID, "option %d of %d has no %s", i + 1, count,
                             properties[i].key == NULL ? "key" : properties[i].key);
        }
        weir_options_set(out, arena, properties[i].key, properties[i].value);
    }
    return WEIR_OK;
}

static int create_resources(const char *path, const weir_open_settings *settings, weir_lake_resources **out,
                            weir_error *err)
{
    weir_lake_resources *resources = weir_alloc_zeroed(1, sizeof *resources);
    weir_options store = {0};
    int code = WEIR_OK;
    atomic_init(&resources->references, 1);
    weir_arena_init(&resources->arena);
    resources->branch = weir_arena_strdup(&resources->arena, settings->branch);
    weir_budget_init(&resources->budget, "the table's memory (memory_bytes)", NULL,
                     settings->memory_bytes > 0 ? settings->memory_bytes : INT64_MAX);
    WEIR_GO(weir_options_from_properties(settings->options, settings->option_count, &resources->arena,
                                         &resources->options, err));
    weir_options_split_settings(&resources->options, &resources->arena, &store);
    weir_fs_settings fs_settings = weir_options_fs_settings(&store);
    WEIR_GO(weir_fs_open(path, &fs_settings, &resources->arena, &resources->fs, &resources->path, err));
    if (settings->threads != 1) {
        WEIR_GO(weir_pool_create(settings->threads, "weir-table", &resources->pool, err));
    }
    *out = resources;
done:
    if (code != WEIR_OK) {
        release_resources(resources);
    }
    return code;
}

/* ---- tables ---- */

/* Takes over a reference to the resources, also on failure. */
static int open_table(weir_lake_resources *resources, bool latest, weir_lake_table **out, weir_error *err)
{
    weir_lake_table *self = weir_alloc_zeroed(1, sizeof *self);
    atomic_init(&self->references, 1);
    self->resources = resources;
    weir_table_open_options options = {
        .dynamic_options = &resources->options,
        .branch = resources->branch,
        .for_stream = latest,
        .pool = resources->pool,
        .budget = &resources->budget,
    };
    int code = weir_table_open(resources->fs, resources->path, &options, &self->table, err);
    if (code != WEIR_OK) {
        weir_lake_table_release(self);
        return code;
    }
    const weir_options *set = &self->table->schema->options;
    self->options = WEIR_NEW_ARRAY(&self->table->arena, weir_property, set->count);
    for (size_t i = 0; i < set->count; i++) {
        self->options[i] = (weir_property){set->keys[i], set->values[i]};
    }
    *out = self;
    return WEIR_OK;
}

int weir_lake_table_open(const char *path, const weir_open_settings *settings, weir_lake_table **out, weir_error *err)
{
    static const weir_open_settings defaults;
    weir_lake_resources *resources = NULL;
    settings = settings != NULL ? settings : &defaults;
    WEIR_TRY(create_resources(path, settings, &resources, err));
    return open_table(resources, settings->for_changes, out, err);
}

int weir_lake_table_reopen_latest(const weir_lake_table *table, weir_lake_table **out, weir_error *err)
{
    return open_table(retain_resources(table->resources), true, out, err);
}

weir_lake_table *weir_lake_table_retain(const weir_lake_table *table)
{
    weir_lake_table *shared = (weir_lake_table *)table; /* only the count changes */
    atomic_fetch_add_explicit(&shared->references, 1, memory_order_relaxed);
    return shared;
}

void weir_lake_table_release(weir_lake_table *table)
{
    if (table != NULL && atomic_fetch_sub_explicit(&table->references, 1, memory_order_acq_rel) == 1) {
        weir_table_close(table->table);
        release_resources(table->resources);
        free(table);
    }
}

void weir_lake_table_close(weir_lake_table *table) { weir_lake_table_release(table); }

/* ---- what a table is ---- */

int weir_lake_table_schema(const weir_lake_table *table, struct ArrowSchema *out, weir_error *err)
{
    const weir_schema *schema = table->table->schema;
    return weir_arrow_export_schema(schema->fields, schema->field_count, out, err);
}

void weir_lake_table_describe(const weir_lake_table *table, weir_lake_table_info *out)
{
    const weir_schema *schema = table->table->schema;
    *out = (weir_lake_table_info){
        .path = table->table->path,
        .comment = schema->comment,
        .schema_id = schema->id,
        .primary_keys = schema->primary_keys,
        .primary_key_count = schema->primary_key_count,
        .partition_keys = schema->partition_keys,
        .partition_key_count = schema->partition_key_count,
        .options = table->options,
        .option_count = (int32_t)schema->options.count,
    };
}

int weir_lake_table_latest_snapshot(const weir_lake_table *table, int64_t *out_snapshot_id, weir_error *err)
{
    const weir_table_context *context = &table->table->context;
    return weir_snapshot_latest_id(context->fs, context->paths.root, out_snapshot_id, err);
}
