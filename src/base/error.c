/* Errors: formatting messages into a caller's weir_error.
 *
 * A message is built aside and then copied, so that its arguments may point into the error that is being replaced
 * (as when a message is given a context). */
#include "base/error.h"

#include <errno.h>
#include <stdio.h>

/* Ends an over-long message with "…" without cutting a UTF-8 sequence in two. */
static void mark_as_cut(char *message)
{
    static const char ellipsis[] = "\xe2\x80\xa6";
    size_t end = WEIR_ERROR_MESSAGE_SIZE - sizeof ellipsis;
    while (end > 0 && ((unsigned char)message[end] & 0xC0) == 0x80) {
        end--;
    }
    memcpy(message + end, ellipsis, sizeof ellipsis);
}

static void format_message(char *message, const char *format, va_list arguments)
{
    int size = vsnprintf(message, WEIR_ERROR_MESSAGE_SIZE, format, arguments);
    if (size >= WEIR_ERROR_MESSAGE_SIZE) {
        mark_as_cut(message);
    } else if (size < 0) {
        snprintf(message, WEIR_ERROR_MESSAGE_SIZE, "%s", format);
    }
}

static void set_error(weir_error *err, weir_code code, int line, int column, const char *format, va_list arguments)
{
    if (!err) {
        return;
    }
    char message[WEIR_ERROR_MESSAGE_SIZE];
    format_message(message, format, arguments);
    err->code = code;
    err->line = line;
    err->column = column;
    memcpy(err->message, message, strlen(message) + 1);
}

int (weir_fail)(weir_error *err, weir_code code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set_error(err, code, 0, 0, format, arguments);
    va_end(arguments);
    return code;
}

int (weir_fail_at)(weir_error *err, weir_code code, int line, int column, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set_error(err, code, line, column, format, arguments);
    va_end(arguments);
    return code;
}

int (weir_error_context)(weir_error *err, int code, const char *format, ...)
{
    if (!err || code == WEIR_OK || code == WEIR_END || code == WEIR_IDLE) {
        return code;
    }
    char context[WEIR_ERROR_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    format_message(context, format, arguments);
    va_end(arguments);

    /* "reading /a: /a/b: …" names the path once. */
    const char *path = strrchr(context, ' ');
    if (path != NULL && strchr(path, '/') != NULL && strncmp(err->message, path + 1, strlen(path + 1)) == 0) {
        context[path - context] = 0;
    }
    char whole[2 * WEIR_ERROR_MESSAGE_SIZE];
    int size = snprintf(whole, sizeof whole, "%s: %s", context, err->message);
    memcpy(err->message, whole, WEIR_ERROR_MESSAGE_SIZE - 1);
    err->message[WEIR_ERROR_MESSAGE_SIZE - 1] = 0;
    if (size >= WEIR_ERROR_MESSAGE_SIZE) {
        mark_as_cut(err->message);
    }
    err->code = (weir_code)code;
    return code;
}

int weir_fail_errno(weir_error *err, int errno_value, const char *what, const char *path)
{
    char text[128];
    const char *reason = strerror_r(errno_value, text, sizeof text);
    switch (errno_value) {
    case ENOENT:
        return weir_fail(err, WEIR_NOT_FOUND, "%s: %s: %s", path, what, reason);
    case EACCES:
    case EPERM:
        return weir_fail(err, WEIR_DENIED, "%s: %s: %s", path, what, reason);
    case EEXIST:
        return weir_fail(err, WEIR_EXISTS, "%s: %s: %s", path, what, reason);
    case ENOSPC:
    case EDQUOT:
        return weir_fail(err, WEIR_IO, "%s: %s: the disk is full (%s); free some space and try again", path, what,
                         reason);
    default:
        return weir_fail(err, WEIR_IO, "%s: %s: %s", path, what, reason);
    }
}

void weir_error_clear(weir_error *err)
{
    if (err) {
        err->code = WEIR_OK;
        err->line = 0;
        err->column = 0;
        err->message[0] = 0;
    }
}

const char *weir_code_name(int code)
{
    static const char *const names[] = {
        [WEIR_OK] = "ok",
        [WEIR_INVALID] = "invalid",
        [WEIR_NOT_FOUND] = "not found",
        [WEIR_EXISTS] = "exists already",
        [WEIR_CORRUPT] = "corrupt",
        [WEIR_CONFLICT] = "conflict",
        [WEIR_RETRY] = "try again",
        [WEIR_DENIED] = "permission denied",
        [WEIR_NO_MEMORY] = "out of memory",
        [WEIR_UNSUPPORTED] = "unsupported",
        [WEIR_IO] = "input/output error",
        [WEIR_CANCELLED] = "cancelled",
        [WEIR_END] = "end",
        [WEIR_IDLE] = "idle",
    };
    if (code < 0 || (size_t)code >= sizeof names / sizeof *names) {
        return "unknown error";
    }
    return names[code];
}
