#!/usr/bin/env bash
# Installs what is missing to build and run Warplens (tools/setup.sh build), to test it too (tools/setup.sh test),
# to build it for browsers (tools/setup.sh web), to package it (tools/setup.sh package) or to release it
# (tools/setup.sh release), on Debian 12/13 and Ubuntu 22.04/24.04:
#   - packages of the distribution, through apt (with sudo unless run by root);
#   - C++ sources that are not packaged there, into external/, and glad2, polib, clang-format and clang-tidy, into .venv/: pinned by hash in
#     tools/requirements/;
#   - nvcc 13.0 and NVRTC 13.0, into .venv/, where no toolkit of 13.0 is installed, and nvdisasm, where nvcc is. Warplens builds without them too, from the
#     PTX, machine code and listings shipped under assets.
# It says what it installs, and takes a fraction of a second when nothing is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
readonly kPurpose="${1:-build}"
readonly kRequirements=tools/requirements

say() { echo "setup: $*" >&2; }
fail() {
  say "$*"
  exit 1
}

build_packages=(g++ cmake ninja-build ccache pkg-config patch python3-venv ca-certificates
  libfmt-dev libcli11-dev nlohmann-json3-dev libzstd-dev libstb-dev libtomlplusplus-dev libcairo2-dev
  libgl-dev libx11-dev libxrandr-dev libxinerama-dev libxcursor-dev libxi-dev libxext-dev)
run_packages=(libgl1 libegl1 libgl1-mesa-dri libopenblas0)
web_packages=(cmake ninja-build ccache python3-venv ca-certificates libfmt-dev nlohmann-json3-dev libstb-dev libtomlplusplus-dev)
test_packages=(git libgtest-dev libbenchmark-dev xvfb xauth xdotool clang libxml2-utils gettext python3-pytest)

package_packages=(git binutils dpkg-dev file lintian desktop-file-utils appstream libxml2-utils shared-mime-info mandoc zsh fish)
release_packages=(debootstrap zstd chromium)

