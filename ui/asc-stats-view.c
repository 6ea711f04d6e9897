#include "asc-stats-view.h"

#include "asc-stats-row.h"

typedef struct
{
  AscDocument *document;
  GListStore *store;
  GtkFilter *filter;
  GtkSorter *sorter;
  GtkSingleSelection *selection; /* the view may be gone before us */
  GtkWidget *view;
  GtkColumnViewColumn *columns[ASC_COLUMN_N]; /* the view's */
  AscStatsColumn sorted_by;
  GtkSortType order;
  GtkWidget *scrolled;
  GtkWidget *nothing;   /* said in the table's place while it is empty */
  const AscLane *shown; /* compared only: the lane that was chosen last */
  int frames_to_top;    /* that it is still held at its top */
  bool telling;         /* the selection changes by our own hand */
} StatsView;

typedef struct
{
  StatsView *view;
  AscStatsColumn column;
} Cell;

/* --- cells
 * -------------------------------------------------------------------------------- */

static void
show (GtkListItem *item, const Cell *cell)
{
  char text[160];
  GtkWidget *label = gtk_list_item_get_child (item);
  AscStatsRow *row = gtk_list_item_get_item (item);
  if (row == NULL || label == NULL)
    return;
  gtk_label_set_text (GTK_LABEL (label),
                      asc_stats_row_text (row, cell->column, text, sizeof text));
  bool hog = cell->column == ASC_COLUMN_MAX
             && asc_stats_row_stats (row)->max_ns
                    >= asc_document_hog_ns (cell->view->document);
  if (hog)
    gtk_widget_add_css_class (label, "hog");
  else
    gtk_widget_remove_css_class (label, "hog");
}

static void
row_changed (AscStatsRow *row, GtkListItem *item)
{
  (void)row;
  show (item, g_object_get_data (G_OBJECT (item), "cell"));
}

static void
setup (GtkSignalListItemFactory *factory, GtkListItem *item, Cell *cell)
{
  GtkWidget *label = gtk_label_new (NULL);
  (void)factory;
  gtk_label_set_xalign (GTK_LABEL (label), cell->column == ASC_COLUMN_TASK ? 0 : 1);
  gtk_label_set_single_line_mode (GTK_LABEL (label), TRUE);
  if (cell->column == ASC_COLUMN_TASK)
    gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  else
    gtk_widget_add_css_class (label, "number");
  gtk_list_item_set_child (item, label);
  g_object_set_data (G_OBJECT (item), "cell", cell);
}

static void
bind (GtkSignalListItemFactory *factory, GtkListItem *item, Cell *cell)
{
  (void)factory;
  g_signal_connect (gtk_list_item_get_item (item), "changed", G_CALLBACK (row_changed),
                    item);
  show (item, cell);
}

static void
unbind (GtkSignalListItemFactory *factory, GtkListItem *item, Cell *cell)
{
  (void)factory;
  (void)cell;
  g_signal_handlers_disconnect_by_data (gtk_list_item_get_item (item), item);
}

static int
compare (gconstpointer a, gconstpointer b, gpointer column)
{
  return asc_stats_row_compare ((AscStatsRow *)(gpointer)(gsize)a,
                                (AscStatsRow *)(gpointer)(gsize)b,
                                GPOINTER_TO_INT (column));
}

static void
free_cell (gpointer cell, GClosure *closure)
{
  (void)closure;
  g_free (cell);
}

static GtkColumnViewColumn *
add_column (StatsView *self, AscStatsColumn column)
{
  Cell *cell = g_new (Cell, 1);
  *cell = (Cell){ self, column };
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_signal_connect_data (factory, "setup", G_CALLBACK (setup), cell, free_cell, 0);
  g_signal_connect (factory, "bind", G_CALLBACK (bind), cell);
  g_signal_connect (factory, "unbind", G_CALLBACK (unbind), cell);
  GtkColumnViewColumn *made
      = gtk_column_view_column_new (asc_stats_column_title (column), factory);
  GtkSorter *sorter
      = GTK_SORTER (gtk_custom_sorter_new (compare, GINT_TO_POINTER (column), NULL));
  gtk_column_view_column_set_sorter (made, sorter);
  g_object_unref (sorter);
  gtk_column_view_column_set_resizable (made, TRUE);
  if (column == ASC_COLUMN_TASK)
    gtk_column_view_column_set_fixed_width (made, 150);
  else
    gtk_column_view_column_set_expand (made, TRUE);
  gtk_column_view_append_column (GTK_COLUMN_VIEW (self->view), made);
  g_object_unref (made);
  return made;
}

