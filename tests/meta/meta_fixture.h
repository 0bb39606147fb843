/* What the tests of the meta room share: golden tables as tables, and schemas made from text. */
#ifndef WEIR_TESTS_META_FIXTURE_H
#define WEIR_TESTS_META_FIXTURE_H

#include "cmocka_all.h"
#include "golden.h"
#include "meta/meta.h"

static inline void check_ok(int code, const weir_error *err)
{
    if (code != WEIR_OK) {
        fail_msg("%s", err->message);
    }
}

/* Calls `visit` with the name of every golden table, in byte order. */
static inline void each_golden_table(void (*visit)(const char *table))
{
    struct dirent **entries;
    int count = scandir(golden_root(), &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char path[2048];
        struct stat status;
        snprintf(path, sizeof path, "%s/%.255s/table", golden_root(), entries[i]->d_name);
        if (entries[i]->d_name[0] != '.' && stat(path, &status) == 0) {
            visit(entries[i]->d_name);
        }
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
}

/* The folder of a golden table. */
static inline const char *golden_table(weir_arena *arena, const char *table)
{
    return weir_arena_format(arena, "%s/%s/table", golden_root(), table);
}

/* A schema from columns ("id INT NOT NULL, dt STRING"), keys and options ("bucket=4;file.format=avro"). */
typedef struct test_schema {
    const char *columns;
    const char *primary_keys; /* separated by commas; NULL: none */
    const char *partition_keys;
    const char *options;
} test_schema;

static inline const char **split(weir_arena *arena, const char *text, const char *separator, int32_t *out_count)
{
    const char **parts = WEIR_NEW_ARRAY(arena, const char *, 32);
    int32_t count = 0;
    for (char *part = text == NULL ? NULL : strtok(weir_arena_strdup(arena, text), separator); part != NULL;
         part = strtok(NULL, separator)) {
        parts[count++] = part;
    }
    *out_count = count;
    return parts;
}

static inline int create_schema(weir_arena *arena, const test_schema *wanted, weir_schema **out, weir_error *err)
{
    int32_t primary_count;
    int32_t partition_count;
    int32_t option_count;
    const weir_type *row = NULL;
    weir_options options = {0};
    const char **primary = split(arena, wanted->primary_keys, ",", &primary_count);
    const char **partition = split(arena, wanted->partition_keys, ",", &partition_count);
    const char **pairs = split(arena, wanted->options, ";", &option_count);
    for (int32_t i = 0; i < option_count; i++) {
        char *equals = strchr((char *)(uintptr_t)pairs[i], '=');
        *equals = '\0';
        weir_options_set(&options, arena, pairs[i], equals + 1);
    }
    check_ok(weir_type_parse(weir_arena_format(arena, "ROW<%s>", wanted->columns), arena, &row, err), err);
    return weir_schema_create(arena, row->fields, row->field_count, primary, primary_count, partition, partition_count,
                              &options, NULL, out, err);
}

static inline weir_schema *make_schema(weir_arena *arena, test_schema wanted)
{
    weir_error err;
    weir_schema *schema = NULL;
    check_ok(create_schema(arena, &wanted, &schema, &err), &err);
    return schema;
}

#endif
