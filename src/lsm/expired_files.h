/* Files with rows that record-level.expire-time says are too old: compactions rewrite them, for only that removes rows.
 * Source of truth: org.apache.paimon.io.RecordLevelExpire.isExpireFile. */
#ifndef WEIR_LSM_EXPIRED_FILES_H
#define WEIR_LSM_EXPIRED_FILES_H

#include "file/table_context.h"
#include "merge/sorted_run.h"

/* By the file's statistics: one that has none of the time field is taken for one without such rows. */
int weir_file_has_expired_rows(const weir_table_context *context, const weir_data_file *file, bool *out,
                               weir_error *err);

/* Whether any file of the run has. */
int weir_run_has_expired_rows(const weir_table_context *context, const weir_sorted_run *run, bool *out,
                              weir_error *err);

#endif
