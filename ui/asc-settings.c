#include "asc-settings.h"

#define G_SETTINGS_ENABLE_BACKEND
#include <gio/gsettingsbackend.h>
#include <string.h>

#define SCHEMA "org.aioscope.Aioscope"
#define PATH "/org/aioscope/Aioscope/"

enum
{
  THEME_DEFAULT,
  THEME_LIGHT,
  THEME_DARK
};

/* Where the desktop has nothing that keeps settings (no dconf), a file of ours does. */
static GSettingsBackend *
backend (void)
{
  GSettingsBackend *found = g_settings_backend_get_default ();
  if (strcmp (G_OBJECT_TYPE_NAME (found), "GMemorySettingsBackend") != 0
      || g_getenv ("GSETTINGS_BACKEND") != NULL)
    return found;
  g_object_unref (found);
  char *file = g_build_filename (g_get_user_config_dir (), "aioscope", "settings", NULL);
  found = g_keyfile_settings_backend_new (file, PATH, "settings");
  g_free (file);
  return found;
}

static GSettings *
settings (void)
{
  static GSettings *found;
  static bool looked;
  if (!looked)
    {
      GSettingsSchemaSource *source = g_settings_schema_source_get_default ();
      GSettingsSchema *schema
          = source != NULL ? g_settings_schema_source_lookup (source, SCHEMA, TRUE)
                           : NULL;
      if (schema != NULL)
        {
          GSettingsBackend *keeps = backend ();
          found = g_settings_new_full (schema, keeps, NULL);
          g_object_unref (keeps);
          g_settings_schema_unref (schema);
        }
      looked = true;
    }
  return found;
}

void
asc_settings_place_window (GtkWindow *window)
{
  int width = 1280, height = 800;
  if (settings () != NULL)
    {
      width = g_settings_get_int (settings (), "window-width");
      height = g_settings_get_int (settings (), "window-height");
      if (g_settings_get_boolean (settings (), "window-maximized"))
        gtk_window_maximize (window);
    }
  gtk_window_set_default_size (window, width, height);
}

void
asc_settings_keep_window (GtkWindow *window)
{
  int width, height;
  if (settings () == NULL)
    return;
  gtk_window_get_default_size (window, &width, &height);
  g_settings_set_boolean (settings (), "window-maximized",
                          gtk_window_is_maximized (window));
  if (width > 0 && height > 0 && !gtk_window_is_maximized (window))
    {
      g_settings_set_int (settings (), "window-width", width);
      g_settings_set_int (settings (), "window-height", height);
    }
}

int
asc_settings_dark (void)
{
  int theme = settings () != NULL ? g_settings_get_enum (settings (), "theme") : 0;
  return theme == THEME_DARK ? 1 : theme == THEME_LIGHT ? 0 : -1;
}

void
asc_settings_keep_dark (bool dark)
{
  if (settings () != NULL)
    g_settings_set_enum (settings (), "theme", dark ? THEME_DARK : THEME_LIGHT);
}
