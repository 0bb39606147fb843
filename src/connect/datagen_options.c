/* The options fields.<column>.* of datagen tables, by the rules of Flink's RandomGeneratorVisitor and
 * SequenceGeneratorVisitor. */
#include "connect/datagen_options.h"

#include <stdlib.h>

#include "base/text.h"
#include "vector/decimal.h"

#define MAX_LENGTH (1 << 20) /* of a text */

static const char *column_option(const weir_options *options, const weir_field *field, const char *name)
{
    char *key = weir_format("fields.%s.%s", field->name, name);
    const char *value = weir_options_get(options, key);
    free(key);
    return value;
}

static int fail_option(const weir_field *field, const char *name, const char *value, const char *expected,
                       weir_error *err)
{
    return weir_fail(err, WEIR_INVALID, "option 'fields.%s.%s' = '%s': expected %s", field->name, name, value,
                     expected);
}

static int read_number(const weir_options *options, const weir_field *field, const char *name, int64_t least,
                       int64_t most, int64_t *out, weir_error *err)
{
    const char *value = column_option(options, field, name);
    if (value == NULL) {
        return WEIR_OK;
    }
    if (!weir_parse_int64(weir_slice_text(value), out) || *out < least || *out > most) {
        char expected[80];
        snprintf(expected, sizeof expected, "a whole number from %" PRId64 " to %" PRId64, least, most);
        return fail_option(field, name, value, expected, err);
    }
    return WEIR_OK;
}

static int read_double(const weir_options *options, const weir_field *field, const char *name, double *out,
                       weir_error *err)
{
    const char *value = column_option(options, field, name);
    if (value == NULL) {
        return WEIR_OK;
    }
    char *end;
    double number = strtod(value, &end);
    if (end == value || *end != '\0' || number - number != 0) {
        return fail_option(field, name, value, "a number", err);
    }
    *out = number;
    return WEIR_OK;
}

/* The whole numbers that a column can hold; false: it holds none. */
static bool bounds_of(const weir_type *type, int64_t *least, int64_t *most)
{
    switch (type->id) {
    case WEIR_TINYINT:
    case WEIR_SMALLINT:
    case WEIR_INT:
    case WEIR_BIGINT: {
        int bits = type->id == WEIR_TINYINT ? 8 : type->id == WEIR_SMALLINT ? 16 : type->id == WEIR_INT ? 32 : 64;
        *most = (int64_t)(UINT64_MAX >> (65 - bits));
        *least = -*most - 1;
        return true;
    }
    case WEIR_DECIMAL:
        *most = type->precision >= 18 ? 999999999999999999 : (int64_t)weir_power_of_ten(type->precision) - 1;
        *least = -*most;
        return true;
    default:
        return false;
    }
}

/* The bounds of random numbers. Those of a DECIMAL are given as numbers of its type. */
static int read_bounds(const weir_options *options, weir_datagen_column *column, weir_error *err)
{
    const weir_field *field = column->field;
    int64_t least;
    int64_t most;
    column->most_double = field->type->id == WEIR_FLOAT ? 0x1.fffffep127 : 0x1.fffffffffffffp1023;
    column->least_double =
        field->type->id == WEIR_FLOAT ? 0x1p-149 : 0x1p-1074; /* as Java's MIN_VALUE, which Flink takes */
    WEIR_TRY(read_double(options, field, "min", &column->least_double, err));
    WEIR_TRY(read_double(options, field, "max", &column->most_double, err));
    if (!bounds_of(field->type, &least, &most)) {
        return column->least_double <= column->most_double
                   ? WEIR_OK
                   : weir_fail(err, WEIR_INVALID, "column '%s': 'min' is greater than 'max'", field->name);
    }
    column->least = least;
    column->most = most;
    if (field->type->id == WEIR_DECIMAL) {
        double unit = (double)weir_power_of_ten(field->type->scale);
        if (column_option(options, field, "min") != NULL && column->least_double * unit > (double)least) {
            column->least = (int64_t)(column->least_double * unit);
        }
        if (column_option(options, field, "max") != NULL && column->most_double * unit < (double)most) {
            column->most = (int64_t)(column->most_double * unit);
        }
    } else {
        WEIR_TRY(read_number(options, field, "min", least, most, &column->least, err));
        WEIR_TRY(read_number(options, field, "max", least, most, &column->most, err));
    }
    return column->least <= column->most
               ? WEIR_OK
               : weir_fail(err, WEIR_INVALID, "column '%s': 'min' is greater than 'max'", field->name);
}

