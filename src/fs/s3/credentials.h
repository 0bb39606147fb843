/* Keys that requests are signed with, from wherever they come, and new ones before they expire.
 *
 *   credentials.c      the order in which places are looked at, and keeping what was found
 *   key_sources.c      options, environment, profile files
 *   key_servers.c      places that are asked over HTTP: AWS's token service, the container's host, the machine's */
#ifndef WEIR_FS_S3_CREDENTIALS_H
#define WEIR_FS_S3_CREDENTIALS_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "fs/s3/config.h"

/* The keys of one moment. They do not change; they go when the last of their users has let them go. */
typedef struct weir_s3_keys {
    const char *access_key; /* NULL: requests are not signed */
    const char *secret_key;
    const char *session_token; /* NULL: none */
    int64_t refresh_ms;        /* since 1970: from then on new ones are wanted; 0: never */
    int64_t expires_ms;        /* since 1970: from then on they are worth nothing; 0: never */
    weir_arena arena;          /* of the texts */
    int users;
} weir_s3_keys;

typedef struct weir_s3_credentials weir_s3_credentials;

/* `config` outlives it. */
weir_s3_credentials *weir_s3_credentials_create(const weir_s3_config *config);
void weir_s3_credentials_free(weir_s3_credentials *credentials); /* NULL is fine */

/* The keys to sign a request with; let go with weir_s3_keys_release. Waits for the network, some seconds at most, when
 * there are none or they are about to expire. WEIR_DENIED: a place that is there to give keys does not; WEIR_INVALID:
 * there is no such place. The message says where was looked. Thread-safe. */
int weir_s3_credentials_acquire(weir_s3_credentials *credentials, weir_s3_keys **out, weir_error *err);
void weir_s3_keys_release(weir_s3_credentials *credentials, weir_s3_keys *keys); /* NULL is fine */

/* ---- places, for credentials.c ---- */

/* Looks for keys in one place. Where it has none `out` stays as it is, and `looked` says where that was. Texts go to
 * the arena of `out`. */
typedef int (*weir_s3_key_source)(const weir_s3_config *config, weir_s3_keys *out, weir_buffer *looked, weir_error *err);

int weir_s3_keys_of_config(const weir_s3_config *config, weir_s3_keys *out, weir_buffer *looked, weir_error *err);
int weir_s3_keys_of_environment(const weir_s3_config *config, weir_s3_keys *out, weir_buffer *looked, weir_error *err);
int weir_s3_keys_of_profile(const weir_s3_config *config, weir_s3_keys *out, weir_buffer *looked, weir_error *err);
int weir_s3_keys_of_web_identity(const weir_s3_config *config, weir_s3_keys *out, weir_buffer *looked, weir_error *err);
int weir_s3_keys_of_container(const weir_s3_config *config, weir_s3_keys *out, weir_buffer *looked, weir_error *err);
int weir_s3_keys_of_machine(const weir_s3_config *config, weir_s3_keys *out, weir_buffer *looked, weir_error *err);

/* Keys for the bearer of a token in `token_file`, from AWS's token service. */
int weir_s3_assume_role_with_token(const weir_s3_config *config, const char *token_file, const char *role,
                                   const char *session, weir_s3_keys *out, weir_error *err);

#endif
