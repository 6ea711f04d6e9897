#!/bin/sh
# with-display.sh COMMAND...: runs COMMAND in a session bus and an X display of its own.
#
# The display's number is chosen by the server, so that several can start at once. SCREEN sets
# its size (1280x800x24). Where Xvfb or dbus-run-session is missing it prints a TAP skip.
set -eu

for tool in Xvfb dbus-run-session; do
  command -v "$tool" >/dev/null || { echo "1..0 # SKIP $tool is not installed"; exit 0; }
done

dir=$(mktemp -d)
server=
cleanup () {
  status=$?
  trap - EXIT
  if [ -n "$server" ]; then
    kill "$server" 2>/dev/null || :
    wait "$server" 2>/dev/null || :
  fi
  rm -rf "$dir"
  exit "$status"
}
trap cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# The server writes its number when it is ready; opening the pipe waits for that.
mkfifo "$dir/number"
Xvfb -displayfd 3 -screen 0 "${SCREEN:-1280x800x24}" -nolisten tcp -noreset \
  3>"$dir/number" >"$dir/log" 2>&1 &
server=$!
number=
read -r number <"$dir/number" || :
[ -n "$number" ] || { cat "$dir/log" >&2; exit 1; }

DISPLAY=:$number dbus-run-session -- "$@"
