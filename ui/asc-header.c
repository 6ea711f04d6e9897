#include "asc-header.h"

#include "asc-connect.h"
#include "asc-format.h"

#include <math.h>

#define INTERVAL_US 250000
#define MARGIN_IS "1 − the busiest second's share of the CPU, after 2 s"

struct AscHeader
{
  AscDocument *document;
  GtkWidget *bar;
  GtkWidget *connect;
  GtkWidget *disconnect;
  GtkWidget *follow;
  GtkWidget *title;
  GtkWidget *subtitle;
  GtkWidget *titles; /* both of them */
  GtkWidget *margin;
  GtkWidget *load;
  GtkWidget *hogs;
  GtkWidget *hogs_box;
  bool telling;
  bool narrow, brief;
  gint64 updated_us;
  guint timer; /* an update that is due */
};

static void
session_words (AscHeader *self, bool brief, GString *out)
{
  AscSession *session = asc_document_session (self->document);
  AscTrace *trace = asc_document_trace (self->document);
  AscSessionInfo info;
  char clock[48], count[40];
  if (session == NULL)
    return;
  asc_session_info (session, &info);
  asc_format_clock (info.end_ns - info.first_ns, 1000000000, clock, sizeof clock);
  g_string_append (out, clock);
  guint n = asc_trace_n_sessions (trace);
  if (n > 1)
    g_string_append_printf (out, " · session %u of %u", info.index + 1, n);
  if (info.lost_events > 0)
    {
      asc_format_count (info.lost_events, count, sizeof count);
      g_string_append_printf (out, brief ? " · %s lost" : " · %s events lost", count);
    }
  double length_s = (double)(info.end_ns - info.first_ns) / 1e9;
  if (info.cost_ns > 0 && length_s > 0)
    g_string_append_printf (out, brief ? " · tracer %.1f %%" : " · tracer costs %.1f %%",
                            (double)info.n_runs * info.cost_ns / 1e7 / length_s);
  if (info.recorder == ASC_RECORDER_PYTHON)
    g_string_append (out, " · Python recorder");
}

/* The first window that counts ends there. */
static gint64
known_at (const AscSessionInfo *info)
{
  return MAX (info->start_ns + ASC_MARGIN_WARM_UP_NS, info->first_ns)
         + ASC_MARGIN_WINDOW_NS;
}

/* All of a file that is long enough was looked at: more will not be known. */
static bool
never_known (const AscHeader *self, const AscMargin *known, const AscSessionInfo *info)
{
  AscEngine *engine = asc_document_engine (self->document);
  return known != NULL && !known->known && !asc_document_live (self->document)
         && engine != NULL && asc_engine_state (engine) != ASC_ENGINE_LOADING
         && info->end_ns >= known_at (info);
}

static void
show_margin (AscHeader *self)
{
  AscSession *session = asc_document_session (self->document);
  char text[160] = "", place[48];
  const AscMargin *known = asc_document_margin (self->document);
  AscMargin margin = { 0 };
  AscSessionInfo info;
  if (session != NULL)
    asc_session_info (session, &info);
  if (known != NULL)
    margin = *known;
  if (session == NULL)
    gtk_label_set_text (GTK_LABEL (self->margin), "");
  else if (!margin.known)
    gtk_label_set_text (GTK_LABEL (self->margin), never_known (self, known, &info)
                                                      ? "margin not known"
                                                      : "margin …");
  else if (margin.never_idle)
    gtk_label_set_text (GTK_LABEL (self->margin), "never idle");
  else
    {
      g_snprintf (text, sizeof text, "margin %.0f %%", margin.margin * 100);
      gtk_label_set_text (GTK_LABEL (self->margin), text);
    }
  *text = '\0';
  if (margin.known && margin.never_idle && margin.polling != NULL)
    g_snprintf (text, sizeof text, "%s polls all the time", margin.polling);
  else if (margin.known)
    {
      asc_format_clock (margin.worst_at_ns - info.start_ns, 1000000000, place,
                        sizeof place);
      g_snprintf (text, sizeof text,
                  self->brief ? "load %.0f %% · worst %.0f %% at %s"
                              : "load %.0f %% · worst second %.0f %% at %s",
                  margin.load * 100, margin.worst * 100, place);
    }
  else if (session != NULL)
    {
      if (info.end_ns < known_at (&info))
        g_snprintf (text, sizeof text, "known after %.0f s",
                    ceil ((double)(known_at (&info) - info.first_ns) / 1e9));
      else if (never_known (self, known, &info))
        g_snprintf (text, sizeof text, "load %.0f %%", margin.load * 100);
      else
        g_strlcpy (text, "being computed", sizeof text);
    }
  gtk_label_set_text (GTK_LABEL (self->load), text);
  gtk_widget_set_tooltip_text (self->margin,
                               session != NULL && never_known (self, known, &info)
                                   ? "Events were lost in every second"
                                   : MARGIN_IS);
  gtk_widget_set_visible (self->load, *text != '\0' && !self->narrow);
}

