/* index: files beside the data files that tell where rows are, or that they are gone.
 *
 *   hash_index.h  which bucket the hash of a key was given, for tables whose buckets grow as rows come
 *   key_places.h  in which partition and bucket every key is, for tables in which keys move between partitions
 *   deletion_vector.h  which rows of a data file are gone
 *   roaring.h     sets of numbers, as columns may hold them
 *
 * Nothing here knows of tables: which of a table's files are such files is told by its index manifest
 * (meta/index_manifest.h). Threading: everything belongs to one thread at a time. */
#ifndef WEIR_INDEX_H
#define WEIR_INDEX_H

#include "index/deletion_vector.h"
#include "index/hash_index.h"
#include "index/key_places.h"
#include "index/roaring.h"

#endif
