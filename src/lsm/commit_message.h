/* What the writer of one bucket did between two commits. Lives in the arena it was made in. */
#ifndef WEIR_LSM_COMMIT_MESSAGE_H
#define WEIR_LSM_COMMIT_MESSAGE_H

#include "meta/meta.h"

typedef struct weir_file_list {
    weir_data_file **files;
    size_t count;
    size_t capacity;
} weir_file_list; /* the array is malloc'd */

/* Appends a description, which is borrowed. */
void weir_file_list_append(weir_file_list *list, weir_data_file *file);
void weir_file_list_free(weir_file_list *list);
/* Whether a file of this name is among them. */
bool weir_file_list_has(const weir_file_list *list, const char *name);
/* Puts deep copies in `arena` in the place of the descriptions. */
void weir_file_list_copy_to(weir_file_list *list, weir_arena *arena);
/* Appends deep copies of `from`'s files, in `arena`, to `to`, and empties `from`. */
void weir_file_list_hand_over(weir_file_list *from, weir_arena *arena, weir_file_list *to);

typedef struct weir_index_list {
    const weir_index_file **files;
    size_t count;
    size_t capacity;
} weir_index_list; /* the array is malloc'd */

/* Appends a description, which is borrowed. */
void weir_index_list_append(weir_index_list *list, const weir_index_file *file);
void weir_index_list_free(weir_index_list *list);

typedef struct weir_commit_message {
    weir_slice partition; /* serialized */
    int32_t bucket;
    int32_t total_buckets;
    /* The data increment: committed first, as APPEND. */
    weir_file_list new_files;
    weir_file_list deleted_files;
    weir_file_list changelog_files;
    weir_index_list new_index_files;
    weir_index_list deleted_index_files; /* those the new ones were made from: they must still be the current ones */
    weir_index_list relied_index_files;  /* others that the rows were given their bucket by: their keys must stand */
    /* The compact increment: committed after it, as COMPACT, and disposable on a conflict. */
    weir_file_list compact_before;
    weir_file_list compact_after;
    weir_file_list compact_changelog_files;
    weir_index_list compact_new_index_files;
    weir_index_list compact_deleted_index_files;
    /* The changelog of a compaction tells what became of the rows above level 0 that it had seen. Where the bucket has
     * others by the time of the commit (weir_bucket_levels_fingerprint), that is a conflict. 0: does not matter. */
    uint64_t seen_levels;
    /* The rows went where the table had their keys as of a snapshot (0: it had none). Where somebody else has moved
     * keys by the time of the commit, that is a conflict. */
    bool places_keys;
    int64_t keys_as_of;
} weir_commit_message;

typedef struct weir_commit_messages {
    weir_commit_message *items;
    size_t count;
    size_t capacity;
} weir_commit_messages;

weir_commit_message *weir_commit_messages_add(weir_commit_messages *messages, weir_slice partition, int32_t bucket,
                                              int32_t total_buckets); /* empty; valid until the next add */

enum { WEIR_COMMIT_FILE_LISTS = 6, WEIR_COMMIT_INDEX_LISTS = 5 };

/* The lists of a message in the order of the numbers that they have where messages are kept as bytes, which never
 * changes. */
void weir_commit_message_file_lists(weir_commit_message *message, weir_file_list *out[WEIR_COMMIT_FILE_LISTS]);
void weir_commit_message_index_lists(weir_commit_message *message, weir_index_list *out[WEIR_COMMIT_INDEX_LISTS]);

void weir_commit_message_free(weir_commit_message *message); /* its lists; the array of messages is not touched */
bool weir_commit_message_is_empty(const weir_commit_message *message);
void weir_commit_messages_free(weir_commit_messages *messages);

#endif
