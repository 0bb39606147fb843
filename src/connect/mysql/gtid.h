/* Sets of transactions by their global ids, as MySQL and MariaDB have them.
 *
 *   MySQL    3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5:7, any number of servers: all transactions of the intervals
 *   MariaDB  0-1-270, one a domain: this transaction of the domain and all before it
 *
 * Threading: a set is used by one thread at a time. */
#ifndef WEIR_MYSQL_GTID_H
#define WEIR_MYSQL_GTID_H

#include "base/base.h"

typedef struct weir_gtid_interval {
    uint64_t first, last; /* both are in it */
} weir_gtid_interval;

/* MySQL: the transactions of one server. */
typedef struct weir_gtid_server {
    uint8_t uuid[16];
    weir_gtid_interval *intervals; /* ascending, not touching */
    size_t count, capacity;
} weir_gtid_server;

/* MariaDB: the last transaction of a domain. */
typedef struct weir_gtid_domain {
    uint32_t domain;
    uint32_t server_id;
    uint64_t sequence;
} weir_gtid_domain;

/* Zero-initialized is empty. Only one of the two lists is used. */
typedef struct weir_gtid_set {
    weir_gtid_server *servers; /* by uuid */
    size_t server_count, server_capacity;
    weir_gtid_domain *domains; /* by number */
    size_t domain_count, domain_capacity;
} weir_gtid_set;

void weir_gtid_set_free(weir_gtid_set *set);
void weir_gtid_set_copy(const weir_gtid_set *from, weir_gtid_set *out); /* *out is empty before */
bool weir_gtid_set_is_empty(const weir_gtid_set *set);

void weir_gtid_set_add_interval(weir_gtid_set *set, const uint8_t uuid[16], weir_gtid_interval interval);
void weir_gtid_set_add(weir_gtid_set *set, const uint8_t uuid[16], uint64_t number);
void weir_gtid_set_add_domain(weir_gtid_set *set, weir_gtid_domain last);

/* Whether every transaction of `part` is in `set`. */
bool weir_gtid_set_contains(const weir_gtid_set *set, const weir_gtid_set *part);

/* Reads the text that a server gives: blanks and line ends are passed over. WEIR_INVALID otherwise; *out is then
 * empty. */
int weir_gtid_set_parse(const char *text, bool is_mariadb, weir_gtid_set *out, weir_error *err);
void weir_gtid_set_format(const weir_gtid_set *set, weir_buffer *out);

/* Reads the body of an event that says which transactions were before a file of the binlog: PREVIOUS_GTIDS of MySQL, or
 * GTID_LIST of MariaDB. WEIR_CORRUPT: it is damaged; *out is then empty. */
int weir_gtid_set_parse_event(weir_slice body, bool is_mariadb, weir_gtid_set *out, weir_error *err);

/* Appends a MySQL set as COM_BINLOG_DUMP_GTID has it. */
void weir_gtid_set_encode(const weir_gtid_set *set, weir_buffer *out);

#endif
