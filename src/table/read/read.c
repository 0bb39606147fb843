/* Reading splits: plain files, merged sections, changes with their kinds, and differences. */
#include "table/read/read.h"

#include <stdlib.h>

#include "merge/merge_reader.h"
#include "table/read/diff_reader.h"
#include "table/read/row_test.h"
#include "table/scan/scan_fallback.h"

#define DEFAULT_BATCH_ROWS 16384

struct weir_split_reader {
    const weir_table *table;
    const weir_split *split;
    weir_arena arena;
    int32_t *columns; /* asked for */
    int32_t column_count;
    weir_field *fields;              /* of them, then the row kind */
    const weir_predicate *predicate; /* over the columns asked for, as far as they go */
    const weir_predicate *key_predicate;
    bool with_kinds;
    bool stored_kinds;
    bool reads_kinds; /* files hold them, and they matter */
    int64_t batch_rows;
    const char *bucket_path;
    /* RAW and CHANGELOG: the open file and what is left of it. */
    int32_t next_file;
    weir_format_reader *file;
    weir_row_ranges ranges;
    size_t next_range;
    weir_vector kinds;
    weir_row_test test; /* of RAW, COLUMNS and MERGE */
    weir_merge_reader *merge;
    int32_t runs_at_once; /* of the merge; 0: all */
    bool has_given;       /* the merge has given rows */
    weir_diff_reader *diff;
};

const weir_field *weir_read_fields(const weir_table *table, const weir_read_options *options, weir_arena *arena,
                                   int32_t *out_count)
{
    const weir_schema *schema = table->schema;
    if (options == NULL || options->columns == NULL) {
        *out_count = schema->field_count;
        return schema->fields;
    }
    weir_field *fields = WEIR_NEW_ARRAY(arena, weir_field, options->column_count);
    for (int32_t i = 0; i < options->column_count; i++) {
        fields[i] = schema->fields[options->columns[i]];
    }
    *out_count = options->column_count;
    return fields;
}

static void set_columns(weir_split_reader *reader, const weir_read_options *options)
{
    const weir_schema *schema = reader->table->schema;
    bool all = options->columns == NULL;
    reader->column_count = all ? schema->field_count : options->column_count;
    reader->columns = WEIR_NEW_ARRAY(&reader->arena, int32_t, reader->column_count);
    reader->fields = WEIR_NEW_ARRAY(&reader->arena, weir_field, reader->column_count + 1);
    for (int32_t i = 0; i < reader->column_count; i++) {
        reader->columns[i] = all ? i : options->columns[i];
        reader->fields[i] = schema->fields[reader->columns[i]];
    }
    reader->fields[reader->column_count] = *weir_value_kind_field();
}

/* The part of the predicate that speaks of columns that are read; for merges only keys may leave rows out. */
static void set_predicates(weir_split_reader *reader, const weir_predicate *predicate)
{
    const weir_schema *schema = reader->table->schema;
    if (predicate == NULL) {
        return;
    }
    int32_t *positions = WEIR_NEW_ARRAY(&reader->arena, int32_t, schema->field_count);
    int32_t *key_positions = WEIR_NEW_ARRAY(&reader->arena, int32_t, schema->field_count);
    for (int32_t i = 0; i < schema->field_count; i++) {
        positions[i] = key_positions[i] = -1;
    }
    for (int32_t i = 0; i < reader->column_count; i++) {
        positions[reader->columns[i]] = i;
        for (int32_t k = 0; k < schema->key_column_count; k++) {
            if (schema->key_columns[k] == reader->columns[i]) {
                key_positions[reader->columns[i]] = i;
            }
        }
    }
    reader->predicate = weir_predicate_map(&reader->arena, predicate, positions);
    reader->key_predicate = weir_predicate_map(&reader->arena, predicate, key_positions);
}

static int open_kind(weir_split_reader *reader, weir_error *err)
{
    const weir_split *split = reader->split;
    if (split->kind == WEIR_SPLIT_MERGE) {
        weir_merge_options options = {
            .keep_deletes = reader->stored_kinds,
            .lower_key = split->lower_key,
            .upper_key = split->upper_key,
            .key_predicate = reader->key_predicate,
            .max_runs = reader->runs_at_once,
        };
        return weir_merge_open(&reader->table->context, split->partition, split->bucket, split->runs, split->run_count,
                               reader->columns, reader->column_count, &options, &reader->merge, err);
    }
    if (split->kind == WEIR_SPLIT_DIFF) {
        return weir_diff_reader_open(reader->table, split, reader->columns, reader->column_count, &reader->diff, err);
    }
    return WEIR_OK;
}

