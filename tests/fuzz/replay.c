/* A plain main for the fuzzers, for compilers without libFuzzer: gives a target every seed of its folder, then seeds
 * that were mutated at random, until the time is over.
 *
 *   fuzz_x [--seconds N] [--runs N] FILE_OR_FOLDER …
 *
 * WEIR_SEED repeats a course of mutations, WEIR_FUZZ_SECONDS overrides --seconds. An input that kills the target, takes
 * longer than a minute or makes it use a gigabyte is left as crash-<target> in the working directory, to be given as
 * FILE. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "random.h"

#define SECONDS_AN_INPUT   60
#define LARGEST_INPUT      (256 << 10)
#define MOST_GROWTH_KB     (1 << 20)
#define MUTATIONS_AT_ONCE  8
#define RUNS_BETWEEN_LOOKS 16 /* at the clock and the memory */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));
const char *__ubsan_default_options(void);

typedef struct inputs {
    weir_buffer *items;
    size_t count;
    size_t capacity;
} inputs;

/* ---- an input that kills ---- */

static weir_buffer current; /* for the handler: what the target is reading */
static const char *target;

static void keep_current(void)
{
    char name[256];
    int size = snprintf(name, sizeof name, "crash-%s", target);
    int file = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0644);
    if (size <= 0 || file < 0 || write(file, current.data, current.size) != (ssize_t)current.size) {
        return;
    }
    close(file);
    fprintf(stderr, "\nthe input of %zu bytes is in %s\n", current.size, name);
}

static void die(int number)
{
    keep_current();
    fprintf(stderr, number == SIGALRM ? "it takes longer than a minute\n" : "it ends in signal %d\n", number);
    _exit(1);
}

/* Read by the sanitizer: what it finds ends in a signal. */
const char *__ubsan_default_options(void) { return "print_stacktrace=1:abort_on_error=1"; }

static void watch(const char *program)
{
    static const int signals[] = {SIGALRM, SIGABRT, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    size_t count = sizeof signals / sizeof *signals;
    const char *slash = strrchr(program, '/');
    target = slash != NULL ? slash + 1 : program;
    if (__sanitizer_set_death_callback != NULL) {
        __sanitizer_set_death_callback(keep_current); /* a sanitizer says itself what is wrong */
        count = 3;
    }
    for (size_t i = 0; i < count; i++) {
        signal(signals[i], die);
    }
}

/* The target gets an allocation of its own, so that a read past the end is seen. */
static void run(weir_slice input)
{
    uint8_t *copy = weir_alloc(input.size);
    if (input.size > 0) {
        memcpy(copy, input.data, input.size);
    }
    alarm(SECONDS_AN_INPUT);
    (void)LLVMFuzzerTestOneInput(copy, input.size);
    alarm(0);
    free(copy);
}

static long memory_kb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* ---- seeds ---- */

static void add_file(inputs *seeds, const char *path)
{
    uint8_t chunk[65536];
    size_t size;
    weir_buffer bytes = {0};
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(1);
    }
    while ((size = fread(chunk, 1, sizeof chunk, file)) > 0) {
        weir_buffer_append(&bytes, chunk, size);
    }
    fclose(file);
    WEIR_GROW(seeds->items, seeds->capacity, seeds->count + 1);
    seeds->items[seeds->count++] = bytes;
}

static void add_path(inputs *seeds, const char *path)
{
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, NULL, alphasort);
    if (count < 0) {
        add_file(seeds, path);
        return;
    }
    for (int i = 0; i < count; i++) {
        char *inner = weir_format("%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.') {
            add_file(seeds, inner);
        }
        free(inner);
        free(entries[i]);
    }
    free(entries);
}

/* ---- mutations ---- */

static void overwrite(weir_buffer *bytes, random_state *random)
{
    static const uint8_t edges[] = {0x00, 0x01, 0x7f, 0x80, 0xfe, 0xff};
    size_t at = random_below(random, bytes->size);
    size_t count = 1U << random_below(random, 4);
    uint8_t value = edges[random_below(random, sizeof edges)];
    for (size_t i = at; i < bytes->size && i < at + count; i++) {
        bytes->data[i] = value;
    }
}

static void flip(weir_buffer *bytes, random_state *random)
{
    bytes->data[random_below(random, bytes->size)] ^= (uint8_t)(1U << random_below(random, 8));
}

static void add_small(weir_buffer *bytes, random_state *random)
{
    bytes->data[random_below(random, bytes->size)] += (uint8_t)(random_below(random, 9) - 4);
}

