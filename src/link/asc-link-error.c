#include "asc-link-error.h"

#include "asc-holder.h"
#include "asc-proxies.h"

#include <errno.h>
#include <string.h>

G_DEFINE_QUARK (asc - link - error - quark, asc_link_error)

static void
set_busy (GError **error, const char *path)
{
  g_autofree char *proxy = asc_proxies_of (path);
  g_autofree char *holder = proxy ? NULL : asc_holder_find (path);
  if (proxy)
    g_set_error (error, ASC_LINK_ERROR, ASC_LINK_ERROR_BUSY,
                 "%s is in use by its proxy. Open unix:%s instead, which has the same.",
                 path, proxy);
  else if (holder)
    g_set_error (error, ASC_LINK_ERROR, ASC_LINK_ERROR_BUSY,
                 "%s is in use by %s. Close it there, then connect again.", path, holder);
  else
    g_set_error (error, ASC_LINK_ERROR, ASC_LINK_ERROR_BUSY,
                 "%s is in use by this or another program ('sudo fuser %s' tells "
                 "which). Close it there, then connect again.",
                 path, path);
}

void
asc_link_error_set_open (GError **error, const char *path, int number)
{
  g_autofree char *why = NULL;
  switch (number)
    {
    case ENOENT:
    case ENXIO:
    case ENODEV:
    case ENOTDIR:
      if (g_str_has_prefix (path, "/dev/"))
        g_set_error (error, ASC_LINK_ERROR, ASC_LINK_ERROR_NOT_FOUND,
                     "%s is not there. Is the board plugged in, with a cable that "
                     "carries data? 'aioscope-cli ports' lists what is.",
                     path);
      else
        g_set_error (error, ASC_LINK_ERROR, ASC_LINK_ERROR_NOT_FOUND,
                     "There is no file or port '%s'.", path);
      break;
    case EBUSY:
    case EWOULDBLOCK:
      set_busy (error, path);
      break;
    case EACCES:
    case EPERM:
      why = asc_holder_explain_denied (path);
      g_set_error_literal (error, ASC_LINK_ERROR, ASC_LINK_ERROR_DENIED, why);
      break;
    default:
      g_set_error (error, ASC_LINK_ERROR, ASC_LINK_ERROR_FAILED,
                   "%s cannot be opened: %s.", path, g_strerror (number));
      break;
    }
}
