/* Tables that are read: finding them, their definitions, and what statements of the binlog do to them. */
#include <stdlib.h>

#include "base/log.h"
#include "base/text.h"
#include "connect/mysql/ddl.h"
#include "connect/mysql/snapshot.h"

/* ---- the list ---- */

weir_captured_table *weir_capture_find(const weir_capture *capture, const char *database, const char *table)
{
    for (size_t i = 0; i < capture->table_count; i++) {
        const weir_mysql_table *definition = &capture->tables[i]->definition;
        if (strcmp(definition->database, database) == 0 && strcmp(definition->name, table) == 0) {
            return capture->tables[i];
        }
    }
    return NULL;
}

weir_captured_table *weir_capture_add(weir_capture *capture)
{
    weir_captured_table *table = weir_alloc_zeroed(1, sizeof *table);
    weir_arena_init(&table->arena);
    WEIR_GROW(capture->tables, capture->table_capacity, capture->table_count + 1);
    capture->tables[capture->table_count++] = table;
    return table;
}

bool weir_capture_wants(const weir_capture *capture, const char *database, const char *table)
{
    return weir_name_pattern_matches(capture->settings->databases, weir_slice_text(database)) &&
           weir_name_pattern_matches(capture->settings->tables, weir_slice_text(table));
}

/* A column that a field is read from was there, and is no longer. */
static int check_columns_stay(const weir_capture *capture, const weir_mysql_table *before, const weir_mysql_table *now,
                              weir_error *err)
{
    for (int32_t i = 0; i < capture->settings->fields.count; i++) {
        const char *name = capture->settings->fields.fields[i].name;
        if (weir_mysql_table_find(before, name) >= 0 && weir_mysql_table_find(now, name) < 0) {
            return weir_fail(
                err, WEIR_INVALID,
                "table %s.%s no longer has a column %s: it was dropped or renamed; add it again, or take it "
                "out of the columns of the table here and start over",
                now->database, now->name, name);
        }
    }
    return WEIR_OK;
}

static bool same_order(const weir_captured_table *a, const weir_captured_table *b)
{
    bool is_same = a->order_count == b->order_count;
    for (uint32_t i = 0; is_same && i < a->order_count; i++) {
        is_same = strcmp(a->definition.columns[a->order[i]].name, b->definition.columns[b->order[i]].name) == 0;
    }
    return is_same;
}

static void drop_rows(weir_captured_table *table)
{
    if (table->has_rows) {
        weir_row_binding_free(&table->rows);
        table->has_rows = false;
    }
}

int weir_capture_reload(weir_capture *capture, weir_captured_table *table, weir_error *err)
{
    weir_captured_table loaded = {0};
    weir_mysql_name name = {table->definition.database, table->definition.name};
    weir_arena_init(&loaded.arena);
    int code = weir_mysql_load_table(&capture->query, name, &loaded.arena, &loaded.definition, err);
    if (code == WEIR_OK && table->definition.column_count > 0) {
        code = check_columns_stay(capture, &table->definition, &loaded.definition, err);
    }
    if (code != WEIR_OK) {
        weir_arena_free(&loaded.arena);
        return code;
    }
    weir_snapshot_find_order(capture->settings, &loaded);
    if (table->frontier.texts != NULL && !same_order(table, &loaded)) {
        code = weir_fail(err, WEIR_CONFLICT,
                         "table %s.%s: its primary key was changed while it was being read; start over", name.database,
                         name.table);
        weir_arena_free(&loaded.arena);
        return code;
    }
    drop_rows(table); /* they borrow from the definition */
    weir_arena_free(&table->arena);
    table->arena = loaded.arena;
    table->definition = loaded.definition;
    table->order = loaded.order;
    table->order_count = loaded.order_count;
    table->is_stale = false;
    return WEIR_OK;
}

