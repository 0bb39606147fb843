/* Keys that stand somewhere on this machine: in options, in the environment, in profile files. */
#include "base/clock.h"
#include "fs/s3/credentials.h"
#include "fs/s3/profile.h"

/* Keys with a token of a profile are for a while; who renews them writes the file anew. */
#define REREAD_MS 60000

static void take(weir_s3_keys *out, const char *access_key, const char *secret_key, const char *session_token)
{
    out->access_key = weir_arena_strdup(&out->arena, access_key);
    out->secret_key = weir_arena_strdup(&out->arena, secret_key);
    out->session_token = weir_arena_strdup(&out->arena, session_token);
}

int weir_s3_keys_of_config(const weir_s3_config *config, weir_s3_keys *out, weir_buffer *looked, weir_error *err)
{
    (void)err;
    weir_buffer_append_text(looked, "the options 's3.access-key' and 's3.secret-key'");
    if (config->access_key != NULL) {
        take(out, config->access_key, config->secret_key, config->session_token);
    }
    return WEIR_OK;
}

int weir_s3_keys_of_environment(const weir_s3_config *config, weir_s3_keys *out, weir_buffer *looked, weir_error *err)
{
    (void)config, (void)err;
    const char *access_key = weir_s3_environment("AWS_ACCESS_KEY_ID");
    const char *secret_key = weir_s3_environment("AWS_SECRET_ACCESS_KEY");
    weir_buffer_append_text(looked, "the variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
    if (access_key != NULL && secret_key != NULL) {
        take(out, access_key, secret_key, weir_s3_environment("AWS_SESSION_TOKEN"));
    }
    return WEIR_OK;
}

int weir_s3_keys_of_web_identity(const weir_s3_config *config, weir_s3_keys *out, weir_buffer *looked, weir_error *err)
{
    const char *token_file = weir_s3_environment("AWS_WEB_IDENTITY_TOKEN_FILE");
    const char *role = weir_s3_environment("AWS_ROLE_ARN");
    weir_buffer_append_text(looked, "AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN");
    return token_file != NULL && role != NULL
               ? weir_s3_assume_role_with_token(config, token_file, role, weir_s3_environment("AWS_ROLE_SESSION_NAME"),
                                                out, err)
               : WEIR_OK;
}

/* What a profile may have in place of keys, and is not followed. */
static int refuse_other_ways(const weir_s3_profile *profile, weir_arena *arena, weir_error *err)
{
    static const char *const names[] = {"credential_process", "sso_session", "sso_start_url", "source_profile",
                                        "credential_source"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (weir_s3_profile_get(profile, names[i], arena) != NULL) {
            return weir_fail(err, WEIR_UNSUPPORTED,
                             "the profile '%s' has '%s' in place of keys, which is not followed; put its keys into the "
                             "environment (aws configure export-credentials --format env)",
                             profile->name, names[i]);
        }
    }
    return WEIR_OK;
}

int weir_s3_keys_of_profile(const weir_s3_config *config, weir_s3_keys *out, weir_buffer *looked, weir_error *err)
{
    weir_s3_profile profile;
    weir_arena *arena = &out->arena;
    weir_s3_profile_read(arena, &profile);
    weir_buffer_append_format(looked, "the profile '%s' of ~/.aws/credentials and ~/.aws/config", profile.name);
    const char *access_key = weir_s3_profile_get(&profile, "aws_access_key_id", arena);
    const char *secret_key = weir_s3_profile_get(&profile, "aws_secret_access_key", arena);
    const char *token_file = weir_s3_profile_get(&profile, "web_identity_token_file", arena);
    const char *role = weir_s3_profile_get(&profile, "role_arn", arena);
    if (token_file != NULL && role != NULL) {
        return weir_s3_assume_role_with_token(config, token_file, role,
                                              weir_s3_profile_get(&profile, "role_session_name", arena), out, err);
    }
    if (role != NULL || access_key == NULL || secret_key == NULL) {
        return refuse_other_ways(&profile, arena, err);
    }
    take(out, access_key, secret_key, weir_s3_profile_get(&profile, "aws_session_token", arena));
    out->refresh_ms = out->session_token != NULL ? weir_now_ms() + REREAD_MS : 0;
    return WEIR_OK;
}
