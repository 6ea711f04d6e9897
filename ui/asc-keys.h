/* The keys of the scope: the one table that both the scope and the help use. */
#ifndef ASC_KEYS_H
#define ASC_KEYS_H

#include <gdk/gdk.h>
#include <stdbool.h>

typedef enum
{
  ASC_KEY_NONE,
  ASC_KEY_ZOOM_IN,
  ASC_KEY_ZOOM_OUT,
  ASC_KEY_EARLIER,
  ASC_KEY_LATER,
  ASC_KEY_LANE_UP,
  ASC_KEY_LANE_DOWN,
  ASC_KEY_FRAME,
  ASC_KEY_CURSOR_A,
  ASC_KEY_CURSOR_B,
  ASC_KEY_CLEAR,
  ASC_KEY_PREVIOUS_RUN,
  ASC_KEY_NEXT_RUN,
  ASC_KEY_PREVIOUS_HOG,
  ASC_KEY_NEXT_HOG,
  ASC_KEY_HOLD,
  ASC_KEY_FOLLOW,
  ASC_KEY_START
} AscKeyAction;

typedef struct
{
  guint keyval;
  GdkModifierType
      modifiers; /* of Shift, Control, Alt; letters are matched without case */
  AscKeyAction action;
} AscKey;

/* Ends with ASC_KEY_NONE. */
const AscKey *asc_keys (void);
AscKeyAction asc_key_action (guint keyval, GdkModifierType modifiers);

/* What the help shows: accelerators as GTK writes them ("<Control>o"), and words. */
typedef struct
{
  const char *group; /* a new group begins where it differs */
  const char *keys;  /* for people: "W, +, Ctrl+wheel" */
  const char *what;
} AscKeyHelp;

/* Ends with NULL words. */
const AscKeyHelp *asc_keys_help (void);

#endif