static int add_table(weir_capture *capture, weir_mysql_name name, weir_capture_stage stage, weir_captured_table **out,
                     weir_error *err)
{
    weir_captured_table *table = weir_capture_add(capture);
    table->definition = (weir_mysql_table){.database = weir_arena_strdup(&table->arena, name.database),
                                           .name = weir_arena_strdup(&table->arena, name.table)};
    table->stage = stage;
    table->is_stale = true;
    *out = table;
    return weir_capture_reload(capture, table, err);
}

int weir_capture_find_tables(weir_capture *capture, weir_error *err)
{
    weir_arena arena;
    weir_mysql_name *names;
    size_t count;
    const weir_mysql_settings *settings = capture->settings;
    weir_capture_stage stage = weir_mysql_reads_rows(settings) ? WEIR_CAPTURE_WAITING : WEIR_CAPTURE_DONE;
    weir_arena_init(&arena);
    int code =
        weir_mysql_list_tables(&capture->query, settings->databases, settings->tables, &arena, &names, &count, err);
    if (code == WEIR_OK && count == 0) {
        code = weir_fail(
            err, WEIR_NOT_FOUND,
            "MySQL at %s:%u: there is no table that matches 'database-name' = '%s' and 'table-name' = '%s', "
            "or the user may not SELECT from it",
            settings->address.host, settings->address.port, settings->database_pattern, settings->table_pattern);
    }
    for (size_t i = 0; i < count && code == WEIR_OK; i++) {
        weir_captured_table *table;
        code = add_table(capture, names[i], stage, &table, err);
    }
    weir_arena_free(&arena);
    return code;
}

static int fail_unknown_field(const weir_capture *capture, const weir_field *field, weir_error *err)
{
    const weir_mysql_table *table = &capture->tables[0]->definition;
    const char **names = weir_alloc((table->column_count + 1) * sizeof *names);
    for (uint32_t i = 0; i < table->column_count; i++) {
        names[i] = table->columns[i].name;
    }
    const char *near = weir_suggest(field->name, names, table->column_count);
    free(names);
    return weir_fail(err, WEIR_INVALID, "table %s.%s has no column %s%s%s%s", table->database, table->name, field->name,
                     near == NULL ? "" : "; did you mean ", near == NULL ? "" : near, near == NULL ? "" : "?");
}

/* Every field has its column in some table, and can be read from it. */
int weir_capture_check_fields(weir_capture *capture, weir_error *err)
{
    const weir_row_fields *fields = &capture->settings->fields;
    bool *found = weir_alloc_zeroed((size_t)fields->count + 1, sizeof *found);
    int code = WEIR_OK;
    for (size_t i = 0; i < capture->table_count && code == WEIR_OK; i++) {
        weir_row_binding binding;
        code = weir_row_binding_of_query(&capture->tables[i]->definition, fields, &binding, err);
        for (int32_t j = 0; j < fields->count && code == WEIR_OK; j++) {
            found[j] = found[j] || binding.sources[j] >= 0;
        }
        if (code == WEIR_OK) {
            weir_row_binding_free(&binding);
        }
    }
    for (int32_t j = 0; j < fields->count && code == WEIR_OK; j++) {
        code = found[j] ? WEIR_OK : fail_unknown_field(capture, &fields->fields[j], err);
    }
    free(found);
    return code;
}

/* ---- table maps ---- */

static int bind_map(weir_capture *capture, weir_captured_table *table, const weir_table_map *map, weir_error *err)
{
    weir_row_binding binding;
    WEIR_TRY(
        weir_row_binding_of_map(&table->definition, map, &capture->settings->fields, &capture->query, &binding, err));
    drop_rows(table);
    table->rows = binding;
    table->has_rows = true;
    return WEIR_OK;
}

/* The definition of now, which has to be that of the rows. */
static int load_for_rows(weir_capture *capture, weir_captured_table *table, const weir_table_map *map, weir_error *err)
{
    weir_binlog_offset last = {0};
    WEIR_TRY(weir_capture_reload(capture, table, err));
    if (!map->has_names) {
        WEIR_TRY(weir_capture_look_ahead(capture, table, &last, err));
    }
    table->is_stale = last.file[0] != '\0';
    return table->is_stale ? weir_capture_fail_ahead(table, err) : WEIR_OK;
}

