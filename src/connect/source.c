/* The table of kinds of sources, and what can be told of one by its options alone. */
#include "connect/source.h"

#include "base/text.h"
#include "connect/connect_options.h"
#include "connect/datagen.h"
#include "connect/file_metadata.h"
#include "connect/filesystem.h"
#include "connect/kafka/kafka.h"
#include "connect/kafka/table.h"
#include "connect/mysql/mysql_source.h"
#include "connect/row_format.h"

/* ---- kinds ---- */

/* A connector as a source. What its options have to say is checked before any of these is called. */
typedef struct source_kind {
    const char *connector;
    int (*open)(const weir_source_options *options, weir_source **out, weir_error *err);
    /* Whether the columns suit; NULL: they all do. */
    int (*check)(const weir_options *options, const weir_connector_schema *schema, weir_error *err);
    /* The type of a METADATA key; NULL: there are none. */
    int (*metadata)(const weir_options *options, const char *key, const weir_type **out, bool *out_cast,
                    weir_error *err);
    bool (*never_ends)(const weir_options *options);    /* NULL: it always ends */
    bool (*gives_changes)(const weir_options *options); /* NULL: only inserts */
    bool gives_upserts;
} source_kind;

static int filesystem_check(const weir_options *options, const weir_connector_schema *schema, weir_error *err)
{
    const weir_connect_kind *format;
    WEIR_TRY(weir_format_of(options, &format, err));
    return weir_filesystem_check(options, format, schema->fields, schema->field_count, err);
}

static int unknown_metadata(const weir_connect_kind *format, const char *key, weir_error *err)
{
    const char *keys[32];
    size_t count = 0;
    weir_buffer list = {0};
    while (weir_file_metadata_keys[count] != NULL) {
        keys[count] = weir_file_metadata_keys[count];
        count++;
    }
    count += weir_row_format_metadata_keys(format, keys + count, sizeof keys / sizeof *keys - count);
    for (size_t i = 0; i < count; i++) {
        weir_buffer_append_format(&list, "%s%s", i == 0 ? "" : ", ", keys[i]);
    }
    const char *near = weir_suggest(key, keys, count);
    int code = weir_fail(err, WEIR_INVALID, "there is no METADATA '%s'; %s%s%s", key,
                         near == NULL ? "there are " : "did you mean '", near == NULL ? weir_buffer_text(&list) : near,
                         near == NULL ? "" : "'?");
    weir_buffer_free(&list);
    return code;
}

static int filesystem_metadata(const weir_options *options, const char *key, const weir_type **out, bool *out_cast,
                               weir_error *err)
{
    const weir_connect_kind *format;
    WEIR_TRY(weir_format_of(options, &format, err));
    *out = weir_file_metadata_type(key);
    *out_cast = *out != NULL;
    if (*out == NULL) {
        *out = weir_row_format_metadata(format, key);
    }
    return *out != NULL ? WEIR_OK : unknown_metadata(format, key, err);
}

static bool filesystem_never_ends(const weir_options *options)
{
    return weir_options_get(options, "source.monitor-interval") != NULL;
}

static bool filesystem_gives_changes(const weir_options *options)
{
    const weir_connect_kind *format;
    return weir_format_of(options, &format, NULL) == WEIR_OK && format->gives_changes;
}

static int datagen_check(const weir_options *options, const weir_connector_schema *schema, weir_error *err)
{
    return weir_datagen_check(options, schema->fields, schema->field_count, err);
}

/* Sequences have a last number. */
static bool has_sequence(const weir_options *options)
{
    for (size_t i = 0; i < options->count; i++) {
        size_t size = strlen(options->keys[i]);
        if (size > 5 && strcmp(options->keys[i] + size - 5, ".kind") == 0 &&
            weir_text_equal_ignore_case(options->values[i], "sequence")) {
            return true;
        }
    }
    return false;
}

static bool datagen_never_ends(const weir_options *options)
{
    return weir_options_get(options, "number-of-rows") == NULL && !has_sequence(options);
}

