/* A file of a binlog as text, a line for what each event says; rows as JSON. For tests and the fuzzer. */
#ifndef WEIR_TESTS_BINLOG_TEXT_H
#define WEIR_TESTS_BINLOG_TEXT_H

#include <stdlib.h>

#include "connect/mysql/ddl.h"
#include "connect/mysql/event_bytes.h"
#include "connect/mysql/gtid.h"
#include "connect/mysql/row_binding.h"
#include "vector/literal.h"

#define BINLOG_MAGIC 4

typedef struct binlog_reader {
    const weir_mysql_table *table; /* as declared */
    weir_row_fields fields;
    weir_mysql_conversion conversion;
    weir_binlog_format format;
    weir_arena arena;
    weir_row_binding binding;
    bool is_bound;
    weir_mysql_value values[2 * 4096];
    weir_buffer scratch[3];
    weir_buffer *out;
} binlog_reader;

static inline int show_rows(binlog_reader *reader, const weir_binlog_event *event, weir_error *err)
{
    static const char *const words[] = {"insert", "update", "delete"};
    weir_binlog_rows rows;
    WEIR_TRY(weir_binlog_parse_rows(event, &reader->format, &reader->scratch[0], &rows, err));
    if (!reader->is_bound || rows.column_count != reader->binding.column_count) {
        return weir_fail(err, WEIR_CORRUPT, "rows of no table");
    }
    weir_byte_reader bytes = weir_byte_reader_of(rows.rows);
    weir_batch batch;
    weir_batch_init(&batch, reader->fields.fields, reader->fields.count);
    int code = WEIR_OK;
    while (code == WEIR_OK && bytes.left.size > 0) {
        code = weir_row_take(&bytes, &reader->binding, &reader->scratch[1], reader->values, err);
        if (code == WEIR_OK) {
            code = weir_row_append(&reader->binding, reader->values, batch.columns, err);
        }
        batch.length += code == WEIR_OK;
    }
    for (int64_t row = 0; code == WEIR_OK && row < batch.length; row++) {
        weir_buffer_append_format(reader->out, "%s [", words[rows.change]);
        for (int32_t i = 0; i < batch.column_count; i++) {
            weir_buffer_append_text(reader->out, i == 0 ? "" : ", ");
            weir_value_to_json(&batch.columns[i], row, reader->out);
        }
        weir_buffer_append_text(reader->out, "]\n");
    }
    weir_batch_free(&batch);
    return code;
}

static inline int show_map(binlog_reader *reader, const weir_binlog_event *event, weir_error *err)
{
    weir_table_map map;
    WEIR_TRY(weir_table_map_parse(event, &reader->format, &reader->arena, &map, err));
    weir_buffer_append_format(reader->out, "table %s.%s, %u columns%s\n", map.database, map.table, map.column_count,
                              map.has_names ? " with names" : "");
    if (reader->is_bound) {
        weir_row_binding_free(&reader->binding);
        reader->is_bound = false;
    }
    WEIR_TRY(weir_row_binding_of_map(reader->table, &map, &reader->fields, NULL, &reader->binding, err));
    reader->is_bound = true;
    return WEIR_OK;
}

static inline int show_gtid(binlog_reader *reader, const weir_binlog_event *event, weir_error *err)
{
    weir_binlog_gtid gtid;
    weir_gtid_set set = {0};
    WEIR_TRY(weir_binlog_parse_gtid(event, &gtid, err));
    if (event->type == WEIR_BINLOG_MARIADB_GTID) {
        weir_gtid_set_add_domain(
            &set, (weir_gtid_domain){.domain = gtid.domain, .server_id = event->server_id, .sequence = gtid.number});
    } else {
        weir_gtid_set_add(&set, gtid.uuid, gtid.number);
    }
    weir_buffer_append_text(reader->out, "gtid ");
    weir_gtid_set_format(&set, reader->out);
    weir_buffer_append_text(reader->out, gtid.is_alone ? " alone\n" : "\n");
    weir_gtid_set_free(&set);
    return WEIR_OK;
}

static inline int show_query(binlog_reader *reader, const weir_binlog_event *event, weir_error *err)
{
    weir_binlog_query query;
    weir_ddl ddl;
    WEIR_TRY(weir_binlog_parse_query(event, &reader->scratch[2], &query, err));
    weir_ddl_parse(query.text, &reader->arena, &ddl);
    weir_buffer_append_format(reader->out, "query %d of %zu tables: %.*s\n", (int)ddl.kind, ddl.table_count,
                              (int)query.text.size, (const char *)query.text.data);
    return WEIR_OK;
}

static inline int show_event(binlog_reader *reader, const weir_binlog_event *event, weir_error *err);

static inline int show_payload(binlog_reader *reader, const weir_binlog_event *event, weir_error *err)
{
    weir_buffer unpacked = {0};
    weir_binlog_event inner;
    int code = weir_binlog_unpack_transaction(event, &unpacked, err);
    weir_slice left = weir_buffer_slice(&unpacked);
    while (code == WEIR_OK && left.size > 0) {
        code = weir_binlog_next_packed(&left, &inner, err);
        if (code == WEIR_OK && inner.type != WEIR_BINLOG_TRANSACTION_PAYLOAD) {
            code = show_event(reader, &inner, err);
        }
    }
    weir_buffer_free(&unpacked);
    return code;
}

