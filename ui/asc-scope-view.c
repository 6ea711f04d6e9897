#include "asc-scope-view.h"

#include "asc-format.h"
#include "asc-hover.h"
#include "asc-keys.h"
#include "asc-scope-describe.h"
#include "asc-scope-frame.h"

#include <math.h>

#define ZOOM_STEP 0.8
#define KEY_ZOOM 0.7
#define PAN_STEP 0.1
#define NARROW_PX 900

struct _AscScopeView
{
  GtkWidget parent;
  AscDocument *document;
  AscRows *rows;
  AscText *text;
  AscScopeFrame frame;
  GtkAdjustment *adjustment;
  bool pointer_inside, pointer_moved;
  double pointer_x, pointer_y;
  AscHover hover;
  gint64 drag_from_ns; /* a selection begins here */
  double drag_last_x;  /* panning */
  bool dragging, panning;
  double pinch;
  guint settle; /* timeout until an exact picture */
  bool moving;
};

G_DEFINE_TYPE (AscScopeView, asc_scope_view, GTK_TYPE_WIDGET)

/* --- what is painted -------------------------------------------------------------------
 */

const AscTheme *
asc_scope_view_theme (GtkWidget *widget)
{
  gboolean dark = FALSE;
  char *name = NULL;
  GtkSettings *settings = gtk_widget_get_settings (widget);
  g_object_get (settings, "gtk-application-prefer-dark-theme", &dark, "gtk-theme-name",
                &name, NULL);
  dark = dark || (name != NULL && g_str_has_suffix (name, "dark"));
  g_free (name);
  return dark ? asc_theme_dark () : asc_theme_light ();
}

void
asc_scope_view_scope (AscScopeView *self, AscScope *scope)
{
  *scope = (AscScope){
    .session = asc_document_session (self->document),
    .view = asc_document_view (self->document),
    .theme = asc_scope_view_theme (GTK_WIDGET (self)),
    .text = self->text,
    .rows = self->rows,
    .names_width = gtk_widget_get_width (GTK_WIDGET (self)) < NARROW_PX ? ASC_NAMES_NARROW
                                                                        : ASC_NAMES_WIDTH,
    .scroll = gtk_adjustment_get_value (self->adjustment),
    .chosen = asc_document_chosen (self->document),
    .hog_ns = asc_document_hog_ns (self->document),
    .precision = self->moving ? ASC_TOLERANT : ASC_EXACT,
    .pointer_inside = self->pointer_inside && !self->dragging && !self->panning,
    .pointer_x = self->pointer_x,
    .pointer_y = self->pointer_y,
    .hover = &self->hover,
  };
  scope->percent = asc_document_percent (self->document, &scope->n_percent);
}

static void
update_rows (AscScopeView *self)
{
  AscSession *session = asc_document_session (self->document);
  double height = MAX (gtk_widget_get_height (GTK_WIDGET (self)) - ASC_RULER_HEIGHT, 1);
  asc_rows_update (self->rows, session, height, asc_document_filter (self->document));
}

/* Before sizes are allotted: a scroll bar that changes while the window is being drawn
 * would be drawn without its place. */
static void
update_adjustment (AscScopeView *self)
{
  update_rows (self);
  double height = MAX (gtk_widget_get_height (GTK_WIDGET (self)) - ASC_RULER_HEIGHT, 1);
  double value = gtk_adjustment_get_value (self->adjustment);
  double total = MAX (self->rows->height, height);
  if (fabs (gtk_adjustment_get_upper (self->adjustment) - total) >= 1
      || fabs (gtk_adjustment_get_page_size (self->adjustment) - height) >= 1)
    gtk_adjustment_configure (self->adjustment, MIN (value, total - height), 0, total, 40,
                              height * 0.9, height);
}

static void
describe (AscScopeView *self)
{
  asc_scope_describe (GTK_WIDGET (self), self->document, &self->hover);
}

static void
asc_scope_view_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  AscScopeView *self = ASC_SCOPE_VIEW (widget);
  AscScope scope;
  if (gtk_widget_get_width (widget) < 1 || gtk_widget_get_height (widget) < 1)
    return;
  update_rows (self);
  asc_scope_view_scope (self, &scope);
  if (asc_hover_update (&self->hover, &scope, gtk_widget_get_width (widget),
                        self->pointer_moved))
    describe (self);
  self->pointer_moved = false;
  asc_scope_frame_snapshot (&self->frame, snapshot, &scope, widget);
}

static gboolean
settled (gpointer data)
{
  AscScopeView *self = data;
  self->settle = 0;
  self->moving = false;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  return G_SOURCE_REMOVE;
}

/* While the hand moves the picture may be tolerant; at rest it is exact. */
static void
moved (AscScopeView *self)
{
  self->moving = true;
  if (self->settle != 0)
    g_source_remove (self->settle);
  self->settle = g_timeout_add (120, settled, self);
  asc_document_view_changed (self->document);
}

