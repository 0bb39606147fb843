/* Paimon fields as a Parquet schema.
 *
 * One walk over the types writes the schema's elements (as thrift, depth first) and keeps the way from the column down
 * to each leaf. Lists have three levels:
 *
 *   optional group a (LIST) { repeated group list { optional int32 element; } }
 *   optional group m (MAP) { repeated group key_value { required binary key; optional int32 value; } }
 *
 * Every field has its id; elements, keys and values derive theirs from the id of the field that holds them and from the
 * depth of the collection in it (Java's SpecialFields). The groups "list" and "key_value" have none. */
#include "format/parquet/schema_writer.h"

#include <stdlib.h>

/* Deeper nesting than anyone writes, and levels still fit a byte: a list adds two definition levels. */
#define MAX_DEPTH 100

#define DERIVED_ID_BASE   536870911u
#define DERIVED_ID_STRIDE 1024u

typedef struct schema_walk {
    weir_arena *arena;
    weir_buffer elements;
    int32_t element_count;
    weir_write_leaf *leaves;
    size_t leaf_count;
    size_t leaf_capacity;
    int32_t column;
    weir_write_step steps[MAX_DEPTH];
    int32_t step_count;
    const char *path[2 * MAX_DEPTH];
    int32_t path_length;
    uint8_t definition;
    uint8_t repetition;
} schema_walk;

/* A field to write: a column, a member of a ROW, or a collection's element, key or value. */
typedef struct schema_node {
    const char *name;
    int32_t id; /* -1: none */
    const weir_type *type;
    bool optional;
    int32_t owner_id; /* of the named field that it is part of */
    uint32_t depth;   /* of collections between the owner and this */
} schema_node;

/* How the values of a leaf lie in the file, and what the schema says about them. */
typedef struct leaf_form {
    weir_parquet_physical physical;
    int32_t type_length;
    weir_parquet_converted converted;
    weir_parquet_logical logical;
} leaf_form;

static int walk_node(schema_walk *walk, const schema_node *node, weir_error *err);

/* Bytes of the smallest two's complement number that holds `precision` decimal digits. */
static int32_t decimal_bytes(int32_t precision)
{
    weir_int128 limit = 1;
    for (int32_t i = 0; i < precision; i++) {
        limit *= 10;
    }
    int32_t bytes = 1;
    while (bytes < 16 && ((weir_int128)1 << (8 * bytes - 1)) < limit) {
        bytes++;
    }
    return bytes;
}

static leaf_form decimal_form(const weir_type *type)
{
    if (type->precision <= 9) {
        return (leaf_form){WEIR_PARQUET_INT32, 0, WEIR_PARQUET_DECIMAL, WEIR_PARQUET_LOGICAL_DECIMAL};
    }
    if (type->precision <= 18) {
        return (leaf_form){WEIR_PARQUET_INT64, 0, WEIR_PARQUET_DECIMAL, WEIR_PARQUET_LOGICAL_DECIMAL};
    }
    return (leaf_form){WEIR_PARQUET_FIXED_LEN_BYTE_ARRAY, decimal_bytes(type->precision), WEIR_PARQUET_DECIMAL,
                       WEIR_PARQUET_LOGICAL_DECIMAL};
}

/* The converted type of a timestamp means UTC, so only instants have one. */
static leaf_form timestamp_form(const weir_type *type)
{
    if (type->precision > 6) {
        return (leaf_form){WEIR_PARQUET_INT96, 0, WEIR_PARQUET_CONVERTED_NONE, WEIR_PARQUET_LOGICAL_NONE};
    }
    weir_parquet_converted converted = WEIR_PARQUET_CONVERTED_NONE;
    if (type->id == WEIR_TIMESTAMP_LTZ) {
        converted = type->precision <= 3 ? WEIR_PARQUET_TIMESTAMP_MILLIS : WEIR_PARQUET_TIMESTAMP_MICROS;
    }
    return (leaf_form){WEIR_PARQUET_INT64, 0, converted, WEIR_PARQUET_LOGICAL_TIMESTAMP};
}

