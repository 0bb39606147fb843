/* Reading tzdata's files (RFC 8536): transitions as 64-bit times, and a rule for all years after them.
 *
 *   | "TZif" version: 1, zeros: 15 | six counts: 4 each | 32-bit data | the same again with 64-bit data | \n rule \n |
 */
#include "base/zone.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/clock.h"
#include "base/map.h"
#include "base/text.h"

/* When daylight saving begins or ends in a year: Mm.w.d, or a day of the year. */
typedef struct zone_rule {
    char kind; /* 'M', 'J' (1..365, no 29 February) or 'D' (0..365) */
    int32_t month, week, day;
    int32_t second; /* of that day, local */
} zone_rule;

struct weir_zone {
    int64_t *times;   /* of transitions, ascending */
    int32_t *offsets; /* after each of them */
    size_t count;
    int32_t first_offset; /* before all of them */
    bool has_rules;
    int32_t standard_offset, daylight_offset;
    zone_rule daylight_begin, daylight_end;
};

/* --- The rule for later years ---------------------------------------------------------------------------------- */

static bool parse_number(const char **text, int32_t *out)
{
    if (!isdigit((unsigned char)**text)) {
        return false;
    }
    int32_t value = 0;
    while (isdigit((unsigned char)**text) && value < 100000) {
        value = value * 10 + (*(*text)++ - '0');
    }
    *out = value;
    return true;
}

/* [+-]h[h][:mm[:ss]] in seconds. */
static bool parse_clock(const char **text, int32_t *out)
{
    int32_t sign = **text == '-' ? -1 : 1;
    if (**text == '-' || **text == '+') {
        (*text)++;
    }
    int32_t parts[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        if (i > 0 && **text != ':') {
            break;
        }
        *text += i > 0;
        if (!parse_number(text, &parts[i])) {
            return false;
        }
    }
    *out = sign * (parts[0] * 3600 + parts[1] * 60 + parts[2]);
    return true;
}

static bool skip_name(const char **text)
{
    const char *from = *text;
    if (*from == '<') {
        const char *end = strchr(from, '>');
        if (end == NULL) {
            return false;
        }
        *text = end + 1;
        return true;
    }
    while (isalpha((unsigned char)**text)) {
        (*text)++;
    }
    return *text > from;
}

static bool parse_rule(const char **text, zone_rule *rule)
{
    *rule = (zone_rule){.kind = 'D', .second = 7200};
    if (**text != ',') {
        return false;
    }
    (*text)++;
    if (**text == 'M') {
        rule->kind = 'M';
        (*text)++;
        bool valid = parse_number(text, &rule->month) && *(*text)++ == '.' && parse_number(text, &rule->week) &&
                     *(*text)++ == '.' && parse_number(text, &rule->day);
        if (!valid || rule->month < 1 || rule->month > 12) {
            return false;
        }
    } else {
        if (**text == 'J') {
            rule->kind = 'J';
            (*text)++;
        }
        if (!parse_number(text, &rule->day)) {
            return false;
        }
    }
    if (**text == '/') {
        (*text)++;
        return parse_clock(text, &rule->second);
    }
    return true;
}

/* Such as EST5EDT,M3.2.0,M11.1.0: offsets there are west of UTC. */
static bool parse_rules(const char *text, weir_zone *zone)
{
    int32_t offset;
    if (!skip_name(&text) || !parse_clock(&text, &offset)) {
        return false;
    }
    zone->standard_offset = -offset;
    zone->daylight_offset = -offset;
    if (*text == '\0' || *text == '\n') {
        zone->has_rules = true;
        zone->daylight_begin.kind = '\0';
        return true;
    }
    if (!skip_name(&text)) {
        return false;
    }
    zone->daylight_offset = zone->standard_offset + 3600;
    if (*text != ',' && *text != '\0') {
        if (!parse_clock(&text, &offset)) {
            return false;
        }
        zone->daylight_offset = -offset;
    }
    zone->has_rules = parse_rule(&text, &zone->daylight_begin) && parse_rule(&text, &zone->daylight_end);
    return zone->has_rules;
}

