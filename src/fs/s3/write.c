/* New files: one PUT for a small one; for a large one parts that are sent while the next is written.
 *
 * Memory: the part that is being filled, and MOST_PARTS that are on their way; what all outputs of the process have on
 * their way is bounded as well, but for one part each. A file appears when it is finished; parts that a crash leaves
 * behind are not seen, and stores remove them by a rule of the bucket (AbortIncompleteMultipartUpload). */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "fs/cache.h"
#include "fs/s3/call.h"
#include "fs/s3/xml.h"

#define FIRST_PART_BYTES ((size_t)8 << 20)
#define LARGER_AFTER     1000 /* parts; so that 10 000, the most there may be, suffice for the largest file */
#define MOST_PARTS       4
#define MOST_ABROAD      ((size_t)128 << 20) /* bytes of all outputs */

typedef struct s3_part {
    weir_buffer bytes;
    weir_s3_pending *pending;
    int number;
    char number_text[16];
} s3_part;

typedef struct s3_output {
    weir_output output;
    weir_s3 *s3;
    weir_buffer current;
    char *upload_id; /* NULL: not begun, the file may still be a small one */
    s3_part parts[MOST_PARTS]; /* on their way: a ring */
    int first_part;
    int part_count;
    int next_number;
    char **etags; /* of part 1, 2, … */
    size_t etag_capacity;
} s3_output;

static pthread_mutex_t abroad_mutex = PTHREAD_MUTEX_INITIALIZER;
static size_t abroad; /* bytes of parts on their way */

/* ---- parts ---- */

static size_t part_bytes(const s3_output *output)
{
    return FIRST_PART_BYTES << (output->next_number / LARGER_AFTER);
}

static void take_upload_id(void *context, const char *path, weir_slice text)
{
    s3_output *output = context;
    if (strcmp(path, "InitiateMultipartUploadResult/UploadId") == 0) {
        free(output->upload_id);
        output->upload_id = weir_strndup((const char *)text.data, text.size);
    }
}

static int begin_upload(s3_output *output, weir_error *err)
{
    const char *path = output->output.path;
    weir_s3_call call = {.method = "POST", .path = path, .parameters = {{"uploads", ""}}};
    weir_http_response response = {0};
    int code = WEIR_OK;
    WEIR_GO(weir_s3_run(output->s3, &call, &response, err));
    WEIR_GO(weir_s3_check(output->s3, &response, path, false, err));
    WEIR_GO(weir_xml_read(weir_buffer_slice(&response.body), take_upload_id, NULL, output, err));
    if (output->upload_id == NULL) {
        WEIR_GO(weir_fail(err, WEIR_IO, "%s: the server began an upload without telling its name", path));
    }
    output->next_number = 1;
done:
    weir_http_response_free(&response);
    return code;
}

static void count_abroad(size_t added, size_t removed)
{
    pthread_mutex_lock(&abroad_mutex);
    abroad = abroad + added - removed;
    pthread_mutex_unlock(&abroad_mutex);
}

static bool is_much_abroad(size_t size)
{
    pthread_mutex_lock(&abroad_mutex);
    bool is_much = abroad + size > MOST_ABROAD;
    pthread_mutex_unlock(&abroad_mutex);
    return is_much;
}

static void free_part(s3_part *part)
{
    count_abroad(0, part->bytes.size);
    weir_buffer_free(&part->bytes);
}

/* Waits for the oldest part. */
static int land_part(s3_output *output, weir_error *err)
{
    s3_part *part = &output->parts[output->first_part];
    weir_http_response response = {0};
    char etag[256];
    output->first_part = (output->first_part + 1) % MOST_PARTS;
    output->part_count--;
    int code = weir_s3_wait(part->pending, &response, err);
    if (code == WEIR_OK) {
        code = weir_s3_check(output->s3, &response, output->output.path, false, err);
    }
    if (code == WEIR_OK && !weir_http_response_header(&response, "etag", etag, sizeof etag)) {
        code = weir_fail(err, WEIR_IO, "%s: the server took part %d without an ETag", output->output.path, part->number);
    }
    if (code == WEIR_OK) {
        output->etags[part->number - 1] = weir_strdup(etag);
    }
    weir_http_response_free(&response);
    free_part(part);
    return code;
}

/* Sends the current bytes as the next part. */
static int send_part(s3_output *output, weir_error *err)
{
    if (output->upload_id == NULL) {
        WEIR_TRY(begin_upload(output, err));
    }
    while (output->part_count == MOST_PARTS ||
           (output->part_count > 0 && is_much_abroad(output->current.size))) {
        WEIR_TRY(land_part(output, err));
    }
    s3_part *part = &output->parts[(output->first_part + output->part_count) % MOST_PARTS];
    *part = (s3_part){.bytes = output->current, .number = output->next_number++};
    output->current = (weir_buffer){0};
    snprintf(part->number_text, sizeof part->number_text, "%d", part->number);
    WEIR_GROW(output->etags, output->etag_capacity, part->number);
    output->etags[part->number - 1] = NULL;
    count_abroad(part->bytes.size, 0);
    weir_s3_call call = {.method = "PUT",
                         .path = output->output.path,
                         .parameters = {{"partNumber", part->number_text}, {"uploadId", output->upload_id}},
                         .body = weir_buffer_slice(&part->bytes)};
    int code = weir_s3_start(output->s3, &call, &part->pending, err);
    if (code != WEIR_OK) {
        free_part(part);
        return code;
    }
    output->part_count++;
    return WEIR_OK;
}

