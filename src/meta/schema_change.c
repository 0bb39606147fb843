/* ALTER TABLE as far as the schema goes: columns, options and comments become the next version, which is published.
 *
 * Types of columns are in schema_change_type.c, options that may not change and those that follow a renamed column in
 * schema_change_option.c; what must hold of the result in schema_check.c. */
#include "meta/schema_change.h"

#include "base/clock.h"
#include "base/text.h"
#include "meta/schema_change_internal.h"
#include "meta/schema_check.h"
#include "meta/snapshot.h"

#define MOST_ATTEMPTS 100 /* of publishing, when others are always faster */

/* ---- columns ---- */

static int find_column(const weir_altered *self, const char *name) { return weir_schema_column(self->schema, name); }

static int need_column(const weir_altered *self, const char *name, int32_t *out, weir_error *err)
{
    *out = find_column(self, name);
    return *out >= 0 ? WEIR_OK : weir_schema_unknown_column(self->schema, "statement", name, self->arena, err);
}

static int no_column_yet(const weir_altered *self, const char *name, weir_error *err)
{
    return find_column(self, name) < 0 ? WEIR_OK : weir_fail(err, WEIR_EXISTS, "there is a column '%s' already", name);
}

static int not_partition(const weir_altered *self, const char *name, const char *what, weir_error *err)
{
    const weir_schema *schema = self->schema;
    if (weir_names_have(schema->partition_keys, schema->partition_key_count, name)) {
        return weir_fail(err, WEIR_INVALID, "column '%s' is a partition column and cannot be %s", name, what);
    }
    return WEIR_OK;
}

static int not_primary(const weir_altered *self, const char *name, const char *what, weir_error *err)
{
    const weir_schema *schema = self->schema;
    if (weir_names_have(schema->primary_keys, schema->primary_key_count, name)) {
        return weir_fail(err, WEIR_INVALID, "column '%s' belongs to the primary key and cannot be %s", name, what);
    }
    return WEIR_OK;
}

static void remove_field(weir_altered *self, int32_t place)
{
    self->schema->field_count--;
    memmove(&self->fields[place], &self->fields[place + 1],
            (size_t)(self->schema->field_count - place) * sizeof *self->fields);
}

static void insert_field(weir_altered *self, int32_t place, weir_field field)
{
    memmove(&self->fields[place + 1], &self->fields[place],
            (size_t)(self->schema->field_count - place) * sizeof *self->fields);
    self->fields[place] = field;
    self->schema->field_count++;
}

/* Where a new column goes when nothing is said: last, or before the partition columns. */
static int32_t default_place(const weir_altered *self)
{
    bool before_partition = false;
    const weir_schema *schema = self->schema;
    weir_options_bool(&schema->options, "add-column-before-partition", &before_partition, NULL);
    for (int32_t i = 0; before_partition && i < schema->field_count; i++) {
        if (weir_names_have(schema->partition_keys, schema->partition_key_count, schema->fields[i].name)) {
            return i;
        }
    }
    return schema->field_count;
}

/* The place for a column that is not among the fields (any more). */
static int find_place(const weir_altered *self, const weir_schema_change *change, int32_t *out, weir_error *err)
{
    *out = change->place == WEIR_PLACE_FIRST ? 0 : default_place(self);
    if (change->place == WEIR_PLACE_AFTER || change->place == WEIR_PLACE_BEFORE) {
        WEIR_TRY(need_column(self, change->after, out, err));
        *out += change->place == WEIR_PLACE_AFTER;
    }
    return WEIR_OK;
}

static int add_column(weir_altered *self, const weir_schema_change *change, weir_error *err)
{
    weir_field field = {.name = weir_arena_strdup(self->arena, change->name),
                        .description = weir_arena_strdup(self->arena, change->text)};
    int32_t place;
    WEIR_TRY(no_column_yet(self, change->name, err));
    if (!change->type->nullable) {
        return weir_fail(err, WEIR_INVALID,
                         "the new column '%s' cannot be NOT NULL: rows that are there already have no value for it",
                         change->name);
    }
    WEIR_TRY(find_place(self, change, &place, err));
    field.id = ++self->schema->highest_field_id;
    field.type = weir_type_with_ids(self->arena, change->type, &self->schema->highest_field_id);
    insert_field(self, place, field);
    return WEIR_OK;
}

