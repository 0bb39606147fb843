/* Asking brokers: each question is repeated until it is answered, or there is no more time for it. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "connect/kafka/discovery_internal.h"

enum {
    CALL_MS = 1000,       /* an answer of a broker is waited for so long at once */
    TOPIC_WAIT_MS = 3000, /* a topic that was just made may not be known to all brokers */
    PAUSE_MS = 100
};

static int64_t now_ms(void) { return weir_monotonic_ns() / 1000000; }

/* ---- again and again ---- */

/* Waits, or until it is to stop; true: it is. */
static bool wait_for_stop(weir_kafka_discovery *self, int64_t wait_ms)
{
    int64_t until = now_ms() + wait_ms;
    struct timespec at = {.tv_sec = until / 1000, .tv_nsec = until % 1000 * 1000000};
    pthread_mutex_lock(&self->mutex);
    while (!self->stop && pthread_cond_timedwait(&self->changed, &self->mutex, &at) == 0) {
    }
    bool stop = self->stop;
    pthread_mutex_unlock(&self->mutex);
    return stop;
}

/* No broker answers. */
static bool is_silence(rd_kafka_resp_err_t code)
{
    return code == RD_KAFKA_RESP_ERR__TIMED_OUT || code == RD_KAFKA_RESP_ERR__TRANSPORT ||
           code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN || code == RD_KAFKA_RESP_ERR__RESOLVE;
}

static bool is_transient(rd_kafka_resp_err_t code)
{
    switch (code) {
    case RD_KAFKA_RESP_ERR__WAIT_COORD:
    case RD_KAFKA_RESP_ERR__WAIT_CACHE:
    case RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION:
    case RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS:
    case RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_NOT_COORDINATOR:
    case RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT:
    case RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT:
        return true;
    default:
        return is_silence(code);
    }
}

static int fail_call(weir_kafka_discovery *self, rd_kafka_resp_err_t code, const char *doing, const char *topic,
                     weir_error *err)
{
    weir_buffer why = {0};
    weir_kafka_client_append_failure(self->client, &why);
    int failed = weir_fail(err, WEIR_IO, "Kafka at %s: %s%s%s%s: %s%s", weir_kafka_brokers(self->table->options), doing,
                           topic == NULL ? "" : " '", topic == NULL ? "" : topic, topic == NULL ? "" : "'",
                           self->client->kafka->err2str(code), weir_buffer_text(&why));
    weir_buffer_free(&why);
    return failed;
}

/* Who looks at a terminal is told why nothing comes. */
static void tell_once(weir_kafka_discovery *self, rd_kafka_resp_err_t code)
{
    if (self->has_told || !is_silence(code)) {
        return;
    }
    weir_buffer why = {0};
    weir_kafka_client_append_failure(self->client, &why);
    weir_log(WEIR_LOG_WARN, "Kafka at %s: %s%s; trying again", weir_kafka_brokers(self->table->options),
             self->client->kafka->err2str(code), weir_buffer_text(&why));
    weir_buffer_free(&why);
    self->has_told = true;
}

/* What to do after a call: WEIR_OK: it has succeeded; WEIR_IDLE: try once more; or a failure. */
static int settle(weir_kafka_discovery *self, rd_kafka_resp_err_t code, const char *doing, const char *topic,
                  weir_error *err)
{
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
        return WEIR_OK;
    }
    if (weir_stop_is_raised(self->job)) {
        return weir_fail(err, WEIR_CANCELLED, "looking for Kafka's partitions was stopped");
    }
    bool goes_on = is_transient(code) && now_ms() < self->deadline_ms && !weir_kafka_client_is_refused(self->client);
    if (goes_on) {
        tell_once(self, code);
    }
    if (goes_on && !wait_for_stop(self, PAUSE_MS)) {
        return WEIR_IDLE;
    }
    return fail_call(self, code, doing, topic, err);
}

/* ---- topics ---- */

void weir_kafka_topics_free(weir_kafka_topics *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].topic);
    }
    free(list->items);
}

static void add_topic(weir_kafka_topics *list, const char *topic, int32_t partitions)
{
    WEIR_GROW(list->items, list->capacity, list->count + 1);
    list->items[list->count++] = (weir_kafka_topic_partitions){.topic = weir_strdup(topic), .count = partitions};
}

