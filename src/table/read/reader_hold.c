/* The holds of all readers in one list: there are few, and they are asked for once a commit. */
#include "table/read/reader_hold.h"

#include <pthread.h>
#include <stdlib.h>

struct weir_reader_hold {
    weir_reader_hold *next;
    const weir_fs *fs;
    char *root; /* of the table or branch */
    int64_t snapshot;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static weir_reader_hold *holds;

weir_reader_hold *weir_reader_hold_take(const weir_table *table, int64_t snapshot)
{
    weir_reader_hold *hold = weir_alloc_zeroed(1, sizeof *hold);
    hold->fs = table->context.fs;
    hold->root = weir_strdup(table->context.paths.root);
    hold->snapshot = snapshot;
    pthread_mutex_lock(&mutex);
    hold->next = holds;
    holds = hold;
    pthread_mutex_unlock(&mutex);
    return hold;
}

void weir_reader_hold_move(weir_reader_hold *hold, int64_t snapshot)
{
    pthread_mutex_lock(&mutex);
    hold->snapshot = snapshot;
    pthread_mutex_unlock(&mutex);
}

void weir_reader_hold_release(weir_reader_hold *hold)
{
    if (hold == NULL) {
        return;
    }
    pthread_mutex_lock(&mutex);
    weir_reader_hold **at = &holds;
    while (*at != hold) {
        at = &(*at)->next;
    }
    *at = hold->next;
    pthread_mutex_unlock(&mutex);
    free(hold->root);
    free(hold);
}

int64_t weir_reader_hold_least(const weir_table *table)
{
    int64_t least = -1;
    pthread_mutex_lock(&mutex);
    for (const weir_reader_hold *hold = holds; hold != NULL; hold = hold->next) {
        bool is_meant = hold->fs == table->context.fs && strcmp(hold->root, table->context.paths.root) == 0;
        if (is_meant && (least < 0 || hold->snapshot < least)) {
            least = hold->snapshot;
        }
    }
    pthread_mutex_unlock(&mutex);
    return least;
}