static void
sort_by (StatsView *self, AscStatsColumn column, GtkSortType order)
{
  self->sorted_by = column;
  self->order = order;
  gtk_column_view_sort_by_column (GTK_COLUMN_VIEW (self->view), self->columns[column],
                                  order);
}

/* At the next frame: GTK 4.18 sorts at a click too, after the click was claimed. */
static gboolean
sort_as_told (GtkWidget *view, GdkFrameClock *clock, gpointer data)
{
  StatsView *self = data;
  (void)view;
  (void)clock;
  sort_by (self, self->sorted_by, self->order);
  return G_SOURCE_REMOVE;
}

/* GTK would begin with the smallest, and from a third click on not sort at all. */
static void
head_clicked (GtkGestureClick *click, int n, double x, double y, StatsView *self)
{
  GtkWidget *head = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (click));
  AscStatsColumn column
      = (AscStatsColumn)GPOINTER_TO_INT (g_object_get_data (G_OBJECT (head), "column"));
  GtkSortType first
      = column == ASC_COLUMN_TASK ? GTK_SORT_ASCENDING : GTK_SORT_DESCENDING;
  (void)n;
  if (!gtk_widget_contains (head, x, y))
    return;
  gtk_gesture_set_state (GTK_GESTURE (click), GTK_EVENT_SEQUENCE_CLAIMED);
  self->order = self->sorted_by != column           ? first
                : self->order == GTK_SORT_ASCENDING ? GTK_SORT_DESCENDING
                                                    : GTK_SORT_ASCENDING;
  self->sorted_by = column;
  gtk_widget_add_tick_callback (self->view, sort_as_told, self, NULL);
}

static void
dress_head (StatsView *self, GtkWidget *label, AscStatsColumn column)
{
  GtkWidget *head = label, *parent;
  while ((parent = gtk_widget_get_parent (head)) != NULL
         && g_strcmp0 (gtk_widget_get_css_name (head), "button") != 0
         && parent != self->view)
    head = parent;
  if (g_strcmp0 (gtk_widget_get_css_name (head), "button") != 0)
    head = label;
  gtk_widget_set_tooltip_text (head, asc_stats_column_help (column));
  GtkGesture *click = gtk_gesture_click_new ();
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (click),
                                              GTK_PHASE_CAPTURE);
  g_object_set_data (G_OBJECT (head), "column", GINT_TO_POINTER ((int)column));
  g_signal_connect (click, "released", G_CALLBACK (head_clicked), self);
  gtk_widget_add_controller (head, GTK_EVENT_CONTROLLER (click));
}

/* Titles stand over their figures: GTK has no property for that, so the title's label,
 * found by walking the header, is told to. */
static void
align_titles (StatsView *self, GtkWidget *widget, int *column)
{
  if (GTK_IS_LABEL (widget))
    {
      if ((*column)++ > 0)
        {
          gtk_widget_set_hexpand (widget, TRUE);
          gtk_label_set_xalign (GTK_LABEL (widget), 1);
        }
      if (*column <= ASC_COLUMN_N)
        dress_head (self, widget, (AscStatsColumn)(*column - 1));
      return;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    align_titles (self, child, column);
}

/* --- the document
 * ---------------------------------------------------------------------------- */

static AscStatsRow *
find (StatsView *self, const AscLane *lane, guint *position)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->store));
  for (guint i = 0; i < n; i++)
    {
      AscStatsRow *row = g_list_model_get_item (G_LIST_MODEL (self->store), i);
      g_object_unref (row); /* the store holds it */
      if (asc_stats_row_stats (row)->lane == lane)
        {
          *position = i;
          return row;
        }
    }
  return NULL;
}

/* The list keeps the row at its top in place when rows are sorted anew; a table that was
 * not scrolled shall stay at its top instead. It settles within two frames. Not in the
 * first: rows that changed have no place before the next layout, and GTK 4.8 then warns.
 */
#define FRAMES_TO_TOP 3

static void
rows_changed (StatsView *self)
{
  if (self->frames_to_top > 0)
    self->frames_to_top = FRAMES_TO_TOP;
}

static gboolean
to_top (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  StatsView *self = data;
  (void)clock;
  if (self->frames_to_top <= 0) /* something else is shown meanwhile */
    return G_SOURCE_REMOVE;
  if (self->frames_to_top < FRAMES_TO_TOP)
    gtk_adjustment_set_value (
        gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (widget)), 0);
  return --self->frames_to_top > 0 ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static bool
