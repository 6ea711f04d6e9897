#include "asc-model.h"

#include <string.h>

#define LISTED_MAX 10000u
#define NEIGHBOURS 4u   /* kinds that take turns are still merged */
#define LOSSES_MAX 500u /* of a kind, in a session */

/* Has a place that people want to see. */
static bool
is_loss (AscProblemKind kind)
{
  return kind == ASC_PROBLEM_LOST || kind == ASC_PROBLEM_DROPPED
         || kind == ASC_PROBLEM_CLOCK || kind == ASC_PROBLEM_LINK
         || kind == ASC_PROBLEM_NOT_KEPT;
}

static void
merge (AscListedProblem *old, const AscProblem *problem)
{
  guint64 count = asc_own (&old->count);
  asc_put (&old->times, asc_own (&old->times) + 1);
  if (problem->kind == ASC_PROBLEM_MANGLED)
    asc_put (&old->count, count | problem->count);
  else if (problem->kind != ASC_PROBLEM_CLOCK)
    asc_put (&old->count, count + problem->count);
}

/* Into a neighbour of its kind; when the list is full, into one further away. */
static bool
join_neighbour (AscTrace *trace, const AscProblem *problem)
{
  guint64 n = asc_own (&trace->problems.n);
  guint64 reach = n < LISTED_MAX ? NEIGHBOURS : 64;
  for (guint64 i = 1; i <= MIN (reach, n); i++)
    {
      AscListedProblem *old = asc_list_at (&trace->problems, n - i);
      if (old->problem.kind != problem->kind || old->problem.skip != problem->skip
          || old->problem.session != problem->session)
        continue;
      merge (old, problem);
      return true;
    }
  return false;
}

/* Into the last that was listed of so many. */
static bool
join_losses (AscTrace *trace, const AscProblem *problem)
{
  if (problem->session != trace->losses_session)
    memset (trace->losses, 0, sizeof trace->losses);
  trace->losses_session = problem->session;
  guint64 n = asc_own (&trace->problems.n);
  if (trace->losses[problem->kind].n == LOSSES_MAX
      || (n >= LISTED_MAX && trace->losses[problem->kind].n > 0))
    {
      merge (asc_list_at (&trace->problems, trace->losses[problem->kind].last), problem);
      return true;
    }
  trace->losses[problem->kind].n += n < LISTED_MAX;
  trace->losses[problem->kind].last = n;
  return false;
}

void
asc_problems_add (AscTrace *trace, const AscProblem *problem)
{
  if (is_loss (problem->kind) ? join_losses (trace, problem)
                              : join_neighbour (trace, problem))
    return;
  if (asc_own (&trace->problems.n) >= LISTED_MAX)
    return;
  AscListedProblem *listed = asc_list_next (&trace->problems);
  listed->problem = *problem;
  atomic_init (&listed->count, problem->count);
  atomic_init (&listed->times, 1);
  asc_list_publish (&trace->problems);
}

gsize
asc_trace_n_problems (const AscTrace *trace)
{
  return asc_list_length (&trace->problems);
}

void
asc_trace_problem (const AscTrace *trace, gsize index, AscProblem *problem)
{
  const AscListedProblem *listed = asc_list_at (&trace->problems, index);
  *problem = listed->problem;
  problem->count = asc_get (&listed->count);
  problem->times = asc_get (&listed->times);
}

static char *
mangled_text (guint64 how)
{
  static const char *const names[] = { "adds a carriage return to each newline (onlcr)",
                                       "turns carriage returns into newlines (icrnl)",
                                       "swallows flow control bytes (ixon)",
                                       "acts on control characters (isig)",
                                       "drops zero bytes",
                                       "doubles FF bytes (parmrk)",
                                       "carries only seven bits" };
  GString *text
      = g_string_new ("Something between the board and here changes bytes: it ");
  bool any = false;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (how & 1u << i)
      {
        g_string_append_printf (text, "%s%s", any ? ", " : "", names[i]);
        any = true;
      }
  g_string_append (text, ". Use a raw port.");
  return g_string_free (text, FALSE);
}

