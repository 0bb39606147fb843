/* The table of all settings. Keys and defaults are Flink's, those that begin with `weir.` our own. */
#include "session/settings/settings.h"

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

#define WORKS(k, t, d, x) {.key = (k), .type = WEIR_SETTING_##t, .default_value = (d), .works = true, .text = (x)}
#define NOT_HERE(k, x)    {.key = (k), .type = WEIR_SETTING_TEXT, .is_refused = true, .text = (x)}
#define KEPT(k, t, d, x)  {.key = (k), .type = WEIR_SETTING_##t, .default_value = (d), .text = (x)}
#define CHOICE(k, d, w, r, has_effect, x)                                                                              \
    {.key = (k),                                                                                                       \
     .type = WEIR_SETTING_ENUM,                                                                                        \
     .default_value = (d),                                                                                             \
     .values = (w),                                                                                                    \
     .refused = (r),                                                                                                   \
     .works = (has_effect),                                                                                            \
     .text = (x)}

const weir_setting weir_settings_table[] = {
    /* ---- how statements run ---- */
    CHOICE("execution.runtime-mode", NULL, WORDS("streaming", "batch"), NULL, true,
           "streaming: an INSERT is a job, for which a Paimon table never ends. batch: it reads its tables as they are "
           "now, and is one commit. Unset: INSERT as in streaming mode, SELECT as in batch mode."),
    WORKS("execution.checkpointing.interval", DURATION, NULL,
          "How often a job commits. Unset: every second where its input never ends, otherwise by weir.commit-rows."),
    WORKS("weir.commit-rows", INTEGER, "100000",
          "A job commits after this many rows, too. Unless it was set, only where no interval is."),
    WORKS("pipeline.name", TEXT, NULL,
          "The name of a job, and of its state: with it a job is found again when statements of its script move."),
    WORKS("table.exec.state.ttl", DURATION, "0 ms", "How long jobs keep state that is not written to. 0 ms: for ever."),
    CHOICE(
        "table.exec.sink.upsert-materialize", "auto", WORDS("auto", "none", "force"), NULL, true,
        "Whether a job keeps the rows that it writes by key: auto: where rows of several keys of its query may meet on "
        "one key of the table."),
    WORKS("table.exec.source.idle-timeout", DURATION, "0 ms",
          "After how long a source without rows no longer holds back watermarks. 0 ms: never."),
    WORKS("table.local-time-zone", ZONE, "UTC",
          "The zone of TIMESTAMP_LTZ values as people read them, such as UTC, Asia/Shanghai or GMT+08:00."),
    CHOICE("table.exec.sink.not-null-enforcer", "error", WORDS("error", "drop"), NULL, true,
           "What happens to a row with NULL in a NOT NULL column: the statement fails, or the row is dropped."),
    WORKS("table.dynamic-table-options.enabled", BOOLEAN, "true", "Whether OPTIONS hints are allowed."),
    CHOICE("table.exec.sink.type-length-enforcer", "ignore", WORDS("ignore", "trim_pad"), NULL, true,
           "What happens to values that are longer than their CHAR, VARCHAR, BINARY or VARBINARY column although their "
           "type fits: they are kept; or cut, and shorter ones of CHAR and BINARY filled up."),

    /* ---- Flink's, for which there is another way here ---- */
    NOT_HERE("execution.checkpointing.dir", "State lies in the folder of --state DIR, which may be anywhere."),
    NOT_HERE("state.checkpoints.dir", "State lies in the folder of --state DIR, which may be anywhere."),
    NOT_HERE("execution.state-recovery.path", "Jobs go on from the folder of --state DIR when they are started again."),
    NOT_HERE("execution.savepoint.path", "Jobs go on from the folder of --state DIR when they are started again."),

    /* ---- Flink's, without effect here ---- */
    KEPT("pipeline.auto-watermark-interval", DURATION, "200 ms", "How often watermarks are made."),
    KEPT("pipeline.object-reuse", BOOLEAN, "false", "Of Flink's operators."),
    KEPT("pipeline.max-parallelism", TEXT, NULL, "Of Flink's operators."),
    KEPT("pipeline.operator-chaining", BOOLEAN, "true", "Of Flink's operators."),
    KEPT("parallelism.default", INTEGER, "1",
         "A job has one thread; writing and queries use all processors: see --threads."),
    KEPT("table.dml-sync", BOOLEAN, "false", "Statements whose input ends are always waited for, others never."),
    KEPT("execution.checkpointing.mode", TEXT, "EXACTLY_ONCE", "Commits are always exactly once."),
    KEPT("execution.checkpointing.min-pause", DURATION, "0 ms", "Between two checkpoints."),
    KEPT("execution.checkpointing.timeout", DURATION, "10 min", "Of a checkpoint."),
    KEPT("execution.checkpointing.savepoint-dir", TEXT, NULL, "See --state."),
    KEPT("execution.checkpointing.storage", TEXT, NULL, "Always a folder: see --state."),
    KEPT("execution.checkpointing.max-concurrent-checkpoints", INTEGER, "1", "Checkpoints at a time."),
    KEPT("execution.checkpointing.tolerable-failed-checkpoints", TEXT, "0", "Of a job."),
    KEPT("execution.checkpointing.unaligned.enabled", BOOLEAN, "false", "Of Flink's barriers."),
    KEPT("execution.checkpointing.externalized-checkpoint-retention", TEXT, NULL, "What stays after a job."),
    KEPT("execution.checkpointing.incremental", BOOLEAN, "false", "Of Flink's state."),
    KEPT("execution.state-recovery.ignore-unclaimed-state", BOOLEAN, "false", "Of Flink's state."),
    KEPT("table.exec.mini-batch.enabled", BOOLEAN, "false", "Input always goes in batches."),
    KEPT("table.exec.mini-batch.allow-latency", DURATION, "0 ms", "Input always goes in batches."),
    KEPT("table.exec.mini-batch.size", TEXT, "-1", "Input always goes in batches."),
    KEPT("table.exec.source.cdc-events-duplicate", BOOLEAN, "false", "Whether change events may come twice."),
    CHOICE("table.exec.sink.keyed-shuffle", "auto", WORDS("auto", "none", "force"), NULL, false,
           "Sending rows of a key to one writer."),
    KEPT("table.exec.resource.default-parallelism", TEXT, "-1", "All processors are used; see --threads."),
    KEPT("table.exec.async-lookup.buffer-capacity", INTEGER, "100", "Of lookup joins."),
    KEPT("table.exec.async-lookup.timeout", DURATION, "3 min", "Of lookup joins."),
    KEPT("table.exec.async-lookup.output-mode", TEXT, "ORDERED", "Of lookup joins."),
    KEPT("table.exec.rank.topn-cache-size", INTEGER, "10000", "Of Top-N queries."),
    KEPT("table.exec.interval-join.min-cleanup-interval", DURATION, "0 ms", "Of interval joins."),
    KEPT("table.exec.legacy-cast-behaviour", TEXT, "DISABLED", "CAST fails on what it cannot read."),
    KEPT("restart-strategy.type", TEXT, NULL, "A job that fails ends the run; the same command goes on."),
    KEPT("state.backend.type", TEXT, "hashmap", "Of Flink's state."),
    CHOICE(
        "sql-client.execution.result-mode", "table", WORDS("table", "changelog", "tableau"), NULL, true,
        "What a SELECT in streaming mode shows. table: its final rows, where its input ends. changelog, tableau, and "
        "where it does not end: every change as it comes, its kind in a first column op."),
    WORKS("sql-client.execution.max-table-result.rows", INTEGER, "1000000",
          "The most rows of a table that are shown on a terminal; the others are counted."),
    KEPT("sql-client.display.column-width", INTEGER, "30", "Of Flink's SQL client."),
    WORKS("sql-client.display.print-time-cost", BOOLEAN, "true",
          "Whether the line after a result on a terminal says how long it took."),
    KEPT("sql-client.verbose", BOOLEAN, "false", "Of Flink's SQL client."),
};
const size_t weir_settings_count = sizeof weir_settings_table / sizeof *weir_settings_table;
