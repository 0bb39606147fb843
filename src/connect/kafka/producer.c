/* Producing messages.
 *
 * A transactional producer begins by ending what an earlier one of its id has left open, which also shuts that one out.
 * Then: begin, send, note the number, commit; each step is repeated where the client says it may be, and the whole
 * where it says that the transaction has to be given up. All of them wait in small steps, and no longer than there is
 * patience (base/stop.h). */
#include "connect/kafka/producer.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/map.h"
#include "base/stop.h"
#include "base/text.h"
#include "connect/kafka/row_messages.h"

enum {
    POLL_MS = 50,
    STEP_MS = 500,        /* a call of the client waits for so long; called again it goes on */
    NOTE_MS = 5000,       /* …but this one begins anew */
    CLOSE_MS = 5000,      /* an open transaction is tried to be taken back for so long */
    PATIENCE_MS = 120000, /* a transaction is tried for so long */
    NUMBER_PARTITION = 0, /* of the topic: numbers are its offsets there */
};

struct weir_kafka_producer {
    const weir_kafka_table *table;
    weir_kafka_client *client;
    _Atomic int users;            /* who opened it, and calls that are under way */
    weir_map topics;              /* name → rd_kafka_topic_t */
    const char *topic_name;       /* the first, to which numbers belong; or the pattern */
    const char *transactional_id; /* owned; NULL: none */
    bool is_ready;                /* for transactions */
    bool in_transaction;
    rd_kafka_resp_err_t failed; /* of the first message that could not be delivered */
    int64_t deadline_ms;        /* monotonic: of the transaction at hand */
    int64_t answered_ns;        /* monotonic: when the brokers last took something, or waiting for them began */
};

static int64_t now_ms(void) { return weir_monotonic_ns() / 1000000; }

/* ---- failures and patience ---- */

static void begin_waiting(weir_kafka_producer *self) { self->answered_ns = weir_monotonic_ns(); }

static bool gives_up(const weir_kafka_producer *self)
{
    return weir_stop_gives_up(weir_stop_current(), self->answered_ns);
}

static int fail_as(weir_kafka_producer *self, weir_code code, const char *doing, const char *what, weir_error *err)
{
    weir_buffer why = {0};
    weir_kafka_client_append_failure(self->client, &why);
    int failed = weir_fail(err, code, "Kafka at %s, topic '%s': %s: %s%s", weir_kafka_brokers(self->table->options),
                           self->topic_name, doing, what, weir_buffer_text(&why));
    weir_buffer_free(&why);
    return failed;
}

static int fail_producer(weir_kafka_producer *self, const char *doing, const char *what, weir_error *err)
{
    return fail_as(self, WEIR_IO, doing, what, err);
}

static void note_delivered(rd_kafka_t *handle, const rd_kafka_message_t *message, void *owner)
{
    weir_kafka_producer *self = owner;
    (void)handle;
    if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
        begin_waiting(self);
    } else if (self->failed == RD_KAFKA_RESP_ERR_NO_ERROR) {
        self->failed = message->err;
    }
}

static int check_delivered(weir_kafka_producer *self, weir_error *err)
{
    return self->failed == RD_KAFKA_RESP_ERR_NO_ERROR ? WEIR_OK
                                                      : fail_producer(self, "a message could not be delivered",
                                                                      self->client->kafka->err2str(self->failed), err);
}

/* Whether to wait on for messages that are under way. */
static int check_waiting(weir_kafka_producer *self, weir_error *err)
{
    WEIR_TRY(check_delivered(self, err));
    return gives_up(self) ? fail_producer(self, "messages are not delivered", "there is no time to wait any more", err)
                          : WEIR_OK;
}

/* ---- sending ---- */

/* NULL: it has none. */
static rd_kafka_headers_t *make_headers(const weir_kafka_library *kafka, const weir_kafka_outgoing *message)
{
    weir_byte_reader reader = weir_byte_reader_of(message->headers);
    rd_kafka_headers_t *headers = message->header_count == 0 ? NULL : kafka->headers_new(message->header_count);
    for (uint32_t i = 0; i < message->header_count; i++) {
        weir_kafka_header header = weir_kafka_take_header(&reader);
        kafka->header_add(headers, (const char *)header.name.data, (ssize_t)header.name.size, header.value.data,
                          (ssize_t)header.value.size);
    }
    return headers;
}

