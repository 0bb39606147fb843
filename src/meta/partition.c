/* Partition values: between serialized rows, literals, folder names and text for people. */
#include "meta/partition.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/text.h"
#include "vector/binary_row.h"
#include "vector/cast.h"
#include "vector/compare.h"

/* | arity 0: 4 | header: 8 | */
static const uint8_t no_partition[12];

weir_slice weir_partition_none(void) { return weir_slice_of(no_partition, sizeof no_partition); }

static const weir_type **partition_types(const weir_schema *schema, weir_arena *arena)
{
    const weir_type **types = WEIR_NEW_ARRAY(arena, const weir_type *, schema->partition_key_count);
    for (int32_t i = 0; i < schema->partition_key_count; i++) {
        types[i] = schema->fields[schema->partition_columns[i]].type;
    }
    return types;
}

int weir_partition_decode(const weir_schema *schema, weir_slice partition, weir_arena *arena, weir_literal *out,
                          weir_error *err)
{
    return weir_binary_row_deserialize(partition, partition_types(schema, arena), schema->partition_key_count,
                                       "the partition in a manifest", arena, out, err);
}

int weir_partition_append_row(const weir_schema *schema, const weir_batch *batch, int64_t row, weir_buffer *out,
                              weir_error *err)
{
    size_t arity = out->size;
    weir_buffer_append_zeros(out, sizeof(uint32_t));
    weir_store_be32(out->data + arity, (uint32_t)schema->partition_key_count);
    return weir_binary_row_write(batch, schema->partition_columns, schema->partition_key_count, row, out, err);
}

bool weir_partition_rows_equal(const weir_schema *schema, const weir_batch *batch, int64_t a, int64_t b)
{
    for (int32_t i = 0; i < schema->partition_key_count; i++) {
        const weir_vector *column = &batch->columns[schema->partition_columns[i]];
        if (!weir_vector_values_equal(column, a, column, b)) {
            return false;
        }
    }
    return true;
}

void weir_partition_encode(const weir_schema *schema, const weir_literal *values, weir_buffer *out)
{
    weir_arena arena;
    weir_arena_init(&arena);
    weir_binary_row_serialize(partition_types(schema, &arena), values, schema->partition_key_count, out);
    weir_arena_free(&arena);
}

bool weir_partition_matches(const weir_schema *schema, const weir_literal *const *spec, weir_slice partition)
{
    weir_arena arena;
    weir_arena_init(&arena);
    weir_literal *values = WEIR_NEW_ARRAY(&arena, weir_literal, schema->partition_key_count);
    bool matches = weir_partition_decode(schema, partition, &arena, values, NULL) == WEIR_OK;
    for (int32_t i = 0; i < schema->partition_key_count && matches; i++) {
        const weir_type *type = schema->fields[schema->partition_columns[i]].type;
        matches = spec[i] == NULL || (spec[i]->is_null ? values[i].is_null
                                                       : !values[i].is_null &&
                                                             weir_literal_compare(type, spec[i], &values[i]) == 0);
    }
    weir_arena_free(&arena);
    return matches;
}

/* ---- values as text ---- */

/* As LocalDateTime.toString: seconds only when there are any, fractions in groups of three digits. */
static void append_iso_timestamp(const weir_type *type, const weir_literal *value, weir_buffer *out)
{
    int64_t millis;
    int32_t nanos;
    if (type->precision <= 3) {
        millis = value->integer;
        nanos = 0;
    } else if (type->precision <= 6) {
        millis = value->integer / 1000 - (value->integer % 1000 < 0);
        nanos = (int32_t)(value->integer - millis * 1000) * 1000;
    } else {
        millis = value->nanos.millis;
        nanos = value->nanos.nanos_of_milli;
    }
    int64_t days = millis / 86400000 - (millis % 86400000 < 0);
    int64_t of_day = millis - days * 86400000;
    int64_t year;
    int month;
    int day;
    weir_civil_from_days(days, &year, &month, &day);
    nanos += (int32_t)(of_day % 1000) * 1000000;
    int seconds = (int)(of_day / 1000 % 60);
    weir_buffer_append_format(out, "%04" PRId64 "-%02d-%02dT%02d:%02d", year, month, day, (int)(of_day / 3600000),
                              (int)(of_day / 60000 % 60));
    if (seconds != 0 || nanos != 0) {
        weir_buffer_append_format(out, ":%02d", seconds);
    }
    if (nanos % 1000 != 0) {
        weir_buffer_append_format(out, ".%09d", nanos);
    } else if (nanos % 1000000 != 0) {
        weir_buffer_append_format(out, ".%06d", nanos / 1000);
    } else if (nanos != 0) {
        weir_buffer_append_format(out, ".%03d", nanos / 1000000);
    }
}