/* Columns and predicate of a read as positions in the fallback branch's schema. */
static int map_to_fallback(weir_split_reader *reader, const weir_table *table, weir_read_options *options,
                           weir_error *err)
{
    int32_t *positions = NULL;
    WEIR_TRY(weir_fallback_columns(table, reader->table, &reader->arena, &positions, err));
    int32_t count = options->columns != NULL ? options->column_count : table->schema->field_count;
    int32_t *columns = WEIR_NEW_ARRAY(&reader->arena, int32_t, count);
    for (int32_t i = 0; i < count; i++) {
        columns[i] = positions[options->columns != NULL ? options->columns[i] : i];
    }
    if (options->predicate != NULL) {
        options->predicate = weir_predicate_map(&reader->arena, options->predicate, positions);
    }
    options->columns = columns;
    options->column_count = count;
    return WEIR_OK;
}

static int open_reader(weir_split_reader *reader, const weir_table *table, weir_read_options *options, weir_error *err)
{
    const weir_split *split = reader->split;
    if (reader->table != table) {
        WEIR_TRY(map_to_fallback(reader, table, options, err));
    }
    set_columns(reader, options);
    set_predicates(reader, options->predicate);
    weir_row_test_init(&reader->test, reader->reads_kinds ? NULL : reader->predicate, reader->column_count,
                       &reader->arena);
    WEIR_TRY(weir_bucket_path(&reader->arena, &reader->table->context.paths, reader->table->schema, split->partition,
                              split->bucket, &reader->bucket_path, err));
    return open_kind(reader, err);
}

int weir_split_open(const weir_table *table, const weir_split *split, const weir_read_options *options,
                    weir_split_reader **out, weir_error *err)
{
    weir_read_options wanted = options != NULL ? *options : (weir_read_options){0};
    weir_split_reader *reader = weir_alloc_zeroed(1, sizeof *reader);
    weir_arena_init(&reader->arena);
    weir_vector_init(&reader->kinds, weir_value_kind_field()->type);
    reader->table = split->table != NULL ? split->table : table;
    reader->split = split;
    reader->with_kinds = wanted.with_kinds;
    reader->stored_kinds = wanted.with_stored_kinds;
    /* The rows of a RAW split are all that there is of their keys: each is an insert, whatever it was when it came. */
    reader->reads_kinds =
        weir_table_has_primary_key(reader->table) && (split->kind == WEIR_SPLIT_CHANGELOG || reader->stored_kinds);
    reader->batch_rows = wanted.batch_rows > 0 ? wanted.batch_rows : DEFAULT_BATCH_ROWS;
    int code = open_reader(reader, table, &wanted, err);
    if (code != WEIR_OK) {
        weir_split_close(reader);
        return code;
    }
    *out = reader;
    return WEIR_OK;
}

static void close_file(weir_split_reader *reader)
{
    if (reader->file != NULL) {
        reader->file->ops->close(reader->file);
        reader->file = NULL;
    }
    reader->ranges.count = 0;
    reader->next_range = 0;
}

void weir_split_close(weir_split_reader *reader)
{
    if (reader == NULL) {
        return;
    }
    close_file(reader);
    weir_row_ranges_free(&reader->ranges);
    weir_merge_close(reader->merge);
    weir_diff_reader_close(reader->diff);
    weir_vector_free(&reader->kinds);
    weir_row_test_free(&reader->test);
    weir_arena_free(&reader->arena);
    free(reader);
}

/* The next file of the split; all files together where they hold different columns of the same rows. */
static int open_file(weir_split_reader *reader, weir_error *err)
{
    const weir_split *split = reader->split;
    const weir_table_context *context = &reader->table->context;
    int32_t field_count = reader->column_count + (reader->reads_kinds ? 1 : 0);
    if (split->kind == WEIR_SPLIT_COLUMNS) {
        reader->next_file = split->file_count;
        return weir_column_group_open(context, reader->bucket_path, split->files, split->file_count, reader->fields,
                                      field_count, &reader->file, err);
    }
    return weir_data_file_open(context, reader->bucket_path, split->files[reader->next_file++], reader->fields,
                               field_count, &reader->file, err);
}

/* Leaves of the ranges what lies in the split's piece of the file. */
static void cut_to_piece(weir_row_ranges *ranges, int64_t first, int64_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < ranges->count; i++) {
        int64_t from = ranges->ranges[i].first;
        int64_t end = from + ranges->ranges[i].count;
        from = from > first ? from : first;
        end = end < first + count ? end : first + count;
        if (from < end) {
            ranges->ranges[kept++] = (weir_row_range){from, end - from};
        }
    }
    ranges->count = kept;
}

/* Opens files until one has rows that may match. WEIR_END: there is none any more. */
static int open_next_file(weir_split_reader *reader, weir_error *err)
{
    while (reader->file == NULL || reader->next_range == reader->ranges.count) {
        close_file(reader);
        if (reader->next_file == reader->split->file_count) {
            return WEIR_END;
        }
        WEIR_TRY(open_file(reader, err));
        if (reader->predicate != NULL) {
            WEIR_TRY(reader->file->ops->prune(reader->file, reader->predicate, &reader->ranges, err));
        } else if (reader->file->row_count > 0) {
            weir_row_ranges_append(&reader->ranges, 0, reader->file->row_count);
        }
        if (reader->split->row_limit > 0) {
            cut_to_piece(&reader->ranges, reader->split->first_row, reader->split->row_limit);
        }
    }
    return WEIR_OK;
}

