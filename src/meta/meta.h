/* meta: what a table is, in files: schemas, snapshots, manifests, options, tags, branches, consumers.
 *
 *   options.h        every table option in one table; typed access
 *   schema.h         table schemas (schema/schema-N)
 *   snapshot.h       snapshots and tags, finding the latest and earliest
 *   tag.h            what tags hold beside their snapshot: when made, how long kept
 *   consumer.h       readers that still need snapshots
 *   data_file.h      the description of a data file, as manifests hold it
 *   manifest.h       manifests, manifest lists, folding entries, merging manifests
 *   index_manifest.h index files: hashes of keys, deletion vectors
 *   path.h           where things lie; partition folders
 *   partition.h      partition values
 *
 * Everything read here lives in the caller's arena. Threading: functions may be called by many threads at a time, with
 * different arenas. */
#ifndef WEIR_META_H
#define WEIR_META_H

#include "fs/fs.h"
#include "meta/consumer.h"
#include "meta/data_file.h"
#include "meta/index_manifest.h"
#include "meta/manifest.h"
#include "meta/options.h"
#include "meta/partition.h"
#include "meta/path.h"
#include "meta/schema.h"
#include "meta/snapshot.h"
#include "meta/tag.h"

#endif
