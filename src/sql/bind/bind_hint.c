/* Hints of queries and tables. Those about how a join runs are advice, which this engine doesn't need: they are
 * checked, so that a mistake in one is found, and then left alone. STATE_TTL says how long streams remember rows. Of
 * LOOKUP the retries, which would give other rows, are refused. OPTIONS of a table are in bind_table.c. */
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

static int check_state_ttl(weir_binder *binder, const weir_ast_option *option)
{
    int64_t ttl_ms;
    return weir_parse_duration(option->value, &ttl_ms)
               ? WEIR_OK
               : weir_binder_fail(binder, &option->value_position,
                                  "the hint STATE_TTL takes durations such as '1 d', not '%s'", option->value);
}

static int check_lookup(weir_binder *binder, const weir_ast_option *option)
{
    static const char *const keys[] = {"table",          "async",       "output-mode", "capacity",    "timeout",
                                       "retry-predicate", "retry-strategy", "fixed-delay", "max-attempts"};
    enum { key_count = sizeof keys / sizeof *keys, first_retry = 5 };
    for (size_t i = 0; i < key_count; i++) {
        if (strcmp(keys[i], option->key) == 0) {
            return i < first_retry ? WEIR_OK
                                   : weir_binder_unsupported(
                                         binder, &option->position,
                                         "looking up again what was not there, which the hint LOOKUP asks for with "
                                         "'retry-predicate',");
        }
    }
    const char *meant = weir_suggest(option->key, keys, key_count);
    return weir_binder_fail(binder, &option->position, "the hint LOOKUP has no option '%s'%s%s%s", option->key,
                            meant == NULL ? "" : "; did you mean '", meant == NULL ? "" : meant,
                            meant == NULL ? "" : "'?");
}

static int check_options(weir_binder *binder, const weir_ast_hint *hint, hint_place place, const weir_ast_from *from)
{
    for (int32_t i = 0; i < hint->options.count; i++) {
        const weir_ast_option *option = &hint->options.items[i];
        if (place == HINT_KEYS_RELATIONS) {
            WEIR_TRY(check_relation(binder, hint, &option->position, option->key, from));
            WEIR_TRY(check_state_ttl(binder, option));
        } else if (place == HINT_LOOKUP) {
            WEIR_TRY(check_lookup(binder, option));
            WEIR_TRY(strcmp(option->key, "table") == 0
                         ? check_relation(binder, hint, &option->value_position, option->value, from)
                         : WEIR_OK);
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

/* -1: nothing is said of it. A join's inputs are meant one by one. */
static int64_t state_ttl_of(const weir_binder *binder, const weir_ast_from *from)
{
    int64_t ttl_ms = -1;
    if (binder->hints == NULL || from == NULL || from->kind == WEIR_AST_FROM_JOIN) {
        return -1;
    }
    for (int32_t i = 0; i < binder->hints->count; i++) {
        const weir_ast_hint *hint = &binder->hints->items[i];
        for (int32_t j = 0; strcmp(hint->name, "STATE_TTL") == 0 && j < hint->options.count; j++) {
            const weir_ast_option *option = &hint->options.items[j];
            const char *last = strrchr(option->key, '.');
            if (from_has(from, last == NULL ? option->key : last + 1)) {
                (void)weir_parse_duration(option->value, &ttl_ms); /* checked before */
            }
        }
    }
    return ttl_ms;
}

const int64_t *weir_hinted_state_ttls(const weir_binder *binder, const weir_ast_from *first,
                                      const weir_ast_from *second)
{
    int64_t *ttls = WEIR_NEW_ARRAY(binder->arena, int64_t, 2);
    ttls[0] = state_ttl_of(binder, first);
    ttls[1] = state_ttl_of(binder, second);
    return ttls[0] >= 0 || ttls[1] >= 0 ? ttls : NULL;
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
