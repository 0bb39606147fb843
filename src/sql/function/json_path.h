/* JSON paths as Flink reads them, with the notation and the answers of Jayway's JsonPath:
 *
 *   $.a['b'].*[0][-1][0,2][1:3]..c[?(@.d > 1 && @.e == 'x')].length()
 *
 * `strict` or `lax` may stand in front; strict is the default. */
#ifndef WEIR_SQL_FUNCTION_JSON_PATH_H
#define WEIR_SQL_FUNCTION_JSON_PATH_H

#include "sql/function/json_dom.h"

typedef struct weir_json_path {
    bool lax;
    bool valid;    /* false: the text is no path, which is an error of evaluation and none of the statement */
    bool definite; /* it names one place; others give an array of what they find */
    struct weir_json_step *steps;
} weir_json_path;

/* Reads a path into the arena. WEIR_UNSUPPORTED for what JsonPath knows and this does not. */
int weir_json_path_parse(weir_slice text, weir_arena *arena, weir_json_path *out, weir_error *err);

/* What is found; NULL when a lax path finds nothing. False: an error of the path's own, such as a member that is
 * missing in strict mode. */
bool weir_json_path_find(const weir_json_path *path, weir_dom_node *document, weir_arena *arena, weir_dom_node **out);

#endif
