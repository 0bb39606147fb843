#include "connect/mysql/gtid.h"

#include <stdlib.h>

#include "base/byte_reader.h"
#include "base/text.h"

/* ---- sets ---- */

void weir_gtid_set_free(weir_gtid_set *set)
{
    for (size_t i = 0; i < set->server_count; i++) {
        free(set->servers[i].intervals);
    }
    free(set->servers);
    free(set->domains);
    *set = (weir_gtid_set){0};
}

void weir_gtid_set_copy(const weir_gtid_set *from, weir_gtid_set *out)
{
    *out = (weir_gtid_set){0};
    WEIR_GROW(out->servers, out->server_capacity, from->server_count);
    WEIR_GROW(out->domains, out->domain_capacity, from->domain_count);
    out->server_count = from->server_count;
    out->domain_count = from->domain_count;
    for (size_t i = 0; i < from->server_count; i++) {
        const weir_gtid_server *server = &from->servers[i];
        weir_gtid_server *copy = &out->servers[i];
        *copy = (weir_gtid_server){.count = server->count};
        memcpy(copy->uuid, server->uuid, sizeof copy->uuid);
        WEIR_GROW(copy->intervals, copy->capacity, server->count);
        memcpy(copy->intervals, server->intervals, server->count * sizeof *copy->intervals);
    }
    if (from->domain_count > 0) {
        memcpy(out->domains, from->domains, from->domain_count * sizeof *out->domains);
    }
}

bool weir_gtid_set_is_empty(const weir_gtid_set *set) { return set->server_count == 0 && set->domain_count == 0; }

static weir_gtid_server *find_server(const weir_gtid_set *set, const uint8_t uuid[16])
{
    for (size_t i = 0; i < set->server_count; i++) {
        if (memcmp(set->servers[i].uuid, uuid, 16) == 0) {
            return &set->servers[i];
        }
    }
    return NULL;
}

static weir_gtid_server *get_server(weir_gtid_set *set, const uint8_t uuid[16])
{
    weir_gtid_server *found = find_server(set, uuid);
    if (found != NULL) {
        return found;
    }
    size_t place = set->server_count;
    WEIR_GROW(set->servers, set->server_capacity, set->server_count + 1);
    while (place > 0 && memcmp(set->servers[place - 1].uuid, uuid, 16) > 0) {
        set->servers[place] = set->servers[place - 1];
        place--;
    }
    set->servers[place] = (weir_gtid_server){0};
    memcpy(set->servers[place].uuid, uuid, 16);
    set->server_count++;
    return &set->servers[place];
}

/* Adds an interval, which those that it meets become part of. Nearly always it goes to the end of the last one. */
static void add_interval(weir_gtid_server *server, weir_gtid_interval added)
{
    size_t from = server->count;
    while (from > 0 && server->intervals[from - 1].last + 1 >= added.first) {
        from--;
    }
    size_t to = from;
    while (to < server->count && server->intervals[to].first <= added.last + 1) {
        added.first = server->intervals[to].first < added.first ? server->intervals[to].first : added.first;
        added.last = server->intervals[to].last > added.last ? server->intervals[to].last : added.last;
        to++;
    }
    WEIR_GROW(server->intervals, server->capacity, server->count + 1);
    memmove(server->intervals + from + 1, server->intervals + to, (server->count - to) * sizeof *server->intervals);
    server->intervals[from] = added;
    server->count = server->count - (to - from) + 1;
}

void weir_gtid_set_add_interval(weir_gtid_set *set, const uint8_t uuid[16], weir_gtid_interval interval)
{
    add_interval(get_server(set, uuid), interval);
}

void weir_gtid_set_add(weir_gtid_set *set, const uint8_t uuid[16], uint64_t number)
{
    weir_gtid_set_add_interval(set, uuid, (weir_gtid_interval){number, number});
}

void weir_gtid_set_add_domain(weir_gtid_set *set, weir_gtid_domain last)
{
    size_t place = set->domain_count;
    while (place > 0 && set->domains[place - 1].domain > last.domain) {
        place--;
    }
    if (place > 0 && set->domains[place - 1].domain == last.domain) {
        set->domains[place - 1] = last;
        return;
    }
    WEIR_GROW(set->domains, set->domain_capacity, set->domain_count + 1);
    memmove(set->domains + place + 1, set->domains + place, (set->domain_count - place) * sizeof *set->domains);
    set->domains[place] = last;
    set->domain_count++;
}

