/* Files that a checkout need not have, in $WEIR_SHARED (default ../shared): tables that others wrote, and what they
 * answered. Tests that find none say so and pass. */
#ifndef WEIR_TESTS_SHARED_FILES_H
#define WEIR_TESTS_SHARED_FILES_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The path of a file or folder there. Static memory, four in turn. */
static inline const char *shared_path(const char *name)
{
    static char paths[4][4000];
    static int next;
    const char *shared = getenv("WEIR_SHARED");
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%.*s/%.*s", 1900, shared == NULL ? "../shared" : shared, 1900, name);
    return path;
}

/* Whether it is there; says that the test is skipped where not. */
static inline bool shared_available(const char *name)
{
    if (access(shared_path(name), R_OK) == 0) {
        return true;
    }
    printf("skipped: no %s\n", shared_path(name));
    return false;
}

/* Opens one of the files with Flink's answers for reading; NULL, saying that the test is skipped, where it is not
 * there.
 */
static inline FILE *shared_oracle(const char *name)
{
    char path[1000];
    snprintf(path, sizeof path, "spec/oracle/%.*s", 900, name);
    return shared_available(path) ? fopen(shared_path(path), "r") : NULL;
}

#endif
