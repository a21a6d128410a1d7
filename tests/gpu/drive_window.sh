#!/usr/bin/env bash
# Drives the real window through what it does with a GPU, at 1920 x 1080, and keeps pictures, and frames a second with the time of each:
#   tests/gpu/drive_window.sh FOLDER [WARPLENS [FILE.wlr]]
# Needs an X display, xdotool and python3. The pictures are to be looked at; while Live is on there should be 60 frames a second or more.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
readonly kOut=$1 kWarplens=${2:-build/release/warplens} kFile=${3:-}
mkdir -p "$kOut"
settings=$(mktemp -d)

log() { while read -r line; do printf '%6d ms  %s\n' $(($(date +%s%3N) - started)) "$line"; done >>"$kOut/frames.txt"; }
picture() { python3 tests/gpu/screenshot.py "$kOut/$1.png" 1920 1080; }
action() { # By the palette
  echo "== $1" | log
  xdotool key --clearmodifiers ctrl+p && sleep 0.5 && xdotool type --delay 30 "$1" && sleep 0.4 && xdotool key Return
  sleep 0.5
}

started=$(date +%s%3N)
"$kWarplens" --width 1920 --height 1080 --config "$settings" --frame-rate ${kFile:+"$kFile"} > >(log) 2>&1 &
window=$!
trap 'kill "$window" 2>/dev/null; rm -rf "$settings"' EXIT
sleep 5
id=$(xdotool search --onlyvisible --name . | tail -n 1)
xdotool windowfocus "$id" windowmove "$id" 0 0
picture start
action Throughput
action Live && sleep 4 && picture live
action Live && sleep 1
action "Run once" && sleep 2 && picture run-once
action "Measure the ladder" && sleep 8 && picture ladder
action "Sweep over N" && sleep 12 && picture sweep
