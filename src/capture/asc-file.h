/* Reads a .trace in large pieces with pread. One thread at a time for one reader. */
#ifndef ASC_FILE_H
#define ASC_FILE_H

#include <gio/gio.h>
#include <stdbool.h>

typedef struct AscFileReader AscFileReader;

/* path "-" is standard input. A file without the head of a .trace is refused only when it
 * holds no frame at all (ASC_FILE_ERROR_NOT_A_TRACE); a raw capture of a port is fine. */
AscFileReader *asc_file_open (const char *path, GError **error);
/* Whether asc_file_next () will not block, after at most timeout_ms; a pipe can be silent
 * for as long as it likes. */
bool asc_file_wait (AscFileReader *reader, int timeout_ms);
/* The next piece, valid until the next call; 0 at the end, -1 on an error. */
gssize asc_file_next (AscFileReader *reader, const guint8 **bytes, GError **error);
/* Bytes of the file (0 unknown: standard input), and read so far. */
guint64 asc_file_size (const AscFileReader *reader);
guint64 asc_file_position (const AscFileReader *reader);
void asc_file_close (AscFileReader *reader);

#define ASC_FILE_ERROR (asc_file_error_quark ())
typedef enum
{
  ASC_FILE_ERROR_NOT_A_TRACE,
  ASC_FILE_ERROR_EMPTY
} AscFileError;
GQuark asc_file_error_quark (void);

#endif
