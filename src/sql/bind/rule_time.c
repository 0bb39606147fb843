/* Functions of dates and times: EXTRACT and its short forms, TIMESTAMPADD, TIMESTAMPDIFF, and the moment that a
 * statement runs at. */
#include "base/text.h"
#include "sql/bind/rules.h"
#include "sql/function/carried.h"
#include "sql/function/kernels.h"

static const char *option_of(weir_binder *binder, const char *unit)
{
    return weir_arena_format(binder->arena, "%s:%s", unit, binder->bound->time_zone);
}

static int bind_part(weir_binder *binder, const weir_ast_expression *call, const char *unit, weir_expression *argument,
                     weir_expression **out)
{
    const weir_type *type = argument->type;
    bool clock = strcmp(unit, "HOUR") == 0 || strcmp(unit, "MINUTE") == 0 || strcmp(unit, "SECOND") == 0 ||
                 strcmp(unit, "MILLISECOND") == 0 || strcmp(unit, "MICROSECOND") == 0 ||
                 strcmp(unit, "NANOSECOND") == 0;
    bool fits = weir_type_is_interval(type) || weir_type_is_timestamp(type) || (type->id == WEIR_DATE) ||
                (type->id == WEIR_TIME && clock);
    WEIR_TRY(weir_binder_typed(binder, argument));
    if (!fits) {
        return weir_binder_fail(binder, &argument->position, "%s of %s does not exist; cast it to TIMESTAMP or DATE",
                                unit, weir_sql_type_text(binder->arena, type));
    }
    *out = weir_expression_call(binder, &weir_kernel_extract, option_of(binder, unit),
                                weir_type_simple(WEIR_BIGINT, type->nullable), &call->position, &argument, 1);
    return WEIR_OK;
}

WEIR_BIND_RULE(weir_rule_extract)
{
    (void)count;
    return bind_part(binder, call, call->arguments[0]->text, arguments[1], out);
}

/* YEAR(t) and its like. */
WEIR_BIND_RULE(weir_rule_date_part)
{
    static const struct {
        const char *function, *unit;
    } parts[] = {{"DAYOFMONTH", "DAY"}, {"DAYOFYEAR", "DOY"}, {"DAYOFWEEK", "DOW"}};
    (void)count;
    char *unit = weir_arena_strdup(binder->arena, call->text);
    for (char *c = unit; *c != '\0'; c++) {
        *c = *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
    }
    const char *found = unit;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        found = strcmp(unit, parts[i].function) == 0 ? parts[i].unit : found;
    }
    return bind_part(binder, call, found, arguments[0], out);
}

static const weir_type *interval_of(weir_binder *binder, bool months, bool nullable)
{
    weir_type *type = weir_type_new(binder->arena, months ? WEIR_INT : WEIR_BIGINT, nullable);
    type->id = months ? WEIR_INTERVAL_MONTHS : WEIR_INTERVAL_MILLIS;
    return type;
}

int64_t weir_unit_worth(const char *unit, bool *months)
{
    static const struct {
        const char *unit;
        bool months;
        int64_t worth;
    } units[] = {{"SECOND", false, 1000},  {"MINUTE", false, 60000},   {"HOUR", false, 3600000},
                 {"DAY", false, 86400000}, {"WEEK", false, 604800000}, {"MONTH", true, 1},
                 {"QUARTER", true, 3},     {"YEAR", true, 12}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(units[i].unit, unit) == 0) {
            *months = units[i].months;
            return units[i].worth;
        }
    }
    return 0;
}

WEIR_BIND_RULE(weir_rule_timestamp_add)
{
    (void)count;
    bool months = false;
    int64_t worth = weir_unit_worth(call->arguments[0]->text, &months);
    if (worth == 0) {
        return weir_binder_fail(binder, &call->arguments[0]->position, "TIMESTAMPADD does not take the unit %s",
                                call->arguments[0]->text);
    }
    WEIR_TRY(weir_binder_typed(binder, arguments[1]));
    WEIR_TRY(weir_binder_typed(binder, arguments[2]));
    if (!weir_type_is_integer(arguments[1]->type) || !weir_type_is_temporal(arguments[2]->type)) {
        return weir_binder_fail(binder, &call->position, "TIMESTAMPADD(unit, integer, time) does not take %s and %s",
                                weir_sql_type_text(binder->arena, arguments[1]->type),
                                weir_sql_type_text(binder->arena, arguments[2]->type));
    }
    weir_expression *unit = weir_expression_literal(binder, interval_of(binder, months, false),
                                                    (weir_literal){.integer = worth}, &call->position);
    weir_expression *interval;
    const weir_type *time = arguments[2]->type;
    bool finer = time->id == WEIR_DATE && !months && worth < 86400000; /* a date and hours make a timestamp */
    if (finer) {
        const weir_type *timestamp = weir_type_with_length(binder->arena, WEIR_TIMESTAMP, 0, time->nullable);
        WEIR_TRY(weir_binder_cast(binder, arguments[2], timestamp, false, &arguments[2]));
    }
    WEIR_TRY(weir_bind_time_arithmetic(binder, WEIR_AST_MULTIPLY, &call->position, unit, arguments[1], &interval));
    return weir_bind_time_arithmetic(binder, WEIR_AST_PLUS, &call->position, arguments[2], interval, out);
}

