/* Settings of S3 under all the names they have.
 *
 * Java's Paimon takes s3.*, s3a.* and fs.s3a.*, with '-' and '.' alike ("s3.access-key", "fs.s3a.access.key"), Hadoop's
 * also for one bucket ("fs.s3a.bucket.NAME.endpoint"); OSS has fs.oss.* of its own. So keys are compared without the
 * prefix and with '.' for '-'. */
#include "fs/s3/config.h"

#include <string.h>

#include "base/text.h"
#include "fs/s3/profile.h"

typedef struct config_reader {
    const weir_fs_settings *settings;
    weir_arena *arena;
    const char *root; /* for messages */
    const char *bucket;
    bool is_oss;
    weir_s3_profile profile;
} config_reader;

/* ---- settings ---- */

static const char *plain_name(const char *key, bool is_oss)
{
    static const char *const prefixes[] = {"fs.s3a.", "s3a.", "s3.", "fs.s3.", "fs.s3n.", NULL};
    static const char *const oss_prefixes[] = {"fs.oss.", "oss.", NULL};
    key += strncmp(key, "hadoop.", 7) == 0 ? 7 : 0;
    for (const char *const *prefix = is_oss ? oss_prefixes : prefixes; *prefix != NULL; prefix++) {
        if (strncmp(key, *prefix, strlen(*prefix)) == 0) {
            return key + strlen(*prefix);
        }
    }
    return NULL;
}

static const char *find_named(const config_reader *reader, const char *name, bool is_oss)
{
    const weir_fs_settings *settings = reader->settings;
    for (size_t i = settings == NULL ? 0 : settings->count; i > 0; i--) {
        const char *plain = plain_name(settings->keys[i - 1], is_oss);
        if (plain != NULL && weir_fs_same_setting_name(plain, name) && settings->values[i - 1][0] != '\0') {
            return weir_arena_strdup(reader->arena, settings->values[i - 1]);
        }
    }
    return NULL;
}

/* The first of `names` (NULL after the last) that is set, for this bucket or for all. */
static const char *find_setting(const config_reader *reader, const char *const *names)
{
    const char *value = NULL;
    for (; value == NULL && *names != NULL; names++) {
        value = find_named(reader, weir_arena_format(reader->arena, "bucket.%s.%s", reader->bucket, *names), false);
        value = value == NULL && reader->is_oss ? find_named(reader, *names, true) : value;
        value = value == NULL ? find_named(reader, *names, false) : value;
    }
    return value;
}

#define SETTING(reader, ...) find_setting((reader), (const char *const[]){__VA_ARGS__, NULL})

static int find_flag(const config_reader *reader, const char *name, bool otherwise, bool *out, weir_error *err)
{
    const char *value = SETTING(reader, name);
    *out = value == NULL ? otherwise : weir_text_equal_ignore_case(value, "true");
    if (value == NULL || *out || weir_text_equal_ignore_case(value, "false")) {
        return WEIR_OK;
    }
    return weir_fail(err, WEIR_INVALID, "%s: the setting '%s' is '%s'; expected true or false", reader->root, name,
                     value);
}

/* ---- keys ---- */

/* Hadoop's list of classes that look for keys: those whose places are looked at in any case, and the one that signs
 * nothing. */
static int check_provider(const config_reader *reader, const char *list, weir_error *err)
{
    static const char *const known[] = {"Simple", "Temporary", "Environment", "WebIdentity", "Profile", "Container",
                                        "Instance", "Default"};
    for (const char *at = list + strspn(list, ", \n"); *at != '\0'; at += strspn(at, ", \n")) {
        const char *name = weir_arena_strndup(reader->arena, at, strcspn(at, ", \n"));
        bool is_known = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
            is_known |= strstr(name, known[i]) != NULL;
        }
        if (!is_known) {
            return weir_fail(err, WEIR_UNSUPPORTED,
                             "%s: the setting 'aws.credentials.provider' names %s, which is not offered; leave it out, "
                             "and keys are looked for in options, environment, profiles, and the machine's own",
                             reader->root, name);
        }
        at += strlen(name);
    }
    return WEIR_OK;
}

