/* Which place gives the keys, and when it is asked again. */
#include "fs/s3/credentials.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"

/* Before they expire, keys are renewed; at half of a life that is shorter than twice that. */
#define EARLY_MS   (5 * 60000)
#define RETRY_MS   30000 /* after a renewal that failed, while the old keys are good */
#define FAILURE_MS 5000  /* as long a failure is believed: many requests may start at once */

struct weir_s3_credentials {
    const weir_s3_config *config;
    pthread_mutex_t mutex; /* of what follows, and held while a place is asked */
    weir_s3_keys *keys;    /* NULL: not looked for yet, or none found */
    weir_error failure;    /* of the last search */
    int64_t failed_ns;     /* when that was; 0: it found keys */
};

/* In the order of AWS's own programs. */
static const weir_s3_key_source sources[] = {
    weir_s3_keys_of_config,       weir_s3_keys_of_environment, weir_s3_keys_of_web_identity,
    weir_s3_keys_of_profile,      weir_s3_keys_of_container,   weir_s3_keys_of_machine,
};

/* ---- keys ---- */

static weir_s3_keys *new_keys(void)
{
    weir_s3_keys *keys = weir_alloc_zeroed(1, sizeof *keys);
    weir_arena_init(&keys->arena);
    keys->users = 1;
    return keys;
}

/* Under the mutex, or by the only one who knows the keys. */
static void release(weir_s3_keys *keys)
{
    if (keys != NULL && --keys->users == 0) {
        weir_arena_free(&keys->arena);
        free(keys);
    }
}

static void plan_renewal(weir_s3_keys *keys)
{
    int64_t now = weir_now_ms();
    if (keys->expires_ms > 0) {
        int64_t half = (keys->expires_ms - now) / 2;
        keys->refresh_ms = keys->expires_ms - (half < EARLY_MS ? half : EARLY_MS);
    }
}

/* ---- looking ---- */

static int find_keys(const weir_s3_config *config, weir_s3_keys **out, weir_error *err)
{
    weir_buffer looked = {0};
    weir_s3_keys *keys = new_keys();
    int code = WEIR_OK;
    for (size_t i = 0; i < sizeof sources / sizeof *sources && keys->access_key == NULL && !config->is_anonymous; i++) {
        weir_buffer_append_text(&looked, looked.size > 0 ? ", " : "");
        WEIR_GO(sources[i](config, keys, &looked, err));
    }
    if (keys->access_key == NULL && !config->is_anonymous) {
        WEIR_GO(weir_fail(err, WEIR_INVALID, "there are no keys to sign requests with; looked in %s",
                          weir_buffer_text(&looked)));
    }
    plan_renewal(keys);
    *out = keys;
    keys = NULL;
done:
    release(keys);
    weir_buffer_free(&looked);
    return code;
}

static bool is_past(int64_t moment_ms, int64_t now_ms) { return moment_ms > 0 && now_ms >= moment_ms; }

/* Puts new keys in the place of old ones. While those are good a failure is no more than a line of the log. */
static int renew(weir_s3_credentials *self, weir_error *err)
{
    int64_t now_ns = weir_monotonic_ns();
    int64_t now_ms = weir_now_ms();
    if (self->keys == NULL && self->failed_ns > 0 && (now_ns - self->failed_ns) / 1000000 < FAILURE_MS) {
        return weir_fail(err, self->failure.code, "%s", self->failure.message);
    }
    weir_s3_keys *found = NULL;
    int code = find_keys(self->config, &found, &self->failure);
    if (code == WEIR_OK) {
        self->failed_ns = 0;
        release(self->keys);
        self->keys = found;
        return WEIR_OK;
    }
    if (self->keys != NULL && !is_past(self->keys->expires_ms, now_ms)) {
        weir_log(WEIR_LOG_WARN, "s3://%s: the keys cannot be renewed yet: %s", self->config->bucket,
                 self->failure.message);
        self->keys->refresh_ms = now_ms + RETRY_MS;
        return WEIR_OK;
    }
    release(self->keys);
    self->keys = NULL;
    self->failed_ns = now_ns;
    return weir_fail(err, code, "%s", self->failure.message);
}

int weir_s3_credentials_acquire(weir_s3_credentials *self, weir_s3_keys **out, weir_error *err)
{
    int code = WEIR_OK;
    pthread_mutex_lock(&self->mutex);
    if (self->keys == NULL || is_past(self->keys->refresh_ms, weir_now_ms())) {
        code = renew(self, err);
    }
    if (code == WEIR_OK) {
        self->keys->users++;
        *out = self->keys;
    }
    pthread_mutex_unlock(&self->mutex);
    return code;
}

void weir_s3_keys_release(weir_s3_credentials *self, weir_s3_keys *keys)
{
    pthread_mutex_lock(&self->mutex);
    release(keys);
    pthread_mutex_unlock(&self->mutex);
}

/* ---- the whole ---- */

weir_s3_credentials *weir_s3_credentials_create(const weir_s3_config *config)
{
    weir_s3_credentials *self = weir_alloc_zeroed(1, sizeof *self);
    self->config = config;
    pthread_mutex_init(&self->mutex, NULL);
    return self;
}

void weir_s3_credentials_free(weir_s3_credentials *self)
{
    if (self != NULL) {
        release(self->keys);
        pthread_mutex_destroy(&self->mutex);
        free(self);
    }
}
