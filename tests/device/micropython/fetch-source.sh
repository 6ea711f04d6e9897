#!/bin/sh
# fetch-source.sh DIR: puts MicroPython's source into DIR/source, and Debian's own program of it,
# with the libraries that it wants, and mpremote into DIR/debian.
#
# They are Debian 13's packages, from the mirror that this system uses, by package lists of their
# own in DIR: the system's lists and what is installed stay as they are. Called again, it does
# nothing.
#
# Exit status: 0 = both are there, 77 = not possible on this system, 1 = failed.
set -eu

RELEASE=trixie
PACKAGES='micropython libc6 libffi8 libmbedcrypto16 libmbedtls21 libmbedx509-7'
PACKAGES="$PACKAGES micropython-mpremote python3-serial"

say () { echo "fetch-source: $*"; }
skip () { say "$* - the tests on MicroPython will be skipped"; exit 77; }
fail () { say "$* - the tests on MicroPython will be skipped" >&2; exit 1; }

[ $# -eq 1 ] || { echo "usage: fetch-source.sh DIR" >&2; exit 2; }
if [ -f "$1/version" ] && [ -f "$1/debian/version" ] && [ -f "$1/debian/usr/bin/mpremote" ]; then
  say "have $(cat "$1/version") in $1"
  exit 0
fi

for tool in apt-get dpkg-deb dpkg-source; do
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

for kind in deb deb-src; do
  echo "$kind [signed-by=$keys] $mirror $RELEASE main"
done >"$work/sources.list"
set -- -q -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=- \
  -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache"
say "downloading MicroPython of Debian 13 into $dir (nothing is installed)"
apt-get "$@" update >"$work/log" 2>&1 ||
  { cat "$work/log" >&2; fail "the package lists could not be read"; }

# The version file comes last, so that an interrupted fetch is not taken for a whole one.
if [ ! -f "$dir/version" ]; then
  (cd "$work" && apt-get "$@" source --download-only micropython >log 2>&1) ||
    { cat "$work/log" >&2; fail "the download failed"; }
  (cd "$work" && dpkg-source -x micropython_*.dsc source >>log 2>&1) ||
    { cat "$work/log" >&2; fail "the package could not be unpacked"; }
  rm -rf "$dir/source"
  mv "$work/source" "$dir/source"
  basename "$work"/micropython_*.dsc .dsc | tr _ ' ' >"$dir/version"
fi
# shellcheck disable=SC2086  # a package's name has no blanks
(cd "$work" && apt-get "$@" download $PACKAGES >log 2>&1) ||
  { cat "$work/log" >&2; fail "the download of Debian's program failed"; }
for package in "$work"/*.deb; do dpkg-deb -x "$package" "$work/debian"; done
basename "$work"/micropython_*.deb .deb | tr _ ' ' >"$work/debian/version"
rm -rf "$dir/debian"
mv "$work/debian" "$dir/debian"
rm -rf "$work"
say "have $(cat "$dir/version"), $(du -sh "$dir" | cut -f 1)"
