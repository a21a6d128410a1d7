#!/usr/bin/env bash
# Builds, tests and collects a release of the commit that is checked out, in build/dist: the packages, the wheel, the site, what is new, checksums.
#   tools/release.sh                    all of it; as root, since it installs the packages on bare Debian systems
#   tools/release.sh --without-tests    without tools/test.sh, where that has passed already
set -euo pipefail
cd "$(dirname "$0")/.."
readonly kDist=build/dist

fail() {
  echo "release: $*" >&2
  exit 1
}

version="$(sed -n 's/^project(warplens VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)"
newest="$(sed -n 's/^## \([0-9.]*\).*/\1/p' CHANGELOG.md | head -n 1)"
[[ "$version" == "$newest" ]] || fail "CMakeLists.txt says $version, and the newest section of CHANGELOG.md $newest"
git diff --quiet HEAD || fail "files differ from the commit; commit them first"
((EUID == 0)) || fail "only root may make bare systems to install the packages on"

tools/setup.sh release
tools/dev/build-web.sh  # The browser version, which the tests open and the site embeds
[[ "${1:-}" == --without-tests ]] || tools/test.sh
rm -rf "$kDist"
tools/package.sh --twice
tools/dev/check-packages.sh bookworm trixie
tools/dev/check-wheel.sh
tools/site.sh build/package/warplens

SOURCE_DATE_EPOCH="$(git log -1 --format=%ct)"
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --zstd -cf "$kDist/warplens-$version-site.tar.zst" -C build site
awk '/^## / { sections += 1 } sections == 1' CHANGELOG.md >"$kDist/CHANGES.md"
(cd "$kDist" && sha256sum -- *.deb *.tar.zst *.whl CHANGES.md >SHA256SUMS)
ls -l "$kDist"
