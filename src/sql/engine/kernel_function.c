/* Kernels as DuckDB's scalar functions: registered when a statement first uses them, one for each combination of types.
 */
#include "sql/engine/bridge.h"
#include "sql/engine/engine_internal.h"
#include "sql/function/carried.h"

/* --- Calling --------------------------------------------------------------------------------------------------- */

/* What one call works with; small counts need no allocation. */
typedef struct call_arrays {
    const void *data[16];
    const uint64_t *validity[16];
} call_arrays;

static void put_text(weir_kernel_call *call, int64_t row, const void *bytes, size_t size)
{
    duckdb_unsafe_vector_assign_string_element_len(call->host, (idx_t)row, size == 0 ? "" : bytes, size);
}

static int call_kernel(const weir_kernel_use *use, duckdb_data_chunk input, duckdb_vector output, weir_error *err)
{
    call_arrays arrays;
    size_t count = (size_t)use->argument_count;
    const void **data = count <= 16 ? arrays.data : weir_alloc_zeroed(count, sizeof *data);
    const uint64_t **validity = count <= 16 ? arrays.validity : weir_alloc_zeroed(count, sizeof *validity);
    for (size_t i = 0; i < count; i++) {
        duckdb_vector vector = duckdb_data_chunk_get_vector(input, i);
        data[i] = duckdb_vector_get_data(vector);
        validity[i] = duckdb_vector_get_validity(vector);
    }
    duckdb_vector_ensure_validity_writable(output);
    weir_kernel_call call = {.length = (int64_t)duckdb_data_chunk_get_size(input),
                             .argument_count = use->argument_count,
                             .types = use->types,
                             .type = use->type,
                             .option = use->option,
                             .data = data,
                             .validity = validity,
                             .result = duckdb_vector_get_data(output),
                             .result_validity = duckdb_vector_get_validity(output),
                             .put_text = put_text,
                             .host = output};
    int code = weir_kernel_run(use->kernel, &call, err);
    weir_buffer_free(&call.scratch);
    if (count > 16) {
        free(data);
        free(validity);
    }
    return code;
}

/* Gives DuckDB its own copy of the texts that weir_bridge_fill borrowed, at any depth. */
static void own_texts(const weir_vector *from, int64_t first, int64_t count, duckdb_vector to)
{
    if (count == 0) {
        return;
    }
    if (from->layout == WEIR_LAYOUT_BYTES) {
        for (int64_t i = 0; i < count; i++) {
            weir_slice text = weir_vector_bytes(from, first + i);
            if (text.size > sizeof((weir_carried_text *)NULL)->inlined.bytes) {
                duckdb_unsafe_vector_assign_string_element_len(to, (idx_t)i, (const char *)text.data, text.size);
            }
        }
    } else if (from->layout == WEIR_LAYOUT_LIST) {
        int64_t begin = from->offsets[first];
        int64_t length = from->offsets[first + count] - begin;
        duckdb_vector child = duckdb_list_vector_get_child(to);
        for (int32_t i = 0; i < from->child_count; i++) {
            bool list = from->type->id == WEIR_ARRAY;
            own_texts(&from->children[i], begin, length,
                      list ? child : duckdb_struct_vector_get_child(child, (idx_t)i));
        }
    } else if (from->layout == WEIR_LAYOUT_STRUCT) {
        for (int32_t i = 0; i < from->child_count; i++) {
            own_texts(&from->children[i], first, count, duckdb_struct_vector_get_child(to, (idx_t)i));
        }
    }
}

