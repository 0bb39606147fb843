/* Random numbers for tests: the seed is printed, and taken from WEIR_SEED when that is set. */
#ifndef WEIR_TESTS_RANDOM_H
#define WEIR_TESTS_RANDOM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct random_state {
    uint64_t state;
} random_state;

static inline random_state random_start(void)
{
    const char *wanted = getenv("WEIR_SEED");
    uint64_t seed = wanted ? strtoull(wanted, NULL, 10) : (uint64_t)time(NULL) * 1000003U + (uint64_t)clock();
    printf("seed: WEIR_SEED=%llu\n", (unsigned long long)seed);
    return (random_state){seed};
}

/* A mixed counter: every state is a good one. */
static inline uint64_t random_next(random_state *random)
{
    uint64_t mixed = random->state += 0x9E3779B97F4A7C15U;
    mixed = (mixed ^ (mixed >> 32)) * 0xD6E8FEB86659FD93U;
    mixed = (mixed ^ (mixed >> 32)) * 0xD6E8FEB86659FD93U;
    return mixed ^ (mixed >> 32);
}

/* From 0 to limit - 1. */
static inline uint64_t random_below(random_state *random, uint64_t limit) { return random_next(random) % limit; }

#endif
