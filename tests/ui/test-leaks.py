"""Which reports of the sanitizers count against the window (leaks.py)."""

import leaks
import tap

HEAD = '''
=================================================================
==4711==ERROR: LeakSanitizer: detected memory leaks

'''
TAIL = '''
SUMMARY: AddressSanitizer: 64 byte(s) leaked in 1 allocation(s).
'''
GTK = '''Direct leak of 64 byte(s) in 1 object(s) allocated from:
    #0 /lib/x86_64-linux-gnu/libasan.so.8|malloc|../src/asan_malloc_linux.cpp:69
    #1 /lib/x86_64-linux-gnu/libglib-2.0.so.0|g_malloc|
    #2 /lib/x86_64-linux-gnu/libgtk-4.so.1||
    #3 /build/ui/aioscope|main|../../ui/asc-main.c:119
    #4 /build/ui/aioscope|_start|
'''
OURS = '''Indirect leak of 12 byte(s) in 1 object(s) allocated from:
    #0 /lib/x86_64-linux-gnu/libasan.so.8|malloc|../src/asan_malloc_linux.cpp:69
    #1 /lib/x86_64-linux-gnu/libglib-2.0.so.0|g_strdup|
    #2 /build/ui/aioscope|asc_document_connect|../../ui/asc-document-open.c:190
    #3 /lib/x86_64-linux-gnu/libgtk-4.so.1||
'''
FONT = '''Indirect leak of 32 byte(s) in 1 object(s) allocated from:
    #0 /lib/x86_64-linux-gnu/libasan.so.8|calloc|
    #1 /lib/x86_64-linux-gnu/libfontconfig.so.1|FcDefaultSubstitute|
    #2 /lib/x86_64-linux-gnu/libpango-1.0.so.0||
    #3 /build/ui/aioscope|asc_text_draw|../../ui/paint/asc-text.c:75
'''
NO_STACK = '''Direct leak of 64 byte(s) in 1 object(s) allocated from:
    #0 /lib/x86_64-linux-gnu/libasan.so.8|malloc|
    #1 <unknown module>||
'''
UNLOADED = '''Direct leak of 128 byte(s) in 1 object(s) allocated from:
    #0 /lib/x86_64-linux-gnu/libasan.so.8|realloc|../src/asan_malloc_linux.cpp:85
    #1 /build/ui/aioscope|<null>|<null>
    #2 /lib/x86_64-linux-gnu/libc.so.6|__pthread_once_slow|nptl/pthread_once.c:116
    #3 <null>|<null>|<null>
'''
BROKEN = '''Direct leak of 64 byte(s) in 1 object(s) allocated from:
    nobody knows where
'''
USE = '''==4711==ERROR: AddressSanitizer: heap-use-after-free on address 0x1 at pc 0x2
READ of size 8 at 0x1 thread T0
    #0 /lib/x86_64-linux-gnu/libgtk-4.so.1|gtk_widget_show|
'''


def judged(text, *want):
    found = leaks.findings(text, 'aioscope')
    tap.equal([report.split('\n', 1)[0] for report in found],
              [report.split('\n', 1)[0] for report in want])


tap.add('nothing', judged, '')
tap.add('the toolkit alone', judged, HEAD + GTK + TAIL)
tap.add('fonts that our text asked for', judged, HEAD + FONT + TAIL)
tap.add('ours', judged, HEAD + OURS + TAIL, OURS)
tap.add('ours among others', judged, '\n'.join((HEAD, GTK, OURS, NO_STACK, TAIL)), OURS)
tap.add('without a stack', judged, HEAD + NO_STACK + TAIL)
tap.add('of a library that was unloaded', judged, HEAD + UNLOADED + TAIL)
tap.add('ours below one that was unloaded', judged, HEAD + UNLOADED.replace(
    '#3 <null>|<null>', '#3 /build/ui/aioscope|asc_scope_draw') + TAIL, UNLOADED)
tap.add('a leak that is not understood', judged, HEAD + BROKEN + TAIL, BROKEN)
tap.add('no frame at all', judged, HEAD + GTK.split('\n', 1)[0] + '\n' + TAIL, GTK)
tap.add('another error', judged, '\n' + USE, USE)
tap.add('another error before leaks', judged, USE + '\n' + HEAD + GTK + TAIL, USE)
tap.add('a failure of the leak check', judged, '==9==LeakSanitizer has encountered a fatal '
        'error.\n', '==9==LeakSanitizer has encountered a fatal error.')
tap.add('undefined behaviour', judged, '../../ui/asc-main.c:3:5: runtime error: shift\n',
        '../../ui/asc-main.c:3:5: runtime error: shift')

tap.main()
