/* Events with rows: which of them are given out, and as what. */
#include <stdlib.h>

#include "connect/mysql/snapshot.h"
#include "vector/time_text.h"

#define ROWS_A_LOOK 256 /* rows between two looks at a batch's memory */

/* An event that is being worked on. */
typedef struct row_event {
    weir_capture *capture;
    weir_captured_table *table;
    weir_binlog_rows rows;
    weir_mysql_value *before; /* an update's, a delete's; for inserts it is not used */
    weir_mysql_value *after;
    uint32_t change_s;
    weir_key_side *sides; /* of each row image, while the table is being read; NULL: all are given */
    size_t next_side;
} row_event;

/* ---- giving rows out ---- */

static int append_metadata(const weir_capture *capture, const weir_captured_table *table, weir_row_kind kind,
                           uint32_t change_s, weir_batch *batch, weir_error *err)
{
    const weir_mysql_settings *settings = capture->settings;
    for (int32_t i = 0; i < settings->metadata_count; i++) {
        weir_vector *column = &batch->columns[settings->fields.count + i];
        const char *text = NULL;
        switch (settings->metadata[i]) {
        case WEIR_MYSQL_TABLE_NAME:
            text = table->definition.name;
            break;
        case WEIR_MYSQL_DATABASE_NAME:
            text = table->definition.database;
            break;
        case WEIR_MYSQL_ROW_KIND:
            text = weir_row_kind_text((int8_t)kind);
            break;
        case WEIR_MYSQL_CHANGE_TIME: {
            weir_timestamp_nanos time = {.millis = (int64_t)change_s * 1000};
            int64_t narrow = 0;
            (void)weir_timestamp_narrow(time, column->type->precision, &narrow); /* 32 bits of seconds fit */
            WEIR_TRY(column->layout == WEIR_LAYOUT_128 ? weir_vector_append_raw(column, &time, sizeof time, err)
                                                       : weir_vector_append_raw(column, &narrow, sizeof narrow, err));
            continue;
        }
        }
        WEIR_TRY(weir_vector_append_raw(column, text, strlen(text), err));
    }
    return WEIR_OK;
}

int weir_capture_finish_row(weir_capture *capture, const weir_captured_table *table, weir_row_kind kind,
                            uint32_t change_s, weir_batch *batch, weir_error *err)
{
    WEIR_TRY(append_metadata(capture, table, kind, change_s, batch, err));
    weir_row_kind given = capture->settings->append_only ? WEIR_INSERT : kind;
    if (given != WEIR_INSERT || batch->kinds != NULL) {
        weir_batch_reserve_kinds(batch, batch->length + 1);
        batch->kinds[batch->length] = (int8_t)given;
    }
    batch->length++;
    return WEIR_OK;
}

static int give(row_event *event, const weir_mysql_value *values, weir_row_kind kind, weir_error *err)
{
    weir_capture *capture = event->capture;
    if (capture->settings->startup == WEIR_MYSQL_SNAPSHOT_ONLY) {
        return WEIR_OK; /* each chunk stays as it was when it was read */
    }
    WEIR_TRY(weir_row_append(&event->table->rows, values, capture->batch.columns, err));
    capture->batch_change_s = event->change_s;
    return weir_capture_finish_row(capture, event->table, kind, event->change_s, &capture->batch, err);
}

/* ---- updates ---- */

static bool is_same(const weir_mysql_value *a, const weir_mysql_value *b)
{
    if (a->kind != b->kind) {
        return false;
    }
    switch (a->kind) {
    case WEIR_MYSQL_NULL:
        return true;
    case WEIR_MYSQL_BYTES:
    case WEIR_MYSQL_BITS:
    case WEIR_MYSQL_DOCUMENT:
    case WEIR_MYSQL_PACKED:
        return weir_slice_equal(a->bytes, b->bytes);
    case WEIR_MYSQL_NUMERIC:
        return a->numeric == b->numeric && a->scale == b->scale;
    default:
        return a->number == b->number;
    }
}

static bool keeps_key(const row_event *event)
{
    const weir_row_texts *key = &event->table->rows.key;
    for (uint32_t i = 0; i < key->count; i++) {
        if (!is_same(&event->before[key->places[i]], &event->after[key->places[i]])) {
            return false;
        }
    }
    return true;
}

