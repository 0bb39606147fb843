/* The version of the library. */
#include "weir/weir.h"

const char *weir_version(void) { return WEIR_VERSION; }
