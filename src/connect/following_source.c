/* The filesystem source of a folder that is followed: files as they appear, each row once.
 *
 * New files are read in the order of (time, name). A look at the folder costs a stat of each of its folders and of the
 * files that changed of late; only when a folder has changed is it listed. Once in a while it is listed in any case.
 *
 * Files of text may grow: what was added to them is read, line by line. A line without its end is left until it is
 * there, or until the file has not changed for a second. Other files are read when they are complete: one that cannot
 * be opened is tried again until it has not changed for ten seconds. (Flink reads a file once, as it is when it
 * appears.) What is known of files stands in known_files.c. */
#include <stdlib.h>

#include "base/clock.h"
#include "connect/folder_reader.h"
#include "connect/known_files.h"

#define BATCH_TEXT_BYTES (16 << 20) /* a batch ends after so much text, however few rows it makes */

#define NS_PER_MS     ((int64_t)1000000)
#define TEXT_QUIET_MS 1000  /* of a file without a change: its last line is whole */
#define FILE_QUIET_MS 10000 /* its writer has left it as it is */
#define HOT_MS        60000 /* files that changed so lately are looked at each time */
#define HOT_FILES     256   /* at most so many of those that are through */
#define FRESH_MS      50    /* a folder may change again without a change of its time, which is that of a clock's tick */
#define LISTING_MS    1000  /* how often everything is listed */
#define LISTING_SHARE 50    /* … when it takes no more than this part of the time; */
#define CHANGE_SHARE  4     /* and this part when folders do change */

/* A file that waits to be read. */
typedef struct waiting_file {
    char *path;
    uint64_t hash;
    int64_t modified_ms;
    bool is_final; /* nothing more will be added to it */
} waiting_file;

/* A file that was read and may change. */
typedef struct hot_file {
    char *path;
    uint64_t hash;
    uint64_t size;
    int64_t modified_ms;
    int64_t changed_ns; /* when the last change was noticed */
} hot_file;

typedef struct watched_folder {
    char *path;
    int64_t modified_ms;
    bool is_fresh; /* changed just before it was listed */
} watched_folder;

typedef struct following_source {
    weir_source base; /* first */
    weir_folder_reader reader;
    weir_known_files known;
    bool restored; /* and not listed since */
    uint32_t generation;
    waiting_file *queue; /* from `queue_head` on */
    size_t queue_head, queue_count, queue_capacity;
    hot_file *hot;
    size_t hot_count, hot_capacity;
    watched_folder *folders;
    size_t folder_count;
    int64_t interval_ns;
    int64_t next_look_ns;
    int64_t may_list_ns;
    int64_t next_listing_ns;
    waiting_file current; /* that is open; path NULL: none */
    weir_arena current_arena;
    weir_folder_file current_file;
} following_source;

static bool is_text(const following_source *source) { return source->reader.text_reader != NULL; }

/* ---- waiting files ---- */

static void enqueue(following_source *source, weir_known_file *known, const char *path, bool is_final)
{
    WEIR_GROW(source->queue, source->queue_capacity, source->queue_count + 1);
    source->queue[source->queue_count++] = (waiting_file){
        .path = weir_strdup(path), .hash = known->hash, .modified_ms = known->modified_ms, .is_final = is_final};
    known->is_queued = true;
}

static int compare_waiting(const void *a, const void *b)
{
    const waiting_file *left = a, *right = b;
    return left->modified_ms != right->modified_ms ? (left->modified_ms < right->modified_ms ? -1 : 1)
                                                   : strcmp(left->path, right->path);
}

static void sort_queue(following_source *source)
{
    size_t count = source->queue_count - source->queue_head;
    if (count > 1) {
        qsort(source->queue + source->queue_head, count, sizeof *source->queue, compare_waiting);
    }
}

static bool dequeue(following_source *source, waiting_file *out)
{
    if (source->queue_head == source->queue_count) {
        source->queue_head = source->queue_count = 0;
        return false;
    }
    *out = source->queue[source->queue_head++];
    return true;
}

/* ---- looking ---- */

/* Whether a file has to be opened: for what was not read yet, or because it has become shorter, which is an error. */
static bool has_more(const following_source *source, const weir_known_file *known, uint64_t size)
{
    return is_text(source) ? size != known->position.offset : !known->is_through;
}

