/* One stream of a stripe, or a part of the metadata, as the bytes it holds when decompressed.
 *
 * With compression a stream is a row of chunks:
 *
 *   | length * 2 + is_original: 3, little-endian | length bytes, compressed unless is_original |
 *
 * A stream keeps a window of the stored bytes and one decompressed chunk, so that its memory does not grow with it. */
#ifndef WEIR_FORMAT_ORC_STREAM_H
#define WEIR_FORMAT_ORC_STREAM_H

#include "format/orc/source.h"

typedef struct weir_orc_stream {
    const weir_orc_source *source;
    const char *owner; /* of messages: the column, or the part of the metadata */
    const char *kind;  /* … and the stream */
    uint64_t offset;   /* in the file, of the first stored byte that is not in the window */
    uint64_t left;     /* stored bytes from there on */
    weir_buffer window;
    size_t window_next; /* of the window, what is not used yet */
    weir_buffer chunk;
    const uint8_t *next; /* decompressed bytes */
    const uint8_t *end;
    int64_t taken_bytes; /* from the budget */
} weir_orc_stream;

/* Begins to read `size` stored bytes at `offset`; size 0 is a stream without bytes. `stream` is zeroed or was opened
 * before. The texts are borrowed. */
void weir_orc_stream_open(weir_orc_stream *stream, const weir_orc_source *source, uint64_t offset, uint64_t size,
                          const char *owner, const char *kind);
void weir_orc_stream_close(weir_orc_stream *stream); /* also of a zeroed one */

/* WEIR_CORRUPT with the file, the column and the stream. */
int weir_orc_stream_corrupt(const weir_orc_stream *stream, const char *what, weir_error *err);

/* Gives 1 to `most` bytes that come next, as many as are there at once; valid until the next call. No more bytes are
 * WEIR_CORRUPT. */
int weir_orc_stream_some(weir_orc_stream *stream, size_t most, weir_slice *out, weir_error *err);
/* Exactly `size` bytes. */
int weir_orc_stream_read(weir_orc_stream *stream, void *out, size_t size, weir_error *err);
int weir_orc_stream_byte_slow(weir_orc_stream *stream, uint8_t *out, weir_error *err);
/* An unsigned number, seven bits a byte, the lowest first. */
int weir_orc_stream_varint(weir_orc_stream *stream, uint64_t *out, weir_error *err);

/* Appends all bytes that are left; more than `limit` are WEIR_CORRUPT. */
int weir_orc_stream_read_all(weir_orc_stream *stream, size_t limit, weir_buffer *out, weir_error *err);

static inline int weir_orc_stream_byte(weir_orc_stream *stream, uint8_t *out, weir_error *err)
{
    if (stream->next < stream->end) {
        *out = *stream->next++;
        return WEIR_OK;
    }
    return weir_orc_stream_byte_slow(stream, out, err);
}

#endif