static leaf_form form_of(const weir_type *type)
{
    const weir_parquet_converted none = WEIR_PARQUET_CONVERTED_NONE;
    switch (type->id) {
    case WEIR_BOOLEAN:
        return (leaf_form){WEIR_PARQUET_BOOLEAN, 0, none, WEIR_PARQUET_LOGICAL_NONE};
    case WEIR_TINYINT:
        return (leaf_form){WEIR_PARQUET_INT32, 0, WEIR_PARQUET_INT_8, WEIR_PARQUET_LOGICAL_INTEGER};
    case WEIR_SMALLINT:
        return (leaf_form){WEIR_PARQUET_INT32, 0, WEIR_PARQUET_INT_16, WEIR_PARQUET_LOGICAL_INTEGER};
    case WEIR_INT:
        return (leaf_form){WEIR_PARQUET_INT32, 0, none, WEIR_PARQUET_LOGICAL_NONE};
    case WEIR_BIGINT:
        return (leaf_form){WEIR_PARQUET_INT64, 0, none, WEIR_PARQUET_LOGICAL_NONE};
    case WEIR_FLOAT:
        return (leaf_form){WEIR_PARQUET_FLOAT, 0, none, WEIR_PARQUET_LOGICAL_NONE};
    case WEIR_DOUBLE:
        return (leaf_form){WEIR_PARQUET_DOUBLE, 0, none, WEIR_PARQUET_LOGICAL_NONE};
    case WEIR_DECIMAL:
        return decimal_form(type);
    case WEIR_CHAR:
    case WEIR_VARCHAR:
        return (leaf_form){WEIR_PARQUET_BYTE_ARRAY, 0, WEIR_PARQUET_UTF8, WEIR_PARQUET_LOGICAL_STRING};
    case WEIR_DATE:
        return (leaf_form){WEIR_PARQUET_INT32, 0, WEIR_PARQUET_DATE, WEIR_PARQUET_LOGICAL_DATE};
    case WEIR_TIME:
        return (leaf_form){WEIR_PARQUET_INT32, 0, WEIR_PARQUET_TIME_MILLIS, WEIR_PARQUET_LOGICAL_TIME};
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        return timestamp_form(type);
    default:
        return (leaf_form){WEIR_PARQUET_BYTE_ARRAY, 0, none, WEIR_PARQUET_LOGICAL_NONE};
    }
}

/* TIME is adjusted to UTC in Java's files, whatever that may mean for a time of day. */
static void write_time_unit(weir_thrift_writer *writer, const weir_type *type)
{
    weir_thrift_write_bool(writer, 1, type->id != WEIR_TIMESTAMP);
    weir_thrift_write_begin(writer, 2);
    bool millis = type->id == WEIR_TIME || type->precision <= 3;
    weir_thrift_write_empty(writer, millis ? WEIR_PARQUET_MILLIS : WEIR_PARQUET_MICROS);
    weir_thrift_write_end(writer);
}

static void write_logical_type(weir_thrift_writer *writer, weir_parquet_logical logical, const weir_type *type)
{
    weir_thrift_write_begin(writer, 10);
    weir_thrift_write_begin(writer, (int16_t)logical);
    if (logical == WEIR_PARQUET_LOGICAL_DECIMAL) {
        weir_thrift_write_i32(writer, 1, type->scale);
        weir_thrift_write_i32(writer, 2, type->precision);
    } else if (logical == WEIR_PARQUET_LOGICAL_INTEGER) {
        weir_thrift_write_byte(writer, 1, type->id == WEIR_TINYINT ? 8 : 16);
        weir_thrift_write_bool(writer, 2, true);
    } else if (logical == WEIR_PARQUET_LOGICAL_TIME || logical == WEIR_PARQUET_LOGICAL_TIMESTAMP) {
        write_time_unit(writer, type);
    }
    weir_thrift_write_end(writer);
    weir_thrift_write_end(writer);
}

static weir_parquet_repetition repetition_of(const schema_node *node)
{
    return node->optional ? WEIR_PARQUET_OPTIONAL : WEIR_PARQUET_REQUIRED;
}

static void write_leaf_element(schema_walk *walk, const schema_node *node, const leaf_form *form)
{
    weir_thrift_writer writer;
    weir_thrift_writer_init(&writer, &walk->elements);
    weir_thrift_write_i32(&writer, 1, form->physical);
    if (form->physical == WEIR_PARQUET_FIXED_LEN_BYTE_ARRAY) {
        weir_thrift_write_i32(&writer, 2, form->type_length);
    }
    weir_thrift_write_i32(&writer, 3, repetition_of(node));
    weir_thrift_write_binary(&writer, 4, weir_slice_text(node->name));
    if (form->converted != WEIR_PARQUET_CONVERTED_NONE) {
        weir_thrift_write_i32(&writer, 6, form->converted);
    }
    if (form->converted == WEIR_PARQUET_DECIMAL) {
        weir_thrift_write_i32(&writer, 7, node->type->scale);
        weir_thrift_write_i32(&writer, 8, node->type->precision);
    }
    if (node->id >= 0) {
        weir_thrift_write_i32(&writer, 9, node->id);
    }
    if (form->logical != WEIR_PARQUET_LOGICAL_NONE) {
        write_logical_type(&writer, form->logical, node->type);
    }
    weir_thrift_write_end(&writer);
    walk->element_count++;
}

