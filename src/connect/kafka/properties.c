/* The properties of Kafka's Java clients for librdkafka: most have the same name and meaning there, some another name
 * or unit, and some are of Java alone. */
#include "connect/kafka/properties.h"

#include "base/text.h"

enum { CONSUMER = 1, PRODUCER = 2, BOTH = 3 };

typedef enum property_use {
    SAME,      /* under another name */
    KILOBYTES, /* bytes there, kilobytes here */
    NOTHING,   /* it has no meaning here, and changes nothing in what is read or written */
    REFUSED    /* it would, and there is another way */
} property_use;

typedef struct property {
    const char *java;
    const char *client; /* its name here; of REFUSED: what to do */
    int clients;        /* that it is for; others pass it over */
    property_use use;
} property;

static const property properties[] = {
    {"fetch.max.wait.ms", "fetch.wait.max.ms", CONSUMER, SAME},
    {"send.buffer.bytes", "socket.send.buffer.bytes", BOTH, SAME},
    {"receive.buffer.bytes", "socket.receive.buffer.bytes", BOTH, SAME},
    {"max.request.size", "message.max.bytes", PRODUCER, SAME},
    {"request.timeout.ms", "socket.timeout.ms", BOTH, SAME},
    {"buffer.memory", "queue.buffering.max.kbytes", PRODUCER, KILOBYTES},
    {"ssl.truststore.certificates", "ssl.ca.pem", BOTH, SAME},
    {"ssl.keystore.certificate.chain", "ssl.certificate.pem", BOTH, SAME},
    {"ssl.keystore.key", "ssl.key.pem", BOTH, SAME},
    {"ssl.cipher.suites", "ssl.cipher.suites", BOTH, SAME},
    {"ssl.truststore.location",
     "librdkafka reads no truststores of Java; write the certificates as PEM and set 'properties.ssl.ca.location'",
     BOTH, REFUSED},
    {"ssl.truststore.password", NULL, BOTH, NOTHING},
    {"ssl.truststore.type", NULL, BOTH, NOTHING},
    {"ssl.keystore.type", NULL, BOTH, NOTHING},
    {"ssl.protocol", NULL, BOTH, NOTHING},
    {"ssl.enabled.protocols", NULL, BOTH, NOTHING},
    {"ssl.provider", NULL, BOTH, NOTHING},
    {"ssl.keymanager.algorithm", NULL, BOTH, NOTHING},
    {"ssl.trustmanager.algorithm", NULL, BOTH, NOTHING},
    {"ssl.secure.random.implementation", NULL, BOTH, NOTHING},
    {"key.serializer", NULL, BOTH, NOTHING},
    {"value.serializer", NULL, BOTH, NOTHING},
    {"key.deserializer", NULL, BOTH, NOTHING},
    {"value.deserializer", NULL, BOTH, NOTHING},
    {"partitioner.class", NULL, BOTH, NOTHING},
    {"interceptor.classes", NULL, BOTH, NOTHING},
    {"metric.reporters", NULL, BOTH, NOTHING},
    {"metrics.num.samples", NULL, BOTH, NOTHING},
    {"metrics.recording.level", NULL, BOTH, NOTHING},
    {"metrics.sample.window.ms", NULL, BOTH, NOTHING},
    {"auto.include.jmx.reporter", NULL, BOTH, NOTHING},
    {"security.providers", NULL, BOTH, NOTHING},
    {"default.api.timeout.ms", NULL, BOTH, NOTHING},
    {"max.block.ms", NULL, BOTH, NOTHING},
    {"max.poll.records", NULL, BOTH, NOTHING},
    {"metadata.max.idle.ms", NULL, BOTH, NOTHING},
    {"exclude.internal.topics", NULL, BOTH, NOTHING},
    {"partition.assignment.strategy", NULL, BOTH, NOTHING},
    {"group.protocol", NULL, BOTH, NOTHING},
    {"throw.on.fetch.stable.offset.unsupported", NULL, BOTH, NOTHING},
    {"partitioner.ignore.keys", NULL, BOTH, NOTHING},
    {"partitioner.adaptive.partitioning.enable", NULL, BOTH, NOTHING},
    {"partitioner.availability.timeout.ms", NULL, BOTH, NOTHING},
    {"sasl.client.callback.handler.class", NULL, BOTH, NOTHING},
    {"sasl.login.class", NULL, BOTH, NOTHING},
    {"sasl.login.callback.handler.class", NULL, BOTH, NOTHING},
    /* What the connector does itself. */
    {"enable.auto.commit", NULL, BOTH, NOTHING},
    {"auto.commit.interval.ms", NULL, BOTH, NOTHING},
    {"auto.offset.reset", NULL, BOTH, NOTHING},
    {"group.id", NULL, BOTH, NOTHING},
    {"transactional.id", NULL, BOTH, NOTHING},
    {"enable.partition.eof", NULL, BOTH, NOTHING},
    {"enable.auto.offset.store", NULL, BOTH, NOTHING},
    {"commit.offsets.on.checkpoint", NULL, BOTH, NOTHING},
    {"partition.discovery.interval.ms", NULL, BOTH, NOTHING},
    {"register.consumer.metrics", NULL, BOTH, NOTHING},
    {"client.id.prefix", "client.id", BOTH, SAME},
};

