/* The name nodes that a URI means, and who asks them. */
#ifndef WEIR_FS_HDFS_NAME_NODES_H
#define WEIR_FS_HDFS_NAME_NODES_H

#include "base/arena.h"
#include "base/error.h"
#include "fs/settings.h"

typedef struct weir_name_nodes {
    const char **urls; /* "http://host:port", one or more; which of them is active is found out */
    size_t count;
    const char *user;  /* user.name of requests; NULL when there is a token */
    const char *token; /* delegation token, a secret; NULL: none */
    const char *hint;  /* for errors: where the addresses come from */
} weir_name_nodes;

/* `root` is a URI without its path: "hdfs://host:8020", "hdfs://nameservice", "hdfs://" (the default one),
 * "webhdfs://host:9870" or "swebhdfs://host:9871".
 *
 * Options: 'hdfs.webhdfs.address' (host:port or URLs, by commas), 'hdfs.user', 'hdfs.delegation-token', and those of
 * weir_hadoop_configuration_load. All texts live in the arena. WEIR_INVALID: the default name node is asked for, and
 * nothing says which it is; or an address is none. */
int weir_name_nodes_resolve(const char *root, const weir_fs_settings *settings, weir_arena *arena, weir_name_nodes *out,
                            weir_error *err);

#endif
