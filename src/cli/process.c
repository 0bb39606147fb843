/* Starting programs through the shell, as what people put into PAGER and EDITOR may have arguments. */
#include "cli/process.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

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

bool weir_process_start(const char *command, int input, int *out_process)
{
    char *words[] = {(char *)"sh", (char *)"-c", (char *)command, NULL};
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    pid_t process;
    set_attributes(&attributes);
    posix_spawn_file_actions_init(&actions);
    if (input >= 0) {
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    }
    bool started = posix_spawn(&process, "/bin/sh", &actions, &attributes, words, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (started) {
        *out_process = (int)process;
    }
    return started;
}

int weir_process_wait(int process)
{
    int status;
    while (waitpid(process, &status, 0) < 0) {
        if (errno != EINTR) {
            return -1;
        }
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
