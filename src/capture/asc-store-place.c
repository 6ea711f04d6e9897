/* Where unnamed recordings are: the state folder, or what can be written instead. */
#include "asc-store-private.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *places[ASC_STORE_PLACES];

static void
find_places (void)
{
  static gsize once;
  if (!g_once_init_enter (&once))
    return;
  const char *runtime = g_getenv ("XDG_RUNTIME_DIR");
  char *ours = g_strdup_printf ("aioscope-%u", (guint)getuid ());
  places[0] = g_build_filename (g_get_user_state_dir (), "aioscope", "recordings", NULL);
  if (runtime && g_path_is_absolute (runtime))
    places[1] = g_build_filename (runtime, "aioscope", "recordings", NULL);
  places[2] = g_build_filename (g_get_tmp_dir (), ours, "recordings", NULL);
  g_free (ours);
  g_once_init_leave (&once, 1);
}

/* In a folder that everybody may write to, a name may be somebody else's. */
static bool
is_ours (const char *path)
{
  struct stat st;
  return lstat (path, &st) == 0 && S_ISDIR (st.st_mode) && st.st_uid == geteuid ()
         && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* 0, or why a recording can not be made there. */
static int
prepare (guint place)
{
  char *outer = g_path_get_dirname (places[place]);
  int number = 0;
  if (g_mkdir_with_parents (places[place], 0700) != 0)
    number = errno;
  else if (access (places[place], W_OK | X_OK) != 0)
    number = errno;
  else if (place > 0 && (!is_ours (outer) || !is_ours (places[place])))
    number = EPERM;
  g_free (outer);
  return number;
}

const char *
asc_store_place (guint place)
{
  find_places ();
  if (place >= ASC_STORE_PLACES || !places[place])
    return NULL;
  /* Whatever somebody else put there, or links to, is not ours to list and delete. */
  char *outer = g_path_get_dirname (places[place]);
  bool ours = place == 0 || (is_ours (outer) && is_ours (places[place]));
  g_free (outer);
  return ours ? places[place] : NULL;
}

const char *
asc_store_directory (void)
{
  find_places ();
  /* Each time: somebody may have tidied up meanwhile, or made room. */
  for (guint i = 0; i < ASC_STORE_PLACES; i++)
    if (places[i] && prepare (i) == 0)
      return places[i];
  return places[0];
}

char *
asc_store_trouble (void)
{
  const char *used = asc_store_directory ();
  if (used == places[0])
    return NULL;
  return g_strdup_printf (
      "The folder for recordings, %s, can not be written: %s. This recording is in %s, "
      "which does not last: save it before you log out.",
      places[0], g_strerror (prepare (0)), used);
}

bool
asc_store_holds (const char *path)
{
  char *folder = g_path_get_dirname (path);
  bool found = false;
  find_places ();
  for (guint i = 0; i < ASC_STORE_PLACES; i++)
    found |= g_strcmp0 (folder, places[i]) == 0;
  g_free (folder);
  return found;
}

bool
asc_store_may_save (const char *destination, GError **error)
{
  bool held = asc_store_holds (destination);
  if (held)
    g_set_error (
        error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
        "%s is in the folder for unnamed recordings, where the oldest are deleted "
        "when space is needed. Choose another folder.",
        destination);
  return !held;
}
