/* A port whose critical section, when it ends, lets an interrupt in: the worst place for
 * it to come is right behind each of the recorder's own steps. */
#ifndef INTERRUPT_PORT_H
#define INTERRUPT_PORT_H

#include <stdint.h>

void interrupt_port_enter (void);
void interrupt_port_exit (void *rec);

#define ASC_PORT_ENTER_CRITICAL(rec) (interrupt_port_enter (), 0u)
#define ASC_PORT_EXIT_CRITICAL(rec, state) ((void)(state), interrupt_port_exit (rec))

#endif
