/* api: libweir's public functions (include/weir/weir.h) over the rooms below: handles, their lifetimes, and the way
 * between Arrow and batches.
 *
 *   lake_table.h    opened tables: counted references, so that what is made from a table may outlive its closing
 *   create.c        new tables from Arrow schemas
 *   arrow_types.h   Arrow schemas as columns of a table
 *   read_request.h  names and texts of a request as columns and a predicate
 *   read_plan.h     plans, and splits as Arrow streams
 *   change_stream.c the changes of a table, snapshot after snapshot
 *   prepared.h      prepared commits, also as bytes
 *   writer.c        Arrow arrays to rows, prepare, commit, replay, overwrite
 *   maintenance.c   compacting and expiring
 *
 * The program `weir` does not use this room: it stands on the same rooms below. Threading: as the public header says of
 * each handle; reference counts are atomic. */
#ifndef WEIR_API_H
#define WEIR_API_H

#include "api/lake_table.h"
#include "api/prepared.h"
#include "api/read_plan.h"
#include "api/read_request.h"

#endif
