/* Names of settings of file systems. */
#include "fs/settings.h"

#include "cmocka_all.h"

static void settings_that_there_are_pass(void **state)
{
    (void)state;
    static const char *const keys[] = {
        "s3.endpoint", "s3.access-key", "s3.access.key", "s3a.secret-key", "fs.s3a.secret.key", "s3.session-token",
        "s3.region", "s3.endpoint.region", "s3.path.style.access", "s3.path-style-access", "fs.s3a.path.style.access",
        "hadoop.fs.s3a.path.style.access", "s3.connection.ssl.enabled", "s3.conditional-writes",
        "fs.s3a.aws.credentials.provider", "fs.s3a.bucket.my.bucket.endpoint",
        /* of Hadoop, without effect */
        "fs.s3a.impl", "fs.s3a.connection.maximum", "fs.s3a.connection.timeout", "fs.s3a.connection.establish.timeout",
        "fs.s3a.connection.request.timeout", "fs.s3a.threads.max", "fs.s3a.threads.keepalivetime", "fs.s3a.max.total.tasks",
        "fs.s3a.multipart.size", "fs.s3a.multipart.threshold", "fs.s3a.multipart.purge", "fs.s3a.multiobjectdelete.enable",
        "fs.s3a.fast.upload", "fs.s3a.fast.upload.buffer", "fs.s3a.fast.upload.active.blocks", "fs.s3a.buffer.dir",
        "fs.s3a.block.size", "fs.s3a.attempts.maximum", "fs.s3a.retry.limit", "fs.s3a.retry.interval", "fs.s3a.proxy.host",
        "fs.s3a.proxy.port", "fs.s3a.assumed.role.arn", "fs.s3a.assumed.role.session.name", "fs.s3a.acl.default",
        "fs.s3a.encryption.algorithm", "fs.s3a.encryption.key", "fs.s3a.server-side-encryption-algorithm",
        "fs.s3a.readahead.range", "fs.s3a.experimental.input.fadvise", "fs.s3a.input.fadvise", "fs.s3a.list.version",
        "fs.s3a.paging.maximum", "fs.s3a.committer.name", "fs.s3a.change.detection.mode", "fs.s3a.socket.send.buffer",
        "fs.s3a.user.agent.prefix", "fs.s3a.requester.pays.enabled", "fs.s3a.vectored.read.min.seek.size",
        "fs.s3a.create.performance", "fs.s3a.select.enabled", "fs.s3a.metadatastore.impl", "fs.s3a.signing-algorithm",
        "fs.s3a.ssl.channel.mode", "fs.s3a.security.credential.provider.path",
        "fs.oss.endpoint", "fs.oss.accessKeyId", "fs.oss.accesskeysecret", "fs.oss.securityToken", "fs.oss.impl",
        "fs.oss.connection.secure.enabled", "fs.oss.buffer.dir", "fs.oss.multipart.download.threads",
        "fs.oss.credentials.provider", "hdfs.webhdfs.address", "hdfs.user", "hadoop-conf-dir", "hadoop-conf-loader",
        "dfs.nameservices", "fs.defaultFS", "hadoop.dfs.anything", "security.kerberos.login.principal"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        weir_error err;
        assert_true(weir_fs_is_setting(keys[i]));
        if (weir_fs_check_setting(keys[i], &err) != WEIR_OK) {
            fail_msg("%s: %s", keys[i], err.message);
        }
    }
}

static void misspelt_settings_name_the_right_one(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"s3.pathstyle", "there is no option 's3.pathstyle'; did you mean 's3.path.style.access'?"},
        {"s3.path-style", "there is no option 's3.path-style'; did you mean 's3.path.style.access'?"},
        {"s3.path.style.acess", "did you mean 's3.path.style.access'?"},
        {"s3.accesskey", "did you mean 's3.access-key'?"},
        {"fs.s3a.secretkey", "did you mean 'fs.s3a.secret-key'?"},
        {"hadoop.fs.s3a.endpiont", "did you mean 'hadoop.fs.s3a.endpoint'?"},
        {"s3.ednpoint", "did you mean 's3.endpoint'?"},
        {"s3.regoin", "did you mean 's3.region'?"},
        {"s3.conditional-write", "did you mean 's3.conditional-writes'?"},
        {"s3.url", "there is no option 's3.url'; there is 's3.endpoint', 's3.access-key', "},
        {"fs.oss.accessKey", "did you mean 'fs.oss.accessKeyId'?"},
        {"fs.oss.endpont", "did you mean 'fs.oss.endpoint'?"},
        {"hdfs.webhdfs.adress", "did you mean 'hdfs.webhdfs.address'?"},
        {"hdfs.token", "there is no option 'hdfs.token'; there is 'hdfs.webhdfs.address', 'hdfs.user', 'hdfs.delegation-token'"},
        {"hadoop-config-dir", "did you mean 'hadoop-conf-dir'?"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_error err;
        if (weir_fs_check_setting(cases[i][0], &err) != WEIR_INVALID) {
            fail_msg("%s passes", cases[i][0]);
        }
        if (strstr(err.message, cases[i][1]) == NULL) {
            fail_msg("'%s' is not in: %s", cases[i][1], err.message);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_that_there_are_pass),
        cmocka_unit_test(misspelt_settings_name_the_right_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
