/* Joining small files of an append bucket. */
#ifndef WEIR_LSM_APPEND_COMPACTION_H
#define WEIR_LSM_APPEND_COMPACTION_H

#include "file/file.h"
#include "lsm/commit_message.h"
#include "lsm/lsm_options.h"

/* Chooses neighbouring files (in the order of their sequence numbers, so that the order of rows stays) that are worth
 * joining: with `full` every group of at least two small neighbours, otherwise the first group that is large or
 * numerous enough. *out_first and *out_count are positions in `files`; count 0: nothing to do. */
void weir_append_pick(const weir_lsm_options *options, weir_data_file *const *files, size_t file_count, bool full,
                      size_t *out_first, size_t *out_count);

/* Rewrites `files` one after the other into new ones, whose descriptions (in `arena`) are appended to `after`. */
int weir_append_rewrite(const weir_table_context *context, weir_slice partition, int32_t bucket,
                        weir_data_file *const *files, size_t file_count, weir_arena *arena, weir_file_list *after,
                        weir_error *err);

/* By sequence number, then by name. */
void weir_append_sort(weir_data_file **files, size_t count);

#endif
