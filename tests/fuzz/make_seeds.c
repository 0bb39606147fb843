/* fuzz_seeds FOLDER: writes a small corpus for each fuzzer below FOLDER, from the fixtures of the tests, from tables
 * and rows made here, and from texts. Runs in the project's folder. */
#include <stdio.h>
#include <stdlib.h>

#include "fs/fs.h"
#include "fuzz/seeds.h"

static const char *folder;

void seeds_must(int code, const weir_error *err, const char *what)
{
    if (code != WEIR_OK) {
        fprintf(stderr, "%s: %s\n", what, err->message);
        exit(1);
    }
}

void add_seed(const char *target, const char *name, weir_slice bytes)
{
    weir_error err = {0};
    char *path = weir_format("%s/%s/%s", folder, target, name);
    seeds_must(weir_fs_publish(weir_fs_local(), path, bytes, &err), &err, path);
    free(path);
}

/* The files of `source` whose names end in `ending`. */
static void copy_files(const char *target, const char *source, const char *ending)
{
    weir_arena arena;
    weir_arena_init(&arena);
    weir_error err = {0};
    weir_file_info *entries = NULL;
    size_t count = 0;
    seeds_must(weir_fs_list(weir_fs_local(), source, &arena, &entries, &count, &err), &err, source);
    for (size_t i = 0; i < count; i++) {
        weir_buffer bytes = {0};
        size_t size = strlen(entries[i].name);
        if (size > strlen(ending) && strcmp(entries[i].name + size - strlen(ending), ending) == 0) {
            const char *path = weir_arena_format(&arena, "%s/%s", source, entries[i].name);
            seeds_must(weir_fs_read_all(weir_fs_local(), path, &bytes, &err), &err, path);
            add_seed(target, entries[i].name, weir_buffer_slice(&bytes));
        }
        weir_buffer_free(&bytes);
    }
    weir_arena_free(&arena);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: fuzz_seeds FOLDER\n");
        return 1;
    }
    weir_error err = {0};
    folder = argv[1];
    seeds_must(weir_fs_remove_recursively(weir_fs_local(), folder, &err), &err, folder);
    copy_files("binlog", "tests/connect/fixtures", ".binlog");
    copy_files("orc", "tests/format/fixtures", ".orc");
    copy_files("parquet", "tests/format/fixtures", ".parquet");
    copy_files("parser", "tests/sql", ".slt");
    copy_files("parser", "examples/orders", ".sql");
    add_text_seeds();
    add_row_seeds();
    add_table_seeds();
    return 0;
}
