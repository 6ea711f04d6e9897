/* Constants and plain types of the wire protocol (PROTOCOL.md), shared by board and host.
 *
 * C99, freestanding, no allocation. Times are ticks of the session's clock (HELLO). */
#ifndef ASC_PROTO_H
#define ASC_PROTO_H

#include <stddef.h>
#include <stdint.h>

#define ASC_PROTO_VERSION 1
#define ASC_MARKER 0xF9u
#define ASC_HEADER_SIZE 8   /* bytes before the payload */
#define ASC_CHECK_SIZE 4    /* bytes after it */
#define ASC_PAYLOAD_MAX 255 /* bytes */
#define ASC_FRAME_MAX (ASC_HEADER_SIZE + ASC_PAYLOAD_MAX + ASC_CHECK_SIZE)
#define ASC_STACK_MAX 8                /* entries of a run stack */
#define ASC_SLOT_MAX 65535             /* highest slot and name id */
#define ASC_TICKS_MASK 0xFFFFFFFFFFFFu /* ticks are sent with 48 bits */
#define ASC_SPAN_MAX                                                                     \
  0x7FFFFFFFFFFFu          /* ticks from a frame's base to its last event's end */
#define ASC_NAME_MAX 80    /* bytes of one string that a recorder sends, UTF-8 */
#define ASC_EVENTS_HEAD 13 /* bytes of an EVENTS payload before the stack */
/* Most events that one frame can hold: an EXIT takes a byte, a pair takes three. */
#define ASC_FRAME_EVENTS_MAX (ASC_PAYLOAD_MAX - ASC_EVENTS_HEAD)

typedef enum
{
  ASC_FRAME_HELLO = 0x01,
  ASC_FRAME_EVENTS = 0x02,
  ASC_FRAME_NAMES = 0x03,
  ASC_FRAME_TASKS = 0x04,
  ASC_FRAME_HOST = 0x80, /* first of the host's types */
  ASC_FRAME_FILE = 0x80,
  ASC_FRAME_ANCHOR = 0x81,
  ASC_FRAME_LINK = 0x82,
  ASC_FRAME_CUT = 0x83,
  ASC_FRAME_MARK = 0x84
} AscFrameType;

typedef enum
{
  ASC_TAG_IDLE_SHORT = 0x00, /* to 0x1F */
  ASC_TAG_EXIT_RETURN = 0x20,
  ASC_TAG_EXIT_RAISE = 0x21,
  ASC_TAG_EXIT_CANCEL = 0x22,
  ASC_TAG_GC_BEGIN = 0x23,
  ASC_TAG_GC_END = 0x24,
  ASC_TAG_ENTER = 0x28,
  ASC_TAG_SPAN_END = 0x29,
  ASC_TAG_LEVEL = 0x2A,
  ASC_TAG_DRAIN = 0x2B,
  ASC_TAG_MARK = 0x2C,
  ASC_TAG_ENTER_LATE = 0x30,
  ASC_TAG_IDLE = 0x31,
  ASC_TAG_SPAN_BEGIN = 0x32,
  ASC_TAG_MARK_VALUE = 0x33,
  ASC_TAG_COUNTER = 0x34,
  ASC_TAG_END = 0x35,
  ASC_TAG_LOST = 0x36,
  ASC_TAG_RENAME = 0x37,
  ASC_TAG_START = 0x38,
  ASC_TAG_TEXT = 0x39,
  ASC_TAG_DISCONTINUITY = 0x3A
} AscTag;
#define ASC_TAG_COUNT 0x40
#define ASC_OUT_TAG 0xC0u /* first byte of a tag while no run is open */

/* Event kinds as recorder, decoder and model name them. Fields: see AscEvent. */
typedef enum
{
  ASC_EVENT_ENTER = 1,     /* id = slot, late_ms if ASC_EVENT_LATE */
  ASC_EVENT_EXIT,          /* id = AscExit; slot = the run's slot in value */
  ASC_EVENT_IDLE,          /* id = AscIdle, value = duration in ticks */
  ASC_EVENT_GC_BEGIN,      /* */
  ASC_EVENT_GC_END,        /* */
  ASC_EVENT_START,         /* id = slot; the rest by asc_event_start () */
  ASC_EVENT_END,           /* id = slot, value = AscEnd */
  ASC_EVENT_RENAME,        /* id = slot, value = name id */
  ASC_EVENT_SPAN_BEGIN,    /* id = span id, value = name id */
  ASC_EVENT_SPAN_END,      /* id = span id */
  ASC_EVENT_MARK,          /* id = name id, value if ASC_EVENT_VALUE */
  ASC_EVENT_LEVEL,         /* id = name id of the pin, value = 0 or 1 */
  ASC_EVENT_COUNTER,       /* id = name id, value */
  ASC_EVENT_TEXT,          /* bytes by asc_event_bytes () */
  ASC_EVENT_DRAIN,         /* value = duration in ticks */
  ASC_EVENT_LOST,          /* value = duration in ticks, id = events (saturated) */
  ASC_EVENT_DISCONTINUITY, /* id = AscJump, value = known jump in ticks, 0 unknown */
  ASC_EVENT_UNKNOWN        /* id = tag: a kind of a later version */
} AscEventKind;

