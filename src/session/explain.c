/* EXPLAIN: the plans of statements in readable form, with what was pushed into their scans and what these would read.
 * Nothing is executed. */
#include "sql/explain.h"

#include "base/text.h"
#include "session/dml/change.h"
#include "stream/plan/traits.h"

typedef struct explanation {
    weir_session *session;
    weir_explain_options options;
    bool json, advice;
    weir_arena arena;
    weir_buffer text;
} explanation;

static const char *table_text(explanation *self, const weir_sql_table *table)
{
    return weir_arena_format(&self->arena, "%s.%s.%s", table->catalog, table->database, table->name);
}

/* "Insert into lake.default.t, overwriting partition (day)". */
static const char *insert_text(explanation *self, const weir_bound *bound)
{
    weir_buffer text = {0};
    const weir_sql_table *sink = bound->sink;
    weir_buffer_append_format(&text, "Insert into %s", table_text(self, sink));
    if (bound->overwrite) {
        weir_buffer_append_text(&text, bound->partition_count > 0 ? ", in place of partition ("
                                       : sink->partition_key_count > 0
                                           ? ", in place of the partitions that rows are for"
                                           : ", in place of all rows");
    } else if (bound->partition_count > 0) {
        weir_buffer_append_text(&text, ", partition (");
    }
    for (int32_t i = 0; i < bound->partition_count; i++) {
        const weir_sql_column *column = &sink->columns[bound->partition_columns[i]];
        const char *quote = weir_type_is_text(column->type) && !bound->partition_values[i].is_null ? "'" : "";
        weir_buffer_append_format(&text, "%s%s = %s", i > 0 ? ", " : "", column->name, quote);
        weir_literal_to_text(column->type, &bound->partition_values[i], &text);
        weir_buffer_append_text(&text, quote);
    }
    weir_buffer_append_text(&text, bound->partition_count > 0 ? ")" : "");
    const char *copy = weir_arena_strdup(&self->arena, weir_buffer_text(&text));
    weir_buffer_free(&text);
    return copy;
}

static int show_bound(explanation *self, const weir_bound *bound, const char *root, weir_error *err)
{
    WEIR_TRY(weir_explain_tree(bound->plan, root, &self->options, &self->text, err));
    if (self->json) {
        weir_buffer_append_text(&self->text, "\n== Execution plan as JSON ==\n");
        weir_explain_json(bound->plan, root, &self->text);
        weir_buffer_append_byte(&self->text, '\n');
    }
    if (self->advice) {
        weir_buffer_append_text(&self->text, "\n== Advice ==\n");
        weir_explain_advice(bound->plan, &self->text);
    }
    return WEIR_OK;
}

/* As Flink names them: UB an update's row before it, UA the one after. */
static void append_kinds(const weir_plan *plan, weir_buffer *out)
{
    weir_arena arena;
    const weir_stream_traits *traits = NULL;
    weir_arena_init(&arena);
    weir_buffer_append_text(out, "I");
    if (weir_stream_traits_of(plan, &arena, &traits, NULL) == WEIR_OK) {
        weir_buffer_append_text(out, traits->updates ? traits->has_before ? ",UB,UA" : ",UA" : "");
        weir_buffer_append_text(out, traits->deletes ? ",D" : "");
    }
    weir_arena_free(&arena);
}

/* Whether the statement would run as a job: then its plan is that of a stream. */
static void set_streams(explanation *self, bool streams)
{
    self->session->streams = streams;
    self->options.append_kinds = streams ? append_kinds : NULL;
}

static int show_insert(explanation *self, const weir_ast_insert *insert, weir_error *err)
{
    weir_bound *bound = NULL;
    weir_change change;
    set_streams(self, !insert->overwrite && weir_session_mode(self->session) != WEIR_RUNTIME_BATCH);
    WEIR_TRY(weir_session_bind_insert(self->session, insert, &bound, &change, err));
    int code = show_bound(self, bound, insert_text(self, bound), err);
    weir_bound_free(bound);
    return code;
}

static int show_modify(explanation *self, const weir_ast_statement *statement, weir_error *err)
{
    weir_session_resolver resolver;
    weir_bind_context context = weir_session_bind_context(self->session, &resolver);
    weir_bound *bound = NULL;
    bool deletes = statement->kind == WEIR_AST_DELETE;
    WEIR_TRY(deletes ? weir_bind_delete(&context, statement->modify, &bound, err)
                     : weir_bind_update(&context, statement->modify, &bound, err));
    const char *root =
        weir_arena_format(&self->arena, "%s %s", deletes ? "Delete from" : "Update", table_text(self, bound->sink));
    int code = show_bound(self, bound, root, err);
    weir_bound_free(bound);
    return code;
}

static int show_query(explanation *self, const weir_ast_query *query, weir_error *err)
{
    set_streams(self, weir_session_mode(self->session) == WEIR_RUNTIME_STREAMING);
    weir_session_resolver resolver;
    weir_bind_context context = weir_session_bind_context(self->session, &resolver);
    weir_bound *bound = NULL;
    WEIR_TRY(weir_bind_query(&context, query, &bound, err));
    int code = show_bound(self, bound, NULL, err);
    weir_bound_free(bound);
    return code;
}

static int show_statement(explanation *self, const weir_ast_statement *statement, weir_error *err)
{
    weir_buffer_append_text(&self->text, "== Plan ==\n");
    switch (statement->kind) {
    case WEIR_AST_QUERY:
        return show_query(self, statement->query, err);
    case WEIR_AST_INSERT:
        return show_insert(self, statement->insert, err);
    case WEIR_AST_DELETE:
    case WEIR_AST_UPDATE:
        return show_modify(self, statement, err);
    case WEIR_AST_STATEMENT_SET:
        for (int32_t i = 0; i < statement->statement_set.count; i++) {
            weir_buffer_append_text(&self->text, i > 0 ? "\n" : "");
            WEIR_TRY(show_insert(self, statement->statement_set.items[i], err));
        }
        return WEIR_OK;
    default:
        return weir_fail_at(err, WEIR_UNSUPPORTED, statement->position.line, statement->position.column,
                            "EXPLAIN shows the plans of SELECT, INSERT, DELETE, UPDATE and statement sets");
    }
}

static void read_details(explanation *self, const weir_ast_names *details)
{
    for (int32_t i = 0; i < details->count; i++) {
        const char *detail = details->items[i].text;
        self->options.costs |= weir_text_equal_ignore_case(detail, "ESTIMATED_COST");
        self->options.changelog_mode |= weir_text_equal_ignore_case(detail, "CHANGELOG_MODE");
        self->json |= weir_text_equal_ignore_case(detail, "JSON_EXECUTION_PLAN");
        self->advice |= weir_text_equal_ignore_case(detail, "PLAN_ADVICE");
    }
}

int weir_session_explain(weir_session *session, const weir_ast_statement *explain, weir_result **out, weir_error *err)
{
    explanation self = {.session = session};
    int code;
    weir_arena_init(&self.arena);
    read_details(&self, &explain->explain.details);
    WEIR_GO(show_statement(&self, explain->explain.statement, err));
    WEIR_GO(weir_page_result_create(weir_buffer_text(&self.text), out, err));
done:
    weir_buffer_free(&self.text);
    weir_arena_free(&self.arena);
    return code;
}
