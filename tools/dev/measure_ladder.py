"""Runs every kernel that `warplens list` names at three sizes, and prints what was measured as Markdown tables. See measure-ladder.sh."""
import json
import os
import pathlib
import subprocess
import sys

SHAPES = ((256, 256, 256), (1021, 1020, 1022), (4096, 4096, 4096))
SECONDS_ALLOWED = 120


def warplens(binary, *arguments):
    return subprocess.run([binary, *arguments], capture_output=True, text=True, timeout=SECONDS_ALLOWED)


def keep(name, text):
    folder = os.environ.get("MEASURE_OUT")
    if folder:
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        (pathlib.Path(folder) / name).write_text(text)


def measure(binary, kernel, value_type, shape):
    """The figures of one kernel at one size, or the words that say why there are none."""
    m, p, n = map(str, shape)
    command = ["run", kernel, "-m", m, "-p", p, "-n", n, "--type", value_type, "--json"]
    if kernel != "cublas" and value_type in ("f32", "f64"):
        command.append("--cublas")
    try:
        done = warplens(binary, *command)
    except subprocess.TimeoutExpired:
        return f"stopped after {SECONDS_ALLOWED} s"
    if not done.stdout:
        return done.stderr.strip().removeprefix("warplens: ")
    keep(f"{kernel}-{value_type}-{m}x{p}x{n}.json", done.stdout)
    return json.loads(done.stdout)


def row(kernel, value_type, figures):
    name = f"`{kernel}`" + ("" if value_type == "f32" else f" {value_type}")
    if isinstance(figures, str):
        return f"| {name} | {figures} |" + " |" * 9
    parameters = ", ".join(f"{key} = {value}" for key, value in figures["parameters"].items())
    percent = figures.get("percent_of_cublas")
    cells = (
        name,
        parameters,
        f"{figures['median_ms']:.4f}",
        f"{figures['p25_ms']:.4f} to {figures['p75_ms']:.4f}",
        f"{figures['reps']}",
        f"{figures['gflops']:.0f}",
        f"{figures['gbps']:.1f}",
        "" if percent is None else f"{percent:.1f}",
        f"{figures['upload_ms']:.3f}, {figures['download_ms']:.3f}",
        f"{figures['total_ms']:.3f}",
        "yes" if figures["verified"] else "**NO**",
    )
    return "| " + " | ".join(cells) + " |"


def table(binary, subjects, shape):
    print(f"\n### {shape[0]} x {shape[1]} x {shape[2]}\n", flush=True)
    heads = ("kernel", "parameters", "median, ms", "quartiles, ms", "launches", "GFLOP/s", "useful GB/s", "% of cuBLAS", "up, down, ms", "total, ms", "verified")
    print("| " + " | ".join(heads) + " |")
    print("|---|---|" + "---:|" * (len(heads) - 3) + "---|")
    device, notes = "No GPU", []
    for kernel, value_type in subjects:
        figures = measure(binary, kernel, value_type, shape)
        print(row(kernel, value_type, figures), flush=True)
        if not isinstance(figures, str):
            device = figures["device"]
            if kernel == "cublas":
                clock = f", SM clock {figures['sm_mhz']} MHz" if figures["sm_mhz"] else ""
                notes.append(f"`cublas` {value_type}: {figures['caches']}{clock}")
    print("\n" + ". ".join([device, *notes]) + ".")


def main():
    binary = sys.argv[1]
    listed = warplens(binary, "list", "--json")
    if listed.returncode != 0:
        sys.exit(listed.stderr)
    kernels = json.loads(listed.stdout)["kernels"]
    subjects = [(kernel["id"], value_type) for kernel in kernels for value_type in kernel["value_types"] if kernel.get("group") != "Demonstrators"]
    for shape in SHAPES:
        table(binary, subjects, shape)


if __name__ == "__main__":
    main()
