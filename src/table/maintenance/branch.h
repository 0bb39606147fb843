/* Branches: lines of their own of schemas, snapshots and tags, over the same data files
 * (org.apache.paimon.utils.FileSystemBranchManager). */
#ifndef WEIR_TABLE_BRANCH_H
#define WEIR_TABLE_BRANCH_H

#include "table/table.h"

/* A new branch: empty, with the table's schemas (`tag` NULL), or beginning at a tag. WEIR_EXISTS, WEIR_NOT_FOUND. */
int weir_table_create_branch(const weir_table *table, const char *name, const char *tag, weir_error *err);

/* Removes the branch; the files that only it names become orphans. WEIR_NOT_FOUND suggests a name. */
int weir_table_delete_branch(const weir_table *table, const char *name, weir_error *err);

/* The main line becomes what the branch is: its snapshots, schemas and tags from the branch's first snapshot on go, the
 * branch's take their place. The branch stays. No writer may be at work on the table. */
int weir_table_fast_forward(const weir_table *table, const char *name, weir_error *err);

#endif
