/* Aggregates over DuckDB's own: sums of integers are exact there (HUGEINT) and are cut to Flink's width afterwards,
 * which is what wrapping at every step would have given; floats are summed exactly by aggregates of ours; averages
 * divide as Flink does. Over a window they are the same calls, each with its OVER. */
#include "sql/function/function.h"
#include "sql/function/kernels.h"
#include "sql/generate/generate.h"

/* --- Pieces ---------------------------------------------------------------------------------------------------- */

/* What follows the parenthesis: FILTER and OVER. */
static int generate_after(weir_generator *generator, const weir_aggregate *aggregate)
{
    weir_buffer *sql = &generator->out->sql;
    if (aggregate->filter != NULL) {
        weir_buffer_append_text(sql, " FILTER (WHERE ");
        WEIR_TRY(weir_generate_expression(generator, aggregate->filter));
        weir_buffer_append_byte(sql, ')');
    }
    return aggregate->window == NULL ? WEIR_OK : weir_generate_over(generator, aggregate->window, true);
}

/* The rows that count: those of FILTER whose value is not NULL. */
static int generate_valued_after(weir_generator *generator, const weir_aggregate *aggregate)
{
    weir_buffer *sql = &generator->out->sql;
    if (!aggregate->arguments[0]->type->nullable) {
        return generate_after(generator, aggregate);
    }
    weir_buffer_append_text(sql, " FILTER (WHERE ");
    WEIR_TRY(weir_generate_expression(generator, aggregate->arguments[0]));
    weir_buffer_append_text(sql, " IS NOT NULL");
    if (aggregate->filter != NULL) {
        weir_buffer_append_text(sql, " AND ");
        WEIR_TRY(weir_generate_expression(generator, aggregate->filter));
    }
    weir_buffer_append_byte(sql, ')');
    return aggregate->window == NULL ? WEIR_OK : weir_generate_over(generator, aggregate->window, true);
}

/* name(x), with its DISTINCT, FILTER and OVER; `cast` is what DuckDB type x is read as, or NULL. */
static int generate_native(weir_generator *generator, const weir_aggregate *aggregate, const char *name,
                           const char *cast)
{
    weir_buffer *sql = &generator->out->sql;
    weir_buffer_append_text(sql, name);
    weir_buffer_append_text(sql, aggregate->distinct ? "(DISTINCT " : "(");
    weir_buffer_append_text(sql, cast == NULL ? "" : "CAST(");
    WEIR_TRY(weir_generate_expression(generator, aggregate->arguments[0]));
    if (cast != NULL) {
        weir_buffer_append_format(sql, " AS %s)", cast);
    }
    weir_buffer_append_byte(sql, ')');
    return generate_after(generator, aggregate);
}

static void open_call(weir_generator *generator, const weir_kernel *kernel, const weir_type *const *types,
                      int32_t count, const weir_type *type)
{
    weir_buffer_append_format(&generator->out->sql, "%s(",
                              weir_generate_kernel(generator, kernel, NULL, types, count, type));
}

/* An aggregate over DOUBLE (engine/exact_aggregate.c), brought to the result's type. */
static int generate_over_double(weir_generator *generator, const weir_aggregate *aggregate, const char *name)
{
    bool needs_zone;
    const weir_type *wide = weir_type_simple(WEIR_DOUBLE, true);
    const weir_kernel *cast = weir_kernel_cast(wide, aggregate->type, false, &needs_zone);
    if (cast != NULL) {
        open_call(generator, cast, &wide, 1, aggregate->type);
    }
    WEIR_TRY(generate_native(generator, aggregate, name, "DOUBLE"));
    weir_buffer_append_text(&generator->out->sql, cast == NULL ? "" : ")");
    return WEIR_OK;
}

/* Different floats are told apart by their bits, as groups are. */
static int generate_count(weir_generator *generator, const weir_aggregate *aggregate)
{
    weir_buffer *sql = &generator->out->sql;
    if (aggregate->argument_count == 0) {
        weir_buffer_append_text(sql, "count(*)");
    } else if (aggregate->distinct) {
        weir_buffer_append_text(sql, "count(DISTINCT ");
        WEIR_TRY(weir_generate_key(generator, aggregate->arguments[0]));
        weir_buffer_append_byte(sql, ')');
    } else {
        return generate_native(generator, aggregate, "count", NULL);
    }
    return generate_after(generator, aggregate);
}

