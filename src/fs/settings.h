/* What a file system is opened with: options of a catalog, a table or a call. */
#ifndef WEIR_FS_SETTINGS_H
#define WEIR_FS_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Pairs, borrowed. Those that no file system knows are passed over, so that the options of a table or catalog can be
 * given as they are. NULL in place of a pointer to it: none. */
typedef struct weir_fs_settings {
    const char *const *keys;
    const char *const *values;
    size_t count;
} weir_fs_settings;

/* Whether `key` is for file systems: "s3.endpoint", "fs.s3a.access.key", "dfs.nameservices". Such pairs are never kept
 * with a table. */
bool weir_fs_is_setting(const char *key);

/* Whether there is such a setting: WEIR_INVALID names the one that was probably meant, or those there are. Hadoop's own
 * properties ("dfs.…", "hadoop.…") may be any. */
int weir_fs_check_setting(const char *key, weir_error *err);

/* Whether two names of settings, without what comes before them, are the same but for case and '.', '-' and '_'. */
bool weir_fs_same_setting_name(const char *a, const char *b);

/* The value of `key`, the last one where there are several; NULL: not set. */
const char *weir_fs_setting(const weir_fs_settings *settings, const char *key);

#endif
