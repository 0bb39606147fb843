/* Packing the files of one bucket into splits. Used by the files of scanning. */
#ifndef WEIR_TABLE_SPLIT_BUILDER_H
#define WEIR_TABLE_SPLIT_BUILDER_H

#include "table/scan/scan.h"

typedef struct weir_split_builder {
    weir_table_plan *plan;
    int64_t target_bytes;    /* a split that holds as much is full */
    int64_t open_cost_bytes; /* the least weight of a file, so that tiny ones do not all share one split */
    weir_split template;     /* snapshot, partition and bucket of the splits to come */
    weir_split open;         /* being filled; no files and no runs: none */
    int64_t open_weight;
} weir_split_builder;

int weir_split_builder_init(weir_split_builder *builder, const weir_table *table, weir_table_plan *plan, weir_error *err);

/* What comes now belongs to this bucket. */
void weir_split_builder_begin(weir_split_builder *builder, int64_t snapshot_id, weir_slice partition, int32_t bucket);

/* A file to be read as it is (`kind` RAW or CHANGELOG). */
void weir_split_builder_add_file(weir_split_builder *builder, weir_split_kind kind, weir_data_file *file);

/* Files with different columns of the same rows: a split of their own. Borrowed until the plan is freed. */
void weir_split_builder_add_column_group(weir_split_builder *builder, weir_data_file **files, int32_t count);

/* A section to be merged. Sections come in key order, so that the runs of several may be joined. */
void weir_split_builder_add_section(weir_split_builder *builder, const weir_section *section);

/* Ends the open split, if there is one. */
void weir_split_builder_end(weir_split_builder *builder);

#endif
