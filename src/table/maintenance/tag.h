/* Tags: snapshots that stay under a name (org.apache.paimon.utils.TagManager). */
#ifndef WEIR_TABLE_TAG_H
#define WEIR_TABLE_TAG_H

#include "table/table.h"

typedef struct weir_tag_options {
    int64_t snapshot_id; /* 0: the latest */
    int64_t retained_ms; /* after which the tag may go; -1: tag.default-time-retained, or never */
    bool replace;        /* a tag of that name must be there, and is made anew */
} weir_tag_options;

/* WEIR_EXISTS when the name is taken, WEIR_NOT_FOUND when there is no such snapshot. *out_snapshot_id (may be NULL): of
 * the tag. */
int weir_table_create_tag(const weir_table *table, const char *name, const weir_tag_options *options,
                          int64_t *out_snapshot_id, weir_error *err);

/* Removes the tag; the files that only it held go when its snapshot has expired. WEIR_NOT_FOUND suggests a name. A
 * crash leaves orphans at most. */
int weir_table_delete_tag(const weir_table *table, const char *name, weir_error *err);

int weir_table_rename_tag(const weir_table *table, const char *name, const char *new_name, weir_error *err);

#endif
