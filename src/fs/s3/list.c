/* Folders of a bucket: ListObjectsV2, page by page, and what stands at a path. */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/text.h"
#include "fs/s3/call.h"
#include "fs/s3/xml.h"

/* One listing, over all its pages. */
typedef struct s3_listing {
    weir_arena *arena;
    const char *prefix; /* cut from keys */
    weir_file_info *items;
    size_t count;
    size_t capacity;
    /* Of the page: */
    bool is_url_encoded;
    bool is_truncated;
    char *token; /* of the next page; in the arena */
    weir_file_info item;
} s3_listing;

/* ---- a page ---- */

static int hex_digit(uint8_t digit)
{
    return digit >= '0' && digit <= '9'   ? digit - '0'
           : digit >= 'A' && digit <= 'F' ? digit - 'A' + 10
           : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
                                          : -1;
}

/* A key as it is: servers that were asked to escape it say so. */
static char *decode_key(const s3_listing *listing, weir_slice text)
{
    char *key = weir_arena_strndup(listing->arena, (const char *)text.data, text.size);
    if (!listing->is_url_encoded) {
        return key;
    }
    char *out = key;
    for (size_t i = 0; i < text.size; i++) {
        int high = i + 2 < text.size && text.data[i] == '%' ? hex_digit(text.data[i + 1]) : -1;
        int low = high >= 0 ? hex_digit(text.data[i + 2]) : -1;
        if (low >= 0) {
            *out++ = (char)(high * 16 + low);
            i += 2;
        } else {
            *out++ = text.data[i] == '+' ? ' ' : (char)text.data[i];
        }
    }
    *out = '\0';
    return key;
}

static bool is_true(weir_slice text) { return weir_slice_equal(text, weir_slice_text("true")); }

static void add_item(s3_listing *listing, const char *key, bool is_directory)
{
    size_t prefix_size = strlen(listing->prefix);
    size_t size = strlen(key);
    size -= is_directory && size > 0 && key[size - 1] == '/';
    if (strncmp(key, listing->prefix, prefix_size) != 0 || size <= prefix_size) {
        return; /* the object that stands for the folder itself, or a name that paths cannot have: "a//b" */
    }
    char *name = weir_arena_strndup(listing->arena, key + prefix_size, size - prefix_size);
    WEIR_GROW(listing->items, listing->capacity, listing->count + 1);
    listing->items[listing->count++] = (weir_file_info){name, is_directory, listing->item.size_bytes,
                                                        listing->item.modified_ms};
}

static void take_element(void *context, const char *path, weir_slice text)
{
    s3_listing *listing = context;
    const char *name = strncmp(path, "ListBucketResult/", 17) == 0 ? path + 17 : "";
    char number[32];
    snprintf(number, sizeof number, "%.*s", (int)(text.size < sizeof number ? text.size : sizeof number - 1),
             (const char *)text.data);
    if (strcmp(name, "Contents/Key") == 0) {
        listing->item.name = decode_key(listing, text);
    } else if (strcmp(name, "Contents/Size") == 0) {
        listing->item.size_bytes = strtoull(number, NULL, 10);
    } else if (strcmp(name, "Contents/LastModified") == 0) {
        listing->item.modified_ms = weir_s3_iso_time(number);
    } else if (strcmp(name, "Contents") == 0 && listing->item.name != NULL) {
        add_item(listing, listing->item.name, false);
        listing->item = (weir_file_info){0};
    } else if (strcmp(name, "CommonPrefixes/Prefix") == 0) {
        add_item(listing, decode_key(listing, text), true);
    } else if (strcmp(name, "EncodingType") == 0) {
        listing->is_url_encoded = weir_slice_equal(text, weir_slice_text("url"));
    } else if (strcmp(name, "IsTruncated") == 0) {
        listing->is_truncated = is_true(text);
    } else if (strcmp(name, "NextContinuationToken") == 0) {
        listing->token = weir_arena_strndup(listing->arena, (const char *)text.data, text.size);
    }
}

/* EncodingType may follow the keys: it is looked for first. */
static bool says_url_encoded(weir_slice body)
{
    static const char element[] = "<EncodingType>url</EncodingType>";
    return memmem(body.data, body.size, element, sizeof element - 1) != NULL;
}

static int read_page(weir_s3 *s3, const char *path, const weir_http_response *response, s3_listing *listing,
                     weir_error *err)
{
    WEIR_TRY(weir_s3_check(s3, response, path, false, err));
    weir_slice body = weir_buffer_slice(&response->body);
    listing->is_url_encoded = says_url_encoded(body);
    listing->is_truncated = false;
    const char *before = listing->token;
    listing->token = NULL;
    WEIR_TRY_CTX(weir_xml_read(body, take_element, NULL, listing, err), err, "%s: listing", path);
    if (listing->is_truncated && (listing->token == NULL || (before != NULL && strcmp(before, listing->token) == 0))) {
        return weir_fail(err, WEIR_CORRUPT, "%s: the server says there is more to list, but not where", path);
    }
    return WEIR_OK;
}

/* ---- pages ---- */

