/* Making a set of accumulators: aggregates become cells and what is told from them, cells get their places in the row,
 * and what they take is computed with one computation a batch. */
#include <stdlib.h>

#include "sql/function/function.h"
#include "stream/operator/aggregate/accumulator_cell.h"

/* --- Computed columns ------------------------------------------------------------------------------------------ */

static int32_t append_expression(weir_accumulators *self, weir_expression *expression)
{
    self->expressions[self->expression_count] = expression;
    return self->expression_count++;
}

/* The column of an expression, which is computed once for all that ask. */
static int32_t column_of(weir_accumulators *self, weir_expression *expression)
{
    for (int32_t i = 0; i < self->expression_count; i++) {
        if (weir_expression_equal(self->expressions[i], expression)) {
            return i;
        }
    }
    return append_expression(self, expression);
}

/* --- Views ----------------------------------------------------------------------------------------------------- */

static int32_t view_of(weir_accumulators *self, const weir_aggregate *aggregate, bool distinct)
{
    int32_t filter = aggregate->filter == NULL ? -1 : column_of(self, aggregate->filter);
    int32_t column = distinct ? column_of(self, aggregate->arguments[0]) : -1;
    for (int32_t i = 0; i < self->view_count; i++) {
        if (self->views[i].filter == filter && self->views[i].distinct == column) {
            return i;
        }
    }
    self->views[self->view_count] =
        (weir_view){.filter = filter, .distinct = column, .map = distinct ? self->map_count++ : -1};
    return self->view_count++;
}

/* --- Cells ----------------------------------------------------------------------------------------------------- */

static bool is_value_cell(const weir_cell_kind *kind)
{
    return kind == &weir_cell_extreme || kind == &weir_cell_extreme_map || kind == &weir_cell_end ||
           kind == &weir_cell_end_map;
}

static bool has_map(const weir_cell_kind *kind) { return kind == &weir_cell_extreme_map || kind == &weir_cell_end_map; }

static bool is_end(const weir_cell_kind *kind) { return kind == &weir_cell_end || kind == &weir_cell_end_map; }

static bool same_cell(const weir_cell *a, const weir_cell *b)
{
    return a->kind == b->kind && a->view == b->view && a->column == b->column && a->last == b->last &&
           a->skips_nulls == b->skips_nulls && a->order_count == 0 && b->order_count == 0;
}

/* Maps and tails are numbered here; offsets come when all cells are known. */
static weir_cell *add_cell(weir_accumulators *self, const weir_cell *wanted)
{
    for (int32_t i = 0; i < self->cell_count; i++) {
        if (same_cell(self->cells[i], wanted)) {
            return self->cells[i];
        }
    }
    weir_cell *cell = weir_arena_copy(&self->arena, wanted, sizeof *wanted);
    cell->owner = self;
    cell->offset = -1;
    cell->tail = -1;
    cell->map = has_map(cell->kind) ? self->map_count++ : -1;
    cell->place = (weir_place){-1, -1, -1, 0};
    if (cell->kind == &weir_cell_list || cell->kind == &weir_cell_float_sum ||
        (is_end(cell->kind) && cell->order_count > 0)) {
        cell->tail = self->layout.tail_count++;
    }
    if (is_value_cell(cell->kind)) {
        weir_layout layout = weir_layout_of(cell->type);
        cell->place.width = layout == WEIR_LAYOUT_BIT ? 1 : (int32_t)weir_layout_width(layout);
        cell->place.tail = cell->place.width == 0 ? self->layout.tail_count++ : -1;
    }
    self->cells[self->cell_count++] = cell;
    return cell;
}

/* How many rows of a view there are, or of them those whose column is not NULL. */
static weir_cell *count_cell(weir_accumulators *self, int32_t view, int32_t column)
{
    bool may_be_null = column >= 0 && self->expressions[column]->type->nullable;
    return add_cell(self, &(weir_cell){.kind = &weir_cell_count, .view = view, .column = may_be_null ? column : -1});
}

