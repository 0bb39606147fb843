/* | id: 6 | flags: 2 | database's length: 1, database \0 | table's length: 1, table \0 | columns: packed | types: 1
 * each | size of what belongs to the types: packed, and that | bitmap of those that may be NULL | fields | */
#include "connect/mysql/table_map.h"

#include "connect/mysql/event_bytes.h"

#define MOST_COLUMNS 4096

enum {
    FIELD_SIGNS = 1,
    FIELD_DEFAULT_COLLATION = 2,
    FIELD_COLLATIONS = 3,
    FIELD_NAMES = 4,
    FIELD_SET_LABELS = 5,
    FIELD_ENUM_LABELS = 6,
    FIELD_ENUM_DEFAULT_COLLATION = 10,
    FIELD_ENUM_COLLATIONS = 11
};

static int fail_damaged(const weir_table_map *map, weir_error *err)
{
    return weir_fail(err, WEIR_CORRUPT, "binlog: the table map of %s.%s is damaged", map->database, map->table);
}

static const char *take_name(weir_byte_reader *reader, weir_arena *arena)
{
    uint8_t size = weir_take_u8(reader);
    weir_slice name = weir_take_bytes(reader, size);
    weir_take_u8(reader);
    return weir_arena_strndup(arena, name.data == NULL ? "" : (const char *)name.data, name.size);
}

/* ---- types ---- */

/* A CHAR's first byte says what it really is, and lends two bits to a length beyond 255. */
static void take_string(weir_byte_reader *extra, weir_binlog_column *out)
{
    uint8_t real = weir_take_u8(extra);
    uint8_t length = weir_take_u8(extra);
    if ((real & 0x30) != 0x30) {
        out->type = real | 0x30;
        out->extra = (uint16_t)(length | ((real & 0x30) ^ 0x30) << 4);
    } else {
        out->type = real;
        out->extra = length;
    }
    if (out->type != WEIR_BINLOG_ENUM && out->type != WEIR_BINLOG_SET) {
        out->type = WEIR_BINLOG_STRING;
    }
}

static void take_extra(weir_byte_reader *extra, weir_binlog_column *out)
{
    switch (out->type) {
    case WEIR_BINLOG_VARCHAR:
    case WEIR_BINLOG_VARCHAR_COMPRESSED:
        out->extra = (uint16_t)weir_take_number(extra, 2);
        break;
    case WEIR_BINLOG_BIT: {
        uint8_t bits = weir_take_u8(extra);
        out->extra = (uint16_t)(weir_take_u8(extra) * 8 + bits);
        break;
    }
    case WEIR_BINLOG_DECIMAL:
        out->extra = weir_take_u8(extra);
        out->scale = weir_take_u8(extra);
        break;
    case WEIR_BINLOG_STRING:
    case WEIR_BINLOG_VAR_STRING:
    case WEIR_BINLOG_ENUM:
    case WEIR_BINLOG_SET:
        take_string(extra, out);
        break;
    case WEIR_BINLOG_FLOAT:
    case WEIR_BINLOG_DOUBLE:
    case WEIR_BINLOG_BLOB:
    case WEIR_BINLOG_BLOB_COMPRESSED:
    case WEIR_BINLOG_VECTOR:
    case WEIR_BINLOG_JSON:
    case WEIR_BINLOG_GEOMETRY:
    case WEIR_BINLOG_TIMESTAMP2:
    case WEIR_BINLOG_DATETIME2:
    case WEIR_BINLOG_TIME2:
        out->extra = weir_take_u8(extra);
        break;
    default:
        break;
    }
}

/* ---- optional fields ---- */

typedef bool is_wanted_function(const weir_binlog_column *column);

static bool is_number(const weir_binlog_column *column)
{
    switch (column->type) {
    case WEIR_BINLOG_TINY:
    case WEIR_BINLOG_SHORT:
    case WEIR_BINLOG_INT24:
    case WEIR_BINLOG_LONG:
    case WEIR_BINLOG_LONGLONG:
    case WEIR_BINLOG_DECIMAL:
    case WEIR_BINLOG_FLOAT:
    case WEIR_BINLOG_DOUBLE:
        return true;
    default:
        return false;
    }
}

