#!/bin/sh
# fetch-wasm.sh DIR: puts MicroPython for WebAssembly, a package of npm's, into DIR/wasm. It needs
# node to run, and npm here; neither is installed by this. Called again, it does nothing.
#
# Exit status: 0 = it is there, 77 = not possible on this system, 1 = failed.
set -eu

PACKAGE=@micropython/micropython-webassembly-pyscript
VERSION=1.27.0

say () { echo "fetch-wasm: $*"; }
skip () { say "$* - the tests on WebAssembly will be skipped"; exit 77; }
fail () { say "$* - the tests on WebAssembly will be skipped" >&2; exit 1; }

[ $# -eq 1 ] || { echo "usage: fetch-wasm.sh DIR" >&2; exit 2; }
if [ "$(cat "$1/wasm/version" 2>/dev/null)" = "$VERSION" ]; then
  say "have MicroPython $VERSION for WebAssembly in $1"
  exit 0
fi
for tool in node npm tar; do
  command -v "$tool" >/dev/null || skip "no $tool"
done

mkdir -p "$1"
dir=$(cd "$1" && pwd)
work=$(mktemp -d "$dir/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
(cd "$work" && npm pack --silent --cache "$work/cache" "$PACKAGE@$VERSION" >log 2>&1) ||
  { cat "$work/log" >&2; fail "npm could not fetch $PACKAGE"; }
tar -xzf "$work"/*.tgz -C "$work" || fail "the package could not be unpacked"
# Last, so that an interrupted fetch is not taken for a whole one.
echo "$VERSION" >"$work/package/version"
rm -rf "$dir/wasm"
mv "$work/package" "$dir/wasm"
say "have MicroPython $VERSION for WebAssembly in $dir"
