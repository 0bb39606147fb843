/* Dates and times as JSON has them: fixed places, read without looking for separators. */
#ifndef WEIR_FORMAT_JSON_TIME_H
#define WEIR_FORMAT_JSON_TIME_H

#include "format/json/json.h"

/* `yyyy-MM-dd`, or a year with a sign and up to nine digits. */
bool weir_json_date(const uint8_t *text, size_t size, int32_t *out_days);

/* `HH:mm:ss[.fraction]`, milliseconds, what is finer cut off. */
bool weir_json_time(const uint8_t *text, size_t size, int32_t *out_millis);

typedef enum weir_json_zone {
    WEIR_JSON_ZONE_NONE,    /* none may be there */
    WEIR_JSON_ZONE_Z,       /* a Z must be there */
    WEIR_JSON_ZONE_OPTIONAL /* Z, an offset (+08:00, +0800, +08), or none */
} weir_json_zone;

/* `yyyy-MM-dd` and `HH:mm:ss[.fraction]`, between them a blank, or a T and then the seconds are optional; then the
 * zone, whose offset is taken off. All nine digits of the fraction are kept. */
bool weir_json_timestamp(const uint8_t *text, size_t size, weir_json_time_format format, weir_json_zone zone,
                         weir_timestamp_nanos *out);

#endif
