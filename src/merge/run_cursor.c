/* The files of one sorted run and the keys of its rows; see the header.
 *
 * Rows are left out early where that cannot change the version of a key that is wanted: files and rows outside of
 * [lower, upper), and files, row groups and pages that a predicate on key columns rules out. All versions of a key
 * share its columns, so a key that matches is read from every run; one that does not may lose some of its versions. */
#include "merge/run_cursor.h"

#include <stdlib.h>

#include "merge/key_range.h"

void weir_run_cursor_init(weir_run_cursor *cursor, const weir_merge_source *source, const weir_sorted_run *run,
                          uint32_t number)
{
    *cursor = (weir_run_cursor){.source = source, .run = run, .number = number};
    weir_batch_init(&cursor->key_columns, source->key_fields, source->key_count);
    weir_batch_init(&cursor->order_columns, weir_merge_source_order_fields(source), source->order.count);
    weir_vector_init(&cursor->sequence_numbers, weir_sequence_number_field()->type);
    weir_vector_init(&cursor->kinds, weir_value_kind_field()->type);
}

static void close_reader(weir_format_reader **reader)
{
    if (*reader != NULL) {
        (*reader)->ops->close(*reader);
        *reader = NULL;
    }
}

void weir_run_cursor_release(weir_run_cursor *cursor)
{
    if (cursor->file_count < 2) {
        return;
    }
    for (size_t i = 0; i + 1 < cursor->file_count; i++) {
        close_reader(&cursor->files[i].values);
    }
    cursor->files[0] = cursor->files[cursor->file_count - 1];
    cursor->file_count = 1;
}

void weir_run_cursor_close(weir_run_cursor *cursor)
{
    for (size_t i = 0; i < cursor->file_count; i++) {
        close_reader(&cursor->files[i].values);
    }
    close_reader(&cursor->key_reader);
    weir_budget_give(cursor->source->context->budget, cursor->held_bytes);
    free(cursor->files);
    free(cursor->entries);
    weir_row_ranges_free(&cursor->ranges);
    weir_batch_free(&cursor->key_columns);
    weir_batch_free(&cursor->order_columns);
    weir_sort_keys_free(&cursor->keys);
    weir_vector_free(&cursor->sequence_numbers);
    weir_vector_free(&cursor->kinds);
}

int weir_run_file_values(const weir_merge_source *source, weir_run_file *file, weir_format_reader **out,
                         weir_error *err)
{
    if (file->values == NULL) {
        WEIR_TRY(weir_data_file_open(source->context, source->bucket_path, file->file, source->value_fields,
                                     source->value_field_count, &file->values, err));
    }
    *out = file->values;
    return WEIR_OK;
}

/* --- bounds --- */

/* Compares key i with a bound: the bytes of a sort key. */
static int compare_with_bound(const weir_sort_keys *keys, int64_t i, weir_slice bound)
{
    if (!keys->whole) {
        uint64_t from = keys->offsets[i];
        return weir_slice_compare(weir_slice_of(keys->bytes + from, (size_t)(keys->offsets[i + 1] - from)), bound);
    }
    uint8_t padded[8] = {0};
    memcpy(padded, bound.data, bound.size < 8 ? bound.size : 8);
    uint64_t prefix = weir_load_be64(padded);
    return (keys->prefixes[i] > prefix) - (keys->prefixes[i] < prefix);
}

