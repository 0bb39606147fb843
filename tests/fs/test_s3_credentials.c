/* Where keys come from, in which order, and that they are renewed; with a server that stands for AWS's. */
#include "fs/s3/credentials.h"

#include "support/http_server.h"

static const char *const variables[] = {
    "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_DEFAULT_PROFILE",
    "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN",
    "AWS_ROLE_SESSION_NAME", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_STS", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_AUTHORIZATION_TOKEN",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "AWS_EC2_METADATA_DISABLED", "AWS_EC2_METADATA_SERVICE_ENDPOINT",
    "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE"};

typedef struct place {
    test_server *server;
    weir_s3_config config;
    weir_s3_credentials *credentials;
    weir_arena arena;
    weir_error err;
    int given;            /* keys: K1, K2, … */
    int status;           /* of answers; 0: as they should be */
    int64_t lifetime_ms;  /* 0: none is said */
    char form[2048];      /* what the token service was told */
    char authorization[256]; /* what the container's host was told */
    char *token_file;
    char *profile_file;
} place;

/* ---- the servers ---- */

static void append_expiration(const place *here, const char *format, weir_buffer *out)
{
    int64_t expires_ms = weir_now_ms() + here->lifetime_ms;
    time_t seconds = (time_t)(expires_ms / 1000);
    struct tm parts;
    char text[64], date[32];
    gmtime_r(&seconds, &parts);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(text, sizeof text, "%s.%03dZ", date, (int)(expires_ms % 1000));
    if (here->lifetime_ms != 0) {
        weir_buffer_append_format(out, format[0] == '<' ? "<Expiration>%s</Expiration>" : ", \"Expiration\": \"%s\"", text);
    }
}

static void give_json(place *here, weir_buffer *out)
{
    int number = ++here->given;
    weir_buffer_append_format(out, "{\"Code\": \"Success\", \"AccessKeyId\": \"K%d\", \"SecretAccessKey\": \"S%d\", \"Token\": \"T%d\"",
                              number, number, number);
    append_expiration(here, "{", out);
    weir_buffer_append_text(out, "}");
}

static void give_xml(place *here, weir_buffer *out)
{
    int number = ++here->given;
    weir_buffer_append_format(out,
                              "<AssumeRoleWithWebIdentityResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\">"
                              "<AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>K%d</AccessKeyId>"
                              "<SecretAccessKey>S%d</SecretAccessKey><SessionToken>T%d</SessionToken>",
                              number, number, number);
    append_expiration(here, "<", out);
    weir_buffer_append_text(out, "</Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>");
}

static void answer(void *context, const test_request *request, test_answer *out)
{
    place *here = context;
    bool has_token = strcmp(test_header(request, "x-aws-ec2-metadata-token"), "machine-token") == 0;
    if (here->status != 0) {
        out->status = here->status;
        weir_buffer_append_text(&out->body, "<ErrorResponse><Error><Code>ExpiredTokenException</Code><Message>Token expired"
                                            "</Message></Error></ErrorResponse>");
    } else if (strcmp(request->method, "POST") == 0 && strcmp(request->target, "/") == 0) {
        snprintf(here->form, sizeof here->form, "%.*s", (int)request->body.size, (const char *)request->body.data);
        give_xml(here, &out->body);
    } else if (strcmp(request->target, "/container") == 0) {
        snprintf(here->authorization, sizeof here->authorization, "%.255s", test_header(request, "authorization"));
        give_json(here, &out->body);
    } else if (strcmp(request->method, "PUT") == 0 && strcmp(request->target, "/latest/api/token") == 0 &&
               strcmp(test_header(request, "x-aws-ec2-metadata-token-ttl-seconds"), "21600") == 0) {
        weir_buffer_append_text(&out->body, "machine-token");
    } else if (has_token && strcmp(request->target, "/latest/meta-data/iam/security-credentials/") == 0) {
        weir_buffer_append_text(&out->body, "my role\n");
    } else if (has_token && strcmp(request->target, "/latest/meta-data/iam/security-credentials/my%20role") == 0) {
        give_json(here, &out->body);
    } else {
        out->status = 401;
    }
}

