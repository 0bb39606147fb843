/* ALTER TABLE of tables in a Paimon catalog: the statement as changes of the schema. */
#include "base/text.h"
#include "session/catalog/schema_options.h"
#include "session/ddl/alter.h"
#include "session/ddl/create_table.h"

typedef struct change_list {
    weir_arena *arena;
    weir_schema_change *changes;
    weir_position *positions;
    int32_t count;
} change_list;

static change_list new_list(weir_arena *arena, size_t most)
{
    return (change_list){.arena = arena,
                         .changes = WEIR_NEW_ARRAY(arena, weir_schema_change, most + 1),
                         .positions = WEIR_NEW_ARRAY(arena, weir_position, most + 1)};
}

static void add(change_list *list, weir_position position, weir_schema_change change)
{
    list->changes[list->count] = change;
    list->positions[list->count++] = position;
}

/* Where a change was written that the message of all of them together quotes. */
static weir_position place_of(const change_list *list, const char *message, weir_position otherwise)
{
    for (int32_t i = 0; i < list->count; i++) {
        const char *name = list->changes[i].name;
        if (name != NULL && strstr(message, weir_arena_format(list->arena, "'%s'", name)) != NULL) {
            return list->positions[i];
        }
    }
    return otherwise;
}

/* Publishes; an error stands where the change that is refused was written, or else at the table's name. */
static int publish(const weir_object_path *path, const change_list *list, weir_error *err)
{
    weir_catalog *catalog = path->catalog->paimon;
    int32_t failed = -1;
    if (list->count == 0) {
        return WEIR_OK;
    }
    int code = catalog->ops->alter_table(catalog, path->database, path->name, list->changes, list->count, &failed, err);
    if (code == WEIR_OK) {
        return WEIR_OK;
    }
    return weir_error_at(err, code,
                         failed >= 0 ? list->positions[failed] : place_of(list, err->message, path->position));
}

/* ---- columns ---- */

static const weir_sql_column *find_column(const weir_bound_columns *columns, const char *name)
{
    for (int32_t i = 0; i < columns->column_count; i++) {
        if (strcmp(columns->columns[i].name, name) == 0) {
            return &columns->columns[i];
        }
    }
    return NULL;
}

static bool equal_texts(const char *a, const char *b) { return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0; }

static int refuse_kind(const weir_alter_step *step, const weir_sql_column *old, const weir_sql_column *altered,
                       weir_error *err)
{
    if ((old->kind == WEIR_SQL_PHYSICAL_COLUMN) == (altered->kind == WEIR_SQL_PHYSICAL_COLUMN)) {
        return WEIR_OK;
    }
    return weir_fail_at(err, WEIR_INVALID, step->position.line, step->position.column,
                        "a column of a Paimon table that is %s cannot become one that is %s; DROP '%s' and ADD it anew",
                        old->kind == WEIR_SQL_PHYSICAL_COLUMN ? "stored" : "computed",
                        altered->kind == WEIR_SQL_PHYSICAL_COLUMN ? "stored" : "computed", step->name);
}

static int modify(change_list *list, const weir_alter_step *step, const weir_bound_columns *old,
                  const weir_bound_columns *altered, weir_error *err)
{
    const weir_sql_column *before = find_column(old, step->name);
    const weir_sql_column *after = find_column(altered, step->name);
    WEIR_TRY(refuse_kind(step, before, after, err));
    if (after->kind != WEIR_SQL_PHYSICAL_COLUMN) {
        return WEIR_OK;
    }
    if (!weir_type_equal(before->type, after->type, false) || weir_type_is_nested(after->type)) {
        add(list, step->position,
            (weir_schema_change){.kind = WEIR_CHANGE_COLUMN_TYPE, .name = step->name, .type = after->type});
    }
    if (!equal_texts(before->comment, after->comment)) {
        add(list, step->position,
            (weir_schema_change){.kind = WEIR_CHANGE_COLUMN_COMMENT, .name = step->name, .text = after->comment});
    }
    if (step->moved) {
        add(list, step->position,
            (weir_schema_change){
                .kind = WEIR_CHANGE_COLUMN_PLACE, .name = step->name, .place = step->place, .after = step->after});
    }
    return WEIR_OK;
}

static int add_step(change_list *list, const weir_alter_step *step, const weir_bound_columns *old,
                    const weir_bound_columns *altered, weir_error *err)
{
    weir_schema_change change = {.kind = step->kind, .name = step->name, .place = step->place, .after = step->after};
    if (step->kind == WEIR_CHANGE_COLUMN_TYPE) {
        return modify(list, step, old, altered, err);
    }
    if (step->kind == WEIR_CHANGE_ADD_COLUMN) {
        const weir_sql_column *column = find_column(altered, step->name);
        change.type = column->type;
        change.text = column->comment;
    } else if (step->kind == WEIR_CHANGE_RENAME_COLUMN) {
        change.text = step->new_name;
    }
    add(list, step->position, change);
    return WEIR_OK;
}

