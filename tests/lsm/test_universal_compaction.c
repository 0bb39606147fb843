/* Which runs are compacted: the answers of org.apache.paimon.mergetree.compact.UniversalCompaction, by its own rules.
 */
#include "cmocka_all.h"

#include <stdlib.h>

#include "lsm/universal_compaction.h"

#define MOST_RUNS 16

/* Runs as text, newest first: "0:10 0:20 5:1000" are two files of level 0 and a level of 1000 bytes. */
typedef struct parsed_runs {
    weir_sorted_run runs[MOST_RUNS];
    weir_data_file files[MOST_RUNS];
    weir_data_file *pointers[MOST_RUNS];
    int32_t count;
} parsed_runs;

static void parse(const char *text, parsed_runs *out)
{
    *out = (parsed_runs){0};
    while (*text != '\0') {
        char *end;
        int32_t i = out->count++;
        assert_true(i < MOST_RUNS);
        out->runs[i].level = (int32_t)strtol(text, &end, 10);
        assert_int_equal(*end, ':');
        out->files[i].size_bytes = strtoll(end + 1, &end, 10);
        out->files[i].level = out->runs[i].level;
        out->pointers[i] = &out->files[i];
        out->runs[i].files = &out->pointers[i];
        out->runs[i].file_count = 1;
        text = end + (*end == ' ');
    }
}

typedef struct pick_case {
    const char *what;
    const char *runs;
    int32_t trigger;
    int32_t amplification_percent;
    int32_t ratio_percent;
    int32_t run_count; /* expected; 0: nothing */
    int32_t output_level;
} pick_case;

typedef weir_compaction_pick (*pick_function)(const weir_lsm_options *options, int32_t level_count,
                                              const weir_sorted_run *runs, int32_t run_count);

/* Six levels, so that the highest is 5. */
static void check(pick_function pick, const pick_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        parsed_runs parsed;
        parse(cases[i].runs, &parsed);
        weir_lsm_options options = {
            .compaction_trigger = cases[i].trigger,
            .max_size_amplification_percent = cases[i].amplification_percent,
            .size_ratio_percent = cases[i].ratio_percent,
        };
        weir_compaction_pick picked = pick(&options, 6, parsed.runs, parsed.count);
        if (picked.run_count != cases[i].run_count ||
            (picked.run_count > 0 && picked.output_level != cases[i].output_level)) {
            fail_msg("%s (%s): %d runs to level %d expected, %d to level %d picked", cases[i].what, cases[i].runs,
                     cases[i].run_count, cases[i].output_level, picked.run_count, picked.output_level);
        }
    }
}

static void runs_are_picked_by_amplification_ratio_and_number(void **state)
{
    (void)state;
    static const pick_case cases[] = {
        {"nothing there", "", 3, 200, 1, 0, 0},
        {"one run", "0:10", 3, 200, 1, 0, 0},
        {"below the trigger nothing happens", "0:1000 5:1", 3, 200, 1, 0, 0},
        {"newer runs above the share of the oldest", "0:100 0:150 5:100", 3, 200, 1, 3, 5},
        {"exactly the share is not above it", "0:100 0:100 5:100", 3, 200, 0, 3, 5}, /* the ratio takes them */
        {"exactly the share, and runs too unlike for the ratio", "0:1 4:199 5:100", 3, 200, 1, 0, 0},
        {"a share of 0 compacts as soon as anything is newer", "0:1 4:10 5:1000", 3, 0, 1, 3, 5},
        {"amplification of one run that is the oldest", "5:100", 1, 200, 1, 0, 0},
        {"the ratio takes neighbours of about one size", "0:100 0:100 5:1000", 3, 200, 1, 2, 4},
        {"the ratio goes on while the sum is as large as the next", "0:1 0:1 0:2 0:4 5:1000", 3, 200, 1, 4, 4},
        {"the ratio stops at a larger one, but level 0 takes no output", "0:1 0:1 0:100 5:1000", 3, 200, 1, 4, 5},
        {"the ratio stops at a larger level", "0:1 0:1 3:100 5:1000", 3, 200, 1, 2, 2},
        {"one percent more is still about as large", "0:100 4:101 5:1000", 3, 200, 1, 2, 4},
        {"two percent more is not", "0:100 4:102 5:1000", 3, 200, 1, 0, 0},
        {"a ratio of 100 takes the double", "0:100 4:200 5:2000", 3, 200, 100, 2, 4},
        {"too many runs: the surplus goes", "0:1 0:1000 4:2000 5:9000", 3, 900, 1, 2, 3},
        {"too many runs, and more that fit behind the surplus", "0:1 0:1000 0:1001 0:2002 5:9000", 3, 900, 1, 4, 4},
        {"all runs go to the highest level", "0:100 0:100 0:100", 3, 10000, 1, 3, 5},
        {"the level below the next run", "0:100 0:100 3:1000 5:9000", 4, 900, 1, 2, 2},
        {"never to level 0: the next run joins", "0:100 0:100 1:1000 5:9000", 4, 900, 1, 3, 1},
        {"never to level 0: runs of level 0 join until a level comes", "0:10 0:10 0:100 0:1000 2:5000 5:90000", 4, 900,
         1, 5, 2},
        {"joining them all ends in the highest level", "0:10 0:10 0:100 0:1000", 4, 90000, 1, 4, 5},
        {"sizes beyond 32 bits", "0:10000000000 0:10000000000 5:900000000000", 3, 200, 1, 2, 4},
    };
    check(weir_universal_pick, cases, sizeof cases / sizeof *cases);
}

