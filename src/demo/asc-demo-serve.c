#include "asc-demo-private.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* The board in real time behind a file descriptor, and a pty with a thread for it. */

#define NS_PER_S 1000000000LL
#define NS_PER_MS 1000000LL
#define STEP_NS NS_PER_MS /* of board time between looks at the reader */
#define MAX_LAG_NS                                                                       \
  (200 * NS_PER_MS)               /* behind which the board stops waiting for a reader */
#define AHEAD_NS (20 * NS_PER_MS) /* of board time at once with speed 0 */
#define LOOK_MS 10                /* between looks at what the reader has left */
#define NOTHING_LEFT 3            /* looks that must find nothing */
#define READER_GONE 300           /* looks that find the same */

typedef struct
{
  int fd;
  bool input;   /* bytes may come from the peer; they are read and dropped */
  bool refused; /* the peer did not take it all */
  int error;    /* errno that ends the service */
} Outlet;

static size_t
outlet_write (void *user, const uint8_t *bytes, size_t n)
{
  Outlet *outlet = user;
  size_t done = 0;
  while (done < n && outlet->error == 0)
    {
      ssize_t taken = write (outlet->fd, bytes + done, n - done);
      if (taken > 0)
        done += (size_t)taken;
      else if (taken < 0 && errno == EINTR)
        continue;
      else if (taken == 0 || errno == EAGAIN || errno == EWOULDBLOCK)
        break;
      else
        outlet->error = errno;
    }
  outlet->refused = done < n;
  return done;
}