/* --- Sums ------------------------------------------------------------------------------------------------------ */

/* The exact sum of integers cut to a width: kernel(CAST(sum(x) AS DECIMAL(38,0))). */
static int generate_integer_sum(weir_generator *generator, const weir_aggregate *aggregate, const weir_type *type)
{
    bool needs_zone;
    const weir_type *exact = weir_type_decimal(&generator->out->arena, 38, 0, true);
    const weir_kernel *cut = weir_kernel_cast(exact, type, false, &needs_zone);
    open_call(generator, cut, &exact, 1, type);
    weir_buffer_append_text(&generator->out->sql, "CAST(");
    WEIR_TRY(generate_native(generator, aggregate, "sum", NULL));
    weir_buffer_append_text(&generator->out->sql, " AS DECIMAL(38,0)))");
    return WEIR_OK;
}

/* sum(kernel(x)) AS DECIMAL(38,0): one half of the digits of a wide decimal. */
static int generate_half_sum(weir_generator *generator, const weir_aggregate *aggregate, const weir_kernel *half)
{
    weir_buffer *sql = &generator->out->sql;
    const weir_type *argument = aggregate->arguments[0]->type;
    const weir_type *type = weir_type_decimal(&generator->out->arena, 19, 0, true);
    weir_buffer_append_text(sql, "CAST(sum(");
    open_call(generator, half, &argument, 1, type);
    WEIR_TRY(weir_generate_expression(generator, aggregate->arguments[0]));
    weir_buffer_append_text(sql, "))");
    WEIR_TRY(generate_after(generator, aggregate));
    weir_buffer_append_text(sql, " AS DECIMAL(38,0))");
    return WEIR_OK;
}

/* Sums of DECIMAL(38, s), which is carried in 128 bits. Where values are so wide that few rows overflow them, their
 * upper and lower digits are summed apart, and NULL comes of what does not fit. (DISTINCT values go the plain way:
 * halves of different values may be the same.) */
static int generate_decimal_sum(weir_generator *generator, const weir_aggregate *aggregate)
{
    enum { widest_native = 28 };
    weir_buffer *sql = &generator->out->sql;
    weir_arena *arena = &generator->out->arena;
    const weir_type *argument = aggregate->arguments[0]->type;
    if (argument->precision <= widest_native || aggregate->distinct) {
        weir_buffer_append_text(sql, "CAST(");
        WEIR_TRY(generate_native(generator, aggregate, "sum", NULL));
        weir_buffer_append_format(sql, " AS DECIMAL(38,%d))", argument->scale);
        return WEIR_OK;
    }
    const weir_type *half = weir_type_decimal(arena, 38, 0, true);
    const weir_type *halves[2] = {half, half};
    open_call(generator, &weir_kernel_join_digits, halves, 2, weir_type_decimal(arena, 38, argument->scale, true));
    WEIR_TRY(generate_half_sum(generator, aggregate, &weir_kernel_upper_digits));
    weir_buffer_append_text(sql, ", ");
    WEIR_TRY(generate_half_sum(generator, aggregate, &weir_kernel_lower_digits));
    weir_buffer_append_byte(sql, ')');
    return WEIR_OK;
}

static int generate_sum(weir_generator *generator, const weir_aggregate *aggregate)
{
    switch (aggregate->arguments[0]->type->id) {
    case WEIR_DECIMAL:
        return generate_decimal_sum(generator, aggregate);
    case WEIR_DOUBLE:
    case WEIR_FLOAT:
        return generate_over_double(generator, aggregate, "weir_sum");
    default:
        return generate_integer_sum(generator, aggregate, aggregate->type);
    }
}

/* --- Averages -------------------------------------------------------------------------------------------------- */

/* AVG of integers: the sum divided by the count. Flink sums in the argument's type when NULLs are possible, and in
 * BIGINT when they aren't. */
