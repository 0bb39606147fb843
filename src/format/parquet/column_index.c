/* Page indexes.
 *
 * Text is cut to 64 bytes: a prefix is a lower bound, and a prefix whose last character (or byte) is increased is an
 * upper one. A chunk has a ColumnIndex for all of its pages or none. */
#include "format/parquet/column_index.h"

#include <stdlib.h>

#define LONGEST_BOUND 64

void weir_column_index_init(weir_column_index *index)
{
    *index = (weir_column_index){.has_bounds = true};
    weir_arena_init(&index->texts);
}

void weir_column_index_free(weir_column_index *index)
{
    free(index->pages);
    weir_arena_free(&index->texts);
}

void weir_column_index_clear(weir_column_index *index)
{
    index->page_count = 0;
    index->has_bounds = true;
    weir_arena_free(&index->texts);
}

/* --- cutting text ------------------------------------------------------------------------------------------------- */

static bool continues_character(uint8_t byte) { return (byte & 0xC0) == 0x80; }

/* Where the character that byte `at` belongs to begins. */
static size_t character_begin(weir_slice text, size_t at)
{
    while (at > 0 && continues_character(text.data[at])) {
        at--;
    }
    return at;
}

static weir_slice cut(weir_slice value, bool is_text)
{
    size_t size = LONGEST_BOUND;
    return weir_slice_of(value.data, is_text ? character_begin(value, size) : size);
}

/* The greatest byte that may stand at `at` in a character of text[from .. size - 1]. */
static uint8_t greatest_byte(const uint8_t *text, size_t at, size_t from, size_t size)
{
    static const uint8_t greatest_first[] = {0x7F, 0xDF, 0xEF, 0xF4};
    if (at > from) {
        return at == from + 1 && text[from] == 0xF4 ? 0x8F : 0xBF;
    }
    size_t length = size - from;
    return greatest_first[length <= 4 ? length - 1 : 3];
}

/* The character after that of text[from .. size - 1], in place of it, when it takes as many bytes: the last byte that
 * can grow does, those behind it become the least that continues a character. */
static bool increase_character(uint8_t *text, size_t from, size_t size)
{
    for (size_t at = size; at-- > from;) {
        if (text[at] < greatest_byte(text, at, from, size)) {
            text[at]++;
            memset(text + at + 1, 0x80, size - at - 1);
            /* U+D800 to U+DFFF, the surrogates, are no characters: the next one is U+E000. */
            if (size - from == 3 && text[from] == 0xED && text[from + 1] >= 0xA0) {
                memcpy(text + from, "\xEE\x80\x80", 3);
            }
            return true;
        }
    }
    return false;
}

/* Makes `text` greater than everything that begins with it: 0 when that can't be, else its new size. */
static size_t increase_text(uint8_t *text, size_t size)
{
    while (size > 0) {
        size_t from = character_begin(weir_slice_of(text, size), size - 1);
        if (increase_character(text, from, size)) {
            return size;
        }
        size = from;
    }
    return 0;
}

static size_t increase_bytes(uint8_t *bytes, size_t size)
{
    while (size > 0 && bytes[size - 1] == 0xFF) {
        size--;
    }
    if (size > 0) {
        bytes[size - 1]++;
    }
    return size;
}

static weir_slice lower_bound(weir_arena *arena, weir_slice value, bool is_text)
{
    weir_slice bound = value.size > LONGEST_BOUND ? cut(value, is_text) : value;
    return weir_slice_of(weir_arena_copy(arena, bound.data, bound.size), bound.size);
}

static weir_slice upper_bound(weir_arena *arena, weir_slice value, bool is_text)
{
    if (value.size > LONGEST_BOUND) {
        weir_slice prefix = cut(value, is_text);
        uint8_t *bound = weir_arena_copy(arena, prefix.data, prefix.size);
        size_t size = is_text ? increase_text(bound, prefix.size) : increase_bytes(bound, prefix.size);
        if (size > 0) {
            return weir_slice_of(bound, size);
        }
    }
    return weir_slice_of(weir_arena_copy(arena, value.data, value.size), value.size);
}

/* --- pages -------------------------------------------------------------------------------------------------------- */

