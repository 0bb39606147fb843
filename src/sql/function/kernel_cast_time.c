/* Casts among dates, times and timestamps; and which kernel any CAST takes. */
#include "base/zone.h"
#include "sql/function/kernels.h"

int weir_kernel_zone(weir_kernel_call *call, const weir_zone **out, weir_error *err)
{
    if (call->cache == NULL) {
        const char *name = call->option == NULL ? "UTC" : call->option;
        call->cache = weir_zone_find(name);
        if (call->cache == NULL) {
            return weir_fail(err, WEIR_INVALID,
                             "unknown time zone '%s'; set 'table.local-time-zone' to one such as "
                             "'Asia/Shanghai' or 'GMT+08:00'",
                             name);
        }
    }
    *out = call->cache;
    return WEIR_OK;
}

weir_timestamp_nanos weir_kernel_to_local(const weir_zone *zone, weir_timestamp_nanos instant)
{
    instant.millis += (int64_t)weir_zone_offset(zone, weir_floor_div(instant.millis, 1000)) * 1000;
    return instant;
}

weir_timestamp_nanos weir_kernel_to_instant(const weir_zone *zone, weir_timestamp_nanos local)
{
    local.millis -= (int64_t)weir_zone_local_offset(zone, weir_floor_div(local.millis, 1000)) * 1000;
    return local;
}

static int timestamp_to_timestamp(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    return weir_kernel_put_timestamp(call, row, weir_kernel_timestamp(call, 0, row));
}

static int timestamp_to_instant(weir_kernel_call *call, int64_t row, weir_error *err)
{
    const weir_zone *zone;
    WEIR_TRY(weir_kernel_zone(call, &zone, err));
    return weir_kernel_put_timestamp(call, row, weir_kernel_to_instant(zone, weir_kernel_timestamp(call, 0, row)));
}

static int instant_to_timestamp(weir_kernel_call *call, int64_t row, weir_error *err)
{
    const weir_zone *zone;
    WEIR_TRY(weir_kernel_zone(call, &zone, err));
    return weir_kernel_put_timestamp(call, row, weir_kernel_to_local(zone, weir_kernel_timestamp(call, 0, row)));
}

static weir_timestamp_nanos from_millis(int64_t millis) { return (weir_timestamp_nanos){millis, 0, 0}; }

static int date_to_timestamp(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    return weir_kernel_put_timestamp(call, row, from_millis(weir_kernel_integer(call, 0, row) * WEIR_MILLIS_PER_DAY));
}

static int time_to_timestamp(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    return weir_kernel_put_timestamp(call, row, from_millis(weir_kernel_integer(call, 0, row)));
}

/* DATE and TIME to an instant: the local timestamp first. */
static int put_local(weir_kernel_call *call, int64_t row, int64_t millis, weir_error *err)
{
    const weir_zone *zone;
    WEIR_TRY(weir_kernel_zone(call, &zone, err));
    return weir_kernel_put_timestamp(call, row, weir_kernel_to_instant(zone, from_millis(millis)));
}

static int date_to_instant(weir_kernel_call *call, int64_t row, weir_error *err)
{
    return put_local(call, row, weir_kernel_integer(call, 0, row) * WEIR_MILLIS_PER_DAY, err);
}

static int time_to_instant(weir_kernel_call *call, int64_t row, weir_error *err)
{
    return put_local(call, row, weir_kernel_integer(call, 0, row), err);
}

static int put_part(weir_kernel_call *call, int64_t row, int64_t millis)
{
    int64_t part = call->type->id == WEIR_DATE ? weir_floor_div(millis, WEIR_MILLIS_PER_DAY)
                                               : weir_floor_mod(millis, WEIR_MILLIS_PER_DAY);
    return weir_kernel_put_integer(call, row, part);
}

static int timestamp_to_part(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    return put_part(call, row, weir_kernel_timestamp(call, 0, row).millis);
}

static int instant_to_part(weir_kernel_call *call, int64_t row, weir_error *err)
{
    const weir_zone *zone;
    WEIR_TRY(weir_kernel_zone(call, &zone, err));
    return put_part(call, row, weir_kernel_to_local(zone, weir_kernel_timestamp(call, 0, row)).millis);
}

static const weir_kernel keep_clock = {.name = "cast", .row = timestamp_to_timestamp};
static const weir_kernel to_instant = {.name = "cast", .row = timestamp_to_instant};
static const weir_kernel to_local = {.name = "cast", .row = instant_to_timestamp};
static const weir_kernel from_date = {.name = "cast", .row = date_to_timestamp};
static const weir_kernel from_time = {.name = "cast", .row = time_to_timestamp};
static const weir_kernel instant_from_date = {.name = "cast", .row = date_to_instant};
static const weir_kernel instant_from_time = {.name = "cast", .row = time_to_instant};
static const weir_kernel part_of_timestamp = {.name = "cast", .row = timestamp_to_part};
static const weir_kernel part_of_instant = {.name = "cast", .row = instant_to_part};

const weir_kernel *weir_kernel_cast_time(const weir_type *from, const weir_type *to, bool *out_needs_zone)
{
    bool from_instant = from->id == WEIR_TIMESTAMP_LTZ;
    bool into_instant = to->id == WEIR_TIMESTAMP_LTZ;
    if (to->id == WEIR_DATE || to->id == WEIR_TIME) {
        *out_needs_zone = from_instant;
        return from_instant ? &part_of_instant : &part_of_timestamp;
    }
    *out_needs_zone = from_instant != into_instant;
    if (from->id == WEIR_DATE) {
        return into_instant ? &instant_from_date : &from_date;
    }
    if (from->id == WEIR_TIME) {
        return into_instant ? &instant_from_time : &from_time;
    }
    if (from_instant == into_instant) {
        return &keep_clock;
    }
    return into_instant ? &to_instant : &to_local;
}

/* Whether values of one type are carried as values of the other without being touched. */
static bool carried_alike(const weir_type *from, const weir_type *to)
{
    if (weir_sql_type_equal(from, to, true) || (from->id == WEIR_TIME && to->id == WEIR_TIME)) {
        return true;
    }
    if (from->id == WEIR_TIMESTAMP && to->id == WEIR_TIMESTAMP) {
        return from->precision <= to->precision && (from->precision <= 6) == (to->precision <= 6);
    }
    if (from->id == WEIR_TIMESTAMP_LTZ && to->id == WEIR_TIMESTAMP_LTZ) {
        return from->precision <= to->precision && (from->precision <= 6) == (to->precision <= 6);
    }
    if (weir_type_is_text(from) && to->id == WEIR_VARCHAR) {
        return from->precision <= to->precision;
    }
    return weir_type_is_bytes(from) && to->id == WEIR_VARBINARY && from->precision <= to->precision;
}

const weir_kernel *weir_kernel_cast(const weir_type *from, const weir_type *to, bool try_cast, bool *out_needs_zone)
{
    *out_needs_zone = false;
    if (carried_alike(from, to)) {
        return NULL;
    }
    if (weir_type_is_text(to)) {
        return weir_kernel_cast_to_text(from, out_needs_zone);
    }
    if (weir_type_is_text(from) || weir_type_is_bytes(from)) {
        return weir_kernel_cast_from_text(to, try_cast, out_needs_zone);
    }
    if (weir_type_is_temporal(to)) {
        return weir_kernel_cast_time(from, to, out_needs_zone);
    }
    return weir_kernel_cast_number(from, to, try_cast);
}
