/* Writing names out: the text of a query in which every table has its catalog and database, and every * its columns.
 * Views keep such texts, so that they mean the same wherever and whenever they are read. */
#include "sql/bind/binder_internal.h"

#include <stdlib.h>

#include "base/text.h"

/* Names are put in backquotes always: what follows may make a keyword of them. */
static void append_name(const char *name, weir_buffer *out) { weir_append_quoted(name, '`', out); }

/* A relation that is named twice (WITH) is bound twice, but stands in the text once. */
static void add(weir_expansions *expansions, const weir_position *position, weir_buffer *text)
{
    for (int32_t i = 0; i < expansions->count; i++) {
        if (expansions->items[i].begin == position->begin) {
            return;
        }
    }
    if ((expansions->count & (expansions->count - 1)) == 0) {
        int32_t capacity = expansions->count == 0 ? 1 : expansions->count * 2;
        weir_expansion *grown = WEIR_NEW_ARRAY(expansions->arena, weir_expansion, capacity);
        if (expansions->count > 0) {
            memcpy(grown, expansions->items, sizeof *grown * (size_t)expansions->count);
        }
        expansions->items = grown;
    }
    expansions->items[expansions->count++] =
        (weir_expansion){position->begin, position->end, weir_arena_strdup(expansions->arena, weir_buffer_text(text))};
}

void weir_binder_expand_name(const weir_binder *binder, const weir_ast_name *name)
{
    const weir_bind_context *context = binder->context;
    if (context->expansions == NULL) {
        return;
    }
    weir_buffer text = {0};
    append_name(name->count == 3 ? name->parts[0].text : context->current_catalog, &text);
    weir_buffer_append_byte(&text, '.');
    append_name(name->count >= 2 ? name->parts[name->count - 2].text : context->current_database, &text);
    weir_buffer_append_byte(&text, '.');
    append_name(name->parts[name->count - 1].text, &text);
    add(context->expansions, &name->position, &text);
    weir_buffer_free(&text);
}

void weir_binder_expand_star(const weir_binder *binder, const weir_ast_expression *star, const weir_scope *scope,
                             const bool *chosen)
{
    if (binder->context->expansions == NULL) {
        return;
    }
    weir_buffer text = {0};
    for (int32_t i = 0; i < scope->count; i++) {
        if (!chosen[i]) {
            continue;
        }
        weir_buffer_append_text(&text, text.size == 0 ? "" : ", ");
        if (scope->columns[i].relation != NULL) {
            append_name(scope->columns[i].relation, &text);
            weir_buffer_append_byte(&text, '.');
        }
        append_name(scope->columns[i].name, &text);
    }
    add(binder->context->expansions, &star->position, &text);
    weir_buffer_free(&text);
}

static int compare(const void *a, const void *b)
{
    uint32_t left = ((const weir_expansion *)a)->begin, right = ((const weir_expansion *)b)->begin;
    return (left > right) - (left < right);
}

const char *weir_expand_text(const weir_expansions *expansions, const char *text, const weir_position *position,
                             weir_arena *arena)
{
    weir_buffer expanded = {0};
    uint32_t at = position->begin;
    if (expansions->count > 1) {
        qsort(expansions->items, (size_t)expansions->count, sizeof *expansions->items, compare);
    }
    for (int32_t i = 0; i < expansions->count; i++) {
        const weir_expansion *item = &expansions->items[i];
        if (item->begin >= at && item->end <= position->end) {
            weir_buffer_append(&expanded, text + at, item->begin - at);
            weir_buffer_append_text(&expanded, item->text);
            at = item->end;
        }
    }
    weir_buffer_append(&expanded, text + at, position->end - at);
    const char *result = weir_arena_strdup(arena, weir_buffer_text(&expanded));
    weir_buffer_free(&expanded);
    return result;
}
