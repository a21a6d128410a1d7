"""`%%warplens`: a cell of CUDA C++ in, pictures out. `%warplens tiled` does the same for a kernel's name or a file."""

from __future__ import annotations

import argparse
import shlex
import tempfile
from pathlib import Path
from typing import Any, NoReturn

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class
from IPython.display import display

from .command import WarplensError, run
from .results import export, report, written


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}. {self.format_usage().strip()}")


def _parser() -> _Parser:
    parser = _Parser(prog="%%warplens", add_help=False, allow_abbrev=False)
    parser.add_argument("--view", default="source", help="which pictures, parted by commas: source,coalescing,banks")
    parser.add_argument("--select", help="which access: block=X,Y,warp=W,phase=K,step=S")
    parser.add_argument("--cc", help="compute capability whose memory rules hold")
    parser.add_argument("--scrub", action="store_true", help="sliders for phase and step above the first picture")
    parser.add_argument("--dark", action="store_true", help="light on dark")
    for name, value in (("--width", "1100"), ("--height", "620"), ("--scale", "1")):
        parser.add_argument(name, default=value)
    return parser


@magics_class
class WarplensMagics(Magics):
    @line_cell_magic
    def warplens(self, line: str, cell: str | None = None) -> None:
        """Replays a kernel of CUDA C++ and draws it. Options that are not of pictures say how it is launched, as
        on the command line: --size 256, --grid 4 --block 128 --arg buf:f32:512, --entry name."""
        chosen, launch = _parser().parse_known_args(shlex.split(line))
        if cell is None and not launch:
            raise UsageError("name a kernel or a file: %warplens tiled --size 64")
        pictures: dict[str, Any] = {name: getattr(chosen, name) for name in ("select", "cc", "width", "height", "scale")}
        pictures["light"] = not chosen.dark
        with tempfile.TemporaryDirectory(prefix="warplens-") as folder:
            recording, rules = Path(folder) / "cell.wlr", {"cc": chosen.cc}
            try:
                if cell is None:
                    out, notes = run("record", *launch, "-o", recording)
                else:  # Compiled for the compute capability whose rules hold
                    out, notes = run("replay", written(cell + "\n", folder), *launch, "-o", recording, options=rules)
            except WarplensError as failure:
                raise WarplensError(str(failure).replace(f"{folder}/", "")) from None
            print((out.split("\n\n")[0] + notes).replace(f"{folder}/", ""))
            for finding in report(recording, **rules)["findings"]:
                print(f"{finding['kind']}, line {finding['line']}: {finding['text']}")
            views = chosen.view.split(",")
            if chosen.scrub:
                display(self._scrubber(recording, views.pop(0), pictures))
            for view in views:
                display(export(recording, view, **pictures))

    @staticmethod
    def _scrubber(recording: Path, view: str, pictures: dict[str, Any]) -> Any:
        try:
            from .widget import Scrubber
        except ImportError:
            raise UsageError("--scrub needs anywidget: pip install warplens[notebook]") from None
        return Scrubber(recording, view, **pictures)
