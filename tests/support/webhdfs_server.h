/* A cluster for tests: two name nodes and two data nodes that speak WebHDFS, over a file system in memory. One name
 * node is active; faults are put in by operation. What real ones answer was looked up with Hadoop 3.4. */
#ifndef WEIR_TESTS_WEBHDFS_SERVER_H
#define WEIR_TESTS_WEBHDFS_SERVER_H

#include <jansson.h>

#include "fs/fs.h"
#include "support/http_server.h"

typedef enum webhdfs_fault_kind {
    WEBHDFS_LOSES_REQUEST, /* nothing is done, the connection breaks */
    WEBHDFS_LOSES_ANSWER,  /* it is done, and then the connection breaks */
    WEBHDFS_CUTS_ANSWER,   /* of a read: half of it */
    WEBHDFS_REFUSES        /* with `status`, `exception` and `message` (no exception: plain text) */
} webhdfs_fault_kind;

typedef struct webhdfs_fault {
    const char *operation; /* NULL: none */
    bool at_data_node;
    int times; /* how many more requests it hits */
    webhdfs_fault_kind kind;
    int status;
    const char *exception;
    const char *message;
    void (*before)(void *context); /* something that happens at that moment, or NULL */
    void *context;
} webhdfs_fault;

typedef struct webhdfs_cluster webhdfs_cluster;

typedef struct webhdfs_node {
    webhdfs_cluster *cluster;
    int number;
    bool holds_data;
    test_server *server;
} webhdfs_node;

struct webhdfs_cluster {
    pthread_mutex_t mutex; /* of all below */
    weir_fs *memory;
    webhdfs_node names[2], data[2];
    int active; /* the name node that is not on standby */
    int page_size;
    bool is_old; /* as Hadoop 2: redirects by 307, whatever was asked, and lists at once */
    int located; /* how often data nodes were named; they take turns */
    webhdfs_fault fault;
    weir_buffer log; /* a line a request: "n0 GETFILESTATUS /a?the rest of the query" */
};

/* ---- requests ---- */

/* Decodes "%41" in place. */
static inline void webhdfs_decode(char *text)
{
    char *out = text;
    for (const char *at = text; *at != '\0'; at++) {
        unsigned byte;
        if (*at == '%' && sscanf(at + 1, "%2x", &byte) == 1) {
            *out++ = (char)byte;
            at += 2;
        } else {
            *out++ = *at;
        }
    }
    *out = '\0';
}

/* A parameter of the query, decoded (static buffers of the thread); NULL: absent. */
static inline const char *webhdfs_parameter(const char *target, const char *name)
{
    static _Thread_local char values[4][2048];
    static _Thread_local int next;
    size_t size = strlen(name);
    for (const char *at = strchr(target, '?'); at != NULL; at = strchr(at + 1, '&')) {
        if (strncmp(at + 1, name, size) == 0 && at[size + 1] == '=') {
            const char *value = at + size + 2;
            char *out = values[next++ % 4];
            snprintf(out, sizeof values[0], "%.*s", (int)strcspn(value, "&"), value);
            webhdfs_decode(out);
            return out;
        }
    }
    return NULL;
}

static inline bool webhdfs_is(const char *target, const char *name, const char *value)
{
    const char *found = webhdfs_parameter(target, name);
    return found != NULL && strcmp(found, value) == 0;
}

/* ---- answers ---- */

static inline void webhdfs_document(test_answer *answer, json_t *document)
{
    char *text = json_dumps(document, 0);
    weir_buffer_append_text(&answer->body, text);
    free(text);
    json_decref(document);
}

static inline void webhdfs_refuse(test_answer *answer, int status, const char *exception, const char *message)
{
    answer->status = status;
    if (exception == NULL) {
        weir_buffer_append_text(&answer->body, message);
        return;
    }
    webhdfs_document(answer, json_pack("{s:{s:s,s:s,s:s}}", "RemoteException", "exception", exception, "javaClassName",
                                       exception, "message", message));
}

