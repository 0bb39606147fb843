/* Packing files and sections into splits of about source.split.target-size. */
#include "table/scan/split_builder.h"

#include "table/scan/scan_deletions.h"

int weir_split_builder_init(weir_split_builder *builder, const weir_table *table, weir_table_plan *plan, weir_error *err)
{
    const weir_options *set = &table->schema->options;
    *builder = (weir_split_builder){.plan = plan};
    WEIR_TRY(weir_options_size(set, "source.split.target-size", &builder->target_bytes, err));
    return weir_options_size(set, "source.split.open-file-cost", &builder->open_cost_bytes, err);
}

void weir_split_builder_begin(weir_split_builder *builder, int64_t snapshot_id, weir_slice partition, int32_t bucket)
{
    weir_split_builder_end(builder);
    builder->template = (weir_split){.snapshot_id = snapshot_id, .partition = partition, .bucket = bucket};
}

void weir_split_builder_end(weir_split_builder *builder)
{
    weir_table_plan *plan = builder->plan;
    if (builder->open.file_count > 0 || builder->open.run_count > 0) {
        plan->splits = weir_realloc(plan->splits, sizeof(weir_split) * (plan->split_count + 1));
        plan->splits[plan->split_count++] = builder->open;
    }
    builder->open = builder->template;
    builder->open_weight = 0;
}

/* Appends to an arena array that has room up to the next power of two. */
static void append_file(weir_arena *arena, weir_data_file ***files, int32_t *count, weir_data_file *file)
{
    if ((*count & (*count - 1)) == 0) {
        weir_data_file **grown = WEIR_NEW_ARRAY(arena, weir_data_file *, *count == 0 ? 1 : *count * 2);
        if (*count > 0) {
            memcpy(grown, *files, sizeof(*grown) * (size_t)*count);
        }
        *files = grown;
    }
    (*files)[(*count)++] = file;
}

static void count_file(weir_split_builder *builder, const weir_data_file *file)
{
    int64_t rows = weir_live_row_count(file);
    builder->open.row_count += rows < 0 ? file->row_count : rows;
    builder->plan->has_uncounted |= rows < 0;
    builder->open.size_bytes += file->size_bytes;
    builder->open_weight += file->size_bytes > builder->open_cost_bytes ? file->size_bytes : builder->open_cost_bytes;
    builder->plan->files_kept++;
}

/* Ends the open split when it is full or of another kind. */
static void make_room(weir_split_builder *builder, weir_split_kind kind)
{
    bool is_empty = builder->open.file_count == 0 && builder->open.run_count == 0;
    if (!is_empty && (builder->open.kind != kind || builder->open_weight >= builder->target_bytes)) {
        weir_split_builder_end(builder);
        is_empty = true;
    }
    if (is_empty) {
        builder->open = builder->template;
        builder->open.kind = kind;
    }
}

void weir_split_builder_add_file(weir_split_builder *builder, weir_split_kind kind, weir_data_file *file)
{
    make_room(builder, kind);
    append_file(&builder->plan->arena, &builder->open.files, &builder->open.file_count, file);
    count_file(builder, file);
}

void weir_split_builder_add_section(weir_split_builder *builder, const weir_section *section)
{
    weir_arena *arena = &builder->plan->arena;
    make_room(builder, WEIR_SPLIT_MERGE);
    if (section->run_count > builder->open.run_count) {
        weir_sorted_run *runs = WEIR_NEW_ARRAY(arena, weir_sorted_run, section->run_count);
        if (builder->open.run_count > 0) {
            memcpy(runs, builder->open.runs, sizeof(*runs) * (size_t)builder->open.run_count);
        }
        for (int32_t i = builder->open.run_count; i < section->run_count; i++) {
            runs[i].level = -1;
        }
        builder->open.runs = runs;
        builder->open.run_count = section->run_count;
    }
    for (int32_t r = 0; r < section->run_count; r++) {
        weir_sorted_run *run = &builder->open.runs[r];
        for (int32_t f = 0; f < section->runs[r].file_count; f++) {
            append_file(arena, &run->files, &run->file_count, section->runs[r].files[f]);
            count_file(builder, section->runs[r].files[f]);
        }
    }
}

void weir_split_builder_add_column_group(weir_split_builder *builder, weir_data_file **files, int32_t count)
{
    weir_split_builder_end(builder);
    builder->open.kind = WEIR_SPLIT_COLUMNS;
    builder->open.files = files;
    builder->open.file_count = count;
    for (int32_t i = 0; i < count; i++) {
        count_file(builder, files[i]);
    }
    builder->open.row_count = files[0]->row_count;
    weir_split_builder_end(builder);
}
