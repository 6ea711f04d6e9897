#include "asc-window.h"

#include "asc-actions.h"
#include "asc-empty.h"
#include "asc-header.h"
#include "asc-message.h"
#include "asc-scope-view.h"
#include "asc-settings.h"
#include "asc-stats-view.h"
#include "asc-store.h"
#include "asc-text-views.h"

#define NARROW_PX 1000
#define BRIEF_PX 1400 /* the header says the same in fewer words below */

struct _AscWindow
{
  GtkApplicationWindow parent;
  AscDocument *document;
  AscHeader *header;
  GtkWidget *pages; /* empty, main */
  GtkWidget *empty;
  GtkWidget *scope;
  GtkWidget *sessions;
  GtkWidget *over;
  GtkWidget *filter;
  GtkWidget *tables; /* a stack */
  GtkWidget *statistics;
  GtkStackPage *problems;
  guint n_sessions; /* in the picker */
  char *remembered; /* the newest recent file */
  GtkWidget *paned;
  GtkWidget *message;
  GtkWidget *page_box, *tables_box; /* where it stands */
  bool telling;
  bool narrow;
};

G_DEFINE_TYPE (AscWindow, asc_window, GTK_TYPE_APPLICATION_WINDOW)

/* --- the bar over the tables
 * ----------------------------------------------------------------- */

static void
over_changed (GObject *drop_down, GParamSpec *spec, AscWindow *self)
{
  (void)spec;
  if (!self->telling)
    asc_document_set_over (
        self->document, (AscOver)gtk_drop_down_get_selected (GTK_DROP_DOWN (drop_down)));
}

static void
session_picked (GObject *drop_down, GParamSpec *spec, AscWindow *self)
{
  (void)spec;
  guint chosen = gtk_drop_down_get_selected (GTK_DROP_DOWN (drop_down));
  if (!self->telling && chosen != GTK_INVALID_LIST_POSITION)
    asc_document_choose_session (self->document, chosen);
}

static void
filter_changed (GtkEditable *entry, AscWindow *self)
{
  asc_document_set_filter (self->document, gtk_editable_get_text (entry));
}

static void
filter_left (GtkSearchEntry *entry, AscWindow *self)
{
  gtk_editable_set_text (GTK_EDITABLE (entry), "");
  gtk_widget_grab_focus (self->scope);
}

/* Enter keeps the filter. */
static void
filter_entered (AscWindow *self)
{
  gtk_widget_grab_focus (self->scope);
}

static gboolean
give_keys_back (gpointer data)
{
  AscWindow *self = ASC_WINDOW (data);
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));
  bool left = focus == NULL || GTK_IS_POPOVER (focus)
              || gtk_widget_get_ancestor (focus, GTK_TYPE_POPOVER) != NULL
              || gtk_widget_get_ancestor (focus, GTK_TYPE_MENU_BUTTON) != NULL
              || gtk_widget_get_ancestor (focus, GTK_TYPE_DROP_DOWN) != NULL;
  if (left && self->document != NULL && gtk_widget_get_mapped (self->scope))
    gtk_widget_grab_focus (self->scope);
  return G_SOURCE_REMOVE;
}

/* After GTK, which gives the focus to the button that the list belongs to; an action that
 * was chosen may have put it elsewhere. */
static void
list_closed (AscWindow *self)
{
  g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, give_keys_back, g_object_ref (self),
                   g_object_unref);
}

