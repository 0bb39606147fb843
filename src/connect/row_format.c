/* Formats of rows in text, by a table's options. */
#include "connect/row_format.h"

#include "base/text.h"
#include "format/csv/csv.h"
#include "format/json/json.h"
#include "format/raw/raw.h"

typedef struct json_format {
    const char *name;
    weir_json_kind kind;
} json_format;

static const json_format json_formats[] = {
    {"json", WEIR_JSON_ROWS},
    {"debezium-json", WEIR_JSON_DEBEZIUM},
    {"canal-json", WEIR_JSON_CANAL},
    {"maxwell-json", WEIR_JSON_MAXWELL},
};

static const json_format *find_json(const weir_connect_kind *format)
{
    for (size_t i = 0; i < sizeof json_formats / sizeof *json_formats; i++) {
        if (strcmp(json_formats[i].name, format->name) == 0) {
            return &json_formats[i];
        }
    }
    return NULL;
}

static bool is_csv(const weir_connect_kind *format) { return strcmp(format->name, "csv") == 0; }

static bool is_raw(const weir_connect_kind *format) { return strcmp(format->name, "raw") == 0; }

bool weir_row_format_is_text(const weir_connect_kind *format)
{
    return find_json(format) != NULL || is_csv(format) || is_raw(format);
}

/* ---- csv ---- */

/* One character, which may be written as Java escapes it: '\t', '\\u0001'. */
static int read_character(const weir_connect_kind *format, const weir_options *options, const char *key, char *out,
                          weir_error *err)
{
    static const char escapes[] = "t\tn\nr\rb\bf\f0\0\\\\";
    const char *text = weir_connect_format_text(format, options, key);
    if (text == NULL) {
        *out = 0;
        return WEIR_OK;
    }
    size_t size = strlen(text);
    unsigned code = 0;
    int used = 0;
    if (size == 1 && (unsigned char)text[0] < 0x80) {
        *out = text[0];
        return WEIR_OK;
    }
    for (size_t i = 0; size == 2 && text[0] == '\\' && i + 1 < sizeof escapes - 1; i += 2) {
        if (escapes[i] == text[1] && escapes[i + 1] != 0) {
            *out = escapes[i + 1];
            return WEIR_OK;
        }
    }
    if (size == 6 && sscanf(text, "\\u%4x%n", &code, &used) == 1 && used == 6 && code > 0 && code < 0x80) {
        *out = (char)code;
        return WEIR_OK;
    }
    return weir_fail(err, WEIR_INVALID, "option '%s.%s' = '%s': expected one ASCII character", format->name, key, text);
}

static int read_csv_options(const weir_connect_kind *format, const weir_options *options, weir_csv_options *out,
                            weir_error *err)
{
    *out = (weir_csv_options){
        .no_quote = weir_connect_format_bool(format, options, "disable-quote-character"),
        .allow_comments = weir_connect_format_bool(format, options, "allow-comments"),
        .ignore_parse_errors = weir_connect_format_bool(format, options, "ignore-parse-errors"),
        .ignore_first_line = weir_connect_format_bool(format, options, "ignore-first-line"),
        .array_delimiter = weir_connect_format_text(format, options, "array-element-delimiter"),
        .null_literal = weir_connect_format_text(format, options, "null-literal"),
        .plain_decimals = !weir_connect_format_bool(format, options, "write-bigdecimal-in-scientific-notation"),
    };
    if (out->array_delimiter[0] == '\0') {
        return weir_fail(err, WEIR_INVALID, "option 'csv.array-element-delimiter' is empty");
    }
    WEIR_TRY(read_character(format, options, "field-delimiter", &out->delimiter, err));
    WEIR_TRY(read_character(format, options, "quote-character", &out->quote, err));
    return read_character(format, options, "escape-character", &out->escape, err);
}

/* ---- raw ---- */

/* Text is UTF-8 everywhere here. */
static int read_raw_options(const weir_connect_kind *format, const weir_options *options, bool *out_little_endian,
                            weir_error *err)
{
    const char *charset = weir_connect_format_text(format, options, "charset");
    if (!weir_text_equal_ignore_case(charset, "UTF-8") && !weir_text_equal_ignore_case(charset, "UTF8")) {
        return weir_fail(err, WEIR_UNSUPPORTED, "option 'raw.charset' = '%s': only UTF-8 is offered by this version",
                         charset);
    }
    *out_little_endian =
        weir_text_equal_ignore_case(weir_connect_format_text(format, options, "endianness"), "little-endian");
    return WEIR_OK;
}

/* ---- json ---- */

