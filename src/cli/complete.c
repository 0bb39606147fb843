/* What kind of word is wanted at the cursor. */
#include "cli/complete.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

#include "base/text.h"
#include "session/procedure/procedure.h"
#include "sql/function/function.h"
#include "sql/parser.h"

/* ---- candidates ---- */

static bool begins_with(const char *text, const char *word) { return strncasecmp(text, word, strlen(word)) == 0; }

static void append(weir_completion *self, const char *text, const char *suffix)
{
    weir_candidates *out = self->out;
    for (size_t i = 0; i < out->count; i++) {
        if (weir_text_equal_ignore_case(out->items[i].text, text)) {
            return;
        }
    }
    WEIR_GROW(out->items, out->capacity, out->count + 1);
    out->items[out->count++] = (weir_candidate){.text = weir_arena_strdup(&out->arena, text), .suffix = suffix};
}

void weir_completion_add(weir_completion *self, const char *text, const char *suffix)
{
    if (begins_with(text, self->word)) {
        append(self, text, suffix);
    }
}

void weir_completion_add_name(weir_completion *self, const char *name, const char *suffix)
{
    weir_buffer quoted = {0};
    if (!begins_with(name, self->word)) {
        return;
    }
    bool is_quoted = self->has_word && self->pieces[self->at].kind == WEIR_PIECE_QUOTED;
    weir_sql_quote_name(name, &quoted);
    if (is_quoted && quoted.data[0] != '`') {
        weir_buffer_clear(&quoted);
        weir_buffer_append_format(&quoted, "`%s`", name);
    }
    append(self, weir_buffer_text(&quoted), suffix);
    weir_buffer_free(&quoted);
}

/* Adds a keyword or function that begins as the word at hand does, in the case that is used. */
static void add_word(weir_completion *self, const char *word, const char *suffix)
{
    if (!begins_with(word, self->word)) {
        return;
    }
    char *cased = weir_arena_strdup(&self->out->arena, word);
    for (char *c = cased; self->lower && *c != '\0'; c++) {
        *c = (char)tolower((unsigned char)*c);
    }
    append(self, cased, suffix);
}

bool weir_completion_is(const weir_completion *self, size_t piece, const char *word)
{
    const weir_piece *found = &self->pieces[piece];
    size_t size = strlen(word);
    return found->to - found->from == size && strncasecmp((const char *)self->text.data + found->from, word, size) == 0;
}

const char *weir_completion_name(const weir_completion *self, size_t piece)
{
    const weir_piece *found = &self->pieces[piece];
    const char *text = (const char *)self->text.data;
    bool quoted = found->kind == WEIR_PIECE_QUOTED;
    size_t from = found->from + (quoted ? 1 : 0);
    size_t to = found->to - (quoted && !found->is_open ? 1 : 0);
    return weir_arena_strndup(&self->out->arena, text + from, to > from ? to - from : 0);
}

/* ---- keywords ---- */

/* Words that may follow another one; separated by blanks. */
static const char *const followers[][2] = {
    {"CREATE", "TABLE CATALOG DATABASE VIEW TEMPORARY FUNCTION"},
    {"TEMPORARY", "TABLE VIEW FUNCTION"},
    {"DROP", "TABLE CATALOG DATABASE VIEW TEMPORARY FUNCTION COLUMN PRIMARY PARTITION"},
    {"ALTER", "TABLE VIEW DATABASE"},
    {"SHOW", "TABLES DATABASES CATALOGS COLUMNS CREATE CURRENT FUNCTIONS VIEWS PARTITIONS JOBS MODULES JARS "
             "PROCEDURES"},
    {"INSERT", "INTO OVERWRITE"},
    {"DELETE", "FROM"},
    {"TRUNCATE", "TABLE"},
    {"ANALYZE", "TABLE"},
    {"ORDER", "BY"},
    {"GROUP", "BY"},
    {"PARTITIONED", "BY"},
    {"PRIMARY", "KEY"},
    {"IS", "NULL NOT TRUE FALSE UNKNOWN DISTINCT"},
    {"CROSS", "JOIN"},
    {"INNER", "JOIN"},
    {"OUTER", "JOIN"},
    {"LEFT", "JOIN OUTER"},
    {"RIGHT", "JOIN OUTER"},
    {"FULL", "JOIN OUTER"},
    {"EXECUTE", "STATEMENT"},
    {"STATEMENT", "SET"},
};

