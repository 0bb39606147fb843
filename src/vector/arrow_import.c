/* Arrow arrays into batches. Values are copied in bulk where the layouts are the same; nulls, whose slots Arrow leaves
 * open, are zeroed after.
 *
 * The interface passes no sizes of buffers, so that they have to be believed; what can be checked (counts, formats,
 * offsets that go back) is. */
#include <stdio.h>
#include <stdlib.h>

#include "vector/arrow.h"
#include "vector/bits.h"
#include "vector/decimal.h"
#include "vector/time_text.h"

/* `count` values of an array from `first` on (its offset included), to be appended to a vector. */
typedef struct import {
    const struct ArrowSchema *schema;
    const struct ArrowArray *array;
    int64_t first;
    int64_t count;
} import;

static int does_not_fit(const import *from, const weir_type *type, weir_error *err)
{
    weir_buffer name = {0};
    weir_type_format(type, &name);
    int code =
        weir_fail(err, WEIR_INVALID, "an Arrow column \"%s\" of format \"%s\" does not fit the type %.200s",
                  from->schema->name != NULL ? from->schema->name : "", from->schema->format, weir_buffer_text(&name));
    weir_buffer_free(&name);
    return code;
}

static int lossy(const import *from, const char *what, weir_error *err)
{
    return weir_fail(err, WEIR_INVALID, "the Arrow column \"%s\" has %s",
                     from->schema->name != NULL ? from->schema->name : "", what);
}

static const uint8_t *validity_of(const import *from)
{
    return from->array->null_count == 0 || from->array->n_buffers == 0 ? NULL : from->array->buffers[0];
}

static bool is_valid(const uint8_t *validity, int64_t row) { return validity == NULL || weir_bit_get(validity, row); }

/* ---- fixed width ---- */

static void zero_nulls(weir_vector *vector, int64_t first, int64_t count)
{
    size_t width = weir_layout_width(vector->layout);
    for (int64_t i = first; i < first + count; i++) {
        if (weir_bit_get(vector->validity, i)) {
            continue;
        }
        if (vector->layout == WEIR_LAYOUT_BIT) {
            weir_bit_clear(vector->data, i);
        } else {
            memset(vector->data + (size_t)i * width, 0, width);
        }
    }
}

/* Counts in `count` values that were written behind the end of the vector. */
static int finish_fixed(weir_vector *vector, const import *from, weir_error *err)
{
    const uint8_t *validity = validity_of(from);
    int64_t nulls = validity == NULL ? 0 : from->count - weir_bits_count(validity, from->first, from->count);
    if (nulls > 0) {
        WEIR_TRY(weir_vector_reserve_validity(vector, from->count, err));
        weir_bits_copy(vector->validity, vector->length, validity, from->first, from->count);
        zero_nulls(vector, vector->length, from->count);
        vector->null_count += nulls;
    } else if (vector->validity != NULL) {
        weir_bits_fill(vector->validity, vector->length, from->count, true);
    }
    vector->length += from->count;
    return WEIR_OK;
}

static int import_same_width(weir_vector *vector, const import *from, const char *format, weir_error *err)
{
    if (strcmp(from->schema->format, format) != 0) {
        return does_not_fit(from, vector->type, err);
    }
    const uint8_t *values = from->array->buffers[1];
    size_t width = weir_layout_width(vector->layout);
    if (vector->layout == WEIR_LAYOUT_BIT) {
        weir_bits_copy(vector->data, vector->length, values, from->first, from->count);
    } else {
        memcpy(vector->data + (size_t)vector->length * width, values + (size_t)from->first * width,
               (size_t)from->count * width);
    }
    return finish_fixed(vector, from, err);
}

static int import_decimals(weir_vector *vector, const import *from, weir_error *err)
{
    const weir_type *type = vector->type;
    int precision = 0;
    int scale = -1;
    int bits = 128;
    int read = sscanf(from->schema->format, "d:%d,%d,%d", &precision, &scale, &bits);
    if (read < 2 || scale != type->scale || bits != 128) {
        return does_not_fit(from, type, err);
    }
    const uint8_t *values = (const uint8_t *)from->array->buffers[1] + (size_t)from->first * sizeof(weir_int128);
    const uint8_t *validity = validity_of(from);
    bool wide = vector->layout == WEIR_LAYOUT_128;
    for (int64_t i = 0; i < from->count; i++) {
        weir_int128 value;
        memcpy(&value, values + (size_t)i * sizeof value, sizeof value);
        if (precision > type->precision && is_valid(validity, from->first + i) &&
            !weir_decimal_fits(value, type->precision)) {
            return lossy(from, "a decimal with more digits than its type here", err);
        }
        if (wide) {
            WEIR_VALUES(vector, weir_int128)[vector->length + i] = value;
        } else {
            WEIR_VALUES(vector, int64_t)[vector->length + i] = (int64_t)value;
        }
    }
    return finish_fixed(vector, from, err);
}

