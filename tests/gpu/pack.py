#!/usr/bin/env python3
"""Packs what run_on_gpu.py brought back into tests/data/h200: pack.py FOLDER OUTPUTS DATE

  arithmetic.ptx.zst, approximate.ptx.zst, {a,b,c}{32,64}.bin.zst   programs and inputs
  arithmetic.csv, arithmetic.bin.zst                                per form: name, result type, input set; its results, 1024 words of 8 bytes
  corpus/*                                                          PTX and, per launch, inputs and results
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import corpus


def compress(data, path):
    subprocess.run(["zstd", "-q", "-f", "-19", f"--stream-size={len(data)}", "-o", path], input=data, check=True)


def main(folder, outputs, date):
    target = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "h200")
    os.makedirs(f"{target}/corpus", exist_ok=True)
    read = lambda path: open(path, "rb").read()
    for name in ["arithmetic.ptx", "approximate.ptx"] + [f"{x}{w}.bin" for x in "abc" for w in (32, 64)]:
        compress(read(f"{folder}/{name}"), f"{target}/{name}.zst")
    with open(f"{target}/arithmetic.csv", "w") as file:
        file.write(f"# measured on an NVIDIA H200, driver 580, {date}\n" + open(f"{folder}/arithmetic.csv").read())
    compress(read(f"{outputs}/arithmetic_outputs.bin"), f"{target}/arithmetic.bin.zst")

    blob, position = read(f"{outputs}/corpus_outputs.bin"), 0
    for source in sorted({launch["file"] for launch in corpus.launches()}):
        compress(read(f"{folder}/{source}.ptx"), f"{target}/corpus/{source}.ptx.zst")
    data = b""
    with open(f"{target}/corpus/launches.txt", "w") as file:
        file.write(f"# measured on an NVIDIA H200, driver 580, {date}; file kernel grid block shared exact arguments; buffers: type:bytes:offset of input:offset of result\n")
        for index, launch in enumerate(corpus.launches()):
            words = [launch["file"], launch["kernel"], ",".join(map(str, launch["grid"])), ",".join(map(str, launch["block"])), str(launch["shared"]),
                     "exact" if launch["exact"] else "close"]
            for place, arg in enumerate(launch["args"]):
                if isinstance(arg, str):
                    words.append(arg)
                    continue
                content = corpus.contents(*arg, seed=index * 100 + place)
                result = blob[position:position + len(content)]
                position += len(content)
                words.append(f"buf:{arg[0]}:{len(content)}:{len(data)}:{len(data) + len(content)}")
                data += content + result
            file.write(" ".join(words) + "\n")
    compress(data, f"{target}/corpus/data.bin.zst")


if __name__ == "__main__":
    main(*sys.argv[1:])
