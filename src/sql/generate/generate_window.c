/* Windows: OVER, and the windows of time of TUMBLE, HOP, CUMULATE and SESSION, as plain arithmetic on milliseconds. */
#include "sql/function/kernels.h"
#include "sql/generate/generate.h"

static weir_buffer *sql_of(weir_generator *generator) { return &generator->out->sql; }

/* --- OVER ------------------------------------------------------------------------------------------------------ */

static bool has_distance(const weir_window *window)
{
    return window->lower.distance != NULL || window->upper.distance != NULL;
}

/* Times that DuckDB takes for numbers here: TIME is carried as milliseconds, TIMESTAMP(7 to 9) as nanoseconds. */
static bool is_number(const weir_type *type)
{
    return weir_type_is_integer(type) || type->id == WEIR_TIME || (weir_type_is_timestamp(type) && type->precision > 6);
}

/* A sort key that distances are added to: as wide as needed, so that nothing overflows at the ends. */
static int generate_range_key(weir_generator *generator, const weir_sort_key *key)
{
    weir_buffer *sql = sql_of(generator);
    const weir_type *type = key->expression->type;
    const char *cast = is_number(type) ? "HUGEINT" : type->id == WEIR_DATE ? "TIMESTAMP" : NULL;
    weir_buffer_append_text(sql, cast == NULL ? " ORDER BY " : " ORDER BY CAST(");
    WEIR_TRY(weir_generate_expression(generator, key->expression));
    if (cast != NULL) {
        weir_buffer_append_format(sql, " AS %s)", cast);
    }
    weir_buffer_append_text(sql, key->descending ? " DESC" : " ASC");
    weir_buffer_append_text(sql, key->nulls_first ? " NULLS FIRST" : " NULLS LAST");
    return WEIR_OK;
}

static int generate_range_distance(weir_generator *generator, const weir_expression *distance, const weir_type *key)
{
    weir_buffer *sql = sql_of(generator);
    int64_t value = distance->literal.integer;
    if (is_number(key)) {
        bool nanos = weir_type_is_timestamp(key);
        weir_buffer_append_format(sql, "CAST(%" PRId64 " AS HUGEINT)%s", value, nanos ? " * 1000000" : "");
    } else if (distance->type->id == WEIR_INTERVAL_MONTHS) {
        weir_buffer_append_format(sql, "to_months(%" PRId64 ")", value);
    } else if (distance->type->id == WEIR_INTERVAL_MILLIS) {
        weir_buffer_append_format(sql, "to_microseconds(CAST(%" PRId64 " AS BIGINT) * 1000)", value);
    } else {
        return weir_generate_expression(generator, distance);
    }
    return WEIR_OK;
}

static int generate_bound(weir_generator *generator, const weir_window *window, const weir_frame_bound *bound)
{
    static const char *const texts[] = {"UNBOUNDED PRECEDING", " PRECEDING", "CURRENT ROW", " FOLLOWING",
                                        "UNBOUNDED FOLLOWING"};
    if (bound->distance != NULL && window->rows) {
        weir_buffer_append_format(sql_of(generator), "%" PRId64, bound->distance->literal.integer);
    } else if (bound->distance != NULL) {
        WEIR_TRY(generate_range_distance(generator, bound->distance, window->sort_keys[0].expression->type));
    }
    weir_buffer_append_text(sql_of(generator), texts[bound->kind]);
    return WEIR_OK;
}

int weir_generate_over(weir_generator *generator, const weir_window *window, bool with_frame)
{
    weir_buffer *sql = sql_of(generator);
    weir_buffer_append_text(sql, " OVER (");
    for (int32_t i = 0; i < window->partition_key_count; i++) {
        weir_buffer_append_text(sql, i == 0 ? "PARTITION BY " : ", ");
        WEIR_TRY(weir_generate_key(generator, window->partition_keys[i]));
    }
    if (!window->rows && has_distance(window)) {
        WEIR_TRY(generate_range_key(generator, &window->sort_keys[0]));
    } else {
        WEIR_TRY(weir_generate_sort_keys(generator, " ORDER BY ", window->sort_keys, window->sort_key_count));
    }
    if (with_frame) {
        weir_buffer_append_text(sql, window->rows ? " ROWS BETWEEN " : " RANGE BETWEEN ");
        WEIR_TRY(generate_bound(generator, window, &window->lower));
        weir_buffer_append_text(sql, " AND ");
        WEIR_TRY(generate_bound(generator, window, &window->upper));
    }
    weir_buffer_append_byte(sql, ')');
    return WEIR_OK;
}

