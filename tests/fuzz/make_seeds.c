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

static void add_texts(const char *target, const char *const *texts)
{
    for (int i = 0; texts[i] != NULL; i++) {
        char name[32];
        snprintf(name, sizeof name, "text-%02d", i);
        add_seed(target, name, weir_slice_text(texts[i]));
    }
}

/* A type, and a value of it on the next line. */
static const char *const types[] = {
    "BOOLEAN\ntrue",
    "TINYINT\n-128",
    "INT NOT NULL\n2147483647",
    "BIGINT\n-9223372036854775808",
    "FLOAT\n1.5e-3",
    "DOUBLE\n-1.7976931348623157E308",
    "DECIMAL(38, 10)\n-12345678901234567890.0123456789",
    "DEC(4,2)\n12.345",
    "CHAR(3)\nabc",
    "VARCHAR(20) NOT NULL\n\xe6\x97\xa5\xe6\x9c\xac",
    "STRING",
    "BINARY(4)\nabcd",
    "BYTES\n",
    "DATE\n2024-02-29",
    "TIME(3)\n23:59:59.999",
    "TIMESTAMP(9)\n1969-12-31 23:59:59.123456789",
    "TIMESTAMP(3) WITH LOCAL TIME ZONE\n2024-01-01T00:00:00.5",
    "TIMESTAMP_LTZ(6)\n0001-01-01 00:00:00",
    "ARRAY<INT NOT NULL>",
    "INT ARRAY NOT NULL",
    "MAP<STRING, ARRAY<BIGINT>>",
    "MULTISET<STRING>",
    "ROW<a INT 'a comment', `b ``c` ROW<x STRING, y DECIMAL(10, 2)> NOT NULL>",
    "ROW(a INT, b VARIANT)",
    "ROW<>",
    "BLOB",
    "NULL",
    NULL,
};

/* O, an option and its value. */
static const char *const options[] = {
    "Obucket=4",
    "Obucket-key=id, n",
    "Owrite-buffer-size=256 mb",
    "Osnapshot.time-retained=1 h 30 min",
    "Otarget-file-size=128mb",
    "Ochangelog-producer=lookup",
    "Ofields.v.aggregate-function=sum",
    "Oscan.timestamp-millis=1700000000000",
    "Ocompaction.optimization-interval=P1DT2H",
    "Onum-sorted-run.compaction-triggr=5",
    "Ometadata.stats-mode=truncate(16)",
    NULL,
};

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: fuzz_seeds FOLDER\n");
        return 1;
    }
    weir_error err = {0};
    folder = argv[1];
    seeds_must(weir_fs_remove_recursively(weir_fs_local(), folder, &err), &err, folder);
    copy_files("parquet", "tests/format/fixtures", ".parquet");
    add_texts("type", types);
    add_texts("meta", options);
    add_row_seeds();
    add_table_seeds();
    return 0;
}