/* Units of Arrow's times in a second: s, m, u, n. */
static bool units_per_second(char letter, int64_t *out)
{
    switch (letter) {
    case 's':
        *out = 1;
        return true;
    case 'm':
        *out = 1000;
        return true;
    case 'u':
        *out = 1000000;
        return true;
    case 'n':
        *out = 1000000000;
        return true;
    default:
        return false;
    }
}

static int import_times(weir_vector *vector, const import *from, weir_error *err)
{
    const char *format = from->schema->format;
    int64_t units;
    if (strncmp(format, "tt", 2) != 0 || !units_per_second(format[2], &units)) {
        return does_not_fit(from, vector->type, err);
    }
    bool narrow = units <= 1000;
    const uint8_t *validity = validity_of(from);
    int32_t *out = WEIR_VALUES(vector, int32_t) + vector->length;
    for (int64_t i = 0; i < from->count; i++) {
        int64_t row = from->first + i;
        int64_t value =
            narrow ? ((const int32_t *)from->array->buffers[1])[row] : ((const int64_t *)from->array->buffers[1])[row];
        if (!is_valid(validity, row)) {
            value = 0;
        }
        int64_t millis = narrow ? value * (1000 / units) : value / (units / 1000);
        if (millis < 0 || millis >= WEIR_MILLIS_PER_DAY || (!narrow && value % (units / 1000) != 0)) {
            return lossy(from, "a time outside of the day or with a fraction below milliseconds", err);
        }
        out[i] = (int32_t)millis;
    }
    return finish_fixed(vector, from, err);
}

static weir_timestamp_nanos split_instant(int64_t value, int64_t units)
{
    if (units == 1) {
        return (weir_timestamp_nanos){.millis = value * 1000};
    }
    int64_t per_milli = units / 1000;
    return (weir_timestamp_nanos){.millis = weir_floor_div(value, per_milli),
                                  .nanos_of_milli =
                                      (int32_t)(weir_floor_mod(value, per_milli) * (1000000 / per_milli))};
}

/* Stores an instant in the unit of the vector's type; false when it does not fit. */
static bool store_instant(weir_vector *vector, int64_t row, weir_timestamp_nanos instant)
{
    int precision = vector->type->precision;
    if (precision > 6) {
        WEIR_VALUES(vector, weir_timestamp_nanos)[row] = instant;
        return true;
    }
    int32_t unit = precision <= 3 ? 1000000 : 1000;
    return instant.nanos_of_milli % unit == 0 &&
           weir_timestamp_narrow(instant, precision, &WEIR_VALUES(vector, int64_t)[row]);
}

static int import_timestamps(weir_vector *vector, const import *from, weir_error *err)
{
    const char *format = from->schema->format;
    int64_t units;
    if (strncmp(format, "ts", 2) != 0 || !units_per_second(format[2], &units)) {
        return does_not_fit(from, vector->type, err);
    }
    const int64_t *values = (const int64_t *)from->array->buffers[1] + from->first;
    const uint8_t *validity = validity_of(from);
    for (int64_t i = 0; i < from->count; i++) {
        int64_t value = is_valid(validity, from->first + i) ? values[i] : 0;
        bool in_range = units > 1 || (value <= INT64_MAX / 1000 && value >= INT64_MIN / 1000);
        if (!in_range || !store_instant(vector, vector->length + i, split_instant(value, units))) {
            return lossy(from, "a timestamp that its type here cannot hold", err);
        }
    }
    return finish_fixed(vector, from, err);
}

/* ---- offsets ---- */

static int64_t offset_at(const import *from, bool large, int64_t row)
{
    return large ? ((const int64_t *)from->array->buffers[1])[row] : ((const int32_t *)from->array->buffers[1])[row];
}

