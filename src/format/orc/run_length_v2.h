/* Version 2 of ORC's run-length encoding of integers. */
#ifndef WEIR_FORMAT_ORC_RUN_LENGTH_V2_H
#define WEIR_FORMAT_ORC_RUN_LENGTH_V2_H

#include "format/orc/run_length.h"

/* Reads one run, 1 to WEIR_ORC_MAX_RUN values, into `run` and `count`. */
int weir_orc_read_run_v2(weir_orc_integers *integers, weir_error *err);

#endif
