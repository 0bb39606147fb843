/* From requested fields to what is read: fields are found in the file's schema by name and each leaf gets a way to
 * convert its values. Types that the file cannot give are refused here, before anything is read. */
#include "format/parquet/schema.h"

#define MICROS_PER_MILLI 1000
#define NANOS_PER_MILLI  1000000

/* --- leaves ----------------------------------------------------------------------------------------------------- */

static bool is_unsigned(const weir_parquet_element *element)
{
    return (element->logical == WEIR_PARQUET_LOGICAL_INTEGER && !element->integer_signed) ||
           (element->converted >= WEIR_PARQUET_UINT_8 && element->converted <= WEIR_PARQUET_UINT_64);
}

static bool is_decimal(const weir_parquet_element *element)
{
    return element->logical == WEIR_PARQUET_LOGICAL_DECIMAL || element->converted == WEIR_PARQUET_DECIMAL;
}

/* Units a millisecond of a time or timestamp: as annotated, or as Paimon takes them by the precision. */
static int64_t units_per_milli(const weir_parquet_element *element, const weir_type *type)
{
    weir_parquet_unit unit = type->precision <= 3   ? WEIR_PARQUET_MILLIS
                             : type->precision <= 6 ? WEIR_PARQUET_MICROS
                                                    : WEIR_PARQUET_NANOS;
    if (element->logical == WEIR_PARQUET_LOGICAL_TIME || element->logical == WEIR_PARQUET_LOGICAL_TIMESTAMP) {
        unit = element->unit;
    } else if (element->converted == WEIR_PARQUET_TIME_MILLIS || element->converted == WEIR_PARQUET_TIMESTAMP_MILLIS) {
        unit = WEIR_PARQUET_MILLIS;
    } else if (element->converted == WEIR_PARQUET_TIME_MICROS || element->converted == WEIR_PARQUET_TIMESTAMP_MICROS) {
        unit = WEIR_PARQUET_MICROS;
    }
    return unit == WEIR_PARQUET_MILLIS ? 1 : unit == WEIR_PARQUET_MICROS ? MICROS_PER_MILLI : NANOS_PER_MILLI;
}

static bool resolve_timestamp(const weir_parquet_element *element, const weir_type *type, weir_parquet_leaf *out)
{
    bool nanos = type->precision > 6;
    int64_t wanted = type->precision <= 3 ? 1 : MICROS_PER_MILLI; /* units a millisecond, when not nanos */
    if (element->physical == WEIR_PARQUET_INT96) {
        out->conversion = nanos ? WEIR_PARQUET_CONVERT_INT96_TO_NANOS : WEIR_PARQUET_CONVERT_INT96_TO_64;
        out->factor = NANOS_PER_MILLI / wanted;
        return true;
    }
    if (element->physical != WEIR_PARQUET_INT64) {
        return false;
    }
    int64_t found = units_per_milli(element, type);
    if (nanos) {
        out->conversion = WEIR_PARQUET_CONVERT_INT64_TO_NANOS;
        out->factor = found;
    } else if (found > wanted) {
        out->conversion = WEIR_PARQUET_CONVERT_INT64_DIVIDE;
        out->factor = found / wanted;
    } else if (found < wanted) {
        out->conversion = WEIR_PARQUET_CONVERT_INT64_MULTIPLY;
        out->factor = wanted / found;
    }
    return true;
}

static bool resolve_decimal(const weir_parquet_element *element, const weir_type *type, weir_parquet_leaf *out)
{
    bool wide = out->layout == WEIR_LAYOUT_128;
    int32_t scale = is_decimal(element) ? element->scale : 0;
    bool scaled =
        is_decimal(element) || element->physical == WEIR_PARQUET_INT32 || element->physical == WEIR_PARQUET_INT64;
    if (scaled && scale != type->scale) {
        return false;
    }
    switch (element->physical) {
    case WEIR_PARQUET_INT32:
        out->conversion = wide               ? WEIR_PARQUET_CONVERT_INT32_TO_128
                          : out->is_unsigned ? WEIR_PARQUET_CONVERT_UINT32_TO_64
                                             : WEIR_PARQUET_CONVERT_INT32_TO_64;
        return !(wide && out->is_unsigned);
    case WEIR_PARQUET_INT64:
        out->conversion = !wide              ? WEIR_PARQUET_CONVERT_NONE
                          : out->is_unsigned ? WEIR_PARQUET_CONVERT_UINT64_TO_128
                                             : WEIR_PARQUET_CONVERT_INT64_TO_128;
        return wide || !out->is_unsigned;
    case WEIR_PARQUET_BYTE_ARRAY:
    case WEIR_PARQUET_FIXED_LEN_BYTE_ARRAY:
        out->conversion = wide ? WEIR_PARQUET_CONVERT_BYTES_TO_128 : WEIR_PARQUET_CONVERT_BYTES_TO_64;
        return true;
    default:
        return false;
    }
}

