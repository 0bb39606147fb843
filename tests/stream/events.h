/* Nine events for tests of times and windows, the watermark five seconds behind them: the seventh and the eighth come
 * late for many windows. What queries over them give was asked of a running Flink. */
#ifndef WEIR_TESTS_STREAM_EVENTS_H
#define WEIR_TESTS_STREAM_EVENTS_H

#include "harness.h"

static const char *const events[] = {
    "+I [1, 'a', 1, '2024-01-01 00:00:01.000']",    "+I [2, 'a', 2, '2024-01-01 00:00:09.999']",
    "+I [3, 'b', 3, '2024-01-01 00:00:10.000']",    "+I [4, 'a', 4, '2024-01-01 00:00:04.000']",
    "+I [5, 'a', 5, '2024-01-01 00:00:21.000']",    "+I [6, null, 6, '2024-01-01 00:00:29.000']",
    "+I [7, 'a', 7, '2024-01-01 00:00:03.000']",    "+I [8, 'b', 8, '2024-01-01 00:00:17.000']",
    "+I [9, 'b', null, '2024-01-01 00:00:45.000']",
};

enum { event_count = sizeof events / sizeof events[0] };

static inline harness_table *add_events(harness *h)
{
    harness_table *table = harness_add(h, "e", "id INT, k STRING, v INT, ts TIMESTAMP(3)", HARNESS_INSERTS);
    harness_set_watermark(table, "ts", "ts - INTERVAL '5' SECOND");
    return table;
}

/* Events first … end - 1 as one batch. */
static inline void push_events(harness_table *table, int32_t first, int32_t end)
{
    weir_buffer batch = {0};
    for (int32_t i = first; i < end; i++) {
        weir_buffer_append_format(&batch, "%s ", events[i]);
    }
    harness_push(table, weir_buffer_text(&batch));
    weir_buffer_free(&batch);
}

/* Writes '2024-01-01 00:00:09.000' as :09, so that rows can be read. */
static inline void shorten_times(char *text)
{
    static const char prefix[] = "'2024-01-01 00:00";
    size_t skipped = sizeof prefix - 1;
    char *out = text;
    for (const char *at = text; *at != '\0';) {
        if (strncmp(at, prefix, skipped) != 0) {
            *out++ = *at++;
            continue;
        }
        const char *seconds = at + skipped; /* :09.000' */
        size_t size = memcmp(seconds + 3, ".000", 4) == 0 ? 3 : 7;
        memmove(out, seconds, size);
        out += size;
        at = seconds + 8;
    }
    *out = '\0';
}

static inline void check_short(const harness *h, weir_buffer *text, const char *expected)
{
    weir_buffer_append_byte(text, '\0');
    shorten_times((char *)text->data);
    if (strcmp((const char *)text->data, expected) != 0) {
        fail_msg("%s\n  gives    %s\n  and not  %s", h->query, (const char *)text->data, expected);
    }
}

typedef struct event_case {
    const char *query;
    const char *rows; /* sorted */
} event_case;

/* The events in batches of every size; or in some, and everything is closed and opened again between them. */
static inline void check_event_case(const event_case *each, bool restarts)
{
    for (int32_t size = 1; size <= event_count; size += restarts ? 4 : 1) {
        char folder[] = "/tmp/weir-window-XXXXXX";
        harness *h = harness_open();
        harness_table *table = add_events(h);
        if (restarts) {
            assert_non_null(mkdtemp(folder));
            harness_set_folder(h, folder);
        }
        harness_start(h, each->query);
        for (int32_t first = 0; first < event_count; first += size) {
            push_events(table, first, first + size < event_count ? first + size : event_count);
            if (restarts) {
                harness_restart(h);
            }
        }
        harness_end(h);
        weir_buffer text = {0};
        harness_rows_text(&h->rows, &text);
        check_short(h, &text, each->rows);
        weir_buffer_free(&text);
        harness_close(h);
        if (restarts) {
            char *command = weir_format("rm -rf '%s'", folder);
            assert_int_equal(system(command), 0);
            free(command);
        }
    }
}

#endif
