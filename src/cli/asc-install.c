#include "asc-install.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PREFIX "aioscope-"
/* Of the answers' form. */
#define ANSWERS "1"
#define FIRMWARE "firmware"
/* The oldest that the recorder in Python runs on. */
#define OLDEST_MAJOR 1
#define OLDEST_MINOR 19
/* Head of a .mpy file: 'M', version, flags, bits of a small int. */
#define MPY_HEAD 4
#define MPY_SUB(flags) ((flags)&3)
#define MPY_ARCH(flags) ((flags) >> 2 & 15)
#define MPY_ARCH_FLAGS 0x40

/* A module that a tool has just copied may be broken: whatever it raises is an answer. A
 * front in the firmware is asked for by importing it, which only a module in C makes
 * likely. */
const char asc_board_question[]
    = "import sys\n"
      "def say(k, v):\n"
      "  print('" PREFIX "' + k + ':', v)\n"
      "say('answers', " ANSWERS ")\n"
      "i = sys.implementation\n"
      "say('name', i.name)\n"
      "say('version', '.'.join(str(n) for n in i.version[:3]))\n"
      "say('machine', getattr(i, '_machine', sys.platform))\n"
      "say('mpy', getattr(i, '_mpy', getattr(i, 'mpy', 0)))\n"
      "def load(n):\n"
      "  try:\n"
      "    m = __import__(n)\n"
      "  except ImportError:\n"
      "    return ''\n"
      "  except Exception as e:\n"
      "    return 'raises ' + repr(e)\n"
      "  return getattr(m, '__file__', '" FIRMWARE "')\n"
      "a = ''\n"
      "for n in ('uasyncio', 'asyncio'):\n"
      "  if load(n): a = n\n"
      "say('asyncio', a)\n"
      "try:\n"
      "  import os\n"
      "except ImportError:\n"
      "  import uos as os\n"
      "def there(p):\n"
      "  try:\n"
      "    os.stat(p)\n"
      "    return True\n"
      "  except (OSError, AttributeError):\n"
      "    return False\n"
      "m = load('_aioscope')\n"
      "say('module', m)\n"
      "f = ''\n"
      "for d in sys.path:\n"
      "  for e in ('.py', '.mpy'):\n"
      "    p = (d + '/' if d else '') + 'aioscope' + e\n"
      "    if not f and d != '.frozen' and there(p): f = p\n"
      "if not f and m == '" FIRMWARE "' and load('aioscope'): f = '" FIRMWARE "'\n"
      "say('front', f)\n"
      "t = ''\n"
      "for d in sys.path:\n"
      "  if not t and (d == 'lib' or d[-4:] == '/lib'): t = d\n"
      "say('folder', t)\n"
      "b = -1\n"
      "p = t\n"
      "while b < 0:\n"
      "  try:\n"
      "    s = os.statvfs(p or '/')\n"
      "    b = s[0] * s[3]\n"
      "  except (OSError, AttributeError):\n"
      "    if not p: break\n"
      "    p = p[:p.rfind('/')] if '/' in p else ''\n"
      "say('free', b)\n";

const char asc_board_check[]
    = "import aioscope\n"
      "print('" PREFIX "recorder:', aioscope._aioscope.__name__)\n";

/* ---- what the board says ---- */

static const char *const arch_names[]
    = { "none",      "x86",       "x64",    "armv6",     "armv6m",  "armv7m", "armv7em",
        "armv7emsp", "armv7emdp", "xtensa", "xtensawin", "rv32imc", "rv64imc" };
#define ARM_FIRST 4 /* armv6m, */
#define ARM_LAST 8  /* to armv7emdp: each runs what those before it run */

const char *
asc_arch_name (int arch)
{
  return arch >= 0 && arch < (int)G_N_ELEMENTS (arch_names) ? arch_names[arch] : "?";
}

/* The value of a line, made fit for a line of ours; NULL when it is not there. */
static char *
answer (char **lines, const char *key)
{
  g_autofree char *head = g_strconcat (PREFIX, key, ":", NULL);
  for (; *lines; lines++)
    if (g_str_has_prefix (*lines, head))
      {
        char *value = g_utf8_make_valid (*lines + strlen (head), -1);
        for (char *c = value; *c; c++)
          if (g_ascii_iscntrl (*c))
            *c = ' ';
        return g_strstrip (value);
      }
  return NULL;
}

static gint64
number (char **lines, const char *key)
{
  g_autofree char *text = answer (lines, key);
  return text ? g_ascii_strtoll (text, NULL, 10) : -1;
}

bool
asc_board_parse (AscBoard *board, const char *output)
{
  g_auto (GStrv) lines = g_strsplit (output, "\n", -1);
  g_autofree char *answers = answer (lines, "answers");
  memset (board, 0, sizeof *board);
  board->name = answer (lines, "name");
  board->version = answer (lines, "version");
  board->machine = answer (lines, "machine");
  board->asyncio = answer (lines, "asyncio");
  board->module = answer (lines, "module");
  board->front = answer (lines, "front");
  board->folder = answer (lines, "folder");
  board->free = number (lines, "free");
  gint64 mpy = number (lines, "mpy");
  if (mpy > 0)
    {
      board->mpy = (int)(mpy & 0xFF);
      board->mpy_sub = MPY_SUB ((int)(mpy >> 8));
      board->arch = MPY_ARCH ((int)(mpy >> 8));
    }
  /* The last of them. */
  g_autofree char *all = answer (lines, "free");
  if (g_strcmp0 (answers, ANSWERS) == 0 && board->name && board->version && board->machine
      && board->asyncio && board->module && board->front && board->folder && all)
    return true;
  asc_board_clear (board);
  return false;
}

