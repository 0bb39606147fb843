/* Watermarks on their way through operators: the least of all inputs that are not silent. */
#include <stdlib.h>

#include "cmocka_all.h"
#include "stream/operator/operators.h"

/* What comes after the operator under test. */
typedef struct probe {
    weir_operator base;
    int64_t seen; /* the last watermark */
} probe;

static int note(weir_operator *base, int32_t input, int64_t watermark, weir_error *err)
{
    probe *self = (probe *)base;
    (void)err;
    self->seen = weir_operator_note_watermark(base, input, watermark);
    return WEIR_OK;
}

static void close_probe(weir_operator *base) { (void)base; }

enum { END = -1, IDLE = -2, ACTIVE = -3 };

typedef struct step {
    int32_t input;
    int64_t watermark;
    int64_t seen;
} step;

static int64_t real_watermark(int64_t watermark)
{
    return watermark == END      ? WEIR_WATERMARK_END
           : watermark == IDLE   ? WEIR_WATERMARK_IDLE
           : watermark == ACTIVE ? WEIR_WATERMARK_ACTIVE
                                 : watermark;
}

static void check_steps(const step *steps, size_t count)
{
    weir_error err = {0};
    weir_operator *operators[2];
    weir_plan plan = {.kind = WEIR_PLAN_UNION, .input_count = 2};
    weir_stream_node node = {.plan = &plan};
    probe end = {.base = {.watermark = note, .close = close_probe}, .seen = WEIR_WATERMARK_NONE};
    weir_operator_init(&end.base, "Probe", 1);
    /* The second input comes through another operator. */
    assert_int_equal(weir_union_operator_create(NULL, &node, &operators[0], &err), WEIR_OK);
    plan.input_count = 1;
    assert_int_equal(weir_union_operator_create(NULL, &node, &operators[1], &err), WEIR_OK);
    operators[0]->output = (weir_operator_output){&end.base, 0};
    operators[1]->output = (weir_operator_output){operators[0], 1};
    for (size_t i = 0; i < count; i++) {
        weir_operator *to = operators[steps[i].input];
        assert_int_equal(weir_operator_watermark(to, 0, real_watermark(steps[i].watermark), &err), WEIR_OK);
        int64_t seen = steps[i].seen == 0 ? WEIR_WATERMARK_NONE : real_watermark(steps[i].seen);
        if (end.seen != seen) {
            fail_msg("step %zu: %lld", i + 1, (long long)end.seen);
        }
    }
    weir_operator_close(operators[0]);
    weir_operator_close(operators[1]);
    weir_operator_close(&end.base);
}

#define CHECK(...)                                                                                                     \
    do {                                                                                                               \
        const step steps[] = {__VA_ARGS__};                                                                            \
        check_steps(steps, sizeof steps / sizeof *steps);                                                              \
    } while (0)

static void the_least_watermark_of_all_inputs_goes_on(void **state)
{
    (void)state;
    CHECK({0, 10, 0}, {1, 5, 5}, {1, 7, 7}, {0, 9, 7}, {1, 30, 10}, {0, END, 30}, {1, END, END});
}

static void a_silent_input_holds_nothing_back(void **state)
{
    (void)state;
    CHECK({0, 10, 0}, {1, IDLE, 10}, {0, 20, 20}, {1, ACTIVE, 20}, {1, 15, 20}, {0, 40, 20}, {1, 35, 35});
    CHECK({1, 10, 0}, {0, IDLE, 10}, {1, END, END});
}

static void when_all_are_silent_nothing_goes_on(void **state)
{
    (void)state;
    CHECK({0, 10, 0}, {1, 5, 5}, {1, IDLE, 10}, {0, IDLE, 10}, {0, ACTIVE, 10}, {0, 12, 12});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_watermark_of_all_inputs_goes_on),
        cmocka_unit_test(a_silent_input_holds_nothing_back),
        cmocka_unit_test(when_all_are_silent_nothing_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
