#include "asc-keys.h"

static const AscKey keys[] = {
  { GDK_KEY_w, 0, ASC_KEY_ZOOM_IN },
  { GDK_KEY_plus, 0, ASC_KEY_ZOOM_IN },
  { GDK_KEY_equal, 0, ASC_KEY_ZOOM_IN },
  { GDK_KEY_KP_Add, 0, ASC_KEY_ZOOM_IN },
  { GDK_KEY_s, 0, ASC_KEY_ZOOM_OUT },
  { GDK_KEY_minus, 0, ASC_KEY_ZOOM_OUT },
  { GDK_KEY_KP_Subtract, 0, ASC_KEY_ZOOM_OUT },
  { GDK_KEY_a, 0, ASC_KEY_EARLIER },
  { GDK_KEY_Left, 0, ASC_KEY_EARLIER },
  { GDK_KEY_d, 0, ASC_KEY_LATER },
  { GDK_KEY_Right, 0, ASC_KEY_LATER },
  { GDK_KEY_Up, 0, ASC_KEY_LANE_UP },
  { GDK_KEY_Down, 0, ASC_KEY_LANE_DOWN },
  { GDK_KEY_f, 0, ASC_KEY_FRAME },
  { GDK_KEY_1, 0, ASC_KEY_CURSOR_A },
  { GDK_KEY_2, 0, ASC_KEY_CURSOR_B },
  { GDK_KEY_Escape, 0, ASC_KEY_CLEAR },
  { GDK_KEY_comma, 0, ASC_KEY_PREVIOUS_RUN },
  { GDK_KEY_period, 0, ASC_KEY_NEXT_RUN },
  { GDK_KEY_n, 0, ASC_KEY_NEXT_HOG },
  { GDK_KEY_n, GDK_SHIFT_MASK, ASC_KEY_PREVIOUS_HOG },
  { GDK_KEY_space, 0, ASC_KEY_HOLD },
  { GDK_KEY_End, 0, ASC_KEY_FOLLOW },
  { GDK_KEY_Home, 0, ASC_KEY_START },
  { 0, 0, ASC_KEY_NONE },
};

static const AscKeyHelp help[] = {
  { "Zoom", "Ctrl+wheel, W, S, +, −",
    "in and out at the pointer; while following at the right edge" },
  { "Zoom", "F", "frame the selection; F again: the whole session" },
  { "Move", "Shift+wheel, A, D, ←, →", "earlier and later" },
  { "Move", "middle-drag, drag the ruler", "drag the time along" },
  { "Move", "wheel", "scroll the lanes" },
  { "Move", "↑, ↓", "choose a lane" },
  { "Move", ", and .", "previous and next run of the chosen lane" },
  { "Move", "N, Shift+N", "next and previous hog" },
  { "Move", "double-click", "frame a run" },
  { "Move", "Home", "the start of the session" },
  { "Measure", "drag", "select a stretch: its length and 1/length" },
  { "Measure", "1, 2", "cursors A and B at the pointer, or in the middle" },
  { "Measure", "Esc", "clear the selection, then the cursors" },
  { "Live", "Space", "hold and resume the view; recording goes on" },
  { "Live", "End", "follow again" },
  { "Picture", "▼", "a hog: a run of 20 ms or more" },
  { "Picture", "grey bar before a run", "it was due, and waited" },
  { "Picture", "striped", "events were lost: in no statistic" },
  { "Picture", "×4", "instances of the task alive now" },
  { "Terminal", "Enter, ↑, ↓", "send a line, the lines before; once it is switched on" },
  { "Terminal", "Ctrl+C, Ctrl+D", "stop the program, soft reset: sent to the board" },
  { "Files", "Ctrl+O", "open a trace" },
  { "Files", "Ctrl+S", "save the recording" },
  { "Files", "Ctrl+E", "export the statistics as CSV" },
  { "Files", "Ctrl+F", "find tasks by name" },
  { "Files", "Ctrl+W, Ctrl+Q", "close the window, quit" },
  { "Help", "F1, ?, Ctrl+?", "this list" },
  { NULL, NULL, NULL },
};

const AscKey *
asc_keys (void)
{
  return keys;
}

const AscKeyHelp *
asc_keys_help (void)
{
  return help;
}

AscKeyAction
asc_key_action (guint keyval, GdkModifierType modifiers)
{
  guint lower = gdk_keyval_to_lower (keyval);
  GdkModifierType held = modifiers & (GDK_SHIFT_MASK | GDK_CONTROL_MASK | GDK_ALT_MASK);
  for (const AscKey *key = keys; key->action != ASC_KEY_NONE; key++)
    {
      /* What is not a letter may need Shift on some keyboards ("+"). */
      bool letter = gdk_keyval_to_upper (key->keyval) != key->keyval;
      GdkModifierType wanted = letter ? held : held & ~(guint)GDK_SHIFT_MASK;
      if (key->keyval == lower && key->modifiers == wanted)
        return key->action;
    }
  return ASC_KEY_NONE;
}
