/* Ctrl-C: the running statement is cancelled; a second time, the program ends. */
#ifndef WEIR_CLI_INTERRUPT_H
#define WEIR_CLI_INTERRUPT_H

#include "session/session.h"

/* Before other threads are started: they must not take the signal. */
void weir_interrupt_init(void);

/* Whose statement to cancel; NULL: none runs, and the signal ends the program. */
void weir_interrupt_watch(weir_session *session);

/* While a person types, Ctrl-C only interrupts the reading of the line, in the calling thread. */
void weir_interrupt_begin_prompt(void);
bool weir_interrupt_end_prompt(void); /* whether it came */

#endif
