/* JSON documents, for metadata files (schemas, snapshots, tags). A thin layer on jansson: reading with errors that name
 * the file and the member, and writing as Jackson's pretty printer does (two blanks, ` : `). The fast reader of change
 * events is format/json. */
#ifndef WEIR_BASE_JSON_H
#define WEIR_BASE_JSON_H

#include <jansson.h>

#include "base/buffer.h"
#include "base/error.h"

/* Parses `text`; `path` names the document in errors. Caller: json_decref(*out). */
int weir_json_parse(weir_slice text, const char *path, json_t **out, weir_error *err);

/* Members of an object. `required` ones fail with WEIR_CORRUPT when absent or null; optional ones leave *out as it is
 * when absent or null. A wrong type is WEIR_CORRUPT. Strings are borrowed from the document. */
int weir_json_get_string(const json_t *object, const char *name, bool required, const char *path, const char **out,
                         weir_error *err);
int weir_json_get_int64(const json_t *object, const char *name, bool required, const char *path, int64_t *out,
                        weir_error *err);
int weir_json_get_array(const json_t *object, const char *name, bool required, const char *path, json_t **out,
                        weir_error *err);
int weir_json_get_object(const json_t *object, const char *name, bool required, const char *path, json_t **out,
                         weir_error *err);

/* Appends the document as Jackson pretty-prints it: `{\n  "a" : 1,\n  "b" : [ 1, 2 ]\n}`, empty ones `{ }` and `[ ]`. */
void weir_json_write_pretty(const json_t *document, weir_buffer *out);

/* Appends `text` as a JSON string with its quotes; controls as \uXXXX or short escapes, everything else as it is. */
void weir_json_write_string(weir_slice text, weir_buffer *out);

#endif
