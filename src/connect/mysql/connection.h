/* A connection to a MySQL or MariaDB server: opening it, statements, and what its errors mean.
 *
 * Passwords appear in no message. Threading: a connection is used by one thread at a time; weir_mysql_interrupt may be
 * called by another. */
#ifndef WEIR_MYSQL_CONNECTION_H
#define WEIR_MYSQL_CONNECTION_H

#include "connect/mysql/library.h"

#define WEIR_MYSQL_SERVER_SIZE 48

typedef enum weir_mysql_tls {
    WEIR_MYSQL_TLS_OFF,
    WEIR_MYSQL_TLS_PREFERRED, /* where the server offers it */
    WEIR_MYSQL_TLS_REQUIRED,
    WEIR_MYSQL_TLS_VERIFIED /* … and the server's certificate is one for its name */
} weir_mysql_tls;

/* Where and as whom to connect; borrowed by connections. */
typedef struct weir_mysql_address {
    const char *host;
    uint16_t port;
    const char *user;
    const char *password;
    int64_t timeout_ms; /* of a connection attempt */
    weir_mysql_tls tls;
    const char *authorities; /* a file of certificates (PEM) by which the server's is checked; NULL: the system's */
} weir_mysql_address;

typedef struct weir_mysql_connection {
    const weir_mysql_library *library;
    const weir_mysql_address *address;
    MYSQL *handle; /* NULL: not connected */
    bool is_mariadb;
    uint32_t version;                    /* 100611 is 10.6.11 */
    char server[WEIR_MYSQL_SERVER_SIZE]; /* which one it is: its UUID; of MariaDB the number that replication knows it
                                            by */
} weir_mysql_connection;

/* Opens a connection whose texts are UTF-8 and whose TIMESTAMPs are in UTC. `read_timeout_s`: how long a read may wait
 * for the server before it fails.
 *
 * WEIR_DENIED: user or password. WEIR_RETRY: the server cannot be reached now. */
int weir_mysql_connect(const weir_mysql_address *address, unsigned read_timeout_s, weir_mysql_connection *out,
                       weir_error *err);
void weir_mysql_disconnect(weir_mysql_connection *connection);

/* Ends a read that waits in another thread. */
void weir_mysql_interrupt(const weir_mysql_connection *connection);

/* Runs a statement that gives no rows. */
int weir_mysql_execute(weir_mysql_connection *connection, const char *sql, weir_error *err);

/* Runs a query and keeps its rows: the caller frees *out with library->free_result. */
int weir_mysql_query(weir_mysql_connection *connection, const char *sql, MYSQL_RES **out, weir_error *err);

/* The first value of the first row, copied to the arena; NULL: no row, or NULL. */
int weir_mysql_query_text(weir_mysql_connection *connection, const char *sql, weir_arena *arena, const char **out,
                          weir_error *err);

/* Fails with what the server or the library last said: `what` was being done. */
int weir_mysql_fail(const weir_mysql_connection *connection, const char *what, weir_error *err);
/* The same for an error that came in a packet. */
int weir_mysql_fail_with(const weir_mysql_connection *connection, unsigned number, const char *text, const char *what,
                         weir_error *err);

/* Appends 'text' or x'6869' as a literal of SQL. */
void weir_mysql_append_text(weir_slice text, weir_buffer *out);
void weir_mysql_append_hex(weir_slice bytes, weir_buffer *out);
/* Appends `name`, quoted. */
void weir_mysql_append_name(const char *name, weir_buffer *out);

#endif
