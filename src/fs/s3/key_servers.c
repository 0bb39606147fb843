/* Keys that a server gives for a while.
 *
 *   a web identity   AWS's token service (STS) gives keys for a token that a cluster has put into a file
 *   a container      its host answers at an address of the environment (ECS, EKS)
 *   a machine        the metadata service of EC2, version 2: a token first, then the role's name, then its keys
 *
 * All answer soon or not at all. Where no such machine is, packets to its address go nowhere: it is waited for a second
 * or two. Proxies are not asked: these servers are near. */
#include "base/clock.h"
#include "base/json.h"
#include "fs/http.h"
#include "fs/s3/call.h"
#include "fs/s3/credentials.h"
#include "fs/s3/profile.h"
#include "fs/s3/xml.h"

#define NEAR_MS       1000 /* until a server of this host or machine answers */
#define NEAR_ATTEMPTS 2
#define STS_MS        5000
#define STS_ATTEMPTS  4

/* Tokens and answers are no larger. */
#define LARGEST_ANSWER ((size_t)1 << 20)

/* ---- answers ---- */

static int incomplete(const char *where, weir_error *err)
{
    return weir_fail(err, WEIR_DENIED, "%s: the answer has no keys in it", where);
}

/* {"AccessKeyId": …, "SecretAccessKey": …, "Token": …, "Expiration": "2026-01-02T03:04:05Z"} */
static int take_json(weir_slice body, const char *where, weir_s3_keys *out, weir_error *err)
{
    json_t *document = NULL;
    const char *access_key = NULL, *secret_key = NULL, *token = NULL, *expiration = NULL;
    int code = WEIR_OK;
    if (weir_json_parse(body, where, &document, NULL) != WEIR_OK ||
        weir_json_get_string(document, "AccessKeyId", true, where, &access_key, NULL) != WEIR_OK ||
        weir_json_get_string(document, "SecretAccessKey", true, where, &secret_key, NULL) != WEIR_OK) {
        WEIR_GO(incomplete(where, err));
    }
    WEIR_GO(weir_json_get_string(document, "Token", false, where, &token, err));
    WEIR_GO(weir_json_get_string(document, "Expiration", false, where, &expiration, err));
    out->access_key = weir_arena_strdup(&out->arena, access_key);
    out->secret_key = weir_arena_strdup(&out->arena, secret_key);
    out->session_token = weir_arena_strdup(&out->arena, token);
    out->expires_ms = expiration == NULL ? 0 : weir_s3_iso_time(expiration);
done:
    json_decref(document);
    return code;
}

typedef struct sts_answer {
    weir_s3_keys *keys;
    const char *error_code; /* NULL: none */
    const char *error_message;
} sts_answer;

static void take_element(void *context, const char *path, weir_slice text)
{
    static const char keys_of[] = "AssumeRoleWithWebIdentityResponse/AssumeRoleWithWebIdentityResult/Credentials/";
    sts_answer *answer = context;
    weir_s3_keys *keys = answer->keys;
    const char *value = weir_arena_strndup(&keys->arena, (const char *)text.data, text.size);
    const char *name = strncmp(path, keys_of, sizeof keys_of - 1) == 0 ? path + sizeof keys_of - 1 : "";
    if (strcmp(name, "AccessKeyId") == 0) {
        keys->access_key = value;
    } else if (strcmp(name, "SecretAccessKey") == 0) {
        keys->secret_key = value;
    } else if (strcmp(name, "SessionToken") == 0) {
        keys->session_token = value;
    } else if (strcmp(name, "Expiration") == 0) {
        keys->expires_ms = weir_s3_iso_time(value);
    } else if (strcmp(path, "ErrorResponse/Error/Code") == 0) {
        answer->error_code = value;
    } else if (strcmp(path, "ErrorResponse/Error/Message") == 0) {
        answer->error_message = value;
    }
}

static int take_sts_answer(const weir_http_response *response, const char *where, weir_s3_keys *out, weir_error *err)
{
    sts_answer answer = {.keys = out};
    int code = weir_xml_read(weir_buffer_slice(&response->body), take_element, NULL, &answer, NULL);
    if (response->status == 200 && code == WEIR_OK && out->access_key != NULL && out->secret_key != NULL) {
        return WEIR_OK;
    }
    out->access_key = NULL;
    return response->status == 200
               ? incomplete(where, err)
               : weir_fail(err, WEIR_DENIED, "%s: status %d%s%s%s%.200s", where, response->status,
                           answer.error_code != NULL ? " " : "", answer.error_code != NULL ? answer.error_code : "",
                           answer.error_message != NULL ? ": " : "",
                           answer.error_message != NULL ? answer.error_message : "");
}

/* ---- a web identity ---- */

