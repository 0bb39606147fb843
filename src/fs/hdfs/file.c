/* Reading files. Bytes come from data nodes; which one has them is asked of the name node once a block.
 *
 * A data node gives any part of a file that it is asked for, so that its address serves for all reads of a block; when
 * it fails, the name node names another. Ranges that lie close together are read by one request, large ones by several,
 * and requests run side by side. Who reads one part after the other gets the next one in advance. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "fs/hdfs/webhdfs.h"

/* Ranges this close to each other are read by one request, which takes as long as some 100 KB on their way. */
#define LARGEST_GAP ((uint64_t)64 << 10)

/* Most bytes of several ranges in one request, and of one range in one request. */
#define LARGEST_SPAN  ((size_t)1 << 20)
#define LARGEST_PIECE ((size_t)16 << 20)

#define MOST_ABREAST 16

/* Of files that are read whole, which are metadata. */
#define LARGEST_WHOLE_FILE ((size_t)1 << 31)

/* How often data nodes are tried that refuse; those that do not answer are waited for (weir_hdfs_wait). */
#define MOST_TRIES 5

/* Sizes of reads that are made in advance. */
#define SMALLEST_AHEAD ((size_t)64 << 10)
#define LARGEST_AHEAD  ((size_t)4 << 20)

/* HDFS's own default, should the name node tell nonsense. */
#define DEFAULT_BLOCK  ((uint64_t)128 << 20)
#define SMALLEST_BLOCK ((uint64_t)64 << 10)

/* One request: a part of the file to contiguous memory. What it points to stays where it is until it has ended. */
typedef struct file_piece {
    uint64_t offset;
    size_t size;
    uint8_t *data;
    uint8_t *owned; /* `data`, when it is to be copied to the ranges */
    const weir_read_range *ranges;
    size_t range_count;
    char *url;
    weir_http_request request;
    weir_http_transfer *transfer; /* NULL: not running */
} file_piece;

typedef struct hdfs_file {
    weir_file file;
    weir_hdfs *fs;
    uint64_t block_size;
    pthread_mutex_t mutex; /* of all below */
    char **locations;      /* by block; NULL: not known */
    size_t block_count;
    uint64_t expected; /* where the last read ended */
    file_piece *ahead; /* NULL: none */
} hdfs_file;

/* ---- where ---- */

static int locate(const hdfs_file *self, uint64_t offset, const char *excluded, char **out, weir_error *err)
{
    char parameters[48];
    snprintf(parameters, sizeof parameters, "offset=%" PRIu64, offset);
    weir_hdfs_call call = {"GET", "OPEN", self->file.path, parameters, false};
    return weir_hdfs_locate(self->fs, &call, excluded, out, err);
}

/* Puts offset and length in the place of those that the URL has. */
static char *url_of_part(const char *location, uint64_t offset, size_t size)
{
    weir_buffer url = {0};
    size_t query = strcspn(location, "?");
    weir_buffer_append(&url, location, query);
    char separator = '?';
    for (const char *at = location + query; *at;) {
        at++;
        size_t length = strcspn(at, "&");
        if (length > 0 && strncmp(at, "offset=", 7) != 0 && strncmp(at, "length=", 7) != 0) {
            weir_buffer_append_format(&url, "%c%.*s", separator, (int)length, at);
            separator = '&';
        }
        at += length;
    }
    weir_buffer_append_format(&url, "%coffset=%" PRIu64 "&length=%zu", separator, offset, size);
    char *text = weir_strdup(weir_buffer_text(&url));
    weir_buffer_free(&url);
    return text;
}

/* The URL for a part at the data node of its block, which is asked for when it is not known. */
static int find_url(hdfs_file *self, uint64_t offset, size_t size, char **out, weir_error *err)
{
    size_t block = (size_t)(offset / self->block_size);
    pthread_mutex_lock(&self->mutex);
    const char *known = self->locations[block];
    *out = known != NULL ? url_of_part(known, offset, size) : NULL;
    pthread_mutex_unlock(&self->mutex);
    if (*out != NULL) {
        return WEIR_OK;
    }
    char *location;
    WEIR_TRY(locate(self, offset, NULL, &location, err));
    *out = url_of_part(location, offset, size);
    pthread_mutex_lock(&self->mutex);
    free(self->locations[block]);
    self->locations[block] = location;
    pthread_mutex_unlock(&self->mutex);
    return WEIR_OK;
}

