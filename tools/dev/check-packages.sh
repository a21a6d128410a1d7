#!/usr/bin/env bash
# Installs the packages of build/dist on bare Debian and Ubuntu systems, made by debootstrap, and uses them there.
#   tools/dev/check-packages.sh bookworm|trixie|jammy|noble..      (as root; needs debootstrap, xvfb and zstd here,
#                                                                   and for Ubuntu's the package ubuntu-keyring)
# The archive is unpacked and used where nothing is installed but what debootstrap leaves; then the .deb is, without
# what it recommends and with it; then the wheel, with a notebook. The window opens on a virtual X server of this machine.
# What remains is in build/bare/: SUITE.log, SUITE.png, the window, and SUITE.html, the notebook.
set -euo pipefail
cd "$(dirname "$0")/../.."
readonly kRoot=$PWD/build/bare kDist=$PWD/build/dist
declare -rA kDisplay=([bookworm]=:87 [trixie]=:88 [jammy]=:89 [noble]=:90)  # so that all can be checked at once

fail() {
  echo "check-packages: $*" >&2
  exit 1
}

# What follows runs within the bare system.

must_say() {  # A command that fails as foreseen, with a sentence
  local sentence=$1 said
  shift
  if said="$("$@" 2>&1)"; then fail "$* did not fail"; fi
  [[ "$said" == *"$sentence"* && "$(wc -l <<<"$said")" -eq 1 ]] || fail "$* said: $said"
}

use_commands() {
  local made
  made="$(mktemp -d)"
  warplens --version
  warplens --help >/dev/null
  warplens list >/dev/null
  warplens doctor
  warplens report tiled --size 256 --json | grep '"verified": true' >/dev/null || fail "the report is wrong"
  for extension in png svg csv; do warplens export tiled --size 64 --view banks -o "$made/banks.$extension"; done
  warplens record tiled --size 64 -o "$made/tiled.wlr"
  warplens compare tiled:T=16 tiled:T=32 >/dev/null
  warplens lesson banks --handout "$made/banks.html" >/dev/null
  test -s "$made/banks.png" -a -s "$made/banks.svg" -a -s "$made/banks.csv" -a -s "$made/banks.html"
  rm -r "$made"
}

use_bare() {
  echo "== the archive, on a bare system"
  PATH="$(echo /opt/warplens-*)/bin:$PATH"
  use_commands
  must_say "no window can be opened" warplens
  must_say "libcairo.so.2 is not installed" warplens lesson banks --handout /tmp/banks.pdf
}

