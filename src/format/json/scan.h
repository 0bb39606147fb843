/* The tokenizer of JSON: finds where values begin and end, and checks that they are JSON. Nothing is copied or
 * converted here.
 *
 * Text is followed by WEIR_ROW_TEXT_PADDING zero bytes. A zero is no part of any token, so the scanners stop at the
 * end without comparing with it; only strings, which may hold anything, look at the end every 16 bytes. */
#ifndef WEIR_FORMAT_JSON_SCAN_H
#define WEIR_FORMAT_JSON_SCAN_H

#include "base/buffer.h"

#define WEIR_JSON_MAX_DEPTH 1000 /* of nesting, as Jackson has it */

typedef enum weir_json_token {
    WEIR_JSON_MISSING, /* no such member */
    WEIR_JSON_NULL,
    WEIR_JSON_TRUE,
    WEIR_JSON_FALSE,
    WEIR_JSON_INTEGER, /* a number without point and exponent */
    WEIR_JSON_NUMBER,  /* any other number */
    WEIR_JSON_STRING,
    WEIR_JSON_OBJECT,
    WEIR_JSON_ARRAY
} weir_json_token;

/* Where a value lies in the text: of strings the inside, of all others the whole. */
typedef struct weir_json_span {
    uint32_t offset;
    uint32_t size;
    uint8_t token;
    uint8_t has_escapes; /* of strings */
    uint8_t has_others;  /* of strings: bytes that are not ASCII */
} weir_json_span;

typedef enum weir_json_outcome {
    WEIR_JSON_FINE,
    WEIR_JSON_CUT,  /* the text ends within a value */
    WEIR_JSON_WRONG /* this is no JSON */
} weir_json_outcome;

typedef struct weir_json_cursor {
    const uint8_t *base; /* offsets of spans count from here */
    const uint8_t *at;
    const uint8_t *end;
    int depth; /* of nesting */
    weir_json_outcome outcome;
    const char *expected; /* when WRONG: what should be at `at` */
} weir_json_cursor;

/* A cursor over a value that was taken before. */
static inline weir_json_cursor weir_json_cursor_of(const uint8_t *base, weir_json_span span)
{
    return (weir_json_cursor){.base = base, .at = base + span.offset, .end = base + span.offset + span.size};
}

static inline void weir_json_skip_blanks(weir_json_cursor *cursor)
{
    const uint8_t *at = cursor->at;
    while (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t') {
        at++;
    }
    cursor->at = at;
}

/* Ends in failure at `at`: the text is cut when that is its end, and wrong otherwise. Returns false. */
bool weir_json_fail(weir_json_cursor *cursor, const char *expected);

/* Takes one value of any kind, with the blanks before it. False: a failure. */
bool weir_json_take_value(weir_json_cursor *cursor, weir_json_span *out);

/* Walks through the object or array whose bracket is at `at`:
 *
 *   for (bool more = weir_json_enter(&cursor, '}'); more; more = weir_json_next(&cursor, '}')) { … }
 *
 * The body takes a name and a value, or a value. Both functions give false at the closing bracket, which they take,
 * and at a failure; the outcome tells them apart. */
bool weir_json_enter(weir_json_cursor *cursor, char closing);
bool weir_json_next(weir_json_cursor *cursor, char closing);

/* Takes the name of a member and the colon after it. */
bool weir_json_take_name(weir_json_cursor *cursor, weir_json_span *out);

#endif