/* Another data node than that of `url`. */
static int find_other_url(hdfs_file *self, uint64_t offset, size_t size, char **url, weir_error *err)
{
    size_t block = (size_t)(offset / self->block_size);
    char *failed = weir_hdfs_host_of(*url);
    char *location;
    int code = locate(self, offset, failed, &location, err);
    free(failed);
    if (code != WEIR_OK) {
        return code;
    }
    free(*url);
    *url = url_of_part(location, offset, size);
    pthread_mutex_lock(&self->mutex);
    free(self->locations[block]);
    self->locations[block] = location;
    pthread_mutex_unlock(&self->mutex);
    return WEIR_OK;
}

/* ---- pieces ---- */

static int start_piece(hdfs_file *self, file_piece *piece, weir_error *err)
{
    if (piece->url == NULL) {
        WEIR_TRY(find_url(self, piece->offset, piece->size, &piece->url, err));
    }
    piece->request = (weir_http_request){
        .method = "GET",
        .url = piece->url,
        .subject = self->file.path,
        .into = piece->data,
        .into_size = piece->size,
        .is_idempotent = true,
        .attempts = 2,
    };
    return weir_http_start(&piece->request, &piece->transfer, err);
}

static int cut_off(const hdfs_file *self, uint64_t at, weir_error *err)
{
    return weir_fail(err, WEIR_CORRUPT,
                     "%s: the file ends at %" PRIu64 ", but had %" PRIu64
                     " bytes when it was opened; something cuts it off while it is in use",
                     self->file.path, at, self->file.size);
}

/* What may come of asking again. */
typedef enum retry_kind {
    RETRY_NEVER, /* the answer counts */
    RETRY_OTHER, /* another data node may do better */
    RETRY_LATER  /* this one, or another, when it is back */
} retry_kind;

static retry_kind retry_of(int code, weir_hdfs_refusal refusal)
{
    return code != WEIR_IO ? RETRY_NEVER : refusal == WEIR_HDFS_LATER ? RETRY_LATER : RETRY_OTHER;
}

/* Whether to ask again, what began at `started_ns`; after a pause where that helps. */
static bool asks_again(weir_hdfs *fs, retry_kind kind, int64_t started_ns, int tries)
{
    return kind == RETRY_LATER ? weir_hdfs_wait(fs, started_ns, tries) : kind == RETRY_OTHER && tries < MOST_TRIES;
}

static int await_piece(hdfs_file *self, file_piece *piece, retry_kind *retry, weir_error *err)
{
    weir_http_response response = {0};
    int code = weir_http_wait(piece->transfer, &response, err);
    piece->transfer = NULL;
    *retry = retry_of(code, WEIR_HDFS_LATER);
    if (code == WEIR_OK && response.status >= 300) {
        weir_hdfs_refusal refusal;
        code = weir_hdfs_refused(self->file.path, "OPEN", &response, &refusal, err);
        *retry = code == WEIR_DENIED ? RETRY_OTHER : retry_of(code, refusal); /* a token of the URL may be too old */
    } else if (code == WEIR_OK && response.into_received < piece->size) {
        code = cut_off(self, piece->offset + response.into_received, err);
    }
    weir_http_response_free(&response);
    return code;
}

static void copy_to_ranges(const file_piece *piece)
{
    for (size_t i = 0; piece->owned != NULL && i < piece->range_count; i++) {
        const weir_read_range *range = &piece->ranges[i];
        memcpy(range->data, piece->owned + (range->offset - piece->offset), range->size);
    }
}

/* Waits for a started piece, and reads it again from other data nodes where one failed. */
static int finish_piece(hdfs_file *self, file_piece *piece, weir_error *err)
{
    weir_error reason;
    retry_kind retry;
    int64_t started_ns = weir_monotonic_ns();
    int code = await_piece(self, piece, &retry, &reason);
    for (int tries = 1; code != WEIR_OK && asks_again(self->fs, retry, started_ns, tries); tries++) {
        WEIR_TRY(find_other_url(self, piece->offset, piece->size, &piece->url, err));
        WEIR_TRY(start_piece(self, piece, err));
        code = await_piece(self, piece, &retry, &reason);
    }
    if (code == WEIR_OK) {
        copy_to_ranges(piece);
    } else if (err != NULL) {
        *err = reason;
    }
    return code;
}

