/* Prepared commits. Used by the files of this room. */
#ifndef WEIR_API_PREPARED_H
#define WEIR_API_PREPARED_H

#include "lsm/commit_message.h"

struct weir_prepared {
    weir_arena arena; /* of what the messages point to */
    weir_commit_messages messages;
};

weir_prepared *weir_prepared_new(void); /* empty */

#endif
