/* Ctrl-C: the running statement is cancelled; in programs that nobody types into, a second time ends them. */
#ifndef WEIR_CLI_INTERRUPT_H
#define WEIR_CLI_INTERRUPT_H

#include <signal.h>

#include "session/session.h"

/* Before other threads are started: they must not take the signal. */
void weir_interrupt_init(void);

/* Whose statement to cancel; NULL: none runs, and the signal ends the program. So does a second one in any case. */
void weir_interrupt_watch(weir_session *session);

/* From now on no interrupt ends the program: a person types, and has other ways to leave. */
void weir_interrupt_stay(void);

/* Between the two, in the calling thread, Ctrl-C only breaks the waiting for keys with the mask below. */
void weir_interrupt_begin_prompt(void);
void weir_interrupt_end_prompt(void);
void weir_interrupt_prompt_mask(sigset_t *out);
bool weir_interrupt_came_at_prompt(void);

#endif