static int take_wanted_map(weir_capture *capture, weir_slice body, const weir_table_map *map, weir_captured_table **out,
                           weir_error *err)
{
    weir_captured_table *table = weir_capture_find(capture, map->database, map->table);
    if (table == NULL) { /* it was made after the others were looked for, so that all its rows are in the binlog */
        WEIR_TRY(add_table(capture, (weir_mysql_name){map->database, map->table}, WEIR_CAPTURE_DONE, &table, err));
        table->is_stale = true; /* as it is now: whether that is how it was is looked at below */
    }
    *out = table;
    if (table->stage == WEIR_CAPTURE_WAITING) {
        return WEIR_OK; /* its rows are passed over, and may be of another definition than they will be read with */
    }
    bool is_known = table->has_rows && !table->is_stale && body.size == table->map.size &&
                    memcmp(body.data + 6, table->map.data + 6, body.size - 6) == 0;
    if (!is_known) {
        if (table->is_stale) {
            WEIR_TRY(load_for_rows(capture, table, map, err));
        }
        WEIR_TRY(bind_map(capture, table, map, err));
        weir_buffer_clear(&table->map);
        weir_buffer_append(&table->map, body.data, body.size);
    }
    return WEIR_OK;
}

int weir_capture_take_map(weir_capture *capture, const weir_binlog_event *event, weir_error *err)
{
    weir_table_map map;
    weir_captured_table *table = NULL;
    weir_arena_free(&capture->event_arena);
    WEIR_TRY(weir_table_map_parse(event, &capture->stream.format, &capture->event_arena, &map, err));
    uint8_t id[8];
    weir_store_le64(id, map.table_id);
    if (weir_capture_wants(capture, map.database, map.table)) {
        WEIR_TRY(take_wanted_map(capture, event->body, &map, &table, err));
        weir_map_put(&capture->table_ids, weir_slice_of(id, sizeof id), table);
    } else {
        weir_map_remove(&capture->table_ids, weir_slice_of(id, sizeof id));
    }
    return WEIR_OK;
}

/* ---- statements ---- */

static int fail_statement(const weir_captured_table *table, const char *what, const char *advice, weir_error *err)
{
    return weir_fail(err, WEIR_UNSUPPORTED, "%s of table %s.%s: %s", what, table->definition.database,
                     table->definition.name, advice);
}

/* What a statement does to one table that is read. */
static int handle_table(const weir_capture *capture, weir_captured_table *table, weir_ddl_kind kind, weir_error *err)
{
    bool was_given = table->stage != WEIR_CAPTURE_WAITING;
    switch (kind) {
    case WEIR_DDL_TRUNCATE:
    case WEIR_DDL_DROP_PARTITION:
    case WEIR_DDL_DROP:
    case WEIR_DDL_DROP_DATABASE:
        table->is_stale = true;
        if (!was_given) {
            return WEIR_OK;
        }
        if (!capture->settings->passes_truncations) {
            return fail_statement(
                table,
                kind == WEIR_DDL_TRUNCATE         ? "TRUNCATE"
                : kind == WEIR_DDL_DROP_PARTITION ? "DROP or TRUNCATE of a partition"
                                                  : "DROP",
                "its rows are gone without an event for each of them; delete them here too, and go on "
                "with 'debezium.skipped.operations' = 't'",
                err);
        }
        weir_log(WEIR_LOG_WARN, "rows of table %s.%s went with a TRUNCATE or DROP, and stay here",
                 table->definition.database, table->definition.name);
        return WEIR_OK;
    case WEIR_DDL_RENAME:
        table->is_stale = true;
        if (was_given && !capture->settings->follows_renames) {
            return fail_statement(
                table, "RENAME",
                "what has its name afterwards may be another table; start over, or, when it was a tool's "
                "online change of the table, go on with 'scan.parse.online.schema.changes.enabled' = "
                "'true'",
                err);
        }
        return WEIR_OK;
    case WEIR_DDL_EXCHANGE:
        table->is_stale = true;
        return was_given
                   ? fail_statement(table, "An exchange or conversion of a partition, or a change of the tablespace,",
                                    "rows came or went without an event for each of them; start over", err)
                   : WEIR_OK;
    case WEIR_DDL_CHANGE:
        return fail_statement(table, "A change",
                              "the binlog has the statement and not the rows; set binlog_format = ROW in all sessions, "
                              "and start over",
                              err);
    default:
        table->is_stale = true;
        return WEIR_OK;
    }
}