/* How long a file has to be left alone for its writer to be done with it. */
static int64_t quiet_ms(const following_source *source) { return is_text(source) ? TEXT_QUIET_MS : FILE_QUIET_MS; }

static void remove_hot(following_source *source, size_t number)
{
    free(source->hot[number].path);
    source->hot[number] = source->hot[--source->hot_count];
}

/* Has a file looked at each time, when it may change soon. */
static void add_hot(following_source *source, const weir_folder_file *file, uint64_t hash, bool is_through)
{
    bool is_recent = weir_now_ms() - file->modified_ms < HOT_MS;
    if (is_through && (!is_text(source) || !is_recent || source->hot_count >= HOT_FILES)) {
        return;
    }
    for (size_t i = 0; i < source->hot_count; i++) {
        if (source->hot[i].hash == hash) {
            return;
        }
    }
    WEIR_GROW(source->hot, source->hot_capacity, source->hot_count + 1);
    source->hot[source->hot_count++] = (hot_file){
        .path = weir_strdup(file->path),
        .hash = hash,
        .size = file->size,
        .modified_ms = file->modified_ms,
        .changed_ns = weir_monotonic_ns(),
    };
}

/* What is done about a file that is looked at each time; returns whether it still is to be. */
static bool look_at_hot(following_source *source, hot_file *hot, const weir_file_info *info, int64_t now)
{
    weir_known_file *known = weir_known_files_find(&source->known, hot->hash);
    if (known == NULL || known->is_queued) {
        return known != NULL;
    }
    bool has_changed = info->size_bytes != hot->size || info->modified_ms != hot->modified_ms;
    if (has_changed) {
        hot->size = info->size_bytes;
        hot->modified_ms = known->modified_ms = info->modified_ms;
        hot->changed_ns = now;
    }
    int64_t unchanged_ms = (now - hot->changed_ns) / NS_PER_MS;
    if (!has_more(source, known, hot->size)) {
        return unchanged_ms < HOT_MS && is_text(source);
    }
    bool is_final = unchanged_ms >= quiet_ms(source);
    if (has_changed || is_final) {
        enqueue(source, known, hot->path, is_final);
    }
    return true;
}

static void look_at_hot_files(following_source *source, int64_t now)
{
    for (size_t i = 0; i < source->hot_count;) {
        weir_file_info info;
        bool stays = weir_fs_stat(source->reader.table.fs, source->hot[i].path, &info, NULL) == WEIR_OK &&
                     look_at_hot(source, &source->hot[i], &info, now);
        if (stays) {
            i++;
        } else {
            remove_hot(source, i);
        }
    }
}

static void watch_folders(following_source *source, const weir_folder_listing *listing)
{
    for (size_t i = 0; i < source->folder_count; i++) {
        free(source->folders[i].path);
    }
    free(source->folders);
    source->folders = weir_alloc_zeroed(listing->folder_count + 1, sizeof *source->folders);
    source->folder_count = listing->folder_count;
    int64_t now_ms = weir_now_ms();
    for (size_t i = 0; i < listing->folder_count; i++) {
        const weir_folder_state *folder = &listing->folders[i];
        source->folders[i] = (watched_folder){
            .path = weir_strdup(folder->path),
            .modified_ms = folder->modified_ms,
            .is_fresh = now_ms - folder->modified_ms < FRESH_MS,
        };
    }
}

static bool any_folder_changed(const following_source *source)
{
    for (size_t i = 0; i < source->folder_count; i++) {
        const watched_folder *folder = &source->folders[i];
        weir_file_info info;
        if (folder->is_fresh || weir_fs_stat(source->reader.table.fs, folder->path, &info, NULL) != WEIR_OK ||
            info.modified_ms != folder->modified_ms) {
            return true;
        }
    }
    return false;
}

