#include "random-board.h"

#include "asc-test.h"

#define SLOTS 12
#define NAMES 6

typedef struct
{
  guint slot;
  guint64 start;
  int late_ms;
} Open;

typedef struct
{
  bool used;
  guint32 instance, name;
  guint context;
  guint64 taken_at;
} Slot;

typedef struct
{
  RandomBoard *out;
  AscBoard board;
  guint32 seed;
  guint64 now, seal;
  guint64 hello_due;
  Slot slots[SLOTS];
  Open stack[ASC_BOARD_CONTEXTS][ASC_STACK_MAX];
  guint depth[ASC_BOARD_CONTEXTS];
  guint32 instances;
  guint names_told;
  guint32 spans;
  guint32 loss; /* of 1000 frames */
  bool drops, jumps;
  bool calm; /* never nests, and idles a lot */
} Program;

static guint32
dice (Program *program, guint32 n)
{
  return asc_test_random (&program->seed) % n;
}

static void
seal (Program *program, guint context)
{
  AscBoard *board = &program->board;
  guint64 before = board->count;
  guint32 lost = board->encoders[context].n_lost;
  board->lose = dice (program, 1000) < program->loss;
  asc_board_seal (board, context);
  if (board->lose)
    program->out->lost += board->count - before;
  else if (board->count != before)
    program->out->lost += lost;
  board->lose = FALSE;
}

static void
hello (Program *program)
{
  asc_board_hello (&program->board, program->now);
  program->hello_due = program->now + program->board.hello.tick_hz;
}

/* Time goes on; nothing stays unsent for longer than the seal age. */
static void
pass (Program *program, guint64 ticks)
{
  program->now += ticks;
  for (guint i = 0; i < program->board.n_contexts; i++)
    {
      const AscEncoder *encoder = &program->board.encoders[i];
      if (encoder->length && encoder->base + program->seal / 2 < program->now)
        seal (program, i);
    }
  if (program->now >= program->hello_due)
    hello (program);
}

static void
make_room (Program *program, guint context)
{
  if (program->board.encoders[context].length > 220
      || program->board.encoders[context].ended)
    seal (program, context);
}

static void
tell_name (Program *program, guint id)
{
  char function[16];
  g_snprintf (function, sizeof function, "task%u", id);
  asc_board_name (&program->board, id, ASC_NAME_TASK, id % 2 ? "m" : "", function);
}

static void
record_run (Program *program, guint context, const Open *open, guint8 exit)
{
  const Slot *slot = &program->slots[open->slot];
  TrueRun run = { .session = program->out->n_sessions - 1,
                  .context = program->board.ids[context],
                  .nested = program->depth[context] > 0,
                  .instance = slot->instance,
                  .start = open->start,
                  .end = program->now,
                  .exit = exit,
                  .late_ms = open->late_ms };
  g_snprintf (run.name, sizeof run.name, "%stask%u", slot->name % 2 ? "m." : "",
              slot->name);
  g_array_append_val (program->out->runs, run);
}

static void
do_start (Program *program, guint context)
{
  for (guint i = 0; i < SLOTS; i++)
    if (!program->slots[i].used
        && (program->board.n_contexts == 1 || program->slots[i].taken_at == 0
            || program->slots[i].taken_at + program->seal < program->now))
      {
        program->slots[i] = (Slot){ true, ++program->instances, 1 + dice (program, NAMES),
                                    context, program->now };
        make_room (program, context);
        asc_board_start (&program->board, context, program->now, i,
                         program->slots[i].instance, program->slots[i].name);
        return;
      }
}

static bool
running (const Program *program, guint slot)
{
  for (guint c = 0; c < program->board.n_contexts; c++)
    for (guint i = 0; i < program->depth[c]; i++)
      if (program->stack[c][i].slot == slot)
        return true;
  return false;
}

static void
do_enter (Program *program, guint context)
{
  guint slot = dice (program, SLOTS);
  if (!program->slots[slot].used || program->slots[slot].context != context
      || running (program, slot) || program->depth[context] >= (program->calm ? 1u : 4u))
    return;
  Open *open = &program->stack[context][program->depth[context]++];
  *open = (Open){ slot, program->now, -1 };
  if (dice (program, 3) == 0)
    open->late_ms = (int)dice (program, dice (program, 20) ? 8 : 400);
  make_room (program, context);
  asc_board_enter (&program->board, context, program->now, slot, open->late_ms);
}

