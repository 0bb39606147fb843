/* Streams: chunks read through a window and decompressed one after the other. */
#include "format/orc/stream.h"

/* Stored bytes that are read at a time, when the stream has as many; a chunk may need more. */
#define WINDOW_BYTES ((size_t)256 << 10)

#define CHUNK_HEAD_BYTES 3

void weir_orc_stream_open(weir_orc_stream *stream, const weir_orc_source *source, uint64_t offset, uint64_t size,
                          const char *owner, const char *kind)
{
    stream->source = source;
    stream->owner = owner;
    stream->kind = kind;
    stream->offset = offset;
    stream->left = size;
    stream->window_next = 0;
    stream->next = stream->end = NULL;
    weir_buffer_clear(&stream->window);
}

void weir_orc_stream_close(weir_orc_stream *stream)
{
    if (stream->source != NULL) {
        weir_budget_give(stream->source->budget, stream->taken_bytes);
    }
    weir_buffer_free(&stream->window);
    weir_buffer_free(&stream->chunk);
    *stream = (weir_orc_stream){0};
}

int weir_orc_stream_corrupt(const weir_orc_stream *stream, const char *what, weir_error *err)
{
    return weir_fail(err, WEIR_CORRUPT, "%s: %s, %s: %s", stream->source->path, stream->owner, stream->kind, what);
}

/* ---- chunks ---- */

/* Makes the window hold `size` bytes that are not used yet. */
static int fill_window(weir_orc_stream *stream, size_t size, weir_error *err)
{
    size_t unused = stream->window.size - stream->window_next;
    if (unused >= size) {
        return WEIR_OK;
    }
    size_t more = size - unused;
    if (more > stream->left) {
        return weir_orc_stream_corrupt(stream, "its last chunk is cut off", err);
    }
    if (more < WINDOW_BYTES) {
        more = stream->left < WINDOW_BYTES ? (size_t)stream->left : WINDOW_BYTES;
    }
    if (unused > 0) {
        memmove(stream->window.data, stream->window.data + stream->window_next, unused);
    }
    stream->window.size = unused;
    stream->window_next = 0;
    WEIR_TRY(weir_orc_source_read(stream->source, stream->offset, more, &stream->window, err));
    stream->offset += more;
    stream->left -= more;
    return weir_orc_source_settle(stream->source, stream->window.capacity + stream->chunk.capacity,
                                  &stream->taken_bytes, err);
}

static int unpack_chunk(weir_orc_stream *stream, size_t size, weir_error *err)
{
    const weir_orc_source *source = stream->source;
    weir_slice stored = weir_slice_of(stream->window.data + stream->window_next, size);
    stream->window_next += size;
    weir_buffer_clear(&stream->chunk);
    WEIR_TRY_CTX(weir_decompress_unknown(source->codec, stored, source->block_bytes, &stream->chunk, source->path, err),
                 err, "%s, %s", stream->owner, stream->kind);
    stream->next = stream->chunk.data;
    stream->end = stream->chunk.data + stream->chunk.size;
    return weir_orc_source_settle(source, stream->window.capacity + stream->chunk.capacity, &stream->taken_bytes, err);
}

static int next_compressed_chunk(weir_orc_stream *stream, weir_error *err)
{
    WEIR_TRY(fill_window(stream, CHUNK_HEAD_BYTES, err));
    const uint8_t *head = stream->window.data + stream->window_next;
    uint32_t number = (uint32_t)head[0] | (uint32_t)head[1] << 8 | (uint32_t)head[2] << 16;
    size_t size = number >> 1;
    bool is_original = number & 1;
    if (size > stream->source->block_bytes) {
        return weir_orc_stream_corrupt(stream, "a chunk is larger than the file's compression block", err);
    }
    stream->window_next += CHUNK_HEAD_BYTES;
    WEIR_TRY(fill_window(stream, size, err));
    if (!is_original) {
        return unpack_chunk(stream, size, err);
    }
    stream->next = stream->window.data + stream->window_next;
    stream->end = stream->next + size;
    stream->window_next += size;
    return WEIR_OK;
}

/* What was read at once is the chunk where nothing is compressed. */
static int next_plain_chunk(weir_orc_stream *stream, weir_error *err)
{
    WEIR_TRY(fill_window(stream, 1, err));
    stream->next = stream->window.data + stream->window_next;
    stream->end = stream->window.data + stream->window.size;
    stream->window_next = stream->window.size;
    return WEIR_OK;
}

static bool is_at_end(const weir_orc_stream *stream)
{
    return stream->next == stream->end && stream->left == 0 && stream->window_next == stream->window.size;
}

/* Makes at least one byte be there. */
static int fill(weir_orc_stream *stream, weir_error *err)
{
    while (stream->next == stream->end) {
        if (is_at_end(stream)) {
            return weir_orc_stream_corrupt(stream, "it ends before its last value", err);
        }
        stream->next = stream->end = NULL; /* they may point into the window */
        WEIR_TRY(stream->source->codec == WEIR_COMPRESSION_NONE ? next_plain_chunk(stream, err)
                                                                : next_compressed_chunk(stream, err));
    }
    return WEIR_OK;
}

/* ---- reading ---- */

int weir_orc_stream_some(weir_orc_stream *stream, size_t most, weir_slice *out, weir_error *err)
{
    WEIR_TRY(fill(stream, err));
    size_t there = (size_t)(stream->end - stream->next);
    *out = weir_slice_of(stream->next, there < most ? there : most);
    stream->next += out->size;
    return WEIR_OK;
}

int weir_orc_stream_read(weir_orc_stream *stream, void *out, size_t size, weir_error *err)
{
    for (uint8_t *to = out; size > 0;) {
        weir_slice piece;
        WEIR_TRY(weir_orc_stream_some(stream, size, &piece, err));
        memcpy(to, piece.data, piece.size);
        to += piece.size;
        size -= piece.size;
    }
    return WEIR_OK;
}

int weir_orc_stream_byte_slow(weir_orc_stream *stream, uint8_t *out, weir_error *err)
{
    WEIR_TRY(fill(stream, err));
    *out = *stream->next++;
    return WEIR_OK;
}

int weir_orc_stream_varint(weir_orc_stream *stream, uint64_t *out, weir_error *err)
{
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        uint8_t byte;
        WEIR_TRY(weir_orc_stream_byte(stream, &byte, err));
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            *out = value;
            return WEIR_OK;
        }
    }
    return weir_orc_stream_corrupt(stream, "a number has more than 64 bits", err);
}

int weir_orc_stream_read_all(weir_orc_stream *stream, size_t limit, weir_buffer *out, weir_error *err)
{
    while (!is_at_end(stream)) {
        weir_slice piece;
        if (stream->next == stream->end && stream->source->codec != WEIR_COMPRESSION_NONE) {
            WEIR_TRY(next_compressed_chunk(stream, err)); /* may be empty */
            continue;
        }
        WEIR_TRY(weir_orc_stream_some(stream, SIZE_MAX, &piece, err));
        if (piece.size > limit - out->size) {
            return weir_orc_stream_corrupt(stream, "it is larger than anything a file needs", err);
        }
        weir_buffer_append(out, piece.data, piece.size);
    }
    return WEIR_OK;
}
