#include "asc-holder.h"

#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/sysmacros.h>
#endif
#include <unistd.h>

/* Linux: UNIX98 pty slaves. */
#define PTY_MAJOR_FIRST 136
#define PTY_MAJOR_LAST 143

static char *
process_name (const char *pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%s/comm", pid);
  char *name = NULL;
  if (!g_file_get_contents (path, &name, NULL, NULL))
    return g_strdup ("a program");
  return g_strstrip (name);
}

/* Numbers tell a device; but each container counts its ptys from 0, so that for those it
 * is the file system's node. */
static gboolean
same_device (const struct stat *a, const struct stat *b)
{
  unsigned number = major (a->st_rdev);
  if (!S_ISCHR (a->st_mode) || !S_ISCHR (b->st_mode) || a->st_rdev != b->st_rdev)
    return FALSE;
  return number < PTY_MAJOR_FIRST || number > PTY_MAJOR_LAST
         || (a->st_dev == b->st_dev && a->st_ino == b->st_ino);
}

static gboolean
process_holds (const char *pid, const struct stat *device)
{
  g_autofree char *path = g_strdup_printf ("/proc/%s/fd", pid);
  g_autoptr (GDir) fds = g_dir_open (path, 0, NULL);
  const char *fd;
  while (fds && (fd = g_dir_read_name (fds)))
    {
      g_autofree char *link = g_build_filename (path, fd, NULL);
      char target[8];
      struct stat info;
      /* Asked by name first: stat() on a file of a dead network mount would hang. */
      if (readlink (link, target, sizeof target) < 5 || memcmp (target, "/dev/", 5))
        continue;
      if (stat (link, &info) == 0 && same_device (&info, device))
        return TRUE;
    }
  return FALSE;
}

gboolean
asc_holder_has (long pid, const char *path)
{
  struct stat info;
  g_autofree char *text = g_strdup_printf ("%ld", pid);
  return stat (path, &info) == 0 && process_holds (text, &info);
}

char *
asc_holder_find (const char *path)
{
  struct stat info;
  if (stat (path, &info) || !S_ISCHR (info.st_mode))
    return NULL;
  g_autoptr (GDir) proc = g_dir_open ("/proc", 0, NULL);
  g_autofree char *self = g_strdup_printf ("%ld", (long)getpid ());
  const char *pid;
  while (proc && (pid = g_dir_read_name (proc)))
    {
      if (!g_ascii_isdigit (*pid) || !strcmp (pid, self) || !process_holds (pid, &info))
        continue;
      g_autofree char *name = process_name (pid);
      return g_strdup_printf ("%s (pid %s)", name, pid);
    }
  return NULL;
}

static gboolean
process_in_group (gid_t group)
{
  gid_t groups[1024];
  int n = getgroups (G_N_ELEMENTS (groups), groups);
  for (int i = 0; i < n; i++)
    if (groups[i] == group)
      return TRUE;
  return getegid () == group;
}

static gboolean
user_in_group (const struct group *group)
{
  const struct passwd *user = getpwuid (getuid ());
  for (char **member = group->gr_mem; user && member && *member; member++)
    if (!strcmp (*member, user->pw_name))
      return TRUE;
  return FALSE;
}

char *
asc_holder_explain_denied (const char *path)
{
  struct stat info;
  if (stat (path, &info))
    return g_strdup_printf ("You may not open %s, nor the folder it is in.", path);
  const struct group *group = getgrgid (info.st_gid);
  g_autofree char *name = group ? g_strdup (group->gr_name)
                                : g_strdup_printf ("%lu", (unsigned long)info.st_gid);
  gboolean useful = (info.st_mode & 060) == 060 && info.st_gid != 0;
  if (S_ISREG (info.st_mode))
    return g_strdup_printf ("You may not read %s.", path);
  if (!useful || process_in_group (info.st_gid))
    {
      const struct passwd *owner = getpwuid (info.st_uid);
      return g_strdup_printf (
          "You may not open %s: only its owner (%s) may. A udev rule can "
          "give it to the group 'dialout': see the README; for now: sudo chmod "
          "a+rw %s",
          path, owner ? owner->pw_name : "unknown", path);
    }
  if (group && user_in_group (group))
    return g_strdup_printf (
        "You may not open %s yet: you are in the group '%s', but only since "
        "after this log-in. Log out and in again (or restart the computer).",
        path, name);
  return g_strdup_printf (
      "You may not open %s: add yourself to the group '%s' with: sudo usermod "
      "-aG %s $USER - then log in again.",
      path, name, name);
}
