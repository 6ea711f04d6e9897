#include "asc-text-views.h"

#include <string.h>

/* Characters kept on the screen; all of the text stays in the recording. */
#define CHARS_MAX 400000
#define PIECE 16384

typedef struct
{
  AscDocument *document;
  GtkWidget *scrolled;
  GtkTextBuffer *buffer;
  AscTrace *trace; /* whose text is shown; compared only */
  guint64 position;
  GtkTextMark *pending; /* where provisional text begins, NULL: none */
  GtkTextTag *grey;
  guint timer;
  bool escape; /* inside an escape sequence of the terminal */
} TerminalView;

/* Drops escape sequences (colours, cursor) and returns; what stays is readable text. */
static gsize
plain (TerminalView *self, char *text, gsize n)
{
  gsize kept = 0;
  for (gsize i = 0; i < n; i++)
    {
      unsigned char c = (unsigned char)text[i];
      if (c == 0x1B)
        self->escape = true;
      else if (self->escape)
        {
          if (g_ascii_isalpha (c))
            self->escape = false;
        }
      else if (c == '\n' || c == '\t' || c >= 0x20)
        text[kept++] = text[i];
    }
  return kept;
}

/* Bytes at the end that begin a character which is not complete. */
static gsize
unfinished (const char *text, gsize n)
{
  for (gsize back = 1; back <= 3 && back <= n; back++)
    {
      unsigned char c = (unsigned char)text[n - back];
      if (c >= 0xC0)
        return back < (gsize)(c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2) ? back : 0;
      if (c < 0x80)
        break;
    }
  return 0;
}

static void
append (TerminalView *self, char *text, gsize n)
{
  GtkTextIter end, start;
  n = plain (self, text, n);
  if (n == 0)
    return;
  char *valid = g_utf8_make_valid (text, (gssize)n);
  gtk_text_buffer_get_end_iter (self->buffer, &end);
  gtk_text_buffer_insert (self->buffer, &end, valid, -1);
  g_free (valid);
  int chars = gtk_text_buffer_get_char_count (self->buffer);
  if (chars <= CHARS_MAX)
    return;
  gtk_text_buffer_get_start_iter (self->buffer, &start);
  gtk_text_buffer_get_iter_at_offset (self->buffer, &end, chars - CHARS_MAX * 3 / 4);
  gtk_text_iter_forward_line (&end);
  gtk_text_buffer_delete (self->buffer, &start, &end);
}

static bool
at_end (TerminalView *self)
{
  GtkAdjustment *adjustment
      = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self->scrolled));
  return gtk_adjustment_get_value (adjustment) + gtk_adjustment_get_page_size (adjustment)
         >= gtk_adjustment_get_upper (adjustment) - 24;
}

static void
take_back_pending (TerminalView *self)
{
  GtkTextIter start, end;
  if (self->pending == NULL)
    return;
  gtk_text_buffer_get_iter_at_mark (self->buffer, &start, self->pending);
  gtk_text_buffer_get_end_iter (self->buffer, &end);
  gtk_text_buffer_delete (self->buffer, &start, &end);
  gtk_text_buffer_delete_mark (self->buffer, self->pending);
  self->pending = NULL;
}

/* Bytes that the decoder still holds back, greyed at the end: they may become a frame,
 * and then they go again. */
static void
show_pending (TerminalView *self)
{
  AscEngine *engine = asc_document_engine (self->document);
  GtkTextIter end;
  char pending[600];
  gsize n = engine != NULL ? asc_engine_pending (engine, pending, sizeof pending) : 0;
  take_back_pending (self);
  if (n == 0)
    return;
  char *valid = g_utf8_make_valid (pending, (gssize)n);
  gtk_text_buffer_get_end_iter (self->buffer, &end);
  self->pending = gtk_text_buffer_create_mark (self->buffer, NULL, &end, TRUE);
  gtk_text_buffer_insert_with_tags (self->buffer, &end, valid, -1, self->grey, NULL);
  g_free (valid);
}

