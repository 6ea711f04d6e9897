/* What the host's driver tells a CDC-ACM device, read on the bus itself (usbmon).
 *
 * A tty cannot be asked what was done to DTR and RTS in between; the bus shows each
 * request. */
#ifndef VM_USBMON_H
#define VM_USBMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* bRequest of the class requests of interest. */
#define VM_SET_LINE_CODING 0x20
#define VM_SET_CONTROL_LINE_STATE 0x22
/* Bits of the value of SET_CONTROL_LINE_STATE. */
#define VM_DTR 1u
#define VM_RTS 2u

typedef struct
{
  unsigned request; /* bRequest */
  unsigned value;   /* wValue */
  uint32_t rate;    /* the baud rate, of SET_LINE_CODING only */
} VmControl;

/* Begins to listen; one listener at a time. Not for long or with much traffic: the kernel
 * keeps only some hundred entries. */
bool vm_usbmon_start (void);
/* Ends, and gives the class requests to the device since then, oldest first; at most
 * `max` are kept, and the number seen is returned. */
size_t vm_usbmon_stop (VmControl *requests, size_t max);

#endif
