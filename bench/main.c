/* weir-bench: the commands. Each prints one JSON line a run. */
#include <stdio.h>

#include "base/alloc.h"
#include "bench/bench.h"

static const char help[] =
    "weir-bench measures writing, reading and compacting of lake tables.\n"
    "\n"
    "  weir-bench write    WAREHOUSE/DB.db/TABLE [options]   makes the table anew and upserts generated rows\n"
    "  weir-bench scan     TABLE_PATH [options]              reads it whole, merged, with checksums over all columns\n"
    "  weir-bench lookup   TABLE_PATH [options]              looks single rows up by random keys\n"
    "  weir-bench compact  TABLE_PATH [options]              compacts every bucket fully\n"
    "  weir-bench rewrites TABLE_PATH                       counts the rows that its compactions wrote\n"
    "  weir-bench plan     TABLE_PATH [options]              makes a table of many described files, plans one "
    "partition\n"
    "  weir-bench rows     -          [options]             prints the generator's first rows as JSON\n"
    "\n"
    "Options\n"
    "  --rows N            rows to write or print, or lookups (write: 5000000, rows: 10, lookup: 200000)\n"
    "  --commits N         commits they are written in     (50)\n"
    "  --keys N            different keys                  (2000000)\n"
    "  --dist D            uniform or zipf                 (uniform)\n"
    "  --bucket N          buckets                         (1)\n"
    "  --seed N            of the generator                (42)\n"
    "  --repeat N          scans, lookups or plans, one after the other (3)\n"
    "  --readers N         of lookup, at a time            (1)\n"
    "  --rate N            lookups a second of all readers (as fast as it goes)\n"
    "  --wait-compaction   each commit waits for the compactions that it started\n"
    "  --files N           files of the table to plan      (100000)\n"
    "  --partitions N      its partitions                  (1000)\n"
    "  --spread            each of its commits adds to all partitions, not to some neighbours\n"
    "  --option KEY=VALUE  an option of the table; may be given several times\n"
    "  --memory SIZE       a limit for buffers, such as 256MB\n"
    "  --threads N         worker threads                  (one per processor)\n"
    "\n"
    "A line ends with wallSeconds, cpuSeconds (of all threads) and peakRssBytes.\n";

typedef int (*bench_command)(const bench_arguments *arguments, weir_error *err);

static bench_command find_command(const char *word)
{
    static const struct {
        const char *name;
        bench_command run;
    } commands[] = {{"write", bench_write},     {"scan", bench_scan},         {"lookup", bench_lookup},
                    {"compact", bench_compact}, {"rewrites", bench_rewrites}, {"plan", bench_plan},
                    {"rows", bench_rows}};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(commands[i].name, word) == 0) {
            return commands[i].run;
        }
    }
    return NULL;
}

int main(int count, char **words)
{
    weir_alloc_tune();
    if (count < 2 || strcmp(words[1], "--help") == 0 || strcmp(words[1], "-h") == 0) {
        fputs(help, count < 2 ? stderr : stdout);
        return count < 2 ? 2 : 0;
    }
    bench_command run = find_command(words[1]);
    if (run == NULL) {
        fprintf(stderr, "weir-bench: there is no command '%s'; see weir-bench --help\n", words[1]);
        return 2;
    }
    bench_arguments arguments;
    weir_error err = {0};
    int status = 0;
    if (bench_arguments_parse(count - 1, words + 1, &arguments, &err) != WEIR_OK) {
        status = 2;
    } else if (run(&arguments, &err) != WEIR_OK) {
        status = 1;
    }
    if (status != 0) {
        fprintf(stderr, "weir-bench %s: %s\n", words[1], err.message);
    }
    weir_arena_free(&arguments.arena);
    return status;
}
