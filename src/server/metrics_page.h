/* /metrics: figures of a session's tables and jobs, and of the process.
 *
 *   paimon_…    of tables, by Paimon's names in the form that Prometheus wants (file/table_metrics.h)
 *   weir_job_…  of jobs
 *   process_…   as all of Prometheus's own clients call them */
#ifndef WEIR_SERVER_METRICS_PAGE_H
#define WEIR_SERVER_METRICS_PAGE_H

#include "server/exposition.h"
#include "server/server.h"

#define WEIR_METRICS_PATH "/metrics"

/* Appends all of them. `session` is a weir_session; any thread. */
void weir_metrics_page_write(void *session, weir_buffer *out);

/* A figure as it is called there, for the documentation; false: there are fewer. Texts are static or in `arena`. */
typedef struct weir_metric_reference {
    const char *name;
    const char *type;
    const char *other_name; /* in Paimon or Flink; NULL: none */
    const char *help;
} weir_metric_reference;
bool weir_metrics_page_reference(size_t n, weir_arena *arena, weir_metric_reference *out);

#endif
