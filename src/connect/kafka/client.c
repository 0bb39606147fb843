/* Making clients. Their threads speak to a callback, which keeps the last thing that went wrong for messages: they try
 * again by themselves. */
#include "connect/kafka/client.h"

#include <stdlib.h>

#include "base/stop.h"
#include "connect/kafka/properties.h"

enum { CLOSE_MS = 5000 };

/* The opaque of a client's callbacks: the client first, then who made it. */
typedef struct client_owner {
    weir_kafka_client client; /* first */
    weir_kafka_client_options options;
} client_owner;

const char *weir_kafka_property(const weir_options *options, const char *key)
{
    char name[160];
    snprintf(name, sizeof name, "properties.%s", key);
    return weir_options_get(options, name);
}

const char *weir_kafka_brokers(const weir_options *options)
{
    const char *brokers = weir_kafka_property(options, "bootstrap.servers");
    return brokers == NULL ? "" : brokers;
}

/* ---- callbacks ---- */

static void note_error(rd_kafka_t *handle, int code, const char *reason, void *opaque)
{
    weir_kafka_client *client = opaque;
    (void)handle;
    pthread_mutex_lock(&client->mutex);
    /* That all brokers are down says less than what was said of one of them. */
    if (code != RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN || client->last_text[0] == '\0') {
        client->last_code = (rd_kafka_resp_err_t)code;
        snprintf(client->last_text, sizeof client->last_text, "%s", reason);
    }
    client->refused = client->refused || code == RD_KAFKA_RESP_ERR__AUTHENTICATION || code == RD_KAFKA_RESP_ERR__SSL;
    pthread_mutex_unlock(&client->mutex);
}

static void pass_over(const rd_kafka_t *handle, int level, const char *facility, const char *text)
{
    (void)handle;
    (void)level;
    (void)facility;
    (void)text;
}

static void pass_delivered(rd_kafka_t *handle, const rd_kafka_message_t *message, void *opaque)
{
    const client_owner *owner = opaque;
    owner->options.delivered(handle, message, owner->options.owner);
}

static void pass_committed(rd_kafka_t *handle, rd_kafka_resp_err_t code, rd_kafka_topic_partition_list_t *list,
                           void *opaque)
{
    const client_owner *owner = opaque;
    owner->options.committed(handle, code, list, owner->options.owner);
}

void weir_kafka_client_append_failure(weir_kafka_client *client, weir_buffer *out)
{
    pthread_mutex_lock(&client->mutex);
    if (client->last_text[0] != '\0') {
        weir_buffer_append_format(out, " (%s)", client->last_text);
    }
    pthread_mutex_unlock(&client->mutex);
}

bool weir_kafka_client_is_refused(weir_kafka_client *client)
{
    pthread_mutex_lock(&client->mutex);
    bool refused = client->refused;
    pthread_mutex_unlock(&client->mutex);
    return refused;
}

/* ---- making and closing ---- */

static int configure(const weir_kafka_library *kafka, client_owner *owner, rd_kafka_conf_t *conf, weir_error *err)
{
    const weir_kafka_client_options *options = &owner->options;
    for (size_t i = 0; i < options->default_count; i++) {
        (void)kafka->conf_set(conf, options->defaults[i].key, options->defaults[i].value, NULL, 0);
    }
    WEIR_TRY(weir_kafka_properties_set(kafka, options->options, options->produces, conf, err));
    for (size_t i = 0; i < options->setting_count; i++) {
        if (options->settings[i].value != NULL) {
            WEIR_TRY(weir_kafka_property_set(kafka, conf, options->settings[i].key, options->settings[i].value, err));
        }
    }
    kafka->conf_set_opaque(conf, owner);
    kafka->conf_set_error_cb(conf, note_error);
    kafka->conf_set_log_cb(conf, pass_over);
    if (options->delivered != NULL) {
        kafka->conf_set_dr_msg_cb(conf, pass_delivered);
    }
    if (options->committed != NULL) {
        kafka->conf_set_offset_commit_cb(conf, pass_committed);
    }
    return WEIR_OK;
}

int weir_kafka_client_open(const weir_kafka_client_options *options, weir_kafka_client **out, weir_error *err)
{
    const weir_kafka_library *kafka;
    char text[512];
    WEIR_TRY(weir_kafka_library_get(&kafka, err));
    client_owner *owner = weir_alloc_zeroed(1, sizeof *owner);
    owner->options = *options;
    owner->client.kafka = kafka;
    pthread_mutex_init(&owner->client.mutex, NULL);
    rd_kafka_conf_t *conf = kafka->conf_new();
    int code = configure(kafka, owner, conf, err);
    if (code == WEIR_OK) {
        owner->client.handle =
            kafka->new(options->produces ? RD_KAFKA_PRODUCER : RD_KAFKA_CONSUMER, conf, text, sizeof text);
        if (owner->client.handle == NULL) {
            code = weir_fail(err, WEIR_INVALID, "the Kafka client cannot be made: %s", text);
        }
    }
    if (code != WEIR_OK) {
        kafka->conf_destroy(conf);
        weir_kafka_client_close(&owner->client);
        return code;
    }
    *out = &owner->client;
    return WEIR_OK;
}

static void *destroy(void *argument)
{
    weir_kafka_client *client = argument;
    if (client->handle != NULL) {
        client->kafka->destroy_flags(client->handle, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
    }
    pthread_mutex_destroy(&client->mutex);
    free(client);
    return NULL;
}

/* librdkafka may wait for ever for its own threads, as when a topic that was read has been deleted: then it is left to
 * do so alone. It calls nobody back by then. */
void weir_kafka_client_close(weir_kafka_client *client)
{
    pthread_t thread;
    if (client == NULL) {
        return;
    }
    if (client->handle == NULL || pthread_create(&thread, NULL, destroy, client) != 0) {
        (void)destroy(client);
    } else {
        (void)weir_stop_join(thread, CLOSE_MS);
    }
}
