#include "asc-connect.h"

#include "asc-ports.h"
#include "asc-proxies.h"

#define LABEL_CHARS 24 /* of the button; longer names are cut in the middle */

typedef struct
{
  AscDocument *document;
  GtkWidget *button;
  GtkWidget *label;
  GtkWidget *popover;
  GtkWidget *list;
  GtkWidget *baud;
  GtkWidget *entry;
  GtkWidget *release;
} Connect;

static const char *const bauds[] = { "115200",  "230400",  "460800",  "500000", "921600",
                                     "1000000", "2000000", "3000000", NULL };

static void
go (Connect *self, const char *spec)
{
  gtk_popover_popdown (GTK_POPOVER (self->popover));
  asc_document_connect (self->document, spec);
}

static void
row_activated (GtkListBox *list, GtkListBoxRow *row, Connect *self)
{
  const char *path = g_object_get_data (G_OBJECT (row), "spec");
  (void)list;
  if (path == NULL)
    return;
  if (!g_object_get_data (G_OBJECT (row), "serial"))
    {
      go (self, path);
      return;
    }
  guint chosen = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->baud));
  char *spec
      = g_strdup_printf ("%s@%s", path, bauds[MIN (chosen, G_N_ELEMENTS (bauds) - 2)]);
  go (self, spec);
  g_free (spec);
}

static void
entered (Connect *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->entry));
  if (*text != '\0')
    go (self, text);
}

static void
add_row (Connect *self,
         const char *spec,
         bool serial,
         const char *title,
         const char *subtitle)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 1);
  GtkWidget *first = gtk_label_new (title), *second = gtk_label_new (subtitle);
  gtk_label_set_xalign (GTK_LABEL (first), 0);
  gtk_label_set_xalign (GTK_LABEL (second), 0);
  gtk_label_set_ellipsize (GTK_LABEL (first), PANGO_ELLIPSIZE_END);
  gtk_label_set_ellipsize (GTK_LABEL (second), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (second, "dim");
  gtk_box_append (GTK_BOX (box), first);
  gtk_box_append (GTK_BOX (box), second);
  GtkWidget *row = gtk_list_box_row_new ();
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  if (spec != NULL)
    g_object_set_data_full (G_OBJECT (row), "spec", g_strdup (spec), g_free);
  else
    {
      gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), FALSE);
      gtk_widget_set_sensitive (row, FALSE);
    }
  g_object_set_data (G_OBJECT (row), "serial", GINT_TO_POINTER (serial));
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  title, -1);
  gtk_list_box_append (GTK_LIST_BOX (self->list), row);
}

static void
add_port (Connect *self, const AscPort *port)
{
  char *label = asc_port_label (port);
  GString *detail = g_string_new (port->path);
  if (port->vid >= 0)
    g_string_append_printf (detail, " · %04x:%04x", (guint)port->vid, (guint)port->pid);
  if (port->serial != NULL)
    g_string_append_printf (detail, " · %s", port->serial);
  add_row (self, port->path, true, label, detail->str);
  g_string_free (detail, TRUE);
  g_free (label);
}

static void
add_proxy (Connect *self, const char *path)
{
  char *name = asc_proxies_name (path);
  char *title = g_strdup_printf ("%s through its proxy", name);
  char *spec = g_strconcat ("unix:", path, NULL);
  add_row (self, spec, false, title, "Shared with a REPL tool by aioscope-cli proxy");
  g_free (name);
  g_free (title);
  g_free (spec);
}

static void
add_demo (Connect *self)
{
  add_row (self, "demo", false, "Demo board",
           "A simulated greenhouse, no hardware needed");
}

static void
fill (Connect *self)
{
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child (self->list)) != NULL)
    gtk_list_box_remove (GTK_LIST_BOX (self->list), child);
  GPtrArray *ports = asc_ports_list ();
  /* Likely boards come first, and the first line has the focus: without a board that is
   * on USB it is the demo, not a port that every computer has. */
  bool any = ports->len > 0 && ((const AscPort *)g_ptr_array_index (ports, 0))->is_usb;
  if (!any)
    add_demo (self);
  for (guint i = 0; i < ports->len; i++)
    add_port (self, g_ptr_array_index (ports, i));
  char **proxies = asc_proxies_list ();
  for (char **each = proxies; *each != NULL; each++)
    add_proxy (self, *each);
  if (ports->len == 0 && *proxies == NULL)
    add_row (self, NULL, false, "No serial port",
             "Plug in a board, then open this list again");
  g_ptr_array_unref (ports);
  g_strfreev (proxies);
  if (any)
    add_demo (self);
}

