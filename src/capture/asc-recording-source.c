#include "asc-recording-source.h"

#include "asc-reader.h"

static void
on_bytes (void *user, const guint8 *bytes, gsize n)
{
  asc_recording_take_bytes (user, bytes, n);
}

static void
on_event (void *user, AscReaderEvent event, const char *message)
{
  static const AscRecordingEvent events[] = {
    [ASC_READER_CONNECTED] = ASC_RECORDING_CONNECTED,
    [ASC_READER_LOST] = ASC_RECORDING_LOST,
    [ASC_READER_BACK] = ASC_RECORDING_BACK,
    [ASC_READER_WAITING] = ASC_RECORDING_LOST,
    [ASC_READER_ENDED] = ASC_RECORDING_ENDED,
    [ASC_READER_FAILED] = ASC_RECORDING_FAILED,
  };
  asc_recording_take_event (user, events[event], message);
}

AscReader *
asc_recording_reader_start (AscRecording *rec, AscSource *source)
{
  static const AscReaderSink sink = { on_bytes, on_event };
  return asc_reader_start_source (source, &sink, rec);
}

void
asc_recording_reader_stop (AscReader *reader)
{
  asc_reader_stop (reader);
}

void
asc_recording_reader_free (AscReader *reader)
{
  asc_reader_free (reader);
}

gssize
asc_recording_reader_write (AscReader *reader, const void *bytes, gsize n, GError **error)
{
  return asc_reader_write (reader, bytes, n, error);
}
