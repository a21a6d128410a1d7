"""`%%warplens` and the sliders, in a shell of IPython's own."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("IPython")
from IPython.testing.globalipapp import start_ipython
from IPython.utils.capture import capture_output

import warplens
from test_warplens import KERNEL


@pytest.fixture(scope="session")
def shell() -> Any:
    shell = start_ipython()
    shell.display_formatter.active_types = shell.display_formatter.format_types  # As notebooks have them
    shell.run_line_magic("load_ext", "warplens")
    return shell


def images(captured: Any) -> list[str]:
    return [output.data["image/svg+xml"] for output in captured.outputs if "image/svg+xml" in output.data]


def test_line_draws_a_kernel(shell: Any) -> None:
    with capture_output() as captured:
        shell.run_line_magic("warplens", "tiled --size 32 --view banks,coalescing --cc 8.0")
    assert len(images(captured)) == 2


def test_cell_of_cuda_becomes_pictures(shell: Any) -> None:
    with capture_output() as captured:
        try:
            shell.run_cell_magic("warplens", "--view source", KERNEL)
        except warplens.WarplensError as failure:
            if "no compiler" in str(failure):
                pytest.skip("neither NVRTC nor nvcc is here")
            raise
    assert len(images(captured)) == 1
    assert "every_other" in images(captured)[0]


def test_findings_are_printed(shell: Any) -> None:
    with capture_output() as captured:
        shell.run_line_magic("warplens", "missing_barrier --view source")
    assert "race, line" in captured.stdout


def test_misuse_is_one_sentence(shell: Any) -> None:
    from IPython.core.error import UsageError

    with pytest.raises(UsageError, match="name a kernel"):
        shell.run_line_magic("warplens", "")


def test_sliders_draw_the_chosen_step() -> None:
    pytest.importorskip("anywidget")
    widget = warplens.scrubber("tiled", "coalescing", size=32, select={"warp": 1})
    assert len(widget.kinds) == len(widget.steps)
    first = widget.svg
    widget.phase, widget.step = 2, 5
    assert widget.svg != first
    assert widget.error == ""
    widget.step = 100_000  # Beyond the last: the last is drawn
    assert widget.error == ""
    assert "image/svg+xml" in (widget._repr_mimebundle_()[0])
