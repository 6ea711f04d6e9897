#include "asc-record.h"

#include "asc-pack.h"

/* Called seldom: configuration, sessions, names. */

#if ASC_RECORDER_CONTEXTS < 1 || ASC_RECORDER_CONTEXTS > 8
#error "ASC_RECORDER_CONTEXTS is 1 to 8"
#endif

/* Links slower than this seal late, so that frame headers take less of them. */
#define FAST_BAUD 500000u
#define MS_PER_SECOND 1000u

static bool
valid (const AscRecorderConfig *config)
{
  uint32_t words = config->ring_words;
  return config->ring && words >= 64 && words <= 0x800000 && (words & (words - 1)) == 0
         && config->slots && config->n_slots >= 2
         && config->n_slots <= ASC_RECORDER_SLOTS_MAX
         && (config->names || config->n_names == 0) && config->n_contexts >= 1
         && config->n_contexts <= ASC_RECORDER_CONTEXTS && config->counter_bits <= 32
         && config->tick_hz > 0;
}

int
asc_recorder_init (AscRecorder *rec, const AscRecorderConfig *config)
{
  if (!valid (config))
    return -1;
  *rec = (AscRecorder){ 0 };
  rec->config = config;
  rec->ring = config->ring;
  rec->mask = config->ring_words - 1;
  unsigned bits = config->counter_bits ? config->counter_bits : 32;
  rec->spare_bits = (uint8_t)(32 - bits);
  rec->counter_mask = 0xFFFFFFFFu >> rec->spare_bits;
  rec->pack_limit
      = rec->counter_mask / 4 < ASC_PACK_LIMIT ? rec->counter_mask / 4 : ASC_PACK_LIMIT;
  unsigned seal_ms = config->seal_ms;
  if (seal_ms == 0)
    seal_ms = config->baud > 0 && config->baud < FAST_BAUD ? 50 : 5;
  rec->seal_ms = (uint16_t)seal_ms;
  rec->seal_ticks = (uint32_t)((uint64_t)config->tick_hz * seal_ms / MS_PER_SECOND);
  rec->second = config->tick_hz;
  /* All names and slots within 3 s: a round is planned for 2.5. */
  rec->round_ticks = config->tick_hz * 2 + config->tick_hz / 2;
  if (config->baud > 0)
    rec->byte_cost = (uint32_t)((((uint64_t)config->tick_hz * 10 << 8) + config->baud - 1)
                                / config->baud);
  return 0;
}

void
asc_recorder_start (AscRecorder *rec, uint32_t session_id)
{
  const AscRecorderConfig *config = rec->config;
  uint32_t state = ASC_PORT_ENTER_CRITICAL (rec);
  uint32_t raw = ASC_PORT_TICKS (rec) & rec->counter_mask;
  if (rec->started && (uint8_t)session_id == (uint8_t)rec->session_id)
    session_id++;
  /* The first session's clock starts at what the counter shows. */
  rec->now += rec->started ? (raw - rec->now_raw) & rec->counter_mask : raw;
  rec->now_raw = raw;
  rec->start = rec->told = rec->now;
  rec->session_id = session_id;
  for (unsigned i = 0; i < config->n_slots; i++)
    config->slots[i].instance = 0;
  for (unsigned i = 0; i < config->n_contexts; i++)
    {
      AscRecorderContext *c = &rec->contexts[i];
      asc_encoder_init (&c->encoder, c->frame, config->contexts[i]);
      c->encoder.last = rec->now;
      c->depth = 0;
      c->idle = c->sent_idle = 0;
    }
  rec->head = rec->read = rec->freed = 0;
  rec->limit = config->ring_words;
  rec->losing = false;
  rec->lost = rec->lost_starts = 0;
  rec->free_slot = rec->top_slot = 0;
  rec->instances = rec->spans = rec->losses = 0;
  rec->window_since = raw;
  rec->window_idle = 0;
  rec->load.window_ticks = rec->load.worst_window_ticks = 0;
  rec->counted = rec->dropped = 0;
  rec->starts = rec->sequence = rec->names_told = 0;
  rec->next_hello = rec->now;
  rec->next_repeat = rec->now + rec->second;
  rec->round_end = rec->now + rec->round_ticks;
  rec->repeat_name = rec->repeat_slot = 0;
  rec->credit = 0;
  rec->credit_at = rec->now;
  rec->out_length = 0;
  rec->starts_open = rec->tasks_open = 0;
  rec->urgent = rec->last_hello = false;
  rec->started = rec->running = true;
  ASC_PORT_EXIT_CRITICAL (rec, state);
}

unsigned
asc_recorder_name (AscRecorder *rec, const AscName *name)
{
  unsigned id = 0;
  uint32_t state = ASC_PORT_ENTER_CRITICAL (rec);
  if (rec->n_names < rec->config->n_names)
    {
      AscName *entry = &rec->config->names[rec->n_names++];
      *entry = *name;
      entry->id = id = rec->n_names;
    }
  ASC_PORT_EXIT_CRITICAL (rec, state);
  return id;
}

AscString
asc_record_string (const char *text)
{
  AscString string = { text ? text : "", 0 };
  while (string.length < ASC_NAME_MAX && string.bytes[string.length] != '\0')
    string.length++;
  /* What is longer is cut by the encoder at a character's border, which needs the byte
   * after the cut. */
  if (string.length == ASC_NAME_MAX && string.bytes[string.length] != '\0')
    string.length++;
  return string;
}

unsigned
asc_recorder_define (AscRecorder *rec,
                     AscNameKind kind,
                     const char *module,
                     const char *function)
{
  AscName name = { .kind = (uint8_t)kind,
                   .module = asc_record_string (module),
                   .function = asc_record_string (function),
                   .file = asc_record_string (NULL) };
  return asc_recorder_name (rec, &name);
}
