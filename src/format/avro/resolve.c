/* Compiling the program that turns the records of an Avro file into columns.
 *
 * Fields are found by name, at every level; unions may have their branches in any order. Reading the bytes is
 * decode.c's work. */
#include "format/avro/resolve.h"

typedef struct compiler {
    const char *path;
    const char *column_name; /* of the top-level column, for messages */
    weir_arena *arena;
} compiler;

static int compile(compiler *state, const weir_avro_type *from, const weir_type *to, const weir_avro_node **out,
                   weir_error *err);

static weir_avro_node *new_node(compiler *state, weir_avro_op op, const weir_avro_type *type)
{
    weir_avro_node *node = WEIR_NEW(state->arena, weir_avro_node);
    node->op = op;
    node->type = type;
    node->column_name = state->column_name;
    return node;
}

static int mismatch(compiler *state, const weir_avro_type *from, const weir_type *to, weir_error *err)
{
    return weir_fail(err, WEIR_CORRUPT, "%s: column '%s' is an Avro %s in the file, which cannot be read as %s",
                     state->path, state->column_name, weir_avro_kind_name(from->kind),
                     weir_type_text(state->arena, to));
}

static int compile_integer(compiler *state, const weir_avro_type *from, const weir_type *to, weir_avro_op op,
                           const weir_avro_node **out, weir_error *err)
{
    if (from->kind != WEIR_AVRO_INT && from->kind != WEIR_AVRO_LONG) {
        return mismatch(state, from, to, err);
    }
    *out = new_node(state, op, from);
    return WEIR_OK;
}

static int compile_float(compiler *state, const weir_avro_type *from, const weir_type *to, const weir_avro_node **out,
                         weir_error *err)
{
    bool wide = to->id == WEIR_DOUBLE;
    if (from->kind == WEIR_AVRO_INT || from->kind == WEIR_AVRO_LONG) {
        *out = new_node(state, wide ? WEIR_AVRO_OP_DOUBLE_FROM_LONG : WEIR_AVRO_OP_FLOAT_FROM_LONG, from);
    } else if (from->kind == WEIR_AVRO_FLOAT) {
        *out = new_node(state, wide ? WEIR_AVRO_OP_DOUBLE_FROM_FLOAT : WEIR_AVRO_OP_FLOAT, from);
    } else if (from->kind == WEIR_AVRO_DOUBLE && wide) {
        *out = new_node(state, WEIR_AVRO_OP_DOUBLE, from);
    } else {
        return mismatch(state, from, to, err);
    }
    return WEIR_OK;
}

static int compile_bytes(compiler *state, const weir_avro_type *from, const weir_type *to, const weir_avro_node **out,
                         weir_error *err)
{
    if (from->kind == WEIR_AVRO_BYTES || from->kind == WEIR_AVRO_STRING) {
        *out = new_node(state, WEIR_AVRO_OP_BYTES, from);
    } else if (from->kind == WEIR_AVRO_FIXED) {
        *out = new_node(state, WEIR_AVRO_OP_FIXED, from);
    } else if (from->kind == WEIR_AVRO_ENUM) {
        *out = new_node(state, WEIR_AVRO_OP_ENUM, from);
    } else {
        return mismatch(state, from, to, err);
    }
    return WEIR_OK;
}

static int compile_decimal(compiler *state, const weir_avro_type *from, const weir_type *to, const weir_avro_node **out,
                           weir_error *err)
{
    if (from->kind != WEIR_AVRO_BYTES && from->kind != WEIR_AVRO_FIXED) {
        return mismatch(state, from, to, err);
    }
    if (from->logical == WEIR_AVRO_DECIMAL && from->scale != to->scale) {
        return weir_fail(err, WEIR_CORRUPT, "%s: column '%s' has the scale %d in the file and %d in the table's schema",
                         state->path, state->column_name, from->scale, to->scale);
    }
    *out = new_node(state, to->precision <= 18 ? WEIR_AVRO_OP_DECIMAL64 : WEIR_AVRO_OP_DECIMAL128, from);
    return WEIR_OK;
}