static bool resolve_integer(const weir_parquet_element *element, const weir_type *type, weir_parquet_leaf *out)
{
    bool from_int32 = element->physical == WEIR_PARQUET_INT32;
    bool narrow_unsigned = out->is_unsigned && element->integer_bits < 32 &&
                           element->converted != WEIR_PARQUET_UINT_32; /* fits 32 bits with sign */
    switch (type->id) {
    case WEIR_TINYINT:
        out->conversion = WEIR_PARQUET_CONVERT_INT32_TO_8;
        return from_int32;
    case WEIR_SMALLINT:
        out->conversion = WEIR_PARQUET_CONVERT_INT32_TO_16;
        return from_int32;
    case WEIR_INT:
        return from_int32 && (!out->is_unsigned || narrow_unsigned);
    case WEIR_DATE:
        return from_int32;
    default:
        break;
    }
    if (from_int32) {
        out->conversion = out->is_unsigned ? WEIR_PARQUET_CONVERT_UINT32_TO_64 : WEIR_PARQUET_CONVERT_INT32_TO_64;
        return true;
    }
    return element->physical == WEIR_PARQUET_INT64 && !out->is_unsigned;
}

static bool resolve_float(const weir_parquet_element *element, const weir_type *type, weir_parquet_leaf *out)
{
    if (type->id == WEIR_FLOAT && element->physical == WEIR_PARQUET_FIXED_LEN_BYTE_ARRAY &&
        element->logical == WEIR_PARQUET_LOGICAL_FLOAT16) {
        out->conversion = WEIR_PARQUET_CONVERT_HALF_TO_FLOAT;
        return element->type_length == 2;
    }
    if (type->id == WEIR_DOUBLE && element->physical == WEIR_PARQUET_FLOAT) {
        out->conversion = WEIR_PARQUET_CONVERT_FLOAT_TO_DOUBLE;
        return true;
    }
    return element->physical == (type->id == WEIR_FLOAT ? WEIR_PARQUET_FLOAT : WEIR_PARQUET_DOUBLE);
}

static bool resolve_conversion(const weir_parquet_element *element, const weir_type *type, weir_parquet_leaf *out)
{
    switch (type->id) {
    case WEIR_BOOLEAN:
        out->conversion = WEIR_PARQUET_CONVERT_BITS;
        return element->physical == WEIR_PARQUET_BOOLEAN;
    case WEIR_TINYINT:
    case WEIR_SMALLINT:
    case WEIR_INT:
    case WEIR_BIGINT:
    case WEIR_DATE:
        return resolve_integer(element, type, out);
    case WEIR_FLOAT:
    case WEIR_DOUBLE:
        return resolve_float(element, type, out);
    case WEIR_DECIMAL:
        return resolve_decimal(element, type, out);
    case WEIR_TIME:
        if (element->physical == WEIR_PARQUET_INT64) {
            out->conversion = WEIR_PARQUET_CONVERT_INT64_TO_TIME;
            out->factor = units_per_milli(element, type);
            return true;
        }
        return element->physical == WEIR_PARQUET_INT32;
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        return resolve_timestamp(element, type, out);
    case WEIR_CHAR:
    case WEIR_VARCHAR:
    case WEIR_BINARY:
    case WEIR_VARBINARY:
    case WEIR_BLOB:
        out->conversion = WEIR_PARQUET_CONVERT_BYTES;
        return element->physical == WEIR_PARQUET_BYTE_ARRAY || element->physical == WEIR_PARQUET_FIXED_LEN_BYTE_ARRAY;
    default:
        return false;
    }
}

static int32_t width_of(const weir_parquet_element *element)
{
    switch (element->physical) {
    case WEIR_PARQUET_INT32:
    case WEIR_PARQUET_FLOAT:
        return 4;
    case WEIR_PARQUET_INT64:
    case WEIR_PARQUET_DOUBLE:
        return 8;
    case WEIR_PARQUET_INT96:
        return 12;
    case WEIR_PARQUET_FIXED_LEN_BYTE_ARRAY:
        return element->type_length;
    case WEIR_PARQUET_BOOLEAN:
    case WEIR_PARQUET_BYTE_ARRAY:
        break;
    }
    return 0;
}