static const weir_cell_kind *sum_kind(const weir_type *type)
{
    switch (type->id) {
    case WEIR_FLOAT:
    case WEIR_DOUBLE:
        return &weir_cell_float_sum;
    case WEIR_DECIMAL:
        return type->precision <= 18 ? &weir_cell_decimal_sum : &weir_cell_wide_sum;
    default:
        return &weir_cell_integer_sum;
    }
}

/* --- Aggregates ------------------------------------------------------------------------------------------------ */

static int refuse(const weir_aggregate *aggregate, const char *reason, weir_error *err)
{
    return weir_fail_at(err, WEIR_UNSUPPORTED, aggregate->position.line, aggregate->position.column,
                        "%s can't be kept up to date in a stream: %s", aggregate->function->name, reason);
}

static void plan_sum(weir_accumulators *self, const weir_aggregate *aggregate, weir_aggregate_output *output)
{
    int32_t view = view_of(self, aggregate, aggregate->distinct);
    int32_t column = column_of(self, aggregate->arguments[0]);
    const weir_type *type = aggregate->arguments[0]->type;
    output->cell = add_cell(self, &(weir_cell){.kind = sum_kind(type), .type = type, .view = view, .column = column});
    output->count = count_cell(self, view, column);
    output->give = aggregate->function->aggregate == WEIR_AGGREGATE_SUM ? weir_give_sum : weir_give_average;
}

static void plan_count(weir_accumulators *self, const weir_aggregate *aggregate, weir_aggregate_output *output)
{
    int32_t view = view_of(self, aggregate, aggregate->distinct);
    int32_t column = aggregate->argument_count == 0 ? -1 : column_of(self, aggregate->arguments[0]);
    output->cell = count_cell(self, view, column);
    output->give = weir_give_count;
}

/* Copies of a value make no difference to the extreme one. */
static void plan_extreme(weir_accumulators *self, const weir_aggregate *aggregate, weir_aggregate_output *output)
{
    output->cell =
        add_cell(self, &(weir_cell){.kind = self->options.retracts ? &weir_cell_extreme_map : &weir_cell_extreme,
                                    .type = aggregate->arguments[0]->type,
                                    .view = view_of(self, aggregate, false),
                                    .column = column_of(self, aggregate->arguments[0]),
                                    .last = aggregate->function->aggregate == WEIR_AGGREGATE_MAX});
    output->give = weir_give_place;
}

/* DISTINCT values are ordered by themselves alone. */
static void plan_order(weir_accumulators *self, const weir_aggregate *aggregate, weir_cell *cell)
{
    cell->order = aggregate->order;
    cell->order_count = aggregate->distinct && aggregate->order_count > 1 ? 1 : aggregate->order_count;
    if (cell->order_count == 1) {
        cell->order_column = column_of(self, aggregate->order[0].expression);
        return;
    }
    cell->order_column = self->expression_count;
    for (int32_t i = 0; i < cell->order_count; i++) {
        append_expression(self, aggregate->order[i].expression);
    }
}

static void plan_end(weir_accumulators *self, const weir_aggregate *aggregate, weir_aggregate_output *output)
{
    weir_cell cell = {.kind = self->options.retracts ? &weir_cell_end_map : &weir_cell_end,
                      .type = aggregate->arguments[0]->type,
                      .view = view_of(self, aggregate, aggregate->distinct),
                      .column = column_of(self, aggregate->arguments[0]),
                      .last = aggregate->function->aggregate == WEIR_AGGREGATE_LAST_VALUE};
    plan_order(self, aggregate, &cell);
    output->cell = add_cell(self, &cell);
    output->give = weir_give_place;
    self->keeps_arrivals = true;
}

