/* Time zones, from the system's tzdata, with Java's answers for local times that occur twice or never. */
#ifndef WEIR_BASE_ZONE_H
#define WEIR_BASE_ZONE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct weir_zone weir_zone;

/* The zone of a name such as UTC, Asia/Shanghai, GMT+08:00 or +05:30, or NULL when there is none. Zones are kept for
 * the life of the process. Thread-safe. */
const weir_zone *weir_zone_find(const char *name);

/* Seconds east of UTC at an instant (seconds since the epoch). */
int32_t weir_zone_offset(const weir_zone *zone, int64_t utc_seconds);

/* The offset that a local time has there: of a time that occurs twice the earlier instant's, of one that is skipped the
 * one before the gap (java.time). */
int32_t weir_zone_local_offset(const weir_zone *zone, int64_t local_seconds);

#endif
