#include "asc-message.h"

#include "asc-format.h"

#include <string.h>

#define INFO_US 6000000 /* that a message about success stays */
#define LINES_TO_PASTE "import aioscope\naioscope.start()\n"

typedef struct
{
  AscDocument *document;
  GtkWidget *bar;
  GtkWidget *label;
  GtkWidget *code;
  GtkWidget *copy;
  GtkWidget *back;
  AscEngine *engine; /* compared only: since when it is connected */
  gint64 connected_us;
  char *dismissed; /* the text that the user closed */
  guint timer;
  char *timed; /* the text whose time runs, since shown_us */
  gint64 shown_us;
} Message;

/* Words for a connection without frames; "" when all is well. */
static char *
health_words (Message *self, bool *code)
{
  AscEngine *engine = asc_document_engine (self->document);
  AscTrace *trace = asc_document_trace (self->document);
  AscDecoderTotals totals;
  char bytes[40];
  *code = false;
  if (engine != self->engine)
    {
      self->engine = engine;
      self->connected_us = g_get_monotonic_time ();
    }
  if (engine == NULL || asc_engine_state (engine) != ASC_ENGINE_LIVE)
    return g_strdup ("");
  asc_trace_totals (trace, &totals);
  gint64 since_ns = (g_get_monotonic_time () - self->connected_us) * 1000;
  guint64 text = asc_trace_text_length (trace);
  switch (asc_health (since_ns, &totals, text))
    {
    case ASC_HEALTH_SILENT:
      return g_strdup ("Connected, but nothing arrives: is the program running?");
    case ASC_HEALTH_TEXT:
      *code = true;
      asc_format_count (text, bytes, sizeof bytes);
      return g_strdup_printf (
          "%s bytes of text, no frames: the program does not trace yet. "
          "Add these two lines at its start:",
          bytes);
    case ASC_HEALTH_NOISE:
      asc_format_count (totals.bytes, bytes, sizeof bytes);
      return g_strdup_printf (
          asc_document_has_speed (self->document)
              ? "%s bytes, but not text: wrong speed? Connect again with the baud rate "
                "that the board uses."
              : "%s bytes, but neither frames nor text: is it a board that sends there?",
          bytes);
    case ASC_HEALTH_GOOD:
    case ASC_HEALTH_EARLY:
      break;
    }
  return g_strdup ("");
}

static void
show (Message *self, const char *text, int severity, bool code)
{
  static const char *const classes[] = { "info", "warning", "error" };
  bool visible = *text != '\0' && g_strcmp0 (text, self->dismissed) != 0;
  for (int i = 0; i < 3; i++)
    if (i == severity)
      gtk_widget_add_css_class (self->bar, classes[i]);
    else
      gtk_widget_remove_css_class (self->bar, classes[i]);
  if (g_strcmp0 (gtk_label_get_text (GTK_LABEL (self->label)), text) != 0)
    gtk_label_set_text (GTK_LABEL (self->label), text);
  gtk_widget_set_visible (self->code, code);
  gtk_widget_set_visible (self->copy, code);
  gtk_widget_set_visible (self->back, asc_document_released (self->document));
  gtk_widget_set_visible (self->bar, visible);
}

/* While another tool may have the port; "" otherwise. */
static char *
released_words (Message *self)
{
  AscEngine *engine = asc_document_engine (self->document);
  /* Released for another try at the same port, it is not anybody else's. */
  if (!asc_document_released (self->document) || asc_document_opening (self->document))
    return g_strdup ("");
  return g_strdup_printf (
      "%s is released: Thonny, mpremote and others can use it. The recording stays open.",
      asc_recording_describe (asc_engine_recording (engine)));
}

static void
update (Message *self)
{
  int severity = 0;
  bool code = false;
  char *text = asc_document_message (self->document, &severity);
  char *health = health_words (self, &code);
  char *released = released_words (self);
  if (*released != '\0' && severity < 2)
    show (self, released, 0, false);
  else if (*health != '\0' && severity < 2)
    show (self, health, 1, code);
  else
    show (self, text, severity, false);
  g_free (released);
  g_free (health);
  g_free (text);
}

