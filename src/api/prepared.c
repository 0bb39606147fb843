/* Prepared commits, also as bytes:
 *
 *   | "weirprep": 8 | version 2: 4, little-endian | the commit messages as lsm/commit_message_bytes.h has them: the rest |
 */
#include "api/prepared.h"

#include <stdlib.h>

#include "lsm/commit_message_bytes.h"

#define MAGIC       "weirprep"
#define MAGIC_SIZE  8
#define HEADER_SIZE 12
#define VERSION     2

weir_prepared *weir_prepared_new(void)
{
    weir_prepared *prepared = weir_alloc_zeroed(1, sizeof *prepared);
    weir_arena_init(&prepared->arena);
    return prepared;
}

void weir_prepared_free(weir_prepared *prepared)
{
    if (prepared != NULL) {
        weir_commit_messages_free(&prepared->messages);
        weir_arena_free(&prepared->arena);
        free(prepared);
    }
}

bool weir_prepared_is_empty(const weir_prepared *prepared)
{
    for (size_t i = 0; i < prepared->messages.count; i++) {
        if (!weir_commit_message_is_empty(&prepared->messages.items[i])) {
            return false;
        }
    }
    return true;
}

int weir_prepared_save(const weir_prepared *prepared, void **out_bytes, size_t *out_size, weir_error *err)
{
    weir_buffer bytes = {0};
    uint8_t version[4];
    (void)err;
    weir_store_le32(version, VERSION);
    weir_buffer_append_text(&bytes, MAGIC);
    weir_buffer_append(&bytes, version, sizeof version);
    weir_commit_messages_encode(&prepared->messages, &bytes);
    *out_bytes = bytes.data;
    *out_size = bytes.size;
    return WEIR_OK;
}

/* ---- from bytes ---- */

static const char source_name[] = "the bytes of a prepared commit";

static int load(weir_prepared *prepared, weir_slice bytes, weir_error *err)
{
    if (bytes.size < HEADER_SIZE || memcmp(bytes.data, MAGIC, MAGIC_SIZE) != 0) {
        return weir_fail(err, WEIR_CORRUPT, "%s: %zu bytes that do not begin with " MAGIC, source_name, bytes.size);
    }
    uint32_t version = weir_load_le32(bytes.data + MAGIC_SIZE);
    if (version != VERSION) {
        return weir_fail(err, WEIR_UNSUPPORTED, "%s: version %u; this library knows version %d", source_name, version,
                         VERSION);
    }
    weir_slice messages = weir_slice_of(bytes.data + HEADER_SIZE, bytes.size - HEADER_SIZE);
    WEIR_TRY_CTX(weir_commit_messages_decode(messages, &prepared->arena, &prepared->messages, err), err, "%s",
                 source_name);
    return WEIR_OK;
}

int weir_prepared_load(const void *bytes, size_t size, weir_prepared **out, weir_error *err)
{
    weir_prepared *prepared = weir_prepared_new();
    int code = load(prepared, weir_slice_of(bytes, size), err);
    if (code != WEIR_OK) {
        weir_prepared_free(prepared);
        return code;
    }
    *out = prepared;
    return WEIR_OK;
}
