/* Taking patterns apart, and writing times by them. */
#include "sql/function/date_pattern.h"

#include "base/clock.h"
#include "vector/time_text.h"

const char *const weir_month_names[12] = {"January", "February", "March",     "April",   "May",      "June",
                                          "July",    "August",   "September", "October", "November", "December"};
const char *const weir_day_names[7] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};

weir_local_time weir_local_time_of(int64_t millis, int32_t nanos_of_milli)
{
    weir_local_time time = {.days = weir_floor_div(millis, WEIR_MILLIS_PER_DAY)};
    time.nanos = weir_floor_mod(millis, WEIR_MILLIS_PER_DAY) * 1000000 + nanos_of_milli;
    weir_civil_from_days(time.days, &time.year, &time.month, &time.day);
    return time;
}

static bool is_letter(uint8_t byte) { return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z'; }

bool weir_date_pattern_next(weir_slice pattern, size_t *offset, weir_pattern_piece *out, bool *valid)
{
    size_t i = *offset;
    *valid = true;
    if (i >= pattern.size) {
        return false;
    }
    size_t begin = i;
    *out = (weir_pattern_piece){0};
    if (is_letter(pattern.data[i])) {
        out->letter = (char)pattern.data[i];
        while (i < pattern.size && pattern.data[i] == pattern.data[begin]) {
            i++;
        }
        out->count = (int)(i - begin);
    } else if (pattern.data[i] == '\'') {
        out->quoted = true;
        i++;
        while (i < pattern.size &&
               !(pattern.data[i] == '\'' && !(i + 1 < pattern.size && pattern.data[i + 1] == '\''))) {
            i += pattern.data[i] == '\'' ? 2 : 1;
        }
        *valid = i < pattern.size;
        out->literal = weir_slice_of(pattern.data + begin + 1, (i < pattern.size ? i : pattern.size) - begin - 1);
        if (*valid && out->literal.size == 0) { /* '' outside of quotes is a quote */
            out->literal = weir_slice_of(pattern.data + begin, 1);
            out->quoted = false;
        }
        i++;
    } else {
        while (i < pattern.size && !is_letter(pattern.data[i]) && pattern.data[i] != '\'') {
            i++;
        }
        out->literal = weir_slice_of(pattern.data + begin, i - begin);
    }
    *offset = i;
    return *valid;
}

/* --- Weeks from Sunday, the first being the one of 1 January --------------------------------------------------- */

static int64_t weekday(int64_t days) { return weir_floor_mod(days + 4, 7); /* Sunday is 0 */ }

static int64_t first_week(int64_t year)
{
    int64_t january = weir_days_from_civil(year, 1, 1);
    return january - weekday(january);
}

static void week_of_year(const weir_local_time *time, int64_t *year, int64_t *week)
{
    *year = time->year;
    if (time->days >= first_week(time->year + 1)) {
        (*year)++;
    }
    *week = (time->days - first_week(*year)) / 7 + 1;
}

static int64_t week_of_month(const weir_local_time *time)
{
    int64_t first = weir_days_from_civil(time->year, time->month, 1);
    return (time->days - (first - weekday(first))) / 7 + 1;
}

/* --- Fields ---------------------------------------------------------------------------------------------------- */

static void append_number(weir_buffer *out, int64_t value, int width)
{
    weir_buffer_append_format(out, "%s%0*" PRId64, value < 0 ? "-" : "", width > 40 ? 40 : width,
                              value < 0 ? -value : value);
}

static void append_name(weir_buffer *out, const char *name, int count)
{
    size_t size = count >= 5 ? 1 : count == 4 ? strlen(name) : 3;
    weir_buffer_append(out, name, size);
}

static void append_year(weir_buffer *out, int64_t year, int count, weir_pattern_dialect dialect)
{
    if (count == 2) {
        append_number(out, weir_floor_mod(year, 100), 2);
    } else {
        if (dialect == WEIR_PATTERN_FORMATTER && count >= 4 && year > 9999) {
            weir_buffer_append_byte(out, '+');
        }
        append_number(out, year, count);
    }
}

static void append_offset(weir_buffer *out, int32_t seconds, char letter, int count)
{
    if (letter == 'X' && seconds == 0) {
        weir_buffer_append_byte(out, 'Z');
        return;
    }
    int32_t magnitude = seconds < 0 ? -seconds : seconds;
    weir_buffer_append_format(out, "%c%02d", seconds < 0 ? '-' : '+', magnitude / 3600);
    if (letter != 'X' || count > 1) {
        weir_buffer_append_format(out, "%s%02d", letter == 'X' && count == 3 ? ":" : "", magnitude / 60 % 60);
    }
}

/* Letters of a time of day. */
static bool append_clock(const weir_pattern_piece *piece, int64_t nanos, weir_buffer *out)
{
    int64_t hour = nanos / INT64_C(3600000000000);
    switch (piece->letter) {
    case 'a':
        weir_buffer_append_text(out, hour < 12 ? "AM" : "PM");
        return true;
    case 'H':
        append_number(out, hour, piece->count);
        return true;
    case 'k':
        append_number(out, hour == 0 ? 24 : hour, piece->count);
        return true;
    case 'K':
        append_number(out, hour % 12, piece->count);
        return true;
    case 'h':
        append_number(out, hour % 12 == 0 ? 12 : hour % 12, piece->count);
        return true;
    case 'm':
        append_number(out, nanos / INT64_C(60000000000) % 60, piece->count);
        return true;
    case 's':
        append_number(out, nanos / 1000000000 % 60, piece->count);
        return true;
    default:
        return false;
    }
}

/* Letters that both dialects have and read alike. */
static bool append_common(const weir_pattern_piece *piece, const weir_local_time *time, weir_pattern_dialect dialect,
                          weir_buffer *out)
{
    int64_t year = time->year;
    int64_t week;
    int64_t week_year;
    week_of_year(time, &week_year, &week);
    switch (piece->letter) {
    case 'G':
        weir_buffer_append_text(out, year > 0 ? "AD" : "BC");
        return true;
    case 'y':
        append_year(out, year > 0 ? year : 1 - year, piece->count, dialect);
        return true;
    case 'Y':
        append_year(out, week_year, piece->count, dialect);
        return true;
    case 'M':
    case 'L':
        if (piece->count <= 2) {
            append_number(out, time->month, piece->count);
        } else {
            append_name(out, weir_month_names[time->month - 1],
                        dialect == WEIR_PATTERN_SIMPLE && piece->count > 4 ? 4 : piece->count);
        }
        return true;
    case 'd':
        append_number(out, time->day, piece->count);
        return true;
    case 'D':
        append_number(out, time->days - weir_days_from_civil(year, 1, 1) + 1, piece->count);
        return true;
    case 'w':
        append_number(out, week, piece->count);
        return true;
    case 'W':
        append_number(out, week_of_month(time), piece->count);
        return true;
    case 'F':
        append_number(out, (time->day - 1) / 7 + 1, piece->count);
        return true;
    case 'E':
        append_name(out, weir_day_names[weekday(time->days)], piece->count);
        return true;
    default:
        return append_clock(piece, time->nanos, out);
    }
}

static void append_fraction(weir_buffer *out, int64_t nanos, int count)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%09d", (int)(nanos % 1000000000));
    weir_buffer_append(out, digits, (size_t)count);
}

