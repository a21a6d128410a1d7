"""Times a kernel with every combination of its parameters, in turns with cuBLAS, and prints a Markdown table.

  python3 tools/dev/sweep_parameters.py WARPLENS KERNEL[:TYPE] SIZE ...

Combinations take turns too: the table has for each the median, over ROUNDS rounds, of its percentage of
cuBLAS's rate, since what ran before changes the clock of a GPU that is at its power limit."""
import itertools
import json
import statistics
import subprocess
import sys

ROUNDS = 3
SECONDS_ALLOWED = 120


def listed(binary, kernel):
    kernels = json.loads(subprocess.run([binary, "list", "--json"], capture_output=True, text=True, check=True).stdout)["kernels"]
    return next(one for one in kernels if one["id"] == kernel)


def measure(binary, kernel, value_type, values, size):
    command = [binary, "run", kernel, "--size", str(size), "--type", value_type, "--cublas", "--json"]
    for name, value in values:
        command += ["--set", f"{name}={value}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_ALLOWED)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    binary, kernel, sizes = sys.argv[1], sys.argv[2], [int(size) for size in sys.argv[3:]]
    kernel, _, value_type = kernel.partition(":")
    description = listed(binary, kernel)
    value_type = value_type or description["value_types"][0]
    names = [parameter["name"] for parameter in description["parameters"]]
    combinations = [tuple(zip(names, values)) for values in itertools.product(*(parameter["values"] for parameter in description["parameters"]))]
    figures = {(values, size): [] for values in combinations for size in sizes}
    for _, size, values in itertools.product(range(ROUNDS), sizes, combinations):
        figures[values, size].append(measure(binary, kernel, value_type, values, size))

    device = figures[combinations[0], sizes[0]][0]["device"]
    print(f"`{kernel}` {value_type}, {device}, median of {ROUNDS} rounds\n")
    print("| " + " | ".join([*names, *(f"{size}: ms | {size}: % of cuBLAS" for size in sizes)]) + " |")
    print("|" + "---:|" * (len(names) + 2 * len(sizes)))
    for values in combinations:
        cells = [str(value) for _, value in values]
        for size in sizes:
            runs = figures[values, size]
            cells.append(f"{statistics.median(run['median_ms'] for run in runs):.4f}")
            cells.append(f"{statistics.median(run['percent_of_cublas'] for run in runs):.1f}")
        print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