/* A file of a listing: new, grown, or as it was. */
static void take_listed(following_source *source, const weir_folder_file *file)
{
    uint64_t hash = weir_known_file_hash(file->name);
    weir_known_file *known = weir_known_files_find(&source->known, hash);
    if (known == NULL) {
        known = weir_known_files_add(&source->known, hash);
    }
    if (known->is_settled) {
        known->is_settled = false;
        known->position.offset = file->size;
    }
    /* An end of line that was missing is looked for when the file has changed. */
    bool is_news = source->restored || known->is_through || known->modified_ms != file->modified_ms;
    bool is_new = known->generation == 0 && !known->is_through; /* read also when empty, so as to be watched */
    known->generation = source->generation;
    known->modified_ms = file->modified_ms;
    if (!known->is_queued && is_news && (is_new || has_more(source, known, file->size))) {
        enqueue(source, known, file->path, weir_now_ms() - file->modified_ms >= quiet_ms(source));
    } else if (source->restored) {
        add_hot(source, file, hash, true);
    }
}

/* The file that was being read when the position was taken has to be there still. */
static int check_open_file(const following_source *source, weir_error *err)
{
    for (size_t i = 0; i < source->known.slot_count; i++) {
        const weir_known_file *known = &source->known.slots[i];
        if (known->hash != 0 && known->is_open && known->generation != source->generation) {
            return weir_fail(err, WEIR_NOT_FOUND,
                             "%s: a file that was being read is gone; put it back, or start over",
                             source->reader.table.path);
        }
    }
    return WEIR_OK;
}

static int list_folder(following_source *source, weir_error *err)
{
    weir_arena arena;
    weir_folder_listing listing;
    weir_arena_init(&arena);
    source->generation++;
    int code = weir_folder_files_list(&source->reader.table, &arena, &listing, err);
    if (code == WEIR_NOT_FOUND) { /* a folder went away while it was walked, or all of it did */
        weir_error_clear(err);
        weir_arena_free(&arena);
        return WEIR_OK;
    }
    if (code == WEIR_OK) {
        for (size_t i = 0; i < listing.file_count; i++) {
            take_listed(source, &listing.files[i]);
        }
        watch_folders(source, &listing);
    }
    weir_arena_free(&arena);
    WEIR_TRY(code);
    if (source->restored) {
        WEIR_TRY(check_open_file(source, err));
        source->restored = false;
    }
    if (source->current.path != NULL) {
        weir_known_files_find(&source->known, source->current.hash)->generation = source->generation;
    }
    weir_known_files_forget(&source->known, source->generation);
    return WEIR_OK;
}

/* Whether a file is not read to its end, for its writer may not be done with it. */
static bool any_unfinished(const following_source *source)
{
    for (size_t i = 0; i < source->hot_count; i++) {
        const weir_known_file *known = weir_known_files_find(&source->known, source->hot[i].hash);
        if (known != NULL && !known->is_queued && has_more(source, known, source->hot[i].size)) {
            return true;
        }
    }
    return false;
}

/* Puts what there is to read into the queue. */
static int look(following_source *source, weir_error *err)
{
    int64_t now = weir_monotonic_ns();
    look_at_hot_files(source, now);
    if (now >= source->next_listing_ns || (now >= source->may_list_ns && any_folder_changed(source))) {
        WEIR_TRY(list_folder(source, err));
        int64_t cost = weir_monotonic_ns() - now;
        int64_t pause = cost * LISTING_SHARE;
        source->may_list_ns = now + cost * CHANGE_SHARE;
        source->next_listing_ns = now + (pause > LISTING_MS * NS_PER_MS ? pause : LISTING_MS * NS_PER_MS);
    }
    sort_queue(source);
    source->base.is_waiting = any_unfinished(source);
    source->next_look_ns = weir_monotonic_ns() + source->interval_ns;
    return WEIR_OK;
}

/* ---- reading ---- */

static void leave_current(following_source *source)
{
    weir_folder_reader_close_file(&source->reader);
    weir_arena_free(&source->current_arena);
    free(source->current.path);
    source->current = (waiting_file){0};
}

/* The file is read as far as it goes for now. */
static void end_current(following_source *source)
{
    weir_known_file *known = weir_known_files_find(&source->known, source->current.hash);
    const weir_file_rows *rows = source->reader.rows;
    if (known != NULL) {
        bool is_through = !is_text(source) || rows->position.offset >= source->reader.opened_size;
        known->is_queued = false;
        known->is_open = false;
        known->is_cut = source->current.is_final && is_text(source);
        known->is_through = is_through;
        known->position = rows->position;
        add_hot(source, &source->current_file, source->current.hash, is_through);
    }
    leave_current(source);
}

