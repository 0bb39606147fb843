/* Hadoop's configuration files (core-site.xml, hdfs-site.xml): their properties, one after the other. */
#ifndef WEIR_FS_HDFS_SITE_FILE_H
#define WEIR_FS_HDFS_SITE_FILE_H

#include "base/buffer.h"
#include "base/error.h"

/* Called with each property, in the order of the file; both texts end with a NUL, are trimmed, and are borrowed for the
 * call. */
typedef void (*weir_property_function)(void *argument, const char *name, const char *value);

/* Reads `text`; `path` names it in errors. Properties without a name or a value are passed over, as is everything
 * that is no property (xi:include too, as in Java Paimon). What is no XML is WEIR_INVALID, with its line. */
int weir_site_file_read(weir_slice text, const char *path, weir_property_function function, void *argument,
                        weir_error *err);

#endif
