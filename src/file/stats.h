/* Column statistics as manifests hold them.
 *
 * Modes: none, counts, full, truncate(n); `_KEY_*` and system columns use at least truncate(128). With the dense store
 * only columns that have statistics are listed. Source of truth: org.apache.paimon.statistics.* and
 * org.apache.paimon.stats.SimpleStatsEvolution (old files' statistics seen through the current schema). */
#ifndef WEIR_FILE_STATS_H
#define WEIR_FILE_STATS_H

#include "file/table_context.h"
#include "format/format.h"
#include "vector/predicate.h"

/* Fills value_stats (and for key-value files key_stats, min_key and max_key are the writer's) of `file` from what the
 * format writer collected: `stats[i]` belongs to `fields[i]`. `mode` is for columns without a fields.<name>.stats-mode
 * of their own; NULL: as metadata.stats-mode says. */
int weir_stats_encode_values(const weir_schema *schema, const char *mode, const weir_field *fields, int32_t field_count,
                             const weir_written_stats *stats, weir_arena *arena, weir_data_file *file, weir_error *err);
int weir_stats_encode_keys(const weir_schema *schema, const weir_written_stats *key_stats, weir_arena *arena,
                           weir_data_file *file, weir_error *err);

/* Statistics of the context's schema's columns `columns` for one file: out[i] belongs to columns[i]. What the file does
 * not tell (other mode, renamed, cast, added later) is unknown; a column that the file's schema lacks is all null. */
int weir_stats_decode(const weir_table_context *context, const weir_data_file *file, const int32_t *columns,
                      int32_t column_count, weir_arena *arena, weir_column_stats *out, weir_error *err);

/* The same for the trimmed primary key's columns, from key_stats / min_key / max_key: always exact bounds. */
int weir_stats_decode_keys(const weir_table_context *context, const weir_data_file *file, weir_arena *arena,
                           weir_column_stats *out, weir_error *err);

#endif
