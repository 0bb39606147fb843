/* Messages that are change events, as rows with kinds. */
#ifndef WEIR_FORMAT_JSON_EVENT_H
#define WEIR_FORMAT_JSON_EVENT_H

#include "format/json/column.h"
#include "format/json/rows.h"
#include "format/name_pattern.h"

/* Members of events beside their rows, by their places among weir_json_events.names. */
enum { WEIR_JSON_DEBEZIUM_SOURCE = 3, WEIR_JSON_DEBEZIUM_TIME };
enum {
    WEIR_JSON_BINLOG_DATABASE = 3,
    WEIR_JSON_BINLOG_TABLE,
    WEIR_JSON_BINLOG_SQL_TYPE,
    WEIR_JSON_BINLOG_KEY_NAMES,
    WEIR_JSON_BINLOG_TIME,
    WEIR_JSON_BINLOG_EVENT_TIME,
    WEIR_JSON_BINLOG_KEY_COLUMNS,
    WEIR_JSON_BINLOG_MEMBERS
};

/* What reading the events of one table needs. */
typedef struct weir_json_events {
    const weir_json_read_options *options;
    weir_json_names *row_names; /* of the table's columns; borrowed */
    int32_t *keys;              /* the columns of the primary key */
    int32_t key_count;
    weir_json_names names; /* of an event's members */
    weir_json_names envelope_names;
    weir_json_span members[WEIR_JSON_BINLOG_MEMBERS]; /* of the last message, other than its rows */
    weir_json_rows old_rows;                          /* of one message */
    weir_json_rows new_rows;
    weir_buffer schema;           /* Debezium: the text of the schema that the columns' encodings are made for */
    weir_json_span new_schema;    /* another one, found in the last message; size 0: none */
    weir_name_pattern *databases; /* Canal; NULL: all */
    weir_name_pattern *tables;
    weir_buffer name; /* one of them, its escapes resolved */
} weir_json_events;

/* `width`: the spans of a row, those of metadata included. */
int weir_json_events_init(weir_json_events *events, const weir_json_read_options *options, weir_json_names *row_names,
                          int32_t width, weir_error *err);
void weir_json_events_free(weir_json_events *events);

/* Takes the message whose bracket is at `at` and appends its rows. False: a failure, also when it is JSON but no event
 * of the format; rows may then have been appended. */
bool weir_json_take_debezium(weir_json_events *events, weir_json_cursor *cursor, weir_json_rows *rows);
bool weir_json_take_canal(weir_json_events *events, weir_json_cursor *cursor, weir_json_rows *rows);
bool weir_json_take_maxwell(weir_json_events *events, weir_json_cursor *cursor, weir_json_rows *rows);

/* Puts what the last message says beside its rows into these, which begin at `first`. */
void weir_json_events_fill_metadata(const weir_json_events *events, const uint8_t *base, weir_json_rows *rows,
                                    int64_t first);

/* Appends an update, which is a delete and an insert when it changes the primary key. */
void weir_json_add_update(const weir_json_events *events, const uint8_t *base, const weir_json_span *before,
                          const weir_json_span *after, weir_json_rows *rows);

/* Sets the encodings of columns as events->new_schema says. Rows taken before must have been converted. */
int weir_json_apply_schema(weir_json_events *events, const uint8_t *base, const char *path, weir_json_column *columns,
                           int32_t column_count, weir_error *err);

/* Ends in failure at a value: fails with WEIR_JSON_WRONG, as `expected` is not what is there. */
static inline bool weir_json_fail_at(weir_json_cursor *cursor, weir_json_span span, const char *expected)
{
    cursor->at = cursor->base + span.offset;
    return weir_json_fail(cursor, expected);
}

static inline bool weir_json_span_is(const weir_json_cursor *cursor, weir_json_span span, const char *text)
{
    return span.token == WEIR_JSON_STRING && span.size == strlen(text) &&
           memcmp(cursor->base + span.offset, text, span.size) == 0;
}

#endif
