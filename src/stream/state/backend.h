/* A backend as its tables see it. */
#ifndef WEIR_STREAM_BACKEND_H
#define WEIR_STREAM_BACKEND_H

#include "base/map.h"
#include "stream/state/disk.h"
#include "stream/state/table.h"

#define WEIR_STATE_KEY_GROUPS 128

struct weir_state_backend {
    weir_budget *budget;
    weir_state_disk *disk;  /* NULL: memory alone */
    int64_t reserved_bytes; /* of the budget, for the database's cache and write buffers */
    int64_t limit_bytes;    /* for tables; INT64_MAX: none */
    int64_t memory_bytes;
    int64_t dirty_bytes;
    int64_t memory_before; /* when the batch at hand began */
    int64_t growth;        /* of memory by one batch: the most of late */
    int64_t now_ms;
    int64_t last_checkpoint;
    uint64_t last_map_id;
    uint32_t next_table; /* id of the next table that the database does not know */
    weir_state_table *tables;
    weir_map named; /* name -> struct named */
    weir_map known; /* name of a table -> struct known_table */
};

/* Takes memory of the budget for state, and gives it back; the second pair for trees of a table. */
int weir_state_take(weir_state_backend *backend, int64_t bytes, weir_error *err);
void weir_state_give(weir_state_backend *backend, int64_t bytes);

/* Gives a table its id and notes it. WEIR_EXISTS: it is open already. */
int weir_state_register(weir_state_backend *backend, weir_state_table *table, weir_error *err);
void weir_state_unregister(weir_state_backend *backend, weir_state_table *table);

static inline int weir_state_take_for(weir_state_table *table, int64_t bytes, weir_error *err)
{
    WEIR_TRY(weir_state_take(table->backend, bytes, err));
    table->tree_bytes += bytes;
    return WEIR_OK;
}

static inline void weir_state_give_for(weir_state_table *table, int64_t bytes)
{
    weir_state_give(table->backend, bytes);
    table->tree_bytes -= bytes;
}

static inline void weir_state_add_dirty(weir_state_table *table, int64_t bytes)
{
    table->dirty_bytes += bytes;
    table->backend->dirty_bytes += bytes;
}

/* Which of the groups a key belongs to; keys of one group lie together in the database. */
static inline uint8_t weir_state_key_group(weir_slice key)
{
    return (uint8_t)(weir_state_hash(key) % WEIR_STATE_KEY_GROUPS);
}

static inline void weir_state_append_key(weir_buffer *out, uint32_t table, uint8_t group, weir_slice key)
{
    uint8_t header[5];
    weir_store_be32(header, table);
    header[4] = group;
    weir_buffer_append(out, header, sizeof header);
    weir_buffer_append(out, key.data, key.size);
}

#endif
