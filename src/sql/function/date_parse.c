/* Reading times by Java's patterns. */
#include <strings.h>

#include "base/clock.h"
#include "sql/function/date_pattern.h"
#include "vector/time_text.h"

typedef struct fields {
    int64_t year, month, day, day_of_year;
    int64_t hour, half_hour, minute, second, nanos;
    bool has_half_hour, has_day_of_year, afternoon, has_offset;
    int32_t offset_seconds;
} fields;

typedef struct reading {
    weir_pattern_dialect dialect;
    weir_slice pattern;
    weir_slice text;
    size_t at; /* in the text */
} reading;

/* --- Numbers --------------------------------------------------------------------------------------------------- */

static bool is_number_piece(const weir_pattern_piece *piece)
{
    bool months = piece->letter == 'M' || piece->letter == 'L';
    return strchr("yuYMLdDHhkKmsSnNA", piece->letter) != NULL && !(months && piece->count > 2);
}

/* Digits that the number pieces directly after this one will need. */
static int following_digits(const reading *cursor, size_t offset)
{
    int digits = 0;
    weir_pattern_piece next;
    bool valid;
    while (weir_date_pattern_next(cursor->pattern, &offset, &next, &valid) && next.letter != 0 &&
           is_number_piece(&next)) {
        digits += next.count;
    }
    return digits;
}

static int count_digits(const reading *cursor)
{
    int digits = 0;
    while (cursor->at + (size_t)digits < cursor->text.size && cursor->text.data[cursor->at + (size_t)digits] >= '0' &&
           cursor->text.data[cursor->at + (size_t)digits] <= '9') {
        digits++;
    }
    return digits;
}

/* How many of the digits at hand are this piece's. DateTimeFormatter: as many as its letters, but one letter takes all,
 * and a year of four or more takes more. SimpleDateFormat: all, unless another number follows directly. */
static int take_digits(const reading *cursor, const weir_pattern_piece *piece, size_t offset, int available)
{
    int reserved = following_digits(cursor, offset);
    if (cursor->dialect == WEIR_PATTERN_SIMPLE) {
        return reserved > 0 ? (available < piece->count ? available : piece->count) : available;
    }
    bool year = strchr("yuY", piece->letter) != NULL;
    bool open = (piece->count == 1 && piece->letter != 'S') || (year && piece->count != 2);
    int most = open ? available - reserved : piece->count;
    return most > available || most < piece->count ? -1 : most;
}

static bool parse_number(reading *cursor, const weir_pattern_piece *piece, size_t offset, int64_t *value, int *digits)
{
    while (cursor->dialect == WEIR_PATTERN_SIMPLE && cursor->at < cursor->text.size &&
           cursor->text.data[cursor->at] == ' ') {
        cursor->at++;
    }
    bool negative = cursor->dialect == WEIR_PATTERN_SIMPLE && cursor->at < cursor->text.size &&
                    cursor->text.data[cursor->at] == '-';
    cursor->at += negative;
    int available = count_digits(cursor);
    int taken = take_digits(cursor, piece, offset, available);
    if (taken <= 0 || taken > 18) {
        return false;
    }
    *value = 0;
    for (int i = 0; i < taken; i++) {
        *value = *value * 10 + (cursor->text.data[cursor->at++] - '0');
    }
    *value = negative ? -*value : *value;
    *digits = taken;
    return true;
}

/* --- Words ----------------------------------------------------------------------------------------------------- */

/* The place of the name that the text begins with, full or of three letters; -1: none. */
static int parse_name(reading *cursor, const char *const *names, int count, bool full)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < count; i++) {
            size_t size = (pass == 0) == (full || cursor->dialect == WEIR_PATTERN_SIMPLE) ? strlen(names[i]) : 3;
            bool fits = cursor->text.size - cursor->at >= size;
            const char *here = (const char *)cursor->text.data + cursor->at;
            bool same = fits && (cursor->dialect == WEIR_PATTERN_SIMPLE ? strncasecmp(here, names[i], size) == 0
                                                                        : strncmp(here, names[i], size) == 0);
            if (same) {
                cursor->at += size;
                return i;
            }
        }
        if (cursor->dialect == WEIR_PATTERN_FORMATTER) {
            break;
        }
    }
    return -1;
}

