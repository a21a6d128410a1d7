#!/usr/bin/env bash
# Makes the packages of the commit that is checked out, in build/dist: a .deb, an archive to unpack anywhere, and the Python wheel.
#   tools/package.sh            makes and lints them
#   tools/package.sh --twice    makes them once more elsewhere, without the compiler cache, and compares the bytes
set -euo pipefail
umask 022
cd "$(dirname "$0")/.."
readonly kDist=$PWD/build/dist

make_packages() {
  cmake --preset package
  cmake --build --preset package
  rm -rf build/package/packages
  (cd build/package && cpack -B packages)
  cp build/package/packages/*.deb build/package/packages/*.tar.zst "$kDist"
}

# The tag names the oldest glibc that the program runs with.
make_wheel() {
  local tools=build/package_tools
  if [[ ! -f $tools/stamp || "$(<"$tools/stamp")" != "$(sha256sum <tools/requirements/package.txt)" ]]; then
    rm -rf "$tools"
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary :all: -r tools/requirements/package.txt
    sha256sum <tools/requirements/package.txt >"$tools/stamp"
  fi
  rm -rf build/wheels
  "$tools/bin/python" -m build --wheel --no-isolation --outdir build/wheels .
  PATH=$PWD/$tools/bin:$PATH auditwheel repair --wheel-dir "$kDist" build/wheels/*.whl
}

lint_packages() {
  tests/packaging/lint.sh --all build/package
  tests/packaging/needs_no_desktop.sh build/package/warplens
  # The tag is for packages that enter Debian's archive
  lintian --fail-on error,warning --profile debian --suppress-tags initial-upload-closes-no-bugs "$kDist"/*.deb
}

make_again() {
  local other
  other="$(mktemp -d)/warplens"
  git clone --quiet . "$other"
  ln -s "$PWD/external" "$PWD/.venv" "$other/"
  CCACHE_DISABLE=1 "$other/tools/package.sh"
  local file
  for file in "$kDist"/*.deb "$kDist"/*.tar.zst "$kDist"/*.whl; do
    cmp "$file" "$other/build/dist/$(basename "$file")"
  done
  rm -rf "$(dirname "$other")"
  echo "package: the second build gave the same bytes"
}

tools/setup.sh package
export PATH=$PWD/.venv/bin:$PATH
SOURCE_DATE_EPOCH="$(git log -1 --format=%ct)"
export SOURCE_DATE_EPOCH
mkdir -p "$kDist"
rm -f "$kDist"/*.deb "$kDist"/*.tar.zst "$kDist"/*.whl
make_packages
make_wheel
lint_packages
[[ "${1:-}" == --twice ]] && make_again
ls -l "$kDist"
