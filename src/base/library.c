/* Shared libraries on first use: see library.h. */
#include "base/library.h"

#include <dlfcn.h>

static int open_locked(weir_library *library, weir_error *err)
{
    void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        return weir_fail(err, WEIR_UNSUPPORTED, "%s can't be loaded (%s); install the package %s", library->file,
                         dlerror(), library->package);
    }
    for (size_t i = 0; i < library->function_count; i++) {
        const weir_library_function *function = &library->functions[i];
        void *found = dlsym(handle, function->name);
        if (found == NULL) {
            dlclose(handle);
            return weir_fail(err, WEIR_UNSUPPORTED, "%s has no function %s; install a newer package %s", library->file,
                             function->name, library->package);
        }
        *(void **)function->target = found;
    }
    library->is_open = true;
    return WEIR_OK;
}

int weir_library_open(weir_library *library, weir_error *err)
{
    pthread_mutex_lock(&library->mutex);
    int code = library->is_open ? WEIR_OK : open_locked(library, err);
    pthread_mutex_unlock(&library->mutex);
    return code;
}