/* Local seconds at which a rule applies in a year. */
static int64_t rule_second(const zone_rule *rule, int64_t year)
{
    int64_t first = weir_days_from_civil(year, 1, 1);
    bool leap = weir_days_from_civil(year + 1, 1, 1) - first == 366;
    int64_t day;
    if (rule->kind == 'J') {
        day = first + rule->day - 1 + (leap && rule->day >= 60);
    } else if (rule->kind == 'D') {
        day = first + rule->day;
    } else {
        int64_t month_first = weir_days_from_civil(year, rule->month, 1);
        int64_t next_first =
            rule->month == 12 ? weir_days_from_civil(year + 1, 1, 1) : weir_days_from_civil(year, rule->month + 1, 1);
        int64_t weekday = ((month_first + 4) % 7 + 7) % 7; /* 1970-01-01 was a Thursday; Sunday is 0 */
        day = month_first + (rule->day - weekday + 7) % 7 + (int64_t)(rule->week - 1) * 7;
        while (day >= next_first) {
            day -= 7;
        }
    }
    return day * 86400 + rule->second;
}

static int32_t offset_by_rules(const weir_zone *zone, int64_t utc_seconds)
{
    if (zone->daylight_begin.kind == '\0') {
        return zone->standard_offset;
    }
    int64_t year;
    int month;
    int day;
    int64_t local = utc_seconds + zone->standard_offset;
    weir_civil_from_days(local / 86400 - (local % 86400 < 0), &year, &month, &day);
    int64_t begin = rule_second(&zone->daylight_begin, year) - zone->standard_offset;
    int64_t end = rule_second(&zone->daylight_end, year) - zone->daylight_offset;
    bool is_summer =
        begin < end ? utc_seconds >= begin && utc_seconds < end : utc_seconds >= begin || utc_seconds < end;
    return is_summer ? zone->daylight_offset : zone->standard_offset;
}

/* --- Files ----------------------------------------------------------------------------------------------------- */

typedef struct zone_counts {
    size_t utc, standard, leap, times, types, names;
} zone_counts;

static zone_counts read_counts(const uint8_t *header)
{
    return (zone_counts){weir_load_be32(header + 20), weir_load_be32(header + 24), weir_load_be32(header + 28),
                         weir_load_be32(header + 32), weir_load_be32(header + 36), weir_load_be32(header + 40)};
}

static size_t data_size(const zone_counts *counts, size_t time_size)
{
    return counts->times * (time_size + 1) + counts->types * 6 + counts->names + counts->leap * (time_size + 4) +
           counts->standard + counts->utc;
}

enum { header_size = 44 };

static bool read_transitions(weir_slice data, const zone_counts *counts, weir_zone *zone)
{
    if (counts->types == 0 || counts->times > 100000 || data_size(counts, 8) > data.size) {
        return false;
    }
    const uint8_t *indices = data.data + counts->times * 8;
    const uint8_t *types = indices + counts->times;
    zone->times = weir_alloc((counts->times + 1) * sizeof *zone->times);
    zone->offsets = weir_alloc((counts->times + 1) * sizeof *zone->offsets);
    zone->count = counts->times;
    zone->first_offset = (int32_t)weir_load_be32(types);
    for (size_t i = 0; i < counts->times; i++) {
        if (indices[i] >= counts->types) {
            return false;
        }
        zone->times[i] = (int64_t)weir_load_be64(data.data + i * 8);
        zone->offsets[i] = (int32_t)weir_load_be32(types + (size_t)indices[i] * 6);
    }
    return true;
}

