/* Joins that wait for their plan: gathered while expressions are bound, made when the plan below them is known. */
#include "sql/bind/subquery.h"

/* What a decorrelated subquery says of columns around it and of its own, as the query around sees it: the former are
 * its columns, the latter pending ones. */
static weir_expression *joined_leaf(weir_binder *binder, const weir_expression *leaf, const void *state)
{
    const int32_t *first = state;
    weir_expression *copy = weir_arena_copy(binder->arena, leaf, sizeof *leaf);
    if (leaf->kind == WEIR_EXPRESSION_COLUMN) {
        copy->column += *first;
    } else if (leaf->level == 1) {
        copy->kind = WEIR_EXPRESSION_COLUMN;
        copy->level = 0;
    } else {
        copy->level--;
    }
    return copy;
}

/* The same inside of the subquery's plan, where columns stay what they are and none around (level 1) are left. */
static weir_expression *nearer_leaf(weir_binder *binder, const weir_expression *leaf, const void *state)
{
    (void)state;
    weir_expression *copy = weir_arena_copy(binder->arena, leaf, sizeof *leaf);
    copy->level -= leaf->kind == WEIR_EXPRESSION_OUTER;
    return copy;
}

static weir_attachment *new_attachment(weir_binder *binder)
{
    weir_attachments *all = binder->attachments;
    weir_attachment *grown = WEIR_NEW_ARRAY(binder->arena, weir_attachment, all->count + 1);
    if (all->count > 0) {
        memcpy(grown, all->items, sizeof *grown * (size_t)all->count);
    }
    all->items = grown;
    return &grown[all->count++];
}

/* Where columns can be missing, what is a column may be NULL. */
static void make_nullable(weir_binder *binder, weir_expression **output)
{
    if ((*output)->kind == WEIR_EXPRESSION_COLUMN) {
        *output = weir_arena_copy(binder->arena, *output, sizeof **output);
        (*output)->type = weir_binder_nullable(binder, (*output)->type, true);
    }
}

int weir_attach(weir_binder *binder, weir_join_kind kind, weir_decorrelated *subquery, int32_t output_count,
                const weir_position *at)
{
    weir_attachments *all = binder->attachments;
    int32_t first = WEIR_PENDING_COLUMN + all->column_count;
    for (int32_t i = 0; i < output_count; i++) {
        subquery->outputs[i] = weir_expression_rewrite(binder, subquery->outputs[i], joined_leaf, &first);
        if (kind == WEIR_JOIN_LEFT) {
            make_nullable(binder, &subquery->outputs[i]);
        }
    }
    for (int32_t i = 0; i < subquery->conjunct_count; i++) {
        subquery->conjuncts[i] = weir_expression_rewrite(binder, subquery->conjuncts[i], joined_leaf, &first);
    }
    weir_plan_rewrite(binder, subquery->plan, nearer_leaf, NULL);
    *new_attachment(binder) =
        (weir_attachment){.kind = kind,
                          .right = subquery->plan,
                          .predicate = weir_and(binder, subquery->conjuncts, subquery->conjunct_count, at),
                          .first = all->column_count,
                          .holes = subquery->holes,
                          .position = *at};
    all->column_count += subquery->plan->field_count;
    return WEIR_OK;
}

/* --- Joining --------------------------------------------------------------------------------------------------- */

static weir_expression *resolved_leaf(weir_binder *binder, const weir_expression *leaf, const void *state)
{
    const weir_attachments *attachments = state;
    if (leaf->kind != WEIR_EXPRESSION_COLUMN || leaf->column < WEIR_PENDING_COLUMN) {
        return (weir_expression *)leaf;
    }
    weir_expression *copy = weir_arena_copy(binder->arena, leaf, sizeof *leaf);
    copy->column = attachments->places[leaf->column - WEIR_PENDING_COLUMN];
    return copy;
}

weir_expression *weir_attachments_resolve(weir_binder *binder, const weir_attachments *attachments,
                                          weir_expression *expression)
{
    return attachments->count == 0 ? expression
                                   : weir_expression_rewrite(binder, expression, resolved_leaf, attachments);
}

void weir_attachments_resolve_call(weir_binder *binder, const weir_attachments *attachments, weir_aggregate *call)
{
    if (attachments->count > 0) {
        weir_aggregate_rewrite(binder, call, resolved_leaf, attachments);
    }
}

static void join_one(weir_binder *binder, weir_attachments *attachments, const weir_attachment *item, weir_plan **plan)
{
    int32_t split = (*plan)->field_count;
    for (weir_hole *hole = item->holes; hole != NULL; hole = hole->next) {
        weir_hole *inner = NULL; /* the plan around has none: its own subqueries are joined */
        hole->project->inputs[0] = weir_plan_copy(binder, *plan, &inner);
    }
    for (int32_t i = 0; i < item->right->field_count; i++) {
        attachments->places[item->first + i] = split + i;
    }
    weir_expression *predicate =
        item->predicate == NULL ? NULL : weir_attachments_resolve(binder, attachments, item->predicate);
    *plan = weir_plan_join(binder, item->kind, &item->position, *plan, item->right, predicate);
}

void weir_attachments_join(weir_binder *binder, weir_attachments *attachments, bool filters, weir_plan **plan)
{
    if (attachments->places == NULL) {
        attachments->places = WEIR_NEW_ARRAY(binder->arena, int32_t, attachments->column_count + 1);
    }
    for (int32_t i = 0; i < attachments->count; i++) {
        if (weir_join_keeps_both(attachments->items[i].kind) != filters) {
            join_one(binder, attachments, &attachments->items[i], plan);
        }
    }
}