static double
time_width (AscScopeView *self)
{
  AscScope scope;
  asc_scope_view_scope (self, &scope);
  return asc_scope_time_width (&scope, gtk_widget_get_width (GTK_WIDGET (self)));
}

static gint64
time_at (AscScopeView *self, double x)
{
  AscScope scope;
  asc_scope_view_scope (self, &scope);
  return asc_view_ns (scope.view, x - scope.names_width, time_width (self));
}

static double
names_width (AscScopeView *self)
{
  AscScope scope;
  asc_scope_view_scope (self, &scope);
  return scope.names_width;
}

/* The pointer's place in time, or the middle of what is seen. */
static gint64
caret (AscScopeView *self)
{
  const AscView *view = asc_document_view (self->document);
  if (self->pointer_inside && self->pointer_x >= names_width (self))
    return time_at (self, self->pointer_x);
  return view->from_ns + (view->to_ns - view->from_ns) / 2;
}

/* --- keys
 * --------------------------------------------------------------------------------- */

static void
choose_row (AscScopeView *self, const AscRow *row)
{
  if (row == NULL || row->kind != ASC_ROW_LANE)
    return;
  asc_document_choose_lane (self->document, row->lane);
  double value = gtk_adjustment_get_value (self->adjustment);
  double page = gtk_adjustment_get_page_size (self->adjustment);
  if (row->y < value)
    gtk_adjustment_set_value (self->adjustment, row->y);
  else if (row->y + row->height > value + page)
    gtk_adjustment_set_value (self->adjustment, row->y + row->height - page);
}

static void
step_lane (AscScopeView *self, int direction)
{
  GArray *rows = self->rows->rows;
  const AscRow *now = asc_rows_of (self->rows, asc_document_chosen (self->document));
  gint64 i = now != NULL     ? now - (const AscRow *)(void *)rows->data + direction
             : direction > 0 ? 0
                             : (gint64)rows->len - 1;
  for (; i >= 0 && i < (gint64)rows->len; i += direction)
    {
      const AscRow *row = &g_array_index (rows, AscRow, i);
      if (row->kind == ASC_ROW_LANE)
        {
          choose_row (self, row);
          return;
        }
    }
}

static void
hold_or_follow (AscScopeView *self, bool follow)
{
  if (asc_document_live (self->document))
    asc_view_follow (asc_document_view (self->document), follow);
  else if (follow)
    {
      AscView *view = asc_document_view (self->document);
      gint64 length = view->to_ns - view->from_ns;
      asc_view_show (view, view->data_to_ns - length, view->data_to_ns);
    }
}

static bool
act (AscScopeView *self, AscKeyAction action)
{
  AscView *view = asc_document_view (self->document);
  switch (action)
    {
    case ASC_KEY_ZOOM_IN:
      asc_view_zoom (view, KEY_ZOOM, caret (self));
      break;
    case ASC_KEY_ZOOM_OUT:
      asc_view_zoom (view, 1 / KEY_ZOOM, caret (self));
      break;
    case ASC_KEY_EARLIER:
      asc_view_pan (view, -PAN_STEP);
      break;
    case ASC_KEY_LATER:
      asc_view_pan (view, PAN_STEP);
      break;
    case ASC_KEY_LANE_UP:
      step_lane (self, -1);
      return true;
    case ASC_KEY_LANE_DOWN:
      step_lane (self, 1);
      return true;
    case ASC_KEY_FRAME:
      asc_view_frame (view);
      break;
    case ASC_KEY_CURSOR_A:
      asc_view_set_cursor (view, 0, caret (self));
      break;
    case ASC_KEY_CURSOR_B:
      asc_view_set_cursor (view, 1, caret (self));
      break;
    case ASC_KEY_CLEAR:
      if (!asc_view_clear (view))
        return false;
      break;
    case ASC_KEY_PREVIOUS_RUN:
      return asc_document_step_run (self->document, -1);
    case ASC_KEY_NEXT_RUN:
      return asc_document_step_run (self->document, 1);
    case ASC_KEY_PREVIOUS_HOG:
      return gtk_widget_activate_action (GTK_WIDGET (self), "win.previous-hog", NULL);
    case ASC_KEY_NEXT_HOG:
      return gtk_widget_activate_action (GTK_WIDGET (self), "win.next-hog", NULL);
    case ASC_KEY_HOLD:
      hold_or_follow (self, !view->following);
      break;
    case ASC_KEY_FOLLOW:
      hold_or_follow (self, true);
      break;
    case ASC_KEY_START:
      asc_view_show (view, view->data_from_ns,
                     view->data_from_ns + (view->to_ns - view->from_ns));
      break;
    case ASC_KEY_NONE:
      return false;
    }
  moved (self);
  return true;
}

