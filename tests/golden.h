/* Tables that another implementation wrote, for tests that compare with them.
 *
 * They lie in $WEIR_SHARED/golden (default ../shared/golden), which a checkout need not have: tests call
 * golden_available() first and pass when it says no. */
#ifndef WEIR_TESTS_GOLDEN_H
#define WEIR_TESTS_GOLDEN_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "support/shared_files.h"

static inline const char *golden_root(void)
{
    static char root[1024];
    snprintf(root, sizeof root, "%.*s", 1000, shared_path("golden"));
    return root;
}

static inline bool golden_available(void) { return shared_available("golden"); }

/* The path of a file of a golden table: golden_path("tags", "table/schema/schema-0"). Static memory, four in turn. */
static inline const char *golden_path(const char *table, const char *rest)
{
    static char paths[4][4096];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%.*s/%.*s", golden_root(), 1000, table, 1000, rest);
    return path;
}

/* Appends a whole file; false when it cannot be read. */
static inline bool golden_read(const char *path, weir_buffer *out)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return false;
    }
    char piece[65536];
    size_t size;
    while ((size = fread(piece, 1, sizeof piece, file)) > 0) {
        weir_buffer_append(out, piece, size);
    }
    fclose(file);
    return true;
}

/* Calls `visit` with the path of every file below `folder` whose name begins with `prefix`; folders in byte order. */
static inline void golden_walk(const char *folder, const char *prefix, void (*visit)(const char *path, void *context),
                               void *context)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char path[4096];
        struct stat status;
        snprintf(path, sizeof path, "%.*s/%s", 3800, folder, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.' && stat(path, &status) == 0) {
            if (S_ISDIR(status.st_mode)) {
                golden_walk(path, prefix, visit, context);
            } else if (strncmp(entries[i]->d_name, prefix, strlen(prefix)) == 0) {
                visit(path, context);
            }
        }
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
}

#endif
