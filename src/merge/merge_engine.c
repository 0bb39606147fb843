/* The merge engines and which of them a table has. */
#include "merge/merge_engine.h"

#include <strings.h>

#include "vector/vector.h"

static void pick_newest(const weir_merge_engine *engine, const weir_merge_groups *groups, int64_t *out_picks)
{
    for (int64_t g = 0; g < groups->group_count; g++) {
        out_picks[g] = groups->group_starts[g + 1] - 1;
    }
    if (!engine->ignore_delete) {
        return;
    }
    for (int64_t g = 0; g < groups->group_count; g++) {
        int64_t pick = out_picks[g];
        while (pick >= groups->group_starts[g] && weir_row_kind_is_retract(groups->kinds[pick])) {
            pick--;
        }
        out_picks[g] = pick >= groups->group_starts[g] ? pick : -1;
    }
}

static const weir_merge_engine engines[] = {
    {.name = "deduplicate", .pick = pick_newest},
};

int weir_merge_engine_of(const weir_schema *schema, weir_merge_engine *out, weir_error *err)
{
    const char *name = NULL;
    WEIR_TRY(weir_options_text(&schema->options, "merge-engine", &name, err));
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++) {
        if (name == NULL || strcmp(name, engines[i].name) == 0) {
            *out = engines[i];
            /* Tables of before 0.8 may say it with the engine's name in front. */
            const char *key = weir_options_get(&schema->options, "ignore-delete") != NULL ? "ignore-delete"
                                                                                          : "deduplicate.ignore-delete";
            const char *ignore = weir_options_get(&schema->options, key);
            out->ignore_delete = ignore != NULL && strcasecmp(ignore, "true") == 0;
            return WEIR_OK;
        }
    }
    return weir_fail(err, WEIR_UNSUPPORTED,
                     "merge-engine '%s' cannot be merged by this version; it knows 'deduplicate'", name);
}