static bool parse_half_day(reading *cursor, fields *out)
{
    if (cursor->text.size - cursor->at < 2) {
        return false;
    }
    const char *here = (const char *)cursor->text.data + cursor->at;
    bool simple = cursor->dialect == WEIR_PATTERN_SIMPLE;
    bool am = simple ? strncasecmp(here, "AM", 2) == 0 : strncmp(here, "AM", 2) == 0;
    bool pm = simple ? strncasecmp(here, "PM", 2) == 0 : strncmp(here, "PM", 2) == 0;
    cursor->at += 2;
    out->afternoon = pm;
    return am || pm;
}

/* Z, +08, +0800, +08:00, GMT, UTC. */
static bool parse_offset(reading *cursor, fields *out)
{
    weir_slice rest = weir_slice_of(cursor->text.data + cursor->at, cursor->text.size - cursor->at);
    out->has_offset = true;
    out->offset_seconds = 0;
    bool named = rest.size >= 3 && (memcmp(rest.data, "GMT", 3) == 0 || memcmp(rest.data, "UTC", 3) == 0);
    if (named) {
        cursor->at += 3;
        rest = weir_slice_of(rest.data + 3, rest.size - 3);
    } else if (rest.size > 0 && rest.data[0] == 'Z') {
        cursor->at++;
        return true;
    }
    if (rest.size == 0 || (rest.data[0] != '+' && rest.data[0] != '-')) {
        return named;
    }
    int digits[4] = {0};
    int count = 0;
    size_t i = 1;
    for (; i < rest.size && count < 4; i++) {
        if (rest.data[i] >= '0' && rest.data[i] <= '9') {
            digits[count++] = rest.data[i] - '0';
        } else if (rest.data[i] != ':' || count != 2) {
            break;
        }
    }
    if (count != 2 && count != 4) {
        return false;
    }
    int32_t seconds = (digits[0] * 10 + digits[1]) * 3600 + (digits[2] * 10 + digits[3]) * 60;
    out->offset_seconds = rest.data[0] == '-' ? -seconds : seconds;
    cursor->at += i;
    return true;
}

/* --- Pieces ---------------------------------------------------------------------------------------------------- */

static bool parse_literal(reading *cursor, const weir_pattern_piece *piece)
{
    for (size_t i = 0; i < piece->literal.size; i++) {
        uint8_t byte = piece->literal.data[i];
        if (cursor->at >= cursor->text.size || cursor->text.data[cursor->at] != byte) {
            return false;
        }
        cursor->at++;
        i += piece->quoted && byte == '\'';
    }
    return true;
}

/* Two digits are of 2000 to 2099; SimpleDateFormat also takes the past eighty years for them. */
static int64_t full_year(const reading *cursor, const weir_pattern_piece *piece, int64_t year, int digits)
{
    bool two = cursor->dialect == WEIR_PATTERN_SIMPLE ? piece->count <= 2 && digits == 2 : piece->count == 2;
    if (!two) {
        return year;
    }
    if (cursor->dialect == WEIR_PATTERN_FORMATTER) {
        return 2000 + year;
    }
    int64_t now;
    int month;
    int day;
    weir_civil_from_days(weir_now_ms() / WEIR_MILLIS_PER_DAY, &now, &month, &day);
    int64_t start = now - 80;
    return start + weir_floor_mod(year - start, 100);
}

static int64_t fraction_nanos(int64_t value, int digits)
{
    for (int i = digits; i < 9; i++) {
        value *= 10;
    }
    return value;
}

static bool set_number(const reading *cursor, const weir_pattern_piece *piece, int64_t value, int digits, fields *out)
{
    switch (piece->letter) {
    case 'y':
    case 'u':
        out->year = full_year(cursor, piece, value, digits);
        return true;
    case 'M':
    case 'L':
        out->month = value;
        return true;
    case 'd':
        out->day = value;
        return true;
    case 'D':
        out->day_of_year = value;
        out->has_day_of_year = true;
        return true;
    case 'H':
    case 'k':
        out->hour = piece->letter == 'k' ? value % 24 : value;
        return true;
    case 'h':
    case 'K':
        out->half_hour = value % 12;
        out->has_half_hour = true;
        return true;
    case 'm':
        out->minute = value;
        return true;
    case 's':
        out->second = value;
        return true;
    case 'S':
        out->nanos = cursor->dialect == WEIR_PATTERN_SIMPLE ? value * 1000000 : fraction_nanos(value, digits);
        return true;
    default:
        return false;
    }
}