static void
do_exit (Program *program, guint context)
{
  if (program->depth[context] == 0)
    return;
  Open open = program->stack[context][--program->depth[context]];
  AscExit how = dice (program, 10) ? ASC_EXIT_YIELD : 1 + (AscExit)dice (program, 3);
  record_run (program, context, &open, (guint8)how);
  make_room (program, context);
  asc_board_exit (&program->board, context, program->now, how);
  if (how != ASC_EXIT_YIELD)
    program->slots[open.slot].used = false;
}

static void
do_idle (Program *program)
{
  if (program->depth[0] > 0 || !program->out->sends_idle)
    return;
  guint64 start = program->now;
  guint64 length = 1 + dice (program, dice (program, 10) ? 3000 : 60000);
  length = MIN (length, program->seal / 3);
  pass (program, 0);
  make_room (program, 0);
  program->now += length;
  asc_board_simple (&program->board, 0, ASC_EVENT_IDLE, start, dice (program, 2),
                    (gint64)length);
  TrueIdle idle = { start, program->now, program->out->n_sessions - 1, 0 };
  g_array_append_val (program->out->idles, idle);
}

static void
do_drop (Program *program, guint context)
{
  guint64 start = program->now, length = 1 + dice (program, 2000);
  length = MIN (length, program->seal / 3);
  make_room (program, context);
  /* What happened meanwhile in any context is not known: every frame ends here. */
  guint32 n = 1 + dice (program, 20);
  for (guint i = 0; i < program->board.n_contexts; i++)
    if (i != context)
      seal (program, i);
  program->now += length;
  asc_board_simple (&program->board, context, ASC_EVENT_LOST, start, n, (gint64)length);
  seal (program, context);
}

static void
do_jump (Program *program, guint context)
{
  guint64 to = program->now + dice (program, 5000);
  asc_board_seal_all (&program->board);
  make_room (program, context);
  asc_encoder_discontinuity (&program->board.encoders[context], to, ASC_JUMP_STOOD_STILL,
                             (gint64)(to - program->now));
  seal (program, context);
  program->now = to;
}

static void
do_other (Program *program, guint context)
{
  guint id = 20 + dice (program, 3);
  make_room (program, context);
  switch (dice (program, 7))
    {
    case 0:
      asc_board_simple (&program->board, context, ASC_EVENT_LEVEL, program->now, id,
                        dice (program, 2));
      break;
    case 1:
      asc_board_simple (&program->board, context, ASC_EVENT_COUNTER, program->now, id + 5,
                        (gint64)dice (program, 2000) - 1000);
      break;
    case 2:
      asc_board_simple (&program->board, context, ASC_EVENT_MARK, program->now, id + 10,
                        0);
      break;
    case 3:
      asc_board_simple (&program->board, context, ASC_EVENT_SPAN_BEGIN, program->now,
                        ++program->spans, id + 15);
      break;
    case 4:
      asc_board_simple (&program->board, context, ASC_EVENT_SPAN_END, program->now,
                        program->spans - dice (program, 3), 0);
      break;
    case 5:
      asc_board_simple (&program->board, context, ASC_EVENT_GC_BEGIN, program->now, 0, 0);
      program->now += 1 + dice (program, 300);
      asc_board_simple (&program->board, context, ASC_EVENT_GC_END, program->now, 0, 0);
      break;
    default:
      g_byte_array_append (program->board.out, (const guint8 *)"hello\r\n", 7);
    }
}

static void
repeat_tasks (Program *program)
{
  AscTaskRecord records[SLOTS];
  gsize n = 0;
  for (guint i = 0; i < program->board.n_contexts; i++)
    seal (program, i);
  for (guint i = 0; i < SLOTS; i++)
    if (program->slots[i].used)
      records[n++] = (AscTaskRecord){ i, program->slots[i].instance,
                                      program->slots[i].name, -1, 0 };
  if (n)
    asc_board_tasks (&program->board, program->now, records, n);
  for (guint i = 1; i <= program->names_told; i++)
    tell_name (program, i);
}

