#include "connect/mysql/row_binding.h"

#include <stdlib.h>

#include "base/text.h"

#define BINARY_COLLATION 63
#define DECIMAL_TEXT     96 /* room for a decimal's digits as text */

/* ---- definitions and maps ---- */

/* Whether values of a column that is declared so lie in rows of this type. */
static bool fits(const weir_mysql_column *column, const weir_binlog_column *raw)
{
    switch (column->type) {
    case WEIR_MYSQL_TINYINT:
        return raw->type == WEIR_BINLOG_TINY;
    case WEIR_MYSQL_SMALLINT:
        return raw->type == WEIR_BINLOG_SHORT;
    case WEIR_MYSQL_MEDIUMINT:
        return raw->type == WEIR_BINLOG_INT24;
    case WEIR_MYSQL_INT:
        return raw->type == WEIR_BINLOG_LONG;
    case WEIR_MYSQL_BIGINT:
        return raw->type == WEIR_BINLOG_LONGLONG;
    case WEIR_MYSQL_FLOAT:
        return raw->type == WEIR_BINLOG_FLOAT;
    case WEIR_MYSQL_DOUBLE:
        return raw->type == WEIR_BINLOG_DOUBLE;
    case WEIR_MYSQL_DECIMAL:
        return raw->type == WEIR_BINLOG_DECIMAL;
    case WEIR_MYSQL_BIT:
        return raw->type == WEIR_BINLOG_BIT;
    case WEIR_MYSQL_YEAR:
        return raw->type == WEIR_BINLOG_YEAR;
    case WEIR_MYSQL_DATE:
        return raw->type == WEIR_BINLOG_DATE;
    case WEIR_MYSQL_TIME:
        return raw->type == WEIR_BINLOG_TIME2 || (raw->type == WEIR_BINLOG_TIME && column->length == 0);
    case WEIR_MYSQL_DATETIME:
        return raw->type == WEIR_BINLOG_DATETIME2 || (raw->type == WEIR_BINLOG_DATETIME && column->length == 0);
    case WEIR_MYSQL_TIMESTAMP:
        return raw->type == WEIR_BINLOG_TIMESTAMP2 || (raw->type == WEIR_BINLOG_TIMESTAMP && column->length == 0);
    case WEIR_MYSQL_VARCHAR:
    case WEIR_MYSQL_VARBINARY:
        return raw->type == WEIR_BINLOG_VARCHAR || raw->type == WEIR_BINLOG_VAR_STRING ||
               raw->type == WEIR_BINLOG_VARCHAR_COMPRESSED;
    case WEIR_MYSQL_CHAR:
    case WEIR_MYSQL_BINARY:
    case WEIR_MYSQL_UUID:
    case WEIR_MYSQL_INET4:
    case WEIR_MYSQL_INET6:
        return raw->type == WEIR_BINLOG_STRING || raw->type == WEIR_BINLOG_VAR_STRING;
    case WEIR_MYSQL_TEXT:
    case WEIR_MYSQL_BLOB:
        return raw->type == WEIR_BINLOG_BLOB || raw->type == WEIR_BINLOG_BLOB_COMPRESSED;
    case WEIR_MYSQL_ENUM:
        return raw->type == WEIR_BINLOG_ENUM;
    case WEIR_MYSQL_SET:
        return raw->type == WEIR_BINLOG_SET;
    case WEIR_MYSQL_JSON:
        return raw->type == WEIR_BINLOG_JSON;
    case WEIR_MYSQL_GEOMETRY:
        return raw->type == WEIR_BINLOG_GEOMETRY;
    case WEIR_MYSQL_OTHER:
        return true;
    }
    return false;
}

