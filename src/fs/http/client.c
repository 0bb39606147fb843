/* The thread that does all transfers, and what callers do with one: start, write, wait, cancel.
 *
 * The thread looks at its list after every step of libcurl: new transfers, those whose pause is over, those with more
 * of a body, those that are cancelled or have gone silent, those that nobody has patience with any more (base/stop.h).
 * It ends before libcurl's own cleanup at the end of the process.
 */
#include <stdlib.h>
#include <sys/random.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/map.h"
#include "fs/http/retry.h"
#include "fs/http/transfer.h"

#define DEFAULT_STALL_MS 30000
#define MOST_QUEUED      ((size_t)4 << 20) /* of a streamed body */
#define MOST_ABREAST     64 /* transfers; those whose bodies are streamed come on top, since they wait for callers */
#define LONGEST_SLEEP_MS 60000
#define STOP_LOOK_MS     100 /* how often stops are looked at while something is under way */
#define NS_PER_MS        1000000

typedef struct http_client {
    const weir_curl *curl;
    CURLM *multi;
    pthread_t thread;
    weir_map hosts; /* that have answered; this and what follows is the thread's */
    uint64_t random_state;
    int abreast; /* attempts that run, but for streamed ones */
    /* Under the mutex: */
    weir_http_transfer *transfers;
    bool is_ending;
} http_client;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static http_client *shared;

/* ---- the end of an attempt ---- */

