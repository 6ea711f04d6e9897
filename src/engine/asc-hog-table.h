/* Hogs as rows of text, with whom they delayed: for terminal, CSV and JSON. */
#ifndef ASC_HOG_TABLE_H
#define ASC_HOG_TABLE_H

#include "asc-load.h"

/* A task that a hog delayed. */
typedef struct
{
  const char *task;
  guint64 runs;
  gint64 most_ns; /* of one of them */
} AscHogVictim;

typedef struct
{
  const char *task;
  guint32 instance; /* 0 unknown */
  bool several;     /* the task has more than one */
  gint64 start_ns;  /* from the session's start */
  gint64 length_ns;
  bool at_least;     /* its end or its beginning was lost, or it still runs */
  GArray *victims;   /* AscHogVictim, the longest delay first */
  guint64 n_delayed; /* runs, of all of them */
  gint64 most_ns;    /* the longest delay; 0 none */
} AscHogRow;

typedef struct
{
  gint64 threshold_ns;
  bool whole;      /* false: there were too many delays to tell all */
  GPtrArray *rows; /* AscHogRow, the longest first */
} AscHogTable;

/* Runs of at least threshold_ns that touch [from_ns, to_ns) of the session. Any thread;
 * takes time by hogs and late runs. Valid while the trace is. */
AscHogTable *asc_hog_table_new (const AscSession *session,
                                gint64 threshold_ns,
                                gint64 from_ns,
                                gint64 to_ns);
void asc_hog_table_free (AscHogTable *table);

/* The caller frees each. */
char *asc_hog_table_text (const AscHogTable *table);
/* "start_ns,length_ns,at_least,task,instance,delayed_runs,delayed_most_ns,delayed"; the
 * last is "TASK=NS" for each task that was delayed, with ';' between them. */
char *asc_hog_table_csv (const AscHogTable *table);
char *asc_hog_table_json (const AscHogTable *table);

#endif
