/* Enforcing NOT NULL and lengths, a batch at a time; batches that keep the rules are only looked at. */
#include "session/dml/enforcer.h"

#include <stdlib.h>

#include "base/text.h"

void weir_enforcer_init(weir_enforcer *enforcer, const weir_session *session, const weir_bound *bound,
                        const weir_field *fields, int32_t field_count)
{
    const char *nulls = weir_session_setting(session, "table.exec.sink.not-null-enforcer");
    const char *lengths = weir_session_setting(session, "table.exec.sink.type-length-enforcer");
    *enforcer = (weir_enforcer){
        .sink = bound->sink,
        .columns = bound->sink_columns,
        .column_count = field_count,
        .drops_nulls = weir_text_equal_ignore_case(nulls, "drop"),
        .fits_lengths = weir_text_equal_ignore_case(lengths, "trim_pad"),
    };
    weir_batch_init(&enforcer->kept, fields, field_count);
}

void weir_enforcer_free(weir_enforcer *enforcer) { weir_batch_free(&enforcer->kept); }

static const weir_sql_column *column_of(const weir_enforcer *enforcer, int32_t position)
{
    return &enforcer->sink->columns[enforcer->columns[position]];
}

/* ---- NOT NULL ---- */

/* What goes away may hold its key alone. */
static bool is_new(const weir_batch *batch, int64_t row)
{
    int8_t kind = weir_batch_kind(batch, row);
    return kind == WEIR_INSERT || kind == WEIR_UPDATE_AFTER;
}

static bool breaks_not_null(const weir_enforcer *enforcer, const weir_batch *batch, int32_t column)
{
    bool may_break = !column_of(enforcer, column)->type->nullable && batch->columns[column].null_count > 0;
    bool breaks = may_break && batch->kinds == NULL;
    for (int64_t row = 0; row < batch->length && may_break && !breaks; row++) {
        breaks = weir_vector_is_null(&batch->columns[column], row) && is_new(batch, row);
    }
    return breaks;
}

static int drop_rows(weir_enforcer *enforcer, weir_batch *batch, weir_error *err)
{
    uint32_t *rows = weir_alloc(sizeof *rows * (size_t)(batch->length + 1));
    int64_t count = 0;
    for (int64_t row = 0; row < batch->length; row++) {
        bool dropped = false;
        for (int32_t c = 0; c < enforcer->column_count && !dropped && is_new(batch, row); c++) {
            dropped = !column_of(enforcer, c)->type->nullable && weir_vector_is_null(&batch->columns[c], row);
        }
        rows[count] = (uint32_t)row;
        count += !dropped;
    }
    weir_batch_clear(&enforcer->kept);
    int code = weir_batch_append_rows(&enforcer->kept, batch, rows, count, err);
    free(rows);
    if (code == WEIR_OK) {
        weir_batch all = *batch;
        *batch = enforcer->kept;
        enforcer->kept = all;
    }
    return code;
}

static int enforce_not_null(weir_enforcer *enforcer, weir_batch *batch, weir_error *err)
{
    for (int32_t c = 0; c < enforcer->column_count; c++) {
        if (!breaks_not_null(enforcer, batch, c)) {
            continue;
        }
        if (enforcer->drops_nulls) {
            return drop_rows(enforcer, batch, err);
        }
        return weir_fail(err, WEIR_INVALID,
                         "column '%s' of table %s is NOT NULL, but NULL came; with SET "
                         "'table.exec.sink.not-null-enforcer' = 'drop' such rows are left out",
                         column_of(enforcer, c)->name, enforcer->sink->name);
    }
    return WEIR_OK;
}

/* ---- lengths ---- */

static bool has_length(const weir_type *type)
{
    return (weir_type_is_text(type) || type->id == WEIR_BINARY || type->id == WEIR_VARBINARY) &&
           type->precision < WEIR_MAX_LENGTH;
}

static bool is_filled_up(const weir_type *type) { return type->id == WEIR_CHAR || type->id == WEIR_BINARY; }

static size_t length_of(const weir_type *type, weir_slice value)
{
    return weir_type_is_text(type) ? weir_utf8_length(value) : value.size;
}

static bool breaks_length(const weir_type *type, weir_slice value)
{
    size_t length = length_of(type, value), wanted = (size_t)type->precision;
    return length > wanted || (length < wanted && is_filled_up(type));
}

static int append_fitted(const weir_type *type, weir_slice value, weir_vector *out, weir_error *err)
{
    size_t length = length_of(type, value), wanted = (size_t)type->precision;
    bool text = weir_type_is_text(type);
    if (length > wanted) {
        value.size = text ? weir_utf8_prefix(value, wanted) : wanted;
    }
    if (length >= wanted || !is_filled_up(type)) {
        return weir_vector_append_raw(out, value.data, value.size, err);
    }
    weir_buffer filled = {0};
    weir_buffer_append(&filled, value.data, value.size);
    for (; length < wanted; length++) {
        weir_buffer_append_byte(&filled, text ? ' ' : 0);
    }
    int code = weir_vector_append_raw(out, filled.data, filled.size, err);
    weir_buffer_free(&filled);
    return code;
}

/* The column with every value cut or filled up to its length. */
static int fit_column(const weir_type *type, weir_vector *column, weir_error *err)
{
    weir_vector fitted;
    int code = WEIR_OK;
    weir_vector_init(&fitted, column->type);
    for (int64_t row = 0; row < column->length && code == WEIR_OK; row++) {
        code = weir_vector_is_null(column, row) ? weir_vector_append_nulls(&fitted, 1, err)
                                                : append_fitted(type, weir_vector_bytes(column, row), &fitted, err);
    }
    if (code == WEIR_OK) {
        weir_vector loose = *column;
        *column = fitted;
        fitted = loose;
    }
    weir_vector_free(&fitted);
    return code;
}

static bool breaks_lengths(const weir_enforcer *enforcer, const weir_batch *batch, int32_t column)
{
    const weir_type *type = column_of(enforcer, column)->type;
    const weir_vector *values = &batch->columns[column];
    for (int64_t row = 0; row < batch->length && has_length(type); row++) {
        if (!weir_vector_is_null(values, row) && breaks_length(type, weir_vector_bytes(values, row))) {
            return true;
        }
    }
    return false;
}

static int enforce_lengths(const weir_enforcer *enforcer, weir_batch *batch, weir_error *err)
{
    for (int32_t c = 0; c < enforcer->column_count; c++) {
        if (breaks_lengths(enforcer, batch, c)) {
            WEIR_TRY(fit_column(column_of(enforcer, c)->type, &batch->columns[c], err));
        }
    }
    return WEIR_OK;
}

bool weir_enforcer_is_content(const weir_enforcer *enforcer, const weir_batch *batch)
{
    for (int32_t c = 0; c < enforcer->column_count; c++) {
        if (breaks_not_null(enforcer, batch, c) || (enforcer->fits_lengths && breaks_lengths(enforcer, batch, c))) {
            return false;
        }
    }
    return true;
}

int weir_enforcer_apply(weir_enforcer *enforcer, weir_batch *batch, weir_error *err)
{
    WEIR_TRY(enforce_not_null(enforcer, batch, err));
    return enforcer->fits_lengths ? enforce_lengths(enforcer, batch, err) : WEIR_OK;
}
