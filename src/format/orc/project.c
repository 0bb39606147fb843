/* Finding requested columns in an ORC file by name, and deciding how each is read. Paimon's types lie in ORC's as
 * org.apache.paimon.format.orc.OrcTypeUtil maps them: TIME is an int of milliseconds, TIMESTAMP a timestamp in the
 * writer's zone, TIMESTAMP_LTZ an instant, every column nullable. */
#include "format/orc/project.h"

typedef struct projection {
    const weir_orc_source *source;
    const weir_orc_metadata *metadata;
    const weir_orc_projection_rules *rules;
    weir_arena *arena;
    weir_error *err;
} projection;

static int project(projection *work, uint32_t id, const char *name, const weir_type *type, weir_orc_column *out);

static int mismatch(const projection *work, const weir_orc_column *column)
{
    weir_buffer text = {0};
    weir_type_format(column->type, &text);
    int code =
        weir_fail(work->err, WEIR_UNSUPPORTED, "%s: %s is %s in the file, which cannot be read as %s",
                  work->source->path, column->name, weir_orc_kind_name(column->stored->kind), weir_buffer_text(&text));
    weir_buffer_free(&text);
    return code;
}

/* ---- flat columns ---- */

static weir_orc_integers *new_integers(projection *work) { return WEIR_NEW(work->arena, weir_orc_integers); }

static bool is_whole_number(weir_orc_kind kind)
{
    return kind == WEIR_ORC_BYTE || kind == WEIR_ORC_SHORT || kind == WEIR_ORC_INT || kind == WEIR_ORC_LONG;
}

static bool resolve_number(weir_orc_column *column)
{
    weir_orc_kind kind = column->stored->kind;
    column->reading = kind == WEIR_ORC_BYTE ? WEIR_ORC_READ_BYTES : WEIR_ORC_READ_INTEGERS;
    return column->type->id == WEIR_DATE ? kind == WEIR_ORC_DATE : is_whole_number(kind);
}

static bool resolve_float(weir_orc_column *column)
{
    weir_orc_kind kind = column->stored->kind;
    column->reading = kind == WEIR_ORC_FLOAT ? WEIR_ORC_READ_FLOATS : WEIR_ORC_READ_DOUBLES;
    return kind == WEIR_ORC_FLOAT || (kind == WEIR_ORC_DOUBLE && column->type->id == WEIR_DOUBLE);
}

static bool resolve_text(weir_orc_column *column)
{
    weir_orc_kind kind = column->stored->kind;
    column->reading = WEIR_ORC_READ_TEXTS;
    return kind == WEIR_ORC_STRING || kind == WEIR_ORC_VARCHAR || kind == WEIR_ORC_CHAR || kind == WEIR_ORC_BINARY;
}

static bool resolve_timestamp(const projection *work, weir_orc_column *column)
{
    weir_orc_kind kind = column->stored->kind;
    column->reading = WEIR_ORC_READ_TIMESTAMPS;
    column->is_shifted = kind == WEIR_ORC_TIMESTAMP || !work->rules->instants_are_true;
    return kind == WEIR_ORC_TIMESTAMP || kind == WEIR_ORC_TIMESTAMP_INSTANT;
}

static bool resolve_flat(const projection *work, weir_orc_column *column)
{
    switch (column->type->id) {
    case WEIR_BOOLEAN:
        column->reading = WEIR_ORC_READ_BOOLEANS;
        return column->stored->kind == WEIR_ORC_BOOLEAN;
    case WEIR_TINYINT:
    case WEIR_SMALLINT:
    case WEIR_INT:
    case WEIR_BIGINT:
    case WEIR_DATE:
    case WEIR_TIME:
        return resolve_number(column);
    case WEIR_FLOAT:
    case WEIR_DOUBLE:
        return resolve_float(column);
    case WEIR_DECIMAL:
        column->reading = WEIR_ORC_READ_DECIMALS;
        return column->stored->kind == WEIR_ORC_DECIMAL;
    case WEIR_CHAR:
    case WEIR_VARCHAR:
    case WEIR_BINARY:
    case WEIR_VARBINARY:
    case WEIR_BLOB:
        return resolve_text(column);
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        return resolve_timestamp(work, column);
    default:
        return false;
    }
}

