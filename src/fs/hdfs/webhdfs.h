/* Asking name nodes and data nodes over WebHDFS. Used by the files of this folder.
 *
 *   webhdfs.c           operations of the name nodes, whichever of them is active
 *   remote_exception.c  what servers say when they refuse
 *   file.c, output.c    bytes, which data nodes give and take
 *   hdfs.c              the file system */
#ifndef WEIR_FS_HDFS_WEBHDFS_H
#define WEIR_FS_HDFS_WEBHDFS_H

#include <stdatomic.h>

#include "base/json.h"
#include "fs/fs.h"
#include "fs/hdfs/name_nodes.h"
#include "fs/http.h"

typedef struct weir_hdfs {
    weir_fs fs;
    weir_arena arena;
    weir_name_nodes nodes;
    atomic_size_t active;     /* the name node that answered last */
    atomic_bool has_answered; /* one did: it is waited for when it is away */
} weir_hdfs;

/* ---- what servers say ---- */

typedef enum weir_hdfs_refusal {
    WEIR_HDFS_FINAL,   /* the answer counts */
    WEIR_HDFS_STANDBY, /* another name node must be asked */
    WEIR_HDFS_LATER    /* the same one will answer when it is asked again: it starts, or is overloaded */
} weir_hdfs_refusal;

/* Fills `err` with what an answer without success (status 300 and more) means for `operation` on `path`:
 * WEIR_NOT_FOUND, WEIR_EXISTS, WEIR_DENIED, WEIR_INVALID (it knows no such operation or argument), or WEIR_IO. */
int weir_hdfs_refused(const char *path, const char *operation, const weir_http_response *response,
                      weir_hdfs_refusal *out, weir_error *err);

/* ---- name nodes ---- */

typedef struct weir_hdfs_call {
    const char *method;
    const char *operation;  /* "GETFILESTATUS" */
    const char *path;       /* as in fs.h */
    const char *parameters; /* more of the query, escaped, such as "recursive=true"; NULL: none */
    bool never_waits;       /* for what will pass: it is an error */
} weir_hdfs_call;

/* Zero-initialized is empty; freed with weir_hdfs_answer_free. */
typedef struct weir_hdfs_answer {
    json_t *document; /* NULL: no body */
    bool is_repeated; /* an earlier request may have been carried out, though its answer was lost; set on errors too */
} weir_hdfs_answer;

/* Whether to try again after WEIR_HDFS_LATER or a lost answer, what began at `started_ns` (weir_monotonic_ns); after a
 * pause, then, that grows with `tries`. */
bool weir_hdfs_wait(weir_hdfs *self, int64_t started_ns, int tries);

/* Asks the active name node. Tries again while name nodes do not answer, are on standby or start: for a minute if one
 * has answered before, for some seconds otherwise. The codes are those of weir_hdfs_refused. */
int weir_hdfs_ask(weir_hdfs *self, const weir_hdfs_call *call, weir_hdfs_answer *out, weir_error *err);
void weir_hdfs_answer_free(weir_hdfs_answer *answer);

/* The URL of a data node for OPEN, CREATE or APPEND, allocated. `excluded`: the host of one that failed, or NULL. */
int weir_hdfs_locate(weir_hdfs *self, const weir_hdfs_call *call, const char *excluded, char **out, weir_error *err);

/* The host of a URL, without its port, allocated. */
char *weir_hdfs_host_of(const char *url);

/* Appends "&name=" and the escaped value. */
void weir_hdfs_append_parameter(weir_buffer *parameters, const char *name, const char *value);

/* ---- files ---- */

/* A file of this size, to be read. */
weir_file *weir_hdfs_open_file(weir_hdfs *self, const char *path, uint64_t size, uint64_t block_size);

/* Reads the file whole; appends to `out`. */
int weir_hdfs_read_all(weir_hdfs *self, const char *path, weir_buffer *out, weir_error *err);

/* A new file, of which nothing is there yet. */
weir_output *weir_hdfs_new_output(weir_hdfs *self, const char *path);

/* Writes a new file with these bytes. WEIR_EXISTS: the path is taken. What fails in passing is tried again; should
 * another writer take the path while an answer is lost, its file is replaced, so that names must be unlike those of
 * others. */
int weir_hdfs_write_new(weir_hdfs *self, const char *path, weir_slice bytes, weir_error *err);

/* Removes a file or empty folder, or with `recursive` all below; absent is fine. */
int weir_hdfs_delete(weir_hdfs *self, const char *path, bool recursive, weir_error *err);

#endif