/* As Paimon's CAST to STRING. */
static int append_sql(const weir_type *type, const weir_literal *value, weir_buffer *out, weir_error *err)
{
    weir_vector from;
    weir_vector text;
    int code;
    weir_vector_init(&from, type);
    weir_vector_init(&text, weir_type_simple(WEIR_VARCHAR, true));
    WEIR_GO(weir_vector_append_literal(&from, value, err));
    WEIR_GO(weir_vector_cast(&from, &text, err));
    if (!weir_vector_is_null(&text, 0)) {
        weir_slice bytes = weir_vector_bytes(&text, 0);
        weir_buffer_append(out, bytes.data, bytes.size);
    }
done:
    weir_vector_free(&from);
    weir_vector_free(&text);
    return code;
}

int weir_append_java_value(const weir_type *type, const weir_literal *value, weir_buffer *out, weir_error *err)
{
    switch (type->id) {
    case WEIR_BOOLEAN:
        weir_buffer_append_text(out, value->boolean ? "true" : "false");
        return WEIR_OK;
    case WEIR_DATE:
    case WEIR_TIME:
        weir_buffer_append_format(out, "%" PRId64, value->integer);
        return WEIR_OK;
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        append_iso_timestamp(type, value, out);
        return WEIR_OK;
    default:
        return append_sql(type, value, out, err);
    }
}

/* Whether Java's Character.isWhitespace holds for all of the text. */
static bool is_blank(weir_slice text)
{
    static const char *const wide[] = {"\xE1\x9A\x80", "\xE2\x80\xA8", "\xE2\x80\xA9", "\xE2\x81\x9F", "\xE3\x80\x80"};
    for (size_t i = 0; i < text.size;) {
        uint8_t c = text.data[i];
        if (c == ' ' || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F)) {
            i++;
            continue;
        }
        /* U+2000 to U+200A without the no-break U+2007 */
        bool found = text.size - i >= 3 && c == 0xE2 && text.data[i + 1] == 0x80 && text.data[i + 2] >= 0x80 &&
                     text.data[i + 2] <= 0x8A && text.data[i + 2] != 0x87;
        for (size_t k = 0; !found && k < sizeof wide / sizeof wide[0]; k++) {
            found = text.size - i >= 3 && memcmp(text.data + i, wide[k], 3) == 0;
        }
        if (!found) {
            return false;
        }
        i += 3;
    }
    return true;
}

static void append_escaped(weir_slice text, weir_buffer *out)
{
    for (size_t i = 0; i < text.size; i++) {
        uint8_t c = text.data[i];
        if (c < 0x20 || c == 0x7F || strchr("\"#%'*/:=?\\{}[]^", c) != NULL) {
            weir_buffer_append_format(out, "%%%02X", c);
        } else {
            weir_buffer_append_byte(out, c);
        }
    }
}

/* One "key=value" of a folder. */
static int append_component(const weir_field *field, const weir_literal *value, bool legacy, const char *default_name,
                            weir_buffer *out, weir_error *err)
{
    weir_buffer text = {0};
    if (weir_type_is_bytes(field->type)) {
        return weir_fail(err, WEIR_UNSUPPORTED, "the partition column '%s' is binary, which has no folder name",
                         field->name);
    }
    if (!value->is_null) {
        int code = legacy ? weir_append_java_value(field->type, value, &text, err) : append_sql(field->type, value, &text, err);
        if (code != WEIR_OK) {
            weir_buffer_free(&text);
            return code;
        }
    }
    append_escaped(weir_slice_text(field->name), out);
    weir_buffer_append_byte(out, '=');
    append_escaped(is_blank(weir_buffer_slice(&text)) ? weir_slice_text(default_name) : weir_buffer_slice(&text), out);
    weir_buffer_free(&text);
    return WEIR_OK;
}

