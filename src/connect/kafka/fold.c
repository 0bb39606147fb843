/* Folding messages: all of them stand in one buffer, and a map says where the last one of each key is. Those before it
 * stay there unused until everything is taken. */
#include "connect/kafka/fold.h"

#include <stdlib.h>

#include "base/map.h"
#include "connect/kafka/row_messages.h"

typedef struct place {
    size_t start;
    size_t size;
} place;

struct weir_kafka_fold {
    weir_buffer messages;
    weir_map numbers; /* topic and key → the number of its place, from 1 */
    place *places;    /* in the order in which the keys came */
    size_t place_count;
    size_t place_capacity;
    weir_buffer key; /* of the message at hand */
};

weir_kafka_fold *weir_kafka_fold_create(void) { return weir_alloc_zeroed(1, sizeof(weir_kafka_fold)); }

void weir_kafka_fold_free(weir_kafka_fold *fold)
{
    if (fold == NULL) {
        return;
    }
    weir_buffer_free(&fold->messages);
    weir_buffer_free(&fold->key);
    weir_map_free(&fold->numbers);
    free(fold->places);
    free(fold);
}

static void put(weir_kafka_fold *fold, const weir_kafka_outgoing *message, place at)
{
    weir_buffer_clear(&fold->key);
    weir_put_slice(&fold->key, message->topic);
    weir_buffer_append(&fold->key, message->key.data, message->key.size);
    uintptr_t number = (uintptr_t)weir_map_get(&fold->numbers, weir_buffer_slice(&fold->key));
    if (number == 0) {
        WEIR_GROW(fold->places, fold->place_capacity, fold->place_count + 1);
        number = ++fold->place_count;
        weir_map_put(&fold->numbers, weir_buffer_slice(&fold->key), (void *)number);
    }
    fold->places[number - 1] = at;
}

void weir_kafka_fold_add(weir_kafka_fold *fold, weir_slice messages)
{
    weir_byte_reader reader = weir_byte_reader_of(messages);
    size_t base = fold->messages.size;
    weir_buffer_append(&fold->messages, messages.data, messages.size);
    while (reader.left.size > 0) {
        size_t start = messages.size - reader.left.size;
        weir_kafka_outgoing message = weir_kafka_take_outgoing(&reader);
        put(fold, &message, (place){base + start, messages.size - reader.left.size - start});
    }
}

int64_t weir_kafka_fold_count(const weir_kafka_fold *fold) { return (int64_t)fold->place_count; }

size_t weir_kafka_fold_bytes(const weir_kafka_fold *fold) { return fold->messages.size; }

void weir_kafka_fold_take(weir_kafka_fold *fold, weir_buffer *out)
{
    for (size_t i = 0; i < fold->place_count; i++) {
        weir_buffer_append(out, fold->messages.data + fold->places[i].start, fold->places[i].size);
    }
    weir_buffer_clear(&fold->messages);
    weir_map_free(&fold->numbers);
    fold->numbers = (weir_map){0};
    fold->place_count = 0;
}
