/* libweir: read and write Apache Paimon tables from C.
 *
 * This is the one public header of the library. Data go in and out through the Arrow C data and stream
 * interfaces; everything else is small opaque handles.
 *
 * Conventions
 *   - Every fallible function returns a weir_code and fills the caller's weir_error, which may be NULL.
 *   - Out-parameters come last before the error, are set only on success, and the caller owns them.
 *   - weir_x_free(x) and weir_x_close(x) take NULL.
 *   - A handle is used by one thread at a time; different handles may be used by different threads. */
#ifndef WEIR_WEIR_H
#define WEIR_WEIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define WEIR_API __attribute__((visibility("default")))
#else
#define WEIR_API
#endif

/* The Arrow C data interface: columns in memory, handed over with a function that releases them. The layout is fixed by
 * https://arrow.apache.org/docs/format/CDataInterface.html; a program may have these definitions from elsewhere. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE           2
#define ARROW_FLAG_MAP_KEYS_SORTED    4

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

#endif

/* The Arrow C stream interface: https://arrow.apache.org/docs/format/CStreamInterface.html. */
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

#endif

/* What went wrong, in as few kinds as a caller can act upon. */
typedef enum weir_code {
    WEIR_OK = 0,
    WEIR_INVALID,     /* the request itself is wrong: SQL, an option, an argument */
    WEIR_NOT_FOUND,   /* a file, table, snapshot or name that does not exist */
    WEIR_EXISTS,      /* it exists already */
    WEIR_CORRUPT,     /* bytes on disk are not what the format says */
    WEIR_CONFLICT,    /* somebody else committed something that excludes this change */
    WEIR_RETRY,       /* may succeed when tried again */
    WEIR_DENIED,      /* no permission */
    WEIR_NO_MEMORY,   /* the memory budget does not allow it */
    WEIR_UNSUPPORTED, /* valid, but not offered by this version */
    WEIR_IO,          /* the operating system or the store failed */
    WEIR_CANCELLED,   /* stopped by the user */
    WEIR_END,         /* not an error: nothing more will come */
    WEIR_IDLE         /* not an error: nothing now, ask again later */
} weir_code;

#define WEIR_ERROR_MESSAGE_SIZE 1024

/* The reason for a failure, owned by the caller. The message says what is wrong, where, and what to do. */
typedef struct weir_error {
    weir_code code;
    int32_t line;   /* position in the SQL text, from 1; 0 when there is none */
    int32_t column; /* in characters, from 1; 0 when there is none */
    char message[WEIR_ERROR_MESSAGE_SIZE];
} weir_error;

/* The version of the library, such as "0.1.0". Static memory. */
WEIR_API const char *weir_version(void);

#ifdef __cplusplus
}
#endif

#endif