/* Whatever drops down from this widget or those in it. */
static void
watch_lists (AscWindow *self, GtkWidget *widget)
{
  if (GTK_IS_POPOVER (widget))
    {
      g_signal_connect_object (widget, "closed", G_CALLBACK (list_closed), self,
                               G_CONNECT_SWAPPED);
      return;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    watch_lists (self, child);
}

/* What does nothing for the tab is not shown; a filter that is at work is. */
static void
fit_tab (AscWindow *self)
{
  bool statistics
      = g_strcmp0 (gtk_stack_get_visible_child_name (GTK_STACK (self->tables)),
                   "statistics")
        == 0;
  gtk_widget_set_visible (self->over, statistics);
  gtk_widget_set_visible (
      self->filter, statistics || *gtk_editable_get_text (GTK_EDITABLE (self->filter)));
}

static void
fill_sessions (AscWindow *self)
{
  AscTrace *trace = asc_document_trace (self->document);
  guint n = trace != NULL ? asc_trace_n_sessions (trace) : 0;
  guint index = asc_document_session_index (self->document);
  self->telling = true;
  if (n != self->n_sessions)
    {
      GtkStringList *names = gtk_string_list_new (NULL);
      for (guint i = 0; i < n; i++)
        gtk_string_list_take (
            names,
            g_strdup_printf ("%s%u of %u", self->narrow ? "" : "Session ", i + 1, n));
      gtk_drop_down_set_model (GTK_DROP_DOWN (self->sessions), G_LIST_MODEL (names));
      g_object_unref (names);
      self->n_sessions = n;
    }
  if (n > 0)
    gtk_drop_down_set_selected (GTK_DROP_DOWN (self->sessions), MIN (index, n - 1));
  /* What is opened begins with all of it. */
  if (gtk_drop_down_get_selected (GTK_DROP_DOWN (self->over))
      != asc_document_over (self->document))
    gtk_drop_down_set_selected (GTK_DROP_DOWN (self->over),
                                asc_document_over (self->document));
  gtk_widget_set_visible (self->sessions, n > 1);
  self->telling = false;
}

static void
show_problems (AscWindow *self)
{
  AscTrace *trace = asc_document_trace (self->document);
  gsize n = trace != NULL ? asc_trace_n_problems (trace) : 0;
  char title[48] = "Problems";
  if (n > 0)
    g_snprintf (title, sizeof title, "Problems %" G_GSIZE_FORMAT, n);
  if (g_strcmp0 (gtk_stack_page_get_title (self->problems), title) != 0)
    gtk_stack_page_set_title (self->problems, title);
}

static void
data_changed (AscWindow *self)
{
  fill_sessions (self);
  show_problems (self);
}

/* A file that opened well, or was saved, is offered on the empty page from now on. */
static void
remember_file (AscWindow *self)
{
  AscEngine *engine = asc_document_engine (self->document);
  const char *path = asc_document_path (self->document);
  if (path == NULL || engine == NULL || asc_store_holds (path)
      || asc_engine_state (engine) == ASC_ENGINE_LOADING
      || asc_engine_state (engine) == ASC_ENGINE_FAILED
      || g_strcmp0 (path, self->remembered) == 0)
    return;
  char *uri = g_filename_to_uri (path, NULL, NULL);
  if (uri != NULL)
    {
      /* Told whole, so that it is done at once: a look at the file's type would go on
       * beside us, past the program's end. */
      const GtkRecentData data
          = { .mime_type = (char[]){ "application/x-aioscope-trace" },
              .app_name = (char[]){ "aioscope" },
              .app_exec = (char[]){ "aioscope %f" } };
      gtk_recent_manager_add_full (gtk_recent_manager_get_default (), uri, &data);
    }
  g_free (uri);
  g_free (self->remembered);
  self->remembered = g_strdup (path);
}

/* Beside the lanes it stands under them, over the tables: they stay where they are under
 * the hand, and nothing of them is hidden. */
static void
place_message (AscWindow *self, GtkWidget *box)
{
  GtkWidget *parent = gtk_widget_get_parent (self->message);
  if (parent == box)
    return;
  g_object_ref (self->message);
  gtk_box_remove (GTK_BOX (parent), self->message);
  gtk_box_prepend (GTK_BOX (box), self->message);
  g_object_unref (self->message);
}

static void
state_changed (AscWindow *self)
{
  AscEngine *engine = asc_document_engine (self->document);
  bool any = engine != NULL && asc_engine_state (engine) != ASC_ENGINE_FAILED;
  const char *page = any ? "main" : "empty";
  const char *title = asc_document_title (self->document);
  data_changed (self);
  if (g_strcmp0 (gtk_stack_get_visible_child_name (GTK_STACK (self->pages)), page) != 0)
    {
      gtk_stack_set_visible_child_name (GTK_STACK (self->pages), page);
      place_message (self, any ? self->tables_box : self->page_box);
      if (any)
        gtk_widget_grab_focus (self->scope);
      else
        asc_empty_refresh (self->empty);
    }
  char *name
      = *title != '\0' ? g_strdup_printf ("%s — aioscope", title) : g_strdup ("aioscope");
  gtk_window_set_title (GTK_WINDOW (self), name);
  g_free (name);
  asc_actions_update (GTK_WINDOW (self), self->document);
  remember_file (self);
}

static GtkWidget *
tables_bar (AscWindow *self)
{
  GtkWidget *bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *switcher = gtk_stack_switcher_new (), *space = gtk_label_new (NULL);
  static const char *const overs[]
      = { "Over: session", "Over: visible", "Over: selection", NULL };
  gtk_stack_switcher_set_stack (GTK_STACK_SWITCHER (switcher), GTK_STACK (self->tables));
  gtk_widget_add_css_class (switcher, "tabs");
  gtk_widget_set_hexpand (space, TRUE);
  self->sessions = gtk_drop_down_new (NULL, NULL);
  self->over = gtk_drop_down_new_from_strings (overs);
  self->filter = gtk_search_entry_new ();
  gtk_widget_set_tooltip_text (self->over, "The stretch that the statistics are about");
  gtk_widget_set_tooltip_text (self->filter,
                               "Tasks whose name holds this; * and ? match, ! excludes");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->sessions),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, "Session", -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->over),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, "Statistics over", -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->filter),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, "Filter tasks", -1);
  g_object_set (self->filter, "placeholder-text", "Filter…", NULL);
  gtk_editable_set_width_chars (GTK_EDITABLE (self->filter), 10);
  gtk_editable_set_max_width_chars (GTK_EDITABLE (self->filter), 14);
  gtk_box_append (GTK_BOX (bar), switcher);
  gtk_box_append (GTK_BOX (bar), space);
  gtk_box_append (GTK_BOX (bar), self->sessions);
  gtk_box_append (GTK_BOX (bar), self->over);
  gtk_box_append (GTK_BOX (bar), self->filter);
  gtk_widget_add_css_class (bar, "tables-bar");
  g_signal_connect (self->sessions, "notify::selected", G_CALLBACK (session_picked),
                    self);
  g_signal_connect (self->over, "notify::selected", G_CALLBACK (over_changed), self);
  g_signal_connect (self->filter, "search-changed", G_CALLBACK (filter_changed), self);
  g_signal_connect (self->filter, "stop-search", G_CALLBACK (filter_left), self);
  g_signal_connect_swapped (self->filter, "activate", G_CALLBACK (filter_entered), self);
  return bar;
}

