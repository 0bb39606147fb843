/* Compactions that a table's writer is asked for, and full ones that are due by full-compaction.delta-commits or
 * changelog-producer.compaction-interval. Those that buckets do by themselves stand in lsm/merge_tree_writer.c. */
#include "table/write/table_write_internal.h"

static int compact_target(weir_table_write *write, weir_write_target *target, bool full, weir_error *err)
{
    int code = target->writer->ops->compact(target->writer, full, err);
    weir_write_target_measure(write, target);
    write->failed |= code != WEIR_OK;
    return code;
}

int weir_table_write_compact(weir_table_write *write, weir_slice partition, int32_t bucket, bool full, weir_error *err)
{
    weir_write_target *target = NULL;
    WEIR_TRY(weir_write_check(write, err));
    weir_write_key_set(write, partition, bucket);
    WEIR_TRY(weir_write_target_find(write, &target, err));
    target->written = true;
    target->awaits_full_compaction |= write->options.compacts && !full;
    return compact_target(write, target, full, err);
}

int weir_table_write_compact_written(weir_table_write *write, weir_error *err)
{
    WEIR_TRY(weir_write_check(write, err));
    for (size_t i = 0; i < write->targets.entry_count; i++) {
        weir_write_target *target = write->targets.entries[i].value;
        if (target != NULL && target->written) {
            WEIR_TRY(compact_target(write, target, true, err));
        }
    }
    return WEIR_OK;
}

void weir_table_write_compact_due(weir_table_write *write, int64_t identifier)
{
    write->full_is_due |= weir_full_compaction_is_due(&write->full, identifier);
}

void weir_table_write_await(weir_table_write *write, weir_slice partition, int32_t bucket)
{
    if (weir_full_compaction_is_made(&write->full)) {
        weir_full_compaction_await(&write->full, partition, bucket);
    }
}

static void add_name(weir_commit_messages *out, weir_arena *arena, weir_slice partition, int32_t bucket)
{
    const void *copy = weir_arena_copy(arena, partition.data, partition.size);
    weir_commit_messages_add(out, weir_slice_of(copy, partition.size), bucket, 0);
}

void weir_table_write_list_awaiting(const weir_table_write *write, weir_arena *arena, weir_commit_messages *out)
{
    const weir_commit_messages *waiting = &write->full.waiting;
    for (size_t i = 0; i < waiting->count; i++) {
        add_name(out, arena, waiting->items[i].partition, waiting->items[i].bucket);
    }
    for (size_t i = 0; i < write->targets.entry_count && weir_full_compaction_is_made(&write->full); i++) {
        const weir_write_target *target = write->targets.entries[i].value;
        if (target != NULL && target->awaits_full_compaction) {
            add_name(out, arena, target->partition, target->bucket);
        }
    }
}

bool weir_table_write_awaits(const weir_table_write *write)
{
    bool any = write->full.waiting.count > 0;
    for (size_t i = 0; i < write->targets.entry_count && !any && weir_full_compaction_is_made(&write->full); i++) {
        const weir_write_target *target = write->targets.entries[i].value;
        any = target != NULL && target->awaits_full_compaction;
    }
    return any;
}

/* Opens the writers of the buckets that weir_table_write_await named. */
static int open_waiting(weir_table_write *write, weir_error *err)
{
    weir_commit_messages *waiting = &write->full.waiting;
    for (size_t i = 0; i < waiting->count; i++) {
        weir_write_target *target = NULL;
        weir_write_key_set(write, waiting->items[i].partition, waiting->items[i].bucket);
        WEIR_TRY(weir_write_target_find(write, &target, err));
        target->awaits_full_compaction = true;
    }
    weir_full_compaction_forget(&write->full);
    return WEIR_OK;
}

int weir_write_compact_fully(weir_table_write *write, weir_error *err)
{
    if (!write->full_is_due) {
        return WEIR_OK;
    }
    WEIR_TRY(open_waiting(write, err));
    for (size_t i = 0; i < write->targets.entry_count; i++) {
        weir_write_target *target = write->targets.entries[i].value;
        if (target != NULL && target->awaits_full_compaction) {
            target->awaits_full_compaction = false;
            WEIR_TRY(compact_target(write, target, true, err));
        }
    }
    return WEIR_OK;
}