static void level_zero_goes_up_when_nothing_else_is_due(void **state)
{
    (void)state;
    static const pick_case cases[] = {
        {"nothing there", "", 3, 200, 1, 0, 0},
        {"nothing in level 0", "5:100", 3, 200, 1, 0, 0},
        {"two levels and nothing in level 0", "4:1 5:100", 3, 200, 1, 0, 0},
        {"one file alone", "0:10", 5, 200, 1, 1, 5},
        {"one file above a large level", "0:10 5:1000", 5, 200, 1, 1, 4},
        {"two files above a large level", "0:10 0:10 5:1000", 5, 200, 1, 2, 4},
        {"one file as large as the level below it", "0:1000 4:1000 5:9000", 5, 900, 1, 2, 4},
        {"level 1 joins, since nothing may go to level 0", "0:10 1:1000 5:9000", 5, 900, 1, 2, 1},
        {"what the rules pick comes first", "0:100 0:150 5:100", 3, 200, 1, 3, 5},
    };
    check(weir_universal_pick_level_zero, cases, sizeof cases / sizeof *cases);
}

static void a_full_compaction_takes_everything_unless_it_is_done(void **state)
{
    (void)state;
    static const struct {
        const char *runs;
        int32_t run_count;
    } cases[] = {{"", 0}, {"5:100", 0}, {"4:100", 1}, {"0:100", 1}, {"0:1 5:100", 2}, {"0:1 0:1 3:7 5:100", 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        parsed_runs parsed;
        parse(cases[i].runs, &parsed);
        weir_compaction_pick picked = weir_full_pick(6, parsed.runs, parsed.count);
        assert_int_equal(picked.run_count, cases[i].run_count);
        assert_int_equal(picked.output_level, cases[i].run_count > 0 ? 5 : 0);
    }
}

static void options_ask_for_everything_earlier(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        const char *runs;
        weir_lsm_options options;
        int64_t last_full_ms, now_ms;
        int32_t run_count;
    } cases[] = {
        {"nothing is asked for", "0:1 5:9", {0}, 0, 1000, 0},
        {"a run alone is never due", "0:1", {.full_interval_ms = 1}, 0, 1000, 0},
        {"never compacted", "0:1 5:9", {.full_interval_ms = 5000}, 0, 100000, 2},
        {"its time is not over", "0:1 5:9", {.full_interval_ms = 500}, 600, 1000, 0},
        {"its time is over", "0:1 0:1 5:9", {.full_interval_ms = 500}, 400, 1000, 3},
        {"a small bucket", "0:1 5:9", {.full_below_bytes = 11}, 0, 0, 2},
        {"a bucket that is not so small", "0:1 5:9", {.full_below_bytes = 10}, 0, 0, 0},
        {"much outside of the highest level", "0:3 4:3 5:90", {.full_incremental_bytes = 5}, 0, 0, 3},
        {"not so much", "0:3 4:3 5:90", {.full_incremental_bytes = 6}, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        parsed_runs parsed;
        parse(cases[i].runs, &parsed);
        weir_compaction_pick picked = weir_early_full_pick(&cases[i].options, 6, parsed.runs, parsed.count,
                                                           cases[i].last_full_ms, cases[i].now_ms);
        if (picked.run_count != cases[i].run_count || (picked.run_count > 0 && picked.output_level != 5)) {
            fail_msg("%s: %d runs to level %d", cases[i].what, picked.run_count, picked.output_level);
        }
    }
}

static void the_off_peak_time_may_go_over_midnight(void **state)
{
    (void)state;
    static const struct {
        int32_t start, end, hour, ratio;
    } cases[] = {{-1, -1, 3, 0}, {1, 5, 0, 0}, {1, 5, 1, 7},  {1, 5, 4, 7},
                 {1, 5, 5, 0},   {3, 3, 3, 0}, {22, 4, 23, 7}, {22, 4, 3, 7}, {22, 4, 4, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const weir_lsm_options options = {
            .off_peak_start = cases[i].start, .off_peak_end = cases[i].end, .off_peak_ratio_percent = 7};
        assert_int_equal(weir_off_peak_ratio(&options, cases[i].hour), cases[i].ratio);
    }
}

static void a_run_of_many_files_counts_as_their_sum(void **state)
{
    (void)state;
    weir_data_file files[] = {{.size_bytes = 40}, {.size_bytes = 60}, {.size_bytes = 100}, {.size_bytes = 1000}};
    weir_data_file *pointers[] = {&files[0], &files[1], &files[2], &files[3]};
    const weir_sorted_run runs[] = {
        {.files = &pointers[2], .file_count = 1, .level = 0},
        {.files = &pointers[0], .file_count = 2, .level = 4},
        {.files = &pointers[3], .file_count = 1, .level = 5},
    };
    weir_lsm_options options = {
        .compaction_trigger = 3, .max_size_amplification_percent = 200, .size_ratio_percent = 0};
    weir_compaction_pick picked = weir_universal_pick(&options, 6, runs, 3);
    assert_int_equal(picked.run_count, 2);
    assert_int_equal(picked.output_level, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_picked_by_amplification_ratio_and_number),
        cmocka_unit_test(level_zero_goes_up_when_nothing_else_is_due),
        cmocka_unit_test(a_full_compaction_takes_everything_unless_it_is_done),
        cmocka_unit_test(options_ask_for_everything_earlier),
        cmocka_unit_test(the_off_peak_time_may_go_over_midnight),
        cmocka_unit_test(a_run_of_many_files_counts_as_their_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
