"""A picture with sliders for the phase and the step, in notebooks."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from .command import Value
from .results import Source, export, record, rows

# What export takes; all else says what is launched.
_OF_PICTURES = {"select", "width", "height", "scale", "light", "cc"}


class Scrubber(anywidget.AnyWidget):
    """Draws one view of a recording, at the phase and the step that its sliders choose."""

    _esm = Path(__file__).parent / "widget.js"
    kinds = traitlets.List(traitlets.Unicode()).tag(sync=True)
    steps = traitlets.List(traitlets.Int()).tag(sync=True)
    """Of the chosen warp, by phase"""
    phase = traitlets.Int(1).tag(sync=True)
    step = traitlets.Int(1).tag(sync=True)
    svg = traitlets.Unicode().tag(sync=True)
    error = traitlets.Unicode().tag(sync=True)

    def __init__(self, source: Source, view: str = "coalescing", **options: Value) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="warplens-")
        self._view = view
        self._options = {name: value for name, value in options.items() if name in _OF_PICTURES}
        launch = {name: value for name, value in options.items() if name not in _OF_PICTURES}
        self._place = dict(_pairs(self._options.pop("select", None)))
        self._recording = Path(self._folder.name) / "scrubbed.wlr"
        if str(source).endswith(".wlr"):
            shutil.copy(source, self._recording)  # Whoever made it may remove it
        else:
            record(source, self._recording, **launch)
        place = {name: value for name, value in self._place.items() if name in ("block", "warp")}
        phases = rows(self._recording, "scrubber", **({"select": _joined(place)} if place else {}))
        steps = [int(phase["steps"]) for phase in phases]
        first = next((number for number, count in enumerate(steps, 1) if count), 1)
        super().__init__(
            kinds=[phase["kind"] for phase in phases],
            steps=steps,
            phase=int(self._place.get("phase", first)),
            step=int(self._place.get("step", 1)),
        )
        self._draw()
        self.observe(self._draw, ["phase", "step"])

    def _draw(self, _change: Any = None) -> None:
        most = self.steps[self.phase - 1] if 0 < self.phase <= len(self.steps) else 0
        place = {**self._place, "phase": self.phase, "step": max(1, min(self.step, most))}
        try:
            self.svg = export(self._recording, self._view, select=_joined(place), **self._options)
            self.error = ""
        except RuntimeError as failure:
            self.error = str(failure)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        if data:
            data["image/svg+xml"] = self.svg  # Where a notebook is shown without its widgets
        return bundle


def _pairs(select: Any) -> list[tuple[str, str]]:
    """Of "block=0,0,warp=1" or a dictionary. A block's coordinates are parted by commas, too."""
    if not select:
        return []
    if isinstance(select, dict):
        return [(name, ",".join(map(str, value)) if isinstance(value, tuple) else str(value)) for name, value in select.items()]
    pairs: list[tuple[str, str]] = []
    for part in str(select).split(","):
        name, sign, value = part.partition("=")
        if sign:
            pairs.append((name, value))
        elif pairs:
            pairs[-1] = (pairs[-1][0], f"{pairs[-1][1]},{name}")
    return pairs


def _joined(place: dict[str, Any]) -> str:
    return ",".join(f"{name}={value}" for name, value in place.items())