/* As Flink CDC does: a row with another key is another row. */
static int give_update(row_event *event, weir_error *err)
{
    bool is_same_row = keeps_key(event);
    WEIR_TRY(give(event, event->before, is_same_row ? WEIR_UPDATE_BEFORE : WEIR_DELETE, err));
    return give(event, event->after, is_same_row ? WEIR_UPDATE_AFTER : WEIR_INSERT, err);
}

/* ---- while a table is being read ---- */

static int leave_side(row_event *event, weir_key_side side, weir_error *err)
{
    if (side == WEIR_KEY_GIVEN) {
        return give(event, event->before, WEIR_DELETE, err);
    }
    const weir_snapshot_chunk *chunk = event->capture->chunk;
    return side == WEIR_KEY_IN_CHUNK && chunk != NULL && !chunk->is_exact
               ? weir_snapshot_remove(event->capture, &event->table->rows, event->before, err)
               : WEIR_OK;
}

static int enter_side(row_event *event, weir_key_side side, weir_error *err)
{
    if (side == WEIR_KEY_GIVEN) {
        return give(event, event->after, WEIR_INSERT, err);
    }
    const weir_snapshot_chunk *chunk = event->capture->chunk;
    return side == WEIR_KEY_IN_CHUNK && chunk != NULL && !chunk->is_exact
               ? weir_snapshot_put(event->capture, &event->table->rows, event->after, err)
               : WEIR_OK;
}

/* Row images in the order of the event: their keys, one after the other. */
static int collect_keys(row_event *event, weir_buffer *keys, size_t *out_count, weir_error *err)
{
    weir_capture *capture = event->capture;
    weir_byte_reader reader = weir_byte_reader_of(event->rows.rows);
    while (reader.left.size > 0) {
        WEIR_TRY(weir_row_take(&reader, &event->table->rows, &capture->scratch[2], event->after, err));
        WEIR_TRY(weir_row_append_texts(&event->table->rows.order, event->after, keys, err));
        (*out_count)++;
    }
    return WEIR_OK;
}

static int find_sides(row_event *event, weir_error *err)
{
    static const weir_capture_key nothing_more = {0};
    weir_capture *capture = event->capture;
    weir_captured_table *table = event->table;
    const weir_capture_key *end = capture->chunk != NULL ? &capture->chunk->end : &nothing_more;
    weir_buffer keys = {0};
    size_t count = 0;
    if (table->rows.order.count != table->order_count) {
        return weir_fail(err, WEIR_CONFLICT,
                         "table %s.%s: the columns of its primary key were changed while it was being read; start over",
                         table->definition.database, table->definition.name);
    }
    int code = collect_keys(event, &keys, &count, err);
    if (code == WEIR_OK) {
        event->sides = weir_alloc_zeroed(count + 1, sizeof *event->sides);
        code = weir_snapshot_sides(capture, table, end, weir_buffer_slice(&keys), count, event->sides, err);
    }
    weir_buffer_free(&keys);
    return code;
}

/* ---- events ---- */

static int apply_row(row_event *event, weir_error *err)
{
    if (event->sides == NULL) {
        switch (event->rows.change) {
        case WEIR_BINLOG_INSERT:
            return give(event, event->after, WEIR_INSERT, err);
        case WEIR_BINLOG_DELETE:
            return give(event, event->before, WEIR_DELETE, err);
        case WEIR_BINLOG_UPDATE:
            return give_update(event, err);
        }
    }
    weir_key_side before =
        event->rows.change == WEIR_BINLOG_INSERT ? WEIR_KEY_BEYOND : event->sides[event->next_side++];
    weir_key_side after = event->rows.change == WEIR_BINLOG_DELETE ? WEIR_KEY_BEYOND : event->sides[event->next_side++];
    if (event->rows.change == WEIR_BINLOG_UPDATE && before == WEIR_KEY_GIVEN && after == WEIR_KEY_GIVEN) {
        return give_update(event, err);
    }
    WEIR_TRY(leave_side(event, before, err));
    return enter_side(event, after, err);
}

/* Whether changes like this one are passed over: they were given out before, or are older than what is wanted. */
static bool is_passed_over(const row_event *event)
{
    const weir_capture *capture = event->capture;
    return capture->rows_in_transaction <= capture->offset.skip_rows ||
           (int64_t)event->change_s * 1000 < capture->skip_before_ms;
}

