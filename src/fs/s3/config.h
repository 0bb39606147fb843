/* How a bucket is reached, and what the settings say of who does. */
#ifndef WEIR_FS_S3_CONFIG_H
#define WEIR_FS_S3_CONFIG_H

#include "base/arena.h"
#include "base/error.h"
#include "fs/settings.h"

typedef enum weir_s3_commit {
    WEIR_S3_COMMIT_PROBED,       /* by If-None-Match, if the store honours it */
    WEIR_S3_COMMIT_CONDITIONAL,  /* the store is known to honour it */
    WEIR_S3_COMMIT_SINGLE_WRITER /* nobody else writes at the same time */
} weir_s3_commit;

typedef struct weir_s3_config {
    const char *bucket;
    const char *base;   /* "https://host:port/bucket" or "https://bucket.host:port", without a slash at the end */
    const char *prefix; /* "/bucket", "" or, of an endpoint with a path, "/path/bucket": what precedes a key in requests */
    const char *host;   /* as the header Host has it */
    const char *region;
    bool is_anonymous;      /* requests are not signed */
    const char *access_key; /* NULL: not among the settings; credentials.h looks elsewhere */
    const char *secret_key;
    const char *session_token; /* NULL: none */
    weir_s3_commit commit;
} weir_s3_config;

/* From settings, under their keys here or of Java's programs; what they don't say of the place comes from AWS's variables
 * of the environment and then from the profile files. Everything in `arena`. WEIR_INVALID says what is missing or
 * malformed. */
int weir_s3_config_read(const char *root, const weir_fs_settings *settings, weir_arena *arena, weir_s3_config *out,
                        weir_error *err);

#endif
