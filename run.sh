#!/bin/sh
# Builds aioscope and opens it; or builds it with the sanitizers and runs every test.
#
#   ./run.sh             the viewer, live on the demo board
#   ./run.sh ARGS...     the viewer with these arguments (a file, a port, --help)
#   ./run.sh test        every test; ends with "N passed, N failed, N skipped"
#
# What is missing is installed with the system's package manager, and it is said before.
# ASC_JOBS=N limits the compiler to N processes.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

say () { printf '%s\n' "run.sh: $*" >&2; }
die () { say "$*"; exit 1; }

# What is needed, a line a thing: group, then its package in each manager ("-" = none there
# or part of another). "run" builds and runs, "test" and "extra" are for ./run.sh test: a
# test whose extra is missing says so and is skipped.
packages () {
  cat <<'END'
#group apt                      dnf                     pacman                zypper                 brew
run    gcc                      gcc                     gcc                   gcc                    -
run    libc6-dev                glibc-devel             glibc                 glibc-devel            -
run    meson                    meson                   meson                 meson                  meson
run    ninja-build              ninja-build             ninja                 ninja                  ninja
run    pkg-config               pkgconf-pkg-config      pkgconf               pkgconf-pkg-config     pkgconf
run    libglib2.0-dev           glib2-devel             glib2-devel           glib2-devel            glib
run    libgtk-4-dev             gtk4-devel              gtk4                  gtk4-devel             gtk4
run    libserialport-dev        libserialport-devel     libserialport         libserialport-devel    libserialport
run    adwaita-icon-theme       adwaita-icon-theme      adwaita-icon-theme    adwaita-icon-theme     adwaita-icon-theme
run    fonts-dejavu-core        dejavu-sans-fonts       ttf-dejavu            dejavu-fonts           -
test   libcmocka-dev            libcmocka-devel         cmocka                libcmocka-devel        cmocka
test   python3                  python3                 python                python3                python3
test   -                        libasan                 -                     -                      -
test   -                        libubsan                -                     -                      -
extra  xvfb                     xorg-x11-server-Xvfb    xorg-server-xvfb      xorg-x11-server-Xvfb   -
extra  xauth                    xorg-x11-xauth          xorg-xauth            xauth                  -
extra  dbus                     dbus-daemon             dbus                  dbus-1                 -
extra  at-spi2-core             at-spi2-core            at-spi2-core          at-spi2-core           -
extra  gir1.2-atspi-2.0         -                       -                     typelib-1_0-Atspi-2_0  -
extra  python3-gi               python3-gobject         python-gobject        python3-gobject        -
extra  python3-pyatspi          python3-pyatspi         python-atspi          -                      -
extra  xdotool                  xdotool                 xdotool               xdotool                -
extra  imagemagick              ImageMagick             imagemagick           ImageMagick            -
extra  gcc-arm-none-eabi        arm-none-eabi-gcc-cs    arm-none-eabi-gcc     -                      -
extra  libnewlib-arm-none-eabi  arm-none-eabi-newlib    arm-none-eabi-newlib  -                      -
extra  gcc-riscv64-unknown-elf  -                       -                     -                      -
extra  picolibc-riscv64-unknown-elf -                   -                     -                      -
extra  python3-pyelftools       python3-pyelftools      python-pyelftools     python3-pyelftools     -
extra  qemu-system-arm          qemu-system-arm         qemu-system-arm       qemu-arm               -
extra  qemu-system-x86          qemu-system-x86         qemu-system-x86       qemu-x86               -
extra  xz-utils                 xz                      xz                    xz                     -
extra  dash                     dash                    dash                  dash                   -
extra  dpkg-dev                 -                       -                     -                      -
extra  make                     make                    make                  make                   -
extra  clang                    clang                   clang                 clang                  -
extra  libclang-rt-dev          compiler-rt             compiler-rt           -                      -
extra  clang-format             clang-tools-extra       -                     clang-tools            clang-format
extra  desktop-file-utils       desktop-file-utils      desktop-file-utils    desktop-file-utils     -
extra  appstream                appstream               appstream             AppStream              -
extra  groff-base               groff-base              groff                 groff                  -
extra  locales                  glibc-locale-source     -                     glibc-i18ndata         -
END
}

# The package manager's name, or nothing.
manager () {
  if [ "$(uname)" = Darwin ]; then
    if command -v brew >/dev/null; then echo brew; fi
    return
  fi
  for m in apt:apt-get dnf:dnf pacman:pacman zypper:zypper brew:brew; do
    if command -v "${m#*:}" >/dev/null; then echo "${m%%:*}"; return; fi
  done
}

# named GROUP...: the packages of these groups in the manager $pm.
named () {
  packages | awk -v pm="$pm" -v groups=" $* " '
    NR == 1 { for (i = 2; i <= NF; i++) if ($i == pm) column = i; next }
    index (groups, " " $1 " ") && $column != "-" { print $column }'
}

# missing PACKAGE...: those that are not installed, a line each.
missing () {
  case $pm in
    apt)
      have=" $(dpkg-query -W -f '${Package}:${db:Status-Status} ' "$@" 2>/dev/null || :)"
      for p; do
        case $have in *" $p:installed "*) ;; *) echo "$p" ;; esac
      done ;;
    dnf | zypper)
      for p; do rpm -q --quiet --whatprovides "$p" >/dev/null 2>&1 || echo "$p"; done ;;
    pacman) pacman -T "$@" || : ;;
    brew)
      for p; do brew list --versions "$p" >/dev/null 2>&1 || echo "$p"; done ;;
  esac
}