/* ---- the place ---- */

static char *write_temporary(const char *text)
{
    char *path = weir_strdup("/tmp/weir-test-XXXXXX");
    int file = mkstemp(path);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    return path;
}

static int set_up(void **state)
{
    place *here = weir_alloc_zeroed(1, sizeof *here);
    weir_arena_init(&here->arena);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        unsetenv(variables[i]);
    }
    setenv("HOME", "/nowhere", 1);
    here->server = test_server_start(answer, here);
    setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://127.0.0.1:1/", 1);
    here->config = (weir_s3_config){.bucket = "b", .region = "eu-west-1"};
    here->credentials = weir_s3_credentials_create(&here->config);
    here->token_file = write_temporary("web token\n");
    here->profile_file = write_temporary("[default]\naws_access_key_id = P\naws_secret_access_key = PS\n");
    *state = here;
    return 0;
}

static int tear_down(void **state)
{
    place *here = *state;
    weir_s3_credentials_free(here->credentials);
    test_server_stop(here->server);
    weir_arena_free(&here->arena);
    unlink(here->token_file);
    unlink(here->profile_file);
    free(here->token_file);
    free(here->profile_file);
    free(here);
    return 0;
}

static const char *url(place *here, const char *path)
{
    return weir_arena_format(&here->arena, "http://127.0.0.1:%d%s", here->server->port, path);
}

static void use_web_identity(place *here)
{
    setenv("AWS_WEB_IDENTITY_TOKEN_FILE", here->token_file, 1);
    setenv("AWS_ROLE_ARN", "arn:aws:iam::1:role/r", 1);
    setenv("AWS_ENDPOINT_URL_STS", url(here, ""), 1);
}

