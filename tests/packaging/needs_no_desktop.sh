#!/usr/bin/env bash
# The program is linked with no library of a desktop (X11, OpenGL, cairo), so that its commands run on a server.
#   needs_no_desktop.sh PROGRAM
set -euo pipefail
needed="$(objdump -p "$1" | awk '$1 == "NEEDED" { print $2 }')"
others="$(grep -vE '^(libc|libm|libstdc\+\+|libgcc_s|libfmt|libzstd|ld-linux-x86-64)\.so\.' <<<"$needed" || true)"
if [[ -n "$others" ]]; then
  echo "$1 needs libraries that a server may not have; load them when they are used: $others" >&2
  exit 1
fi
echo "$1 needs: ${needed//$'\n'/ }"
