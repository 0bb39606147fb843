/* Streams of a file: what was fetched and not read yet (the current block), and what is being fetched (the next one). */
#include "fs/read_ahead.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/alloc.h"

#define MOST_STREAMS   64
#define MOST_HINTS     128
#define LARGEST_PIECE  ((size_t)2 << 20)   /* larger ones are fetched as they are */
#define FIRST_BLOCK    ((size_t)128 << 10)
#define LARGEST_BLOCK  ((size_t)4 << 20)
#define MOST_ALL_BYTES ((int64_t)96 << 20) /* in blocks of all files of the process; then pieces are fetched alone */

typedef struct block {
    uint64_t start;
    size_t size; /* 0: there is none */
    uint8_t *data;
} block;

typedef struct stream {
    uint64_t position; /* where the last piece ended */
    uint64_t end;      /* nothing is fetched from here on */
    size_t block_bytes; /* of the next block */
    uint64_t last_used;
    block current;
    block next;
    void *pending; /* of the next block; NULL: it is there, or there is none */
} stream;

typedef struct span {
    uint64_t start, end;
} span;

struct weir_read_ahead {
    const weir_read_ahead_ops *ops;
    void *context;
    uint64_t size_bytes;
    pthread_mutex_t mutex;
    uint64_t clock;
    stream streams[MOST_STREAMS];
    size_t stream_count;
    span hints[MOST_HINTS]; /* a ring */
    size_t hint_count;
};

static _Atomic int64_t all_bytes;

/* ---- blocks ---- */

static void free_block(block *freed)
{
    if (freed->size > 0) {
        atomic_fetch_sub(&all_bytes, (int64_t)freed->size);
        free(freed->data);
    }
    *freed = (block){0};
}

static bool make_block(uint64_t start, size_t size, block *out)
{
    if (atomic_fetch_add(&all_bytes, (int64_t)size) + (int64_t)size > MOST_ALL_BYTES) {
        atomic_fetch_sub(&all_bytes, (int64_t)size);
        return false;
    }
    *out = (block){start, size, weir_alloc(size)};
    return true;
}

static bool holds(const block *held, uint64_t offset)
{
    return offset >= held->start && offset < held->start + held->size;
}

static void drop_next(weir_read_ahead *ahead, stream *at)
{
    if (at->pending != NULL) {
        ahead->ops->cancel(ahead->context, at->pending);
        at->pending = NULL;
    }
    free_block(&at->next);
}

static void clear_stream(weir_read_ahead *ahead, stream *cleared)
{
    drop_next(ahead, cleared);
    free_block(&cleared->current);
    *cleared = (stream){0};
}

/* ---- streams ---- */

/* The end of what is expected to be read in order around `offset`. */
static uint64_t end_around(const weir_read_ahead *ahead, uint64_t offset)
{
    size_t count = ahead->hint_count < MOST_HINTS ? ahead->hint_count : MOST_HINTS;
    for (size_t i = 0; i < count; i++) {
        if (offset >= ahead->hints[i].start && offset < ahead->hints[i].end) {
            return ahead->hints[i].end;
        }
    }
    return ahead->size_bytes;
}

/* The stream that goes on at `offset`; NULL: none does. */
static stream *find_stream(weir_read_ahead *ahead, uint64_t offset)
{
    for (size_t i = 0; i < ahead->stream_count; i++) {
        stream *at = &ahead->streams[i];
        if (at->position == offset || holds(&at->current, offset) || holds(&at->next, offset)) {
            return at;
        }
    }
    return NULL;
}

/* A stream that may begin with a piece: in place of the one that was used longest ago, if there are too many. */
static void begin_stream(weir_read_ahead *ahead, const weir_read_range *range)
{
    stream *at = &ahead->streams[0];
    if (ahead->stream_count < MOST_STREAMS) {
        at = &ahead->streams[ahead->stream_count++];
    }
    for (size_t i = 0; i < ahead->stream_count && at->last_used > 0; i++) {
        at = ahead->streams[i].last_used < at->last_used ? &ahead->streams[i] : at;
    }
    clear_stream(ahead, at);
    at->position = range->offset + range->size;
    at->end = end_around(ahead, range->offset);
    at->block_bytes = range->size * 2 > FIRST_BLOCK ? range->size * 2 : FIRST_BLOCK;
    at->last_used = ++ahead->clock;
}

/* Begins to fetch the block from `start` on; without memory for it, or at the end, there is none. */
static int start_next(weir_read_ahead *ahead, stream *at, uint64_t start, weir_error *err)
{
    size_t size = at->block_bytes < LARGEST_BLOCK ? at->block_bytes : LARGEST_BLOCK;
    if (start >= at->end) {
        return WEIR_OK;
    }
    size = size < at->end - start ? size : (size_t)(at->end - start);
    if (!make_block(start, size, &at->next)) {
        return WEIR_OK;
    }
    int code = ahead->ops->start(ahead->context, start, size, at->next.data, &at->pending, err);
    if (code != WEIR_OK) {
        free_block(&at->next);
        return code;
    }
    at->block_bytes = size * 2;
    return WEIR_OK;
}