static void
show_hogs (AscHeader *self)
{
  gsize n = asc_document_n_hogs (self->document);
  char count[64], text[96];
  asc_document_hogs_text (self->document, count, sizeof count);
  gsize framed = asc_document_framed_hog (self->document);
  if (framed > 0 && framed <= n)
    {
      char number[40];
      asc_format_count (framed, number, sizeof number);
      g_snprintf (text, sizeof text, "⚠ %s of %s", number, count);
    }
  else
    g_snprintf (text, sizeof text, n == 1 ? "⚠ %s hog" : "⚠ %s hogs", count);
  gtk_label_set_text (GTK_LABEL (self->hogs), text);
  gtk_widget_set_visible (self->hogs_box, n > 0);
}

static void
update (AscHeader *self)
{
  GString *words = g_string_new (NULL);
  AscEngine *engine = asc_document_engine (self->document);
  const char *title = asc_document_title (self->document);
  self->updated_us = g_get_monotonic_time ();
  session_words (self, self->brief, words);
  if (engine != NULL && asc_engine_state (engine) == ASC_ENGINE_LOADING)
    g_string_append_printf (words, "%sloading %.0f %%", words->len > 0 ? " · " : "",
                            asc_engine_progress (engine) * 100);
  gtk_label_set_text (GTK_LABEL (self->title), *title != '\0' ? title : "aioscope");
  gtk_label_set_text (GTK_LABEL (self->subtitle), words->str);
  gtk_widget_set_visible (self->subtitle, words->len > 0);
  g_string_truncate (words, 0);
  session_words (self, false, words);
  gtk_widget_set_tooltip_text (self->titles, words->str);
  g_string_free (words, TRUE);
  show_margin (self);
  show_hogs (self);
}

static gboolean
update_late (gpointer data)
{
  AscHeader *self = data;
  self->timer = 0;
  update (self);
  return G_SOURCE_REMOVE;
}

/* Some times a second; the last news of all comes late rather than never. */
static void
update_sometimes (AscHeader *self)
{
  if (g_get_monotonic_time () - self->updated_us >= INTERVAL_US)
    update (self);
  else if (self->timer == 0)
    self->timer = g_timeout_add (INTERVAL_US / 1000, update_late, self);
}

static void
view_changed (AscHeader *self)
{
  self->telling = true;
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->follow),
                                asc_document_view (self->document)->following);
  self->telling = false;
  show_hogs (self); /* the one that is framed */
}

static void
update_state (AscHeader *self)
{
  AscEngine *engine = asc_document_engine (self->document);
  bool live = asc_document_live (self->document);
  bool loading = engine != NULL && asc_engine_state (engine) == ASC_ENGINE_LOADING;
  gtk_widget_set_visible (self->disconnect,
                          live || loading || asc_document_opening (self->document));
  gtk_button_set_label (GTK_BUTTON (self->disconnect),
                        live && !asc_document_opening (self->document) ? "Disconnect"
                                                                       : "Cancel");
  gtk_widget_set_visible (self->follow, live);
  view_changed (self); /* a session begins by following */
  update (self);
}

static void
follow_toggled (GtkToggleButton *button, AscHeader *self)
{
  if (self->telling)
    return;
  asc_view_follow (asc_document_view (self->document),
                   gtk_toggle_button_get_active (button));
  asc_document_view_changed (self->document);
}

static void
destroyed (gpointer data)
{
  AscHeader *self = data;
  if (self->timer != 0)
    g_source_remove (self->timer);
  g_signal_handlers_disconnect_by_data (self->document, self);
  g_object_unref (self->document);
  g_free (self);
}

