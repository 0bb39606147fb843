/* server: what a running program answers to others over HTTP.
 *
 *   http_server.h    the listener: GET requests to pages
 *   metrics_page.h   /metrics: figures of tables, jobs and the process, as Prometheus reads them
 *   exposition.h     the text format of that
 *
 * Threading: pages are made by the listener's thread, beside everything else. */
#ifndef WEIR_SERVER_H
#define WEIR_SERVER_H

#include "session/session.h"

#endif
