/* Java's patterns of dates and times, such as yyyy-MM-dd HH:mm:ss, in the two dialects that Flink's functions use:
 * java.time.format.DateTimeFormatter (strict about text, fractions of a second) and java.text.SimpleDateFormat
 * (lenient: fields roll over, what follows the pattern is ignored). English names, weeks from Sunday. */
#ifndef WEIR_SQL_FUNCTION_DATE_PATTERN_H
#define WEIR_SQL_FUNCTION_DATE_PATTERN_H

#include "base/buffer.h"

/* A local date and time, taken apart. */
typedef struct weir_local_time {
    int64_t days; /* since the epoch */
    int64_t year;
    int month, day;
    int64_t nanos;          /* of the day */
    int32_t offset_seconds; /* of the zone, for Z and X of SimpleDateFormat */
} weir_local_time;

weir_local_time weir_local_time_of(int64_t millis, int32_t nanos_of_milli);

typedef enum weir_pattern_dialect { WEIR_PATTERN_FORMATTER, WEIR_PATTERN_SIMPLE } weir_pattern_dialect;

/* Appends the time by the pattern; false when the pattern is not usable. */
bool weir_date_pattern_format(weir_pattern_dialect dialect, weir_slice pattern, const weir_local_time *time,
                              weir_buffer *out);

/* What a text says; fields that the pattern lacks are those of 1970-01-01 00:00. */
typedef struct weir_parsed_time {
    int64_t millis; /* local, unless has_offset */
    int32_t nanos_of_milli;
    bool has_offset;
    int32_t offset_seconds;
} weir_parsed_time;

/* False when the text does not fit, or the pattern is not usable. */
bool weir_date_pattern_parse(weir_pattern_dialect dialect, weir_slice pattern, weir_slice text, weir_parsed_time *out);

/* One piece of a pattern. */
typedef struct weir_pattern_piece {
    char letter;        /* 0: literal text */
    int count;          /* of the letter */
    weir_slice literal; /* with '' for a quote still doubled; `quoted` says that it stood in quotes */
    bool quoted;
} weir_pattern_piece;

/* The next piece from `*offset` on; false at the end, or with *valid false in an unclosed quote. */
bool weir_date_pattern_next(weir_slice pattern, size_t *offset, weir_pattern_piece *out, bool *valid);

extern const char *const weir_month_names[12];
extern const char *const weir_day_names[7]; /* from Sunday */

#endif
