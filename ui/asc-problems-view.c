#include "asc-text-views.h"

#include "asc-format.h"

#define SHOWN_MAX 1000

typedef struct
{
  AscDocument *document;
  GtkStringList *lines;
  GtkWidget *stack;
  AscTrace *trace; /* compared only */
  gsize shown;
  GArray *times;   /* guint64 of each line, as it is shown */
  GtkWidget *more; /* how many lines are left out */
} ProblemsView;

static char *
line_of (AscTrace *trace, gsize i, AscProblem *problem)
{
  char clock[48] = "";
  asc_trace_problem (trace, i, problem);
  char *text = asc_problem_text (problem);
  if (problem->time_ns >= 0 && problem->session < asc_trace_n_sessions (trace))
    {
      AscSessionInfo info;
      asc_session_info (asc_trace_session (trace, problem->session), &info);
      asc_format_clock (problem->time_ns - info.start_ns, 1000000, clock, sizeof clock);
    }
  char *line
      = *clock != '\0'
            ? g_strdup_printf ("session %u · %s · %s", problem->session + 1, clock, text)
            : g_strdup_printf ("byte %" G_GUINT64_FORMAT " · %s", problem->offset, text);
  g_free (text);
  return line;
}

/* Lines that others were merged into since: mostly the newest. */
static void
renew (ProblemsView *self, AscTrace *trace)
{
  for (gsize i = 0; i < self->shown; i++)
    {
      AscProblem problem;
      guint64 *times = &g_array_index (self->times, guint64, i);
      asc_trace_problem (trace, i, &problem);
      if (problem.times == *times)
        continue;
      *times = problem.times;
      char *line = line_of (trace, i, &problem);
      gtk_string_list_splice (self->lines, (guint)i, 1,
                              (const char *const[]){ line, NULL });
      g_free (line);
    }
}

static void
update (ProblemsView *self)
{
  AscTrace *trace = asc_document_trace (self->document);
  AscProblem problem = { 0 };
  if (trace != self->trace)
    {
      gtk_string_list_splice (
          self->lines, 0, g_list_model_get_n_items (G_LIST_MODEL (self->lines)), NULL);
      self->trace = trace;
      self->shown = 0;
      g_array_set_size (self->times, 0);
    }
  gsize all = trace != NULL ? asc_trace_n_problems (trace) : 0, n = MIN (all, SHOWN_MAX);
  renew (self, trace);
  for (; self->shown < n; self->shown++)
    {
      gtk_string_list_take (self->lines, line_of (trace, self->shown, &problem));
      g_array_append_val (self->times, problem.times);
    }
  char *more = g_strdup_printf ("and %" G_GSIZE_FORMAT
                                " more: aioscope-cli info --json tells all of them",
                                all - n);
  if (g_strcmp0 (gtk_label_get_text (GTK_LABEL (self->more)), more) != 0)
    gtk_label_set_text (GTK_LABEL (self->more), more);
  gtk_widget_set_visible (self->more, all > n);
  g_free (more);
  gtk_stack_set_visible_child_name (GTK_STACK (self->stack), n > 0 ? "list" : "none");
}

static void
setup (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  GtkWidget *label = gtk_label_new (NULL);
  (void)factory;
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_list_item_set_child (item, label);
}

static void
bind (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  (void)factory;
  gtk_label_set_text (GTK_LABEL (gtk_list_item_get_child (item)),
                      gtk_string_object_get_string (gtk_list_item_get_item (item)));
}

/* Shows the place. */
static void
activated (GtkListView *view, guint position, ProblemsView *self)
{
  AscTrace *trace = asc_document_trace (self->document);
  AscProblem problem;
  (void)view;
  if (trace == NULL || position >= asc_trace_n_problems (trace))
    return;
  asc_trace_problem (trace, position, &problem);
  if (problem.time_ns < 0)
    return;
  asc_document_choose_session (self->document, problem.session);
  AscView *seen = asc_document_view (self->document);
  gint64 length = MIN (seen->to_ns - seen->from_ns, G_GINT64_CONSTANT (500000000));
  asc_view_show (seen, problem.time_ns - length / 2, problem.time_ns + length / 2);
  asc_document_view_changed (self->document);
}

static void
destroyed (gpointer data)
{
  ProblemsView *self = data;
  g_signal_handlers_disconnect_by_data (self->document, self);
  g_object_unref (self->document);
  g_array_unref (self->times);
  g_free (self);
}

GtkWidget *
asc_problems_view_new (AscDocument *document)
{
  ProblemsView *self = g_new0 (ProblemsView, 1);
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  self->document = g_object_ref (document);
  self->lines = gtk_string_list_new (NULL);
  self->times = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_signal_connect (factory, "setup", G_CALLBACK (setup), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (bind), NULL);
  GtkSelectionModel *selection
      = GTK_SELECTION_MODEL (gtk_no_selection_new (G_LIST_MODEL (self->lines)));
  GtkWidget *list = gtk_list_view_new (selection, factory);
  g_signal_connect (list, "activate", G_CALLBACK (activated), self);
  gtk_list_view_set_single_click_activate (GTK_LIST_VIEW (list), TRUE);
  gtk_widget_add_css_class (list, "problems");
  gtk_accessible_update_property (GTK_ACCESSIBLE (list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Problems", -1);
  GtkWidget *scrolled = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), list);
  GtkWidget *none = gtk_label_new ("No problems: nothing was lost or skipped.");
  gtk_widget_add_css_class (none, "dim");
  self->more = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->more), 0);
  gtk_widget_add_css_class (self->more, "dim");
  gtk_widget_add_css_class (self->more, "more");
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_widget_set_vexpand (scrolled, TRUE);
  gtk_box_append (GTK_BOX (box), scrolled);
  gtk_box_append (GTK_BOX (box), self->more);
  self->stack = gtk_stack_new ();
  gtk_stack_add_named (GTK_STACK (self->stack), none, "none");
  gtk_stack_add_named (GTK_STACK (self->stack), box, "list");
  g_signal_connect_swapped (document, "data", G_CALLBACK (update), self);
  g_signal_connect_swapped (document, "session", G_CALLBACK (update), self);
  g_signal_connect_swapped (document, "state", G_CALLBACK (update), self);
  g_object_set_data_full (G_OBJECT (self->stack), "problems-view", self, destroyed);
  return self->stack;
}
