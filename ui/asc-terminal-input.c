/* The line under the terminal: off until it is switched on, so that nothing is sent to a
 * board by a stray key. */
#include "asc-text-views.h"

#include <string.h>

#define HISTORY_MAX 100
#define CTRL_C "\x03"
#define CTRL_D "\x04"

typedef struct
{
  AscDocument *document;
  AscEngine *engine; /* whose board the switch is for; compared only */
  GtkWidget *bar;
  GtkWidget *on;
  GtkWidget *entry;
  GtkWidget *stop;
  GtkWidget *end;
  GPtrArray *history; /* lines that were sent, the newest last */
  guint place;        /* in the history; its length: a new line */
} TerminalInput;

static void
send_line (TerminalInput *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->entry));
  char *line = g_strconcat (text, "\r", NULL);
  if (*text != '\0')
    g_ptr_array_add (self->history, g_strdup (text));
  if (self->history->len > HISTORY_MAX)
    g_ptr_array_remove_index (self->history, 0);
  self->place = self->history->len;
  gtk_editable_set_text (GTK_EDITABLE (self->entry), "");
  asc_document_type (self->document, line, strlen (line));
  g_free (line);
}

static void
send_stop (TerminalInput *self)
{
  asc_document_type (self->document, CTRL_C, 1);
}

static void
send_end (TerminalInput *self)
{
  asc_document_type (self->document, CTRL_D, 1);
}

static void
show_history (TerminalInput *self, int step)
{
  int place = CLAMP ((int)self->place + step, 0, (int)self->history->len);
  if (place == (int)self->place)
    return;
  self->place = (guint)place;
  const char *line = self->place < self->history->len
                         ? g_ptr_array_index (self->history, self->place)
                         : "";
  gtk_editable_set_text (GTK_EDITABLE (self->entry), line);
  gtk_editable_set_position (GTK_EDITABLE (self->entry), -1);
}

/* Ctrl+C copies where something is selected, as everywhere. */
static gboolean
key_pressed (GtkEventControllerKey *keys,
             guint key,
             guint code,
             GdkModifierType held,
             TerminalInput *self)
{
  (void)keys;
  (void)code;
  bool control
      = (held & (GDK_CONTROL_MASK | GDK_SHIFT_MASK | GDK_ALT_MASK)) == GDK_CONTROL_MASK;
  bool selected
      = gtk_editable_get_selection_bounds (GTK_EDITABLE (self->entry), NULL, NULL);
  if (control && gdk_keyval_to_lower (key) == GDK_KEY_c && !selected)
    send_stop (self);
  else if (control && gdk_keyval_to_lower (key) == GDK_KEY_d)
    send_end (self);
  else if (key == GDK_KEY_Up)
    show_history (self, -1);
  else if (key == GDK_KEY_Down)
    show_history (self, 1);
  else
    return FALSE;
  return TRUE;
}

static void
update (TerminalInput *self)
{
  AscEngine *engine = asc_document_engine (self->document);
  bool can = asc_document_can_type (self->document);
  if (engine != self->engine)
    gtk_check_button_set_active (GTK_CHECK_BUTTON (self->on), FALSE);
  self->engine = engine;
  bool ready = can && gtk_check_button_get_active (GTK_CHECK_BUTTON (self->on))
               && asc_engine_state (engine) == ASC_ENGINE_LIVE;
  gtk_widget_set_visible (self->bar, can);
  gtk_widget_set_sensitive (self->entry, ready);
  gtk_widget_set_sensitive (self->stop, ready);
  gtk_widget_set_sensitive (self->end, ready);
}

static void
switched (TerminalInput *self)
{
  update (self);
  if (gtk_widget_get_sensitive (self->entry))
    gtk_widget_grab_focus (self->entry);
}

static void
destroyed (gpointer data)
{
  TerminalInput *self = data;
  g_signal_handlers_disconnect_by_data (self->document, self);
  g_object_unref (self->document);
  g_ptr_array_unref (self->history);
  g_free (self);
}

static GtkWidget *
button (const char *label, const char *what, GCallback clicked, TerminalInput *self)
{
  GtkWidget *widget = gtk_button_new_with_label (label);
  gtk_widget_set_tooltip_text (widget, what);
  gtk_widget_set_focus_on_click (widget, FALSE);
  g_signal_connect_swapped (widget, "clicked", clicked, self);
  gtk_box_append (GTK_BOX (self->bar), widget);
  return widget;
}

GtkWidget *
asc_terminal_input_new (AscDocument *document)
{
  TerminalInput *self = g_new0 (TerminalInput, 1);
  self->document = g_object_ref (document);
  self->history = g_ptr_array_new_with_free_func (g_free);
  self->bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  self->on = gtk_check_button_new_with_label ("Type to the board");
  self->entry = gtk_entry_new ();
  gtk_entry_set_placeholder_text (GTK_ENTRY (self->entry), "A line, sent by Enter");
  gtk_widget_set_hexpand (self->entry, TRUE);
  gtk_widget_add_css_class (self->entry, "monospace");
  gtk_widget_add_css_class (self->bar, "terminal-input");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->entry),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, "Line to send", -1);
  gtk_box_append (GTK_BOX (self->bar), self->on);
  gtk_box_append (GTK_BOX (self->bar), self->entry);
  self->stop
      = button ("Ctrl-C", "Stop the program that runs", G_CALLBACK (send_stop), self);
  self->end = button ("Ctrl-D", "Soft reset, at the REPL's prompt", G_CALLBACK (send_end),
                      self);
  GtkEventController *keys = gtk_event_controller_key_new ();
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (key_pressed), self);
  gtk_widget_add_controller (self->entry, keys);
  g_signal_connect_swapped (self->entry, "activate", G_CALLBACK (send_line), self);
  g_signal_connect_swapped (self->on, "toggled", G_CALLBACK (switched), self);
  g_signal_connect_swapped (document, "state", G_CALLBACK (update), self);
  g_signal_connect_swapped (document, "session", G_CALLBACK (update), self);
  g_object_set_data_full (G_OBJECT (self->bar), "terminal-input", self, destroyed);
  update (self);
  return self->bar;
}