static int read_token(const char *path, weir_buffer *out, weir_error *err)
{
    WEIR_TRY_CTX(weir_fs_read_all(weir_fs_local(), path, out, err), err, "the token of a web identity");
    while (out->size > 0 && strchr(" \t\r\n", out->data[out->size - 1]) != NULL) {
        out->size--;
    }
    return out->size > 0 ? WEIR_OK : weir_fail(err, WEIR_INVALID, "%s: the token of a web identity is empty", path);
}

static void append_field(weir_buffer *form, const char *name, weir_slice value)
{
    weir_buffer_append_format(form, "%s%s=", form->size > 0 ? "&" : "", name);
    weir_http_append_escaped(value, false, form);
}

static const char *sts_endpoint(const weir_s3_config *config, weir_arena *arena)
{
    const char *given = weir_s3_environment("AWS_ENDPOINT_URL_STS");
    given = given == NULL ? weir_s3_environment("AWS_ENDPOINT_URL") : given;
    return given != NULL ? given : weir_arena_format(arena, "https://sts.%s.amazonaws.com", config->region);
}

/* The request is not signed: the token is what counts. */
int weir_s3_assume_role_with_token(const weir_s3_config *config, const char *token_file, const char *role,
                                   const char *session, weir_s3_keys *out, weir_error *err)
{
    static const weir_http_header content_type = {"Content-Type", "application/x-www-form-urlencoded"};
    weir_buffer token = {0}, form = {0};
    weir_http_response response = {0};
    const char *endpoint = sts_endpoint(config, &out->arena);
    const char *where = weir_arena_format(&out->arena, "keys for the role %s from %s", role, endpoint);
    int code = WEIR_OK;
    WEIR_GO(read_token(token_file, &token, err));
    append_field(&form, "Action", weir_slice_text("AssumeRoleWithWebIdentity"));
    append_field(&form, "Version", weir_slice_text("2011-06-15"));
    append_field(&form, "RoleArn", weir_slice_text(role));
    append_field(&form, "RoleSessionName", weir_slice_text(session != NULL ? session : "weir"));
    append_field(&form, "WebIdentityToken", weir_buffer_slice(&token));
    weir_http_request request = {.method = "POST",
                                 .url = weir_arena_format(&out->arena, "%s/", endpoint),
                                 .subject = where,
                                 .headers = &content_type,
                                 .header_count = 1,
                                 .body = weir_buffer_slice(&form),
                                 .largest_body = LARGEST_ANSWER,
                                 .is_idempotent = true,
                                 .attempts = STS_ATTEMPTS,
                                 .connect_ms = STS_MS,
                                 .stall_ms = STS_MS};
    WEIR_GO(weir_http_run(&request, &response, err));
    code = take_sts_answer(&response, where, out, err);
done:
    weir_http_response_free(&response);
    weir_buffer_free(&form);
    weir_buffer_free(&token);
    return code;
}

/* ---- servers that are near ---- */

/* `header`: NULL: none. */
static int ask_near(const char *method, const char *url, const weir_http_header *header, weir_http_response *out,
                    weir_error *err)
{
    weir_http_request request = {.method = method,
                                 .url = url,
                                 .headers = header,
                                 .header_count = header != NULL,
                                 .largest_body = LARGEST_ANSWER,
                                 .is_idempotent = true,
                                 .avoids_proxy = true,
                                 .attempts = NEAR_ATTEMPTS,
                                 .connect_ms = NEAR_MS,
                                 .stall_ms = NEAR_MS};
    return weir_http_run(&request, out, err);
}

static int get_near(const char *url, const weir_http_header *header, weir_http_response *out, weir_error *err)
{
    WEIR_TRY(ask_near("GET", url, header, out, err));
    return out->status == 200 ? WEIR_OK
                              : weir_fail(err, WEIR_DENIED, "keys from %s: status %d", url, out->status);
}

/* ---- a container ---- */

/* Addresses that are on this host; to others a token would be sent for everyone to read. */
static bool may_be_asked(const char *url)
{
    static const char *const near[] = {"localhost", "[::1]", "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"};
    if (strchr(url, '@') != NULL) {
        return false;
    }
    if (strncmp(url, "http://", 7) != 0) {
        return strncmp(url, "https://", 8) == 0;
    }
    const char *host = url + 7;
    size_t size = host[0] == '[' ? strcspn(host, "/]") + 1 : strcspn(host, ":/?#");
    bool is_near = strncmp(host, "127.", 4) == 0 && strspn(host, "0123456789.") == size;
    for (size_t i = 0; i < sizeof near / sizeof *near && !is_near; i++) {
        is_near = strlen(near[i]) == size && strncmp(host, near[i], size) == 0;
    }
    return is_near;
}

