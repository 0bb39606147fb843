/* Messages of upsert-kafka that wait for others of their keys: of those with one key only the last is sent. */
#ifndef WEIR_CONNECT_KAFKA_FOLD_H
#define WEIR_CONNECT_KAFKA_FOLD_H

#include "base/buffer.h"

typedef struct weir_kafka_fold weir_kafka_fold;

weir_kafka_fold *weir_kafka_fold_create(void);
void weir_kafka_fold_free(weir_kafka_fold *fold); /* with what waits; NULL is passed over */

/* Messages as row_messages.h writes them, copied. */
void weir_kafka_fold_add(weir_kafka_fold *fold, weir_slice messages);

int64_t weir_kafka_fold_count(const weir_kafka_fold *fold); /* of keys */
size_t weir_kafka_fold_bytes(const weir_kafka_fold *fold);  /* held, also of messages that others have replaced */

/* Appends what waits, in the order in which the keys came, and forgets it. */
void weir_kafka_fold_take(weir_kafka_fold *fold, weir_buffer *out);

#endif
