#include "connect/mysql/connection.h"

#include <errmsg.h>
#include <mysqld_error.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/text.h"

/* Numbers of MySQL that MariaDB's headers lack, or have for something else. */
enum { CONNECTION_KILLED = 1927, SERVER_IN_STANDBY = 3032 };

/* What a failure means to whoever may try again. */
static weir_code code_of(unsigned number)
{
    switch (number) {
    case ER_ACCESS_DENIED_ERROR:
    case ER_DBACCESS_DENIED_ERROR:
    case ER_TABLEACCESS_DENIED_ERROR:
    case ER_COLUMNACCESS_DENIED_ERROR:
    case ER_SPECIFIC_ACCESS_DENIED_ERROR:
    case ER_HOST_NOT_PRIVILEGED:
        return WEIR_DENIED;
    case CR_CONNECTION_ERROR:
    case CR_CONN_HOST_ERROR:
    case CR_UNKNOWN_HOST:
    case CR_SERVER_GONE_ERROR:
    case CR_SERVER_LOST:
    case CR_SERVER_LOST_EXTENDED:
    case CR_SERVER_HANDSHAKE_ERR:
    case ER_CON_COUNT_ERROR:
    case ER_SERVER_SHUTDOWN:
    case ER_NORMAL_SHUTDOWN:
    case ER_NET_READ_INTERRUPTED:
    case ER_QUERY_INTERRUPTED:
    case ER_LOCK_WAIT_TIMEOUT:
    case ER_LOCK_DEADLOCK:
    case ER_TABLE_DEF_CHANGED:
    case CONNECTION_KILLED:
    case SERVER_IN_STANDBY:
        return WEIR_RETRY;
    case ER_BAD_FIELD_ERROR:
        return WEIR_CONFLICT;
    case CR_SSL_CONNECTION_ERROR:
        return WEIR_UNSUPPORTED;
    case ER_BAD_DB_ERROR:
    case ER_NO_SUCH_TABLE:
        return WEIR_NOT_FOUND;
    default:
        return WEIR_IO;
    }
}

/* What to do about a failure; NULL: the server's words say enough. */
static const char *advice_for(unsigned number)
{
    switch (number) {
    case ER_ACCESS_DENIED_ERROR:
        return "check 'username' and 'password', and from which hosts this user may connect";
    case ER_SPECIFIC_ACCESS_DENIED_ERROR:
        return "GRANT SELECT, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO the user";
    case ER_TABLEACCESS_DENIED_ERROR:
    case ER_COLUMNACCESS_DENIED_ERROR:
    case ER_DBACCESS_DENIED_ERROR:
        return "GRANT SELECT on the table to the user";
    case CR_UNKNOWN_HOST:
        return "check 'hostname'";
    case CR_CONN_HOST_ERROR:
    case CR_CONNECTION_ERROR:
        return "check 'hostname' and 'port', and that the server listens there";
    case ER_HOST_NOT_PRIVILEGED:
        return "allow this host to connect";
    case CR_SSL_CONNECTION_ERROR:
        return "check 'jdbc.properties.sslMode', and with VERIFY_IDENTITY the certificates of "
               "'jdbc.properties.serverSslCert' and that the server's is one for 'hostname'";
    default:
        return NULL;
    }
}

int weir_mysql_fail_with(const weir_mysql_connection *connection, unsigned number, const char *text, const char *what,
                         weir_error *err)
{
    const char *advice = advice_for(number);
    weir_code code = code_of(number);
    return (weir_fail)(err, code, "MySQL at %s:%u: %s: %s (error %u)%s%s", connection->address->host,
                       connection->address->port, what, text, number, advice == NULL ? "" : "; ",
                       advice == NULL ? "" : advice);
}

int weir_mysql_fail(const weir_mysql_connection *connection, const char *what, weir_error *err)
{
    return weir_mysql_fail_with(connection, connection->library->error_number(connection->handle),
                                connection->library->error_text(connection->handle), what, err);
}

/* ---- connecting ---- */

/* MariaDB puts 5.5.5- before its version where old clients compare it. */
static void read_version(weir_mysql_connection *connection)
{
    connection->version = (uint32_t)connection->library->server_version(connection->handle);
    connection->is_mariadb = strstr(connection->library->server_info(connection->handle), "MariaDB") != NULL;
}