void weir_column_index_add(weir_column_index *index, const weir_write_leaf *leaf, weir_page_entry entry,
                           const weir_value_range *range)
{
    weir_value_form form = weir_value_form_of(leaf);
    entry.has_value = range->has_value;
    if (range->has_value && !weir_value_range_bounds(range, form, &entry.min, &entry.max)) {
        index->has_bounds = false;
    } else if (range->has_value && form == WEIR_FORM_BYTES) {
        bool is_text = weir_type_is_text(leaf->type);
        entry.min.bytes = lower_bound(&index->texts, entry.min.bytes, is_text);
        entry.max.bytes = upper_bound(&index->texts, entry.max.bytes, is_text);
    }
    WEIR_GROW(index->pages, index->page_capacity, index->page_count + 1);
    index->pages[index->page_count++] = entry;
}

/* Whether the pages that have values ascend, descend, or neither. */
static weir_parquet_boundary_order boundary_order(const weir_column_index *index, weir_value_form form)
{
    const weir_page_entry *last = NULL;
    bool ascends = true;
    bool descends = true;
    for (size_t i = 0; i < index->page_count; i++) {
        const weir_page_entry *page = &index->pages[i];
        if (!page->has_value) {
            continue;
        }
        if (last != NULL) {
            int min_order = weir_value_compare(form, &last->min, &page->min);
            int max_order = weir_value_compare(form, &last->max, &page->max);
            ascends = ascends && min_order <= 0 && max_order <= 0;
            descends = descends && min_order >= 0 && max_order >= 0;
        }
        last = page;
    }
    return ascends ? WEIR_PARQUET_ASCENDING : descends ? WEIR_PARQUET_DESCENDING : WEIR_PARQUET_UNORDERED;
}

static void write_bounds(const weir_column_index *index, const weir_write_leaf *leaf, bool max,
                         weir_thrift_writer *writer)
{
    weir_value_form form = weir_value_form_of(leaf);
    for (size_t i = 0; i < index->page_count; i++) {
        const weir_page_entry *page = &index->pages[i];
        uint8_t room[WEIR_STATISTIC_ROOM];
        weir_slice bound = {0};
        if (page->has_value) {
            bound = weir_value_statistic(leaf, form, max ? &page->max : &page->min, room);
        }
        weir_thrift_write_binary_element(writer, bound);
    }
}

void weir_column_index_write(const weir_column_index *index, const weir_write_leaf *leaf, weir_buffer *out)
{
    if (!index->has_bounds) {
        return;
    }
    weir_thrift_writer writer;
    weir_thrift_writer_init(&writer, out);
    weir_thrift_write_list(&writer, 1, WEIR_THRIFT_TRUE, index->page_count);
    for (size_t i = 0; i < index->page_count; i++) {
        weir_thrift_write_bool_element(&writer, !index->pages[i].has_value);
    }
    weir_thrift_write_list(&writer, 2, WEIR_THRIFT_BINARY, index->page_count);
    write_bounds(index, leaf, false, &writer);
    weir_thrift_write_list(&writer, 3, WEIR_THRIFT_BINARY, index->page_count);
    write_bounds(index, leaf, true, &writer);
    weir_thrift_write_i32(&writer, 4, boundary_order(index, weir_value_form_of(leaf)));
    weir_thrift_write_list(&writer, 5, WEIR_THRIFT_I64, index->page_count);
    for (size_t i = 0; i < index->page_count; i++) {
        weir_thrift_write_i64_element(&writer, index->pages[i].null_count);
    }
    weir_thrift_write_end(&writer);
}

void weir_offset_index_write(const weir_column_index *index, uint64_t pages_at, weir_buffer *out)
{
    weir_thrift_writer writer;
    weir_thrift_writer_init(&writer, out);
    weir_thrift_write_list(&writer, 1, WEIR_THRIFT_STRUCT, index->page_count);
    for (size_t i = 0; i < index->page_count; i++) {
        const weir_page_entry *page = &index->pages[i];
        weir_thrift_write_begin_element(&writer);
        weir_thrift_write_i64(&writer, 1, (int64_t)(pages_at + page->offset));
        weir_thrift_write_i32(&writer, 2, (int32_t)page->size);
        weir_thrift_write_i64(&writer, 3, page->first_row);
        weir_thrift_write_end(&writer);
    }
    weir_thrift_write_end(&writer);
}
