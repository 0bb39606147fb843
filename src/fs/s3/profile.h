/* What a profile of AWS's programs says: ~/.aws/credentials and ~/.aws/config, or where the environment has them. */
#ifndef WEIR_FS_S3_PROFILE_H
#define WEIR_FS_S3_PROFILE_H

#include "base/arena.h"

typedef struct weir_s3_profile {
    const char *name;
    const char *credentials_text; /* of the files; "": there is none */
    const char *config_text;
} weir_s3_profile;

/* The profile of AWS_PROFILE, or "default", as the files are now. */
void weir_s3_profile_read(weir_arena *arena, weir_s3_profile *out);

/* The value of a key of the profile, from either file; NULL: there is none. */
const char *weir_s3_profile_get(const weir_s3_profile *profile, const char *key, weir_arena *arena);

/* A variable of the environment that says something; NULL: not set, or empty. */
const char *weir_s3_environment(const char *name);

#endif
