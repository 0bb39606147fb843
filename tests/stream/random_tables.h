/* Tables of random changes, for tests that read them both ways: as a stream, batch by batch, and as what they hold
 * after so many batches. */
#ifndef WEIR_TESTS_STREAM_RANDOM_TABLES_H
#define WEIR_TESTS_STREAM_RANDOM_TABLES_H

#include "harness.h"
#include "random.h"

enum { RANDOM_BATCHES_AT_MOST = 64, RANDOM_READERS_AT_MOST = 16, RANDOM_CHECKPOINTS_AT_MOST = 4096 };

/* What all tables of a test share. */
typedef struct random_reading {
    random_state *random;
    int32_t asks_left;    /* until a source fails; below 0: never */
    int32_t reader_count; /* sources that are open */
    int64_t checkpoint;   /* that positions are noted for */
} random_reading;

typedef struct random_table {
    weir_sql_table table;
    weir_arena arena;
    const weir_type *row;
    harness_changes changes;
    weir_batch events;
    char **texts; /* of the events' rows, by which they are compared */
    size_t text_capacity;
    int32_t time_column;                  /* whose values ascend but for some seconds, no two alike; -1: none */
    int32_t ends[RANDOM_BATCHES_AT_MOST]; /* where each batch ends among the events */
    int32_t batch_count;
    int32_t shown; /* as many batches a query in batch mode sees */
    /* By checkpoint: how many batches its sources had given; -1: they differ. */
    int32_t noted[RANDOM_CHECKPOINTS_AT_MOST];
    int64_t noted_for; /* the last checkpoint that a position was noted for */
    random_reading *reading;
} random_table;

/* --- As a stream ----------------------------------------------------------------------------------------------- */

typedef struct random_source {
    weir_stream_source base;
    random_table *table;
    int32_t columns[16];
    int32_t column_count;
    int32_t next;
} random_source;

static inline int random_source_next(weir_stream_source *base, weir_batch *out, weir_error *err)
{
    random_source *self = (random_source *)base;
    random_table *table = self->table;
    weir_batch_clear(out);
    if (table->reading->asks_left == 0) {
        return weir_fail(err, WEIR_CANCELLED, "killed by the test");
    }
    table->reading->asks_left -= table->reading->asks_left > 0;
    if (self->next == table->batch_count) {
        return WEIR_END;
    }
    if (random_below(table->reading->random, 4) == 0) {
        return WEIR_OK; /* nothing this time */
    }
    int32_t first = self->next == 0 ? 0 : table->ends[self->next - 1];
    int64_t count = table->ends[self->next++] - first;
    for (int32_t i = 0; i < self->column_count; i++) {
        WEIR_TRY(
            weir_vector_append_range(&out->columns[i], &table->events.columns[self->columns[i]], first, count, err));
    }
    if (table->changes != HARNESS_INSERTS) {
        weir_batch_reserve_kinds(out, count);
        memcpy(out->kinds, table->events.kinds + first, (size_t)count);
    }
    out->length = count;
    return WEIR_OK;
}

static inline int random_source_position(weir_stream_source *base, weir_buffer *out, weir_error *err)
{
    random_source *self = (random_source *)base;
    random_table *table = self->table;
    int64_t checkpoint = table->reading->checkpoint;
    (void)err;
    weir_buffer_append(out, &self->next, sizeof self->next);
    if (checkpoint >= 0 && checkpoint < RANDOM_CHECKPOINTS_AT_MOST) {
        bool differs = table->noted_for == checkpoint && table->noted[checkpoint] != self->next;
        table->noted[checkpoint] = differs ? -1 : self->next;
        table->noted_for = checkpoint;
    }
    return WEIR_OK;
}

static inline int random_source_restore(weir_stream_source *base, weir_slice position, weir_error *err)
{
    (void)err;
    memcpy(&((random_source *)base)->next, position.data, sizeof(int32_t));
    return WEIR_OK;
}

static inline void random_source_close(weir_stream_source *base) { free(base); }

static inline int random_open_stream(weir_sql_table *base, const weir_scan_request *request, weir_stream_source **out,
                                     weir_error *err)
{
    random_source *self = weir_alloc_zeroed(1, sizeof *self);
    (void)err;
    self->base = (weir_stream_source){.next = random_source_next,
                                      .position = random_source_position,
                                      .restore = random_source_restore,
                                      .close = random_source_close,
                                      .is_bounded = true,
                                      .description = base->name};
    self->table = base->owner;
    self->column_count = request->column_count;
    memcpy(self->columns, request->columns, sizeof *request->columns * (size_t)request->column_count);
    *out = &self->base;
    return WEIR_OK;
}

