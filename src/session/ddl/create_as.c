/* CREATE [OR REPLACE] TABLE … AS SELECT: columns from the query, then its rows.
 *
 * A table whose rows cannot be written is not left behind. A table that replaces another is made beside it under a
 * name of its own, and takes its place when it is complete; so its query may read what it replaces. The other one steps
 * aside and goes last: whatever fails, one of the two is whole. */
#include "session/ddl/create_table.h"

#include "base/clock.h"
#include "session/catalog/table_draft.h"

#define REPLACING_PREFIX "_weir_replacing_"
#define REPLACED_PREFIX  "_weir_replaced_"

/* ---- columns ---- */

static int32_t find_field(const weir_plan *plan, const char *name)
{
    for (int32_t i = 0; i < plan->field_count; i++) {
        if (strcmp(plan->fields[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static int32_t find_column(const weir_ast_create_table *create, const char *name)
{
    for (int32_t i = 0; i < create->column_count; i++) {
        if (strcmp(create->columns[i].name.text, name) == 0) {
            return i;
        }
    }
    return -1;
}

static weir_ast_column column_of(const weir_plan *plan, int32_t field, weir_position position)
{
    return (weir_ast_column){
        .name = {.position = position, .text = plan->fields[field].name},
        .type = plan->fields[field].type,
        .type_position = position,
    };
}

/* A list of bare names puts the query's columns into another order, and names all of them. */
static int order_columns(const weir_ast_create_table *create, const weir_plan *plan, weir_ast_create_table *out,
                         weir_error *err)
{
    for (int32_t i = 0; i < create->column_count; i++) {
        const weir_ast_part *name = &create->columns[i].name;
        int32_t field = find_field(plan, name->text);
        if (create->columns[i].type != NULL || create->columns[i].expression != NULL) {
            return weir_fail_at(err, WEIR_INVALID, name->position.line, name->position.column,
                                "either all columns have types or none has, and then the list only orders those of "
                                "the query");
        }
        if (field < 0) {
            return weir_fail_at(err, WEIR_INVALID, name->position.line, name->position.column,
                                "the query gives no column '%s'", name->text);
        }
        out->columns[out->column_count++] = column_of(plan, field, name->position);
    }
    if (create->column_count != plan->field_count) {
        weir_position at = create->columns[0].name.position;
        return weir_fail_at(err, WEIR_INVALID, at.line, at.column,
                            "the list names %d columns, but the query gives %d; name all of them, or none",
                            create->column_count, plan->field_count);
    }
    return WEIR_OK;
}

/* Columns of the statement come first; those of the query that it does not name follow. */
static int merge_columns(const weir_ast_create_table *create, const weir_plan *plan, weir_arena *arena,
                         weir_ast_create_table *out, weir_error *err)
{
    out->columns = WEIR_NEW_ARRAY(arena, weir_ast_column, create->column_count + plan->field_count + 1);
    out->column_count = 0;
    bool is_order =
        create->column_count > 0 && create->columns[0].type == NULL && create->columns[0].expression == NULL;
    if (is_order) {
        return order_columns(create, plan, out, err);
    }
    for (int32_t i = 0; i < create->column_count; i++) {
        const weir_ast_column *column = &create->columns[i];
        if (column->type == NULL && column->expression == NULL) {
            return weir_fail_at(err, WEIR_INVALID, column->name.position.line, column->name.position.column,
                                "column '%s' has no type", column->name.text);
        }
        out->columns[out->column_count++] = *column;
    }
    for (int32_t i = 0; i < plan->field_count; i++) {
        if (find_column(create, plan->fields[i].name) < 0) {
            out->columns[out->column_count++] = column_of(plan, i, create->query->position);
        }
    }
    return WEIR_OK;
}

static int check_query(const weir_ast_create_table *create, const weir_plan *plan, weir_error *err)
{
    for (int32_t i = 0; i < plan->field_count; i++) {
        if (plan->fields[i].type->id == WEIR_NULL) {
            return weir_fail_at(err, WEIR_INVALID, create->query->position.line, create->query->position.column,
                                "column '%s' of the query is NULL without a type; CAST it", plan->fields[i].name);
        }
    }
    return WEIR_OK;
}

/* ---- the two steps ---- */

static int insert_rows(weir_session *session, const weir_ast_create_table *create, const weir_plan *plan,
                       weir_arena *arena, weir_result **out, weir_error *err)
{
    weir_ast_insert insert = {
        .position = create->query->position, .table = create->name, .has_columns = true, .query = create->query};
    insert.columns.items = WEIR_NEW_ARRAY(arena, weir_ast_part, plan->field_count);
    insert.columns.count = plan->field_count;
    for (int32_t i = 0; i < plan->field_count; i++) {
        insert.columns.items[i] = (weir_ast_part){.position = create->query->position, .text = plan->fields[i].name};
    }
    return weir_session_insert_batch(session, &insert, out, err);
}

static void drop_again(weir_session *session, const weir_ast_name *name)
{
    weir_result *result = NULL;
    weir_ast_drop drop = {.object = WEIR_AST_OBJECT_TABLE, .name = *name, .if_exists = true};
    if (weir_session_drop(session, &drop, &result, NULL) == WEIR_OK) {
        weir_result_free(result);
    }
}

static int create_and_fill(weir_session *session, const weir_ast_create_table *create, const weir_plan *plan,
                           weir_arena *arena, weir_result **out, weir_error *err)
{
    bool exists = false;
    WEIR_TRY(weir_create_table(session, create, &exists, err));
    if (exists && create->if_not_exists) {
        *out = weir_result_done("Table '%s' exists already", create->name.parts[create->name.count - 1].text);
        return WEIR_OK;
    }
    int code = insert_rows(session, create, plan, arena, out, err);
    if (code != WEIR_OK) {
        drop_again(session, &create->name);
    }
    return code;
}

/* ---- OR REPLACE ---- */

static weir_ast_name name_beside(const weir_ast_name *name, const char *prefix, weir_arena *arena)
{
    weir_ast_name beside = *name;
    beside.parts = WEIR_NEW_ARRAY(arena, weir_ast_part, name->count);
    memcpy(beside.parts, name->parts, (size_t)name->count * sizeof *beside.parts);
    weir_ast_part *last = &beside.parts[name->count - 1];
    last->text = weir_arena_format(arena, "%s%s", prefix, last->text);
    return beside;
}

/* Nothing happens where there is no such table. */
static int rename_table(weir_session *session, const weir_ast_name *name, const weir_ast_name *new_name,
                        weir_error *err)
{
    weir_result *result = NULL;
    weir_ast_alter rename = {
        .kind = WEIR_AST_ALTER_RENAME_TABLE, .name = *name, .new_name = *new_name, .if_exists = true};
    WEIR_TRY(weir_session_alter_table(session, &rename, &result, err));
    weir_result_free(result);
    return WEIR_OK;
}

static int take_place(weir_session *session, const weir_ast_name *beside, const weir_ast_name *name, weir_arena *arena,
                      weir_error *err)
{
    char uuid[WEIR_UUID_SIZE];
    weir_uuid(uuid);
    const char *prefix = weir_arena_format(arena, REPLACED_PREFIX "%s_", uuid);
    const weir_ast_name aside = name_beside(name, prefix, arena);
    WEIR_TRY(rename_table(session, name, &aside, err));
    int code = rename_table(session, beside, name, err);
    if (code != WEIR_OK) {
        rename_table(session, &aside, name, NULL);
        return code;
    }
    drop_again(session, &aside);
    return WEIR_OK;
}

static int replace(weir_session *session, const weir_ast_create_table *create, const weir_plan *plan, weir_arena *arena,
                   weir_result **out, weir_error *err)
{
    weir_ast_create_table beside = *create;
    beside.name = name_beside(&create->name, REPLACING_PREFIX, arena);
    beside.or_replace = false;
    drop_again(session, &beside.name); /* of an attempt that was interrupted */
    WEIR_TRY(create_and_fill(session, &beside, plan, arena, out, err));
    int code = take_place(session, &beside.name, &create->name, arena, err);
    if (code != WEIR_OK) {
        weir_result_free(*out);
        *out = NULL;
        drop_again(session, &beside.name);
    }
    return code;
}

/* ---- the statement ---- */

static int check_statement(weir_session *session, const weir_ast_create_table *create, weir_error *err)
{
    weir_object_path path;
    weir_position at = create->name.position;
    if (create->temporary) {
        return weir_fail_at(err, WEIR_INVALID, at.line, at.column,
                            "AS SELECT makes permanent tables only; CREATE the TEMPORARY TABLE and INSERT INTO it");
    }
    WEIR_TRY(weir_catalogs_table_path(&session->catalogs, &create->name, &path, err));
    if (weir_catalogs_temporary(&session->catalogs, &path) != NULL) {
        return weir_fail_at(err, WEIR_INVALID, at.line, at.column,
                            "a temporary table '%s' hides the one to be made, and would get its rows; drop it first",
                            path.name);
    }
    return WEIR_OK;
}

int weir_create_as(weir_session *session, const weir_ast_create_table *create, weir_result **out, weir_error *err)
{
    weir_session_resolver resolver;
    weir_bind_context context = weir_session_bind_context(session, &resolver);
    weir_ast_create_table merged = *create;
    weir_bound *bound = NULL;
    weir_arena arena;
    int code = WEIR_OK;
    weir_arena_init(&arena);
    WEIR_GO(check_statement(session, create, err));
    WEIR_GO(weir_bind_query(&context, create->query, &bound, err));
    WEIR_GO(check_query(create, bound->plan, err));
    WEIR_GO(merge_columns(create, bound->plan, &arena, &merged, err));
    WEIR_GO(create->or_replace ? replace(session, &merged, bound->plan, &arena, out, err)
                               : create_and_fill(session, &merged, bound->plan, &arena, out, err));
    if ((*out)->kind == WEIR_RESULT_CHANGES) {
        (*out)->message =
            weir_arena_format(&(*out)->arena, "CREATE TABLE %s", create->name.parts[create->name.count - 1].text);
    }
done:
    weir_bound_free(bound);
    weir_arena_free(&arena);
    return code;
}