static weir_mysql_type type_of_raw(const weir_binlog_column *raw)
{
    bool is_binary = raw->collation == BINARY_COLLATION;
    switch (raw->type) {
    case WEIR_BINLOG_TINY:
        return WEIR_MYSQL_TINYINT;
    case WEIR_BINLOG_SHORT:
        return WEIR_MYSQL_SMALLINT;
    case WEIR_BINLOG_INT24:
        return WEIR_MYSQL_MEDIUMINT;
    case WEIR_BINLOG_LONG:
        return WEIR_MYSQL_INT;
    case WEIR_BINLOG_LONGLONG:
        return WEIR_MYSQL_BIGINT;
    case WEIR_BINLOG_FLOAT:
        return WEIR_MYSQL_FLOAT;
    case WEIR_BINLOG_DOUBLE:
        return WEIR_MYSQL_DOUBLE;
    case WEIR_BINLOG_DECIMAL:
        return WEIR_MYSQL_DECIMAL;
    case WEIR_BINLOG_BIT:
        return WEIR_MYSQL_BIT;
    case WEIR_BINLOG_YEAR:
        return WEIR_MYSQL_YEAR;
    case WEIR_BINLOG_DATE:
        return WEIR_MYSQL_DATE;
    case WEIR_BINLOG_TIME:
    case WEIR_BINLOG_TIME2:
        return WEIR_MYSQL_TIME;
    case WEIR_BINLOG_DATETIME:
    case WEIR_BINLOG_DATETIME2:
        return WEIR_MYSQL_DATETIME;
    case WEIR_BINLOG_TIMESTAMP:
    case WEIR_BINLOG_TIMESTAMP2:
        return WEIR_MYSQL_TIMESTAMP;
    case WEIR_BINLOG_VARCHAR:
    case WEIR_BINLOG_VARCHAR_COMPRESSED:
    case WEIR_BINLOG_VAR_STRING:
        return is_binary ? WEIR_MYSQL_VARBINARY : WEIR_MYSQL_VARCHAR;
    case WEIR_BINLOG_STRING:
        return is_binary ? WEIR_MYSQL_BINARY : WEIR_MYSQL_CHAR;
    case WEIR_BINLOG_BLOB:
    case WEIR_BINLOG_BLOB_COMPRESSED:
        return is_binary ? WEIR_MYSQL_BLOB : WEIR_MYSQL_TEXT;
    case WEIR_BINLOG_ENUM:
        return WEIR_MYSQL_ENUM;
    case WEIR_BINLOG_SET:
        return WEIR_MYSQL_SET;
    case WEIR_BINLOG_JSON:
        return WEIR_MYSQL_JSON;
    case WEIR_BINLOG_GEOMETRY:
        return WEIR_MYSQL_GEOMETRY;
    default:
        return WEIR_MYSQL_OTHER;
    }
}

/* The character set that a map tells by the number of a collation. Columns of a table mostly have the same one. */
typedef struct map_charset {
    weir_mysql_connection *connection; /* NULL: nobody is asked */
    weir_arena *arena;
    uint32_t collation;
    const char *name;
} map_charset;

static int find_charset(map_charset *charset, const weir_binlog_column *raw, weir_mysql_column *out, weir_error *err)
{
    bool has_charset =
        weir_mysql_type_is_text(out->type) || out->type == WEIR_MYSQL_ENUM || out->type == WEIR_MYSQL_SET;
    if (!has_charset || raw->collation == 0 || charset->connection == NULL) {
        return WEIR_OK;
    }
    if (raw->collation != charset->collation) {
        WEIR_TRY(
            weir_mysql_collation_charset(charset->connection, raw->collation, charset->arena, &charset->name, err));
        charset->collation = raw->collation;
    }
    out->charset = charset->name != NULL ? charset->name : out->charset;
    return WEIR_OK;
}

/* Labels are in the character set of their column. */
static int copy_labels(const weir_binlog_column *raw, weir_arena *arena, weir_mysql_column *out, weir_error *err)
{
    weir_charset *charset = NULL;
    weir_buffer label = {0};
    if (out->charset != NULL) {
        WEIR_TRY(weir_charset_open(out->charset, &charset, err));
    }
    out->labels = WEIR_NEW_ARRAY(arena, const char *, raw->label_count);
    out->label_count = raw->label_count;
    for (uint32_t i = 0; i < raw->label_count; i++) {
        weir_buffer_clear(&label);
        if (charset != NULL) {
            weir_charset_convert(charset, weir_slice_text(raw->labels[i]), &label);
        } else {
            weir_buffer_append_text(&label, raw->labels[i]);
        }
        out->labels[i] = weir_arena_strdup(arena, weir_buffer_text(&label));
    }
    weir_buffer_free(&label);
    weir_charset_close(charset);
    return WEIR_OK;
}

/* The map's own word counts: it is as old as the rows. */
static int trust_map(const weir_binlog_column *raw, map_charset *charset, weir_mysql_column *out, weir_error *err)
{
    WEIR_TRY(find_charset(charset, raw, out, err));
    out->is_unsigned = raw->has_sign ? raw->is_unsigned : out->is_unsigned;
    if (out->type == WEIR_MYSQL_BINARY) {
        out->length = raw->extra;
    }
    return raw->has_labels ? copy_labels(raw, charset->arena, out, err) : WEIR_OK;
}

