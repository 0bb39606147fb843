/* What a source that follows a folder knows of its files: by the hash of a name, how far each has been read.
 *
 * A position says of the newest files, and of those that are not through, how far they were read. Of the others that are
 * through it has the hashes alone, so that it stays small however many there are: what is added to one of these while
 * nobody looks is not seen. */
#ifndef WEIR_CONNECT_KNOWN_FILES_H
#define WEIR_CONNECT_KNOWN_FILES_H

#include "connect/file_rows.h"

#define WEIR_KNOWN_FILES_KEPT 16384 /* a position holds up to twice as many */

typedef struct weir_known_file {
    uint64_t hash; /* of its name; 0: no entry */
    weir_file_position position;
    int64_t modified_ms;
    uint32_t generation; /* of the listing that saw it last */
    bool is_queued;      /* waits to be read, or is being read */
    bool is_through;     /* read to the end that it had then */
    bool is_open;        /* was in the midst of being read when the position was taken */
    bool is_cut;         /* its last line was taken whether it had an end or not */
    bool is_settled;     /* a position said no more than that it is through, and it was not seen since */
} weir_known_file;

typedef struct weir_known_files {
    weir_known_file *slots; /* open addressing */
    size_t slot_count;      /* a power of two, or 0 */
    size_t count;
    int64_t settled_before_ms; /* of files older than that which are through a position holds the hashes alone */
} weir_known_files;

void weir_known_files_free(weir_known_files *files);

uint64_t weir_known_file_hash(const char *name);

/* NULL: not known. Good until the next add or forget. */
weir_known_file *weir_known_files_find(const weir_known_files *files, uint64_t hash);
weir_known_file *weir_known_files_add(weir_known_files *files, uint64_t hash);

/* Forgets files that the listing `generation` has not seen. */
void weir_known_files_forget(weir_known_files *files, uint32_t generation);

/* Appends a position, and reads it again into an empty `files`. */
void weir_known_files_encode(weir_known_files *files, weir_buffer *out);
int weir_known_files_decode(weir_slice bytes, weir_known_files *files, weir_error *err);

#endif