static rd_kafka_topic_t *find_topic(weir_kafka_producer *self, const weir_kafka_outgoing *message)
{
    weir_slice name = message->topic.data == NULL ? weir_slice_text(self->topic_name) : message->topic;
    rd_kafka_topic_t *topic = weir_map_get(&self->topics, name);
    if (topic == NULL) {
        char *text = weir_format("%.*s", (int)name.size, (const char *)name.data);
        topic = self->client->kafka->topic_new(self->client->handle, text, NULL);
        free(text);
        if (topic != NULL) {
            weir_map_put(&self->topics, name, topic);
        }
    }
    return topic;
}

static rd_kafka_resp_err_t try_to_send(weir_kafka_producer *self, const weir_kafka_outgoing *message)
{
    const weir_kafka_library *kafka = self->client->kafka;
    rd_kafka_topic_t *topic = find_topic(self, message);
    if (topic == NULL) {
        return kafka->last_error();
    }
    int32_t partition = self->table->first_partition ? 0 : RD_KAFKA_PARTITION_UA;
    void *value = (void *)(uintptr_t)message->value.data;
    rd_kafka_headers_t *headers = make_headers(kafka, message);
    if (headers == NULL) {
        return kafka->producev(
            self->client->handle, RD_KAFKA_V_RKT(topic), RD_KAFKA_V_PARTITION(partition),
            RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_KEY(message->key.data, message->key.size),
            RD_KAFKA_V_VALUE(value, message->value.size), RD_KAFKA_V_TIMESTAMP(message->time_ms), RD_KAFKA_V_END);
    }
    rd_kafka_resp_err_t result =
        kafka->producev(self->client->handle, RD_KAFKA_V_RKT(topic), RD_KAFKA_V_PARTITION(partition),
                        RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_KEY(message->key.data, message->key.size),
                        RD_KAFKA_V_VALUE(value, message->value.size), RD_KAFKA_V_TIMESTAMP(message->time_ms),
                        RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_END);
    if (result != RD_KAFKA_RESP_ERR_NO_ERROR) {
        kafka->headers_destroy(headers); /* which are the client's otherwise */
    }
    return result;
}

static int send_message(weir_kafka_producer *self, const weir_kafka_outgoing *message, weir_error *err)
{
    const weir_kafka_library *kafka = self->client->kafka;
    for (bool waits = false;; waits = true) {
        rd_kafka_resp_err_t result = try_to_send(self, message);
        if (result == RD_KAFKA_RESP_ERR_NO_ERROR) {
            return WEIR_OK;
        }
        if (result != RD_KAFKA_RESP_ERR__QUEUE_FULL) {
            return fail_producer(self, "a message cannot be sent", kafka->err2str(result), err);
        }
        if (!waits) {
            begin_waiting(self);
        }
        kafka->poll(self->client->handle, POLL_MS);
        WEIR_TRY(check_waiting(self, err));
    }
}

int weir_kafka_producer_send(weir_kafka_producer *self, weir_slice messages, weir_error *err)
{
    weir_byte_reader reader = weir_byte_reader_of(messages);
    while (reader.left.size > 0) {
        weir_kafka_outgoing message = weir_kafka_take_outgoing(&reader);
        if (reader.failed) {
            return weir_fail(err, WEIR_CORRUPT, "messages for topic '%s' are damaged", self->topic_name);
        }
        WEIR_TRY(send_message(self, &message, err));
    }
    self->client->kafka->poll(self->client->handle, 0);
    return check_delivered(self, err);
}

int weir_kafka_producer_flush(weir_kafka_producer *self, weir_error *err)
{
    begin_waiting(self);
    while (self->client->kafka->outq_len(self->client->handle) > 0) {
        self->client->kafka->flush(self->client->handle, POLL_MS);
        WEIR_TRY(check_waiting(self, err));
    }
    return check_delivered(self, err);
}

/* ---- transactions ---- */

