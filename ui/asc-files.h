/* Choosing files, and writing what the window shows into them. */
#ifndef ASC_FILES_H
#define ASC_FILES_H

#include <gtk/gtk.h>

#include "asc-document.h"

typedef void (*AscFileChosen) (const char *path, gpointer user);

/* Asks for a file to open or to write; nothing is called when the user cancels. pattern:
 * "*.trace". folder and name: proposed for writing, name NULL for opening; folder may be
 * NULL. */
void asc_files_ask (GtkWindow *parent,
                    const char *title,
                    const char *folder,
                    const char *name,
                    const char *pattern,
                    AscFileChosen chosen,
                    gpointer user);

/* A recording, or an unnamed one of before. */
bool asc_files_can_save (const AscDocument *document);
/* Each says on the document what it did, or why not. */
void asc_files_save (AscDocument *document, const char *path);
void asc_files_export_csv (AscDocument *document, const char *path);
/* The hogs of the shown session, and whom they delayed. */
void asc_files_export_hogs (AscDocument *document, const char *path);
/* At the program's end: waits for what is being written, so that nothing is cut. */
void asc_files_settle (void);
/* Aligned text, for a mail or an issue. */
void asc_files_copy_table (AscDocument *document, GdkClipboard *clipboard);

#endif