/* What went well needs no answer: such a message leaves by itself. */
static void
time_out (Message *self)
{
  const char *text = gtk_label_get_text (GTK_LABEL (self->label));
  gint64 now = g_get_monotonic_time ();
  int severity;
  if (g_strcmp0 (text, self->timed) != 0)
    {
      g_free (self->timed);
      self->timed = g_strdup (text);
      self->shown_us = now;
    }
  char *message = asc_document_message (self->document, &severity);
  if (severity == 0 && *message != '\0' && !asc_document_opening (self->document)
      && now - self->shown_us > INFO_US)
    asc_document_say (self->document, 0, "");
  g_free (message);
}

static gboolean
look_again (gpointer data)
{
  time_out (data);
  update (data);
  return G_SOURCE_CONTINUE;
}

/* What was said is over; what goes on being so is not shown again. */
static void
dismiss (Message *self)
{
  char *text = g_strdup (gtk_label_get_text (GTK_LABEL (self->label)));
  g_clear_pointer (&self->dismissed, g_free);
  asc_document_say (self->document, 0, "");
  if (gtk_widget_get_visible (self->bar)
      && strcmp (gtk_label_get_text (GTK_LABEL (self->label)), text) == 0)
    self->dismissed = g_strdup (text);
  g_free (text);
  update (self);
}

static void
copy_lines (Message *self)
{
  gdk_clipboard_set_text (gtk_widget_get_clipboard (self->bar), LINES_TO_PASTE);
}

static void
destroyed (gpointer data)
{
  Message *self = data;
  g_source_remove (self->timer);
  g_signal_handlers_disconnect_by_data (self->document, self);
  g_object_unref (self->document);
  g_free (self->dismissed);
  g_free (self->timed);
  g_free (self);
}

GtkWidget *
asc_message_new (AscDocument *document)
{
  Message *self = g_new0 (Message, 1);
  self->document = g_object_ref (document);
  self->bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 10);
  self->label = gtk_label_new ("");
  self->code = gtk_label_new (NULL);
  self->copy = gtk_button_new_with_label ("Copy");
  self->back = gtk_button_new_with_label ("Take it back");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->back), "win.take-back");
  GtkWidget *close = gtk_button_new_from_icon_name ("window-close-symbolic");
  gtk_label_set_text (GTK_LABEL (self->code), "import aioscope\naioscope.start()");
  gtk_label_set_wrap (GTK_LABEL (self->label), TRUE);
  gtk_label_set_xalign (GTK_LABEL (self->label), 0);
  gtk_label_set_selectable (GTK_LABEL (self->code), TRUE);
  gtk_widget_set_hexpand (self->label, TRUE);
  gtk_widget_set_valign (self->copy, GTK_ALIGN_CENTER);
  gtk_widget_set_valign (self->back, GTK_ALIGN_CENTER);
  gtk_widget_set_valign (close, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (self->code, "code");
  gtk_widget_add_css_class (close, "flat");
  gtk_widget_set_focus_on_click (close, FALSE);
  gtk_widget_add_css_class (self->bar, "message");
  gtk_widget_set_tooltip_text (close, "Close this message");
  gtk_accessible_update_property (GTK_ACCESSIBLE (close), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Close this message", -1);
  gtk_box_append (GTK_BOX (self->bar), self->label);
  gtk_box_append (GTK_BOX (self->bar), self->code);
  gtk_box_append (GTK_BOX (self->bar), self->copy);
  gtk_box_append (GTK_BOX (self->bar), self->back);
  gtk_box_append (GTK_BOX (self->bar), close);
  g_signal_connect_swapped (close, "clicked", G_CALLBACK (dismiss), self);
  g_signal_connect_swapped (self->copy, "clicked", G_CALLBACK (copy_lines), self);
  g_signal_connect_swapped (document, "state", G_CALLBACK (update), self);
  g_signal_connect_swapped (document, "session", G_CALLBACK (update), self);
  self->timer = g_timeout_add (500, look_again, self);
  g_object_set_data_full (G_OBJECT (self->bar), "message", self, destroyed);
  update (self);
  return self->bar;
}