int weir_kafka_ask_topic(weir_kafka_discovery *self, const char *topic, weir_kafka_topics *out, weir_error *err)
{
    const weir_kafka_library *kafka = self->client->kafka;
    rd_kafka_topic_t *handle = kafka->topic_new(self->client->handle, topic, NULL);
    int64_t gives_up_ms = now_ms() + TOPIC_WAIT_MS;
    int code = WEIR_IDLE;
    while (code == WEIR_IDLE) {
        const struct rd_kafka_metadata *answer = NULL;
        rd_kafka_resp_err_t result = kafka->metadata(self->client->handle, 0, handle, &answer, CALL_MS);
        if (result == RD_KAFKA_RESP_ERR_NO_ERROR && answer->topic_cnt == 1) {
            result = answer->topics[0].err;
            if (result == RD_KAFKA_RESP_ERR_NO_ERROR) {
                add_topic(out, topic, answer->topics[0].partition_cnt);
            }
        }
        if (answer != NULL) {
            kafka->metadata_destroy(answer);
        }
        if (result == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART || result == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC) {
            bool stops = now_ms() >= gives_up_ms || wait_for_stop(self, PAUSE_MS);
            code = stops ? weir_fail(err, WEIR_NOT_FOUND, "Kafka at %s has no topic '%s'",
                                     weir_kafka_brokers(self->table->options), topic)
                         : WEIR_IDLE;
        } else {
            code = settle(self, result, "asking for topic", topic, err);
        }
    }
    kafka->topic_destroy(handle);
    return code;
}

static bool is_internal(const char *topic)
{
    return strcmp(topic, "__consumer_offsets") == 0 || strcmp(topic, "__transaction_state") == 0;
}

int weir_kafka_ask_all_topics(weir_kafka_discovery *self, weir_kafka_topics *out, weir_error *err)
{
    const weir_kafka_library *kafka = self->client->kafka;
    const struct rd_kafka_metadata *answer = NULL;
    int code;
    do {
        code = settle(self, kafka->metadata(self->client->handle, 1, NULL, &answer, CALL_MS), "asking for topics", NULL,
                      err);
    } while (code == WEIR_IDLE);
    for (int i = 0; code == WEIR_OK && i < answer->topic_cnt; i++) {
        const rd_kafka_metadata_topic_t *topic = &answer->topics[i];
        if (topic->err == RD_KAFKA_RESP_ERR_NO_ERROR && !is_internal(topic->topic) &&
            weir_name_pattern_matches(self->pattern, weir_slice_text(topic->topic))) {
            add_topic(out, topic->topic, topic->partition_cnt);
        }
    }
    if (code == WEIR_OK) {
        kafka->metadata_destroy(answer);
    }
    return code;
}

/* ---- offsets ---- */

int weir_kafka_ask_watermarks(weir_kafka_discovery *self, const weir_kafka_split *split, weir_kafka_watermarks *out,
                              weir_error *err)
{
    int code;
    do {
        code = settle(self,
                      self->client->kafka->query_watermark_offsets(self->client->handle, split->topic, split->partition,
                                                                   &out->low, &out->high, CALL_MS),
                      "asking for the offsets of topic", split->topic, err);
    } while (code == WEIR_IDLE);
    return code;
}

int weir_kafka_ask_offset(weir_kafka_discovery *self, const weir_kafka_split *split, const int64_t *time_ms,
                          int64_t *out, weir_error *err)
{
    const weir_kafka_library *kafka = self->client->kafka;
    int code = WEIR_IDLE;
    while (code == WEIR_IDLE) {
        rd_kafka_topic_partition_list_t *list = kafka->topic_partition_list_new(1);
        rd_kafka_topic_partition_t *item = kafka->topic_partition_list_add(list, split->topic, split->partition);
        item->offset = time_ms == NULL ? RD_KAFKA_OFFSET_INVALID : *time_ms;
        rd_kafka_resp_err_t result = time_ms == NULL ? kafka->committed(self->client->handle, list, CALL_MS)
                                                     : kafka->offsets_for_times(self->client->handle, list, CALL_MS);
        result = result == RD_KAFKA_RESP_ERR_NO_ERROR ? item->err : result;
        *out = item->offset;
        kafka->topic_partition_list_destroy(list);
        code =
            settle(self, result,
                   time_ms == NULL ? "asking for the group's offsets of topic" : "asking for offsets by time of topic",
                   split->topic, err);
    }
    return code;
}
