/* AWS's signatures, version 4. Pure functions of their input. */
#ifndef WEIR_FS_S3_SIGN_H
#define WEIR_FS_S3_SIGN_H

#include "base/buffer.h"

#define WEIR_SHA256_HEX_SIZE 65 /* with the NUL */

typedef struct weir_s3_signed_header {
    const char *name; /* in lower case */
    const char *value;
} weir_s3_signed_header;

typedef struct weir_s3_signing {
    const char *method;
    const char *path;  /* escaped, with a slash at its start */
    const char *query; /* escaped, in the order of the names, each with its '='; "": none */
    const weir_s3_signed_header *headers; /* those that are signed, in the order of their names */
    size_t header_count;
    const char *payload_hash; /* hexadecimal */
    const char *time;         /* "20130524T000000Z", which is also the header x-amz-date */
    const char *region;
    const char *service; /* "s3" */
    const char *access_key;
    const char *secret_key;
} weir_s3_signing;

/* Appends the value of the header Authorization. */
void weir_s3_sign(const weir_s3_signing *signing, weir_buffer *out);

void weir_sha256_hex(weir_slice bytes, char out[WEIR_SHA256_HEX_SIZE]);

/* A moment, in seconds since 1970-01-01 UTC, as x-amz-date has it. */
void weir_s3_time(int64_t seconds, char out[17]);

#endif
