#include "asc-theme.h"

#include <math.h>

/* Named colours stand on base and band with a contrast of 4.5 (text) or 3 (shapes), which
 * tests/paint/test-theme.c computes. grid, line and band only structure the picture. */
static const AscTheme light = {
  .base = 0xFFFFFF,
  .band = 0xF8F9FB,
  .panel = 0xF1F1F3,
  .line = 0xD5D7DB,
  .grid = 0xE9EAED,
  .text = 0x1E2126,
  .text_dim = 0x5B616B,
  .tick = 0x7A8088,
  .chosen = 0xDCE8F8,
  .accent = 0x1A5FB4,
  .on_accent = 0xFFFFFF,
  .warn = 0xB3141F,
  .on_warn = 0xFFFFFF,
  .mark = 0x0E7C8B,
  .on_mark = 0xFFFFFF,
  .idle = 0x8D949E,
  .wait = 0x868C96,
  .gc = 0x6E5494,
  .level = 0x1F7A5C,
  .counter = 0x5B616B,
  .load = 0x5C93D6,
  .hatch = 0x868C96,
  .task = { 0x1C71D8, 0x1F7A5C, 0x9A6700, 0x813D9C, 0xB5451B, 0x0E7C8B, 0x7A5C1E,
            0xA8326F, 0x4B5AB0, 0x567212, 0x8C2F2F, 0x3D6B8E },
};

static const AscTheme dark = {
  .base = 0x1B1C1F,
  .band = 0x202125,
  .panel = 0x27282C,
  .line = 0x3A3B40,
  .grid = 0x2C2D32,
  .text = 0xE6E7EA,
  .text_dim = 0xA4A9B1,
  .tick = 0x8D929A,
  .chosen = 0x22364F,
  .accent = 0x62A0EA,
  .on_accent = 0x14161A,
  .warn = 0xFF7B72,
  .on_warn = 0x1E0B0A,
  .mark = 0x4CC3D2,
  .on_mark = 0x0E2024,
  .idle = 0x70757F,
  .wait = 0x7E848E,
  .gc = 0xB9A0E6,
  .level = 0x57C99A,
  .counter = 0xB4B8BF,
  .load = 0x4F82C4,
  .hatch = 0x7E848E,
  .task = { 0x78AEED, 0x57C99A, 0xE5B64A, 0xC690E0, 0xF0915E, 0x4CC3D2, 0xC9A86A,
            0xEE82B4, 0x9AA5F2, 0xA9C95A, 0xE59090, 0x8DB8D8 },
};

const AscTheme *
asc_theme_light (void)
{
  return &light;
}

const AscTheme *
asc_theme_dark (void)
{
  return &dark;
}

static double
channel (AscColour colour, int shift)
{
  return ((colour >> shift) & 0xFF) / 255.0;
}

void
asc_set_colour_alpha (cairo_t *cr, AscColour colour, double alpha)
{
  cairo_set_source_rgba (cr, channel (colour, 16), channel (colour, 8),
                         channel (colour, 0), alpha);
}

void
asc_set_colour (cairo_t *cr, AscColour colour)
{
  asc_set_colour_alpha (cr, colour, 1);
}

AscColour
asc_colour_mix (AscColour a, AscColour b, double share)
{
  AscColour mixed = 0;
  for (int shift = 0; shift <= 16; shift += 8)
    {
      double value = channel (a, shift) * (1 - share) + channel (b, shift) * share;
      mixed |= (AscColour)(value * 255 + 0.5) << shift;
    }
  return mixed;
}

/* Relative luminance, WCAG 2. */
static double
luminance (AscColour colour)
{
  static const double weight[3] = { 0.0722, 0.7152, 0.2126 };
  double sum = 0;
  for (int i = 0; i < 3; i++)
    {
      double c = channel (colour, i * 8);
      sum += weight[i] * (c <= 0.03928 ? c / 12.92 : pow ((c + 0.055) / 1.055, 2.4));
    }
  return sum;
}

double
asc_colour_contrast (AscColour a, AscColour b)
{
  double la = luminance (a), lb = luminance (b);
  return (MAX (la, lb) + 0.05) / (MIN (la, lb) + 0.05);
}
