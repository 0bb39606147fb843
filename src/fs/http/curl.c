/* Finding libcurl and its functions. */
#include "fs/http/curl.h"

#include "base/library.h"

static weir_curl curl;

#define FUNCTION(name) {"curl_" #name, &curl.name}

static const weir_library_function functions[] = {
    FUNCTION(global_init),         FUNCTION(easy_init),      FUNCTION(easy_setopt),      FUNCTION(easy_getinfo),
    FUNCTION(easy_pause),          FUNCTION(easy_cleanup),   FUNCTION(easy_strerror),    FUNCTION(slist_append),
    FUNCTION(slist_free_all),      FUNCTION(multi_init),     FUNCTION(multi_setopt),     FUNCTION(multi_add_handle),
    FUNCTION(multi_remove_handle), FUNCTION(multi_perform),  FUNCTION(multi_poll),       FUNCTION(multi_wakeup),
    FUNCTION(multi_info_read),     FUNCTION(multi_cleanup),
};

static weir_library library = {
    .file = "libcurl.so.4",
    .package = "libcurl4",
    .functions = functions,
    .function_count = sizeof functions / sizeof *functions,
    .mutex = PTHREAD_MUTEX_INITIALIZER,
};

static bool is_initialized;

static void initialize(void) { is_initialized = curl.global_init(CURL_GLOBAL_ALL) == CURLE_OK; }

int weir_curl_load(const weir_curl **out, weir_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    WEIR_TRY(weir_library_open(&library, err));
    pthread_once(&once, initialize);
    if (!is_initialized) {
        return weir_fail(err, WEIR_IO, "libcurl cannot be initialized");
    }
    *out = &curl;
    return WEIR_OK;
}
