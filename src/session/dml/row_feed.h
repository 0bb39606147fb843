/* The rows of a bound plan, batch after batch, with their kinds.
 *
 * A plan of PROJECT and FILTER over one scan is computed batch by batch in the order of the source, kinds carried
 * along; any other plan runs as a query. */
#ifndef WEIR_SESSION_ROW_FEED_H
#define WEIR_SESSION_ROW_FEED_H

#include "session/state.h"

typedef struct weir_row_feed weir_row_feed;

/* `bound` must outlive the feed. */
int weir_row_feed_open(weir_session *session, const weir_bound *bound, weir_row_feed **out, weir_error *err);

/* What batches must be made with. */
const weir_field *weir_row_feed_fields(const weir_row_feed *feed, int32_t *out_count);

/* Fills `out`; WEIR_END: through. */
int weir_row_feed_next(weir_row_feed *feed, weir_batch *out, weir_error *err);

void weir_row_feed_close(weir_row_feed *feed);

/* The table whose rows have kinds under this plan, or NULL. */
const weir_sql_table *weir_plan_changes_table(const weir_plan *plan);

#endif
