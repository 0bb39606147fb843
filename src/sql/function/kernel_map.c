/* Functions over maps. A key stands in a map once; of pairs with one key the last gives the value, in the first one's
 * place. */
#include "sql/function/kernels.h"
#include "sql/function/nested_rows.h"

static weir_vector *keys_of(weir_vector *map) { return &map->children[0]; }

/* --- Looking --------------------------------------------------------------------------------------------------- */

/* map[key]; NULL when it isn't there. */
static int item(weir_nested_rows *rows, int64_t row, weir_error *err)
{
    const weir_vector *map = &rows->arguments[0];
    weir_list_span span = weir_list_at(map, row);
    for (int64_t i = span.first + span.count; i-- > span.first;) {
        if (weir_vector_values_equal(&map->children[0], i, &rows->arguments[1], row)) {
            return weir_vector_append_range(rows->out, &map->children[1], i, 1, err);
        }
    }
    return weir_vector_append_nulls(rows->out, 1, err);
}

static int take_column(weir_nested_rows *rows, int64_t row, int32_t column, weir_error *err)
{
    weir_list_span span = weir_list_at(&rows->arguments[0], row);
    WEIR_TRY(weir_vector_append_range(&rows->out->children[0], &rows->arguments[0].children[column], span.first,
                                      span.count, err));
    return weir_vector_append_list(rows->out, err);
}

static int keys(weir_nested_rows *rows, int64_t row, weir_error *err) { return take_column(rows, row, 0, err); }

static int values(weir_nested_rows *rows, int64_t row, weir_error *err) { return take_column(rows, row, 1, err); }

/* An array of rows of key and value. */
static int entries(weir_nested_rows *rows, int64_t row, weir_error *err)
{
    const weir_vector *map = &rows->arguments[0];
    weir_vector *pairs = &rows->out->children[0];
    weir_list_span span = weir_list_at(map, row);
    for (int64_t i = span.first; i < span.first + span.count; i++) {
        WEIR_TRY(weir_vector_append_range(&pairs->children[0], &map->children[0], i, 1, err));
        WEIR_TRY(weir_vector_append_range(&pairs->children[1], &map->children[1], i, 1, err));
        WEIR_TRY(weir_vector_append_struct(pairs, err));
    }
    return weir_vector_append_list(rows->out, err);
}

WEIR_DEFINE_NESTED(run_item, 2, item)
WEIR_DEFINE_NESTED(run_keys, 0, keys)
WEIR_DEFINE_NESTED(run_values, 0, values)
WEIR_DEFINE_NESTED(run_entries, 0, entries)

const weir_kernel weir_kernel_map_item = {.name = "map_item", .nested = run_item};
const weir_kernel weir_kernel_map_keys = {.name = "map_keys", .nested = run_keys};
const weir_kernel weir_kernel_map_values = {.name = "map_values", .nested = run_values};
const weir_kernel weir_kernel_map_entries = {.name = "map_entries", .nested = run_entries};

/* --- Making ---------------------------------------------------------------------------------------------------- */

/* Where the values of the set's keys are, in the order of the keys. */
typedef struct place {
    const weir_vector *values;
    int64_t row;
} place;

static void add_pair(weir_nested_rows *rows, const weir_vector *key, int64_t key_row, const weir_vector *value,
                     int64_t value_row)
{
    size_t index = weir_value_set_add(&rows->set, key, key_row);
    place at = {value, value_row};
    if ((index + 1) * sizeof at > rows->text.size) {
        weir_buffer_append(&rows->text, &at, sizeof at);
    } else {
        memcpy(rows->text.data + index * sizeof at, &at, sizeof at);
    }
}

static void begin_map(weir_nested_rows *rows)
{
    weir_value_set_clear(&rows->set);
    weir_buffer_clear(&rows->text);
}

static int finish_map(weir_nested_rows *rows, weir_error *err)
{
    for (size_t i = 0; i < rows->set.count; i++) {
        place at;
        memcpy(&at, rows->text.data + i * sizeof at, sizeof at);
        WEIR_TRY(weir_vector_append_range(keys_of(rows->out), rows->set.entries[i].vector, rows->set.entries[i].row, 1,
                                          err));
        WEIR_TRY(weir_vector_append_range(&rows->out->children[1], at.values, at.row, 1, err));
    }
    return weir_vector_append_list(rows->out, err);
}

/* The pairs of all maps. */
static int unite(weir_nested_rows *rows, int64_t row, weir_error *err)
{
    begin_map(rows);
    for (int32_t i = 0; i < rows->call->argument_count; i++) {
        const weir_vector *map = &rows->arguments[i];
        weir_list_span span = weir_list_at(map, row);
        for (int64_t j = span.first; j < span.first + span.count; j++) {
            add_pair(rows, &map->children[0], j, &map->children[1], j);
        }
    }
    return finish_map(rows, err);
}

static int from_arrays(weir_nested_rows *rows, int64_t row, weir_error *err)
{
    weir_list_span keys_span = weir_list_at(&rows->arguments[0], row);
    weir_list_span values_span = weir_list_at(&rows->arguments[1], row);
    if (keys_span.count != values_span.count) {
        return weir_fail(err, WEIR_INVALID,
                         "MAP_FROM_ARRAYS takes arrays of one length, and there are %" PRId64 " keys and %" PRId64
                         " values",
                         keys_span.count, values_span.count);
    }
    begin_map(rows);
    for (int64_t i = 0; i < keys_span.count; i++) {
        add_pair(rows, &rows->arguments[0].children[0], keys_span.first + i, &rows->arguments[1].children[0],
                 values_span.first + i);
    }
    return finish_map(rows, err);
}

WEIR_DEFINE_NESTED(run_unite, 0, unite)
WEIR_DEFINE_NESTED(run_from_arrays, 0, from_arrays)

const weir_kernel weir_kernel_map_union = {.name = "map_union", .nested = run_unite};
const weir_kernel weir_kernel_map_from_arrays = {.name = "map_from_arrays", .nested = run_from_arrays};
