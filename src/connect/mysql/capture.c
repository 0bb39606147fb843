/* A capture as a whole, and its position: where the binlog is, how far each table is, and their definitions. */
#include "connect/mysql/capture.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "connect/mysql/snapshot.h"

#define POSITION_VERSION 2

void weir_capture_init(weir_capture *capture, const weir_mysql_settings *settings, weir_capture_sink sink)
{
    *capture = (weir_capture){.settings = settings, .sink = sink, .may_be_invisible = true};
    capture->chunk_rows = settings->chunk_rows < 1024 ? settings->chunk_rows : 1024;
    weir_batch_init(&capture->batch, settings->all_fields, settings->all_count);
    weir_arena_init(&capture->event_arena);
}

static void free_table(weir_captured_table *table)
{
    weir_capture_key_free(&table->frontier);
    weir_buffer_free(&table->map);
    if (table->has_rows) {
        weir_row_binding_free(&table->rows);
    }
    weir_arena_free(&table->arena);
    free(table);
}

static void free_tables(weir_capture *capture)
{
    for (size_t i = 0; i < capture->table_count; i++) {
        free_table(capture->tables[i]);
    }
    free(capture->tables);
    capture->tables = NULL;
    capture->table_count = capture->table_capacity = 0;
}

void weir_capture_free(weir_capture *capture)
{
    weir_capture_disconnect(capture);
    weir_snapshot_chunk_free(capture->chunk);
    free_tables(capture);
    weir_map_free(&capture->table_ids);
    weir_capture_ahead_free(&capture->ahead);
    weir_binlog_offset_free(&capture->offset);
    weir_binlog_offset_free(&capture->caught_up);
    weir_batch_free(&capture->batch);
    free(capture->values);
    for (size_t i = 0; i < sizeof capture->scratch / sizeof *capture->scratch; i++) {
        weir_buffer_free(&capture->scratch[i]);
    }
    weir_arena_free(&capture->event_arena);
}

int weir_capture_flush(weir_capture *capture, weir_error *err)
{
    weir_buffer position = {0};
    bool has_open_rows = capture->in_transaction && capture->batch.length > capture->whole_rows;
    weir_capture_encode(capture, &position);
    int code = capture->sink.take(capture->sink.self, &capture->batch, &position, capture->batch_change_s, err);
    weir_buffer_free(&position);
    capture->is_partly_given = capture->is_partly_given || has_open_rows;
    capture->whole_rows = 0;
    capture->batch_bytes = 0;
    capture->batch_ns = 0;
    capture->has_news = false;
    capture->pushed_ns = weir_monotonic_ns();
    return code;
}

int weir_capture_error_at(const weir_capture *capture, int code, weir_error *err)
{
    return weir_error_context(err, code, "binlog %s before %" PRIu64, capture->stream_file, capture->next_position);
}

/* ---- positions ---- */

static void encode_table(const weir_captured_table *table, weir_buffer *out)
{
    weir_put_u8(out, (uint8_t)table->stage);
    weir_put_u8(out, table->is_stale);
    weir_put_u32(out, table->frontier.count);
    for (uint32_t i = 0; i < table->frontier.count; i++) {
        weir_put_slice(out, table->frontier.texts[i]);
    }
    weir_mysql_table_encode(&table->definition, out);
}

void weir_capture_encode(const weir_capture *capture, weir_buffer *out)
{
    weir_put_u8(out, POSITION_VERSION);
    weir_put_u8(out, capture->query.is_mariadb);
    weir_put_slice(out, weir_slice_text(capture->server));
    weir_binlog_offset offset = capture->offset; /* borrows */
    offset.skip_rows =
        capture->rows_in_transaction > offset.skip_rows ? capture->rows_in_transaction : offset.skip_rows;
    weir_binlog_offset_encode(&offset, out);
    weir_put_u64(out, (uint64_t)capture->skip_before_ms);
    weir_put_u64(out, capture->reading);
    weir_put_u32(out, (uint32_t)capture->table_count);
    for (size_t i = 0; i < capture->table_count; i++) {
        encode_table(capture->tables[i], out);
    }
}

static void decode_table(const weir_capture *capture, weir_byte_reader *reader, weir_captured_table *table)
{
    uint8_t stage = weir_take_u8(reader);
    table->is_stale = weir_take_u8(reader) != 0;
    uint32_t count = weir_take_count(reader, 4);
    weir_slice texts = reader->left;
    for (uint32_t i = 0; i < count; i++) {
        weir_take_slice(reader);
    }
    reader->failed = reader->failed || stage > WEIR_CAPTURE_DONE;
    if (reader->failed) {
        return;
    }
    table->stage = (weir_capture_stage)stage;
    if (count > 0) {
        weir_capture_key_set(&table->frontier, texts, count);
    }
    weir_mysql_table_decode(reader, &table->arena, &table->definition);
    if (!reader->failed) {
        weir_snapshot_find_order(capture->settings, table);
        reader->failed = count > 0 && count != table->order_count;
    }
}

int weir_capture_decode(weir_capture *capture, weir_slice position, weir_error *err)
{
    weir_byte_reader reader = weir_byte_reader_of(position);
    uint8_t version = weir_take_u8(&reader);
    bool is_mariadb = weir_take_u8(&reader) != 0;
    if (version != POSITION_VERSION) {
        return weir_fail(err, WEIR_CORRUPT, "mysql-cdc: the stored position is damaged, or of another version");
    }
    weir_slice server = weir_take_slice(&reader);
    reader.failed = reader.failed || server.size >= sizeof capture->server;
    snprintf(capture->server, sizeof capture->server, "%.*s", reader.failed ? 0 : (int)server.size,
             server.size == 0 ? "" : (const char *)server.data);
    weir_binlog_offset_free(&capture->offset);
    weir_binlog_offset_decode(&reader, &capture->offset);
    capture->is_partly_given = capture->offset.skip_rows > 0;
    capture->skip_before_ms = weir_take_i64(&reader);
    capture->reading = (size_t)weir_take_u64(&reader);
    uint32_t count = weir_take_count(&reader, 20);
    for (uint32_t i = 0; i < count && !reader.failed; i++) {
        decode_table(capture, &reader, weir_capture_add(capture));
    }
    if (!weir_byte_reader_is_done(&reader) || capture->reading > capture->table_count) {
        free_tables(capture);
        return weir_fail(
            err, WEIR_CORRUPT,
            "mysql-cdc: the stored position is damaged, or 'scan.incremental.snapshot.chunk.key-column' is "
            "another one now");
    }
    if (is_mariadb != capture->query.is_mariadb) {
        free_tables(capture);
        return weir_fail(err, WEIR_INVALID,
                         "mysql-cdc: this job has read from %s, and 'hostname' is a %s now; start over",
                         is_mariadb ? "MariaDB" : "MySQL", capture->query.is_mariadb ? "MariaDB" : "MySQL");
    }
    return WEIR_OK;
}
