/* What is asked of Kafka tables by their options alone: before anything is read or written, and without a broker. */
#include "base/text.h"
#include "connect/kafka/kafka.h"
#include "connect/kafka/metadata.h"
#include "connect/kafka/table.h"

static int check_part(const weir_kafka_part *part, weir_error *err)
{
    weir_row_reader *reader;
    weir_row_writer *writer;
    WEIR_TRY(weir_row_format_open_reader(part->format, &part->options, part->fields, part->count, NULL, 0, NULL,
                                         &reader, err));
    reader->close(reader);
    WEIR_TRY(weir_row_format_open_writer(part->format, &part->options, part->fields, part->count, &writer, err));
    writer->close(writer);
    return WEIR_OK;
}

static int check_table(const weir_options *options, const weir_connector_schema *schema, weir_arena *arena,
                       weir_error *err)
{
    weir_kafka_table table;
    WEIR_TRY(weir_kafka_table_read(options, schema, arena, &table, err));
    WEIR_TRY(check_part(&table.value, err));
    return table.key.format == NULL ? WEIR_OK : check_part(&table.key, err);
}

int weir_kafka_check(const weir_options *options, const weir_connector_schema *schema, weir_error *err)
{
    weir_arena arena;
    weir_arena_init(&arena);
    int code = check_table(options, schema, &arena, err);
    weir_arena_free(&arena);
    return code;
}

/* ---- metadata ---- */

static int fail_unknown(const weir_connect_kind *format, const char *key, weir_error *err)
{
    const char *keys[16];
    weir_arena arena;
    weir_arena_init(&arena);
    size_t count = weir_row_format_metadata_keys(format, keys, sizeof keys / sizeof *keys);
    weir_buffer list = {0};
    for (size_t i = 0; weir_kafka_metadata_keys[i] != NULL; i++) {
        weir_buffer_append_format(&list, "%s%s", i == 0 ? "" : ", ", weir_kafka_metadata_keys[i]);
    }
    for (size_t i = 0; i < count; i++) {
        weir_buffer_append_format(&list, ", value.%s", keys[i]);
    }
    int code = weir_fail(err, WEIR_INVALID, "there is no METADATA '%s'; there are %s", key, weir_buffer_text(&list));
    weir_buffer_free(&list);
    weir_arena_free(&arena);
    return code;
}

int weir_kafka_metadata(const weir_options *options, const char *key, const weir_type **out, bool *out_cast,
                        weir_error *err)
{
    static const char prefix[] = "value.";
    weir_connect_format formats[2];
    size_t count;
    WEIR_TRY(weir_kafka_formats(options, formats, &count, err));
    *out = weir_kafka_metadata_type(key);
    *out_cast = *out != NULL && (*out)->id != WEIR_MAP;
    if (*out == NULL && strncmp(key, prefix, sizeof prefix - 1) == 0) {
        *out = weir_row_format_metadata(formats[0].kind, key + sizeof prefix - 1);
    }
    return *out != NULL ? WEIR_OK : fail_unknown(formats[0].kind, key, err);
}

/* ---- what it gives ---- */

bool weir_kafka_never_ends(const weir_options *options)
{
    const char *mode = weir_options_get(options, "scan.bounded.mode");
    return mode == NULL || weir_text_equal_ignore_case(mode, "unbounded");
}

bool weir_kafka_gives_changes(const weir_options *options)
{
    weir_connect_format formats[2];
    size_t count;
    const char *connector = weir_options_get(options, "connector");
    if (connector != NULL && strcmp(connector, "upsert-kafka") == 0) {
        return true;
    }
    return weir_kafka_formats(options, formats, &count, NULL) == WEIR_OK && formats[0].kind->gives_changes;
}