static int mismatch(const weir_parquet_node *node, const weir_type *type, const char *path, weir_error *err)
{
    static const char *const physical_names[] = {"BOOLEAN", "INT32",  "INT64",      "INT96",
                                                 "FLOAT",   "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"};
    weir_buffer text = {0};
    weir_type_format(type, &text);
    int code = weir_fail(err, WEIR_UNSUPPORTED, "%s: column %s is %s in the file, which cannot be read as %s", path,
                         node->path, node->leaf_index < 0 ? "a group" : physical_names[node->element->physical],
                         weir_buffer_text(&text));
    weir_buffer_free(&text);
    return code;
}

/* Decides how the leaf's physical values become values of `type`. */
static int resolve_leaf(const weir_parquet_node *node, const weir_type *type, const char *path, weir_parquet_leaf *out,
                        weir_error *err)
{
    const weir_parquet_element *element = node->element;
    *out = (weir_parquet_leaf){
        .name = node->path,
        .index = node->leaf_index,
        .physical = element->physical,
        .width = width_of(element),
        .is_unsigned = is_unsigned(element),
        .is_decimal = is_decimal(element),
        .type = type,
        .layout = weir_layout_of(type),
        .max_definition = node->definition,
        .max_repetition = node->repetition,
    };
    if (node->leaf_index < 0 || !resolve_conversion(element, type, out)) {
        return mismatch(node, type, path, err);
    }
    return WEIR_OK;
}

/* --- nesting ---------------------------------------------------------------------------------------------------- */

typedef struct projection_work {
    const char *path;
    weir_arena *arena;
    weir_error *err;
    weir_parquet_leaf *leaves;
    int32_t leaf_count;
    int32_t leaf_capacity;
} projection_work;

/* What the surroundings of a node decide: from which definition level on it has a place, and up to which repetition
 * level an entry begins a new one. */
typedef struct surroundings {
    uint8_t slot_definition;
    uint8_t repetition;
} surroundings;

static int project_node(projection_work *work, const weir_parquet_node *node, const weir_type *type,
                        surroundings around, weir_parquet_column *out);

static int project_leaf(projection_work *work, const weir_parquet_node *node, surroundings around,
                        weir_parquet_column *out)
{
    if (work->leaf_count == work->leaf_capacity) {
        int32_t capacity = work->leaf_capacity == 0 ? 16 : work->leaf_capacity * 2;
        weir_parquet_leaf *grown = WEIR_NEW_ARRAY(work->arena, weir_parquet_leaf, capacity);
        if (work->leaf_count > 0) {
            memcpy(grown, work->leaves, (size_t)work->leaf_count * sizeof *grown);
        }
        work->leaves = grown;
        work->leaf_capacity = capacity;
    }
    weir_parquet_leaf *leaf = &work->leaves[work->leaf_count];
    WEIR_TRY(resolve_leaf(node, out->type, work->path, leaf, work->err));
    leaf->slot_definition = around.slot_definition;
    work->leaf_count++;
    return WEIR_OK;
}

/* `entry` is the repeated node whose entries are the list's elements: its levels are those of "an element is there". */
static void enter_list(weir_parquet_column *list, const weir_parquet_node *entry, surroundings *inside,
                       weir_arena *arena, int32_t child_count)
{
    list->element_definition = entry->definition;
    inside->slot_definition = entry->definition;
    inside->repetition = entry->repetition;
    list->children = WEIR_NEW_ARRAY(arena, weir_parquet_column, child_count);
    list->child_count = child_count;
}

/* A repeated column outside of a LIST group, as protocol buffers are written: a list that is never null. */
static int project_bare_list(projection_work *work, const weir_parquet_node *node, const weir_type *type,
                             weir_parquet_column *out)
{
    surroundings inside;
    out->definition = (uint8_t)(node->definition - 1);
    enter_list(out, node, &inside, work->arena, 1);
    return project_node(work, node, type->element, inside, &out->children[0]);
}

static int project_array(projection_work *work, const weir_parquet_node *node, const weir_type *type,
                         weir_parquet_column *out)
{
    const weir_parquet_node *element = weir_parquet_list_element(node, type->element);
    surroundings inside;
    if (element == NULL) {
        return mismatch(node, type, work->path, work->err);
    }
    enter_list(out, &node->children[0], &inside, work->arena, 1);
    return project_node(work, element, type->element, inside, &out->children[0]);
}