/* Appends the offsets of rows whose bytes or elements follow each other; nulls, which may span some, are not among
 * them. */
static int append_offsets(weir_vector *vector, const import *from, bool large, weir_error *err)
{
    int64_t shift = vector->offsets[vector->length] - offset_at(from, large, from->first);
    int64_t last = offset_at(from, large, from->first);
    int32_t *out = vector->offsets + vector->length + 1;
    for (int64_t i = 0; i < from->count; i++) {
        int64_t end = offset_at(from, large, from->first + i + 1);
        if (end < last) {
            return weir_fail(err, WEIR_INVALID, "the offsets of the Arrow column \"%s\" go back",
                             from->schema->name != NULL ? from->schema->name : "");
        }
        out[i] = (int32_t)(end + shift);
        last = end;
    }
    return WEIR_OK;
}

static int import_valid_texts(weir_vector *vector, const import *from, bool large, weir_error *err)
{
    int64_t begin = offset_at(from, large, from->first);
    int64_t size = offset_at(from, large, from->first + from->count) - begin;
    if (begin < 0 || size < 0) {
        return does_not_fit(from, vector->type, err);
    }
    WEIR_TRY(weir_vector_reserve_bytes(vector, (size_t)size, err));
    WEIR_TRY(append_offsets(vector, from, large, err));
    if (size > 0) {
        memcpy(vector->data + vector->offsets[vector->length], (const uint8_t *)from->array->buffers[2] + begin,
               (size_t)size);
    }
    if (vector->validity != NULL) {
        weir_bits_fill(vector->validity, vector->length, from->count, true);
    }
    vector->length += from->count;
    return WEIR_OK;
}

static int import_rows(weir_vector *vector, const import *from, weir_error *err);

/* `count` elements from `first` on of child `child`, the child's own offset coming on top. */
static int import_child(weir_vector *vector, const import *parent, int64_t child, int64_t first, int64_t count,
                        weir_error *err)
{
import from = {parent->schema->children[child], parent->array->children[child], 0, count };
    if (first < 0 || count < 0 || first > from.array->length - count) {
        return weir_fail(err, WEIR_INVALID, "the Arrow column \"%s\" refers beyond its child",
                         parent->schema->name != NULL ? parent->schema->name : "");
    }
    from.first = from.array->offset + first;
    return import_rows(vector, &from, err);
}

/* The elements of lists; a map's are structs of key and value. */
static int import_elements(weir_vector *vector, const import *from, int64_t first, int64_t count, weir_error *err)
{
    if (vector->child_count == 1) {
        return import_child(&vector->children[0], from, 0, first, count, err);
    }
    const struct ArrowArray *entries = from->array->children[0];
import structs = {from->schema->children[0], entries, 0, count };
    if (structs.schema->n_children != 2 || entries->n_children != 2) {
        return does_not_fit(from, vector->type, err);
    }
    if (first < 0 || count < 0 || first > entries->length - count) {
        return weir_fail(err, WEIR_INVALID, "the Arrow column \"%s\" refers beyond its entries",
                         from->schema->name != NULL ? from->schema->name : "");
    }
    WEIR_TRY(import_child(&vector->children[0], &structs, 0, entries->offset + first, count, err));
    return import_child(&vector->children[1], &structs, 1, entries->offset + first, count, err);
}

static int import_valid_lists(weir_vector *vector, const import *from, bool large, weir_error *err)
{
    int64_t begin = offset_at(from, large, from->first);
    int64_t count = offset_at(from, large, from->first + from->count) - begin;
    if (count > INT32_MAX - vector->offsets[vector->length]) {
        return weir_fail(err, WEIR_INVALID, "a column of one batch would pass 2^31 elements; use smaller batches");
    }
    WEIR_TRY(append_offsets(vector, from, large, err));
    WEIR_TRY(import_elements(vector, from, begin, count, err));
    if (vector->validity != NULL) {
        weir_bits_fill(vector->validity, vector->length, from->count, true);
    }
    vector->length += from->count;
    return WEIR_OK;
}

/* Appends rows none of which is null. */
typedef int (*import_valid)(weir_vector *vector, const import *from, bool large, weir_error *err);

