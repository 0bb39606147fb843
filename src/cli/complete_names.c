/* Names in completion: tables that the statement speaks of, their columns, and what the catalogs hold. */
#include <stdlib.h>

#include "base/text.h"
#include "cli/complete.h"

/* ---- the tables of the statement ---- */

static bool is_name(const weir_completion *self, size_t piece)
{
    return piece < self->count &&
           (self->pieces[piece].kind == WEIR_PIECE_WORD || self->pieces[piece].kind == WEIR_PIECE_QUOTED);
}

/* Moves over a hint that begins at `at`. */
static size_t skip_hint(const weir_completion *self, size_t at)
{
    if (at < self->count && weir_completion_is(self, at, "/*+")) {
        while (at < self->count && !weir_completion_is(self, at, "*/")) {
            at++;
        }
        at++;
    }
    return at;
}

static bool is_typed(const weir_completion *self, size_t piece) { return self->has_word && piece == self->at; }

/* Reads the parts of a name. Returns where it ends; 0 when it is none, or the one that is being typed. */
static size_t read_parts(weir_completion *self, size_t at, weir_named_table *out)
{
    while (is_name(self, at) && !is_typed(self, at) && out->part_count < 3) {
        out->parts[out->part_count++] = weir_completion_name(self, at);
        if (at + 1 == self->count || !weir_completion_is(self, at + 1, ".")) {
            return at + 1;
        }
        at += 2;
    }
    return 0;
}

/* Reads a name with dots and its alias. Returns where it ends, or `at` when there is none. */
static size_t read_table(weir_completion *self, size_t at)
{
    weir_named_table table = {0};
    size_t next = read_parts(self, at, &table);
    if (next == 0) {
        return at;
    }
    size_t alias = skip_hint(self, next);
    alias += alias < self->count && weir_completion_is(self, alias, "AS") ? 1 : 0;
    if (is_name(self, alias) && !is_typed(self, alias)) {
        table.alias = weir_completion_name(self, alias);
        next = alias + 1;
    }
    WEIR_GROW(self->tables, self->table_capacity, self->table_count + 1);
    self->tables[self->table_count++] = table;
    return next;
}

static bool leads_to_table(const weir_completion *self, size_t piece)
{
    static const char *const words[] = {"FROM", "JOIN", "INTO", "UPDATE", "TABLE", "OVERWRITE"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (weir_completion_is(self, piece, words[i])) {
            return true;
        }
    }
    return false;
}

void weir_completion_find_tables(weir_completion *self)
{
    bool in_from = false;
    for (size_t i = 0; i < self->count;) {
        bool leads = leads_to_table(self, i);
        bool is_more = in_from && weir_completion_is(self, i, ",");
        if (leads || is_more) {
            in_from = in_from || weir_completion_is(self, i, "FROM");
            size_t end = read_table(self, i + 1);
            i = end > i ? end : i + 1;
            continue;
        }
        /* Whatever keyword comes next ends the list. */
        in_from = in_from && self->pieces[i].kind != WEIR_PIECE_KEYWORD && !weir_completion_is(self, i, "(");
        i++;
    }
}

/* ---- columns ---- */

static void add_columns_of(weir_completion *self, const weir_named_table *table)
{
    weir_names names = {.arena = &self->out->arena};
    weir_session_column_names(self->session, table->parts, table->part_count, &names);
    for (size_t i = 0; i < names.count; i++) {
        weir_completion_add_name(self, names.items[i], "");
    }
}

void weir_completion_add_columns(weir_completion *self)
{
    for (size_t i = 0; i < self->table_count; i++) {
        add_columns_of(self, &self->tables[i]);
    }
    for (size_t i = 0; i < self->table_count && self->table_count > 1; i++) {
        const weir_named_table *table = &self->tables[i];
        weir_completion_add_name(self, table->alias != NULL ? table->alias : table->parts[table->part_count - 1], ".");
    }
}

/* ---- tables, databases, catalogs ---- */

static void add_tables_of(weir_completion *self, const char *catalog, const char *database)
{
    weir_names names = {.arena = &self->out->arena};
    weir_session_table_names(self->session, catalog, database, &names);
    for (size_t i = 0; i < names.count; i++) {
        weir_completion_add_name(self, names.items[i], " ");
    }
}

static void add_databases_of(weir_completion *self, const char *catalog)
{
    weir_names names = {.arena = &self->out->arena};
    weir_session_database_names(self->session, catalog, &names);
    for (size_t i = 0; i < names.count; i++) {
        weir_completion_add_name(self, names.items[i], ".");
    }
}

/* Common table expressions: a name before AS and an opening parenthesis, after WITH or a comma. */
static void add_expressions(weir_completion *self)
{
    for (size_t i = 1; i + 2 < self->count; i++) {
        if (is_name(self, i) && weir_completion_is(self, i + 1, "AS") && weir_completion_is(self, i + 2, "(") &&
            (weir_completion_is(self, i - 1, "WITH") || weir_completion_is(self, i - 1, ","))) {
            weir_completion_add_name(self, weir_completion_name(self, i), " ");
        }
    }
}

void weir_completion_add_tables(weir_completion *self)
{
    add_expressions(self);
    add_tables_of(self, NULL, NULL);
    if (self->word[0] == '\0' && self->out->count > 0) {
        return;
    }
    add_databases_of(self, NULL);
    weir_names names = {.arena = &self->out->arena};
    weir_session_catalog_names(self->session, &names);
    for (size_t i = 0; i < names.count; i++) {
        weir_completion_add_name(self, names.items[i], ".");
    }
}

void weir_completion_add_members(weir_completion *self, const char *const *parts, int32_t count)
{
    for (size_t i = 0; i < self->table_count && count == 1; i++) {
        const weir_named_table *table = &self->tables[i];
        const char *name = table->alias != NULL ? table->alias : table->parts[table->part_count - 1];
        if (weir_text_equal_ignore_case(name, parts[0])) {
            add_columns_of(self, table);
            return;
        }
    }
    if (count == 1) {
        add_tables_of(self, NULL, parts[0]);
        add_databases_of(self, parts[0]);
    } else {
        add_tables_of(self, parts[0], parts[1]);
    }
}