WEIR_BIND_RULE(weir_rule_timestamp_diff)
{
    (void)count;
    bool months;
    if (weir_unit_worth(call->arguments[0]->text, &months) == 0) {
        return weir_binder_fail(binder, &call->arguments[0]->position, "TIMESTAMPDIFF does not take the unit %s",
                                call->arguments[0]->text);
    }
    for (int32_t i = 1; i < 3; i++) {
        WEIR_TRY(weir_binder_typed(binder, arguments[i]));
        const weir_type *type = arguments[i]->type;
        if (!weir_type_is_timestamp(type) && type->id != WEIR_DATE) {
            return weir_binder_fail(binder, &arguments[i]->position, "TIMESTAMPDIFF(unit, from, to) does not take %s",
                                    weir_sql_type_text(binder->arena, type));
        }
    }
    bool instants[2] = {arguments[1]->type->id == WEIR_TIMESTAMP_LTZ, arguments[2]->type->id == WEIR_TIMESTAMP_LTZ};
    if (instants[0] != instants[1]) {
        return weir_binder_fail(
            binder, &call->position,
            "TIMESTAMPDIFF does not mix TIMESTAMP_LTZ with types that have no zone; cast one of them");
    }
    bool nullable = arguments[1]->type->nullable || arguments[2]->type->nullable;
    *out = weir_expression_call(binder, &weir_kernel_difference, option_of(binder, call->arguments[0]->text),
                                weir_type_simple(WEIR_INT, nullable), &call->position, arguments + 1, 2);
    return WEIR_OK;
}

/* DATE_FORMAT of a timestamp, or of text that holds one. */
WEIR_BIND_RULE(weir_rule_date_format)
{
    const weir_type *type = arguments[0]->type;
    WEIR_TRY(weir_binder_typed(binder, arguments[0]));
    bool fits = (weir_type_is_timestamp(type) || weir_type_is_text(type)) && weir_type_is_text(arguments[1]->type);
    if (!fits) {
        return weir_binder_fail(binder, &call->position, "DATE_FORMAT(timestamp, pattern) does not take %s and %s",
                                weir_sql_type_text(binder->arena, type),
                                weir_sql_type_text(binder->arena, arguments[1]->type));
    }
    const weir_kernel *kernel = weir_type_is_text(type) ? &weir_kernel_format_text : &weir_kernel_format_timestamp;
    *out = weir_expression_call(binder, kernel, binder->bound->time_zone, weir_type_simple(WEIR_VARCHAR, true),
                                &call->position, arguments, count);
    return WEIR_OK;
}

/* TO_TIMESTAMP_LTZ of a number, with the precision of its unit, or of a text, with its pattern and zone. */
WEIR_BIND_RULE(weir_rule_to_timestamp_ltz)
{
    WEIR_TRY(weir_binder_typed(binder, arguments[0]));
    bool text = weir_type_is_text(arguments[0]->type);
    bool fits = text || (weir_type_is_numeric(arguments[0]->type) && count <= 2);
    for (int32_t i = 1; i < count; i++) {
        WEIR_TRY(weir_binder_typed(binder, arguments[i]));
        fits = fits && (text ? weir_type_is_text(arguments[i]->type) : weir_type_is_integer(arguments[i]->type));
    }
    if (!fits) {
        return weir_binder_fail(binder, &call->position,
                                "TO_TIMESTAMP_LTZ takes a number and 0 (seconds) or 3 (milliseconds), or a text, its "
                                "pattern and its zone; not %s",
                                weir_sql_type_text(binder->arena, arguments[count > 1 ? 1 : 0]->type));
    }
    if (!text && count > 1) {
        const weir_type *target = weir_type_simple(WEIR_INT, arguments[1]->type->nullable);
        WEIR_TRY(weir_binder_cast(binder, arguments[1], target, false, &arguments[1]));
    }
    const weir_type *type = weir_type_with_length(binder->arena, WEIR_TIMESTAMP_LTZ, 3, true);
    *out = weir_expression_call(binder, text ? &weir_kernel_to_instant_text : &weir_kernel_to_instant_number, NULL,
                                type, &call->position, arguments, count);
    return WEIR_OK;
}

