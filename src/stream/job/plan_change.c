/* How two descriptions of plans differ: the lines that one has and the other has not, in their order. Of a long line the
 * part where it begins to differ is shown. */
#include <stdlib.h>

#include "stream/job/job_internal.h"

enum { MOST_LINES = 400, SHOWN_LINES = 8, SHOWN_WIDTH = 120, SHOWN_BEFORE = 40 };

typedef struct lines {
    weir_slice items[MOST_LINES];
    int32_t count;
} lines;

static void split_lines(const char *text, lines *out)
{
    out->count = 0;
    while (*text != '\0' && out->count < MOST_LINES) {
        size_t size = strcspn(text, "\n");
        out->items[out->count++] = weir_slice_of(text, size);
        text += size + (text[size] == '\n');
    }
}

/* common[i][j]: how many lines the rests from i and j share, in order. */
typedef uint16_t common_row[MOST_LINES + 1];

static void count_common(const lines *a, const lines *b, common_row *common)
{
    for (int32_t i = a->count; i >= 0; i--) {
        for (int32_t j = b->count; j >= 0; j--) {
            if (i == a->count || j == b->count) {
                common[i][j] = 0;
            } else if (weir_slice_equal(a->items[i], b->items[j])) {
                common[i][j] = (uint16_t)(common[i + 1][j + 1] + 1);
            } else {
                common[i][j] = common[i + 1][j] > common[i][j + 1] ? common[i + 1][j] : common[i][j + 1];
            }
        }
    }
}

typedef struct shower {
    weir_buffer *out;
    int32_t count;      /* of lines, those left out too */
    weir_slice heading; /* of the INSERT at hand, while it is not shown */
} shower;

static size_t common_prefix(weir_slice a, weir_slice b)
{
    size_t size = 0;
    while (size < a.size && size < b.size && a.data[size] == b.data[size]) {
        size++;
    }
    return size;
}

/* Not in the midst of a character. */
static size_t character_start(weir_slice text, size_t at)
{
    while (at > 0 && at < text.size && (text.data[at] & 0xC0) == 0x80) {
        at--;
    }
    return at;
}

/* A line, or the part of it around the byte `differs`. */
static void append_line(shower *to, char sign, weir_slice line, size_t differs)
{
    bool from_start = line.size <= SHOWN_WIDTH || differs < SHOWN_WIDTH - SHOWN_BEFORE;
    size_t start = from_start ? 0 : character_start(line, differs - SHOWN_BEFORE);
    size_t end = line.size - start > SHOWN_WIDTH ? character_start(line, start + SHOWN_WIDTH) : line.size;
    weir_buffer_append_format(to->out, "\n%c %s%.*s%s", sign, start > 0 ? "…" : "", (int)(end - start),
                              (const char *)line.data + start, end < line.size ? "…" : "");
}

/* `other` has the line `number` that stands in its place, or no such line. */
static void show_line(shower *to, char sign, weir_slice line, const lines *other, int32_t number)
{
    size_t differs = number < other->count ? common_prefix(line, other->items[number]) : 0;
    if (to->count++ >= SHOWN_LINES) {
        return;
    }
    if (to->heading.size > 0) {
        append_line(to, ' ', to->heading, 0);
        to->heading.size = 0;
    }
    append_line(to, sign, line, differs);
}

static void show_difference(const lines *was, const lines *is, weir_buffer *out)
{
    common_row *common = weir_alloc_zeroed(MOST_LINES + 1, sizeof *common);
    shower to = {.out = out};
    int32_t shared = 0; /* the lines of a part that differs stand in the place of each other */
    count_common(was, is, common);
    for (int32_t i = 0, j = 0; i < was->count || j < is->count;) {
        if (i < was->count && j < is->count && weir_slice_equal(was->items[i], is->items[j])) {
            to.heading = is->items[j].size > 0 && is->items[j].data[0] != ' ' ? is->items[j] : to.heading;
            i++;
            j++;
            shared = j - i;
        } else if (i < was->count && (j == is->count || common[i + 1][j] >= common[i][j + 1])) {
            show_line(&to, '-', was->items[i], is, i + shared);
            i++;
        } else {
            show_line(&to, '+', is->items[j], was, j - shared);
            j++;
        }
    }
    if (to.count > SHOWN_LINES) {
        weir_buffer_append_format(out, "\n(and %d lines more)", to.count - SHOWN_LINES);
    }
    free(common);
}

int weir_job_fail_changed(const char *stored, const char *wanted, weir_error *err)
{
    lines *both = weir_alloc(2 * sizeof *both);
    weir_buffer text = {0};
    split_lines(stored, &both[0]);
    split_lines(wanted, &both[1]);
    show_difference(&both[0], &both[1], &text);
    weir_fail(err, WEIR_INVALID, "the state was written by another computation (-: what it was, +: what it is now):%s",
              weir_buffer_text(&text));
    weir_buffer_free(&text);
    free(both);
    return WEIR_INVALID;
}
