/* Unique keys of plans (unique_keys.h). Several may be known of one plan; a key is left out where it would not be safe
 * to follow rows by it: an operator that works group by group may tell of a key that moves from one group to another in
 * either order. */
#include "stream/plan/unique_keys.h"

enum { KEYS_AT_MOST = 8 };

typedef struct key_list {
    weir_arena *arena;
    weir_unique_key keys[KEYS_AT_MOST];
    int32_t count;
} key_list;

/* --- Lists of keys --------------------------------------------------------------------------------------------- */

static bool contains(const weir_unique_key *key, int32_t field)
{
    bool found = false;
    for (int32_t i = 0; i < key->count && !found; i++) {
        found = key->fields[i] == field;
    }
    return found;
}

/* Whether all fields of `a` are in `b`. */
static bool is_within(const weir_unique_key *a, const weir_unique_key *b)
{
    bool all = true;
    for (int32_t i = 0; i < a->count && all; i++) {
        all = contains(b, a->fields[i]);
    }
    return all;
}

/* Adds a key that the list doesn't already know by fewer fields. */
static void add_key(key_list *list, const int32_t *fields, int32_t count)
{
    const weir_unique_key key = {fields, count};
    for (int32_t i = 0; i < list->count; i++) {
        if (is_within(&list->keys[i], &key)) {
            return;
        }
    }
    if (list->count < KEYS_AT_MOST) {
        list->keys[list->count++] = key;
    }
}

static int32_t *new_fields(key_list *list, int32_t count) { return WEIR_NEW_ARRAY(list->arena, int32_t, count + 1); }

/* The fields first .. first + count - 1. */
static void add_range(key_list *list, int32_t first, int32_t count)
{
    int32_t *fields = new_fields(list, count);
    for (int32_t i = 0; i < count; i++) {
        fields[i] = first + i;
    }
    add_key(list, fields, count);
}

/* The input's keys, its field i being field first + i, with `extra_count` more fields from `extra` on. */
static void add_all(key_list *list, const weir_stream_traits *input, int32_t first, int32_t extra, int32_t extra_count)
{
    for (int32_t i = 0; i < input->unique_key_count; i++) {
        const weir_unique_key *key = &input->unique_keys[i];
        int32_t *fields = new_fields(list, key->count + extra_count);
        for (int32_t j = 0; j < key->count; j++) {
            fields[j] = first + key->fields[j];
        }
        for (int32_t j = 0; j < extra_count; j++) {
            fields[key->count + j] = extra + j;
        }
        add_key(list, fields, key->count + extra_count);
    }
}

/* --- Nodes ----------------------------------------------------------------------------------------------------- */

/* The table's primary key, where all of it is read. */
static void add_key_of_table(key_list *list, const weir_plan *scan)
{
    const weir_sql_table *table = scan->table;
    int32_t *fields = new_fields(list, table->primary_key_count);
    for (int32_t i = 0; i < table->primary_key_count; i++) {
        int32_t field = 0;
        while (field < scan->field_count && scan->columns[field] != table->primary_key[i]) {
            field++;
        }
        if (field == scan->field_count) {
            return;
        }
        fields[i] = field;
    }
    if (table->primary_key_count > 0) {
        add_key(list, fields, table->primary_key_count);
    }
}

/* Where the input's field is among the expressions; -1: nowhere. */
static int32_t find_column(weir_expression *const *expressions, int32_t count, int32_t column)
{
    for (int32_t i = 0; i < count; i++) {
        const weir_expression *bare = weir_expression_bare(expressions[i]);
        if (bare->kind == WEIR_EXPRESSION_COLUMN && bare->column == column) {
            return i;
        }
    }
    return -1;
}

static void add_projected(key_list *list, const weir_plan *project, const weir_stream_traits *input)
{
    for (int32_t i = 0; i < input->unique_key_count; i++) {
        const weir_unique_key *key = &input->unique_keys[i];
        int32_t *fields = new_fields(list, key->count);
        int32_t kept = 0;
        while (kept < key->count) {
            fields[kept] = find_column(project->expressions, project->expression_count, key->fields[kept]);
            if (fields[kept] < 0) {
                break;
            }
            kept++;
        }
        if (kept == key->count) {
            add_key(list, fields, kept);
        }
    }
}

/* A row a group; with grouping sets a NULL may stand for a group that is not grouped by. */
static void add_groups(key_list *list, const weir_plan *plan)
{
    if (plan->grouping_set_count == 0) {
        add_range(list, 0, plan->expression_count);
    }
}

/* The number within a partition, or the partition alone where it gives one row; keys of the input that tell the
 * partition. */
static void add_ranked(key_list *list, const weir_rank *rank, const weir_stream_traits *input)
{
    int32_t count = rank->partition_key_count;
    int32_t *partition = new_fields(list, count + 1);
    bool known = true;
    for (int32_t i = 0; i < count && known; i++) {
        const weir_expression *bare = weir_expression_bare(rank->partition_keys[i]);
        known = bare->kind == WEIR_EXPRESSION_COLUMN;
        partition[i] = known ? bare->column : -1;
    }
    if (known && rank->gives_number) {
        partition[count] = rank->plan->field_count - 1;
        add_key(list, partition, count + 1);
    } else if (known && rank->first == rank->last) {
        add_key(list, partition, count);
    }
    const weir_unique_key of_partition = {partition, count};
    for (int32_t i = 0; known && !rank->gives_number && i < input->unique_key_count; i++) {
        const weir_unique_key *key = &input->unique_keys[i];
        if (is_within(&of_partition, key)) {
            add_key(list, key->fields, key->count);
        }
    }
}

