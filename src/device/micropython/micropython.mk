# The module _aioscope, for ports that build with make:
#   make USER_C_MODULES=.../src/device FROZEN_MANIFEST=...
#
# AIOSCOPE_GC=0 leaves out the linker wrap by which garbage collections are seen.
# AIOSCOPE_WRAP=--wrap=gc_collect is for ports that link with ld, not with the compiler.
AIOSCOPE_GC ?= 1
AIOSCOPE_WRAP ?= -Wl,--wrap=gc_collect
AIOSCOPE_DIR := $(USERMOD_DIR)

# Found by vpath, for objects of their own names: those of listed paths would land outside the
# build folder, or in one that is named as the unix port's program.
vpath mod_aioscope%.c $(AIOSCOPE_DIR)
vpath asc-%.c $(AIOSCOPE_DIR)/.. $(AIOSCOPE_DIR)/../../wire

SRC_USERMOD_C += mod_aioscope.c mod_aioscope_coro.c mod_aioscope_loop.c mod_aioscope_marks.c \
	mod_aioscope_names.c mod_aioscope_stream.c
SRC_USERMOD_LIB_C += asc-crc.c asc-encoder.c asc-frames.c asc-recorder.c asc-recorder-setup.c \
	asc-drain.c asc-drain-port.c asc-drain-records.c asc-drain-runs.c

CFLAGS_USERMOD += -I$(AIOSCOPE_DIR) -I$(AIOSCOPE_DIR)/.. -I$(AIOSCOPE_DIR)/../../wire
CFLAGS_USERMOD += -DASC_PORT_FILE=\"mod_aioscope_port.h\"
ifeq ($(AIOSCOPE_GC),1)
CFLAGS_USERMOD += -DAIOSCOPE_GC=1
LDFLAGS_USERMOD += $(AIOSCOPE_WRAP)
endif
