#include "asc-empty.h"

#include "asc-format.h"
#include "asc-store.h"

#include <math.h>

#define RECENT_MAX 5
#define RECORDINGS_MAX 6

typedef struct
{
  AscDocument *document;
  GtkWidget *recent;
  GtkWidget *recent_title;
  GtkWidget *recordings;
  GtkWidget *recordings_title;
} Empty;

static GtkWidget *
big_button (const char *icon, const char *title, const char *text, const char *action)
{
  GtkWidget *button = gtk_button_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  GtkWidget *image = gtk_image_new_from_icon_name (icon);
  GtkWidget *first = gtk_label_new (title), *second = gtk_label_new (text);
  gtk_image_set_pixel_size (GTK_IMAGE (image), 32);
  gtk_widget_add_css_class (first, "title");
  gtk_widget_add_css_class (second, "dim");
  gtk_label_set_wrap (GTK_LABEL (second), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (second), 22);
  gtk_label_set_justify (GTK_LABEL (second), GTK_JUSTIFY_CENTER);
  gtk_box_append (GTK_BOX (box), image);
  gtk_box_append (GTK_BOX (box), first);
  gtk_box_append (GTK_BOX (box), second);
  gtk_button_set_child (GTK_BUTTON (button), box);
  gtk_widget_add_css_class (button, "big");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  title, -1);
  return button;
}

static void
open_path (GtkListBox *list, GtkListBoxRow *row, Empty *self)
{
  const char *path = g_object_get_data (G_OBJECT (row), "path");
  (void)list;
  if (path != NULL)
    asc_document_open (self->document, path);
}

static void
clear (GtkWidget *list)
{
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child (list)) != NULL)
    gtk_list_box_remove (GTK_LIST_BOX (list), child);
}

static void
add_path (GtkWidget *list, const char *path, const char *name, const char *detail)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *first = gtk_label_new (name), *second = gtk_label_new (detail);
  gtk_label_set_ellipsize (GTK_LABEL (first), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_xalign (GTK_LABEL (first), 0);
  gtk_widget_set_hexpand (first, TRUE);
  gtk_label_set_ellipsize (GTK_LABEL (second), PANGO_ELLIPSIZE_START);
  gtk_label_set_max_width_chars (GTK_LABEL (second), 34);
  gtk_widget_add_css_class (second, "dim");
  gtk_box_append (GTK_BOX (box), first);
  gtk_box_append (GTK_BOX (box), second);
  GtkWidget *row = gtk_list_box_row_new ();
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  g_object_set_data_full (G_OBJECT (row), "path", g_strdup (path), g_free);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  name, -1);
  gtk_list_box_append (GTK_LIST_BOX (list), row);
}

static int
newest_first (gconstpointer a, gconstpointer b)
{
  GDateTime *x = gtk_recent_info_get_visited ((GtkRecentInfo *)(gsize)a);
  GDateTime *y = gtk_recent_info_get_visited ((GtkRecentInfo *)(gsize)b);
  return g_date_time_compare (y, x);
}

static void
fill_recent (Empty *self)
{
  GList *items = g_list_sort (
      gtk_recent_manager_get_items (gtk_recent_manager_get_default ()), newest_first);
  guint n = 0;
  clear (self->recent);
  for (GList *item = items; item != NULL && n < RECENT_MAX; item = item->next)
    {
      char *path = g_filename_from_uri (gtk_recent_info_get_uri (item->data), NULL, NULL);
      if (path != NULL && g_str_has_suffix (path, ".trace")
          && g_file_test (path, G_FILE_TEST_EXISTS))
        {
          char *folder = g_path_get_dirname (path), *name = g_path_get_basename (path);
          add_path (self->recent, path, name, folder);
          g_free (folder);
          g_free (name);
          n++;
        }
      g_free (path);
    }
  g_list_free_full (items, (GDestroyNotify)gtk_recent_info_unref);
  gtk_widget_set_visible (self->recent, n > 0);
  gtk_widget_set_visible (self->recent_title, n > 0);
}

/* Its size; of one that was saved and went on, what the saved file lacks. */
static char *
recording_detail (const AscStoreEntry *entry)
{
  if (entry->saved_as == NULL)
    return g_format_size (entry->bytes);
  char *more = g_format_size (entry->bytes - MIN (entry->saved_bytes, entry->bytes));
  char *name = g_path_get_basename (entry->saved_as);
  char *detail = g_strdup_printf ("%s more than %s", more, name);
  g_free (name);
  g_free (more);
  return detail;
}

