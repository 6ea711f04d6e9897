/* A sink that remembers what a reader told, for tests that wait for it. Every wait ends
 * after 20 s with a failure: long enough for any machine, never reached on a good one. */
#ifndef ASC_LINK_EVENTS_H
#define ASC_LINK_EVENTS_H

#include "asc-reader.h"
#include "asc-test.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

typedef struct
{
  pthread_mutex_t lock;
  pthread_cond_t changed;
  GQueue events; /* char *: "number message" */
  GString *bytes;
  guint64 n_bytes;
} AscLinkEvents;

static inline void
asc_link_events_on_bytes (void *user, const guint8 *bytes, gsize n)
{
  AscLinkEvents *me = user;
  pthread_mutex_lock (&me->lock);
  g_string_append_len (me->bytes, (const char *)bytes, (gssize)n);
  me->n_bytes += n;
  pthread_cond_broadcast (&me->changed);
  pthread_mutex_unlock (&me->lock);
}

static inline void
asc_link_events_on_event (void *user, AscReaderEvent event, const char *message)
{
  AscLinkEvents *me = user;
  pthread_mutex_lock (&me->lock);
  g_queue_push_tail (&me->events, g_strdup_printf ("%d %s", (int)event, message));
  pthread_cond_broadcast (&me->changed);
  pthread_mutex_unlock (&me->lock);
}

static const AscReaderSink asc_link_events_sink
    = { asc_link_events_on_bytes, asc_link_events_on_event };

static inline void
asc_link_events_init (AscLinkEvents *me)
{
  memset (me, 0, sizeof *me);
  pthread_mutex_init (&me->lock, NULL);
  pthread_cond_init (&me->changed, NULL);
  g_queue_init (&me->events);
  me->bytes = g_string_new (NULL);
}

static inline void
asc_link_events_clear (AscLinkEvents *me)
{
  g_queue_clear_full (&me->events, g_free);
  g_string_free (me->bytes, TRUE);
  pthread_mutex_destroy (&me->lock);
  pthread_cond_destroy (&me->changed);
}

/* The next event is @event, and its message has @words in it (NULL: any). */
static inline void
asc_link_events_expect (AscLinkEvents *me, AscReaderEvent event, const char *words)
{
  struct timespec until;
  clock_gettime (CLOCK_REALTIME, &until);
  until.tv_sec += 20;
  pthread_mutex_lock (&me->lock);
  while (g_queue_is_empty (&me->events)
         && !pthread_cond_timedwait (&me->changed, &me->lock, &until))
    ;
  g_autofree char *text = g_queue_pop_head (&me->events);
  pthread_mutex_unlock (&me->lock);
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
  struct timespec until;
  clock_gettime (CLOCK_REALTIME, &until);
  until.tv_sec += 20;
  gsize n = strlen (want);
  pthread_mutex_lock (&me->lock);
  while (me->bytes->len < n && !pthread_cond_timedwait (&me->changed, &me->lock, &until))
    ;
  gboolean good = me->bytes->len >= n && !memcmp (me->bytes->str, want, n);
  if (good)
    g_string_erase (me->bytes, 0, (gssize)n);
  pthread_mutex_unlock (&me->lock);
  assert_true (good);
}

#endif