static void plan_list(weir_accumulators *self, const weir_aggregate *aggregate, weir_aggregate_output *output)
{
    weir_aggregate_kind kind = aggregate->function->aggregate;
    weir_cell cell = {.kind = &weir_cell_list,
                      .type = aggregate->arguments[0]->type,
                      .view = view_of(self, aggregate, aggregate->distinct),
                      .column = column_of(self, aggregate->arguments[0]),
                      .skips_nulls = kind == WEIR_AGGREGATE_LISTAGG || kind == WEIR_AGGREGATE_COLLECT ||
                                     kind == WEIR_AGGREGATE_PERCENTILE};
    plan_order(self, aggregate, &cell);
    output->cell = add_cell(self, &cell);
    output->give = weir_give_list;
}

static int plan_aggregate(weir_accumulators *self, const weir_aggregate *aggregate, weir_aggregate_output *output,
                          weir_error *err)
{
    output->aggregate = aggregate;
    switch (aggregate->function->aggregate) {
    case WEIR_AGGREGATE_COUNT:
        plan_count(self, aggregate, output);
        return WEIR_OK;
    case WEIR_AGGREGATE_SUM:
    case WEIR_AGGREGATE_AVG:
        plan_sum(self, aggregate, output);
        return WEIR_OK;
    case WEIR_AGGREGATE_MIN:
    case WEIR_AGGREGATE_MAX:
        plan_extreme(self, aggregate, output);
        return WEIR_OK;
    case WEIR_AGGREGATE_FIRST_VALUE:
    case WEIR_AGGREGATE_LAST_VALUE:
        plan_end(self, aggregate, output);
        return WEIR_OK;
    case WEIR_AGGREGATE_LISTAGG:
    case WEIR_AGGREGATE_ARRAY_AGG:
    case WEIR_AGGREGATE_COLLECT:
    case WEIR_AGGREGATE_JSON_ARRAYAGG:
    case WEIR_AGGREGATE_JSON_OBJECTAGG:
    case WEIR_AGGREGATE_PERCENTILE:
    case WEIR_AGGREGATE_SINGLE_VALUE:
        plan_list(self, aggregate, output);
        return WEIR_OK;
    case WEIR_AGGREGATE_GROUPING:
    case WEIR_AGGREGATE_GROUP_ID:
        output->give = weir_give_constant;
        return WEIR_OK;
    case WEIR_AGGREGATE_APPROX_COUNT_DISTINCT:
        return refuse(aggregate, "its sketch can't take values back; COUNT(DISTINCT …) is exact", err);
    default:
        return refuse(aggregate, "it looks at all rows of a window", err);
    }
}

/* Values without a layout are intervals. */
static int check_types(const weir_aggregate *aggregate, weir_error *err)
{
    for (int32_t i = 0; i < aggregate->argument_count; i++) {
        if (weir_layout_of(aggregate->arguments[i]->type) == WEIR_LAYOUT_NONE &&
            aggregate->arguments[i]->type->id != WEIR_NULL) {
            return refuse(aggregate, "it is of intervals; CAST them to numbers or texts", err);
        }
    }
    return aggregate->order_count <= WEIR_MOST_ORDER_KEYS
               ? WEIR_OK
               : refuse(aggregate, "its ORDER BY has more than 16 keys", err);
}

static int plan_aggregates(weir_accumulators *self, weir_error *err)
{
    for (int32_t i = 0; i < self->options.aggregate_count; i++) {
        WEIR_TRY(check_types(&self->options.aggregates[i], err));
        WEIR_TRY(plan_aggregate(self, &self->options.aggregates[i], &self->outputs[i], err));
    }
    return WEIR_OK;
}

/* --- The row --------------------------------------------------------------------------------------------------- */

/* Bytes of a cell's fixed part beside its place. */
static int32_t part_width(const weir_cell *cell)
{
    if (cell->kind == &weir_cell_wide_sum) {
        return 24;
    }
    if (cell->kind == &weir_cell_decimal_sum || cell->kind == &weir_cell_float_sum) {
        return 16;
    }
    bool is_word = cell->kind == &weir_cell_count || cell->kind == &weir_cell_integer_sum || is_end(cell->kind);
    return is_word ? 8 : 0;
}