static const char *const starters = "SELECT WITH INSERT CREATE DROP ALTER SHOW DESCRIBE DESC EXPLAIN USE SET RESET "
                                    "UPDATE DELETE TRUNCATE ANALYZE CALL EXECUTE STOP VALUES HELP QUIT EXIT CLEAR";

/* What goes on after a name or a value. */
static const char *const continuations =
    "FROM WHERE AND OR AS GROUP ORDER LIMIT HAVING JOIN LEFT RIGHT FULL INNER CROSS ON USING UNION INTERSECT EXCEPT "
    "OFFSET IN LIKE BETWEEN IS NOT ASC DESC OVER WITH SET VALUES SELECT PARTITION PARTITIONED COMMENT FOR";
static const char *const case_continuations = "WHEN THEN ELSE END";
static const char *const alterations = "ADD MODIFY DROP RENAME SET RESET TO AS FIRST AFTER NOT NULL COMMENT";

/* What an expression may begin with, besides names and functions. */
static const char *const beginnings = "DISTINCT ALL CASE CAST TRY_CAST EXISTS NOT NULL TRUE FALSE INTERVAL DATE TIME "
                                      "TIMESTAMP ROW ARRAY MAP SELECT AND OR AS FROM";

/* Adds those of the words that begin as typed. */
static void add_words(weir_completion *self, const char *words)
{
    char *copy = weir_arena_strdup(&self->out->arena, words);
    char *rest = NULL;
    for (char *word = strtok_r(copy, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        add_word(self, word, " ");
    }
}

static const char *followers_of(const weir_completion *self, size_t piece)
{
    for (size_t i = 0; i < sizeof followers / sizeof *followers; i++) {
        if (weir_completion_is(self, piece, followers[i][0])) {
            return followers[i][1];
        }
    }
    return NULL;
}

static void add_keywords(weir_completion *self)
{
    for (size_t i = 0; i < weir_sql_keyword_count(); i++) {
        add_word(self, weir_sql_keyword(i), " ");
    }
}

static void add_functions(weir_completion *self)
{
    for (size_t i = 0; i < weir_function_count; i++) {
        const weir_function *function = &weir_functions[i];
        if (function->kind != WEIR_FUNCTION_KNOWN) {
            bool takes_arguments = function->signature == NULL || strchr(function->signature, '(') != NULL;
            add_word(self, function->name, takes_arguments ? "(" : " ");
        }
    }
}

/* ---- where the cursor is ---- */

static bool is_any(const weir_completion *self, size_t piece, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (weir_completion_is(self, piece, *words)) {
            return true;
        }
    }
    return false;
}

static bool is_clause(const weir_completion *self, size_t piece)
{
    static const char *const clauses[] = {"SELECT", "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT",
                                          "SET",    "ON",   "WITH",  "BY",    "VALUES", "INTO",  NULL};
    return self->pieces[piece].kind == WEIR_PIECE_KEYWORD && is_any(self, piece, clauses);
}

/* Whether a comma before piece `before` separates tables: the clause that it is in is FROM. */
static bool is_in_from(const weir_completion *self, size_t before)
{
    int depth = 0;
    for (size_t i = before; i-- > 0;) {
        if (weir_completion_is(self, i, ")")) {
            depth++;
        } else if (weir_completion_is(self, i, "(")) {
            if (depth-- == 0) {
                return false;
            }
        } else if (depth == 0 && is_clause(self, i)) {
            return weir_completion_is(self, i, "FROM");
        }
    }
    return false;
}

