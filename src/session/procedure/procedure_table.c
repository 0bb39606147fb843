/* The procedures that there are; docs/procedures.md is made from this table. */
#include "session/procedure/procedure.h"

static const weir_type text_type = {.id = WEIR_VARCHAR, .nullable = true, .precision = WEIR_MAX_LENGTH};
static const weir_type bigint_type = {.id = WEIR_BIGINT, .nullable = true};
static const weir_type int_type = {.id = WEIR_INT, .nullable = true};
static const weir_type boolean_type = {.id = WEIR_BOOLEAN, .nullable = true};

#define TABLE                                                                                                          \
    {"table", &text_type, false, false, "the table, as `'database.table'`; of a branch `'database.table$branch_b'`"}
#define TEXT(argument_name, what)                    {argument_name, &text_type, false, false, what}
#define OPTIONAL_TEXT(argument_name, what)           {argument_name, &text_type, true, false, what}
#define REFUSED_TEXT(argument_name, what)            {argument_name, &text_type, true, true, what}
#define OPTIONAL(argument_name, argument_type, what) {argument_name, argument_type, true, false, what}
#define RETAINED                                     OPTIONAL_TEXT("time_retained", "after this time the tag may go, such as `'7 d'`; otherwise never")

static const weir_procedure_argument compact_arguments[] = {
    TABLE,
    OPTIONAL_TEXT("partitions", "which partitions, such as `'dt=2024-01-01,hr=7;dt=2024-01-02'`; otherwise all"),
    REFUSED_TEXT("order_strategy", "sorting"),
    REFUSED_TEXT("order_by", "sorting"),
    OPTIONAL_TEXT("options", "table options of this compaction, such as `'target-file-size=64 mb'`"),
    OPTIONAL_TEXT("where",
                  "a condition on partition columns, such as `'dt < ''2024-01-01'''`, in place of `partitions`"),
    OPTIONAL_TEXT("partition_idle_time", "only partitions that nobody has written to for so long, such as `'1 h'`"),
    OPTIONAL_TEXT("compact_strategy", "`full` (the default) or `minor`, what writers would do by themselves"),
};
static const weir_procedure_argument compact_database_arguments[] = {
    OPTIONAL_TEXT("including_databases", "a pattern that names of databases match as a whole; otherwise all"),
    OPTIONAL_TEXT("mode", "taken, without effect"),
    OPTIONAL_TEXT("including_tables", "a pattern that `database.table` matches as a whole; otherwise all"),
    OPTIONAL_TEXT("excluding_tables", "the same of tables that are left out"),
    OPTIONAL_TEXT("table_options", "table options of this compaction, such as `'target-file-size=64 mb'`"),
    REFUSED_TEXT("partition_idle_time", "compact the tables one by one"),
    OPTIONAL_TEXT("compact_strategy", "`full` (the default) or `minor`, what writers would do by themselves"),
};
static const weir_procedure_argument create_branch_arguments[] = {
    TABLE, TEXT("branch", "its name"), OPTIONAL_TEXT("tag", "where the branch begins; otherwise it is empty")};
static const weir_procedure_argument create_tag_arguments[] = {
    TABLE, TEXT("tag", "its name"), OPTIONAL("snapshot_id", &bigint_type, "the snapshot; otherwise the latest"),
    RETAINED};
static const weir_procedure_argument create_tag_from_timestamp_arguments[] = {
    TABLE,
    TEXT("tag", "its name"),
    {"timestamp", &bigint_type, false, false, "milliseconds since 1970; the first snapshot from then on is tagged"},
    RETAINED};
static const weir_procedure_argument delete_branch_arguments[] = {
    TABLE, TEXT("branch", "one name or several, separated by commas")};
static const weir_procedure_argument delete_tag_arguments[] = {TABLE,
                                                               TEXT("tag", "one name or several, separated by commas")};
static const weir_procedure_argument drop_partition_arguments[] = {
    TABLE, TEXT("partitions", "such as `'dt=2024-01-01,hr=7;dt=2024-01-02'`; keys that are left out take any value")};
static const weir_procedure_argument expire_snapshots_arguments[] = {
    TABLE,
    OPTIONAL("retain_max", &int_type, "how many may stay at most; otherwise `snapshot.num-retained.max`"),
    OPTIONAL("retain_min", &int_type, "how many stay at least; otherwise `snapshot.num-retained.min`"),
    OPTIONAL_TEXT("older_than", "only those before this local time; otherwise by `snapshot.time-retained`"),
    OPTIONAL("max_deletes", &int_type, "how many may go at a time; otherwise `snapshot.expire.limit`"),
    OPTIONAL_TEXT("options", "table options of this expiry"),
};
static const weir_procedure_argument expire_tags_arguments[] = {
    TABLE, OPTIONAL_TEXT("older_than", "those with a time to go that were made before this local time; otherwise those "
                                       "whose time is over")};
