/* What a set of accumulators is made of, for its own files.
 *
 * An aggregate is told from one or two cells, and aggregates share cells: AVG(x) is told from the sum and the count
 * that SUM(x) and COUNT(x) are told from. All cells of a key lie side by side in one entry of value state, its row:
 *
 *   | fixed parts of the cells, each aligned to its width | length of each tail: 4 | the tails, one after the other |
 *
 * Tails are for what has no fixed width, such as a text or a list; most sets have none. Cells with a map keep the rest
 * in map state.
 *
 * A cell sees the rows of one view: all rows, those of a FILTER, or those that bring or take the only copy of a value
 * (DISTINCT). */
#ifndef WEIR_STREAM_ACCUMULATOR_CELL_H
#define WEIR_STREAM_ACCUMULATOR_CELL_H

#include "sql/function/function.h"
#include "stream/operator/aggregate/accumulator.h"

/* --- Rows at hand ---------------------------------------------------------------------------------------------- */

/* A tail that was set since its row came to hand, in `scratch`. */
typedef struct weir_new_tail {
    size_t offset;
    uint32_t size;
    bool is_set;
} weir_new_tail;

/* How the rows of a set look. */
typedef struct weir_row_layout {
    int32_t fixed_size; /* lengths of tails included */
    int32_t tail_count;
    int32_t lengths_offset;
} weir_row_layout;

/* Rows of accumulators that are being changed or read, a number each. */
typedef struct weir_accumulator_rows {
    const weir_row_layout *layout;
    int64_t count;
    uint8_t **bytes;            /* of each row; one without bytes in the state has zeros */
    weir_new_tail *tails;       /* count * tail_count: those of a row together */
    weir_buffer scratch;        /* bytes of new tails */
    weir_state_slot *map_slots; /* map_count * count: those of a map together */
    size_t bytes_capacity, tails_capacity, map_slots_capacity;
} weir_accumulator_rows;

weir_slice weir_tail_get(const weir_accumulator_rows *rows, int64_t row, int32_t tail);
/* What weir_tail_get gave before may then have moved; `bytes` may not be of it. */
void weir_tail_set(weir_accumulator_rows *rows, int64_t row, int32_t tail, weir_slice bytes);

/* --- Entries and views ----------------------------------------------------------------------------------------- */

/* Which values come to which rows: value `values[i]` of the computed batch to row rows[i], `signs[i]` times (1 or -1;
 * NULL: all 1). */
typedef struct weir_entries {
    int64_t count;
    const uint32_t *values;
    const uint32_t *rows;
    const int8_t *signs;
} weir_entries;

static inline int64_t weir_entry_sign(const weir_entries *entries, int64_t i)
{
    return entries->signs == NULL ? 1 : entries->signs[i];
}

/* A view with its entries of the update at hand. View 0 is of all rows. */
typedef struct weir_view {
    int32_t filter;   /* which computed column must be true; -1: none */
    int32_t distinct; /* which computed column is looked at; -1: none */
    int32_t map;      /* of a distinct view: value, as row_codec.h writes it -> how often it is there: 8 */
    weir_entries entries;
    uint32_t *values, *rows;
    int8_t *signs;
    size_t values_capacity, rows_capacity, signs_capacity;
} weir_view;

/* --- Cells ----------------------------------------------------------------------------------------------------- */

/* A value that lies in a row: | whether there is one: 1 | elsewhere its bytes, if their width is fixed, or its tail |.
 * Text lies in a tail as it is, nested values as row_codec.h writes them. */
typedef struct weir_place {
    int32_t flag;   /* offset of the first */
    int32_t offset; /* of the second; -1: */
    int32_t tail;
    int32_t width;
} weir_place;

typedef struct weir_cell weir_cell;

/* What cells of a kind do with the values of computed columns. */
typedef struct weir_cell_kind {
    const char *name;
    int (*apply)(weir_cell *cell, weir_accumulator_rows *rows, const weir_entries *entries, const weir_batch *computed,
                 weir_error *err);
    /* What row `from` has comes to row `to`. */
    int (*merge)(weir_cell *cell, weir_accumulator_rows *rows, int64_t from, int64_t to, weir_error *err);
} weir_cell_kind;

