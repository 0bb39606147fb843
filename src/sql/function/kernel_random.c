/* RAND, RAND_INTEGER and UUID. With a seed they give the numbers of java.util.Random with that seed, anew for each
 * batch of rows; without one they begin anywhere. */
#include <stdlib.h>
#include <sys/random.h>

#include "base/clock.h"
#include "sql/function/kernels.h"

enum { bits_of_state = 48 };

static const uint64_t state_mask = (UINT64_C(1) << bits_of_state) - 1;
static const uint64_t multiplier = UINT64_C(0x5DEECE66D);

/* The generator of the call: java.util.Random's 48 bits. */
typedef struct generator {
    uint64_t state;
    int64_t seed;
    bool seeded;
} generator;

static void finish(weir_kernel_call *call)
{
    free(call->state);
    call->state = NULL;
}

/* The generator, for the seed of this row when there is one. */
static int generator_of(weir_kernel_call *call, int64_t row, bool seeded, generator **out, weir_error *err)
{
    generator *current = call->state;
    int64_t seed = seeded ? weir_kernel_integer(call, 0, row) : 0;
    if (current == NULL || (seeded && current->seed != seed)) {
        if (!seeded && getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed) {
            return weir_fail(err, WEIR_IO, "the system gives no random numbers");
        }
        free(current);
        current = weir_alloc_zeroed(1, sizeof *current);
        current->seed = seed;
        current->state = ((uint64_t)seed ^ multiplier) & state_mask;
        call->state = current;
    }
    *out = current;
    return WEIR_OK;
}

static int32_t next_bits(generator *from, int bits)
{
    from->state = (from->state * multiplier + 0xB) & state_mask;
    return (int32_t)(uint32_t)(from->state >> (bits_of_state - bits));
}

/* RAND([seed]): from 0 to below 1. */
static int rand_double(weir_kernel_call *call, int64_t row, weir_error *err)
{
    generator *from;
    WEIR_TRY(generator_of(call, row, call->argument_count > 0, &from, err));
    int64_t high = (int64_t)(uint32_t)next_bits(from, 26) << 27;
    return weir_kernel_put_double(call, row, (double)(high + (uint32_t)next_bits(from, 27)) * 0x1.0p-53);
}

/* From 0 to below `bound`, all alike: numbers of a last, incomplete round are thrown away. */
static int32_t next_below(generator *from, int32_t bound)
{
    int32_t number = next_bits(from, 31);
    if ((bound & (bound - 1)) == 0) {
        return (int32_t)(((int64_t)bound * number) >> 31);
    }
    int32_t result = number % bound;
    while ((int64_t)number - result + (bound - 1) > INT32_MAX) {
        number = next_bits(from, 31);
        result = number % bound;
    }
    return result;
}

/* RAND_INTEGER([seed,] bound). */
static int rand_integer(weir_kernel_call *call, int64_t row, weir_error *err)
{
    generator *from;
    int64_t bound = weir_kernel_integer(call, call->argument_count - 1, row);
    if (bound <= 0) {
        return weir_fail(err, WEIR_INVALID, "RAND_INTEGER takes a bound above 0, not %" PRId64, bound);
    }
    WEIR_TRY(generator_of(call, row, call->argument_count > 1, &from, err));
    return weir_kernel_put_integer(call, row, next_below(from, (int32_t)bound));
}

static int uuid(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    char text[WEIR_UUID_SIZE];
    weir_uuid(text);
    return weir_kernel_put_text(call, row, weir_slice_text(text));
}

const weir_kernel weir_kernel_rand = {.name = "rand", .row = rand_double, .finish = finish, .is_volatile = true};
const weir_kernel weir_kernel_rand_integer = {
    .name = "rand_integer", .row = rand_integer, .finish = finish, .is_volatile = true};
const weir_kernel weir_kernel_uuid = {.name = "uuid", .row = uuid, .is_volatile = true};