static void free_piece(file_piece *piece)
{
    weir_http_cancel(piece->transfer);
    free(piece->url);
    free(piece->owned);
}

/* How many ranges from the first on go into one request; `end`: where it ends. */
static size_t count_close(const weir_read_range *ranges, size_t count, uint64_t *end)
{
    size_t close = 1;
    *end = ranges[0].offset + ranges[0].size;
    for (; close < count; close++) {
        const weir_read_range *range = &ranges[close];
        uint64_t range_end = range->offset + range->size;
        if (range->offset < *end || range->offset - *end > LARGEST_GAP || range_end - ranges[0].offset > LARGEST_SPAN) {
            break;
        }
        *end = range_end;
    }
    return close;
}

/* The requests for ranges, allocated. */
static file_piece *cut_pieces(const weir_read_range *ranges, size_t count, size_t *out_count)
{
    file_piece *pieces = NULL;
    size_t piece_count = 0, capacity = 0;
    for (size_t next = 0; next < count;) {
        uint64_t end;
        size_t close = count_close(ranges + next, count - next, &end);
        const weir_read_range *first = &ranges[next];
        uint64_t size = end - first->offset;
        for (uint64_t done = 0; done < size;) {
            size_t part = size - done < LARGEST_PIECE ? (size_t)(size - done) : LARGEST_PIECE;
            WEIR_GROW(pieces, capacity, piece_count + 1);
            pieces[piece_count++] = (file_piece){.offset = first->offset + done,
                                                 .size = part,
                                                 .ranges = first,
                                                 .range_count = close,
                                                 .owned = close > 1 ? weir_alloc(part) : NULL};
            file_piece *added = &pieces[piece_count - 1];
            added->data = added->owned != NULL ? added->owned : first->data + done;
            done += part;
        }
        next += close;
    }
    *out_count = piece_count;
    return pieces;
}

static int read_pieces(hdfs_file *self, file_piece *pieces, size_t count, weir_error *err)
{
    for (size_t started = 0, done = 0; done < count; done++) {
        for (; started < count && started - done < MOST_ABREAST; started++) {
            WEIR_TRY(start_piece(self, &pieces[started], err));
        }
        WEIR_TRY(finish_piece(self, &pieces[done], err));
    }
    return WEIR_OK;
}

/* ---- in advance ---- */

static void drop_ahead(hdfs_file *self)
{
    if (self->ahead != NULL) {
        free_piece(self->ahead);
        free(self->ahead);
        self->ahead = NULL;
    }
}

/* Takes what was read in advance, if that is what is wanted. */
static file_piece *take_ahead(hdfs_file *self, const weir_read_range *range)
{
    pthread_mutex_lock(&self->mutex);
    file_piece *ahead = self->ahead;
    bool fits = ahead != NULL && range->offset == ahead->offset && range->size <= ahead->size;
    self->ahead = fits ? NULL : ahead;
    pthread_mutex_unlock(&self->mutex);
    return fits ? ahead : NULL;
}

/* After a read that went on where the one before ended: starts the next one of that size. That it fails is seen by
 * whoever wants those bytes. */
static void start_ahead(hdfs_file *self, const weir_read_range *range)
{
    uint64_t next = range->offset + range->size;
    pthread_mutex_lock(&self->mutex);
    bool goes_on = range->offset == self->expected && self->ahead == NULL;
    self->expected = next;
    pthread_mutex_unlock(&self->mutex);
    uint64_t left = self->file.size - next;
    size_t size = range->size < left ? range->size : (size_t)left;
    if (!goes_on || range->size < SMALLEST_AHEAD || range->size > LARGEST_AHEAD || size == 0) {
        return;
    }
    file_piece *ahead = weir_alloc_zeroed(1, sizeof *ahead);
    *ahead = (file_piece){.offset = next, .size = size, .owned = weir_alloc(size)};
    ahead->data = ahead->owned;
    if (start_piece(self, ahead, NULL) != WEIR_OK) {
        free_piece(ahead);
        free(ahead);
        return;
    }
    pthread_mutex_lock(&self->mutex);
    drop_ahead(self); /* of another thread, meanwhile */
    self->ahead = ahead;
    pthread_mutex_unlock(&self->mutex);
}

