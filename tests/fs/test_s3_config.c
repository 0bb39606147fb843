/* Where endpoints, keys and regions come from. */
#include "fs/s3/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cmocka_all.h"
#include "fs/s3/call.h"
#include "fs/s3/xml.h"

static const char *const variables[] = {"AWS_ACCESS_KEY_ID",   "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
                                        "AWS_REGION",          "AWS_DEFAULT_REGION",    "AWS_PROFILE",
                                        "AWS_DEFAULT_PROFILE", "AWS_ENDPOINT_URL",      "AWS_ENDPOINT_URL_S3",
                                        "AWS_CONFIG_FILE",     "AWS_SHARED_CREDENTIALS_FILE"};

static int clear_environment(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        unsetenv(variables[i]);
    }
    setenv("HOME", "/nowhere", 1);
    return 0;
}

#define MOST_PAIRS 8

/* Pairs "key=value"; ends with NULL. */
static int read_config(const char *root, const char *const *pairs, weir_arena *arena, weir_s3_config *out,
                       weir_error *err)
{
    const char *keys[MOST_PAIRS];
    const char *values[MOST_PAIRS];
    weir_fs_settings settings = {keys, values, 0};
    for (; *pairs != NULL; pairs++) {
        const char *equals = strchr(*pairs, '=');
        keys[settings.count] = weir_arena_strndup(arena, *pairs, (size_t)(equals - *pairs));
        values[settings.count++] = equals + 1;
    }
    return weir_s3_config_read(root, &settings, arena, out, err);
}

#define CONFIG(root, ...) assert_int_equal(read_config((root), (const char *const[]){__VA_ARGS__, NULL}, &arena, &config, &err), WEIR_OK)

static void every_spelling_of_a_key_is_taken(void **state)
{
    (void)state;
    static const char *const spellings[][4] = {
        {"s3.endpoint=http://h:9000", "s3.access-key=A", "s3.secret-key=S", "s3.path.style.access=true"},
        {"s3.endpoint=http://h:9000", "s3.access.key=A", "s3.secret.key=S", "s3.path-style-access=true"},
        {"s3a.endpoint=http://h:9000", "s3a.access-key=A", "s3a.secret-key=S", "s3a.path-style-access=TRUE"},
        {"fs.s3a.endpoint=http://h:9000", "fs.s3a.access.key=A", "fs.s3a.secret.key=S", "fs.s3a.path.style.access=true"},
        {"hadoop.fs.s3a.endpoint=http://h:9000", "hadoop.fs.s3a.access.key=A", "hadoop.fs.s3a.secret.key=S",
         "hadoop.fs.s3a.path.style.access=true"},
        {"fs.s3a.bucket.b.endpoint=http://h:9000", "fs.s3a.bucket.b.access.key=A", "fs.s3a.bucket.b.secret.key=S",
         "fs.s3a.path.style.access=true"},
    };
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        weir_arena arena;
        weir_error err;
        weir_s3_config config;
        weir_arena_init(&arena);
        CONFIG("s3://b", spellings[i][0], spellings[i][1], spellings[i][2], spellings[i][3]);
        assert_string_equal(config.base, "http://h:9000/b");
        assert_string_equal(config.host, "h:9000");
        assert_string_equal(config.access_key, "A");
        assert_string_equal(config.secret_key, "S");
        assert_null(config.session_token);
        assert_string_equal(config.region, "us-east-1");
        weir_arena_free(&arena);
    }
}

