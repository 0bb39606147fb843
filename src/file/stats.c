/* Column statistics as manifests hold them; see the header.
 *
 * Encoding applies the modes to what a format writer collected. Decoding looks at an old file's statistics through the
 * current schema: columns are found by field id, and what was cast since then tells nothing. */
#include "file/stats.h"

#include <stdio.h>
#include <strings.h>

#include "base/text.h"
#include "vector/compare.h"

typedef enum stats_mode { STATS_NONE, STATS_COUNTS, STATS_FULL, STATS_TRUNCATE } stats_mode;

typedef struct column_mode {
    stats_mode mode;
    int64_t length; /* of STATS_TRUNCATE: code points */
} column_mode;

#define KEY_TRUNCATE_LENGTH 128

static int parse_mode(const char *text, const char *option, column_mode *out, weir_error *err)
{
    static const struct {
        const char *name;
        stats_mode mode;
    } plain[] = {{"none", STATS_NONE}, {"counts", STATS_COUNTS}, {"full", STATS_FULL}};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        if (strcasecmp(text, plain[i].name) == 0) {
            *out = (column_mode){plain[i].mode, 0};
            return WEIR_OK;
        }
    }
    static const char truncate[] = "truncate(";
    size_t prefix = sizeof truncate - 1;
    size_t size = strlen(text);
    int64_t length = 0;
    if (size > prefix + 1 && strncasecmp(text, truncate, prefix) == 0 && text[size - 1] == ')' &&
        weir_parse_int64(weir_slice_of(text + prefix, size - prefix - 1), &length) && length > 0) {
        *out = (column_mode){STATS_TRUNCATE, length};
        return WEIR_OK;
    }
    return weir_fail(err, WEIR_INVALID, "%s = '%s': expected none, counts, full or truncate(n)", option, text);
}

/* The next greater code point that is no surrogate, or -1. */
static int32_t next_code_point(int32_t code_point)
{
    return code_point == 0xD7FF ? 0xE000 : code_point >= 0x10FFFF ? -1 : code_point + 1;
}

static int32_t decode_code_point(const uint8_t *bytes, size_t size)
{
    switch (size) {
    case 1:
        return bytes[0];
    case 2:
        return (bytes[0] & 0x1F) << 6 | (bytes[1] & 0x3F);
    case 3:
        return (bytes[0] & 0x0F) << 12 | (bytes[1] & 0x3F) << 6 | (bytes[2] & 0x3F);
    default:
        return (bytes[0] & 0x07) << 18 | (bytes[1] & 0x3F) << 12 | (bytes[2] & 0x3F) << 6 | (bytes[3] & 0x3F);
    }
}

static size_t encode_code_point(int32_t code_point, uint8_t *out)
{
    if (code_point < 0x80) {
        out[0] = (uint8_t)code_point;
        return 1;
    }
    size_t size = code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
    static const uint8_t lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = size - 1; i > 0; i--) {
        out[i] = (uint8_t)(0x80 | (code_point & 0x3F));
        code_point >>= 6;
    }
    out[0] = (uint8_t)(lead[size] | code_point);
    return size;
}

/* The least text after all that begin with `prefix`: its last code point that can grow is replaced by the next, what
 * follows is cut off. False when there is none. */
static bool increment_text(weir_arena *arena, weir_slice prefix, weir_slice *out)
{
    size_t end = prefix.size;
    while (end > 0) {
        size_t start = end - 1;
        while (start > 0 && end - start < 4 && (prefix.data[start] & 0xC0) == 0x80) {
            start--;
        }
        int32_t next = next_code_point(decode_code_point(prefix.data + start, end - start));
        if (next >= 0) {
            uint8_t *bytes = weir_arena_alloc(arena, start + 4);
            memcpy(bytes, prefix.data, start);
            *out = weir_slice_of(bytes, start + encode_code_point(next, bytes + start));
            return true;
        }
        end = start;
    }
    return false;
}

/* Cuts min and max of a text column to `length` code points so that they stay bounds. False: no upper bound exists. */
static bool truncate_bounds(weir_arena *arena, int64_t length, weir_literal *min, weir_literal *max)
{
    min->bytes.size = weir_utf8_prefix(min->bytes, (size_t)length);
    size_t kept = weir_utf8_prefix(max->bytes, (size_t)length);
    if (kept == max->bytes.size) {
        return true;
    }
    if (!weir_utf8_valid(max->bytes)) {
        return false;
    }
    return increment_text(arena, weir_slice_of(max->bytes.data, kept), &max->bytes);
}

/* What one column contributes to the rows of statistics. */
typedef struct column_entry {
    const weir_type *type;
    weir_literal min;
    weir_literal max;
    int64_t null_count; /* -1: not told */
    bool is_none;
} column_entry;

