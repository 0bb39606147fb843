/* Settings of file systems: which keys they are, and finding one. What they mean, each file system says itself.
 *
 * Of Hadoop's S3A and OSS there are some hundred options, most of them for its threads and buffers: they are taken, and
 * have no effect here. So a key is wrong when it is near one that counts, or far from all of Hadoop's families. */
#include "fs/settings.h"

#include <ctype.h>
#include <string.h>

#include "base/buffer.h"
#include "base/text.h"

typedef struct setting_family {
    const char *const *prefixes;
    const char *const *names;       /* that have an effect */
    const char *const *first_words; /* of Hadoop's other ones; NULL: there are none */
} setting_family;

static const char *const s3_prefixes[] = {"s3.", "s3a.", "fs.s3a.", "fs.s3.", "fs.s3n.", NULL};
static const char *const s3_names[] = {
    "endpoint",          "access-key",      "secret-key",         "session-token",          "region",
    "endpoint.region",   "path.style.access", "connection.ssl.enabled", "conditional-writes", "aws.credentials.provider",
    "access.key.id",     "secret.access.key", NULL};
static const char *const s3_words[] = {
    "accesspoint", "acl",      "assumed",   "attempts",  "audit",     "authoritative", "aws",        "block",
    "bucket",      "buffer",   "bulk",      "change",    "cleanup",   "client",        "committer",  "connection",
    "create",      "cross",    "custom",    "delegation", "directory", "downgrade",    "encryption", "endpoint",
    "etag",        "executor", "experimental", "fast",   "fips",      "http",          "impl",       "input",
    "io",          "list",     "max",       "metadatastore", "multiobjectdelete", "multipart", "optimized", "paging",
    "path",        "performance", "prefetch", "proxy",   "readahead", "requester",     "retry",      "rename",
    "root",        "s3guard",  "security",  "select",    "server-side-encryption",     "server-side-encryption-algorithm",
    "session",     "signature", "signing-algorithm", "socket", "ssl", "ssl.channel.mode", "sts", "threads",
    "thread",      "user",     "vectored",  "analytics", "ext",       "storage",       NULL};

static const char *const oss_prefixes[] = {"fs.oss.", "oss.", NULL};
static const char *const oss_names[] = {"endpoint", "accessKeyId", "accessKeySecret", "securityToken", "region", NULL};
static const char *const oss_words[] = {"acl",       "assumed", "attempts",  "block",   "buffer", "client", "connection",
                                        "copy",      "credentials", "fast",  "impl",    "list",   "max",    "multipart",
                                        "paging",    "proxy",   "server-side-encryption-algorithm", "signature", "sts",
                                        "threads",   "upload",  "user",      NULL};

static const char *const hdfs_prefixes[] = {"hdfs.", NULL};
static const char *const hdfs_names[] = {"webhdfs.address", "user", "delegation-token", NULL};

static const char *const hadoop_prefixes[] = {"hadoop-", NULL};
static const char *const hadoop_names[] = {"conf-dir", "conf-loader", NULL};

static const setting_family families[] = {
    {s3_prefixes, s3_names, s3_words},
    {oss_prefixes, oss_names, oss_words},
    {hdfs_prefixes, hdfs_names, NULL},
    {hadoop_prefixes, hadoop_names, NULL},
};

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

/* ---- names ---- */

static bool separates(char byte) { return byte == '.' || byte == '-' || byte == '_'; }

bool weir_fs_same_setting_name(const char *a, const char *b)
{
    for (;; a++, b++) {
        char x = (char)(separates(*a) ? '.' : tolower((unsigned char)*a));
        char y = (char)(separates(*b) ? '.' : tolower((unsigned char)*b));
        if (x != y || x == '\0') {
            return x == y;
        }
    }
}

/* Whether `name` is how `known` begins when nobody looks at dots and hyphens: "pathstyle" of "path.style.access". */
static bool abbreviates(const char *name, const char *known)
{
    size_t size = 0;
    for (;; name++, known++, size++) {
        name += separates(*name);
        known += separates(*known);
        if (*name == '\0' || tolower((unsigned char)*name) != tolower((unsigned char)*known)) {
            return *name == '\0' && size >= 5;
        }
    }
}

/* The name that was probably meant; NULL: none. */
static const char *find_near(const setting_family *family, const char *name)
{
    size_t count = 0;
    for (; family->names[count] != NULL; count++) {
        if (abbreviates(name, family->names[count])) {
            return family->names[count];
        }
    }
    return weir_suggest(name, family->names, count);
}

static bool has_name(const setting_family *family, const char *name)
{
    bool found = false;
    for (size_t i = 0; family->names[i] != NULL; i++) {
        found |= weir_fs_same_setting_name(family->names[i], name);
    }
    return found;
}

static bool has_first_word(const setting_family *family, const char *name)
{
    size_t size = strcspn(name, ".");
    for (size_t i = 0; family->first_words != NULL && family->first_words[i] != NULL; i++) {
        if (strlen(family->first_words[i]) == size && strncmp(family->first_words[i], name, size) == 0) {
            return true;
        }
    }
    return false;
}

static int unknown_setting(const setting_family *family, const char *key, size_t prefix_size, weir_error *err)
{
    const char *near = find_near(family, key + prefix_size);
    if (near != NULL) {
        return weir_fail(err, WEIR_INVALID, "there is no option '%s'; did you mean '%.*s%s'?", key, (int)prefix_size, key,
                         near);
    }
    weir_buffer names = {0};
    for (size_t i = 0; family->names[i] != NULL; i++) {
        weir_buffer_append_format(&names, "%s'%.*s%s'", i == 0 ? "" : ", ", (int)prefix_size, key, family->names[i]);
    }
    int code = weir_fail(err, WEIR_INVALID, "there is no option '%s'; there is %s", key, weir_buffer_text(&names));
    weir_buffer_free(&names);
    return code;
}

int weir_fs_check_setting(const char *key, weir_error *err)
{
    const char *plain = strncmp(key, "hadoop.", 7) == 0 ? key + 7 : key;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const setting_family *family = &families[i];
        for (const char *const *prefix = family->prefixes; *prefix != NULL; prefix++) {
            size_t size = strlen(*prefix);
            const char *name = plain + size;
            if (strncmp(plain, *prefix, size) != 0) {
                continue;
            }
            bool is_known = has_name(family, name) || (has_first_word(family, name) && find_near(family, name) == NULL);
            return is_known ? WEIR_OK : unknown_setting(family, key, (size_t)(name - key), err);
        }
    }
    return WEIR_OK;
}
