#!/bin/sh
# fetch-source.sh DIR: puts MicroPython's source into DIR/source.
#
# It is Debian 13's source package, from the mirror that this system uses, by package lists of its
# own in DIR: the system's lists and what is installed stay as they are. Called again, it does
# nothing.
#
# Exit status: 0 = the source is there, 77 = not possible on this system, 1 = failed.
set -eu

RELEASE=trixie

say () { echo "fetch-source: $*"; }
skip () { say "$* - the tests on MicroPython will be skipped"; exit 77; }
fail () { say "$* - the tests on MicroPython will be skipped" >&2; exit 1; }

[ $# -eq 1 ] || { echo "usage: fetch-source.sh DIR" >&2; exit 2; }
if [ -f "$1/version" ]; then
  say "have $(cat "$1/version") in $1"
  exit 0
fi

for tool in apt-get dpkg-source; do
  command -v "$tool" >/dev/null || skip "no $tool: the source comes as a Debian package"
done
keys=/usr/share/keyrings/debian-archive-keyring.gpg
[ -f "$keys" ] || skip "no debian-archive-keyring: not Debian"

# The first of Debian's own repositories that this system knows: "deb URI" or "URIs: URI".
mirror=$(cat /etc/apt/sources.list.d/*.sources /etc/apt/sources.list /etc/apt/sources.list.d/*.list \
    2>/dev/null | sed -n -e 's/^URIs: *\([^ ]*\).*/\1/p' \
      -e 's/^deb \(\[[^]]*\] *\)\{0,1\}\([^ ]*\) .*/\2/p' |
  grep '/debian/*$' | head -n 1)
[ -n "$mirror" ] || skip "apt has no repository of Debian"

mkdir -p "$1"
dir=$(cd "$1" && pwd)
work=$(mktemp -d "$dir/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
# apt drops root for its download user, who must be able to write here.
chmod 755 "$work"
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
if [ "$(id -u)" -eq 0 ]; then chown -R _apt "$work" 2>/dev/null || true; fi

echo "deb-src [signed-by=$keys] $mirror $RELEASE main" >"$work/sources.list"
set -- -q -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=- \
  -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache"
say "downloading MicroPython's source package of Debian 13 into $dir (nothing is installed)"
apt-get "$@" update >"$work/log" 2>&1 ||
  { cat "$work/log" >&2; fail "the package lists could not be read"; }
(cd "$work" && apt-get "$@" source --download-only micropython >log 2>&1) ||
  { cat "$work/log" >&2; fail "the download failed"; }
(cd "$work" && dpkg-source -x micropython_*.dsc source >>log 2>&1) ||
  { cat "$work/log" >&2; fail "the package could not be unpacked"; }
name=$(basename "$work"/micropython_*.dsc .dsc)
rm -rf "$dir/source"
mv "$work/source" "$dir/source"
# Last, so that an interrupted fetch is not taken for a whole one.
echo "$name" | tr _ ' ' >"$dir/version"
rm -rf "$work"
say "have $(cat "$dir/version"), $(du -sh "$dir" | cut -f 1)"
