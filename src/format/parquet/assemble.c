/* Structs and lists from definition and repetition levels.
 *
 * Every entry of a leaf speaks for all nodes above it. For one node, with levels as schema.h has them, an entry
 *
 *   - has a place in the node's vector when its definition level is at least `slot_definition`, and begins a new place
 *     when its repetition level is at most `repetition`;
 *   - makes that place not null when its definition level is at least `definition`;
 *   - is an element of a list when its definition level is at least `element_definition`, and begins a new element when
 *     its repetition level is at most that of the elements.
 *
 * All leaves under a node agree on this, so the first one is asked; that they do agree is seen from the lengths. */
#include "format/parquet/assemble.h"

#include "vector/bits.h"

typedef struct entry_levels {
    const uint8_t *definitions;
    const uint8_t *repetitions; /* NULL: all 0 */
    int64_t count;
} entry_levels;

static entry_levels levels_of(const weir_parquet_column_reader *reader)
{
    return (entry_levels){
        .definitions = reader->levels.definitions.data,
        .repetitions = reader->leaf->max_repetition > 0 ? reader->levels.repetitions.data : NULL,
        .count = reader->levels.count,
    };
}

static inline bool begins_place(const entry_levels *levels, int64_t i, const weir_parquet_column *column)
{
    return (levels->repetitions == NULL || levels->repetitions[i] <= column->repetition) &&
           levels->definitions[i] >= column->slot_definition;
}

/* Appends a validity bit for each place; *out_slots is their number. */
static int append_validity(const weir_parquet_column *column, const entry_levels *levels, weir_vector *out,
                           int64_t *out_slots, weir_error *err)
{
    int64_t slots = 0;
    int64_t valid = 0;
    for (int64_t i = 0; i < levels->count; i++) {
        if (begins_place(levels, i, column)) {
            slots++;
            valid += levels->definitions[i] >= column->definition;
        }
    }
    *out_slots = slots;
    if (valid == slots) {
        WEIR_TRY(weir_vector_reserve(out, slots, err));
        if (out->validity != NULL) {
            weir_bits_fill(out->validity, out->length, slots, true);
        }
        return WEIR_OK;
    }
    WEIR_TRY(weir_vector_reserve_validity(out, slots, err));
    out->null_count += slots - valid;
    int64_t at = out->length;
    for (int64_t i = 0; i < levels->count; i++) {
        if (begins_place(levels, i, column)) {
            weir_bits_fill(out->validity, at++, 1, levels->definitions[i] >= column->definition);
        }
    }
    return WEIR_OK;
}

/* Writes the end of each list. */
static int append_offsets(const weir_parquet_column *column, const entry_levels *levels, weir_vector *out,
                          weir_error *err)
{
    uint8_t element_repetition = column->children[0].repetition;
    int64_t elements = out->offsets[out->length];
    int64_t at = out->length; /* offsets[at] is the end of the list before the current one */
    for (int64_t i = 0; i < levels->count; i++) {
        if (begins_place(levels, i, column)) {
            out->offsets[at++] = (int32_t)elements;
        }
        elements +=
            levels->definitions[i] >= column->element_definition && levels->repetitions[i] <= element_repetition;
        if (elements > INT32_MAX) {
            return weir_fail(err, WEIR_INVALID, "a column of one batch would pass 2^31 elements; use smaller batches");
        }
    }
    out->offsets[at] = (int32_t)elements;
    return WEIR_OK;
}

static int disagree(const weir_parquet_column_reader *reader, weir_error *err)
{
    return weir_parquet_column_damaged(reader, "its levels do not agree with those of its neighbours", err);
}

static int assemble_list(const weir_parquet_column *column, weir_parquet_column_reader *const *readers,
                         weir_vector *out, const char *path, weir_error *err)
{
    const weir_parquet_column_reader *reader = readers[column->leaf];
    entry_levels levels = levels_of(reader);
    int64_t slots;
    WEIR_TRY(append_validity(column, &levels, out, &slots, err));
    WEIR_TRY(append_offsets(column, &levels, out, err));
    out->length += slots;
    for (int32_t i = 0; i < column->child_count; i++) {
        WEIR_TRY(weir_parquet_assemble(&column->children[i], readers, &out->children[i], path, err));
        if (out->children[i].length != out->offsets[out->length]) {
            return disagree(readers[column->children[i].leaf], err);
        }
    }
    return WEIR_OK;
}

static int assemble_struct(const weir_parquet_column *column, weir_parquet_column_reader *const *readers,
                           weir_vector *out, const char *path, weir_error *err)
{
    entry_levels levels = levels_of(readers[column->leaf]);
    int64_t slots;
    WEIR_TRY(append_validity(column, &levels, out, &slots, err));
    out->length += slots;
    for (int32_t i = 0; i < column->child_count; i++) {
        WEIR_TRY(weir_parquet_assemble(&column->children[i], readers, &out->children[i], path, err));
        if (out->children[i].length != out->length) {
            return disagree(readers[column->children[i].leaf], err);
        }
    }
    return WEIR_OK;
}

int weir_parquet_assemble(const weir_parquet_column *column, weir_parquet_column_reader *const *readers,
                          weir_vector *out, const char *path, weir_error *err)
{
    switch (column->layout) {
    case WEIR_LAYOUT_LIST:
        WEIR_TRY(assemble_list(column, readers, out, path, err));
        break;
    case WEIR_LAYOUT_STRUCT:
        WEIR_TRY(assemble_struct(column, readers, out, path, err));
        break;
    default:
        return WEIR_OK; /* a leaf, which is there already */
    }
    weir_vector_drop_validity(out);
    return WEIR_OK;
}
