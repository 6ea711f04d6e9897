/* The whole session as a strip under the lanes: a click or drag moves what is seen. */
#include "asc-scope-view.h"

#define ASC_TYPE_OVERVIEW_VIEW (asc_overview_view_get_type ())
G_DECLARE_FINAL_TYPE (AscOverviewView, asc_overview_view, ASC, OVERVIEW_VIEW, GtkWidget)

#define INTERVAL_US 250000 /* the strip need not be newer than this */

struct _AscOverviewView
{
  GtkWidget parent;
  AscDocument *document;
  AscScopeView *scope; /* a weak pointer */
  double drag_x;
  gint64 drawn_us;
};

G_DEFINE_TYPE (AscOverviewView, asc_overview_view, GTK_TYPE_WIDGET)

static void
asc_overview_view_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  AscOverviewView *self = ASC_OVERVIEW_VIEW (widget);
  AscScope scope;
  float width = (float)gtk_widget_get_width (widget);
  float height = (float)gtk_widget_get_height (widget);
  if (self->scope == NULL || width < 1 || height < 1)
    return;
  asc_scope_view_scope (self->scope, &scope);
  cairo_t *cr
      = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (0, 0, width, height));
  asc_overview_draw (cr, &scope, (double)width, (double)height);
  cairo_destroy (cr);
  self->drawn_us = g_get_monotonic_time ();
}

static void
centre_on (AscOverviewView *self, double x)
{
  AscScope scope;
  AscView *view = asc_document_view (self->document);
  if (self->scope == NULL || asc_document_session (self->document) == NULL)
    return;
  asc_scope_view_scope (self->scope, &scope);
  gint64 middle = asc_overview_ns (&scope, x, gtk_widget_get_width (GTK_WIDGET (self)));
  gint64 length = view->to_ns - view->from_ns;
  asc_view_show (view, middle - length / 2, middle - length / 2 + length);
  asc_document_view_changed (self->document);
}

static void
drag_begin (GtkGestureDrag *gesture, double x, double y, AscOverviewView *self)
{
  (void)gesture;
  (void)y;
  self->drag_x = x;
  centre_on (self, x);
}

static void
drag_update (GtkGestureDrag *gesture, double dx, double dy, AscOverviewView *self)
{
  (void)gesture;
  (void)dy;
  centre_on (self, self->drag_x + dx);
}

static void
redraw (AscOverviewView *self)
{
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
redraw_sometimes (AscOverviewView *self)
{
  if (g_get_monotonic_time () - self->drawn_us >= INTERVAL_US)
    redraw (self);
}

static void
asc_overview_view_dispose (GObject *object)
{
  AscOverviewView *self = ASC_OVERVIEW_VIEW (object);
  if (self->document != NULL)
    g_signal_handlers_disconnect_by_data (self->document, self);
  g_clear_object (&self->document);
  g_clear_weak_pointer (&self->scope);
  G_OBJECT_CLASS (asc_overview_view_parent_class)->dispose (object);
}

static void
asc_overview_view_measure (GtkWidget *widget,
                           GtkOrientation orientation,
                           int for_size,
                           int *minimum,
                           int *natural,
                           int *minimum_baseline,
                           int *natural_baseline)
{
  (void)widget;
  (void)for_size;
  *minimum = *natural
      = orientation == GTK_ORIENTATION_VERTICAL ? ASC_OVERVIEW_HEIGHT : 100;
  *minimum_baseline = *natural_baseline = -1;
}

static void
asc_overview_view_class_init (AscOverviewViewClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);
  G_OBJECT_CLASS (class)->dispose = asc_overview_view_dispose;
  widget_class->snapshot = asc_overview_view_snapshot;
  widget_class->measure = asc_overview_view_measure;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
asc_overview_view_init (AscOverviewView *self)
{
  GtkGesture *drag = gtk_gesture_drag_new ();
  g_signal_connect (drag, "drag-begin", G_CALLBACK (drag_begin), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (drag_update), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
  gtk_widget_set_hexpand (GTK_WIDGET (self), TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Overview of the whole session", -1);
}

GtkWidget *
asc_overview_view_new (AscDocument *document, AscScopeView *scope)
{
  AscOverviewView *self = g_object_new (ASC_TYPE_OVERVIEW_VIEW, NULL);
  self->document = g_object_ref (document);
  g_set_weak_pointer (&self->scope, scope);
  g_signal_connect_swapped (document, "session", G_CALLBACK (redraw), self);
  g_signal_connect_swapped (document, "data", G_CALLBACK (redraw_sometimes), self);
  g_signal_connect_swapped (document, "view", G_CALLBACK (redraw), self);
  return GTK_WIDGET (self);
}
