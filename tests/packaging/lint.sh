#!/usr/bin/env bash
# Checks what the packages install, each file by its own linter. A linter that is not here is named and left out;
# with --all it is an error.
#   lint.sh [--all] BUILD_FOLDER
set -euo pipefail
all=0
[[ "$1" == --all ]] && all=1 && shift
described="$(realpath "$1")/described"
cd "$(dirname "$0")/../../packaging"

with() {
  if command -v "$1" >/dev/null; then
    "$@" || { echo "lint: $* found faults" >&2 && exit 1; }
  elif ((all)); then
    echo "lint: $1 is not here: tools/setup.sh package installs it" >&2
    exit 1
  else
    echo "lint: $1 is not here; $2 .. is left out"
  fi
}

completes() {  # What bash offers, for the words of a command line
  bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }; _warplens; echo "${COMPREPLY[@]}"' \
    bash "$described/bash" "$@"
}
expect() {
  local wanted=$1 got
  shift
  got="$(completes "$@")"
  [[ "$got" == "$wanted" ]] || { echo "lint: bash completes \`$*\` to \`$got\`, and not to \`$wanted\`" >&2 && exit 1; }
}

with desktop-file-validate warplens.desktop
with appstreamcli validate --no-net --pedantic "$described/org.warplens.warplens.metainfo.xml"
with xmllint --noout warplens.mime.xml warplens.svg
with mandoc -T lint -W warning "$described/man"
with zsh -n "$described/zsh"
with fish -n "$described/fish"
bash -n "$described/bash"
expect "report" warplens repo
expect "cpu gpu" warplens report --engine ""
expect "man" warplens describe m

share="$(mktemp -d)"
trap 'rm -rf "$share"' EXIT
mkdir -p "$share/mime/packages"
cp warplens.mime.xml "$share/mime/packages/warplens.xml"
XDG_DATA_HOME=$share with update-mime-database "$share/mime"
echo "lint: passed"
