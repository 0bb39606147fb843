/* Which partitions a table's topics have, from where and to where each is read. Brokers are asked by a thread of its
 * own, so that the source never waits for them. */
#ifndef WEIR_CONNECT_KAFKA_DISCOVERY_H
#define WEIR_CONNECT_KAFKA_DISCOVERY_H

#include "connect/kafka/client.h"
#include "connect/kafka/table.h"

#define WEIR_KAFKA_NO_END (-1)

/* A partition that is read. */
typedef struct weir_kafka_split {
    char *topic; /* owned */
    int32_t partition;
    int64_t next; /* the offset that is read next */
    int64_t end;  /* the first that is not read any more; WEIR_KAFKA_NO_END: there is none */
} weir_kafka_split;

void weir_kafka_split_free(weir_kafka_split *split);

typedef struct weir_kafka_discovery weir_kafka_discovery;

/* Starts looking. `known`, copied: the partitions of an earlier run, whose offsets are looked at first; with them, or
 * when an earlier run had looked (`resumes`), other partitions are new ones and are read from their beginnings. Client
 * and table are borrowed. */
int weir_kafka_discovery_start(weir_kafka_client *client, const weir_kafka_table *table, const weir_kafka_split *known,
                               size_t known_count, bool resumes, weir_kafka_discovery **out, weir_error *err);

/* Takes what was found since the last time: an array that the caller frees, its splits included. *out_ready: the first
 * look is over. Fails as the thread did. Never waits. */
int weir_kafka_discovery_take(weir_kafka_discovery *discovery, weir_kafka_split **out, size_t *out_count,
                              bool *out_ready, weir_error *err);

/* Looks up where a partition goes on whose next offset is not there, as the table's reset policy has it, which is not
 * NONE; it is given once more. Never waits. */
void weir_kafka_discovery_find_again(weir_kafka_discovery *discovery, const weir_kafka_split *split);

/* Has the brokers of all partitions spoken to, soon. librdkafka's threads stop fetching while its queue is full, and
 * look again after a second, unless there is something else to do: so a source whose queue gets empty is not left
 * waiting. */
void weir_kafka_discovery_nudge(weir_kafka_discovery *discovery);

/* Stops the thread; takes a second at most. NULL is passed over. */
void weir_kafka_discovery_stop(weir_kafka_discovery *discovery);

#endif
