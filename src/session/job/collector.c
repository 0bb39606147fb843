/* Batches from a job's thread to another one: a short queue with a lock. */
#include "session/job/collector.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/base.h"
#include "base/clock.h"

#define MOST_BATCHES 64 /* that wait */

struct weir_collector {
    const weir_field *fields;
    int32_t field_count;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    weir_batch batches[MOST_BATCHES]; /* a ring */
    int32_t first, count;
    bool is_left;
};

typedef struct collecting_sink {
    weir_stream_sink base; /* first */
    weir_collector *collector;
} collecting_sink;

weir_collector *weir_collector_create(const weir_field *fields, int32_t count)
{
    weir_collector *collector = weir_alloc_zeroed(1, sizeof *collector);
    collector->fields = fields;
    collector->field_count = count;
    pthread_mutex_init(&collector->mutex, NULL);
    weir_condition_init(&collector->changed);
    for (int32_t i = 0; i < MOST_BATCHES; i++) {
        weir_batch_init(&collector->batches[i], fields, count);
    }
    return collector;
}

void weir_collector_free(weir_collector *collector)
{
    if (collector == NULL) {
        return;
    }
    for (int32_t i = 0; i < MOST_BATCHES; i++) {
        weir_batch_free(&collector->batches[i]);
    }
    pthread_mutex_destroy(&collector->mutex);
    pthread_cond_destroy(&collector->changed);
    free(collector);
}

/* ---- the job's side ---- */

static int append(weir_collector *collector, const weir_batch *batch, weir_error *err)
{
    while (collector->count == MOST_BATCHES && !collector->is_left) {
        pthread_cond_wait(&collector->changed, &collector->mutex);
    }
    if (collector->is_left) {
        return weir_fail(err, WEIR_CANCELLED, "nobody takes the rows any more");
    }
    weir_batch *to = &collector->batches[(collector->first + collector->count) % MOST_BATCHES];
    weir_batch_clear(to);
    WEIR_TRY(weir_batch_append_range(to, batch, 0, batch->length, err));
    collector->count++;
    pthread_cond_broadcast(&collector->changed);
    return WEIR_OK;
}

static int write_batch(weir_stream_sink *self, const weir_batch *batch, weir_error *err)
{
    weir_collector *collector = ((collecting_sink *)self)->collector;
    pthread_mutex_lock(&collector->mutex);
    int code = append(collector, batch, err);
    pthread_mutex_unlock(&collector->mutex);
    self->summary.rows += code == WEIR_OK ? batch->length : 0;
    return code;
}

/* There is nothing to commit. */
static int prepare(weir_stream_sink *self, int64_t checkpoint, bool last, weir_buffer *out, weir_error *err)
{
    (void)self;
    (void)checkpoint;
    (void)last;
    (void)out;
    (void)err;
    return WEIR_OK;
}

static void close_sink(weir_stream_sink *self) { free(self); }

weir_stream_sink *weir_collector_sink(weir_collector *collector)
{
    collecting_sink *sink = weir_alloc_zeroed(1, sizeof *sink);
    sink->base = (weir_stream_sink){
        .write = write_batch,
        .prepare = prepare,
        .close = close_sink,
        .takes = WEIR_SINK_ALL,
        .description = "the result",
        .watermark = INT64_MIN,
    };
    sink->collector = collector;
    return &sink->base;
}

/* ---- the other side ---- */

static struct timespec time_after(int64_t wait_ms)
{
    int64_t at = weir_monotonic_ns() + wait_ms * 1000000;
    return (struct timespec){.tv_sec = at / 1000000000, .tv_nsec = at % 1000000000};
}

bool weir_collector_take(weir_collector *collector, int64_t wait_ms, weir_batch *out)
{
    struct timespec until = time_after(wait_ms);
    pthread_mutex_lock(&collector->mutex);
    int failed = 0;
    while (collector->count == 0 && failed == 0) {
        failed = pthread_cond_timedwait(&collector->changed, &collector->mutex, &until);
    }
    bool has_one = collector->count > 0;
    if (has_one) {
        weir_batch batch = collector->batches[collector->first];
        collector->batches[collector->first] = *out;
        *out = batch;
        collector->first = (collector->first + 1) % MOST_BATCHES;
        collector->count--;
        pthread_cond_broadcast(&collector->changed);
    }
    pthread_mutex_unlock(&collector->mutex);
    return has_one;
}

void weir_collector_leave(weir_collector *collector)
{
    pthread_mutex_lock(&collector->mutex);
    collector->is_left = true;
    pthread_cond_broadcast(&collector->changed);
    pthread_mutex_unlock(&collector->mutex);
}