static GtkWidget *
label_with (const char *class, float xalign)
{
  GtkWidget *label = gtk_label_new (NULL);
  gtk_widget_add_css_class (label, class);
  gtk_label_set_xalign (GTK_LABEL (label), xalign);
  return label;
}

static GtkWidget *
two_lines (GtkWidget *first, GtkWidget *second)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_widget_set_valign (box, GTK_ALIGN_CENTER);
  gtk_box_append (GTK_BOX (box), first);
  gtk_box_append (GTK_BOX (box), second);
  return box;
}

/* What screen readers call a button that has a label. In GTK before 4.10 setting the
 * label sets the name too, so this comes after it; in later ones the label counts for
 * more than a name while it is said to label the button. */
static void
name_button (GtkWidget *button, const char *name)
{
  gtk_accessible_reset_relation (GTK_ACCESSIBLE (button),
                                 GTK_ACCESSIBLE_RELATION_LABELLED_BY);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  name, -1);
}

static GtkWidget *
hogs_of (AscHeader *self)
{
  self->hogs_box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_widget_add_css_class (self->hogs_box, "linked");
  GtkWidget *previous = gtk_button_new_with_label ("‹"), *next = gtk_button_new ();
  self->hogs = gtk_label_new (NULL);
  gtk_widget_add_css_class (self->hogs, "hogs");
  GtkWidget *inner = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  gtk_box_append (GTK_BOX (inner), self->hogs);
  gtk_box_append (GTK_BOX (inner), gtk_label_new ("›"));
  gtk_button_set_child (GTK_BUTTON (next), inner);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (previous), "win.previous-hog");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (next), "win.next-hog");
  gtk_widget_set_tooltip_text (previous, "Previous hog (Shift+N)");
  gtk_widget_set_tooltip_text (next, "Next hog: a run of 20 ms or more (N)");
  name_button (previous, "Previous hog");
  gtk_accessible_update_property (GTK_ACCESSIBLE (next), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Next hog", -1);
  gtk_widget_set_focus_on_click (previous, FALSE);
  gtk_widget_set_focus_on_click (next, FALSE);
  gtk_widget_add_css_class (previous, "bar-button");
  gtk_widget_add_css_class (next, "bar-button");
  gtk_box_append (GTK_BOX (self->hogs_box), previous);
  gtk_box_append (GTK_BOX (self->hogs_box), next);
  return self->hogs_box;
}

static void
append_exports (GMenu *menu)
{
  g_menu_append (menu, "_Statistics as CSV…", "win.export");
  g_menu_append (menu, "_Hogs, and whom they delayed, as CSV…", "win.export-hogs");
  g_menu_append (menu, "_Picture of what is seen…", "win.picture");
  g_menu_append (menu, "_Copy the statistics as a table", "win.copy-table");
}

static GtkWidget *
export_button_of (void)
{
  GtkWidget *button = gtk_menu_button_new ();
  GMenu *menu = g_menu_new ();
  append_exports (menu);
  gtk_menu_button_set_label (GTK_MENU_BUTTON (button), "Export");
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (button), G_MENU_MODEL (menu));
  gtk_widget_set_tooltip_text (
      button, "Statistics (Ctrl+E: as CSV), hogs, or a picture of the scope");
  gtk_widget_add_css_class (button, "wide-only");
  g_object_unref (menu);
  return button;
}

static GMenuModel *
menu_of (void)
{
  GMenu *menu = g_menu_new (), *files = g_menu_new (), *view = g_menu_new (),
        *help = g_menu_new ();
  g_menu_append (files, "_Open…", "win.open");
  g_menu_append (files, "Save _recording…", "win.save");
  append_exports (files);
  g_menu_append (files, "_Close trace", "win.close-trace");
  g_menu_append (view, "_Dark", "win.dark");
  g_menu_append (view, "_Find task", "win.find");
  g_menu_append (help, "_Keys and mouse", "win.help");
  g_menu_append (help, "_About aioscope", "app.about");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (files));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (view));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (help));
  g_object_unref (files);
  g_object_unref (view);
  g_object_unref (help);
  return G_MENU_MODEL (menu);
}

