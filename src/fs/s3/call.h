/* One call of S3's API: a signed request, its answer, and what an error in it means. */
#ifndef WEIR_FS_S3_CALL_H
#define WEIR_FS_S3_CALL_H

#include "fs/http.h"
#include "fs/s3/s3.h"

#define WEIR_S3_PARAMETERS 6
#define WEIR_S3_HEADERS    4

/* Zero-initialized members: none. Everything is borrowed until weir_s3_wait returns. */
typedef struct weir_s3_call {
    const char *method;
    const char *path; /* of the file, for messages; its key is in it */
    const char *key;  /* where the key is another one; "": the bucket itself */
    weir_http_header parameters[WEIR_S3_PARAMETERS]; /* of the query, in the order of their names, not escaped */
    weir_http_header headers[WEIR_S3_HEADERS];       /* names in lower case */
    weir_slice body;
    uint8_t *into;
    size_t into_size;
    bool is_unsafe; /* may be sent once only */
    int attempts;   /* 0: as usual */
} weir_s3_call;

typedef struct weir_s3_pending weir_s3_pending;

int weir_s3_start(weir_s3 *s3, const weir_s3_call *call, weir_s3_pending **out, weir_error *err);
/* The answer, of whatever status. Frees `pending`. */
int weir_s3_wait(weir_s3_pending *pending, weir_http_response *out, weir_error *err);
void weir_s3_cancel(weir_s3_pending *pending); /* NULL is fine */
int weir_s3_run(weir_s3 *s3, const weir_s3_call *call, weir_http_response *out, weir_error *err);

/* WEIR_OK for a status of success; otherwise what the status and the error in the body mean for `path`. An error may
 * stand in the body of a success as well: `checks_body` looks for it. */
int weir_s3_check(const weir_s3 *s3, const weir_http_response *response, const char *path, bool checks_body,
                  weir_error *err);

/* Asks again while an answer of success holds an error that passes: servers begin to answer completions and copies before
 * they are through. `response` is that of the first time, and then the last one. */
int weir_s3_settle(weir_s3 *s3, const weir_s3_call *call, weir_http_response *response, weir_error *err);

/* Whether an error of this name is over when the request is made again. */
bool weir_s3_error_passes(const char *name);

/* Run and check; the answer is freed. */
int weir_s3_do(weir_s3 *s3, const weir_s3_call *call, weir_error *err);

/* The error's code in a body, "NoSuchKey"; "" when there is none. */
void weir_s3_error_code(const weir_http_response *response, char *out, size_t size);

/* What a HEAD says of a file. False where the headers lack it. */
bool weir_s3_file_info(const weir_http_response *response, weir_file_info *out);

/* "Sun, 06 Nov 1994 08:49:37 GMT" and "1994-11-06T08:49:37.000Z" in milliseconds; 0 when malformed. */
int64_t weir_s3_http_time(const char *text);
int64_t weir_s3_iso_time(const char *text);

#endif