static int project_map(projection_work *work, const weir_parquet_node *node, const weir_type *type,
                       weir_parquet_column *out)
{
    const weir_parquet_node *entries = weir_parquet_map_entries(node);
    surroundings inside;
    if (entries == NULL) {
        return mismatch(node, type, work->path, work->err);
    }
    enter_list(out, entries, &inside, work->arena, 2);
    WEIR_TRY(project_node(work, &entries->children[0], type->key, inside, &out->children[0]));
    return project_node(work, &entries->children[1], type->element, inside, &out->children[1]);
}

static int project_member(projection_work *work, const weir_parquet_node *node, const char *name, const weir_type *type,
                          surroundings around, weir_parquet_column *out)
{
    const weir_parquet_node *member = weir_parquet_node_child(node, name);
    if (member == NULL) {
        return weir_fail(work->err, WEIR_CORRUPT, "%s: the file has no column %s%s%s", work->path, node->path,
                         *node->path == '\0' ? "" : ".", name);
    }
    return project_node(work, member, type, around, out);
}

static int project_row(projection_work *work, const weir_parquet_node *node, const weir_type *type, surroundings around,
                       weir_parquet_column *out)
{
    if (node->leaf_index >= 0 || type->field_count == 0) {
        return mismatch(node, type, work->path, work->err);
    }
    out->children = WEIR_NEW_ARRAY(work->arena, weir_parquet_column, type->field_count);
    out->child_count = type->field_count;
    for (int32_t i = 0; i < type->field_count; i++) {
        WEIR_TRY(project_member(work, node, type->fields[i].name, type->fields[i].type, around, &out->children[i]));
    }
    return WEIR_OK;
}

static int project_variant(projection_work *work, const weir_parquet_node *node, surroundings around,
                           weir_parquet_column *out)
{
    static const char *const members[] = {"value", "metadata"};
    const weir_type *bytes = weir_type_simple(WEIR_VARBINARY, false);
    if (weir_parquet_node_child(node, "typed_value") != NULL) {
        return weir_fail(work->err, WEIR_UNSUPPORTED, "%s: column %s is a shredded VARIANT; write it unshredded",
                         work->path, node->path);
    }
    out->children = WEIR_NEW_ARRAY(work->arena, weir_parquet_column, 2);
    out->child_count = 2;
    for (int32_t i = 0; i < 2; i++) {
        WEIR_TRY(project_member(work, node, members[i], bytes, around, &out->children[i]));
    }
    return WEIR_OK;
}

static int project_nested(projection_work *work, const weir_parquet_node *node, const weir_type *type,
                          surroundings around, weir_parquet_column *out)
{
    switch (type->id) {
    case WEIR_ARRAY:
        return project_array(work, node, type, out);
    case WEIR_MAP:
    case WEIR_MULTISET:
        return project_map(work, node, type, out);
    case WEIR_ROW:
        return project_row(work, node, type, around, out);
    case WEIR_VARIANT:
        return project_variant(work, node, around, out);
    default:
        return project_leaf(work, node, around, out);
    }
}

static int project_node(projection_work *work, const weir_parquet_node *node, const weir_type *type,
                        surroundings around, weir_parquet_column *out)
{
    out->type = type;
    out->layout = weir_layout_of(type);
    out->slot_definition = around.slot_definition;
    out->repetition = around.repetition;
    out->definition = node->definition;
    out->leaf = work->leaf_count;
    if (node->repetition > around.repetition) { /* repeated, and not as the entries of a list that we are in */
        if (type->id != WEIR_ARRAY) {
            return mismatch(node, type, work->path, work->err);
        }
        WEIR_TRY(project_bare_list(work, node, type, out));
    } else {
        WEIR_TRY(project_nested(work, node, type, around, out));
    }
    out->leaf_count = work->leaf_count - out->leaf;
    return WEIR_OK;
}

int weir_parquet_project(const weir_parquet_node *root, const weir_field *fields, int32_t field_count, const char *path,
                         weir_arena *arena, weir_parquet_projection *out, weir_error *err)
{
    projection_work work = {.path = path, .arena = arena, .err = err};
    out->columns = WEIR_NEW_ARRAY(arena, weir_parquet_column, field_count);
    out->column_count = field_count;
    for (int32_t i = 0; i < field_count; i++) {
        WEIR_TRY(project_member(&work, root, fields[i].name, fields[i].type, (surroundings){0}, &out->columns[i]));
    }
    out->leaves = work.leaves;
    out->leaf_count = work.leaf_count;
    return WEIR_OK;
}
