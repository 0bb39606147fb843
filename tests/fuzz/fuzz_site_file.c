/* Fuzzes the reader of Hadoop's configuration files: every property it tells has a name and a value, and what it
 * refuses has a reason. */
#include <stdio.h>
#include <stdlib.h>

#include "fs/hdfs/site_file.h"

static void must(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

static void check_property(void *argument, const char *name, const char *value)
{
    (void)argument;
    must(name[0] != '\0' && value[0] != '\0', "a property without a name or a value");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    weir_error err = {0};
    int code = weir_site_file_read(weir_slice_of(data, size), "fuzz", check_property, NULL, &err);
    must(code == WEIR_OK || (code == WEIR_INVALID && err.message[0] != '\0'), "an error without a reason");
    return 0;
}
