"""The Python package, with the program that WARPLENS_PROGRAM names."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

import warplens
from warplens.command import arguments

KERNEL = """
// warplens: grid=4 block=128 in=f32[1024]:iota out=f32[512]
__global__ void every_other(const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[2 * i];
}
"""
PTX = """
.version 8.0
.target sm_75
.address_size 64
.visible .entry copy(.param .u64 to)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [to];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 8;
  add.s64 %rd2, %rd2, %rd3;
  st.global.u32 [%rd2], %r1;
  ret;
}
"""
has_pandas = pytest.mark.skipif(importlib.util.find_spec("pandas") is None, reason="pandas is not installed")


def test_keyword_arguments_are_options() -> None:
    assert list(arguments({"size": 64, "m": 3, "light": True, "whole": False, "cc": None})) == [
        "--size",
        "64",
        "-m",
        "3",
        "--light",
    ]
    assert list(arguments({"set": {"T": 16, "U": 2}, "grid": (4, 2)})) == ["--set", "T=16", "--set", "U=2", "--grid", "4,2"]
    assert list(arguments({"arg": ["i32:1", "i32:-2"]})) == ["--arg", "i32:1", "--arg", "i32:-2"]
    assert list(arguments({"select": {"block": (1, 2), "phase": 3}})) == ["--select", "block=1,2,phase=3"]
    assert list(arguments({"use_fast_math": True, "compile_timeout": 5})) == ["--use_fast_math", "--compile-timeout", "5"]


def test_report_is_the_json_of_the_command_line() -> None:
    report = warplens.report("tiled", size=64, set={"T": 16}, cc="8.0")
    assert report["verified"] is True
    assert report["cc"] == "8.0"
    assert report["totals"]["global_load"]["requests"] > 0


def test_text_of_ptx_is_a_source() -> None:
    report = warplens.report(PTX, grid=1, block=32, arg=["buf:u32:64"])
    assert report["totals"]["global_store"]["sectors"] == 8


def test_export_is_a_picture_that_notebooks_draw(tmp_path: Path) -> None:
    picture = warplens.export("tiled", "banks", size=32, light=True)
    assert picture._repr_svg_().startswith(("<svg", "<?xml"))
    picture.save(tmp_path / "banks.svg")
    assert (tmp_path / "banks.svg").read_text() == picture
    assert warplens.export_png("tiled", "banks", size=32).startswith(b"\x89PNG")


def test_recording_stands_in_the_kernels_place(tmp_path: Path) -> None:
    file = warplens.record("tiled", tmp_path / "tiled.wlr", size=32)
    assert warplens.report(file)["kernel"] == "tiled"
    steps = [int(row["steps"]) for row in warplens.rows(file, "scrubber")]
    assert max(steps) > 1


def test_pattern_costs_accesses() -> None:
    access = {"op": "global_load", "bytes_per_lane": 4, "active_mask": "0xffffffff"}
    near, far = warplens.pattern(
        [
            {**access, "lane_byte_offsets": [4 * lane for lane in range(32)]},
            {**access, "lane_byte_offsets": [128 * lane for lane in range(32)]},
        ]
    )
    assert (near["predicted_sectors"], far["predicted_sectors"]) == (4, 32)
    assert near["predicted_wavefronts"] is None
    assert near["bytes_per_lane"] == 4
    assert warplens.pattern([]) == []


def test_failure_is_one_sentence() -> None:
    with pytest.raises(warplens.WarplensError, match="nonsense"):
        warplens.report("nonsense")
    with pytest.raises(warplens.WarplensError, match="no view"):
        warplens.export("tiled", "nonsense", size=32)


def test_missing_program_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WARPLENS_PROGRAM", raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("warplens.command.__file__", "/nowhere/command.py")
    with pytest.raises(warplens.WarplensError, match="not installed"):
        warplens.program()


@has_pandas
def test_data_frames() -> None:
    import pandas

    assert "<table" in str(warplens.report("tiled", size=32)._repr_html_())

    assert warplens.report("tiled", size=32).frame("totals").columns[0] == "access"
    lanes = warplens.table("tiled", "coalescing", size=32)
    assert len(lanes) == 32
    access = {"op": "shared_load", "bytes_per_lane": 4, "active_mask": "0xffffffff", "lane_byte_offsets": "0 " * 32}
    frame = pandas.DataFrame([access])
    assert warplens.pattern(frame)["predicted_wavefronts"][0] == 1


def test_data_frames_without_pandas_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pip install warplens\[pandas\]"):
        warplens.table("tiled", "coalescing", size=32)
    assert warplens.report("tiled", size=32)._repr_html_() is None