use_installed() {
  local listed
  echo "== the .deb, without what it recommends"
  apt-get -qq update
  apt-get -qq -o Dpkg::Use-Pty=0 install -y --no-install-recommends /srv/*.deb
  use_commands
  must_say "no window can be opened" warplens
  echo "== the .deb, with it"
  apt-get -qq -o Dpkg::Use-Pty=0 purge -y warplens
  apt-get -qq -o Dpkg::Use-Pty=0 install -y --install-recommends man-db shared-mime-info /srv/*.deb
  warplens lesson banks --handout /tmp/banks.pdf
  head -c 5 /tmp/banks.pdf | grep -q '%PDF-'
  DISPLAY=$1 warplens --screenshot /srv/window.png
  test -s /srv/window.png
  man warplens | grep SYNOPSIS >/dev/null
  bash -c '. /usr/share/bash-completion/completions/warplens; complete -p warplens'
  warplens record tiled --size 64 -o /tmp/tiled.wlr
  grep -q x-warplens-recording /usr/share/mime/globs2 || fail "the type of .wlr files is not known"
  echo "== removed"
  apt-get -qq -o Dpkg::Use-Pty=0 purge -y warplens
  listed="$(find /usr /etc /var/lib /opt -iname '*warplens*' -not -path '/opt/warplens-*' -not -path '*/apt/*')"
  [[ -z "$listed" ]] || fail "this is left: $listed"
}

use_wheel() {
  echo "== the wheel"
  apt-get -qq -o Dpkg::Use-Pty=0 install -y --no-install-recommends python3-venv
  cd /srv
  python3 -m venv venv
  PATH=/srv/venv/bin:$PATH
  pip install --quiet 'warplens[nvrtc,notebook]' --find-links .
  use_commands
  python3 -c 'import warplens; assert warplens.report("tiled", size=64)["verified"]'
  echo "== the wheel, in a notebook"
  pip install --quiet pandas nbconvert ipykernel
  jupyter nbconvert --to html --execute warplens.ipynb
  (($(grep -o 'data:image/svg+xml' warplens.html | wc -l) >= 4)) || fail "the notebook lacks pictures"
}

# In namespaces of its own, so that what is mounted and what still runs is gone when it ends.
enter() {
  local system=$1 display=$2
  mount -t proc proc "$system/proc"
  mount -t tmpfs shm "$system/dev/shm"
  mkdir -p "$system/tmp/.X11-unix"
  mount --bind /tmp/.X11-unix "$system/tmp/.X11-unix"
  cat /etc/resolv.conf >"$system/etc/resolv.conf"
  # Where the network is reached with certificates of this machine's own, pip needs them there too.
  cp -L /etc/ssl/certs/ca-certificates.crt "$system/etc/certificates-of-host.crt"
  printf '[global]\ncert = /etc/certificates-of-host.crt\n' >"$system/etc/pip.conf"
  cp "$0" "$system/srv/check"
  for step in --bare --installed --wheel; do
    chroot "$system" env -i HOME=/root TERM=dumb PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
      DEBIAN_FRONTEND=noninteractive bash /srv/check "$step" "$display"
  done
}

make_system() {
  local script=/usr/share/debootstrap/scripts/$1
  [[ -e $script ]] || script=/usr/share/debootstrap/scripts/gutsy  # That of each Ubuntu; an older debootstrap does not know the newest
  # Ubuntu's python3-venv is in universe.
  [[ "$(realpath "$script")" == */gutsy ]] && set -- --components=main,universe "$@"
  debootstrap --variant=minbase "$@" "" "$script"
}

check() {
  local suite=$1 display=${kDisplay[$1]:-:86} system=$kRoot/$1.used log=$kRoot/$1.log status=0
  mkdir -p "$kRoot"
  if [[ ! -d "$kRoot/$suite" ]]; then
    rm -rf --one-file-system "$kRoot/$suite.new"
    make_system "$suite" "$kRoot/$suite.new" >"$log" 2>&1 || fail "debootstrap could not make $suite: see $log"
    mv "$kRoot/$suite.new" "$kRoot/$suite"
  fi
  rm -rf --one-file-system "$system"
  cp -a "$kRoot/$suite" "$system"
  tar --zstd -xf "$kDist"/warplens-*-linux-x86_64.tar.zst -C "$system/opt"
  cp "$kDist"/*.deb "$kDist"/*.whl docs/notebooks/warplens.ipynb "$system/srv"
  Xvfb "$display" -screen 0 1920x1200x24 >/dev/null 2>&1 &
  local server=$!
  unshare --mount --pid --fork "$0" --enter "$system" "$display" >"$log" 2>&1 || status=$?
  kill "$server"
  cp "$system/srv/window.png" "$kRoot/$suite.png" 2>/dev/null || true
  cp "$system/srv/warplens.html" "$kRoot/$suite.html" 2>/dev/null || true
  echo "$suite: $(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' "$system/etc/os-release")"
  grep '^==' "$log" || true
  echo "$suite: $( ((status == 0)) && echo passed || echo "FAILED, exit status $status: the end of $log says why")"
  rm -rf --one-file-system "$system"
  return "$status"
}

case "${1:-}" in
  --bare) use_bare ;;
  --installed) use_installed "$2" ;;
  --wheel) use_wheel ;;
  --enter) enter "$2" "$3" ;;
esac
[[ "${1:-}" != --* ]] || exit 0
(($#)) || fail "name what to check: bookworm (Debian 12), trixie (Debian 13), jammy or noble (Ubuntu 22.04, 24.04)"
((EUID == 0)) || fail "only root may make and enter another system"
for command in debootstrap Xvfb unshare zstd; do
  command -v "$command" >/dev/null || fail "$command is not here: apt-get install debootstrap xvfb util-linux zstd"
done
failed=0
for suite; do check "$suite" || failed=1; done
exit "$failed"