static GtkWidget *
tables_of (AscWindow *self)
{
  GtkWidget *box = self->tables_box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *stack = self->tables = gtk_stack_new ();
  self->statistics = asc_stats_view_new (self->document);
  gtk_stack_add_titled (GTK_STACK (stack), self->statistics, "statistics", "Statistics");
  gtk_stack_add_titled (GTK_STACK (stack), asc_terminal_view_new (self->document),
                        "terminal", "Terminal");
  self->problems = gtk_stack_add_titled (
      GTK_STACK (stack), asc_problems_view_new (self->document), "problems", "Problems");
  gtk_box_append (GTK_BOX (box), tables_bar (self));
  g_signal_connect_swapped (stack, "notify::visible-child", G_CALLBACK (fit_tab), self);
  gtk_box_append (GTK_BOX (box), stack);
  gtk_widget_set_size_request (box, -1, 120);
  return box;
}

static gboolean
show_bar (gpointer data)
{
  GtkWidget *bar = data;
  GtkAdjustment *adjustment = gtk_scrollbar_get_adjustment (GTK_SCROLLBAR (bar));
  gtk_widget_set_visible (bar, gtk_adjustment_get_upper (adjustment)
                                   > gtk_adjustment_get_page_size (adjustment) + 1);
  return G_SOURCE_REMOVE;
}