static bool parse_file(const uint8_t *bytes, size_t size, weir_zone *zone)
{
    if (size < header_size || memcmp(bytes, "TZif", 4) != 0 || bytes[4] < '2') {
        return false;
    }
    zone_counts old = read_counts(bytes);
    size_t second = header_size + data_size(&old, 4);
    if (second > size || size - second < header_size) {
        return false;
    }
    zone_counts counts = read_counts(bytes + second);
    size_t data = second + header_size;
    if (!read_transitions(weir_slice_of(bytes + data, size - data), &counts, zone)) {
        return false;
    }
    size_t footer = data + data_size(&counts, 8);
    char rules[128] = "";
    if (footer + 2 < size) {
        size_t length = size - footer - 2;
        if (length < sizeof rules) {
            memcpy(rules, bytes + footer + 1, length);
            rules[length] = '\0';
        }
    }
    parse_rules(rules, zone);
    return true;
}

static bool read_file(const char *name, weir_zone *zone)
{
    bool plain = name[0] != '\0' && name[0] != '/' && strstr(name, "..") == NULL;
    for (const char *c = name; plain && *c != '\0'; c++) {
        plain = isalnum((unsigned char)*c) || strchr("/_+-", *c) != NULL;
    }
    if (!plain) {
        return false;
    }
    char *path = weir_format("/usr/share/zoneinfo/%s", name);
    FILE *file = fopen(path, "rb");
    free(path);
    if (file == NULL) {
        return false;
    }
    enum { largest = 1 << 20 };
    uint8_t *bytes = weir_alloc(largest);
    size_t size = fread(bytes, 1, largest, file);
    fclose(file);
    bool read = parse_file(bytes, size, zone);
    free(bytes);
    return read;
}

/* UTC, Z, GMT+8, UTC+08:00, +05:30. */
static bool parse_fixed(const char *name, weir_zone *zone)
{
    const char *rest = name;
    if (strncmp(rest, "UTC", 3) == 0 || strncmp(rest, "GMT", 3) == 0) {
        rest += 3;
    } else if (strcmp(rest, "Z") == 0) {
        rest += 1;
    }
    int32_t offset = 0;
    if (*rest == '+' || *rest == '-') {
        if (!parse_clock(&rest, &offset)) {
            return false;
        }
    }
    if (rest == name || *rest != '\0' || offset > 64800 || offset < -64800) {
        return false;
    }
    zone->first_offset = offset;
    return true;
}

const weir_zone *weir_zone_find(const char *name)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static weir_map zones;
    pthread_mutex_lock(&mutex);
    weir_zone *zone = weir_map_get(&zones, weir_slice_text(name));
    if (zone == NULL) {
        zone = weir_alloc_zeroed(1, sizeof *zone);
        if (parse_fixed(name, zone) || read_file(name, zone)) {
            weir_map_put(&zones, weir_slice_text(name), zone);
        } else {
            free(zone->times);
            free(zone->offsets);
            free(zone);
            zone = NULL;
        }
    }
    pthread_mutex_unlock(&mutex);
    return zone;
}

/* --- Offsets --------------------------------------------------------------------------------------------------- */

int32_t weir_zone_offset(const weir_zone *zone, int64_t utc_seconds)
{
    size_t low = 0; /* how many transitions lie at or before the instant */
    size_t high = zone->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (zone->times[middle] <= utc_seconds) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0 && zone->count > 0) {
        return zone->first_offset;
    }
    if (low == zone->count && zone->has_rules) {
        return offset_by_rules(zone, utc_seconds);
    }
    return low == 0 ? zone->first_offset : zone->offsets[low - 1];
}

int32_t weir_zone_local_offset(const weir_zone *zone, int64_t local_seconds)
{
    /* The offset a day before is that before any change at this local time. It is the right one in a gap and in an
     * overlap; and otherwise unless the change has already happened. */
    int32_t before = weir_zone_offset(zone, local_seconds - 86400);
    int32_t after = weir_zone_offset(zone, local_seconds + 86400);
    if (before == after) {
        int32_t between = weir_zone_offset(zone, local_seconds - before);
        return between == before ? before : between;
    }
    bool still_before = weir_zone_offset(zone, local_seconds - before) == before;
    bool already_after = weir_zone_offset(zone, local_seconds - after) == after;
    return still_before || !already_after ? before : after;
}