/* --- In batch -------------------------------------------------------------------------------------------------- */

typedef struct random_scan {
    weir_sql_scan base;
    weir_sql_split split;
    random_table *table;
    int32_t columns[16];
    int32_t column_count;
    uint32_t *rows; /* of the events */
    int64_t row_count;
    bool given;
} random_scan;

/* The events that are the rows after the first `end` of them. */
static inline int64_t random_rows_after(const random_table *table, int64_t end, uint32_t *rows)
{
    int64_t count = 0;
    for (int64_t event = 0; event < end; event++) {
        int8_t kind = weir_batch_kind(&table->events, event);
        if (weir_row_kind_is_retract(kind) || table->changes == HARNESS_UPSERTS) {
            int64_t at = count - 1;
            while (at >= 0 && strcmp(table->texts[rows[at]], table->texts[event]) != 0) {
                at--;
            }
            if (at >= 0) {
                memmove(rows + at, rows + at + 1, (size_t)(count - at - 1) * sizeof *rows);
                count--;
            }
        }
        if (!weir_row_kind_is_retract(kind)) {
            rows[count++] = (uint32_t)event;
        }
    }
    return count;
}

static inline int random_scan_next(weir_sql_split *split, weir_batch *out, weir_error *err)
{
    random_scan *self = (random_scan *)((char *)split - offsetof(random_scan, split));
    if (self->given || self->row_count == 0) {
        return WEIR_END;
    }
    weir_batch_clear(out);
    for (int32_t i = 0; i < self->column_count; i++) {
        WEIR_TRY(weir_vector_append_rows(&out->columns[i], &self->table->events.columns[self->columns[i]], self->rows,
                                         self->row_count, err));
    }
    out->length = self->row_count;
    self->given = true;
    return WEIR_OK;
}

static inline void random_split_close(weir_sql_split *split) { (void)split; }

static inline int random_open_split(weir_sql_scan *base, int64_t number, weir_sql_split **out, weir_error *err)
{
    (void)number;
    (void)err;
    *out = &((random_scan *)base)->split;
    return WEIR_OK;
}

static inline void random_scan_close(weir_sql_scan *base)
{
    free(((random_scan *)base)->rows);
    free(base);
}

static inline int random_open(weir_sql_table *base, const weir_scan_request *request, weir_sql_scan **out,
                              weir_error *err)
{
    random_scan *self = weir_alloc_zeroed(1, sizeof *self);
    random_table *table = base->owner;
    (void)err;
    self->table = table;
    self->split = (weir_sql_split){random_scan_next, random_split_close};
    self->column_count = request->column_count;
    memcpy(self->columns, request->columns, sizeof *request->columns * (size_t)request->column_count);
    self->rows = weir_alloc_zeroed((size_t)table->events.length + 1, sizeof *self->rows);
    self->row_count = random_rows_after(table, table->shown == 0 ? 0 : table->ends[table->shown - 1], self->rows);
    self->base = (weir_sql_scan){.split_count = 1,
                                 .estimated_rows = self->row_count,
                                 .exact_rows = true,
                                 .open_split = random_open_split,
                                 .close = random_scan_close};
    *out = &self->base;
    return WEIR_OK;
}

/* --- Filling --------------------------------------------------------------------------------------------------- */

static inline void random_table_init(random_table *table, random_reading *reading, const char *name,
                                     const char *columns, harness_changes changes)
{
    weir_error err = {0};
    *table = (random_table){.changes = changes, .reading = reading, .time_column = -1};
    weir_arena_init(&table->arena);
    harness_ok(weir_parse_type(weir_arena_format(&table->arena, "ROW<%s>", columns), &table->arena, &table->row, &err),
               &err);
    weir_sql_column *list = WEIR_NEW_ARRAY(&table->arena, weir_sql_column, table->row->field_count);
    for (int32_t i = 0; i < table->row->field_count; i++) {
        list[i] = (weir_sql_column){.name = table->row->fields[i].name, .type = table->row->fields[i].type};
    }
    table->table = (weir_sql_table){.catalog = "default_catalog",
                                    .database = "default_database",
                                    .name = weir_arena_strdup(&table->arena, name),
                                    .columns = list,
                                    .column_count = table->row->field_count,
                                    .watermark_column = -1,
                                    .owner = table,
                                    .open = random_open,
                                    .open_stream = random_open_stream};
    weir_batch_init(&table->events, table->row->fields, table->row->field_count);
}