/* What an error of the file system in memory is in Hadoop. */
static inline void webhdfs_refuse_code(test_answer *answer, int code, const char *path)
{
    char message[2400];
    bool is_missing = code == WEIR_NOT_FOUND, is_taken = code == WEIR_EXISTS;
    snprintf(message, sizeof message, "%s%s\n\tat org.apache.hadoop.Some.method(Some.java:1)",
             is_missing ? "File does not exist: " : "", path);
    webhdfs_refuse(answer, is_missing ? 404 : 403,
                   is_missing ? "FileNotFoundException"
                   : is_taken ? "FileAlreadyExistsException"
                              : "PathIsNotEmptyDirectoryException",
                   message);
}

static inline json_t *webhdfs_status(const weir_file_info *info, const char *name)
{
    return json_pack("{s:s,s:s,s:I,s:I,s:I}", "pathSuffix", name, "type", info->is_directory ? "DIRECTORY" : "FILE",
                     "length", (json_int_t)info->size_bytes, "modificationTime", (json_int_t)info->modified_ms,
                     "blockSize", (json_int_t)(1 << 20));
}

/* ---- name nodes ---- */

static inline void webhdfs_list(webhdfs_cluster *cluster, const char *path, const char *after, test_answer *answer)
{
    weir_arena arena;
    weir_arena_init(&arena);
    weir_file_info *entries, info;
    size_t count;
    json_t *list = json_array();
    int64_t left = 0;
    int code = weir_fs_stat(cluster->memory, path, &info, NULL);
    if (code == WEIR_OK && !info.is_directory) {
        json_array_append_new(list, webhdfs_status(&info, ""));
    } else if (code == WEIR_OK && weir_fs_list(cluster->memory, path, &arena, &entries, &count, NULL) == WEIR_OK) {
        for (size_t i = 0; i < count; i++) {
            bool is_next = after == NULL || strcmp(entries[i].name, after) > 0;
            if (is_next && (int)json_array_size(list) < cluster->page_size) {
                json_array_append_new(list, webhdfs_status(&entries[i], entries[i].name));
            } else {
                left += is_next;
            }
        }
    }
    if (code != WEIR_OK) {
        webhdfs_refuse_code(answer, code, path);
        json_decref(list);
    } else if (cluster->is_old) {
        webhdfs_document(answer, json_pack("{s:{s:o}}", "FileStatuses", "FileStatus", list));
    } else {
        webhdfs_document(answer, json_pack("{s:{s:{s:{s:o}},s:I}}", "DirectoryListing", "partialListing",
                                           "FileStatuses", "FileStatus", list, "remainingEntries", (json_int_t)left));
    }
    weir_arena_free(&arena);
}

static inline void webhdfs_rename(webhdfs_cluster *cluster, const char *from, const char *to, bool replaces,
                                  test_answer *answer)
{
    weir_file_info info;
    char parent[2048];
    snprintf(parent, sizeof parent, "%.*s", (int)(strrchr(to, '/') - to), to);
    if (weir_fs_stat(cluster->memory, from, &info, NULL) != WEIR_OK ||
        (*parent != '\0' && weir_fs_stat(cluster->memory, parent, &info, NULL) != WEIR_OK)) {
        webhdfs_refuse_code(answer, WEIR_NOT_FOUND, to);
        return;
    }
    if (replaces && weir_fs_stat(cluster->memory, to, &info, NULL) == WEIR_OK && !info.is_directory) {
        (void)weir_fs_remove(cluster->memory, to, NULL);
    }
    int code = weir_fs_rename(cluster->memory, from, to, NULL);
    if (code != WEIR_OK) {
        webhdfs_refuse_code(answer, code, to);
    }
}

static inline void webhdfs_locate(webhdfs_cluster *cluster, const char *path, const char *target, test_answer *answer)
{
    weir_file_info info;
    if (webhdfs_is(target, "op", "OPEN") && weir_fs_stat(cluster->memory, path, &info, NULL) != WEIR_OK) {
        webhdfs_refuse_code(answer, WEIR_NOT_FOUND, path);
        return;
    }
    if (webhdfs_parameter(target, "excludedatanodes") != NULL && cluster->located % 3 == 0) {
        webhdfs_refuse(answer, 403, "IOException", "Failed to find datanode, suggest to check cluster health.");
        return;
    }
    int port = cluster->data[cluster->located++ % 2].server->port;
    char location[4096];
    snprintf(location, sizeof location, "http://127.0.0.1:%d%s&namenoderpcaddress=127.0.0.1:8020", port, target);
    if (cluster->is_old) {
        answer->status = 307;
        weir_buffer_append_format(&answer->headers, "Location: %s\r\n", location);
    } else {
        webhdfs_document(answer, json_pack("{s:s}", "Location", location));
    }
}