static bool contains_interval(const weir_gtid_server *server, weir_gtid_interval part)
{
    for (size_t i = 0; i < server->count; i++) {
        if (server->intervals[i].first <= part.first && part.last <= server->intervals[i].last) {
            return true;
        }
    }
    return false;
}

bool weir_gtid_set_contains(const weir_gtid_set *set, const weir_gtid_set *part)
{
    for (size_t i = 0; i < part->server_count; i++) {
        const weir_gtid_server *server = find_server(set, part->servers[i].uuid);
        for (size_t j = 0; j < part->servers[i].count; j++) {
            if (server == NULL || !contains_interval(server, part->servers[i].intervals[j])) {
                return false;
            }
        }
    }
    for (size_t i = 0; i < part->domain_count; i++) {
        uint64_t reached = 0;
        for (size_t j = 0; j < set->domain_count; j++) {
            reached = set->domains[j].domain == part->domains[i].domain ? set->domains[j].sequence : reached;
        }
        if (reached < part->domains[i].sequence) {
            return false;
        }
    }
    return true;
}

/* ---- text ---- */

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t') {
        at++;
    }
    return at;
}

static bool parse_number(const char **at, uint64_t most, uint64_t *out)
{
    const char *digit = *at;
    uint64_t number = 0;
    for (; *digit >= '0' && *digit <= '9'; digit++) {
        if (number > (most - (uint64_t)(*digit - '0')) / 10) {
            return false;
        }
        number = number * 10 + (uint64_t)(*digit - '0');
    }
    bool found = digit != *at;
    *at = digit;
    *out = number;
    return found;
}

static int hex_value(char digit)
{
    return digit >= '0' && digit <= '9'   ? digit - '0'
           : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
           : digit >= 'A' && digit <= 'F' ? digit - 'A' + 10
                                          : -1;
}

static bool parse_uuid(const char **at, uint8_t out[16])
{
    const char *digit = *at;
    for (int i = 0; i < 16; i++) {
        if (*digit == '-' && (i == 4 || i == 6 || i == 8 || i == 10)) {
            digit++;
        }
        int high = hex_value(digit[0]);
        int low = high < 0 ? -1 : hex_value(digit[1]);
        if (low < 0) {
            return false;
        }
        out[i] = (uint8_t)(high << 4 | low);
        digit += 2;
    }
    *at = digit;
    return true;
}

/* uuid:1-5:7 */
static bool parse_server(const char **at, weir_gtid_set *out)
{
    uint8_t uuid[16];
    if (!parse_uuid(at, uuid) || **at != ':') {
        return false;
    }
    while (**at == ':') {
        weir_gtid_interval interval;
        (*at)++;
        if (!parse_number(at, INT64_MAX, &interval.first) || interval.first == 0) {
            return false;
        }
        interval.last = interval.first;
        if (**at == '-') {
            (*at)++;
            if (!parse_number(at, INT64_MAX, &interval.last) || interval.last < interval.first) {
                return false;
            }
        }
        add_interval(get_server(out, uuid), interval);
    }
    return true;
}

static bool skip_dash(const char **at)
{
    bool is_dash = **at == '-';
    *at += is_dash;
    return is_dash;
}

/* 0-1-270 */
static bool parse_domain(const char **at, weir_gtid_set *out)
{
    uint64_t domain, server_id, sequence;
    if (!parse_number(at, UINT32_MAX, &domain) || !skip_dash(at) || !parse_number(at, UINT32_MAX, &server_id) ||
        !skip_dash(at) || !parse_number(at, UINT64_MAX, &sequence)) {
        return false;
    }
    weir_gtid_set_add_domain(
        out, (weir_gtid_domain){.domain = (uint32_t)domain, .server_id = (uint32_t)server_id, .sequence = sequence});
    return true;
}

