/* Folders for what need not outlive the process, on the local disk.
 *
 * All of a process lie in one folder `weir-<uuid>`, which it holds a lock in. The first process that makes one looks
 * for those of others that have died without removing theirs, and removes them. */
#ifndef WEIR_FS_TEMPORARY_H
#define WEIR_FS_TEMPORARY_H

#include "base/error.h"

/* TMPDIR, where that is an absolute path, or /tmp. Borrowed from the environment. */
const char *weir_temporary_base(void);

/* Makes an empty folder, named after `purpose` ("spill"), below `base` (NULL: weir_temporary_base). *out is the
 * caller's, to be given to weir_temporary_remove. */
int weir_temporary_make(const char *base, const char *purpose, char **out, weir_error *err);

/* Removes the folder with what is in it, and frees its name. NULL is fine. */
void weir_temporary_remove(char *folder);

#endif
