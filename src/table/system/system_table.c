/* The list of system tables. */
#include "table/system/system_table.h"

#include "table/system/system_rows.h"

#define SYSTEM_TABLE(table_name, table_fields, read_rows)                                                              \
    {.name = (table_name),                                                                                             \
     .fields = (table_fields),                                                                                         \
     .field_count = (int32_t)(sizeof(table_fields) / sizeof(table_fields)[0]),                                         \
     .read = (read_rows)}

const weir_system_table weir_system_tables[] = {
    SYSTEM_TABLE("aggregation_fields", weir_aggregation_columns, weir_system_read_aggregation_fields),
    SYSTEM_TABLE("branches", weir_branch_columns, weir_system_read_branches),
    SYSTEM_TABLE("buckets", weir_bucket_columns, weir_system_read_buckets),
    SYSTEM_TABLE("consumers", weir_consumer_columns, weir_system_read_consumers),
    SYSTEM_TABLE("files", weir_file_columns, weir_system_read_files),
    SYSTEM_TABLE("manifests", weir_manifest_columns, weir_system_read_manifests),
    SYSTEM_TABLE("options", weir_option_columns, weir_system_read_options),
    SYSTEM_TABLE("partitions", weir_partition_columns, weir_system_read_partitions),
    SYSTEM_TABLE("schemas", weir_schema_columns, weir_system_read_schemas),
    SYSTEM_TABLE("snapshots", weir_snapshot_columns, weir_system_read_snapshots),
    SYSTEM_TABLE("statistics", weir_statistics_columns, weir_system_read_statistics),
    SYSTEM_TABLE("tags", weir_tag_columns, weir_system_read_tags),
};
const size_t weir_system_table_count = sizeof weir_system_tables / sizeof weir_system_tables[0];

const weir_system_table *weir_system_table_find(const char *name)
{
    for (size_t i = 0; i < weir_system_table_count; i++) {
        if (strcmp(weir_system_tables[i].name, name) == 0) {
            return &weir_system_tables[i];
        }
    }
    return NULL;
}
