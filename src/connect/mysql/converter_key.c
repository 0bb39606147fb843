/* Values of keys as text: the same from a row event and from a query, and in the order that the server has them. */
#include "connect/mysql/converter.h"

/* The number of an ENUM's label, from 1; 0: it is none of them. */
static uint64_t place_of_label(const weir_mysql_column *column, weir_slice label)
{
    for (uint32_t i = 0; i < column->label_count; i++) {
        if (weir_slice_equal(label, weir_slice_text(column->labels[i]))) {
            return i + 1;
        }
    }
    return 0;
}

/* A bit for each of a SET's labels. */
static uint64_t bits_of_labels(const weir_mysql_column *column, weir_slice labels)
{
    uint64_t bits = 0;
    while (labels.size > 0) {
        const uint8_t *comma = memchr(labels.data, ',', labels.size);
        size_t size = comma == NULL ? labels.size : (size_t)(comma - labels.data);
        uint64_t place = place_of_label(column, weir_slice_of(labels.data, size));
        bits |= place == 0 || place > 64 ? 0 : (uint64_t)1 << (place - 1);
        size += comma != NULL;
        labels = weir_slice_of(labels.data + size, labels.size - size);
    }
    return bits;
}

int weir_mysql_converter_key(weir_mysql_converter *converter, const weir_mysql_value *value, weir_buffer *out,
                             weir_error *err)
{
    const weir_mysql_column *column = converter->column;
    uint64_t number;
    if (value->kind == WEIR_MYSQL_REAL) {
        weir_buffer_append_format(out, "%.17g", value->real + 0.0); /* 0 and -0 are the same key */
        return WEIR_OK;
    }
    if (value->kind == WEIR_MYSQL_LABEL || value->kind == WEIR_MYSQL_LABELS) {
        number = (uint64_t)value->number;
    } else if (value->kind == WEIR_MYSQL_BITS) {
        number = weir_mysql_bits_number(value->bytes);
    } else if (column->type == WEIR_MYSQL_ENUM && value->kind == WEIR_MYSQL_BYTES) {
        number = place_of_label(column, value->bytes);
    } else if (column->type == WEIR_MYSQL_SET && value->kind == WEIR_MYSQL_BYTES) {
        number = bits_of_labels(column, value->bytes);
    } else {
        return weir_mysql_converter_text(converter, value, out, err);
    }
    weir_buffer_append_format(out, "%" PRIu64, number);
    return WEIR_OK;
}
