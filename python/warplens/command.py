"""Finds and runs the program that the package brings along."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Union

Value = Union[None, bool, int, float, str, Path, "list[Any]", "tuple[Any, ...]", Mapping[str, Any]]

# Options of the command line whose names are written with underscores, as nvcc has them.
_WITH_UNDERSCORES = {"use_fast_math"}
# Options that take all names and values at once: select={"phase": 2, "step": 3}.
_TAKES_ALL_AT_ONCE = {"select"}


class WarplensError(RuntimeError):
    """What the program says where it fails: what happened, where, and what to do about it."""

    def _render_traceback_(self) -> list[str]:  # IPython shows this in place of the calls that led here
        return [f"{type(self).__name__}: {self}"]


def program() -> Path:
    """The program: the one that WARPLENS_PROGRAM names, the package's own, or the one on the PATH."""
    chosen = os.environ.get("WARPLENS_PROGRAM")
    own = Path(__file__).parent / "bin" / "warplens"
    for path in (chosen, own if own.exists() else None, shutil.which("warplens")):
        if path:
            return Path(path)
    raise WarplensError("the program `warplens` is not installed; reinstall the package, or name it by WARPLENS_PROGRAM")


def _written(value: Value) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def arguments(options: Mapping[str, Value]) -> Iterator[str]:
    """Keyword arguments as options of the command line: size=64 is `--size 64`, grid=(2, 2) is `--grid 2,2`,
    set={"T": 16} is `--set T=16`, arg=["i32:1", "i32:2"] gives `--arg` twice, light=True is `--light`."""
    for name, value in options.items():
        written = name if name in _WITH_UNDERSCORES else name.replace("_", "-")
        option = f"-{written}" if len(written) == 1 else f"--{written}"
        if isinstance(value, Mapping):
            pairs = [f"{key}={_written(one)}" for key, one in value.items()]
            value = ",".join(pairs) if name in _TAKES_ALL_AT_ONCE else pairs
        if value is None or value is False:
            continue
        if value is True:
            yield option
            continue
        for one in value if isinstance(value, list) else [value]:
            # `=` where a value could be taken for an option
            yield from [f"{option}={one}"] if str(one).startswith("-") and len(written) > 1 else [option, _written(one)]


def run(*words: str | Path, options: Mapping[str, Value] | None = None) -> tuple[str, str]:
    """Runs a command and returns what it printed on standard output and standard error. Where it fails and has
    printed no result, that is a WarplensError."""
    command = [str(program()), *map(str, words), *arguments(options or {})]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0 and not done.stdout:
        raise WarplensError(done.stderr.strip().removeprefix("warplens: ") or f"warplens ended with status {done.returncode}")
    return done.stdout, done.stderr


def main() -> None:
    """The command `warplens`: becomes the program."""
    path = str(program())
    os.execv(path, [path, *sys.argv[1:]])