/* --- Joins ----------------------------------------------------------------------------------------------------- */

/* Marks the fields of both sides that the condition sets equal. */
static void mark_equal(const weir_expression *condition, int32_t split, bool *equal)
{
    if (condition == NULL) {
        return;
    }
    if (condition->kind == WEIR_EXPRESSION_AND) {
        for (int32_t i = 0; i < condition->argument_count; i++) {
            mark_equal(condition->arguments[i], split, equal);
        }
        return;
    }
    if (condition->kind != WEIR_EXPRESSION_EQUAL && condition->kind != WEIR_EXPRESSION_NOT_DISTINCT) {
        return;
    }
    const weir_expression *a = weir_expression_bare(condition->arguments[0]);
    const weir_expression *b = weir_expression_bare(condition->arguments[1]);
    if (a->kind == WEIR_EXPRESSION_COLUMN && b->kind == WEIR_EXPRESSION_COLUMN &&
        (a->column < split) != (b->column < split)) {
        equal[a->column] = equal[b->column] = true;
    }
}

/* Whether a row of the other side meets at most one of this. */
static bool meets_one(const weir_stream_traits *side, const bool *equal)
{
    bool found = false;
    for (int32_t i = 0; i < side->unique_key_count && !found; i++) {
        found = true;
        for (int32_t j = 0; j < side->unique_keys[i].count && found; j++) {
            found = equal[side->unique_keys[i].fields[j]];
        }
    }
    return found;
}

static void add_pairs(key_list *list, const weir_stream_traits *left, const weir_stream_traits *right, int32_t split)
{
    for (int32_t i = 0; i < left->unique_key_count && right->unique_key_count > 0; i++) {
        const weir_unique_key *a = &left->unique_keys[i], *b = &right->unique_keys[0];
        int32_t *fields = new_fields(list, a->count + b->count);
        for (int32_t j = 0; j < a->count + b->count; j++) {
            fields[j] = j < a->count ? a->fields[j] : split + b->fields[j - a->count];
        }
        add_key(list, fields, a->count + b->count);
    }
}

static void add_joined(key_list *list, const weir_plan *join, const weir_stream_traits *const *inputs)
{
    int32_t split = join->inputs[0]->field_count;
    if (!weir_join_keeps_both(join->join)) {
        add_all(list, inputs[0], 0, 0, 0);
        return;
    }
    bool *equal = WEIR_NEW_ARRAY(list->arena, bool, split + join->inputs[1]->field_count + 1);
    mark_equal(join->predicate, split, equal);
    if (meets_one(inputs[1], equal + split) && (join->join == WEIR_JOIN_INNER || join->join == WEIR_JOIN_LEFT)) {
        add_all(list, inputs[0], 0, 0, 0);
    }
    if (meets_one(inputs[0], equal) && (join->join == WEIR_JOIN_INNER || join->join == WEIR_JOIN_RIGHT)) {
        add_all(list, inputs[1], split, 0, 0);
    }
    add_pairs(list, inputs[0], inputs[1], split);
}

/* --- All ------------------------------------------------------------------------------------------------------- */

static void add_keys(key_list *list, const weir_plan *plan, const weir_rank *rank,
                     const weir_stream_traits *const *inputs)
{
    int32_t input_fields = plan->input_count > 0 ? plan->inputs[0]->field_count : 0;
    if (rank != NULL) {
        add_ranked(list, rank, inputs[0]);
        return;
    }
    switch (plan->kind) {
    case WEIR_PLAN_SCAN:
        add_key_of_table(list, plan);
        break;
    case WEIR_PLAN_PROJECT:
        add_projected(list, plan, inputs[0]);
        break;
    case WEIR_PLAN_AGGREGATE:
        add_groups(list, plan);
        break;
    case WEIR_PLAN_ASSIGN:
        if (plan->assigner->kind == WEIR_ASSIGN_TUMBLE || plan->assigner->kind == WEIR_ASSIGN_SESSION) {
            add_all(list, inputs[0], 0, 0, 0);
        } else {
            add_all(list, inputs[0], 0, input_fields, 2); /* with the window's start and end */
        }
        break;
    case WEIR_PLAN_UNNEST:
        if (plan->ordinality) {
            add_all(list, inputs[0], 0, plan->field_count - 1, 1);
        }
        break;
    case WEIR_PLAN_INTERSECT:
    case WEIR_PLAN_EXCEPT:
    case WEIR_PLAN_DISTINCT:
        if (!plan->all) {
            add_range(list, 0, plan->field_count);
        }
        break;
    case WEIR_PLAN_JOIN:
        add_joined(list, plan, inputs);
        break;
    case WEIR_PLAN_VALUES:
    case WEIR_PLAN_UNION:
        break;
    default: /* rows of the input, each at most once */
        add_all(list, inputs[0], 0, 0, 0);
        break;
    }
}

void weir_unique_keys_of(const weir_plan *plan, const weir_rank *rank, const weir_stream_traits *const *inputs,
                         weir_arena *arena, weir_stream_traits *out)
{
    key_list list = {.arena = arena};
    add_keys(&list, plan, rank, inputs);
    out->unique_keys = weir_arena_copy(arena, list.keys, (size_t)list.count * sizeof *list.keys);
    out->unique_key_count = list.count;
    out->key = list.count > 0 ? list.keys[0].fields : NULL;
    out->key_count = list.count > 0 ? list.keys[0].count : 0;
}
