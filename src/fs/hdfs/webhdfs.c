/* Operations of name nodes.
 *
 * With several name nodes one is active; the others answer that they are on standby. The one that answered last is
 * asked first. A request whose answer was lost may have been carried out: answers say so (is_repeated), and each
 * operation knows what that means for it. */
#include "fs/hdfs/webhdfs.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/stop.h"

#define LONGEST_LIST ((size_t)512 << 20)

/* How long name nodes are waited for: one that was there before is restarted, or another takes over; one that never was
 * there has perhaps another address. */
#define PATIENCE_MS       60000
#define FIRST_PATIENCE_MS 3000

#define FIRST_PAUSE_MS   50
#define LONGEST_PAUSE_MS 2000

#define CONNECT_MS 5000

/* ---- requests ---- */

void weir_hdfs_append_parameter(weir_buffer *parameters, const char *name, const char *value)
{
    weir_buffer_append_format(parameters, "&%s=", name);
    weir_http_append_escaped(weir_slice_text(value), false, parameters);
}

static void append_url(const weir_hdfs *self, size_t node, const weir_hdfs_call *call, weir_buffer *out)
{
    const char *within = weir_fs_path_within(call->path);
    weir_buffer_append_text(out, self->nodes.urls[node]);
    weir_buffer_append_text(out, "/webhdfs/v1");
    weir_http_append_escaped(weir_slice_text(*within ? within : "/"), true, out);
    weir_buffer_append_format(out, "?op=%s", call->operation);
    if (self->nodes.token != NULL) {
        weir_hdfs_append_parameter(out, "delegation", self->nodes.token);
    } else {
        weir_hdfs_append_parameter(out, "user.name", self->nodes.user);
    }
    if (call->parameters != NULL) {
        weir_buffer_append_format(out, "&%s", call->parameters);
    }
}

/* What a name node's address gave: bytes that are no JSON do not come from WebHDFS. */
static int parse_body(const weir_hdfs_call *call, const weir_http_response *response, json_t **out, weir_error *err)
{
    if (response->body.size > 0 &&
        weir_json_parse(weir_buffer_slice(&response->body), call->path, out, NULL) != WEIR_OK) {
        return weir_fail(err, WEIR_IO,
                         "%s: %s: the answer is not WebHDFS's; is the address that of a name node's web "
                         "server?",
                         call->path, call->operation);
    }
    return WEIR_OK;
}

/* Old name nodes send to a data node by a redirect, whatever they are asked. */
static json_t *location_of_redirect(const weir_http_response *response)
{
    char location[16384];
    return weir_http_response_header(response, "location", location, sizeof location)
               ? json_pack("{s:s}", "Location", location)
               : NULL;
}

static int ask_one(weir_hdfs *self, size_t node, const weir_hdfs_call *call, weir_hdfs_answer *out,
                   weir_hdfs_refusal *refusal, weir_error *err)
{
    weir_buffer url = {0};
    append_url(self, node, call, &url);
    weir_http_request request = {
        .method = call->method,
        .url = weir_buffer_text(&url),
        .subject = call->path,
        .largest_body = LONGEST_LIST,
        .attempts = 1,
        .connect_ms = CONNECT_MS,
    };
    weir_http_response response = {0};
    *refusal = WEIR_HDFS_FINAL;
    int code = weir_http_run(&request, &response, err);
    out->is_repeated |= response.is_repeated;
    if (code == WEIR_IO) { /* no answer: perhaps one from another name node */
        *refusal = WEIR_HDFS_STANDBY;
        out->is_repeated = true;
    } else if (code == WEIR_OK && response.status < 300) {
        code = parse_body(call, &response, &out->document, err);
    } else if (code == WEIR_OK && (out->document = location_of_redirect(&response)) == NULL) {
        code = weir_hdfs_refused(call->path, call->operation, &response, refusal, err);
        out->is_repeated |= response.status >= 500;
    }
    weir_http_response_free(&response);
    weir_buffer_free(&url);
    return code;
}