static int generate_integer_average(weir_generator *generator, const weir_aggregate *aggregate)
{
    weir_buffer *sql = &generator->out->sql;
    bool needs_zone;
    const weir_type *bigint = weir_type_simple(WEIR_BIGINT, true);
    const weir_type *both[2] = {bigint, bigint};
    const weir_type *type =
        aggregate->arguments[0]->type->nullable ? weir_type_simple(aggregate->type->id, true) : bigint;
    const weir_kernel *narrow = weir_kernel_cast(bigint, aggregate->type, false, &needs_zone);
    const weir_kernel *widen = weir_kernel_cast(type, bigint, false, &needs_zone);
    if (narrow != NULL) {
        open_call(generator, narrow, &bigint, 1, aggregate->type);
    }
    open_call(generator, weir_kernel_arithmetic('/', bigint), both, 2, bigint);
    if (widen != NULL) {
        open_call(generator, widen, &type, 1, bigint);
    }
    WEIR_TRY(generate_integer_sum(generator, aggregate, type));
    weir_buffer_append_text(sql, widen == NULL ? ", " : "), ");
    WEIR_TRY(generate_native(generator, aggregate, "count", NULL));
    weir_buffer_append_text(sql, narrow == NULL ? ")" : "))");
    return WEIR_OK;
}

static int generate_decimal_average(weir_generator *generator, const weir_aggregate *aggregate)
{
    weir_buffer *sql = &generator->out->sql;
    weir_arena *arena = &generator->out->arena;
    const weir_type *types[2] = {weir_type_decimal(arena, 38, aggregate->arguments[0]->type->scale, true),
                                 weir_type_simple(WEIR_BIGINT, false)};
    open_call(generator, weir_kernel_arithmetic('/', types[0]), types, 2, aggregate->type);
    WEIR_TRY(generate_decimal_sum(generator, aggregate));
    weir_buffer_append_text(sql, ", ");
    WEIR_TRY(generate_native(generator, aggregate, "count", NULL));
    weir_buffer_append_byte(sql, ')');
    return WEIR_OK;
}

static int generate_average(weir_generator *generator, const weir_aggregate *aggregate)
{
    switch (aggregate->arguments[0]->type->id) {
    case WEIR_DECIMAL:
        return generate_decimal_average(generator, aggregate);
    case WEIR_DOUBLE:
    case WEIR_FLOAT:
        return generate_over_double(generator, aggregate, "weir_avg");
    default:
        return generate_integer_average(generator, aggregate);
    }
}

/* --- Values and lists ------------------------------------------------------------------------------------------ */

static int generate_order(weir_generator *generator, const weir_aggregate *aggregate)
{
    return weir_generate_sort_keys(generator, " ORDER BY ", aggregate->order, aggregate->order_count);
}

/* The first or last value that is not NULL. Over a window a FILTER makes NULLs of the values that don't count. */
static int generate_end_value(weir_generator *generator, const weir_aggregate *aggregate, const char *name,
                              const char *window_name)
{
    weir_buffer *sql = &generator->out->sql;
    if (aggregate->window == NULL) {
        weir_buffer_append_format(sql, "%s(", name);
        WEIR_TRY(weir_generate_expression(generator, aggregate->arguments[0]));
        WEIR_TRY(generate_order(generator, aggregate));
        weir_buffer_append_byte(sql, ')');
        return generate_valued_after(generator, aggregate);
    }
    weir_buffer_append_format(sql, "%s(", window_name);
    if (aggregate->filter != NULL) {
        weir_buffer_append_text(sql, "CASE WHEN ");
        WEIR_TRY(weir_generate_expression(generator, aggregate->filter));
        weir_buffer_append_text(sql, " THEN ");
    }
    WEIR_TRY(weir_generate_expression(generator, aggregate->arguments[0]));
    bool nulls = aggregate->filter != NULL || aggregate->arguments[0]->type->nullable;
    weir_buffer_append_text(sql, aggregate->filter != NULL ? " END" : "");
    weir_buffer_append_text(sql, nulls ? " IGNORE NULLS)" : ")");
    return weir_generate_over(generator, aggregate->window, true);
}

