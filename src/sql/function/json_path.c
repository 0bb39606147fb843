/* Following JSON paths through documents.
 *
 * Source of truth: the answers of com.jayway.jsonpath, whose paths with one place to name fail when it is missing,
 * while those with wildcards leave out what doesn't fit. */
#include <math.h>

#include "base/text.h"
#include "sql/function/json_step.h"

/* Nested scans multiply what is visited: a path that takes more than this many steps fails. */
enum { most_visits = 10000000 };

typedef struct finder {
    weir_dom_node *document;
    weir_arena *arena;
    weir_dom_node *results; /* an array */
    weir_dom_node *last;
    int32_t *visits;
} finder;

/* A node may be in one list only, so that results are copies; their children are shared. */
static weir_dom_node *copy_of(weir_arena *arena, const weir_dom_node *node)
{
    weir_dom_node *copy = weir_arena_copy(arena, node, sizeof *node);
    copy->next = NULL;
    copy->name = (weir_slice){0};
    return copy;
}

static weir_dom_node *new_array(weir_arena *arena)
{
    weir_dom_node *array = WEIR_NEW(arena, weir_dom_node);
    array->kind = WEIR_DOM_ARRAY;
    return array;
}

static bool follow(finder *f, const weir_json_step *step, weir_dom_node *node, bool certain);

/* --- Members --------------------------------------------------------------------------------------------------- */

static weir_dom_node *member_of(const weir_dom_node *object, weir_slice name)
{
    for (weir_dom_node *member = object->first; member != NULL; member = member->next) {
        if (weir_slice_equal(member->name, name)) {
            return member;
        }
    }
    return NULL;
}

/* An object of the named members, as far as they exist. */
static bool add_members(finder *f, const weir_json_step *step, const weir_dom_node *object)
{
    weir_dom_node *merged = WEIR_NEW(f->arena, weir_dom_node);
    merged->kind = WEIR_DOM_OBJECT;
    weir_dom_node *last = NULL;
    for (int32_t i = 0; i < step->count; i++) {
        const weir_dom_node *member = member_of(object, step->names[i]);
        if (member != NULL) {
            weir_dom_node *copy = copy_of(f->arena, member);
            copy->name = member->name;
            weir_dom_add(merged, &last, copy);
        }
    }
    weir_dom_add(f->results, &f->last, merged);
    return true;
}

static bool follow_names(finder *f, const weir_json_step *step, const weir_dom_node *node, bool certain)
{
    if (node->kind != WEIR_DOM_OBJECT) {
        return !certain;
    }
    if (step->count > 1 && step->next == NULL) {
        return add_members(f, step, node);
    }
    for (int32_t i = 0; i < step->count; i++) {
        weir_dom_node *member = member_of(node, step->names[i]);
        if (member == NULL) {
            if (certain && step->count == 1 && step->next != NULL) {
                return false;
            }
            continue;
        }
        if (!follow(f, step->next, member, certain && step->count == 1)) {
            return false;
        }
    }
    return true;
}

/* --- Elements -------------------------------------------------------------------------------------------------- */

static weir_dom_node *element_of(const weir_dom_node *array, int64_t index)
{
    index = index < 0 ? array->count + index : index;
    if (index < 0 || index >= array->count) {
        return NULL;
    }
    weir_dom_node *element = array->first;
    while (index-- > 0) {
        element = element->next;
    }
    return element;
}

static bool follow_indexes(finder *f, const weir_json_step *step, const weir_dom_node *node, bool certain)
{
    if (node->kind != WEIR_DOM_ARRAY) {
        return !certain;
    }
    for (int32_t i = 0; i < step->count; i++) {
        weir_dom_node *element = element_of(node, step->indexes[i]);
        if (element != NULL && !follow(f, step->next, element, certain && step->count == 1)) {
            return false;
        }
    }
    return true;
}

static bool follow_slice(finder *f, const weir_json_step *step, const weir_dom_node *node, bool certain)
{
    if (node->kind != WEIR_DOM_ARRAY) {
        return !certain;
    }
    int64_t from = step->has_from ? step->indexes[0] : 0;
    int64_t to = step->has_to ? step->indexes[1] : node->count;
    from = from < 0 ? node->count + from : from;
    to = to < 0 ? node->count + to : to;
    int64_t index = 0;
    for (weir_dom_node *element = node->first; element != NULL; element = element->next, index++) {
        if (index >= from && index < to && !follow(f, step->next, element, false)) {
            return false;
        }
    }
    return true;
}

static bool follow_all(finder *f, const weir_json_step *step, const weir_dom_node *node)
{
    for (weir_dom_node *child = node->first; child != NULL; child = child->next) {
        if (!follow(f, step->next, child, false)) {
            return false;
        }
    }
    return true;
}