static gboolean
key_pressed (GtkEventControllerKey *controller,
             guint keyval,
             guint keycode,
             GdkModifierType state,
             AscScopeView *self)
{
  (void)controller;
  (void)keycode;
  if (asc_document_session (self->document) == NULL)
    return FALSE;
  return act (self, asc_key_action (keyval, state));
}

/* --- pointer
 * -------------------------------------------------------------------------------- */

static void
motion (GtkEventControllerMotion *controller, double x, double y, AscScopeView *self)
{
  (void)controller;
  /* GTK also tells of a pointer that rests when something is laid out anew. */
  if (!self->pointer_inside || x != self->pointer_x || y != self->pointer_y)
    self->pointer_moved = true;
  self->pointer_inside = true;
  self->pointer_x = x;
  self->pointer_y = y;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
leave (GtkEventControllerMotion *controller, AscScopeView *self)
{
  (void)controller;
  self->pointer_inside = false;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static gboolean
scroll (GtkEventControllerScroll *controller, double dx, double dy, AscScopeView *self)
{
  GdkModifierType state
      = gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (controller));
  AscView *view = asc_document_view (self->document);
  if (asc_document_session (self->document) == NULL)
    return FALSE;
  if (state & GDK_CONTROL_MASK)
    asc_view_zoom (view, pow (1 / ZOOM_STEP, dy), caret (self));
  else if ((state & GDK_SHIFT_MASK) || fabs (dx) > fabs (dy))
    asc_view_pan (view, PAN_STEP * (fabs (dx) > fabs (dy) ? dx : dy));
  else
    {
      double value = gtk_adjustment_get_value (self->adjustment);
      gtk_adjustment_set_value (self->adjustment, value + dy * 40);
      return TRUE;
    }
  moved (self);
  return TRUE;
}

static void
drag_begin (GtkGestureDrag *gesture, double x, double y, AscScopeView *self)
{
  guint button = gtk_gesture_single_get_current_button (GTK_GESTURE_SINGLE (gesture));
  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (asc_document_session (self->document) == NULL || x < names_width (self))
    {
      gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_DENIED);
      return;
    }
  self->panning = button == GDK_BUTTON_MIDDLE || y < ASC_RULER_HEIGHT;
  self->drag_last_x = 0;
  self->drag_from_ns = time_at (self, x);
}

static void
drag_update (GtkGestureDrag *gesture, double dx, double dy, AscScopeView *self)
{
  double x, y;
  AscView *view = asc_document_view (self->document);
  (void)dy;
  gtk_gesture_drag_get_start_point (gesture, &x, &y);
  if (self->panning)
    {
      asc_view_pan (view, (self->drag_last_x - dx) / time_width (self));
      self->drag_last_x = dx;
      moved (self);
      return;
    }
  if (!self->dragging && fabs (dx) < 4)
    return;
  self->dragging = true;
  view->following = false;
  asc_view_select (view, self->drag_from_ns,
                   time_at (self, MAX (x + dx, names_width (self))));
  moved (self);
}

