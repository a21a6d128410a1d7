"""`%%warplens` and the sliders, in a shell of IPython's own."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("IPython")
from IPython.testing.globalipapp import start_ipython
from IPython.utils.capture import capture_output

import warplens
from test_warplens import KERNEL
from warplens.command import run

checks = {check["name"]: check["ok"] for check in json.loads(run("doctor", "--json")[0])["checks"]}
needs_compiler = pytest.mark.skipif(not checks["compiler"], reason="neither NVRTC nor nvcc is here")


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


@needs_compiler
def test_cell_of_cuda_becomes_pictures(shell: Any) -> None:
    with capture_output() as captured:
        shell.run_cell_magic("warplens", "--view source --cc 7.5", KERNEL)
    assert len(images(captured)) == 1
    assert "every_other" in images(captured)[0]
    assert "memory rules 7.5, code for sm_75" in captured.stdout


@needs_compiler
def test_cell_that_does_not_compile_says_its_line(shell: Any) -> None:
    with pytest.raises(warplens.WarplensError, match=r"^cell.cu(:2)?: "):
        shell.run_cell_magic("warplens", "", "__global__ void wrong(int* a) {\n  a[0] = nothing;\n}")


def test_findings_are_printed(shell: Any) -> None:
    with capture_output() as captured:
        shell.run_line_magic("warplens", "missing_barrier --view source")
    assert "race, line" in captured.stdout
    assert "/warplens-" not in captured.stdout, "the temporary folder"


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