/* The scope learns its height while it draws; the bar appears after that. */
static void
lanes_changed (GtkAdjustment *adjustment, GtkWidget *bar)
{
  (void)adjustment;
  g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, show_bar, g_object_ref (bar), g_object_unref);
}

static GtkWidget *
scope_of (AscWindow *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  self->scope = asc_scope_view_new (self->document);
  GtkAdjustment *adjustment = asc_scope_view_adjustment (ASC_SCOPE_VIEW (self->scope));
  GtkWidget *bar = gtk_scrollbar_new (GTK_ORIENTATION_VERTICAL, adjustment);
  gtk_box_append (GTK_BOX (row), self->scope);
  gtk_widget_set_visible (bar, FALSE);
  gtk_box_append (GTK_BOX (row), bar);
  g_signal_connect (adjustment, "changed", G_CALLBACK (lanes_changed), bar);
  gtk_widget_set_vexpand (row, TRUE);
  gtk_box_append (GTK_BOX (box), row);
  gtk_box_append (GTK_BOX (box),
                  asc_overview_view_new (self->document, ASC_SCOPE_VIEW (self->scope)));
  gtk_widget_set_size_request (box, -1, 160);
  return box;
}

static GtkWidget *
main_of (AscWindow *self)
{
  GtkWidget *paned = self->paned = gtk_paned_new (GTK_ORIENTATION_VERTICAL);
  gtk_paned_set_start_child (GTK_PANED (paned), scope_of (self));
  gtk_paned_set_end_child (GTK_PANED (paned), tables_of (self));
  gtk_paned_set_resize_start_child (GTK_PANED (paned), TRUE);
  gtk_paned_set_shrink_start_child (GTK_PANED (paned), FALSE);
  gtk_paned_set_resize_end_child (GTK_PANED (paned), FALSE);
  gtk_paned_set_shrink_end_child (GTK_PANED (paned), FALSE);
  return paned;
}

/* --- dropping a file
 * ----------------------------------------------------------------------------- */

static gboolean
dropped (GtkDropTarget *target, const GValue *value, double x, double y, AscWindow *self)
{
  GSList *files = gdk_file_list_get_files (g_value_get_boxed (value));
  char *path = files != NULL ? g_file_get_path (files->data) : NULL;
  (void)target;
  (void)x;
  (void)y;
  g_slist_free (files);
  if (path == NULL)
    {
      asc_document_say (self->document, 1, "Only files of this computer can be opened.");
      return FALSE;
    }
  asc_document_open (self->document, path);
  g_free (path);
  return TRUE;
}

/* --- life
 * ------------------------------------------------------------------------------------------
 */

AscDocument *
asc_window_document (AscWindow *self)
{
  return self->document;
}

void
asc_window_take (AscWindow *self, const char *text)
{
  if (g_file_test (text, G_FILE_TEST_IS_REGULAR))
    asc_document_open (self->document, text);
  else
    asc_document_connect (self->document, text);
}

/* Told by the surface before sizes are allotted: what is left out makes room at once, and
 * a change of style while they are being allotted would upset them. */