static inline void webhdfs_answer_name(webhdfs_cluster *cluster, const char *path, const char *target,
                                       test_answer *answer)
{
    const char *operation = webhdfs_parameter(target, "op");
    weir_file_info info;
    int code = WEIR_OK;
    if (strcmp(operation, "GETFILESTATUS") == 0) {
        code = weir_fs_stat(cluster->memory, path, &info, NULL);
        if (code == WEIR_OK) {
            webhdfs_document(answer, json_pack("{s:o}", "FileStatus", webhdfs_status(&info, "")));
        }
    } else if (strcmp(operation, "LISTSTATUS_BATCH") == 0 && cluster->is_old) {
        webhdfs_refuse(answer, 400, "IllegalArgumentException", "Invalid value for webhdfs parameter \"op\"");
    } else if (strncmp(operation, "LISTSTATUS", 10) == 0) {
        webhdfs_list(cluster, path, webhdfs_parameter(target, "startAfter"), answer);
    } else if (strcmp(operation, "MKDIRS") == 0) {
        code = weir_fs_make_directories(cluster->memory, path, NULL);
    } else if (strcmp(operation, "DELETE") == 0) {
        code = webhdfs_is(target, "recursive", "true") ? weir_fs_remove_recursively(cluster->memory, path, NULL)
                                                       : weir_fs_remove(cluster->memory, path, NULL);
    } else if (strcmp(operation, "RENAME") == 0) {
        webhdfs_rename(cluster, path, webhdfs_parameter(target, "destination"),
                       webhdfs_is(target, "renameoptions", "OVERWRITE"), answer);
    } else {
        webhdfs_locate(cluster, path, target, answer);
    }
    if (code != WEIR_OK) {
        webhdfs_refuse_code(answer, code, path);
    } else if (answer->status == 200 && answer->body.size == 0) {
        webhdfs_document(answer, json_pack("{s:b}", "boolean", 1));
    }
}

/* ---- data nodes ---- */

static inline void webhdfs_write(webhdfs_cluster *cluster, const char *path, const test_request *request,
                                 test_answer *answer)
{
    weir_output *output;
    if (webhdfs_is(request->target, "overwrite", "true")) {
        (void)weir_fs_remove(cluster->memory, path, NULL);
    }
    int code = weir_fs_create(cluster->memory, path, &output, NULL);
    if (code != WEIR_OK) {
        webhdfs_refuse_code(answer, code, path);
        return;
    }
    assert_int_equal(weir_output_write(output, request->body.data, request->body.size, NULL), WEIR_OK);
    assert_int_equal(weir_output_finish(output, true, NULL), WEIR_OK);
    answer->status = 201;
}

static inline void webhdfs_read(webhdfs_cluster *cluster, const char *path, const char *target, test_answer *answer)
{
    int code = weir_fs_read_all(cluster->memory, path, &answer->body, NULL);
    const char *offset = webhdfs_parameter(target, "offset"), *length = webhdfs_parameter(target, "length");
    size_t skipped = offset != NULL ? strtoul(offset, NULL, 10) : 0;
    if (code != WEIR_OK || (skipped > 0 && skipped >= answer->body.size)) {
        weir_buffer_clear(&answer->body);
        webhdfs_refuse(answer, 403, "IOException", "Offset is out of the range");
        return;
    }
    if (skipped > 0) {
        test_consume(&answer->body, skipped);
    }
    size_t wanted = length != NULL ? strtoul(length, NULL, 10) : answer->body.size;
    answer->body.size = wanted < answer->body.size ? wanted : answer->body.size;
}

/* ---- the cluster ---- */