/* ---- the file ---- */

static int read_several(hdfs_file *self, const weir_read_range *ranges, size_t count, weir_error *err)
{
    size_t piece_count;
    file_piece *pieces = cut_pieces(ranges, count, &piece_count);
    int code = read_pieces(self, pieces, piece_count, err);
    for (size_t i = 0; i < piece_count; i++) {
        free_piece(&pieces[i]);
    }
    free(pieces);
    return code;
}

static int read_one(hdfs_file *self, const weir_read_range *range, weir_error *err)
{
    file_piece *ahead = take_ahead(self, range);
    int code;
    if (ahead == NULL) {
        code = read_several(self, range, 1, err);
    } else {
        ahead->ranges = range;
        ahead->range_count = 1;
        code = finish_piece(self, ahead, err);
        free_piece(ahead);
        free(ahead);
    }
    if (code == WEIR_OK) {
        start_ahead(self, range);
    }
    return code;
}

static int read_many(weir_file *file, const weir_read_range *ranges, size_t count, weir_error *err)
{
    hdfs_file *self = (hdfs_file *)file;
    return count == 1 && ranges[0].size > 0 ? read_one(self, ranges, err) : read_several(self, ranges, count, err);
}

static void close_file(weir_file *file)
{
    hdfs_file *self = (hdfs_file *)file;
    drop_ahead(self);
    for (size_t i = 0; i < self->block_count; i++) {
        free(self->locations[i]);
    }
    free(self->locations);
    pthread_mutex_destroy(&self->mutex);
    free(file->path);
    free(self);
}

weir_file *weir_hdfs_open_file(weir_hdfs *fs, const char *path, uint64_t size, uint64_t block_size)
{
    static const weir_file_ops ops = {.read_many = read_many, .close = close_file};
    hdfs_file *self = weir_alloc_zeroed(1, sizeof *self);
    self->file = (weir_file){&ops, weir_strdup(path), size};
    self->fs = fs;
    self->block_size = block_size >= SMALLEST_BLOCK ? block_size : DEFAULT_BLOCK;
    self->block_count = (size_t)(size / self->block_size) + 1;
    self->locations = weir_alloc_zeroed(self->block_count, sizeof *self->locations);
    pthread_mutex_init(&self->mutex, NULL);
    return &self->file;
}

/* ---- whole files ---- */

static int read_whole(const char *path, const char *url, weir_buffer *out, retry_kind *retry, weir_error *err)
{
    weir_http_request request = {
        .method = "GET",
        .url = url,
        .subject = path,
        .largest_body = LARGEST_WHOLE_FILE,
        .is_idempotent = true,
        .attempts = 2,
    };
    weir_http_response response = {0};
    int code = weir_http_run(&request, &response, err);
    *retry = retry_of(code, WEIR_HDFS_LATER);
    if (code == WEIR_OK && response.status >= 300) {
        weir_hdfs_refusal refusal;
        code = weir_hdfs_refused(path, "OPEN", &response, &refusal, err);
        *retry = retry_of(code, refusal);
    } else if (code == WEIR_OK) {
        weir_buffer_append(out, response.body.data, response.body.size);
    }
    weir_http_response_free(&response);
    return code;
}

/* The size need not be known before: two requests instead of three. */
int weir_hdfs_read_all(weir_hdfs *self, const char *path, weir_buffer *out, weir_error *err)
{
    weir_hdfs_call call = {"GET", "OPEN", path, NULL, false};
    char *failed = NULL;
    int code = WEIR_OK;
    int64_t started_ns = weir_monotonic_ns();
    retry_kind retry = RETRY_OTHER;
    for (int tries = 0; tries == 0 || asks_again(self, retry, started_ns, tries); tries++) {
        char *url = NULL;
        WEIR_GO(weir_hdfs_locate(self, &call, failed, &url, err));
        code = read_whole(path, url, out, &retry, err);
        free(failed);
        failed = weir_hdfs_host_of(url);
        free(url);
    }
done:
    free(failed);
    return code;
}
