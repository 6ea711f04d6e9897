/* aioscope [FILE|SOURCE]: the viewer. */
#include "asc-actions.h"
#include "asc-files.h"
#include "asc-store.h"
#include "asc-window.h"

#include <signal.h>

static const char *const about_text = "A scope for MicroPython's asyncio: which task has "
                                      "the CPU, when, and for how long.";

static void
about (GSimpleAction *action, GVariant *parameter, gpointer application)
{
  (void)action;
  (void)parameter;
  gtk_show_about_dialog (gtk_application_get_active_window (application), "program-name",
                         "aioscope", "version", ASC_VERSION, "comments", about_text,
                         "license-type", GTK_LICENSE_MIT_X11, "logo-icon-name",
                         "org.aioscope.Aioscope", NULL);
}

static void
quit (GSimpleAction *action, GVariant *parameter, gpointer application)
{
  GList *windows = gtk_application_get_windows (application);
  (void)action;
  (void)parameter;
  while (windows != NULL)
    {
      GtkWindow *window = windows->data;
      windows = windows->next;
      gtk_window_close (window);
    }
}

static void
startup (GApplication *application, gpointer data)
{
  static const GActionEntry entries[]
      = { { .name = "about", .activate = about }, { .name = "quit", .activate = quit } };
  (void)data;
  g_action_map_add_action_entries (G_ACTION_MAP (application), entries,
                                   G_N_ELEMENTS (entries), application);
  asc_actions_set_accels (GTK_APPLICATION (application));
  GtkCssProvider *css = gtk_css_provider_new ();
  gtk_css_provider_load_from_resource (css, "/org/aioscope/Aioscope/style.css");
  gtk_style_context_add_provider_for_display (gdk_display_get_default (),
                                              GTK_STYLE_PROVIDER (css),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
  g_object_unref (css);
  gtk_window_set_default_icon_name ("org.aioscope.Aioscope");
  asc_store_trim (0, 0);
}

static int
command_line (GApplication *application, GApplicationCommandLine *line, gpointer data)
{
  GVariantDict *options = g_application_command_line_get_options_dict (line);
  char **rest = NULL;
  gboolean demo = FALSE, dark = FALSE;
  (void)data;
  g_variant_dict_lookup (options, "demo", "b", &demo);
  g_variant_dict_lookup (options, "dark", "b", &dark);
  g_variant_dict_lookup (options, G_OPTION_REMAINING, "^as", &rest);
  if (rest != NULL && rest[0] != NULL && (rest[1] != NULL || demo))
    {
      g_application_command_line_printerr (line,
                                           "aioscope: one file or source at a time; see "
                                           "aioscope --help\n");
      g_strfreev (rest);
      return 2;
    }
  AscWindow *window = asc_window_new (GTK_APPLICATION (application));
  if (dark)
    asc_actions_show_dark (GTK_WINDOW (window), true);
  gtk_window_present (GTK_WINDOW (window));
  if (demo)
    asc_window_take (window, "demo");
  else if (rest != NULL && rest[0] != NULL)
    asc_window_take (window, rest[0]);
  g_strfreev (rest);
  return 0;
}

/* Before GTK says so in its own words and ends the program. */
static int
no_display (void)
{
  const char *x11 = g_getenv ("DISPLAY"), *wayland = g_getenv ("WAYLAND_DISPLAY");
  if (gtk_init_check ())
    return -1;
  g_printerr ("aioscope: no window can be opened (DISPLAY is '%s', WAYLAND_DISPLAY is "
              "'%s'). aioscope-cli records and measures without one.\n",
              x11 != NULL ? x11 : "", wayland != NULL ? wayland : "");
  return 1;
}

static int
local_options (GApplication *application, GVariantDict *options, gpointer data)
{
  (void)application;
  (void)data;
  if (g_variant_dict_contains (options, "version"))
    {
      g_print ("aioscope %s\n", ASC_VERSION);
      return 0;
    }
  int status = no_display ();
  return status < 0 && g_variant_dict_contains (options, "check-display") ? 0 : status;
}

int
main (int argc, char **argv)
{
  static const GOptionEntry entries[] = {
    { "demo", 0, 0, G_OPTION_ARG_NONE, NULL, "Show the built-in demo board", NULL },
    { "dark", 0, 0, G_OPTION_ARG_NONE, NULL, "Start with the dark theme", NULL },
    { "version", 0, 0, G_OPTION_ARG_NONE, NULL, "Print the version", NULL },
    { "check-display", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, NULL,
      "Only tell by the exit status whether a window can be opened", NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, NULL, NULL, "[FILE|SOURCE]" },
    G_OPTION_ENTRY_NULL,
  };
  /* A file that may not grow and a peer that left are errors to be told. */
  signal (SIGXFSZ, SIG_IGN);
  signal (SIGPIPE, SIG_IGN);
  GtkApplication *application
      = gtk_application_new ("org.aioscope.Aioscope", G_APPLICATION_HANDLES_COMMAND_LINE
                                                          | G_APPLICATION_NON_UNIQUE);
  g_application_add_main_option_entries (G_APPLICATION (application), entries);
  g_application_set_option_context_summary (
      G_APPLICATION (application),
      "Shows a trace file, or a board live.\n\n"
      "SOURCE is a serial port (/dev/ttyACM0, /dev/ttyUSB0@921600), a pty,\n"
      "tcp:HOST:PORT, tcp-listen:PORT, unix:PATH (as 'aioscope-cli ports' lists a\n"
      "proxy), - (standard input), or demo.\n"
      "Without anything the window says what can be done.");
  g_signal_connect (application, "startup", G_CALLBACK (startup), NULL);
  g_signal_connect (application, "command-line", G_CALLBACK (command_line), NULL);
  g_signal_connect (application, "handle-local-options", G_CALLBACK (local_options),
                    NULL);
  int status = g_application_run (G_APPLICATION (application), argc, argv);
  asc_files_settle ();
  asc_document_settle ();
  g_object_unref (application);
  return status;
}
