#include "asc-settings.h"

#include <stdbool.h>

#define SCHEMA "org.aioscope.Aioscope"

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
          found = g_settings_new_full (schema, NULL, NULL);
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
