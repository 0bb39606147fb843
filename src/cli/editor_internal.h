/* What the files of the editor share. */
#ifndef WEIR_CLI_EDITOR_INTERNAL_H
#define WEIR_CLI_EDITOR_INTERNAL_H

#include <histedit.h>
#include <signal.h>

#include "cli/editor.h"

#define WEIR_EDITOR_INPUT_BYTES 4096

struct weir_editor {
    weir_editor_options options;
    EditLine *line;
    History *history;
    int prompt_width;
    bool paints; /* the terminal understands the usual sequences */
    int columns, rows;
    /* Bytes that were read and not used. */
    uint8_t input[WEIR_EDITOR_INPUT_BYTES];
    size_t input_at, input_size;
    bool was_interrupted;
    const char *initial; /* what the text that is about to be asked for begins with */
};

weir_editor *weir_editor_of(EditLine *line);

/* What is in the line now, as libedit has it: with the indentation of further lines. */
weir_slice weir_editor_text(weir_editor *editor, size_t *out_cursor);

/* ---- editor_input.c ---- */

/* For libedit: the next character. */
int weir_editor_read_character(EditLine *line, wchar_t *out);
bool weir_editor_has_input(weir_editor *editor);

/* The next byte; false: the end, or Ctrl-C. */
bool weir_editor_next_byte(weir_editor *editor, uint8_t *out);
void weir_editor_watch_signals(void);
void weir_editor_measure(weir_editor *editor); /* columns and rows of the terminal */

/* ---- editor_paint.c ---- */

/* Draws prompts and colours over the text that libedit has drawn; `with_match`: the brackets at the cursor, too. */
void weir_editor_paint(weir_editor *editor, bool with_match);

/* Moves the terminal's cursor below the text. */
void weir_editor_leave_text(weir_editor *editor);

/* Moves it to the text's beginning and clears all from there, after the terminal got `columns` columns. */
void weir_editor_clear_text(weir_editor *editor, int columns);

/* ---- editor_complete.c ---- */

unsigned char weir_editor_complete(EditLine *line, int key);

#endif
