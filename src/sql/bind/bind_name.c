/* Names: columns of the relations in FROM, of the queries around, and fields of rows. */
#include "base/text.h"
#include "sql/bind/binder_internal.h"

/* --- Looking ---------------------------------------------------------------------------------------------------- */

static bool is_of(const weir_scope_column *column, const char *relation)
{
    return column->relation != NULL && strcmp(column->relation, relation) == 0;
}

static bool has_relation(const weir_scope *scope, const char *name)
{
    for (int32_t i = 0; scope != NULL && i < scope->count; i++) {
        if (is_of(&scope->columns[i], name)) {
            return true;
        }
    }
    return false;
}

static int fail_ambiguous(weir_binder *binder, const weir_ast_part *part, const weir_scope_column *a,
                          const weir_scope_column *b)
{
    bool one = a->relation == b->relation ||
               (a->relation != NULL && b->relation != NULL && strcmp(a->relation, b->relation) == 0);
    if (one) {
        return weir_binder_fail(binder, &part->position,
                                "column '%s' is ambiguous: %s has several of this name; tell them apart by AS",
                                part->text, a->relation == NULL ? "a query" : a->relation);
    }
    return weir_binder_fail(
        binder, &part->position, "column '%s' is ambiguous: %s and %s have one; write the table's name before it",
        part->text, a->relation == NULL ? "a query" : a->relation, b->relation == NULL ? "a query" : b->relation);
}

/* The position of a column by its name, and by its relation if `relation` is given; -1 when there is none. */
static int find_column(weir_binder *binder, const weir_scope *scope, const weir_ast_part *part, const char *relation,
                       int32_t *out)
{
    *out = -1;
    for (int32_t i = 0; scope != NULL && i < scope->count; i++) {
        const weir_scope_column *column = &scope->columns[i];
        bool same =
            strcmp(column->name, part->text) == 0 && (relation == NULL ? !column->hidden : is_of(column, relation));
        if (same && *out >= 0) {
            return fail_ambiguous(binder, part, &scope->columns[*out], column);
        }
        if (same) {
            *out = i;
        }
    }
    return WEIR_OK;
}

/* The part of a name that is a relation of the scope: the last one that fits; -1: none. */
static int32_t relation_part(const weir_scope *scope, const weir_ast_name *name)
{
    int32_t found = -1;
    for (int32_t i = 0; i + 1 < name->count && i < 3; i++) {
        found = has_relation(scope, name->parts[i].text) ? i : found;
    }
    return found;
}

/* a, t.a, db.t.a, catalog.db.t.a: the column (-1: none) and how many parts name it; the rest are fields. */
static int find_name(weir_binder *binder, const weir_scope *scope, const weir_ast_name *name, int32_t *column,
                     int32_t *used)
{
    bool qualified = name->count > 1 && has_relation(scope, name->parts[0].text);
    *column = -1;
    *used = 1;
    if (!qualified) {
        WEIR_TRY(find_column(binder, scope, &name->parts[0], NULL, column));
    }
    int32_t relation = *column < 0 ? relation_part(scope, name) : -1;
    if (relation >= 0) {
        *used = relation + 2;
        return find_column(binder, scope, &name->parts[*used - 1], name->parts[relation].text, column);
    }
    return WEIR_OK;
}

/* --- What is wrong ---------------------------------------------------------------------------------------------- */

static int fail_unknown_column(weir_binder *binder, const weir_scope *scope, const weir_ast_part *part,
                               const char *relation)
{
    if (scope == NULL || scope->count == 0) {
        return weir_binder_fail(binder, &part->position, "unknown column '%s'; there are no columns here%s", part->text,
                                part->quoted ? "" : " (text is written in ' quotes)");
    }
    const char **names = WEIR_NEW_ARRAY(binder->arena, const char *, scope->count + 1);
    size_t count = 0;
    for (int32_t i = 0; i < scope->count; i++) {
        if (relation == NULL ? !scope->columns[i].hidden : is_of(&scope->columns[i], relation)) {
            names[count++] = scope->columns[i].name;
        }
    }
    const char *meant = weir_suggest(part->text, names, count);
    if (meant != NULL) {
        bool only_case = weir_text_equal_ignore_case(meant, part->text);
        return weir_binder_fail(binder, &part->position, "unknown column '%s'; did you mean '%s'?%s", part->text, meant,
                                only_case ? " (names are case-sensitive)" : "");
    }
    weir_buffer list = {0};
    for (size_t i = 0; i < count && i < 8; i++) {
        weir_buffer_append_format(&list, "%s%s", i == 0 ? "" : ", ", names[i]);
    }
    weir_binder_fail(binder, &part->position, "unknown column '%s'; there are %s%s", part->text,
                     weir_buffer_text(&list), count > 8 ? ", …" : "");
    weir_buffer_free(&list);
    return WEIR_INVALID;
}

