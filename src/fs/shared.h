/* File systems that all who open them with the same settings share. Used by the files of this room. */
#ifndef WEIR_FS_SHARED_H
#define WEIR_FS_SHARED_H

#include "fs/fs.h"

/* One of the users of fs->shared is gone. */
void weir_fs_release_shared(weir_fs *fs);

#endif
