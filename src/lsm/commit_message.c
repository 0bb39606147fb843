/* Lists of files and of commit messages. */
#include "lsm/commit_message.h"

#include <stdlib.h>

void weir_file_list_append(weir_file_list *list, weir_data_file *file)
{
    WEIR_GROW(list->files, list->capacity, list->count + 1);
    list->files[list->count++] = file;
}

void weir_file_list_free(weir_file_list *list)
{
    free(list->files);
    *list = (weir_file_list){0};
}

bool weir_file_list_has(const weir_file_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->files[i]->name, name) == 0) {
            return true;
        }
    }
    return false;
}

void weir_file_list_copy_to(weir_file_list *list, weir_arena *arena)
{
    for (size_t i = 0; i < list->count; i++) {
        list->files[i] = weir_data_file_copy(arena, list->files[i]);
    }
}

void weir_file_list_hand_over(weir_file_list *from, weir_arena *arena, weir_file_list *to)
{
    for (size_t i = 0; i < from->count; i++) {
        weir_file_list_append(to, weir_data_file_copy(arena, from->files[i]));
    }
    from->count = 0;
}

void weir_index_list_append(weir_index_list *list, const weir_index_file *file)
{
    WEIR_GROW(list->files, list->capacity, list->count + 1);
    list->files[list->count++] = file;
}

void weir_index_list_free(weir_index_list *list)
{
    free(list->files);
    *list = (weir_index_list){0};
}

weir_commit_message *weir_commit_messages_add(weir_commit_messages *messages, weir_slice partition, int32_t bucket,
                                              int32_t total_buckets)
{
    WEIR_GROW(messages->items, messages->capacity, messages->count + 1);
    weir_commit_message *message = &messages->items[messages->count++];
    *message = (weir_commit_message){.partition = partition, .bucket = bucket, .total_buckets = total_buckets};
    return message;
}

bool weir_commit_message_is_empty(const weir_commit_message *message)
{
    return message->new_files.count == 0 && message->deleted_files.count == 0 && message->changelog_files.count == 0 &&
           message->compact_before.count == 0 && message->compact_after.count == 0 &&
           message->compact_changelog_files.count == 0 && message->new_index_files.count == 0 &&
           message->deleted_index_files.count == 0 && message->relied_index_files.count == 0 &&
           message->compact_new_index_files.count == 0 && message->compact_deleted_index_files.count == 0;
}

void weir_commit_message_file_lists(weir_commit_message *message, weir_file_list *out[WEIR_COMMIT_FILE_LISTS])
{
    out[0] = &message->new_files;
    out[1] = &message->deleted_files;
    out[2] = &message->changelog_files;
    out[3] = &message->compact_before;
    out[4] = &message->compact_after;
    out[5] = &message->compact_changelog_files;
}

void weir_commit_message_index_lists(weir_commit_message *message, weir_index_list *out[WEIR_COMMIT_INDEX_LISTS])
{
    out[0] = &message->new_index_files;
    out[1] = &message->deleted_index_files;
    out[2] = &message->relied_index_files;
    out[3] = &message->compact_new_index_files;
    out[4] = &message->compact_deleted_index_files;
}

void weir_commit_message_free(weir_commit_message *message)
{
    weir_file_list *files[WEIR_COMMIT_FILE_LISTS];
    weir_index_list *indexes[WEIR_COMMIT_INDEX_LISTS];
    weir_commit_message_file_lists(message, files);
    weir_commit_message_index_lists(message, indexes);
    for (int i = 0; i < WEIR_COMMIT_FILE_LISTS; i++) {
        weir_file_list_free(files[i]);
    }
    for (int i = 0; i < WEIR_COMMIT_INDEX_LISTS; i++) {
        weir_index_list_free(indexes[i]);
    }
}

void weir_commit_messages_free(weir_commit_messages *messages)
{
    for (size_t i = 0; i < messages->count; i++) {
        weir_commit_message_free(&messages->items[i]);
    }
    free(messages->items);
    *messages = (weir_commit_messages){0};
}
