#include "asc-actions.h"

#include "asc-connect.h"
#include "asc-files.h"
#include "asc-help.h"
#include "asc-png.h"
#include "asc-scope-view.h"
#include "asc-settings.h"
#include "asc-store.h"

#include <string.h>

typedef struct
{
  GtkWindow *window;
  AscDocument *document;
  AscActionWidgets widgets;
} Actions;

static void
open_chosen (const char *path, gpointer user)
{
  Actions *self = user;
  asc_document_open (self->document, path);
}

static void
open_file (GSimpleAction *action, GVariant *parameter, gpointer user)
{
  Actions *self = user;
  (void)action;
  (void)parameter;
  asc_files_ask (self->window, "Open a trace", NULL, NULL, "*.trace", open_chosen, self);
}

/* The ending that a name lacks; the user's own ending stays. */
static char *
with_ending (const char *path, const char *ending)
{
  char *name = g_path_get_basename (path);
  char *whole = g_strconcat (path, strchr (name, '.') != NULL ? "" : ending, NULL);
  g_free (name);
  return whole;
}

static void
save_chosen (const char *path, gpointer user)
{
  Actions *self = user;
  char *whole = with_ending (path, ".trace");
  asc_files_save (self->document, whole);
  g_free (whole);
}

/* "greenhouse" and "2026-12-01" make a name that tells recordings apart. */
static char *
proposed_name (AscDocument *document, const char *ending)
{
  GDateTime *now = g_date_time_new_now_local ();
  char *when = g_date_time_format (now, "%Y-%m-%d-%H%M");
  char *title = g_strdup (asc_document_title (document));
  char *dot = g_strrstr (title, ".trace");
  char *name;
  if (dot != NULL)
    *dot = '\0';
  g_strdelimit (title, "/\\:*?\"<>| ·", '-');
  name = dot != NULL
             ? g_strconcat (title, ending, NULL)
             : g_strconcat (*title != '\0' ? title : "aioscope", "-", when, ending, NULL);
  g_free (title);
  g_free (when);
  g_date_time_unref (now);
  return name;
}

/* Asks for a file to write: beside the trace, named as it is. Unnamed recordings lie in a
 * folder that nobody looks into. */
static void
ask_to_write (Actions *self,
              const char *title,
              const char *ending,
              const char *pattern,
              AscFileChosen chosen)
{
  const char *path = asc_document_path (self->document);
  char *folder
      = path != NULL && !asc_store_holds (path) ? g_path_get_dirname (path) : NULL;
  char *name = proposed_name (self->document, ending);
  asc_files_ask (self->window, title, folder, name, pattern, chosen, self);
  g_free (name);
  g_free (folder);
}

static void
save (GSimpleAction *action, GVariant *parameter, gpointer user)
{
  (void)action;
  (void)parameter;
  ask_to_write (user, "Save the recording", ".trace", "*.trace", save_chosen);
}

static void
export_chosen (const char *path, gpointer user)
{
  Actions *self = user;
  char *whole = with_ending (path, ".csv");
  asc_files_export_csv (self->document, whole);
  g_free (whole);
}

static void
export_csv (GSimpleAction *action, GVariant *parameter, gpointer user)
{
  (void)action;
  (void)parameter;
  static const char *const endings[] = { ".csv", "-visible.csv", "-selection.csv" };
  const Actions *self = user;
  ask_to_write (user, "Export the statistics",
                endings[asc_document_over (self->document)], "*.csv", export_chosen);
}

static void
hogs_chosen (const char *path, gpointer user)
{
  Actions *self = user;
  char *whole = with_ending (path, ".csv");
  asc_files_export_hogs (self->document, whole);
  g_free (whole);
}

static void
export_hogs (GSimpleAction *action, GVariant *parameter, gpointer user)
{
  (void)action;
  (void)parameter;
  ask_to_write (user, "Export the hogs", "-hogs.csv", "*.csv", hogs_chosen);
}

