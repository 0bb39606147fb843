/* Files that are objects: ranges by GET.
 *
 * Ranges that lie close together become one request, and large ones several, which run side by side: a request costs a
 * round trip, and one connection gives a part of what the network could. */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/text.h"
#include "fs/read_ahead.h"
#include "fs/s3/call.h"

#define LARGEST_GAP   ((uint64_t)256 << 10) /* read along rather than asked for apart */
#define LARGEST_PIECE ((size_t)8 << 20)     /* of one request */
#define MOST_ABREAST  16                    /* requests of one reader */
#define SMALL_FILE    ((size_t)8 << 20)     /* read whole at once, without asking for the size */

#define LARGEST_WHOLE_FILE ((uint64_t)1 << 31)

typedef struct s3_file {
    weir_file file;
    weir_s3 *s3;
    weir_read_ahead *ahead;
} s3_file;

/* One request. Its bytes go where they are wanted, or, where several ranges share it, into memory of its own first. */
typedef struct read_piece {
    uint64_t offset;
    size_t size;
    uint8_t *into;
    uint8_t *own; /* NULL: `into` is the caller's */
    char range[64];
    weir_s3_pending *pending;
} read_piece;

typedef struct read_plan {
    read_piece *pieces;
    size_t count;
    size_t capacity;
    size_t *piece_of; /* of each range the first piece */
} read_plan;

/* ---- which requests ---- */

static int compare_ranges(const void *a, const void *b)
{
    const weir_read_range *first = a, *second = b;
    return (first->offset > second->offset) - (first->offset < second->offset);
}

static void set_piece(read_piece *piece, uint64_t offset, size_t size, uint8_t *into)
{
    *piece = (read_piece){.offset = offset, .size = size, .into = into};
    snprintf(piece->range, sizeof piece->range, "bytes=%" PRIu64 "-%" PRIu64, offset, offset + size - 1);
}

static void add_piece(read_plan *plan, uint64_t offset, size_t size, uint8_t *into)
{
    WEIR_GROW(plan->pieces, plan->capacity, plan->count + 1);
    set_piece(&plan->pieces[plan->count++], offset, size, into);
}

/* A range alone, in as many pieces as it is large. */
static void add_range(read_plan *plan, const weir_read_range *range)
{
    for (size_t done = 0; done < range->size; done += LARGEST_PIECE) {
        size_t left = range->size - done;
        add_piece(plan, range->offset + done, left < LARGEST_PIECE ? left : LARGEST_PIECE, range->data + done);
    }
}

static bool joins(const weir_read_range *range, uint64_t start, uint64_t end)
{
    uint64_t range_end = range->offset + range->size;
    return range->offset <= end + LARGEST_GAP && (range_end <= end || range_end - start <= LARGEST_PIECE);
}

/* `ranges` in order of their offsets, none of them empty. */
static int plan_reads(const weir_read_range *ranges, size_t count, read_plan *plan, weir_error *err)
{
    for (size_t i = 0; i < count;) {
        uint64_t end = ranges[i].offset + ranges[i].size;
        size_t next = i + 1;
        while (next < count && joins(&ranges[next], ranges[i].offset, end)) {
            uint64_t range_end = ranges[next].offset + ranges[next].size;
            end = range_end > end ? range_end : end;
            next++;
        }
        for (size_t j = i; j < next; j++) {
            plan->piece_of[j] = plan->count;
        }
        if (next == i + 1) {
            add_range(plan, &ranges[i]);
        } else {
            void *own;
            size_t size = (size_t)(end - ranges[i].offset);
            WEIR_TRY(weir_alloc_checked(size, 1, &own, err));
            add_piece(plan, ranges[i].offset, size, own);
            plan->pieces[plan->count - 1].own = own;
        }
        i = next;
    }
    return WEIR_OK;
}

/* Hands out what came in pieces of their own. */
static void scatter(const read_plan *plan, const weir_read_range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const read_piece *piece = &plan->pieces[plan->piece_of[i]];
        if (piece->own != NULL) {
            memcpy(ranges[i].data, piece->own + (ranges[i].offset - piece->offset), ranges[i].size);
        }
    }
}

