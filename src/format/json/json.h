/* JSON: rows and change events as vectors, rows as JSON.
 *
 *   reader.c       records out of text, a few hundred at a time, each as spans (where which field lies)
 *   scan.h, .c     the tokenizer: values, members of objects, elements of arrays
 *   names.h, .c    names of members to numbers of fields
 *   rows.h, .c     the spans of some rows, and the columns that they go to
 *   column*.c      spans to vectors, a column at a time: the type is looked at once a column, not once a value
 *   number.h, time.h, text.h   numbers, times and strings of JSON
 *   event.h, debezium*.c, binlog.c   change events: Debezium; Canal and Maxwell
 *   event_metadata.c   what events say beside their rows
 *   writer.c       rows to JSON
 *
 * Follows Flink's formats json, debezium-json, canal-json and maxwell-json; source of truth:
 * org.apache.flink.formats.json.JsonToRowDataConverters and the *DeserializationSchema classes beside it. Other than
 * there, 1 and "1" are TRUE in BOOLEAN columns (Flink reads them as FALSE), and what Debezium encodes by the schema in
 * its envelope is decoded. */
#ifndef WEIR_FORMAT_JSON_H
#define WEIR_FORMAT_JSON_H

#include "format/row_text.h"

typedef enum weir_json_kind {
    WEIR_JSON_ROWS,     /* an object a row */
    WEIR_JSON_DEBEZIUM, /* {"before": …, "after": …, "op": "u"} */
    WEIR_JSON_CANAL,    /* {"data": [{…}], "old": [{…}], "type": "UPDATE"} */
    WEIR_JSON_MAXWELL   /* {"data": {…}, "old": {…}, "type": "update"} */
} weir_json_kind;

typedef enum weir_json_time_format {
    WEIR_JSON_TIME_SQL,            /* 2024-02-29 12:34:56.789, with local time zone a Z after it */
    WEIR_JSON_TIME_ISO_8601,       /* 2024-02-29T12:34:56.789 */
    WEIR_JSON_TIME_ISO_8601_OFFSET /* 2024-02-29T12:34:56.789+02:00 */
} weir_json_time_format;

typedef struct weir_json_read_options {
    weir_json_kind kind;
    bool ignore_parse_errors;   /* records that are no JSON are left out, values that do not fit become NULL */
    bool fail_on_missing_field; /* otherwise a missing field is NULL */
    weir_json_time_format time_format;
    bool schema_include;             /* Debezium: the event is in "payload", beside its "schema" */
    const char *const *primary_keys; /* of the table; borrowed while the reader is opened. With them, updates may come
                                        without the row before them, and one that changes the key is a delete and an
                                        insert */
    int32_t primary_key_count;
    bool whole_changes; /* they have to come with it all the same */
    const char *database_include; /* Canal: patterns that the whole name must match; NULL: all */
    const char *table_include;
    const weir_field *metadata; /* of events: more columns behind the fields, named by what an event says beside its
                                   rows (weir_json_metadata_type); borrowed */
    int32_t metadata_count;
} weir_json_read_options;

/* The type of such a column, such as that of 'source.timestamp'; NULL: events of this kind don't say it. Static. */
const weir_type *weir_json_metadata_type(weir_json_kind kind, const char *key);
/* What events of this kind say, for messages; the number of keys put into `out`. */
size_t weir_json_metadata_keys(weir_json_kind kind, const char **out, size_t most);

/* A reader of rows of `fields`, which are borrowed. Types that JSON cannot hold are WEIR_UNSUPPORTED. */
int weir_json_open_reader(const weir_field *fields, int32_t field_count, const weir_json_read_options *options,
                          weir_row_reader **out, weir_error *err);

typedef enum weir_json_null_key {
    WEIR_JSON_NULL_KEY_FAIL,
    WEIR_JSON_NULL_KEY_DROP,
    WEIR_JSON_NULL_KEY_LITERAL
} weir_json_null_key;

typedef struct weir_json_write_options {
    weir_json_kind kind;
    weir_json_time_format time_format;
    bool plain_decimals;         /* 100 instead of Flink's 1E+2 */
    bool leave_nulls_out;        /* members whose value is NULL */
    weir_json_null_key null_key; /* NULL as a key of a map */
    const char *null_key_literal;
} weir_json_write_options;

int weir_json_open_writer(const weir_field *fields, int32_t field_count, const weir_json_write_options *options,
                          weir_row_writer **out, weir_error *err);

#endif
