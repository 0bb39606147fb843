/* What a tag holds beside its snapshot, when it was made to go after some time (org.apache.paimon.tag.Tag). */
#ifndef WEIR_META_TAG_H
#define WEIR_META_TAG_H

#include "meta/snapshot.h"

typedef struct weir_tag_lifetime {
    bool is_given;
    int64_t created_local_ms; /* the maker's local wall clock read as UTC */
    int64_t retained_ms;
} weir_tag_lifetime;

/* Where a tag's file lies, in `arena`. */
const char *weir_tag_path(weir_arena *arena, const char *root, const char *name);

int weir_tag_read_lifetime(weir_fs *fs, const char *root, const char *name, weir_tag_lifetime *out, weir_error *err);

/* Writes the tag of a snapshot that is in `file`, with everything that stands there, known or not. WEIR_EXISTS when
 * there is one and `replace` is false, WEIR_NOT_FOUND when there is no such snapshot. `file` may be the tag itself. */
int weir_tag_publish(weir_fs *fs, const char *root, const char *name, const char *file,
                     const weir_tag_lifetime *lifetime, bool replace, weir_error *err);

#endif
