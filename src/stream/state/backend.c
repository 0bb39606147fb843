/* The backend: what its tables share, small things by name, and checkpoints. */
#include "stream/state/backend.h"

#include <stdlib.h>

int weir_state_take(weir_state_backend *backend, int64_t bytes, weir_error *err)
{
    WEIR_TRY(weir_budget_take(backend->budget, bytes, err));
    backend->memory_bytes += bytes;
    return WEIR_OK;
}

void weir_state_give(weir_state_backend *backend, int64_t bytes)
{
    weir_budget_give(backend->budget, bytes);
    backend->memory_bytes -= bytes;
}

int weir_state_backend_open(const weir_state_backend_options *options, weir_state_backend **out, weir_error *err)
{
    (void)err;
    weir_state_backend *backend = weir_alloc_zeroed(1, sizeof *backend);
    backend->budget = options->budget;
    *out = backend;
    return WEIR_OK;
}

static void free_named(weir_buffer *bytes)
{
    if (bytes != NULL) {
        weir_buffer_free(bytes);
        free(bytes);
    }
}

void weir_state_backend_close(weir_state_backend *backend)
{
    if (backend == NULL) {
        return;
    }
    for (size_t i = 0; i < backend->named.entry_count; i++) {
        free_named(backend->named.entries[i].value);
    }
    weir_map_free(&backend->named);
    free(backend);
}

int weir_state_backend_put(weir_state_backend *backend, const char *name, weir_slice bytes, weir_error *err)
{
    (void)err;
    weir_buffer *named = weir_map_get(&backend->named, weir_slice_text(name));
    if (named == NULL) {
        named = weir_alloc_zeroed(1, sizeof *named);
        weir_map_put(&backend->named, weir_slice_text(name), named);
    }
    weir_buffer_clear(named);
    weir_buffer_append(named, bytes.data, bytes.size);
    return WEIR_OK;
}

int weir_state_backend_get(weir_state_backend *backend, const char *name, weir_buffer *out, weir_error *err)
{
    (void)err;
    const weir_buffer *named = weir_map_get(&backend->named, weir_slice_text(name));
    if (named == NULL) {
        return WEIR_NOT_FOUND;
    }
    weir_buffer_append(out, named->data, named->size);
    return WEIR_OK;
}

void weir_state_backend_remove(weir_state_backend *backend, const char *name)
{
    free_named(weir_map_remove(&backend->named, weir_slice_text(name)));
}

int weir_state_backend_checkpoint(weir_state_backend *backend, int64_t id, weir_error *err)
{
    if (id <= backend->last_checkpoint) {
        return weir_fail(err, WEIR_INVALID, "checkpoint %" PRId64 " after checkpoint %" PRId64, id,
                         backend->last_checkpoint);
    }
    backend->last_checkpoint = id;
    return WEIR_OK;
}

int64_t weir_state_backend_last_checkpoint(const weir_state_backend *backend) { return backend->last_checkpoint; }

bool weir_state_backend_is_full(const weir_state_backend *backend)
{
    (void)backend;
    return false; /* without a database a checkpoint frees nothing */
}

int64_t weir_state_backend_memory(const weir_state_backend *backend) { return backend->memory_bytes; }

int64_t weir_state_backend_disk_bytes(const weir_state_backend *backend)
{
    (void)backend;
    return 0;
}

void weir_state_backend_set_time(weir_state_backend *backend, int64_t now_ms) { backend->now_ms = now_ms; }

int weir_state_backend_drop_unused(weir_state_backend *backend, weir_error *err)
{
    (void)backend;
    (void)err;
    return WEIR_OK;
}