void
asc_board_clear (AscBoard *board)
{
  g_free (board->name);
  g_free (board->version);
  g_free (board->machine);
  g_free (board->asyncio);
  g_free (board->module);
  g_free (board->front);
  g_free (board->folder);
  memset (board, 0, sizeof *board);
}

/* ---- what there is to choose from ---- */

typedef struct
{
  char *path;
  int mpy, sub, arch;
} Loadable;

static void
loadable_free (gpointer data)
{
  Loadable *loadable = data;
  g_free (loadable->path);
  g_free (loadable);
}

/* Every .mpy below the folder: its head tells what it is for, not its name. */
static void
find_loadables (GPtrArray *found, const char *folder, int depth)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  while (dir && (name = g_dir_read_name (dir)))
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      guint8 head[MPY_HEAD];
      if (depth > 0 && g_file_test (path, G_FILE_TEST_IS_DIR))
        find_loadables (found, path, depth - 1);
      FILE *file = g_str_has_suffix (name, ".mpy") ? fopen (path, "rbe") : NULL;
      if (file && fread (head, 1, sizeof head, file) == sizeof head && head[0] == 'M'
          && MPY_ARCH (head[2]) && !(head[2] & MPY_ARCH_FLAGS))
        {
          Loadable *loadable = g_new (Loadable, 1);
          *loadable = (Loadable){ g_steal_pointer (&path), head[1], MPY_SUB (head[2]),
                                  MPY_ARCH (head[2]) };
          g_ptr_array_add (found, loadable);
        }
      if (file)
        fclose (file);
    }
}

static bool
runs_on (int arch, int board)
{
  return arch == board || (arch >= ARM_FIRST && arch <= board && board <= ARM_LAST);
}

/* The best that the board loads, or NULL; @almost: one that only its version keeps from
 * it. */
static const Loadable *
choose (const GPtrArray *found, const AscBoard *board, const Loadable **almost)
{
  const Loadable *best = NULL;
  *almost = NULL;
  for (guint i = 0; i < found->len; i++)
    {
      const Loadable *each = found->pdata[i];
      if (!runs_on (each->arch, board->arch))
        continue;
      if (each->mpy != board->mpy || each->sub != board->mpy_sub)
        *almost = each;
      else if (!best || each->arch > best->arch)
        best = each;
    }
  return best;
}

/* ---- the plan ---- */

static void
file_free (gpointer data)
{
  AscInstallFile *file = data;
  g_free (file->from);
  g_free (file->to);
  g_free (file);
}

static void
add_folder (AscInstallPlan *plan, const char *path)
{
  if (!*path || strcmp (path, "/") == 0)
    return;
  for (guint i = 0; i < plan->folders->len; i++)
    if (strcmp (plan->folders->pdata[i], path) == 0)
      return;
  g_autofree char *outer = g_path_get_dirname (path);
  if (strcmp (outer, ".") != 0)
    add_folder (plan, outer);
  g_ptr_array_add (plan->folders, g_strdup (path));
}

static bool
add_file (AscInstallPlan *plan,
          const AscBoard *board,
          const char *from,
          const char *name,
          GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_path (from);
  g_autoptr (GFileInfo) info
      = g_file_query_info (file, G_FILE_ATTRIBUTE_STANDARD_SIZE, 0, NULL, error);
  if (!info)
    return false;
  AscInstallFile *each = g_new0 (AscInstallFile, 1);
  each->from = g_strdup (from);
  each->to
      = *board->folder ? g_strconcat (board->folder, "/", name, NULL) : g_strdup (name);
  each->size = g_file_info_get_size (info);
  plan->size += each->size;
  g_ptr_array_add (plan->files, each);
  g_autofree char *folder = g_path_get_dirname (each->to);
  if (strcmp (folder, ".") != 0)
    add_folder (plan, folder);
  return true;
}

static int
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

/* All .py files of a folder within the source, or one file of it. */
static bool
add_python (AscInstallPlan *plan,
            const AscBoard *board,
            const char *source,
            const char *name,
            GError **error)
{
  g_autofree char *path = g_build_filename (source, name, NULL);
  if (!g_file_test (path, G_FILE_TEST_IS_DIR))
    return add_file (plan, board, path, name, error);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *each;
  while (dir && (each = g_dir_read_name (dir)))
    if (g_str_has_suffix (each, ".py"))
      g_ptr_array_add (names, g_strdup (each));
  g_ptr_array_sort (names, by_text);
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *from = g_build_filename (path, names->pdata[i], NULL);
      g_autofree char *to = g_strconcat (name, "/", names->pdata[i], NULL);
      if (!add_file (plan, board, from, to, error))
        return false;
    }
  return true;
}

