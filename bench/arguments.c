/* The command line of weir-bench. */
#include <stdlib.h>

#include "base/text.h"
#include "bench/bench.h"

/* What an option's value is, and where it goes. */
typedef enum value_kind { VALUE_FLAG, VALUE_NUMBER, VALUE_SIZE, VALUE_DISTRIBUTION, VALUE_PAIR } value_kind;

typedef struct option_rule {
    const char *name;
    value_kind kind;
    void *target;
} option_rule;

static int invalid(const char *name, const char *value, const char *expected, weir_error *err)
{
    return weir_fail(err, WEIR_INVALID, "%s %s: expected %s", name, value, expected);
}

static int parse_pair(const char *value, bench_arguments *out, weir_error *err)
{
    const char *equals = strchr(value, '=');
    if (equals == NULL) {
        return invalid("--option", value, "key=value", err);
    }
    const char *key = weir_arena_strndup(&out->arena, value, (size_t)(equals - value));
    weir_options_set(&out->options, &out->arena, key, equals + 1);
    return WEIR_OK;
}

static int parse_value(const option_rule *rule, const char *value, bench_arguments *out, weir_error *err)
{
    switch (rule->kind) {
    case VALUE_NUMBER: {
        int64_t number = 0;
        if (!weir_parse_int64(weir_slice_text(value), &number) || number < 0) {
            return invalid(rule->name, value, "a whole number", err);
        }
        memcpy(rule->target, &number, sizeof number);
        return WEIR_OK;
    }
    case VALUE_SIZE:
        if (!weir_parse_size(value, rule->target)) {
            return invalid(rule->name, value, "a size such as 256MB", err);
        }
        return WEIR_OK;
    case VALUE_DISTRIBUTION:
        out->zipf = strcmp(value, "zipf") == 0;
        if (!out->zipf && strcmp(value, "uniform") != 0) {
            return invalid(rule->name, value, "uniform or zipf", err);
        }
        return WEIR_OK;
    case VALUE_PAIR:
        return parse_pair(value, out, err);
    case VALUE_FLAG:
        break;
    }
    *(bool *)rule->target = true;
    return WEIR_OK;
}

static const option_rule *find_rule(const option_rule *rules, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rules[i].name, word) == 0) {
            return &rules[i];
        }
    }
    return NULL;
}

static int check(const bench_arguments *arguments, weir_error *err)
{
    if (arguments->path == NULL) {
        return weir_fail(err, WEIR_INVALID, "%s needs the path of a table", arguments->command);
    }
    if (arguments->keys == 0 || arguments->commits == 0 || arguments->partitions == 0 || arguments->readers == 0) {
        return weir_fail(err, WEIR_INVALID, "--keys, --commits, --partitions and --readers must be greater than 0");
    }
    return WEIR_OK;
}

int bench_arguments_parse(int count, char **words, bench_arguments *out, weir_error *err)
{
    int64_t warm_rows = 0; /* nothing warms up here: taken so that a command line fits other programs too */
    const option_rule rules[] = {
        {"--rows", VALUE_NUMBER, &out->rows},       {"--commits", VALUE_NUMBER, &out->commits},
        {"--keys", VALUE_NUMBER, &out->keys},       {"--dist", VALUE_DISTRIBUTION, NULL},
        {"--bucket", VALUE_NUMBER, &out->bucket},   {"--seed", VALUE_NUMBER, &out->seed},
        {"--repeat", VALUE_NUMBER, &out->repeat},   {"--wait-compaction", VALUE_FLAG, &out->wait_compaction},
        {"--files", VALUE_NUMBER, &out->files},     {"--partitions", VALUE_NUMBER, &out->partitions},
        {"--spread", VALUE_FLAG, &out->spread},     {"--option", VALUE_PAIR, NULL},
        {"--threads", VALUE_NUMBER, &out->threads}, {"--memory", VALUE_SIZE, &out->memory_bytes},
        {"--readers", VALUE_NUMBER, &out->readers}, {"--rate", VALUE_NUMBER, &out->rate},
        {"--warm-rows", VALUE_NUMBER, &warm_rows},  {"--lookups", VALUE_NUMBER, &out->rows},
    };
    const size_t rule_count = sizeof rules / sizeof *rules;
    *out = (bench_arguments){.command = words[0],
                             .commits = 50,
                             .keys = 2000000,
                             .bucket = 1,
                             .seed = 42,
                             .repeat = 3,
                             .readers = 1,
                             .files = 100000,
                             .partitions = 1000};
    out->rows = strcmp(words[0], "rows") == 0 ? 10 : strcmp(words[0], "lookup") == 0 ? 200000 : 5000000;
    weir_arena_init(&out->arena);
    for (int i = 1; i < count; i++) {
        if (words[i][0] != '-' || words[i][1] != '-') {
            if (out->path != NULL) {
                return weir_fail(err, WEIR_INVALID, "'%s': one table is enough, '%s' was given already", words[i],
                                 out->path);
            }
            out->path = words[i];
            continue;
        }
        const option_rule *rule = find_rule(rules, rule_count, words[i]);
        if (rule == NULL) {
            const char *names[sizeof rules / sizeof *rules];
            for (size_t j = 0; j < rule_count; j++) {
                names[j] = rules[j].name;
            }
            const char *near = weir_suggest(words[i], names, rule_count);
            return weir_fail(err, WEIR_INVALID, "there is no option %s%s%s%s", words[i],
                             near == NULL ? "" : "; did you mean ", near == NULL ? "" : near, near == NULL ? "" : "?");
        }
        if (rule->kind != VALUE_FLAG && ++i == count) {
            return weir_fail(err, WEIR_INVALID, "%s needs a value", rule->name);
        }
        WEIR_TRY(parse_value(rule, words[i], out, err));
    }
    return check(out, err);
}