/* The table that was probably meant by the first part of a name. */
static int fail_unknown_table(weir_binder *binder, const weir_ast_name *name)
{
    const weir_scope *scope = binder->scope;
    int32_t most = scope == NULL ? 0 : scope->count;
    const char **names = WEIR_NEW_ARRAY(binder->arena, const char *, most + 1);
    size_t count = 0;
    for (int32_t i = 0; i < most; i++) {
        if (scope->columns[i].relation != NULL) {
            names[count++] = scope->columns[i].relation;
        }
    }
    const char *meant = weir_suggest(name->parts[0].text, names, count);
    return weir_binder_fail(binder, &name->parts[0].position, "unknown table or column '%s'%s%s%s", name->parts[0].text,
                            meant == NULL ? "" : "; did you mean '", meant == NULL ? "" : meant,
                            meant == NULL ? "" : "'?");
}

/* No scope has the name: the nearest one that has the table tells its columns. */
static int fail_unknown(weir_binder *binder, const weir_ast_name *name)
{
    for (const weir_binder *at = binder; at != NULL; at = at->outer) {
        int32_t relation = relation_part(at->scope, name);
        if (relation >= 0) {
            return fail_unknown_column(binder, at->scope, &name->parts[relation + 1], name->parts[relation].text);
        }
    }
    return name->count > 1 ? fail_unknown_table(binder, name)
                           : fail_unknown_column(binder, binder->scope, &name->parts[0], NULL);
}

/* --- Fields ----------------------------------------------------------------------------------------------------- */

int weir_bind_field(weir_binder *binder, weir_expression *row, const char *name, const weir_position *at,
                    weir_expression **out)
{
    if (row->type->id != WEIR_ROW) {
        return weir_binder_fail(binder, at, "'.%s' asks for a field, but what stands before it is %s and no ROW", name,
                                weir_sql_type_text(binder->arena, row->type));
    }
    const weir_type *type = row->type;
    const char **names = WEIR_NEW_ARRAY(binder->arena, const char *, type->field_count + 1);
    for (int32_t i = 0; i < type->field_count; i++) {
        names[i] = type->fields[i].name;
        if (strcmp(names[i], name) == 0) {
            const weir_type *field = type->fields[i].type;
            weir_expression *expression =
                weir_expression_new(binder, WEIR_EXPRESSION_FIELD,
                                    weir_binder_nullable(binder, field, field->nullable || type->nullable), at, 1);
            expression->column = i;
            expression->arguments[0] = row;
            *out = expression;
            return WEIR_OK;
        }
    }
    const char *meant = weir_suggest(name, names, (size_t)type->field_count);
    return weir_binder_fail(binder, at, "the ROW has no field '%s'%s%s%s", name,
                            meant == NULL ? "" : "; did you mean '", meant == NULL ? "" : meant,
                            meant == NULL ? "" : "'?");
}

/* --- Names ------------------------------------------------------------------------------------------------------ */

/* A column of a query around: where that query is grouped, its groups alone can be seen. */
static int bind_outer_column(weir_binder *binder, const weir_binder *around, int32_t level, int32_t column,
                             const weir_ast_name *name, weir_expression **out)
{
    *out = weir_expression_column(binder, column, around->scope->columns[column].type, &name->position);
    const weir_grouping *grouping = around->grouping;
    if (grouping != NULL && !grouping->binding_argument) {
        int32_t group = 0;
        while (group < grouping->group_count && !weir_expression_equal(*out, grouping->groups[group])) {
            group++;
        }
        if (group == grouping->group_count) {
            return weir_binder_fail(binder, &name->position, "column '%s' of the query around is not in its GROUP BY",
                                    name->parts[name->count - 1].text);
        }
        (*out)->column = group;
    }
    (*out)->kind = WEIR_EXPRESSION_OUTER;
    (*out)->level = level;
    return WEIR_OK;
}

int weir_bind_name(weir_binder *binder, const weir_ast_name *name, weir_expression **out)
{
    int32_t column = -1;
    int32_t used = 1;
    int32_t level = 0;
    const weir_binder *around = binder;
    for (; around != NULL && column < 0; around = column < 0 ? around->outer : around) {
        WEIR_TRY(find_name(binder, around->scope, name, &column, &used));
        level += column < 0;
    }
    if (column < 0) {
        return fail_unknown(binder, name);
    }
    if (level == 0) {
        *out = weir_expression_column(binder, column, binder->scope->columns[column].type, &name->position);
    } else {
        WEIR_TRY(bind_outer_column(binder, around, level, column, name, out));
    }
    for (int32_t i = used; i < name->count; i++) {
        WEIR_TRY(weir_bind_field(binder, *out, name->parts[i].text, &name->parts[i].position, out));
    }
    return WEIR_OK;
}