/* The next step applied to the node and to everything below it, from above. */
static bool scan(finder *f, const weir_json_step *next, weir_dom_node *node)
{
    bool fits = next->kind == WEIR_PATH_NAMES                                        ? node->kind == WEIR_DOM_OBJECT
                : next->kind == WEIR_PATH_WILDCARD || next->kind == WEIR_PATH_FILTER ? true
                                                                                     : node->kind == WEIR_DOM_ARRAY;
    if (weir_dom_is_scalar(node)) {
        return true;
    }
    if (fits && !follow(f, next, node, false)) {
        return false;
    }
    for (weir_dom_node *child = node->first; child != NULL; child = child->next) {
        if (!scan(f, next, child)) {
            return false;
        }
    }
    return true;
}

/* --- Filters --------------------------------------------------------------------------------------------------- */

/* What an operand means for an element; NULL: nothing. */
static const weir_dom_node *operand_value(finder *f, const weir_json_operand *operand, weir_dom_node *element)
{
    if (operand->value != NULL) {
        return operand->value;
    }
    bool definite = weir_json_steps_are_definite(operand->steps);
    finder inner = {.document = f->document, .arena = f->arena, .results = new_array(f->arena), .visits = f->visits};
    weir_dom_node *root = operand->from_document ? f->document : element;
    if (!follow(&inner, operand->steps, root, true)) {
        return NULL;
    }
    return definite ? inner.results->first : inner.results;
}

static bool is_number(const weir_dom_node *node)
{
    return node->kind == WEIR_DOM_INTEGER || node->kind == WEIR_DOM_REAL;
}

static bool equal(const weir_dom_node *a, const weir_dom_node *b)
{
    if (is_number(a) && is_number(b)) {
        return weir_dom_double(a) == weir_dom_double(b);
    }
    if (a->kind != b->kind || a->count != b->count) {
        return false;
    }
    if (weir_dom_is_scalar(a)) {
        return a->boolean == b->boolean && weir_slice_equal(a->text, b->text);
    }
    const weir_dom_node *x = a->first;
    for (const weir_dom_node *y = b->first; y != NULL; x = x->next, y = y->next) {
        const weir_dom_node *same = a->kind == WEIR_DOM_OBJECT ? member_of(a, y->name) : x;
        if (same == NULL || !equal(same, y)) {
            return false;
        }
    }
    return true;
}

/* Numbers with numbers, texts with texts; false for everything else. */
static bool in_order(const weir_dom_node *a, const weir_dom_node *b, weir_json_comparison comparison)
{
    double order;
    if (is_number(a) && is_number(b)) {
        order = weir_dom_double(a) - weir_dom_double(b);
    } else if (a->kind == WEIR_DOM_STRING && b->kind == WEIR_DOM_STRING) {
        order = weir_slice_compare(a->text, b->text);
    } else {
        return false;
    }
    switch (comparison) {
    case WEIR_PATH_LESS:
        return order < 0;
    case WEIR_PATH_LESS_OR_EQUAL:
        return order <= 0;
    case WEIR_PATH_GREATER:
        return order > 0;
    default:
        return order >= 0;
    }
}

static bool is_among(const weir_dom_node *value, const weir_dom_node *list)
{
    for (const weir_dom_node *element = list->first; element != NULL; element = element->next) {
        if (equal(value, element)) {
            return true;
        }
    }
    return false;
}

static bool compare(finder *f, const weir_json_test *test, weir_dom_node *element)
{
    const weir_dom_node *a = operand_value(f, &test->left, element);
    const weir_dom_node *b = operand_value(f, &test->right, element);
    if (a == NULL || b == NULL) {
        return test->comparison == WEIR_PATH_NOT_EQUAL && a != b;
    }
    switch (test->comparison) {
    case WEIR_PATH_EQUAL:
        return equal(a, b);
    case WEIR_PATH_NOT_EQUAL:
        return !equal(a, b);
    case WEIR_PATH_IN:
        return b->kind == WEIR_DOM_ARRAY && is_among(a, b);
    case WEIR_PATH_NOT_IN:
        return b->kind == WEIR_DOM_ARRAY && !is_among(a, b);
    default:
        return in_order(a, b, test->comparison);
    }
}

static bool passes(finder *f, const weir_json_test *test, weir_dom_node *element)
{
    switch (test->kind) {
    case WEIR_TEST_OR:
        return passes(f, test->a, element) || passes(f, test->b, element);
    case WEIR_TEST_AND:
        return passes(f, test->a, element) && passes(f, test->b, element);
    case WEIR_TEST_NOT:
        return !passes(f, test->a, element);
    case WEIR_TEST_EXISTS: {
        const weir_dom_node *found = operand_value(f, &test->left, element);
        bool empty_list = found != NULL && !weir_json_steps_are_definite(test->left.steps) && found->count == 0;
        return found != NULL && !empty_list;
    }
    default:
        return compare(f, test, element);
    }
}

