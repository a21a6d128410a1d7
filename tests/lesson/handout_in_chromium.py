#!/usr/bin/env python3
"""Every shipped lesson's handout in headless Chromium: it opens without errors, goes from scene to scene and from step to step by keyboard, uncovers
answers, reads in dark and in light, and prints a page a scene.

    handout_in_chromium.py build/release/warplens

Needs `chromium` (or `google-chrome`); where there is none it says so and ends with 77, which CTest takes as skipped.
"""

import base64
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from chromium import Browser, find_browser  # noqa: E402

# Added to a copy of the page: plays a reader, and leaves what it saw in the page.
READER = """
<script>
"use strict";
const seen = { errors: [] };
window.addEventListener("error", (event) => seen.errors.push(event.message));
const press = (key, target = document.body) => target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
const place = () => scenes.findIndex((scene) => scene.classList.contains("now"));
const walked = [];
window.scrollTo(0, 0);
for (let i = 0; i < scenes.length; ++i) { walked.push(document.activeElement.id || place()); press(i % 2 ? "ArrowRight" : "PageDown"); }
seen.focused = document.activeElement.id;
press("ArrowLeft"); press("PageUp");
seen.back = document.activeElement.id;
seen.scrubbed = scenes.filter((scene) => scene.querySelector("input")).map((scene) => {
  const range = scene.querySelector("input"), drawn = () => [...scene.querySelectorAll("svg")].map((svg) => svg.innerHTML).join();
  const home = drawn(), first = range.value, said = scene.querySelector("output").textContent;
  const seenHere = new Set();
  for (let step = Number(range.min); step <= Number(range.max); ++step) {
    range.value = step;
    range.dispatchEvent(new Event("input"));
    seenHere.add(drawn());
  }
  const label = scene.querySelector("output").textContent;
  scene.querySelector(".home").click();
  const again = range.value === first && scene.querySelector("output").textContent === said;
  scene.querySelector(range.value < range.max ? ".on" : ".back").click();
  const moved = range.value !== first;
  scene.querySelector(".home").click();
  return { scene: scene.id, steps: range.max - range.min + 1, different: seenHere.size, label, again, moved, same: drawn().length === home.length };
});
seen.scenes = scenes.length;
seen.questions = document.querySelectorAll("details").length;
goTo(scenes.findIndex((scene) => scene.querySelector("details")));
press("a");
seen.uncovered = document.querySelectorAll("details[open]").length;
press("a");
seen.covered = document.querySelectorAll("details[open]").length;
seen.wide = document.documentElement.scrollWidth > window.innerWidth;
seen.unnamed = [...document.querySelectorAll("button, input, svg")].filter((item) => !item.textContent.trim() && !item.getAttribute("aria-label")).length;
const result = document.createElement("pre");
result.id = "seen";
result.textContent = JSON.stringify(seen);
document.body.append(result);
</script>
"""


def first_pixel(png):
    """Red, green and blue of the top left pixel: filters leave the first one of a picture as it is."""
    packed, at = b"", 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        if png[at + 4 : at + 8] == b"IDAT":
            packed += png[at + 8 : at + 8 + length]
        at += 12 + length
    return tuple(zlib.decompress(packed)[1:4])


class Lesson:
    def __init__(self, name):
        self.name, self.failures = name, []

    def expect(self, holds, what):
        if not holds:
            self.failures.append(f"{self.name}: {what}")


def look_at(lesson, page, browser, folder):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    scenes = text.count("<section ")
    played = os.path.join(folder, "played.html")
    with open(played, "w", encoding="utf-8") as file:
        file.write(text.replace("</body>", READER + "</body>"))
    browser.open(played)
    left = browser.text_of("seen")
    lesson.expect(left, "the page's script ended early")
    if left:
        seen = json.loads(left)
        lesson.expect(not seen["errors"], f"errors: {seen['errors']}")
        lesson.expect(seen["scenes"] == scenes, f"{seen['scenes']} scenes of {scenes}")
        lesson.expect(seen["focused"] == f"scene-{scenes}", f"the keys lead to {seen['focused']} of {scenes}")
        lesson.expect(seen["back"] == f"scene-{scenes - 2}", f"and back to {seen['back']}")
        lesson.expect(seen["questions"] == 0 or seen["uncovered"] == 1, f"{seen['uncovered']} answers are uncovered")
        lesson.expect(seen["covered"] == 0, "an answer stays uncovered")
        lesson.expect(not seen["wide"], "the page is wider than the window")
        lesson.expect(seen["unnamed"] == 0, f"{seen['unnamed']} things have no name for those who cannot see them")
        for scrubbed in seen["scrubbed"]:
            lesson.expect(scrubbed["different"] > 1, f"{scrubbed['scene']}: no step differs from another")
            lesson.expect(scrubbed["again"] and scrubbed["moved"] and scrubbed["same"], f"{scrubbed['scene']}: {scrubbed}")
    browser.open(page)
    colours = [first_pixel(browser.picture(scheme)) for scheme in ("dark", "light")]
    lesson.expect(sum(colours[0]) < 150 and sum(colours[1]) > 600, f"dark and light begin with {colours}")
    pages = len(re.findall(rb"/Type\s*/Page\b", browser.printed()))
    lesson.expect(pages == scenes, f"{scenes} scenes are printed on {pages} pages")
    print(f"{lesson.name}: {scenes} scenes, {os.path.getsize(page):,} bytes, {pages} pages, {len(lesson.failures)} failures")


def main():
    warplens = os.path.abspath(sys.argv[1])
    program = find_browser()
    names = [one["name"] for one in json.loads(subprocess.run([warplens, "lesson", "--list", "--json"], capture_output=True, check=True).stdout)["lessons"]]
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser(program, folder)
        for name in names:
            lesson, page = Lesson(name), os.path.join(folder, f"{name}.html")
            subprocess.run([warplens, "lesson", name, "--handout", page], capture_output=True, check=True)
            look_at(lesson, page, browser, folder)
            failures += lesson.failures
        browser.close()
    print("\n".join(failures))
    sys.exit(1 if failures else 0)


main()
