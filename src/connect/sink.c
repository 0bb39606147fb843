/* The table of kinds of sinks. */
#include "connect/sink.h"

#include "connect/connect_options.h"
#include "connect/filesystem.h"
#include "connect/kafka/kafka.h"
#include "connect/kafka/metadata.h"
#include "connect/print.h"
#include "connect/source.h"

typedef struct sink_kind {
    const char *connector;
    int (*open)(const weir_sink_options *options, weir_sink **out, weir_error *err);
} sink_kind;

static const sink_kind kinds[] = {
    {"filesystem", weir_filesystem_sink_open}, {"print", weir_print_sink_open},
    {"blackhole", weir_blackhole_sink_open},   {"kafka", weir_kafka_sink_open},
    {"upsert-kafka", weir_kafka_sink_open},
};

int weir_sink_open(const weir_sink_options *options, weir_sink **out, weir_error *err)
{
    const weir_connect_kind *connector;
    const weir_connector_schema schema = {.fields = options->fields,
                                          .field_count = options->field_count,
                                          .primary_keys = options->primary_keys,
                                          .primary_key_count = options->primary_key_count};
    WEIR_TRY(weir_connector_check(options->options, &schema, err));
    WEIR_TRY(weir_connector_of(options->options, &connector, err));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].connector, connector->name) != 0) {
            continue;
        }
        if (options->overwrite && strcmp(connector->name, "filesystem") != 0) {
            return weir_fail(err, WEIR_INVALID, "INSERT OVERWRITE: tables of connector %s have nothing to overwrite",
                             connector->name);
        }
        return kinds[i].open(options, out, err);
    }
    return weir_fail(err, WEIR_INVALID, "tables of connector %s can only be read", connector->name);
}

bool weir_sink_writes_metadata(const weir_options *options, const char *key)
{
    const weir_connect_kind *connector;
    return weir_connector_of(options, &connector, NULL) == WEIR_OK && weir_connector_is_kafka(connector) &&
           weir_kafka_metadata_is_written(key);
}

int weir_sink_show(weir_sink *sink, weir_error *err)
{
    weir_buffer prepared = {0};
    int code = sink->prepare(sink, &prepared, err);
    if (code == WEIR_OK) {
        code = sink->commit(sink, weir_buffer_slice(&prepared), err);
    }
    weir_buffer_free(&prepared);
    return code;
}
