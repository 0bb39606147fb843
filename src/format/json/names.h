/* Names of members to numbers of fields: one hash and one comparison. */
#ifndef WEIR_FORMAT_JSON_NAMES_H
#define WEIR_FORMAT_JSON_NAMES_H

#include "format/json/scan.h"
#include "vector/type.h"

typedef struct weir_json_name {
    uint8_t *text; /* padded, so that it can be read in words */
    size_t size;
} weir_json_name;

typedef struct weir_json_names {
    weir_json_name *names;
    int32_t count;
    int32_t *slots; /* number of a name + 1, or 0 */
    uint32_t slot_mask;
    weir_buffer unescaped; /* of a name with escapes */
} weir_json_names;

void weir_json_names_init(weir_json_names *names, const char *const *texts, int32_t count);
void weir_json_names_of_fields(weir_json_names *names, const weir_field *fields, int32_t count);
void weir_json_names_free(weir_json_names *names);

/* The number of a name in the text, or -1. At least 8 bytes must be readable after it. */
int32_t weir_json_names_find(weir_json_names *names, const uint8_t *base, weir_json_span name);

/* Takes the object whose bracket is at `at`: the value of names->names[i] to spans[i]; where there is none, a MISSING
 * one of no bytes at the object's bracket. Of members with the same name the last one counts; those with other names
 * are passed over. False: a failure. */
bool weir_json_take_members(weir_json_cursor *cursor, weir_json_names *names, weir_json_span *spans);

#endif