static const source_kind kinds[] = {
    {.connector = "filesystem",
     .open = weir_filesystem_source_open,
     .check = filesystem_check,
     .metadata = filesystem_metadata,
     .never_ends = filesystem_never_ends,
     .gives_changes = filesystem_gives_changes},
    {.connector = "datagen",
     .open = weir_datagen_source_open,
     .check = datagen_check,
     .never_ends = datagen_never_ends},
    {.connector = "kafka",
     .open = weir_kafka_source_open,
     .check = weir_kafka_check,
     .metadata = weir_kafka_metadata,
     .never_ends = weir_kafka_never_ends,
     .gives_changes = weir_kafka_gives_changes},
    {.connector = "upsert-kafka",
     .open = weir_kafka_source_open,
     .check = weir_kafka_check,
     .metadata = weir_kafka_metadata,
     .never_ends = weir_kafka_never_ends,
     .gives_changes = weir_kafka_gives_changes,
     .gives_upserts = true},
    {.connector = "mysql-cdc",
     .open = weir_mysql_source_open,
     .check = weir_mysql_check,
     .metadata = weir_mysql_metadata_of,
     .never_ends = weir_mysql_never_ends,
     .gives_changes = weir_mysql_gives_changes},
};

/* NULL: tables of the connector are only written to. */
static const source_kind *find_kind(const weir_connect_kind *connector)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].connector, connector->name) == 0) {
            return &kinds[i];
        }
    }
    return NULL;
}

/* The same by a table's options; NULL also when they name no connector that there is. */
static const source_kind *kind_of(const weir_options *options)
{
    const weir_connect_kind *connector;
    return weir_connector_of(options, &connector, NULL) == WEIR_OK ? find_kind(connector) : NULL;
}

/* ---- what is asked of them ---- */

/* The connector of a table, and all its options checked. */
static int check_options(const weir_options *options, const weir_connect_kind **out, weir_error *err)
{
    weir_connect_format formats[2] = {{.prefix = ""}};
    size_t count = 0;
    WEIR_TRY(weir_connector_of(options, out, err));
    if (strcmp((*out)->name, "filesystem") == 0) {
        WEIR_TRY(weir_format_of(options, &formats[0].kind, err));
        count = 1;
    } else if (weir_connector_is_kafka(*out)) {
        WEIR_TRY(weir_kafka_formats(options, formats, &count, err));
    }
    return weir_connect_options_check(options, *out, formats, count, err);
}

int weir_source_open(const weir_source_options *options, weir_source **out, weir_error *err)
{
    const weir_connector_schema schema = {.fields = options->fields,
                                          .field_count = options->field_count,
                                          .primary_keys = options->primary_keys,
                                          .primary_key_count = options->primary_key_count};
    WEIR_TRY(weir_connector_check(options->options, &schema, err));
    const source_kind *kind = kind_of(options->options);
    if (kind == NULL) {
        return weir_fail(err, WEIR_INVALID, "tables of connector %s can only be written to",
                         weir_options_get(options->options, "connector"));
    }
    return kind->open(options, out, err);
}

int weir_connector_check(const weir_options *options, const weir_connector_schema *schema, weir_error *err)
{
    const weir_connect_kind *connector;
    WEIR_TRY(check_options(options, &connector, err));
    const source_kind *kind = find_kind(connector);
    return kind == NULL || kind->check == NULL ? WEIR_OK : kind->check(options, schema, err);
}

int weir_connector_metadata(const weir_options *options, const char *key, const weir_type **out, bool *out_cast,
                            weir_error *err)
{
    const weir_connect_kind *connector;
    WEIR_TRY(weir_connector_of(options, &connector, err));
    const source_kind *kind = find_kind(connector);
    if (kind == NULL || kind->metadata == NULL) {
        return weir_fail(err, WEIR_INVALID, "tables of connector %s have no METADATA", connector->name);
    }
    return kind->metadata(options, key, out, out_cast, err);
}

bool weir_source_never_ends(const weir_options *options)
{
    const source_kind *kind = kind_of(options);
    return kind != NULL && kind->never_ends != NULL && kind->never_ends(options);
}

bool weir_source_gives_changes(const weir_options *options)
{
    const source_kind *kind = kind_of(options);
    return kind != NULL && kind->gives_changes != NULL && kind->gives_changes(options);
}

bool weir_source_gives_upserts(const weir_options *options)
{
    const source_kind *kind = kind_of(options);
    return kind != NULL && kind->gives_upserts;
}
