#!/usr/bin/env bash
# Makes the packages of the commit that is checked out, in build/dist: a .deb, and an archive to unpack anywhere.
#   tools/package.sh            makes and lints them
#   tools/package.sh --twice    makes them once more elsewhere, without the compiler cache, and compares the bytes
set -euo pipefail
umask 022
cd "$(dirname "$0")/.."
readonly kDist=$PWD/build/dist

make_packages() {
  tools/setup.sh package
  local path=$PWD/.venv/bin:$PATH
  SOURCE_DATE_EPOCH="$(git log -1 --format=%ct)"
  export SOURCE_DATE_EPOCH
  PATH=$path cmake --preset package
  PATH=$path cmake --build --preset package
  rm -rf build/package/packages
  (cd build/package && PATH=$path cpack -B packages)
}

lint_packages() {
  tests/packaging/lint.sh --all build/package
  tests/packaging/needs_no_desktop.sh build/package/warplens
  lintian --fail-on error,warning --info --profile debian "$kDist"/*.deb
}

make_again() {
  local other
  other="$(mktemp -d)/warplens"
  git clone --quiet . "$other"
  ln -s "$PWD/external" "$PWD/.venv" "$other/"
  CCACHE_DISABLE=1 "$other/tools/package.sh"
  local file
  for file in "$kDist"/*.deb "$kDist"/*.tar.zst; do
    cmp "$file" "$other/build/dist/$(basename "$file")"
  done
  rm -rf "$(dirname "$other")"
  echo "package: the second build gave the same bytes"
}

make_packages
mkdir -p "$kDist"
rm -f "$kDist"/*.deb "$kDist"/*.tar.zst
cp build/package/packages/*.deb build/package/packages/*.tar.zst "$kDist"
lint_packages
[[ "${1:-}" == --twice ]] && make_again
ls -l "$kDist"