static void
fit_width (AscWindow *self)
{
  GdkSurface *surface = gtk_native_get_surface (GTK_NATIVE (self));
  double shadow, top;
  gtk_native_get_surface_transform (GTK_NATIVE (self), &shadow, &top);
  int width = gdk_surface_get_width (surface) - 2 * (int)shadow;
  bool narrow = width < NARROW_PX;
  asc_header_set_brief (self->header, width < BRIEF_PX);
  if (narrow == self->narrow)
    return;
  self->narrow = narrow;
  asc_header_set_narrow (self->header, narrow);
  asc_stats_view_set_narrow (self->statistics, narrow);
  /* Not by style alone: that is told too late for the size that is being asked for. */
  gtk_editable_set_width_chars (GTK_EDITABLE (self->filter), narrow ? 5 : 10);
  self->n_sessions = 0;
  fill_sessions (self);
  if (narrow)
    gtk_widget_add_css_class (GTK_WIDGET (self), "narrow");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self), "narrow");
}

static void
realized (AscWindow *self)
{
  g_signal_connect_object (gtk_native_get_surface (GTK_NATIVE (self)), "notify::width",
                           G_CALLBACK (fit_width), self, G_CONNECT_SWAPPED);
}

/* Once a frame, until the pane has a height. */
static gboolean
place_pane (GtkWidget *paned, GdkFrameClock *clock, gpointer data)
{
  int height = gtk_widget_get_height (paned);
  (void)clock;
  (void)data;
  if (height <= 1)
    return G_SOURCE_CONTINUE;
  gtk_paned_set_position (GTK_PANED (paned), height * 62 / 100);
  return G_SOURCE_REMOVE;
}

static gboolean
asc_window_close_request (GtkWindow *window)
{
  AscWindow *self = ASC_WINDOW (window);
  asc_settings_keep_window (window);
  asc_document_close (self->document);
  return GTK_WINDOW_CLASS (asc_window_parent_class)->close_request (window);
}

static void
asc_window_dispose (GObject *object)
{
  AscWindow *self = ASC_WINDOW (object);
  if (self->document != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->document, self);
      asc_document_close (self->document);
    }
  g_clear_object (&self->document);
  g_clear_pointer (&self->remembered, g_free);
  G_OBJECT_CLASS (asc_window_parent_class)->dispose (object);
}

static void
asc_window_class_init (AscWindowClass *class)
{
  G_OBJECT_CLASS (class)->dispose = asc_window_dispose;
  GTK_WINDOW_CLASS (class)->close_request = asc_window_close_request;
}

static void
asc_window_init (AscWindow *self)
{
  self->document = asc_document_new ();
  self->header = asc_header_new (self->document);
  gtk_window_set_titlebar (GTK_WINDOW (self), asc_header_widget (self->header));
  self->pages = gtk_stack_new ();
  self->empty = asc_empty_new (self->document);
  gtk_stack_add_named (GTK_STACK (self->pages), self->empty, "empty");
  gtk_stack_add_named (GTK_STACK (self->pages), main_of (self), "main");
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  self->message = asc_message_new (self->document);
  gtk_box_append (GTK_BOX (box), self->message);
  gtk_box_append (GTK_BOX (box), self->pages);
  gtk_window_set_child (GTK_WINDOW (self), box);
  self->page_box = box;
  watch_lists (self, asc_header_widget (self->header));
  watch_lists (self, self->tables_box);
  asc_settings_place_window (GTK_WINDOW (self));
  asc_actions_add (GTK_WINDOW (self), self->document,
                   &(AscActionWidgets){ asc_header_connect_button (self->header),
                                        self->filter, self->scope, self->tables });
  GtkDropTarget *target = gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);
  g_signal_connect (target, "drop", G_CALLBACK (dropped), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (target));
  g_signal_connect_swapped (self->document, "state", G_CALLBACK (state_changed), self);
  g_signal_connect_swapped (self->document, "session", G_CALLBACK (data_changed), self);
  g_signal_connect_swapped (self->document, "data", G_CALLBACK (data_changed), self);
  gtk_widget_add_tick_callback (self->paned, place_pane, NULL, NULL);
  g_signal_connect (self, "realize", G_CALLBACK (realized), NULL);
  state_changed (self);
}

AscWindow *
asc_window_new (GtkApplication *application)
{
  return g_object_new (ASC_TYPE_WINDOW, "application", application, NULL);
}
