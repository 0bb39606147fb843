/* Settings of file systems: which keys they are, and finding one. What they mean, each file system says itself. */
#include "fs/settings.h"

#include <string.h>

bool weir_fs_is_setting(const char *key)
{
    static const char *const prefixes[] = {"s3.", "s3a.", "oss.", "fs.", "hadoop.", "hadoop-", "hdfs.", "dfs.", "security."};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (strncmp(key, prefixes[i], strlen(prefixes[i])) == 0) {
            return true;
        }
    }
    return false;
}

const char *weir_fs_setting(const weir_fs_settings *settings, const char *key)
{
    for (size_t i = settings == NULL ? 0 : settings->count; i > 0; i--) {
        if (strcmp(settings->keys[i - 1], key) == 0) {
            return settings->values[i - 1];
        }
    }
    return NULL;
}
