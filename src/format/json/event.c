/* What the readers of change events share: making and freeing them. */
#include "format/json/event.h"

static int compile(const char *pattern, const char *option, weir_name_pattern **out, weir_error *err)
{
    return pattern == NULL ? WEIR_OK : weir_name_pattern_compile(pattern, option, out, err);
}

int weir_json_events_init(weir_json_events *events, const weir_json_read_options *options, weir_json_names *row_names,
                          weir_error *err)
{
    static const char *const debezium_members[] = {"before", "after", "op"};
    static const char *const binlog_members[] = {"data", "old", "type", "database", "table"};
    static const char *const envelope_members[] = {"schema", "payload"};
    *events = (weir_json_events){.options = options, .row_names = row_names};
    events->old_rows.width = row_names->count;
    events->new_rows.width = row_names->count;
    weir_json_names_init(&events->envelope_names, envelope_members, 2);
    if (options->kind == WEIR_JSON_DEBEZIUM) {
        weir_json_names_init(&events->names, debezium_members, 3);
    } else {
        weir_json_names_init(&events->names, binlog_members, 5);
    }
    WEIR_TRY(compile(options->database_include, "canal-json.database.include", &events->databases, err));
    return compile(options->table_include, "canal-json.table.include", &events->tables, err);
}

void weir_json_events_free(weir_json_events *events)
{
    weir_json_names_free(&events->names);
    weir_json_names_free(&events->envelope_names);
    weir_json_rows_free(&events->old_rows);
    weir_json_rows_free(&events->new_rows);
    weir_buffer_free(&events->schema);
    weir_buffer_free(&events->name);
    weir_name_pattern_free(events->databases);
    weir_name_pattern_free(events->tables);
    *events = (weir_json_events){0};
}