/* Whether rows of every kind go out as they are. */
static bool keeps_row(const weir_split_reader *reader, int8_t kind)
{
    return reader->with_kinds || !weir_row_kind_is_retract(kind);
}

/* Drops the rows of a batch that are deletes, where only what is there is asked for. */
static int drop_retractions(const weir_split_reader *reader, weir_batch *batch, weir_error *err)
{
    if (reader->with_kinds) {
        return WEIR_OK;
    }
    int64_t kept = 0;
    uint32_t *rows = weir_alloc(sizeof(uint32_t) * (size_t)(batch->length + 1));
    for (int64_t i = 0; i < batch->length; i++) {
        if (keeps_row(reader, weir_batch_kind(batch, i))) {
            rows[kept++] = (uint32_t)i;
        }
    }
    int code = WEIR_OK;
    if (kept < batch->length) {
        weir_batch chosen;
        weir_batch_init(&chosen, reader->fields, reader->column_count);
        code = weir_batch_append_rows(&chosen, batch, rows, kept, err);
        if (code == WEIR_OK) {
            weir_batch swap = *batch;
            *batch = chosen;
            chosen = swap;
        }
        weir_batch_free(&chosen);
    }
    free(rows);
    return code;
}

static int next_of_files(weir_split_reader *reader, weir_batch *batch, weir_error *err)
{
    WEIR_TRY(open_next_file(reader, err));
    weir_row_range *range = &reader->ranges.ranges[reader->next_range];
    int64_t count = range->count < reader->batch_rows ? range->count : reader->batch_rows;
    WEIR_TRY(weir_row_test_read(&reader->test, reader->file, range->first, count, batch, err));
    if (reader->reads_kinds) {
        weir_vector_clear(&reader->kinds);
        WEIR_TRY(reader->file->ops->read(reader->file, reader->column_count, range->first, count, &reader->kinds, err));
        weir_batch_reserve_kinds(batch, count);
        memcpy(batch->kinds, reader->kinds.data, (size_t)count);
    }
    range->first += count;
    range->count -= count;
    reader->next_range += range->count == 0;
    return reader->reads_kinds ? drop_retractions(reader, batch, err) : WEIR_OK;
}

static int next_window(weir_split_reader *reader, weir_batch *batch, weir_error *err)
{
    WEIR_TRY(weir_merge_next(reader->merge, reader->batch_rows, err));
    WEIR_TRY(weir_row_test_read_window(&reader->test, reader->merge, batch, err));
    if (reader->with_kinds) {
        weir_batch_reserve_kinds(batch, batch->length);
        if (reader->stored_kinds) {
            memcpy(batch->kinds, reader->merge->kinds, (size_t)batch->length);
        } else {
            memset(batch->kinds, WEIR_INSERT, (size_t)batch->length); /* rows of a state; deletes are not among them */
        }
    }
    return WEIR_OK;
}

/* A merge needs most of its memory for its first window. Where that is short, it starts again with fewer runs at a
 * time. */
static int next_of_merge(weir_split_reader *reader, weir_batch *batch, weir_error *err)
{
    int code = next_window(reader, batch, err);
    int32_t runs = reader->runs_at_once > 0 ? reader->runs_at_once : reader->split->run_count;
    while (code == WEIR_NO_MEMORY && !reader->has_given && runs > 2) {
        runs = runs / 4 < 2 ? 2 : runs / 4;
        reader->runs_at_once = runs;
        weir_merge_close(reader->merge);
        reader->merge = NULL;
        weir_batch_clear(batch);
        code = open_kind(reader, err);
        if (code == WEIR_OK) {
            code = next_window(reader, batch, err);
        }
    }
    reader->has_given = true;
    return code;
}

int weir_split_next(weir_split_reader *reader, weir_batch *batch, weir_error *err)
{
    do {
        int code;
        weir_batch_clear(batch);
        if (reader->merge != NULL) {
            code = next_of_merge(reader, batch, err);
        } else if (reader->diff != NULL) {
            code = weir_diff_reader_next(reader->diff, batch, reader->batch_rows, err);
            if (code == WEIR_OK) {
                code = drop_retractions(reader, batch, err);
            }
        } else {
            code = next_of_files(reader, batch, err);
        }
        if (code != WEIR_OK) {
            return code == WEIR_END ? code : weir_error_context(err, code, "reading %s", reader->bucket_path);
        }
    } while (batch->length == 0);
    return WEIR_OK;
}
