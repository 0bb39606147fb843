/* lsm: one bucket of a table as its writer sees it.
 *
 *   bucket_writer.h         the interface: rows in, a commit message out
 *   commit_message.h        what a bucket's writer did: files added, compacted, changelogs
 *   levels.h                files of a bucket by level
 *   file_arena.h            where a writer keeps the descriptions of its files
 *   universal_compaction.h  which runs to compact, as Paimon picks them
 *   write_buffer.h          rows in memory, sorted and merged on flush, spilled when short of memory
 *   buffer_merge.h          what comes of a buffer's rows of one key, by the table's merge engine
 *   compaction.h            running a compaction: upgrade, rewrite, changelog; by key range on several threads
 *   compaction_changelog.h  what became of the older rows: the changelog of lookup and of full compactions
 *   lookup.h                older rows of keys, for compactions that need them
 *   merge_tree_writer.c     the writer of a primary-key bucket
 *   append_writer.c         the writer of an append bucket
 *   append_compaction.h     which small files of an append bucket become one, and their compaction
 *   postpone_writer.c       the writer of rows that wait for their bucket
 *
 * Threading: a bucket writer belongs to one thread at a time; its compactions run in the context's pool. */
#ifndef WEIR_LSM_H
#define WEIR_LSM_H

#include "lsm/bucket_writer.h"
#include "lsm/commit_message.h"

#endif