/* What cannot be opened may not be complete yet. */
static int put_off_current(following_source *source, weir_known_file *known, int code, weir_error *err)
{
    bool is_gone = code == WEIR_NOT_FOUND;
    bool may_be_written = code == WEIR_CORRUPT && !is_text(source) && !source->current.is_final;
    if (!is_gone && !may_be_written) {
        leave_current(source);
        return code;
    }
    weir_error_clear(err);
    known->is_queued = false;
    if (may_be_written) {
        add_hot(source, &source->current_file, source->current.hash, false);
    }
    leave_current(source);
    return WEIR_OK;
}

/* The byte before the position and up to two after it; zero where there is none. */
static int read_around(const following_source *source, uint64_t offset, uint8_t out[3], weir_error *err)
{
    uint64_t left = source->current_file.size - offset + 1;
    weir_file *file;
    memset(out, 0, 3);
    WEIR_TRY(weir_fs_open_file(source->reader.table.fs, source->current.path, &file, err));
    int code = weir_file_read_at(file, offset - 1, out, left > 2 ? 3 : (size_t)left, err);
    weir_file_close(file);
    return code;
}

static int fail_rewritten(const following_source *source, const weir_known_file *known, weir_error *err)
{
    return weir_fail(err, WEIR_INVALID,
                     "%s: its first %" PRIu64 " bytes were read, and now that it has %" PRIu64 " they are others; files "
                     "of a folder that is followed may only grow: move it away, and what is new in it into a new file",
                     source->current.path, known->position.offset, source->current_file.size);
}

/* Where a line was taken without its end, the end has to come first. It is passed over. */
static int pass_cut(const following_source *source, weir_known_file *known, const uint8_t around[3], weir_error *err)
{
    uint64_t passed = around[1] == '\n' ? 1 : around[1] == '\r' && around[2] == '\n' ? 2 : 0;
    if (passed == 0) {
        return weir_fail(err, WEIR_INVALID,
                         "%s: line %" PRId64 " goes on after it had stood there without an end for %d ms and was "
                         "taken as it was; write lines whole, or files under a name that begins with '.' until they are",
                         source->current.path, known->position.line, TEXT_QUIET_MS);
    }
    known->position.offset += passed;
    known->position.line++;
    known->is_cut = false;
    return WEIR_OK;
}

/* Whether rows may end with this byte: with that of a line, of a JSON value, or a blank behind one. */
static bool may_end_row(uint8_t byte) { return memchr("\n\r} \t", byte, 5) != NULL; }

/* What was read has to be there still, as far as the file's size and, of one that was read to its end, its last byte can
 * tell. */
static int check_read_part(const following_source *source, weir_known_file *known, weir_error *err)
{
    uint8_t around[3];
    uint64_t offset = known->position.offset;
    uint64_t size = source->current_file.size;
    if (!is_text(source) || offset == 0 || offset == size) {
        return WEIR_OK;
    }
    if (offset > size) {
        return fail_rewritten(source, known, err);
    }
    WEIR_TRY(read_around(source, offset, around, err));
    if (around[0] == '\n') {
        known->is_cut = false;
        return WEIR_OK;
    }
    if (known->is_cut) {
        return pass_cut(source, known, around, err);
    }
    return known->is_through && !may_end_row(around[0]) ? fail_rewritten(source, known, err) : WEIR_OK;
}

/* Opens the next file of the queue. WEIR_IDLE: there is none. */
static int open_next(following_source *source, weir_error *err)
{
    while (source->current.path == NULL) {
        if (!dequeue(source, &source->current)) {
            return WEIR_IDLE;
        }
        weir_known_file *known = weir_known_files_find(&source->known, source->current.hash);
        if (known == NULL) { /* it went away before it was its turn */
            leave_current(source);
            continue;
        }
        int code = weir_folder_file_look(&source->reader.table, &source->current_arena, source->current.path,
                                         &source->current_file, err);
        if (code == WEIR_OK) {
            code = check_read_part(source, known, err);
        }
        if (code == WEIR_OK) {
            code = weir_folder_reader_open(&source->reader, &source->current_file, known->position,
                                           !source->current.is_final, err);
        }
        if (code != WEIR_OK) {
            WEIR_TRY(put_off_current(source, known, code, err));
        }
    }
    return WEIR_OK;
}