static void
drag_end (GtkGestureDrag *gesture, double dx, double dy, AscScopeView *self)
{
  (void)gesture;
  (void)dx;
  (void)dy;
  self->dragging = self->panning = false;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
released (GtkGestureClick *gesture, int n, double x, double y, AscScopeView *self)
{
  AscScope scope;
  const AscRow *row;
  AscRun run;
  (void)gesture;
  if (self->dragging)
    return;
  asc_scope_view_scope (self, &scope);
  if (n == 1)
    {
      choose_row (self, asc_scope_row_at (&scope, y));
      return;
    }
  double width = gtk_widget_get_width (GTK_WIDGET (self));
  if (n == 2 && scope.session != NULL
      && asc_scope_run_at (&scope, width, x, y, &row, &run))
    {
      gint64 length = MAX (run.end_ns - run.start_ns, 1);
      asc_view_show (asc_document_view (self->document), run.start_ns - length / 2,
                     run.end_ns + length / 2);
      moved (self);
    }
}

static void
pinch_begin (GtkGesture *gesture, GdkEventSequence *sequence, AscScopeView *self)
{
  (void)gesture;
  (void)sequence;
  self->pinch = 1;
}

static void
pinched (GtkGestureZoom *gesture, double scale, AscScopeView *self)
{
  (void)gesture;
  if (scale <= 0 || asc_document_session (self->document) == NULL)
    return;
  asc_view_zoom (asc_document_view (self->document), self->pinch / scale, caret (self));
  self->pinch = scale;
  moved (self);
}

/* --- life
 * -------------------------------------------------------------------------------------
 */

static gboolean
tick (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  (void)clock;
  (void)data;
  asc_document_tick (ASC_SCOPE_VIEW (widget)->document);
  update_adjustment (ASC_SCOPE_VIEW (widget));
  return G_SOURCE_CONTINUE;
}

static void
redraw (AscScopeView *self)
{
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
session_changed (AscScopeView *self)
{
  gtk_adjustment_set_value (self->adjustment, 0);
  self->hover = (AscHover){ .kind = ASC_HOVER_NOTHING };
  asc_scope_frame_forget (&self->frame);
  describe (self);
  redraw (self);
}

static void
asc_scope_view_dispose (GObject *object)
{
  AscScopeView *self = ASC_SCOPE_VIEW (object);
  if (self->settle != 0)
    g_source_remove (self->settle);
  self->settle = 0;
  if (self->document != NULL)
    g_signal_handlers_disconnect_by_data (self->document, self);
  g_clear_object (&self->document);
  g_clear_object (&self->adjustment);
  asc_scope_frame_clear (&self->frame);
  g_clear_pointer (&self->rows, asc_rows_free);
  g_clear_pointer (&self->text, asc_text_free);
  G_OBJECT_CLASS (asc_scope_view_parent_class)->dispose (object);
}

static void
asc_scope_view_class_init (AscScopeViewClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);
  G_OBJECT_CLASS (class)->dispose = asc_scope_view_dispose;
  widget_class->snapshot = asc_scope_view_snapshot;
  gtk_widget_class_set_css_name (widget_class, "scope");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
add_controllers (AscScopeView *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  GtkEventController *keys = gtk_event_controller_key_new ();
  g_signal_connect (keys, "key-pressed", G_CALLBACK (key_pressed), self);
  gtk_widget_add_controller (widget, keys);
  GtkEventController *pointer = gtk_event_controller_motion_new ();
  g_signal_connect (pointer, "enter", G_CALLBACK (motion), self);
  g_signal_connect (pointer, "motion", G_CALLBACK (motion), self);
  g_signal_connect (pointer, "leave", G_CALLBACK (leave), self);
  gtk_widget_add_controller (widget, pointer);
  GtkEventController *wheel
      = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  g_signal_connect (wheel, "scroll", G_CALLBACK (scroll), self);
  gtk_widget_add_controller (widget, wheel);
  static const guint buttons[] = { GDK_BUTTON_PRIMARY, GDK_BUTTON_MIDDLE };
  for (gsize i = 0; i < G_N_ELEMENTS (buttons); i++)
    {
      GtkGesture *drag = gtk_gesture_drag_new ();
      gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (drag), buttons[i]);
      g_signal_connect (drag, "drag-begin", G_CALLBACK (drag_begin), self);
      g_signal_connect (drag, "drag-update", G_CALLBACK (drag_update), self);
      g_signal_connect (drag, "drag-end", G_CALLBACK (drag_end), self);
      gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (drag));
    }
  GtkGesture *click = gtk_gesture_click_new ();
  g_signal_connect (click, "released", G_CALLBACK (released), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (click));
  GtkGesture *pinch = gtk_gesture_zoom_new ();
  g_signal_connect (pinch, "begin", G_CALLBACK (pinch_begin), self);
  g_signal_connect (pinch, "scale-changed", G_CALLBACK (pinched), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (pinch));
}

static void
asc_scope_view_init (AscScopeView *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  self->rows = asc_rows_new ();
  self->text = asc_text_new ();
  asc_scope_frame_init (&self->frame);
  self->adjustment = g_object_ref_sink (gtk_adjustment_new (0, 0, 1, 40, 100, 1));
  gtk_widget_set_focusable (widget, TRUE);
  gtk_widget_set_hexpand (widget, TRUE);
  gtk_widget_set_vexpand (widget, TRUE);
  gtk_widget_set_overflow (widget, GTK_OVERFLOW_HIDDEN);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Scope", -1);
  add_controllers (self);
  g_signal_connect_swapped (self->adjustment, "value-changed", G_CALLBACK (redraw), self);
  gtk_widget_add_tick_callback (widget, tick, NULL, NULL);
}

GtkAdjustment *
asc_scope_view_adjustment (AscScopeView *self)
{
  return self->adjustment;
}

GtkWidget *
asc_scope_view_new (AscDocument *document)
{
  AscScopeView *self = g_object_new (ASC_TYPE_SCOPE_VIEW, NULL);
  self->document = g_object_ref (document);
  g_signal_connect_swapped (document, "session", G_CALLBACK (session_changed), self);
  g_signal_connect_swapped (document, "data", G_CALLBACK (redraw), self);
  g_signal_connect_swapped (document, "view", G_CALLBACK (redraw), self);
  g_signal_connect_swapped (document, "stats", G_CALLBACK (redraw), self);
  g_signal_connect_swapped (document, "stats", G_CALLBACK (describe), self);
  g_signal_connect_swapped (document, "view", G_CALLBACK (describe), self);
  return GTK_WIDGET (self);
}
