/* What the readers of change events share: making and freeing them. */
#include "format/json/event.h"

#include <stdlib.h>

static int compile(const char *pattern, const char *option, weir_name_pattern **out, weir_error *err)
{
    return pattern == NULL ? WEIR_OK : weir_name_pattern_compile(pattern, option, out, err);
}

static bool changes_key(const weir_json_events *events, const uint8_t *base, const weir_json_span *before,
                        const weir_json_span *after)
{
    for (int32_t i = 0; i < events->key_count; i++) {
        weir_json_span old = before[events->keys[i]];
        weir_json_span new = after[events->keys[i]];
        if (old.token != new.token || old.size != new.size ||
            memcmp(base + old.offset, base + new.offset, old.size) != 0) {
            return true;
        }
    }
    return false;
}

void weir_json_add_update(const weir_json_events *events, const uint8_t *base, const weir_json_span *before,
                          const weir_json_span *after, weir_json_rows *rows)
{
    size_t bytes = (size_t)rows->width * sizeof *before;
    bool moves = changes_key(events, base, before, after);
    memcpy(weir_json_rows_add(rows, moves ? WEIR_DELETE : WEIR_UPDATE_BEFORE), before, bytes);
    memcpy(weir_json_rows_add(rows, moves ? WEIR_INSERT : WEIR_UPDATE_AFTER), after, bytes);
}

static void find_keys(weir_json_events *events, const weir_json_read_options *options)
{
    const weir_json_names *names = events->row_names;
    events->keys = weir_alloc_zeroed((size_t)options->primary_key_count, sizeof *events->keys);
    for (int32_t i = 0; i < options->primary_key_count; i++) {
        for (int32_t k = 0; k < names->count; k++) { /* one that is in the name of a folder is not in the events */
            if (weir_slice_equal(weir_slice_of(names->names[k].text, names->names[k].size),
                                 weir_slice_text(options->primary_keys[i]))) {
                events->keys[events->key_count++] = k;
            }
        }
    }
}

int weir_json_events_init(weir_json_events *events, const weir_json_read_options *options, weir_json_names *row_names,
                          int32_t width, weir_error *err)
{
    static const char *const debezium_members[] = {"before", "after", "op", "source", "ts_ms"};
    static const char *const binlog_members[] = {"data",    "old",     "type", "database", "table",
                                                 "sqlType", "pkNames", "ts",   "es",       "primary_key_columns"};
    static const char *const envelope_members[] = {"schema", "payload"};
    *events = (weir_json_events){.options = options, .row_names = row_names};
    events->old_rows.width = width;
    events->new_rows.width = width;
    find_keys(events, options);
    weir_json_names_init(&events->envelope_names, envelope_members, 2);
    if (options->kind == WEIR_JSON_DEBEZIUM) {
        weir_json_names_init(&events->names, debezium_members, 5);
    } else {
        weir_json_names_init(&events->names, binlog_members, WEIR_JSON_BINLOG_MEMBERS);
    }
    WEIR_TRY(compile(options->database_include, "canal-json.database.include", &events->databases, err));
    return compile(options->table_include, "canal-json.table.include", &events->tables, err);
}

void weir_json_events_free(weir_json_events *events)
{
    weir_json_names_free(&events->names);
    weir_json_names_free(&events->envelope_names);
    free(events->keys);
    weir_json_rows_free(&events->old_rows);
    weir_json_rows_free(&events->new_rows);
    weir_buffer_free(&events->schema);
    weir_buffer_free(&events->name);
    weir_name_pattern_free(events->databases);
    weir_name_pattern_free(events->tables);
    *events = (weir_json_events){0};
}