/* Elements of an array that pass; an object is itself the element. */
static bool follow_filter(finder *f, const weir_json_step *step, weir_dom_node *node, bool certain)
{
    if (node->kind == WEIR_DOM_OBJECT) {
        return !passes(f, step->test, node) || follow(f, step->next, node, false);
    }
    if (node->kind != WEIR_DOM_ARRAY) {
        return !certain;
    }
    for (weir_dom_node *element = node->first; element != NULL; element = element->next) {
        if (passes(f, step->test, element) && !follow(f, step->next, element, false)) {
            return false;
        }
    }
    return true;
}

/* --- Functions ------------------------------------------------------------------------------------------------- */

static weir_dom_node *number_node(weir_arena *arena, weir_dom_kind kind, double value)
{
    weir_dom_node *node = WEIR_NEW(arena, weir_dom_node);
    node->kind = kind;
    const char *text =
        kind == WEIR_DOM_INTEGER ? weir_arena_format(arena, "%.0f", value) : weir_arena_format(arena, "%.17g", value);
    node->text = weir_slice_text(text);
    return node;
}

/* Over the numbers of an array; NULL when there are none. */
static weir_dom_node *aggregate(finder *f, weir_json_function function, const weir_dom_node *array)
{
    double sum = 0;
    double squares = 0;
    double best = 0;
    int32_t count = 0;
    for (const weir_dom_node *element = array->first; element != NULL; element = element->next) {
        if (!is_number(element)) {
            continue;
        }
        double value = weir_dom_double(element);
        bool better = function == WEIR_PATH_MIN ? value < best : value > best;
        best = count == 0 || better ? value : best;
        sum += value;
        squares += value * value;
        count++;
    }
    if (count == 0) {
        return NULL;
    }
    double mean = sum / count;
    double result = function == WEIR_PATH_SUM      ? sum
                    : function == WEIR_PATH_AVG    ? mean
                    : function == WEIR_PATH_STDDEV ? sqrt(squares / count - mean * mean)
                                                   : best;
    return number_node(f->arena, WEIR_DOM_REAL, result);
}

static weir_dom_node *keys_of(finder *f, const weir_dom_node *object)
{
    weir_dom_node *keys = new_array(f->arena);
    weir_dom_node *last = NULL;
    for (const weir_dom_node *member = object->first; member != NULL; member = member->next) {
        weir_dom_node *key = WEIR_NEW(f->arena, weir_dom_node);
        key->kind = WEIR_DOM_STRING;
        key->text = member->name;
        weir_dom_add(keys, &last, key);
    }
    return keys;
}

static bool follow_function(finder *f, const weir_json_step *step, const weir_dom_node *node)
{
    weir_dom_node *result = NULL;
    bool array = node->kind == WEIR_DOM_ARRAY;
    switch (step->function) {
    case WEIR_PATH_LENGTH:
        result = weir_dom_is_scalar(node) ? NULL : number_node(f->arena, WEIR_DOM_INTEGER, node->count);
        break;
    case WEIR_PATH_KEYS:
        result = node->kind == WEIR_DOM_OBJECT ? keys_of(f, node) : NULL;
        break;
    case WEIR_PATH_FIRST:
    case WEIR_PATH_LAST:
        result = array ? element_of(node, step->function == WEIR_PATH_FIRST ? 0 : -1) : NULL;
        break;
    default:
        result = array ? aggregate(f, step->function, node) : NULL;
        break;
    }
    if (result == NULL) {
        return false;
    }
    weir_dom_add(f->results, &f->last, copy_of(f->arena, result));
    return true;
}

/* --- All of it ------------------------------------------------------------------------------------------------- */

/* `certain`: all steps so far named one place, so that what doesn't fit is an error. */
static bool follow(finder *f, const weir_json_step *step, weir_dom_node *node, bool certain)
{
    if (++*f->visits > most_visits) {
        return false;
    }
    if (step == NULL) {
        weir_dom_add(f->results, &f->last, copy_of(f->arena, node));
        return true;
    }
    switch (step->kind) {
    case WEIR_PATH_NAMES:
        return follow_names(f, step, node, certain);
    case WEIR_PATH_WILDCARD:
        return follow_all(f, step, node);
    case WEIR_PATH_INDEXES:
        return follow_indexes(f, step, node, certain);
    case WEIR_PATH_SLICE:
        return follow_slice(f, step, node, certain);
    case WEIR_PATH_SCAN:
        return step->next == NULL || scan(f, step->next, node);
    case WEIR_PATH_FILTER:
        return follow_filter(f, step, node, certain);
    default:
        return follow_function(f, step, node);
    }
}

bool weir_json_path_find(const weir_json_path *path, weir_dom_node *document, weir_arena *arena, weir_dom_node **out)
{
    int32_t visits = 0;
    finder f = {.document = document, .arena = arena, .results = new_array(arena), .visits = &visits};
    bool followed = follow(&f, path->steps, document, true);
    if (!path->definite) {
        *out = f.results;
        return followed || path->lax;
    }
    *out = f.results->first;
    return (followed && *out != NULL) || path->lax;
}
