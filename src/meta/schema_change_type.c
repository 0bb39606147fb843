/* The type of an altered column: which conversions Paimon allows, and what becomes of nested fields and their ids. */
#include "meta/schema_change.h"
#include "meta/schema_check.h"
#include "vector/cast.h"

typedef struct type_change {
    weir_arena *arena;
    int32_t *highest_id;
    bool keeps_nullable; /* what is nullable may not become NOT NULL */
    bool widens_only;
} type_change;

static int change_type(const type_change *self, const char *path, const weir_type *old, const weir_type *wanted,
                       const weir_type **out, weir_error *err);

/* ---- plain types ---- */

static bool is_number(const weir_type *type) { return type->id >= WEIR_TINYINT && type->id <= WEIR_DECIMAL; }

/* Casts that lose nothing, as Paimon's DataTypeCasts has them (implicit ones). */
static bool is_widening(const weir_type *from, const weir_type *to)
{
    bool is_time = from->id == WEIR_TIMESTAMP || from->id == WEIR_TIMESTAMP_LTZ;
    if (from->id == to->id) {
        return true;
    }
    switch (to->id) {
    case WEIR_VARCHAR:
        return from->id == WEIR_CHAR;
    case WEIR_VARBINARY:
        return from->id == WEIR_BINARY;
    case WEIR_DECIMAL:
    case WEIR_DOUBLE:
        return is_number(from);
    case WEIR_FLOAT:
        return is_number(from) && from->id != WEIR_DOUBLE;
    case WEIR_SMALLINT:
    case WEIR_INT:
    case WEIR_BIGINT:
        return from->id >= WEIR_TINYINT && from->id < to->id;
    case WEIR_DATE:
    case WEIR_TIME:
        return from->id == WEIR_TIMESTAMP;
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        return is_time;
    default:
        return false;
    }
}

static int change_plain(const type_change *self, const char *path, const weir_type *old, const weir_type *wanted,
                        const weir_type **out, weir_error *err)
{
    const char *from = weir_type_text(self->arena, weir_type_nullable(self->arena, old, true));
    const char *to = weir_type_text(self->arena, weir_type_nullable(self->arena, wanted, true));
    if (old->id == WEIR_BLOB || wanted->id == WEIR_BLOB || !weir_cast_allowed(old, wanted)) {
        return weir_fail(err, WEIR_INVALID,
                         "column '%s' is %s and cannot become %s: there is no such cast; add a new column "
                         "instead",
                         path, from, to);
    }
    if (self->widens_only && !is_widening(old, wanted)) {
        return weir_fail(err, WEIR_INVALID,
                         "column '%s' is %s and cannot become %s, which may lose something, while "
                         "'disable-explicit-type-casting' is 'true'",
                         path, from, to);
    }
    *out = weir_type_copy(self->arena, wanted);
    return WEIR_OK;
}

/* ---- nested types ---- */