/* Of one kind of client; the other one passes them over, where librdkafka would speak of it. */
static const char *const of_consumers[] = {"fetch.min.bytes",
                                           "fetch.max.bytes",
                                           "max.partition.fetch.bytes",
                                           "isolation.level",
                                           "check.crcs",
                                           "allow.auto.create.topics",
                                           "session.timeout.ms",
                                           "heartbeat.interval.ms",
                                           "max.poll.interval.ms",
                                           "group.instance.id",
                                           "client.rack",
                                           "queued.min.messages",
                                           "queued.max.messages.kbytes",
                                           NULL};
static const char *const of_producers[] = {"acks",
                                           "batch.size",
                                           "linger.ms",
                                           "compression.type",
                                           "compression.level",
                                           "retries",
                                           "delivery.timeout.ms",
                                           "enable.idempotence",
                                           "transaction.timeout.ms",
                                           "max.in.flight.requests.per.connection",
                                           "queue.buffering.max.messages",
                                           "queue.buffering.max.kbytes",
                                           NULL};

static bool is_listed(const char *const *list, const char *key)
{
    while (*list != NULL && strcmp(*list, key) != 0) {
        list++;
    }
    return *list != NULL;
}

static bool is_secret(const char *key)
{
    return strstr(key, "password") != NULL || strstr(key, "jaas") != NULL || strstr(key, "secret") != NULL ||
           strstr(key, ".pem") != NULL || strstr(key, "keystore.key") != NULL || strstr(key, "username") != NULL ||
           strstr(key, "oauthbearer") != NULL;
}

int weir_kafka_property_set(const weir_kafka_library *kafka, rd_kafka_conf_t *conf, const char *key, const char *value,
                            weir_error *err)
{
    char text[512];
    rd_kafka_conf_res_t result = kafka->conf_set(conf, key, value, text, sizeof text);
    if (result == RD_KAFKA_CONF_OK) {
        return WEIR_OK;
    }
    if (result == RD_KAFKA_CONF_UNKNOWN) {
        return weir_fail(err, WEIR_INVALID, "option 'properties.%s': Kafka's clients have no such property", key);
    }
    return is_secret(key) ? weir_fail(err, WEIR_INVALID, "option 'properties.%s': its value is not taken", key)
                          : weir_fail(err, WEIR_INVALID, "option 'properties.%s' = '%s': %s", key, value, text);
}

/* ---- JAAS ---- */

/* The value of name="…" in the text of a login module; false: there is none. */
static bool find_jaas_value(const char *text, const char *name, weir_buffer *out)
{
    size_t size = strlen(name);
    weir_buffer_clear(out);
    for (const char *at = strstr(text, name); at != NULL; at = strstr(at + 1, name)) {
        const char *value = at + size + strspn(at + size, " ");
        bool starts_word = at == text || strchr(" \t\n", at[-1]) != NULL;
        if (!starts_word || *value != '=') {
            continue;
        }
        value++;
        value += strspn(value, " ");
        char quote = *value == '"' || *value == '\'' ? *value++ : ' ';
        for (; *value != '\0' && *value != quote && (quote != ' ' || *value != ';'); value++) {
            value += quote != ' ' && *value == '\\' && value[1] != '\0';
            weir_buffer_append_byte(out, (uint8_t)*value);
        }
        return true;
    }
    return false;
}

