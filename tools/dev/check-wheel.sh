#!/usr/bin/env bash
# Installs the wheel of build/dist as docs/install.md says, in a fresh environment, and uses it from nothing: the command, the
# module, a notebook by nbconvert, and the same in JupyterLab in headless Chromium, with its sliders.
#   tools/dev/check-wheel.sh      (needs python3-venv and chromium here)
# What remains is in build/wheel_check/: notebook.html, notebook.png and the log.
set -euo pipefail
cd "$(dirname "$0")/../.."
readonly kRoot=$PWD kFolder=$PWD/build/wheel_check
rm -rf "$kFolder"
mkdir -p "$kFolder/home"
python3 -m venv "$kFolder/venv"
cd "$kFolder"
pip() { venv/bin/pip --quiet --disable-pip-version-check "$@"; }

pip install 'warplens[nvrtc,notebook,pandas]' --find-links "$kRoot/build/dist"
unset WARPLENS_PROGRAM CUDA_PATH
export HOME=$kFolder/home PATH="$kFolder/venv/bin:/usr/bin:/bin"
warplens --version
warplens doctor | grep -F 'site-packages/nvidia/cu13/lib/libnvrtc' || { echo "check-wheel: NVRTC's wheel is not found" >&2 && exit 1; }

pip install pytest nbconvert ipykernel jupyterlab playwright
(cd "$kRoot" && "$kFolder/venv/bin/python" -m pytest --quiet -o pythonpath= tests/python)
jupyter nbconvert --to html --execute --output-dir "$kFolder" --output notebook "$kRoot/docs/notebooks/warplens.ipynb"
(($(grep -o 'data:image/svg+xml' notebook.html | wc -l) >= 4)) || { echo "check-wheel: the notebook lacks pictures" >&2 && exit 1; }
grep -q 'race' notebook.html || { echo "check-wheel: the notebook says nothing of the race" >&2 && exit 1; }
python "$kRoot/tests/python/notebook_in_chromium.py" "$kRoot/docs/notebooks/warplens.ipynb" "$kFolder/notebook.png"
echo "check-wheel: passed"
