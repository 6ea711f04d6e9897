/* The text that a board prints. The newest 64 MiB are kept: positions go on counting, and
 * what is asked of before asc_trace_text_start () is gone. */
#include "asc-model.h"

#include <string.h>

AscTerminal *
asc_terminal_new (void)
{
  AscTerminal *terminal = g_new0 (AscTerminal, 1);
  pthread_mutex_init (&terminal->lock, NULL);
  return terminal;
}

void
asc_terminal_free (AscTerminal *terminal)
{
  for (guint i = 0; i < ASC_TEXT_CHUNKS; i++)
    g_free (terminal->chunks[i]);
  pthread_mutex_destroy (&terminal->lock);
  g_free (terminal);
}

void
asc_terminal_add (AscTerminal *terminal, const guint8 *bytes, gsize n)
{
  pthread_mutex_lock (&terminal->lock);
  while (n > 0)
    {
      guint64 chunk = terminal->length / ASC_TEXT_CHUNK % ASC_TEXT_CHUNKS;
      gsize at = terminal->length % ASC_TEXT_CHUNK, piece = MIN (n, ASC_TEXT_CHUNK - at);
      if (!terminal->chunks[chunk])
        terminal->chunks[chunk] = g_malloc (ASC_TEXT_CHUNK);
      memcpy (terminal->chunks[chunk] + at, bytes, piece);
      terminal->length += piece;
      bytes += piece;
      n -= piece;
    }
  pthread_mutex_unlock (&terminal->lock);
}

static guint64
start_of (const AscTerminal *terminal)
{
  guint64 kept = (guint64)(ASC_TEXT_CHUNKS - 1) * ASC_TEXT_CHUNK;
  guint64 used = terminal->length % ASC_TEXT_CHUNK;
  return terminal->length > kept + used ? terminal->length - used - kept : 0;
}

guint64
asc_trace_text_length (const AscTrace *trace)
{
  AscTerminal *terminal = trace->terminal;
  pthread_mutex_lock (&terminal->lock);
  guint64 length = terminal->length;
  pthread_mutex_unlock (&terminal->lock);
  return length;
}

guint64
asc_trace_text_start (const AscTrace *trace)
{
  AscTerminal *terminal = trace->terminal;
  pthread_mutex_lock (&terminal->lock);
  guint64 start = start_of (terminal);
  pthread_mutex_unlock (&terminal->lock);
  return start;
}

gsize
asc_trace_text (const AscTrace *trace, guint64 position, char *buffer, gsize n)
{
  AscTerminal *terminal = trace->terminal;
  gsize copied = 0;
  pthread_mutex_lock (&terminal->lock);
  if (position >= start_of (terminal))
    while (copied < n && position < terminal->length)
      {
        gsize at = position % ASC_TEXT_CHUNK;
        gsize piece = MIN (n - copied, ASC_TEXT_CHUNK - at);
        piece = (gsize)MIN (piece, terminal->length - position);
        memcpy (buffer + copied,
                terminal->chunks[position / ASC_TEXT_CHUNK % ASC_TEXT_CHUNKS] + at,
                piece);
        copied += piece;
        position += piece;
      }
  pthread_mutex_unlock (&terminal->lock);
  return copied;
}