int weir_gtid_set_parse(const char *text, bool is_mariadb, weir_gtid_set *out, weir_error *err)
{
    const char *at = skip_blanks(text);
    *out = (weir_gtid_set){0};
    while (*at != '\0') {
        bool parsed = is_mariadb ? parse_domain(&at, out) : parse_server(&at, out);
        at = skip_blanks(at);
        if (!parsed || (*at != '\0' && *at != ',')) {
            weir_gtid_set_free(out);
            return weir_fail(err, WEIR_INVALID, "'%.200s' is no GTID set of %s; it looks like %s", text,
                             is_mariadb ? "MariaDB" : "MySQL",
                             is_mariadb ? "0-1-270" : "3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5");
        }
        at = skip_blanks(*at == ',' ? at + 1 : at);
    }
    return WEIR_OK;
}

static void format_uuid(const uint8_t uuid[16], weir_buffer *out)
{
    for (int i = 0; i < 16; i++) {
        weir_buffer_append_format(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
    }
}

void weir_gtid_set_format(const weir_gtid_set *set, weir_buffer *out)
{
    for (size_t i = 0; i < set->server_count; i++) {
        weir_buffer_append_text(out, i == 0 ? "" : ",");
        format_uuid(set->servers[i].uuid, out);
        for (size_t j = 0; j < set->servers[i].count; j++) {
            weir_gtid_interval interval = set->servers[i].intervals[j];
            weir_buffer_append_format(out, ":%" PRIu64, interval.first);
            if (interval.last > interval.first) {
                weir_buffer_append_format(out, "-%" PRIu64, interval.last);
            }
        }
    }
    for (size_t i = 0; i < set->domain_count; i++) {
        weir_buffer_append_format(out, "%s%u-%u-%" PRIu64, i == 0 ? "" : ",", set->domains[i].domain,
                                  set->domains[i].server_id, set->domains[i].sequence);
    }
}

/* | servers: 8 | of each: uuid: 16, intervals: 8, of each: first: 8, last + 1: 8 | */
void weir_gtid_set_encode(const weir_gtid_set *set, weir_buffer *out)
{
    weir_put_u64(out, set->server_count);
    for (size_t i = 0; i < set->server_count; i++) {
        weir_buffer_append(out, set->servers[i].uuid, 16);
        weir_put_u64(out, set->servers[i].count);
        for (size_t j = 0; j < set->servers[i].count; j++) {
            weir_put_u64(out, set->servers[i].intervals[j].first);
            weir_put_u64(out, set->servers[i].intervals[j].last + 1);
        }
    }
}

/* | servers: 8 | of each: uuid: 16, intervals: 8, of each: first: 8, last + 1: 8 | */
static void take_servers(weir_byte_reader *reader, weir_gtid_set *out)
{
    uint64_t servers = weir_take_u64(reader);
    for (uint64_t i = 0; i < servers && !reader->failed; i++) {
        weir_slice uuid = weir_take_bytes(reader, 16);
        uint64_t intervals = weir_take_u64(reader);
        for (uint64_t j = 0; j < intervals && !reader->failed; j++) {
            uint64_t first = weir_take_u64(reader);
            uint64_t after = weir_take_u64(reader);
            reader->failed = reader->failed || first == 0 || after <= first || after > INT64_MAX;
            if (!reader->failed) {
                weir_gtid_set_add_interval(out, uuid.data, (weir_gtid_interval){first, after - 1});
            }
        }
    }
}

/* | count, in 28 bits, and flags: 4 | of each domain, the last one last: domain: 4, server: 4, sequence: 8 | */
static void take_domains(weir_byte_reader *reader, weir_gtid_set *out)
{
    uint32_t count = weir_take_u32(reader) & 0xFFFFFFF;
    for (uint32_t i = 0; i < count && !reader->failed; i++) {
        weir_gtid_domain domain = {.domain = weir_take_u32(reader)};
        domain.server_id = weir_take_u32(reader);
        domain.sequence = weir_take_u64(reader);
        if (!reader->failed) {
            weir_gtid_set_add_domain(out, domain);
        }
    }
}

int weir_gtid_set_parse_event(weir_slice body, bool is_mariadb, weir_gtid_set *out, weir_error *err)
{
    weir_byte_reader reader = weir_byte_reader_of(body);
    *out = (weir_gtid_set){0};
    if (is_mariadb) {
        take_domains(&reader, out);
    } else {
        take_servers(&reader, out);
    }
    if (reader.failed) {
        weir_gtid_set_free(out);
        return weir_fail(err, WEIR_CORRUPT, "binlog: a list of transactions is damaged");
    }
    return WEIR_OK;
}