static int read_sequence(const weir_options *options, weir_datagen_column *column, weir_error *err)
{
    const weir_field *field = column->field;
    int64_t least = INT64_MIN;
    int64_t most = INT64_MAX;
    bool is_number = bounds_of(field->type, &least, &most) || field->type->id == WEIR_FLOAT ||
                     field->type->id == WEIR_DOUBLE || weir_type_is_text(field->type);
    if (!is_number) {
        return weir_fail(err, WEIR_UNSUPPORTED, "column '%s': only numbers and texts can be a sequence", field->name);
    }
    if (column_option(options, field, "start") == NULL || column_option(options, field, "end") == NULL) {
        return weir_fail(err, WEIR_INVALID, "a sequence needs 'fields.%s.start' and 'fields.%s.end'", field->name,
                         field->name);
    }
    WEIR_TRY(read_number(options, field, "start", least, most, &column->start, err));
    WEIR_TRY(read_number(options, field, "end", least, most, &column->end, err));
    if (column->end < column->start || (uint64_t)column->end - (uint64_t)column->start >= INT64_MAX) {
        return weir_fail(err, WEIR_INVALID,
                         "column '%s': a sequence from %" PRId64 " to %" PRId64 " has no rows to give", field->name,
                         column->start, column->end);
    }
    if (field->type->id == WEIR_DECIMAL) {
        weir_int128 unit = weir_power_of_ten(field->type->scale);
        weir_int128 limit = weir_power_of_ten(field->type->precision < 18 ? field->type->precision : 18);
        if (column->end * unit >= limit || column->start * unit <= -limit) {
            return weir_fail(err, WEIR_INVALID, "column '%s': the sequence goes beyond its type", field->name);
        }
        column->unit = (int64_t)unit;
    }
    return WEIR_OK;
}

static int read_random(const weir_options *options, weir_datagen_column *column, weir_error *err)
{
    const weir_field *field = column->field;
    bool is_fixed = field->type->id == WEIR_CHAR || field->type->id == WEIR_BINARY;
    bool is_long = weir_type_is_text(field->type) || weir_type_is_bytes(field->type);
    const char *past = column_option(options, field, "max-past");
    const char *varies = column_option(options, field, "var-len");
    if (past != NULL && !weir_parse_duration(past, &column->past_ms)) {
        return fail_option(field, "max-past", past, "a duration such as '10 s'", err);
    }
    column->varies_in_length = varies != NULL && weir_text_equal_ignore_case(varies, "true");
    column->length = is_long && (is_fixed || field->type->precision < 100) ? field->type->precision : 100;
    WEIR_TRY(read_number(options, field, "length", 1, MAX_LENGTH, &column->length, err));
    WEIR_TRY(read_double(options, field, "null-rate", &column->null_rate, err));
    if (column->null_rate < 0 || column->null_rate > 1) {
        return fail_option(field, "null-rate", column_option(options, field, "null-rate"), "a number from 0 to 1", err);
    }
    return read_bounds(options, column, err);
}

int weir_datagen_column_read(const weir_options *options, const weir_field *field, weir_datagen_column *column,
                             weir_error *err)
{
    *column = (weir_datagen_column){.field = field, .unit = 1};
    if (weir_type_is_nested(field->type) || field->type->id == WEIR_BLOB) {
        return weir_fail(err, WEIR_UNSUPPORTED, "column '%s': datagen makes no nested values in this version",
                         field->name);
    }
    const char *kind = column_option(options, field, "kind");
    column->is_sequence = kind != NULL && strcmp(kind, "sequence") == 0;
    if (kind != NULL && !column->is_sequence && strcmp(kind, "random") != 0) {
        return fail_option(field, "kind", kind, "random or sequence", err);
    }
    return column->is_sequence ? read_sequence(options, column, err) : read_random(options, column, err);
}

/* Options of columns that the table does not have. */
static int check_names(const weir_options *options, const weir_field *fields, int32_t field_count, weir_error *err)
{
    for (size_t i = 0; i < options->count; i++) {
        if (strncmp(options->keys[i], "fields.", 7) != 0) {
            continue;
        }
        const char *name = options->keys[i] + 7;
        size_t size = (size_t)(strrchr(name, '.') - name);
        bool is_known = false;
        for (int32_t k = 0; k < field_count && !is_known; k++) {
            is_known = strlen(fields[k].name) == size && strncmp(fields[k].name, name, size) == 0;
        }
        if (!is_known) {
            return weir_fail(err, WEIR_INVALID, "option '%s': the table has no column '%.*s'", options->keys[i],
                             (int)size, name);
        }
    }
    return WEIR_OK;
}

int weir_datagen_check(const weir_options *options, const weir_field *fields, int32_t field_count, weir_error *err)
{
    WEIR_TRY(check_names(options, fields, field_count, err));
    for (int32_t i = 0; i < field_count; i++) {
        weir_datagen_column column;
        WEIR_TRY(weir_datagen_column_read(options, &fields[i], &column, err));
    }
    const char *rate = weir_options_get(options, "rows-per-second");
    if (rate != NULL && strcmp(rate, "0") == 0) {
        return weir_fail(err, WEIR_INVALID, "option 'rows-per-second' = '0': no row would ever come");
    }
    return WEIR_OK;
}
