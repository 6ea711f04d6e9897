/* Wall clock of a session (feeder).
 *
 * An anchor says which wall and boot time it was when the host had got the bytes before
 * it. What the board had told by then had happened by then: each anchor bounds the offset
 * between the clocks from above, and the least bound, that of the least latency, is the
 * best. Only the first minute of a session is fitted, so that the drift of a board's
 * crystal over hours does not count as latency. The boot clock never steps; how it stands
 * to the wall clock is taken from the first anchor. */
#include "asc-model.h"

#define FIT_NS G_GINT64_CONSTANT (60000000000)

void
asc_anchors_reset (AscTrace *trace)
{
  trace->first_boot_ns = -1;
  trace->offset_ns = G_MAXINT64;
}

void
asc_anchors_take (AscTrace *trace, gint64 wall_ns, gint64 boottime_ns)
{
  AscSession *session = trace->session;
  if (!session || session->newest_clock == 0)
    return;
  gint64 steady = boottime_ns >= 0 ? boottime_ns : wall_ns;
  gint64 to_wall, bound, wall;
  if (trace->first_boot_ns < 0)
    {
      trace->first_boot_ns = MAX (steady, 0);
      if (__builtin_sub_overflow (wall_ns, steady, &trace->boot_to_wall_ns))
        return;
    }
  to_wall = trace->boot_to_wall_ns;
  if (steady < trace->first_boot_ns || steady - trace->first_boot_ns > FIT_NS
      || __builtin_sub_overflow (steady, asc_session_ns (session, session->newest_clock),
                                 &bound)
      || bound >= trace->offset_ns || __builtin_add_overflow (bound, to_wall, &wall)
      || wall > G_MAXINT64 / 2 || wall < -(G_MAXINT64 / 2))
    return;
  trace->offset_ns = bound;
  asc_put (&session->wall_offset_ns, wall);
}