static inline void random_forget_texts(random_table *table)
{
    for (int64_t i = 0; i < table->events.length; i++) {
        free(table->texts[i]);
    }
}

static inline void random_table_free(random_table *table)
{
    random_forget_texts(table);
    free(table->texts);
    weir_batch_free(&table->events);
    weir_arena_free(&table->arena);
}

/* Whether queries read it as a stream now: what it says of its changes is for streams alone. */
static inline void random_table_set_mode(random_table *table, bool streaming)
{
    table->table.has_row_kinds = streaming && table->changes != HARNESS_INSERTS;
    table->table.has_upserts = streaming && table->changes == HARNESS_UPSERTS;
    table->table.watermark_column = streaming ? table->time_column : -1;
    table->table.watermark_expression = streaming && table->time_column >= 0 ? "ts - INTERVAL '10' SECOND" : NULL;
}

/* A value such that few are different, and some are NULL where that may be. */
static inline void random_value(random_state *random, const weir_field *field, weir_vector *out)
{
    static const char *const texts[] = {"\"\"", "\"a\"", "\"ab\"", "\"b\"",
                                        "\"a rather long text that takes its room\""};
    weir_error err = {0};
    char text[64];
    int64_t number = (int64_t)random_below(random, 5);
    if (field->type->nullable && random_below(random, 6) == 0) {
        harness_ok(weir_vector_append_nulls(out, 1, &err), &err);
        return;
    }
    switch (field->type->id) {
    case WEIR_VARCHAR:
        snprintf(text, sizeof text, "%s", texts[number]);
        break;
    case WEIR_DECIMAL:
        snprintf(text, sizeof text, "\"%s%d.%d5\"", number == 3 ? "-" : "", (int)number * 7, (int)number);
        break;
    case WEIR_DOUBLE:
        snprintf(text, sizeof text, "%g", (double)number * 0.75 - 1);
        break;
    case WEIR_TIMESTAMP:
        snprintf(text, sizeof text, "\"2024-01-0%d 10:00:00.%d00\"", (int)number + 1, (int)number);
        break;
    case WEIR_BOOLEAN:
        snprintf(text, sizeof text, "%s", number < 2 ? "true" : "false");
        break;
    default:
        snprintf(text, sizeof text, "%d", (int)number);
        break;
    }
    json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
    assert_non_null(json);
    harness_ok(weir_vector_append_json(out, json, &err), &err);
    json_decref(json);
}

/* Upserts are compared by their keys. */
static inline void random_add_event(random_table *table, int8_t kind)
{
    weir_buffer text = {0};
    int64_t row = table->events.length;
    if (table->changes == HARNESS_UPSERTS) {
        weir_value_to_json(&table->events.columns[0], row, &text);
    } else {
        harness_write_row(&table->events, row, &text);
    }
    WEIR_GROW(table->texts, table->text_capacity, row + 1);
    table->texts[row] = weir_strdup(weir_buffer_text(&text));
    weir_buffer_free(&text);
    weir_batch_reserve_kinds(&table->events, row + 1);
    table->events.kinds[table->events.length++] = kind;
}

/* Some seconds after the row before, or before it; never so late that its window may have closed. */
static inline void random_time(random_table *table, weir_vector *out)
{
    weir_error err = {0};
    int64_t row = table->events.length;
    int64_t ms = 1704067200000 + 3000 * row + 1000 * (int64_t)random_below(table->reading->random, 6) + row;
    harness_ok(weir_vector_append_raw(out, &ms, sizeof ms, &err), &err);
}

/* An event with a new row; `key`, where the table has one, is its first column. */
static inline void random_add_row(random_table *table, int8_t kind, int64_t key)
{
    weir_error err = {0};
    int32_t first = table->table.primary_key_count;
    if (first > 0) {
        int32_t id = (int32_t)key;
        harness_ok(weir_vector_append_raw(&table->events.columns[0], &id, sizeof id, &err), &err);
    }
    for (int32_t i = first; i < table->events.column_count; i++) {
        if (i == table->time_column) {
            random_time(table, &table->events.columns[i]);
        } else {
            random_value(table->reading->random, &table->row->fields[i], &table->events.columns[i]);
        }
    }
    random_add_event(table, kind);
}

