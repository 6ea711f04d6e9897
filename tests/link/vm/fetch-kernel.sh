#!/bin/sh
# fetch-kernel.sh DIR: puts a kernel for the virtual machine of the link tests into DIR.
#
# The tests plug and unplug a USB serial device that exists only inside the kernel (dummy_hcd and
# g_serial); the running kernel seldom has these modules and never should be used for that, so
# Debian's own kernel package is downloaded (70-110 MB) and of it only vmlinuz and a dozen modules
# are kept. Nothing is installed. Called again, it does nothing.
#
# Exit status: 0 = the kernel is there, 77 = not possible on this system, 1 = failed.
set -eu

MODULES="configfs usb-common usbcore udc-core libcomposite u_serial usb_f_acm usb_f_serial
usb_f_obex dummy_hcd cdc-acm g_serial usbmon"

say () { echo "fetch-kernel: $*"; }
skip () { say "$* - the tests in the virtual machine will be skipped"; exit 77; }
fail () { say "$* - the tests in the virtual machine will be skipped" >&2; exit 1; }

[ $# -eq 1 ] || { echo "usage: fetch-kernel.sh DIR" >&2; exit 2; }
if [ -f "$1/version" ]; then
  say "have $(cat "$1/version") in $1"
  exit 0
fi

[ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] || skip "only for Linux on x86-64"
for tool in apt-get apt-cache dpkg-deb; do
  command -v "$tool" >/dev/null || skip "no $tool: only Debian's kernel package is known to fit"
done
package=$(LC_ALL=C apt-cache depends linux-image-amd64 2>/dev/null |
  sed -n 's/^ *Depends: \(linux-image-[0-9][^ ]*\)$/\1/p' | head -n 1)
[ -n "$package" ] || skip "the package lists have no linux-image-amd64 (apt-get update)"

mkdir -p "$1"
dir=$(cd "$1" && pwd)
work=$(mktemp -d "$dir/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
# apt drops root for its download user, who must be able to write here.
chmod 755 "$work"
if [ "$(id -u)" -eq 0 ]; then chown _apt "$work" 2>/dev/null || true; fi

say "downloading $package into $dir (unpacked there, not installed)"
(cd "$work" && apt-get -q download "$package" >log 2>&1) ||
  { cat "$work/log" >&2; fail "the download failed"; }

pick="./boot/vmlinuz-*"
for m in $MODULES; do pick="$pick */$m.ko */$m.ko.xz */$m.ko.zst"; done
mkdir "$work/tree" "$work/modules"
# tar complains about patterns that match nothing (one ending of three does): the check is below.
set -f
dpkg-deb --fsys-tarfile "$work"/"$(ls "$work" | grep '\.deb$')" |
  tar -C "$work/tree" -x --wildcards $pick 2>/dev/null || true
set +f

cp "$work"/tree/boot/vmlinuz-* "$work/vmlinuz" 2>/dev/null || fail "$package has no kernel in it"
for m in $MODULES; do
  file=$(find "$work/tree" -name "$m.ko*" | head -n 1)
  case $file in
    *.ko) cp "$file" "$work/modules/$m.ko" ;;
    *.ko.xz) xz -dc "$file" >"$work/modules/$m.ko" 2>/dev/null ||
      python3 -c 'import lzma, shutil, sys
shutil.copyfileobj (lzma.open (sys.argv[1]), open (sys.argv[2], "wb"))' \
        "$file" "$work/modules/$m.ko" || fail "cannot unpack $m.ko.xz (no xz)" ;;
    *.ko.zst) zstd -dqc "$file" >"$work/modules/$m.ko" || fail "cannot unpack $m.ko.zst" ;;
  esac
done
[ -f "$work/modules/dummy_hcd.ko" ] || skip "$package has no dummy_hcd"

rm -rf "$dir/modules" "$dir/vmlinuz"
mv "$work/vmlinuz" "$work/modules" "$dir"
# Last, so that an interrupted fetch is not taken for a whole one.
echo "$package" >"$dir/version"
rm -rf "$work"
say "have $package, $(du -sh "$dir" | cut -f 1)"
