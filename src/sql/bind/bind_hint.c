/* Hints of queries and tables. Those about how a join runs are advice, which this engine doesn't need: they are
 * checked, so that a mistake in one is found, and then left alone. OPTIONS of a table are in bind_table.c. */
#include "base/text.h"
#include "sql/bind/binder_internal.h"

typedef enum hint_place {
    HINT_OF_TABLE,        /* OPTIONS('key' = 'value') */
    HINT_NAMES_RELATIONS, /* BROADCAST(a, b) */
    HINT_KEYS_RELATIONS,  /* STATE_TTL('a' = '1d') */
    HINT_LOOKUP           /* LOOKUP('table' = 'a', …) */
} hint_place;

static const struct {
    const char *name;
    hint_place place;
} known_hints[] = {
    {"BROADCAST", HINT_NAMES_RELATIONS},     {"SHUFFLE_HASH", HINT_NAMES_RELATIONS},
    {"SHUFFLE_MERGE", HINT_NAMES_RELATIONS}, {"NEST_LOOP", HINT_NAMES_RELATIONS},
    {"MULTI_JOIN", HINT_NAMES_RELATIONS},    {"LOOKUP", HINT_LOOKUP},
    {"STATE_TTL", HINT_KEYS_RELATIONS},      {"OPTIONS", HINT_OF_TABLE},
};

enum { known_count = sizeof known_hints / sizeof known_hints[0] };

static int find_hint(weir_binder *binder, const weir_ast_hint *hint, hint_place *out)
{
    const char *names[known_count];
    for (size_t i = 0; i < known_count; i++) {
        names[i] = known_hints[i].name;
        if (strcmp(names[i], hint->name) == 0) {
            *out = known_hints[i].place;
            return WEIR_OK;
        }
    }
    const char *meant = weir_suggest(hint->name, names, known_count);
    return weir_binder_fail(binder, &hint->position, "there is no hint %s%s%s%s", hint->name,
                            meant == NULL ? "" : "; did you mean ", meant == NULL ? "" : meant,
                            meant == NULL ? "" : "?");
}

/* --- Relations -------------------------------------------------------------------------------------------------- */

static const char *relation_of(const weir_ast_from *from)
{
    bool named = from->alias.name == NULL && from->kind == WEIR_AST_FROM_TABLE;
    return named ? from->name.parts[from->name.count - 1].text : from->alias.name;
}

/* A table may be named by its own name beside its alias. */
static bool from_has(const weir_ast_from *from, const char *name)
{
    if (from == NULL) {
        return false;
    }
    if (from->kind == WEIR_AST_FROM_JOIN) {
        return from_has(from->left, name) || from_has(from->right, name);
    }
    const char *relation = relation_of(from);
    return (relation != NULL && strcmp(relation, name) == 0) ||
           (from->kind == WEIR_AST_FROM_TABLE && strcmp(from->name.parts[from->name.count - 1].text, name) == 0);
}

static int check_relation(weir_binder *binder, const weir_ast_hint *hint, const weir_position *at, const char *name,
                          const weir_ast_from *from)
{
    const char *last = strrchr(name, '.');
    return from_has(from, last == NULL ? name : last + 1)
               ? WEIR_OK
               : weir_binder_fail(binder, at, "the hint %s names '%s', which is no relation of FROM", hint->name, name);
}

static int check_options(weir_binder *binder, const weir_ast_hint *hint, hint_place place, const weir_ast_from *from)
{
    for (int32_t i = 0; i < hint->options.count; i++) {
        const weir_ast_option *option = &hint->options.items[i];
        if (place == HINT_KEYS_RELATIONS) {
            WEIR_TRY(check_relation(binder, hint, &option->position, option->key, from));
        } else if (place == HINT_LOOKUP && strcmp(option->key, "table") == 0) {
            WEIR_TRY(check_relation(binder, hint, &option->value_position, option->value, from));
        }
    }
    return WEIR_OK;
}

int weir_check_query_hints(weir_binder *binder, const weir_ast_hints *hints, const weir_ast_from *from)
{
    for (int32_t i = 0; i < hints->count; i++) {
        const weir_ast_hint *hint = &hints->items[i];
        hint_place place;
        WEIR_TRY(find_hint(binder, hint, &place));
        if (place == HINT_OF_TABLE) {
            return weir_binder_fail(binder, &hint->position, "the hint %s stands behind a table's name, not here",
                                    hint->name);
        }
        for (int32_t j = 0; j < hint->arguments.count; j++) {
            const weir_ast_part *argument = &hint->arguments.items[j];
            WEIR_TRY(check_relation(binder, hint, &argument->position, argument->text, from));
        }
        WEIR_TRY(check_options(binder, hint, place, from));
    }
    return WEIR_OK;
}

int weir_check_table_hints(weir_binder *binder, const weir_ast_hints *hints)
{
    for (int32_t i = 0; i < hints->count; i++) {
        hint_place place;
        WEIR_TRY(find_hint(binder, &hints->items[i], &place));
        if (place != HINT_OF_TABLE) {
            return weir_binder_fail(binder, &hints->items[i].position, "the hint %s stands after SELECT, not here",
                                    hints->items[i].name);
        }
    }
    return WEIR_OK;
}
