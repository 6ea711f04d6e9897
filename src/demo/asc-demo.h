/* A simulated board: about a dozen tasks of a plausible product on the real recorder.
 *
 * Cooperative: one task at a time has the CPU, so a hog starves the others as on a board.
 * Seeded: the same configuration gives the same program, to the tick. The truth is
 * written by the simulated program itself, never by the recorder. C11 and POSIX threads.
 */
#ifndef ASC_DEMO_H
#define ASC_DEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct AscDemo AscDemo;
typedef struct AscDemoServer AscDemoServer;

/* More would not find slots on the board. */
#define ASC_DEMO_TASKS_MAX 4000u

typedef struct
{
  uint64_t seed;  /* 0 = 1 */
  double speed;   /* board seconds a second; 0 = as fast as the reader takes it, and
                     then nothing is lost by its own making */
  double seconds; /* of board time, then the stream ends; 0 = endless */
  uint32_t baud;  /* 10 bits a byte; 0 = not limited */
  bool no_loss;   /* no LOST of its own making */
  const char
      *truth_path;  /* CSV session,task,instance,start_ns,end_ns,exit; NULL = none */
  unsigned n_tasks; /* 0 = the dozen; more adds plain workers (tests of 200 lanes) */
  double events_hz; /* 0 = as the program makes them; else extra load to about this
                       many events a board second (tests of full speed) */
} AscDemoConfig;

void asc_demo_config_init (AscDemoConfig *config);

/* Returns NULL and *error_number (errno) when the truth can not be opened. Ends the truth
 * file on free. */
AscDemo *asc_demo_new (const AscDemoConfig *config, int *error_number);
/* Ends the truth file before free. Returns 0, or an errno when it is not complete. */
int asc_demo_end_truth (AscDemo *demo);
void asc_demo_free (AscDemo *demo);

/* Takes what it can of n bytes and returns how many; never blocks. */
typedef size_t (*AscDemoWrite) (void *user, const uint8_t *bytes, size_t n);

/* Runs the board until its clock shows until_ns or the program ended. Returns true while
 * it goes on. Time passes only here. The board never waits for the writer, except with
 * speed 0, where time stands still until the writer takes the bytes. */
bool asc_demo_run (AscDemo *demo, int64_t until_ns, AscDemoWrite write, void *user);
int64_t asc_demo_now_ns (const AscDemo *demo);

/* Serves fd (a pty's master, a socket, a file) at the configured speed until the program
 * ends, the peer goes away for good, or stop_fd becomes readable (-1: never). Blocks.
 * Returns 0 or a negative errno. */
int asc_demo_serve (AscDemo *demo, int fd, int stop_fd);

/* Serves through a pty on a thread of its own. path: of the pty, stays the server's. */
AscDemoServer *asc_demo_server_start (const AscDemoConfig *config, int *error_number);
const char *asc_demo_server_path (const AscDemoServer *server);
bool asc_demo_server_running (const AscDemoServer *server);
/* Ends within 100 ms; NULL is taken. Returns 0, or an errno when the truth file is not
 * complete. */
int asc_demo_server_stop (AscDemoServer *server);

#endif