/* A column of which only the map tells. */
static int column_of_raw(const weir_binlog_column *raw, map_charset *charset, weir_mysql_column *out, weir_error *err)
{
    weir_arena *arena = charset->arena;
    *out = (weir_mysql_column){
        .name = weir_arena_strdup(arena, raw->name),
        .type = type_of_raw(raw),
        .is_unsigned = raw->is_unsigned,
        .is_nullable = true,
        .length = raw->extra,
        .key_place = -1,
        .definition = weir_arena_format(arena, "of binlog type %u", raw->type),
    };
    return trust_map(raw, charset, out, err);
}

static int columns_by_name(const weir_mysql_table *table, const weir_table_map *map, map_charset *charset,
                           weir_row_binding *out, weir_error *err)
{
    for (uint32_t i = 0; i < map->column_count; i++) {
        const weir_binlog_column *raw = &map->columns[i];
        int32_t place = weir_mysql_table_find(table, raw->name);
        if (place >= 0 && fits(&table->columns[place], raw)) {
            out->columns[i] = table->columns[place];
            WEIR_TRY(trust_map(raw, charset, &out->columns[i], err));
        } else {
            WEIR_TRY(column_of_raw(raw, charset, &out->columns[i], err));
        }
    }
    return WEIR_OK;
}

/* Columns that were added at the end since then may be missing. */
static int columns_by_place(const weir_mysql_table *table, const weir_table_map *map, map_charset *charset,
                            weir_row_binding *out, weir_error *err)
{
    bool all_fit = map->column_count <= table->column_count;
    for (uint32_t i = 0; all_fit && i < map->column_count; i++) {
        all_fit = fits(&table->columns[i], &map->columns[i]);
    }
    if (!all_fit) {
        return weir_fail(err, WEIR_CONFLICT,
                         "table %s.%s: rows of %u columns in the binlog are not of the table as it is defined (%u "
                         "columns), and the binlog does not tell names; set binlog_row_metadata = FULL at the server, "
                         "and start over",
                         table->database, table->name, map->column_count, table->column_count);
    }
    for (uint32_t i = 0; i < map->column_count; i++) {
        out->columns[i] = table->columns[i];
        WEIR_TRY(trust_map(&map->columns[i], charset, &out->columns[i], err));
    }
    return WEIR_OK;
}

/* ---- fields and keys ---- */

static int32_t find_column(const weir_row_binding *binding, const char *name)
{
    for (uint32_t i = 0; i < binding->column_count; i++) {
        if (weir_text_equal_ignore_case(binding->columns[i].name, name)) {
            return (int32_t)i;
        }
    }
    return -1;
}

static int bind_fields(const weir_mysql_table *table, const weir_row_fields *fields, bool is_text,
                       weir_row_binding *out, weir_error *err)
{
    out->sources = WEIR_NEW_ARRAY(&out->arena, int32_t, fields->count);
    out->converters = WEIR_NEW_ARRAY(&out->arena, weir_mysql_converter, fields->count);
    out->field_count = fields->count;
    for (int32_t i = 0; i < fields->count; i++) {
        const weir_field *field = &fields->fields[i];
        out->sources[i] = find_column(out, field->name);
        if (out->sources[i] >= 0) {
            WEIR_TRY_CTX(weir_mysql_converter_init(&out->converters[i], fields->conversion,
                                                   &out->columns[out->sources[i]], field->type, is_text, err),
                         err, "column %s of table %s.%s", field->name, table->database, table->name);
        }
    }
    return WEIR_OK;
}

static void free_texts(weir_row_texts *texts)
{
    for (uint32_t i = 0; i < texts->count; i++) {
        weir_mysql_converter_free(&texts->converters[i]);
    }
}

/* Names that are not there leave *out empty. */
static int bind_texts(const char *const *names, uint32_t count, const weir_row_fields *fields, bool is_text,
                      weir_row_binding *binding, weir_row_texts *out, weir_error *err)
{
    out->places = WEIR_NEW_ARRAY(&binding->arena, uint32_t, count);
    out->converters = WEIR_NEW_ARRAY(&binding->arena, weir_mysql_converter, count);
    for (uint32_t i = 0; i < count; i++) {
        int32_t place = find_column(binding, names[i]);
        if (place < 0) {
            free_texts(out);
            out->count = 0;
            return WEIR_OK;
        }
        out->places[i] = (uint32_t)place;
        out->count = i + 1;
        WEIR_TRY(weir_mysql_converter_init(&out->converters[i], fields->conversion, &binding->columns[place], NULL,
                                           is_text, err));
    }
    return WEIR_OK;
}

