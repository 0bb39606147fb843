/* The steps of a JSON path, between its parser (json_path_parse.c) and its evaluation (json_path.c). */
#ifndef WEIR_SQL_FUNCTION_JSON_STEP_H
#define WEIR_SQL_FUNCTION_JSON_STEP_H

#include "sql/function/json_path.h"

typedef enum weir_json_step_kind {
    WEIR_PATH_NAMES,    /* .a, ['a'], ['a', 'b'] */
    WEIR_PATH_WILDCARD, /* .*, [*] */
    WEIR_PATH_INDEXES,  /* [0], [0, -1] */
    WEIR_PATH_SLICE,    /* [1:3], [-2:], [:2] */
    WEIR_PATH_SCAN,     /* .. before the next step */
    WEIR_PATH_FILTER,   /* [?(…)] */
    WEIR_PATH_FUNCTION  /* .length() and its like, at the end */
} weir_json_step_kind;

typedef enum weir_json_function {
    WEIR_PATH_LENGTH, /* also size() */
    WEIR_PATH_SUM,
    WEIR_PATH_MIN,
    WEIR_PATH_MAX,
    WEIR_PATH_AVG,
    WEIR_PATH_STDDEV,
    WEIR_PATH_KEYS,
    WEIR_PATH_FIRST,
    WEIR_PATH_LAST
} weir_json_function;

typedef enum weir_json_test_kind {
    WEIR_TEST_OR,
    WEIR_TEST_AND,
    WEIR_TEST_NOT,
    WEIR_TEST_EXISTS,
    WEIR_TEST_COMPARE
} weir_json_test_kind;

typedef enum weir_json_comparison {
    WEIR_PATH_EQUAL,
    WEIR_PATH_NOT_EQUAL,
    WEIR_PATH_LESS,
    WEIR_PATH_LESS_OR_EQUAL,
    WEIR_PATH_GREATER,
    WEIR_PATH_GREATER_OR_EQUAL,
    WEIR_PATH_IN,
    WEIR_PATH_NOT_IN
} weir_json_comparison;

typedef struct weir_json_step weir_json_step;

/* One side of a comparison: a value as written, or a path from the element (@) or the document ($). */
typedef struct weir_json_operand {
    weir_dom_node *value; /* NULL: a path */
    weir_json_step *steps;
    bool from_document;
} weir_json_operand;

typedef struct weir_json_test {
    weir_json_test_kind kind;
    weir_json_comparison comparison;
    weir_json_operand left, right;
    struct weir_json_test *a, *b;
} weir_json_test;

struct weir_json_step {
    weir_json_step_kind kind;
    weir_slice *names;
    int64_t *indexes; /* of a slice: from, to */
    int32_t count;
    bool has_from, has_to;
    weir_json_function function;
    weir_json_test *test;
    weir_json_step *next;
};

static inline bool weir_json_step_is_definite(const weir_json_step *step)
{
    switch (step->kind) {
    case WEIR_PATH_NAMES: /* several at the end make one object */
        return step->count == 1 || step->next == NULL;
    case WEIR_PATH_INDEXES:
        return step->count == 1;
    case WEIR_PATH_FUNCTION:
        return true;
    default:
        return false;
    }
}

static inline bool weir_json_steps_are_definite(const weir_json_step *step)
{
    for (; step != NULL; step = step->next) {
        if (!weir_json_step_is_definite(step)) {
            return false;
        }
    }
    return true;
}

#endif
