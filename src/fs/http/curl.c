/* Finding libcurl and its functions. The library stays open for as long as the process runs. */
#include "fs/http/curl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

static weir_curl curl;
static weir_error failure;
static pthread_once_t once = PTHREAD_ONCE_INIT;

#define FUNCTION(name) {"curl_" #name, offsetof(weir_curl, name)}

static const struct {
    const char *name;
    size_t offset;
} functions[] = {
    FUNCTION(global_init),         FUNCTION(easy_init),      FUNCTION(easy_setopt),      FUNCTION(easy_getinfo),
    FUNCTION(easy_pause),          FUNCTION(easy_cleanup),   FUNCTION(easy_strerror),    FUNCTION(slist_append),
    FUNCTION(slist_free_all),      FUNCTION(multi_init),     FUNCTION(multi_setopt),     FUNCTION(multi_add_handle),
    FUNCTION(multi_remove_handle), FUNCTION(multi_perform),  FUNCTION(multi_poll),       FUNCTION(multi_wakeup),
    FUNCTION(multi_info_read),     FUNCTION(multi_cleanup),
};

static void load(void)
{
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
    void *library = NULL;
    for (size_t i = 0; library == NULL && i < sizeof names / sizeof *names; i++) {
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }
    if (library == NULL) {
        weir_fail(&failure, WEIR_UNSUPPORTED,
                  "libcurl.so.4, which stores over HTTP are reached with, is missing; install libcurl4");
        return;
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *address = dlsym(library, functions[i].name);
        if (address == NULL) {
            weir_fail(&failure, WEIR_UNSUPPORTED, "libcurl.so.4 is too old: it has no %s; install 7.85 or newer",
                      functions[i].name);
            return;
        }
        memcpy((char *)&curl + functions[i].offset, &address, sizeof address);
    }
    if (curl.global_init(CURL_GLOBAL_ALL) != CURLE_OK) {
        weir_fail(&failure, WEIR_IO, "libcurl cannot be initialized");
    }
}

int weir_curl_load(const weir_curl **out, weir_error *err)
{
    pthread_once(&once, load);
    if (failure.code != WEIR_OK) {
        return weir_fail(err, failure.code, "%s", failure.message);
    }
    *out = &curl;
    return WEIR_OK;
}