static bool parse_piece(reading *cursor, const weir_pattern_piece *piece, size_t offset, fields *out)
{
    int64_t value;
    int digits;
    int name;
    if (piece->letter == 0) {
        return parse_literal(cursor, piece);
    }
    if (is_number_piece(piece)) {
        return parse_number(cursor, piece, offset, &value, &digits) && set_number(cursor, piece, value, digits, out);
    }
    switch (piece->letter) {
    case 'M':
    case 'L':
        name = parse_name(cursor, weir_month_names, 12, piece->count == 4);
        out->month = name + 1;
        return name >= 0;
    case 'E':
        return parse_name(cursor, weir_day_names, 7, piece->count == 4) >= 0;
    case 'a':
        return parse_half_day(cursor, out);
    case 'Z':
    case 'X':
    case 'z':
        return parse_offset(cursor, out);
    default:
        return false;
    }
}

/* --- Putting together ------------------------------------------------------------------------------------------ */

static int64_t month_length(int64_t year, int64_t month)
{
    int64_t next = month == 12 ? weir_days_from_civil(year + 1, 1, 1) : weir_days_from_civil(year, (int)month + 1, 1);
    return next - weir_days_from_civil(year, (int)month, 1);
}

/* DateTimeFormatter checks ranges, and takes a day up to the 31st for the month's last. */
static bool resolve_smart(fields *in)
{
    bool fits = in->month >= 1 && in->month <= 12 && in->day >= 1 && in->day <= 31 && in->hour >= 0 && in->hour <= 23 &&
                in->minute >= 0 && in->minute <= 59 && in->second >= 0 && in->second <= 59 && in->year >= -999999 &&
                in->year <= 999999;
    if (fits) {
        int64_t last = month_length(in->year, in->month);
        in->day = in->day < last ? in->day : last;
    }
    return fits;
}

/* SimpleDateFormat lets fields roll over. */
static bool resolve_lenient(fields *in)
{
    int64_t months = in->year * 12 + in->month - 1;
    in->year = weir_floor_div(months, 12);
    in->month = weir_floor_mod(months, 12) + 1;
    return in->year >= -999999 && in->year <= 999999 && in->day > -1000000 && in->day < 1000000 &&
           in->hour > -1000000 && in->hour < 1000000;
}

static bool resolve(weir_pattern_dialect dialect, fields *in, weir_parsed_time *out)
{
    if (in->has_half_hour) {
        in->hour = in->half_hour + (in->afternoon ? 12 : 0);
    }
    if (dialect == WEIR_PATTERN_FORMATTER ? !resolve_smart(in) : !resolve_lenient(in)) {
        return false;
    }
    int64_t days = in->has_day_of_year ? weir_days_from_civil(in->year, 1, 1) + in->day_of_year - 1
                                       : weir_days_from_civil(in->year, (int)in->month, 1) + in->day - 1;
    int64_t seconds = in->hour * 3600 + in->minute * 60 + in->second;
    *out = (weir_parsed_time){.millis = days * WEIR_MILLIS_PER_DAY + seconds * 1000 + in->nanos / 1000000,
                              .nanos_of_milli = (int32_t)(in->nanos % 1000000),
                              .has_offset = in->has_offset,
                              .offset_seconds = in->offset_seconds};
    return true;
}

bool weir_date_pattern_parse(weir_pattern_dialect dialect, weir_slice pattern, weir_slice text, weir_parsed_time *out)
{
    fields parsed = {.year = 1970, .month = 1, .day = 1};
    reading cursor = {.dialect = dialect, .pattern = pattern, .text = text};
    size_t offset = 0;
    weir_pattern_piece piece;
    bool valid;
    while (weir_date_pattern_next(pattern, &offset, &piece, &valid)) {
        if (!parse_piece(&cursor, &piece, offset, &parsed)) {
            return false;
        }
    }
    bool whole = dialect == WEIR_PATTERN_SIMPLE || cursor.at == text.size;
    return valid && whole && resolve(dialect, &parsed, out);
}
