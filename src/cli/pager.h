/* Long results go through a program that shows them page by page. */
#ifndef WEIR_CLI_PAGER_H
#define WEIR_CLI_PAGER_H

#include <stdio.h>

#include "base/base.h"

typedef struct weir_pager {
    FILE *to; /* NULL: it does not run */
    bool takes_colors;
    int process;
} weir_pager;

/* Starts $PAGER, or less. False when that is not possible; then nothing has changed. */
bool weir_pager_open(weir_pager *pager);

/* Waits until the person has seen enough. */
void weir_pager_close(weir_pager *pager);

#endif