static int32_t find_field(const weir_type *row, const char *name)
{
    for (int32_t i = 0; i < row->field_count; i++) {
        if (strcmp(row->fields[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static int add_field(const type_change *self, const char *path, weir_field *field, weir_error *err)
{
    if (!field->type->nullable) {
        return weir_fail(err, WEIR_INVALID,
                         "the new field '%s' cannot be NOT NULL: rows that are there already have no value for it",
                         path);
    }
    field->id = ++*self->highest_id;
    field->type = weir_type_with_ids(self->arena, field->type, self->highest_id);
    return WEIR_OK;
}

/* Fields are matched by name; those that stay keep their order, because Paimon says so. */
static int change_row(const type_change *self, const char *path, const weir_type *old, const weir_type *wanted,
                      const weir_type **out, weir_error *err)
{
    weir_field *fields = WEIR_NEW_ARRAY(self->arena, weir_field, wanted->field_count);
    int32_t last = -1;
    for (int32_t i = 0; i < wanted->field_count; i++) {
        weir_field *field = &fields[i];
        *field = wanted->fields[i];
        field->name = weir_arena_strdup(self->arena, field->name);
        field->description = weir_arena_strdup(self->arena, field->description);
        const char *field_path = weir_arena_format(self->arena, "%s.%s", path, field->name);
        int32_t place = find_field(old, field->name);
        if (place < 0) {
            WEIR_TRY(add_field(self, field_path, field, err));
            continue;
        }
        if (place < last) {
            return weir_fail(err, WEIR_INVALID,
                             "the fields of '%s' must stay in their order; '%s' has moved before '%s'", path,
                             old->fields[last].name, field->name);
        }
        last = place;
        field->id = old->fields[place].id;
        field->default_value = weir_arena_strdup(self->arena, old->fields[place].default_value);
        WEIR_TRY(change_type(self, field_path, old->fields[place].type, field->type, &field->type, err));
    }
    *out = weir_type_row(self->arena, fields, wanted->field_count, wanted->nullable);
    return WEIR_OK;
}

static int change_map(const type_change *self, const char *path, const weir_type *old, const weir_type *wanted,
                      const weir_type **out, weir_error *err)
{
    const weir_type *value = NULL;
    if (!weir_type_equal(old->key, wanted->key, true)) {
        return weir_fail(err, WEIR_INVALID, "the keys of '%s' are %s and cannot become %s; add a new column instead",
                         path, weir_type_text(self->arena, old->key), weir_type_text(self->arena, wanted->key));
    }
    WEIR_TRY(change_type(self, weir_arena_format(self->arena, "%s.value", path), old->element, wanted->element, &value,
                         err));
    *out = weir_type_map(self->arena, weir_type_copy(self->arena, old->key), value, wanted->nullable);
    return WEIR_OK;
}

static int change_type(const type_change *self, const char *path, const weir_type *old, const weir_type *wanted,
                       const weir_type **out, weir_error *err)
{
    if (self->keeps_nullable && old->nullable && !wanted->nullable) {
        return weir_fail(err, WEIR_INVALID,
                         "'%s' can be NULL and cannot become NOT NULL, because it may hold NULLs; if it does not, SET "
                         "('alter-column-null-to-not-null.disabled' = 'false') first",
                         path);
    }
    if (old->id == wanted->id && old->id == WEIR_ROW) {
        return change_row(self, path, old, wanted, out, err);
    }
    if (old->id == wanted->id && old->id == WEIR_ARRAY) {
        const weir_type *element = NULL;
        WEIR_TRY(change_type(self, weir_arena_format(self->arena, "%s.element", path), old->element, wanted->element,
                             &element, err));
        *out = weir_type_array(self->arena, element, wanted->nullable);
        return WEIR_OK;
    }
    if (old->id == wanted->id && old->id == WEIR_MAP) {
        return change_map(self, path, old, wanted, out, err);
    }
    if (weir_type_equal(old, wanted, true)) {
        *out = weir_type_nullable(self->arena, weir_type_copy(self->arena, old), wanted->nullable);
        return WEIR_OK;
    }
    if (weir_type_is_nested(old) || weir_type_is_nested(wanted)) {
        return weir_fail(err, WEIR_INVALID, "column '%s' is %s and cannot become %s; add a new column instead", path,
                         weir_type_text(self->arena, old), weir_type_text(self->arena, wanted));
    }
    return change_plain(self, path, old, wanted, out, err);
}

int weir_schema_change_type(const char *column, const weir_type *type, const weir_type *wanted,
                            const weir_options *options, int32_t *highest_id, weir_arena *arena, const weir_type **out,
                            weir_error *err)
{
    type_change self = {.arena = arena, .highest_id = highest_id, .keeps_nullable = true};
    WEIR_TRY(weir_options_bool(options, "alter-column-null-to-not-null.disabled", &self.keeps_nullable, err));
    WEIR_TRY(weir_options_bool(options, "disable-explicit-type-casting", &self.widens_only, err));
    return change_type(&self, column, type, wanted, out, err);
}
