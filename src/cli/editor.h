/* Typing statements on a terminal: several lines at once, with history, completion and colours.
 *
 * libedit reads the keys, edits, searches the history and draws the text; what it has not is put around it: lines until
 * a statement is complete, the arrows over lines, pasting without running, completion (editor_complete.c), prompts of
 * further lines, colours and matching brackets (editor_paint.c, which draws over what libedit drew).
 *
 * Threading: one editor a process, used by the main thread. */
#ifndef WEIR_CLI_EDITOR_H
#define WEIR_CLI_EDITOR_H

#include "base/base.h"

/* What may stand for the word before the cursor. */
typedef struct weir_candidate {
    const char *text;   /* replaces the word */
    const char *suffix; /* what follows when it is the only one, such as " " or "("; not NULL */
} weir_candidate;

typedef struct weir_candidates {
    weir_candidate *items; /* malloc'd; texts in the arena */
    size_t count;
    size_t capacity;
    size_t word_from; /* bytes: where the word begins */
    weir_arena arena;
} weir_candidates;

typedef struct weir_editor_options {
    const char *prompt;
    const char *next_prompt; /* of further lines; as wide as the first one */
    bool has_colors;
    bool (*is_complete)(void *context, const char *text, size_t size); /* ready to run */
    /* Fills `out` for the word that ends at `cursor`. */
    void (*complete)(void *context, weir_slice text, size_t cursor, weir_candidates *out);
    void *context;
} weir_editor_options;

typedef enum weir_editor_event {
    WEIR_EDITOR_TEXT,        /* a text that is complete */
    WEIR_EDITOR_INTERRUPTED, /* Ctrl-C: what was typed is dropped */
    WEIR_EDITOR_END          /* Ctrl-D on an empty line */
} weir_editor_event;

typedef struct weir_editor weir_editor;

/* False when the terminal can't be used. */
bool weir_editor_open(const weir_editor_options *options, weir_editor **out);
void weir_editor_close(weir_editor *editor);

/* Asks for a text, with a line end at its end. `initial`: what stands there to begin with; NULL: nothing. */
weir_editor_event weir_editor_read(weir_editor *editor, const char *initial, weir_buffer *out);

/* While something runs, what is typed ahead is kept for the next prompt, but not shown amid the output. */
void weir_editor_hush(bool on);

/* Puts a text into the history. */
void weir_editor_remember(weir_editor *editor, const char *text);

#endif