static bool append_formatter(const weir_pattern_piece *piece, const weir_local_time *time, weir_buffer *out)
{
    int64_t quarter = (time->month + 2) / 3;
    switch (piece->letter) {
    case 'u':
        append_year(out, time->year, piece->count, WEIR_PATTERN_FORMATTER);
        return true;
    case 'S':
        if (piece->count > 9) {
            return false;
        }
        append_fraction(out, time->nanos, piece->count);
        return true;
    case 'n':
        append_number(out, time->nanos % 1000000000, piece->count);
        return true;
    case 'N':
        append_number(out, time->nanos, piece->count);
        return true;
    case 'A':
        append_number(out, time->nanos / 1000000, piece->count);
        return true;
    case 'e':
    case 'c':
        if (piece->count <= 2) {
            append_number(out, weekday(time->days) + 1, piece->count);
        } else {
            append_name(out, weir_day_names[weekday(time->days)], piece->count);
        }
        return true;
    case 'Q':
    case 'q':
        if (piece->count <= 2) {
            append_number(out, quarter, piece->count);
        } else {
            weir_buffer_append_format(out, "Q%" PRId64, quarter);
        }
        return piece->count <= 3;
    default:
        return append_common(piece, time, WEIR_PATTERN_FORMATTER, out);
    }
}

static bool append_simple(const weir_pattern_piece *piece, const weir_local_time *time, weir_buffer *out)
{
    switch (piece->letter) {
    case 'u':
        append_number(out, weekday(time->days) == 0 ? 7 : weekday(time->days), piece->count);
        return true;
    case 'S':
        append_number(out, time->nanos / 1000000 % 1000, piece->count);
        return true;
    case 'Z':
    case 'X':
        append_offset(out, time->offset_seconds, piece->letter, piece->count);
        return true;
    default:
        return append_common(piece, time, WEIR_PATTERN_SIMPLE, out);
    }
}

static bool append_literal(weir_pattern_dialect dialect, const weir_pattern_piece *piece, weir_buffer *out)
{
    for (size_t i = 0; i < piece->literal.size; i++) {
        uint8_t byte = piece->literal.data[i];
        bool special = dialect == WEIR_PATTERN_FORMATTER && !piece->quoted && strchr("[]{}#", byte) != NULL;
        if (special && byte != '[' && byte != ']') {
            return false; /* reserved */
        }
        if (!special) {
            weir_buffer_append_byte(out, byte);
        }
        i += piece->quoted && byte == '\''; /* the second of two quotes */
    }
    return true;
}

bool weir_date_pattern_format(weir_pattern_dialect dialect, weir_slice pattern, const weir_local_time *time,
                              weir_buffer *out)
{
    size_t offset = 0;
    weir_pattern_piece piece;
    bool valid;
    while (weir_date_pattern_next(pattern, &offset, &piece, &valid)) {
        if (piece.letter == 0) {
            valid = append_literal(dialect, &piece, out);
        } else {
            valid = dialect == WEIR_PATTERN_FORMATTER ? append_formatter(&piece, time, out)
                                                      : append_simple(&piece, time, out);
        }
        if (!valid) {
            return false;
        }
    }
    return valid;
}