static const weir_procedure_argument fast_forward_arguments[] = {TABLE, TEXT("branch", "its name")};
static const weir_procedure_argument mark_partition_done_arguments[] = {
    TABLE, TEXT("partitions", "such as `'dt=2024-01-01;dt=2024-01-02'`")};
static const weir_procedure_argument remove_orphan_files_arguments[] = {
    TABLE,
    OPTIONAL_TEXT("older_than", "only files last changed before this local time; otherwise those older than a day"),
    OPTIONAL("dry_run", &boolean_type, "`true`: only counts them"),
    OPTIONAL("parallelism", &int_type, "taken, without effect"),
    OPTIONAL_TEXT("mode", "taken, without effect"),
};
static const weir_procedure_argument rename_tag_arguments[] = {TABLE, TEXT("tagName", "its name"),
                                                               TEXT("targetTagName", "its new name")};
static const weir_procedure_argument replace_tag_arguments[] = {
    TABLE, TEXT("tag", "its name"), OPTIONAL("snapshot_id", &bigint_type, "the snapshot; otherwise the latest"),
    RETAINED};
static const weir_procedure_argument reset_consumer_arguments[] = {
    TABLE, TEXT("consumer_id", "the consumer"),
    OPTIONAL("next_snapshot_id", &bigint_type, "what it needs next; otherwise the consumer is removed")};
static const weir_procedure_argument rollback_to_arguments[] = {TABLE, OPTIONAL_TEXT("tag", "a tag"),
                                                                OPTIONAL("snapshot_id", &bigint_type, "or a snapshot")};
static const weir_procedure_argument rollback_to_timestamp_arguments[] = {
    TABLE,
    {"timestamp", &bigint_type, false, false, "milliseconds since 1970; the latest snapshot from before then stays"}};

#define PROCEDURE(procedure_name, what)                                                                                \
    {.name = #procedure_name,                                                                                          \
     .arguments = procedure_name##_arguments,                                                                          \
     .argument_count = (int32_t)(sizeof procedure_name##_arguments / sizeof procedure_name##_arguments[0]),            \
     .run = weir_procedure_##procedure_name,                                                                           \
     .text = (what)}

const weir_procedure weir_procedures[] = {
    PROCEDURE(compact, "Compacts the table: every bucket into one sorted run, or small files of a table without a key "
                       "into larger ones."),
    {.name = "compact_database",
     .arguments = compact_database_arguments,
     .argument_count = (int32_t)(sizeof compact_database_arguments / sizeof compact_database_arguments[0]),
     .without_table = true,
     .run = weir_procedure_compact_database,
     .text = "Compacts tables of databases, as `compact` does; those that cannot be written are left alone."},
    PROCEDURE(create_branch, "Makes a branch, which is read and written as `t$branch_NAME`."),
    PROCEDURE(create_tag, "Gives a snapshot a name, under which it stays."),
    PROCEDURE(create_tag_from_timestamp, "The same for the first snapshot from a moment on. Gives the tag's name, its "
                                         "snapshot, when that was committed, and its watermark."),
    PROCEDURE(delete_branch, "Removes branches. The files that only they named can then be removed as orphans."),
    PROCEDURE(delete_tag, "Removes tags, and the files that only they held."),
    PROCEDURE(drop_partition, "Removes all rows of partitions, in one commit."),
    PROCEDURE(expire_snapshots, "Removes old snapshots with the files that only they named. Gives their number."),
    PROCEDURE(expire_tags, "Removes tags whose time is over. Gives their names."),
    PROCEDURE(fast_forward, "Makes the table what its branch is. Nobody may write to it meanwhile."),
    PROCEDURE(mark_partition_done, "Writes a file `_SUCCESS` into the folders of partitions."),
    PROCEDURE(remove_orphan_files,
              "Removes files that no snapshot, tag, branch or changelog names. Gives their number, "
              "and their bytes in a second row."),
    PROCEDURE(rename_tag, "Gives a tag another name."),
    PROCEDURE(replace_tag, "Makes a tag anew that is there: of another snapshot, or with another time to go."),
    PROCEDURE(reset_consumer, "Sets the next snapshot of a consumer, or removes the consumer."),
    PROCEDURE(rollback_to, "Makes an older snapshot the latest one again; younger snapshots and tags are lost. Gives "
                           "the latest snapshot before and after. Nobody may write to the table meanwhile."),
    PROCEDURE(rollback_to_timestamp, "The same for the latest snapshot from before a moment."),
};
const size_t weir_procedure_count = sizeof weir_procedures / sizeof weir_procedures[0];
