/* A thread that waits for signals: cancelling takes locks, which a signal handler must not do. */
#include "cli/interrupt.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define STATUS_SIGNAL  128 /* and the number: what shells expect of a program that a signal ended */
#define STATUS_TIMEOUT 124 /* as that of timeout(1) */
#define AGAIN_AFTER_NS 50000000
/* timeout(1) and some supervisors send a signal to a program and then to its process group, which it is in: what comes
 * so soon is one request. */
#define ONE_REQUEST_NS 250000000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static weir_session *watched;
static int times;           /* how often people asked: since the statement began, or at all where nobody types */
static int asked;           /* the first signal; 0: none */
static int64_t answered_ns; /* when somebody asked last */
static bool began;          /* statements have run: there may be something to end in good order */
static bool stays;          /* the program does not end */
static bool is_prompting;
static pthread_t prompting; /* the thread that waits for keys */

/* What a signal means now. A shell lives until SIGTERM, or until its terminal is gone. */
static void answer(int number)
{
    int64_t now_ns = weir_monotonic_ns();
    pthread_mutex_lock(&mutex);
    bool is_echo = !stays && times > 0 && now_ns - answered_ns < ONE_REQUEST_NS;
    if (is_echo) {
        pthread_mutex_unlock(&mutex);
        return;
    }
    answered_ns = now_ns;
    bool leaves = stays ? number == SIGTERM || number == SIGHUP : number != SIGALRM && (times > 0 || !began);
    times += number != SIGALRM;
    if (is_prompting) {
        pthread_kill(prompting, SIGINT);
    } else if (!stays && asked == 0) {
        asked = number;
    }
    pthread_mutex_unlock(&mutex);
    if (leaves) {
        _exit(weir_interrupt_status(number));
    }
}

/* A query that is being started can miss that it was cancelled: it is told until it has ended. Returns whether there is
 * something to tell. */
static bool cancel_watched(void)
{
    pthread_mutex_lock(&mutex);
    bool cancels = watched != NULL && (times > 0 || asked != 0);
    if (cancels) {
        weir_session_cancel(watched);
    }
    pthread_mutex_unlock(&mutex);
    return cancels;
}

static void *wait_for_interrupts(void *argument)
{
    const sigset_t *signals = argument;
    const struct timespec interval = {.tv_nsec = AGAIN_AFTER_NS};
    for (;;) {
        bool cancels = cancel_watched();
        int number = sigtimedwait(signals, NULL, cancels ? &interval : NULL);
        if (number > 0) {
            answer(number);
        } else if (number < 0 && errno != EAGAIN && errno != EINTR) {
            return NULL;
        }
    }
}

void weir_interrupt_init(void)
{
    static sigset_t signals;
    struct sigaction hangup;
    pthread_t thread;
    sigemptyset(&signals);
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) { /* nohup(1) ignores it */
        sigaddset(&signals, SIGHUP);
    }
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    if (pthread_create(&thread, NULL, wait_for_interrupts, &signals) == 0) {
        pthread_detach(thread);
    } else {
        pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
    }
}

/* ---- at the prompt ---- */

static volatile sig_atomic_t came_at_prompt;

static void note_signal(int number)
{
    (void)number;
    came_at_prompt = 1;
}

void weir_interrupt_begin_prompt(void)
{
    struct sigaction action = {.sa_handler = note_signal}; /* without SA_RESTART: waiting ends */
    sigaction(SIGINT, &action, NULL);
    pthread_mutex_lock(&mutex);
    came_at_prompt = 0;
    prompting = pthread_self();
    is_prompting = true;
    pthread_mutex_unlock(&mutex);
}

void weir_interrupt_end_prompt(void)
{
    pthread_mutex_lock(&mutex);
    is_prompting = false;
    pthread_mutex_unlock(&mutex);
}

void weir_interrupt_prompt_mask(sigset_t *out)
{
    pthread_sigmask(SIG_BLOCK, NULL, out);
    sigdelset(out, SIGINT);
}

bool weir_interrupt_came_at_prompt(void) { return came_at_prompt != 0; }

void weir_interrupt_stay(void)
{
    pthread_mutex_lock(&mutex);
    stays = true;
    pthread_mutex_unlock(&mutex);
}

void weir_interrupt_watch(weir_session *session)
{
    pthread_mutex_lock(&mutex);
    watched = session;
    began = true;
    times = stays ? 0 : times;
    pthread_mutex_unlock(&mutex);
}

void weir_interrupt_after_ms(int64_t ms)
{
    const struct itimerval timer = {.it_value = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

int weir_interrupt_asked(void)
{
    pthread_mutex_lock(&mutex);
    int number = asked;
    pthread_mutex_unlock(&mutex);
    return number;
}

int weir_interrupt_status(int number) { return number == SIGALRM ? STATUS_TIMEOUT : STATUS_SIGNAL + number; }