/* UNIX_TIMESTAMP() is the statement's moment; with text, that of the text. */
WEIR_BIND_RULE(weir_rule_unix_timestamp)
{
    bool nullable = false;
    for (int32_t i = 0; i < count; i++) {
        WEIR_TRY(weir_binder_typed(binder, arguments[i]));
        if (!weir_type_is_text(arguments[i]->type)) {
            return weir_binder_fail(binder, &call->position, "UNIX_TIMESTAMP([text[, pattern]]) does not take %s",
                                    weir_sql_type_text(binder->arena, arguments[i]->type));
        }
        nullable = nullable || arguments[i]->type->nullable;
    }
    const weir_type *type = weir_type_simple(WEIR_BIGINT, nullable);
    if (count == 0 && binder->context->streaming) {
        *out = weir_expression_call(binder, &weir_kernel_now, NULL, type, &call->position, NULL, 0);
        return WEIR_OK;
    }
    *out = count == 0 ? weir_expression_literal(binder, type, (weir_literal){.integer = binder->now_ms / 1000},
                                                &call->position)
                      : weir_expression_call(binder, &weir_kernel_unix_timestamp, binder->bound->time_zone, type,
                                             &call->position, arguments, count);
    return WEIR_OK;
}

/* --- Now ------------------------------------------------------------------------------------------------------- */

/* The statement's moment as TIMESTAMP_LTZ(3); in a stream that of each row, as `kernel` gives it. */
static weir_expression *moment_by(weir_binder *binder, const weir_kernel *kernel, const weir_position *at)
{
    const weir_type *type = weir_type_with_length(binder->arena, WEIR_TIMESTAMP_LTZ, 3, false);
    return binder->context->streaming
               ? weir_expression_call(binder, kernel, NULL, type, at, NULL, 0)
               : weir_expression_literal(binder, type, (weir_literal){.integer = binder->now_ms}, at);
}

static weir_expression *moment(weir_binder *binder, const weir_position *at)
{
    return moment_by(binder, &weir_kernel_now, at);
}

static int moment_as(weir_binder *binder, const weir_position *at, weir_type_id id, int precision,
                     weir_expression **out)
{
    weir_type *type = weir_type_new(binder->arena, id, false);
    type->precision = precision;
    return weir_binder_cast(binder, moment(binder, at), type, false, out);
}

WEIR_BIND_RULE(weir_rule_current_timestamp)
{
    (void)arguments;
    (void)count;
    *out = moment(binder, &call->position);
    return WEIR_OK;
}

/* In a stream a column of it is a time by which windows can be made. */
WEIR_BIND_RULE(weir_rule_proctime)
{
    (void)arguments;
    (void)count;
    *out = moment_by(binder, &weir_kernel_proctime, &call->position);
    return WEIR_OK;
}

WEIR_BIND_RULE(weir_rule_local_timestamp)
{
    (void)arguments;
    (void)count;
    return moment_as(binder, &call->position, WEIR_TIMESTAMP, 3, out);
}

WEIR_BIND_RULE(weir_rule_current_date)
{
    (void)arguments;
    (void)count;
    return moment_as(binder, &call->position, WEIR_DATE, 0, out);
}

WEIR_BIND_RULE(weir_rule_current_time)
{
    (void)arguments;
    (void)count;
    const weir_type *time = weir_type_with_length(binder->arena, WEIR_TIME, 0, false);
    WEIR_TRY(moment_as(binder, &call->position, WEIR_TIMESTAMP_LTZ, 0, out)); /* without milliseconds */
    return weir_binder_cast(binder, *out, time, false, out);
}

/* A query over what is there has seen no watermark; streams have. */
WEIR_BIND_RULE(weir_rule_current_watermark)
{
    (void)count;
    if (!weir_type_is_timestamp(arguments[0]->type)) {
        return weir_binder_fail(binder, &call->arguments[0]->position,
                                "CURRENT_WATERMARK takes a column with a WATERMARK, but this is %s",
                                weir_sql_type_text(binder->arena, arguments[0]->type));
    }
    const weir_type *type = weir_binder_nullable(binder, arguments[0]->type, true);
    *out = binder->context->streaming
               ? weir_expression_call(binder, &weir_kernel_current_watermark, NULL, type, &call->position, arguments, 1)
               : weir_expression_null(binder, type, &call->position);
    return WEIR_OK;
}