static int project_flat(projection *work, weir_orc_column *out)
{
    if (!resolve_flat(work, out)) {
        return mismatch(work, out);
    }
    if (out->reading == WEIR_ORC_READ_INTEGERS || out->reading == WEIR_ORC_READ_TEXTS ||
        out->reading == WEIR_ORC_READ_TIMESTAMPS) {
        out->data = new_integers(work);
    }
    if (out->reading == WEIR_ORC_READ_TEXTS) {
        out->lengths = new_integers(work);
    }
    if (out->reading == WEIR_ORC_READ_DECIMALS || out->reading == WEIR_ORC_READ_TIMESTAMPS) {
        out->secondary = new_integers(work);
    }
    return WEIR_OK;
}

/* ---- nested columns ---- */

static const char *name_within(projection *work, const char *name, const char *member)
{
    return weir_arena_format(work->arena, "%s.%s", name, member);
}

static int project_children(projection *work, weir_orc_column *out, int32_t count, const char *const *names,
                            const weir_type *const *types)
{
    if (out->stored->child_count != (uint32_t)count) {
        return mismatch(work, out);
    }
    out->reading = WEIR_ORC_READ_LISTS;
    out->lengths = new_integers(work);
    out->children = WEIR_NEW_ARRAY(work->arena, weir_orc_column, count);
    out->child_count = count;
    for (int32_t i = 0; i < count; i++) {
        WEIR_TRY(project(work, out->stored->children[i], name_within(work, out->name, names[i]), types[i],
                         &out->children[i]));
    }
    return WEIR_OK;
}

static int project_list(projection *work, weir_orc_column *out)
{
    static const char *const names[] = {"element"};
    const weir_type *types[] = {out->type->element};
    return out->stored->kind == WEIR_ORC_LIST ? project_children(work, out, 1, names, types) : mismatch(work, out);
}

static int project_map(projection *work, weir_orc_column *out)
{
    static const char *const names[] = {"key", "value"};
    const weir_type *types[] = {out->type->key, out->type->element};
    return out->stored->kind == WEIR_ORC_MAP ? project_children(work, out, 2, names, types) : mismatch(work, out);
}

/* The members of a struct that are asked for. */
static int project_members(projection *work, const weir_orc_type *stored, const char *name, const weir_field *fields,
                           int32_t field_count, weir_orc_column *out)
{
    for (int32_t i = 0; i < field_count; i++) {
        uint32_t k = 0;
        while (k < stored->child_count && strcmp(stored->names[k], fields[i].name) != 0) {
            k++;
        }
        const char *member = name == NULL ? weir_arena_format(work->arena, "column %s", fields[i].name)
                                          : name_within(work, name, fields[i].name);
        if (k < stored->child_count) {
            WEIR_TRY(project(work, stored->children[k], member, fields[i].type, &out[i]));
        } else if (work->rules->are_records && fields[i].type->nullable) {
            out[i] = (weir_orc_column){.reading = WEIR_ORC_READ_NOTHING};
        } else {
            return weir_fail(work->err, WEIR_CORRUPT, "%s: the file has no %s", work->source->path, member);
        }
    }
    return WEIR_OK;
}

static int project_row(projection *work, weir_orc_column *out)
{
    int32_t count = out->type->field_count;
    if (out->stored->kind != WEIR_ORC_STRUCT) {
        return mismatch(work, out);
    }
    out->reading = WEIR_ORC_READ_STRUCTS;
    out->children = WEIR_NEW_ARRAY(work->arena, weir_orc_column, count);
    out->child_count = count;
    return project_members(work, out->stored, out->name, out->type->fields, count, out->children);
}

static int project(projection *work, uint32_t id, const char *name, const weir_type *type, weir_orc_column *out)
{
    out->source = work->source;
    out->name = name;
    out->id = id;
    out->stored = &work->metadata->types[id];
    out->type = type;
    out->is_required = work->rules->are_records && !type->nullable;
    switch (type->id) {
    case WEIR_ARRAY:
        return project_list(work, out);
    case WEIR_MAP:
    case WEIR_MULTISET:
        return project_map(work, out);
    case WEIR_ROW:
        return project_row(work, out);
    default:
        return project_flat(work, out);
    }
}

int weir_orc_project(const weir_orc_source *source, const weir_orc_metadata *metadata, const weir_field *fields,
                     int32_t field_count, const weir_orc_projection_rules *rules, weir_arena *arena,
                     weir_orc_column **out, weir_error *err)
{
    projection work = {.source = source, .metadata = metadata, .rules = rules, .arena = arena, .err = err};
    *out = WEIR_NEW_ARRAY(arena, weir_orc_column, field_count);
    return project_members(&work, &metadata->types[0], NULL, fields, field_count, *out);
}