/* Goes through runs of rows that are null and runs of rows that are not. */
static int import_runs(weir_vector *vector, const import *from, import_valid import_run, bool large, weir_error *err)
{
    const uint8_t *validity = validity_of(from);
    int64_t end = from->first + from->count;
    for (int64_t row = from->first; row < end;) {
        bool valid = is_valid(validity, row);
        int64_t stop = validity == NULL ? end : row + 1;
        while (stop < end && is_valid(validity, stop) == valid) {
            stop++;
        }
        if (valid) {
import run = {from->schema, from->array, row, stop - row };
            WEIR_TRY(weir_vector_reserve(vector, run.count, err));
            WEIR_TRY(import_run(vector, &run, large, err));
        } else {
            WEIR_TRY(weir_vector_append_nulls(vector, stop - row, err));
        }
        row = stop;
    }
    return WEIR_OK;
}

/* w:N, bytes of one size. */
static int import_valid_fixed_size(weir_vector *vector, const import *from, bool large, weir_error *err)
{
    (void)large;
    int size = -1;
    if (sscanf(from->schema->format, "w:%d", &size) != 1 || size < 0) {
        return does_not_fit(from, vector->type, err);
    }
    for (int64_t i = from->first; i < from->first + from->count; i++) {
        WEIR_TRY(
            weir_vector_append_raw(vector, (const uint8_t *)from->array->buffers[1] + i * size, (size_t)size, err));
    }
    return WEIR_OK;
}

static int import_texts(weir_vector *vector, const import *from, weir_error *err)
{
    const char *format = from->schema->format;
    bool text = weir_type_is_text(vector->type);
    if (strcmp(format, text ? "u" : "z") == 0) {
        return import_runs(vector, from, import_valid_texts, false, err);
    }
    if (strcmp(format, text ? "U" : "Z") == 0) {
        return import_runs(vector, from, import_valid_texts, true, err);
    }
    if (!text && format[0] == 'w') {
        return import_runs(vector, from, import_valid_fixed_size, false, err);
    }
    return does_not_fit(from, vector->type, err);
}

static int import_lists(weir_vector *vector, const import *from, weir_error *err)
{
    const char *format = from->schema->format;
    bool map = vector->child_count == 2;
    bool large = !map && strcmp(format, "+L") == 0;
    if ((!large && strcmp(format, map ? "+m" : "+l") != 0) || from->schema->n_children != 1 ||
        from->array->n_children != 1) {
        return does_not_fit(from, vector->type, err);
    }
    return import_runs(vector, from, import_valid_lists, large, err);
}

/* Children are as long as their struct; what they hold in rows that are null is left out, for import_runs puts nulls.
 */
static int import_valid_structs(weir_vector *vector, const import *from, bool large, weir_error *err)
{
    (void)large;
    for (int32_t i = 0; i < vector->child_count; i++) {
        WEIR_TRY(import_child(&vector->children[i], from, i, from->first, from->count, err));
    }
    if (vector->validity != NULL) {
        weir_bits_fill(vector->validity, vector->length, from->count, true);
    }
    vector->length += from->count;
    return WEIR_OK;
}

static int import_structs(weir_vector *vector, const import *from, weir_error *err)
{
    if (strcmp(from->schema->format, "+s") != 0 || from->schema->n_children != vector->child_count ||
        from->array->n_children != vector->child_count) {
        return does_not_fit(from, vector->type, err);
    }
    return import_runs(vector, from, import_valid_structs, false, err);
}

/* ---- columns ---- */

static int import_rows(weir_vector *vector, const import *from, weir_error *err)
{
    static const char *const formats[] = {
        [WEIR_BOOLEAN] = "b", [WEIR_TINYINT] = "c", [WEIR_SMALLINT] = "s", [WEIR_INT] = "i",
        [WEIR_BIGINT] = "l",  [WEIR_FLOAT] = "f",   [WEIR_DOUBLE] = "g",   [WEIR_DATE] = "tdD",
    };
    if (from->count == 0) {
        return WEIR_OK;
    }
    if (from->schema->dictionary != NULL) {
        return weir_fail(err, WEIR_UNSUPPORTED, "the Arrow column \"%s\" is dictionary-encoded; decode it first",
                         from->schema->name != NULL ? from->schema->name : "");
    }
    if (strcmp(from->schema->format, "n") == 0) {
        return weir_vector_append_nulls(vector, from->count, err);
    }
    if (from->array->n_buffers < (vector->layout == WEIR_LAYOUT_STRUCT ? 1 : 2)) {
        return does_not_fit(from, vector->type, err);
    }
    WEIR_TRY(weir_vector_reserve(vector, from->count, err));
    switch (vector->type->id) {
    case WEIR_DECIMAL:
        return import_decimals(vector, from, err);
    case WEIR_TIME:
        return import_times(vector, from, err);
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        return import_timestamps(vector, from, err);
    case WEIR_CHAR:
    case WEIR_VARCHAR:
    case WEIR_BINARY:
    case WEIR_VARBINARY:
    case WEIR_BLOB:
        return import_texts(vector, from, err);
    case WEIR_ARRAY:
    case WEIR_MAP:
    case WEIR_MULTISET:
        return import_lists(vector, from, err);
    case WEIR_ROW:
    case WEIR_VARIANT:
        return import_structs(vector, from, err);
    case WEIR_NULL:
        return does_not_fit(from, vector->type, err);
    default:
        return import_same_width(vector, from, formats[vector->type->id], err);
    }
}