static int find_keys(const config_reader *reader, weir_s3_config *out, weir_error *err)
{
    const char *provider = SETTING(reader, "aws.credentials.provider");
    if (provider != NULL && strstr(provider, "Anonymous") != NULL) {
        out->is_anonymous = true;
        return WEIR_OK;
    }
    if (provider != NULL) {
        WEIR_TRY(check_provider(reader, provider, err));
    }
    out->access_key = SETTING(reader, "access.key", "accesskeyid", "access.key.id");
    out->secret_key = SETTING(reader, "secret.key", "accesskeysecret", "secret.access.key");
    out->session_token = SETTING(reader, "session.token", "securitytoken");
    if ((out->access_key == NULL) != (out->secret_key == NULL)) {
        bool has_access_key = out->access_key != NULL;
        return weir_fail(err, WEIR_INVALID, "%s: there is %s key but no %s key; set 's3.%s-key' as well", reader->root,
                         has_access_key ? "an access" : "a secret", has_access_key ? "secret" : "access",
                         has_access_key ? "secret" : "access");
    }
    return WEIR_OK;
}

/* ---- endpoint and region ---- */

static const char *find_endpoint(const config_reader *reader)
{
    const char *endpoint = SETTING(reader, "endpoint");
    endpoint = endpoint == NULL ? weir_s3_environment("AWS_ENDPOINT_URL_S3") : endpoint;
    endpoint = endpoint == NULL ? weir_s3_environment("AWS_ENDPOINT_URL") : endpoint;
    return endpoint == NULL ? weir_s3_profile_get(&reader->profile, "endpoint_url", reader->arena) : endpoint;
}

/* "eu-west-1" of "s3.eu-west-1.amazonaws.com". */
static const char *region_of_host(const char *host, weir_arena *arena)
{
    const char *end = strstr(host, ".amazonaws.com");
    if (end == NULL || strncmp(host, "s3", 2) != 0 || (host[2] != '.' && host[2] != '-') || host + 3 >= end) {
        return NULL;
    }
    return weir_arena_strndup(arena, host + 3, (size_t)(end - host - 3));
}

static const char *find_region(const config_reader *reader, const char *host)
{
    const char *region = SETTING(reader, "region", "endpoint.region");
    region = region == NULL ? weir_s3_environment("AWS_REGION") : region;
    region = region == NULL ? weir_s3_environment("AWS_DEFAULT_REGION") : region;
    region = region == NULL ? weir_s3_profile_get(&reader->profile, "region", reader->arena) : region;
    region = region == NULL && host != NULL ? region_of_host(host, reader->arena) : region;
    return region == NULL ? "us-east-1" : weir_arena_strdup(reader->arena, region);
}

/* "https", "host:port" and "/path" of an endpoint; a path, as of a gateway that has others beside it, precedes every key. */
static int split_endpoint(const config_reader *reader, const char *endpoint, const char **out_scheme,
                          const char **out_host, const char **out_path, weir_error *err)
{
    bool is_secure;
    WEIR_TRY(find_flag(reader, "connection.ssl.enabled", true, &is_secure, err));
    *out_scheme = is_secure ? "https" : "http";
    const char *host = strstr(endpoint, "://");
    if (host != NULL) {
        *out_scheme = weir_arena_strndup(reader->arena, endpoint, (size_t)(host - endpoint));
        host += 3;
    } else {
        host = endpoint;
    }
    size_t size = strcspn(host, "/?#");
    bool is_known = strcmp(*out_scheme, "http") == 0 || strcmp(*out_scheme, "https") == 0;
    const char *path = host + size;
    size_t path_size = strlen(path);
    while (path_size > 0 && path[path_size - 1] == '/') {
        path_size--;
    }
    if (!is_known || size == 0 || strpbrk(path, "?#%") != NULL || memchr(host, '@', size) != NULL) {
        return weir_fail(err, WEIR_INVALID, "%s: an endpoint is such as 'https://host:port', not '%s'", reader->root,
                         memchr(endpoint, '@', strlen(endpoint)) == NULL ? endpoint : "one with a user in it");
    }
    *out_host = weir_arena_strndup(reader->arena, host, size);
    *out_path = weir_arena_strndup(reader->arena, path, path_size);
    return WEIR_OK;
}