static inline int show_event(binlog_reader *reader, const weir_binlog_event *event, weir_error *err)
{
    weir_slice file;
    uint64_t position;
    if (weir_binlog_is_rows(event->type)) {
        return show_rows(reader, event, err);
    }
    switch (event->type) {
    case WEIR_BINLOG_TABLE_MAP:
        return show_map(reader, event, err);
    case WEIR_BINLOG_GTID:
    case WEIR_BINLOG_MARIADB_GTID:
        return show_gtid(reader, event, err);
    case WEIR_BINLOG_QUERY:
    case WEIR_BINLOG_MARIADB_QUERY_COMPRESSED:
        return show_query(reader, event, err);
    case WEIR_BINLOG_XID:
        weir_buffer_append_text(reader->out, "commit\n");
        return WEIR_OK;
    case WEIR_BINLOG_ROTATE:
        WEIR_TRY(weir_binlog_parse_rotate(event, &file, &position, err));
        weir_buffer_append_format(reader->out, "rotate %.*s:%" PRIu64 "\n", (int)file.size, (const char *)file.data,
                                  position);
        return WEIR_OK;
    case WEIR_BINLOG_HEARTBEAT:
    case WEIR_BINLOG_HEARTBEAT_2:
        WEIR_TRY(weir_binlog_parse_heartbeat(event, &file, &position, err));
        weir_buffer_append_format(reader->out, "heartbeat %.*s:%" PRIu64 "\n", (int)file.size, (const char *)file.data,
                                  position);
        return WEIR_OK;
    case WEIR_BINLOG_PREVIOUS_GTIDS:
    case WEIR_BINLOG_MARIADB_GTID_LIST: {
        weir_gtid_set set;
        WEIR_TRY(weir_gtid_set_parse_event(event->body, event->type != WEIR_BINLOG_PREVIOUS_GTIDS, &set, err));
        weir_buffer_append_text(reader->out, "before ");
        weir_gtid_set_format(&set, reader->out);
        weir_buffer_append_text(reader->out, "\n");
        weir_gtid_set_free(&set);
        return WEIR_OK;
    }
    case WEIR_BINLOG_TRANSACTION_PAYLOAD:
        return show_payload(reader, event, err);
    case WEIR_BINLOG_FORMAT:
        return weir_binlog_parse_format(event, &reader->format, err);
    default:
        return WEIR_OK;
    }
}

/* Appends what the events of a file say, up to the first that cannot be read. */
static inline int binlog_to_text(weir_slice file, const weir_mysql_table *table, const weir_field *fields,
                                 int32_t field_count, weir_buffer *out, weir_error *err)
{
    binlog_reader *reader = weir_alloc_zeroed(1, sizeof *reader);
    reader->table = table;
    reader->out = out;
    reader->fields = (weir_row_fields){.fields = fields, .count = field_count, .conversion = &reader->conversion};
    reader->conversion.zone = weir_zone_find("UTC");
    weir_arena_init(&reader->arena);
    int code = WEIR_OK;
    for (size_t at = BINLOG_MAGIC; code == WEIR_OK && at + 13 <= file.size;) {
        weir_binlog_event event;
        uint32_t size = weir_load_le32(file.data + at + 9);
        if (size < 19 || size > file.size - at) {
            code = weir_fail(err, WEIR_CORRUPT, "an event of %u bytes", size);
            break;
        }
        code = weir_binlog_event_parse(weir_slice_of(file.data + at, size), &reader->format, &event, err);
        if (code == WEIR_OK) {
            code = show_event(reader, &event, err);
        }
        at += size;
    }
    if (reader->is_bound) {
        weir_row_binding_free(&reader->binding);
    }
    for (size_t i = 0; i < sizeof reader->scratch / sizeof *reader->scratch; i++) {
        weir_buffer_free(&reader->scratch[i]);
    }
    weir_arena_free(&reader->arena);
    free(reader);
    return code;
}

/* "name definition" of each column, as a table with one primary key column, the first. */
static inline void declare_table(weir_arena *arena, const char *const *columns, uint32_t count, weir_mysql_table *out)
{
    static const uint32_t key[] = {0};
    *out = (weir_mysql_table){.database = "fx", .name = "t", .column_count = count, .key_count = 1, .key = key};
    out->columns = WEIR_NEW_ARRAY(arena, weir_mysql_column, count);
    for (uint32_t i = 0; i < count; i++) {
        const char *blank = strchr(columns[i], ' ');
        out->columns[i].name = weir_arena_strndup(arena, columns[i], (size_t)(blank - columns[i]));
        out->columns[i].is_nullable = true;
        out->columns[i].key_place = i == 0 ? 0 : -1;
        weir_mysql_column_define(arena, blank + 1, &out->columns[i]);
    }
}

#endif