/* What became of a step: WEIR_OK; WEIR_IDLE: it may be tried again; WEIR_CONFLICT: the transaction has to be given up;
 * or a failure. */
static int settle(weir_kafka_producer *self, rd_kafka_error_t *error, const char *doing, weir_error *err)
{
    const weir_kafka_library *kafka = self->client->kafka;
    int code = WEIR_IDLE;
    if (error == NULL) {
        return WEIR_OK;
    }
    bool is_late = now_ms() >= self->deadline_ms || weir_kafka_client_is_refused(self->client) || gives_up(self);
    if (is_late || !kafka->error_is_retriable(error)) {
        bool is_spoiled = !is_late && kafka->error_txn_requires_abort(error);
        code = fail_as(self, is_spoiled ? WEIR_CONFLICT : WEIR_IO, doing, kafka->error_string(error), err);
    }
    kafka->error_destroy(error);
    return code;
}

/* Ends what an earlier producer of this id has left open. */
static int make_ready(weir_kafka_producer *self, weir_error *err)
{
    int code = self->is_ready ? WEIR_OK : WEIR_IDLE;
    begin_waiting(self);
    while (code == WEIR_IDLE) {
        code = settle(self, self->client->kafka->init_transactions(self->client->handle, STEP_MS),
                      "transactions cannot be begun", err);
    }
    self->is_ready = code == WEIR_OK;
    return code;
}

int weir_kafka_producer_begin(weir_kafka_producer *self, weir_error *err)
{
    self->deadline_ms = now_ms() + PATIENCE_MS;
    WEIR_TRY(make_ready(self, err));
    WEIR_TRY(
        settle(self, self->client->kafka->begin_transaction(self->client->handle), "beginning a transaction", err));
    self->in_transaction = true;
    return WEIR_OK;
}

static int commit_transaction(weir_kafka_producer *self, weir_error *err)
{
    int code;
    begin_waiting(self);
    do {
        code = settle(self, self->client->kafka->commit_transaction(self->client->handle, STEP_MS),
                      "committing a transaction", err);
    } while (code == WEIR_IDLE);
    self->in_transaction = self->in_transaction && code != WEIR_OK;
    return code;
}

static int abort_transaction(weir_kafka_producer *self, weir_error *err)
{
    int code;
    self->client->kafka->purge(self->client->handle, RD_KAFKA_PURGE_F_QUEUE);
    begin_waiting(self);
    do {
        code = settle(self, self->client->kafka->abort_transaction(self->client->handle, STEP_MS),
                      "giving up a transaction", err);
    } while (code == WEIR_IDLE);
    self->in_transaction = false;
    self->failed = RD_KAFKA_RESP_ERR_NO_ERROR;
    return code;
}

int weir_kafka_producer_commit(weir_kafka_producer *self, weir_error *err)
{
    self->deadline_ms = now_ms() + PATIENCE_MS;
    return commit_transaction(self, err);
}

/* ---- numbers that are noted ---- */

/* A call of a thread of its own: this function of the client waits for brokers that hang as long as it likes. */
typedef struct note {
    weir_kafka_producer *producer;
    rd_kafka_topic_partition_list_t *list;
    rd_kafka_consumer_group_metadata_t *metadata;
    rd_kafka_error_t *error;
    _Atomic int users; /* the thread, and who waits for it */
} note;

static void leave_note(note *call)
{
    if (atomic_fetch_sub(&call->users, 1) > 1) {
        return;
    }
    const weir_kafka_library *kafka = call->producer->client->kafka;
    if (call->error != NULL) {
        kafka->error_destroy(call->error);
    }
    kafka->consumer_group_metadata_destroy(call->metadata);
    kafka->topic_partition_list_destroy(call->list);
    weir_kafka_producer_close(call->producer);
    free(call);
}

static void *send_note(void *argument)
{
    note *call = argument;
    const weir_kafka_client *client = call->producer->client;
    call->error = client->kafka->send_offsets_to_transaction(client->handle, call->list, call->metadata, NOTE_MS);
    leave_note(call);
    return NULL;
}

