/* The board behind a file descriptor and a pty. */
#include "asc-test.h"

#include "demo-sink.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <termios.h>

static AscDemo *
new_demo (double speed, double seconds)
{
  AscDemoConfig config;
  int error;
  asc_demo_config_init (&config);
  config.speed = speed;
  config.seconds = seconds;
  AscDemo *demo = asc_demo_new (&config, &error);
  assert_non_null (demo);
  return demo;
}

typedef struct
{
  AscDemo *demo;
  int fd, stop_fd, result;
} Service;

static void *
serve_main (void *user)
{
  Service *service = user;
  service->result = asc_demo_serve (service->demo, service->fd, service->stop_fd);
  close (service->fd);
  return NULL;
}

/* A reader of any size of piece gets the bytes that the board makes, all of them. */
static void
through_a_pipe (void **state)
{
  (void)state;
  Sink *direct = malloc (sizeof *direct), *piped = malloc (sizeof *piped);
  sink_init (direct);
  sink_init (piped);
  direct->keep = piped->keep = true;
  AscDemo *demo = new_demo (0, 10);
  while (asc_demo_run (demo, INT64_MAX, sink_write, direct))
    ;
  asc_demo_free (demo);

  int fds[2];
  pthread_t thread;
  uint8_t bytes[700];
  uint32_t random = asc_test_seed ();
  assert_int_equal (pipe (fds), 0);
  Service service = { new_demo (0, 10), fds[1], -1, 1 };
  assert_int_equal (pthread_create (&thread, NULL, serve_main, &service), 0);
  for (;;)
    {
      ssize_t n = read (fds[0], bytes, 1 + asc_test_random (&random) % sizeof bytes);
      assert_true (n >= 0);
      if (n == 0)
        break;
      sink_write (piped, bytes, (size_t)n);
    }
  pthread_join (thread, NULL);
  assert_int_equal (service.result, 0);
  assert_int_equal (piped->n_stream, direct->n_stream);
  assert_memory_equal (piped->stream, direct->stream, direct->n_stream);
  asc_demo_free (service.demo);
  close (fds[0]);
  sink_clear (direct);
  sink_clear (piped);
  free (direct);
  free (piped);
}

static void
ends_for_its_reasons (void **state)
{
  (void)state;
  /* The reader goes: no signal, no error. */
  int fds[2];
  assert_int_equal (pipe (fds), 0);
  close (fds[0]);
  AscDemo *demo = new_demo (0, 0);
  assert_int_equal (asc_demo_serve (demo, fds[1], -1), 0);
  close (fds[1]);
  asc_demo_free (demo);
  /* A socket's peer goes, at the board's own pace. */
  assert_int_equal (socketpair (AF_UNIX, SOCK_STREAM, 0, fds), 0);
  close (fds[0]);
  demo = new_demo (1, 0);
  assert_int_equal (asc_demo_serve (demo, fds[1], -1), 0);
  close (fds[1]);
  asc_demo_free (demo);
  /* A full disk is told. */
  int full = open ("/dev/full", O_WRONLY);
  assert_true (full >= 0);
  demo = new_demo (0, 0);
  assert_int_equal (asc_demo_serve (demo, full, -1), -ENOSPC);
  close (full);
  asc_demo_free (demo);
  /* It is told to stop. */
  int stop[2];
  assert_int_equal (pipe (fds), 0);
  assert_int_equal (pipe (stop), 0);
  assert_int_equal (write (stop[1], "", 1), 1);
  for (int speed = 0; speed <= 1; speed++)
    {
      demo = new_demo (speed, 0);
      assert_int_equal (asc_demo_serve (demo, fds[1], stop[0]), 0);
      asc_demo_free (demo);
    }
  for (int i = 0; i < 2; i++)
    {
      close (fds[i]);
      close (stop[i]);
    }
}

/* Reads until the sink has seen n runs more. */
static void
read_runs (const char *path, size_t n)
{
  Sink *sink = malloc (sizeof *sink);
  uint8_t bytes[4096];
  sink_init (sink);
  int fd = open (path, O_RDONLY | O_NOCTTY);
  assert_true (fd >= 0);
  while (sink->n_runs < n)
    {
      struct pollfd ready = { fd, POLLIN, 0 };
      assert_int_equal (poll (&ready, 1, 20000), 1);
      ssize_t taken = read (fd, bytes, sizeof bytes);
      assert_true (taken > 0);
      sink_write (sink, bytes, (size_t)taken);
    }
  assert_true (sink->hellos > 0);
  close (fd);
  sink_clear (sink);
  free (sink);
}

static void
pty_readers_come_and_go (void **state)
{
  (void)state;
  AscDemoConfig config;
  int error = 1;
  struct termios settings;
  asc_demo_config_init (&config);
  config.speed = 20;
  AscDemoServer *server = asc_demo_server_start (&config, &error);
  assert_non_null (server);
  assert_int_equal (error, 0);
  const char *path = asc_demo_server_path (server);
  int fd = open (path, O_RDONLY | O_NOCTTY);
  assert_int_equal (tcgetattr (fd, &settings), 0);
  assert_int_equal (settings.c_lflag & (ICANON | ECHO | ISIG), 0);
  assert_int_equal (settings.c_oflag & OPOST, 0);
  close (fd);
  read_runs (path, 3000);
  read_runs (path, 3000);
  assert_true (asc_demo_server_running (server));
  asc_demo_server_stop (server);
  asc_demo_server_stop (NULL);
}

/* What a reader types is taken and does nothing: the board never waits for it. */
static void
pty_takes_input (void **state)
{
  (void)state;
  AscDemoConfig config;
  int error;
  asc_demo_config_init (&config);
  config.speed = 20;
  AscDemoServer *server = asc_demo_server_start (&config, &error);
  assert_non_null (server);
  int fd = open (asc_demo_server_path (server), O_WRONLY | O_NOCTTY);
  char bytes[1000] = { 3 };
  for (int i = 0; i < 100; i++)
    assert_int_equal (write (fd, bytes, sizeof bytes), sizeof bytes);
  close (fd);
  read_runs (asc_demo_server_path (server), 100);
  asc_demo_server_stop (server);
}

/* A program with an end ends its service. */
static void
pty_ends_with_the_program (void **state)
{
  (void)state;
  AscDemoConfig config;
  int error;
  asc_demo_config_init (&config);
  config.speed = 100;
  config.seconds = 3;
  AscDemoServer *server = asc_demo_server_start (&config, &error);
  assert_non_null (server);
  /* Nobody reads, and still it ends. */
  for (int i = 0; i < 2000 && asc_demo_server_running (server); i++)
    usleep (10000);
  assert_false (asc_demo_server_running (server));
  asc_demo_server_stop (server);
}

static struct CMUnitTest tests[] = {
  cmocka_unit_test (through_a_pipe),
  cmocka_unit_test (ends_for_its_reasons),
  cmocka_unit_test (pty_readers_come_and_go),
  cmocka_unit_test (pty_takes_input),
  cmocka_unit_test (pty_ends_with_the_program),
};

ASC_TEST_MAIN (tests)
