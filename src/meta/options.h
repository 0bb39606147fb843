/* Table options: one table of all that there are (key, type, default, scope, text), and typed access.
 *
 * The documentation's reference, SHOW, and "unknown option, did you mean…" come from this table. */
#ifndef WEIR_META_OPTIONS_H
#define WEIR_META_OPTIONS_H

#include "base/base.h"
#include "fs/settings.h"

typedef enum weir_option_type {
    WEIR_OPTION_BOOLEAN,
    WEIR_OPTION_INTEGER,
    WEIR_OPTION_DOUBLE,
    WEIR_OPTION_TEXT,
    WEIR_OPTION_ENUM,     /* `values` lists them */
    WEIR_OPTION_SIZE,     /* "128 mb" */
    WEIR_OPTION_DURATION, /* "1 h" */
    WEIR_OPTION_MAP
} weir_option_type;

typedef enum weir_option_support {
    WEIR_OPTION_WORKS,
    WEIR_OPTION_STORED, /* accepted and kept for other engines; has no effect here */
    WEIR_OPTION_REFUSED, /* tables that set it (to other than its default) are not written by this version */
    WEIR_OPTION_UNREAD   /* changes which rows a read gives; reads that set it (likewise) are refused */
} weir_option_support;

typedef struct weir_option {
    const char *key;
    weir_option_type type;
    const char *default_value; /* NULL: none */
    const char *const *values; /* of ENUM: lower case, NULL after the last */
    weir_option_support support;
    bool immutable;              /* may not change after the table has data */
    const char *text;            /* one or two sentences for the reference */
    const char *const *refused;  /* of a WORKS option: values that are REFUSED, NULL after the last; NULL: none */
    const char *const *old_keys; /* names it had before, which are still read; NULL: none */
} weir_option;

extern const weir_option weir_table_options[];
extern const size_t weir_table_option_count;

const weir_option *weir_option_find(const char *key); /* by its key or an old key; NULL: not in the table */

/* Key-value pairs as a schema holds them, in order. */
typedef struct weir_options {
    const char **keys;
    const char **values;
    size_t count;
    size_t capacity;
} weir_options;

const char *weir_options_get(const weir_options *options, const char *key); /* as set, or NULL */
void weir_options_set(weir_options *options, weir_arena *arena, const char *key,
                      const char *value); /* copies; replaces */
void weir_options_unset(weir_options *options, const char *key);
/* Copies of `base` with `overrides` on top. */
void weir_options_merge(weir_arena *arena, const weir_options *base, const weir_options *overrides, weir_options *out);

/* The pairs as settings of a file system, borrowed. */
weir_fs_settings weir_options_fs_settings(const weir_options *options);
/* Takes what is for file systems (weir_fs_is_setting) out of `options`, into `out_settings`. */
void weir_options_split_settings(weir_options *options, weir_arena *arena, weir_options *out_settings);

/* The value of a pair as it may be shown: that of a password, secret key or token is "******". */
const char *weir_option_shown(const char *key, const char *value);

/* The value as set (under its key or an old key), or the default; *out stays as it is when there is neither. Malformed
 * values are WEIR_INVALID naming key, value and what is expected. The key must be in the table: WEIR_INVALID otherwise.
 */
int weir_options_bool(const weir_options *options, const char *key, bool *out, weir_error *err);
int weir_options_int(const weir_options *options, const char *key, int64_t *out, weir_error *err);
int weir_options_size(const weir_options *options, const char *key, int64_t *out_bytes, weir_error *err);
int weir_options_duration(const weir_options *options, const char *key, int64_t *out_ms, weir_error *err);
int weir_options_text(const weir_options *options, const char *key, const char **out,
                      weir_error *err); /* ENUM: checked,
                        lower case; NULL when unset */

/* Whether a table with these options can be written: WEIR_UNSUPPORTED names the first one that asks for what this
 * version does not do, and what it does instead. */
int weir_options_check_writable(const weir_options *options, weir_error *err);

/* Whether a read with this pair gives what the pair asks for: WEIR_UNSUPPORTED for an UNREAD option. */
int weir_option_check_readable(const char *key, const char *value, weir_error *err);

/* Of an option that earlier versions had: what does its work today. NULL: it is none. Such options are kept with the
 * table and have no effect. */
const char *weir_option_successor(const char *key);

/* Checks one pair: an unknown key is WEIR_INVALID with a suggestion, except dynamic ones (fields.*, file-index.*,
 * parquet.*, orc.*, avro.*, …); values are checked by type. */
int weir_option_check(const char *key, const char *value, weir_error *err);

#endif
