/* The table of kinds of sources, and what can be told of one by its options alone. */
#include "connect/source.h"

#include "base/text.h"
#include "connect/connect_options.h"
#include "connect/datagen.h"
#include "connect/file_metadata.h"
#include "connect/filesystem.h"
#include "connect/row_format.h"

typedef struct source_kind {
    const char *connector;
    int (*open)(const weir_source_options *options, weir_source **out, weir_error *err);
} source_kind;

static const source_kind kinds[] = {
    {"filesystem", weir_filesystem_source_open},
    {"datagen", weir_datagen_source_open},
};

/* The connector, its format (NULL: it has none), and all options checked. */
static int check_options(const weir_options *options, const weir_connect_kind **out_connector,
                         const weir_connect_kind **out_format, weir_error *err)
{
    WEIR_TRY(weir_connector_of(options, out_connector, err));
    *out_format = NULL;
    if (strcmp((*out_connector)->name, "filesystem") == 0) {
        WEIR_TRY(weir_format_of(options, out_format, err));
    }
    return weir_connect_options_check(options, *out_connector, *out_format, err);
}

int weir_source_open(const weir_source_options *options, weir_source **out, weir_error *err)
{
    const weir_connect_kind *connector;
    const weir_connect_kind *format;
    WEIR_TRY(weir_connector_check(options->options, options->fields, options->field_count, err));
    WEIR_TRY(check_options(options->options, &connector, &format, err));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].connector, connector->name) == 0) {
            return kinds[i].open(options, out, err);
        }
    }
    return weir_fail(err, WEIR_INVALID, "tables of connector %s can only be written to", connector->name);
}

int weir_connector_check(const weir_options *options, const weir_field *fields, int32_t field_count, weir_error *err)
{
    const weir_connect_kind *connector;
    const weir_connect_kind *format;
    WEIR_TRY(check_options(options, &connector, &format, err));
    if (format != NULL) {
        return weir_filesystem_check(options, format, fields, field_count, err);
    }
    if (strcmp(connector->name, "datagen") == 0) {
        return weir_datagen_check(options, fields, field_count, err);
    }
    return WEIR_OK;
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
    int code = weir_fail(err, WEIR_INVALID, "there is no METADATA '%s'%s%s%s; there are %s", key,
                         near == NULL ? "" : ", did you mean '", near == NULL ? "" : near, near == NULL ? "" : "'?",
                         weir_buffer_text(&list));
    weir_buffer_free(&list);
    return code;
}

int weir_connector_metadata(const weir_options *options, const char *key, const weir_type **out, bool *out_cast,
                            weir_error *err)
{
    const weir_connect_kind *connector;
    const weir_connect_kind *format;
    WEIR_TRY(weir_connector_of(options, &connector, err));
    if (strcmp(connector->name, "filesystem") != 0) {
        return weir_fail(err, WEIR_INVALID, "tables of connector %s have no METADATA", connector->name);
    }
    WEIR_TRY(weir_format_of(options, &format, err));
    *out = weir_file_metadata_type(key);
    *out_cast = *out != NULL;
    if (*out == NULL) {
        *out = weir_row_format_metadata(format, key);
    }
    return *out != NULL ? WEIR_OK : unknown_metadata(format, key, err);
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

bool weir_source_never_ends(const weir_options *options)
{
    const weir_connect_kind *connector;
    if (weir_connector_of(options, &connector, NULL) != WEIR_OK) {
        return false;
    }
    if (strcmp(connector->name, "datagen") == 0) {
        return weir_options_get(options, "number-of-rows") == NULL && !has_sequence(options);
    }
    return strcmp(connector->name, "filesystem") == 0 && weir_options_get(options, "source.monitor-interval") != NULL;
}

bool weir_source_gives_changes(const weir_options *options)
{
    const weir_connect_kind *format;
    return weir_options_get(options, "format") != NULL && weir_format_of(options, &format, NULL) == WEIR_OK &&
           format->gives_changes;
}