/* Statements have names as they were written, maps as the server keeps them. */
bool weir_capture_is_name(const weir_capture *capture, const char *name, const char *written)
{
    return capture->ignores_case ? weir_text_equal_ignore_case(name, written) : strcmp(name, written) == 0;
}

static int handle_tables(const weir_capture *capture, const weir_ddl *ddl, const char *default_database,
                         weir_error *err)
{
    for (size_t i = 0; i < ddl->table_count; i++) {
        const weir_ddl_table *named = &ddl->tables[i];
        const char *database = named->database != NULL ? named->database : default_database;
        for (size_t j = 0; j < capture->table_count; j++) {
            weir_captured_table *table = capture->tables[j];
            if (weir_capture_is_name(capture, table->definition.database, database) &&
                (named->table == NULL || weir_capture_is_name(capture, table->definition.name, named->table))) {
                WEIR_TRY(handle_table(capture, table, ddl->kind, err));
            }
        }
    }
    return WEIR_OK;
}

/* A statement of its own is a transaction; one within a transaction, such as the first half of CREATE TABLE … SELECT,
 * is not. */
static bool ends_transaction(const weir_capture *capture, weir_ddl_kind kind)
{
    if (kind == WEIR_DDL_COMMIT) {
        return true;
    }
    if (kind == WEIR_DDL_BEGIN || kind == WEIR_DDL_SAVEPOINT || kind == WEIR_DDL_CHANGE) {
        return false;
    }
    return capture->stream.connection.is_mariadb && capture->has_gtid ? capture->gtid.is_alone : !capture->has_begun;
}

static bool is_ascii(weir_slice text)
{
    uint8_t bits = 0;
    for (size_t i = 0; i < text.size; i++) {
        bits |= text.data[i];
    }
    return bits < 0x80;
}

/* A statement is in the character set of the client that sent it. *text becomes UTF-8, in the arena. */
static int decode_statement(weir_capture *capture, uint32_t collation, weir_slice *text, weir_error *err)
{
    const char *name;
    weir_charset *charset;
    weir_buffer decoded = {0};
    if (collation == 0 || is_ascii(*text)) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_mysql_collation_charset(&capture->query, collation, &capture->event_arena, &name, err));
    if (name == NULL) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_charset_open(name, &charset, err));
    if (charset != NULL) {
        weir_charset_convert(charset, *text, &decoded);
        weir_charset_close(charset);
        text->data = weir_arena_copy(&capture->event_arena, decoded.data, decoded.size);
        text->size = decoded.size;
        weir_buffer_free(&decoded);
    }
    return WEIR_OK;
}

int weir_capture_handle_ddl(weir_capture *capture, const weir_binlog_query *query, bool *out_ends, weir_error *err)
{
    weir_ddl ddl;
    weir_slice text = query->text;
    weir_arena_free(&capture->event_arena);
    WEIR_TRY(decode_statement(capture, query->collation, &text, err));
    weir_ddl_parse(text, &capture->event_arena, &ddl);
    *out_ends = ends_transaction(capture, ddl.kind);
    if (ddl.kind == WEIR_DDL_BEGIN || ddl.kind == WEIR_DDL_COMMIT || ddl.table_count == 0) {
        return WEIR_OK;
    }
    const char *database = weir_arena_strndup(&capture->event_arena,
                                              query->database.data == NULL ? "" : (const char *)query->database.data,
                                              query->database.size);
    return handle_tables(capture, &ddl, database, err);
}