/* Asks each name node until one gives an answer that counts. */
static int ask_each(weir_hdfs *self, const weir_hdfs_call *call, weir_hdfs_answer *out, weir_hdfs_refusal *refusal,
                    weir_error *err)
{
    size_t first = atomic_load(&self->active);
    int code = WEIR_OK;
    for (size_t i = 0; i < self->nodes.count; i++) {
        size_t node = (first + i) % self->nodes.count;
        code = ask_one(self, node, call, out, refusal, err);
        if (*refusal != WEIR_HDFS_STANDBY) {
            atomic_store(&self->active, node);
            return code;
        }
    }
    return self->nodes.count > 1
               ? weir_error_context(err, code, "none of the %zu name nodes does it; the last one", self->nodes.count)
               : code;
}

bool weir_hdfs_wait(weir_hdfs *self, int64_t started_ns, int tries)
{
    int64_t patience_ms = atomic_load(&self->has_answered) ? PATIENCE_MS : FIRST_PATIENCE_MS;
    if ((weir_monotonic_ns() - started_ns) / 1000000 > patience_ms ||
        weir_stop_gives_up(weir_stop_current(), started_ns)) {
        return false;
    }
    int64_t pause_ms = FIRST_PAUSE_MS << (tries < 6 ? tries : 6);
    weir_stop_pause_ms(pause_ms < LONGEST_PAUSE_MS ? pause_ms : LONGEST_PAUSE_MS);
    return true;
}

int weir_hdfs_ask(weir_hdfs *self, const weir_hdfs_call *call, weir_hdfs_answer *out, weir_error *err)
{
    int64_t started_ns = weir_monotonic_ns();
    for (int tries = 0;; tries++) {
        weir_error reason;
        weir_hdfs_refusal refusal;
        int code = ask_each(self, call, out, &refusal, &reason);
        if (refusal == WEIR_HDFS_FINAL) {
            atomic_store(&self->has_answered, true);
        }
        if (refusal == WEIR_HDFS_FINAL || call->never_waits || !weir_hdfs_wait(self, started_ns, tries)) {
            if (code != WEIR_OK && err != NULL) {
                *err = reason;
            }
            return refusal == WEIR_HDFS_FINAL
                       ? code
                       : weir_error_context(err, code, "no name node answered in time (%s)", self->nodes.hint);
        }
    }
}

void weir_hdfs_answer_free(weir_hdfs_answer *answer)
{
    json_decref(answer->document);
    *answer = (weir_hdfs_answer){0};
}

/* ---- data nodes ---- */

char *weir_hdfs_host_of(const char *url)
{
    const char *host = strstr(url, "://");
    host = host != NULL ? host + 3 : url;
    size_t size = host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":/?");
    return weir_strndup(host, size);
}

static int locate(weir_hdfs *self, const weir_hdfs_call *call, const char *excluded, char **out, weir_error *err)
{
    weir_buffer parameters = {0};
    weir_hdfs_answer answer = {0};
    weir_hdfs_call asked = *call;
    weir_buffer_append_format(&parameters, "%s%snoredirect=true", call->parameters != NULL ? call->parameters : "",
                              call->parameters != NULL ? "&" : "");
    if (excluded != NULL) {
        weir_hdfs_append_parameter(&parameters, "excludedatanodes", excluded);
        asked.never_waits = true;
    }
    asked.parameters = weir_buffer_text(&parameters);
    int code = weir_hdfs_ask(self, &asked, &answer, err);
    const char *location = json_string_value(json_object_get(answer.document, "Location"));
    if (code == WEIR_OK && location == NULL) {
        code = weir_fail(err, WEIR_IO, "%s: %s: the name node names no data node", call->path, call->operation);
    }
    if (code == WEIR_OK) {
        *out = weir_strdup(location);
    }
    weir_hdfs_answer_free(&answer);
    weir_buffer_free(&parameters);
    return code;
}

/* Where all data nodes are excluded, the one that failed is all there is. */
int weir_hdfs_locate(weir_hdfs *self, const weir_hdfs_call *call, const char *excluded, char **out, weir_error *err)
{
    if (excluded != NULL && locate(self, call, excluded, out, NULL) == WEIR_OK) {
        return WEIR_OK;
    }
    return locate(self, call, NULL, out, err);
}
