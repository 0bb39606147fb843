/* Errors: a code for the caller, a message for the person. */
#ifndef WEIR_BASE_ERROR_H
#define WEIR_BASE_ERROR_H

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "weir/weir.h"

/* Fills `err` (which may be NULL) with a printf-style message and returns `code`, so that a failing function ends in
 * one line: return weir_fail(err, WEIR_CORRUPT, "%s: no PAR1 at the end", path). */
int weir_fail(weir_error *err, weir_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same with a position in the SQL text (line and column from 1). */
int weir_fail_at(weir_error *err, weir_code code, int line, int column, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Puts "context: " before the message that `err` holds; returns err->code. */
int weir_error_context(weir_error *err, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Compilers cannot see that these functions give back the code they were given, and would warn of variables that only
 * success sets; with the constant in sight they know. */
static inline int weir_code_given(int returned, int code)
{
    (void)returned;
    return code;
}
#define weir_fail(err, code, ...) weir_code_given((weir_fail)((err), (code), __VA_ARGS__), (code))
#define weir_fail_at(err, code, line, column, ...)                                                                     \
    weir_code_given((weir_fail_at)((err), (code), (line), (column), __VA_ARGS__), (code))
#define weir_error_context(err, code, ...) weir_code_given((weir_error_context)((err), (code), __VA_ARGS__), (code))

/* Fails with the meaning of an errno value: "path: what: strerror" and the fitting code (ENOENT is WEIR_NOT_FOUND,
 * EACCES WEIR_DENIED, EEXIST WEIR_EXISTS, others WEIR_IO). A full disk says so. */
int weir_fail_errno(weir_error *err, int errno_value, const char *what, const char *path);

void weir_error_clear(weir_error *err);

/* The name of a code, such as "not found". Static memory. */
const char *weir_code_name(int code);

/* Returns the code of a failing call as it is. WEIR_END and WEIR_IDLE are returned as well. */
#define WEIR_TRY(call)                                                                                                 \
    do {                                                                                                               \
        int try_code_ = (call);                                                                                        \
        if (try_code_ != WEIR_OK) {                                                                                    \
            return try_code_;                                                                                          \
        }                                                                                                              \
    } while (0)

/* As WEIR_TRY, saying where we were: WEIR_TRY_CTX(call, err, "compacting %s bucket %d", path, bucket). */
#define WEIR_TRY_CTX(call, err, ...)                                                                                   \
    do {                                                                                                               \
        int try_code_ = (call);                                                                                        \
        if (try_code_ != WEIR_OK) {                                                                                    \
            return weir_error_context((err), try_code_, __VA_ARGS__);                                                  \
        }                                                                                                              \
    } while (0)

/* For functions that hold something to undo: needs `int code` in scope and one label `done:`. */
#define WEIR_GO(call)                                                                                                  \
    do {                                                                                                               \
        code = (call);                                                                                                 \
        if (code != WEIR_OK) {                                                                                         \
            goto done;                                                                                                 \
        }                                                                                                              \
    } while (0)

#endif