at_top (StatsView *self)
{
  return gtk_adjustment_get_value (
             gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self->scrolled)))
         < 1;
}

static void
take_stats (StatsView *self)
{
  if (self->frames_to_top > 0 || at_top (self))
    {
      if (self->frames_to_top == 0)
        gtk_widget_add_tick_callback (self->scrolled, to_top, self, NULL);
      self->frames_to_top = FRAMES_TO_TOP;
    }
  const AscStats *stats = asc_document_stats (self->document);
  guint position;
  if (stats == NULL || asc_document_over_nothing (self->document))
    {
      g_list_store_remove_all (self->store);
      return;
    }
  for (gsize i = 0; i < stats->n_tasks; i++)
    {
      AscStatsRow *row = find (self, stats->tasks[i].lane, &position);
      if (row != NULL)
        asc_stats_row_update (row, &stats->tasks[i]);
      else
        {
          row = asc_stats_row_new (&stats->tasks[i]);
          g_list_store_append (self->store, row);
          g_object_unref (row);
        }
    }
  gtk_sorter_changed (self->sorter, GTK_SORTER_CHANGE_DIFFERENT);
}

/* GTK has a function for that from 4.12 on; the action is there before. */
static void
scroll_to (StatsView *self, guint position)
{
  GtkWidget *list = gtk_widget_get_last_child (self->view);
  while (list != NULL && !GTK_IS_LIST_VIEW (list))
    list = gtk_widget_get_prev_sibling (list);
  self->frames_to_top = 0;
  if (list != NULL)
    gtk_widget_activate_action (list, "list.scroll-to-item", "u", position);
}

/* The lane that stands for the chosen one's task. */
static const AscLane *
chosen_task (StatsView *self)
{
  const AscLane *lane = asc_document_chosen (self->document);
  AscSession *session = asc_document_session (self->document);
  AscLaneInfo info;
  if (lane == NULL || session == NULL)
    return NULL;
  asc_lane_info (lane, &info);
  return asc_session_lane (session, info.task);
}

static void
take_chosen (StatsView *self)
{
  const AscLane *lane = chosen_task (self);
  GListModel *model = G_LIST_MODEL (self->selection);
  guint found = GTK_INVALID_LIST_POSITION;
  self->telling = true;
  gtk_filter_changed (self->filter, GTK_FILTER_CHANGE_DIFFERENT);
  guint n = g_list_model_get_n_items (model);
  for (guint i = 0; lane != NULL && i < n; i++)
    {
      AscStatsRow *row = g_list_model_get_item (model, i);
      if (row != NULL && asc_stats_row_stats (row)->lane == lane)
        found = i;
      g_clear_object (&row);
    }
  gtk_single_selection_set_selected (self->selection, found);
  if (found != GTK_INVALID_LIST_POSITION && lane != self->shown)
    scroll_to (self, found);
  self->shown = lane;
  self->telling = false;
  bool nothing = asc_document_over_nothing (self->document);
  if (nothing)
    g_list_store_remove_all (self->store);
  gtk_widget_set_visible (self->nothing, nothing);
}

static AscLane *
lane_at (StatsView *self, guint position, gint64 *max_at_ns, gint64 *max_ns)
{
  AscStatsRow *row = g_list_model_get_item (G_LIST_MODEL (self->selection), position);
  AscSession *session = asc_document_session (self->document);
  AscLane *lane = NULL;
  if (row == NULL)
    return NULL;
  const AscTaskStats *stats = asc_stats_row_stats (row);
  guint n = session != NULL ? asc_session_n_lanes (session) : 0;
  for (guint i = 0; i < n; i++)
    if (asc_session_lane (session, i) == stats->lane)
      lane = asc_session_lane (session, i);
  *max_at_ns = stats->max_at_ns;
  *max_ns = stats->max_ns;
  g_object_unref (row);
  return lane;
}

static void
selected (StatsView *self)
{
  gint64 at, length;
  guint position = gtk_single_selection_get_selected (self->selection);
  if (self->telling || position == GTK_INVALID_LIST_POSITION)
    return;
  asc_document_choose_lane (self->document, lane_at (self, position, &at, &length));
}

