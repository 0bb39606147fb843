/* The log of a state folder: opened for each line, since there are few, and put aside when it has grown large. */
#include "session/job/job_log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "session/job/state_folder.h"

#define MOST_BYTES (1 << 20) /* of one file */

static void put_aside(const char *path)
{
    struct stat info;
    if (stat(path, &info) == 0 && info.st_size > MOST_BYTES) {
        char *old = weir_format("%s.1", path);
        (void)rename(path, old);
        free(old);
    }
}

static void append_time(FILE *file)
{
    char text[32];
    int64_t now_ms = weir_now_ms();
    time_t seconds = (time_t)(now_ms / 1000);
    struct tm fields;
    gmtime_r(&seconds, &fields);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &fields);
    fprintf(file, "%s.%03dZ ", text, (int)(now_ms % 1000));
}

void weir_job_log(weir_session *session, const char *format, ...)
{
    if (session->state == NULL) {
        return;
    }
    char *folder = weir_format("%s/log", session->state->path);
    char *path = weir_format("%s/weir.log", folder);
    (void)mkdir(folder, 0755);
    put_aside(path);
    FILE *file = fopen(path, "ae");
    if (file != NULL) {
        va_list arguments;
        va_start(arguments, format);
        append_time(file);
        vfprintf(file, format, arguments);
        fputc('\n', file);
        va_end(arguments);
        fclose(file);
    }
    free(path);
    free(folder);
}
