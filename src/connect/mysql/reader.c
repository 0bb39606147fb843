#include "connect/mysql/reader.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/stop.h"
#include "connect/mysql/capture.h"

#define QUEUE_SIZE       4
#define FIRST_PAUSE_MS   100
#define LONGEST_PAUSE_MS 5000
#define BUSY_NS          ((int64_t)200 * 1000000) /* how often one that is about to give rows says so */
#define STOP_MS          3000
#define NS_PER_MS        1000000

typedef struct queue_item {
    weir_batch batch;
    weir_buffer position;
    int64_t budget_bytes;
    uint32_t change_s;
} queue_item;

struct weir_mysql_reader {
    weir_mysql_settings settings;
    weir_buffer start; /* the position to begin at */
    weir_capture capture;
    pthread_t thread;
    _Atomic int users; /* the thread and the source: the last one frees it */
    _Atomic bool is_stopping;
    _Atomic bool is_busy; /* there is more at the server, or it is not known */

    pthread_mutex_t mutex; /* of all below */
    pthread_cond_t changed;
    queue_item items[QUEUE_SIZE];
    size_t first, count;
    const weir_mysql_connection *waiting;
    int code; /* of the thread, once it has ended: WEIR_END or a failure */
    bool has_ended;
    weir_error error;

    int64_t lag_ms; /* of the source's thread alone */
    int64_t busy_said_ns;
};

/* ---- the thread's side ---- */

static bool is_stopping(void *self) { return atomic_load(&((weir_mysql_reader *)self)->is_stopping); }

static bool is_hungry(void *self)
{
    weir_mysql_reader *reader = self;
    pthread_mutex_lock(&reader->mutex);
    bool hungry = reader->count == 0;
    pthread_mutex_unlock(&reader->mutex);
    return hungry;
}

static void set_waiting(void *self, const weir_mysql_connection *connection)
{
    weir_mysql_reader *reader = self;
    pthread_mutex_lock(&reader->mutex);
    reader->waiting = connection;
    if (connection != NULL && atomic_load(&reader->is_stopping)) {
        weir_mysql_interrupt(connection);
    }
    pthread_mutex_unlock(&reader->mutex);
}

/* Waits until there is room in the queue and in the budget. A batch that is alone may have to fail. */
static int wait_for_room(weir_mysql_reader *reader, int64_t bytes, weir_error *err)
{
    for (;;) {
        if (atomic_load(&reader->is_stopping)) {
            return weir_fail(err, WEIR_CANCELLED, "stopped");
        }
        if (reader->count == 0) {
            return weir_budget_take(reader->settings.budget, bytes, err);
        }
        if (reader->count < QUEUE_SIZE && weir_budget_try_take(reader->settings.budget, bytes)) {
            return WEIR_OK;
        }
        pthread_cond_wait(&reader->changed, &reader->mutex);
    }
}

static int take_batch(void *self, weir_batch *batch, const weir_buffer *position, uint32_t change_s, weir_error *err)
{
    weir_mysql_reader *reader = self;
    int64_t bytes = (int64_t)weir_batch_memory(batch);
    pthread_mutex_lock(&reader->mutex);
    int code = wait_for_room(reader, bytes, err);
    if (code == WEIR_OK) {
        queue_item *item = &reader->items[(reader->first + reader->count++) % QUEUE_SIZE];
        weir_batch empty = item->batch;
        item->batch = *batch;
        item->budget_bytes = bytes;
        item->change_s = change_s;
        *batch = empty;
        weir_buffer_clear(&item->position);
        weir_buffer_append(&item->position, position->data, position->size);
    }
    pthread_mutex_unlock(&reader->mutex);
    return code;
}

/* In the stream, positions are handed over also when nothing comes, so that what is stored stays near the server's end.
 */
static int follow(weir_capture *capture, weir_error *err)
{
    bool idle;
    int64_t heartbeat_ns = capture->settings->heartbeat_ms * NS_PER_MS;
    WEIR_TRY(weir_capture_step(capture, &idle, err));
    if (idle && heartbeat_ns > 0 && capture->has_news && capture->batch.length == 0 &&
        weir_monotonic_ns() - capture->pushed_ns > heartbeat_ns) {
        return weir_capture_flush(capture, err);
    }
    return WEIR_OK;
}

static bool is_busy(const weir_capture *capture)
{
    return capture->reading < capture->table_count || capture->stream.connection.handle == NULL ||
           !weir_capture_is_caught_up(capture);
}

