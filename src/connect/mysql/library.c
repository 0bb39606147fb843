#include "connect/mysql/library.h"

#include "base/library.h"

static weir_mysql_library functions;
static int (*server_init)(int count, char **words, char **groups);
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const weir_library_function table[] = {
    {"mysql_server_init", &server_init},
    {"mysql_init", &functions.init},
    {"mysql_optionsv", &functions.optionsv},
    {"mysql_real_connect", &functions.real_connect},
    {"mysql_close", &functions.close},
    {"mysql_errno", &functions.error_number},
    {"mysql_error", &functions.error_text},
    {"mysql_get_server_version", &functions.server_version},
    {"mysql_get_server_info", &functions.server_info},
    {"mysql_get_ssl_cipher", &functions.get_ssl_cipher},
    {"mysql_get_socket", &functions.socket},
    {"mysql_real_query", &functions.real_query},
    {"mysql_store_result", &functions.store_result},
    {"mysql_use_result", &functions.use_result},
    {"mysql_fetch_row", &functions.fetch_row},
    {"mysql_fetch_lengths", &functions.fetch_lengths},
    {"mysql_num_fields", &functions.field_count},
    {"mysql_free_result", &functions.free_result},
    {"mysql_net_read_packet", &functions.read_packet},
    {"mysql_thread_init", &functions.thread_init},
    {"mysql_thread_end", &functions.thread_end},
};

static weir_library library = {
    .file = "libmariadb.so.3",
    .package = "libmariadb3",
    .functions = table,
    .function_count = sizeof table / sizeof *table,
    .mutex = PTHREAD_MUTEX_INITIALIZER,
};

static void init_library(void) { server_init(0, NULL, NULL); }

int weir_mysql_library_open(const weir_mysql_library **out, weir_error *err)
{
    WEIR_TRY_CTX(weir_library_open(&library, err), err, "connector 'mysql-cdc'");
    pthread_once(&once, init_library);
    *out = &functions;
    return WEIR_OK;
}