/* Computed columns and the watermark are options. */
static void add_schema_options(change_list *list, weir_position position, const weir_options *old,
                               const weir_options *altered)
{
    for (size_t i = 0; i < old->count; i++) {
        if (weir_options_get(altered, old->keys[i]) == NULL) {
            add(list, position, (weir_schema_change){.kind = WEIR_CHANGE_RESET_OPTION, .name = old->keys[i]});
        }
    }
    for (size_t i = 0; i < altered->count; i++) {
        if (!equal_texts(weir_options_get(old, altered->keys[i]), altered->values[i])) {
            add(list, position,
                (weir_schema_change){
                    .kind = WEIR_CHANGE_SET_OPTION, .name = altered->keys[i], .text = altered->values[i]});
        }
    }
}

static int check_allowed(const weir_object_path *path, const weir_alter_draft *self, weir_error *err)
{
    const weir_ast_alter *alter = self->alter;
    if (alter->has_primary_key || alter->kind == WEIR_AST_ALTER_DROP_PRIMARY_KEY) {
        return weir_fail_at(err, WEIR_INVALID, path->position.line, path->position.column,
                            "the PRIMARY KEY of a Paimon table cannot be changed, because its files are sorted by it; "
                            "create another table and INSERT the rows into it");
    }
    for (int32_t i = 0; i < alter->column_count; i++) {
        const weir_ast_column *column = &alter->columns[i];
        if (column->kind == WEIR_AST_METADATA_COLUMN) {
            return weir_fail_at(err, WEIR_INVALID, column->name.position.line, column->name.position.column,
                                "column '%s' is METADATA, and Paimon tables have none", column->name.text);
        }
    }
    return WEIR_OK;
}

int weir_alter_paimon(const weir_object_path *path, const weir_alter_draft *self, const weir_description *old,
                      const weir_bound_columns *altered, weir_error *err)
{
    weir_options old_options = {0};
    weir_options new_options = {0};
    WEIR_TRY(check_allowed(path, self, err));
    weir_schema_options_write(&old->columns, self->arena, &old_options);
    weir_schema_options_write(altered, self->arena, &new_options);
    change_list list = new_list(self->arena, (size_t)self->step_count * 3 + old_options.count + new_options.count);
    for (int32_t i = 0; i < self->step_count; i++) {
        WEIR_TRY(add_step(&list, &self->steps[i], &old->columns, altered, err));
    }
    add_schema_options(&list, path->position, &old_options, &new_options);
    return publish(path, &list, err);
}

/* ---- options ---- */

int weir_alter_paimon_options(const weir_object_path *path, const weir_ast_alter *alter, weir_arena *arena,
                              weir_error *err)
{
    bool resets = alter->kind == WEIR_AST_ALTER_RESET_OPTIONS;
    change_list list = new_list(arena, (size_t)(resets ? alter->names.count : alter->options.count));
    for (int32_t i = 0; resets && i < alter->names.count; i++) {
        const weir_ast_part *key = &alter->names.items[i];
        bool is_comment = strcmp(key->text, "comment") == 0;
        add(&list, key->position,
            (weir_schema_change){.kind = is_comment ? WEIR_CHANGE_COMMENT : WEIR_CHANGE_RESET_OPTION,
                                 .name = key->text});
    }
    for (int32_t i = 0; !resets && i < alter->options.count; i++) {
        const weir_ast_option *pair = &alter->options.items[i];
        bool is_comment = strcmp(pair->key, "comment") == 0;
        if (strcmp(pair->key, "connector") == 0) {
            if (strcmp(pair->value, "paimon") == 0) {
                continue; /* what it is anyway */
            }
            return weir_fail_at(err, WEIR_INVALID, pair->value_position.line, pair->value_position.column,
                                "catalog '%s' keeps Paimon tables only", path->catalog->name);
        }
        if (!is_comment && !weir_option_is_kept(pair->key)) {
            continue;
        }
        bool is_value = !is_comment && weir_option_find(pair->key) != NULL &&
                        weir_option_check(pair->key, pair->value, NULL) != WEIR_OK;
        add(&list, is_value ? pair->value_position : pair->position,
            (weir_schema_change){.kind = is_comment ? WEIR_CHANGE_COMMENT : WEIR_CHANGE_SET_OPTION,
                                 .name = pair->key,
                                 .text = pair->value});
        weir_tell_successor(pair->key);
    }
    return publish(path, &list, err);
}
