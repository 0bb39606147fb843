/* Signatures: the examples that AWS publishes. */
#include "fs/s3/sign.h"

#include "cmocka_all.h"

#define EMPTY_HASH "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

typedef struct signing_case {
    const char *method;
    const char *path;
    const char *query;
    weir_s3_signed_header headers[6];
    const char *payload_hash;
    const char *signature;
} signing_case;

#define HOST {"host", "examplebucket.s3.amazonaws.com"}
#define DATE {"x-amz-date", "20130524T000000Z"}

/* From "Signature calculations for the Authorization header" in the reference of Amazon S3's API. */
static const signing_case s3_cases[] = {
    {"GET",
     "/test.txt",
     "",
     {HOST, {"range", "bytes=0-9"}, {"x-amz-content-sha256", EMPTY_HASH}, DATE},
     EMPTY_HASH,
     "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"},
    {"PUT",
     "/test%24file.text",
     "",
     {{"date", "Fri, 24 May 2013 00:00:00 GMT"},
      HOST,
      {"x-amz-content-sha256", "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"},
      DATE,
      {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
     "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
     "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"},
    {"GET",
     "/",
     "lifecycle=",
     {HOST, {"x-amz-content-sha256", EMPTY_HASH}, DATE},
     EMPTY_HASH,
     "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"},
    {"GET",
     "/",
     "max-keys=2&prefix=J",
     {HOST, {"x-amz-content-sha256", EMPTY_HASH}, DATE},
     EMPTY_HASH,
     "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"},
};

static void sign_case(const signing_case *tested, const char *access_key, const char *secret_key, const char *service,
                      const char *time, weir_buffer *out)
{
    weir_s3_signing signing = {.method = tested->method,
                               .path = tested->path,
                               .query = tested->query,
                               .headers = tested->headers,
                               .payload_hash = tested->payload_hash,
                               .time = time,
                               .region = "us-east-1",
                               .service = service,
                               .access_key = access_key,
                               .secret_key = secret_key};
    while (tested->headers[signing.header_count].name != NULL) {
        signing.header_count++;
    }
    weir_s3_sign(&signing, out);
}

static void the_examples_of_s3_come_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof s3_cases / sizeof *s3_cases; i++) {
        weir_buffer value = {0};
        sign_case(&s3_cases[i], "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "s3",
                  "20130524T000000Z", &value);
        const char *at = strstr(weir_buffer_text(&value), "Signature=");
        assert_non_null(at);
        assert_string_equal(at + 10, s3_cases[i].signature);
        weir_buffer_free(&value);
    }
}

static void the_whole_header_names_scope_and_headers(void **state)
{
    (void)state;
    /* "get-vanilla" of AWS's test suite for signatures. */
    static const signing_case vanilla = {"GET",
                                         "/",
                                         "",
                                         {{"host", "example.amazonaws.com"}, {"x-amz-date", "20150830T123600Z"}},
                                         EMPTY_HASH,
                                         NULL};
    weir_buffer value = {0};
    sign_case(&vanilla, "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "service", "20150830T123600Z",
              &value);
    assert_string_equal(weir_buffer_text(&value),
                        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
                        "SignedHeaders=host;x-amz-date, "
                        "Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
    weir_buffer_free(&value);
}

static void bodies_are_hashed(void **state)
{
    (void)state;
    char hash[WEIR_SHA256_HEX_SIZE];
    weir_sha256_hex(weir_slice_text(""), hash);
    assert_string_equal(hash, EMPTY_HASH);
    weir_sha256_hex(weir_slice_text("Welcome to Amazon S3."), hash);
    assert_string_equal(hash, "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072");
}

static void times_are_written_as_amazon_does(void **state)
{
    (void)state;
    char text[17];
    weir_s3_time(1369353600, text);
    assert_string_equal(text, "20130524T000000Z");
    weir_s3_time(1440938160, text);
    assert_string_equal(text, "20150830T123600Z");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_of_s3_come_out),
        cmocka_unit_test(the_whole_header_names_scope_and_headers),
        cmocka_unit_test(bodies_are_hashed),
        cmocka_unit_test(times_are_written_as_amazon_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