static const char *
skip_text (AscSkip skip)
{
  static const char *const texts[ASC_SKIP_N] = {
    [ASC_SKIP_NOISE] = "of line noise, or of a tool's talk with the REPL",
    [ASC_SKIP_HEADER] = "where a frame's head was damaged",
    [ASC_SKIP_CHECKSUM] = "where a frame was damaged",
    [ASC_SKIP_CUT] = "of a frame that was cut off",
    [ASC_SKIP_UNKNOWN_TYPE] = "of frames of a later version",
    [ASC_SKIP_MALFORMED] = "of frames that break the protocol's rules",
    [ASC_SKIP_FOREIGN] = "of frames that belong to another recording",
    [ASC_SKIP_DUPLICATE] = "of frames that came twice",
  };
  return (guint)skip < ASC_SKIP_N ? texts[skip] : "of something unknown";
}

static char *
sentence (const AscProblem *problem)
{
  unsigned long long count = problem->count;
  const char *s = count == 1 ? "" : "s";
  switch (problem->kind)
    {
    case ASC_PROBLEM_LOST:
      return count ? g_strdup_printf ("%llu event%s never arrived.", count, s)
                   : g_strdup ("Events are missing; how many can not be known.");
    case ASC_PROBLEM_DROPPED:
      return g_strdup_printf ("The board dropped %llu event%s: its buffer was full.",
                              count, s);
    case ASC_PROBLEM_SKIPPED:
      return g_strdup_printf ("Skipped %llu byte%s %s.", count, s,
                              skip_text (problem->skip));
    case ASC_PROBLEM_MANGLED:
      return mangled_text (problem->count);
    case ASC_PROBLEM_CLOCK:
      return g_strdup (problem->count == ASC_JUMP_BACK ? "The board's clock stepped back."
                       : problem->count == ASC_JUMP_SILENCE
                           ? "The board was silent for longer than its clock can tell."
                           : "The board's clock stood still for a while.");
    case ASC_PROBLEM_STACK:
      return g_strdup_printf (
          "The board told %llu time%s that other tasks run than its events say.", count,
          s);
    case ASC_PROBLEM_LINK:
      return count == 1 ? g_strdup ("The connection was lost.")
                        : g_strdup_printf ("The connection was lost %llu times.", count);
    case ASC_PROBLEM_NOT_KEPT:
      return count ? g_strdup_printf ("%llu byte%s not kept in this recording.", count,
                                      count == 1 ? " was" : "s were")
                   : g_strdup ("A part was not kept in this recording.");
    case ASC_PROBLEM_VERSION:
      return g_strdup_printf (
          "The board speaks version %llu of the protocol, this program version %d: "
          "what it does not know is left out.",
          count, ASC_PROTO_VERSION);
    case ASC_PROBLEM_UNNAMED:
      return g_strdup ("The board had not told yet which tasks run: their runs from here "
                       "on stand under (unknown task), and are missing in the tasks' own "
                       "rates and shares. It tells its tasks every few seconds.");
    case ASC_PROBLEM_COST:
      return g_strdup_printf ("Recording takes %llu.%llu %% of the board's time.",
                              count / 10, count % 10);
    }
  return g_strdup ("Something is wrong.");
}

char *
asc_problem_text (const AscProblem *problem)
{
  char *text = sentence (problem);
  if (problem->times < 2 || !is_loss (problem->kind)
      || problem->kind == ASC_PROBLEM_LINK /* its sentence counts */)
    return text;
  char *whole = g_strdup_printf ("%s Counted together: %" G_GUINT64_FORMAT
                                 " places, of which this is the first.",
                                 text, problem->times);
  g_free (text);
  return whole;
}
