/* Leaving out files that cannot hold a matching row. Used by the files of scanning. */
#ifndef WEIR_TABLE_SCAN_FILTER_H
#define WEIR_TABLE_SCAN_FILTER_H

#include "table/scan/scan.h"

typedef struct weir_scan_filter {
    const weir_table *table;
    weir_arena *arena;
    const weir_predicate *partition; /* over partition keys, by their position among them; NULL: none */
    const weir_predicate *key;       /* over the trimmed primary key's columns, likewise */
    const weir_predicate *values;    /* over `columns`, likewise */
    const int32_t *columns;          /* of the schema that `values` names */
    int32_t column_count;
    int32_t bucket;                     /* -1: any; where = or IN on the bucket key name one … */
    int32_t total_buckets;              /* … of so many */
    bool *buckets;                      /* … or a few of them; NULL: any */
    const weir_map *without_partitions; /* NULL: none */
} weir_scan_filter;

/* `options` NULL: nothing is left out. */
int weir_scan_filter_init(weir_scan_filter *filter, const weir_table *table, const weir_scan_options *options,
                          weir_arena *arena, weir_error *err);

/* Adds what is said of partitions to a filter of manifests. */
void weir_scan_filter_set_partitions(weir_scan_filter *filter, weir_manifest_filter *out);

/* Whether rows in the entry's bucket may match. */
bool weir_scan_filter_bucket(const weir_scan_filter *filter, const weir_manifest_entry *entry);

/* Whether the file's keys may match: safe for every file, since all versions of a key have the same key. */
int weir_scan_filter_keys(const weir_scan_filter *filter, const weir_data_file *file, bool *out, weir_error *err);

/* Whether its values may match: only for files whose rows stand alone (no newer or older versions elsewhere). */
int weir_scan_filter_values(const weir_scan_filter *filter, const weir_data_file *file, bool *out, weir_error *err);

#endif
