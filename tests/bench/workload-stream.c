#include "workload-stream.h"

#include "asc-encoder.h"

typedef struct
{
  const WorkloadStream *options;
  GByteArray *out;
  AscEncoder encoder;
  uint8_t frame[ASC_FRAME_MAX];
  AscSeal seal;
  AscHello hello;
  uint64_t hello_due;
} Packer;

static void
put_hello (Packer *packer, uint64_t ticks)
{
  uint8_t frame[ASC_FRAME_MAX];
  packer->hello.ticks = ticks;
  packer->hello.events = packer->seal.count;
  size_t n = asc_encode_hello (frame, &packer->hello, packer->seal.sequence++);
  g_byte_array_append (packer->out, frame, (guint)n);
  packer->hello_due = ticks + 1000000;
}

static void
seal (Packer *packer)
{
  uint32_t counted = packer->encoder.n_events;
  uint16_t starts = packer->encoder.n_starts;
  size_t n = asc_encoder_seal (&packer->encoder, &packer->seal);
  if (n == 0)
    return;
  g_byte_array_append (packer->out, packer->frame, (guint)n);
  packer->seal.sequence++;
  packer->seal.count += counted;
  packer->seal.starts = (uint16_t)(packer->seal.starts + starts);
  if (packer->encoder.last >= packer->hello_due)
    put_hello (packer, packer->encoder.last);
}

static void
put_event (Packer *packer, const AscEvent *event)
{
  uint64_t age = packer->options->seal_ms * (uint64_t)1000;
  if (packer->encoder.length > 0 && event->ticks - packer->encoder.base > age)
    seal (packer);
  if (asc_encoder_event (&packer->encoder, event) == 0)
    {
      seal (packer);
      asc_encoder_event (&packer->encoder, event);
    }
}

static void
put_tasks (Packer *packer)
{
  for (unsigned i = 0; i < WORKLOAD_TASKS; i++)
    {
      uint8_t frame[ASC_FRAME_MAX];
      char function[32];
      size_t taken;
      int length = g_snprintf (function, sizeof function, "task_%02u", i);
      AscName name = { .id = i + 1,
                       .kind = ASC_NAME_TASK,
                       .module = { "", 0 },
                       .function = { function, (uint8_t)length },
                       .file = { "", 0 } };
      size_t n = asc_encode_names (frame, &name, 1, &taken, packer->seal.sequence++,
                                   packer->seal.session);
      g_byte_array_append (packer->out, frame, (guint)n);
      AscTaskRecord record = { i, i + 1, i + 1, -1, 0 };
      if (asc_encoder_start (&packer->encoder, 0, &record) == 0)
        {
          seal (packer);
          asc_encoder_start (&packer->encoder, 0, &record);
        }
    }
  seal (packer);
}

static bool
reference (void *user, WorkloadRun *run)
{
  workload_next (user, run);
  return true;
}

GByteArray *
workload_stream (const WorkloadStream *options)
{
  Packer packer = { .options = options,
                    .out = g_byte_array_sized_new ((guint)(options->n_events * 3)),
                    .seal = { .session = 1 } };
  packer.hello = (AscHello){ .version = 1,
                             .readable_by = 1,
                             .counter_bits = 32,
                             .recorder = ASC_RECORDER_C,
                             .session_id = 0x01020301,
                             .tick_hz = 1000000,
                             .tick_step_ns = 1000,
                             .capabilities = (options->idle ? ASC_CAN_IDLE : 0)
                                             | (options->late ? ASC_CAN_LATE : 0),
                             .seal_ms = (uint16_t)options->seal_ms };
  asc_encoder_init (&packer.encoder, packer.frame, 0);
  put_hello (&packer, 0);
  put_tasks (&packer);
  Workload workload;
  bool (*next) (void *, WorkloadRun *) = options->next ? options->next : reference;
  void *user = options->next ? options->user : &workload;
  workload_init (&workload);
  uint64_t last = 0;
  for (uint64_t n = 0; n + 1 < options->n_events; n += 2)
    {
      WorkloadRun run;
      if (!next (user, &run))
        break;
      if (options->idle && run.start_us > last + 15)
        put_event (&packer, &(AscEvent){ .ticks = last + 5,
                                         .value = (int64_t)(run.start_us - last - 10),
                                         .kind = ASC_EVENT_IDLE });
      AscEvent enter = { .ticks = run.start_us, .id = run.task, .kind = ASC_EVENT_ENTER };
      if (options->late)
        {
          enter.flags = ASC_EVENT_LATE;
          enter.late_ms = (uint16_t)((run.end_us >> 3) & 3);
        }
      put_event (&packer, &enter);
      put_event (&packer, &(AscEvent){ .ticks = run.end_us, .kind = ASC_EVENT_EXIT });
      last = run.end_us;
    }
  seal (&packer);
  put_hello (&packer, last);
  return packer.out;
}
