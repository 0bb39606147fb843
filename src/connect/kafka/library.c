/* Opening librdkafka and finding its functions, once in a process. */
#include "connect/kafka/library.h"

#include <dlfcn.h>

#include "base/library.h"

static weir_kafka_library kafka;

static const weir_library_function functions[] = {
#define FUNCTION(name) {"rd_kafka_" #name, &kafka.name},
    WEIR_KAFKA_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

static weir_library library = {.file = "librdkafka.so.1",
                               .package = "librdkafka1",
                               .functions = functions,
                               .function_count = sizeof functions / sizeof *functions,
                               .mutex = PTHREAD_MUTEX_INITIALIZER};

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* What older versions lack. */
static void find_others(void)
{
    void *handle = dlopen(library.file, RTLD_NOW | RTLD_LOCAL);
    void *symbol = handle == NULL ? NULL : dlsym(handle, "rd_kafka_message_leader_epoch");
    memcpy(&kafka.message_leader_epoch, &symbol, sizeof symbol);
}

int weir_kafka_library_get(const weir_kafka_library **out, weir_error *err)
{
    WEIR_TRY_CTX(weir_library_open(&library, err), err, "Kafka tables");
    pthread_once(&once, find_others);
    *out = &kafka;
    return WEIR_OK;
}
