/* The Avro schema of Paimon's fields, in the very text that Java's AvroSchemaConverter and Avro's Schema.toString make.
 */
#include "base/json.h"
#include "format/avro/encode.h"

typedef struct printer {
    const char *path;
    weir_buffer *out;
} printer;

static int print_type(printer *state, const weir_type *type, const char *name, weir_error *err);

static int unsupported(printer *state, const weir_type *type, weir_error *err)
{
    weir_buffer text = {0};
    weir_type_format(type, &text);
    int code = weir_fail(err, WEIR_UNSUPPORTED,
                         "%s: Avro files cannot hold the type %s; use another file.format, or at "
                         "most TIMESTAMP(6) and TIME(3)",
                         state->path, weir_buffer_text(&text));
    weir_buffer_free(&text);
    return code;
}

/* Avro names are letters, digits and underscores; letters of any script, as Java's reader takes them. */
static int check_name(printer *state, const char *name, weir_error *err)
{
    for (size_t i = 0; name[i] != '\0'; i++) {
        uint8_t c = (uint8_t)name[i];
        bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
        if (!letter && c != '_' && c < 0x80 && !(i > 0 && c >= '0' && c <= '9')) {
            return weir_fail(err, WEIR_UNSUPPORTED,
                             "%s: Avro files cannot have a column named '%s' (letters, digits and "
                             "_ only); use another file.format",
                             state->path, name);
        }
    }
    return WEIR_OK;
}

static void print_default(printer *state, const weir_type *type)
{
    if (type->nullable) {
        weir_buffer_append_text(state->out, ",\"default\":null");
    }
}

static int print_record(printer *state, const weir_field *fields, int32_t count, const char *name, weir_error *err)
{
    const char *sep = "";
    for (int32_t i = 0; i < count; i++) {
        WEIR_TRY(check_name(state, fields[i].name, err));
        weir_buffer_append_format(state->out, "%s{\"name\":\"%s\",\"type\":", sep, fields[i].name);
        char *nested = weir_format("%s_%s", name, fields[i].name);
        int code = print_type(state, fields[i].type, nested, err);
        free(nested);
        WEIR_TRY(code);
        print_default(state, fields[i].type);
        weir_buffer_append_byte(state->out, '}');
        sep = ",";
    }
    weir_buffer_append_text(state->out, "]}");
    return WEIR_OK;
}

/* A map whose keys are no text: an array of records, marked by a logical type of Paimon's (and Iceberg's) own. */
static int print_entries(printer *state, const weir_type *key, const weir_type *value, const char *name,
                         weir_error *err)
{
    weir_buffer_append_format(state->out,
                              "{\"type\":\"array\",\"items\":{\"type\":\"record\",\"name\":\"%s\",\"fields\":["
                              "{\"name\":\"key\",\"type\":",
                              name);
    char *nested = weir_format("%s_key", name);
    int code = print_type(state, key, nested, err);
    free(nested);
    WEIR_TRY(code);
    weir_buffer_append_text(state->out, "},{\"name\":\"value\",\"type\":");
    nested = weir_format("%s_value", name);
    code = print_type(state, value, nested, err);
    free(nested);
    WEIR_TRY(code);
    print_default(state, value);
    weir_buffer_append_text(state->out, "}]},\"logicalType\":\"map\"}");
    return WEIR_OK;
}

static int print_map(printer *state, const weir_type *type, const char *name, weir_error *err)
{
    /* Java declares the counts of a multiset nullable. */
    const weir_type *value = type->id == WEIR_MULTISET ? weir_type_simple(WEIR_INT, true) : type->element;
    if (!weir_type_is_text(type->key)) {
        return print_entries(state, type->key, value, name, err);
    }
    weir_buffer_append_text(state->out, "{\"type\":\"map\",\"values\":");
    WEIR_TRY(print_type(state, value, name, err));
    weir_buffer_append_byte(state->out, '}');
    return WEIR_OK;
}

static int print_timestamp(printer *state, const weir_type *type, weir_error *err)
{
    if (type->precision > 6) {
        return unsupported(state, type, err);
    }
    weir_buffer_append_format(state->out, "{\"type\":\"long\",\"logicalType\":\"%stimestamp-%s\"}",
                              type->id == WEIR_TIMESTAMP_LTZ ? "local-" : "",
                              type->precision <= 3 ? "millis" : "micros");
    return WEIR_OK;
}

/* The schema of a type without parts or parameters; NULL: it has some, or there is none. */
static const char *plain_schema(const weir_type *type)
{
    switch (type->id) {
    case WEIR_BOOLEAN:
        return "\"boolean\"";
    case WEIR_TINYINT:
    case WEIR_SMALLINT:
    case WEIR_INT:
        return "\"int\"";
    case WEIR_BIGINT:
        return "\"long\"";
    case WEIR_FLOAT:
        return "\"float\"";
    case WEIR_DOUBLE:
        return "\"double\"";
    case WEIR_CHAR:
    case WEIR_VARCHAR:
        return "\"string\"";
    case WEIR_BINARY:
    case WEIR_VARBINARY:
    case WEIR_BLOB:
        return "\"bytes\"";
    case WEIR_DATE:
        return "{\"type\":\"int\",\"logicalType\":\"date\"}";
    case WEIR_TIME:
        return type->precision > 3 ? NULL : "{\"type\":\"int\",\"logicalType\":\"time-millis\"}";
    default:
        return NULL;
    }
}

static int print_present(printer *state, const weir_type *type, const char *name, weir_error *err)
{
    weir_buffer *out = state->out;
    const char *plain = plain_schema(type);
    if (plain != NULL) {
        weir_buffer_append_text(out, plain);
        return WEIR_OK;
    }
    switch (type->id) {
    case WEIR_DECIMAL:
        weir_buffer_append_format(out, "{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":%d,\"scale\":%d}",
                                  type->precision, type->scale);
        return WEIR_OK;
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        return print_timestamp(state, type, err);
    case WEIR_ARRAY:
        weir_buffer_append_text(out, "{\"type\":\"array\",\"items\":");
        WEIR_TRY(print_type(state, type->element, name, err));
        weir_buffer_append_byte(out, '}');
        return WEIR_OK;
    case WEIR_MAP:
    case WEIR_MULTISET:
        return print_map(state, type, name, err);
    case WEIR_ROW:
        weir_buffer_append_format(out, "{\"type\":\"record\",\"name\":\"%s\",\"fields\":[", name);
        return print_record(state, type->fields, type->field_count, name, err);
    default:
        return unsupported(state, type, err);
    }
}

static int print_type(printer *state, const weir_type *type, const char *name, weir_error *err)
{
    if (!type->nullable) {
        return print_present(state, type, name, err);
    }
    weir_buffer_append_text(state->out, "[\"null\",");
    WEIR_TRY(print_present(state, type, name, err));
    weir_buffer_append_byte(state->out, ']');
    return WEIR_OK;
}

int weir_avro_schema_write(const weir_field *fields, int32_t field_count, const char *path, weir_buffer *out,
                           weir_error *err)
{
    printer state = {.path = path, .out = out};
    weir_buffer_append_text(
        out,
        "{\"type\":\"record\",\"name\":\"record\",\"namespace\":\"org.apache.paimon.avro.generated\",\"fields\":[");
    return print_record(&state, fields, field_count, "record", err);
}
