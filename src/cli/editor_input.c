/* Keys of the editor as bytes of the terminal, and the signals that come while it waits for them. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "cli/editor_internal.h"
#include "cli/interrupt.h"

static volatile sig_atomic_t was_resized, was_continued;

static void note_resize(int number)
{
    (void)number;
    was_resized = 1;
}

static void note_continue(int number)
{
    (void)number;
    was_continued = 1;
}

/* They are blocked but for the waiting below, so that none is lost in between. */
void weir_editor_watch_signals(void)
{
    struct sigaction resize = {.sa_handler = note_resize}, go_on = {.sa_handler = note_continue};
    sigset_t signals;
    sigaction(SIGWINCH, &resize, NULL);
    sigaction(SIGCONT, &go_on, NULL);
    sigemptyset(&signals);
    sigaddset(&signals, SIGWINCH);
    sigaddset(&signals, SIGCONT);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
}

void weir_editor_hush(bool on)
{
    struct termios modes;
    if (tcgetattr(STDIN_FILENO, &modes) == 0) {
        modes.c_lflag = on ? modes.c_lflag & ~(tcflag_t)ECHO : modes.c_lflag | ECHO;
        tcsetattr(STDIN_FILENO, TCSANOW, &modes);
    }
}

void weir_editor_measure(weir_editor *editor)
{
    struct winsize size = {0};
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;
    editor->columns = known ? size.ws_col : 80;
    editor->rows = known ? size.ws_row : 24;
}

/* The terminal has shown the text anew in its own way; draw it again from where it began. */
static void redraw(weir_editor *editor)
{
    struct winsize size = {0};
    int columns = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : editor->columns;
    weir_editor_clear_text(editor, columns);
    el_resize(editor->line);
    weir_editor_measure(editor);
    el_set(editor->line, EL_REFRESH);
    weir_editor_paint(editor, true);
}

static void answer_signals(weir_editor *editor)
{
    if (was_continued) {
        was_continued = 0;
        el_set(editor->line, EL_PREP_TERM, 0);
        el_set(editor->line, EL_PREP_TERM, 1);
        was_resized = 1;
    }
    if (was_resized) {
        was_resized = 0;
        redraw(editor);
    }
}

bool weir_editor_has_input(weir_editor *editor)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    return editor->input_at < editor->input_size || poll(&input, 1, 0) > 0;
}

/* Waits for input; false when Ctrl-C came instead. */
static bool wait_for_input(weir_editor *editor)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    sigset_t mask;
    weir_interrupt_prompt_mask(&mask);
    sigdelset(&mask, SIGWINCH);
    sigdelset(&mask, SIGCONT);
    for (;;) {
        answer_signals(editor);
        if (weir_interrupt_came_at_prompt()) {
            editor->was_interrupted = true;
            return false;
        }
        int ready = ppoll(&input, 1, NULL, &mask);
        if (ready > 0) {
            return true;
        }
        if (ready < 0 && errno != EINTR) {
            return false;
        }
    }
}

bool weir_editor_next_byte(weir_editor *editor, uint8_t *out)
{
    if (editor->input_at == editor->input_size) {
        if (!wait_for_input(editor)) {
            return false;
        }
        ssize_t size = read(STDIN_FILENO, editor->input, sizeof editor->input);
        if (size <= 0) {
            return false;
        }
        editor->input_at = 0;
        editor->input_size = (size_t)size;
    }
    *out = editor->input[editor->input_at++];
    return true;
}

/* Bytes that are no UTF-8 are left out. */
int weir_editor_read_character(EditLine *line, wchar_t *out)
{
    weir_editor *editor = weir_editor_of(line);
    mbstate_t state = {0};
    uint8_t byte;
    if (!weir_editor_has_input(editor)) {
        weir_editor_paint(editor, true);
    }
    while (weir_editor_next_byte(editor, &byte)) {
        char c = (char)byte;
        size_t size = mbrtowc(out, &c, 1, &state);
        if (size == (size_t)-1) {
            state = (mbstate_t){0};
        } else if (size != (size_t)-2) {
            return 1;
        }
    }
    return 0;
}
