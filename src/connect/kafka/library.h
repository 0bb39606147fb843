/* librdkafka, which is opened when a Kafka table is first used: programs without one start without it.
 *
 * Its functions are members without their prefix: kafka->poll is rd_kafka_poll. */
#ifndef WEIR_CONNECT_KAFKA_LIBRARY_H
#define WEIR_CONNECT_KAFKA_LIBRARY_H

#include <librdkafka/rdkafka.h>

#include "base/base.h"

/* clang-format off */
#define WEIR_KAFKA_FUNCTIONS(F)                                                                                        \
    F(conf_new) F(conf_destroy) F(conf_set) F(conf_set_opaque) F(conf_set_error_cb) F(conf_set_log_cb)                 \
    F(conf_set_dr_msg_cb) F(conf_set_offset_commit_cb) F(new) F(destroy) F(destroy_flags) F(err2str) F(last_error)     \
    F(fatal_error) F(error_code) F(error_string) F(error_is_retriable) F(error_txn_requires_abort) F(error_destroy)    \
    F(poll) F(poll_set_consumer) F(queue_get_consumer) F(queue_length) F(queue_destroy) F(consume_batch_queue) F(message_destroy)      \
    F(message_timestamp) F(message_headers) F(header_get_all) F(header_cnt) F(metadata) F(metadata_destroy)            \
    F(topic_new) F(topic_destroy) F(topic_name) F(topic_partition_list_new) F(topic_partition_list_add)                \
    F(topic_partition_list_destroy) F(incremental_assign) F(incremental_unassign) F(query_watermark_offsets)           \
    F(offsets_for_times) F(committed) F(commit) F(consumer_group_metadata_new) F(consumer_group_metadata_destroy)      \
    F(init_transactions) F(begin_transaction) F(commit_transaction) F(abort_transaction)                               \
    F(send_offsets_to_transaction) F(producev) F(flush) F(purge) F(outq_len) F(headers_new) F(header_add)              \
    F(headers_destroy)
/* clang-format on */

typedef struct weir_kafka_library {
#define WEIR_KAFKA_MEMBER(name) __typeof__(rd_kafka_##name) *name;
    WEIR_KAFKA_FUNCTIONS(WEIR_KAFKA_MEMBER)
#undef WEIR_KAFKA_MEMBER
    int32_t (*message_leader_epoch)(const rd_kafka_message_t *message); /* NULL: too old for it */
} weir_kafka_library;

/* The library, which stays open. WEIR_UNSUPPORTED: it is not installed. */
int weir_kafka_library_get(const weir_kafka_library **out, weir_error *err);

#endif
