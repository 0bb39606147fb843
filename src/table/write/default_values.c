/* Filling in default values, column by column. */
#include "table/write/default_values.h"

#include <stdlib.h>

static int parse_default(const weir_field *field, weir_arena *arena, const weir_literal **out, weir_error *err)
{
    if (weir_type_is_nested(field->type)) {
        return weir_fail(err, WEIR_UNSUPPORTED,
                         "column '%s' has a default value and the type %s: defaults of nested columns are not written",
                         field->name, weir_type_text(arena, field->type));
    }
    weir_literal *literal = WEIR_NEW(arena, weir_literal);
    WEIR_TRY_CTX(weir_literal_parse(field->type, weir_slice_text(field->default_value), arena, literal, err), err,
                 "the default value of column '%s'", field->name);
    *out = literal;
    return WEIR_OK;
}

int weir_default_values_init(const weir_schema *schema, weir_arena *arena, weir_default_values *out, weir_error *err)
{
    *out = (weir_default_values){.schema = schema};
    for (int32_t i = 0; i < schema->field_count; i++) {
        if (schema->fields[i].default_value == NULL) {
            continue;
        }
        if (out->literals == NULL) {
            out->literals = WEIR_NEW_ARRAY(arena, const weir_literal *, schema->field_count);
        }
        WEIR_TRY(parse_default(&schema->fields[i], arena, &out->literals[i], err));
    }
    if (out->literals != NULL) {
        out->filled = weir_alloc_zeroed((size_t)schema->field_count, sizeof *out->filled);
        for (int32_t i = 0; i < schema->field_count; i++) {
            weir_vector_init(&out->filled[i], schema->fields[i].type);
        }
    }
    return WEIR_OK;
}

void weir_default_values_free(weir_default_values *defaults)
{
    if (defaults->filled != NULL) {
        for (int32_t i = 0; i < defaults->schema->field_count; i++) {
            weir_vector_free(&defaults->filled[i]);
        }
        free(defaults->filled);
        defaults->filled = NULL;
    }
}

/* Runs of values are copied, runs of NULLs become the default. */
static int fill_column(const weir_vector *from, const weir_literal *value, weir_vector *to, weir_error *err)
{
    weir_vector_clear(to);
    for (int64_t i = 0; i < from->length;) {
        int64_t end = i;
        while (end < from->length && !weir_vector_is_null(from, end)) {
            end++;
        }
        WEIR_TRY(weir_vector_append_range(to, from, i, end - i, err));
        for (; end < from->length && weir_vector_is_null(from, end); end++) {
            WEIR_TRY(weir_vector_append_literal(to, value, err));
        }
        i = end;
    }
    return WEIR_OK;
}

int weir_default_values_fill(weir_default_values *defaults, const weir_batch *batch, weir_vector *columns,
                             weir_batch *out, weir_error *err)
{
    *out = *batch;
    if (defaults->literals == NULL) {
        return WEIR_OK;
    }
    for (int32_t i = 0; i < batch->column_count; i++) {
        columns[i] = batch->columns[i];
        if (defaults->literals[i] != NULL && batch->columns[i].null_count > 0) {
            WEIR_TRY(fill_column(&batch->columns[i], defaults->literals[i], &defaults->filled[i], err));
            columns[i] = defaults->filled[i];
        }
    }
    out->columns = columns;
    return WEIR_OK;
}
