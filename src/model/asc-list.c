#include "asc-list.h"

void
asc_list_init (AscList *list, gsize item)
{
  *list = (AscList){ .item = item };
}

void
asc_list_clear (AscList *list)
{
  for (guint i = 0; i < ASC_LIST_PAGES; i++)
    g_free (list->pages[i]);
  *list = (AscList){ .item = list->item };
}

void *
asc_list_next (AscList *list)
{
  guint64 index = asc_own (&list->n);
  guint64 page = (guint64)(63 - __builtin_clzll ((index >> ASC_LIST_FIRST) + 1));
  g_assert (page < ASC_LIST_PAGES);
  if (!list->pages[page])
    list->pages[page] = g_malloc0_n ((gsize)1 << (page + ASC_LIST_FIRST), list->item);
  return asc_list_at (list, index);
}