static bool is_text(const weir_binlog_column *column)
{
    switch (column->type) {
    case WEIR_BINLOG_STRING:
    case WEIR_BINLOG_VAR_STRING:
    case WEIR_BINLOG_VARCHAR:
    case WEIR_BINLOG_BLOB:
    case WEIR_BINLOG_VECTOR:
    case WEIR_BINLOG_VARCHAR_COMPRESSED:
    case WEIR_BINLOG_BLOB_COMPRESSED:
        return true;
    default:
        return false;
    }
}

/* To MariaDB a YEAR has a sign, and a geometry a character set. */
static bool is_mariadb_number(const weir_binlog_column *column)
{
    return is_number(column) || column->type == WEIR_BINLOG_YEAR;
}

static bool is_mariadb_text(const weir_binlog_column *column)
{
    return is_text(column) || column->type == WEIR_BINLOG_GEOMETRY;
}

static bool is_enum_or_set(const weir_binlog_column *column)
{
    return column->type == WEIR_BINLOG_ENUM || column->type == WEIR_BINLOG_SET;
}

static bool is_enum(const weir_binlog_column *column) { return column->type == WEIR_BINLOG_ENUM; }
static bool is_set(const weir_binlog_column *column) { return column->type == WEIR_BINLOG_SET; }

/* One bit a number, the first in the highest bit. */
static void take_signs(weir_byte_reader *reader, weir_table_map *map, is_wanted_function *is_wanted)
{
    uint32_t place = 0;
    for (uint32_t i = 0; i < map->column_count; i++) {
        if (is_wanted(&map->columns[i]) && place / 8 < reader->left.size) {
            map->columns[i].has_sign = true;
            map->columns[i].is_unsigned = reader->left.data[place / 8] >> (7 - place % 8) & 1;
            place++;
        }
    }
}

static void take_collations(weir_byte_reader *reader, weir_table_map *map, is_wanted_function *is_wanted)
{
    for (uint32_t i = 0; i < map->column_count && reader->left.size > 0; i++) {
        if (is_wanted(&map->columns[i])) {
            map->columns[i].collation = (uint32_t)weir_take_packed(reader);
        }
    }
}

/* The most frequent one, and pairs of a place among the texts and a collation for the others. */
static void take_default_collation(weir_byte_reader *reader, weir_table_map *map, is_wanted_function *is_wanted)
{
    uint32_t collation = (uint32_t)weir_take_packed(reader);
    uint64_t other = reader->left.size > 0 ? weir_take_packed(reader) : UINT64_MAX;
    uint64_t place = 0;
    for (uint32_t i = 0; i < map->column_count; i++) {
        if (!is_wanted(&map->columns[i])) {
            continue;
        }
        map->columns[i].collation = collation;
        if (place++ == other) {
            map->columns[i].collation = (uint32_t)weir_take_packed(reader);
            other = reader->left.size > 0 ? weir_take_packed(reader) : UINT64_MAX;
        }
    }
}

static const char *take_text(weir_byte_reader *reader, weir_arena *arena)
{
    weir_slice text = weir_take_packed_bytes(reader);
    return weir_arena_strndup(arena, text.data == NULL ? "" : (const char *)text.data, text.size);
}

static void take_names(weir_byte_reader *reader, weir_arena *arena, weir_table_map *map)
{
    for (uint32_t i = 0; i < map->column_count; i++) {
        map->columns[i].name = take_text(reader, arena);
    }
    map->has_names = !reader->failed;
}