/* The first of the keys that is not below the bound. */
static int64_t first_not_below(const weir_sort_keys *keys, weir_slice bound)
{
    int64_t low = 0;
    int64_t high = keys->length;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (compare_with_bound(keys, middle, bound) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Whether the file's key range meets [lower, upper), and whether it lies in it. */
static int test_bounds(weir_run_cursor *cursor, const weir_data_file *file, bool *out_meets, bool *out_above_lower,
                       weir_error *err)
{
    const weir_merge_source *source = cursor->source;
    *out_meets = true;
    *out_above_lower = source->lower_key.size == 0;
    if (source->lower_key.size == 0 && source->upper_key.size == 0) {
        return WEIR_OK;
    }
    weir_sort_keys keys = {0};
    int code;
    WEIR_GO(weir_key_range_of_file(source, file, &keys, err));
    if (source->lower_key.size > 0) {
        *out_above_lower = compare_with_bound(&keys, 0, source->lower_key) >= 0;
        *out_meets = compare_with_bound(&keys, 1, source->lower_key) >= 0;
    }
    if (source->upper_key.size > 0 && compare_with_bound(&keys, 0, source->upper_key) >= 0) {
        *out_meets = false;
    }
done:
    weir_sort_keys_free(&keys);
    return code;
}

/* Reads the keys of some rows of the file into the block's key columns and sort keys. */
static int read_keys(weir_run_cursor *cursor, int64_t first, int64_t count, weir_error *err)
{
    const weir_merge_source *source = cursor->source;
    weir_format_reader *reader = cursor->key_reader;
    weir_batch_clear(&cursor->key_columns);
    for (int32_t i = 0; i < source->key_count; i++) {
        WEIR_TRY(reader->ops->read(reader, i, first, count, &cursor->key_columns.columns[i], err));
    }
    cursor->key_columns.length = count;
    weir_sort_keys_clear(&cursor->keys);
    return weir_sort_keys_append(&cursor->keys, &cursor->key_columns, source->identity, source->key_count, err);
}

/* The first row of the file whose key is not below the lower bound: by single rows down to a block, then inside it. */
static int find_lower_row(weir_run_cursor *cursor, int64_t *out, weir_error *err)
{
    int64_t low = 0;
    int64_t high = cursor->key_reader->row_count;
    while (high - low > cursor->source->block_rows) {
        int64_t middle = low + (high - low) / 2;
        WEIR_TRY(read_keys(cursor, middle, 1, err));
        if (compare_with_bound(&cursor->keys, 0, cursor->source->lower_key) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    WEIR_TRY(read_keys(cursor, low, high - low, err));
    *out = low + first_not_below(&cursor->keys, cursor->source->lower_key);
    return WEIR_OK;
}

/* --- files --- */

/* Whether the predicate may match keys of the file, by its key statistics. */
static int file_may_match(weir_run_cursor *cursor, const weir_data_file *file, bool *out, weir_error *err)
{
    const weir_merge_source *source = cursor->source;
    *out = true;
    if (source->predicate == NULL) {
        return WEIR_OK;
    }
    weir_arena arena;
    weir_arena_init(&arena);
    weir_column_stats *stats = WEIR_NEW_ARRAY(&arena, weir_column_stats, source->key_count + 1);
    int code = weir_stats_decode_keys(source->context, file, &arena, stats, err);
    if (code == WEIR_OK) {
        *out = weir_predicate_may_match(source->predicate, stats);
    }
    weir_arena_free(&arena);
    return code;
}

/* Cuts off the rows before `row`. */
static void drop_rows_before(weir_row_ranges *ranges, int64_t row)
{
    size_t kept = 0;
    for (size_t i = 0; i < ranges->count; i++) {
        weir_row_range range = ranges->ranges[i];
        int64_t end = range.first + range.count;
        if (end > row) {
            int64_t first = range.first < row ? row : range.first;
            ranges->ranges[kept++] = (weir_row_range){first, end - first};
        }
    }
    ranges->count = kept;
}

static int select_rows(weir_run_cursor *cursor, bool above_lower, weir_error *err)
{
    weir_format_reader *reader = cursor->key_reader;
    cursor->ranges.count = 0;
    cursor->range = 0;
    cursor->range_done = 0;
    if (cursor->source->predicate != NULL) {
        WEIR_TRY(reader->ops->prune(reader, cursor->source->predicate, &cursor->ranges, err));
    } else if (reader->row_count > 0) {
        weir_row_ranges_append(&cursor->ranges, 0, reader->row_count);
    }
    if (!above_lower && cursor->ranges.count > 0) {
        int64_t row = 0;
        WEIR_TRY(find_lower_row(cursor, &row, err));
        drop_rows_before(&cursor->ranges, row);
    }
    return WEIR_OK;
}

/* Opens the next file that may have rows to give; WEIR_END when there is none. */
static int open_next_file(weir_run_cursor *cursor, weir_error *err)
{
    const weir_merge_source *source = cursor->source;
    while (cursor->next_file < cursor->run->file_count) {
        const weir_data_file *file = cursor->run->files[cursor->next_file++];
        int64_t first_row = cursor->next_file_row;
        cursor->next_file_row += file->row_count;
        bool wanted = false;
        bool above_lower = false;
        WEIR_TRY(test_bounds(cursor, file, &wanted, &above_lower, err));
        if (wanted) {
            WEIR_TRY(file_may_match(cursor, file, &wanted, err));
        }
        if (!wanted) {
            continue;
        }
        close_reader(&cursor->key_reader);
        WEIR_TRY(weir_data_file_open(source->context, source->bucket_path, file, source->key_fields,
                                     source->key_field_count, &cursor->key_reader, err));
        WEIR_GROW(cursor->files, cursor->file_capacity, cursor->file_count + 1);
        cursor->files[cursor->file_count++] = (weir_run_file){file, first_row, NULL};
        cursor->level = file->level;
        WEIR_TRY_CTX(select_rows(cursor, above_lower, err), err, "data file %s", file->name);
        return WEIR_OK;
    }
    return WEIR_END;
}

/* --- blocks --- */

static int check_order(weir_run_cursor *cursor, weir_error *err)
{
    const uint64_t *prefixes = cursor->keys.prefixes;
    bool descends = cursor->has_last_prefix && prefixes[0] < cursor->last_prefix;
    for (int64_t i = 1; i < cursor->length; i++) {
        descends |= prefixes[i] < prefixes[i - 1];
    }
    if (descends) {
        return weir_fail(err, WEIR_CORRUPT, "its rows are not in the order of the primary key");
    }
    cursor->has_last_prefix = true;
    cursor->last_prefix = prefixes[cursor->length - 1];
    return WEIR_OK;
}

static int check_kinds(const weir_run_cursor *cursor, weir_error *err)
{
    uint8_t bits = 0;
    for (int64_t i = 0; i < cursor->length; i++) {
        bits |= cursor->kinds.data[i];
    }
    if (bits > WEIR_DELETE) {
        return weir_fail(err, WEIR_CORRUPT, "a row kind is none of the four there are");
    }
    return WEIR_OK;
}

/* The first eight of `size` bytes as a big-endian number, zeros where there are fewer. sort_key.h keeps eight bytes of
 * room after the last key, so that a whole word can be loaded. */
static inline uint64_t load_word(const uint8_t *bytes, size_t size)
{
    return size == 0 ? 0 : weir_load_be64(bytes) & UINT64_MAX << (size < 8 ? 64 - size * 8 : 0);
}

/* The entries of keys that are not whole: fourteen bytes after those that all keys share. */
static int make_entries(weir_run_cursor *cursor, weir_error *err)
{
    const weir_sort_keys *keys = &cursor->keys;
    size_t shared_size = cursor->source->shared_size;
    WEIR_GROW(cursor->entries, cursor->entry_capacity, cursor->length);
    for (int64_t i = 0; i < cursor->length; i++) {
        const uint8_t *key = keys->bytes + keys->offsets[i];
        size_t size = (size_t)(keys->offsets[i + 1] - keys->offsets[i]);
        if (size < shared_size || memcmp(key, cursor->source->shared, shared_size) != 0) {
            return weir_fail(err, WEIR_CORRUPT, "a key lies outside of the range that its manifest entry tells");
        }
        size -= shared_size;
        key += shared_size;
        uint64_t tail = size <= 8 ? 0 : load_word(key + 8, size - 8) & ~(uint64_t)WEIR_LOSER_RUN_MASK;
        cursor->entries[i] = (weir_loser_entry)load_word(key, size) << 64 | tail | cursor->number;
    }
    return WEIR_OK;
}

static weir_slice rest_of_key(const weir_run_cursor *cursor)
{
    const weir_sort_keys *keys = &cursor->keys;
    size_t size = (size_t)(keys->offsets[cursor->position + 1] - keys->offsets[cursor->position]);
    size_t compared = cursor->source->shared_size + WEIR_LOSER_ENTRY_BYTES;
    compared = compared < size ? compared : size;
    return weir_slice_of(keys->bytes + keys->offsets[cursor->position] + compared, size - compared);
}

int weir_run_cursor_compare_rest(const weir_run_cursor *a, const weir_run_cursor *b)
{
    weir_slice rest_a = rest_of_key(a);
    weir_slice rest_b = rest_of_key(b);
    if (rest_a.size > 0 && rest_b.size > 0) {
        return weir_slice_compare(rest_a, rest_b);
    }
    /* At least one ends within the fourteen bytes or with them: zeros of the longer look like the padding of the
     * shorter. */
    uint64_t size_a = a->keys.offsets[a->position + 1] - a->keys.offsets[a->position];
    uint64_t size_b = b->keys.offsets[b->position + 1] - b->keys.offsets[b->position];
    return (size_a > size_b) - (size_a < size_b);
}

static int account_memory(weir_run_cursor *cursor, weir_error *err)
{
    int64_t bytes = (int64_t)(weir_batch_memory(&cursor->key_columns) + weir_batch_memory(&cursor->order_columns) +
                              weir_sort_keys_memory(&cursor->keys) + weir_vector_memory(&cursor->sequence_numbers) +
                              weir_vector_memory(&cursor->kinds) + cursor->entry_capacity * sizeof *cursor->entries);
    if (bytes > cursor->held_bytes) {
        WEIR_TRY(weir_budget_take(cursor->source->context->budget, bytes - cursor->held_bytes, err));
        cursor->held_bytes = bytes;
    }
    return WEIR_OK;
}

/* Reads rows first .. first + count - 1 of the last open file as the block. */
static int load_block(weir_run_cursor *cursor, int64_t first, int64_t count, weir_error *err)
{
    const weir_merge_source *source = cursor->source;
    weir_format_reader *reader = cursor->key_reader;
    WEIR_TRY(read_keys(cursor, first, count, err));
    cursor->first_row = cursor->files[cursor->file_count - 1].first_row + first;
    cursor->position = 0;
    cursor->length = count;
    if (source->upper_key.size > 0) {
        cursor->length = first_not_below(&cursor->keys, source->upper_key);
        cursor->past_upper = cursor->length < count;
        if (cursor->length == 0) {
            return WEIR_OK;
        }
    }
    weir_vector_clear(&cursor->sequence_numbers);
    weir_vector_clear(&cursor->kinds);
    weir_batch_clear(&cursor->order_columns);
    int32_t field = source->key_count;
    WEIR_TRY(reader->ops->read(reader, field++, first, cursor->length, &cursor->sequence_numbers, err));
    WEIR_TRY(reader->ops->read(reader, field++, first, cursor->length, &cursor->kinds, err));
    for (int32_t i = 0; i < source->order.count; i++) {
        WEIR_TRY(reader->ops->read(reader, field++, first, cursor->length, &cursor->order_columns.columns[i], err));
    }
    cursor->order_columns.length = cursor->length;
    if (!cursor->keys.whole) {
        WEIR_TRY(make_entries(cursor, err));
    }
    WEIR_TRY(check_kinds(cursor, err));
    WEIR_TRY(check_order(cursor, err));
    return account_memory(cursor, err);
}

int weir_run_cursor_next_block(weir_run_cursor *cursor, weir_error *err)
{
    cursor->length = 0;
    cursor->position = 0;
    while (!cursor->past_upper) {
        if (cursor->range >= cursor->ranges.count) {
            WEIR_TRY(open_next_file(cursor, err));
            continue;
        }
        weir_row_range range = cursor->ranges.ranges[cursor->range];
        int64_t left = range.count - cursor->range_done;
        int64_t count = left < cursor->source->block_rows ? left : cursor->source->block_rows;
        WEIR_TRY_CTX(load_block(cursor, range.first + cursor->range_done, count, err), err, "data file %s",
                     cursor->run->files[cursor->next_file - 1]->name);
        cursor->range_done += count;
        if (cursor->range_done == range.count) {
            cursor->range++;
            cursor->range_done = 0;
        }
        if (cursor->length > 0) {
            return WEIR_OK;
        }
    }
    return WEIR_END;
}
