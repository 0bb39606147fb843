/* The options of connectors and formats: one table of all kinds with all their options, from which come checks,
 * suggestions and the reference in the docs. */
#ifndef WEIR_CONNECT_OPTIONS_H
#define WEIR_CONNECT_OPTIONS_H

#include "meta/options.h"

typedef struct weir_connect_kind {
    const char *name; /* of a connector, or of a format: "filesystem", "debezium-json" */
    bool reads;
    bool writes;
    bool gives_changes;         /* of a format: rows of every kind */
    const weir_option *options; /* of a format without its prefix: "ignore-parse-errors" is json.ignore-parse-errors */
    size_t option_count;
    const char *refusal; /* why it is not offered, and what to do; NULL: it is */
    const char *text;    /* a sentence for the reference */
} weir_connect_kind;

extern const weir_connect_kind weir_connectors[];
extern const size_t weir_connector_count;
extern const weir_connect_kind weir_formats[];
extern const size_t weir_format_count;

/* The connector of a table, and the format of one that has files; WEIR_INVALID or WEIR_UNSUPPORTED when there is none
 * of that name, with a suggestion. */
int weir_connector_of(const weir_options *options, const weir_connect_kind **out, weir_error *err);
int weir_format_of(const weir_options *options, const weir_connect_kind **out, weir_error *err);
bool weir_connector_is_kafka(const weir_connect_kind *connector);
/* The format that an option of another key names, such as 'key.format'; WEIR_INVALID when it is not set. */
int weir_format_by_key(const weir_options *options, const char *key, const weir_connect_kind **out, weir_error *err);

/* A format that a table uses, and what stands before its name in the keys of its options: "", "key." or "value.". */
typedef struct weir_connect_format {
    const weir_connect_kind *kind;
    const char *prefix;
} weir_connect_format;

/* Checks that all options belong to the connector or to one of the formats, and their values. */
int weir_connect_options_check(const weir_options *options, const weir_connect_kind *connector,
                               const weir_connect_format *formats, size_t format_count, weir_error *err);

/* Values as set or by default, after the check; NULL, false and 0 when there is neither. */
const char *weir_connect_text(const weir_connect_kind *connector, const weir_options *options, const char *key);
bool weir_connect_bool(const weir_connect_kind *connector, const weir_options *options, const char *key);
int64_t weir_connect_int(const weir_connect_kind *connector, const weir_options *options, const char *key);
int64_t weir_connect_duration_ms(const weir_connect_kind *connector, const weir_options *options, const char *key);
int64_t weir_connect_size(const weir_connect_kind *connector, const weir_options *options, const char *key);

/* The same for options of a format, whose prefix is put before the key. */
const char *weir_connect_format_text(const weir_connect_kind *format, const weir_options *options, const char *key);
bool weir_connect_format_bool(const weir_connect_kind *format, const weir_options *options, const char *key);

#endif