static int write_bytes(weir_output *base, const void *data, size_t size, weir_error *err)
{
    s3_output *output = (s3_output *)base;
    const uint8_t *at = data;
    while (size > 0) {
        size_t room = part_bytes(output) - output->current.size;
        size_t taken = size < room ? size : room;
        weir_buffer_append(&output->current, at, taken);
        at += taken;
        size -= taken;
        if (output->current.size == part_bytes(output)) {
            WEIR_TRY(send_part(output, err));
        }
    }
    return WEIR_OK;
}

/* ---- the end ---- */

static void append_completion(const s3_output *output, weir_buffer *out)
{
    weir_buffer_append_text(out, "<CompleteMultipartUpload>");
    for (int i = 0; i + 1 < output->next_number; i++) {
        weir_buffer_append_format(out, "<Part><PartNumber>%d</PartNumber><ETag>", i + 1);
        weir_xml_append_escaped(output->etags[i], out);
        weir_buffer_append_text(out, "</ETag></Part>");
    }
    weir_buffer_append_text(out, "</CompleteMultipartUpload>");
}

/* An upload that is gone when its completion is repeated was completed the first time: then the file is there. */
static int check_completed(s3_output *output, weir_error *err)
{
    weir_file_info info;
    weir_error reason;
    int code = weir_s3_stat(&output->s3->fs, output->output.path, &info, &reason);
    return code == WEIR_OK && info.size_bytes == output->output.size
               ? WEIR_OK
               : weir_fail(err, WEIR_IO, "%s: the server lost the parts of the file", output->output.path);
}

static int complete(s3_output *output, weir_error *err)
{
    weir_buffer body = {0};
    weir_http_response response = {0};
    int code = WEIR_OK;
    if (output->current.size > 0) {
        WEIR_GO(send_part(output, err));
    }
    while (output->part_count > 0) {
        WEIR_GO(land_part(output, err));
    }
    append_completion(output, &body);
    weir_s3_call call = {.method = "POST",
                         .path = output->output.path,
                         .parameters = {{"uploadId", output->upload_id}},
                         .body = weir_buffer_slice(&body)};
    WEIR_GO(weir_s3_run(output->s3, &call, &response, err));
    WEIR_GO(weir_s3_settle(output->s3, &call, &response, err));
    if (response.status == 404 && response.is_repeated) {
        WEIR_GO(check_completed(output, err));
    } else {
        WEIR_GO(weir_s3_check(output->s3, &response, output->output.path, true, err));
    }
done:
    weir_buffer_free(&body);
    weir_http_response_free(&response);
    return code;
}

static int put_whole(s3_output *output, weir_error *err)
{
    weir_s3_call call = {
        .method = "PUT", .path = output->output.path, .body = weir_buffer_slice(&output->current)};
    WEIR_TRY(weir_s3_do(output->s3, &call, err));
    weir_fs_cache_put(output->s3->fs.cache, output->output.path, call.body); /* it may be a manifest */
    return WEIR_OK;
}

static void free_output(s3_output *output)
{
    for (; output->part_count > 0; output->part_count--) {
        s3_part *part = &output->parts[output->first_part];
        weir_s3_cancel(part->pending);
        free_part(part);
        output->first_part = (output->first_part + 1) % MOST_PARTS;
    }
    for (int i = 0; i + 1 < output->next_number; i++) {
        free(output->etags[i]);
    }
    free(output->etags);
    free(output->upload_id);
    weir_buffer_free(&output->current);
    free(output->output.path);
    free(output);
}

static void abort_upload(s3_output *output)
{
    weir_s3_call call = {
        .method = "DELETE", .path = output->output.path, .parameters = {{"uploadId", output->upload_id}}, .attempts = 3};
    for (; output->part_count > 0; output->part_count--) { /* a part that arrives later would stay */
        s3_part *part = &output->parts[output->first_part];
        weir_s3_cancel(part->pending);
        free_part(part);
        output->first_part = (output->first_part + 1) % MOST_PARTS;
    }
    (void)weir_s3_do(output->s3, &call, NULL);
}

static void abandon(weir_output *base)
{
    s3_output *output = (s3_output *)base;
    if (output->upload_id != NULL) {
        abort_upload(output);
    }
    free_output(output);
}

/* What the store has answered for is durable: `sync` or not. */
static int finish(weir_output *base, bool sync, weir_error *err)
{
    (void)sync;
    s3_output *output = (s3_output *)base;
    int code = output->upload_id == NULL ? put_whole(output, err) : complete(output, err);
    if (code != WEIR_OK) {
        abandon(base);
        return code;
    }
    free_output(output);
    return WEIR_OK;
}

static const weir_output_ops output_ops = {.write = write_bytes, .finish = finish, .abandon = abandon};

int weir_s3_create(weir_fs *fs, const char *path, weir_output **out, weir_error *err)
{
    (void)err;
    s3_output *output = weir_alloc_zeroed(1, sizeof *output);
    output->output = (weir_output){.ops = &output_ops, .path = weir_strdup(path)};
    output->s3 = (weir_s3 *)fs;
    *out = &output->output;
    return WEIR_OK;
}