/* `delimiter`: "/", or NULL for everything below. `most` entries of the first page only; NULL: all pages. */
static int list_prefix(weir_s3 *s3, const char *prefix, const char *delimiter, const char *most, const char *path,
                       s3_listing *listing, weir_error *err)
{
    do {
        weir_s3_call call = {.method = "GET", .path = path, .key = ""};
        weir_http_response response = {0};
        int count = 0;
        if (listing->token != NULL) {
            call.parameters[count++] = (weir_http_header){"continuation-token", listing->token};
        }
        if (delimiter != NULL) {
            call.parameters[count++] = (weir_http_header){"delimiter", delimiter};
        }
        call.parameters[count++] = (weir_http_header){"encoding-type", "url"};
        call.parameters[count++] = (weir_http_header){"list-type", "2"};
        if (most != NULL) {
            call.parameters[count++] = (weir_http_header){"max-keys", most};
        }
        call.parameters[count++] = (weir_http_header){"prefix", prefix};
        int code = weir_s3_run(s3, &call, &response, err);
        if (code == WEIR_OK) {
            code = read_page(s3, path, &response, listing, err);
        }
        weir_http_response_free(&response);
        WEIR_TRY(code);
    } while (listing->is_truncated && most == NULL);
    return WEIR_OK;
}

/* What a folder's keys begin with. */
static char *folder_prefix(weir_arena *arena, const char *path)
{
    const char *key = weir_s3_key(path);
    return weir_arena_format(arena, "%s%s", key, key[0] == '\0' ? "" : "/");
}

int weir_s3_list(weir_fs *fs, const char *path, weir_arena *arena, weir_file_info **out, size_t *out_count,
                 weir_error *err)
{
    char *prefix = folder_prefix(arena, path);
    s3_listing listing = {.arena = arena, .prefix = prefix};
    int code = list_prefix((weir_s3 *)fs, prefix, "/", NULL, path, &listing, err);
    if (code == WEIR_OK) {
        *out = weir_arena_copy(arena, listing.items, listing.count * sizeof *listing.items);
        *out_count = listing.count;
    }
    free(listing.items);
    return code;
}

int weir_s3_list_keys(weir_s3 *s3, const char *prefix, const char *path, weir_arena *arena, const char ***out_keys,
                      size_t *out_count, weir_error *err)
{
    s3_listing listing = {.arena = arena, .prefix = ""};
    int code = list_prefix(s3, prefix, NULL, NULL, path, &listing, err);
    if (code == WEIR_OK) {
        const char **keys = WEIR_NEW_ARRAY(arena, const char *, listing.count + 1);
        for (size_t i = 0; i < listing.count; i++) {
            keys[i] = listing.items[i].name;
        }
        *out_keys = keys;
        *out_count = listing.count;
    }
    free(listing.items);
    return code;
}

/* ---- what stands at a path ---- */

static int stat_file(weir_s3 *s3, const char *path, weir_file_info *out, weir_error *err)
{
    weir_s3_call call = {.method = "HEAD", .path = path};
    weir_http_response response = {0};
    int code = weir_s3_run(s3, &call, &response, err);
    if (code == WEIR_OK) {
        code = weir_s3_check(s3, &response, path, false, err);
    }
    if (code == WEIR_OK && !weir_s3_file_info(&response, out)) {
        code = weir_fail(err, WEIR_CORRUPT, "%s: the server does not say how large it is", path);
    }
    weir_http_response_free(&response);
    return code;
}

static int stat_folder(weir_s3 *s3, const char *path, weir_file_info *out, weir_error *err)
{
    weir_arena arena;
    weir_arena_init(&arena);
    s3_listing listing = {.arena = &arena, .prefix = ""};
    int code = list_prefix(s3, folder_prefix(&arena, path), NULL, "1", path, &listing, err);
    code = code == WEIR_NOT_FOUND ? WEIR_INVALID : code; /* it is the bucket that is missing */
    if (code == WEIR_OK && listing.count == 0 && weir_s3_key(path)[0] != '\0') {
        code = weir_fail(err, WEIR_NOT_FOUND, "%s: there is no such file", path);
    }
    if (code == WEIR_OK) {
        *out = (weir_file_info){.is_directory = true};
    }
    free(listing.items);
    weir_arena_free(&arena);
    return code;
}

int weir_s3_stat(weir_fs *fs, const char *path, weir_file_info *out, weir_error *err)
{
    weir_s3 *s3 = (weir_s3 *)fs;
    int code = weir_s3_key(path)[0] == '\0' ? WEIR_NOT_FOUND : stat_file(s3, path, out, err);
    return code == WEIR_NOT_FOUND ? stat_folder(s3, path, out, err) : code;
}

int weir_s3_file_exists(weir_fs *fs, const char *path, bool *out, weir_error *err)
{
    weir_file_info info;
    int code = stat_file((weir_s3 *)fs, path, &info, err);
    *out = code == WEIR_OK;
    if (code == WEIR_NOT_FOUND) {
        weir_error_clear(err);
    }
    return code == WEIR_NOT_FOUND ? WEIR_OK : code;
}

int weir_s3_folder_exists(weir_fs *fs, const char *path, bool *out, weir_error *err)
{
    weir_file_info info;
    int code = stat_folder((weir_s3 *)fs, path, &info, err);
    *out = code == WEIR_OK;
    if (code == WEIR_NOT_FOUND) {
        weir_error_clear(err);
    }
    return code == WEIR_NOT_FOUND ? WEIR_OK : code;
}
