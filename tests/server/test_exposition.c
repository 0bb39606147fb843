/* The text that Prometheus scrapes: names, labels, escapes, histograms. */
#include "cmocka_all.h"

#include "server/exposition.h"

static void assert_text(weir_buffer *out, const char *expected)
{
    weir_buffer_append(out, "", 1);
    assert_string_equal((const char *)out->data, expected);
    weir_buffer_free(out);
}

static void a_sample_has_its_labels_and_their_odd_characters_escaped(void **state)
{
    (void)state;
    weir_buffer out = {0};
    const char *const labels[] = {"table", "a\"b\\c\nd", "job_name", "j", NULL};
    weir_exposition_describe(&out, "weir_rows_total", "counter", "Rows.");
    weir_exposition_integer(&out, "weir_rows_total", labels, INT64_MAX);
    weir_exposition_integer(&out, "weir_rows_total", NULL, -1);
    weir_exposition_seconds(&out, "weir_age_seconds", NULL, 1234);
    assert_text(&out, "# HELP weir_rows_total Rows.\n# TYPE weir_rows_total counter\n"
                      "weir_rows_total{table=\"a\\\"b\\\\c\\nd\",job_name=\"j\"} 9223372036854775807\n"
                      "weir_rows_total -1\nweir_age_seconds 1.234\n");
}

static void a_histogram_counts_each_duration_in_all_buckets_above_it(void **state)
{
    (void)state;
    weir_buffer out = {0};
    weir_histogram histogram = {0};
    weir_histogram_add(&histogram, 0);
    weir_histogram_add(&histogram, 2);
    weir_histogram_add(&histogram, 3);
    weir_histogram_add(&histogram, 1000000);
    const char *const labels[] = {"table", "t", NULL};
    weir_exposition_histogram(&out, "m_seconds", labels, &histogram);
    assert_text(&out, "m_seconds_bucket{table=\"t\",le=\"0.001\"} 1\n"
                      "m_seconds_bucket{table=\"t\",le=\"0.002\"} 2\n"
                      "m_seconds_bucket{table=\"t\",le=\"0.005\"} 3\n"
                      "m_seconds_bucket{table=\"t\",le=\"0.01\"} 3\n"
                      "m_seconds_bucket{table=\"t\",le=\"0.025\"} 3\n"
                      "m_seconds_bucket{table=\"t\",le=\"0.05\"} 3\n"
                      "m_seconds_bucket{table=\"t\",le=\"0.1\"} 3\n"
                      "m_seconds_bucket{table=\"t\",le=\"0.25\"} 3\n"
                      "m_seconds_bucket{table=\"t\",le=\"0.5\"} 3\n"
                      "m_seconds_bucket{table=\"t\",le=\"1\"} 3\n"
                      "m_seconds_bucket{table=\"t\",le=\"2.5\"} 3\n"
                      "m_seconds_bucket{table=\"t\",le=\"10\"} 3\n"
                      "m_seconds_bucket{table=\"t\",le=\"30\"} 3\n"
                      "m_seconds_bucket{table=\"t\",le=\"120\"} 3\n"
                      "m_seconds_bucket{table=\"t\",le=\"+Inf\"} 4\n"
                      "m_seconds_sum{table=\"t\"} 1000.005\n"
                      "m_seconds_count{table=\"t\"} 4\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sample_has_its_labels_and_their_odd_characters_escaped),
        cmocka_unit_test(a_histogram_counts_each_duration_in_all_buckets_above_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
