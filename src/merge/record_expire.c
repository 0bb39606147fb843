/* The age of rows, as org.apache.paimon.io.RecordLevelExpire tells it. */
#include "merge/record_expire.h"

/* Whole numbers from here on are milliseconds. */
#define LEAST_MILLISECONDS 1000000000000

static bool tells_time(const weir_type *type)
{
    return type->id == WEIR_INT || type->id == WEIR_BIGINT || type->id == WEIR_TIMESTAMP ||
           type->id == WEIR_TIMESTAMP_LTZ;
}

int weir_record_expire_of(const weir_schema *schema, weir_record_expire *out, weir_error *err)
{
    *out = (weir_record_expire){.column = -1};
    if (weir_options_get(&schema->options, "record-level.expire-time") == NULL) {
        return WEIR_OK;
    }
    int64_t expire_ms = 0;
    WEIR_TRY(weir_options_duration(&schema->options, "record-level.expire-time", &expire_ms, err));
    const char *field = weir_options_get(&schema->options, "record-level.time-field");
    if (field == NULL) {
        return weir_fail(err, WEIR_INVALID,
                         "record-level.expire-time is set: You should set time field for "
                         "record-level expire (record-level.time-field)");
    }
    int32_t column = weir_schema_column(schema, field);
    if (column < 0) {
        return weir_fail(err, WEIR_INVALID, "Can not find time field %s for record level expire.", field);
    }
    if (!tells_time(schema->fields[column].type)) {
        return weir_fail(err, WEIR_INVALID,
                         "The record level time field type should be one of INT, BIGINT, or TIMESTAMP: column '%s' is "
                         "none of them",
                         field);
    }
    *out = (weir_record_expire){column, expire_ms / 1000};
    return WEIR_OK;
}

bool weir_record_expire_seconds(const weir_vector *values, int64_t row, int64_t *out_seconds)
{
    if (weir_vector_is_null(values, row)) {
        return false;
    }
    if (values->type->id == WEIR_INT) {
        *out_seconds = WEIR_VALUES(values, int32_t)[row];
        return true;
    }
    if (values->layout == WEIR_LAYOUT_128) {
        *out_seconds = WEIR_VALUES(values, weir_timestamp_nanos)[row].millis / 1000;
        return true;
    }
    int64_t value = WEIR_VALUES(values, int64_t)[row];
    if (values->type->id == WEIR_BIGINT) {
        *out_seconds = value >= LEAST_MILLISECONDS ? value / 1000 : value;
    } else {
        *out_seconds = values->type->precision <= 3 ? value / 1000 : value / 1000000;
    }
    return true;
}
