/* What name nodes and data nodes say when they refuse:
 *
 *   {"RemoteException": {"exception": "FileNotFoundException", "javaClassName": "java.io.FileNotFoundException",
 *                        "message": "File does not exist: /a"}}
 *
 * The name of the exception says what it means; the message is for people, and may have more lines than are wanted. */
#include "fs/hdfs/webhdfs.h"

#include <stdio.h>

typedef struct known_exception {
    const char *name;
    weir_code code;
    weir_hdfs_refusal refusal;
    const char *words; /* before the server's own */
} known_exception;

static const known_exception known_exceptions[] = {
    {"FileNotFoundException", WEIR_NOT_FOUND, WEIR_HDFS_FINAL, ""},
    {"FileAlreadyExistsException", WEIR_EXISTS, WEIR_HDFS_FINAL, ""},
    {"ParentNotDirectoryException", WEIR_EXISTS, WEIR_HDFS_FINAL, "a folder is needed here, but there is a file: "},
    {"IllegalArgumentException", WEIR_INVALID, WEIR_HDFS_FINAL, ""},
    {"PathIsNotEmptyDirectoryException", WEIR_IO, WEIR_HDFS_FINAL, ""},
    {"AccessControlException", WEIR_DENIED, WEIR_HDFS_FINAL, ""},
    {"AuthorizationException", WEIR_DENIED, WEIR_HDFS_FINAL, ""},
    {"SecurityException", WEIR_DENIED, WEIR_HDFS_FINAL, ""},
    {"InvalidToken", WEIR_DENIED, WEIR_HDFS_FINAL, "the delegation token is not valid (any more): "},
    {"AuthenticationException", WEIR_DENIED, WEIR_HDFS_FINAL, ""},
    {"NSQuotaExceededException", WEIR_IO, WEIR_HDFS_FINAL, "the folder's quota of names is used up: "},
    {"DSQuotaExceededException", WEIR_IO, WEIR_HDFS_FINAL, "the folder's quota of space is used up: "},
    {"QuotaByStorageTypeExceededException", WEIR_IO, WEIR_HDFS_FINAL, "the folder's quota of space is used up: "},
    {"StandbyException", WEIR_IO, WEIR_HDFS_STANDBY, "the name node is on standby: "},
    {"ObserverRetryOnActiveException", WEIR_IO, WEIR_HDFS_STANDBY, "the name node is an observer: "},
    {"RetriableException", WEIR_IO, WEIR_HDFS_LATER, "the name node asks to try again later: "},
    /* of data nodes that cannot reach the name node */
    {"ConnectException", WEIR_IO, WEIR_HDFS_LATER, ""},
    {"NoRouteToHostException", WEIR_IO, WEIR_HDFS_LATER, ""},
    {"SocketException", WEIR_IO, WEIR_HDFS_LATER, ""},
    {"SocketTimeoutException", WEIR_IO, WEIR_HDFS_LATER, ""},
    {"EOFException", WEIR_IO, WEIR_HDFS_LATER, ""},
};

/* Of an IOException: no data node is there, as when they have not yet come back to a name node that was restarted. */
static const char *const no_data_node[] = {"could only be written to", "Failed to find datanode"};
static const known_exception without_data_nodes = {"IOException", WEIR_IO, WEIR_HDFS_LATER, ""};

/* Safe mode ends by itself after a start, and does not when somebody has turned it on. */
static const known_exception starting = {
    "SafeModeException", WEIR_IO, WEIR_HDFS_LATER,
    "the name node is starting and in safe mode, in which nothing can be changed: "};
static const known_exception safe_mode = {
    "SafeModeException", WEIR_IO, WEIR_HDFS_FINAL,
    "the name node is in safe mode, in which nothing can be changed (`hdfs dfsadmin "
    "-safemode leave` ends it): "};

/* Where a path leads through a file, a name node speaks of access; for an operation that changes something, of that. */
static const char through_file[] = "(is not a directory)";

static const known_exception *find_exception(const char *name, const char *message)
{
    if (strcmp(name, "AccessControlException") == 0 && strstr(message, through_file) != NULL) {
        name = "ParentNotDirectoryException";
    }
    if (strcmp(name, "SafeModeException") == 0) {
        return strstr(message, "automatically") != NULL ? &starting : &safe_mode;
    }
    for (size_t i = 0; i < sizeof known_exceptions / sizeof *known_exceptions; i++) {
        if (strcmp(known_exceptions[i].name, name) == 0) {
            return &known_exceptions[i];
        }
    }
    for (size_t i = 0; i < sizeof no_data_node / sizeof *no_data_node; i++) {
        if (strstr(message, no_data_node[i]) != NULL) {
            return &without_data_nodes;
        }
    }
    return NULL;
}

/* For answers that come from elsewhere than HDFS itself: a proxy, the authentication in front of it. */
static int refused_by_status(const char *path, const char *operation, int status, weir_hdfs_refusal *out,
                             weir_error *err)
{
    switch (status) {
    case 401:
        return weir_fail(err, WEIR_DENIED,
                         "%s: %s: the cluster asks for authentication (status 401); give a delegation token by the "
                         "option 'hdfs.delegation-token'",
                         path, operation);
    case 403:
        return weir_fail(err, WEIR_DENIED, "%s: %s: refused (status 403)", path, operation);
    case 404:
        return weir_fail(err, WEIR_IO, "%s: %s: there is no WebHDFS at this address (status 404)", path, operation);
    default:
        *out = status >= 500 || status == 429 || status == 408 ? WEIR_HDFS_LATER : WEIR_HDFS_FINAL;
        return weir_fail(err, WEIR_IO, "%s: %s: status %d", path, operation, status);
    }
}

int weir_hdfs_refused(const char *path, const char *operation, const weir_http_response *response,
                      weir_hdfs_refusal *out, weir_error *err)
{
    *out = WEIR_HDFS_FINAL;
    json_error_t ignored;
    json_t *document = json_loadb((const char *)response->body.data, response->body.size, 0, &ignored);
    const json_t *exception = json_object_get(document, "RemoteException");
    const char *name = json_string_value(json_object_get(exception, "exception"));
    const char *message = json_string_value(json_object_get(exception, "message"));
    int code;
    if (name == NULL) {
        code = refused_by_status(path, operation, response->status, out, err);
    } else {
        message = message != NULL ? message : "";
        const known_exception *known = find_exception(name, message);
        int line = (int)strcspn(message, "\n");
        if (known != NULL) {
            *out = known->refusal;
            code = weir_fail(err, known->code, "%s: %s: %s%.*s", path, operation, known->words, line, message);
        } else {
            code = weir_fail(err, response->status == 401 ? WEIR_DENIED : WEIR_IO, "%s: %s: %s: %.*s", path, operation,
                             name, line, message);
        }
    }
    json_decref(document);
    return code;
}
