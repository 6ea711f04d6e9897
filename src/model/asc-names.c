/* Names and the lanes that carry them (feeder). */
#include "asc-model.h"

#include <string.h>

static void
init_name (AscKnownName *name, AscTrace *trace, guint32 id, const char *display)
{
  *name = (AscKnownName){ .id = id, .module = "", .function = "", .file = "" };
  name->display = g_string_chunk_insert_const (trace->strings, display);
}

AscKnownName *
asc_names_get (AscTrace *trace, guint32 id)
{
  if (!trace->names[id])
    {
      char text[32];
      if (id == 0)
        g_strlcpy (text, "(no name)", sizeof text);
      else
        g_snprintf (text, sizeof text, "(name %u)", id);
      trace->names[id] = g_new (AscKnownName, 1);
      init_name (trace->names[id], trace, id, text);
      g_ptr_array_add (trace->all_names, trace->names[id]);
      trace->n_names = MAX (trace->n_names, id + 1);
    }
  return trace->names[id];
}

void
asc_names_reset (AscTrace *trace)
{
  memset (trace->names, 0, trace->n_names * sizeof *trace->names);
  trace->n_names = 0;
  g_ptr_array_set_size (trace->all_names, 0);
  g_hash_table_remove_all (trace->by_identity);
  g_hash_table_remove_all (trace->displays);
  memset (trace->plain, 0, sizeof trace->plain);
  init_name (&trace->unknown_task, trace, 0, "(unknown task)");
}

static char *
copy_string (AscString string)
{
  return g_utf8_make_valid (string.length ? string.bytes : "", string.length);
}

/* What people read: the module too, where it is not Python's name for the program itself.
 * Two codes of one name (methods named run) are told apart by the line, or else by the
 * code's identity. */
static void
set_display (AscTrace *trace, AscKnownName *name)
{
  bool own = !*name->module || strcmp (name->module, "__main__") == 0;
  char *plain = own ? g_strdup (name->function)
                    : g_strconcat (name->module, ".", name->function, NULL);
  if (!*plain)
    {
      g_free (plain);
      plain = g_strdup (name->display);
    }
  char *key = g_strdup_printf ("%u %s", name->kind, plain);
  if (g_hash_table_contains (trace->displays, key))
    {
      char *longer = name->line ? g_strdup_printf ("%s:%u", plain, name->line)
                                : g_strdup_printf ("%s#%x", plain, name->code);
      g_free (plain);
      plain = longer;
      g_free (key);
    }
  else
    g_hash_table_insert (trace->displays, key, name);
  name->display = g_string_chunk_insert_const (trace->strings, plain);
  g_free (plain);
}

static void
name_lane (AscLane *lane, const AscKnownName *name)
{
  asc_put (&lane->file, name->file);
  asc_put (&lane->line, name->line);
  asc_put (&lane->internal, name->internal);
  asc_put (&lane->name, name->display);
}

static bool
equals (const char *text, AscString string)
{
  return strlen (text) == string.length
         && (string.length == 0 || memcmp (text, string.bytes, string.length) == 0);
}

static bool
same_definition (const AscKnownName *known, const AscName *name)
{
  return known->kind == name->kind && known->line == name->line
         && known->code == name->code
         && known->internal == (name->flags & ASC_NAME_INTERNAL)
         && equals (known->module, name->module)
         && equals (known->function, name->function) && equals (known->file, name->file);
}

/* Lanes that ran under the id before its name came join the task that has it already. */
static void
join_lanes (AscKnownName *name)
{
  if (name->lanes)
    {
      AscSession *session = name->lanes->session;
      asc_put (&session->past_changes, asc_own (&session->past_changes) + 1);
    }
  for (AscLane *lane = name->lanes; lane; lane = lane->next_of_name)
    for (AscLane *other = name->same->lanes; other; other = other->next_of_name)
      if (other->kind == lane->kind)
        asc_put (&lane->primary, asc_lane_primary (other));
}

void
asc_names_define (AscTrace *trace, const AscName *record)
{
  AscKnownName *name = asc_names_get (trace, record->id);
  if (name->known && same_definition (name, record))
    return;
  if (name->known)
    {
      /* The id means something else from here on; what ran before keeps its name. */
      trace->names[record->id] = NULL;
      name = asc_names_get (trace, record->id);
    }
  char *module = copy_string (record->module), *function = copy_string (record->function);
  char *file = copy_string (record->file);
  name->known = true;
  name->kind = record->kind;
  name->internal = record->flags & ASC_NAME_INTERNAL;
  name->line = record->line;
  name->code = record->code;
  name->module = g_string_chunk_insert_const (trace->strings, module);
  name->function = g_string_chunk_insert_const (trace->strings, function);
  name->file = g_string_chunk_insert_const (trace->strings, file);
  char *identity
      = g_strdup_printf ("%u %s %s %u", name->kind, module, function, name->code);
  AscKnownName *same = g_hash_table_lookup (trace->by_identity, identity);
  if (same)
    {
      name->same = same;
      name->display = same->display;
      g_free (identity);
      join_lanes (name);
    }
  else
    {
      set_display (trace, name);
      g_hash_table_insert (trace->by_identity, identity, name);
    }
  for (AscLane *lane = name->lanes; lane; lane = lane->next_of_name)
    name_lane (lane, name);
  g_free (module);
  g_free (function);
  g_free (file);
}

static AscLane *
add_lane (AscTrace *trace, AscLane **list, AscLaneKind kind, guint8 context, bool nested)
{
  AscLane *lane = asc_lane_new (trace->session, kind, context);
  lane->nested = nested;
  AscLane **end = list;
  while (*end)
    {
      if ((*end)->kind == kind && asc_own (&lane->primary) == lane)
        atomic_init (&lane->primary, asc_lane_primary (*end));
      end = &(*end)->next_of_name;
    }
  *end = lane;
  return lane;
}

static void
publish_lane (AscLane *lane)
{
  AscLane **place = asc_list_next (&lane->session->lanes);
  *place = lane;
  asc_list_publish (&lane->session->lanes);
}

AscLane *
asc_names_lane (AscTrace *trace,
                AscKnownName *name,
                AscLaneKind kind,
                guint8 context,
                bool nested)
{
  if (name->same)
    name = name->same;
  for (AscLane *lane = name->lanes; lane; lane = lane->next_of_name)
    if (lane->kind == kind && lane->context == context && lane->nested == nested
        && !(nested && lane->taken))
      return lane;
  AscLane *lane = add_lane (trace, &name->lanes, kind, context, nested);
  lane->known_name = name;
  name_lane (lane, name);
  publish_lane (lane);
  return lane;
}

AscLane *
asc_names_plain_lane (AscTrace *trace, AscLaneKind kind, guint8 context)
{
  static const char *const names[ASC_LANE_N_KINDS]
      = { [ASC_LANE_TASK] = "(unknown task)", [ASC_LANE_IDLE] = "idle",
          [ASC_LANE_DRAIN] = "drain",         [ASC_LANE_GC] = "gc",
          [ASC_LANE_SPAN] = "span",           [ASC_LANE_PIN] = "pin",
          [ASC_LANE_COUNTER] = "counter",     [ASC_LANE_MARK] = "mark" };
  for (AscLane *lane = trace->plain[kind]; lane; lane = lane->next_of_name)
    if (lane->context == context)
      return lane;
  AscLane *lane = add_lane (trace, &trace->plain[kind], kind, context, false);
  asc_put (&lane->name, names[kind]);
  publish_lane (lane);
  return lane;
}