static int generate_list_text(weir_generator *generator, const weir_aggregate *aggregate)
{
    weir_buffer *sql = &generator->out->sql;
    weir_buffer_append_text(sql, aggregate->distinct ? "string_agg(DISTINCT " : "string_agg(");
    WEIR_TRY(weir_generate_expression(generator, aggregate->arguments[0]));
    weir_buffer_append_text(sql, ", ");
    if (aggregate->argument_count > 1) {
        WEIR_TRY(weir_generate_expression(generator, aggregate->arguments[1]));
    } else {
        weir_buffer_append_text(sql, "','");
    }
    WEIR_TRY(generate_order(generator, aggregate));
    weir_buffer_append_byte(sql, ')');
    return generate_after(generator, aggregate);
}

static int generate_array(weir_generator *generator, const weir_aggregate *aggregate)
{
    weir_buffer *sql = &generator->out->sql;
    weir_buffer_append_text(sql, aggregate->distinct ? "list(DISTINCT " : "list(");
    WEIR_TRY(weir_generate_expression(generator, aggregate->arguments[0]));
    WEIR_TRY(generate_order(generator, aggregate));
    weir_buffer_append_byte(sql, ')');
    return generate_after(generator, aggregate);
}

/* All values as a list, from which a kernel makes what is wanted; of none it makes the empty one. */
static int generate_gathered(weir_generator *generator, const weir_aggregate *aggregate, const weir_kernel *kernel,
                             bool skips_nulls)
{
    weir_buffer *sql = &generator->out->sql;
    const weir_type *list = weir_type_array(&generator->out->arena, aggregate->arguments[0]->type, true);
    open_call(generator, kernel, &list, 1, aggregate->type);
    weir_buffer_append_text(sql, aggregate->distinct ? "list(DISTINCT " : "list(");
    WEIR_TRY(weir_generate_expression(generator, aggregate->arguments[0]));
    weir_buffer_append_byte(sql, ')');
    WEIR_TRY(skips_nulls ? generate_valued_after(generator, aggregate) : generate_after(generator, aggregate));
    weir_buffer_append_byte(sql, ')');
    return WEIR_OK;
}

static int generate_percentile(weir_generator *generator, const weir_aggregate *aggregate)
{
    weir_buffer *sql = &generator->out->sql;
    weir_buffer_append_text(sql, "quantile_cont(CAST(");
    WEIR_TRY(weir_generate_expression(generator, aggregate->arguments[0]));
    weir_buffer_append_format(sql, " AS DOUBLE), %.17g)", aggregate->arguments[1]->literal.float64);
    return generate_after(generator, aggregate);
}

static int generate_single(weir_generator *generator, const weir_aggregate *aggregate)
{
    weir_buffer *sql = &generator->out->sql;
    weir_buffer_append_text(sql, "CASE WHEN count(*)");
    WEIR_TRY(generate_after(generator, aggregate));
    weir_buffer_append_text(
        sql, " > 1 THEN error('a subquery used as a value gave more than one row; MAX, MIN or LIMIT 1 make it one') "
             "ELSE first(");
    WEIR_TRY(weir_generate_expression(generator, aggregate->arguments[0]));
    weir_buffer_append_byte(sql, ')');
    WEIR_TRY(generate_after(generator, aggregate));
    weir_buffer_append_text(sql, " END");
    return WEIR_OK;
}

/* --- About groups, and over windows only ----------------------------------------------------------------------- */

static int generate_grouping(weir_generator *generator, const weir_aggregate *aggregate)
{
    weir_buffer *sql = &generator->out->sql;
    weir_buffer_append_text(sql, "GROUPING(");
    for (int32_t i = 0; i < aggregate->argument_count; i++) {
        weir_buffer_append_text(sql, i == 0 ? "" : ", ");
        WEIR_TRY(weir_generate_key(generator, aggregate->arguments[i]));
    }
    weir_buffer_append_byte(sql, ')');
    return WEIR_OK;
}

