/* An append-only list that never moves: pages of doubling size behind a fixed directory.
 *
 * One thread appends; any thread reads what asc_list_length () published. Memory comes
 * zeroed. */
#ifndef ASC_LIST_H
#define ASC_LIST_H

#include <glib.h>
#include <stdatomic.h>

/* Publishing and reading what another thread published. */
#define asc_get(pointer) atomic_load_explicit ((pointer), memory_order_acquire)
#define asc_put(pointer, value)                                                          \
  atomic_store_explicit ((pointer), (value), memory_order_release)
/* The writer's own look at what only it changes. */
#define asc_own(pointer) atomic_load_explicit ((pointer), memory_order_relaxed)

#define ASC_LIST_PAGES 28
#define ASC_LIST_FIRST 3 /* 2^3 items in the first page */

typedef struct
{
  _Atomic guint64 n;
  gsize item; /* bytes */
  void *pages[ASC_LIST_PAGES];
} AscList;

void asc_list_init (AscList *list, gsize item);
void asc_list_clear (AscList *list);
/* The place for one more item, to be filled and then published. */
void *asc_list_next (AscList *list);

static inline void
asc_list_publish (AscList *list)
{
  asc_put (&list->n, asc_own (&list->n) + 1);
}

static inline guint64
asc_list_length (const AscList *list)
{
  return asc_get (&list->n);
}

static inline void *
asc_list_at (const AscList *list, guint64 index)
{
  guint64 page = (guint64)(63 - __builtin_clzll ((index >> ASC_LIST_FIRST) + 1));
  guint64 first = ((G_GUINT64_CONSTANT (1) << page) - 1) << ASC_LIST_FIRST;
  return (guint8 *)list->pages[page] + (index - first) * list->item;
}

#endif