int weir_generate_window(weir_generator *generator, const weir_plan *plan)
{
    weir_buffer *sql = sql_of(generator);
    weir_source source;
    int32_t count = plan->inputs[0]->field_count;
    WEIR_TRY(weir_generate_source(generator, plan->inputs[0], &source));
    generator->places = source.places;
    weir_buffer_append_text(sql, "SELECT ");
    weir_generate_columns(generator, count);
    for (int32_t i = 0; i < plan->aggregate_count; i++) {
        weir_buffer_append_text(sql, ", ");
        WEIR_TRY(weir_generate_aggregate(generator, &plan->aggregates[i]));
        weir_buffer_append_format(sql, " AS c%d", count + i);
    }
    weir_generate_from(generator, &source);
    return WEIR_OK;
}

/* --- Windows of time ------------------------------------------------------------------------------------------- */

/* The input with its time as milliseconds of the clock that windows follow (t.ms); rows without one are in no window.
 */
static int generate_millis(weir_generator *generator, const weir_plan *plan)
{
    weir_buffer *sql = sql_of(generator);
    const weir_plan *input = plan->inputs[0];
    const weir_assigner *assigner = plan->assigner;
    const weir_type *time = input->fields[assigner->column].type;
    const weir_type *millis = weir_type_simple(WEIR_BIGINT, time->nullable);
    weir_source source;
    WEIR_TRY(weir_generate_source(generator, input, &source));
    generator->places = source.places;
    weir_buffer_append_text(sql, "(SELECT ");
    weir_generate_columns(generator, input->field_count);
    weir_buffer_append_format(
        sql, ", %s(", weir_generate_kernel(generator, &weir_kernel_local_millis, assigner->zone, &time, 1, millis));
    weir_generate_column(generator, assigner->column);
    weir_buffer_append_text(sql, ") AS ms");
    weir_generate_from(generator, &source);
    if (time->nullable) {
        weir_buffer_append_text(sql, source.where[0] == '\0' ? " WHERE " : " AND ");
        weir_generate_column(generator, assigner->column);
        weir_buffer_append_text(sql, " IS NOT NULL");
    }
    weir_buffer_append_text(sql, ") AS t");
    generator->places = NULL;
    return WEIR_OK;
}

/* The start of the window of `length` around t.ms; windows begin at `offset` from the epoch, on either side of it. */
static void generate_start(weir_generator *generator, int64_t length, int64_t offset)
{
    weir_buffer_append_format(sql_of(generator),
                              "t.ms - ((t.ms - (%" PRId64 ")) %% %" PRId64 " + %" PRId64 ") %% %" PRId64, offset,
                              length, length, length);
}

/* FROM …, in which every row has its t.window_start and t.window_end in milliseconds. */
static int generate_tumble(weir_generator *generator, const weir_plan *plan)
{
    weir_buffer *sql = sql_of(generator);
    const weir_assigner *assigner = plan->assigner;
    weir_buffer_append_format(sql, "(SELECT t.*, t.window_start + %" PRId64 " AS window_end FROM (SELECT t.*, ",
                              assigner->size);
    generate_start(generator, assigner->size, assigner->offset);
    weir_buffer_append_text(sql, " AS window_start FROM ");
    WEIR_TRY(generate_millis(generator, plan));
    weir_buffer_append_text(sql, ") AS t) AS t");
    return WEIR_OK;
}

/* Windows that began before: as many as the size reaches back over. The first of them may have ended already. */
static int generate_hop(weir_generator *generator, const weir_plan *plan)
{
    weir_buffer *sql = sql_of(generator);
    const weir_assigner *assigner = plan->assigner;
    int64_t windows = assigner->size / assigner->step + (assigner->size % assigner->step != 0);
    weir_buffer_append_format(sql, "(SELECT t.*, t.window_start + %" PRId64 " AS window_end FROM (SELECT t.*, ",
                              assigner->size);
    generate_start(generator, assigner->step, assigner->offset);
    weir_buffer_append_format(sql, " - %" PRId64 " * n.n AS window_start FROM ", assigner->step);
    WEIR_TRY(generate_millis(generator, plan));
    weir_buffer_append_format(sql, ", range(%" PRId64 ") AS n(n)) AS t", windows);
    if (assigner->size % assigner->step != 0) {
        weir_buffer_append_format(sql, " WHERE t.ms < t.window_start + %" PRId64, assigner->size);
    }
    weir_buffer_append_text(sql, ") AS t");
    return WEIR_OK;
}