static void use_container(place *here) { setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", url(here, "/container"), 1); }

static void use_machine(place *here) { setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", url(here, ""), 1); }

/* "access secret token". */
static const char *acquire(place *here)
{
    weir_s3_keys *keys;
    if (weir_s3_credentials_acquire(here->credentials, &keys, &here->err) != WEIR_OK) {
        return here->err.message;
    }
    const char *text =
        weir_arena_format(&here->arena, "%s %s %s", keys->access_key != NULL ? keys->access_key : "-",
                          keys->secret_key != NULL ? keys->secret_key : "-",
                          keys->session_token != NULL ? keys->session_token : "-");
    weir_s3_keys_release(here->credentials, keys);
    return text;
}

static const char *acquire_anew(place *here)
{
    weir_s3_credentials_free(here->credentials);
    here->credentials = weir_s3_credentials_create(&here->config);
    return acquire(here);
}

static void assert_says(const char *message, const char *part)
{
    if (strstr(message, part) == NULL) {
        fail_msg("'%s' is not in: %s", part, message);
    }
}

/* What the keys say of time, put to a moment. */
static void set_times(place *here, int64_t refresh_ms, int64_t expires_ms)
{
    weir_s3_keys *keys;
    assert_int_equal(weir_s3_credentials_acquire(here->credentials, &keys, &here->err), WEIR_OK);
    keys->refresh_ms = refresh_ms;
    keys->expires_ms = expires_ms;
    weir_s3_keys_release(here->credentials, keys);
}

/* ---- the order ---- */

static void the_first_place_with_keys_gives_all_of_them(void **state)
{
    place *here = *state;
    use_machine(here);
    assert_string_equal(acquire_anew(here), "K1 S1 T1");
    use_container(here);
    assert_string_equal(acquire_anew(here), "K2 S2 T2");
    assert_string_equal(here->authorization, "");
    setenv("AWS_SHARED_CREDENTIALS_FILE", here->profile_file, 1);
    assert_string_equal(acquire_anew(here), "P PS -");
    use_web_identity(here);
    assert_string_equal(acquire_anew(here), "K3 S3 T3");
    setenv("AWS_ACCESS_KEY_ID", "E", 1);
    assert_string_equal(acquire_anew(here), "K4 S4 T4"); /* half of a pair is none */
    setenv("AWS_SECRET_ACCESS_KEY", "ES", 1);
    assert_string_equal(acquire_anew(here), "E ES -");
    setenv("AWS_SESSION_TOKEN", "ET", 1);
    assert_string_equal(acquire_anew(here), "E ES ET");
    here->config.access_key = "A";
    here->config.secret_key = "S";
    assert_string_equal(acquire_anew(here), "A S -");
    here->config.access_key = NULL;
    here->config.is_anonymous = true;
    assert_string_equal(acquire_anew(here), "- - -");
}

static void where_there_are_none_the_places_are_named(void **state)
{
    place *here = *state;
    static const char *const parts[] = {"there are no keys to sign requests with",
                                        "'s3.access-key'",
                                        "AWS_ACCESS_KEY_ID",
                                        "AWS_WEB_IDENTITY_TOKEN_FILE",
                                        "the profile 'default' of ~/.aws/credentials",
                                        "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
                                        "the metadata service of EC2 (http://127.0.0.1:1/latest/api/token: PUT at 127.0.0.1:1: "};
    const char *message = acquire(here);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        assert_says(message, parts[i]);
    }
    setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
    assert_says(acquire(here), "127.0.0.1:1"); /* a failure is believed for a while */
    assert_says(acquire_anew(here), "(AWS_EC2_METADATA_DISABLED)");
}

/* ---- profiles ---- */

static void profiles_are_sections_of_two_files(void **state)
{
    place *here = *state;
    char *credentials = write_temporary("[default]\naws_access_key_id = DA\naws_secret_access_key=DS\n"
                                        "# [other]\n[ other ]\r\naws_access_key_id\t=  OA \r\n"
                                        "aws_secret_access_key = O S=\r\naws_session_token=OT\r\n");
    char *config = write_temporary("[profile third]\naws_access_key_id=TA\naws_secret_access_key=TS\n"
                                   "[profile sso]\nsso_session = my\n[profile web]\nrole_arn = arn:r\n"
                                   "[profile web2]\nrole_arn = arn:r\nrole_session_name = me\nweb_identity_token_file = ");
    FILE *more = fopen(config, "a");
    fprintf(more, "%s\n", here->token_file);
    fclose(more);
    setenv("AWS_SHARED_CREDENTIALS_FILE", credentials, 1);
    setenv("AWS_CONFIG_FILE", config, 1);
    setenv("AWS_ENDPOINT_URL_STS", url(here, ""), 1);
    assert_string_equal(acquire_anew(here), "DA DS -");
    setenv("AWS_PROFILE", "other", 1);
    assert_string_equal(acquire_anew(here), "OA O S= OT");
    setenv("AWS_PROFILE", "third", 1);
    assert_string_equal(acquire_anew(here), "TA TS -");
    setenv("AWS_PROFILE", "sso", 1);
    assert_says(acquire_anew(here), "the profile 'sso' has 'sso_session' in place of keys, which is not followed");
    setenv("AWS_PROFILE", "web2", 1);
    assert_string_equal(acquire_anew(here), "K1 S1 T1");
    assert_non_null(strstr(here->form, "RoleSessionName=me"));
    setenv("AWS_PROFILE", "none", 1);
    assert_says(acquire_anew(here), "the profile 'none'");
    unlink(credentials);
    unlink(config);
    free(credentials);
    free(config);
}

/* ---- servers ---- */

static void a_web_identity_is_shown_to_the_token_service(void **state)
{
    place *here = *state;
    use_web_identity(here);
    assert_string_equal(acquire(here), "K1 S1 T1");
    assert_string_equal(here->form, "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3A"
                                    "role%2Fr&RoleSessionName=weir&WebIdentityToken=web%20token");
    here->status = 400;
    const char *message = acquire_anew(here);
    assert_says(message, "keys for the role arn:aws:iam::1:role/r from http://127.0.0.1:");
    assert_says(message, "status 400 ExpiredTokenException: Token expired");
    assert_null(strstr(message, "web token"));
    here->status = 0;
    setenv("AWS_WEB_IDENTITY_TOKEN_FILE", "/no/such/file", 1);
    assert_says(acquire_anew(here), "/no/such/file");
}

static void a_container_is_asked_with_its_token(void **state)
{
    place *here = *state;
    use_container(here);
    setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", "Basic abc", 1);
    assert_string_equal(acquire_anew(here), "K1 S1 T1");
    assert_string_equal(here->authorization, "Basic abc");
    setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", here->token_file, 1);
    assert_string_equal(acquire_anew(here), "K2 S2 T2");
    assert_string_equal(here->authorization, "web token");
    here->status = 403;
    assert_says(acquire_anew(here), "/container: status 403");
}

static void tokens_are_not_sent_to_strangers(void **state)
{
    place *here = *state;
    static const char *const urls[] = {"http://example.com/x", "http://127.0.0.1.evil/x", "http://localhost:1@evil/x",
                                       "http://169.254.170.2x/", "ftp://127.0.0.1/x", "http://[::2]/"};
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", urls[i], 1);
        assert_says(acquire_anew(here), "names neither this host nor https://");
    }
}

