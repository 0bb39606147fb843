/* Completion by Tab: what all candidates begin with is put in; when that is nothing more, they are listed below. */
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#include "base/display.h"
#include "base/text.h"
#include "cli/editor_internal.h"
#include "cli/sql_text.h"

#define LEAST_LIST_LINES 4

/* ---- putting in ---- */

/* How many bytes all candidates begin with, in any case. */
static size_t common_size(const weir_candidates *candidates)
{
    const char *first = candidates->items[0].text;
    size_t common = strlen(first);
    for (size_t i = 1; i < candidates->count; i++) {
        const char *other = candidates->items[i].text;
        size_t same = 0;
        while (same < common && other[same] != '\0' && strncasecmp(first + same, other + same, 1) == 0) {
            same++;
        }
        common = same;
    }
    return weir_utf8_prefix(weir_slice_of(first, common), weir_utf8_length(weir_slice_of(first, common)));
}

/* Replaces the word before the cursor. */
static void replace_word(EditLine *line, weir_slice word, const char *text, size_t size, const char *suffix)
{
    char *whole = weir_format("%.*s%s", (int)size, text, suffix);
    el_deletestr(line, (int)weir_utf8_length(word));
    el_insertstr(line, whole);
    free(whole);
}

/* ---- listing ---- */

static int widest(const weir_candidates *candidates)
{
    int width = 0;
    for (size_t i = 0; i < candidates->count; i++) {
        int one = weir_display_width(weir_slice_text(candidates->items[i].text));
        width = one > width ? one : width;
    }
    return width;
}

/* In columns, downwards; no more than fit the screen. */
static void list_candidates(weir_editor *editor, const weir_candidates *candidates)
{
    int width = widest(candidates) + 2;
    size_t across = width < editor->columns ? (size_t)(editor->columns / width) : 1;
    size_t lines = (candidates->count + across - 1) / across;
    size_t most = editor->rows - 4 > LEAST_LIST_LINES ? (size_t)(editor->rows - 4) : LEAST_LIST_LINES;
    size_t shown_lines = lines < most ? lines : most;
    size_t shown = 0;
    weir_buffer out = {0};
    for (size_t row = 0; row < shown_lines; row++) {
        for (size_t column = 0; column < across && column * lines + row < candidates->count; column++) {
            bool is_last = column + 1 == across || (column + 1) * lines + row >= candidates->count;
            weir_slice text = weir_slice_text(candidates->items[column * lines + row].text);
            weir_display_pad(text, is_last ? weir_display_width(text) : width, false, &out);
            shown++;
        }
        weir_buffer_append_text(&out, "\r\n");
    }
    if (shown < candidates->count) {
        weir_buffer_append_format(&out, "… %zu more\r\n", candidates->count - shown);
    }
    weir_editor_leave_text(editor);
    fwrite(out.data, 1, out.size, stdout);
    fflush(stdout);
    weir_buffer_free(&out);
    el_set(editor->line, EL_REFRESH);
}

/* ---- the key ---- */

static unsigned char choose(weir_editor *editor, const weir_candidates *candidates, weir_slice word)
{
    const weir_candidate *first = &candidates->items[0];
    if (candidates->count == 1) {
        replace_word(editor->line, word, first->text, strlen(first->text), first->suffix);
        return CC_REFRESH;
    }
    size_t common = common_size(candidates);
    if (common > word.size) {
        replace_word(editor->line, word, first->text, common, "");
        return CC_REFRESH;
    }
    list_candidates(editor, candidates);
    return CC_NORM;
}

unsigned char weir_editor_complete(EditLine *line, int key)
{
    weir_editor *editor = weir_editor_of(line);
    size_t cursor;
    (void)key;
    weir_slice text = weir_editor_text(editor, &cursor);
    if (!editor->paints && weir_editor_has_input(editor)) { /* a pasted text, and the terminal does not say so */
        el_insertstr(line, "    ");
        return CC_REFRESH;
    }
    weir_candidates candidates = {.word_from = cursor};
    weir_arena_init(&candidates.arena);
    weir_buffer copy = {0}; /* the line moves when it is changed */
    weir_buffer_append(&copy, text.data, text.size);
    editor->options.complete(editor->options.context, weir_buffer_slice(&copy), cursor, &candidates);
    unsigned char answer = CC_ERROR;
    if (candidates.count > 0) {
        answer =
            choose(editor, &candidates, weir_slice_of(copy.data + candidates.word_from, cursor - candidates.word_from));
    }
    weir_buffer_free(&copy);
    free(candidates.items);
    weir_arena_free(&candidates.arena);
    return answer;
}
