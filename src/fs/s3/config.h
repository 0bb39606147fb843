/* How a bucket is reached, by whom. */
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
    const char *prefix; /* "/bucket" or "": what precedes a key in the path of a request */
    const char *host;   /* as the header Host has it */
    const char *region;
    const char *access_key; /* NULL: requests are not signed */
    const char *secret_key;
    const char *session_token; /* NULL: none */
    weir_s3_commit commit;
} weir_s3_config;

/* By precedence: settings, under their keys here or of Java's programs; AWS's variables of the environment; the profile
 * files ~/.aws/credentials and ~/.aws/config. Everything in `arena`. WEIR_INVALID says what is missing or malformed. */
int weir_s3_config_read(const char *root, const weir_fs_settings *settings, weir_arena *arena, weir_s3_config *out,
                        weir_error *err);

/* The value of a key in a section of a profile file; NULL: there is none. */
const char *weir_s3_profile_value(const char *text, const char *section, const char *key, weir_arena *arena);

#endif
