#include "asc-files.h"

#include "asc-hog-table.h"
#include "asc-store.h"
#include "asc-table.h"

#include <string.h>

typedef struct
{
  AscFileChosen chosen;
  gpointer user;
} Asking;

static void
answer (Asking *asking, GFile *file)
{
  char *path = file != NULL ? g_file_get_path (file) : NULL;
  if (path != NULL)
    asking->chosen (path, asking->user);
  g_free (path);
  g_free (asking);
}

#if GTK_CHECK_VERSION(4, 10, 0)

static void
opened (GObject *dialog, GAsyncResult *result, gpointer asking)
{
  GFile *file = gtk_file_dialog_open_finish (GTK_FILE_DIALOG (dialog), result, NULL);
  answer (asking, file);
  g_clear_object (&file);
}

static void
saved (GObject *dialog, GAsyncResult *result, gpointer asking)
{
  GFile *file = gtk_file_dialog_save_finish (GTK_FILE_DIALOG (dialog), result, NULL);
  answer (asking, file);
  g_clear_object (&file);
}

static void
run (GtkWindow *parent,
     const char *title,
     const char *folder,
     const char *name,
     GListModel *filters,
     Asking *asking)
{
  GtkFileDialog *dialog = gtk_file_dialog_new ();
  gtk_file_dialog_set_title (dialog, title);
  gtk_file_dialog_set_filters (dialog, filters);
  if (name == NULL)
    gtk_file_dialog_open (dialog, parent, NULL, opened, asking);
  else
    {
      /* Not by set_initial_folder and set_initial_name: GTK 4.18 leaks what it joins of
       * them. */
      GFile *file
          = folder != NULL ? g_file_new_build_filename (folder, name, NULL) : NULL;
      if (file != NULL)
        gtk_file_dialog_set_initial_file (dialog, file);
      else
        gtk_file_dialog_set_initial_name (dialog, name);
      g_clear_object (&file);
      gtk_file_dialog_save (dialog, parent, NULL, saved, asking);
    }
  g_object_unref (dialog);
}

#else

static void
responded (GtkNativeDialog *dialog, int response, gpointer asking)
{
  GFile *file = response == GTK_RESPONSE_ACCEPT
                    ? gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog))
                    : NULL;
  answer (asking, file);
  g_clear_object (&file);
  g_object_unref (dialog);
}

static void
run (GtkWindow *parent,
     const char *title,
     const char *folder,
     const char *name,
     GListModel *filters,
     Asking *asking)
{
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (
      title, parent,
      name == NULL ? GTK_FILE_CHOOSER_ACTION_OPEN : GTK_FILE_CHOOSER_ACTION_SAVE, NULL,
      NULL);
  guint n = g_list_model_get_n_items (filters);
  for (guint i = 0; i < n; i++)
    {
      GtkFileFilter *filter = g_list_model_get_item (filters, i);
      gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (dialog), filter);
      g_object_unref (filter);
    }
  if (name != NULL)
    gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), name);
  GFile *place = folder != NULL ? g_file_new_for_path (folder) : NULL;
  if (place != NULL)
    gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (dialog), place, NULL);
  g_clear_object (&place);
  g_signal_connect (dialog, "response", G_CALLBACK (responded), asking);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

#endif

static void
add_filter (GListStore *filters, const char *name, const char *pattern)
{
  GtkFileFilter *filter = gtk_file_filter_new ();
  gtk_file_filter_set_name (filter, name);
  gtk_file_filter_add_pattern (filter, pattern);
  g_list_store_append (filters, filter);
  g_object_unref (filter);
}

void
asc_files_ask (GtkWindow *parent,
               const char *title,
               const char *folder,
               const char *name,
               const char *pattern,
               AscFileChosen chosen,
               gpointer user)
{
  GListStore *filters = g_list_store_new (GTK_TYPE_FILE_FILTER);
  Asking *asking = g_new (Asking, 1);
  *asking = (Asking){ chosen, user };
  add_filter (filters, pattern, pattern);
  add_filter (filters, "All files", "*");
  run (parent, title, folder, name, G_LIST_MODEL (filters), asking);
  g_object_unref (filters);
}

/* --- saving: a copy may take seconds, so a worker makes it
 * ------------------------------------ */

static guint working; /* files that are being written by workers */

void
asc_files_settle (void)
{
  while (working > 0)
    g_main_context_iteration (NULL, TRUE);
}

typedef struct
{
  AscDocument *document;
  AscEngine *engine;
  char *path;
} Saving;

static void
saving_free (gpointer data)
{
  Saving *saving = data;
  g_object_unref (saving->document);
  g_free (saving->path);
  g_free (saving);
}

static void
save_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Saving *saving = data;
  GError *error = NULL;
  AscRecording *recording = asc_engine_recording (saving->engine);
  (void)source;
  /* An unnamed recording of before gets its name; it need not be copied. */
  bool good = recording != NULL ? asc_recording_save (recording, saving->path,
                                                      cancellable, NULL, NULL, &error)
                                : asc_store_keep (asc_engine_path (saving->engine),
                                                  saving->path, &error);
  if (good)
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
save_done (GObject *source, GAsyncResult *result, gpointer data)
{
  Saving *saving = g_task_get_task_data (G_TASK (result));
  GError *error = NULL;
  (void)source;
  (void)data;
  working--;
  bool same = asc_document_engine (saving->document) == saving->engine;
  if (g_task_propagate_boolean (G_TASK (result), &error))
    {
      char *message = g_strdup_printf ("Saved as %s", saving->path);
      if (same)
        asc_document_saved (saving->document, saving->path);
      asc_document_say (saving->document, 0, message);
      g_free (message);
      return;
    }
  asc_document_say (saving->document, 2, error->message);
  g_error_free (error);
}

