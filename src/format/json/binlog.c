/* The events of Canal and Maxwell, which both come from MySQL's binlog and say of an update the new row and those of
 * the old values that changed:
 *
 *   Canal    {"data": [row, …], "old": [changed values, …], "type": "INSERT" | "UPDATE" | "DELETE", "database",
 * "table"} Maxwell  {"data": row, "old": changed values, "type": "insert" | "update" | "delete"}
 *
 * What `old` does not mention stands in the old row as it stands in the new one; a NULL that `old` mentions was one. */
#include "format/json/event.h"
#include "format/json/text.h"

enum { DATA, OLD, TYPE, DATABASE, TABLE };

/* An object, several in an array, or null: as rows. */
static bool take_rows(weir_json_events *events, weir_json_cursor *cursor, weir_json_rows *rows)
{
    rows->count = 0;
    weir_json_skip_blanks(cursor);
    if (*cursor->at == '{') {
        return weir_json_take_members(cursor, events->row_names, weir_json_rows_add(rows, WEIR_INSERT));
    }
    if (*cursor->at != '[') {
        weir_json_span value;
        if (!weir_json_take_value(cursor, &value)) {
            return false;
        }
        return value.token == WEIR_JSON_NULL || weir_json_fail_at(cursor, value, "a row ({…}), rows ([{…}]) or null");
    }
    for (bool more = weir_json_enter(cursor, ']'); more; more = weir_json_next(cursor, ']')) {
        weir_json_skip_blanks(cursor);
        if (*cursor->at != '{') {
            return weir_json_fail(cursor, "a row ({…})");
        }
        if (!weir_json_take_members(cursor, events->row_names, weir_json_rows_add(rows, WEIR_INSERT))) {
            return false;
        }
    }
    return cursor->outcome == WEIR_JSON_FINE;
}

static bool take_message(weir_json_events *events, weir_json_cursor *cursor)
{
    weir_json_span *members = events->members;
    weir_json_span missing = {.offset = (uint32_t)(cursor->at - cursor->base), .token = WEIR_JSON_MISSING};
    for (int i = 0; i < WEIR_JSON_BINLOG_MEMBERS; i++) {
        members[i] = missing;
    }
    events->old_rows.count = 0;
    events->new_rows.count = 0;
    for (bool more = weir_json_enter(cursor, '}'); more; more = weir_json_next(cursor, '}')) {
        weir_json_span value;
        if (!weir_json_take_name(cursor, &value)) {
            return false;
        }
        int32_t member = weir_json_names_find(&events->names, cursor->base, value);
        if (member == DATA || member == OLD) {
            if (!take_rows(events, cursor, member == OLD ? &events->old_rows : &events->new_rows)) {
                return false;
            }
            continue;
        }
        if (!weir_json_take_value(cursor, &value)) {
            return false;
        }
        if (member >= 0) {
            members[member] = value;
        }
    }
    return cursor->outcome == WEIR_JSON_FINE;
}

static void add_rows(const weir_json_rows *from, weir_row_kind kind, weir_json_rows *rows)
{
    size_t width = (size_t)from->width;
    for (int64_t i = 0; i < from->count; i++) {
        memcpy(weir_json_rows_add(rows, kind), from->spans + (size_t)i * width, width * sizeof *from->spans);
    }
}

static bool add_updates(weir_json_events *events, weir_json_cursor *cursor, weir_json_span message,
                        weir_json_rows *rows)
{
    const weir_json_rows *before = &events->old_rows;
    const weir_json_rows *after = &events->new_rows;
    size_t width = (size_t)after->width;
    size_t fields = (size_t)events->row_names->count;
    if (before->count != after->count) {
        return weir_json_fail_at(cursor, message, "as many rows in \"old\" as in \"data\" of an update");
    }
    for (int64_t i = 0; i < after->count; i++) {
        const weir_json_span *new_row = after->spans + (size_t)i * width;
        weir_json_span *old_row = before->spans + (size_t)i * width;
        for (size_t k = 0; k < fields; k++) {
            old_row[k] = old_row[k].token == WEIR_JSON_MISSING ? new_row[k] : old_row[k];
        }
        weir_json_add_update(events, cursor->base, old_row, new_row, rows);
    }
    return true;
}

/* ---- Canal ---- */

static bool is_included(weir_json_events *events, const weir_json_cursor *cursor, weir_name_pattern *pattern,
                        weir_json_span name)
{
    if (pattern == NULL) {
        return true;
    }
    weir_buffer *text = &events->name;
    weir_buffer_clear(text);
    if (name.token == WEIR_JSON_STRING) {
        weir_json_text_append(cursor->base, name, text);
    }
    return weir_name_pattern_matches(pattern, weir_slice_of(weir_buffer_text(text), text->size));
}

static bool add_canal(weir_json_events *events, weir_json_cursor *cursor, weir_json_rows *rows)
{
    const weir_json_span *members = events->members;
    if (!is_included(events, cursor, events->databases, members[DATABASE]) ||
        !is_included(events, cursor, events->tables, members[TABLE])) {
        return true;
    }
    weir_json_span type = members[TYPE];
    if (weir_json_span_is(cursor, type, "INSERT")) {
        add_rows(&events->new_rows, WEIR_INSERT, rows);
        return true;
    }
    if (weir_json_span_is(cursor, type, "UPDATE")) {
        return add_updates(events, cursor, type, rows);
    }
    if (weir_json_span_is(cursor, type, "DELETE")) {
        add_rows(&events->new_rows, WEIR_DELETE, rows);
        return true;
    }
    if (weir_json_span_is(cursor, type, "CREATE")) {
        return true;
    }
    return weir_json_fail_at(cursor, type,
                             "a Canal event, whose \"type\" is INSERT, UPDATE, DELETE or CREATE; to pass over others "
                             "set 'canal-json.ignore-parse-errors' = 'true'");
}

bool weir_json_take_canal(weir_json_events *events, weir_json_cursor *cursor, weir_json_rows *rows)
{
    if (!take_message(events, cursor)) {
        return false;
    }
    const uint8_t *end = cursor->at;
    if (!add_canal(events, cursor, rows)) {
        return false;
    }
    cursor->at = end;
    return true;
}

/* ---- Maxwell ---- */

static bool add_maxwell(weir_json_events *events, weir_json_cursor *cursor, weir_json_span type, weir_json_rows *rows)
{
    if (weir_json_span_is(cursor, type, "insert") || weir_json_span_is(cursor, type, "bootstrap-insert")) {
        add_rows(&events->new_rows, WEIR_INSERT, rows);
        return true;
    }
    if (weir_json_span_is(cursor, type, "update")) {
        return add_updates(events, cursor, type, rows);
    }
    if (weir_json_span_is(cursor, type, "delete")) {
        add_rows(&events->new_rows, WEIR_DELETE, rows);
        return true;
    }
    if (weir_json_span_is(cursor, type, "bootstrap-start") || weir_json_span_is(cursor, type, "bootstrap-complete")) {
        return true;
    }
    return weir_json_fail_at(cursor, type,
                             "a Maxwell event, whose \"type\" is insert, update or delete; to pass over others set "
                             "'maxwell-json.ignore-parse-errors' = 'true'");
}

bool weir_json_take_maxwell(weir_json_events *events, weir_json_cursor *cursor, weir_json_rows *rows)
{
    if (!take_message(events, cursor)) {
        return false;
    }
    const uint8_t *end = cursor->at;
    if (!add_maxwell(events, cursor, events->members[TYPE], rows)) {
        return false;
    }
    cursor->at = end;
    return true;
}