typedef enum
{
  ASC_EXIT_YIELD,
  ASC_EXIT_RETURN,
  ASC_EXIT_RAISE,
  ASC_EXIT_CANCEL
} AscExit;

typedef enum
{
  ASC_IDLE_TIMER,
  ASC_IDLE_IO,
  ASC_IDLE_OTHER
} AscIdle;

typedef enum
{
  ASC_END_NEVER_STARTED,
  ASC_END_CANCELLED,
  ASC_END_COLLECTED,
  ASC_END_OTHER
} AscEnd;

typedef enum
{
  ASC_JUMP_STOOD_STILL,
  ASC_JUMP_SILENCE,
  ASC_JUMP_BACK
} AscJump;

typedef enum
{
  ASC_NAME_TASK,
  ASC_NAME_SPAN,
  ASC_NAME_MARK,
  ASC_NAME_PIN,
  ASC_NAME_COUNTER,
  ASC_NAME_OTHER
} AscNameKind;
#define ASC_NAME_INTERNAL 0x01u /* flag: a task that asyncio makes for itself */

typedef enum
{
  ASC_RECORDER_UNKNOWN,
  ASC_RECORDER_C,
  ASC_RECORDER_MODULE,
  ASC_RECORDER_LOADABLE,
  ASC_RECORDER_PYTHON
} AscRecorderKind;

#define ASC_CAN_IDLE 0x01u
#define ASC_CAN_LATE 0x02u
#define ASC_CAN_GC 0x04u
#define ASC_CAN_DRAIN 0x08u
#define ASC_CAN_EXIT_KINDS 0x10u
#define ASC_CAN_LONG_NAMES 0x20u
#define ASC_CAN_INTERRUPTS 0x40u

#define ASC_CONTEXT(kind, core, index)                                                   \
  ((uint8_t)(((kind) << 6) | ((core) << 4) | (index)))
#define ASC_CONTEXT_KIND(context) (((context) >> 6) & 3u)
#define ASC_CONTEXT_CORE(context) (((context) >> 4) & 3u)
#define ASC_CONTEXT_LOOP 0u /* kinds */
#define ASC_CONTEXT_INTERRUPT 1u
#define ASC_CONTEXT_THREAD 2u

#define ASC_EVENT_LATE 0x01u  /* flags: late_ms is set */
#define ASC_EVENT_VALUE 0x02u /* value is set (MARK) */

/* One event, 24 bytes. ticks: when it began, on the session's clock, extended to 64 bits.
 */
typedef struct
{
  uint64_t ticks;
  int64_t value;
  uint32_t id;
  uint16_t late_ms; /* saturated at 65535 */
  uint8_t kind;     /* AscEventKind */
  uint8_t flags;
} AscEvent;

/* What START and a TASKS record tell. parent_slot is -1 without a parent. */
typedef struct
{
  uint32_t slot;
  uint32_t instance;
  uint32_t name;
  int32_t parent_slot;
  uint32_t parent_instance;
} AscTaskRecord;

/* A string that need not end in NUL. */
typedef struct
{
  const char *bytes;
  uint8_t length; /* bytes */
} AscString;

/* What a NAMES record tells. */
typedef struct
{
  uint32_t id;
  uint32_t line; /* 0 unknown */
  uint32_t code; /* identity of the code object, 0 unknown */
  uint8_t kind;  /* AscNameKind */
  uint8_t flags;
  AscString module;
  AscString function;
  AscString file;
} AscName;

typedef struct
{
  uint8_t version;
  uint8_t readable_by;
  uint8_t counter_bits;
  uint8_t recorder; /* AscRecorderKind */
  uint32_t session_id;
  uint32_t tick_hz;
  uint32_t tick_step_ns;
  uint32_t cost_ns; /* of one ENTER + EXIT */
  uint32_t cpu_hz;
  uint32_t capabilities; /* ASC_CAN_… */
  uint16_t seal_ms;
  uint64_t ticks;
  uint64_t start_ticks;
  uint64_t events;  /* running count, 48 bits */
  uint64_t dropped; /* of these on the board */
  AscString board;
  AscString firmware;
  AscString program;
} AscHello;

#endif
