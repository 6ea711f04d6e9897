SRC_USERMOD_C += $(USERMOD_DIR)/emulated.c
LDFLAGS_USERMOD += -T $(USERMOD_DIR)/discard.ld -Wl,--wrap=gc_alloc
