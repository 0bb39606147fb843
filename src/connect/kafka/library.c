/* Opening librdkafka and finding its functions, once in a process. */
#include "connect/kafka/library.h"

#include <dlfcn.h>
#include <pthread.h>

static weir_kafka_library library;
static const char *missing; /* what could not be found; NULL: all is there */
static char open_error[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* ISO C has no cast from a pointer to data to one to a function. */
static void find(void *handle, const char *name, bool optional, void *function, size_t size)
{
    void *symbol = dlsym(handle, name);
    memcpy(function, &symbol, size);
    if (symbol == NULL && !optional) {
        missing = name;
    }
}

static void open_library(void)
{
    void *handle = dlopen("librdkafka.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        const char *reason = dlerror();
        missing = "librdkafka.so.1";
        snprintf(open_error, sizeof open_error, "%s", reason == NULL ? "" : reason);
        return;
    }
#define FIND(name) find(handle, "rd_kafka_" #name, false, &library.name, sizeof library.name);
    WEIR_KAFKA_FUNCTIONS(FIND)
#undef FIND
    find(handle, "rd_kafka_message_leader_epoch", true, &library.message_leader_epoch,
         sizeof library.message_leader_epoch);
}

int weir_kafka_library_get(const weir_kafka_library **out, weir_error *err)
{
    pthread_once(&once, open_library);
    if (missing != NULL && open_error[0] != '\0') {
        return weir_fail(err, WEIR_UNSUPPORTED,
                         "Kafka tables need librdkafka, which cannot be opened (%s); install it, on Debian the package "
                         "librdkafka1",
                         open_error);
    }
    if (missing != NULL) {
        return weir_fail(err, WEIR_UNSUPPORTED, "Kafka tables need librdkafka 2.0 or later: %s is missing in this one",
                         missing);
    }
    *out = &library;
    return WEIR_OK;
}
