/* Which pager, and what it needs to be told. */
#include "cli/pager.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/process.h"

static bool is_installed(const char *program)
{
    const char *path = getenv("PATH");
    bool found = false;
    while (path != NULL && *path != '\0' && !found) {
        size_t size = strcspn(path, ":");
        char *file = weir_format("%.*s/%s", (int)size, path, program);
        found = access(file, X_OK) == 0;
        free(file);
        path += size + (path[size] == ':' ? 1 : 0);
    }
    return found;
}

/* NULL: there is none. */
static const char *pager_command(void)
{
    const char *given = getenv("WEIR_PAGER");
    given = given != NULL ? given : getenv("PAGER");
    return given != NULL && given[0] != '\0' ? given : is_installed("less") ? "less" : NULL;
}

/* Unless the user has chosen: colours as they are, long lines to be scrolled to, nothing cleared at the end. Returns
 * whether it will take colours for what they are. */
static bool prepare_less(const char *command)
{
    setenv("LESS", "-FRSX", 0);
    setenv("LESSCHARSET", "utf-8", 0);
    const char *end = command + strcspn(command, " ");
    bool is_less = end - command >= 4 && strncmp(end - 4, "less", 4) == 0;
    return is_less && (strpbrk(getenv("LESS"), "rR") != NULL || strpbrk(end, "rR") != NULL);
}

bool weir_pager_open(weir_pager *pager)
{
    int ends[2];
    const char *command = pager_command();
    *pager = (weir_pager){0};
    if (command == NULL || pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    pager->takes_colors = prepare_less(command);
    bool started = weir_process_start(command, ends[0], &pager->process);
    close(ends[0]);
    pager->to = started ? fdopen(ends[1], "w") : NULL;
    if (pager->to == NULL) {
        close(ends[1]);
        return false;
    }
    signal(SIGPIPE, SIG_IGN); /* who has seen enough leaves early: writing fails then, and the result is let go */
    return true;
}

void weir_pager_close(weir_pager *pager)
{
    if (pager->to != NULL) {
        fclose(pager->to);
        weir_process_wait(pager->process);
        signal(SIGPIPE, SIG_DFL);
        pager->to = NULL;
    }
}