static void write_group_element(schema_walk *walk, const char *name, int32_t id, weir_parquet_repetition repetition,
                                int32_t children, weir_parquet_converted converted, weir_parquet_logical logical)
{
    weir_thrift_writer writer;
    weir_thrift_writer_init(&writer, &walk->elements);
    weir_thrift_write_i32(&writer, 3, repetition);
    weir_thrift_write_binary(&writer, 4, weir_slice_text(name));
    weir_thrift_write_i32(&writer, 5, children);
    if (converted != WEIR_PARQUET_CONVERTED_NONE) {
        weir_thrift_write_i32(&writer, 6, converted);
    }
    if (id >= 0) {
        weir_thrift_write_i32(&writer, 9, id);
    }
    if (logical != WEIR_PARQUET_LOGICAL_NONE) {
        write_logical_type(&writer, logical, NULL);
    }
    weir_thrift_write_end(&writer);
    walk->element_count++;
}

static void add_leaf(schema_walk *walk, const schema_node *node, const leaf_form *form)
{
    WEIR_GROW(walk->leaves, walk->leaf_capacity, walk->leaf_count + 1);
    walk->leaves[walk->leaf_count++] = (weir_write_leaf){
        .type = node->type,
        .physical = form->physical,
        .type_length = form->type_length,
        .column = walk->column,
        .max_definition = walk->definition,
        .max_repetition = walk->repetition,
        .steps = weir_arena_copy(walk->arena, walk->steps, sizeof *walk->steps * (size_t)walk->step_count),
        .step_count = walk->step_count,
        .path = weir_arena_copy(walk->arena, walk->path, sizeof *walk->path * (size_t)walk->path_length),
        .path_length = walk->path_length,
    };
}

static int walk_row(schema_walk *walk, const schema_node *node, weir_error *err)
{
    const weir_type *type = node->type;
    if (type->field_count == 0) {
        return weir_fail(err, WEIR_UNSUPPORTED, "column %s holds a ROW without fields, which Parquet files do not hold",
                         walk->path[0]);
    }
    weir_write_step *step = &walk->steps[walk->step_count - 1];
    write_group_element(walk, node->name, node->id, repetition_of(node), type->field_count, WEIR_PARQUET_CONVERTED_NONE,
                        WEIR_PARQUET_LOGICAL_NONE);
    for (int32_t i = 0; i < type->field_count; i++) {
        const weir_field *field = &type->fields[i];
        step->child = i;
        schema_node member = {field->name, field->id, field->type, field->type->nullable, field->id, 0};
        WEIR_TRY(walk_node(walk, &member, err));
    }
    return WEIR_OK;
}

static int walk_variant(schema_walk *walk, const schema_node *node, weir_error *err)
{
    static const char *const names[] = {"value", "metadata"};
    weir_write_step *step = &walk->steps[walk->step_count - 1];
    write_group_element(walk, node->name, node->id, repetition_of(node), 2, WEIR_PARQUET_CONVERTED_NONE,
                        WEIR_PARQUET_LOGICAL_NONE);
    for (int32_t i = 0; i < 2; i++) {
        step->child = i;
        schema_node member = {names[i], i, weir_type_simple(WEIR_VARBINARY, false), false, i, 0};
        WEIR_TRY(walk_node(walk, &member, err));
    }
    return WEIR_OK;
}

/* Java's arithmetic: it wraps. */
static int32_t derived_id(const schema_node *node, bool key)
{
    if (node->owner_id < 0) {
        return -1;
    }
    uint32_t distance = DERIVED_ID_STRIDE * (uint32_t)node->owner_id + node->depth + 1;
    return (int32_t)(key ? DERIVED_ID_BASE - distance : DERIVED_ID_BASE + distance);
}

static schema_node part_of(const schema_node *node, const char *name, const weir_type *type, bool optional, bool key)
{
    return (schema_node){name, derived_id(node, key), type, optional, node->owner_id, node->depth + 1};
}

