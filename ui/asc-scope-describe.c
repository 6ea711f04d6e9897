#include "asc-scope-describe.h"

#include "asc-format.h"

static guint
tasks_of (const AscSession *session)
{
  guint tasks = 0, n = asc_session_n_lanes (session);
  for (guint i = 0; i < n; i++)
    {
      AscLaneInfo lane;
      asc_lane_info (asc_session_lane (session, i), &lane);
      tasks += lane.kind == ASC_LANE_TASK;
    }
  return tasks;
}

static char *
summary (AscDocument *document, const AscHover *hover)
{
  AscSession *session = asc_document_session (document);
  const AscView *view = asc_document_view (document);
  char from[48], to[48], hogs[64];
  AscSessionInfo info;
  if (session == NULL)
    return g_strdup ("Nothing is shown yet");
  asc_session_info (session, &info);
  asc_format_clock (view->from_ns - info.start_ns, 1000, from, sizeof from);
  asc_format_clock (view->to_ns - info.start_ns, 1000, to, sizeof to);
  asc_document_hogs_text (document, hogs, sizeof hogs);
  char *card = asc_hover_text (session, hover);
  char *text
      = g_strdup_printf ("%u tasks, %s hogs, seen from %s to %s%s%s", tasks_of (session),
                         hogs, from, to, *card != '\0' ? ". Pointer: " : "", card);
  g_free (card);
  return text;
}

void
asc_scope_describe (GtkWidget *scope, AscDocument *document, const AscHover *hover)
{
  char *text = summary (document, hover);
  gtk_accessible_update_property (GTK_ACCESSIBLE (scope),
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
  g_free (text);
}
