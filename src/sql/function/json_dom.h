/* JSON texts as trees, read as Jackson reads them: strictly, numbers as they are written, of members with one name the
 * last value in the first one's place. */
#ifndef WEIR_SQL_FUNCTION_JSON_DOM_H
#define WEIR_SQL_FUNCTION_JSON_DOM_H

#include "base/base.h"

typedef enum weir_dom_kind {
    WEIR_DOM_NULL,
    WEIR_DOM_BOOLEAN,
    WEIR_DOM_INTEGER, /* text: its digits */
    WEIR_DOM_REAL,    /* text: as written; Java makes it a double */
    WEIR_DOM_STRING,  /* text: without escapes */
    WEIR_DOM_RAW,     /* text: JSON to write as it is; never read */
    WEIR_DOM_ARRAY,
    WEIR_DOM_OBJECT
} weir_dom_kind;

typedef struct weir_dom_node weir_dom_node;
struct weir_dom_node {
    weir_dom_kind kind;
    bool boolean;
    int32_t count; /* of children */
    weir_slice text;
    weir_slice name;      /* as a member of an object */
    weir_dom_node *first; /* children, in order */
    weir_dom_node *next;  /* of one parent */
};

/* Reads a text into the arena; false when it is no JSON. What follows a whole value is not looked at, as in Jackson. */
bool weir_dom_parse(weir_slice text, weir_arena *arena, weir_dom_node **out);

/* A child at the end of an array or object; `last` is the one before it, NULL at first. */
void weir_dom_add(weir_dom_node *parent, weir_dom_node **last, weir_dom_node *child);

static inline bool weir_dom_is_scalar(const weir_dom_node *node) { return node->kind < WEIR_DOM_ARRAY; }

double weir_dom_double(const weir_dom_node *number);

/* Appends the value as JSON without blanks; a scalar's plain text as Java's String.valueOf gives it. */
void weir_dom_write(const weir_dom_node *node, weir_buffer *out);
void weir_dom_write_plain(const weir_dom_node *scalar, weir_buffer *out);

/* Appends a text in quotes, with the escapes of JSON. */
void weir_dom_write_text(weir_slice text, weir_buffer *out);

#endif