static int next_batch(weir_source *self, weir_batch *batch, weir_error *err)
{
    following_source *source = (following_source *)self;
    int64_t done_before = self->done_bytes;
    weir_batch_clear(batch);
    while (batch->length < source->reader.batch_rows && self->done_bytes - done_before < BATCH_TEXT_BYTES) {
        int code = open_next(source, err);
        if (code == WEIR_IDLE) {
            if (batch->length > 0) {
                return WEIR_OK;
            }
            if (weir_monotonic_ns() < source->next_look_ns) {
                return WEIR_IDLE;
            }
            WEIR_TRY(look(source, err));
            if (source->queue_head == source->queue_count) {
                return WEIR_IDLE;
            }
            continue;
        }
        WEIR_TRY(code);
        uint64_t offset = source->reader.rows->position.offset;
        code = weir_folder_reader_append(&source->reader, batch, err);
        if (code != WEIR_OK && code != WEIR_END) {
            return code;
        }
        self->done_bytes += (int64_t)(source->reader.rows->position.offset - offset);
        if (code == WEIR_END) {
            end_current(source);
        }
    }
    return WEIR_OK;
}

/* ---- positions ---- */

static int write_position(weir_source *self, weir_buffer *out, weir_error *err)
{
    following_source *source = (following_source *)self;
    (void)err;
    weir_known_file *known =
        source->current.path != NULL ? weir_known_files_find(&source->known, source->current.hash) : NULL;
    if (known == NULL) {
        weir_known_files_encode(&source->known, out);
        return WEIR_OK;
    }
    weir_known_file before = *known;
    known->position = source->reader.rows->position;
    known->is_open = true;
    known->is_through = false;
    weir_known_files_encode(&source->known, out);
    *known = before;
    return WEIR_OK;
}

static int restore(weir_source *self, weir_slice position, weir_error *err)
{
    following_source *source = (following_source *)self;
    weir_known_files_free(&source->known);
    WEIR_TRY_CTX(weir_known_files_decode(position, &source->known, err), err, "%s", source->reader.table.path);
    source->restored = true;
    return WEIR_OK;
}

/* ---- opening and closing ---- */

static void close_source(weir_source *self)
{
    following_source *source = (following_source *)self;
    leave_current(source);
    for (size_t i = source->queue_head; i < source->queue_count; i++) {
        free(source->queue[i].path);
    }
    while (source->hot_count > 0) {
        remove_hot(source, 0);
    }
    for (size_t i = 0; i < source->folder_count; i++) {
        free(source->folders[i].path);
    }
    free(source->queue);
    free(source->hot);
    free(source->folders);
    weir_known_files_free(&source->known);
    weir_folder_reader_free(&source->reader);
    free(source);
}

/* A path that is not there is a mistake, as for a folder that is not followed. */
static int open_source(following_source *source, const weir_source_options *options, weir_error *err)
{
    const weir_connect_kind *connector;
    weir_file_info info;
    WEIR_TRY(weir_connector_of(options->options, &connector, err));
    WEIR_TRY(weir_folder_reader_init(&source->reader, options, err));
    WEIR_TRY(weir_folder_table_look(&source->reader.table, &info, err));
    source->base.poll_interval_ms = weir_connect_duration_ms(connector, options->options, "source.monitor-interval");
    source->interval_ns = source->base.poll_interval_ms * NS_PER_MS;
    return WEIR_OK;
}

int weir_following_source_open(const weir_source_options *options, weir_source **out, weir_error *err)
{
    following_source *source = weir_alloc_zeroed(1, sizeof *source);
    source->base = (weir_source){.next = next_batch,
                                 .position = write_position,
                                 .restore = restore,
                                 .close = close_source,
                                 .total_bytes = -1};
    weir_arena_init(&source->current_arena);
    int code = open_source(source, options, err);
    if (code != WEIR_OK) {
        close_source(&source->base);
        return code;
    }
    *out = &source->base;
    return WEIR_OK;
}
