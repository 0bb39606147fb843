/* Debezium's events: {"before": row, "after": row, "op": "c" | "r" | "u" | "d"}, bare or as the "payload" beside a
 * "schema".
 *
 * Rows are taken where they stand, without a second look at their text; names of members are in any order. The schema,
 * which every message repeats, is compared with the last one byte by byte and passed over when equal. */
#include "format/json/event.h"

enum { BEFORE, AFTER, OP };

static bool take_row(weir_json_events *events, weir_json_cursor *cursor, weir_json_rows *rows)
{
    rows->count = 0;
    weir_json_skip_blanks(cursor);
    if (*cursor->at == '{') {
        return weir_json_take_members(cursor, events->row_names, weir_json_rows_add(rows, WEIR_INSERT));
    }
    weir_json_span value;
    if (!weir_json_take_value(cursor, &value)) {
        return false;
    }
    return value.token == WEIR_JSON_NULL || weir_json_fail_at(cursor, value, "a row ({…}) or null");
}

static void add_row(const weir_json_rows *from, weir_row_kind kind, weir_json_rows *rows)
{
    memcpy(weir_json_rows_add(rows, kind), from->spans, (size_t)from->width * sizeof *from->spans);
}

/* What Debezium has besides changes of rows can't be followed, and an event may stand in an envelope. */
static bool fail_op(weir_json_cursor *cursor, uint8_t letter, weir_json_span op, weir_json_span event)
{
    if (op.token == WEIR_JSON_MISSING) {
        return weir_json_fail_at(cursor, event,
                                 "a Debezium event, whose \"op\" is c, r, u or d (of one that has it in \"payload\", "
                                 "beside \"schema\": set 'debezium-json.schema-include' = 'true')");
    }
    return weir_json_fail_at(cursor, op,
                             letter == 't'   ? "a change of rows; t is a TRUNCATE, which can't be followed (to pass over "
                                               "it, set 'debezium-json.ignore-parse-errors' = 'true')"
                             : letter == 'm' ? "a change of rows; m is a message of a program (to pass over it, set "
                                               "'debezium-json.ignore-parse-errors' = 'true')"
                                             : "a Debezium event, whose \"op\" is c, r, u or d");
}

static bool add_event(weir_json_events *events, weir_json_cursor *cursor, weir_json_span op, weir_json_span event,
                      weir_json_rows *rows)
{
    const weir_json_rows *before = &events->old_rows;
    const weir_json_rows *after = &events->new_rows;
    uint8_t letter = op.token == WEIR_JSON_STRING && op.size == 1 ? cursor->base[op.offset] : 0;
    bool may_lack = events->options->primary_key_count > 0 && !events->options->whole_changes;
    bool needs_before = letter == 'd' || (letter == 'u' && !may_lack);
    if (needs_before && before->count == 0) {
        return weir_json_fail_at(cursor, event,
                                 "\"before\" with the old row (on Postgres: ALTER TABLE … REPLICA IDENTITY FULL; "
                                 "updates of a table with a PRIMARY KEY can do without, where they go into a table as they "
                                 "are)");
    }
    if ((letter == 'c' || letter == 'r' || letter == 'u') && after->count == 0) {
        return weir_json_fail_at(cursor, event, "\"after\" with the new row");
    }
    switch (letter) {
    case 'c':
    case 'r':
        add_row(after, WEIR_INSERT, rows);
        return true;
    case 'u':
        if (before->count > 0) {
            weir_json_add_update(events, cursor->base, before->spans, after->spans, rows);
        } else {
            add_row(after, WEIR_UPDATE_AFTER, rows);
        }
        return true;
    case 'd':
        add_row(before, WEIR_DELETE, rows);
        return true;
    default:
        return fail_op(cursor, letter, op, event);
    }
}

static bool take_event(weir_json_events *events, weir_json_cursor *cursor, weir_json_rows *rows)
{
    weir_json_span event = {.offset = (uint32_t)(cursor->at - cursor->base)};
    weir_json_span op = {.token = WEIR_JSON_MISSING};
    events->old_rows.count = 0;
    events->new_rows.count = 0;
    events->members[WEIR_JSON_DEBEZIUM_SOURCE] = op;
    events->members[WEIR_JSON_DEBEZIUM_TIME] = op;
    for (bool more = weir_json_enter(cursor, '}'); more; more = weir_json_next(cursor, '}')) {
        weir_json_span value;
        if (!weir_json_take_name(cursor, &value)) {
            return false;
        }
        int32_t member = weir_json_names_find(&events->names, cursor->base, value);
        if (member == BEFORE || member == AFTER) {
            if (!take_row(events, cursor, member == BEFORE ? &events->old_rows : &events->new_rows)) {
                return false;
            }
            continue;
        }
        if (!weir_json_take_value(cursor, &value)) {
            return false;
        }
        op = member == OP ? value : op;
        if (member > OP) {
            events->members[member] = value;
        }
    }
    const uint8_t *end = cursor->at;
    if (cursor->outcome != WEIR_JSON_FINE || !add_event(events, cursor, op, event, rows)) {
        return false;
    }
    cursor->at = end;
    return true;
}

/* ---- the envelope ---- */

static bool take_schema(weir_json_events *events, weir_json_cursor *cursor)
{
    weir_json_skip_blanks(cursor);
    size_t size = events->schema.size;
    if (size > 0 && (size_t)(cursor->end - cursor->at) > size && memcmp(cursor->at, events->schema.data, size) == 0) {
        cursor->at += size;
        return true;
    }
    return weir_json_take_value(cursor, &events->new_schema);
}

/* false with outcome FINE: there is no row in the payload, as in a tombstone. */
static bool take_payload(weir_json_events *events, weir_json_cursor *cursor, weir_json_rows *rows)
{
    weir_json_skip_blanks(cursor);
    if (*cursor->at == '{') {
        return take_event(events, cursor, rows);
    }
    weir_json_span value;
    if (!weir_json_take_value(cursor, &value)) {
        return false;
    }
    return value.token == WEIR_JSON_NULL || weir_json_fail_at(cursor, value, "an event ({…}) or null as \"payload\"");
}

static bool take_envelope(weir_json_events *events, weir_json_cursor *cursor, weir_json_rows *rows)
{
    enum { SCHEMA, PAYLOAD };
    weir_json_span envelope = {.offset = (uint32_t)(cursor->at - cursor->base)};
    bool has_payload = false;
    for (bool more = weir_json_enter(cursor, '}'); more; more = weir_json_next(cursor, '}')) {
        weir_json_span value;
        if (!weir_json_take_name(cursor, &value)) {
            return false;
        }
        int32_t member = weir_json_names_find(&events->envelope_names, cursor->base, value);
        bool taken = member == SCHEMA    ? take_schema(events, cursor)
                     : member == PAYLOAD ? take_payload(events, cursor, rows)
                                         : weir_json_take_value(cursor, &value);
        if (!taken) {
            return false;
        }
        has_payload = has_payload || member == PAYLOAD;
    }
    if (cursor->outcome == WEIR_JSON_FINE && !has_payload) {
        return weir_json_fail_at(cursor, envelope,
                                 "an envelope with \"payload\" ('debezium-json.schema-include' is true)");
    }
    return cursor->outcome == WEIR_JSON_FINE;
}

bool weir_json_take_debezium(weir_json_events *events, weir_json_cursor *cursor, weir_json_rows *rows)
{
    events->new_schema = (weir_json_span){0};
    return events->options->schema_include ? take_envelope(events, cursor, rows) : take_event(events, cursor, rows);
}