static void
build (AscHeader *self)
{
  self->connect = asc_connect_button_new (self->document);
  self->disconnect = gtk_button_new_with_label ("Disconnect");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->disconnect), "win.disconnect");
  self->follow = gtk_toggle_button_new_with_label ("▶▏Follow");
  gtk_widget_set_tooltip_text (self->follow,
                               "Keep the newest event at the right edge (End)");
  name_button (self->follow, "Following");
  self->title = label_with ("title", 0.5f);
  self->subtitle = label_with ("subtitle", 0.5f);
  self->margin = label_with ("margin", 1);
  self->load = label_with ("subtitle", 1);
  gtk_label_set_ellipsize (GTK_LABEL (self->title), PANGO_ELLIPSIZE_END);
  gtk_label_set_ellipsize (GTK_LABEL (self->subtitle), PANGO_ELLIPSIZE_END);
  GtkWidget *export_button = export_button_of ();
  GtkWidget *menu = gtk_menu_button_new ();
  GMenuModel *model = menu_of ();
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (menu), model);
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (menu), "open-menu-symbolic");
  gtk_menu_button_set_primary (GTK_MENU_BUTTON (menu), TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (menu), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Menu", -1);
  g_object_unref (model);
  /* A click leaves the focus where it is: the scope's keys go on working. */
  GtkWidget *const buttons[] = { self->disconnect, self->follow };
  for (gsize i = 0; i < G_N_ELEMENTS (buttons); i++)
    {
      gtk_widget_set_focus_on_click (buttons[i], FALSE);
      gtk_widget_add_css_class (buttons[i], "bar-button");
    }
  gtk_widget_add_css_class (self->connect, "bar-button");
  gtk_widget_add_css_class (export_button, "bar-button");
  gtk_widget_add_css_class (menu, "bar-button");
  self->bar = gtk_header_bar_new ();
  GtkHeaderBar *bar = GTK_HEADER_BAR (self->bar);
  gtk_header_bar_pack_start (bar, self->connect);
  gtk_header_bar_pack_start (bar, self->disconnect);
  gtk_header_bar_pack_start (bar, self->follow);
  self->titles = two_lines (self->title, self->subtitle);
  gtk_header_bar_set_title_widget (bar, self->titles);
  gtk_header_bar_pack_end (bar, menu);
  gtk_header_bar_pack_end (bar, export_button);
  gtk_header_bar_pack_end (bar, hogs_of (self));
  gtk_header_bar_pack_end (bar, two_lines (self->margin, self->load));
  g_object_set_data (G_OBJECT (self->bar), "export", export_button);
}

AscHeader *
asc_header_new (AscDocument *document)
{
  AscHeader *self = g_new0 (AscHeader, 1);
  self->document = g_object_ref (document);
  build (self);
  g_signal_connect (self->follow, "toggled", G_CALLBACK (follow_toggled), self);
  g_signal_connect_swapped (document, "state", G_CALLBACK (update_state), self);
  g_signal_connect_swapped (document, "session", G_CALLBACK (update_state), self);
  g_signal_connect_swapped (document, "data", G_CALLBACK (update_sometimes), self);
  g_signal_connect_swapped (document, "stats", G_CALLBACK (update_sometimes), self);
  g_signal_connect_swapped (document, "view", G_CALLBACK (view_changed), self);
  g_object_set_data_full (G_OBJECT (self->bar), "header", self, destroyed);
  update_state (self);
  return self;
}

GtkWidget *
asc_header_widget (AscHeader *self)
{
  return self->bar;
}

GtkWidget *
asc_header_connect_button (AscHeader *self)
{
  return self->connect;
}

void
asc_header_set_brief (AscHeader *self, bool brief)
{
  if (self->brief == brief)
    return;
  self->brief = brief;
  update (self);
}

void
asc_header_set_narrow (AscHeader *self, bool narrow)
{
  if (self->narrow == narrow)
    return;
  self->narrow = narrow;
  show_margin (self);
  gtk_widget_set_visible (self->titles, !narrow);
  gtk_widget_set_visible (g_object_get_data (G_OBJECT (self->bar), "export"), !narrow);
  gtk_label_set_width_chars (
      GTK_LABEL (gtk_menu_button_get_child (GTK_MENU_BUTTON (self->connect))),
      narrow ? 8 : 15);
  gtk_button_set_label (GTK_BUTTON (self->follow), narrow ? "▶▏" : "▶▏Follow");
  name_button (self->follow, "Following");
  if (narrow)
    gtk_widget_add_css_class (self->bar, "narrow");
  else
    gtk_widget_remove_css_class (self->bar, "narrow");
}
