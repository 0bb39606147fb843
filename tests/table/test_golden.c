/* Tables that real Java Paimon wrote: the rows they must give at every given snapshot, tag and branch, their changelogs
 * and their incremental reads.
 *
 * The tables lie outside of the project, in the folder that WEIR_SHARED names; without it the test is skipped. Tables
 * that use what is not offered yet may be refused; what is read must be right, whatever the table. WEIR_GOLDEN=<part of
 * a name> runs only some. */
#include "cmocka_all.h"

#include <dirent.h>
#include <fnmatch.h>
#include <stdio.h>

#include "support/shared_files.h"
#include "support/table_rows.h"

/* What this version refuses, by the name of the table. */
static const char *const refused_tables[] = {
    "variant-*",
    "blob",
    "data-evolution",
    "fmt-csv",
    "fmt-json",
    "flink-cross-partition",
    "flink-postpone*",
    "*blob*",
    "*multiple_file_format*",
};

/* What a table is refused for that its name does not tell: changes of tables with data evolution are not told. */
static const char *const refused_features[] = {"the changes of tables with"};

typedef struct tally {
    int tables;
    int right;
    int refused;
    int excused; /* of the refusals: by what they say */
    int wrong;
    int checks;
} tally;

static bool may_be_refused(const char *name)
{
    for (size_t i = 0; i < sizeof refused_tables / sizeof *refused_tables; i++) {
        if (fnmatch(refused_tables[i], name, 0) == 0) {
            return true;
        }
    }
    return false;
}

static bool names_refused_feature(const char *message)
{
    for (size_t i = 0; i < sizeof refused_features / sizeof *refused_features; i++) {
        if (strstr(message, refused_features[i]) != NULL) {
            return true;
        }
    }
    return false;
}

static void read_expected(const char *path, lines *out)
{
    weir_buffer text = {0};
    assert_int_equal(weir_fs_read_all(weir_fs_local(), path, &text, NULL), WEIR_OK);
    lines_split(out, weir_buffer_text(&text));
    lines_sort(out);
    weir_buffer_free(&text);
}

/* The text between `prefix` and ".jsonl", or NULL when the name is of another form. */
static const char *middle_of(const char *name, const char *prefix, weir_arena *arena)
{
    size_t size = strlen(name), prefix_size = strlen(prefix);
    if (size < prefix_size + 6 || strncmp(name, prefix, prefix_size) != 0 || strcmp(name + size - 6, ".jsonl") != 0) {
        return NULL;
    }
    return weir_arena_strndup(arena, name + prefix_size, size - prefix_size - 6);
}

/* Reads what the file of expected rows speaks of. WEIR_IDLE: it is no such file. */
static int read_actual(const char *folder, const char *name, weir_arena *arena, lines *out, weir_error *err)
{
    const char *path = weir_arena_format(arena, "%s/table", folder);
    weir_options options = {0};
    const char *middle;
    if (strcmp(name, "expected.jsonl") == 0) {
        return table_rows(weir_fs_local(), path, NULL, NULL, false, out, err);
    }
    if (strcmp(name, "changelog.jsonl") == 0) {
        return table_stream(weir_fs_local(), path, 1, out, err);
    }
    if ((middle = middle_of(name, "expected-tag-", arena)) != NULL) {
        weir_options_set(&options, arena, "scan.tag-name", middle);
        return table_rows(weir_fs_local(), path, NULL, &options, false, out, err);
    }
    if ((middle = middle_of(name, "expected-branch-", arena)) != NULL) {
        return table_rows(weir_fs_local(), path, middle, NULL, false, out, err);
    }
    if ((middle = middle_of(name, "expected-", arena)) != NULL) {
        weir_options_set(&options, arena, "scan.snapshot-id", middle);
        return table_rows(weir_fs_local(), path, NULL, &options, false, out, err);
    }
    if ((middle = middle_of(name, "incremental-", arena)) != NULL) {
        json_error_t reason;
        json_t *about = json_load_file(weir_arena_format(arena, "%s/about.json", folder), 0, &reason);
        const char *between = json_string_value(json_object_get(json_object_get(about, "incremental"), "between"));
        weir_options_set(&options, arena, "incremental-between", between);
        weir_options_set(&options, arena, "incremental-between-scan-mode", middle);
        json_decref(about);
        return table_rows(weir_fs_local(), path, NULL, &options, true, out, err);
    }
    return WEIR_IDLE;
}

static void check_file(const char *folder, const char *name, tally *of_table)
{
    weir_arena arena;
    weir_arena_init(&arena);
    lines expected = {0}, actual = {0};
    weir_error err = {0};
    int code = read_actual(folder, name, &arena, &actual, &err);
    if (code == WEIR_UNSUPPORTED) {
        of_table->refused++;
        of_table->excused += names_refused_feature(err.message);
    } else if (code != WEIR_IDLE) {
        const char *difference = err.message;
        if (code == WEIR_OK) {
            read_expected(weir_arena_format(&arena, "%s/%s", folder, name), &expected);
            difference = lines_difference(&expected, &actual);
        }
        of_table->checks++;
        if (difference != NULL) {
            of_table->wrong++;
            print_message("%s/%s: %s\n", strrchr(folder, '/') + 1, name, difference);
        }
    }
    lines_free(&expected);
    lines_free(&actual);
    weir_arena_free(&arena);
}

static void check_table(const char *folder, const char *name, tally *total)
{
    tally of_table = {0};
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    struct dirent *entry;
    while ((entry = readdir(directory)) != NULL) {
        check_file(folder, entry->d_name, &of_table);
    }
    closedir(directory);
    total->tables++;
    total->checks += of_table.checks;
    if (of_table.refused > of_table.excused && !may_be_refused(name)) {
        print_message("%s: refused, but must be read\n", name);
        of_table.wrong++;
    }
    if (of_table.wrong > 0) {
        total->wrong++;
    } else if (of_table.refused > 0) {
        total->refused++;
    } else {
        total->right++;
    }
}

static void check_tables(const char *set)
{
    const char *only = getenv("WEIR_GOLDEN");
    if (!shared_available(set)) {
        return;
    }
    char *absolute = realpath(shared_path(set), NULL);
    DIR *directory = opendir(absolute);
    assert_non_null(directory);
    tally total = {0};
    struct dirent *entry;
    while ((entry = readdir(directory)) != NULL) {
        char folder[8192], table[8300];
        snprintf(folder, sizeof folder, "%s/%s", absolute, entry->d_name);
        snprintf(table, sizeof table, "%s/table", folder);
        bool exists = false;
        weir_fs_exists(weir_fs_local(), table, &exists, NULL);
        if (exists && entry->d_name[0] != '.' && (only == NULL || strstr(entry->d_name, only) != NULL)) {
            check_table(folder, entry->d_name, &total);
        }
    }
    closedir(directory);
    free(absolute);
    print_message("%s: %d of %d tables right, %d refused, %d wrong (%d reads compared)\n", set, total.right,
                  total.tables, total.refused, total.wrong, total.checks);
    assert_int_equal(total.wrong, 0);
}

static void golden_tables_give_their_rows(void **state)
{
    (void)state;
    check_tables("golden");
}

static void tables_of_older_versions_give_their_rows(void **state)
{
    (void)state;
    check_tables("paimon-cpp-tables");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_tables_give_their_rows),
        cmocka_unit_test(tables_of_older_versions_give_their_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
