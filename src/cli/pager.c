/* Running a pager: a shell runs $PAGER, as it may have arguments. */
#include "cli/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

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

/* The pager answers signals itself; they are blocked here for the sake of a thread that waits for them. */
static void set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none, defaults;
    posix_spawnattr_init(attributes);
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGINT);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &defaults);
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

static bool spawn(const char *command, int input, int *out_process)
{
    char *words[] = {(char *)"sh", (char *)"-c", (char *)command, NULL};
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    pid_t process;
    set_attributes(&attributes);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    bool started = posix_spawn(&process, "/bin/sh", &actions, &attributes, words, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    *out_process = (int)process;
    return started;
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
    bool started = spawn(command, ends[0], &pager->process);
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
    int status;
    if (pager->to != NULL) {
        fclose(pager->to);
        while (waitpid(pager->process, &status, 0) < 0 && errno == EINTR) {
        }
        signal(SIGPIPE, SIG_DFL);
        pager->to = NULL;
    }
}