static void take_labels(weir_byte_reader *reader, weir_arena *arena, weir_table_map *map, is_wanted_function *is_wanted)
{
    for (uint32_t i = 0; i < map->column_count && !reader->failed; i++) {
        weir_binlog_column *column = &map->columns[i];
        if (!is_wanted(column)) {
            continue;
        }
        uint64_t count = weir_take_packed(reader);
        if (reader->failed || count > reader->left.size) {
            weir_byte_reader_fail(reader);
            return;
        }
        column->labels = WEIR_NEW_ARRAY(arena, const char *, count);
        column->label_count = (uint32_t)count;
        column->has_labels = true;
        for (uint64_t j = 0; j < count; j++) {
            column->labels[j] = take_text(reader, arena);
        }
    }
}

static bool take_field(uint8_t type, weir_slice value, bool is_mariadb, weir_arena *arena, weir_table_map *map)
{
    weir_byte_reader reader = weir_byte_reader_of(value);
    switch (type) {
    case FIELD_SIGNS:
        take_signs(&reader, map, is_mariadb ? is_mariadb_number : is_number);
        break;
    case FIELD_DEFAULT_COLLATION:
        take_default_collation(&reader, map, is_mariadb ? is_mariadb_text : is_text);
        break;
    case FIELD_COLLATIONS:
        take_collations(&reader, map, is_mariadb ? is_mariadb_text : is_text);
        break;
    case FIELD_ENUM_DEFAULT_COLLATION:
        take_default_collation(&reader, map, is_enum_or_set);
        break;
    case FIELD_ENUM_COLLATIONS:
        take_collations(&reader, map, is_enum_or_set);
        break;
    case FIELD_NAMES:
        take_names(&reader, arena, map);
        break;
    case FIELD_SET_LABELS:
        take_labels(&reader, arena, map, is_set);
        break;
    case FIELD_ENUM_LABELS:
        take_labels(&reader, arena, map, is_enum);
        break;
    default:
        break;
    }
    return !reader.failed;
}

/* ---- the whole ---- */

static uint64_t take_id(weir_byte_reader *reader, const weir_binlog_format *format)
{
    return weir_take_number(reader, format->fixed_sizes[WEIR_BINLOG_TABLE_MAP] == 6 ? 4 : 6);
}

int weir_table_map_parse_id(const weir_binlog_event *event, const weir_binlog_format *format, uint64_t *out,
                            weir_error *err)
{
    weir_byte_reader reader = weir_byte_reader_of(event->body);
    *out = take_id(&reader, format);
    return reader.failed ? weir_fail(err, WEIR_CORRUPT, "binlog: a table map is cut off") : WEIR_OK;
}

int weir_table_map_parse(const weir_binlog_event *event, const weir_binlog_format *format, weir_arena *arena,
                         weir_table_map *out, weir_error *err)
{
    weir_byte_reader reader = weir_byte_reader_of(event->body);
    *out = (weir_table_map){.table_id = take_id(&reader, format)};
    weir_take_bytes(&reader, 2);
    out->database = take_name(&reader, arena);
    out->table = take_name(&reader, arena);
    uint64_t count = weir_take_packed(&reader);
    if (reader.failed || count > MOST_COLUMNS) {
        return fail_damaged(out, err);
    }
    weir_slice types = weir_take_bytes(&reader, (size_t)count);
    weir_byte_reader extra = weir_byte_reader_of(weir_take_packed_bytes(&reader));
    weir_take_bytes(&reader, ((size_t)count + 7) / 8);
    if (reader.failed) {
        return fail_damaged(out, err);
    }
    out->column_count = (uint32_t)count;
    out->columns = WEIR_NEW_ARRAY(arena, weir_binlog_column, count);
    for (uint32_t i = 0; i < out->column_count; i++) {
        out->columns[i].type = types.data[i];
        take_extra(&extra, &out->columns[i]);
    }
    if (extra.failed) {
        return fail_damaged(out, err);
    }
    while (reader.left.size > 0) {
        uint8_t type = weir_take_u8(&reader);
        weir_slice value = weir_take_packed_bytes(&reader);
        if (reader.failed || !take_field(type, value, format->is_mariadb, arena, out)) {
            return fail_damaged(out, err);
        }
    }
    return WEIR_OK;
}