/* Wide parts first, so that each lies at a multiple of its width. */
static void lay_out(weir_accumulators *self)
{
    weir_row_layout *layout = &self->layout;
    for (int32_t i = 0; i < self->cell_count; i++) {
        if (part_width(self->cells[i]) > 0) {
            self->cells[i]->offset = layout->fixed_size;
            layout->fixed_size += part_width(self->cells[i]);
        }
    }
    for (int32_t width = 16; width > 0; width /= 2) {
        if (width == 2) { /* lengths are 4 bytes wide */
            layout->lengths_offset = layout->fixed_size;
            layout->fixed_size += 4 * layout->tail_count;
        }
        for (int32_t i = 0; i < self->cell_count; i++) {
            if (self->cells[i]->place.width == width) {
                self->cells[i]->place.offset = layout->fixed_size;
                layout->fixed_size += width;
            }
        }
    }
    for (int32_t i = 0; i < self->cell_count; i++) {
        if (is_value_cell(self->cells[i]->kind)) {
            self->cells[i]->place.flag = layout->fixed_size++;
        }
    }
    layout->fixed_size += layout->fixed_size == 0; /* a row is there when it has bytes */
}

/* --- The set --------------------------------------------------------------------------------------------------- */

static int32_t most_expressions(const weir_accumulators_options *options)
{
    int32_t count = options->expression_count;
    for (int32_t i = 0; i < options->aggregate_count; i++) {
        count += 2 + options->aggregates[i].order_count;
    }
    return count;
}

static void prepare(weir_accumulators *self)
{
    const weir_accumulators_options *options = &self->options;
    weir_arena *arena = &self->arena;
    self->expressions = WEIR_NEW_ARRAY(arena, weir_expression *, most_expressions(options) + 1);
    self->views = WEIR_NEW_ARRAY(arena, weir_view, options->aggregate_count + 1);
    self->cells = WEIR_NEW_ARRAY(arena, weir_cell *, 2 * options->aggregate_count + 1);
    self->outputs = WEIR_NEW_ARRAY(arena, weir_aggregate_output, options->aggregate_count + 1);
    self->views[0] = (weir_view){.filter = -1, .distinct = -1, .map = -1};
    self->view_count = 1;
    for (int32_t i = 0; i < options->expression_count; i++) {
        append_expression(self, options->expressions[i]);
    }
}

static int open_state(weir_accumulators *self, weir_error *err)
{
    const weir_operator_context *context = self->options.context;
    weir_state_options options = {self->options.uid, "rows", context->state_ttl_ms};
    WEIR_TRY(weir_value_state_open(context->state, &options, &self->state, err));
    self->maps = WEIR_NEW_ARRAY(&self->arena, weir_map_state *, self->map_count + 1);
    for (int32_t i = 0; i < self->map_count; i++) {
        options.name = weir_arena_format(&self->arena, "map%d", i);
        WEIR_TRY(weir_map_state_open(context->state, &options, &self->maps[i], err));
    }
    self->arrivals_name = weir_arena_format(&self->arena, "%s/arrivals", self->options.uid);
    weir_buffer bytes = {0};
    int code = self->keeps_arrivals ? weir_state_backend_get(context->state, self->arrivals_name, &bytes, err)
                                    : WEIR_NOT_FOUND;
    if (code == WEIR_OK && bytes.size == sizeof self->arrivals) {
        memcpy(&self->arrivals, bytes.data, sizeof self->arrivals);
    }
    weir_buffer_free(&bytes);
    return code == WEIR_NOT_FOUND ? WEIR_OK : code;
}

