/* Shared libraries that are opened on first use: those of networks, which most runs never need and which would cost
 * every start of the program their loading.
 *
 * Threading: thread-safe. */
#ifndef WEIR_BASE_LIBRARY_H
#define WEIR_BASE_LIBRARY_H

#include <pthread.h>

#include "base/error.h"

typedef struct weir_library_function {
    const char *name;
    void *target; /* of a pointer to the function */
} weir_library_function;

/* Static in the file that uses the library. */
typedef struct weir_library {
    const char *file;    /* "libcurl.so.4" */
    const char *package; /* that has it: "libcurl4" */
    const weir_library_function *functions;
    size_t function_count;
    pthread_mutex_t mutex; /* PTHREAD_MUTEX_INITIALIZER */
    bool is_open;
} weir_library;

/* Sets the pointers; the library stays open until the process ends. WEIR_UNSUPPORTED says which package has it. */
int weir_library_open(weir_library *library, weir_error *err);

#endif
