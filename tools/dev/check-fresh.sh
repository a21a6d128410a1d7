#!/usr/bin/env bash
# Follows the README on a bare Debian: makes one by debootstrap, clones this checkout's HEAD into it, and runs both of its commands there.
#   tools/dev/check-fresh.sh bookworm|trixie..      (as root; needs debootstrap, git and xvfb here)
# The window opens on a virtual X server of this machine, so that nothing is installed there but what our own scripts install. What remains is in
# build/fresh/: SUITE.log, SUITE.png (the window), SUITE.summary, which is printed, and SUITE.ccache, the compiler cache that the next run begins with.
set -euo pipefail
cd "$(dirname "$0")/../.."
readonly kRoot=$PWD/build/fresh
declare -rA kDisplay=([bookworm]=:97 [trixie]=:98)  # so that both can be checked at once

fail() {
  echo "check-fresh: $*" >&2
  exit 1
}

# In namespaces of its own, so that what is mounted and what still runs is gone when it ends.
inside() {
  local system=$1 display=$2 resolver=$1/etc/resolv.conf
  mount -t proc proc "$system/proc"
  mount -t tmpfs shm "$system/dev/shm"
  mkdir -p "$system/tmp/.X11-unix"
  mount --bind /tmp/.X11-unix "$system/tmp/.X11-unix"
  cat /etc/resolv.conf >"$resolver"
  mkdir -p "$system/srv/ccache"
  mount --bind "$system.ccache" "$system/srv/ccache"
  # shellcheck disable=SC2016
  chroot "$system" /usr/bin/env -i HOME=/root TERM=dumb PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DISPLAY="$display" \
    CI="${CI:-}" CCACHE_DIR=/srv/ccache bash -euo pipefail -c 'cd /srv/warplens
      tools/run.sh --screenshot /srv/window.png
      echo "== tools/run.sh: the window was open after $SECONDS s"
      tools/test.sh
      echo "== tools/test.sh: passed, $SECONDS s in all"'
}

check() {
  local suite=$1 display=${kDisplay[$1]:-:96} system=$kRoot/$1 log=$kRoot/$1.log status=0
  rm -rf --one-file-system "$system"
  mkdir -p "$kRoot" "$system.ccache"
  debootstrap --variant=minbase "$suite" "$system" >"$log" 2>&1 || fail "debootstrap could not make $suite: see $log"
  # Where the network is reached with certificates of this machine's own, pip needs them there too.
  cp -L /etc/ssl/certs/ca-certificates.crt "$system/etc/certificates-of-host.crt"
  printf '[global]\ncert = /etc/certificates-of-host.crt\n' >"$system/etc/pip.conf"
  git clone --quiet --no-hardlinks . "$system/srv/warplens"
  Xvfb "$display" -screen 0 1920x1200x24 >/dev/null 2>&1 &
  local server=$!
  unshare --mount --pid --fork "$0" --inside "$system" "$display" >>"$log" 2>&1 || status=$?
  kill "$server"
  cp "$system/srv/window.png" "$kRoot/$suite.png" 2>/dev/null || true
  {
    echo "$suite: $(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' "$system/etc/os-release"), $(chroot "$system" g++ -dumpfullversion 2>/dev/null || echo no) g++, commit $(git rev-parse --short HEAD)"
    grep -E '^(==|setup:|\[==========\]|[0-9]+% tests passed|.*skipped:)' "$log" || true
    echo "$suite: $( ((status == 0)) && echo passed || echo "FAILED, exit status $status: the end of $log says why")"
  } >"$kRoot/$suite.summary"
  cat "$kRoot/$suite.summary"
  return "$status"
}

if [[ "${1:-}" == --inside ]]; then
  inside "$2" "$3"
  exit
fi
(($#)) || fail "name what to check: bookworm (Debian 12), trixie (Debian 13)"
((EUID == 0)) || fail "only root may make and enter another system"
for command in debootstrap git Xvfb unshare; do
  command -v "$command" >/dev/null || fail "$command is not here: apt-get install debootstrap git xvfb util-linux"
done
failed=0
for suite; do check "$suite" || failed=1; done
exit "$failed"
