# The module, from its own folder: one folder of modules is all that a build can have.
USERMOD_DIR := $(USER_C_MODULES)/../../../../src/device/micropython
include $(USERMOD_DIR)/micropython.mk
