/* Signing a request: a text of all that counts, its hash, and an HMAC under a key of the day, region and service. */
#include "fs/s3/sign.h"

#include <nettle/hmac.h>
#include <nettle/sha2.h>
#include <stdio.h>

#include "base/clock.h"

static void to_hex(const uint8_t digest[SHA256_DIGEST_SIZE], char out[WEIR_SHA256_HEX_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < SHA256_DIGEST_SIZE; i++) {
        out[2 * i] = digits[digest[i] >> 4];
        out[2 * i + 1] = digits[digest[i] & 15];
    }
    out[2 * SHA256_DIGEST_SIZE] = '\0';
}

void weir_sha256_hex(weir_slice bytes, char out[WEIR_SHA256_HEX_SIZE])
{
    struct sha256_ctx context;
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_init(&context);
    sha256_update(&context, bytes.size, bytes.data);
    sha256_digest(&context, sizeof digest, digest);
    to_hex(digest, out);
}

static void hmac(weir_slice key, weir_slice text, uint8_t out[SHA256_DIGEST_SIZE])
{
    struct hmac_sha256_ctx context;
    hmac_sha256_set_key(&context, key.size, key.data);
    hmac_sha256_update(&context, text.size, text.data);
    hmac_sha256_digest(&context, SHA256_DIGEST_SIZE, out);
}

static void append_names(const weir_s3_signing *signing, weir_buffer *out)
{
    for (size_t i = 0; i < signing->header_count; i++) {
        weir_buffer_append_format(out, "%s%s", i == 0 ? "" : ";", signing->headers[i].name);
    }
}

/* method \n path \n query \n headers, a line each \n names of headers \n hash of the body */
static void append_request(const weir_s3_signing *signing, weir_buffer *out)
{
    weir_buffer_append_format(out, "%s\n%s\n%s\n", signing->method, signing->path, signing->query);
    for (size_t i = 0; i < signing->header_count; i++) {
        weir_buffer_append_format(out, "%s:%s\n", signing->headers[i].name, signing->headers[i].value);
    }
    weir_buffer_append_byte(out, '\n');
    append_names(signing, out);
    weir_buffer_append_format(out, "\n%s", signing->payload_hash);
}

/* HMAC after HMAC, from "AWS4" and the secret key. */
static void signing_key(const weir_s3_signing *signing, uint8_t key[SHA256_DIGEST_SIZE])
{
    weir_buffer first = {0};
    weir_buffer_append_format(&first, "AWS4%s", signing->secret_key);
    hmac(weir_buffer_slice(&first), weir_slice_of(signing->time, 8), key);
    hmac(weir_slice_of(key, SHA256_DIGEST_SIZE), weir_slice_text(signing->region), key);
    hmac(weir_slice_of(key, SHA256_DIGEST_SIZE), weir_slice_text(signing->service), key);
    hmac(weir_slice_of(key, SHA256_DIGEST_SIZE), weir_slice_text("aws4_request"), key);
    weir_buffer_free(&first);
}

void weir_s3_sign(const weir_s3_signing *signing, weir_buffer *out)
{
    weir_buffer text = {0};
    weir_buffer scope = {0};
    char hash[WEIR_SHA256_HEX_SIZE];
    uint8_t key[SHA256_DIGEST_SIZE];
    append_request(signing, &text);
    weir_sha256_hex(weir_buffer_slice(&text), hash);
    weir_buffer_append_format(&scope, "%.8s/%s/%s/aws4_request", signing->time, signing->region, signing->service);
    weir_buffer_clear(&text);
    weir_buffer_append_format(&text, "AWS4-HMAC-SHA256\n%s\n%s\n%s", signing->time, weir_buffer_text(&scope), hash);
    signing_key(signing, key);
    hmac(weir_slice_of(key, sizeof key), weir_buffer_slice(&text), key);
    to_hex(key, hash);
    weir_buffer_append_format(out, "AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=", signing->access_key,
                              weir_buffer_text(&scope));
    append_names(signing, out);
    weir_buffer_append_format(out, ", Signature=%s", hash);
    weir_buffer_free(&text);
    weir_buffer_free(&scope);
}

void weir_s3_time(int64_t seconds, char out[17])
{
    int64_t days = seconds / 86400;
    int second = (int)(seconds % 86400);
    int64_t year;
    int month, day;
    char text[40];
    weir_civil_from_days(days, &year, &month, &day);
    snprintf(text, sizeof text, "%04d%02d%02dT%02d%02d%02dZ", (int)year, month, day, second / 3600, second / 60 % 60,
             second % 60);
    memcpy(out, text, 16);
    out[16] = '\0';
}