/* sasl.jaas.config names a class of Java and, for PLAIN and SCRAM, user and password; for GSSAPI a key table. */
static int set_jaas(const weir_kafka_library *kafka, const char *text, rd_kafka_conf_t *conf, weir_error *err)
{
    static const struct {
        const char *name;
        const char *key;
    } values[] = {{"username", "sasl.username"},
                  {"password", "sasl.password"},
                  {"keyTab", "sasl.kerberos.keytab"},
                  {"principal", "sasl.kerberos.principal"}};
    weir_buffer value = {0};
    int code = WEIR_OK;
    bool any = false;
    for (size_t i = 0; i < sizeof values / sizeof *values && code == WEIR_OK; i++) {
        if (find_jaas_value(text, values[i].name, &value)) {
            any = true;
            code = weir_kafka_property_set(kafka, conf, values[i].key, weir_buffer_text(&value), err);
        }
    }
    weir_buffer_free(&value);
    return code != WEIR_OK || any
               ? code
               : weir_fail(err, WEIR_UNSUPPORTED,
                           "option 'properties.sasl.jaas.config': only login modules with username and password, or "
                           "with keyTab and principal, are offered; see also 'properties.sasl.username' and "
                           "'properties.sasl.password'");
}

/* ---- one after the other ---- */

static const property *find_property(const char *key)
{
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        if (strcmp(properties[i].java, key) == 0) {
            return &properties[i];
        }
    }
    return NULL;
}

static int set_known(const weir_kafka_library *kafka, const property *known, const char *value, rd_kafka_conf_t *conf,
                     weir_error *err)
{
    char number[24];
    int64_t bytes;
    switch (known->use) {
    case NOTHING:
        return WEIR_OK;
    case REFUSED:
        return weir_fail(err, WEIR_UNSUPPORTED, "option 'properties.%s': %s", known->java, known->client);
    case KILOBYTES:
        if (!weir_parse_int64(weir_slice_text(value), &bytes) || bytes < 0) {
            return weir_fail(err, WEIR_INVALID, "option 'properties.%s' = '%s': expected a number of bytes",
                             known->java, value);
        }
        snprintf(number, sizeof number, "%" PRId64, bytes / 1024 > 0 ? bytes / 1024 : 1);
        return weir_kafka_property_set(kafka, conf, known->client, number, err);
    default:
        return weir_kafka_property_set(kafka, conf, known->client, value, err);
    }
}

static int set_property(const weir_kafka_library *kafka, const char *key, const char *value, bool produces,
                        rd_kafka_conf_t *conf, weir_error *err)
{
    const property *known = find_property(key);
    if (strcmp(key, "sasl.jaas.config") == 0) {
        return set_jaas(kafka, value, conf, err);
    }
    if (is_listed(produces ? of_consumers : of_producers, key)) {
        return WEIR_OK;
    }
    if (strcmp(key, "ssl.endpoint.identification.algorithm") == 0 && value[0] == '\0') {
        value = "none"; /* Java's way to turn it off */
    }
    if (known != NULL) {
        bool is_for = (known->clients & (produces ? PRODUCER : CONSUMER)) != 0;
        return is_for ? set_known(kafka, known, value, conf, err) : WEIR_OK;
    }
    return weir_kafka_property_set(kafka, conf, key, value, err);
}

int weir_kafka_properties_set(const weir_kafka_library *kafka, const weir_options *options, bool produces,
                              rd_kafka_conf_t *conf, weir_error *err)
{
    static const char prefix[] = "properties.";
    for (size_t i = 0; i < options->count; i++) {
        if (strncmp(options->keys[i], prefix, sizeof prefix - 1) == 0) {
            WEIR_TRY(
                set_property(kafka, options->keys[i] + sizeof prefix - 1, options->values[i], produces, conf, err));
        }
    }
    return WEIR_OK;
}
