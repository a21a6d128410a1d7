#!/usr/bin/env python3
"""Packs what tensor_cores.py brought back into tests/data/h200/tensor_cores: pack_tensor_cores.py OUTPUTS DATE

Of each form fewer results are kept whole than were brought back; of the others, the check of each warp.
"""
import lzma
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tensor_cores

KEPT = 2  # Warps; a form whose checks differ is looked into with all that was brought back


def compress(data, path):
    subprocess.run(["zstd", "-q", "-f", "-19", f"--stream-size={len(data)}", "-o", path], input=data, check=True)


def main(outputs, date, kept=KEPT):
    target = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "h200", "tensor_cores")
    os.makedirs(target, exist_ok=True)
    read = lambda path: open(path, "rb").read()
    whole, results, at = lzma.decompress(read(f"{outputs}/outputs.bin.xz")), b"", 0
    with tempfile.TemporaryDirectory() as folder, open(f"{target}/forms.csv", "w") as table:
        tensor_cores.write(folder)
        for module in list(tensor_cores.MODULES) + ["fragments"]:
            compress(read(f"{folder}/{module}.ptx"), f"{target}/{module}.ptx.zst")
        compress(read(f"{folder}/pool.bin"), f"{target}/pool.bin.zst")
        table.write(f"# measured on an NVIDIA H200, driver 580, {date}\n")
        for line in open(f"{folder}/forms.csv"):
            name, module, warps, warps_whole, size = line.strip().split(",")
            fewer = min(int(kept), int(warps_whole))
            results += whole[at:at + fewer * int(size)]
            at += int(warps_whole) * int(size)
            table.write(f"{name},{module},{warps},{fewer},{size}\n")
    compress(results, f"{target}/outputs.bin.zst")
    compress(read(f"{outputs}/checks.bin"), f"{target}/checks.bin.zst")
    with open(f"{target}/fragments.csv", "w") as table:
        table.write(f"# measured on an NVIDIA H200, driver 580, {date}\n" + open(f"{outputs}/fragments.csv").read())
    compress(lzma.decompress(read(f"{outputs}/fragments.bin.xz")), f"{target}/fragments.bin.zst")


if __name__ == "__main__":
    main(*sys.argv[1:])
