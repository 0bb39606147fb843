/* Carried values of single literals, and running kernels. */
#include "sql/function/carried.h"

size_t weir_carried_width(const weir_type *type)
{
    switch ((int)type->id) {
    case WEIR_BOOLEAN:
    case WEIR_TINYINT:
        return 1;
    case WEIR_SMALLINT:
        return 2;
    case WEIR_INT:
    case WEIR_FLOAT:
    case WEIR_DATE:
    case WEIR_TIME:
    case WEIR_INTERVAL_MONTHS:
        return 4;
    case WEIR_BIGINT:
    case WEIR_DOUBLE:
    case WEIR_INTERVAL_MILLIS:
        return 8;
    case WEIR_DECIMAL:
        return type->precision <= 4 ? 2 : type->precision <= 9 ? 4 : type->precision <= 18 ? 8 : 16;
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        return type->precision <= 6 ? 8 : 16;
    case WEIR_CHAR:
    case WEIR_VARCHAR:
    case WEIR_BINARY:
    case WEIR_VARBINARY:
    case WEIR_BLOB:
        return 16;
    default:
        return 0;
    }
}

/* The low bytes of a whole number, which is how little-endian hosts keep all narrower ones. */
static void store(weir_int128 value, size_t width, void *out) { memcpy(out, &value, width); }

static weir_int128 load(const void *data, size_t width)
{
    weir_int128 value = 0;
    switch (width) {
    case 1:
        value = *(const int8_t *)data;
        break;
    case 2:
        value = (int16_t)weir_load_le16(data);
        break;
    case 4:
        value = (int32_t)weir_load_le32(data);
        break;
    case 8:
        value = (int64_t)weir_load_le64(data);
        break;
    default:
        memcpy(&value, data, sizeof value);
        break;
    }
    return value;
}

static void store_text(weir_slice text, void *out)
{
    weir_carried_text carried = {.inlined = {.size = (uint32_t)text.size}};
    if (text.size <= sizeof carried.inlined.bytes) {
        if (text.size > 0) {
            memcpy(carried.inlined.bytes, text.data, text.size);
        }
    } else {
        memcpy(carried.pointer.prefix, text.data, sizeof carried.pointer.prefix);
        carried.pointer.bytes = (const char *)text.data;
    }
    memcpy(out, &carried, sizeof carried);
}

static weir_int128 carried_timestamp(const weir_type *type, const weir_literal *literal)
{
    if (type->precision > 6) {
        return (weir_int128)literal->nanos.millis * 1000000 + literal->nanos.nanos_of_milli;
    }
    return type->precision <= 3 ? (int64_t)((uint64_t)literal->integer * 1000) : literal->integer;
}

void weir_carried_from_literal(const weir_type *type, const weir_literal *literal, void *out)
{
    size_t width = weir_carried_width(type);
    switch (type->id) {
    case WEIR_BOOLEAN:
        store(literal->boolean, width, out);
        break;
    case WEIR_FLOAT:
        memcpy(out, &literal->float32, sizeof literal->float32);
        break;
    case WEIR_DOUBLE:
        memcpy(out, &literal->float64, sizeof literal->float64);
        break;
    case WEIR_DECIMAL:
        store(type->precision <= 18 ? literal->integer : literal->decimal, width, out);
        break;
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        store(carried_timestamp(type, literal), width, out);
        break;
    case WEIR_CHAR:
    case WEIR_VARCHAR:
    case WEIR_BINARY:
    case WEIR_VARBINARY:
    case WEIR_BLOB:
        store_text(literal->bytes, out);
        break;
    default:
        store(literal->integer, width, out);
        break;
    }
}

static weir_literal read_timestamp(const weir_type *type, weir_int128 carried)
{
    weir_literal literal = {0};
    if (type->precision > 6) {
        weir_int128 millis = carried / 1000000 - (carried % 1000000 < 0);
        literal.nanos = (weir_timestamp_nanos){(int64_t)millis, (int32_t)(carried - millis * 1000000), 0};
    } else {
        literal.integer = type->precision <= 3 ? weir_floor_div((int64_t)carried, 1000) : (int64_t)carried;
    }
    return literal;
}