static int compile_time(compiler *state, const weir_avro_type *from, const weir_type *to, const weir_avro_node **out,
                        weir_error *err)
{
    if (from->kind == WEIR_AVRO_INT) {
        *out = new_node(state, WEIR_AVRO_OP_INT32, from);
    } else if (from->kind == WEIR_AVRO_LONG) {
        weir_avro_node *node = new_node(state, WEIR_AVRO_OP_TIME, from);
        node->factor = from->logical == WEIR_AVRO_MICROS ? 1000 : from->logical == WEIR_AVRO_NANOS ? 1000000 : 1;
        *out = node;
    } else {
        return mismatch(state, from, to, err);
    }
    return WEIR_OK;
}

/* Timestamps by their units. A long without a logical type is in the column's own unit, as Paimon reads it. */
static int compile_timestamp(compiler *state, const weir_avro_type *from, const weir_type *to,
                             const weir_avro_node **out, weir_error *err)
{
    if (from->kind != WEIR_AVRO_LONG) {
        return mismatch(state, from, to, err);
    }
    int64_t column_units = to->precision <= 3 ? 1 : to->precision <= 6 ? 1000 : 1000000; /* in a millisecond */
    int64_t file_units = from->logical == WEIR_AVRO_MILLIS   ? 1
                         : from->logical == WEIR_AVRO_MICROS ? 1000
                         : from->logical == WEIR_AVRO_NANOS  ? 1000000
                                                             : column_units;
    weir_avro_node *node = new_node(state, WEIR_AVRO_OP_INT64, from);
    if (to->precision > 6) {
        node->op = WEIR_AVRO_OP_NANOS;
        node->factor = file_units;
    } else if (file_units < column_units) {
        node->op = WEIR_AVRO_OP_MULTIPLY;
        node->factor = column_units / file_units;
    } else if (file_units > column_units) {
        node->op = WEIR_AVRO_OP_DIVIDE;
        node->factor = file_units / column_units;
    }
    *out = node;
    return WEIR_OK;
}

/* Lists are bounded by the bytes that are left, so every item must take some. */
static int check_items(compiler *state, const weir_avro_type *item, weir_error *err)
{
    if (item->min_bytes == 0) {
        return weir_fail(err, WEIR_UNSUPPORTED, "%s: column '%s' is a list of items without bytes (%s)", state->path,
                         state->column_name, weir_avro_kind_name(item->kind));
    }
    return WEIR_OK;
}

static int compile_array(compiler *state, const weir_avro_type *from, const weir_type *to, const weir_avro_node **out,
                         weir_error *err)
{
    if (from->kind != WEIR_AVRO_ARRAY) {
        return mismatch(state, from, to, err);
    }
    WEIR_TRY(check_items(state, from->children[0], err));
    weir_avro_node *node = new_node(state, WEIR_AVRO_OP_ARRAY, from);
    node->children = WEIR_NEW_ARRAY(state->arena, const weir_avro_node *, 1);
    WEIR_TRY(compile(state, from->children[0], to->element, &node->children[0], err));
    *out = node;
    return WEIR_OK;
}

static int compile_map(compiler *state, const weir_avro_type *from, const weir_type *to, const weir_avro_node **out,
                       weir_error *err)
{
    weir_avro_node *node = NULL;
    if (from->kind == WEIR_AVRO_MAP && (weir_type_is_text(to->key) || weir_type_is_bytes(to->key))) {
        node = new_node(state, WEIR_AVRO_OP_MAP, from);
        node->children = WEIR_NEW_ARRAY(state->arena, const weir_avro_node *, 1);
        WEIR_TRY(compile(state, from->children[0], to->element, &node->children[0], err));
    } else if (from->kind == WEIR_AVRO_ARRAY && from->children[0]->kind == WEIR_AVRO_RECORD &&
               from->children[0]->count == 2) {
        const weir_avro_type *entry = from->children[0];
        WEIR_TRY(check_items(state, entry, err));
        node = new_node(state, WEIR_AVRO_OP_MAP_ENTRIES, from);
        node->children = WEIR_NEW_ARRAY(state->arena, const weir_avro_node *, 2);
        WEIR_TRY(compile(state, entry->children[0], to->key, &node->children[0], err));
        WEIR_TRY(compile(state, entry->children[1], to->element, &node->children[1], err));
    } else {
        return mismatch(state, from, to, err);
    }
    *out = node;
    return WEIR_OK;
}