static void
begin_session (Program *program)
{
  memset (program->slots, 0, sizeof program->slots);
  memset (program->depth, 0, sizeof program->depth);
  program->instances = program->spans = 0;
  /* 2^48 is passed by clocks that get there before the latest time of the model. */
  program->now = dice (program, 3) || program->board.hello.tick_hz < 1000000
                     ? dice (program, 1000000)
                     : (G_GUINT64_CONSTANT (1) << 48) - dice (program, 20000);
  program->out->n_sessions++;
  asc_board_reset (&program->board, program->now);
  program->hello_due = program->now + program->board.hello.tick_hz;
  program->names_told = dice (program, NAMES + 1);
  for (guint i = 1; i <= program->names_told; i++)
    tell_name (program, i);
}

static void
step (Program *program)
{
  guint context = dice (program, program->board.n_contexts);
  guint32 what = dice (program, 1000);
  if (dice (program, 4))
    context = 0;
  pass (program, dice (program, dice (program, 50) ? 200 : 40000));
  if (what < 40)
    do_start (program, context);
  else if (what < (program->calm ? 250u : 420u))
    do_enter (program, context);
  else if (what < 780)
    do_exit (program, context);
  else if (what < 880)
    do_idle (program);
  else if (what < 960)
    do_other (program, context);
  else if (what < 970)
    seal (program, context);
  else if (what < 978)
    repeat_tasks (program);
  else if (what < 984 && program->names_told < NAMES)
    tell_name (program, ++program->names_told);
  else if (what < 987 && program->drops)
    do_drop (program, context);
  else if (what < 988 && program->jumps)
    do_jump (program, context);
}

void
random_board_make (RandomBoard *random, guint32 seed)
{
  static const guint32 rates[] = { 1000000, 1000000, 32768, 1000000000, 3000000 };
  Program program = { .out = random, .seed = seed * 2654435761u | 1u };
  *random = (RandomBoard){ .runs = g_array_new (FALSE, FALSE, sizeof (TrueRun)),
                           .idles = g_array_new (FALSE, FALSE, sizeof (TrueIdle)) };
  dice (&program, 2);
  random->n_contexts = dice (&program, 2) ? 1 : 1 + dice (&program, ASC_BOARD_CONTEXTS);
  asc_board_init (&program.board, random->n_contexts);
  program.board.hello.tick_hz = rates[dice (&program, G_N_ELEMENTS (rates))];
  program.board.hello.seal_ms = (guint16)(5 + dice (&program, 100));
  if (random->n_contexts > 1)
    program.board.hello.capabilities |= ASC_CAN_INTERRUPTS;
  random->sends_idle = dice (&program, 4) != 0;
  if (!random->sends_idle)
    program.board.hello.capabilities &= ~ASC_CAN_IDLE;
  program.seal
      = (guint64)program.board.hello.seal_ms * program.board.hello.tick_hz / 1000;
  program.loss = dice (&program, 2) ? dice (&program, 60) : 0;
  program.drops = dice (&program, 3) == 0;
  program.jumps = dice (&program, 3) == 0;
  program.calm = dice (&program, 2);
  random->lossless = !program.loss && !program.drops && !program.jumps;
  guint sessions = 1 + dice (&program, 3);
  for (guint i = 0; i < sessions; i++)
    {
      begin_session (&program);
      guint steps = 50 + dice (&program, 3000);
      while (steps-- > 0)
        step (&program);
      for (guint c = 0; c < random->n_contexts; c++)
        {
          while (program.depth[c] > 0)
            {
              pass (&program, 1 + dice (&program, 100));
              do_exit (&program, c);
            }
          seal (&program, c);
        }
      hello (&program);
    }
  random->stream = program.board.out;
}

void
random_board_clear (RandomBoard *random)
{
  g_byte_array_unref (random->stream);
  g_array_free (random->runs, TRUE);
  g_array_free (random->idles, TRUE);
}
