/* Ctrl-C, SIGTERM, SIGHUP and a timeout: the running statement is cancelled, and what runs besides is to be stopped in good
 * order; in programs that nobody types into, a second signal ends them at once. */
#ifndef WEIR_CLI_INTERRUPT_H
#define WEIR_CLI_INTERRUPT_H

#include <signal.h>

#include "session/session.h"

/* Before other threads are started: they must not take the signal. */
void weir_interrupt_init(void);

/* Whose statement to cancel; NULL: none runs. */
void weir_interrupt_watch(weir_session *session);

/* After so long the same happens as by a signal, which is then SIGALRM. */
void weir_interrupt_after_ms(int64_t ms);

/* The signal that asked for the end, the first one; 0: none has. */
int weir_interrupt_asked(void);

/* What a program that a signal has ended gives to its shell: 128 and its number; 124 after a timeout. */
int weir_interrupt_status(int number);

/* From now on no interrupt ends the program: a person types, and has other ways to leave. */
void weir_interrupt_stay(void);

/* Between the two, in the calling thread, Ctrl-C only breaks the waiting for keys with the mask below. */
void weir_interrupt_begin_prompt(void);
void weir_interrupt_end_prompt(void);
void weir_interrupt_prompt_mask(sigset_t *out);
bool weir_interrupt_came_at_prompt(void);

#endif