/* Waits for the thread, as long as there is patience. False: it is left to itself, with the producer. */
static bool await_note(weir_kafka_producer *self, pthread_t thread)
{
    for (;;) {
        int64_t until_ms = weir_now_ms() + POLL_MS;
        struct timespec until = {.tv_sec = until_ms / 1000, .tv_nsec = until_ms % 1000 * 1000000};
        if (pthread_timedjoin_np(thread, NULL, &until) == 0) {
            return true;
        }
        if (gives_up(self)) {
            self->in_transaction = false; /* nobody takes it back but the brokers */
            pthread_detach(thread);
            return false;
        }
    }
}

static int try_to_note(weir_kafka_producer *self, const char *group, int64_t number, weir_error *err)
{
    static const char doing[] = "noting what is delivered";
    const weir_kafka_library *kafka = self->client->kafka;
    pthread_t thread;
    note *call = weir_alloc_zeroed(1, sizeof *call);
    *call = (note){.producer = self,
                   .list = kafka->topic_partition_list_new(1),
                   .metadata = kafka->consumer_group_metadata_new(group),
                   .users = 2};
    kafka->topic_partition_list_add(call->list, self->topic_name, NUMBER_PARTITION)->offset = number;
    atomic_fetch_add(&self->users, 1);
    int code = WEIR_OK;
    if (pthread_create(&thread, NULL, send_note, call) != 0) {
        atomic_store(&call->users, 1);
        code = fail_producer(self, doing, "there is no thread for it", err);
    } else if (!await_note(self, thread)) {
        code = fail_producer(self, doing, "there is no time to wait any more", err);
    } else {
        rd_kafka_error_t *error = call->error;
        call->error = NULL;
        code = settle(self, error, doing, err);
    }
    leave_note(call);
    return code;
}

static int note_number(weir_kafka_producer *self, const char *group, int64_t number, weir_error *err)
{
    int code;
    begin_waiting(self);
    do {
        code = try_to_note(self, group, number, err);
    } while (code == WEIR_IDLE);
    return code;
}

/* One attempt; WEIR_CONFLICT: it has to be given up. Messages that fail do so because the transaction does. */
static int try_to_deliver(weir_kafka_producer *self, const char *group, int64_t number, weir_slice messages,
                          weir_error *err)
{
    WEIR_TRY(
        settle(self, self->client->kafka->begin_transaction(self->client->handle), "beginning a transaction", err));
    self->in_transaction = true;
    int code = weir_kafka_producer_send(self, messages, err);
    if (code == WEIR_IO && now_ms() < self->deadline_ms) {
        return WEIR_CONFLICT;
    }
    WEIR_TRY(code);
    WEIR_TRY(note_number(self, group, number, err));
    return commit_transaction(self, err);
}

int weir_kafka_producer_deliver(weir_kafka_producer *self, const char *group, int64_t number, weir_slice messages,
                                weir_error *err)
{
    int code = WEIR_CONFLICT;
    self->deadline_ms = now_ms() + PATIENCE_MS;
    WEIR_TRY(make_ready(self, err));
    while (code == WEIR_CONFLICT) {
        code = try_to_deliver(self, group, number, messages, err);
        if (code == WEIR_CONFLICT) {
            WEIR_TRY(abort_transaction(self, err));
            weir_error_clear(err);
        }
    }
    return code;
}

/* ---- numbers that were noted ---- */

static int ask_number(weir_kafka_producer *self, weir_kafka_client *reader, int64_t *out, weir_error *err)
{
    const weir_kafka_library *kafka = reader->kafka;
    rd_kafka_resp_err_t result;
    begin_waiting(self);
    do {
        rd_kafka_topic_partition_list_t *list = kafka->topic_partition_list_new(1);
        rd_kafka_topic_partition_t *item = kafka->topic_partition_list_add(list, self->topic_name, NUMBER_PARTITION);
        result = kafka->committed(reader->handle, list, STEP_MS);
        result = result == RD_KAFKA_RESP_ERR_NO_ERROR ? item->err : result;
        *out = item->offset < 0 ? 0 : item->offset;
        kafka->topic_partition_list_destroy(list);
    } while (result != RD_KAFKA_RESP_ERR_NO_ERROR && now_ms() < self->deadline_ms &&
             !weir_kafka_client_is_refused(reader) && !gives_up(self));
    return result == RD_KAFKA_RESP_ERR_NO_ERROR
               ? WEIR_OK
               : fail_producer(self, "asking for what is delivered", kafka->err2str(result), err);
}

