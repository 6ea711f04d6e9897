/* The board inside the virtual machine: the device's side of a true USB CDC-ACM port.
 *
 * The kernel is both ends: g_serial is the device, dummy_hcd the cable, and cdc-acm the
 * host's driver that makes /dev/ttyACM*. One board at a time; one thread; times in
 * milliseconds of the machine's monotonic clock. Functions that return false have printed
 * the reason as a comment. */
#ifndef VM_BOARD_H
#define VM_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VM_BOARD_VID 0xf055
#define VM_BOARD_PID 0x9800
#define VM_BOARD_MAKER "Aioscope tests"
#define VM_BOARD_PRODUCT "Simulated board"

int64_t vm_now_ms (void);
void vm_sleep_ms (int ms);

/* How much longer than on a real machine a step may take: 1 with KVM, more when the
 * processor is emulated on a host that has other work. */
int vm_patience (void);

/* Makes a board with this serial number and plugs it in; waits until the host has its
 * port. */
bool vm_board_make (const char *serial);
/* Unplugs the board and destroys it. Nothing to do without one. */
void vm_board_destroy (void);

/* Pulls the plug at once, without a word to either side. Waits until the device's side
 * knows. */
bool vm_board_unplug (void);
/* Plugs it in again and waits until the host has a port for it. */
bool vm_board_plug (void);

/* The host's name of the port, such as /dev/ttyACM0; NULL while there is none. Valid
 * until the next call. */
const char *vm_board_port (void);

/* Sends from the device to the host; waits for room at most `ms` for each piece. */
bool vm_board_send (const void *data, size_t n, int ms);
/* What the host sent: up to n bytes, waiting at most `ms` for the first. 0 = nothing
 * came. */
size_t vm_board_receive (void *data, size_t n, int ms);

#endif