install_packages() {
  local package installed missing=()
  installed="$(dpkg-query -W -f '${Package}=${db:Status-Status}\n' "$@" 2>/dev/null || true)"
  for package in "$@"; do
    grep -qxF "$package=installed" <<<"$installed" || missing+=("$package")
  done
  [[ ${#missing[@]} -eq 0 ]] && return
  command -v apt-get >/dev/null || fail "apt-get is not here; install what these Debian packages hold: ${missing[*]}"
  say "installing packages: ${missing[*]}"
  local as_root=()
  if [[ $EUID -ne 0 ]]; then
    command -v sudo >/dev/null || fail "neither root nor sudo: have an administrator install: ${missing[*]}"
    as_root=(sudo)
  fi
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0)
  "${apt[@]}" update </dev/null >&2
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" </dev/null >&2
}

# The sanitizers' and libFuzzer's run-time libraries are a package of their own, named after clang's version.
install_clang_runtime() {
  local version
  version="$(clang --version | sed -n 's/.*clang version \([0-9]*\)\..*/\1/p')"
  install_packages "libclang-rt-$version-dev"
}

# A stamp holds the hash of what was asked for, so that a changed pin installs anew.
is_stamped() { [[ -f "$1" && "$(<"$1")" == "$(stamp_of "${@:2}")" ]]; }
stamp_of() { cat "$@" | sha256sum | cut -d' ' -f1; }

ensure_venv() {
  [[ -x .venv/bin/pip ]] && return
  say "making the Python environment .venv"
  rm -rf .venv
  python3 -m venv .venv
}

install_wheels() {
  local stamp=.venv/$1.stamp requirements=$kRequirements/$1.txt
  is_stamped "$stamp" "$requirements" && return
  ensure_venv
  say "installing into .venv: $2"
  .venv/bin/pip install --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary :all: -r "$requirements" </dev/null >&2 || return
  stamp_of "$requirements" >"$stamp"
}

fetch_sources() {
  local stamp=external/sources.stamp requirements=$kRequirements/sources.txt mended=$kRequirements/text_editor.patch
  is_stamped "$stamp" "$requirements" "$mended" && return
  ensure_venv
  say "fetching Dear ImGui, ImPlot, ImGuiColorTextEdit, GLFW and Dear ImGui Test Engine into external/"
  local download
  download="$(mktemp -d)"
  .venv/bin/pip download --quiet --disable-pip-version-check --require-hashes --no-deps --no-binary imgui-bundle -d "$download" -r "$requirements" \
    </dev/null >&2
  rm -rf external/{glfw,imgui,implot,test_engine,text_editor}
  mkdir -p external
  # Each library's folder is nested in one of the same name; only the inner ones are kept.
  tar -xzf "$download"/imgui_bundle-*.tar.gz -C external --strip-components=2 --wildcards \
    --transform 's,/external/imgui/imgui/,/external/imgui/,;s,/external/implot/implot/,/external/implot/,;s,/external/glfw/glfw/,/external/glfw/,' \
    --transform 's,/external/imgui_test_engine/imgui_test_engine/,/external/test_engine/,;s,/external/ImGuiColorTextEdit/ImGuiColorTextEdit/,/external/text_editor/,' \
    '*/external/imgui/imgui/*' '*/external/implot/implot/*' '*/external/glfw/glfw/*' '*/external/imgui_test_engine/imgui_test_engine/*' \
    '*/external/ImGuiColorTextEdit/ImGuiColorTextEdit/*'
  rm -rf "$download" external/test_engine/imgui_test_suite external/*/docs external/*/examples external/*/example
  patch --quiet --strip=1 --directory=external/text_editor <"$mended"
  stamp_of "$requirements" "$mended" >"$stamp"
}

fetch_zstd() {
  local stamp=external/zstd/zstd.stamp requirements=$kRequirements/zstd.txt
  is_stamped "$stamp" "$requirements" && return
  ensure_venv
  say "fetching zstd into external/zstd/"
  local download
  download="$(mktemp -d)"
  .venv/bin/pip download --quiet --disable-pip-version-check --require-hashes --no-deps --no-binary zstandard -d "$download" -r "$requirements" \
    </dev/null >&2
  rm -rf external/zstd
  mkdir -p external/zstd
  tar -xzf "$download"/zstandard-*.tar.gz -C external/zstd --strip-components=2 --wildcards '*/zstd/*'
  rm -rf "$download"
  stamp_of "$requirements" >"$stamp"
}

# Ubuntu 22.04 has a version that does not know workflow presets.
install_cmake() {
  cmake --version | awk 'NR == 1 { split($3, v, "."); exit !(v[1] > 3 || v[2] >= 25) }' && return
  install_wheels cmake "CMake"
}

has_nvcc_13_0() {
  local nvcc
  for nvcc in nvcc "${CUDA_PATH:-/usr/local/cuda}/bin/nvcc" /usr/local/cuda/bin/nvcc /usr/local/cuda-13.0/bin/nvcc; do
    "$nvcc" --version 2>/dev/null | grep -q 'release 13\.0,' && return
  done
  return 1
}

install_nvcc() {
  [[ "$(uname -m)" == x86_64 ]] || return 0
  is_stamped .venv/nvcc.stamp $kRequirements/nvcc.txt && return
  has_nvcc_13_0 && return
  install_wheels nvcc "nvcc 13.0" || say "nvcc 13.0 could not be had; the kernels' shipped PTX is used instead"
}

# Some installations of the toolkit lack it, so it is not looked for there: all list alike.
install_nvdisasm() {
  [[ "$(uname -m)" == x86_64 ]] || return 0
  is_stamped .venv/nvdisasm.stamp $kRequirements/nvdisasm.txt && return
  install_wheels nvdisasm "nvdisasm" || say "nvdisasm could not be had; the kernels' shipped listings are used instead"
}

# What kernels of the user's own are compiled with, within the program.
install_nvrtc() {
  [[ "$(uname -m)" == x86_64 ]] || return 0
  is_stamped .venv/nvrtc.stamp $kRequirements/nvrtc.txt && return
  local folder
  for folder in "${CUDA_PATH:-/usr/local/cuda}" /usr/local/cuda /usr/local/cuda-13.0; do
    compgen -G "$folder/lib*/libnvrtc.so.13" >/dev/null && return
  done
  install_wheels nvrtc "NVRTC 13.0" || say "NVRTC 13.0 could not be had; without it, and without nvcc, only PTX can be opened"
}

case "$kPurpose" in
  build) install_packages "${build_packages[@]}" "${run_packages[@]}" ;;
  test)
    install_packages "${build_packages[@]}" "${run_packages[@]}" "${test_packages[@]}"
    install_clang_runtime
    ;;
  web) install_packages "${web_packages[@]}" ;;
  package) install_packages "${build_packages[@]}" "${run_packages[@]}" "${package_packages[@]}" ;;
  release)
    install_packages "${build_packages[@]}" "${run_packages[@]}" "${test_packages[@]}" "${package_packages[@]}" "${release_packages[@]}"
    install_clang_runtime
    ;;
  *) fail "unknown purpose '$kPurpose': build, test, web, package or release" ;;
esac
install_cmake
if [[ "$kPurpose" == web ]]; then
  install_wheels texts "polib and tomli, which read translations and lessons"
  install_wheels web "ziglang, which compiles for browsers"
  fetch_zstd
  exit
fi
[[ "$kPurpose" == test ]] && install_wheels style "clang-format and clang-tidy"
install_wheels glad "glad2, which generates the OpenGL loader"
install_wheels texts "polib and tomli, which read translations and lessons"
fetch_sources
install_nvcc
install_nvdisasm
install_nvrtc
