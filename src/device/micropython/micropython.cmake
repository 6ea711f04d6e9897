# The module _aioscope, for ports that build with CMake (rp2, esp32):
#   make USER_C_MODULES=.../src/device/micropython/micropython.cmake FROZEN_MANIFEST=...
set(AIOSCOPE_DIR ${CMAKE_CURRENT_LIST_DIR})
add_library(usermod_aioscope INTERFACE)
target_sources(usermod_aioscope INTERFACE
  ${AIOSCOPE_DIR}/mod_aioscope.c
  ${AIOSCOPE_DIR}/mod_aioscope_coro.c
  ${AIOSCOPE_DIR}/mod_aioscope_loop.c
  ${AIOSCOPE_DIR}/mod_aioscope_marks.c
  ${AIOSCOPE_DIR}/mod_aioscope_names.c
  ${AIOSCOPE_DIR}/mod_aioscope_stream.c
  ${AIOSCOPE_DIR}/../asc-drain.c
  ${AIOSCOPE_DIR}/../asc-drain-port.c
  ${AIOSCOPE_DIR}/../asc-drain-records.c
  ${AIOSCOPE_DIR}/../asc-drain-runs.c
  ${AIOSCOPE_DIR}/../asc-recorder.c
  ${AIOSCOPE_DIR}/../asc-recorder-setup.c
  ${AIOSCOPE_DIR}/../../wire/asc-crc.c
  ${AIOSCOPE_DIR}/../../wire/asc-encoder.c
  ${AIOSCOPE_DIR}/../../wire/asc-frames.c)
target_include_directories(usermod_aioscope INTERFACE
  ${AIOSCOPE_DIR} ${AIOSCOPE_DIR}/.. ${AIOSCOPE_DIR}/../../wire)
target_compile_definitions(usermod_aioscope INTERFACE
  ASC_PORT_FILE="mod_aioscope_port.h" AIOSCOPE_GC=1)
target_link_options(usermod_aioscope INTERFACE "LINKER:--wrap=gc_collect")
target_link_libraries(usermod INTERFACE usermod_aioscope)