static void
update (TerminalView *self)
{
  AscTrace *trace = asc_document_trace (self->document);
  char piece[PIECE];
  bool stick = at_end (self), any = false;
  if (trace != self->trace)
    {
      if (self->pending)
        gtk_text_buffer_delete_mark (self->buffer, self->pending);
      self->pending = NULL;
      gtk_text_buffer_set_text (self->buffer, "", 0);
      self->trace = trace;
      self->position = 0;
      self->escape = false;
    }
  if (trace == NULL)
    return;
  guint64 length = asc_trace_text_length (trace);
  if (self->position < length)
    take_back_pending (self);
  if (length - self->position > CHARS_MAX)
    self->position = length - CHARS_MAX;
  while (self->position < length)
    {
      gsize n = asc_trace_text (trace, self->position, piece, sizeof piece);
      gsize rest
          = n == length - self->position ? unfinished (piece, n) : unfinished (piece, n);
      if (n <= rest)
        break;
      self->position += n - rest;
      append (self, piece, n - rest);
      any = true;
    }
  if (any && stick)
    {
      GtkTextIter end;
      GtkWidget *view
          = gtk_scrolled_window_get_child (GTK_SCROLLED_WINDOW (self->scrolled));
      gtk_text_buffer_get_end_iter (self->buffer, &end);
      gtk_text_buffer_place_cursor (self->buffer, &end);
      gtk_text_view_scroll_mark_onscreen (GTK_TEXT_VIEW (view),
                                          gtk_text_buffer_get_insert (self->buffer));
    }
}

/* Before the first frame no data is told: a board that is not traced prints as well. */
static gboolean
look_again (gpointer data)
{
  TerminalView *self = data;
  AscTrace *trace = asc_document_trace (self->document);
  if (trace != NULL && asc_trace_n_sessions (trace) == 0)
    update (self);
  show_pending (self);
  return G_SOURCE_CONTINUE;
}

/* A tab that was hidden has no place yet: it opens at the newest line. */
static void
shown (TerminalView *self)
{
  GtkTextIter end;
  GtkWidget *view = gtk_scrolled_window_get_child (GTK_SCROLLED_WINDOW (self->scrolled));
  gtk_text_buffer_get_end_iter (self->buffer, &end);
  gtk_text_buffer_place_cursor (self->buffer, &end);
  gtk_text_view_scroll_to_mark (GTK_TEXT_VIEW (view),
                                gtk_text_buffer_get_insert (self->buffer), 0, TRUE, 0, 1);
}

/* What still scrolls stops first: GTK (4.8, 4.18) would end it twice when text is new. */
static void
hidden (TerminalView *self)
{
  GtkAdjustment *adjustment
      = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self->scrolled));
  gtk_adjustment_set_value (adjustment, gtk_adjustment_get_value (adjustment));
}

static void
destroyed (gpointer data)
{
  TerminalView *self = data;
  g_source_remove (self->timer);
  g_signal_handlers_disconnect_by_data (self->document, self);
  g_object_unref (self->document);
  g_free (self);
}

GtkWidget *
asc_terminal_view_new (AscDocument *document)
{
  TerminalView *self = g_new0 (TerminalView, 1);
  GtkWidget *view = gtk_text_view_new ();
  self->document = g_object_ref (document);
  self->buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (view));
  self->grey
      = gtk_text_buffer_create_tag (self->buffer, NULL, "foreground", "#7a8088", NULL);
  self->timer = g_timeout_add (200, look_again, self);
  gtk_text_view_set_editable (GTK_TEXT_VIEW (view), FALSE);
  gtk_text_view_set_monospace (GTK_TEXT_VIEW (view), TRUE);
  gtk_text_view_set_wrap_mode (GTK_TEXT_VIEW (view), GTK_WRAP_CHAR);
  gtk_text_view_set_left_margin (GTK_TEXT_VIEW (view), 13);
  gtk_text_view_set_right_margin (GTK_TEXT_VIEW (view), 13);
  gtk_text_view_set_top_margin (GTK_TEXT_VIEW (view), 6);
  gtk_text_view_set_bottom_margin (GTK_TEXT_VIEW (view), 6);
  gtk_widget_add_css_class (view, "terminal");
  gtk_accessible_update_property (GTK_ACCESSIBLE (view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Text that the board printed", -1);
  self->scrolled = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scrolled), view);
  gtk_widget_set_vexpand (self->scrolled, TRUE);
  g_signal_connect_swapped (view, "map", G_CALLBACK (shown), self);
  g_signal_connect_swapped (view, "unmap", G_CALLBACK (hidden), self);
  g_signal_connect_swapped (document, "data", G_CALLBACK (update), self);
  g_signal_connect_swapped (document, "session", G_CALLBACK (update), self);
  g_signal_connect_swapped (document, "state", G_CALLBACK (update), self);
  g_object_set_data_full (G_OBJECT (self->scrolled), "terminal-view", self, destroyed);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_box_append (GTK_BOX (box), self->scrolled);
  gtk_box_append (GTK_BOX (box), asc_terminal_input_new (document));
  return box;
}
