/* Programs that a person chose: the pager and the editor. */
#ifndef WEIR_CLI_PROCESS_H
#define WEIR_CLI_PROCESS_H

#include "base/base.h"

/* Starts a command line with `input` as its standard input (-1: as here). The program answers signals by itself, though
 * they are blocked here. */
bool weir_process_start(const char *command, int input, int *out_process);

/* Waits for its end; returns its exit status, -1 when it was killed. */
int weir_process_wait(int process);

#endif