int weir_kafka_producer_find_number(weir_kafka_producer *self, const char *group, int64_t *out, weir_error *err)
{
    weir_kafka_client *reader = NULL;
    const weir_kafka_setting settings[] = {
        {"group.id", group}, {"enable.auto.commit", "false"}, {"isolation.level", "read_committed"}};
    const weir_kafka_client_options options = {
        .options = self->table->options, .settings = settings, .setting_count = sizeof settings / sizeof *settings};
    self->deadline_ms = now_ms() + PATIENCE_MS;
    WEIR_TRY(make_ready(self, err));
    WEIR_TRY(weir_kafka_client_open(&options, &reader, err));
    int code = ask_number(self, reader, out, err);
    weir_kafka_client_close(reader);
    return code;
}

/* ---- opening and closing ---- */

/* As Java's producer, which is idempotent unless something speaks against it. */
static bool is_idempotent(const weir_options *options)
{
    const char *acks = weir_kafka_property(options, "acks");
    const char *retries = weir_kafka_property(options, "retries");
    bool all = acks == NULL || strcmp(acks, "all") == 0 || strcmp(acks, "-1") == 0;
    return all && (retries == NULL || strcmp(retries, "0") != 0) &&
           weir_kafka_property(options, "max.in.flight.requests.per.connection") == NULL;
}

static int open_client(weir_kafka_producer *self, weir_error *err)
{
    bool idempotent = is_idempotent(self->table->options);
    const weir_kafka_setting defaults[] = {{"partitioner", "murmur2_random"}, /* as Java's clients choose partitions */
                                           {"enable.idempotence", idempotent ? "true" : "false"},
                                           {"delivery.timeout.ms", "120000"},
                                           {"queue.buffering.max.messages", "200000"},
                                           {"queue.buffering.max.kbytes", "32768"},
                                           {"transaction.timeout.ms", "120000"},
                                           {"reconnect.backoff.max.ms", "2000"}};
    const weir_kafka_setting settings[] = {{"transactional.id", self->transactional_id}};
    const weir_kafka_client_options options = {.options = self->table->options,
                                               .defaults = defaults,
                                               .default_count = sizeof defaults / sizeof *defaults,
                                               .settings = settings,
                                               .setting_count = 1,
                                               .produces = true,
                                               .owner = self,
                                               .delivered = note_delivered};
    return weir_kafka_client_open(&options, &self->client, err);
}

int weir_kafka_producer_open(const weir_kafka_table *table, const char *transactional_id, weir_kafka_producer **out,
                             weir_error *err)
{
    weir_kafka_producer *self = weir_alloc_zeroed(1, sizeof *self);
    self->table = table;
    atomic_store(&self->users, 1);
    self->topic_name = table->topic_pattern != NULL ? table->topic_pattern : table->topics[0];
    self->transactional_id = transactional_id == NULL ? NULL : weir_strdup(transactional_id);
    int code = open_client(self, err);
    if (code != WEIR_OK) {
        weir_kafka_producer_close(self);
        return code;
    }
    *out = self;
    return WEIR_OK;
}

void weir_kafka_producer_close(weir_kafka_producer *self)
{
    if (self == NULL || atomic_fetch_sub(&self->users, 1) > 1) {
        return;
    }
    if (self->client != NULL && self->client->handle != NULL) {
        const weir_kafka_library *kafka = self->client->kafka;
        if (self->in_transaction) {
            self->deadline_ms = now_ms() + CLOSE_MS;
            (void)abort_transaction(self, NULL); /* otherwise the brokers do it some time */
        }
        kafka->purge(self->client->handle, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
        for (size_t i = 0; i < self->topics.entry_count; i++) {
            kafka->topic_destroy(self->topics.entries[i].value);
        }
    }
    weir_map_free(&self->topics);
    weir_kafka_client_close(self->client);
    free((char *)(uintptr_t)self->transactional_id);
    free(self);
}