static void set_options(const weir_mysql_connection *connection, unsigned read_timeout_s, weir_mysql_tls tls)
{
    const weir_mysql_library *library = connection->library;
    unsigned connect_timeout_s = (unsigned)((connection->address->timeout_ms + 999) / 1000);
    unsigned long largest_packet = 1ul << 30;
    unsigned protocol = MYSQL_PROTOCOL_TCP; /* "localhost" is no socket file here */
    my_bool yes = 1;
    library->optionsv(connection->handle, MYSQL_OPT_CONNECT_TIMEOUT, &connect_timeout_s);
    library->optionsv(connection->handle, MYSQL_OPT_READ_TIMEOUT, &read_timeout_s);
    library->optionsv(connection->handle, MYSQL_OPT_PROTOCOL, &protocol);
    library->optionsv(connection->handle, MYSQL_OPT_MAX_ALLOWED_PACKET, &largest_packet);
    library->optionsv(connection->handle, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    if (tls != WEIR_MYSQL_TLS_OFF) {
        library->optionsv(connection->handle, MYSQL_OPT_SSL_ENFORCE, &yes);
    }
    if (tls == WEIR_MYSQL_TLS_VERIFIED) {
        library->optionsv(connection->handle, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &yes);
        library->optionsv(connection->handle, MYSQL_OPT_SSL_CA, connection->address->authorities);
    }
}

static int read_server(weir_mysql_connection *connection, weir_error *err)
{
    weir_arena arena;
    const char *name;
    weir_arena_init(&arena);
    int code = weir_mysql_query_text(connection, connection->is_mariadb ? "SELECT @@server_id" : "SELECT @@server_uuid",
                                     &arena, &name, err);
    if (code == WEIR_OK) {
        snprintf(connection->server, sizeof connection->server, "%s", name == NULL ? "" : name);
    }
    weir_arena_free(&arena);
    return code;
}

static int connect_handle(weir_mysql_connection *connection, unsigned read_timeout_s, weir_mysql_tls tls,
                          weir_error *err)
{
    const weir_mysql_address *address = connection->address;
    const weir_mysql_library *library = connection->library;
    set_options(connection, read_timeout_s, tls);
    if (library->real_connect(connection->handle, address->host, address->user, address->password, NULL, address->port,
                              NULL, 0) == NULL) {
        return weir_mysql_fail(connection, "connecting", err);
    }
    if (tls != WEIR_MYSQL_TLS_OFF && library->get_ssl_cipher(connection->handle) == NULL) {
        return weir_mysql_fail_with(connection, CR_SSL_CONNECTION_ERROR, "the server does not encrypt", "connecting",
                                    err);
    }
    read_version(connection);
    WEIR_TRY(weir_mysql_execute(connection,
                                "SET SESSION time_zone = '+00:00', sql_mode = '', net_write_timeout = 3600, "
                                "wait_timeout = 86400",
                                err));
    return read_server(connection, err);
}

static int connect_with(const weir_mysql_address *address, unsigned read_timeout_s, weir_mysql_tls tls,
                        weir_mysql_connection *out, weir_error *err)
{
    weir_mysql_connection connection = {.address = address};
    WEIR_TRY(weir_mysql_library_open(&connection.library, err));
    connection.handle = connection.library->init(NULL);
    if (connection.handle == NULL) {
        return weir_fail(err, WEIR_NO_MEMORY, "no memory for a connection to MySQL");
    }
    int code = connect_handle(&connection, read_timeout_s, tls, err);
    if (code != WEIR_OK) {
        weir_mysql_disconnect(&connection);
        return code;
    }
    *out = connection;
    return WEIR_OK;
}

int weir_mysql_connect(const weir_mysql_address *address, unsigned read_timeout_s, weir_mysql_connection *out,
                       weir_error *err)
{
    if (address->tls == WEIR_MYSQL_TLS_PREFERRED) {
        int code = connect_with(address, read_timeout_s, WEIR_MYSQL_TLS_REQUIRED, out, err);
        if (code != WEIR_UNSUPPORTED) {
            return code;
        }
        weir_error_clear(err);
        return connect_with(address, read_timeout_s, WEIR_MYSQL_TLS_OFF, out, err);
    }
    return connect_with(address, read_timeout_s, address->tls, out, err);
}

void weir_mysql_disconnect(weir_mysql_connection *connection)
{
    if (connection->handle != NULL) {
        connection->library->close(connection->handle);
        connection->handle = NULL;
    }
}

void weir_mysql_interrupt(const weir_mysql_connection *connection)
{
    if (connection->handle != NULL) {
        shutdown(connection->library->socket(connection->handle), SHUT_RDWR);
    }
}

/* ---- statements ---- */

int weir_mysql_execute(weir_mysql_connection *connection, const char *sql, weir_error *err)
{
    if (connection->library->real_query(connection->handle, sql, (unsigned long)strlen(sql)) != 0) {
        return weir_mysql_fail(connection, sql, err);
    }
    MYSQL_RES *result = connection->library->store_result(connection->handle);
    if (result != NULL) {
        connection->library->free_result(result);
    }
    return WEIR_OK;
}

int weir_mysql_query(weir_mysql_connection *connection, const char *sql, MYSQL_RES **out, weir_error *err)
{
    if (connection->library->real_query(connection->handle, sql, (unsigned long)strlen(sql)) != 0) {
        return weir_mysql_fail(connection, sql, err);
    }
    *out = connection->library->store_result(connection->handle);
    return *out != NULL ? WEIR_OK : weir_mysql_fail(connection, sql, err);
}

int weir_mysql_query_text(weir_mysql_connection *connection, const char *sql, weir_arena *arena, const char **out,
                          weir_error *err)
{
    MYSQL_RES *result;
    WEIR_TRY(weir_mysql_query(connection, sql, &result, err));
    MYSQL_ROW row = connection->library->fetch_row(result);
    *out = row == NULL ? NULL : weir_arena_strdup(arena, row[0]);
    connection->library->free_result(result);
    return WEIR_OK;
}

/* ---- SQL ---- */

void weir_mysql_append_hex(weir_slice bytes, weir_buffer *out)
{
    static const char digits[] = "0123456789abcdef";
    weir_buffer_append_text(out, "x'");
    for (size_t i = 0; i < bytes.size; i++) {
        weir_buffer_append_byte(out, (uint8_t)digits[bytes.data[i] >> 4]);
        weir_buffer_append_byte(out, (uint8_t)digits[bytes.data[i] & 15]);
    }
    weir_buffer_append_byte(out, '\'');
}

/* With hexadecimal digits no mode of the server gives any character another meaning. */
void weir_mysql_append_text(weir_slice text, weir_buffer *out)
{
    weir_buffer_append_text(out, "_utf8mb4 ");
    weir_mysql_append_hex(text, out);
}

void weir_mysql_append_name(const char *name, weir_buffer *out) { weir_append_quoted(name, '`', out); }