/* ---- requests ---- */

static int start_piece(s3_file *file, read_piece *piece, weir_error *err)
{
    weir_s3_call call = {.method = "GET",
                         .path = file->file.path,
                         .headers = {{"range", piece->range}},
                         .into = piece->into,
                         .into_size = piece->size};
    return weir_s3_start(file->s3, &call, &piece->pending, err);
}

/* What a part of a file says of itself: "bytes 10-19/1234" is 10 and 1234; the size is 0 when it is not said. False: it
 * says nothing. */
static bool read_content_range(const weir_http_response *response, uint64_t *out_offset, uint64_t *out_size)
{
    char text[96];
    *out_size = 0;
    return weir_http_response_header(response, "content-range", text, sizeof text) &&
           sscanf(text, "bytes %" SCNu64 "-%*u/%" SCNu64, out_offset, out_size) >= 1;
}

static int check_piece(const s3_file *file, const read_piece *piece, const weir_http_response *response,
                       weir_error *err)
{
    const char *path = file->file.path;
    if (response->status == 416) {
        return weir_fail(err, WEIR_CORRUPT,
                         "%s: there are no %zu bytes at %" PRIu64 "; the file is shorter than what points to it says",
                         path, piece->size, piece->offset);
    }
    WEIR_TRY(weir_s3_check(file->s3, response, path, false, err));
    if (response->status != 206 && piece->offset > 0) {
        return weir_fail(err, WEIR_IO, "%s: the server gives whole files only, not ranges", path);
    }
    uint64_t offset, size;
    if (response->status == 206 && read_content_range(response, &offset, &size) && offset != piece->offset) {
        return weir_fail(err, WEIR_IO, "%s: bytes at %" PRIu64 " were asked for, those at %" PRIu64 " came", path,
                         piece->offset, offset);
    }
    if (response->into_received != piece->size) {
        return weir_fail(err, WEIR_CORRUPT, "%s: %zu bytes at %" PRIu64 " were asked for, %zu came", path, piece->size,
                         piece->offset, response->into_received);
    }
    return WEIR_OK;
}

static int wait_piece(s3_file *file, read_piece *piece, weir_error *err)
{
    weir_http_response response = {0};
    int code = weir_s3_wait(piece->pending, &response, err);
    piece->pending = NULL;
    if (code == WEIR_OK) {
        code = check_piece(file, piece, &response, err);
    }
    weir_http_response_free(&response);
    return code;
}

static int run_plan(s3_file *file, read_plan *plan, weir_error *err)
{
    size_t started = 0;
    for (size_t i = 0; i < plan->count; i++) {
        for (; started < plan->count && started < i + MOST_ABREAST; started++) {
            WEIR_TRY(start_piece(file, &plan->pieces[started], err));
        }
        WEIR_TRY(wait_piece(file, &plan->pieces[i], err));
    }
    return WEIR_OK;
}

static void free_plan(read_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        weir_s3_cancel(plan->pieces[i].pending);
        free(plan->pieces[i].own);
    }
    free(plan->piece_of);
    free(plan->pieces);
}

/* ---- reading ahead ---- */

static int start_ahead(void *context, uint64_t offset, size_t size, uint8_t *into, void **out_pending, weir_error *err)
{
    read_piece *piece = weir_alloc_zeroed(1, sizeof *piece);
    set_piece(piece, offset, size, into);
    int code = start_piece(context, piece, err);
    if (code != WEIR_OK) {
        free(piece);
        return code;
    }
    *out_pending = piece;
    return WEIR_OK;
}

static int wait_ahead(void *context, void *pending, weir_error *err)
{
    int code = wait_piece(context, pending, err);
    free(pending);
    return code;
}

static void cancel_ahead(void *context, void *pending)
{
    (void)context;
    weir_s3_cancel(((read_piece *)pending)->pending);
    free(pending);
}

static const weir_read_ahead_ops ahead_ops = {.start = start_ahead, .wait = wait_ahead, .cancel = cancel_ahead};

static void expect(weir_file *base, uint64_t offset, uint64_t size)
{
    weir_read_ahead_expect(((s3_file *)base)->ahead, offset, size);
}