/* An event with the row of an earlier one. */
static inline void random_repeat_row(random_table *table, int8_t kind, uint32_t event)
{
    weir_error err = {0};
    for (int32_t i = 0; i < table->events.column_count; i++) {
        weir_batch copy;
        weir_batch_init(&copy, &table->row->fields[i], 1);
        harness_ok(weir_vector_append_range(&copy.columns[0], &table->events.columns[i], event, 1, &err), &err);
        harness_ok(weir_vector_append_range(&table->events.columns[i], &copy.columns[0], 0, 1, &err), &err);
        weir_batch_free(&copy);
    }
    random_add_event(table, kind);
}

/* A delete of upserts: the key alone. */
static inline void random_delete_key(random_table *table, uint32_t event)
{
    weir_error err = {0};
    int32_t id = WEIR_VALUES(&table->events.columns[0], int32_t)[event];
    harness_ok(weir_vector_append_raw(&table->events.columns[0], &id, sizeof id, &err), &err);
    for (int32_t i = 1; i < table->events.column_count; i++) {
        harness_ok(weir_vector_append_nulls(&table->events.columns[i], 1, &err), &err);
    }
    random_add_event(table, WEIR_DELETE);
}

static inline int64_t random_key_of(const random_table *table, uint32_t event)
{
    return table->table.primary_key_count > 0 ? WEIR_VALUES(&table->events.columns[0], int32_t)[event] : 0;
}

/* One change, of one or two events. */
static inline void random_change(random_table *table, int64_t *next_key)
{
    random_state *random = table->reading->random;
    uint32_t *rows = weir_alloc_zeroed((size_t)table->events.length + 1, sizeof *rows);
    int64_t count = random_rows_after(table, table->events.length, rows);
    uint64_t kind = random_below(random, 10);
    uint32_t row = count == 0 ? 0 : rows[random_below(random, (uint64_t)count)];
    free(rows);
    if (table->changes == HARNESS_INSERTS || count == 0 || kind < 4) {
        random_add_row(table, WEIR_INSERT, (*next_key)++);
        return;
    }
    if (table->changes == HARNESS_UPSERTS) {
        if (kind < 7) {
            random_add_row(table, WEIR_UPDATE_AFTER, random_key_of(table, row));
        } else if (kind == 7) {
            random_repeat_row(table, WEIR_UPDATE_AFTER, row);
        } else {
            random_delete_key(table, row);
        }
        return;
    }
    random_repeat_row(table, kind < 8 ? WEIR_UPDATE_BEFORE : WEIR_DELETE, row);
    if (kind < 7) {
        random_add_row(table, WEIR_UPDATE_AFTER, random_key_of(table, row));
    } else if (kind == 7) {
        random_repeat_row(table, WEIR_UPDATE_AFTER, row);
    }
}

/* New changes instead of those before, in batches of a few (more where there are many). */
static inline void random_table_fill(random_table *table, int32_t changes)
{
    int64_t next_key = 1;
    int32_t largest = 6 + changes / 20;
    random_forget_texts(table);
    weir_batch_clear(&table->events);
    table->batch_count = 0;
    table->noted_for = -1;
    while (changes > 0 && table->batch_count < RANDOM_BATCHES_AT_MOST) {
        int32_t size = 1 + (int32_t)random_below(table->reading->random, (uint64_t)largest);
        for (int32_t i = 0; i < size && changes > 0; i++, changes--) {
            random_change(table, &next_key);
        }
        table->ends[table->batch_count++] = (int32_t)table->events.length;
    }
}

static inline void random_table_write(const random_table *table, int32_t batches, weir_buffer *out)
{
    weir_buffer_append_format(out, "  %s:", table->table.name);
    for (int32_t batch = 0, event = 0; batch < batches; batch++) {
        weir_buffer_append_text(out, batch == 0 ? " " : " | ");
        for (; event < table->ends[batch]; event++) {
            weir_buffer_append_format(out, "%s ", weir_row_kind_text(weir_batch_kind(&table->events, event)));
            harness_write_row(&table->events, event, out);
        }
    }
    weir_buffer_append_text(out, "\n");
}

#endif
