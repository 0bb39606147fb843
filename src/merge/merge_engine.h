/* Merge engines: what becomes of the rows of one key.
 *
 * Phase one of a merge leaves groups: the rows of each key from the oldest to the newest, by sequence.field, then by
 * sequence number, then by run. An engine says what row, if any, comes of each group:
 *
 *   engine          the row                                     its kind and sequence number
 *   ──────────────  ──────────────────────────────────────────  ─────────────────────────────────────────────────────
 *   deduplicate     the newest                                  that row's
 *   first-row       the oldest above level 0, or the oldest     that row's; no row where an older one was looked up
 *   partial-update  column by column the newest that is not     +I, or -D when the newest row deletes the key or no
 *                   NULL, or what its sequence group says       row added it; number of the newest row that counts
 *   aggregation     column by column what its function makes    +I, or -D when aggregation.remove-record-on-delete is
 *                   of all rows                                 set and the newest row is -D; number of the newest
 *
 * - A group of a single row is that row, with its kind, whatever the engine (a -U or -D too). So results merge again as
 *   rows: a lone -D that aggregation will subtract later stays -D in level 0, two become a +I with the negative sum.
 *   Only compactions that look older rows up fold lone rows as well (weir_merge_options.folds_lone_rows): then that -D
 *   becomes a +I with the negative value, and a row whose sequence group has no version loses that group's values.
 *   Runs that are neighbours in age may be merged in steps; others may not (merge_steps.h sees to that).
 * - ignore-delete: -U and -D count as if they were not there; where nothing is left of a group, no row comes of it. In
 *   partial-update that holds for groups of several rows, and a -D comes of one without an add. aggregation leaves it
 * to the writer.
 * - Without it, -U and -D are an error in first-row, and in partial-update without a delete option or sequence group;
 *   functions that cannot retract are one in aggregation. The message is Java's.
 * - A result of kind -U or -D is left out of the merge unless keep_deletes is set (merge_reader.h): readers, and
 *   compactions with nothing older below, leave it out; every other compaction and the write buffer keep it.
 * - Where the table looks older rows up (changelog-producer lookup, force-lookup, deletion vectors; `reads_one_level`),
 *   a row above level 0 already holds everything older. So of a group's rows above level 0 only that of the least level
 *   takes part, in compactions and in reads alike. Groups need levels then, and for first-row. (deduplicate gives the
 *   same anyway.)
 *
 * Engines that pick a row tell which (`weir_merge_engine_picks`); others fold rows column by column (group_fold.h).
 * Both work on any weir_merge_groups: those of a merge of runs (merge_reader.h does all of it), or those that a write
 * buffer makes of its sorted rows.
 *
 * Source of truth: org.apache.paimon.mergetree.compact (ReducerMergeFunctionWrapper, LookupMergeFunction,
 * PartialUpdateMergeFunction, aggregate.AggregateMergeFunction, FirstRowMergeFunction). */
#ifndef WEIR_MERGE_MERGE_ENGINE_H
#define WEIR_MERGE_MERGE_ENGINE_H

#include "merge/aggregate.h"
#include "meta/schema.h"

/* The rows of a window of keys, in key order; those of one key stand together, the oldest first. */
typedef struct weir_merge_groups {
    int64_t group_count;
    int64_t *group_starts; /* group_count + 1 */
    size_t group_capacity;
    int64_t row_count;
    uint16_t *runs;
    int64_t *rows; /* counted through all files of the run */
    int64_t *sequence_numbers;
    int8_t *kinds;
    int32_t *levels; /* NULL when nobody wants to know; rows of a write buffer are of level 0 */
    size_t row_capacity;
} weir_merge_groups;

typedef enum weir_merge_engine_kind {
    WEIR_MERGE_DEDUPLICATE,
    WEIR_MERGE_PARTIAL_UPDATE,
    WEIR_MERGE_AGGREGATION,
    WEIR_MERGE_FIRST_ROW,
} weir_merge_engine_kind;

/* A sequence group of partial-update: columns that change together when their version is not older. */
typedef struct weir_sequence_group {
    const int32_t *order_columns; /* the version: compared in this order, NULL before all */
    int32_t order_count;
    bool removes_record; /* a -D in it removes the whole row */
} weir_sequence_group;

/* How a column is merged by an engine that folds. */
typedef struct weir_column_merge {
    weir_field_aggregate aggregate;
    int32_t group; /* its sequence group, or -1 */
} weir_column_merge;

typedef struct weir_merge_engine {
    weir_merge_engine_kind kind;
    const char *name;
    bool ignore_delete;
    bool remove_record_on_delete; /* of partial-update or aggregation */
    bool reads_one_level;
    const weir_schema *schema;
    const weir_column_merge *columns; /* one a column of the schema; NULL for engines that pick */
    const weir_sequence_group *groups;
    int32_t group_count;
} weir_merge_engine;

/* The engine that the table's options ask for, in `arena`; the schema is borrowed. WEIR_INVALID for options that
 * contradict each other or the columns, as Java refuses them; WEIR_UNSUPPORTED names what is not there. */
int weir_merge_engine_of(const weir_schema *schema, weir_arena *arena, weir_merge_engine *out, weir_error *err);

/* All that a table's options ask of merging, where it is made, altered or opened for writing: the engine,
 * sequence.field and record-level expiry. Tables without a primary key merge nothing. */
int weir_merge_check_options(const weir_schema *schema, weir_error *err);

/* Whether rows of kind -U or -D may be written: WEIR_INVALID, with what to set, where no merge could take them. */
int weir_merge_engine_check_retraction(const weir_merge_engine *engine, int8_t kind, weir_error *err);

static inline bool weir_merge_engine_picks(const weir_merge_engine *engine)
{
    return engine->kind == WEIR_MERGE_DEDUPLICATE || engine->kind == WEIR_MERGE_FIRST_ROW;
}

/* Whether levels decide which row counts, beside age: rows of level 0 and those above are told apart to the end. */
static inline bool weir_merge_engine_needs_levels(const weir_merge_engine *engine)
{
    return engine->reads_one_level || engine->kind == WEIR_MERGE_FIRST_ROW;
}

/* For engines that pick: of each group the position of the row that stands for it, or -1: none does. */
int weir_merge_engine_pick(const weir_merge_engine *engine, const weir_merge_groups *groups, int64_t *out_picks,
                           weir_error *err);

void weir_merge_groups_reserve(weir_merge_groups *groups, size_t rows, bool with_levels); /* room for so many in all */
void weir_merge_groups_free(weir_merge_groups *groups);
void weir_merge_groups_move_row(weir_merge_groups *groups, int64_t from, int64_t to);
/* For `reads_one_level`: leaves of each group's rows above level 0 the one of the least level. Not for groups that are
 * all of level 0. */
void weir_merge_groups_leave_one_level(weir_merge_groups *groups);

#endif
