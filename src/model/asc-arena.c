#include "asc-arena.h"

#include <sys/mman.h>

#define HUGE_PAGE ((gsize)2 << 20)
#define REGION ((gsize)32 << 20) /* address space; memory is used as it is touched */

void
asc_arena_init (AscArena *arena)
{
  *arena = (AscArena){ .regions = g_ptr_array_new () };
}

void
asc_arena_clear (AscArena *arena)
{
  if (!arena->regions)
    return;
  for (guint i = 0; i < arena->regions->len; i++)
    munmap (arena->regions->pdata[i], REGION);
  g_ptr_array_free (arena->regions, TRUE);
  *arena = (AscArena){ 0 };
}

static void
add_region (AscArena *arena)
{
  guint8 *wide = mmap (NULL, REGION + HUGE_PAGE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (wide == MAP_FAILED)
    g_error ("no memory for %zu bytes", REGION);
  /* Only what is aligned to a huge page can be one: cut off both ends. */
  gsize before = (HUGE_PAGE - (guintptr)wide % HUGE_PAGE) % HUGE_PAGE;
  if (before)
    munmap (wide, before);
  if (HUGE_PAGE - before)
    munmap (wide + before + REGION, HUGE_PAGE - before);
  guint8 *region = wide + before;
#ifdef MADV_HUGEPAGE
  madvise (region, REGION, MADV_HUGEPAGE);
#endif
  g_ptr_array_add (arena->regions, region);
  arena->at = region;
  arena->end = region + REGION;
  arena->ready = region;
}

void *
asc_arena_take (AscArena *arena, gsize n)
{
  gsize align = n >= 64 ? 64 : 16;
  gsize pad = (align - (guintptr)arena->at % align) % align;
  if (!arena->at || (gsize)(arena->end - arena->at) < n + pad)
    {
      add_region (arena);
      pad = 0;
    }
  guint8 *taken = arena->at + pad;
  arena->at = taken + n;
  /* In one call: where there is no huge page to be had, a fault for each small one costs
   * more than all the rest. */
  for (; arena->ready < arena->at; arena->ready += HUGE_PAGE)
    {
#ifdef MADV_POPULATE_WRITE
      madvise (arena->ready, HUGE_PAGE, MADV_POPULATE_WRITE);
#endif
    }
  return taken;
}