static int take_images(row_event *event, weir_byte_reader *reader, weir_error *err)
{
    weir_capture *capture = event->capture;
    const weir_row_binding *binding = &event->table->rows;
    if (event->rows.change != WEIR_BINLOG_INSERT) {
        WEIR_TRY(weir_row_take(reader, binding, &capture->scratch[2], event->before, err));
    }
    if (event->rows.change != WEIR_BINLOG_DELETE) {
        WEIR_TRY(weir_row_take(reader, binding, &capture->scratch[3], event->after, err));
    }
    return WEIR_OK;
}

/* By rows, by their bytes, and, once in a while, by the memory that they really take. */
static bool is_full(const weir_capture *capture)
{
    const weir_batch *batch = &capture->batch;
    int64_t most_bytes = capture->settings->batch_bytes;
    return batch->length >= capture->settings->batch_rows || capture->batch_bytes >= most_bytes ||
           (batch->length % ROWS_A_LOOK == 0 && (int64_t)weir_batch_memory(batch) >= most_bytes * 2);
}

static int apply_rows(row_event *event, weir_error *err)
{
    weir_capture *capture = event->capture;
    weir_byte_reader reader = weir_byte_reader_of(event->rows.rows);
    while (reader.left.size > 0) {
        size_t left = reader.left.size;
        WEIR_TRY(take_images(event, &reader, err));
        if (reader.left.size == left) {
            return weir_fail(err, WEIR_CORRUPT, "rows without bytes");
        }
        capture->rows_in_transaction++;
        if (is_passed_over(event)) {
            event->next_side += event->rows.change == WEIR_BINLOG_UPDATE ? 2 : 1;
            continue;
        }
        WEIR_TRY(apply_row(event, err));
        capture->batch_bytes += (int64_t)(left - reader.left.size);
        capture->has_news = true;
        if (is_full(capture)) {
            WEIR_TRY(capture->is_xa ? weir_capture_refuse_xa(err) : weir_capture_flush(capture, err));
        }
    }
    return WEIR_OK;
}

int weir_capture_refuse_xa(weir_error *err)
{
    return weir_fail(
        err, WEIR_UNSUPPORTED,
        "the binlog has an XA transaction with rows of the tables, which this version does not read; commit "
        "without XA, and start over");
}

bool weir_capture_take_back(weir_capture *capture)
{
    weir_batch whole;
    if (capture->is_partly_given) {
        return false;
    }
    if (capture->batch.length == capture->whole_rows) {
        return true;
    }
    weir_batch_init(&whole, capture->settings->all_fields, capture->settings->all_count);
    (void)weir_batch_append_range(&whole, &capture->batch, 0, capture->whole_rows, NULL); /* fewer than there were */
    weir_batch_free(&capture->batch);
    capture->batch = whole;
    return true;
}

int weir_capture_take_rows(weir_capture *capture, const weir_binlog_event *event, weir_error *err)
{
    row_event rows = {.capture = capture, .change_s = event->timestamp_s};
    uint64_t table_id;
    uint8_t id[8];
    WEIR_TRY(weir_binlog_parse_rows_table(event, &capture->stream.format, &table_id, err));
    weir_store_le64(id, table_id);
    rows.table = weir_map_get(&capture->table_ids, weir_slice_of(id, sizeof id));
    if (rows.table == NULL || !rows.table->has_rows) {
        return WEIR_OK;
    }
    if (capture->has_gtid && capture->gtid.is_prepared) {
        return weir_capture_refuse_xa(err);
    }
    const char *database = rows.table->definition.database;
    const char *name = rows.table->definition.name;
    WEIR_TRY_CTX(weir_binlog_parse_rows(event, &capture->stream.format, &capture->scratch[1], &rows.rows, err), err,
                 "table %s.%s", database, name);
    uint32_t columns = rows.table->rows.column_count;
    if (columns != rows.rows.column_count) {
        return weir_fail(err, WEIR_CORRUPT, "table %s.%s: rows of %u columns after a map of %u", database, name,
                         rows.rows.column_count, columns);
    }
    WEIR_GROW(capture->values, capture->value_capacity, columns * 2);
    rows.before = capture->values;
    rows.after = capture->values + columns;
    int code = WEIR_OK;
    if (rows.table->stage == WEIR_CAPTURE_READING) {
        code = find_sides(&rows, err);
    }
    if (code == WEIR_OK) {
        code = apply_rows(&rows, err);
    }
    free(rows.sides);
    WEIR_TRY_CTX(code, err, "table %s.%s", database, name);
    return WEIR_OK;
}
