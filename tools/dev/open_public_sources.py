#!/usr/bin/env python3
"""Opens public CUDA sources with `warplens check`, as they lie there, and counts why some do not open.

    tools/dev/open_public_sources.py FOLDER            every .cu file below a folder of repositories
    tools/dev/open_public_sources.py --list FILES.txt  those that a text file names, one a line

`--part 1/2` takes every second file, from the first: one half to develop with, `--part 2/2` is the other.
`--hide-nvcc` hides nvcc in a mount namespace of its own (needs root), as on a machine that has NVRTC alone.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

# What an error says, and the reason that it is counted under; the first that fits.
REASONS = [
    (r"outside the folders", "an include outside of the folders that may be read"),
    (r"cannot open source file|could not open source file", "a header is missing, and needed"),
    (r"was stopped after|timed out", "the compiler takes too long"),
    (r"texture reference|\"texture\"|identifier \"tex[123]D", "texture references, which CUDA 12 removed"),
    (r"templates alone", "templates of which no instance can be made"),
    (r"identifier \".*\" is undefined|name followed by \"::\"|namespace .* has no member|is not a type name",
     "a name is undefined"),
    (r"is not a template|is not a class or struct|no suitable|no instance|does not match|has no member",
     "a name means something else"),
    (r"execution space|__host__ function", "device code calls a function of the host"),
    (r"expected a|expecting|this declaration has no storage class|explicit type is missing",
     "a macro or type is unknown"),
    (r"there is no kernel", "no kernel in the file"),
]


def reason_of(result):
    if result["opens"]:
        return "opens"
    for pattern, reason in REASONS:
        if re.search(pattern, result["error"]):
            return reason
    return "other"


def outcome(status, output, errors):
    """Whether a file opens: a kernel of it can be launched."""
    if status != 0:
        return False, (errors.strip().splitlines() or ["no message"])[-1]
    try:
        document = json.loads(output)
    except ValueError:
        return False, "no JSON document"
    if document["entries"]:
        return True, ""
    if document["templates"]:
        return False, "templates alone, and no instance of any"
    return False, "there is no kernel in it"


def check(program, file, seconds):
    start = time.monotonic()
    try:
        run = subprocess.run([program, "check", "--json", file], capture_output=True, timeout=seconds,
                             text=True, errors="replace")
        opens, error = outcome(run.returncode, run.stdout, run.stderr)
    except subprocess.TimeoutExpired:
        opens, error = False, "timed out"
    result = {"file": file, "opens": opens, "error": error, "seconds": time.monotonic() - start}
    return {**result, "reason": reason_of(result)}


def hidden_nvcc(arguments):
    """Runs this script again where the folders that have nvcc are empty."""
    empty = tempfile.mkdtemp()
    folders = {str(pathlib.Path(path, "nvcc").resolve().parent) for path in os.environ["PATH"].split(":")
               if pathlib.Path(path, "nvcc").exists()}
    mounts = "".join(f"mount --bind {empty} '{folder}' && " for folder in sorted(folders))
    command = mounts + 'exec "$@"'
    return subprocess.call(["unshare", "-m", "sh", "-c", command, "sh", sys.executable, __file__, *arguments])


def files_of(options):
    if options.list:
        files = [line for line in pathlib.Path(options.list).read_text().splitlines() if line]
    else:
        files = sorted(str(path) for path in pathlib.Path(options.folder).rglob("*.cu"))
    part, parts = map(int, options.part.split("/"))
    return files[part - 1::parts]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--list")
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--warplens", default="build/release/warplens")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--hide-nvcc", action="store_true")
    parser.add_argument("--json", help="a file that takes each file's outcome")
    options = parser.parse_args()
    if bool(options.folder) == bool(options.list):
        parser.error("name a folder, or a list of files with --list")
    if options.hide_nvcc:
        return hidden_nvcc([argument for argument in sys.argv[1:] if argument != "--hide-nvcc"])
    files = files_of(options)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda file: check(options.warplens, file, options.seconds), files))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1))
    counts = collections.Counter(result["reason"] for result in results)
    for reason, count in counts.most_common():
        print(f"{count:5}  {reason}")
    times = sorted(result["seconds"] for result in results)
    print(f"{len(files)} files; seconds a file: {statistics.median(times):.2f} in the median, "
          f"{times[-1]:.2f} at most")
    return 0


if __name__ == "__main__":
    sys.exit(main())
