/* Values as text, as Flink SQL's CAST to STRING gives it: TIME without its fraction, bytes read as UTF-8. */
#include "base/text.h"
#include "vector/decimal.h"
#include "vector/java_text.h"
#include "vector/literal.h"
#include "vector/time_text.h"
#include "vector/variant.h"

static weir_timestamp_nanos timestamp_of(const weir_type *type, const weir_literal *literal)
{
    return type->precision <= 6 ? weir_timestamp_widen(literal->integer, type->precision) : literal->nanos;
}

void weir_literal_to_text(const weir_type *type, const weir_literal *literal, weir_buffer *out)
{
    if (literal->is_null) {
        weir_buffer_append_text(out, "NULL");
        return;
    }
    switch (type->id) {
    case WEIR_BOOLEAN:
        weir_buffer_append_text(out, literal->boolean ? "TRUE" : "FALSE");
        break;
    case WEIR_FLOAT:
        weir_format_float(literal->float32, out);
        break;
    case WEIR_DOUBLE:
        weir_format_double(literal->float64, out);
        break;
    case WEIR_DECIMAL:
        weir_decimal_format(type->precision <= 18 ? literal->integer : literal->decimal, type->scale, out);
        break;
    case WEIR_DATE:
        weir_date_format(literal->integer, out);
        break;
    case WEIR_TIME:
        weir_time_format((int32_t)literal->integer, 0, out);
        break;
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        weir_timestamp_format(timestamp_of(type, literal), type->precision, out);
        break;
    case WEIR_CHAR:
    case WEIR_VARCHAR:
        weir_buffer_append(out, literal->bytes.data, literal->bytes.size);
        break;
    case WEIR_BINARY:
    case WEIR_VARBINARY:
    case WEIR_BLOB:
        weir_java_text_append(literal->bytes, out);
        break;
    default:
        weir_decimal_format(literal->integer, 0, out);
    }
}

static void list_to_text(const weir_vector *vector, int64_t row, weir_buffer *out)
{
    bool map = vector->child_count == 2;
    weir_buffer_append_byte(out, map ? '{' : '[');
    for (int32_t i = vector->offsets[row]; i < vector->offsets[row + 1]; i++) {
        if (i > vector->offsets[row]) {
            weir_buffer_append_text(out, ", ");
        }
        weir_value_to_text(&vector->children[0], i, out);
        if (map) {
            weir_buffer_append_byte(out, '=');
            weir_value_to_text(&vector->children[1], i, out);
        }
    }
    weir_buffer_append_byte(out, map ? '}' : ']');
}

static void row_to_text(const weir_vector *vector, int64_t row, weir_buffer *out)
{
    weir_buffer_append_byte(out, '(');
    for (int32_t i = 0; i < vector->child_count; i++) {
        if (i > 0) {
            weir_buffer_append_text(out, ", ");
        }
        weir_value_to_text(&vector->children[i], row, out);
    }
    weir_buffer_append_byte(out, ')');
}

void weir_value_to_text(const weir_vector *vector, int64_t row, weir_buffer *out)
{
    if (weir_vector_is_null(vector, row)) {
        weir_buffer_append_text(out, "NULL");
    } else if (vector->type->id == WEIR_VARIANT) {
        weir_variant_to_json(weir_vector_bytes(&vector->children[0], row), weir_vector_bytes(&vector->children[1], row),
                             out, NULL);
    } else if (vector->layout == WEIR_LAYOUT_LIST) {
        list_to_text(vector, row, out);
    } else if (vector->layout == WEIR_LAYOUT_STRUCT) {
        row_to_text(vector, row, out);
    } else {
        weir_literal literal = weir_literal_of(vector, row);
        weir_literal_to_text(vector->type, &literal, out);
    }
}
