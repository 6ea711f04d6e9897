# What the board is, without aioscope's module.
USERMOD_DIR := $(USER_C_MODULES)/../emulated
include $(USERMOD_DIR)/micropython.mk
