/* The columns of a Parquet file as Paimon types, for files that no table describes. */
#include "format/parquet/parquet.h"
#include "format/parquet/schema.h"

#define UINT64_DIGITS  20
#define DECIMAL_DIGITS 38

static bool is_utf8(const weir_parquet_element *element)
{
    return element->logical == WEIR_PARQUET_LOGICAL_STRING || element->logical == WEIR_PARQUET_LOGICAL_ENUM ||
           element->logical == WEIR_PARQUET_LOGICAL_JSON || element->converted == WEIR_PARQUET_UTF8 ||
           element->converted == WEIR_PARQUET_ENUM || element->converted == WEIR_PARQUET_JSON;
}

static const weir_type *decimal_type(const weir_parquet_element *element, weir_arena *arena, bool nullable)
{
    bool fits = element->precision >= 1 && element->precision <= DECIMAL_DIGITS && element->scale >= 0 &&
                element->scale <= element->precision;
    return fits ? weir_type_decimal(arena, element->precision, element->scale, nullable) : NULL;
}

static const weir_type *timestamp_type(const weir_parquet_element *element, weir_arena *arena, bool nullable)
{
    int precision = element->converted == WEIR_PARQUET_TIMESTAMP_MILLIS ? 3 : 6;
    bool adjusted = true; /* the older annotations mean instants */
    if (element->logical == WEIR_PARQUET_LOGICAL_TIMESTAMP) {
        precision = element->unit == WEIR_PARQUET_MILLIS ? 3 : element->unit == WEIR_PARQUET_MICROS ? 6 : 9;
        adjusted = element->adjusted_to_utc;
    }
    return weir_type_with_length(arena, adjusted ? WEIR_TIMESTAMP_LTZ : WEIR_TIMESTAMP, precision, nullable);
}

static const weir_type *integer_type(const weir_parquet_element *element, weir_arena *arena, bool nullable)
{
    bool wide = element->physical == WEIR_PARQUET_INT64;
    int bits = wide ? 64 : 32;
    bool with_sign = true;
    if (element->logical == WEIR_PARQUET_LOGICAL_INTEGER) {
        bits = element->integer_bits;
        with_sign = element->integer_signed;
    } else if (element->converted >= WEIR_PARQUET_UINT_8 && element->converted <= WEIR_PARQUET_UINT_64) {
        bits = 8 << (element->converted - WEIR_PARQUET_UINT_8);
        with_sign = false;
    } else if (element->converted >= WEIR_PARQUET_INT_8 && element->converted <= WEIR_PARQUET_CONVERTED_INT_64) {
        bits = 8 << (element->converted - WEIR_PARQUET_INT_8);
    }
    if (!with_sign && (wide || bits == 64)) {
        return wide ? weir_type_decimal(arena, UINT64_DIGITS, 0, nullable) : NULL;
    }
    if (!with_sign) {
        bits *= 2; /* the next wider type holds every value */
    }
    return weir_type_simple(wide || bits == 64 ? WEIR_BIGINT
                            : bits == 8        ? WEIR_TINYINT
                            : bits == 16       ? WEIR_SMALLINT
                                               : WEIR_INT,
                            nullable);
}

static const weir_type *number_type(const weir_parquet_element *element, weir_arena *arena, bool nullable)
{
    bool wide = element->physical == WEIR_PARQUET_INT64;
    if (element->logical == WEIR_PARQUET_LOGICAL_DECIMAL || element->converted == WEIR_PARQUET_DECIMAL) {
        return decimal_type(element, arena, nullable);
    }
    if (element->logical == WEIR_PARQUET_LOGICAL_DATE || element->converted == WEIR_PARQUET_DATE) {
        return wide ? NULL : weir_type_simple(WEIR_DATE, nullable);
    }
    if (element->logical == WEIR_PARQUET_LOGICAL_TIME || element->converted == WEIR_PARQUET_TIME_MILLIS ||
        element->converted == WEIR_PARQUET_TIME_MICROS) {
        return weir_type_with_length(arena, WEIR_TIME, 3, nullable); /* kept in milliseconds whatever the unit */
    }
    if (wide &&
        (element->logical == WEIR_PARQUET_LOGICAL_TIMESTAMP || element->converted == WEIR_PARQUET_TIMESTAMP_MILLIS ||
         element->converted == WEIR_PARQUET_TIMESTAMP_MICROS)) {
        return timestamp_type(element, arena, nullable);
    }
    return integer_type(element, arena, nullable);
}

static const weir_type *bytes_type(const weir_parquet_element *element, weir_arena *arena, bool nullable)
{
    if (element->logical == WEIR_PARQUET_LOGICAL_DECIMAL || element->converted == WEIR_PARQUET_DECIMAL) {
        return decimal_type(element, arena, nullable);
    }
    if (element->logical == WEIR_PARQUET_LOGICAL_FLOAT16) {
        return weir_type_simple(WEIR_FLOAT, nullable);
    }
    if (is_utf8(element)) {
        return weir_type_simple(WEIR_VARCHAR, nullable);
    }
    if (element->physical == WEIR_PARQUET_FIXED_LEN_BYTE_ARRAY) {
        return weir_type_with_length(arena, WEIR_BINARY, element->type_length, nullable);
    }
    return weir_type_simple(WEIR_VARBINARY, nullable);
}