/* The next block becomes the current one. */
static int step(weir_read_ahead *ahead, stream *at, weir_error *err)
{
    free_block(&at->current);
    void *pending = at->pending;
    at->pending = NULL;
    int code = pending == NULL ? WEIR_OK : ahead->ops->wait(ahead->context, pending, err);
    if (code != WEIR_OK) {
        free_block(&at->next);
        return code;
    }
    at->current = at->next;
    at->next = (block){0};
    return WEIR_OK;
}

/* As much of the piece as there is or comes in blocks; *out_done bytes of it. */
static int read_blocks(weir_read_ahead *ahead, stream *at, const weir_read_range *range, size_t *out_done,
                       weir_error *err)
{
    size_t done = 0;
    while (done < range->size) {
        uint64_t offset = range->offset + done;
        if (holds(&at->current, offset)) {
            size_t from = (size_t)(offset - at->current.start);
            size_t size = at->current.size - from;
            size = size < range->size - done ? size : range->size - done;
            memcpy(range->data + done, at->current.data + from, size);
            done += size;
            continue;
        }
        if (!holds(&at->next, offset)) {
            drop_next(ahead, at);
            WEIR_TRY(start_next(ahead, at, offset, err));
        }
        if (at->next.size == 0) {
            break;
        }
        WEIR_TRY(step(ahead, at, err));
    }
    *out_done = done;
    return WEIR_OK;
}

static int read_in_stream(weir_read_ahead *ahead, stream *at, const weir_read_range *range, size_t *out_done,
                          weir_error *err)
{
    at->last_used = ++ahead->clock;
    WEIR_TRY(read_blocks(ahead, at, range, out_done, err));
    at->position = range->offset + range->size;
    bool is_late = at->current.size > 0 && at->position >= at->current.start + at->current.size / 2;
    if (is_late && at->next.size == 0) {
        WEIR_TRY(start_next(ahead, at, at->current.start + at->current.size, err));
    }
    return WEIR_OK;
}

/* ---- the interface ---- */

static int read_alone(weir_read_ahead *ahead, uint64_t offset, size_t size, uint8_t *into, weir_error *err)
{
    void *pending;
    WEIR_TRY(ahead->ops->start(ahead->context, offset, size, into, &pending, err));
    return ahead->ops->wait(ahead->context, pending, err);
}

int weir_read_ahead_read(weir_read_ahead *ahead, const weir_read_range *range, weir_error *err)
{
    size_t done = 0;
    int code = WEIR_OK;
    if (range->size > LARGEST_PIECE) {
        return read_alone(ahead, range->offset, range->size, range->data, err);
    }
    pthread_mutex_lock(&ahead->mutex);
    stream *at = find_stream(ahead, range->offset);
    if (at != NULL) {
        code = read_in_stream(ahead, at, range, &done, err);
    } else {
        begin_stream(ahead, range);
    }
    pthread_mutex_unlock(&ahead->mutex);
    if (code == WEIR_OK && done < range->size) {
        code = read_alone(ahead, range->offset + done, range->size - done, range->data + done, err);
    }
    return code;
}

void weir_read_ahead_expect(weir_read_ahead *ahead, uint64_t offset, uint64_t size)
{
    pthread_mutex_lock(&ahead->mutex);
    bool is_known = false;
    size_t count = ahead->hint_count < MOST_HINTS ? ahead->hint_count : MOST_HINTS;
    for (size_t i = 0; i < count; i++) {
        is_known |= ahead->hints[i].start == offset && ahead->hints[i].end == offset + size;
    }
    if (!is_known) {
        ahead->hints[ahead->hint_count++ % MOST_HINTS] = (span){offset, offset + size};
    }
    pthread_mutex_unlock(&ahead->mutex);
}

weir_read_ahead *weir_read_ahead_create(const weir_read_ahead_ops *ops, void *context, uint64_t size_bytes)
{
    weir_read_ahead *ahead = weir_alloc_zeroed(1, sizeof *ahead);
    ahead->ops = ops;
    ahead->context = context;
    ahead->size_bytes = size_bytes;
    pthread_mutex_init(&ahead->mutex, NULL);
    return ahead;
}

void weir_read_ahead_free(weir_read_ahead *ahead)
{
    if (ahead == NULL) {
        return;
    }
    for (size_t i = 0; i < ahead->stream_count; i++) {
        clear_stream(ahead, &ahead->streams[i]);
    }
    pthread_mutex_destroy(&ahead->mutex);
    free(ahead);
}