/* Whether "bucket.host" is no name that could be found, or none that a certificate could have. */
static bool needs_path_style(const char *bucket, const char *scheme, const char *host)
{
    bool is_number = host[0] == '[' || strspn(host, "0123456789.:") == strlen(host);
    bool is_local = strncmp(host, "localhost", 9) == 0;
    return is_number || is_local || (strcmp(scheme, "https") == 0 && strchr(bucket, '.') != NULL);
}

static int find_place(const config_reader *reader, weir_s3_config *out, weir_error *err)
{
    const char *endpoint = find_endpoint(reader);
    const char *scheme = "https";
    const char *host = NULL;
    const char *path = "";
    bool path_style;
    if (endpoint == NULL && reader->is_oss) {
        return weir_fail(err, WEIR_INVALID, "%s: set 'fs.oss.endpoint'", reader->root);
    }
    if (endpoint != NULL) {
        WEIR_TRY(split_endpoint(reader, endpoint, &scheme, &host, &path, err));
    }
    out->region = find_region(reader, host);
    if (host == NULL) {
        host = weir_arena_format(reader->arena, "s3.%s.amazonaws.com", out->region);
    }
    WEIR_TRY(find_flag(reader, "path.style.access", needs_path_style(out->bucket, scheme, host), &path_style, err));
    /* Hadoop's and Paimon's default is false, which many write out though it cannot work: numbers have no names. */
    path_style = path_style || needs_path_style(out->bucket, scheme, host);
    out->host = path_style ? host : weir_arena_format(reader->arena, "%s.%s", out->bucket, host);
    out->prefix = path_style ? weir_arena_format(reader->arena, "%s/%s", path, out->bucket) : path;
    out->base = weir_arena_format(reader->arena, "%s://%s%s", scheme, out->host, out->prefix);
    return WEIR_OK;
}

/* ---- all ---- */

static int find_commit(const config_reader *reader, weir_s3_config *out, weir_error *err)
{
    const char *value = SETTING(reader, "conditional.writes");
    if (value == NULL || weir_text_equal_ignore_case(value, "auto")) {
        out->commit = WEIR_S3_COMMIT_PROBED;
    } else if (weir_text_equal_ignore_case(value, "true")) {
        out->commit = WEIR_S3_COMMIT_CONDITIONAL;
    } else if (weir_text_equal_ignore_case(value, "single-writer")) {
        out->commit = WEIR_S3_COMMIT_SINGLE_WRITER;
    } else {
        return weir_fail(err, WEIR_INVALID,
                         "%s: the setting 's3.conditional-writes' is '%s'; expected auto, true or single-writer",
                         reader->root, value);
    }
    return WEIR_OK;
}

/* Names that could not be part of a host's name would lead requests elsewhere. */
static int check_bucket(const char *root, const char *bucket, weir_error *err)
{
    size_t size = strlen(bucket);
    size_t good = strspn(bucket, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_");
    if (size == 0 || good < size) {
        return weir_fail(err, WEIR_INVALID, "%s: expected the name of a bucket after '://'", root);
    }
    return WEIR_OK;
}

int weir_s3_config_read(const char *root, const weir_fs_settings *settings, weir_arena *arena, weir_s3_config *out,
                        weir_error *err)
{
    config_reader reader = {.settings = settings, .arena = arena, .root = root};
    *out = (weir_s3_config){0};
    reader.is_oss = strncmp(root, "oss:", 4) == 0;
    reader.bucket = out->bucket = weir_arena_strdup(arena, strstr(root, "://") + 3);
    WEIR_TRY(check_bucket(root, out->bucket, err));
    weir_s3_profile_read(arena, &reader.profile);
    WEIR_TRY(find_place(&reader, out, err));
    WEIR_TRY(find_commit(&reader, out, err));
    return find_keys(&reader, out, err);
}
