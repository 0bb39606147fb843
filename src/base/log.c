/* Log lines: "2026-01-31T12:00:00.000Z WARN text", each written by one call so that threads do not mix theirs. */
#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define LINE_SIZE 2048

static _Atomic int log_level = WEIR_LOG_WARN;

void weir_log_set_level(weir_log_level level) { atomic_store_explicit(&log_level, (int)level, memory_order_relaxed); }

static int format_head(char *line, weir_log_level level)
{
    static const char *const names[] = {"ERROR", "WARN", "INFO", "DEBUG"};
    int64_t now_ms = weir_now_ms();
    time_t seconds = (time_t)(now_ms / 1000);
    struct tm fields;
    gmtime_r(&seconds, &fields);
    size_t size = strftime(line, LINE_SIZE, "%Y-%m-%dT%H:%M:%S", &fields);
    return (int)size + snprintf(line + size, LINE_SIZE - size, ".%03dZ %s ", (int)(now_ms % 1000), names[level]);
}

void weir_log(weir_log_level level, const char *format, ...)
{
    if ((int)level > atomic_load_explicit(&log_level, memory_order_relaxed)) {
        return;
    }
    char line[LINE_SIZE];
    int head = format_head(line, level);
    int room = LINE_SIZE - 1 - head; /* one byte is kept for the line's end */
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(line + head, (size_t)room, format, arguments);
    va_end(arguments);
    size = size < 0 ? 0 : size >= room ? room - 1 : size;
    line[head + size] = '\n';
    ssize_t written = write(STDERR_FILENO, line, (size_t)head + (size_t)size + 1);
    (void)written; /* there is nowhere left to complain */
}