/* While connected to a port that other tools may want. */
static void
release_changed (Connect *self)
{
  bool released = asc_document_released (self->document);
  gtk_button_set_label (GTK_BUTTON (self->release),
                        released ? "Take it back" : "Release port");
  gtk_widget_set_tooltip_text (
      self->release, released
                         ? "Go on in the same recording"
                         : "Let Thonny or mpremote use it; the recording stays open");
  gtk_widget_set_visible (self->release, asc_document_can_release (self->document));
}

static void
state_changed (Connect *self)
{
  AscEngine *engine = asc_document_engine (self->document);
  AscRecording *recording = engine != NULL ? asc_engine_recording (engine) : NULL;
  char *text;
  if (recording != NULL && asc_document_live (self->document))
    text
        = g_strdup_printf ("%s %s", asc_recording_describe (recording),
                           asc_document_released (self->document) ? "○ released"
                           : asc_engine_state (engine) == ASC_ENGINE_WAITING ? "○ waiting"
                                                                             : "● live");
  else
    text = g_strdup (asc_document_connecting (self->document) ? "Connecting …"
                                                              : "Connect");
  gtk_label_set_text (GTK_LABEL (self->label), text);
  gtk_label_set_width_chars (GTK_LABEL (self->label),
                             (int)MIN (g_utf8_strlen (text, -1), LABEL_CHARS));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->button),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
  g_free (text);
  release_changed (self);
}

static void
release_clicked (Connect *self)
{
  gtk_popover_popdown (GTK_POPOVER (self->popover));
  if (asc_document_released (self->document))
    asc_document_take_back (self->document);
  else
    asc_document_release (self->document);
}

static void
destroyed (gpointer data)
{
  Connect *self = data;
  g_signal_handlers_disconnect_by_data (self->document, self);
  g_object_unref (self->document);
  g_free (self);
}

static GtkWidget *
labelled (const char *text, GtkWidget *widget)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *label = gtk_label_new_with_mnemonic (text);
  gtk_label_set_mnemonic_widget (GTK_LABEL (label), widget);
  gtk_widget_add_css_class (label, "dim");
  gtk_widget_set_hexpand (widget, TRUE);
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), widget);
  return box;
}

static GtkWidget *
popover_of (Connect *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 8);
  self->list = gtk_list_box_new ();
  gtk_list_box_set_selection_mode (GTK_LIST_BOX (self->list), GTK_SELECTION_NONE);
  gtk_widget_add_css_class (self->list, "ports");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, "Ports", -1);
  g_signal_connect (self->list, "row-activated", G_CALLBACK (row_activated), self);
  self->baud = gtk_drop_down_new_from_strings (bauds);
  self->entry = gtk_entry_new ();
  gtk_entry_set_placeholder_text (GTK_ENTRY (self->entry),
                                  "tcp:192.0.2.7:4711, unix:PATH, /dev/pts/3 …");
  gtk_widget_set_tooltip_text (self->entry,
                               "A port (/dev/ttyACM0@921600), tcp:HOST:PORT, "
                               "tcp-listen:PORT, unix:PATH (of a proxy), a pty or a "
                               "file");
  g_signal_connect_swapped (self->entry, "activate", G_CALLBACK (entered), self);
  self->release = gtk_button_new ();
  g_signal_connect_swapped (self->release, "clicked", G_CALLBACK (release_clicked), self);
  gtk_box_append (GTK_BOX (box), self->release);
  gtk_box_append (GTK_BOX (box), self->list);
  gtk_box_append (GTK_BOX (box), labelled ("_Baud rate", self->baud));
  gtk_box_append (GTK_BOX (box), labelled ("_Address", self->entry));
  gtk_widget_set_size_request (box, 340, -1);
  self->popover = gtk_popover_new ();
  gtk_popover_set_child (GTK_POPOVER (self->popover), box);
  g_signal_connect_swapped (self->popover, "map", G_CALLBACK (fill), self);
  return self->popover;
}

void
asc_connect_button_popup (GtkWidget *button)
{
  gtk_menu_button_popup (GTK_MENU_BUTTON (button));
}

GtkWidget *
asc_connect_button_new (AscDocument *document)
{
  Connect *self = g_new0 (Connect, 1);
  self->document = g_object_ref (document);
  self->button = gtk_menu_button_new ();
  self->label = gtk_label_new ("Connect");
  gtk_label_set_ellipsize (GTK_LABEL (self->label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_max_width_chars (GTK_LABEL (self->label), LABEL_CHARS);
  gtk_menu_button_set_child (GTK_MENU_BUTTON (self->button), self->label);
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (self->button), popover_of (self));
  gtk_widget_set_tooltip_text (self->button, "Choose a board or the demo");
  fill (self);
  release_changed (self);
  g_signal_connect_swapped (document, "state", G_CALLBACK (state_changed), self);
  g_signal_connect_swapped (document, "session", G_CALLBACK (state_changed), self);
  g_object_set_data_full (G_OBJECT (self->button), "connect", self, destroyed);
  state_changed (self);
  return self->button;
}