static column_entry make_entry(column_mode mode, bool counts_nested, const weir_type *type,
                               const weir_written_stats *stats, weir_arena *arena)
{
    column_entry entry = {.type = type, .min = {.is_null = true}, .max = {.is_null = true}, .null_count = -1};
    if (mode.mode == STATS_NONE || (weir_type_is_nested(type) && !counts_nested)) {
        entry.is_none = true;
        return entry;
    }
    entry.null_count = stats->null_count;
    /* Nor bounds of bytes: their order is not told by older readers in the same way. */
    if (mode.mode == STATS_COUNTS || !stats->has_min_max || weir_type_is_bytes(type)) {
        return entry;
    }
    weir_literal min = stats->min;
    weir_literal max = stats->max;
    if (mode.mode == STATS_TRUNCATE && weir_type_is_text(type) && !truncate_bounds(arena, mode.length, &min, &max)) {
        return entry;
    }
    entry.min = min;
    entry.max = max;
    return entry;
}

static weir_slice serialize(const column_entry *entries, int32_t count, bool maxima, weir_arena *arena)
{
    weir_arena scratch;
    weir_arena_init(&scratch);
    const weir_type **types = WEIR_NEW_ARRAY(&scratch, const weir_type *, count + 1);
    weir_literal *values = WEIR_NEW_ARRAY(&scratch, weir_literal, count + 1);
    for (int32_t i = 0; i < count; i++) {
        types[i] = entries[i].type;
        values[i] = maxima ? entries[i].max : entries[i].min;
    }
    weir_buffer bytes = {0};
    weir_binary_row_serialize(types, values, count, &bytes);
    weir_slice result = weir_slice_of(weir_arena_copy(arena, bytes.data, bytes.size), bytes.size);
    weir_buffer_free(&bytes);
    weir_arena_free(&scratch);
    return result;
}

static weir_stats_row stats_row_of(const column_entry *entries, int32_t count, weir_arena *arena)
{
    weir_stats_row row = {
        .min_values = serialize(entries, count, false, arena),
        .max_values = serialize(entries, count, true, arena),
        .null_counts = WEIR_NEW_ARRAY(arena, int64_t, count + 1),
        .null_count_length = count,
    };
    for (int32_t i = 0; i < count; i++) {
        row.null_counts[i] = entries[i].null_count;
    }
    return row;
}

static bool is_key_column(const weir_schema *schema, const weir_field *field)
{
    for (int32_t i = 0; i < schema->key_column_count; i++) {
        if (schema->fields[schema->key_columns[i]].id == field->id) {
            return true;
        }
    }
    return false;
}

/* Options that decide about a table's value statistics. */
typedef struct stats_options {
    column_mode mode;
    bool thin; /* no _KEY_ columns: the key columns' statistics stand in for theirs */
    bool dense;
    int64_t first_columns; /* only this many columns have statistics; -1: all */
} stats_options;

static int read_options(const weir_schema *schema, const char *mode, stats_options *out, weir_error *err)
{
    const weir_options *options = &schema->options;
    if (mode == NULL) {
        WEIR_TRY(weir_options_text(options, "metadata.stats-mode", &mode, err));
    }
    WEIR_TRY(parse_mode(mode == NULL ? "truncate(16)" : mode, "metadata.stats-mode", &out->mode, err));
    WEIR_TRY(weir_options_bool(options, "data-file.thin-mode", &out->thin, err));
    WEIR_TRY(weir_options_bool(options, "metadata.stats-dense-store", &out->dense, err));
    return weir_options_int(options, "metadata.stats-keep-first-n-columns", &out->first_columns, err);
}

static int mode_of(const weir_schema *schema, const stats_options *options, const weir_field *field, int32_t position,
                   column_mode *out, weir_error *err)
{
    char key[512];
    snprintf(key, sizeof key, "fields.%s.stats-mode", field->name);
    const char *own = weir_options_get(&schema->options, key);
    if (own != NULL) {
        return parse_mode(own, key, out, err);
    }
    if (options->thin && is_key_column(schema, field)) {
        *out = (column_mode){STATS_TRUNCATE, KEY_TRUNCATE_LENGTH};
    } else if (options->first_columns >= 0 && position >= options->first_columns) {
        *out = (column_mode){STATS_NONE, 0};
    } else {
        *out = options->mode;
    }
    return WEIR_OK;
}

