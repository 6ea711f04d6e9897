#include "asc-help.h"

#include "asc-keys.h"

#define BORDERS 80 /* title bar and frame of either window */

static void
add_line (GtkGrid *grid, int row, const AscKeyHelp *help, const char *group)
{
  GtkWidget *keys = gtk_label_new (help->keys), *what = gtk_label_new (help->what);
  if (g_strcmp0 (group, help->group) != 0)
    {
      GtkWidget *title = gtk_label_new (help->group);
      gtk_widget_add_css_class (title, "heading");
      gtk_widget_set_valign (title, GTK_ALIGN_START);
      gtk_label_set_xalign (GTK_LABEL (title), 0);
      gtk_grid_attach (grid, title, 0, row, 1, 1);
    }
  gtk_label_set_xalign (GTK_LABEL (keys), 0);
  gtk_label_set_xalign (GTK_LABEL (what), 0);
  gtk_label_set_wrap (GTK_LABEL (what), TRUE);
  gtk_widget_set_hexpand (what, TRUE);
  gtk_grid_attach (grid, keys, 1, row, 1, 1);
  gtk_grid_attach (grid, what, 2, row, 1, 1);
}

static gboolean
escape (GtkWidget *widget, GVariant *args, gpointer data)
{
  (void)args;
  (void)data;
  gtk_window_close (GTK_WINDOW (widget));
  return TRUE;
}

void
asc_help_show (GtkWindow *parent)
{
  GtkWidget *window = gtk_window_new (), *grid = gtk_grid_new ();
  gtk_grid_set_column_spacing (GTK_GRID (grid), 18);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 6);
  gtk_widget_set_margin_start (grid, 18);
  gtk_widget_set_margin_end (grid, 18);
  gtk_widget_set_margin_top (grid, 14);
  gtk_widget_set_margin_bottom (grid, 18);
  const char *group = NULL;
  int row = 0;
  for (const AscKeyHelp *help = asc_keys_help (); help->what != NULL; help++)
    {
      add_line (GTK_GRID (grid), row++, help, group);
      group = help->group;
    }
  GtkWidget *scrolled = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), grid);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scrolled), TRUE);
  /* No taller than the window it belongs to, with a bar that says that there is more. */
  gtk_scrolled_window_set_max_content_height (
      GTK_SCROLLED_WINDOW (scrolled),
      MAX (gtk_widget_get_height (GTK_WIDGET (parent)) - BORDERS, 200));
  gtk_scrolled_window_set_overlay_scrolling (GTK_SCROLLED_WINDOW (scrolled), FALSE);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  GtkEventController *keys = gtk_shortcut_controller_new ();
  gtk_shortcut_controller_add_shortcut (
      GTK_SHORTCUT_CONTROLLER (keys),
      gtk_shortcut_new (gtk_keyval_trigger_new (GDK_KEY_Escape, 0),
                        gtk_callback_action_new (escape, NULL, NULL)));
  gtk_widget_add_controller (window, keys);
  gtk_window_set_title (GTK_WINDOW (window), "Keys and mouse");
  gtk_window_set_child (GTK_WINDOW (window), scrolled);
  gtk_window_set_transient_for (GTK_WINDOW (window), parent);
  gtk_window_set_default_size (GTK_WINDOW (window), 680, -1);
  gtk_widget_set_focusable (scrolled, TRUE); /* its keys: Page Down, End */
  gtk_window_set_focus (GTK_WINDOW (window), scrolled);
  gtk_window_present (GTK_WINDOW (window));
}
