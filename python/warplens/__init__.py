"""Warplens: what CUDA kernels do to a GPU's memory, from exact records. It needs neither a GPU nor CUDA.

>>> import warplens
>>> warplens.report("tiled", size=256)["totals"]["global_load"]["sectors"]
>>> warplens.export("tiled", "banks", size=64)      # a picture; notebooks draw it
>>> %load_ext warplens                              # then %%warplens above a cell of CUDA C++
"""

from __future__ import annotations

from typing import Any

from .command import WarplensError, program
from .results import Report, Svg, export, export_png, pattern, record, report, rows, table

__all__ = [
    "Report",
    "Svg",
    "WarplensError",
    "export",
    "export_png",
    "pattern",
    "program",
    "record",
    "report",
    "rows",
    "scrubber",
    "table",
]


def scrubber(source: Any, view: str = "coalescing", **options: Any) -> Any:
    """A view with sliders for the phase and the step; needs anywidget (pip install warplens[notebook])."""
    from .widget import Scrubber

    return Scrubber(source, view, **options)


def load_ipython_extension(shell: Any) -> None:
    from .magic import WarplensMagics

    shell.register_magics(WarplensMagics)