as_root () {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "there is no sudo here: run as root: $*"
  fi
}

add () {
  case $pm in
    apt) as_root env DEBIAN_FRONTEND=noninteractive \
           apt-get install -y --no-install-recommends "$@" </dev/null ;;
    dnf) as_root dnf install -y --setopt=install_weak_deps=False "$@" ;;
    pacman) as_root pacman -S --needed --noconfirm "$@" ;;
    zypper) as_root zypper --non-interactive install --no-recommends "$@" ;;
    brew) brew install "$@" ;;
  esac
}

# install GROUP...: nothing is touched, and no network asked, when all of it is there.
installed_something=
install () {
  pm=$(manager)
  if [ -z "$pm" ]; then
    say "no apt, dnf, pacman, zypper or brew here; going on with what is installed"
    return
  fi
  # shellcheck disable=SC2046,SC2086  # a package's name has no blanks
  {
    want=$(missing $(named "$@"))
    [ -n "$want" ] || return 0
    say "these packages are missing and will be installed with $pm:"
    printf '  %s\n' $want >&2
    if [ "$pm" = apt ]; then
      as_root env DEBIAN_FRONTEND=noninteractive apt-get update </dev/null >&2 ||
        say "the package lists could not be renewed; going on with those at hand"
    fi
    installed_something=1
    if add $want >&2; then return 0; fi
    # One name that this release does not have must not cost all the others.
    say "that failed; trying one by one"
    for p in $want; do
      add "$p" >&2 || say "could not be installed: $p"
    done
    lacking=$(missing $(named run))
    [ -z "$lacking" ] || die "cannot build without:" $lacking
  }
}

# build DIR OPTION...: configures when new, changed or moved, and compiles.
build () {
  dir=$1
  shift
  stamp=$dir/.run-sh-options
  if [ ! -f "$dir/build.ninja" ]; then
    meson setup "$@" "$dir" "$here" >&2
  elif [ -n "$installed_something" ]; then
    meson setup --reconfigure "$@" "$dir" "$here" >&2
  elif [ "$(cat "$stamp" 2>/dev/null)" != "$here $*" ]; then
    meson setup --wipe "$@" "$dir" "$here" >&2
  fi
  echo "$here $*" >"$stamp"
  meson compile -C "$dir" ${ASC_JOBS:+-j "$ASC_JOBS"} >&2
}

# Whether a window can be opened; if not, $why.
has_display () {
  if [ "$(uname)" != Darwin ] && [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    why='no display here (neither DISPLAY nor WAYLAND_DISPLAY is set)'
    return 1
  fi
  if "$dir/ui/aioscope" --check-display >/dev/null 2>&1; then return 0; fi
  why="the display does not answer (DISPLAY is '${DISPLAY:-}', WAYLAND_DISPLAY is '${WAYLAND_DISPLAY:-}')"
  return 1
}

# The first of aioscope-demo, aioscope-demo-2, ... of which no file exists yet.
free_name () {
  name=$1
  n=1
  while [ -e "$name.trace" ] || [ -e "$name.csv" ] || [ -e "$name.png" ]; do
    n=$((n + 1))
    name=$1-$n
  done
  echo "$name"
}

# The job of the window without one: a recording, its statistics, a table and a picture.
without_display () {
  cli=$dir/src/cli/aioscope-cli
  out=$(free_name aioscope-demo)
  say "$why: doing the job without a window: recording the demo board for 8 s"
  "$cli" record demo -o "$out.trace" --seconds 8
  "$cli" stats "$out.trace"
  "$cli" hogs "$out.trace"
  "$cli" stats --csv "$out.trace" >"$out.csv"
  "$cli" render "$out.trace" -o "$out.png"
  printf '%s\n' '' "the recording:       $out.trace" "the statistics:      $out.csv" \
    "the scope's picture: $out.png" '' "More: $cli --help"
}

if [ "${1:-}" = test ]; then
  shift
  install run test extra
  # For the tests with a USB device in a virtual machine; without it they say so and skip.
  "$here/tests/link/vm/fetch-kernel.sh" "$here/build/vm-kernel" >&2 || :
  # The same for the tests on MicroPython.
  "$here/tests/device/micropython/fetch-source.sh" "$here/build/micropython" >&2 || :
  "$here/tests/device/micropython/fetch-wasm.sh" "$here/build/micropython" >&2 || :
  werror=false
  [ "${CI:-}" != true ] || werror=true
  build "$here/build/test" --buildtype=debugoptimized -Dtests=true -Dgui=enabled \
    -Db_sanitize=address,undefined -Db_lundef=false -Dwerror="$werror"
  exec python3 "$here/tests/run-tests.py" "$here/build/test" "$@"
fi

install run
build "$here/build/release" --buildtype=release -Dtests=false -Dgui=enabled
# Run from the build tree: the settings' schema and the icon are not installed.
export GSETTINGS_SCHEMA_DIR="$dir/data"
export XDG_DATA_DIRS="$here/data:${XDG_DATA_DIRS:-/usr/local/share:/usr/share}"
case ${1:-} in
  --help | -h) say "'./run.sh test' runs every test; all other arguments are the viewer's:" ;;
esac
if has_display; then
  [ $# -gt 0 ] || set -- --demo
  exec "$dir/ui/aioscope" "$@"
fi
case ${1:-} in
  '') without_display ;;
  --help | --version | -h) exec "$dir/ui/aioscope" "$@" ;;
  *) die "$why, and these arguments are for the window: $*; without one: '$dir/src/cli/aioscope-cli' --help" ;;
esac