/* ---- files ---- */

static int read_many(weir_file *base, const weir_read_range *ranges, size_t count, weir_error *err)
{
    s3_file *file = (s3_file *)base;
    if (count == 1 && ranges[0].size > 0 && ranges[0].size <= LARGEST_PIECE) {
        return weir_read_ahead_read(file->ahead, &ranges[0], err);
    }
    read_plan plan = {0};
    size_t kept = 0;
    weir_read_range *sorted = weir_alloc(count * sizeof *sorted);
    for (size_t i = 0; i < count; i++) {
        if (ranges[i].size > 0) {
            sorted[kept++] = ranges[i];
        }
    }
    plan.piece_of = weir_alloc(kept * sizeof *plan.piece_of);
    qsort(sorted, kept, sizeof *sorted, compare_ranges);
    int code = plan_reads(sorted, kept, &plan, err);
    if (code == WEIR_OK) {
        code = run_plan(file, &plan, err);
    }
    if (code == WEIR_OK) {
        scatter(&plan, sorted, kept);
    }
    free_plan(&plan);
    free(sorted);
    return code;
}

static void close_file(weir_file *base)
{
    s3_file *file = (s3_file *)base;
    weir_read_ahead_free(file->ahead);
    free(file->file.path);
    free(file);
}

static const weir_file_ops file_ops = {.read_many = read_many, .close = close_file, .expect = expect};

int weir_s3_open_sized(weir_fs *fs, const char *path, uint64_t size, weir_file **out, weir_error *err)
{
    (void)err;
    s3_file *file = weir_alloc_zeroed(1, sizeof *file);
    file->s3 = (weir_s3 *)fs;
    file->file = (weir_file){&file_ops, weir_strdup(path), size};
    file->ahead = weir_read_ahead_create(&ahead_ops, file, size);
    *out = &file->file;
    return WEIR_OK;
}

int weir_s3_open_file(weir_fs *fs, const char *path, weir_file **out, weir_error *err)
{
    weir_file_info info;
    WEIR_TRY(weir_s3_stat(fs, path, &info, err));
    if (info.is_directory) {
        return weir_fail(err, WEIR_INVALID, "%s: is a folder, not a file", path);
    }
    return weir_s3_open_sized(fs, path, info.size_bytes, out, err);
}


/* One request for what is small, as metadata are; the rest of a larger file follows in parallel. An empty file has no
 * first byte to ask for: 416. */
int weir_s3_read_all(weir_fs *fs, const char *path, weir_buffer *out, weir_error *err)
{
    weir_s3 *s3 = (weir_s3 *)fs;
    char range[48];
    snprintf(range, sizeof range, "bytes=0-%zu", SMALL_FILE - 1);
    weir_s3_call call = {.method = "GET", .path = path, .headers = {{"range", range}}};
    weir_http_response response = {0};
    weir_file *file = NULL;
    int code = WEIR_OK;
    WEIR_GO(weir_s3_run(s3, &call, &response, err));
    if (response.status == 416) {
        goto done;
    }
    WEIR_GO(weir_s3_check(s3, &response, path, false, err));
    size_t first = response.body.size;
    uint64_t offset = 0, size = first;
    if (response.status == 206 && (!read_content_range(&response, &offset, &size) || offset != 0 || size < first)) {
        WEIR_GO(weir_fail(err, WEIR_IO, "%s: the server gives a part without saying of what", path));
    }
    if (size > LARGEST_WHOLE_FILE) {
        WEIR_GO(weir_fail(err, WEIR_UNSUPPORTED, "%s: %" PRIu64 " bytes are too many for a metadata file", path, size));
    }
    weir_buffer_reserve(out, (size_t)size);
    if (size > first) {
        WEIR_GO(weir_s3_open_sized(fs, path, size, &file, err));
        WEIR_GO(weir_file_read_at(file, first, out->data + out->size + first, (size_t)size - first, err));
    }
    memcpy(out->data + out->size, response.body.data, first);
    out->size += (size_t)size;
done:
    weir_file_close(file);
    weir_http_response_free(&response);
    return code;
}