/* Kernels of the nested form work on our own vectors. */
static int call_nested(const weir_kernel_use *use, duckdb_data_chunk input, duckdb_vector output, weir_error *err)
{
    int64_t length = (int64_t)duckdb_data_chunk_get_size(input);
    size_t count = (size_t)use->argument_count;
    weir_vector *arguments = weir_alloc_zeroed(count + 1, sizeof *arguments);
    weir_vector result;
    weir_vector_init(&result, use->type);
    weir_kernel_call call = {.length = length,
                             .argument_count = use->argument_count,
                             .types = use->types,
                             .type = use->type,
                             .option = use->option};
    int code = WEIR_OK;
    for (size_t i = 0; i < count; i++) {
        weir_vector_init(&arguments[i], use->types[i]);
    }
    for (size_t i = 0; i < count; i++) {
        WEIR_GO(weir_bridge_append(duckdb_data_chunk_get_vector(input, i), length, &arguments[i], err));
    }
    WEIR_GO(use->kernel->nested(&call, arguments, &result, err));
    WEIR_GO(weir_bridge_fill(&result, 0, length, output, err));
    own_texts(&result, 0, length, output);
done:
    for (size_t i = 0; i < count; i++) {
        weir_vector_free(&arguments[i]);
    }
    free(arguments);
    weir_vector_free(&result);
    return code;
}

static void run_function(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
    const weir_kernel_use *use = duckdb_scalar_function_get_extra_info(info);
    weir_error err = {0};
    int code =
        use->kernel->nested != NULL ? call_nested(use, input, output, &err) : call_kernel(use, input, output, &err);
    if (code != WEIR_OK) {
        duckdb_scalar_function_set_error(info, err.message);
    }
}

/* --- Registering ----------------------------------------------------------------------------------------------- */

/* The use, copied to where it lives as long as the engine. */
static weir_kernel_use *copy_use(weir_sql_engine *engine, const weir_kernel_use *use)
{
    weir_arena *arena = &engine->arena;
    weir_kernel_use *copy = weir_arena_copy(arena, use, sizeof *use);
    copy->name = weir_arena_strdup(arena, use->name);
    copy->option = weir_arena_strdup(arena, use->option);
    copy->types = WEIR_NEW_ARRAY(arena, const weir_type *, use->argument_count + 1);
    for (int32_t i = 0; i < use->argument_count; i++) {
        copy->types[i] = weir_type_copy(arena, use->types[i]);
    }
    copy->type = weir_type_copy(arena, use->type);
    return copy;
}

static int register_use(weir_sql_engine *engine, const weir_kernel_use *use, weir_error *err)
{
    weir_kernel_use *kept = copy_use(engine, use);
    duckdb_scalar_function function = duckdb_create_scalar_function();
    duckdb_scalar_function_set_name(function, kept->name);
    for (int32_t i = 0; i < kept->argument_count; i++) {
        duckdb_logical_type type = weir_bridge_type(kept->types[i]);
        duckdb_scalar_function_add_parameter(function, type);
        duckdb_destroy_logical_type(&type);
    }
    duckdb_logical_type result = weir_bridge_type(kept->type);
    duckdb_scalar_function_set_return_type(function, result);
    duckdb_destroy_logical_type(&result);
    duckdb_scalar_function_set_extra_info(function, kept, NULL);
    duckdb_scalar_function_set_special_handling(function); /* NULLs are the kernel's business */
    if (kept->kernel->is_volatile) {
        duckdb_scalar_function_set_volatile(function);
    }
    duckdb_scalar_function_set_function(function, run_function);
    duckdb_state state = duckdb_register_scalar_function(engine->connection, function);
    duckdb_destroy_scalar_function(&function);
    if (state != DuckDBSuccess) {
        return weir_fail(err, WEIR_IO, "the function %s can't be registered", kept->kernel->name);
    }
    weir_map_put(&engine->functions, weir_slice_text(kept->name), kept);
    return WEIR_OK;
}

int weir_engine_register(weir_sql_engine *engine, const weir_generated *generated, weir_error *err)
{
    int code = WEIR_OK;
    pthread_mutex_lock(&engine->mutex);
    for (int32_t i = 0; i < generated->use_count && code == WEIR_OK; i++) {
        if (weir_map_get(&engine->functions, weir_slice_text(generated->uses[i].name)) == NULL) {
            code = register_use(engine, &generated->uses[i], err);
        }
    }
    pthread_mutex_unlock(&engine->mutex);
    return code;
}
