#!/bin/sh
# build.sh DIR unix|m3|m3-plain|ARCH: builds MicroPython with the module _aioscope, from the source
# that fetch-source.sh put into DIR: the unix port, or the one for an emulated Cortex-M3; that one
# without the module; or the module as a file that firmware of this architecture loads (x64, armv6m
# and so on; ARCH-blind: one that takes MicroPython's objects for unknown). Only what has changed is
# built again.
#
# Exit status: 0 = DIR/unix/micropython, DIR/m3*/firmware.elf or DIR/ARCH/_aioscope.mpy is there,
# 77 = something is missing, 1 = failed.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(CDPATH='' cd -- "$here/../../.." && pwd)
[ $# -eq 2 ] || { echo "usage: build.sh DIR unix|m3|m3-plain|ARCH" >&2; exit 2; }
[ -f "$1/version" ] || { echo "no source of MicroPython in $1 (fetch-source.sh)"; exit 77; }
tools='gcc make python3 flock'
case $2 in
  m3* | arm*) tools="$tools arm-none-eabi-gcc" ;;
  rv32*) tools="$tools riscv64-unknown-elf-gcc" ;;
esac
for tool in $tools; do
  command -v "$tool" >/dev/null || { echo "$tool is not installed"; exit 77; }
done
dir=$(cd "$1" && pwd)
case $dir$root in
  *[[:space:]]*)
    echo "MicroPython's makefiles build in no folder with blanks in its path: $root"
    exit 77 ;;
esac

# Several tests may come at the same time.
exec 9>"$dir/lock"
flock 9
# Caught by both makes; MAKEFLAGS of a caller is not meant for them.
unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS CPPFLAGS LDFLAGS 2>/dev/null || :
ccache=
# Kept beside the build, as tests have a home that is thrown away; and with the paths that make
# knows, or dependency files would be of no use.
export CCACHE_DIR="$dir/ccache" CCACHE_BASEDIR=
if command -v ccache >/dev/null; then ccache='ccache '; fi
# run COMPILER WORD...
run () {
  compiler=$1
  shift
  if ! make -j2 CC="$ccache$compiler" "$@" >"$dir/build.log" 2>&1 9>&-; then
    tail -n 40 "$dir/build.log"
    exit 1
  fi
}
[ -x "$dir/source/mpy-cross/build/mpy-cross" ] || run gcc -C "$dir/source/mpy-cross"
case $2 in
  unix)
    run gcc -C "$dir/source/ports/unix" VARIANT=standard BUILD="$dir/unix" MICROPY_PY_FFI=0 \
      MICROPY_PY_SSL=0 MICROPY_SSL_MBEDTLS=0 MICROPY_PY_BTREE=0 \
      FROZEN_MANIFEST="$here/manifest.py" USER_C_MODULES="$root/src/device" ;;
  m3 | m3-plain)
    modules=$here/m3
    [ "$2" = m3 ] || modules=$modules/plain
    run arm-none-eabi-gcc -C "$dir/source/ports/qemu" BOARD=MPS2_AN385 BUILD="$dir/$2" \
      FROZEN_MANIFEST="$here/m3/manifest.py" USER_C_MODULES="$modules" MICROPY_HEAP_SIZE=1048576 \
      MPY_CROSS_FLAGS=-march=armv7m \
      CFLAGS_EXTRA="-DMP_CONFIGFILE=\\\"$here/m3/config.h\\\" -I$dir/source/ports/qemu" ;;
  *)
    # Debian's pyelftools belong to Debian's Python.
    for python in python3 /usr/bin/python3 none; do
      "$python" -c 'import elftools' 2>/dev/null && break
    done
    [ "$python" != none ] || { echo "python3-pyelftools is not installed"; exit 77; }
    flags=
    case $2 in *-blind) flags=-DAIOSCOPE_KNOW_NOTHING ;; esac
    mkdir -p "$dir/$2"
    # Its objects depend on no header there, and it takes a second.
    rm -rf "$dir/$2/build"
    run "" -C "$dir/$2" -f "$root/src/device/micropython/natmod/Makefile" ARCH="${2%-blind}" \
      MPY_DIR="$dir/source" PYTHON="$python" CFLAGS_EXTRA="$flags" ;;
esac