static int32_t find_field(const weir_field *fields, int32_t count, const char *name)
{
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(fields[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* The steps of a record. `missing` columns are those that no step fills. */
static int compile_fields(compiler *state, const weir_avro_type *record, const weir_field *fields, int32_t field_count,
                          bool top, const weir_avro_node **out, weir_error *err)
{
    weir_avro_node *node = new_node(state, WEIR_AVRO_OP_ROW, record);
    bool *found = WEIR_NEW_ARRAY(state->arena, bool, field_count);
    node->steps = WEIR_NEW_ARRAY(state->arena, weir_avro_step, record->count);
    node->step_count = record->count;
    node->missing = WEIR_NEW_ARRAY(state->arena, int32_t, field_count);
    for (int32_t i = 0; i < record->count; i++) {
        weir_avro_step *step = &node->steps[i];
        step->type = record->children[i];
        step->column = find_field(fields, field_count, record->names[i]);
        if (step->column < 0) {
            continue;
        }
        if (found[step->column]) {
            return weir_fail(err, WEIR_CORRUPT, "%s: the Avro schema has the field '%s' twice", state->path,
                             record->names[i]);
        }
        found[step->column] = true;
        if (top) {
            state->column_name = weir_arena_strdup(state->arena, record->names[i]);
        }
        WEIR_TRY(compile(state, record->children[i], fields[step->column].type, &step->node, err));
    }
    for (int32_t i = 0; i < field_count; i++) {
        if (!found[i]) {
            node->missing[node->missing_count++] = i;
        }
    }
    *out = node;
    return WEIR_OK;
}

static int compile_row(compiler *state, const weir_avro_type *from, const weir_type *to, const weir_avro_node **out,
                       weir_error *err)
{
    if (from->kind != WEIR_AVRO_RECORD) {
        return mismatch(state, from, to, err);
    }
    return compile_fields(state, from, to->fields, to->field_count, false, out, err);
}

/* A branch that does not fit the column is no reason to refuse the file as long as no value has it; but one must fit.
 */
static int compile_union(compiler *state, const weir_avro_type *from, const weir_type *to, const weir_avro_node **out,
                         weir_error *err)
{
    weir_avro_node *node = new_node(state, WEIR_AVRO_OP_UNION, from);
    node->children = WEIR_NEW_ARRAY(state->arena, const weir_avro_node *, from->count);
    int32_t readable = 0;
    int32_t nulls = 0;
    int failure = WEIR_OK;
    for (int32_t i = 0; i < from->count; i++) {
        const weir_avro_type *branch = from->children[i];
        if (branch->kind == WEIR_AVRO_NULL) {
            node->children[i] = new_node(state, WEIR_AVRO_OP_NULL, branch);
            node->null_branch = i;
            nulls++;
            continue;
        }
        int code = compile(state, branch, to, &node->children[i], err);
        if (code == WEIR_OK) {
            readable++;
        } else {
            failure = code;
            node->children[i] = new_node(state, WEIR_AVRO_OP_UNREADABLE, branch);
        }
    }
    if (failure != WEIR_OK && readable == 0) {
        return failure;
    }
    if (failure != WEIR_OK) {
        weir_error_clear(err);
    }
    if (from->count == 2 && nulls == 1 && readable == 1) {
        node->op = WEIR_AVRO_OP_OPTIONAL;
        node->children[0] = node->children[1 - node->null_branch];
    }
    *out = node;
    return WEIR_OK;
}

static int compile(compiler *state, const weir_avro_type *from, const weir_type *to, const weir_avro_node **out,
                   weir_error *err)
{
    if (from->kind == WEIR_AVRO_UNION) {
        return compile_union(state, from, to, out, err);
    }
    if (from->kind == WEIR_AVRO_NULL) {
        *out = new_node(state, WEIR_AVRO_OP_NULL, from);
        return WEIR_OK;
    }
    switch (to->id) {
    case WEIR_BOOLEAN:
        if (from->kind != WEIR_AVRO_BOOLEAN) {
            return mismatch(state, from, to, err);
        }
        *out = new_node(state, WEIR_AVRO_OP_BOOLEAN, from);
        return WEIR_OK;
    case WEIR_TINYINT:
        return compile_integer(state, from, to, WEIR_AVRO_OP_INT8, out, err);
    case WEIR_SMALLINT:
        return compile_integer(state, from, to, WEIR_AVRO_OP_INT16, out, err);
    case WEIR_INT:
    case WEIR_DATE:
        return compile_integer(state, from, to, WEIR_AVRO_OP_INT32, out, err);
    case WEIR_BIGINT:
        return compile_integer(state, from, to, WEIR_AVRO_OP_INT64, out, err);
    case WEIR_FLOAT:
    case WEIR_DOUBLE:
        return compile_float(state, from, to, out, err);
    case WEIR_DECIMAL:
        return compile_decimal(state, from, to, out, err);
    case WEIR_CHAR:
    case WEIR_VARCHAR:
    case WEIR_BINARY:
    case WEIR_VARBINARY:
    case WEIR_BLOB:
        return compile_bytes(state, from, to, out, err);
    case WEIR_TIME:
        return compile_time(state, from, to, out, err);
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        return compile_timestamp(state, from, to, out, err);
    case WEIR_ARRAY:
        return compile_array(state, from, to, out, err);
    case WEIR_MAP:
    case WEIR_MULTISET:
        return compile_map(state, from, to, out, err);
    case WEIR_ROW:
        return compile_row(state, from, to, out, err);
    case WEIR_VARIANT:
    case WEIR_NULL:
        break;
    }
    return weir_fail(err, WEIR_UNSUPPORTED, "%s: column '%s' is of type %s, which Avro files do not hold", state->path,
                     state->column_name, weir_type_text(state->arena, to));
}

/* The branch of a union that is a record, where null is all that stands beside it; -1: there is none. */
static int32_t find_record_branch(const weir_avro_type *type)
{
    int32_t found = -1;
    for (int32_t i = 0; type->kind == WEIR_AVRO_UNION && i < type->count; i++) {
        if (type->children[i]->kind == WEIR_AVRO_RECORD && found < 0) {
            found = i;
        } else if (type->children[i]->kind != WEIR_AVRO_NULL) {
            return -1;
        }
    }
    return found;
}

int weir_avro_resolve(const weir_avro_type *record, const weir_field *fields, int32_t field_count, bool complete,
                      const char *path, weir_arena *arena, const weir_avro_node **out, weir_error *err)
{
    int32_t record_branch = find_record_branch(record);
    const weir_avro_type *around = record_branch >= 0 ? record : NULL;
    record = around != NULL ? around->children[record_branch] : record;
    if (record->kind != WEIR_AVRO_RECORD) {
        return weir_fail(err, WEIR_CORRUPT, "%s: the Avro file holds values of type %s, not records", path,
                         weir_avro_kind_name(record->kind));
    }
    compiler state = {.path = path, .column_name = "", .arena = arena};
    const weir_avro_node *program = NULL;
    WEIR_TRY(compile_fields(&state, record, fields, field_count, true, &program, err));
    for (int32_t i = 0; i < program->missing_count; i++) {
        const weir_field *field = &fields[program->missing[i]];
        if (complete || !field->type->nullable) {
            return weir_fail(err, WEIR_CORRUPT, "%s: the Avro file has no field '%s'", path, field->name);
        }
    }
    weir_avro_node *whole = weir_arena_copy(arena, program, sizeof *program);
    whole->around = around;
    whole->record_branch = record_branch;
    *out = whole;
    return WEIR_OK;
}
