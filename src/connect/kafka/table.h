/* What a Kafka table's options say, read and checked: which topics, from where to where, and which columns are in the
 * keys and in the values of messages. */
#ifndef WEIR_CONNECT_KAFKA_TABLE_H
#define WEIR_CONNECT_KAFKA_TABLE_H

#include "connect/connect_options.h"
#include "connect/row_format.h"
#include "connect/source.h"

typedef enum weir_kafka_startup {
    WEIR_KAFKA_FROM_GROUP_OFFSETS,
    WEIR_KAFKA_FROM_EARLIEST,
    WEIR_KAFKA_FROM_LATEST,
    WEIR_KAFKA_FROM_TIMESTAMP,
    WEIR_KAFKA_FROM_SPECIFIC_OFFSETS
} weir_kafka_startup;

typedef enum weir_kafka_bound {
    WEIR_KAFKA_UNBOUNDED,
    WEIR_KAFKA_TO_LATEST,
    WEIR_KAFKA_TO_GROUP_OFFSETS,
    WEIR_KAFKA_TO_TIMESTAMP,
    WEIR_KAFKA_TO_SPECIFIC_OFFSETS
} weir_kafka_bound;

/* What becomes of an offset that is not there any more, or not set. */
typedef enum weir_kafka_reset {
    WEIR_KAFKA_RESET_NONE,
    WEIR_KAFKA_RESET_EARLIEST,
    WEIR_KAFKA_RESET_LATEST
} weir_kafka_reset;

typedef enum weir_kafka_guarantee {
    WEIR_KAFKA_AT_LEAST_ONCE,
    WEIR_KAFKA_EXACTLY_ONCE,
    WEIR_KAFKA_NO_GUARANTEE
} weir_kafka_guarantee;

/* partition:0,offset:42;partition:1,offset:300 */
typedef struct weir_kafka_offset {
    int32_t partition;
    int64_t offset;
} weir_kafka_offset;

typedef struct weir_kafka_offsets {
    weir_kafka_offset *items;
    int32_t count;
} weir_kafka_offsets;

/* A half of a message: its key or its value. */
typedef struct weir_kafka_part {
    const weir_connect_kind *format; /* NULL: there is no such half */
    weir_options options;            /* of the format, as they are without the table's prefix */
    int32_t *columns;                /* the physical columns that are in it */
    weir_field *fields;              /* their names and types in it */
    int32_t count;
} weir_kafka_part;

/* Texts are borrowed from the options, the rest is in the arena. */
typedef struct weir_kafka_table {
    const weir_options *options;
    bool upsert; /* connector upsert-kafka */
    const char **topics;
    int32_t topic_count;
    const char *topic_pattern; /* NULL: the topics are listed */
    const char *group;         /* NULL: none */
    weir_kafka_startup startup;
    int64_t startup_ms;
    weir_kafka_offsets startup_offsets;
    weir_kafka_bound bound;
    int64_t bound_ms;
    weir_kafka_offsets bound_offsets;
    weir_kafka_reset reset;
    int64_t discovery_ms; /* 0: never */
    bool commits;         /* offsets to the group */
    weir_kafka_part key;
    weir_kafka_part value;
    weir_kafka_guarantee guarantee;
    const char *transactional_prefix;
    bool first_partition; /* of each topic, takes all that is written */
    int64_t fold_rows;    /* so many keys wait for later rows of theirs; 0: none */
    int64_t fold_ms;      /* …and for so long */
} weir_kafka_table;

int weir_kafka_table_read(const weir_options *options, const weir_connector_schema *schema, weir_arena *arena,
                          weir_kafka_table *out, weir_error *err);

/* WEIR_INVALID: the option `key` speaks of the offsets of a group, and none is named. */
int weir_kafka_table_check_group(const weir_kafka_table *table, const char *key, weir_error *err);

/* The formats and their prefixes, for the check of all options; at most 2. */
int weir_kafka_formats(const weir_options *options, weir_connect_format out[2], size_t *out_count, weir_error *err);

#endif