static void
picture_chosen (const char *chosen, gpointer user)
{
  Actions *self = user;
  char *path = with_ending (chosen, ".png");
  AscScope scope;
  int width = gtk_widget_get_width (self->widgets.scope);
  int height = gtk_widget_get_height (self->widgets.scope);
  cairo_surface_t *surface
      = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width * 2, height * 2);
  cairo_surface_set_device_scale (surface, 2, 2);
  cairo_t *cr = cairo_create (surface);
  asc_scope_view_scope (ASC_SCOPE_VIEW (self->widgets.scope), &scope);
  scope.hover = NULL;
  asc_scope_draw (cr, &scope, width, height);
  cairo_destroy (cr);
  GError *error = NULL;
  bool saved = asc_png_write (surface, path, &error);
  char *message = saved
                      ? g_strdup_printf ("Picture saved as %s", path)
                      : g_strdup_printf ("Could not write %s: %s. Choose another place.",
                                         path, error->message);
  asc_document_say (self->document, saved ? 0 : 2, message);
  g_clear_error (&error);
  g_free (message);
  g_free (path);
  cairo_surface_destroy (surface);
}

static void
picture (GSimpleAction *action, GVariant *parameter, gpointer user)
{
  (void)action;
  (void)parameter;
  ask_to_write (user, "Save a picture", ".png", "*.png", picture_chosen);
}

static void
copy_table (GSimpleAction *action, GVariant *parameter, gpointer user)
{
  Actions *self = user;
  (void)action;
  (void)parameter;
  asc_files_copy_table (self->document,
                        gtk_widget_get_clipboard (GTK_WIDGET (self->window)));
}

static void
close_trace (GSimpleAction *action, GVariant *parameter, gpointer user)
{
  Actions *self = user;
  (void)action;
  (void)parameter;
  asc_document_close (self->document);
}

static void
connect_board (GSimpleAction *action, GVariant *parameter, gpointer user)
{
  Actions *self = user;
  (void)action;
  (void)parameter;
  asc_connect_button_popup (self->widgets.connect);
}

static void
demo (GSimpleAction *action, GVariant *parameter, gpointer user)
{
  Actions *self = user;
  (void)action;
  (void)parameter;
  asc_document_connect (self->document, "demo");
}

static void
disconnect (GSimpleAction *action, GVariant *parameter, gpointer user)
{
  Actions *self = user;
  (void)action;
  (void)parameter;
  asc_document_disconnect (self->document);
}

static void
release (GSimpleAction *action, GVariant *parameter, gpointer user)
{
  Actions *self = user;
  (void)action;
  (void)parameter;
  asc_document_release (self->document);
}

static void
take_back (GSimpleAction *action, GVariant *parameter, gpointer user)
{
  Actions *self = user;
  (void)action;
  (void)parameter;
  asc_document_take_back (self->document);
}

static void
help (GSimpleAction *action, GVariant *parameter, gpointer user)
{
  Actions *self = user;
  (void)action;
  (void)parameter;
  asc_help_show (self->window);
}

static void
find (GSimpleAction *action, GVariant *parameter, gpointer user)
{
  Actions *self = user;
  (void)action;
  (void)parameter;
  gtk_stack_set_visible_child_name (GTK_STACK (self->widgets.tables), "statistics");
  gtk_widget_grab_focus (self->widgets.filter);
}

static void
step_hog (Actions *self, int direction)
{
  if (!asc_document_step_hog (self->document, direction))
    asc_document_say (self->document, 0, "No run of 20 ms or more in this session.");
}

static void
next_hog (GSimpleAction *action, GVariant *parameter, gpointer user)
{
  (void)action;
  (void)parameter;
  step_hog (user, 1);
}

static void
previous_hog (GSimpleAction *action, GVariant *parameter, gpointer user)
{
  (void)action;
  (void)parameter;
  step_hog (user, -1);
}

void
asc_actions_show_dark (GtkWindow *window, bool dark)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (window), "dark");
  g_object_set (gtk_widget_get_settings (GTK_WIDGET (window)),
                "gtk-application-prefer-dark-theme", dark, NULL);
  if (dark)
    gtk_widget_add_css_class (GTK_WIDGET (window), "dark-theme");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (window), "dark-theme");
  g_simple_action_set_state (G_SIMPLE_ACTION (action), g_variant_new_boolean (dark));
}

/* Chosen by the user. */
static void
dark (GSimpleAction *action, GVariant *value, gpointer user)
{
  Actions *self = user;
  (void)action;
  asc_actions_show_dark (self->window, g_variant_get_boolean (value));
  asc_settings_keep_dark (g_variant_get_boolean (value));
}

