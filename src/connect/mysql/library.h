/* libmariadb, opened when it is first needed: programs that read no MySQL do not pay for it. */
#ifndef WEIR_MYSQL_LIBRARY_H
#define WEIR_MYSQL_LIBRARY_H

#include <mysql.h>

#include "base/base.h"

/* The functions of libmariadb that are used, by their own names without the prefix. */
typedef struct weir_mysql_library {
    MYSQL *(*init)(MYSQL *handle);
    int (*optionsv)(MYSQL *handle, enum mysql_option option, ...);
    MYSQL *(*real_connect)(MYSQL *handle, const char *host, const char *user, const char *password,
                           const char *database, unsigned int port, const char *socket, unsigned long flags);
    void (*close)(MYSQL *handle);
    unsigned int (*error_number)(MYSQL *handle);
    const char *(*error_text)(MYSQL *handle);
    unsigned long (*server_version)(MYSQL *handle);
    const char *(*server_info)(MYSQL *handle);
    const char *(*get_ssl_cipher)(MYSQL *handle); /* NULL: the connection is not encrypted */
    my_socket (*socket)(const MYSQL *handle);
    int (*real_query)(MYSQL *handle, const char *text, unsigned long size);
    MYSQL_RES *(*store_result)(MYSQL *handle);
    MYSQL_RES *(*use_result)(MYSQL *handle);
    MYSQL_ROW (*fetch_row)(MYSQL_RES *result);
    unsigned long *(*fetch_lengths)(MYSQL_RES *result);
    unsigned int (*field_count)(MYSQL_RES *result);
    void (*free_result)(MYSQL_RES *result);
    unsigned long (*read_packet)(MYSQL *handle); /* to handle->net.read_pos */
    int (*thread_init)(void);
    void (*thread_end)(void);
} weir_mysql_library;

/* The library, for the life of the process. WEIR_UNSUPPORTED: it is not installed. Thread-safe. */
int weir_mysql_library_open(const weir_mysql_library **out, weir_error *err);

#endif
