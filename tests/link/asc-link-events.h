/* A sink that remembers what a reader told, for tests that wait for it. Every wait ends
 * after 20 s with a failure: long enough for any machine, never reached on a good one. */
#ifndef ASC_LINK_EVENTS_H
#define ASC_LINK_EVENTS_H

#include "asc-reader.h"
#include "asc-test.h"

#include <string.h>

typedef struct
{
  GMutex lock;
  GCond changed;
  GQueue events; /* char *: "number message" */
  GString *bytes;
  guint64 n_bytes;
} AscLinkEvents;

static inline void
asc_link_events_on_bytes (void *user, const guint8 *bytes, gsize n)
{
  AscLinkEvents *me = user;
  g_mutex_lock (&me->lock);
  g_string_append_len (me->bytes, (const char *)bytes, (gssize)n);
  me->n_bytes += n;
  g_cond_broadcast (&me->changed);
  g_mutex_unlock (&me->lock);
}

static inline void
asc_link_events_on_event (void *user, AscLinkEvent event, const char *message)
{
  AscLinkEvents *me = user;
  g_mutex_lock (&me->lock);
  g_queue_push_tail (&me->events, g_strdup_printf ("%d %s", (int)event, message));
  g_cond_broadcast (&me->changed);
  g_mutex_unlock (&me->lock);
}

static const AscReaderSink asc_link_events_sink
    = { asc_link_events_on_bytes, asc_link_events_on_event };

static inline void
asc_link_events_init (AscLinkEvents *me)
{
  memset (me, 0, sizeof *me);
  g_mutex_init (&me->lock);
  g_cond_init (&me->changed);
  g_queue_init (&me->events);
  me->bytes = g_string_new (NULL);
}

static inline void
asc_link_events_clear (AscLinkEvents *me)
{
  g_queue_clear_full (&me->events, g_free);
  g_string_free (me->bytes, TRUE);
  g_mutex_clear (&me->lock);
  g_cond_clear (&me->changed);
}

/* The next event is @event, and its message has @words in it (NULL: any). */
static inline void
asc_link_events_expect (AscLinkEvents *me, AscLinkEvent event, const char *words)
{
  gint64 until = g_get_monotonic_time () + 20 * G_USEC_PER_SEC;
  g_mutex_lock (&me->lock);
  while (g_queue_is_empty (&me->events)
         && g_cond_wait_until (&me->changed, &me->lock, until))
    ;
  g_autofree char *text = g_queue_pop_head (&me->events);
  g_mutex_unlock (&me->lock);
  if (!text || atoi (text) != (int)event || (words && !strstr (text, words)))
    print_error ("event: '%s'\n", text ? text : "none came");
  assert_non_null (text);
  assert_int_equal (atoi (text), (int)event);
  assert_true (!words || strstr (text, words));
}

/* The next bytes are @want, which are then forgotten. */
static inline void
asc_link_events_expect_bytes (AscLinkEvents *me, const char *want)
{
  gint64 until = g_get_monotonic_time () + 20 * G_USEC_PER_SEC;
  gsize n = strlen (want);
  g_mutex_lock (&me->lock);
  while (me->bytes->len < n && g_cond_wait_until (&me->changed, &me->lock, until))
    ;
  gboolean good = me->bytes->len >= n && !memcmp (me->bytes->str, want, n);
  if (good)
    g_string_erase (me->bytes, 0, (gssize)n);
  g_mutex_unlock (&me->lock);
  assert_true (good);
}

#endif