static weir_json_time_format read_time_format(const weir_connect_kind *format, const weir_options *options)
{
    const char *text = weir_connect_format_text(format, options, "timestamp-format.standard");
    return weir_text_equal_ignore_case(text, "ISO-8601")               ? WEIR_JSON_TIME_ISO_8601
           : weir_text_equal_ignore_case(text, "ISO-8601-WITH-OFFSET") ? WEIR_JSON_TIME_ISO_8601_OFFSET
                                                                       : WEIR_JSON_TIME_SQL;
}

static int read_json_options(const weir_connect_kind *format, const weir_options *options, weir_json_read_options *out,
                             weir_error *err)
{
    *out = (weir_json_read_options){
        .kind = find_json(format)->kind,
        .ignore_parse_errors = weir_connect_format_bool(format, options, "ignore-parse-errors"),
        .fail_on_missing_field = weir_connect_format_bool(format, options, "fail-on-missing-field"),
        .time_format = read_time_format(format, options),
        .schema_include = weir_connect_format_bool(format, options, "schema-include"),
        .database_include = weir_connect_format_text(format, options, "database.include"),
        .table_include = weir_connect_format_text(format, options, "table.include"),
    };
    if (out->ignore_parse_errors && out->fail_on_missing_field) {
        return weir_fail(err, WEIR_INVALID,
                         "options '%s.ignore-parse-errors' and '%s.fail-on-missing-field' exclude each other",
                         format->name, format->name);
    }
    return WEIR_OK;
}

static weir_json_null_key read_null_key(const weir_connect_kind *format, const weir_options *options)
{
    const char *mode = weir_connect_format_text(format, options, "map-null-key.mode");
    return weir_text_equal_ignore_case(mode, "DROP")      ? WEIR_JSON_NULL_KEY_DROP
           : weir_text_equal_ignore_case(mode, "LITERAL") ? WEIR_JSON_NULL_KEY_LITERAL
                                                          : WEIR_JSON_NULL_KEY_FAIL;
}

/* ---- metadata ---- */

const weir_type *weir_row_format_metadata(const weir_connect_kind *format, const char *key)
{
    const json_format *json = find_json(format);
    return json == NULL ? NULL : weir_json_metadata_type(json->kind, key);
}

size_t weir_row_format_metadata_keys(const weir_connect_kind *format, const char **out, size_t most)
{
    const json_format *json = find_json(format);
    return json == NULL ? 0 : weir_json_metadata_keys(json->kind, out, most);
}

/* ---- readers and writers ---- */

int weir_row_format_open_reader(const weir_connect_kind *format, const weir_options *options, const weir_field *fields,
                                int32_t field_count, const weir_field *metadata, int32_t metadata_count,
                                const weir_row_keys *keys, weir_row_reader **out, weir_error *err)
{
    if (is_csv(format)) {
        weir_csv_options csv;
        WEIR_TRY(read_csv_options(format, options, &csv, err));
        return weir_csv_open_reader(fields, field_count, &csv, out, err);
    }
    if (is_raw(format)) {
        bool little_endian;
        WEIR_TRY(read_raw_options(format, options, &little_endian, err));
        return weir_raw_open_reader(fields, field_count, little_endian, out, err);
    }
    weir_json_read_options json;
    WEIR_TRY(read_json_options(format, options, &json, err));
    if (keys != NULL) {
        json.primary_keys = keys->names;
        json.primary_key_count = keys->count;
        json.whole_changes = keys->whole_changes;
    }
    json.metadata = metadata;
    json.metadata_count = metadata_count;
    return weir_json_open_reader(fields, field_count, &json, out, err);
}

int weir_row_format_open_writer(const weir_connect_kind *format, const weir_options *options, const weir_field *fields,
                                int32_t field_count, weir_row_writer **out, weir_error *err)
{
    if (is_csv(format)) {
        weir_csv_options csv;
        WEIR_TRY(read_csv_options(format, options, &csv, err));
        return weir_csv_open_writer(fields, field_count, &csv, out, err);
    }
    if (is_raw(format)) {
        bool little_endian;
        WEIR_TRY(read_raw_options(format, options, &little_endian, err));
        return weir_raw_open_writer(fields, field_count, little_endian, out, err);
    }
    weir_json_write_options json = {
        .kind = find_json(format)->kind,
        .time_format = read_time_format(format, options),
        .plain_decimals = weir_connect_format_bool(format, options, "encode.decimal-as-plain-number"),
        .leave_nulls_out = weir_connect_format_bool(format, options, "encode.ignore-null-fields"),
        .null_key = read_null_key(format, options),
        .null_key_literal = weir_connect_format_text(format, options, "map-null-key.literal"),
    };
    return weir_json_open_writer(fields, field_count, &json, out, err);
}