int weir_partition_path(const weir_schema *schema, weir_slice partition, weir_arena *arena, const char **out,
                        weir_error *err)
{
    bool legacy = true;
    const char *default_name = NULL;
    weir_buffer path = {0};
    int code = WEIR_OK;
    if (schema->partition_key_count == 0) {
        *out = "";
        return WEIR_OK;
    }
    weir_literal *values = WEIR_NEW_ARRAY(arena, weir_literal, schema->partition_key_count);
    WEIR_TRY(weir_options_bool(&schema->options, "partition.legacy-name", &legacy, err));
    WEIR_TRY(weir_options_text(&schema->options, "partition.default-name", &default_name, err));
    WEIR_TRY(weir_partition_decode(schema, partition, arena, values, err));
    for (int32_t i = 0; i < schema->partition_key_count; i++) {
        if (i > 0) {
            weir_buffer_append_byte(&path, '/');
        }
        WEIR_GO(append_component(&schema->fields[schema->partition_columns[i]], &values[i], legacy, default_name, &path,
                                 err));
    }
    *out = weir_arena_strdup(arena, weir_buffer_text(&path));
done:
    weir_buffer_free(&path);
    return code;
}

/* The values one after the other, in `open` and `close`; each after its key and `assign`, when that is not NULL. */
typedef struct partition_style {
    const char *open, *close, *assign, *between, *null;
    bool blank_is_null; /* as folders do, which cannot tell them apart */
} partition_style;

static int format_partition(const weir_schema *schema, weir_slice partition, const partition_style *style,
                            weir_arena *arena, const char **out, weir_error *err)
{
    weir_buffer text = {0};
    int code = WEIR_OK;
    weir_literal *values = WEIR_NEW_ARRAY(arena, weir_literal, schema->partition_key_count);
    WEIR_TRY(weir_partition_decode(schema, partition, arena, values, err));
    weir_buffer_append_text(&text, style->open);
    for (int32_t i = 0; i < schema->partition_key_count; i++) {
        const weir_field *field = &schema->fields[schema->partition_columns[i]];
        weir_buffer_append_text(&text, i > 0 ? style->between : "");
        if (style->assign != NULL) {
            weir_buffer_append_format(&text, "%s%s", field->name, style->assign);
        }
        bool blank = values[i].is_null || (style->blank_is_null && weir_type_is_text(field->type) &&
                                           is_blank(values[i].bytes));
        if (blank) {
            weir_buffer_append_text(&text, style->null);
        } else {
            WEIR_GO(append_sql(field->type, &values[i], &text, err));
        }
    }
    weir_buffer_append_text(&text, style->close);
    *out = weir_arena_strdup(arena, weir_buffer_text(&text));
done:
    weir_buffer_free(&text);
    return code;
}

int weir_partition_text(const weir_schema *schema, weir_slice partition, weir_arena *arena, const char **out,
                        weir_error *err)
{
    const partition_style style = {.open = "", .close = "", .assign = "=", .between = ", ", .null = "NULL"};
    return format_partition(schema, partition, &style, arena, out, err);
}

int weir_partition_row_text(const weir_schema *schema, weir_slice partition, weir_arena *arena, const char **out,
                            weir_error *err)
{
    const partition_style style = {.open = "{", .close = "}", .between = ", ", .null = "null"};
    return format_partition(schema, partition, &style, arena, out, err);
}

int weir_partition_spec_text(const weir_schema *schema, weir_slice partition, weir_arena *arena, const char **out,
                             weir_error *err)
{
    partition_style style = {.open = "", .close = "", .assign = "=", .between = "/", .blank_is_null = true};
    WEIR_TRY(weir_options_text(&schema->options, "partition.default-name", &style.null, err));
    return format_partition(schema, partition, &style, arena, out, err);
}