static void
fill_recordings (Empty *self)
{
  GPtrArray *entries = asc_store_list ();
  guint n = 0;
  clear (self->recordings);
  for (guint i = 0; i < entries->len && n < RECORDINGS_MAX; i++)
    {
      const AscStoreEntry *entry = g_ptr_array_index (entries, i);
      if (entry->in_use || entry->empty || entry->all_saved)
        continue;
      GDateTime *utc = g_date_time_new_from_unix_utc (entry->created_ns / 1000000000);
      GDateTime *local = utc != NULL ? g_date_time_to_local (utc) : NULL;
      char *when
          = local != NULL ? g_date_time_format (local, "%F %H:%M") : g_strdup ("?");
      char *size = recording_detail (entry);
      char *name
          = g_strdup_printf ("%s · %s", when, entry->source != NULL ? entry->source : "");
      add_path (self->recordings, entry->path, name, size);
      g_free (name);
      g_free (size);
      g_free (when);
      g_clear_pointer (&local, g_date_time_unref);
      g_clear_pointer (&utc, g_date_time_unref);
      n++;
    }
  g_ptr_array_unref (entries);
  gtk_widget_set_visible (self->recordings, n > 0);
  gtk_widget_set_visible (self->recordings_title, n > 0);
}

void
asc_empty_refresh (GtkWidget *empty)
{
  Empty *self = g_object_get_data (G_OBJECT (empty), "empty");
  fill_recent (self);
  fill_recordings (self);
}

static GtkWidget *
list_of (Empty *self, GtkWidget *box, const char *title, GtkWidget **list)
{
  GtkWidget *label = gtk_label_new (title);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (label, "heading");
  *list = gtk_list_box_new ();
  gtk_list_box_set_selection_mode (GTK_LIST_BOX (*list), GTK_SELECTION_NONE);
  gtk_widget_add_css_class (*list, "paths");
  gtk_accessible_update_property (GTK_ACCESSIBLE (*list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  title, -1);
  g_signal_connect (*list, "row-activated", G_CALLBACK (open_path), self);
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), *list);
  return label;
}

static void
destroyed (gpointer data)
{
  Empty *self = data;
  g_object_unref (self->document);
  g_free (self);
}

GtkWidget *
asc_empty_new (AscDocument *document)
{
  Empty *self = g_new0 (Empty, 1);
  self->document = g_object_ref (document);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);
  gtk_widget_set_valign (box, GTK_ALIGN_CENTER);
  gtk_widget_set_halign (box, GTK_ALIGN_CENTER);
  gtk_widget_set_size_request (box, 560, -1);
  gtk_widget_set_margin_top (box, 24);
  gtk_widget_set_margin_bottom (box, 24);
  GtkWidget *title = gtk_label_new ("See which task has the CPU, when, and for how long");
  gtk_label_set_wrap (GTK_LABEL (title), TRUE);
  gtk_widget_add_css_class (title, "welcome");
  gtk_box_append (GTK_BOX (box), title);
  GtkWidget *buttons = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  gtk_box_set_homogeneous (GTK_BOX (buttons), TRUE);
  gtk_box_append (GTK_BOX (buttons),
                  big_button ("network-wired-symbolic", "Connect a board",
                              "USB, serial port or network", "win.connect"));
  gtk_box_append (GTK_BOX (buttons), big_button ("document-open-symbolic", "Open a file",
                                                 "or drop a .trace here", "win.open"));
  gtk_box_append (GTK_BOX (buttons),
                  big_button ("media-playback-start-symbolic", "Try the demo",
                              "a simulated board, no hardware", "win.demo"));
  gtk_box_append (GTK_BOX (box), buttons);
  self->recent_title = list_of (self, box, "Recent files", &self->recent);
  self->recordings_title
      = list_of (self, box, "Unnamed recordings: open one to look, save it to keep",
                 &self->recordings);
  GtkWidget *scrolled = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), box);
  g_object_set_data_full (G_OBJECT (scrolled), "empty", self, destroyed);
  asc_empty_refresh (scrolled);
  return scrolled;
}