static int bind(const weir_mysql_table *table, const weir_row_fields *fields, bool is_text, weir_row_binding *out,
                weir_error *err)
{
    const char **names = WEIR_NEW_ARRAY(&out->arena, const char *, table->key_count);
    for (uint32_t i = 0; i < table->key_count; i++) {
        names[i] = table->columns[table->key[i]].name;
    }
    WEIR_TRY(bind_fields(table, fields, is_text, out, err));
    WEIR_TRY(bind_texts(names, table->key_count, fields, is_text, out, &out->key, err));
    return fields->order_column == NULL ? bind_texts(names, table->key_count, fields, is_text, out, &out->order, err)
                                        : bind_texts(&fields->order_column, 1, fields, is_text, out, &out->order, err);
}

int weir_row_binding_of_query(const weir_mysql_table *table, const weir_row_fields *fields, weir_row_binding *out,
                              weir_error *err)
{
    *out = (weir_row_binding){.column_count = table->column_count, .columns = table->columns};
    weir_arena_init(&out->arena);
    int code = bind(table, fields, true, out, err);
    if (code != WEIR_OK) {
        weir_row_binding_free(out);
    }
    return code;
}

int weir_row_binding_of_map(const weir_mysql_table *table, const weir_table_map *map, const weir_row_fields *fields,
                            weir_mysql_connection *connection, weir_row_binding *out, weir_error *err)
{
    *out = (weir_row_binding){.column_count = map->column_count};
    weir_arena_init(&out->arena);
    out->columns = WEIR_NEW_ARRAY(&out->arena, weir_mysql_column, map->column_count);
    out->row_columns = WEIR_NEW_ARRAY(&out->arena, weir_row_column, map->column_count);
    map_charset charset = {.connection = connection, .arena = &out->arena};
    int code = map->has_names ? columns_by_name(table, map, &charset, out, err)
                              : columns_by_place(table, map, &charset, out, err);
    for (uint32_t i = 0; i < map->column_count; i++) {
        const weir_binlog_column *raw = &map->columns[i];
        out->row_columns[i] = (weir_row_column){
            .type = raw->type, .extra = raw->extra, .scale = raw->scale, .is_unsigned = out->columns[i].is_unsigned};
    }
    if (code == WEIR_OK) {
        code = bind(table, fields, false, out, err);
    }
    if (code != WEIR_OK) {
        weir_row_binding_free(out);
    }
    return code;
}

void weir_row_binding_free(weir_row_binding *binding)
{
    for (int32_t i = 0; i < binding->field_count; i++) {
        weir_mysql_converter_free(&binding->converters[i]);
    }
    free_texts(&binding->key);
    free_texts(&binding->order);
    weir_arena_free(&binding->arena);
    *binding = (weir_row_binding){0};
}

/* ---- rows ---- */

int weir_row_take(weir_byte_reader *reader, const weir_row_binding *binding, weir_buffer *scratch,
                  weir_mysql_value *values, weir_error *err)
{
    weir_slice nulls = weir_take_bytes(reader, (binding->column_count + 7) / 8);
    if (reader->failed) {
        return weir_fail(err, WEIR_CORRUPT, "a row ends before its columns");
    }
    weir_buffer_clear(scratch);
    weir_buffer_reserve(scratch, (size_t)binding->column_count * DECIMAL_TEXT);
    for (uint32_t i = 0; i < binding->column_count; i++) {
        if (nulls.data[i / 8] >> i % 8 & 1) {
            values[i].kind = WEIR_MYSQL_NULL;
            continue;
        }
        WEIR_TRY_CTX(weir_row_value_take(reader, &binding->row_columns[i], scratch, &values[i], err), err, "column %s",
                     binding->columns[i].name);
    }
    return reader->failed ? weir_fail(err, WEIR_CORRUPT, "a row ends before its last column") : WEIR_OK;
}

int weir_row_append(weir_row_binding *binding, const weir_mysql_value *values, weir_vector *columns, weir_error *err)
{
    for (int32_t i = 0; i < binding->field_count; i++) {
        if (binding->sources[i] < 0) {
            WEIR_TRY(weir_vector_append_nulls(&columns[i], 1, err));
            continue;
        }
        WEIR_TRY_CTX(weir_mysql_convert(&binding->converters[i], &values[binding->sources[i]], &columns[i], err), err,
                     "column %s", binding->columns[binding->sources[i]].name);
    }
    return WEIR_OK;
}

int weir_row_append_texts(weir_row_texts *texts, const weir_mysql_value *values, weir_buffer *out, weir_error *err)
{
    for (uint32_t i = 0; i < texts->count; i++) {
        weir_mysql_converter *converter = &texts->converters[i];
        weir_buffer_clear(&converter->text);
        WEIR_TRY(weir_mysql_converter_key(converter, &values[texts->places[i]], &converter->text, err));
        weir_put_slice(out, weir_buffer_slice(&converter->text));
    }
    return WEIR_OK;
}