int weir_stats_encode_values(const weir_schema *schema, const char *mode, const weir_field *fields, int32_t field_count,
                             const weir_written_stats *stats, weir_arena *arena, weir_data_file *file, weir_error *err)
{
    stats_options options;
    WEIR_TRY(read_options(schema, mode, &options, err));
    /* Of Parquet files Java takes the statistics of leaf columns, of others it counts the nulls of every column. */
    bool counts_nested = strcmp(weir_data_file_format(file->name), "parquet") != 0;
    column_entry *entries = WEIR_NEW_ARRAY(arena, column_entry, field_count + 1);
    const char **names = WEIR_NEW_ARRAY(arena, const char *, field_count + 1);
    int32_t count = 0;
    for (int32_t i = 0; i < field_count; i++) {
        column_mode own;
        WEIR_TRY(mode_of(schema, &options, &fields[i], i, &own, err));
        column_entry entry = make_entry(own, counts_nested, fields[i].type, &stats[i], arena);
        if (options.dense && entry.is_none) {
            continue;
        }
        names[count] = weir_arena_strdup(arena, fields[i].name);
        entries[count++] = entry;
    }
    file->value_stats = stats_row_of(entries, count, arena);
    file->has_value_stats_columns = count < field_count;
    file->value_stats_columns = names;
    file->value_stats_column_count = file->has_value_stats_columns ? count : 0;
    return WEIR_OK;
}

int weir_stats_encode_keys(const weir_schema *schema, const weir_written_stats *key_stats, weir_arena *arena,
                           weir_data_file *file, weir_error *err)
{
    (void)err;
    int32_t count = schema->key_column_count;
    column_entry *entries = WEIR_NEW_ARRAY(arena, column_entry, count + 1);
    column_mode mode = {STATS_TRUNCATE, KEY_TRUNCATE_LENGTH};
    for (int32_t i = 0; i < count; i++) {
        entries[i] = make_entry(mode, false, schema->fields[schema->key_columns[i]].type, &key_stats[i], arena);
    }
    file->key_stats = stats_row_of(entries, count, arena);
    return WEIR_OK;
}

static const weir_column_stats unknown_stats = {.null_count = -1, .row_count = -1};

/* The columns that a file's value statistics cover, as positions in its schema; and the values themselves. */
typedef struct stored_stats {
    int32_t *columns;
    int32_t count;
    weir_literal *min;
    weir_literal *max;
} stored_stats;

static int list_stored_columns(const weir_schema *schema, const weir_data_file *file, weir_arena *arena,
                               stored_stats *out, weir_error *err)
{
    const char **names = file->has_value_stats_columns ? file->value_stats_columns : file->write_columns;
    if (!file->has_value_stats_columns && !file->has_write_columns) {
        out->count = schema->field_count;
        out->columns = WEIR_NEW_ARRAY(arena, int32_t, out->count + 1);
        for (int32_t i = 0; i < out->count; i++) {
            out->columns[i] = i;
        }
        return WEIR_OK;
    }
    out->count = file->has_value_stats_columns ? file->value_stats_column_count : file->write_column_count;
    out->columns = WEIR_NEW_ARRAY(arena, int32_t, out->count + 1);
    for (int32_t i = 0; i < out->count; i++) {
        out->columns[i] = weir_schema_column(schema, names[i]);
        if (out->columns[i] < 0) {
            return weir_fail(err, WEIR_CORRUPT,
                             "statistics of data file %s name the column '%s', which schema %" PRId64 " does not have",
                             file->name, names[i], schema->id);
        }
    }
    return WEIR_OK;
}

/* Decodes the values of those columns of the file's schema that are wanted. */
static int decode_stored(const weir_schema *schema, const weir_data_file *file, const bool *wanted, weir_arena *arena,
                         stored_stats *out, weir_error *err)
{
    /* A row without fields says that nothing is told (deleted entries, stats-mode none). */
    weir_slice min = file->value_stats.min_values;
    if (min.size < 4 || weir_load_be32(min.data) == 0) {
        return WEIR_OK;
    }
    WEIR_TRY(list_stored_columns(schema, file, arena, out, err));
    const weir_type **types = WEIR_NEW_ARRAY(arena, const weir_type *, out->count + 1);
    for (int32_t i = 0; i < out->count; i++) {
        types[i] = wanted[out->columns[i]] ? schema->fields[out->columns[i]].type : NULL;
    }
    out->min = WEIR_NEW_ARRAY(arena, weir_literal, out->count + 1);
    out->max = WEIR_NEW_ARRAY(arena, weir_literal, out->count + 1);
    WEIR_TRY_CTX(weir_binary_row_deserialize(min, types, out->count, "least values", arena, out->min, err), err,
                 "data file %s", file->name);
    WEIR_TRY_CTX(weir_binary_row_deserialize(file->value_stats.max_values, types, out->count, "greatest values", arena,
                                             out->max, err),
                 err, "data file %s", file->name);
    return WEIR_OK;
}

