/* DuckDB types for Flink types. */
#include "sql/engine/bridge.h"
#include "sql/type.h"

static duckdb_logical_type simple(duckdb_type type) { return duckdb_create_logical_type(type); }

static duckdb_logical_type struct_of(const weir_type *const *types, int32_t count)
{
    duckdb_logical_type *members = weir_alloc_zeroed((size_t)count + 1, sizeof *members);
    const char **names = weir_alloc_zeroed((size_t)count + 1, sizeof *names);
    for (int32_t i = 0; i < count; i++) {
        members[i] = weir_bridge_type(types[i]);
        names[i] = weir_format("f%d", i);
    }
    duckdb_logical_type type = duckdb_create_struct_type(members, names, (idx_t)count);
    for (int32_t i = 0; i < count; i++) {
        duckdb_destroy_logical_type(&members[i]);
        free((void *)names[i]);
    }
    free(members);
    free(names);
    return type;
}

static duckdb_logical_type list_of(duckdb_logical_type element)
{
    duckdb_logical_type type = duckdb_create_list_type(element);
    duckdb_destroy_logical_type(&element);
    return type;
}

static duckdb_logical_type row_type(const weir_type *type)
{
    const weir_type **types = weir_alloc_zeroed((size_t)type->field_count + 1, sizeof *types);
    for (int32_t i = 0; i < type->field_count; i++) {
        types[i] = type->fields[i].type;
    }
    duckdb_logical_type row = struct_of(types, type->field_count);
    free(types);
    return row;
}

duckdb_logical_type weir_bridge_type(const weir_type *type)
{
    switch ((int)type->id) {
    case WEIR_TINYINT:
        return simple(DUCKDB_TYPE_TINYINT);
    case WEIR_SMALLINT:
        return simple(DUCKDB_TYPE_SMALLINT);
    case WEIR_INT:
    case WEIR_TIME:
    case WEIR_INTERVAL_MONTHS:
        return simple(DUCKDB_TYPE_INTEGER);
    case WEIR_BIGINT:
    case WEIR_INTERVAL_MILLIS:
        return simple(DUCKDB_TYPE_BIGINT);
    case WEIR_FLOAT:
        return simple(DUCKDB_TYPE_FLOAT);
    case WEIR_DOUBLE:
        return simple(DUCKDB_TYPE_DOUBLE);
    case WEIR_DECIMAL:
        return duckdb_create_decimal_type((uint8_t)type->precision, (uint8_t)type->scale);
    case WEIR_CHAR:
    case WEIR_VARCHAR:
        return simple(DUCKDB_TYPE_VARCHAR);
    case WEIR_BINARY:
    case WEIR_VARBINARY:
    case WEIR_BLOB:
        return simple(DUCKDB_TYPE_BLOB);
    case WEIR_DATE:
        return simple(DUCKDB_TYPE_DATE);
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        return simple(type->precision <= 6 ? DUCKDB_TYPE_TIMESTAMP : DUCKDB_TYPE_HUGEINT);
    case WEIR_ARRAY:
        return list_of(weir_bridge_type(type->element));
    case WEIR_MAP:
    case WEIR_MULTISET: {
        const weir_type *entry[2] = {type->key, type->element};
        return list_of(struct_of(entry, 2));
    }
    case WEIR_ROW:
        return row_type(type);
    case WEIR_VARIANT: {
        const weir_type *bytes = weir_type_simple(WEIR_VARBINARY, false);
        const weir_type *parts[2] = {bytes, bytes};
        return struct_of(parts, 2);
    }
    default:
        return simple(DUCKDB_TYPE_BOOLEAN); /* BOOLEAN, and an untyped NULL */
    }
}