static bool is_kinds(const struct ArrowSchema *column)
{
    return column->name != NULL && strcmp(column->name, WEIR_ARROW_ROW_KIND) == 0;
}

static int import_kinds(weir_batch *batch, const import *from, weir_error *err)
{
    if (strcmp(from->schema->format, "c") != 0 || from->array->n_buffers < 2) {
        return weir_fail(err, WEIR_INVALID, "the Arrow column " WEIR_ARROW_ROW_KIND " must be of int8");
    }
    const uint8_t *validity = validity_of(from);
    const int8_t *kinds = (const int8_t *)from->array->buffers[1] + from->first;
    weir_batch_reserve_kinds(batch, batch->length + from->count);
    for (int64_t i = 0; i < from->count; i++) {
        if (!is_valid(validity, from->first + i) || kinds[i] < WEIR_INSERT || kinds[i] > WEIR_DELETE) {
            return weir_fail(err, WEIR_INVALID,
                             "the Arrow column " WEIR_ARROW_ROW_KIND " must hold 0 (+I), 1 (-U), 2 (+U) or 3 (-D)");
        }
        batch->kinds[batch->length + i] = kinds[i];
    }
    return WEIR_OK;
}

static int check_rows(const struct ArrowSchema *schema, const struct ArrowArray *array, const weir_batch *batch,
                      weir_error *err)
{
    if (schema->format == NULL || strcmp(schema->format, "+s") != 0 || schema->n_children != array->n_children) {
        return weir_fail(err, WEIR_INVALID, "rows must come as an Arrow struct");
    }
    int64_t columns = 0;
    for (int64_t i = 0; i < schema->n_children; i++) {
        columns += !is_kinds(schema->children[i]);
    }
    if (columns != batch->column_count) {
        return weir_fail(err, WEIR_INVALID, "%" PRId64 " Arrow columns do not fit a batch of %d", columns,
                         batch->column_count);
    }
    const uint8_t *validity = array->null_count == 0 || array->n_buffers == 0 ? NULL : array->buffers[0];
    if (validity != NULL && weir_bits_count(validity, array->offset, array->length) < array->length) {
        return weir_fail(err, WEIR_INVALID, "an Arrow struct of rows cannot have rows that are null");
    }
    return WEIR_OK;
}

int weir_arrow_import_batch(const struct ArrowSchema *schema, const struct ArrowArray *array, weir_batch *batch,
                            weir_error *err)
{
    WEIR_TRY(check_rows(schema, array, batch, err));
    bool kinds = false;
    weir_vector *column = batch->columns;
    for (int64_t i = 0; i < schema->n_children; i++) {
        const struct ArrowArray *child = array->children[i];
import from = {schema->children[i], child, child->offset + array->offset, array->length };
        if (array->offset > child->length - array->length) {
            return weir_fail(err, WEIR_INVALID, "an Arrow column is shorter than its struct");
        }
        if (is_kinds(from.schema)) {
            WEIR_TRY(import_kinds(batch, &from, err));
            kinds = true;
        } else {
            WEIR_TRY(import_rows(column++, &from, err));
        }
    }
    if (batch->kinds != NULL && !kinds) {
        weir_batch_reserve_kinds(batch, batch->length + array->length);
        memset(batch->kinds + batch->length, WEIR_INSERT, (size_t)array->length);
    }
    batch->length += array->length;
    return WEIR_OK;
}