static void a_bucket_is_part_of_the_host_where_it_can_be(void **state)
{
    (void)state;
    static const struct {
        const char *root;
        const char *endpoint;
        const char *base;
        const char *region;
    } cases[] = {
        {"s3://b", "s3.x=", "https://b.s3.us-east-1.amazonaws.com", "us-east-1"},
        {"s3://b", "s3.region=eu-west-1", "https://b.s3.eu-west-1.amazonaws.com", "eu-west-1"},
        {"s3://b", "s3.endpoint=s3.eu-west-1.amazonaws.com", "https://b.s3.eu-west-1.amazonaws.com", "eu-west-1"},
        {"s3://b", "s3.endpoint=https://minio.example", "https://b.minio.example", "us-east-1"},
        {"s3://b", "s3.endpoint=http://minio.example:9000/", "http://b.minio.example:9000", "us-east-1"},
        {"s3://b", "s3.endpoint=http://127.0.0.1:9000", "http://127.0.0.1:9000/b", "us-east-1"},
        {"s3://b", "s3.endpoint=http://[::1]:9000", "http://[::1]:9000/b", "us-east-1"},
        {"s3://b", "s3.endpoint=localhost:9000", "https://localhost:9000/b", "us-east-1"},
        {"s3://b", "s3.endpoint=http://127.0.0.1:9000/storage/v1/s3/", "http://127.0.0.1:9000/storage/v1/s3/b", "us-east-1"},
        {"s3://b", "s3.endpoint=https://gate.example/s3", "https://b.gate.example/s3", "us-east-1"},
        {"s3://b.c", "s3.x=", "https://s3.us-east-1.amazonaws.com/b.c", "us-east-1"},
        {"oss://b", "fs.oss.endpoint=oss-cn-hangzhou.aliyuncs.com", "https://b.oss-cn-hangzhou.aliyuncs.com",
         "us-east-1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_arena arena;
        weir_error err;
        weir_s3_config config;
        weir_arena_init(&arena);
        CONFIG(cases[i].root, "s3.access-key=A", "s3.secret-key=S", cases[i].endpoint);
        assert_string_equal(config.base, cases[i].base);
        assert_string_equal(config.region, cases[i].region);
        weir_arena_free(&arena);
    }
}

static void oss_has_keys_of_its_own(void **state)
{
    (void)state;
    weir_arena arena;
    weir_error err;
    weir_s3_config config;
    weir_arena_init(&arena);
    CONFIG("oss://b", "fs.oss.endpoint=https://oss.example", "fs.oss.accessKeyId=A", "fs.oss.accessKeySecret=S",
           "fs.oss.securityToken=T");
    assert_string_equal(config.access_key, "A");
    assert_string_equal(config.secret_key, "S");
    assert_string_equal(config.session_token, "T");
    weir_arena_free(&arena);
}

static void the_environment_comes_after_settings(void **state)
{
    (void)state;
    weir_arena arena;
    weir_error err;
    weir_s3_config config;
    weir_arena_init(&arena);
    setenv("AWS_REGION", "eu-north-1", 1);
    setenv("AWS_ENDPOINT_URL", "http://env:1", 1);
    CONFIG("s3://b", "bucket=4");
    assert_null(config.access_key);
    assert_string_equal(config.region, "eu-north-1");
    assert_string_equal(config.base, "http://b.env:1");
    CONFIG("s3://b", "s3.access-key=A", "s3.secret-key=S", "s3.region=x", "s3.endpoint=http://set:2");
    assert_string_equal(config.access_key, "A");
    assert_string_equal(config.region, "x");
    assert_string_equal(config.base, "http://b.set:2");
    assert_false(config.is_anonymous);
    weir_arena_free(&arena);
}

static void providers_of_keys_are_known_by_their_classes(void **state)
{
    (void)state;
    weir_arena arena;
    weir_error err;
    weir_s3_config config;
    weir_arena_init(&arena);
    CONFIG("s3://b", "fs.s3a.aws.credentials.provider=org.apache.hadoop.fs.s3a.AnonymousAWSCredentialsProvider");
    assert_true(config.is_anonymous);
    CONFIG("s3://b", "fs.s3a.aws.credentials.provider=com.amazonaws.auth.WebIdentityTokenCredentialsProvider, "
                     "org.apache.hadoop.fs.s3a.auth.IAMInstanceCredentialsProvider");
    assert_false(config.is_anonymous);
    assert_int_equal(read_config("s3://b",
                                 (const char *const[]){"fs.s3a.aws.credentials.provider="
                                                       "org.apache.hadoop.fs.s3a.auth.AssumedRoleCredentialProvider",
                                                       NULL},
                                 &arena, &config, &err),
                     WEIR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "names org.apache.hadoop.fs.s3a.auth.AssumedRoleCredentialProvider, which"));
    weir_arena_free(&arena);
}

static char *write_temporary(const char *text)
{
    char *path = weir_strdup("/tmp/weir-test-XXXXXX");
    int file = mkstemp(path);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    return path;
}