weir_literal weir_carried_to_literal(const weir_type *type, const void *carried, weir_arena *arena)
{
    weir_literal literal = {0};
    size_t width = weir_carried_width(type);
    switch (type->id) {
    case WEIR_BOOLEAN:
        literal.boolean = *(const uint8_t *)carried != 0;
        break;
    case WEIR_FLOAT:
        memcpy(&literal.float32, carried, sizeof literal.float32);
        break;
    case WEIR_DOUBLE:
        memcpy(&literal.float64, carried, sizeof literal.float64);
        break;
    case WEIR_DECIMAL:
        if (type->precision <= 18) {
            literal.integer = (int64_t)load(carried, width);
        } else {
            literal.decimal = load(carried, width);
        }
        break;
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        return read_timestamp(type, load(carried, width));
    case WEIR_CHAR:
    case WEIR_VARCHAR:
    case WEIR_BINARY:
    case WEIR_VARBINARY:
    case WEIR_BLOB: {
        const weir_carried_text *text = carried;
        const char *bytes =
            text->inlined.size <= sizeof text->inlined.bytes ? text->inlined.bytes : text->pointer.bytes;
        literal.bytes = weir_slice_of(weir_arena_strndup(arena, bytes, text->inlined.size), text->inlined.size);
        break;
    }
    default:
        literal.integer = (int64_t)load(carried, width);
        break;
    }
    return literal;
}

/* --- Running --------------------------------------------------------------------------------------------------- */

/* Rows in which an argument is NULL become NULL. */
static void mark_nulls(weir_kernel_call *call)
{
    for (int32_t argument = 0; argument < call->argument_count; argument++) {
        const uint64_t *validity = call->validity[argument];
        for (int64_t word = 0; validity != NULL && word < (call->length + 63) / 64; word++) {
            call->result_validity[word] &= validity[word];
        }
    }
}

static int run_rows(const weir_kernel *kernel, weir_kernel_call *call, weir_error *err)
{
    for (int64_t row = 0; row < call->length; row++) {
        if (!((call->result_validity[row >> 6] >> (row & 63)) & 1)) {
            continue;
        }
        int code = kernel->row(call, row, kernel->null_on_error ? NULL : err);
        if (code != WEIR_OK) {
            if (!kernel->null_on_error) {
                return code;
            }
            weir_buffer_clear(&call->scratch);
            weir_kernel_put_null(call, row);
        }
    }
    return WEIR_OK;
}

int weir_kernel_run(const weir_kernel *kernel, weir_kernel_call *call, weir_error *err)
{
    if (!kernel->sees_nulls) {
        mark_nulls(call);
    }
    int code = kernel->run != NULL ? kernel->run(call, err) : run_rows(kernel, call, err);
    if (kernel->finish != NULL) {
        kernel->finish(call);
    }
    return code;
}

static void put_text_in_arena(weir_kernel_call *call, int64_t row, const void *bytes, size_t size)
{
    (void)row;
    const char *copy = weir_arena_strndup(call->host, size == 0 ? "" : bytes, size);
    store_text(weir_slice_of(copy, size), call->result);
}

int weir_kernel_run_literals(const weir_kernel *kernel, const char *option, const weir_type *const *types,
                             const weir_literal *arguments, int32_t count, const weir_type *type, weir_arena *arena,
                             weir_literal *out, weir_error *err)
{
    typedef struct cell {
        _Alignas(16) uint8_t bytes[16];
    } cell;
    static const uint64_t null_bits = 0;
    cell *cells = WEIR_NEW_ARRAY(arena, cell, count + 1);
    const void **data = WEIR_NEW_ARRAY(arena, const void *, count + 1);
    const uint64_t **validity = WEIR_NEW_ARRAY(arena, const uint64_t *, count + 1);
    for (int32_t i = 0; i < count; i++) {
        data[i] = &cells[i];
        validity[i] = arguments[i].is_null ? &null_bits : NULL;
        if (!arguments[i].is_null) {
            weir_carried_from_literal(types[i], &arguments[i], &cells[i]);
        }
    }
    uint64_t result_validity = UINT64_MAX;
    weir_kernel_call call = {.length = 1,
                             .argument_count = count,
                             .types = types,
                             .type = type,
                             .option = option,
                             .data = data,
                             .validity = validity,
                             .result = &cells[count],
                             .result_validity = &result_validity,
                             .put_text = put_text_in_arena,
                             .host = arena};
    int code = weir_kernel_run(kernel, &call, err);
    weir_buffer_free(&call.scratch);
    if (code != WEIR_OK) {
        return code;
    }
    if (!(result_validity & 1)) {
        *out = (weir_literal){.is_null = true};
    } else {
        *out = weir_carried_to_literal(type, &cells[count], arena);
    }
    return WEIR_OK;
}