static inline void webhdfs_handle(void *context, const test_request *request, test_answer *answer)
{
    const webhdfs_node *node = context;
    webhdfs_cluster *cluster = node->cluster;
    const char *operation = webhdfs_parameter(request->target, "op");
    char path[2048];
    snprintf(path, sizeof path, "%.*s", (int)strcspn(request->target + 11, "?"), request->target + 11);
    webhdfs_decode(path);
    pthread_mutex_lock(&cluster->mutex);
    weir_buffer_append_format(&cluster->log, "%c%d %s %s\n", node->holds_data ? 'd' : 'n', node->number, operation,
                              request->target + 11);
    webhdfs_fault *fault = &cluster->fault;
    bool is_hit = fault->operation != NULL && strcmp(fault->operation, operation) == 0 && fault->times > 0 &&
                  fault->at_data_node == node->holds_data;
    fault->times -= is_hit;
    if (is_hit && fault->before != NULL) {
        fault->before(fault->context);
    }
    if (!node->holds_data && node->number != cluster->active) {
        webhdfs_refuse(answer, 403, "StandbyException", "Operation category READ is not supported in state standby.");
    } else if (is_hit && fault->kind == WEBHDFS_LOSES_REQUEST) {
        answer->resets = true;
    } else if (is_hit && fault->kind == WEBHDFS_REFUSES) {
        webhdfs_refuse(answer, fault->status, fault->exception, fault->message);
    } else if (!node->holds_data) {
        webhdfs_answer_name(cluster, path, request->target, answer);
    } else if (strcmp(request->method, "PUT") == 0) {
        webhdfs_write(cluster, path, request, answer);
    } else {
        webhdfs_read(cluster, path, request->target, answer);
    }
    answer->resets |= is_hit && fault->kind == WEBHDFS_LOSES_ANSWER;
    answer->cut_after = is_hit && fault->kind == WEBHDFS_CUTS_ANSWER ? answer->body.size / 2 : 0;
    pthread_mutex_unlock(&cluster->mutex);
}

static inline webhdfs_cluster *webhdfs_start(void)
{
    webhdfs_cluster *cluster = weir_alloc_zeroed(1, sizeof *cluster);
    pthread_mutex_init(&cluster->mutex, NULL);
    cluster->memory = weir_fs_memory();
    cluster->page_size = 1000;
    for (int i = 0; i < 2; i++) {
        cluster->names[i] = (webhdfs_node){cluster, i, false, NULL};
        cluster->data[i] = (webhdfs_node){cluster, i, true, NULL};
        cluster->names[i].server = test_server_start(webhdfs_handle, &cluster->names[i]);
        cluster->data[i].server = test_server_start(webhdfs_handle, &cluster->data[i]);
    }
    return cluster;
}

static inline void webhdfs_stop(webhdfs_cluster *cluster)
{
    for (int i = 0; i < 2; i++) {
        test_server_stop(cluster->names[i].server);
        test_server_stop(cluster->data[i].server);
    }
    weir_fs_close(cluster->memory);
    weir_buffer_free(&cluster->log);
    pthread_mutex_destroy(&cluster->mutex);
    free(cluster);
}

/* How many requests so far have `words` in their line of the log. */
static inline int webhdfs_count(webhdfs_cluster *cluster, const char *words)
{
    int count = 0;
    pthread_mutex_lock(&cluster->mutex);
    for (const char *at = strstr(weir_buffer_text(&cluster->log), words); at != NULL; count++) {
        at = strchr(at, '\n');
        at = at != NULL ? strstr(at, words) : NULL;
    }
    pthread_mutex_unlock(&cluster->mutex);
    return count;
}

/* The file system over it, as a user named ada. */
static inline weir_fs *webhdfs_open(webhdfs_cluster *cluster, const char *key, const char *value)
{
    char addresses[64];
    snprintf(addresses, sizeof addresses, "127.0.0.1:%d,127.0.0.1:%d", cluster->names[0].server->port,
             cluster->names[1].server->port);
    const char *keys[] = {"hdfs.webhdfs.address", key};
    const char *values[] = {addresses, value};
    weir_fs_settings settings = {keys, values, 2};
    weir_arena arena;
    weir_arena_init(&arena);
    weir_fs *fs;
    const char *path;
    weir_error err;
    if (weir_fs_open("hdfs://test/", &settings, &arena, &fs, &path, &err) != WEIR_OK) {
        fail_msg("%s", err.message);
    }
    assert_string_equal(path, "hdfs://test");
    weir_arena_free(&arena);
    return fs;
}

#endif