static void replace_byte(weir_buffer *bytes, random_state *random)
{
    bytes->data[random_below(random, bytes->size)] = (uint8_t)random_next(random);
}

static void remove_piece(weir_buffer *bytes, random_state *random)
{
    size_t at = random_below(random, bytes->size);
    size_t count = 1 + random_below(random, random_below(random, 4) == 0 ? bytes->size - at : 8);
    count = count < bytes->size - at ? count : bytes->size - at;
    memmove(bytes->data + at, bytes->data + at + count, bytes->size - at - count);
    bytes->size -= count;
}

/* Puts a piece of `from` (which may be the same input) at some place. */
static void insert_piece(weir_buffer *bytes, weir_slice from, random_state *random)
{
    if (from.size == 0 || bytes->size >= LARGEST_INPUT) {
        return;
    }
    size_t start = random_below(random, from.size);
    size_t count = 1 + random_below(random, random_below(random, 4) == 0 ? from.size - start : 16);
    count = count < from.size - start ? count : from.size - start;
    uint8_t *piece = weir_alloc(count);
    memcpy(piece, from.data + start, count);
    size_t at = random_below(random, bytes->size + 1);
    weir_buffer_reserve(bytes, count);
    memmove(bytes->data + at + count, bytes->data + at, bytes->size - at);
    memcpy(bytes->data + at, piece, count);
    bytes->size += count;
    free(piece);
}

static void mutate(const inputs *seeds, random_state *random)
{
    const weir_buffer *seed = &seeds->items[random_below(random, seeds->count)];
    weir_buffer_clear(&current);
    weir_buffer_append(&current, seed->data, seed->size);
    for (uint64_t left = 1 + random_below(random, MUTATIONS_AT_ONCE); left > 0; left--) {
        uint64_t choice = current.size == 0 ? 6 : random_below(random, 8);
        const weir_buffer *other = &seeds->items[random_below(random, seeds->count)];
        switch (choice) {
        case 0:
        case 1:
            flip(&current, random);
            break;
        case 2:
            replace_byte(&current, random);
            break;
        case 3:
            add_small(&current, random);
            break;
        case 4:
            overwrite(&current, random);
            break;
        case 5:
            remove_piece(&current, random);
            break;
        case 6:
            insert_piece(&current, weir_buffer_slice(other), random);
            break;
        default:
            insert_piece(&current, weir_buffer_slice(&current), random);
            break;
        }
    }
}

/* ---- the course ---- */

static void replay_seeds(const inputs *seeds)
{
    for (size_t i = 0; i < seeds->count; i++) {
        weir_buffer_clear(&current);
        weir_buffer_append(&current, seeds->items[i].data, seeds->items[i].size);
        run(weir_buffer_slice(&current));
    }
}

static uint64_t run_mutations(const inputs *seeds, long seconds, uint64_t runs)
{
    random_state random = random_start();
    long kb_before = memory_kb();
    time_t end = time(NULL) + seconds;
    uint64_t done = 0;
    while (done < runs && (done % RUNS_BETWEEN_LOOKS != 0 || time(NULL) < end)) {
        mutate(seeds, &random);
        run(weir_buffer_slice(&current));
        done++;
        if (memory_kb() - kb_before > MOST_GROWTH_KB) {
            fprintf(stderr, "memory has grown by more than a gigabyte\n");
            abort();
        }
    }
    return done;
}

int main(int argc, char **argv)
{
    const char *wanted = getenv("WEIR_FUZZ_SECONDS");
    long seconds = 0;
    uint64_t runs = UINT64_MAX;
    inputs seeds = {0};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc) {
            seconds = atol(argv[++i]);
        } else if (strcmp(argv[i], "--runs") == 0 && i + 1 < argc) {
            runs = strtoull(argv[++i], NULL, 10);
        } else {
            add_path(&seeds, argv[i]);
        }
    }
    watch(argv[0]);
    seconds = wanted != NULL ? atol(wanted) : seconds;
    replay_seeds(&seeds);
    uint64_t done = seeds.count > 0 ? run_mutations(&seeds, seconds, runs) : 0;
    printf("%zu seeds, %llu mutated inputs\n", seeds.count, (unsigned long long)done);
    for (size_t i = 0; i < seeds.count; i++) {
        weir_buffer_free(&seeds.items[i]);
    }
    free(seeds.items);
    weir_buffer_free(&current);
    return 0;
}
