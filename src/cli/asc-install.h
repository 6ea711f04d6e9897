/* What goes onto a board: decided from what the board says of itself. No input or output
 * but reading the folder of files. */
#ifndef ASC_INSTALL_H
#define ASC_INSTALL_H

#include <gio/gio.h>
#include <stdbool.h>

/* Runs on the board (MicroPython 1.19 and newer), and prints what asc_board_parse ()
 * reads.
 */
extern const char asc_board_question[];
/* The same after copying: prints "aioscope-recorder: " and the module that records. */
extern const char asc_board_check[];

typedef struct
{
  char *name; /* of the implementation: "micropython" */
  char *version;
  char *machine;
  char *asyncio; /* its module's name, "" without one */
  char *
      module; /* _aioscope: "" none, "firmware", else its file or what importing raised */
  char *front;  /* aioscope: "" none, "firmware", else its file */
  char *folder; /* where modules are copied: "/lib" */
  gint64 free;  /* bytes; -1 without a file system */
  int mpy;      /* version of .mpy files, 0 none */
  int mpy_sub;
  int arch; /* of native code: an index into asc_arch_name (), 0 none */
} AscBoard;

/* FALSE when the text does not hold the answers. */
bool asc_board_parse (AscBoard *board, const char *output);
void asc_board_clear (AscBoard *board);
/* "armv7emsp"; "?" for one that is not known. */
const char *asc_arch_name (int arch);

typedef struct
{
  char *from; /* on this computer */
  char *to;   /* on the board: "/lib/aioscope.py" */
  goffset size;
} AscInstallFile;

typedef struct
{
  char *choice;       /* a sentence: what, and why */
  char *warning;      /* "" none */
  GPtrArray *files;   /* AscInstallFile; empty: nothing is to be done */
  GPtrArray *folders; /* char *, to be made, outer ones first */
  goffset size;
} AscInstallPlan;

/* @source holds aioscope.py, aioscope_py/ and any number of .mpy files. FALSE with an
 * error (G_IO_ERROR) that says what to do instead. */
bool asc_install_plan (AscInstallPlan *plan,
                       const AscBoard *board,
                       const char *source,
                       GError **error);
void asc_install_plan_clear (AscInstallPlan *plan);

#endif
