#include "connect/mysql/mysql_source.h"

#include <stdlib.h>

#include "base/text.h"
#include "connect/connect_options.h"
#include "connect/mysql/reader.h"

typedef struct mysql_source {
    weir_source base;             /* first */
    weir_mysql_settings settings; /* until the reader is started */
    weir_mysql_reader *reader;    /* NULL: not yet */
    weir_buffer position;         /* behind what was given out; empty: nothing was */
} mysql_source;

static int next_batch(weir_source *self, weir_batch *batch, weir_error *err)
{
    mysql_source *source = (mysql_source *)self;
    if (source->reader == NULL) {
        WEIR_TRY(
            weir_mysql_reader_start(&source->settings, weir_buffer_slice(&source->position), &source->reader, err));
    }
    return weir_mysql_reader_next(source->reader, batch, &source->position, err);
}

static int write_position(weir_source *self, weir_buffer *out, weir_error *err)
{
    const mysql_source *source = (mysql_source *)self;
    (void)err;
    weir_buffer_append(out, source->position.data, source->position.size);
    return WEIR_OK;
}

static int restore(weir_source *self, weir_slice position, weir_error *err)
{
    mysql_source *source = (mysql_source *)self;
    (void)err;
    weir_buffer_clear(&source->position);
    weir_buffer_append(&source->position, position.data, position.size);
    return WEIR_OK;
}

static int64_t lag_ms(weir_source *self)
{
    mysql_source *source = (mysql_source *)self;
    return source->reader == NULL ? -1 : weir_mysql_reader_lag_ms(source->reader);
}

static void close_source(weir_source *self)
{
    mysql_source *source = (mysql_source *)self;
    if (source->reader != NULL) {
        weir_mysql_reader_stop(source->reader);
    }
    weir_mysql_settings_free(&source->settings);
    weir_buffer_free(&source->position);
    free(source);
}

int weir_mysql_source_open(const weir_source_options *options, weir_source **out, weir_error *err)
{
    mysql_source *source = weir_alloc_zeroed(1, sizeof *source);
    int code = weir_mysql_settings_read(options, &source->settings, err);
    if (code != WEIR_OK) {
        free(source);
        return code;
    }
    source->base = (weir_source){
        .next = next_batch,
        .position = write_position,
        .restore = restore,
        .lag_ms = lag_ms,
        .close = close_source,
        .is_bounded = source->settings.startup == WEIR_MYSQL_SNAPSHOT_ONLY,
        .total_bytes = -1,
    };
    *out = &source->base;
    return WEIR_OK;
}

/* ---- what the options tell ---- */

static bool may_be_read(const weir_type *type)
{
    switch (type->id) {
    case WEIR_ARRAY:
        return weir_type_is_text(type->element);
    case WEIR_MAP:
    case WEIR_MULTISET:
    case WEIR_ROW:
    case WEIR_VARIANT:
    case WEIR_BLOB:
        return false;
    default:
        return true;
    }
}

int weir_mysql_check(const weir_options *options, const weir_connector_schema *schema, weir_error *err)
{
    const weir_field *fields = schema->fields;
    for (int32_t i = 0; i < schema->field_count; i++) {
        if (!may_be_read(fields[i].type)) {
            weir_buffer type = {0};
            weir_type_format(fields[i].type, &type);
            int code = weir_fail(err, WEIR_UNSUPPORTED, "column %s: no column of MySQL is read as %s", fields[i].name,
                                 weir_buffer_text(&type));
            weir_buffer_free(&type);
            return code;
        }
    }
    return weir_mysql_settings_check(options, err);
}

int weir_mysql_metadata_of(const weir_options *options, const char *key, const weir_type **out, bool *out_cast,
                           weir_error *err)
{
    int place = weir_mysql_metadata_find(key);
    (void)options;
    if (place < 0) {
        const char *near = weir_suggest(key, weir_mysql_metadata_keys, 4);
        return weir_fail(err, WEIR_INVALID,
                         "there is no METADATA '%s'%s%s%s; there are table_name, database_name, op_ts, row_kind", key,
                         near == NULL ? "" : ", did you mean '", near == NULL ? "" : near, near == NULL ? "" : "'?");
    }
    *out = weir_mysql_metadata_type(place);
    *out_cast = false;
    return WEIR_OK;
}

bool weir_mysql_never_ends(const weir_options *options)
{
    const char *mode = weir_options_get(options, "scan.startup.mode");
    return mode == NULL || !weir_text_equal_ignore_case(mode, "snapshot");
}

bool weir_mysql_gives_changes(const weir_options *options)
{
    const char *append_only = weir_options_get(options, "scan.read-changelog-as-append-only.enabled");
    bool is_append_only = append_only != NULL && weir_text_equal_ignore_case(append_only, "true");
    return !is_append_only && weir_mysql_never_ends(options);
}
