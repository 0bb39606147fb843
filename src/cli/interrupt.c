/* A thread that waits for SIGINT: cancelling takes locks, which a signal handler must not do. */
#include "cli/interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define STATUS_INTERRUPTED 130 /* what shells expect of a program that SIGINT ended */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static weir_session *watched;
static int times; /* since the statement began */

static void *wait_for_interrupts(void *argument)
{
    sigset_t *signals = argument;
    for (;;) {
        int number = 0;
        if (sigwait(signals, &number) != 0) {
            return NULL;
        }
        pthread_mutex_lock(&mutex);
        bool ends = watched == NULL || times++ > 0;
        if (!ends) {
            weir_session_cancel(watched);
        }
        pthread_mutex_unlock(&mutex);
        if (ends) {
            _exit(STATUS_INTERRUPTED);
        }
    }
}

void weir_interrupt_init(void)
{
    static sigset_t signals;
    pthread_t thread;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    if (pthread_create(&thread, NULL, wait_for_interrupts, &signals) == 0) {
        pthread_detach(thread);
    } else {
        pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
    }
}

static volatile sig_atomic_t came_at_prompt;

static void note_signal(int number)
{
    (void)number;
    came_at_prompt = 1;
}

void weir_interrupt_begin_prompt(void)
{
    struct sigaction action = {.sa_handler = note_signal}; /* without SA_RESTART: reading ends */
    sigset_t signals;
    came_at_prompt = 0;
    sigaction(SIGINT, &action, NULL);
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}

bool weir_interrupt_end_prompt(void)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    return came_at_prompt != 0;
}

void weir_interrupt_watch(weir_session *session)
{
    pthread_mutex_lock(&mutex);
    watched = session;
    times = 0;
    pthread_mutex_unlock(&mutex);
}