static int walk_collection(schema_walk *walk, const schema_node *node, weir_error *err)
{
    const weir_type *type = node->type;
    weir_write_step *step = &walk->steps[walk->step_count - 1];
    bool is_array = type->id == WEIR_ARRAY;
    write_group_element(walk, node->name, node->id, repetition_of(node), 1,
                        is_array ? WEIR_PARQUET_LIST : WEIR_PARQUET_MAP,
                        is_array ? WEIR_PARQUET_LOGICAL_LIST : WEIR_PARQUET_LOGICAL_MAP);
    const char *group = is_array ? "list" : "key_value";
    write_group_element(walk, group, -1, WEIR_PARQUET_REPEATED, is_array ? 1 : 2,
                        is_array ? WEIR_PARQUET_CONVERTED_NONE : WEIR_PARQUET_MAP_KEY_VALUE, WEIR_PARQUET_LOGICAL_NONE);
    walk->path[walk->path_length++] = group;
    walk->definition++;
    step->repetition_level = ++walk->repetition;
    if (is_array) {
        schema_node element = part_of(node, "element", type->element, type->element->nullable, false);
        WEIR_TRY(walk_node(walk, &element, err));
    } else {
        schema_node key = part_of(node, "key", type->key, false, true);
        WEIR_TRY(walk_node(walk, &key, err));
        step->child = 1;
        schema_node value = part_of(node, "value", type->element, type->element->nullable, false);
        WEIR_TRY(walk_node(walk, &value, err));
    }
    walk->path_length--;
    walk->definition--;
    walk->repetition--;
    return WEIR_OK;
}

static int walk_by_type(schema_walk *walk, const schema_node *node, weir_write_step *step, weir_error *err)
{
    switch (node->type->id) {
    case WEIR_ROW:
        step->kind = WEIR_WRITE_STEP_GROUP;
        return walk_row(walk, node, err);
    case WEIR_VARIANT:
        step->kind = WEIR_WRITE_STEP_GROUP;
        return walk_variant(walk, node, err);
    case WEIR_ARRAY:
    case WEIR_MAP:
    case WEIR_MULTISET:
        step->kind = WEIR_WRITE_STEP_LIST;
        return walk_collection(walk, node, err);
    case WEIR_NULL:
        return weir_fail(err, WEIR_UNSUPPORTED,
                         "column %s has no type but NULL, which Parquet files do not hold: cast it", walk->path[0]);
    default: {
        leaf_form form = form_of(node->type);
        step->kind = WEIR_WRITE_STEP_LEAF;
        write_leaf_element(walk, node, &form);
        add_leaf(walk, node, &form);
        return WEIR_OK;
    }
    }
}

static int walk_node(schema_walk *walk, const schema_node *node, weir_error *err)
{
    if (walk->step_count == MAX_DEPTH) {
        return weir_fail(err, WEIR_UNSUPPORTED, "column %s is nested more than %d levels deep", walk->path[0],
                         MAX_DEPTH);
    }
    weir_write_step *step = &walk->steps[walk->step_count++];
    *step = (weir_write_step){.optional = node->optional};
    walk->path[walk->path_length++] = node->name;
    walk->definition = (uint8_t)(walk->definition + node->optional);
    WEIR_TRY(walk_by_type(walk, node, step, err));
    walk->definition = (uint8_t)(walk->definition - node->optional);
    walk->path_length--;
    walk->step_count--;
    return WEIR_OK;
}

int weir_write_schema_plan(const weir_field *fields, int32_t field_count, weir_arena *arena, weir_write_schema *out,
                           weir_error *err)
{
    int code = WEIR_OK;
    schema_walk walk = {.arena = arena};
    int32_t *first_leaf = WEIR_NEW_ARRAY(arena, int32_t, field_count + 1);
    write_group_element(&walk, "paimon_schema", -1, WEIR_PARQUET_REQUIRED, field_count, WEIR_PARQUET_CONVERTED_NONE,
                        WEIR_PARQUET_LOGICAL_NONE);
    for (int32_t i = 0; i < field_count; i++) {
        const weir_field *field = &fields[i];
        walk.column = i;
        first_leaf[i] = (int32_t)walk.leaf_count;
        schema_node node = {field->name, field->id, field->type, field->type->nullable, field->id, 0};
        WEIR_GO(walk_node(&walk, &node, err));
    }
    first_leaf[field_count] = (int32_t)walk.leaf_count;
    *out = (weir_write_schema){
        .leaves = weir_arena_copy(arena, walk.leaves, sizeof *walk.leaves * walk.leaf_count),
        .leaf_count = (int32_t)walk.leaf_count,
        .first_leaf = first_leaf,
        .element_count = walk.element_count,
        .elements = weir_slice_of(weir_arena_copy(arena, walk.elements.data, walk.elements.size), walk.elements.size),
    };
done:
    free(walk.leaves);
    weir_buffer_free(&walk.elements);
    return code;
}