static int generate_cumulate(weir_generator *generator, const weir_plan *plan)
{
    weir_buffer *sql = sql_of(generator);
    const weir_assigner *assigner = plan->assigner;
    weir_buffer_append_format(
        sql, "(SELECT t.*, t.window_start + %" PRId64 " * (n.n + 1) AS window_end FROM (SELECT t.*, ", assigner->step);
    generate_start(generator, assigner->size, assigner->offset);
    weir_buffer_append_text(sql, " AS window_start FROM ");
    WEIR_TRY(generate_millis(generator, plan));
    weir_buffer_append_format(
        sql, ") AS t, range(%" PRId64 ") AS n(n) WHERE t.ms < t.window_start + %" PRId64 " * (n.n + 1)) AS t",
        assigner->size / assigner->step, assigner->step);
    return WEIR_OK;
}

static int generate_session_keys(weir_generator *generator, const weir_assigner *assigner)
{
    weir_buffer *sql = sql_of(generator);
    for (int32_t i = 0; i < assigner->partition_key_count; i++) {
        weir_buffer_append_text(sql, i == 0 ? "PARTITION BY " : ", ");
        WEIR_TRY(weir_generate_key(generator, assigner->partition_keys[i]));
    }
    return WEIR_OK;
}

/* A session ends where no row follows within the gap: rows are numbered by the sessions that have begun up to them (all
 * rows of one moment alike), and a session reaches from its first row to a gap after its last. */
static int generate_session(weir_generator *generator, const weir_plan *plan)
{
    weir_buffer *sql = sql_of(generator);
    const weir_assigner *assigner = plan->assigner;
    bool keyed = assigner->partition_key_count > 0;
    weir_buffer_append_text(sql, "(SELECT t.*, min(t.ms) OVER (");
    WEIR_TRY(generate_session_keys(generator, assigner));
    weir_buffer_append_format(sql, "%st.session) AS window_start, max(t.ms) OVER (", keyed ? ", " : "PARTITION BY ");
    WEIR_TRY(generate_session_keys(generator, assigner));
    weir_buffer_append_format(sql,
                              "%st.session) + %" PRId64
                              " AS window_end FROM (SELECT t.*, sum(CASE WHEN t.ms - t.before <= %" PRId64
                              " THEN 0 ELSE 1 END) OVER (",
                              keyed ? ", " : "PARTITION BY ", assigner->size, assigner->size);
    WEIR_TRY(generate_session_keys(generator, assigner));
    weir_buffer_append_text(sql,
                            " ORDER BY t.ms RANGE UNBOUNDED PRECEDING) AS session FROM (SELECT t.*, lag(t.ms) OVER (");
    WEIR_TRY(generate_session_keys(generator, assigner));
    weir_buffer_append_text(sql, " ORDER BY t.ms) AS before FROM ");
    WEIR_TRY(generate_millis(generator, plan));
    weir_buffer_append_text(sql, ") AS t) AS t) AS t");
    return WEIR_OK;
}

static int generate_windows(weir_generator *generator, const weir_plan *plan)
{
    switch (plan->assigner->kind) {
    case WEIR_ASSIGN_TUMBLE:
        return generate_tumble(generator, plan);
    case WEIR_ASSIGN_HOP:
        return generate_hop(generator, plan);
    case WEIR_ASSIGN_CUMULATE:
        return generate_cumulate(generator, plan);
    case WEIR_ASSIGN_SESSION:
        break;
    }
    return generate_session(generator, plan);
}

/* window_time is the last millisecond of the window, of the type of the time that it was made of. */
static void generate_window_time(weir_generator *generator, const weir_plan *plan)
{
    bool needs_zone;
    const char *moment = "make_timestamp((t.window_end - 1) * 1000)";
    const weir_type *from = weir_type_with_length(&generator->out->arena, WEIR_TIMESTAMP, 3, false);
    const weir_type *type = plan->fields[plan->field_count - 1].type;
    const weir_kernel *cast = weir_kernel_cast(from, type, false, &needs_zone);
    if (cast == NULL) {
        weir_buffer_append_text(sql_of(generator), moment);
    } else {
        weir_buffer_append_format(
            sql_of(generator), "%s(%s)",
            weir_generate_kernel(generator, cast, needs_zone ? plan->assigner->zone : NULL, &from, 1, type), moment);
    }
}

int weir_generate_assign(weir_generator *generator, const weir_plan *plan)
{
    weir_buffer *sql = sql_of(generator);
    int32_t count = plan->inputs[0]->field_count;
    weir_buffer_append_text(sql, "SELECT ");
    weir_generate_columns(generator, count);
    weir_buffer_append_format(sql,
                              ", make_timestamp(t.window_start * 1000) AS c%d, make_timestamp(t.window_end * 1000) AS "
                              "c%d, ",
                              count, count + 1);
    generate_window_time(generator, plan);
    weir_buffer_append_format(sql, " AS c%d FROM ", count + 2);
    return generate_windows(generator, plan);
}