/* Whether aioscope can run there at all. */
static bool
check_board (const AscBoard *board, GError **error)
{
  int major = 0, minor = 0;
  if (strcmp (board->name, "micropython") != 0)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                 "The board runs %s, and aioscope records MicroPython.", board->name);
  else if (sscanf (board->version, "%d.%d", &major, &minor) != 2 || major < OLDEST_MAJOR
           || (major == OLDEST_MAJOR && minor < OLDEST_MINOR))
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                 "The board runs MicroPython %s; aioscope needs %d.%d or newer: put a "
                 "newer firmware onto it.",
                 board->version, OLDEST_MAJOR, OLDEST_MINOR);
  else if (!*board->asyncio)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                 "This firmware has no asyncio, so there are no tasks to record.");
  else
    return true;
  return false;
}

static bool
check_room (const AscInstallPlan *plan, const AscBoard *board, GError **error)
{
  g_autofree char *size = g_format_size ((guint64)plan->size);
  g_autofree char *room = g_format_size ((guint64)MAX (board->free, 0));
  if (board->free < 0)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE,
                 "The board has no file system to copy to: build aioscope into its "
                 "firmware (src/device/README.md).");
  else if (board->free < plan->size)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE,
                 "%s are to be copied, and the board has %s free: delete something there "
                 "(mpremote fs rm).",
                 size, room);
  else
    return true;
  return false;
}

static char *
describe_loadable (const AscBoard *board, const Loadable *best)
{
  const char *what = "the loadable C module, because the firmware has none of its own";
  if (best->arch == board->arch)
    return g_strdup_printf ("%s and loads code for %s", what, asc_arch_name (best->arch));
  return g_strdup_printf ("%s and, for %s, loads code for %s", what,
                          asc_arch_name (board->arch), asc_arch_name (best->arch));
}

static char *
describe_python (const AscBoard *board, const Loadable *almost)
{
  const char *what = "the recorder in Python, because";
  if (!board->arch)
    return g_strdup_printf (
        "%s the firmware has no C module and does not load native code", what);
  if (almost)
    return g_strdup_printf (
        "%s the loadable C module for %s is of .mpy version %d.%d, and "
        "the firmware loads %d.%d",
        what, asc_arch_name (almost->arch), almost->mpy, almost->sub, board->mpy,
        board->mpy_sub);
  return g_strdup_printf (
      "%s the firmware has no C module, and there is no loadable one for %s", what,
      asc_arch_name (board->arch));
}

/* What is on the board already and would be imported in place of what is copied. */
static char *
warn (const AscInstallPlan *plan, const AscBoard *board, bool to_python)
{
  const char *old = NULL;
  const AscInstallFile *front = plan->files->len ? plan->files->pdata[0] : NULL;
  if (front && *board->front && strcmp (board->front, FIRMWARE) != 0)
    {
      g_autofree char *there = g_path_get_dirname (board->front);
      g_autofree char *here = g_path_get_dirname (front->to);
      if (strcmp (there, here) != 0)
        old = board->front;
    }
  if (!old && to_python && g_str_has_suffix (board->module, ".mpy"))
    old = board->module;
  if (!old)
    return g_strdup ("");
  return g_strdup_printf (
      "%s is on the board already and is imported in place of what is "
      "copied: delete it (mpremote fs rm %s)",
      old, old);
}

bool
asc_install_plan (AscInstallPlan *plan,
                  const AscBoard *board,
                  const char *source,
                  GError **error)
{
  bool in_firmware = strcmp (board->module, FIRMWARE) == 0;
  const Loadable *almost = NULL;
  memset (plan, 0, sizeof *plan);
  plan->files = g_ptr_array_new_with_free_func (file_free);
  plan->folders = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (loadable_free);
  find_loadables (found, source, 3);
  const Loadable *best = choose (found, board, &almost);
  bool good = check_board (board, error);
  if (good && in_firmware && strcmp (board->front, FIRMWARE) == 0)
    plan->choice = g_strdup ("nothing, because the firmware has aioscope built in");
  else if (good)
    {
      good = add_python (plan, board, source, "aioscope.py", error);
      if (good && in_firmware)
        plan->choice
            = g_strdup ("its front alone, because the firmware has the C module");
      else if (good && best)
        {
          plan->choice = describe_loadable (board, best);
          good = add_file (plan, board, best->path, "_aioscope.mpy", error);
        }
      else if (good)
        {
          plan->choice = describe_python (board, almost);
          good = add_python (plan, board, source, "aioscope_py", error);
        }
      good = good && check_room (plan, board, error);
    }
  if (good)
    plan->warning = warn (plan, board, !in_firmware && !best);
  else
    asc_install_plan_clear (plan);
  return good;
}

void
asc_install_plan_clear (AscInstallPlan *plan)
{
  g_clear_pointer (&plan->files, g_ptr_array_unref);
  g_clear_pointer (&plan->folders, g_ptr_array_unref);
  g_clear_pointer (&plan->choice, g_free);
  g_clear_pointer (&plan->warning, g_free);
}