static int32_t find_stored(const stored_stats *stored, int32_t column)
{
    for (int32_t i = 0; i < stored->count; i++) {
        if (stored->columns[i] == column) {
            return i;
        }
    }
    return -1;
}

static weir_column_stats stats_of_column(const weir_data_file *file, const weir_schema *schema,
                                         const stored_stats *stored, const weir_field *field)
{
    int32_t column = weir_schema_column_by_id(schema, field->id);
    if (column < 0) {
        return (weir_column_stats){.null_count = file->row_count, .row_count = file->row_count};
    }
    int32_t position = find_stored(stored, column);
    if (position < 0 || !weir_type_equal(schema->fields[column].type, field->type, true)) {
        return unknown_stats;
    }
    weir_column_stats stats = {.null_count = -1, .row_count = file->row_count};
    if (file->value_stats.null_counts != NULL && position < file->value_stats.null_count_length) {
        stats.null_count = file->value_stats.null_counts[position];
    }
    if (!stored->min[position].is_null && !stored->max[position].is_null) {
        stats.has_min_max = true;
        stats.min = stored->min[position];
        stats.max = stored->max[position];
    }
    return stats;
}

int weir_stats_decode(const weir_table_context *context, const weir_data_file *file, const int32_t *columns,
                      int32_t column_count, weir_arena *arena, weir_column_stats *out, weir_error *err)
{
    const weir_schema *schema = NULL;
    WEIR_TRY_CTX(weir_table_context_schema(context, file->schema_id, &schema, err), err, "data file %s", file->name);
    bool *wanted = WEIR_NEW_ARRAY(arena, bool, schema->field_count + 1);
    for (int32_t i = 0; i < column_count; i++) {
        int32_t column = weir_schema_column_by_id(schema, context->schema->fields[columns[i]].id);
        if (column >= 0) {
            wanted[column] = true;
        }
    }
    stored_stats stored = {0};
    WEIR_TRY(decode_stored(schema, file, wanted, arena, &stored, err));
    for (int32_t i = 0; i < column_count; i++) {
        out[i] = stats_of_column(file, schema, &stored, &context->schema->fields[columns[i]]);
    }
    return WEIR_OK;
}

static int deserialize_pair(weir_slice least, weir_slice greatest, const weir_type *const *types, int32_t count,
                            const weir_data_file *file, weir_arena *arena, weir_literal *min, weir_literal *max,
                            weir_error *err)
{
    WEIR_TRY_CTX(weir_binary_row_deserialize(least, types, count, "least key", arena, min, err), err, "data file %s",
                 file->name);
    WEIR_TRY_CTX(weir_binary_row_deserialize(greatest, types, count, "greatest key", arena, max, err), err,
                 "data file %s", file->name);
    return WEIR_OK;
}

int weir_stats_decode_keys(const weir_table_context *context, const weir_data_file *file, weir_arena *arena,
                           weir_column_stats *out, weir_error *err)
{
    const weir_schema *schema = context->schema;
    int32_t count = schema->key_column_count;
    const weir_type **types = WEIR_NEW_ARRAY(arena, const weir_type *, count + 1);
    for (int32_t i = 0; i < count; i++) {
        types[i] = schema->fields[schema->key_columns[i]].type;
    }
    weir_literal *values = WEIR_NEW_ARRAY(arena, weir_literal, 4 * (count + 1));
    weir_literal *min = values;
    weir_literal *max = min + count;
    weir_literal *stats_min = max + count;
    weir_literal *stats_max = stats_min + count;
    WEIR_TRY(deserialize_pair(file->min_key, file->max_key, types, count, file, arena, min, max, err));
    weir_slice least = file->key_stats.min_values;
    bool has_stats = count > 0 && least.size >= 4 && weir_load_be32(least.data) == (uint32_t)count;
    if (has_stats) {
        WEIR_TRY(
            deserialize_pair(least, file->key_stats.max_values, types, count, file, arena, stats_min, stats_max, err));
    }
    /* Rows are in the order of the whole key, so the first and the last one bound a column only where the columns
     * before it have one value; elsewhere the statistics do. */
    bool one_value_before = true;
    for (int32_t i = 0; i < count; i++) {
        out[i] = (weir_column_stats){.null_count = 0, .row_count = file->row_count};
        if (one_value_before && !min[i].is_null && !max[i].is_null) {
            out[i].has_min_max = true;
            out[i].min = min[i];
            out[i].max = max[i];
            one_value_before = weir_literal_compare(types[i], &min[i], &max[i]) == 0;
        } else if (has_stats && !stats_min[i].is_null && !stats_max[i].is_null) {
            one_value_before = false;
            out[i].has_min_max = true;
            out[i].min = stats_min[i];
            out[i].max = stats_max[i];
        } else {
            one_value_before = false;
        }
    }
    return WEIR_OK;
}
