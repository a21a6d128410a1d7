#!/usr/bin/env python3
"""Holds the page to the desktop's program: for every kernel its report, and every view's picture and table, byte for byte; pictures
of a PTX file with bulk copies, wgmma and a cluster, and of its recording; the words and figures of every lesson, in every language. The
page's own worker answers, in headless Chromium.

    compare_with_desktop.py build/web/page build/release/warplens [KERNEL|asynchronous..]

Without the page or Chromium it says so and ends with 77, which CTest takes as skipped.
"""

import base64
import json
import os
import subprocess
import sys

from page import opened

ASYNCHRONOUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "asynchronous.ptx")
LAUNCH = {"grid": "2", "block": "128", "arguments": ["A=f16[64][64]:ints", "C=f32[256]", "map=tensormap:f16[64][64]@A:box=64x16"]}


class Compared:
    def __init__(self, page, warplens, folder):
        self.page, self.warplens, self.folder = page, warplens, folder
        self.count, self.different = 0, []

    def ask(self, file=None, **request):
        """The answer of the page's worker, which is given the file first."""
        self.page.value("globalThis.more = {}")
        if file:
            with open(file, "rb") as opened_file:
                data = base64.b64encode(opened_file.read()).decode()
            self.page.value(f"more = {{ files: [{{ name: {json.dumps(os.path.basename(file))}, bytes: Uint8Array.from(atob({json.dumps(data)}), (c) => c.charCodeAt(0)) }}] }}")
        return json.loads(self.page.value(f"client.ask({json.dumps(request)}, more).then(JSON.stringify)"))

    def run(self, *words):
        """What the program prints. A kernel that is wrong on purpose ends it with status 1, after it has written everything."""
        return subprocess.run([self.warplens, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()

    def exported(self, kernel, view, extension):
        file = os.path.join(self.folder, f"{view}{extension}")
        self.run("export", kernel, "--view", view, "-o", file)
        with open(file, encoding="utf-8", newline="") as written:
            return written.read()

    def compare(self, what, of_page, of_desktop):
        self.count += 1
        if of_page != of_desktop:
            self.different.append(what)

    def kernel(self, kernel, views):
        self.ask(do="open", subject=kernel)
        self.compare(f"{kernel}: report", self.ask(do="report")["report"], self.run("report", kernel, "--json"))
        self.pictures(kernel, views)

    def pictures(self, kernel, views):
        """Of what the page has open, and the desktop names by `kernel`."""
        for view in views:
            name, what = view["id"], os.path.basename(kernel)
            self.compare(f"{what}: {name}.svg", self.ask(do="picture", view=name)["svg"], self.exported(kernel, name, ".svg"))
            if view["table"]:
                self.compare(f"{what}: {name}.csv", self.ask(do="table", view=name)["csv"], self.exported(kernel, name, ".csv"))

    def asynchronous(self):
        """Launched by the page, and as a recording. Views that show machine code depend on whether this machine can compile PTX."""
        views = [{"id": name, "table": True} for name in ("phases", "coalescing", "banks", "divergence")]
        recording = os.path.join(self.folder, "asynchronous.wlr")
        arguments = sum((["--arg", text] for text in LAUNCH["arguments"]), [])
        self.run("replay", ASYNCHRONOUS, "--grid", LAUNCH["grid"], "--block", LAUNCH["block"], *arguments, "-o", recording)
        self.ask(file=ASYNCHRONOUS, do="open", subject=os.path.basename(ASYNCHRONOUS), **LAUNCH)
        self.pictures(recording, views)
        self.ask(file=recording, do="open", subject=os.path.basename(recording))
        self.pictures(recording, views)

    def lessons(self, language):
        for lesson in self.ask(do="start", language=language)["lessons"]:
            expected = json.loads(self.run("lesson", lesson["name"], "--language", language, "--json"))
            self.ask(do="lesson", name=lesson["name"])
            for number, scene in enumerate(expected["scenes"]):
                of_page = self.ask(do="scene", scene=number)
                self.compare(f"{language}: scene {number + 1} of {lesson['name']}", parts(of_page), parts(scene))


def parts(scene):
    figures = [figure["text"] for figure in scene.get("figures") or []]
    return [scene.get(name) for name in ("title", "sentence", "select")] + [figures, (scene.get("question") or {}).get("asks")]


def main():
    pages, warplens, *chosen = sys.argv[1:]
    with opened(pages) as (page, folder):
        page.open()
        page.value("import('./client.js').then((module) => { globalThis.client = module; })")
        compared = Compared(page, warplens, folder)
        start = compared.ask(do="start", language="en")
        for kernel in start["kernels"]:
            if not chosen or kernel["id"] in chosen:
                compared.kernel(kernel["id"], start["views"])
        if not chosen or "asynchronous" in chosen:
            compared.asynchronous()
        for language in [] if chosen else start["languages"]:
            compared.lessons(language["tag"])
    print(f"{compared.count} compared, {len(compared.different)} different")
    for what in compared.different:
        print(f"  {what}")
    sys.exit(0 if compared.count > 0 and not compared.different else 1)


main()
