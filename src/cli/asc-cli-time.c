/* Times as people type them, and stretches of a session. */
#include "asc-cli.h"

#include <math.h>
#include <string.h>

#include "asc-format.h"
#include "asc-session.h"

bool
asc_cli_parse_time (const char *text, gint64 *ns)
{
  static const struct
  {
    const char *unit;
    double ns;
  } units[] = { { "", 1e9 },   { "s", 1e9 },         { "ms", 1e6 },
                { "us", 1e3 }, { "\xC2\xB5s", 1e3 }, { "\xCE\xBCs", 1e3 },
                { "ns", 1 },   { "min", 60e9 },      { "h", 3600e9 } };
  char *end;
  double minutes = 0;
  const char *colon = strrchr (text, ':');
  if (colon)
    {
      double high = g_ascii_strtod (text, &end);
      minutes = *end == ':' && end != colon ? high * 60 + g_ascii_strtod (end + 1, &end)
                                            : high;
      if (end != colon)
        return false;
      text = colon + 1;
    }
  double value = g_ascii_strtod (text, &end);
  if (end == text || !isfinite (value) || !isfinite (minutes))
    return false;
  while (*end == ' ')
    end++;
  for (gsize i = 0; i < G_N_ELEMENTS (units); i++)
    if (strcmp (units[i].unit, end) == 0)
      {
        double all = value * units[i].ns + minutes * 60e9;
        if (fabs (all) > 2e18 /* no session is longer */ || (colon && *end))
          return false;
        *ns = (gint64)llround (all);
        return true;
      }
  return false;
}

static int
check_time (const AscCommand *command, const char *option, const char *text, gint64 *ns)
{
  if (text == NULL)
    return -1;
  if (!asc_cli_parse_time (text, ns))
    return asc_cli_usage (command, "%s '%s' is no time (12.5s, 500ms, 1:02.5)", option,
                          text);
  if (*ns >= 0)
    return -1;
  return asc_cli_usage (command, "%s %s is below 0: times count from the session's start",
                        option, text);
}

int
asc_cli_check_stretch (const AscCommand *command, AscCliStretch *stretch)
{
  int status = check_time (command, "--from", stretch->from, &stretch->from_ns);
  if (status < 0)
    status = check_time (command, "--to", stretch->to, &stretch->to_ns);
  if (status < 0 && stretch->from && stretch->to && stretch->from_ns >= stretch->to_ns)
    status = asc_cli_usage (command, "--from must be before --to");
  return status;
}

static void
tell_outside (const AscCommand *command,
              const AscCliStretch *stretch,
              const AscSessionInfo *info)
{
  char length[40], first[40], end[40];
  asc_format_duration ((double)(info->end_ns - info->first_ns), length, sizeof length);
  asc_format_duration ((double)(info->first_ns - info->start_ns), first, sizeof first);
  asc_format_duration ((double)(info->end_ns - info->start_ns), end, sizeof end);
  asc_cli_fail (command, ASC_CLI_FAILED,
                "%s%s%s%s%s lies outside the session, which is %s long: from %s to %s.",
                stretch->from ? "--from " : "", stretch->from ? stretch->from : "",
                stretch->from && stretch->to ? " " : "", stretch->to ? "--to " : "",
                stretch->to ? stretch->to : "", length, first, end);
}

bool
asc_cli_stretch (const AscCommand *command,
                 const AscCliStretch *stretch,
                 const AscSession *session,
                 gint64 *from_ns,
                 gint64 *to_ns)
{
  AscSessionInfo info;
  asc_session_info (session, &info);
  gint64 from = stretch->from ? info.start_ns + stretch->from_ns : info.first_ns;
  gint64 to = stretch->to ? info.start_ns + stretch->to_ns : info.end_ns;
  *from_ns = stretch->from ? from : G_MININT64;
  *to_ns = stretch->to ? to : G_MAXINT64;
  if ((!stretch->from && !stretch->to)
      || (from < to && from < info.end_ns && to > info.first_ns))
    return true;
  tell_outside (command, stretch, &info);
  return false;
}

void
asc_cli_stretch_clear (AscCliStretch *stretch)
{
  g_clear_pointer (&stretch->from, g_free);
  g_clear_pointer (&stretch->to, g_free);
}
