/* Clocks of zones, by Flink's rules where clocks are put forward or back
 * (org.apache.flink.table.runtime.util.TimeWindowUtil). */
#include "stream/operator/window/window_clock.h"

#define HOUR_MS INT64_C(3600000)

static int64_t floor_divide(int64_t value, int64_t by) { return value / by - (value % by < 0); }

int64_t weir_time_millis(const weir_vector *times, int64_t row)
{
    if (times->type->precision <= 3) {
        return WEIR_VALUES(times, int64_t)[row];
    }
    return times->type->precision <= 6 ? floor_divide(WEIR_VALUES(times, int64_t)[row], 1000)
                                       : WEIR_VALUES(times, weir_timestamp_nanos)[row].millis;
}

int weir_time_append_millis(weir_vector *times, int64_t millis, weir_error *err)
{
    if (times->type->precision > 6) {
        weir_timestamp_nanos nanos = {millis, 0, 0};
        return weir_vector_append_raw(times, &nanos, sizeof nanos, err);
    }
    int64_t value = times->type->precision <= 3 ? millis : millis * 1000;
    return weir_vector_append_raw(times, &value, sizeof value, err);
}

const weir_zone *weir_window_zone(const char *name)
{
    return name == NULL || strcmp(name, "UTC") == 0 ? NULL : weir_zone_find(name);
}

int64_t weir_window_local(const weir_zone *zone, int64_t instant)
{
    return zone == NULL ? instant : instant + 1000 * (int64_t)weir_zone_offset(zone, floor_divide(instant, 1000));
}

int64_t weir_window_instant(const weir_zone *zone, int64_t local)
{
    return zone == NULL ? local : local - 1000 * (int64_t)weir_zone_local_offset(zone, floor_divide(local, 1000));
}

int64_t weir_window_due(const weir_zone *zone, int64_t local)
{
    int64_t instant = weir_window_instant(zone, local);
    int64_t hour_later = weir_window_instant(zone, local + HOUR_MS);
    if (hour_later - instant > HOUR_MS) {
        return hour_later - HOUR_MS; /* the clock shows it twice */
    }
    return hour_later == instant ? instant - instant % HOUR_MS : instant; /* never, or once */
}

int64_t weir_window_start(int64_t time, int64_t size, int64_t offset)
{
    return offset + floor_divide(time - offset, size) * size;
}
