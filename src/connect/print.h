/* Sinks that keep nothing: print and blackhole. */
#ifndef WEIR_CONNECT_PRINT_H
#define WEIR_CONNECT_PRINT_H

#include "connect/sink.h"

int weir_print_sink_open(const weir_sink_options *options, weir_sink **out, weir_error *err);
int weir_blackhole_sink_open(const weir_sink_options *options, weir_sink **out, weir_error *err);

#endif
