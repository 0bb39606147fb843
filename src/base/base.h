/* base: what every other room stands on.
 *
 *   error.h   codes, messages, and the macros that keep the straight line readable
 *   alloc.h   small allocations that cannot fail, and large ones that can
 *   arena.h   memory that is freed as a whole
 *   buffer.h  growing byte arrays, slices, and loading numbers from bytes
 *   budget.h  bounded memory, shared by a tree of consumers
 *   pool.h    worker threads and groups of tasks
 *   map.h     hash map from byte strings to pointers
 *   json.h    JSON documents for metadata (a thin layer on jansson)
 *   display.h how wide text is on a terminal
 *   text.h    UTF-8, numbers and dates as text, suggestions for misspelt names
 *   clock.h   wall and monotonic time, UUIDs
 *   zone.h    time zones
 *   log.h     leveled log lines on standard error
 *
 * Owns no global state but the log level. Threading: pools, budgets and logging are thread-safe; all else is
 * used by one thread at a time. */
#ifndef WEIR_BASE_H
#define WEIR_BASE_H

#include "base/alloc.h"
#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"

#endif
