/* Answers in XML, element by element. */
#ifndef WEIR_FS_S3_XML_H
#define WEIR_FS_S3_XML_H

#include "base/buffer.h"
#include "base/error.h"

/* An element ended; `path` is its names from the root, "ListBucketResult/Contents/Key", without namespaces, and `text`
 * what stood in it, but for what its children hold. */
typedef void (*weir_xml_element)(void *context, const char *path, weir_slice text);
/* An element began; NULL in weir_xml_read: nobody asks. */
typedef void (*weir_xml_begin)(void *context, const char *path);

/* WEIR_CORRUPT when `bytes` are no XML. */
int weir_xml_read(weir_slice bytes, weir_xml_element end, weir_xml_begin begin, void *context, weir_error *err);

/* Appends `text` as the contents of an element. */
void weir_xml_append_escaped(const char *text, weir_buffer *out);

#endif