/* Whether the word after piece `previous` names a table. */
static bool wants_table(const weir_completion *self, size_t previous)
{
    static const char *const before_tables[] = {"FROM",     "JOIN", "INTO",      "UPDATE",  "TABLE",
                                                "DESCRIBE", "DESC", "OVERWRITE", "COLUMNS", NULL};
    if (weir_completion_is(self, previous, ",")) {
        return is_in_from(self, previous);
    }
    if (weir_completion_is(self, previous, "EXISTS")) {
        return previous >= 2 && weir_completion_is(self, previous - 1, "IF") &&
               weir_completion_is(self, previous - 2, "TABLE");
    }
    return is_any(self, previous, before_tables);
}

/* After SHOW TABLES FROM and USE: databases. */
static bool wants_database(const weir_completion *self, size_t previous)
{
    bool after_show =
        previous >= 1 && (weir_completion_is(self, previous, "FROM") || weir_completion_is(self, previous, "IN")) &&
        (weir_completion_is(self, previous - 1, "TABLES") || weir_completion_is(self, previous - 1, "VIEWS"));
    return after_show || weir_completion_is(self, previous, "DATABASE") || weir_completion_is(self, previous, "USE");
}

static void add_names(weir_completion *self,
                      void (*list)(const weir_session *session, const char *catalog, weir_names *out),
                      const char *suffix)
{
    weir_names names = {.arena = &self->out->arena};
    list(self->session, NULL, &names);
    for (size_t i = 0; i < names.count; i++) {
        weir_completion_add_name(self, names.items[i], suffix);
    }
}

static void list_catalogs(const weir_session *session, const char *catalog, weir_names *out)
{
    (void)catalog;
    weir_session_catalog_names(session, out);
}

/* The parts of a name before the word: a.b. — at most two. */
static int32_t parts_before(const weir_completion *self, size_t word, const char **parts)
{
    int32_t count = 0;
    size_t at = word;
    while (at >= 2 && count < 2 && weir_completion_is(self, at - 1, ".") &&
           self->pieces[at - 2].kind != WEIR_PIECE_SYMBOL) {
        at -= 2;
        memmove(parts + 1, parts, sizeof *parts * (size_t)count);
        parts[0] = weir_completion_name(self, at);
        count++;
    }
    return count;
}

/* A piece that a value or a name ends with. */
static bool is_operand(const weir_completion *self, size_t piece)
{
    weir_piece_kind kind = self->pieces[piece].kind;
    return kind == WEIR_PIECE_WORD || kind == WEIR_PIECE_QUOTED || kind == WEIR_PIECE_STRING ||
           kind == WEIR_PIECE_NUMBER || weir_completion_is(self, piece, ")") || weir_completion_is(self, piece, "*") ||
           weir_completion_is(self, piece, "NULL") || weir_completion_is(self, piece, "END");
}

static bool has_case(const weir_completion *self)
{
    for (size_t i = 0; i < self->count; i++) {
        if (weir_completion_is(self, i, "CASE")) {
            return true;
        }
    }
    return false;
}

static void add_expressions(weir_completion *self)
{
    weir_completion_add_columns(self);
    if (self->word[0] != '\0') {
        add_functions(self);
        add_words(self, beginnings);
    }
}

/* CALL sys.procedure(argument => value, …). */
static void complete_call(weir_completion *self)
{
    if (self->at == 1) {
        weir_completion_add_name(self, "sys", ".");
    } else if (self->at == 3) {
        for (size_t i = 0; i < weir_procedure_count; i++) {
            weir_completion_add_name(self, weir_procedures[i].name, "(");
        }
    } else if (weir_completion_is(self, self->at - 1, "(") || weir_completion_is(self, self->at - 1, ",")) {
        const char *name = weir_completion_name(self, 3);
        for (size_t i = 0; i < weir_procedure_count; i++) {
            const weir_procedure *procedure = &weir_procedures[i];
            bool is_called = weir_text_equal_ignore_case(procedure->name, name);
            for (int32_t a = 0; is_called && a < procedure->argument_count; a++) {
                weir_completion_add_name(self, procedure->arguments[a].name, " => ");
            }
        }
    }
}