static void rename_key(weir_altered *self, const char **keys, int32_t count, const char *name, const char *new_name)
{
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(keys[i], name) == 0) {
            keys[i] = weir_arena_strdup(self->arena, new_name);
        }
    }
}

static int rename_column(weir_altered *self, const weir_schema_change *change, weir_error *err)
{
    int32_t place;
    WEIR_TRY(need_column(self, change->name, &place, err));
    WEIR_TRY(no_column_yet(self, change->text, err));
    WEIR_TRY(not_partition(self, change->name, "renamed", err));
    if (self->fields[place].type->id == WEIR_BLOB) {
        return weir_fail(err, WEIR_INVALID, "column '%s' is a BLOB and cannot be renamed", change->name);
    }
    self->fields[place].name = weir_arena_strdup(self->arena, change->text);
    rename_key(self, self->schema->primary_keys, self->schema->primary_key_count, change->name, change->text);
    weir_altered_rename_in_options(self, change->name, change->text);
    return WEIR_OK;
}

static int drop_column(weir_altered *self, const weir_schema_change *change, weir_error *err)
{
    int32_t place;
    WEIR_TRY(need_column(self, change->name, &place, err));
    WEIR_TRY(not_partition(self, change->name, "dropped", err));
    WEIR_TRY(not_primary(self, change->name, "dropped", err));
    if (self->schema->field_count == 1) {
        return weir_fail(err, WEIR_INVALID, "column '%s' is the last one; a table needs at least one", change->name);
    }
    remove_field(self, place);
    return WEIR_OK;
}

static int change_type(weir_altered *self, const weir_schema_change *change, weir_error *err)
{
    int32_t place;
    WEIR_TRY(need_column(self, change->name, &place, err));
    const weir_type *old = self->fields[place].type;
    bool is_same = weir_type_equal(old, change->type, true);
    if (!is_same) {
        WEIR_TRY(not_partition(self, change->name, "given another type", err));
        WEIR_TRY(not_primary(self, change->name, "given another type", err));
    } else if (change->type->nullable && !old->nullable) {
        WEIR_TRY(not_primary(self, change->name, "NULL", err));
    }
    return weir_schema_change_type(change->name, old, change->type, &self->schema->options,
                                   &self->schema->highest_field_id, self->arena, &self->fields[place].type, err);
}

static int move_column(weir_altered *self, const weir_schema_change *change, weir_error *err)
{
    int32_t from;
    int32_t to;
    WEIR_TRY(need_column(self, change->name, &from, err));
    if (change->place != WEIR_PLACE_FIRST && change->after != NULL && strcmp(change->name, change->after) == 0) {
        return weir_fail(err, WEIR_INVALID, "column '%s' cannot stand beside itself", change->name);
    }
    weir_field field = self->fields[from];
    remove_field(self, from);
    int code = find_place(self, change, &to, err);
    insert_field(self, code == WEIR_OK ? to : from, field);
    return code;
}

static int set_default(weir_altered *self, const weir_schema_change *change, weir_error *err)
{
    int32_t place;
    WEIR_TRY(need_column(self, change->name, &place, err));
    WEIR_TRY(weir_altered_check_default(self, &self->fields[place], change->text, err));
    self->fields[place].default_value = weir_arena_strdup(self->arena, change->text);
    return WEIR_OK;
}

static int set_column_comment(weir_altered *self, const weir_schema_change *change, weir_error *err)
{
    int32_t place;
    WEIR_TRY(need_column(self, change->name, &place, err));
    self->fields[place].description = weir_arena_strdup(self->arena, change->text);
    return WEIR_OK;
}

