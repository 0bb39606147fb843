/* Commit messages as bytes: what a job keeps of a commit between preparing it and knowing that it happened. */
#ifndef WEIR_LSM_COMMIT_MESSAGE_BYTES_H
#define WEIR_LSM_COMMIT_MESSAGE_BYTES_H

#include "lsm/commit_message.h"

/* Appends the messages to `out`. */
void weir_commit_messages_encode(const weir_commit_messages *messages, weir_buffer *out);

/* Appends to `out`; names and files live in `arena`. WEIR_CORRUPT when the bytes are not such messages; `out` is then
 * only good for freeing. */
int weir_commit_messages_decode(weir_slice bytes, weir_arena *arena, weir_commit_messages *out, weir_error *err);

#endif
