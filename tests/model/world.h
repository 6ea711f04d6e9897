/* What a trace says of a session, taken out whole, for plain scans. */
#ifndef WORLD_H
#define WORLD_H

#include "asc-lane.h"
#include "random-board.h"

typedef struct
{
  AscTrace *trace;
  AscSession *session;
  AscSessionInfo info;
  guint n_lanes;
  GArray *lanes; /* GArray * of AscRun */
  AscStretch *stretches;
  gsize n_stretches;
  gint64 slack_ns; /* of lengths, where a tick is no whole number of ns */
  bool several;    /* contexts */
} World;

#define RUN(array, i) (&g_array_index (array, AscRun, i))

void look (World *world, AscTrace *trace, guint index);
void forget (World *world);
/* Of the lane with this index: AscRun. */
const GArray *runs_of (const World *world, guint lane);
/* How much of [a, b) lies in [from, to). */
gint64 overlap (gint64 a, gint64 b, gint64 from, gint64 to);
gint64 observed (const World *world, gint64 from, gint64 to);
bool touched (const World *world, const AscRun *run);
void close_to (gint64 a, gint64 b, gint64 slack, const char *what);
/* A random stretch, within the session or over its borders. */
void range_of (World *world, guint32 *dice, gint64 *from, gint64 *to);
/* For g_array_sort () of gint64. */
gint by_value (gconstpointer a, gconstpointer b);

#endif