static int read_server(weir_mysql_reader *reader, bool *has_started, weir_error *err)
{
    weir_capture *capture = &reader->capture;
    if (!*has_started) {
        WEIR_TRY(weir_capture_start(capture, weir_buffer_slice(&reader->start), err));
        *has_started = true;
        WEIR_TRY(weir_capture_flush(capture, err));
    }
    while (!is_stopping(reader)) {
        WEIR_TRY(weir_capture_connect(capture, err));
        if (capture->reading < capture->table_count) {
            WEIR_TRY(weir_snapshot_step(capture, err));
        } else if (reader->settings.startup == WEIR_MYSQL_SNAPSHOT_ONLY) {
            WEIR_TRY(weir_capture_flush(capture, err));
            return WEIR_END;
        } else {
            WEIR_TRY(follow(capture, err));
        }
        atomic_store(&reader->is_busy, is_busy(capture));
    }
    return weir_fail(err, WEIR_CANCELLED, "stopped");
}

static void pause_before_retry(weir_mysql_reader *reader, int64_t tries)
{
    int64_t pause_ms = tries > 6 ? LONGEST_PAUSE_MS : FIRST_PAUSE_MS << tries;
    for (int64_t waited = 0; waited < pause_ms && !is_stopping(reader); waited += FIRST_PAUSE_MS / 2) {
        weir_sleep_ms(FIRST_PAUSE_MS / 2);
    }
}

/* Reads until the end. A server that goes away is waited for; one that was never reached only so many times. */
static int read_until_end(weir_mysql_reader *reader, weir_error *err)
{
    bool has_started = false;
    int64_t tries = 0;
    for (;;) {
        uint64_t before = reader->capture.next_position;
        int code = read_server(reader, &has_started, err);
        weir_capture_disconnect(&reader->capture);
        atomic_store(&reader->is_busy, true);
        if (code != WEIR_RETRY || is_stopping(reader) || (!has_started && tries >= reader->settings.most_retries)) {
            return code;
        }
        if (!has_started) {
            weir_capture_free(&reader->capture);
            weir_capture_init(&reader->capture, &reader->settings, reader->capture.sink);
        }
        tries = before != reader->capture.next_position ? 1 : tries + 1;
        weir_log(WEIR_LOG_WARN, "%s; trying again", err->message);
        weir_error_clear(err);
        pause_before_retry(reader, tries);
    }
}

static void free_reader(weir_mysql_reader *reader)
{
    if (atomic_fetch_sub(&reader->users, 1) > 1) {
        return;
    }
    weir_capture_free(&reader->capture);
    for (size_t i = 0; i < QUEUE_SIZE; i++) {
        weir_batch_free(&reader->items[i].batch);
        weir_buffer_free(&reader->items[i].position);
    }
    weir_buffer_free(&reader->start);
    weir_mysql_settings_free(&reader->settings);
    pthread_cond_destroy(&reader->changed);
    pthread_mutex_destroy(&reader->mutex);
    free(reader);
}

static void *run_thread(void *argument)
{
    weir_mysql_reader *reader = argument;
    const weir_mysql_library *library;
    weir_error error = {0};
    int code = weir_mysql_library_open(&library, &error);
    if (code == WEIR_OK) {
        library->thread_init();
        code = read_until_end(reader, &error);
        library->thread_end();
    }
    pthread_mutex_lock(&reader->mutex);
    reader->code = code;
    reader->error = error;
    reader->has_ended = true;
    pthread_mutex_unlock(&reader->mutex);
    free_reader(reader);
    return NULL;
}

/* ---- the source's side ---- */

static void exchange(weir_vector *a, weir_vector *b)
{
    weir_vector swapped = *a;
    const weir_type *a_type = a->type;
    const weir_type *b_type = b->type;
    *a = *b;
    *b = swapped;
    a->type = a_type;
    b->type = b_type;
    for (int32_t i = 0; i < a->child_count; i++) { /* the children went with them; their types stay */
        const weir_type *type = a->children[i].type;
        a->children[i].type = b->children[i].type;
        b->children[i].type = type;
    }
}