static void complete_word(weir_completion *self)
{
    const char *parts[3] = {0};
    int32_t part_count = parts_before(self, self->at, parts);
    if (self->at > 0 && weir_completion_is(self, 0, "CALL")) {
        complete_call(self);
        return;
    }
    if (part_count > 0) {
        weir_completion_add_members(self, parts, part_count);
        return;
    }
    if (self->at == 0) {
        add_words(self, starters);
        return;
    }
    size_t previous = self->at - 1;
    if (weir_completion_is(self, previous, "CATALOG")) {
        add_names(self, list_catalogs, "");
    } else if (wants_database(self, previous)) {
        add_names(self, weir_session_database_names, "");
        add_words(self, weir_completion_is(self, previous, "USE") ? "CATALOG" : "");
    } else if (wants_table(self, previous)) {
        weir_completion_add_tables(self);
    } else if (followers_of(self, previous) != NULL) {
        add_words(self, followers_of(self, previous));
    }
    if (self->out->count > 0) {
        return;
    }
    if (is_operand(self, previous)) {
        add_words(self, has_case(self) ? case_continuations : "");
        add_words(self, weir_completion_is(self, 0, "ALTER") ? alterations : continuations);
    } else {
        add_expressions(self);
    }
    if (self->out->count == 0 && self->word[0] != '\0') {
        add_keywords(self);
    }
}

/* ---- the statement at the cursor ---- */

/* Keeps what matters of the statement: from after the last semicolon before the cursor to the next one. */
static void find_statement(weir_completion *self)
{
    size_t kept = 0;
    bool found = false;
    for (size_t i = 0; i < self->count; i++) {
        const weir_piece *piece = &self->pieces[i];
        bool ends = piece->kind == WEIR_PIECE_SYMBOL && self->text.data[piece->from] == ';';
        if (ends && piece->from >= self->cursor) {
            break;
        }
        if (ends) {
            kept = 0;
        } else if (piece->kind != WEIR_PIECE_BLANK && piece->kind != WEIR_PIECE_COMMENT) {
            self->pieces[kept++] = *piece;
        }
    }
    self->count = kept;
    for (self->at = 0; self->at < kept && !found;) {
        found = self->pieces[self->at].to >= self->cursor;
        self->at += found ? 0 : 1;
    }
}

static void find_word(weir_completion *self)
{
    self->word = "";
    self->out->word_from = self->cursor;
    if (self->at == self->count || self->pieces[self->at].from >= self->cursor) {
        return;
    }
    const weir_piece *piece = &self->pieces[self->at];
    bool is_name = piece->kind == WEIR_PIECE_WORD || piece->kind == WEIR_PIECE_KEYWORD ||
                   (piece->kind == WEIR_PIECE_QUOTED && piece->is_open);
    if (!is_name) {
        self->at++; /* the word begins after it */
        return;
    }
    size_t from = piece->from + (piece->kind == WEIR_PIECE_QUOTED ? 1 : 0);
    self->has_word = true;
    self->out->word_from = piece->from;
    self->word = weir_arena_strndup(&self->out->arena, (const char *)self->text.data + from, self->cursor - from);
}

/* As the word is typed; without one, as the last keyword before is. */
static bool uses_lower_case(const weir_completion *self)
{
    size_t size = strlen(self->word);
    if (size > 0) {
        return islower((unsigned char)self->word[size - 1]);
    }
    for (size_t i = self->at; i-- > 0;) {
        if (self->pieces[i].kind == WEIR_PIECE_KEYWORD) {
            return islower(self->text.data[self->pieces[i].to - 1]);
        }
    }
    return false;
}

void weir_complete_sql(void *session, weir_slice text, size_t cursor, weir_candidates *out)
{
    weir_completion self = {.session = session, .text = text, .cursor = cursor, .out = out};
    self.pieces = weir_pieces(text, &self.count);
    find_statement(&self);
    if (!weir_completion_in_string(&self)) {
        find_word(&self);
        self.lower = uses_lower_case(&self);
        weir_completion_find_tables(&self);
        complete_word(&self);
    }
    free(self.pieces);
    free(self.tables);
}
