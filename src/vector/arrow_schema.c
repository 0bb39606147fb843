/* Types as Arrow schemas. */
#include <stdio.h>
#include <stdlib.h>

#include "vector/arrow.h"

static void release_schema(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (schema->children[i]->release != NULL) {
            schema->children[i]->release(schema->children[i]);
        }
        free(schema->children[i]);
    }
    free(schema->children);
    free((char *)schema->format);
    free((char *)schema->name);
    schema->release = NULL;
}

/* A schema of zeroed children, which are allocated one by one so that a consumer may move each of them away. */
static void init_schema(struct ArrowSchema *schema, const char *format, const char *name, bool nullable,
                        int64_t children)
{
    *schema = (struct ArrowSchema){
        .format = weir_strdup(format),
        .name = weir_strdup(name),
        .flags = nullable ? ARROW_FLAG_NULLABLE : 0,
        .n_children = children,
        .children = children > 0 ? weir_alloc((size_t)children * sizeof(struct ArrowSchema *)) : NULL,
        .release = release_schema,
    };
    for (int64_t i = 0; i < children; i++) {
        schema->children[i] = weir_alloc_zeroed(1, sizeof(struct ArrowSchema));
    }
}

static const char *timestamp_format(const weir_type *type)
{
    bool zoned = type->id == WEIR_TIMESTAMP_LTZ;
    if (type->precision <= 3) {
        return zoned ? "tsm:UTC" : "tsm:";
    }
    if (type->precision <= 6) {
        return zoned ? "tsu:UTC" : "tsu:";
    }
    return zoned ? "tsn:UTC" : "tsn:";
}

static const char *plain_format(const weir_type *type)
{
    switch (type->id) {
    case WEIR_BOOLEAN:
        return "b";
    case WEIR_TINYINT:
        return "c";
    case WEIR_SMALLINT:
        return "s";
    case WEIR_INT:
        return "i";
    case WEIR_BIGINT:
        return "l";
    case WEIR_FLOAT:
        return "f";
    case WEIR_DOUBLE:
        return "g";
    case WEIR_CHAR:
    case WEIR_VARCHAR:
        return "u";
    case WEIR_BINARY:
    case WEIR_VARBINARY:
    case WEIR_BLOB:
        return "z";
    case WEIR_DATE:
        return "tdD";
    case WEIR_TIME:
        return "ttm";
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        return timestamp_format(type);
    case WEIR_ARRAY:
        return "+l";
    case WEIR_MAP:
    case WEIR_MULTISET:
        return "+m";
    case WEIR_ROW:
    case WEIR_VARIANT:
        return "+s";
    default:
        return "n";
    }
}

static void export_type(const weir_type *type, const char *name, bool nullable, struct ArrowSchema *out);

/* map<k, v> is a list of structs called entries. */
static void export_map(const weir_type *type, const char *name, bool nullable, struct ArrowSchema *out)
{
    init_schema(out, "+m", name, nullable, 1);
    struct ArrowSchema *entries = out->children[0];
    init_schema(entries, "+s", "entries", false, 2);
    export_type(type->key, "key", false, entries->children[0]);
    export_type(type->element, "value", type->element->nullable, entries->children[1]);
}

static void export_type(const weir_type *type, const char *name, bool nullable, struct ArrowSchema *out)
{
    char decimal[32];
    switch (type->id) {
    case WEIR_DECIMAL:
        snprintf(decimal, sizeof decimal, "d:%d,%d", type->precision, type->scale);
        init_schema(out, decimal, name, nullable, 0);
        break;
    case WEIR_ARRAY:
        init_schema(out, "+l", name, nullable, 1);
        export_type(type->element, "element", type->element->nullable, out->children[0]);
        break;
    case WEIR_MAP:
    case WEIR_MULTISET:
        export_map(type, name, nullable, out);
        break;
    case WEIR_ROW:
        init_schema(out, "+s", name, nullable, type->field_count);
        for (int32_t i = 0; i < type->field_count; i++) {
            const weir_field *field = &type->fields[i];
            export_type(field->type, field->name, field->type->nullable, out->children[i]);
        }
        break;
    case WEIR_VARIANT:
        init_schema(out, "+s", name, nullable, 2);
        init_schema(out->children[0], "z", "value", false, 0);
        init_schema(out->children[1], "z", "metadata", false, 0);
        break;
    default:
        init_schema(out, plain_format(type), name, nullable, 0);
    }
}

int weir_arrow_export_schema(const weir_field *fields, int32_t count, struct ArrowSchema *out, weir_error *err)
{
    for (int32_t i = 0; i < count; i++) {
        if (fields[i].type == NULL) {
            return weir_fail(err, WEIR_INVALID, "the field \"%s\" has no type", fields[i].name);
        }
    }
    const weir_type rows = {.id = WEIR_ROW, .fields = fields, .field_count = count};
    export_type(&rows, "", false, out);
    return WEIR_OK;
}