static void give_item(weir_mysql_reader *reader, queue_item *item, weir_batch *batch, weir_buffer *position)
{
    int8_t *kinds = batch->kinds;
    size_t capacity = batch->kinds_capacity;
    for (int32_t i = 0; i < batch->column_count; i++) {
        exchange(&batch->columns[i], &item->batch.columns[i]);
    }
    batch->length = item->batch.length;
    batch->kinds = item->batch.kinds;
    batch->kinds_capacity = item->batch.kinds_capacity;
    item->batch.kinds = kinds;
    item->batch.kinds_capacity = capacity;
    weir_batch_clear(&item->batch);
    weir_buffer swapped = *position;
    *position = item->position;
    item->position = swapped;
    weir_budget_give(reader->settings.budget, item->budget_bytes);
    if (batch->length > 0) {
        int64_t lag_ms = weir_now_ms() - (int64_t)item->change_s * 1000;
        reader->lag_ms = item->change_s == 0 ? -1 : lag_ms > 0 ? lag_ms : 0;
    }
}

/* Whether to say that rows are on their way, to those who would take it for idle. */
static bool says_busy(weir_mysql_reader *reader)
{
    int64_t now = weir_monotonic_ns();
    if (!atomic_load(&reader->is_busy) || now - reader->busy_said_ns < BUSY_NS) {
        return false;
    }
    reader->busy_said_ns = now;
    return true;
}

int weir_mysql_reader_next(weir_mysql_reader *reader, weir_batch *batch, weir_buffer *position, weir_error *err)
{
    weir_batch_clear(batch);
    pthread_mutex_lock(&reader->mutex);
    int code = WEIR_IDLE;
    if (reader->count > 0) {
        give_item(reader, &reader->items[reader->first], batch, position);
        reader->first = (reader->first + 1) % QUEUE_SIZE;
        reader->count--;
        pthread_cond_signal(&reader->changed);
        code = WEIR_OK;
    } else if (reader->has_ended) {
        code = reader->code;
        if (code != WEIR_END) {
            code = weir_fail(err, reader->error.code, "%s", reader->error.message);
        }
    }
    pthread_mutex_unlock(&reader->mutex);
    return code == WEIR_IDLE && says_busy(reader) ? WEIR_OK : code;
}

int64_t weir_mysql_reader_lag_ms(weir_mysql_reader *reader)
{
    pthread_mutex_lock(&reader->mutex);
    bool is_empty = reader->count == 0;
    pthread_mutex_unlock(&reader->mutex);
    return is_empty && !atomic_load(&reader->is_busy) ? 0 : reader->lag_ms;
}

int weir_mysql_reader_start(weir_mysql_settings *settings, weir_slice position, weir_mysql_reader **out,
                            weir_error *err)
{
    weir_mysql_reader *reader = weir_alloc_zeroed(1, sizeof *reader);
    const weir_capture_sink sink = {.take = take_batch,
                                    .is_stopping = is_stopping,
                                    .set_waiting = set_waiting,
                                    .is_hungry = is_hungry,
                                    .self = reader};
    reader->settings = *settings;
    *settings = (weir_mysql_settings){0};
    reader->settings.fields.conversion = &reader->settings.conversion;
    reader->lag_ms = -1;
    atomic_store(&reader->is_busy, true);
    atomic_store(&reader->users, 2);
    weir_buffer_append(&reader->start, position.data, position.size);
    pthread_mutex_init(&reader->mutex, NULL);
    pthread_cond_init(&reader->changed, NULL);
    weir_capture_init(&reader->capture, &reader->settings, sink);
    for (size_t i = 0; i < QUEUE_SIZE; i++) {
        weir_batch_init(&reader->items[i].batch, reader->settings.all_fields, reader->settings.all_count);
    }
    int failed = pthread_create(&reader->thread, NULL, run_thread, reader);
    if (failed != 0) {
        atomic_store(&reader->users, 1);
        free_reader(reader);
        return weir_fail(err, WEIR_NO_MEMORY, "no thread for reading MySQL (error %d)", failed);
    }
    pthread_setname_np(reader->thread, "weir-mysql");
    *out = reader;
    return WEIR_OK;
}

void weir_mysql_reader_stop(weir_mysql_reader *reader)
{
    pthread_mutex_lock(&reader->mutex);
    atomic_store(&reader->is_stopping, true);
    if (reader->waiting != NULL) {
        weir_mysql_interrupt(reader->waiting);
    }
    pthread_cond_signal(&reader->changed);
    pthread_mutex_unlock(&reader->mutex);
    (void)weir_stop_join(reader->thread, STOP_MS); /* one that hangs in the client's library is left to itself */
    pthread_mutex_lock(&reader->mutex);
    for (; reader->count > 0; reader->count--) {
        weir_budget_give(reader->settings.budget, reader->items[reader->first].budget_bytes);
        reader->first = (reader->first + 1) % QUEUE_SIZE;
    }
    pthread_mutex_unlock(&reader->mutex);
    free_reader(reader);
}