static void profiles_come_last(void **state)
{
    (void)state;
    weir_arena arena;
    weir_error err;
    weir_s3_config config;
    weir_arena_init(&arena);
    char *file = write_temporary("[default]\nregion = eu-central-1\ns3 =\n  region = nested\n[profile other]\n"
                                 "region=ap-south-1\nendpoint_url = http://profile:3\n");
    setenv("AWS_CONFIG_FILE", file, 1);
    CONFIG("s3://b", "bucket=4");
    assert_string_equal(config.region, "eu-central-1");
    setenv("AWS_PROFILE", "other", 1);
    CONFIG("s3://b", "bucket=4");
    assert_string_equal(config.region, "ap-south-1");
    assert_string_equal(config.base, "http://b.profile:3");
    unlink(file);
    free(file);
    weir_arena_free(&arena);
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *root;
        const char *pair;
        const char *part;
    } cases[] = {
        {"s3://b", "s3.access-key=A", "set 's3.secret-key' as well"},
        {"s3://b", "s3.secret-key=S", "there is a secret key but no access key"},
        {"s3://b", "s3.path.style.access=yes", "'path.style.access' is 'yes'; expected true or false"},
        {"s3://b", "s3.endpoint=ftp://h", "not 'ftp://h'"},
        {"s3://b", "s3.endpoint=http://h/path?x", "not 'http://h/path?x'"},
        {"s3://b", "s3.endpoint=http://user:geheim@h", "not 'one with a user in it'"},
        {"s3://b", "s3.conditional-writes=maybe", "expected auto, true or single-writer"},
        {"s3://", "s3.x=y", "the name of a bucket"},
        {"s3://user@b", "s3.x=y", "the name of a bucket"},
        {"oss://b", "s3.x=y", "set 'fs.oss.endpoint'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_arena arena;
        weir_error err;
        weir_s3_config config;
        weir_arena_init(&arena);
        assert_int_equal(read_config(cases[i].root, (const char *const[]){cases[i].pair, NULL}, &arena, &config, &err),
                         WEIR_INVALID);
        if (strstr(err.message, cases[i].part) == NULL) {
            fail_msg("'%s' is not in: %s", cases[i].part, err.message);
        }
        assert_null(strstr(err.message, "geheim"));
        weir_arena_free(&arena);
    }
}

/* ---- XML and times ---- */

static void take_text(void *context, const char *path, weir_slice text)
{
    weir_buffer_append_format(context, "%s=%.*s;", path, (int)text.size, (const char *)text.data);
}

static void xml_is_read_element_by_element(void **state)
{
    (void)state;
    weir_buffer out = {0};
    const char *text = "<?xml version=\"1.0\"?>\n<a xmlns='u' xmlns:q='v'>x<q:b>1 &lt;&#10;&amp;</q:b><c/>y</a>";
    assert_int_equal(weir_xml_read(weir_slice_text(text), take_text, NULL, &out, NULL), WEIR_OK);
    assert_string_equal(weir_buffer_text(&out), "a/b=1 <\n&;a/c=;a=y;");
    static const char *const wrong[] = {"",
                                        "<a>",
                                        "<a></b>",
                                        "text",
                                        "<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>",
                                        "<a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a>"
                                        "</a></a></a></a></a></a></a></a></a></a></a></a></a></a></a></a></a>"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        weir_error err;
        assert_int_equal(weir_xml_read(weir_slice_text(wrong[i]), take_text, NULL, &out, &err), WEIR_CORRUPT);
    }
    weir_buffer_clear(&out);
    weir_xml_append_escaped("a<b>&\n\"", &out);
    assert_string_equal(weir_buffer_text(&out), "a&lt;b&gt;&amp;&#10;\"");
    weir_buffer_free(&out);
}

static void times_of_servers_are_read(void **state)
{
    (void)state;
    assert_int_equal(weir_s3_http_time("Sun, 06 Nov 1994 08:49:37 GMT"), 784111777000);
    assert_int_equal(weir_s3_iso_time("1994-11-06T08:49:37.250Z"), 784111777250);
    assert_int_equal(weir_s3_iso_time("1994-11-06T08:49:37Z"), 784111777000);
    assert_int_equal(weir_s3_http_time("yesterday"), 0);
    assert_int_equal(weir_s3_iso_time("1994-13-06T08:49:37Z"), 0);
}

#define CLEANLY(test) cmocka_unit_test_setup(test, clear_environment)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CLEANLY(every_spelling_of_a_key_is_taken),
        CLEANLY(a_bucket_is_part_of_the_host_where_it_can_be),
        CLEANLY(oss_has_keys_of_its_own),
        CLEANLY(the_environment_comes_after_settings),
        CLEANLY(providers_of_keys_are_known_by_their_classes),
        CLEANLY(profiles_come_last),
        CLEANLY(what_is_wrong_is_said),
        cmocka_unit_test(xml_is_read_element_by_element),
        cmocka_unit_test(times_of_servers_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
