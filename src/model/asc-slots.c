/* Which task a slot holds, and the lives of instances (feeder). */
#include "asc-model.h"

#include <string.h>

void
asc_slots_reset (AscTrace *trace)
{
  memset (trace->slots, 0, trace->n_slots * sizeof *trace->slots);
  memset (trace->previous, 0, trace->n_slots * sizeof *trace->previous);
  trace->n_slots = 0;
}

void
asc_slots_doubt (AscTrace *trace)
{
  for (guint i = 0; i < trace->n_slots; i++)
    if (trace->slots[i].key)
      trace->slots[i].key = ASC_SLOT_STALE;
}

static void
add_life (AscLane *lane, guint64 ticks, bool birth)
{
  AscLane *task = asc_lane_primary (lane);
  guint64 n = asc_own (&task->lives.n);
  AscLives last = { 0, 0, 0 };
  if (n)
    last = *(const AscLives *)asc_list_at (&task->lives, n - 1);
  if (!birth && last.alive == 0)
    return;
  AscLives *next = asc_list_next (&task->lives);
  *next = (AscLives){ .ticks = MAX (ticks, last.ticks),
                      .alive = birth ? last.alive + 1 : last.alive - 1,
                      .born = last.born + (birth ? 1 : 0) };
  if (next->alive > asc_own (&task->most))
    asc_put (&task->most, next->alive);
  asc_list_publish (&task->lives);
}

static AscLane *
slot_lane (AscTrace *trace, const AscSlot *slot, guint8 context, bool nested)
{
  return asc_names_lane (trace, asc_names_get (trace, slot->name), ASC_LANE_TASK, context,
                         nested);
}

/* A run that was open before its slot was told is that task's. */
static void
adopt_open_runs (AscTrace *trace, guint32 slot)
{
  for (guint c = 0; c < ASC_DECODER_CONTEXTS; c++)
    for (guint i = 0; trace->contexts[c].seen && i < trace->contexts[c].depth; i++)
      {
        AscOpenRun *open = &trace->contexts[c].stack[i];
        if (open->slot != slot || open->instance
            || open->start < trace->slots[slot].since)
          continue;
        if (open->lane->nested)
          open->lane->taken = false;
        open->lane = asc_slots_lane (trace, slot, (guint8)c, i > 0, open->start,
                                     &open->instance);
        open->lane->taken = open->lane->nested;
      }
}

void
asc_slots_tell (AscTrace *trace,
                const AscTaskRecord *record,
                guint64 ticks,
                guint8 context,
                bool started)
{
  AscSlot *slot = &trace->slots[record->slot];
  trace->n_slots = MAX (trace->n_slots, record->slot + 1);
  bool same = slot->key && slot->instance == record->instance && record->instance;
  bool known = slot->key & ASC_SLOT_KNOWN;
  if (same && known && slot->name == record->name && !started)
    return;
  if (slot->key && !same)
    {
      /* Frames of other contexts may still tell of the one before. */
      trace->previous[record->slot] = *slot;
      add_life (slot->lane, ticks, false);
    }
  if (same && slot->name != record->name)
    {
      add_life (slot->lane, ticks, false);
      same = false;
    }
  if (!same)
    slot->since = started || known ? ticks : 0;
  slot->instance = record->instance;
  slot->name = (guint16)record->name;
  slot->lane = slot_lane (trace, slot, context, false);
  slot->key = context | ASC_SLOT_KNOWN;
  if (!same)
    add_life (slot->lane, ticks, true);
  if (!started)
    adopt_open_runs (trace, record->slot);
}

/* The one whose slot it was at a time. */
static AscSlot *
slot_then (AscTrace *trace, guint32 index, guint64 ticks)
{
  AscSlot *slot = &trace->slots[index], *previous = &trace->previous[index];
  if (ticks < slot->since)
    return previous;
  return slot;
}

void
asc_slots_end (AscTrace *trace, guint32 index, guint32 instance, guint64 ticks)
{
  AscSlot *slot = slot_then (trace, index, ticks);
  if (slot == &trace->previous[index])
    slot->key = 0; /* its death was counted when the slot was told anew */
  else if (slot->key & ASC_SLOT_KNOWN && (!instance || instance == slot->instance))
    {
      add_life (slot->lane, ticks, false);
      slot->key = 0;
    }
}

void
asc_slots_rename (AscTrace *trace,
                  guint32 index,
                  guint32 name,
                  guint64 ticks,
                  guint8 context)
{
  AscSlot *slot = &trace->slots[index];
  if (!(slot->key & ASC_SLOT_KNOWN) || slot->name == name)
    return;
  AscTaskRecord record = { .slot = index, .instance = slot->instance, .name = name };
  asc_slots_tell (trace, &record, ticks, context, true);
}

AscLane *
asc_slots_lane (AscTrace *trace,
                guint32 index,
                guint8 context,
                bool nested,
                guint64 ticks,
                guint32 *instance)
{
  AscSlot *slot = slot_then (trace, index, ticks);
  if (!(slot->key & ASC_SLOT_KNOWN))
    {
      *instance = 0;
      return asc_names_lane (trace, &trace->unknown_task, ASC_LANE_TASK, context, nested);
    }
  *instance = slot->instance;
  if (nested)
    return slot_lane (trace, slot, context, true);
  if (slot->key != (context | ASC_SLOT_KNOWN))
    {
      slot->lane = slot_lane (trace, slot, context, false);
      slot->key = context | ASC_SLOT_KNOWN;
    }
  return slot->lane;
}
