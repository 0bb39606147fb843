/* Writing new files. A data node takes their bytes, and passes them on to the others that keep copies.
 *
 * What is small is gathered and written by one request, which is made again when it fails. What is larger is sent while
 * it is written, and cannot be sent again: a connection that breaks then is an error of the file.
 *
 * When the data node has answered, all copies are in the memory of their data nodes, as with Java; WebHDFS cannot ask
 * for more. Whoever needs files to outlive a power loss of all of them sets dfs.datanode.synconclose in the cluster. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "fs/hdfs/webhdfs.h"

#define LARGEST_GATHERED ((size_t)4 << 20)

static const weir_http_header content_type = {"Content-Type", "application/octet-stream"};

typedef struct hdfs_output {
    weir_output output;
    weir_hdfs *fs;
    weir_buffer gathered;
    char *url;
    weir_http_request request;
    weir_http_transfer *transfer; /* NULL: not running (any more) */
    bool is_sent;                 /* while it is written; otherwise all that was written is gathered */
    bool is_taken;                /* the path is another one's, whose file must stay */
} hdfs_output;

/* ---- one request ---- */

static int write_once(const char *path, const char *url, weir_slice bytes, weir_hdfs_refusal *refusal, weir_error *err)
{
    weir_http_request request = {
        .method = "PUT",
        .url = url,
        .subject = path,
        .headers = &content_type,
        .header_count = 1,
        .body = bytes,
        .attempts = 1,
    };
    weir_http_response response = {0};
    int code = weir_http_run(&request, &response, err);
    *refusal = code == WEIR_IO ? WEIR_HDFS_LATER : WEIR_HDFS_FINAL;
    if (code == WEIR_OK && response.status >= 300) {
        code = weir_hdfs_refused(path, "CREATE", &response, refusal, err);
        *refusal = response.is_repeated && code == WEIR_EXISTS ? WEIR_HDFS_LATER : *refusal;
    }
    weir_http_response_free(&response);
    return code;
}

int weir_hdfs_write_new(weir_hdfs *self, const char *path, weir_slice bytes, weir_error *err)
{
    int64_t started_ns = weir_monotonic_ns();
    char *failed = NULL;
    int code = WEIR_OK;
    for (int tries = 0;; tries++) {
        /* After a lost answer a file that is there is most likely ours. */
        weir_hdfs_call call = {"PUT", "CREATE", path, tries == 0 ? "overwrite=false" : "overwrite=true", false};
        weir_hdfs_refusal refusal;
        weir_error reason;
        char *url = NULL;
        WEIR_GO(weir_hdfs_locate(self, &call, failed, &url, err));
        code = write_once(path, url, bytes, &refusal, &reason);
        free(failed);
        failed = weir_hdfs_host_of(url);
        free(url);
        if (code == WEIR_OK || refusal == WEIR_HDFS_FINAL || !weir_hdfs_wait(self, started_ns, tries)) {
            if (code != WEIR_OK && err != NULL) {
                *err = reason;
            }
            break;
        }
    }
done:
    free(failed);
    return code;
}

/* ---- an output ---- */

/* Ends a file that is sent, and gives the data node's answer. */
static int finish_sending(hdfs_output *self, weir_error *err)
{
    weir_http_response response = {0};
    int code = weir_http_wait(self->transfer, &response, err);
    self->transfer = NULL;
    if (code == WEIR_OK && response.status >= 300) {
        weir_hdfs_refusal refusal;
        code = weir_hdfs_refused(self->output.path, "CREATE", &response, &refusal, err);
        self->is_taken = code == WEIR_EXISTS;
    }
    weir_http_response_free(&response);
    return code;
}

/* A data node that refuses may answer before it has all. */
static int send_bytes(hdfs_output *self, const void *data, size_t size, weir_error *err)
{
    if (self->transfer == NULL) {
        return weir_fail(err, WEIR_IO, "%s: CREATE: an earlier part was not written", self->output.path);
    }
    int code = weir_http_write(self->transfer, data, size, err);
    if (code != WEIR_OK) {
        weir_error reason;
        int answer = finish_sending(self, &reason);
        if (answer != WEIR_OK) {
            return weir_fail(err, reason.code, "%s", reason.message);
        }
    }
    return code;
}

static int start_sending(hdfs_output *self, weir_error *err)
{
    weir_hdfs_call call = {"PUT", "CREATE", self->output.path, "overwrite=false", false};
    WEIR_TRY(weir_hdfs_locate(self->fs, &call, NULL, &self->url, err));
    self->is_sent = true;
    self->request = (weir_http_request){
        .method = "PUT",
        .url = self->url,
        .subject = self->output.path,
        .headers = &content_type,
        .header_count = 1,
        .streams_body = true,
        .attempts = 1,
    };
    WEIR_TRY(weir_http_start(&self->request, &self->transfer, err));
    int code = send_bytes(self, self->gathered.data, self->gathered.size, err);
    weir_buffer_free(&self->gathered);
    return code;
}

static int write_bytes(weir_output *output, const void *data, size_t size, weir_error *err)
{
    hdfs_output *self = (hdfs_output *)output;
    if (!self->is_sent && size <= LARGEST_GATHERED - self->gathered.size) {
        weir_buffer_append(&self->gathered, data, size);
        return WEIR_OK;
    }
    if (!self->is_sent) {
        WEIR_TRY(start_sending(self, err));
    }
    return send_bytes(self, data, size, err);
}

static void free_output(hdfs_output *self)
{
    weir_http_cancel(self->transfer);
    weir_buffer_free(&self->gathered);
    free(self->url);
    free(self->output.path);
    free(self);
}

static int finish(weir_output *output, bool sync, weir_error *err)
{
    (void)sync;
    hdfs_output *self = (hdfs_output *)output;
    int code = WEIR_OK;
    if (!self->is_sent) {
        code = weir_hdfs_write_new(self->fs, output->path, weir_buffer_slice(&self->gathered), err);
    } else if (self->transfer == NULL) {
        code = weir_fail(err, WEIR_IO, "%s: CREATE: a part was not written", output->path);
    } else {
        code = finish_sending(self, err);
    }
    if (code != WEIR_OK && code != WEIR_EXISTS && !self->is_taken) {
        (void)weir_hdfs_delete(self->fs, output->path, false, NULL);
    }
    free_output(self);
    return code;
}

static void abandon(weir_output *output)
{
    hdfs_output *self = (hdfs_output *)output;
    weir_http_cancel(self->transfer);
    self->transfer = NULL;
    if (self->is_sent && !self->is_taken) {
        (void)weir_hdfs_delete(self->fs, output->path, false, NULL);
    }
    free_output(self);
}

weir_output *weir_hdfs_new_output(weir_hdfs *fs, const char *path)
{
    static const weir_output_ops ops = {write_bytes, finish, abandon};
    hdfs_output *self = weir_alloc_zeroed(1, sizeof *self);
    self->output = (weir_output){&ops, weir_strdup(path), 0};
    self->fs = fs;
    return &self->output;
}