/* The value of the header Authorization; NULL: none. */
static int container_token(weir_arena *arena, const char **out, weir_error *err)
{
    const char *path = weir_s3_environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
    weir_buffer text = {0};
    *out = weir_s3_environment("AWS_CONTAINER_AUTHORIZATION_TOKEN");
    if (path == NULL) {
        return WEIR_OK;
    }
    int code = read_token(path, &text, err);
    *out = code == WEIR_OK ? weir_arena_strndup(arena, weir_buffer_text(&text), text.size) : NULL;
    weir_buffer_free(&text);
    return code;
}

int weir_s3_keys_of_container(const weir_s3_config *config, weir_s3_keys *out, weir_buffer *looked, weir_error *err)
{
    (void)config;
    const char *relative = weir_s3_environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
    const char *url = relative != NULL ? weir_arena_format(&out->arena, "http://169.254.170.2%s", relative)
                                       : weir_s3_environment("AWS_CONTAINER_CREDENTIALS_FULL_URI");
    const char *token = NULL;
    weir_http_response response = {0};
    weir_buffer_append_text(looked, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI and …_FULL_URI");
    if (url == NULL) {
        return WEIR_OK;
    }
    if (!may_be_asked(url)) {
        return weir_fail(err, WEIR_INVALID, "AWS_CONTAINER_CREDENTIALS_FULL_URI names neither this host nor https://");
    }
    WEIR_TRY(container_token(&out->arena, &token, err));
    weir_http_header header = {"Authorization", token};
    int code = get_near(url, token != NULL ? &header : NULL, &response, err);
    code = code == WEIR_OK ? take_json(weir_buffer_slice(&response.body), url, out, err) : code;
    weir_http_response_free(&response);
    return code == WEIR_OK ? WEIR_OK : weir_error_context(err, code, "AWS_CONTAINER_CREDENTIALS_…_URI");
}

/* ---- a machine ---- */

static const char *machine_address(weir_arena *arena)
{
    const char *given = weir_s3_environment("AWS_EC2_METADATA_SERVICE_ENDPOINT");
    const char *mode = weir_s3_environment("AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE");
    if (given == NULL) {
        return mode != NULL && strcasecmp(mode, "ipv6") == 0 ? "http://[fd00:ec2::254]" : "http://169.254.169.254";
    }
    size_t size = strlen(given);
    return weir_arena_strndup(arena, given, size - (given[size - 1] == '/'));
}

/* The first line of an answer, in the arena. */
static const char *first_line(const weir_http_response *response, weir_arena *arena)
{
    const char *text = weir_arena_strndup(arena, (const char *)response->body.data, response->body.size);
    return weir_arena_strndup(arena, text, strcspn(text, "\r\n"));
}

static int keys_of_role(const char *address, const char *token, weir_s3_keys *out, weir_error *err)
{
    weir_http_header header = {"X-aws-ec2-metadata-token", token};
    weir_http_response response = {0};
    const char *roles = weir_arena_format(&out->arena, "%s/latest/meta-data/iam/security-credentials/", address);
    int code = WEIR_OK;
    WEIR_GO(get_near(roles, &header, &response, err));
    const char *role = first_line(&response, &out->arena);
    weir_buffer name = {0};
    weir_http_append_escaped(weir_slice_text(role), false, &name);
    const char *url = weir_arena_format(&out->arena, "%s%s", roles, weir_buffer_text(&name));
    weir_buffer_free(&name);
    WEIR_GO(get_near(url, &header, &response, err));
    code = take_json(weir_buffer_slice(&response.body), url, out, err);
done:
    weir_http_response_free(&response);
    return code;
}

/* The last place: that nobody answers there is said by who found no keys at all. */
int weir_s3_keys_of_machine(const weir_s3_config *config, weir_s3_keys *out, weir_buffer *looked, weir_error *err)
{
    (void)config, (void)err;
    static const weir_http_header lifetime = {"X-aws-ec2-metadata-token-ttl-seconds", "21600"};
    const char *disabled = weir_s3_environment("AWS_EC2_METADATA_DISABLED");
    const char *address = machine_address(&out->arena);
    weir_http_response response = {0};
    weir_error reason;
    weir_buffer_append_text(looked, "the metadata service of EC2 (");
    if (disabled != NULL && strcasecmp(disabled, "true") == 0) {
        weir_buffer_append_text(looked, "AWS_EC2_METADATA_DISABLED)");
        return WEIR_OK;
    }
    int code = ask_near("PUT", weir_arena_format(&out->arena, "%s/latest/api/token", address), &lifetime, &response,
                        &reason);
    if (code == WEIR_OK && response.status != 200) {
        code = weir_fail(&reason, WEIR_DENIED, "%s: status %d", address, response.status);
    }
    if (code == WEIR_OK) {
        code = keys_of_role(address, first_line(&response, &out->arena), out, &reason);
    }
    weir_buffer_append_format(looked, "%s)", code == WEIR_OK ? address : reason.message);
    weir_http_response_free(&response);
    return WEIR_OK;
}
