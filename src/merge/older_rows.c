/* Putting looked-up rows into the groups of a window; see the header. */
#include "merge/older_rows.h"

#include <stdlib.h>

/* Above every level that takes part in the merge. */
#define OLDER_LEVEL INT32_MAX

void weir_older_rows_init(weir_older_rows *rows, const weir_merge_older *older, const weir_schema *schema, int32_t run)
{
    *rows = (weir_older_rows){.older = older, .schema = schema, .run = (uint16_t)run};
    rows->columns = weir_alloc_zeroed((size_t)schema->field_count, sizeof *rows->columns);
    rows->is_read = weir_alloc_zeroed((size_t)schema->field_count, sizeof *rows->is_read);
    for (int32_t c = 0; c < schema->field_count; c++) {
        weir_vector_init(&rows->columns[c], schema->fields[c].type);
    }
}

void weir_older_rows_free(weir_older_rows *rows)
{
    for (int32_t c = 0; rows->columns != NULL && c < rows->schema->field_count; c++) {
        weir_vector_free(&rows->columns[c]);
    }
    free(rows->columns);
    free(rows->is_read);
    free(rows->groups);
    free(rows->sequence_numbers);
    free(rows->kinds);
    free(rows->found);
    *rows = (weir_older_rows){0};
}

static void reserve(weir_older_rows *rows, size_t count)
{
    if (count <= rows->group_capacity) {
        return;
    }
    rows->groups = weir_realloc(rows->groups, count * sizeof *rows->groups);
    rows->sequence_numbers = weir_realloc(rows->sequence_numbers, count * sizeof *rows->sequence_numbers);
    rows->kinds = weir_realloc(rows->kinds, count * sizeof *rows->kinds);
    rows->found = weir_realloc(rows->found, count * sizeof *rows->found);
    rows->group_capacity = count;
}

static bool is_of_level_zero(const weir_merge_groups *groups, int64_t group)
{
    for (int64_t row = groups->group_starts[group]; row < groups->group_starts[group + 1]; row++) {
        if (groups->levels[row] > 0) {
            return false;
        }
    }
    return true;
}

static int find(weir_older_rows *rows, const weir_merge_groups *groups, const weir_sort_keys *keys, weir_error *err)
{
    reserve(rows, (size_t)groups->group_count + 1);
    int64_t wanted = 0;
    for (int64_t g = 0; g < groups->group_count; g++) {
        if (is_of_level_zero(groups, g)) {
            rows->groups[wanted++] = (uint32_t)g;
        }
    }
    rows->count = 0;
    for (int32_t c = 0; c < rows->schema->field_count; c++) {
        weir_vector_clear(&rows->columns[c]);
        rows->is_read[c] = false;
    }
    if (wanted == 0) {
        return WEIR_OK;
    }
    WEIR_TRY(rows->older->find(rows->older->context, keys, rows->groups, wanted, rows->found, rows->kinds,
                               rows->sequence_numbers, err));
    for (int64_t i = 0; i < wanted; i++) {
        if (rows->found[i]) {
            rows->groups[rows->count++] = rows->groups[i];
        }
    }
    return WEIR_OK;
}

int weir_older_rows_column(weir_older_rows *rows, int32_t column, const weir_vector **out, weir_error *err)
{
    weir_vector *values = &rows->columns[column];
    if (!rows->is_read[column] && rows->count > 0) {
        WEIR_TRY(rows->older->column(rows->older->context, column, values, err));
        if (values->length != rows->count) {
            return weir_fail(err, WEIR_CORRUPT, "a lookup found %" PRId64 " rows and gave %" PRId64 " values",
                             rows->count, values->length);
        }
    }
    rows->is_read[column] = true;
    *out = values;
    return WEIR_OK;
}

/* --- joining --- */

/* Values of the columns of sequence.field, of the groups' rows and of the rows found. */
typedef struct order_values {
    const weir_age_order *order;
    weir_vector *in_groups;
    const weir_vector **found;
} order_values;

static int read_order_values(weir_older_rows *rows, const weir_age_order *order, const weir_group_rows *read,
                             order_values *out, weir_error *err)
{
    *out = (order_values){
        .order = order,
        .in_groups = weir_alloc_zeroed((size_t)order->count + 1, sizeof *out->in_groups),
        .found = weir_alloc_zeroed((size_t)order->count + 1, sizeof *out->found),
    };
    for (int32_t i = 0; i < order->count; i++) {
        weir_vector_init(&out->in_groups[i], rows->schema->fields[order->columns[i]].type);
    }
    for (int32_t i = 0; i < order->count; i++) {
        WEIR_TRY(read->read(read->context, order->columns[i], &out->in_groups[i], err));
        WEIR_TRY(weir_older_rows_column(rows, order->columns[i], &out->found[i], err));
    }
    return WEIR_OK;
}

static void free_order_values(order_values *values)
{
    for (int32_t i = 0; i < values->order->count; i++) {
        weir_vector_free(&values->in_groups[i]);
    }
    free(values->in_groups);
    free(values->found);
}

/* Whether row `row` of the groups is older than row `i` of those found. Equals, which writers of one bucket at the same
 * time make, count as older: whoever reads both levels later cannot tell them apart, and what stands has been told. */
static bool is_older(const weir_older_rows *rows, const weir_merge_groups *groups, const order_values *values,
                     int64_t row, int64_t i)
{
    for (int32_t c = 0; c < values->order->count; c++) {
        int by_value = weir_age_order_compare(values->order, &values->in_groups[c], row, values->found[c], i);
        if (by_value != 0) {
            return by_value < 0;
        }
    }
    return groups->sequence_numbers[row] <= rows->sequence_numbers[i];
}

static void put_found(const weir_older_rows *rows, weir_merge_groups *groups, int64_t i, int64_t at)
{
    groups->runs[at] = rows->run;
    groups->rows[at] = i;
    groups->sequence_numbers[at] = rows->sequence_numbers[i];
    groups->kinds[at] = rows->kinds[i];
    groups->levels[at] = OLDER_LEVEL;
}

/* From the last group to the first, so that rows move into free places only. */
static void insert_all(const weir_older_rows *rows, weir_merge_groups *groups, const order_values *values)
{
    weir_merge_groups_reserve(groups, (size_t)(groups->row_count + rows->count), true);
    int64_t to = groups->row_count + rows->count;
    int64_t end = groups->row_count;
    groups->row_count = to;
    int64_t i = rows->count - 1;
    for (int64_t g = groups->group_count - 1; i >= 0; g--) {
        int64_t start = groups->group_starts[g];
        int64_t place = -1; /* before which row the one found goes */
        if (rows->groups[i] == (uint32_t)g) {
            place = start;
            while (place < end && is_older(rows, groups, values, place, i)) {
                place++;
            }
        }
        groups->group_starts[g + 1] = to;
        for (int64_t row = end; row >= start; row--) {
            if (row < end) {
                weir_merge_groups_move_row(groups, row, --to);
            }
            if (row == place) {
                put_found(rows, groups, i, --to);
                i--;
                place = -1;
            }
        }
        end = start;
    }
}

int weir_older_rows_join(weir_older_rows *rows, weir_merge_groups *groups, const weir_sort_keys *keys,
                         const weir_age_order *order, const weir_group_rows *read, weir_error *err)
{
    WEIR_TRY(find(rows, groups, keys, err));
    if (rows->count == 0) {
        return WEIR_OK;
    }
    order_values values;
    int code = read_order_values(rows, order, read, &values, err);
    if (code == WEIR_OK) {
        insert_all(rows, groups, &values);
    }
    free_order_values(&values);
    return code;
}