static uint64_t next_random(http_client *client)
{
    uint64_t x = client->random_state += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

static weir_http_end end_of_code(CURLcode code)
{
    switch (code) {
    case CURLE_OK:
        return WEIR_HTTP_ANSWERED;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
        return WEIR_HTTP_UNREACHED;
    case CURLE_OPERATION_TIMEDOUT: /* only connecting has a limit of libcurl's own */
        return WEIR_HTTP_UNREACHED;
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_SEND_FAIL_REWIND:
        return WEIR_HTTP_INTERRUPTED;
    default:
        return WEIR_HTTP_HOPELESS;
    }
}

/* Whether the host of a transfer has answered; an answer makes it so. */
static bool host_is_known(http_client *client, const weir_http_transfer *transfer, bool answers)
{
    weir_buffer host = {0};
    weir_http_append_shown(transfer->request.url, true, &host);
    bool known = weir_map_get(&client->hosts, weir_buffer_slice(&host)) != NULL;
    if (answers && !known) {
        weir_map_put(&client->hosts, weir_buffer_slice(&host), client);
    }
    weir_buffer_free(&host);
    return known;
}

static void log_attempt(const weir_http_transfer *transfer, const char *ending)
{
    weir_buffer url = {0};
    weir_http_append_shown(transfer->request.url, false, &url);
    weir_log(WEIR_LOG_DEBUG, "%s %s: %s, %" PRId64 " ms", transfer->request.method, weir_buffer_text(&url), ending,
             (weir_monotonic_ns() - transfer->attempt_ns) / NS_PER_MS);
    weir_buffer_free(&url);
}

static void leave(http_client *client, weir_http_transfer *transfer)
{
    client->abreast -= !transfer->request.streams_body;
    client->curl->multi_remove_handle(client->multi, transfer->easy);
    weir_http_end_attempt(client->curl, transfer);
}

/* From here on the transfer is the caller's. */
static void finish(weir_http_transfer *transfer)
{
    pthread_mutex_lock(&mutex);
    transfer->is_done = true;
    pthread_cond_broadcast(&transfer->changed);
    pthread_mutex_unlock(&mutex);
}

/* `reason`: of an attempt without an answer. */
static void end_attempt(http_client *client, weir_http_transfer *transfer, weir_http_end end, const char *reason)
{
    weir_http_response *response = &transfer->response;
    curl_off_t retry_after_s = 0;
    char status[32];
    snprintf(status, sizeof status, "status %d", response->status);
    weir_http_outcome outcome = {.end = end, .status = response->status, .was_resent = transfer->was_resent};
    outcome.host_is_known = host_is_known(client, transfer, end == WEIR_HTTP_ANSWERED);
    log_attempt(transfer, end == WEIR_HTTP_ANSWERED ? status : reason);
    client->curl->easy_getinfo(transfer->easy, CURLINFO_RETRY_AFTER, &retry_after_s);
    bool again = weir_http_tries_again(&outcome, transfer->request.is_idempotent && !transfer->request.streams_body,
                                       response->attempts, transfer->request.attempts);
    response->is_repeated |= (again || transfer->was_resent) && weir_http_may_be_done(&outcome);
    if (again) {
        int64_t pause_ms = weir_http_pause_ms(response->attempts, retry_after_s, next_random(client));
        transfer->next_try_ns = weir_monotonic_ns() + pause_ms * NS_PER_MS;
    } else if (end != WEIR_HTTP_ANSWERED) {
        transfer->code = weir_http_fail(transfer, reason, &transfer->error);
    }
    leave(client, transfer);
    if (!again) {
        finish(transfer);
    }
}

static void end_attempt_with(http_client *client, weir_http_transfer *transfer, CURLcode result)
{
    const char *reason = transfer->reason[0] != '\0' ? transfer->reason : client->curl->easy_strerror(result);
    weir_http_end end = end_of_code(result);
    if (transfer->body_too_large) {
        reason = "the answer is larger than anything expected here";
        end = WEIR_HTTP_HOPELESS;
    } else if (result == CURLE_OK && transfer->response.status == 0) {
        reason = "the answer has no status";
        end = WEIR_HTTP_INTERRUPTED;
    }
    end_attempt(client, transfer, end, reason);
}

static void take_finished(http_client *client)
{
    CURLMsg *message;
    int left;
    while ((message = client->curl->multi_info_read(client->multi, &left)) != NULL) {
        weir_http_transfer *transfer = NULL;
        CURLcode result = message->data.result;
        client->curl->easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
        end_attempt_with(client, transfer, result);
    }
}

/* ---- the thread ---- */

static void begin_attempt(http_client *client, weir_http_transfer *transfer)
{
    transfer->code = weir_http_begin_attempt(client->curl, transfer, &transfer->error);
    if (transfer->code != WEIR_OK) {
        finish(transfer);
        return;
    }
    client->abreast += !transfer->request.streams_body;
    if (client->curl->multi_add_handle(client->multi, transfer->easy) != CURLM_OK) {
        end_attempt(client, transfer, WEIR_HTTP_HOPELESS, "libcurl does not take the request");
    }
}

typedef enum transfer_step {
    STEP_NONE,
    STEP_BEGIN,
    STEP_RESUME,
    STEP_STALLED,
    STEP_GIVE_UP,
    STEP_CANCEL
} transfer_step;

/* What is to be done with a transfer now, and when to look again at the latest. Under the mutex. */
static transfer_step step_of(const http_client *client, const weir_http_transfer *transfer, int64_t now,
                             int64_t *wake_ns)
{
    int64_t stall_ms = transfer->request.stall_ms > 0 ? transfer->request.stall_ms : DEFAULT_STALL_MS;
    int64_t due = transfer->easy == NULL ? transfer->next_try_ns : transfer->activity_ns + stall_ms * NS_PER_MS;
    bool waits_for_caller = transfer->easy != NULL && transfer->is_paused;
    bool was_tried = transfer->response.attempts > 0; /* others wait for their turn, and no server for them */
    if (transfer->is_cancelled) {
        return STEP_CANCEL;
    }
    if (waits_for_caller) {
        bool has_more = transfer->queue.size > transfer->queue_start || transfer->queue_ended;
        return has_more ? STEP_RESUME : STEP_NONE;
    }
    if (was_tried && weir_stop_gives_up(transfer->stop, transfer->heard_ns)) {
        return STEP_GIVE_UP;
    }
    if (due > now) {
        int64_t look = now + (int64_t)STOP_LOOK_MS * NS_PER_MS;
        due = transfer->stop != NULL && look < due ? look : due;
        *wake_ns = due < *wake_ns ? due : *wake_ns;
        return STEP_NONE;
    }
    if (transfer->easy != NULL) {
        return STEP_STALLED;
    }
    return transfer->request.streams_body || client->abreast < MOST_ABREAST ? STEP_BEGIN : STEP_NONE;
}

static void resume(http_client *client, weir_http_transfer *transfer)
{
    pthread_mutex_lock(&mutex);
    transfer->is_paused = false;
    pthread_mutex_unlock(&mutex);
    transfer->activity_ns = weir_monotonic_ns();
    client->curl->easy_pause(transfer->easy, CURLPAUSE_CONT);
}

static void give_up(http_client *client, weir_http_transfer *transfer)
{
    const char *reason = "the server does not answer, and there is no time to wait for it any more";
    if (transfer->easy != NULL) {
        end_attempt(client, transfer, WEIR_HTTP_HOPELESS, reason);
    } else {
        transfer->code = weir_http_fail(transfer, reason, &transfer->error);
        finish(transfer);
    }
}

static void cancel(http_client *client, weir_http_transfer *transfer)
{
    if (transfer->easy != NULL) {
        leave(client, transfer);
    }
    finish(transfer);
}

static void do_step(http_client *client, weir_http_transfer *transfer, transfer_step step)
{
    switch (step) {
    case STEP_BEGIN:
        begin_attempt(client, transfer);
        break;
    case STEP_RESUME:
        resume(client, transfer);
        break;
    case STEP_STALLED:
        end_attempt(client, transfer, WEIR_HTTP_INTERRUPTED, "the server went silent");
        break;
    case STEP_GIVE_UP:
        give_up(client, transfer);
        break;
    case STEP_CANCEL:
        cancel(client, transfer);
        break;
    case STEP_NONE:
        break;
    }
}

/* The first transfer of the list that something is to be done with; NULL: none. Callers take a transfer off the list
 * only when it is done, and it is done only by a step. */
static weir_http_transfer *next_step(http_client *client, transfer_step *out_step, int64_t *wake_ns)
{
    int64_t now = weir_monotonic_ns();
    weir_http_transfer *found = NULL;
    pthread_mutex_lock(&mutex);
    for (weir_http_transfer *transfer = client->transfers; transfer != NULL && found == NULL;
         transfer = transfer->next) {
        transfer_step step = transfer->is_done ? STEP_NONE : step_of(client, transfer, now, wake_ns);
        if (step != STEP_NONE) {
            found = transfer;
            *out_step = step;
        }
    }
    pthread_mutex_unlock(&mutex);
    return found;
}

static void *run(void *context)
{
    http_client *client = context;
    bool is_ending = false;
    while (!is_ending) {
        int running;
        int64_t wake_ns = weir_monotonic_ns() + (int64_t)LONGEST_SLEEP_MS * NS_PER_MS;
        transfer_step step = STEP_NONE;
        weir_http_transfer *transfer;
        client->curl->multi_perform(client->multi, &running);
        take_finished(client);
        while ((transfer = next_step(client, &step, &wake_ns)) != NULL) {
            do_step(client, transfer, step);
        }
        int64_t wait_ms = (wake_ns - weir_monotonic_ns()) / NS_PER_MS + 1;
        pthread_mutex_lock(&mutex);
        is_ending = client->is_ending;
        pthread_mutex_unlock(&mutex);
        if (!is_ending) {
            client->curl->multi_poll(client->multi, NULL, 0, wait_ms < 0 ? 0 : (int)wait_ms, NULL);
        }
    }
    return NULL;
}

/* ---- its beginning and end ---- */

static void end_client(void)
{
    pthread_mutex_lock(&mutex);
    http_client *client = shared;
    shared = NULL;
    bool is_idle = client != NULL && client->transfers == NULL;
    if (client != NULL) {
        client->is_ending = true;
    }
    pthread_mutex_unlock(&mutex);
    if (client == NULL) {
        return;
    }
    client->curl->multi_wakeup(client->multi);
    pthread_join(client->thread, NULL);
    if (is_idle) { /* otherwise threads that still wait look at it */
        client->curl->multi_cleanup(client->multi);
        weir_map_free(&client->hosts);
        free(client);
    }
}

static int begin_client(http_client **out, weir_error *err)
{
    const weir_curl *curl;
    WEIR_TRY(weir_curl_load(&curl, err));
    http_client *client = weir_alloc_zeroed(1, sizeof *client);
    client->curl = curl;
    client->multi = curl->multi_init();
    if (getrandom(&client->random_state, sizeof client->random_state, GRND_NONBLOCK) < 0) {
        client->random_state = (uint64_t)weir_monotonic_ns();
    }
    if (client->multi != NULL) {
        curl->multi_setopt(client->multi, CURLMOPT_MAXCONNECTS, (long)MOST_ABREAST); /* kept open */
    }
    if (client->multi == NULL || pthread_create(&client->thread, NULL, run, client) != 0) {
        if (client->multi != NULL) {
            curl->multi_cleanup(client->multi);
        }
        free(client);
        return weir_fail(err, WEIR_IO, "the thread of requests over HTTP cannot be started");
    }
    pthread_setname_np(client->thread, "weir-http");
    static bool is_registered;
    if (!is_registered) { /* after libcurl's libraries registered theirs, so that it comes before them */
        is_registered = atexit(end_client) == 0;
    }
    *out = client;
    return WEIR_OK;
}

/* ---- what callers do ---- */

int weir_http_start(const weir_http_request *request, weir_http_transfer **out, weir_error *err)
{
    weir_http_transfer *transfer = weir_alloc_zeroed(1, sizeof *transfer);
    transfer->request = *request;
    transfer->mutex = &mutex;
    transfer->stop = weir_stop_current();
    transfer->heard_ns = weir_monotonic_ns();
    pthread_cond_init(&transfer->changed, NULL);
    pthread_mutex_lock(&mutex);
    int code = shared != NULL ? WEIR_OK : begin_client(&shared, err);
    if (code == WEIR_OK) {
        transfer->next = shared->transfers;
        shared->transfers = transfer;
        shared->curl->multi_wakeup(shared->multi);
        *out = transfer;
    } else {
        pthread_cond_destroy(&transfer->changed);
        free(transfer);
    }
    pthread_mutex_unlock(&mutex);
    return code;
}

static void wake(void)
{
    if (shared != NULL) {
        shared->curl->multi_wakeup(shared->multi);
    }
}

int weir_http_write(weir_http_transfer *transfer, const void *data, size_t size, weir_error *err)
{
    pthread_mutex_lock(&mutex);
    while (!transfer->is_done && transfer->queue.size - transfer->queue_start >= MOST_QUEUED) {
        pthread_cond_wait(&transfer->changed, &mutex);
    }
    bool is_done = transfer->is_done;
    if (!is_done) {
        weir_buffer_append(&transfer->queue, data, size);
        if (transfer->is_paused) {
            wake();
        }
    }
    pthread_mutex_unlock(&mutex);
    if (!is_done) {
        return WEIR_OK;
    }
    if (transfer->code != WEIR_OK) {
        return weir_fail(err, transfer->error.code, "%s", transfer->error.message);
    }
    return weir_http_fail(transfer, "the server answered before it had the whole body", err);
}

static void free_transfer(weir_http_transfer *transfer)
{
    pthread_mutex_lock(&mutex);
    for (weir_http_transfer **at = shared == NULL ? NULL : &shared->transfers; at != NULL && *at != NULL;
         at = &(*at)->next) {
        if (*at == transfer) {
            *at = transfer->next;
            break;
        }
    }
    pthread_mutex_unlock(&mutex);
    weir_http_response_free(&transfer->response);
    weir_buffer_free(&transfer->queue);
    pthread_cond_destroy(&transfer->changed);
    free(transfer);
}

int weir_http_wait(weir_http_transfer *transfer, weir_http_response *out, weir_error *err)
{
    pthread_mutex_lock(&mutex);
    transfer->queue_ended = true;
    if (transfer->is_paused) {
        wake();
    }
    while (!transfer->is_done) {
        pthread_cond_wait(&transfer->changed, &mutex);
    }
    pthread_mutex_unlock(&mutex);
    weir_http_response_free(out);
    int code = transfer->code;
    if (code == WEIR_OK) {
        *out = transfer->response;
        transfer->response = (weir_http_response){0};
    } else {
        out->attempts = transfer->response.attempts;
        out->is_repeated = true;
        weir_fail(err, transfer->error.code, "%s", transfer->error.message);
    }
    free_transfer(transfer);
    return code;
}

void weir_http_cancel(weir_http_transfer *transfer)
{
    if (transfer == NULL) {
        return;
    }
    pthread_mutex_lock(&mutex);
    transfer->is_cancelled = true;
    wake();
    while (!transfer->is_done) {
        pthread_cond_wait(&transfer->changed, &mutex);
    }
    pthread_mutex_unlock(&mutex);
    free_transfer(transfer);
}

int weir_http_run(const weir_http_request *request, weir_http_response *out, weir_error *err)
{
    weir_http_transfer *transfer;
    WEIR_TRY(weir_http_start(request, &transfer, err));
    return weir_http_wait(transfer, out, err);
}
