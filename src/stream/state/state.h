/* Keyed state: what operators remember, by key.
 *
 * A backend is one RocksDB database, or memory alone. Tables of state lie over it: hash tables in memory under the
 * backend's budget, which read from RocksDB what they lack (one sorted read a batch) and are written to it only at a
 * checkpoint, dirty entries alone, in key order and at once with everything else. When the budget is short, clean
 * entries go first, then a checkpoint is asked for.
 *
 * Two kinds of table:
 *   value state   key -> bytes
 *   map state     key -> (subkey -> bytes), subkeys in the order of their bytes
 *
 * In RocksDB: operator uid | key group (hash % 128, so that keys can be divided among threads later) | key
 * -> format version | time of the last write | bytes. A small map is one entry; one that has become large has an entry
 * for each subkey.
 *
 * Threading: a backend and all its tables belong to one thread. */
#ifndef WEIR_STREAM_STATE_H
#define WEIR_STREAM_STATE_H

#include "base/budget.h"
#include "vector/sort_key.h"

typedef struct weir_state_backend weir_state_backend;
typedef struct weir_value_state weir_value_state;
typedef struct weir_map_state weir_map_state;

typedef struct weir_state_backend_options {
    const char *folder;  /* made when it is missing; NULL: nothing outlives the backend, and memory is the limit */
    bool temporary;      /* the folder only relieves memory: emptied when opened, removed when closed, never synced */
    weir_budget *budget; /* NULL: unbounded */
} weir_state_backend_options;

/* Opens the state that a folder holds, or an empty one. WEIR_CORRUPT, WEIR_IO: the database can't be read;
 * WEIR_CONFLICT where somebody else has it open. */
int weir_state_backend_open(const weir_state_backend_options *options, weir_state_backend **out, weir_error *err);
void weir_state_backend_close(
    weir_state_backend *backend); /* after its tables; what no checkpoint has written is lost */

/* Small things by name, such as the positions of sources. They are written with the next checkpoint; get() sees what
 * was put last. WEIR_NOT_FOUND: nothing is there; err is then left alone. */
int weir_state_backend_put(weir_state_backend *backend, const char *name, weir_slice bytes, weir_error *err);
int weir_state_backend_get(weir_state_backend *backend, const char *name, weir_buffer *out, weir_error *err);
void weir_state_backend_remove(weir_state_backend *backend, const char *name);

/* Writes all that changed, in one synced step. `id` ascends. */
int weir_state_backend_checkpoint(weir_state_backend *backend, int64_t id, weir_error *err);
int64_t weir_state_backend_last_checkpoint(const weir_state_backend *backend); /* 0: none yet */

/* Whether memory for dirty entries runs short, so that a checkpoint should be made before long. */
bool weir_state_backend_is_full(const weir_state_backend *backend);
int64_t weir_state_backend_memory(const weir_state_backend *backend);     /* bytes in memory now */
int64_t weir_state_backend_disk_bytes(const weir_state_backend *backend); /* about */

/* The processing time that last accesses are noted with, in milliseconds; the job sets it before each batch. When
 * memory is short, clean entries of all tables are let go: slots are bad after this. */
void weir_state_backend_set_time(weir_state_backend *backend, int64_t now_ms);

typedef struct weir_state_options {
    const char *uid;  /* of the operator; the same computation has the same one in another run */
    const char *name; /* which table of the operator */
    int64_t ttl_ms;   /* entries not written for so long are gone (table.exec.state.ttl); 0: kept for ever */
} weir_state_options;

/* Keys of the rows of a batch as bytes: the columns' sort keys; with nested columns, their bytes by row_codec.h.
 * Two NULLs are equal, all NaNs are, 0.0 and -0.0 are not. */
int weir_state_keys_append(weir_sort_keys *keys, const weir_batch *batch, const int32_t *columns, int32_t column_count,
                           weir_error *err);

/* --- Value state ----------------------------------------------------------------------------------------------- */

/* Where an entry is; good until the next fetch of the same table, and while the batch at hand is worked on (that is,
 * until weir_state_backend_set_time). Equal keys have equal slots. */
typedef uint32_t weir_state_slot;

/* Opens a table of value state; the backend outlives it. */
int weir_value_state_open(weir_state_backend *backend, const weir_state_options *options, weir_value_state **out,
                          weir_error *err);
void weir_value_state_close(weir_value_state *state);

/* The slots of all keys, made where they are missing (an entry without bytes is as good as none, and costs nothing). */
int weir_value_state_fetch(weir_value_state *state, const weir_sort_keys *keys, weir_state_slot *out_slots,
                           weir_error *err);

/* The bytes of an entry; empty: there are none. Good until the next set of the same entry or fetch. The first form is
 * for reading; the second makes it `size` bytes (new ones zero, old ones kept) that may be written to until then, and
 * marks it changed. Bytes are aligned to 8. */
weir_slice weir_value_state_get(const weir_value_state *state, weir_state_slot slot);
int weir_value_state_edit(weir_value_state *state, weir_state_slot slot, size_t size, uint8_t **out_bytes,
                          weir_error *err);
void weir_value_state_remove(weir_value_state *state, weir_state_slot slot);

/* --- Map state ------------------------------------------------------------------------------------------------- */

/* Opens a table of map state; the backend outlives it. */
int weir_map_state_open(weir_state_backend *backend, const weir_state_options *options, weir_map_state **out,
                        weir_error *err);
void weir_map_state_close(weir_map_state *state);

/* The slots of the maps of all keys. Maps are loaded entry by entry or whole as is cheaper. */
int weir_map_state_fetch(weir_map_state *state, const weir_sort_keys *keys, weir_state_slot *out_slots,
                         weir_error *err);
/* The same of one key as bytes. */
int weir_map_state_fetch_one(weir_map_state *state, weir_slice key, weir_state_slot *out_slot, weir_error *err);

/* The value under a subkey; *out_found false: there is none. Good until the next call that changes the map, or get of
 * it, or fetch. What put is given may not lie in the map itself. */
int weir_map_state_get(weir_map_state *state, weir_state_slot slot, weir_slice subkey, bool *out_found,
                       weir_slice *out_value, weir_error *err);
int weir_map_state_put(weir_map_state *state, weir_state_slot slot, weir_slice subkey, weir_slice value,
                       weir_error *err);
int weir_map_state_remove(weir_map_state *state, weir_state_slot slot, weir_slice subkey, weir_error *err);

/* Walks a map from the first subkey that is not below `from` (empty: the first). A map may not be changed while it is
 * walked, except for the values by put under the subkey at hand with a value of the same size. What next() gives is
 * good until it is called again. */
typedef struct weir_map_cursor weir_map_cursor;
int weir_map_cursor_open(weir_map_state *state, weir_state_slot slot, weir_slice from, weir_map_cursor **out,
                         weir_error *err);
int weir_map_cursor_next(weir_map_cursor *cursor, weir_slice *out_subkey, weir_slice *out_value,
                         weir_error *err); /* WEIR_END after the last */
void weir_map_cursor_close(weir_map_cursor *cursor);

#endif