/* Shows the task's longest run. */
static void
activated (GtkColumnView *view, guint position, StatsView *self)
{
  gint64 at, length;
  AscLane *lane = lane_at (self, position, &at, &length);
  (void)view;
  if (lane == NULL || length < 0)
    return;
  asc_document_choose_lane (self->document, lane);
  asc_view_show (asc_document_view (self->document), at - length / 2,
                 at + length + length / 2);
  asc_document_view_changed (self->document);
}

static gboolean
matches (gpointer item, gpointer data)
{
  StatsView *self = data;
  return asc_name_matches (asc_stats_row_stats (item)->task,
                           asc_document_filter (self->document));
}

static void
destroyed (gpointer data)
{
  StatsView *self = data;
  g_signal_handlers_disconnect_by_data (self->document, self);
  g_signal_handlers_disconnect_by_data (self->selection, self);
  g_object_unref (self->selection);
  g_object_unref (self->document);
  g_free (self);
}

void
asc_stats_view_set_narrow (GtkWidget *view, bool narrow)
{
  StatsView *self = g_object_get_data (G_OBJECT (view), "stats-view");
  static const AscStatsColumn left_out[] = { ASC_COLUMN_RATE, ASC_COLUMN_MEAN };
  for (gsize i = 0; i < G_N_ELEMENTS (left_out); i++)
    gtk_column_view_column_set_visible (self->columns[left_out[i]], !narrow);
}

GtkWidget *
asc_stats_view_new (AscDocument *document)
{
  StatsView *self = g_new0 (StatsView, 1);
  self->document = g_object_ref (document);
  self->view = gtk_column_view_new (NULL);
  self->store = g_list_store_new (ASC_TYPE_STATS_ROW);
  self->filter = GTK_FILTER (gtk_custom_filter_new (matches, self, NULL));
  self->sorter = gtk_column_view_get_sorter (GTK_COLUMN_VIEW (self->view));
  GtkFilterListModel *filtered
      = gtk_filter_list_model_new (G_LIST_MODEL (self->store), self->filter);
  GtkSortListModel *sorted
      = gtk_sort_list_model_new (G_LIST_MODEL (filtered), g_object_ref (self->sorter));
  self->selection = gtk_single_selection_new (G_LIST_MODEL (sorted));
  gtk_single_selection_set_autoselect (self->selection, FALSE);
  gtk_single_selection_set_can_unselect (self->selection, TRUE);
  gtk_single_selection_set_selected (self->selection, GTK_INVALID_LIST_POSITION);
  g_signal_connect_swapped (self->selection, "items-changed", G_CALLBACK (rows_changed),
                            self);
  gtk_column_view_set_model (GTK_COLUMN_VIEW (self->view),
                             GTK_SELECTION_MODEL (self->selection));
  for (AscStatsColumn column = 0; column < ASC_COLUMN_N; column++)
    self->columns[column] = add_column (self, column);
  sort_by (self, ASC_COLUMN_MAX, GTK_SORT_DESCENDING);
  int column = 0;
  align_titles (self, gtk_widget_get_first_child (self->view), &column);
  gtk_widget_add_css_class (self->view, "statistics");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->view),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, "Statistics", -1);

  g_signal_connect (self->view, "activate", G_CALLBACK (activated), self);
  g_signal_connect_swapped (self->selection, "notify::selected", G_CALLBACK (selected),
                            self);
  g_signal_connect_swapped (document, "stats", G_CALLBACK (take_stats), self);
  g_signal_connect_swapped (document, "view", G_CALLBACK (take_chosen), self);

  GtkWidget *scrolled = self->scrolled = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), self->view);
  gtk_widget_set_vexpand (scrolled, TRUE);
  GtkWidget *nothing = self->nothing = gtk_label_new (
      "Nothing is selected. Drag across the lanes, or step with , and . from run to run: "
      "the table is then about that stretch.");
  gtk_label_set_wrap (GTK_LABEL (nothing), TRUE);
  gtk_label_set_justify (GTK_LABEL (nothing), GTK_JUSTIFY_CENTER);
  gtk_widget_add_css_class (nothing, "dim");
  gtk_widget_set_halign (nothing, GTK_ALIGN_CENTER);
  gtk_widget_set_valign (nothing, GTK_ALIGN_CENTER);
  gtk_widget_set_visible (nothing, FALSE);
  GtkWidget *overlay = gtk_overlay_new ();
  gtk_overlay_set_child (GTK_OVERLAY (overlay), scrolled);
  gtk_overlay_add_overlay (GTK_OVERLAY (overlay), nothing);
  g_object_set_data_full (G_OBJECT (overlay), "stats-view", self, destroyed);
  return overlay;
}