struct weir_cell {
    const weir_cell_kind *kind;
    const weir_type *type; /* of the column */
    int32_t view;
    int32_t column;       /* of the computed batch; -1: rows are counted, whatever they hold */
    int32_t order_column; /* the first of order_count that follow each other */
    int32_t order_count;  /* 0: arrival is the order */
    const weir_sort_key *order;
    bool last;        /* of two ends: MAX, LAST_VALUE */
    bool skips_nulls; /* of lists */
    int32_t offset;   /* of its fixed part; -1: none */
    int32_t tail;     /* -1: none */
    int32_t map;      /* -1: none */
    weir_place place; /* of cells that hold one value */
    weir_accumulators *owner;
};

extern const weir_cell_kind weir_cell_count;       /* offset: int64_t */
extern const weir_cell_kind weir_cell_integer_sum; /* offset: int64_t, modulo 2^64 */
extern const weir_cell_kind weir_cell_decimal_sum; /* offset: weir_int128; of values in 64 bits */
extern const weir_cell_kind weir_cell_wide_sum;    /* offset: three words, lowest first; of values in 128 bits */
extern const weir_cell_kind weir_cell_float_sum;   /* offset: weir_short_sum; tail: the long form, or nothing */
extern const weir_cell_kind weir_cell_extreme;     /* place */
extern const weir_cell_kind weir_cell_extreme_map; /* place; map: value in order (accumulator_value.c) -> count: 8 */
extern const weir_cell_kind weir_cell_end;         /* place; offset: int64_t, when it came; tail: its place in order */
extern const weir_cell_kind weir_cell_end_map;     /* the same; map: see accumulator_end.c */
extern const weir_cell_kind weir_cell_list;        /* tail: see accumulator_list.c */

/* --- What aggregates give -------------------------------------------------------------------------------------- */

typedef struct weir_aggregate_output weir_aggregate_output;
struct weir_aggregate_output {
    /* Appends the aggregate of each row. */
    int (*give)(const weir_aggregate_output *output, const weir_accumulator_rows *rows, weir_vector *out,
                weir_error *err);
    const weir_aggregate *aggregate;
    const weir_cell *cell;
    const weir_cell *count; /* of its values that are not NULL; NULL: it needs none */
    int64_t constant;       /* of GROUPING and GROUP_ID */
};

int weir_give_count(const weir_aggregate_output *output, const weir_accumulator_rows *rows, weir_vector *out,
                    weir_error *err);
int weir_give_sum(const weir_aggregate_output *output, const weir_accumulator_rows *rows, weir_vector *out,
                  weir_error *err);
int weir_give_average(const weir_aggregate_output *output, const weir_accumulator_rows *rows, weir_vector *out,
                      weir_error *err);
int weir_give_place(const weir_aggregate_output *output, const weir_accumulator_rows *rows, weir_vector *out,
                    weir_error *err);
int weir_give_list(const weir_aggregate_output *output, const weir_accumulator_rows *rows, weir_vector *out,
                   weir_error *err);
int weir_give_constant(const weir_aggregate_output *output, const weir_accumulator_rows *rows, weir_vector *out,
                       weir_error *err);

/* --- A set ----------------------------------------------------------------------------------------------------- */

struct weir_accumulators {
    weir_accumulators_options options;
    weir_arena arena;
    weir_row_layout layout;

    weir_sql_compute *compute;
    weir_expression **expressions; /* what is computed */
    int32_t expression_count;
    weir_field *computed_fields; /* the same as fields */
    weir_batch computed;

    weir_view *views;
    int32_t view_count;
    weir_cell **cells;
    int32_t cell_count;
    weir_aggregate_output *outputs;
    int32_t row_count_offset; /* of the cell that counts all rows; -1: there is none, and what has bytes has rows */

    weir_value_state *state;
    weir_map_state **maps;
    int32_t map_count;
    int64_t arrivals; /* how many values have come so far, where their order is kept; lives on in the state */
    bool keeps_arrivals;
    const char *arrivals_name;

    struct weir_update *update; /* arrays of the call at hand (accumulator_update.c) */
};

#define WEIR_MOST_ORDER_KEYS 16 /* of an aggregate's ORDER BY */

void weir_update_free(struct weir_update *update); /* NULL is fine */

/* Fills the views over view 0, which stands; maps of distinct views are changed. */
int weir_views_fill(weir_accumulators *accumulators, weir_accumulator_rows *rows, weir_error *err);
/* What distinct views of row `from` have comes to row `to`, and to the cells there. */
int weir_views_merge(weir_accumulators *accumulators, weir_accumulator_rows *rows, int64_t from, int64_t to,
                     weir_error *err);

#endif
