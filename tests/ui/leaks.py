"""Judges what the sanitizers wrote about a viewer: leaks are ours, or the toolkit's.

GTK and what it loads leave things of their own under way when the window closes (the recent
files, the file chooser, cloud providers), others at each version and at random. So a leak
counts when one of our functions, other than main, is among those that led to the allocation;
every report that is not about a leak counts.

The stacks must be whole for that. Walking them by unwinding tables costs seconds a window, so
only some cases ask for it (STACKS); in the others they end in the first library that keeps no
frame pointer, and a leak is found only where our code is nearer than that.
"""

import re

STACKS = 'fast_unwind_on_malloc=0:malloc_context_size=14'
# Module, function and place of a frame.
FORMAT = 'stack_trace_format="    #%n %m|%f|%S"'
FRAME = re.compile(r'\s*#\d+ ([^|]*)\|([^|]*)\|(.*)')
# Our functions have names. A frame in us without one lay in a library that was unloaded, where
# the sanitizer has mapped our file since, to read those names.
NOT_OURS = {'main', '_start', '<null>'}
# It keeps its patterns for the life of the process, but loses sight of them.
KEEPS = 'libfontconfig.so'


def findings(text, program):
    """Texts of the reports that count, of a log of the sanitizers."""
    found = []
    for block in re.split(r'\n\s*\n', text):
        lines = [line for line in block.splitlines()
                 if line.strip() and not re.match(r'=+$|SUMMARY: .* leaked in |'
                                                  r'==\d+==ERROR: LeakSanitizer: detected', line)]
        if not lines:
            continue
        leak = re.match(r'(Direct|Indirect) leak of ', lines[0])
        frames = [FRAME.match(line) for line in lines[1:]]
        if leak and all(frames) and frames:
            ours = any(frame[1].rpartition('/')[2] == program and frame[2] not in NOT_OURS
                       for frame in frames)
            if not ours or any(KEEPS in frame[1] for frame in frames):
                continue
        found.append('\n'.join(lines))
    return found
