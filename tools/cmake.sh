# shellcheck shell=bash
# To be sourced by the scripts beside it: configures and builds the presets of CMakePresets.json, with ccache where it is installed.
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  export CCACHE_SLOPPINESS=pch_defines,time_macros  # or what includes precompiled headers is not kept
  export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1  # a clone in another folder finds what was compiled here
fi

# configure PRESET [options]: says nothing unless it fails
configure() {
  local log
  log="$(mktemp)"
  if ! cmake --preset "$@" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    return 1
  fi
  rm -f "$log"
}

# build PRESET [targets]: one line of progress on a terminal, warnings and errors elsewhere
build() {
  local folder=build/$1 quiet=()
  shift
  [[ -t 1 ]] || quiet=(--quiet)
  ninja -C "$folder" "${quiet[@]}" "$@"
}