static void
set_enabled (GtkWindow *window, const char *name, bool enabled)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (window), name);
  g_simple_action_set_enabled (G_SIMPLE_ACTION (action), enabled);
}

void
asc_actions_update (GtkWindow *window, AscDocument *document)
{
  AscEngine *engine = asc_document_engine (document);
  bool any = engine != NULL;
  bool loading = any && asc_engine_state (engine) == ASC_ENGINE_LOADING;
  set_enabled (window, "save", asc_files_can_save (document));
  set_enabled (window, "export", any);
  set_enabled (window, "export-hogs", any);
  set_enabled (window, "picture", any);
  set_enabled (window, "copy-table", any);
  set_enabled (window, "close-trace", any);
  set_enabled (window, "find", any);
  set_enabled (window, "next-hog", any);
  set_enabled (window, "previous-hog", any);
  bool released = asc_document_released (document);
  set_enabled (window, "release", asc_document_can_release (document) && !released);
  set_enabled (window, "take-back", released);
  set_enabled (window, "disconnect",
               loading || asc_document_live (document)
                   || asc_document_opening (document));
}

/* In the bubble phase: a text field that has the focus takes its "?" itself. */
static gboolean
question (GtkEventControllerKey *controller,
          guint keyval,
          guint keycode,
          GdkModifierType state,
          GtkWidget *window)
{
  (void)controller;
  (void)keycode;
  if (keyval != GDK_KEY_question || state & (GDK_CONTROL_MASK | GDK_ALT_MASK))
    return FALSE;
  return gtk_widget_activate_action (window, "win.help", NULL);
}

static void
free_actions (gpointer data, GClosure *closure)
{
  (void)closure;
  g_free (data);
}

void
asc_actions_add (GtkWindow *window,
                 AscDocument *document,
                 const AscActionWidgets *widgets)
{
  static const GActionEntry entries[] = {
    { .name = "open", .activate = open_file },
    { .name = "save", .activate = save },
    { .name = "export", .activate = export_csv },
    { .name = "export-hogs", .activate = export_hogs },
    { .name = "picture", .activate = picture },
    { .name = "copy-table", .activate = copy_table },
    { .name = "close-trace", .activate = close_trace },
    { .name = "connect", .activate = connect_board },
    { .name = "demo", .activate = demo },
    { .name = "disconnect", .activate = disconnect },
    { .name = "release", .activate = release },
    { .name = "take-back", .activate = take_back },
    { .name = "help", .activate = help },
    { .name = "find", .activate = find },
    { .name = "next-hog", .activate = next_hog },
    { .name = "previous-hog", .activate = previous_hog },
    { .name = "dark", .state = "false", .change_state = dark },
  };
  Actions *self = g_new (Actions, 1);
  *self = (Actions){ window, document, *widgets };
  g_action_map_add_action_entries (G_ACTION_MAP (window), entries, G_N_ELEMENTS (entries),
                                   self);
  g_signal_connect_data (window, "destroy", G_CALLBACK (gtk_widget_get_name), self,
                         free_actions, 0);
  GtkEventController *keys = gtk_event_controller_key_new ();
  g_signal_connect (keys, "key-pressed", G_CALLBACK (question), window);
  gtk_widget_add_controller (GTK_WIDGET (window), keys);
  gboolean prefers_dark = FALSE;
  g_object_get (gtk_widget_get_settings (GTK_WIDGET (window)),
                "gtk-application-prefer-dark-theme", &prefers_dark, NULL);
  int chosen = asc_settings_dark ();
  asc_actions_show_dark (window, chosen < 0 ? prefers_dark : chosen > 0);
}

void
asc_actions_set_accels (GtkApplication *application)
{
  static const struct
  {
    const char *action;
    const char *keys[3];
  } accels[] = {
    { "win.open", { "<Control>o", NULL } },
    { "win.save", { "<Control>s", NULL } },
    { "win.export", { "<Control>e", NULL } },
    { "win.find", { "<Control>f", NULL } },
    { "win.help", { "F1", "<Control>question", NULL } },
    { "window.close", { "<Control>w", NULL } },
    { "app.quit", { "<Control>q", NULL } },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (accels); i++)
    gtk_application_set_accels_for_action (application, accels[i].action, accels[i].keys);
}