/* ---- all changes ---- */

static int apply(weir_altered *self, const weir_schema_change *change, weir_error *err)
{
    switch (change->kind) {
    case WEIR_CHANGE_SET_OPTION:
        return weir_altered_set_option(self, change->name, change->text, err);
    case WEIR_CHANGE_RESET_OPTION:
        return weir_altered_reset_option(self, change->name, err);
    case WEIR_CHANGE_COMMENT:
        self->schema->comment = weir_arena_strdup(self->arena, change->text);
        return WEIR_OK;
    case WEIR_CHANGE_ADD_COLUMN:
        return add_column(self, change, err);
    case WEIR_CHANGE_RENAME_COLUMN:
        return rename_column(self, change, err);
    case WEIR_CHANGE_DROP_COLUMN:
        return drop_column(self, change, err);
    case WEIR_CHANGE_COLUMN_TYPE:
        return change_type(self, change, err);
    case WEIR_CHANGE_COLUMN_COMMENT:
        return set_column_comment(self, change, err);
    case WEIR_CHANGE_COLUMN_DEFAULT:
        return set_default(self, change, err);
    case WEIR_CHANGE_COLUMN_PLACE:
        return move_column(self, change, err);
    }
    return weir_fail(err, WEIR_INVALID, "there is no such change of a schema");
}

/* A copy with room for `more` columns. */
static void begin(weir_altered *self, const weir_schema *old, int32_t more)
{
    weir_arena *arena = self->arena;
    weir_schema *schema = WEIR_NEW(arena, weir_schema);
    *schema = *old;
    schema->id = old->id + 1;
    self->fields = WEIR_NEW_ARRAY(arena, weir_field, old->field_count + more + 1);
    memcpy(self->fields, old->fields, (size_t)old->field_count * sizeof *self->fields);
    schema->fields = self->fields;
    schema->primary_keys = WEIR_NEW_ARRAY(arena, const char *, old->primary_key_count + 1);
    memcpy(schema->primary_keys, old->primary_keys, (size_t)old->primary_key_count * sizeof *schema->primary_keys);
    weir_options_merge(arena, &old->options, NULL, &schema->options);
    self->schema = schema;
}

int weir_schema_apply(const weir_schema *old, const weir_schema_change *changes, int32_t count, bool has_data,
                      weir_arena *arena, weir_schema **out, int32_t *out_failed, weir_error *err)
{
    weir_altered self = {.arena = arena, .old = old, .has_data = has_data};
    begin(&self, old, count);
    for (int32_t i = 0; i < count; i++) {
        *out_failed = i;
        WEIR_TRY(apply(&self, &changes[i], err));
    }
    *out_failed = -1;
    WEIR_TRY(weir_schema_derive(self.schema, "the altered table", arena, err));
    WEIR_TRY(weir_schema_check(self.schema, old, arena, err));
    self.schema->time_ms = weir_now_ms();
    *out = self.schema;
    return WEIR_OK;
}

int weir_schema_alter(weir_fs *fs, const char *root, const weir_schema_change *changes, int32_t count,
                      weir_arena *arena, weir_schema **out, int32_t *out_failed, weir_error *err)
{
    int code = WEIR_EXISTS;
    *out_failed = -1;
    for (int attempt = 0; code == WEIR_EXISTS && attempt < MOST_ATTEMPTS; attempt++) {
        weir_schema *old = NULL;
        int64_t snapshot = 0;
        WEIR_TRY(weir_schema_read_latest(fs, root, arena, &old, err));
        WEIR_TRY(weir_snapshot_latest_id(fs, root, &snapshot, err));
        WEIR_TRY(weir_schema_apply(old, changes, count, snapshot > 0, arena, out, out_failed, err));
        code = weir_schema_publish(fs, root, *out, err);
    }
    if (code == WEIR_EXISTS) {
        return weir_fail(err, WEIR_CONFLICT, "%s: others alter this table all the time; try again", root);
    }
    return code;
}
