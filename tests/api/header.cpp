// The public header as C++ sees it: this file only has to compile.
#include "weir/weir.h"

static_assert(sizeof(weir_error) > WEIR_ERROR_MESSAGE_SIZE, "the message is part of the error");