/* Ranks and shifts look at the whole partition. */
static int generate_window_function(weir_generator *generator, const weir_aggregate *aggregate, const char *name)
{
    weir_buffer *sql = &generator->out->sql;
    weir_buffer_append_format(sql, "%s(", name);
    for (int32_t i = 0; i < aggregate->argument_count; i++) {
        weir_buffer_append_text(sql, i == 0 ? "" : ", ");
        WEIR_TRY(weir_generate_expression(generator, aggregate->arguments[i]));
    }
    weir_buffer_append_text(sql, aggregate->ignore_nulls ? " IGNORE NULLS)" : ")");
    return weir_generate_over(generator, aggregate->window, false);
}

int weir_generate_aggregate(weir_generator *generator, const weir_aggregate *aggregate)
{
    switch (aggregate->function->aggregate) {
    case WEIR_AGGREGATE_COUNT:
        return generate_count(generator, aggregate);
    case WEIR_AGGREGATE_SUM:
        return generate_sum(generator, aggregate);
    case WEIR_AGGREGATE_MIN:
        return generate_native(generator, aggregate, "min", NULL);
    case WEIR_AGGREGATE_MAX:
        return generate_native(generator, aggregate, "max", NULL);
    case WEIR_AGGREGATE_AVG:
        return generate_average(generator, aggregate);
    case WEIR_AGGREGATE_FIRST_VALUE:
        return generate_end_value(generator, aggregate, "first", "first_value");
    case WEIR_AGGREGATE_LAST_VALUE:
        return generate_end_value(generator, aggregate, "last", "last_value");
    case WEIR_AGGREGATE_LISTAGG:
        return generate_list_text(generator, aggregate);
    case WEIR_AGGREGATE_ARRAY_AGG:
        return generate_array(generator, aggregate);
    case WEIR_AGGREGATE_COLLECT:
        return generate_gathered(generator, aggregate, &weir_kernel_count_values, true);
    case WEIR_AGGREGATE_JSON_ARRAYAGG:
        return generate_gathered(generator, aggregate, &weir_kernel_json_array_of, false);
    case WEIR_AGGREGATE_JSON_OBJECTAGG:
        return generate_gathered(generator, aggregate, &weir_kernel_json_object_of, false);
    case WEIR_AGGREGATE_APPROX_COUNT_DISTINCT:
        return generate_native(generator, aggregate, "approx_count_distinct", NULL);
    case WEIR_AGGREGATE_PERCENTILE:
        return generate_percentile(generator, aggregate);
    case WEIR_AGGREGATE_SINGLE_VALUE:
        return generate_single(generator, aggregate);
    case WEIR_AGGREGATE_GROUPING:
        return generate_grouping(generator, aggregate);
    case WEIR_AGGREGATE_GROUP_ID:
        weir_buffer_append_text(&generator->out->sql,
                                generator->repeated_sets ? "CAST(t.copy AS BIGINT)" : "CAST(0 AS BIGINT)");
        return WEIR_OK;
    case WEIR_AGGREGATE_ROW_NUMBER:
        return generate_window_function(generator, aggregate, "row_number");
    case WEIR_AGGREGATE_RANK:
        return generate_window_function(generator, aggregate, "rank");
    case WEIR_AGGREGATE_DENSE_RANK:
        return generate_window_function(generator, aggregate, "dense_rank");
    case WEIR_AGGREGATE_PERCENT_RANK:
        return generate_window_function(generator, aggregate, "percent_rank");
    case WEIR_AGGREGATE_CUME_DIST:
        return generate_window_function(generator, aggregate, "cume_dist");
    case WEIR_AGGREGATE_NTILE:
        return generate_window_function(generator, aggregate, "ntile");
    case WEIR_AGGREGATE_LAG:
        return generate_window_function(generator, aggregate, "lag");
    case WEIR_AGGREGATE_LEAD:
        return generate_window_function(generator, aggregate, "lead");
    default: /* deviations are expressions over sums */
        return weir_fail(generator->err, WEIR_INVALID, "the aggregate %s can't be computed", aggregate->function->name);
    }
}