static int64_t
clock_ns (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* Waits for the reader (if wanted), for stop_fd, or for ns to pass. Returns false when it
 * is time to end. */
static bool
wait_ns (Outlet *outlet, int stop_fd, bool for_reader, int64_t ns)
{
  struct pollfd fds[2] = { { stop_fd, POLLIN, 0 }, { outlet->fd, 0, 0 } };
  struct timespec timeout = { ns / NS_PER_S, ns % NS_PER_S };
  if (for_reader)
    fds[1].events |= POLLOUT;
  if (outlet->input)
    fds[1].events |= POLLIN;
  if (fds[1].events == 0)
    fds[1].fd = -1;
  if (ppoll (fds, 2, ns < 0 ? NULL : &timeout, NULL) < 0)
    return errno == EINTR;
  if (fds[1].revents & POLLIN)
    {
      char dropped[256];
      ssize_t n = read (outlet->fd, dropped, sizeof dropped);
      if (n == 0)
        return false;
    }
  else if (fds[1].revents & (POLLERR | POLLHUP))
    return false;
  return (fds[0].revents & (POLLIN | POLLHUP | POLLERR)) == 0;
}

/* As fast as the reader takes it. */
static bool
serve_fast (AscDemo *demo, Outlet *outlet, int stop_fd)
{
  if (!asc_demo_run (demo, asc_demo_now_ns (demo) + AHEAD_NS, outlet_write, outlet))
    return false;
  return wait_ns (outlet, stop_fd, outlet->refused, outlet->refused ? -1 : 0);
}

/* In step with the clock. */
static void
serve_paced (AscDemo *demo, Outlet *outlet, int stop_fd, double speed)
{
  int64_t zero_ns = asc_demo_now_ns (demo);
  int64_t began = clock_ns ();
  for (;;)
    {
      int64_t target = zero_ns + (int64_t)((double)(clock_ns () - began) * speed);
      int64_t now = asc_demo_now_ns (demo);
      int64_t step = (int64_t)((double)STEP_NS * (speed > 1 ? speed : 1));
      int64_t lag_ns = (int64_t)((double)(target - now) / speed);
      outlet->refused = false;
      if (now < target)
        {
          int64_t until = now + step < target ? now + step : target;
          if (!asc_demo_run (demo, until, outlet_write, outlet) || outlet->error)
            return;
        }
      bool behind = asc_demo_now_ns (demo) < target;
      /* Catching up may not outrun a reader that is only slow to be scheduled. */
      bool patient = outlet->refused && lag_ns < MAX_LAG_NS;
      int64_t wait = behind && !patient ? 0 : STEP_NS;
      if (!behind)
        {
          int64_t ahead = (int64_t)((double)(asc_demo_now_ns (demo) - target) / speed);
          if (ahead > wait)
            wait = ahead;
        }
      if (!wait_ns (outlet, stop_fd, patient, wait))
        return;
    }
}

int
asc_demo_serve (AscDemo *demo, int fd, int stop_fd)
{
  Outlet outlet = { .fd = fd };
  struct stat status;
  sigset_t broken, before;
  int flags = fcntl (fd, F_GETFL);
  if (flags < 0 || fstat (fd, &status) < 0)
    return -errno;
  outlet.input = !S_ISREG (status.st_mode) && (flags & O_ACCMODE) == O_RDWR;
  if (fcntl (fd, F_SETFL, flags | O_NONBLOCK) < 0)
    return -errno;
  /* A peer that went away is told by write (), not by a signal. */
  sigemptyset (&broken);
  sigaddset (&broken, SIGPIPE);
  pthread_sigmask (SIG_BLOCK, &broken, &before);

  double speed = demo->config.speed;
  if (speed > 0)
    serve_paced (demo, &outlet, stop_fd, speed);
  else
    while (serve_fast (demo, &outlet, stop_fd) && outlet.error == 0)
      ;

  if (outlet.error == EPIPE && !sigismember (&before, SIGPIPE))
    {
      const struct timespec none = { 0, 0 };
      sigtimedwait (&broken, NULL, &none);
    }
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  fcntl (fd, F_SETFL, flags);
  return outlet.error == EPIPE || outlet.error == ECONNRESET || outlet.error == EIO
             ? 0
             : -outlet.error;
}

struct AscDemoServer
{
  AscDemo *demo;
  pthread_t thread;
  atomic_bool running;
  int master;
  int slave; /* kept open, so that readers can come and go */
  int stop_fd;
  char path[64];
};

/* What a reader has not taken yet goes away with the pty. So it lives until the reader
 * has it all, or has taken nothing for some seconds. The kernel may have bytes on their
 * way that are counted nowhere, so nothing left is believed when it was said a few times.
 */
static void
wait_for_reader (const AscDemoServer *server)
{
  int left = 0, before = 0, still = 0, empty = 0;
  while (empty < NOTHING_LEFT && still < READER_GONE)
    {
      struct pollfd stop = { server->stop_fd, POLLIN, 0 };
      if (poll (&stop, 1, LOOK_MS) > 0 || ioctl (server->slave, FIONREAD, &left) < 0)
        return;
      empty = left == 0 ? empty + 1 : 0;
      still = left == before ? still + 1 : 0;
      before = left;
    }
}

static void *
server_main (void *user)
{
  AscDemoServer *server = user;
  asc_demo_serve (server->demo, server->master, server->stop_fd);
  wait_for_reader (server);
  atomic_store (&server->running, false);
  return NULL;
}

/* Returns 0 or an errno. */
static int
open_pty (AscDemoServer *server)
{
  struct termios settings;
  server->master = posix_openpt (O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (server->master < 0 || grantpt (server->master) < 0 || unlockpt (server->master) < 0)
    return errno;
  int error = ptsname_r (server->master, server->path, sizeof server->path);
  if (error != 0)
    return error;
  server->slave = open (server->path, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (server->slave < 0 || tcgetattr (server->slave, &settings) < 0)
    return errno;
  cfmakeraw (&settings);
  if (tcsetattr (server->slave, TCSANOW, &settings) < 0)
    return errno;
  server->stop_fd = eventfd (0, EFD_CLOEXEC);
  return server->stop_fd < 0 ? errno : 0;
}

static void
server_free (AscDemoServer *server)
{
  if (server->slave >= 0)
    close (server->slave);
  if (server->master >= 0)
    close (server->master);
  if (server->stop_fd >= 0)
    close (server->stop_fd);
  asc_demo_free (server->demo);
  free (server);
}

AscDemoServer *
asc_demo_server_start (const AscDemoConfig *config, int *error_number)
{
  AscDemoServer *server = calloc (1, sizeof *server);
  *error_number = ENOMEM;
  if (!server)
    return NULL;
  server->master = server->slave = server->stop_fd = -1;
  server->demo = asc_demo_new (config, error_number);
  if (server->demo)
    *error_number = open_pty (server);
  if (*error_number == 0)
    {
      atomic_init (&server->running, true);
      *error_number = pthread_create (&server->thread, NULL, server_main, server);
    }
  if (*error_number != 0)
    {
      server_free (server);
      return NULL;
    }
  return server;
}

const char *
asc_demo_server_path (const AscDemoServer *server)
{
  return server->path;
}

bool
asc_demo_server_running (const AscDemoServer *server)
{
  return atomic_load (&server->running);
}

int
asc_demo_server_stop (AscDemoServer *server)
{
  uint64_t one = 1;
  if (!server)
    return 0;
  while (write (server->stop_fd, &one, sizeof one) < 0 && errno == EINTR)
    ;
  pthread_join (server->thread, NULL);
  int error = asc_demo_end_truth (server->demo);
  server_free (server);
  return error;
}
