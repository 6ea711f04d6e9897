/* The list of ports, and a reader that takes the same board again under another name. */
#include "asc-fake-port.h"
#include "asc-link-events.h"
#include "asc-ports.h"
#include "asc-test.h"

#include <string.h>

static const AscFakeUsb pico
    = { "1-1", 0x2e8a, 0x0005, 0, "Raspberry Pi", "Pico", "E66A" };
static const AscFakeUsb pico_2
    = { "1-2", 0x2e8a, 0x0005, 0, "Raspberry Pi", "Pico", "B077" };
static const AscFakeUsb pico_moved
    = { "1-3", 0x2e8a, 0x0005, 0, "Raspberry Pi", "Pico", "E66A" };
static const AscFakeUsb ch340 = { "1-4", 0x1a86, 0x7523, 0, NULL, "USB Serial", NULL };
static const AscFakeUsb ch340_moved
    = { "1-5", 0x1a86, 0x7523, 0, NULL, "USB Serial", NULL };
static const AscFakeUsb modem
    = { "1-6", 0x12d1, 0x1001, 2, "Modems", "LTE\x01 modem", "9" };

static AscFakePort plugged[8];
static int n_plugged;

static AscFakePort *
plug (const char *name, const AscFakeUsb *usb)
{
  assert_true (asc_fake_port_plug (&plugged[n_plugged], name, usb));
  return &plugged[n_plugged++];
}

static int
begin (void **state)
{
  (void)state;
  n_plugged = 0;
  return 0;
}

static int
end (void **state)
{
  (void)state;
  while (n_plugged > 0)
    asc_fake_port_unplug (&plugged[--n_plugged]);
  return 0;
}

static void
need_list (void)
{
  if (asc_fake_ports_listed ())
    return;
  print_message ("# skipped: %s\n", asc_fake_ports_reason ());
  skip ();
}

static void
boards_come_first_then_names_by_number (void **state)
{
  (void)state;
  need_list ();
  static const char *const order[] = { "ttyACM2", "ttyACM10", "ttyUSB0", "ttyACM0" };
  plug ("ttyACM0", &modem);
  plug ("ttyACM10", &pico);
  plug ("ttyUSB0", &ch340);
  plug ("ttyACM2", &pico_2);
  g_autoptr (GPtrArray) ports = asc_ports_list ();
  assert_int_equal (ports->len, 4);
  for (guint i = 0; i < ports->len; i++)
    {
      const AscPort *port = ports->pdata[i];
      assert_string_equal (port->name, order[i]);
      assert_true (port->is_usb);
      assert_int_equal (asc_port_is_likely_board (port), i < 3);
    }
  const AscPort *first = ports->pdata[0];
  assert_string_equal (first->path, "/dev/ttyACM2");
  assert_string_equal (first->product, "Pico");
  assert_string_equal (first->manufacturer, "Raspberry Pi");
  assert_string_equal (first->serial, "B077");
  assert_string_equal (first->location, "1-2");
  assert_int_equal (first->vid, 0x2e8a);
  assert_int_equal (first->pid, 0x0005);
  const AscPort *last = ports->pdata[3];
  assert_string_equal (last->product, "LTE  modem");
  assert_int_equal (last->interface, 2);
}

static void
no_ports_is_an_empty_list (void **state)
{
  (void)state;
  need_list ();
  g_autoptr (GPtrArray) ports = asc_ports_list ();
  assert_int_equal (ports->len, 0);
  assert_null (asc_ports_find ("usb:2e8a:0005:if0:serial=E66A"));
}

static void
a_board_is_found_by_its_serial_number (void **state)
{
  (void)state;
  need_list ();
  plug ("ttyACM0", &pico_2);
  plug ("ttyACM1", &pico_moved);
  g_autoptr (AscPort) port = asc_ports_find ("usb:2e8a:0005:if0:serial=E66A");
  assert_non_null (port);
  assert_string_equal (port->name, "ttyACM1");
  assert_null (asc_ports_find ("usb:2e8a:0005:if2:serial=E66A"));
  assert_null (asc_ports_find ("usb:2e8a:0005:if0:serial=E66"));
}

