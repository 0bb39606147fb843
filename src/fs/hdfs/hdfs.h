/* HDFS by WebHDFS. */
#ifndef WEIR_FS_HDFS_HDFS_H
#define WEIR_FS_HDFS_HDFS_H

#include "fs/fs.h"

/* The file system of a URI without its path, such as "hdfs://host:8020"; see hdfs/name_nodes.h for URIs and options.
 * Does not touch the network. Freed by its `close`. */
int weir_fs_hdfs_open(const char *root, const weir_fs_settings *settings, weir_fs **out, weir_error *err);

#endif
