/* Counts how often values came, and finds them by rank, in bounded memory: exact up to
 * 65 536 different values, from there on rounded to the greatest value's 65 536th. */
#ifndef ASC_SHARES_H
#define ASC_SHARES_H

#include <glib.h>

typedef struct
{
  GArray *counts;
  guint64 n; /* values in all */
  guint sorted;
  guint shift; /* bits that values are rounded by */
} AscShares;

/* All zero is a good start. One thread at a time. */
void asc_shares_clear (AscShares *shares);
void asc_shares_add (AscShares *shares, guint64 value, guint64 times);
/* The value that has rank smaller ones before it; rank < n. */
guint64 asc_shares_at (AscShares *shares, guint64 rank);

#endif
