/* What a writer knows of its table stays true while only its own commits come. Used by the files of writing and of
 * committing. */
#ifndef WEIR_TABLE_OWN_SNAPSHOTS_H
#define WEIR_TABLE_OWN_SNAPSHOTS_H

#include "table/table.h"

/* Follows the snapshots from *known, which may be 0, to `latest`. *known becomes the last one up to which all were made
 * by `user`; `rows_only`: or leave the rows as they are, like compactions. *out_all tells whether that is `latest`. It
 * is not where the table was rolled back behind *known, nor where a snapshot between has expired: whose it was cannot
 * be told any more, and who takes a foreign one for its own loses rows. */
int weir_own_snapshots_follow(const weir_table *table, const char *user, bool rows_only, int64_t latest, int64_t *known,
                              bool *out_all, weir_error *err);

/* The same for the keys of a table whose primary key lacks a partition column: WEIR_CONFLICT where anybody else may
 * have moved some. */
int weir_own_snapshots_check_keys(const weir_table *table, const char *user, int64_t latest, int64_t *known,
                                  weir_error *err);

#endif