static void
a_board_without_number_is_found_by_socket_or_alone (void **state)
{
  (void)state;
  need_list ();
  static const char identity[] = "usb:1a86:7523:if0:at=1-4";
  AscFakePort *port = plug ("ttyUSB0", &ch340);
  g_autoptr (AscPort) first = asc_port_new (port->path);
  g_autofree char *own = asc_port_identity (first);
  assert_string_equal (own, identity);
  plug ("ttyUSB1", &ch340_moved);
  g_autoptr (AscPort) found = asc_ports_find (identity);
  assert_string_equal (found->name, "ttyUSB0");
  asc_fake_port_unplug (port);
  g_autoptr (AscPort) moved = asc_ports_find (identity);
  assert_string_equal (moved->name, "ttyUSB1");
  /* Two that could be it: neither is. */
  static const char elsewhere[] = "usb:1a86:7523:if0:at=1-9";
  assert_true (asc_fake_port_plug (port, "ttyUSB0", &ch340));
  assert_null (asc_ports_find (elsewhere));
}

static void
the_same_board_is_taken_again_under_another_name (void **state)
{
  (void)state;
  need_list ();
  AscLinkEvents events;
  AscFakePort *port = plug ("ttyACM0", &pico);
  g_autoptr (AscSourceSpec) spec = asc_source_spec_parse (port->spec, NULL);
  asc_link_events_init (&events);
  AscReader *reader = asc_reader_start (spec, &asc_link_events_sink, &events);
  asc_link_events_expect (&events, ASC_READER_CONNECTED, "Pico · ttyACM0");
  assert_int_equal (write (port->master, "one", 3), 3);
  asc_link_events_expect_bytes (&events, "one");
  asc_fake_port_unplug (port);
  asc_link_events_expect (&events, ASC_READER_LOST, "unplugged");
  asc_link_events_expect (&events, ASC_READER_WAITING, "not plugged in");
  /* Another board takes the old name: it is not ours to touch. */
  AscFakePort *decoy = plug ("ttyACM0", &pico_2);
  assert_int_equal (write (decoy->master, "wrong", 5), 5);
  AscFakePort *again = plug ("ttyACM1", &pico_moved);
  assert_int_equal (write (again->master, "two", 3), 3);
  asc_link_events_expect (&events, ASC_READER_BACK, "Pico · ttyACM1");
  asc_link_events_expect_bytes (&events, "two");
  asc_reader_free (reader);
  asc_link_events_expect (&events, ASC_READER_ENDED, "Disconnected");
  asc_link_events_clear (&events);
}

/* A board that nobody gives back costs a few looks a second and no more. */
static void
waiting_for_a_board_does_not_spin (void **state)
{
  (void)state;
  AscLinkEvents events;
  AscFakePort *port = plug ("ttyACM0", &pico);
  g_autoptr (AscSourceSpec) spec = asc_source_spec_parse (port->spec, NULL);
  asc_link_events_init (&events);
  AscReader *reader = asc_reader_start (spec, &asc_link_events_sink, &events);
  asc_link_events_expect (&events, ASC_READER_CONNECTED, "ttyACM0");
  guint64 turns = asc_reader_turns (reader);
  int polls = asc_fake_polls;
  gint64 start = g_get_monotonic_time ();
  asc_fake_port_unplug (port);
  asc_link_events_expect (&events, ASC_READER_LOST, NULL);
  asc_link_events_expect (&events, ASC_READER_WAITING, NULL);
  g_usleep (600 * 1000);
  guint64 quarters = (guint64)(g_get_monotonic_time () - start) / 250000;
  assert_in_range (asc_reader_turns (reader) - turns, 1, quarters + 3);
  assert_in_range (asc_fake_polls - polls, 1, quarters + 8);
  asc_reader_free (reader);
  asc_link_events_expect (&events, ASC_READER_ENDED, NULL);
  asc_link_events_clear (&events);
}

#define TEST(f) cmocka_unit_test_setup_teardown (f, begin, end)

int
main (void)
{
  asc_fake_ports_init ();
  struct CMUnitTest tests[] = {
    TEST (boards_come_first_then_names_by_number),
    TEST (no_ports_is_an_empty_list),
    TEST (a_board_is_found_by_its_serial_number),
    TEST (a_board_without_number_is_found_by_socket_or_alone),
    TEST (the_same_board_is_taken_again_under_another_name),
    TEST (waiting_for_a_board_does_not_spin),
  };
  int failed = asc_test_run (tests, sizeof tests / sizeof *tests);
  asc_fake_ports_exit ();
  return failed;
}