bool
asc_files_can_save (const AscDocument *document)
{
  AscEngine *engine = asc_document_engine (document);
  const char *path = asc_document_path (document);
  return engine != NULL
         && (asc_engine_recording (engine) != NULL
             || (path != NULL && asc_store_holds (path)));
}

void
asc_files_save (AscDocument *document, const char *path)
{
  AscEngine *engine = asc_document_engine (document);
  if (!asc_files_can_save (document))
    {
      asc_document_say (document, 1,
                        "There is no recording to save: this trace is a file "
                        "already.");
      return;
    }
  Saving *saving = g_new0 (Saving, 1);
  *saving = (Saving){ g_object_ref (document), engine, g_strdup (path) };
  GTask *task = g_task_new (NULL, NULL, save_done, NULL);
  g_task_set_task_data (task, saving, saving_free);
  /* The document keeps the engine until the copy is done. */
  asc_document_hold (document, G_OBJECT (task));
  working++;
  g_task_run_in_thread (task, save_thread);
  g_object_unref (task);
}

void
asc_files_export_csv (AscDocument *document, const char *path)
{
  const AscStats *stats = asc_document_stats (document);
  GError *error = NULL;
  if (stats == NULL || asc_document_over_nothing (document))
    {
      asc_document_say (document, 1,
                        stats == NULL
                            ? "There is nothing to export yet."
                            : "Nothing is selected, so there is nothing to export: drag "
                              "across the lanes, or choose another stretch.");
      return;
    }
  char *csv = asc_table_csv (stats);
  if (g_file_set_contents (path, csv, (gssize)strlen (csv), &error))
    {
      static const char *const overs[]
          = { "", " over the visible stretch", " over the selection" };
      char *message = g_strdup_printf ("Statistics%s exported to %s",
                                       overs[asc_document_over (document)], path);
      asc_document_say (document, 0, message);
      g_free (message);
    }
  else
    {
      asc_document_say (document, 2, error->message);
      g_error_free (error);
    }
  g_free (csv);
}

/* --- hogs: all late runs are looked at, in a worker
 * ------------------------------------------ */

typedef struct
{
  AscDocument *document;
  AscSession *session;
  gint64 threshold_ns;
  char *path;
} Hogs;

static void
hogs_free (gpointer data)
{
  Hogs *hogs = data;
  g_object_unref (hogs->document);
  g_free (hogs->path);
  g_free (hogs);
}

static void
hogs_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Hogs *hogs = data;
  GError *error = NULL;
  (void)source;
  (void)cancellable;
  AscHogTable *table
      = asc_hog_table_new (hogs->session, hogs->threshold_ns, G_MININT64, G_MAXINT64);
  char *csv = asc_hog_table_csv (table);
  char *message = g_strdup_printf (
      table->whole ? "%u %s exported to %s"
                   : "%u %s exported to %s, but not all of whom they "
                     "delayed: these are too many",
      table->rows->len, table->rows->len == 1 ? "hog" : "hogs", hogs->path);
  if (g_file_set_contents (hogs->path, csv, -1, &error))
    g_task_return_pointer (task, g_steal_pointer (&message), g_free);
  else
    g_task_return_error (task, error);
  g_free (message);
  g_free (csv);
  asc_hog_table_free (table);
}

static void
hogs_done (GObject *source, GAsyncResult *result, gpointer data)
{
  Hogs *hogs = g_task_get_task_data (G_TASK (result));
  GError *error = NULL;
  (void)source;
  (void)data;
  working--;
  char *message = g_task_propagate_pointer (G_TASK (result), &error);
  if (message != NULL)
    asc_document_say (hogs->document, 0, message);
  else
    asc_document_say (hogs->document, 2, error->message);
  g_clear_error (&error);
  g_free (message);
}

void
asc_files_export_hogs (AscDocument *document, const char *path)
{
  AscSession *session = asc_document_session (document);
  if (session == NULL)
    {
      asc_document_say (document, 1, "There is nothing to export yet.");
      return;
    }
  Hogs *hogs = g_new0 (Hogs, 1);
  *hogs = (Hogs){ g_object_ref (document), session, asc_document_hog_ns (document),
                  g_strdup (path) };
  GTask *task = g_task_new (NULL, NULL, hogs_done, NULL);
  g_task_set_task_data (task, hogs, hogs_free);
  /* The document keeps the trace until it is done. */
  asc_document_hold (document, G_OBJECT (task));
  working++;
  g_task_run_in_thread (task, hogs_thread);
  g_object_unref (task);
}

/* --- the clipboard
 * ------------------------------------------------------------------- */

void
asc_files_copy_table (AscDocument *document, GdkClipboard *clipboard)
{
  const AscStats *stats = asc_document_stats (document);
  if (stats == NULL)
    {
      asc_document_say (document, 1, "There is nothing to copy yet.");
      return;
    }
  AscStats busiest_first = *stats;
  busiest_first.tasks = g_memdup2 (stats->tasks, stats->n_tasks * sizeof *stats->tasks);
  asc_table_sort (&busiest_first, "cpu");
  char *text = asc_table_text (&busiest_first);
  gdk_clipboard_set_text (clipboard, text);
  asc_document_say (document, 0, "The statistics are in the clipboard, as a table.");
  g_free (text);
  g_free (busiest_first.tasks);
}