static int open_compute(weir_accumulators *self, weir_error *err)
{
    self->computed_fields = WEIR_NEW_ARRAY(&self->arena, weir_field, self->expression_count + 1);
    for (int32_t i = 0; i < self->expression_count; i++) {
        self->computed_fields[i] = (weir_field){.id = -1, .name = "", .type = self->expressions[i]->type};
    }
    weir_batch_init(&self->computed, self->computed_fields, self->expression_count);
    weir_sql_compute_options options = {.fields = self->options.fields,
                                        .field_count = self->options.field_count,
                                        .expressions = self->expressions,
                                        .expression_count = self->expression_count};
    return weir_sql_compute_create(self->options.context->engine, &options, &self->compute, err);
}

static int build(weir_accumulators *self, weir_error *err)
{
    prepare(self);
    weir_cell *row_count = self->options.retracts ? count_cell(self, 0, -1) : NULL;
    WEIR_TRY(plan_aggregates(self, err));
    lay_out(self);
    self->row_count_offset = row_count == NULL ? -1 : row_count->offset;
    WEIR_TRY(open_state(self, err));
    return open_compute(self, err);
}

int weir_accumulators_create(const weir_accumulators_options *options, weir_accumulators **out, weir_error *err)
{
    weir_accumulators *self = weir_alloc_zeroed(1, sizeof *self);
    self->options = *options;
    weir_arena_init(&self->arena);
    int code = build(self, err);
    if (code != WEIR_OK) {
        weir_accumulators_free(self);
        return code;
    }
    *out = self;
    return WEIR_OK;
}

void weir_accumulators_free(weir_accumulators *self)
{
    if (self == NULL) {
        return;
    }
    for (int32_t i = 0; i < self->view_count; i++) {
        free(self->views[i].values);
        free(self->views[i].rows);
        free(self->views[i].signs);
    }
    for (int32_t i = 0; i < self->map_count && self->maps != NULL; i++) {
        weir_map_state_close(self->maps[i]);
    }
    weir_value_state_close(self->state);
    weir_sql_compute_free(self->compute);
    if (self->computed_fields != NULL) {
        weir_batch_free(&self->computed);
    }
    weir_update_free(self->update);
    weir_arena_free(&self->arena);
    free(self);
}

int weir_accumulators_compute(weir_accumulators *self, const weir_batch *in, const weir_batch **out_computed,
                              weir_error *err)
{
    WEIR_TRY(weir_sql_compute_run(self->compute, in, &self->computed, NULL, err));
    *out_computed = &self->computed;
    return WEIR_OK;
}

/* --- Grouping sets --------------------------------------------------------------------------------------------- */

/* A bit for each argument of GROUPING, the first one's the highest: 1 where the set leaves it out. */
static int64_t grouping_of(const weir_plan *plan, const weir_aggregate *aggregate, uint64_t set)
{
    int64_t bits = 0;
    for (int32_t i = 0; i < aggregate->argument_count; i++) {
        int32_t group = 0;
        while (group < plan->expression_count &&
               !weir_expression_equal(plan->expressions[group], aggregate->arguments[i])) {
            group++;
        }
        bits = bits << 1 | (group < 64 && (set >> group & 1) ? 0 : 1);
    }
    return bits;
}

void weir_accumulators_use_set(weir_accumulators *self, const weir_plan *plan, int32_t set)
{
    int64_t copies = 0; /* of the same set that come before it */
    for (int32_t i = 0; i < set; i++) {
        copies += plan->grouping_sets[i] == plan->grouping_sets[set];
    }
    for (int32_t i = 0; i < self->options.aggregate_count; i++) {
        weir_aggregate_output *output = &self->outputs[i];
        if (output->aggregate->function->aggregate == WEIR_AGGREGATE_GROUPING) {
            output->constant = grouping_of(plan, output->aggregate, plan->grouping_sets[set]);
        } else if (output->aggregate->function->aggregate == WEIR_AGGREGATE_GROUP_ID) {
            output->constant = copies;
        }
    }
}