static const weir_type *leaf_type(const weir_parquet_element *element, weir_arena *arena, bool nullable)
{
    switch (element->physical) {
    case WEIR_PARQUET_BOOLEAN:
        return weir_type_simple(WEIR_BOOLEAN, nullable);
    case WEIR_PARQUET_INT32:
    case WEIR_PARQUET_INT64:
        return number_type(element, arena, nullable);
    case WEIR_PARQUET_INT96:
        return weir_type_with_length(arena, WEIR_TIMESTAMP, 9, nullable);
    case WEIR_PARQUET_FLOAT:
        return weir_type_simple(WEIR_FLOAT, nullable);
    case WEIR_PARQUET_DOUBLE:
        return weir_type_simple(WEIR_DOUBLE, nullable);
    case WEIR_PARQUET_BYTE_ARRAY:
    case WEIR_PARQUET_FIXED_LEN_BYTE_ARRAY:
        return bytes_type(element, arena, nullable);
    }
    return NULL;
}

static int entry_type(const weir_parquet_node *node, weir_arena *arena, const char *path, const weir_type **out,
                      weir_error *err);

static int row_type(const weir_parquet_node *node, weir_arena *arena, const char *path, bool nullable,
                    const weir_type **out, weir_error *err)
{
    weir_field *fields = WEIR_NEW_ARRAY(arena, weir_field, node->child_count);
    for (int32_t i = 0; i < node->child_count; i++) {
        fields[i].id = node->children[i].element->field_id;
        fields[i].name = node->children[i].element->name;
        WEIR_TRY(weir_parquet_node_type(&node->children[i], arena, path, &fields[i].type, err));
    }
    *out = weir_type_row(arena, fields, node->child_count, nullable);
    return WEIR_OK;
}

static bool is_map(const weir_parquet_node *node)
{
    bool annotated = node->element->logical == WEIR_PARQUET_LOGICAL_MAP ||
                     node->element->converted == WEIR_PARQUET_MAP ||
                     node->element->converted == WEIR_PARQUET_MAP_KEY_VALUE;
    return annotated && weir_parquet_map_entries(node) != NULL;
}

static bool is_variant(const weir_parquet_node *node)
{
    return node->element->logical == WEIR_PARQUET_LOGICAL_VARIANT && node->child_count == 2;
}

static int group_type(const weir_parquet_node *node, weir_arena *arena, const char *path, bool nullable,
                      const weir_type **out, weir_error *err)
{
    if (is_map(node)) {
        const weir_parquet_node *entries = weir_parquet_map_entries(node);
        const weir_type *key;
        const weir_type *value;
        WEIR_TRY(weir_parquet_node_type(&entries->children[0], arena, path, &key, err));
        WEIR_TRY(weir_parquet_node_type(&entries->children[1], arena, path, &value, err));
        *out = weir_type_map(arena, key, value, nullable);
        return WEIR_OK;
    }
    const weir_parquet_node *element = weir_parquet_list_element(node, NULL);
    if (element != NULL) {
        const weir_type *type;
        WEIR_TRY(entry_type(element, arena, path, &type, err));
        *out = weir_type_array(arena, type, nullable);
        return WEIR_OK;
    }
    if (is_variant(node)) {
        *out = weir_type_new(arena, WEIR_VARIANT, nullable);
        return WEIR_OK;
    }
    return row_type(node, arena, path, nullable, out, err);
}

/* The type of a node, not looking at whether it is repeated. */
static int single_type(const weir_parquet_node *node, weir_arena *arena, const char *path, bool nullable,
                       const weir_type **out, weir_error *err)
{
    if (node->leaf_index < 0) {
        return group_type(node, arena, path, nullable, out, err);
    }
    *out = leaf_type(node->element, arena, nullable);
    if (*out == NULL) {
        return weir_fail(err, WEIR_UNSUPPORTED, "%s: column %s has a type in the file that Paimon does not have", path,
                         node->path);
    }
    return WEIR_OK;
}

/* The element of a list: where it is the repeated node itself, it is one entry and not a list of them. */
static int entry_type(const weir_parquet_node *node, weir_arena *arena, const char *path, const weir_type **out,
                      weir_error *err)
{
    if (node->element->repetition == WEIR_PARQUET_REPEATED) {
        return single_type(node, arena, path, false, out, err);
    }
    return weir_parquet_node_type(node, arena, path, out, err);
}

int weir_parquet_node_type(const weir_parquet_node *node, weir_arena *arena, const char *path, const weir_type **out,
                           weir_error *err)
{
    if (node->element->repetition == WEIR_PARQUET_REPEATED) { /* outside of a LIST group: a list that is never null */
        const weir_type *element;
        WEIR_TRY(single_type(node, arena, path, false, &element, err));
        *out = weir_type_array(arena, element, false);
        return WEIR_OK;
    }
    return single_type(node, arena, path, node->element->repetition == WEIR_PARQUET_OPTIONAL, out, err);
}

int weir_parquet_read_fields(weir_file *file, weir_arena *arena, weir_field **out, int32_t *out_count, weir_error *err)
{
    weir_parquet_source source;
    weir_parquet_footer *footer;
    weir_parquet_node *root;
    const weir_type *row;
    WEIR_TRY(weir_parquet_source_open(&source, file, NULL, err));
    int code = weir_parquet_footer_read(&source, arena, &footer, err);
    weir_parquet_source_close(&source);
    WEIR_TRY(code);
    WEIR_TRY(weir_parquet_schema_build(footer, file->path, arena, &root, err));
    WEIR_TRY(row_type(root, arena, file->path, false, &row, err));
    *out = (weir_field *)(uintptr_t)row->fields;
    *out_count = row->field_count;
    return WEIR_OK;
}
