/* MD5, SHA1 and the SHA2 family, as hexadecimal digits in lower case. Nettle computes them. */
#include <nettle/md5.h>
#include <nettle/sha1.h>
#include <nettle/sha2.h>

#include "sql/function/kernels.h"

static int put_digits(weir_kernel_call *call, int64_t row, const uint8_t *digest, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    char text[SHA512_DIGEST_SIZE * 2];
    for (size_t i = 0; i < size; i++) {
        text[i * 2] = digits[digest[i] >> 4];
        text[i * 2 + 1] = digits[digest[i] & 15];
    }
    return weir_kernel_put_text(call, row, weir_slice_of(text, size * 2));
}

#define DEFINE_DIGEST(name, context, prefix, width)                                                                    \
    static int name(weir_kernel_call *call, int64_t row, weir_error *err)                                              \
    {                                                                                                                  \
        (void)err;                                                                                                     \
        weir_slice text = weir_kernel_text(call, 0, row);                                                              \
        struct context state;                                                                                          \
        uint8_t digest[width];                                                                                         \
        prefix##_init(&state);                                                                                         \
        prefix##_update(&state, text.size, text.data);                                                                 \
        prefix##_digest(&state, width, digest);                                                                        \
        return put_digits(call, row, digest, width);                                                                   \
    }

DEFINE_DIGEST(digest_md5, md5_ctx, md5, MD5_DIGEST_SIZE)
DEFINE_DIGEST(digest_sha1, sha1_ctx, sha1, SHA1_DIGEST_SIZE)
DEFINE_DIGEST(digest_sha224, sha224_ctx, sha224, SHA224_DIGEST_SIZE)
DEFINE_DIGEST(digest_sha256, sha256_ctx, sha256, SHA256_DIGEST_SIZE)
DEFINE_DIGEST(digest_sha384, sha384_ctx, sha384, SHA384_DIGEST_SIZE)
DEFINE_DIGEST(digest_sha512, sha512_ctx, sha512, SHA512_DIGEST_SIZE)

/* SHA2(text, bits). */
static int digest_sha2(weir_kernel_call *call, int64_t row, weir_error *err)
{
    int64_t bits = weir_kernel_integer(call, 1, row);
    switch (bits) {
    case 224:
        return digest_sha224(call, row, err);
    case 256:
        return digest_sha256(call, row, err);
    case 384:
        return digest_sha384(call, row, err);
    case 512:
        return digest_sha512(call, row, err);
    default:
        return weir_fail(err, WEIR_INVALID, "SHA2 makes digests of 224, 256, 384 or 512 bits, not of %" PRId64, bits);
    }
}

const weir_kernel weir_kernel_md5 = {.name = "md5", .row = digest_md5};
const weir_kernel weir_kernel_sha1 = {.name = "sha1", .row = digest_sha1};
const weir_kernel weir_kernel_sha224 = {.name = "sha224", .row = digest_sha224};
const weir_kernel weir_kernel_sha256 = {.name = "sha256", .row = digest_sha256};
const weir_kernel weir_kernel_sha384 = {.name = "sha384", .row = digest_sha384};
const weir_kernel weir_kernel_sha512 = {.name = "sha512", .row = digest_sha512};
const weir_kernel weir_kernel_sha2 = {.name = "sha2", .row = digest_sha2};