static void an_answer_without_keys_is_an_error(void **state)
{
    place *here = *state;
    use_container(here);
    setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", url(here, "/latest/api/token"), 1);
    assert_says(acquire_anew(here), "status 401");
    use_machine(here);
    unsetenv("AWS_CONTAINER_CREDENTIALS_FULL_URI");
    here->status = 404;
    assert_says(acquire_anew(here), "the metadata service of EC2 (http://127.0.0.1:");
    assert_says(here->err.message, "status 404)");
}

/* ---- time ---- */

static void keys_are_renewed_before_they_expire(void **state)
{
    place *here = *state;
    use_machine(here);
    here->lifetime_ms = 3600000;
    assert_string_equal(acquire(here), "K1 S1 T1");
    assert_string_equal(acquire(here), "K1 S1 T1");
    weir_s3_keys *old;
    assert_int_equal(weir_s3_credentials_acquire(here->credentials, &old, &here->err), WEIR_OK);
    assert_in_range(old->expires_ms - old->refresh_ms, 299000, 300000);
    old->refresh_ms = 1;
    assert_string_equal(acquire(here), "K2 S2 T2");
    assert_string_equal(old->access_key, "K1"); /* a request goes on with the keys that it began with */
    weir_s3_keys_release(here->credentials, old);
    here->lifetime_ms = 60000;
    set_times(here, 1, weir_now_ms() + 60000);
    assert_string_equal(acquire(here), "K3 S3 T3");
    assert_int_equal(weir_s3_credentials_acquire(here->credentials, &old, &here->err), WEIR_OK);
    assert_in_range(old->expires_ms - old->refresh_ms, 25000, 31000); /* half of a short life */
    weir_s3_keys_release(here->credentials, old);
}

static void a_renewal_that_fails_leaves_keys_that_are_good(void **state)
{
    place *here = *state;
    use_machine(here);
    here->lifetime_ms = 3600000;
    assert_string_equal(acquire(here), "K1 S1 T1");
    here->status = 404;
    set_times(here, 1, weir_now_ms() + 60000);
    assert_string_equal(acquire(here), "K1 S1 T1");
    set_times(here, 1, 1);
    assert_says(acquire(here), "there are no keys to sign requests with");
    here->status = 0;
    assert_string_equal(acquire_anew(here), "K2 S2 T2");
}

#define AT_PLACE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        AT_PLACE(the_first_place_with_keys_gives_all_of_them),
        AT_PLACE(where_there_are_none_the_places_are_named),
        AT_PLACE(profiles_are_sections_of_two_files),
        AT_PLACE(a_web_identity_is_shown_to_the_token_service),
        AT_PLACE(a_container_is_asked_with_its_token),
        AT_PLACE(tokens_are_not_sent_to_strangers),
        AT_PLACE(an_answer_without_keys_is_an_error),
        AT_PLACE(keys_are_renewed_before_they_expire),
        AT_PLACE(a_renewal_that_fails_leaves_keys_that_are_good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
