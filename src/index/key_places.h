/* Where every key of a table is: keys by a fingerprint of 128 bits, places as two numbers. For tables in which a key
 * may move from one partition to another.
 *
 * 24 bytes a key, in tables of at least as many slots again as a half of the keys: in memory as far as the budget
 * allows, in a file without a name on the local disk (TMPDIR) from then on. */
#ifndef WEIR_INDEX_KEY_PLACES_H
#define WEIR_INDEX_KEY_PLACES_H

#include "base/base.h"
#include "base/budget.h"

typedef struct weir_key_fingerprint {
    uint64_t high;
    uint64_t low;
} weir_key_fingerprint;

/* Two keys of a table have one with a likelihood that need not be counted with. */
weir_key_fingerprint weir_key_fingerprint_of(weir_slice key);

typedef struct weir_key_places weir_key_places;

weir_key_places *weir_key_places_create(weir_budget *budget); /* NULL: unbounded */
void weir_key_places_free(weir_key_places *places);

/* Whether the key is there, and where. */
bool weir_key_places_get(weir_key_places *places, weir_key_fingerprint key, int32_t *out_partition,
                         int32_t *out_bucket);
/* Adds a key, or gives it another place. Numbers are not negative. WEIR_IO when neither memory nor disk have room. */
int weir_key_places_put(weir_key_places *places, weir_key_fingerprint key, int32_t partition, int32_t bucket,
                        weir_error *err);
int64_t weir_key_places_count(const weir_key_places *places);
bool weir_key_places_on_disk(const weir_key_places *places);

#endif
