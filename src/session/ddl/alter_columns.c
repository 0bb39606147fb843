/* ALTER TABLE … ADD, MODIFY, DROP, RENAME: columns, primary key and watermark of a draft, by Flink's rules. What kinds
 * of tables make of the result is elsewhere. */
#include "base/text.h"
#include "session/ddl/alter.h"

/* ---- errors ---- */

static int fail(const weir_ast_part *part, weir_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int fail(const weir_ast_part *part, weir_error *err, const char *format, ...)
{
    char message[WEIR_ERROR_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return weir_fail_at(err, WEIR_INVALID, part->position.line, part->position.column, "%s", message);
}

static int unknown_column(const weir_alter_draft *self, const weir_ast_part *part, weir_error *err)
{
    const weir_ast_create_table *draft = self->draft;
    const char **names = WEIR_NEW_ARRAY(self->arena, const char *, draft->column_count + 1);
    for (int32_t i = 0; i < draft->column_count; i++) {
        names[i] = draft->columns[i].name.text;
    }
    const char *near = weir_suggest(part->text, names, (size_t)draft->column_count);
    return fail(part, err, "table '%s' has no column '%s'%s%s%s", draft->name.parts[draft->name.count - 1].text,
                part->text, near == NULL ? "" : "; did you mean '", near == NULL ? "" : near, near == NULL ? "" : "'?");
}

static int need_column(const weir_alter_draft *self, const weir_ast_part *part, int32_t *out, weir_error *err)
{
    *out = weir_draft_find(self->draft, part->text);
    return *out >= 0 ? WEIR_OK : unknown_column(self, part, err);
}

/* Columns that others are computed from, and the watermark's, stay as they are. */
static int check_not_used(const weir_alter_draft *self, const weir_ast_part *part, const char *what, weir_error *err)
{
    const weir_ast_create_table *draft = self->draft;
    for (int32_t i = 0; i < draft->column_count; i++) {
        const weir_ast_column *column = &draft->columns[i];
        bool dropped_too =
            self->alter->kind == WEIR_AST_ALTER_DROP_COLUMNS && weir_names_hold(&self->alter->names, column->name.text);
        if (column->kind == WEIR_AST_COMPUTED_COLUMN && !dropped_too &&
            weir_expression_names(column->expression, part->text)) {
            return fail(part, err,
                        "column '%s' cannot be %s, because the computed column '%s' is made from it; "
                        "DROP that one first",
                        part->text, what, column->name.text);
        }
    }
    const weir_ast_watermark *watermark = draft->watermark;
    if (watermark != NULL && (strcmp(watermark->column.parts[0].text, part->text) == 0 ||
                              weir_expression_names(watermark->expression, part->text))) {
        return fail(part, err, "column '%s' cannot be %s, because the WATERMARK is made from it; DROP WATERMARK first",
                    part->text, what);
    }
    if (weir_names_hold(&draft->partitioned_by, part->text)) {
        return fail(part, err, "column '%s' cannot be %s, because the table is partitioned by it", part->text, what);
    }
    return WEIR_OK;
}

/* ---- steps ---- */

static weir_alter_step *add_step(weir_alter_draft *self, weir_schema_change_kind kind, const weir_ast_part *part)
{
    weir_alter_step *step = &self->steps[self->step_count++];
    *step = (weir_alter_step){.kind = kind, .position = part->position, .name = part->text};
    return step;
}

/* Where a column goes: behind the last stored column before `place`. */
static void set_place(const weir_alter_draft *self, int32_t place, weir_alter_step *step)
{
    step->place = WEIR_PLACE_FIRST;
    for (int32_t i = 0; i < place; i++) {
        if (self->draft->columns[i].kind == WEIR_AST_PHYSICAL_COLUMN) {
            step->place = WEIR_PLACE_AFTER;
            step->after = self->draft->columns[i].name.text;
        }
    }
}

static int find_place(const weir_alter_draft *self, const weir_ast_column *column, int32_t *out, weir_error *err)
{
    *out = column->place == 1 ? 0 : self->draft->column_count;
    if (column->place == 2) {
        WEIR_TRY(need_column(self, &column->after, out, err));
        ++*out;
    }
    return WEIR_OK;
}

/* ---- ADD ---- */

static int add_column(weir_alter_draft *self, const weir_ast_column *column, weir_error *err)
{
    int32_t place;
    if (weir_draft_find(self->draft, column->name.text) >= 0) {
        return fail(&column->name, err, "table '%s' has a column '%s' already; MODIFY changes it",
                    self->draft->name.parts[self->draft->name.count - 1].text, column->name.text);
    }
    WEIR_TRY(find_place(self, column, &place, err));
    if (column->kind == WEIR_AST_PHYSICAL_COLUMN) {
        weir_alter_step *step = add_step(self, WEIR_CHANGE_ADD_COLUMN, &column->name);
        if (column->place != 0) {
            set_place(self, place, step);
        }
    }
    weir_draft_insert(self->draft, place, column);
    return WEIR_OK;
}

static int set_primary_key(weir_alter_draft *self, const weir_ast_names *key, bool modify, weir_error *err)
{
    weir_ast_create_table *draft = self->draft;
    if (draft->has_primary_key && !modify) {
        return fail(&key->items[0], err, "the table has a PRIMARY KEY already; MODIFY changes it");
    }
    if (!draft->has_primary_key && modify) {
        return fail(&key->items[0], err, "the table has no PRIMARY KEY to MODIFY; ADD makes one");
    }
    draft->has_primary_key = true;
    draft->primary_key = *key;
    draft->primary_key_position = key->items[0].position;
    return WEIR_OK;
}

static int set_watermark(weir_alter_draft *self, weir_ast_watermark *watermark, bool modify, weir_error *err)
{
    weir_ast_part part = {.position = watermark->position};
    if (self->draft->watermark != NULL && !modify) {
        return fail(&part, err, "the table has a WATERMARK already; MODIFY changes it");
    }
    if (self->draft->watermark == NULL && modify) {
        return fail(&part, err, "the table has no WATERMARK to MODIFY; ADD makes one");
    }
    self->draft->watermark = watermark;
    return WEIR_OK;
}

/* ---- MODIFY ---- */

static int modify_column(weir_alter_draft *self, const weir_ast_column *column, weir_error *err)
{
    int32_t place;
    WEIR_TRY(need_column(self, &column->name, &place, err));
    weir_ast_column changed = *column;
    const weir_ast_column *old = &self->draft->columns[place];
    if (changed.comment == NULL) {
        changed.comment = old->comment;
    }
    if (changed.kind != WEIR_AST_PHYSICAL_COLUMN && weir_names_hold(&self->draft->partitioned_by, column->name.text)) {
        return fail(&column->name, err, "column '%s' must be stored, because the table is partitioned by it",
                    column->name.text);
    }
    weir_alter_step *step = add_step(self, WEIR_CHANGE_COLUMN_TYPE, &column->name);
    step->moved = column->place != 0;
    if (!step->moved) {
        self->draft->columns[place] = changed;
        return WEIR_OK;
    }
    if (column->place == 2 && strcmp(column->after.text, column->name.text) == 0) {
        return fail(&column->after, err, "column '%s' cannot stand after itself", column->name.text);
    }
    weir_draft_remove(self->draft, place);
    WEIR_TRY(find_place(self, column, &place, err));
    set_place(self, place, step);
    weir_draft_insert(self->draft, place, &changed);
    return WEIR_OK;
}

/* ---- DROP and RENAME ---- */

static int drop_column(weir_alter_draft *self, int32_t index, weir_error *err)
{
    const weir_ast_part *part = &self->alter->names.items[index];
    int32_t place;
    for (int32_t i = 0; i < index; i++) {
        if (strcmp(self->alter->names.items[i].text, part->text) == 0) {
            return fail(part, err, "column '%s' is named twice", part->text);
        }
    }
    WEIR_TRY(need_column(self, part, &place, err));
    WEIR_TRY(check_not_used(self, part, "dropped", err));
    if (weir_names_hold(&self->draft->primary_key, part->text)) {
        return fail(part, err, "column '%s' cannot be dropped, because it belongs to the PRIMARY KEY", part->text);
    }
    if (self->draft->column_count == 1) {
        return fail(part, err, "column '%s' is the last one; a table needs at least one", part->text);
    }
    if (self->draft->columns[place].kind == WEIR_AST_PHYSICAL_COLUMN) {
        add_step(self, WEIR_CHANGE_DROP_COLUMN, part);
    }
    weir_draft_remove(self->draft, place);
    return WEIR_OK;
}

static int rename_column(weir_alter_draft *self, weir_error *err)
{
    const weir_ast_part *part = &self->alter->names.items[0];
    const weir_ast_part *new_name = &self->alter->new_name.parts[0];
    weir_ast_create_table *draft = self->draft;
    int32_t place;
    if (self->alter->new_name.count != 1) {
        return fail(new_name, err, "a column's name has one part");
    }
    WEIR_TRY(need_column(self, part, &place, err));
    if (weir_draft_find(draft, new_name->text) >= 0) {
        return fail(new_name, err, "table '%s' has a column '%s' already",
                    draft->name.parts[draft->name.count - 1].text, new_name->text);
    }
    WEIR_TRY(check_not_used(self, part, "renamed", err));
    for (int32_t i = 0; i < draft->primary_key.count; i++) {
        if (strcmp(draft->primary_key.items[i].text, part->text) == 0) {
            draft->primary_key.items[i] = *new_name;
        }
    }
    if (draft->columns[place].kind == WEIR_AST_PHYSICAL_COLUMN) {
        add_step(self, WEIR_CHANGE_RENAME_COLUMN, part)->new_name = new_name->text;
    } else if (draft->columns[place].kind == WEIR_AST_METADATA_COLUMN && draft->columns[place].metadata_key == NULL) {
        draft->columns[place].metadata_key = part->text; /* the key stays what the name was */
    }
    draft->columns[place].name = *new_name;
    return WEIR_OK;
}

/* ---- the statement ---- */

static int add_or_modify(weir_alter_draft *self, weir_error *err)
{
    const weir_ast_alter *alter = self->alter;
    bool modify = alter->kind == WEIR_AST_ALTER_MODIFY;
    for (int32_t i = 0; i < alter->column_count; i++) {
        WEIR_TRY(modify ? modify_column(self, &alter->columns[i], err) : add_column(self, &alter->columns[i], err));
        if (alter->columns[i].primary_key) {
            weir_ast_names *key = WEIR_NEW(self->arena, weir_ast_names);
            *key = (weir_ast_names){.items = &alter->columns[i].name, .count = 1};
            WEIR_TRY(set_primary_key(self, key, modify, err));
        }
    }
    if (alter->has_primary_key) {
        WEIR_TRY(set_primary_key(self, &alter->primary_key, modify, err));
    }
    return alter->watermark == NULL ? WEIR_OK : set_watermark(self, alter->watermark, modify, err);
}

static int drop_key_or_watermark(weir_alter_draft *self, weir_error *err)
{
    bool key = self->alter->kind == WEIR_AST_ALTER_DROP_PRIMARY_KEY;
    weir_ast_create_table *draft = self->draft;
    if (key ? !draft->has_primary_key : draft->watermark == NULL) {
        return fail(&draft->name.parts[draft->name.count - 1], err, "table '%s' has no %s to drop",
                    draft->name.parts[draft->name.count - 1].text, key ? "PRIMARY KEY" : "WATERMARK");
    }
    if (key) {
        draft->has_primary_key = false;
        draft->primary_key.count = 0;
    } else {
        draft->watermark = NULL;
    }
    return WEIR_OK;
}

int weir_alter_columns(weir_alter_draft *self, weir_error *err)
{
    const weir_ast_alter *alter = self->alter;
    self->steps = WEIR_NEW_ARRAY(self->arena, weir_alter_step, alter->column_count + alter->names.count + 1);
    switch (alter->kind) {
    case WEIR_AST_ALTER_ADD:
    case WEIR_AST_ALTER_MODIFY:
        return add_or_modify(self, err);
    case WEIR_AST_ALTER_DROP_COLUMNS:
        for (int32_t i = 0; i < alter->names.count; i++) {
            WEIR_TRY(drop_column(self, i, err));
        }
        return WEIR_OK;
    case WEIR_AST_ALTER_RENAME_COLUMN:
        return rename_column(self, err);
    default:
        return drop_key_or_watermark(self, err);
    }
}
