#!/usr/bin/env python3
"""The page of build/web/page in headless Chromium, in a fresh profile: chooses kernels, reads figures, goes from access to access, opens a recording and PTX,
answers a lesson's question, and says what it cannot open.

    page_in_chromium.py build/web/page build/release/warplens [--pictures FOLDER]

With --pictures it keeps pictures of the page, narrow and wide, in dark and in light, at both resolutions: look at them. Without the page or Chromium it says
so and ends with 77, which CTest takes as skipped.
"""

import argparse
import base64
import gzip
import json
import os
import subprocess
import time

from page import opened

MOST_BYTES = 8_000_000  # Of all its files, compressed
MOST_SECONDS_TO_PICTURE = 10  # On a busy machine; docs/browser.md says what it takes on an idle one

PTX = """.version 7.5
.target sm_75
.address_size 64
.visible .entry copy(.param .u64 data) {
  .reg .b64 %rd<4>;
  .reg .b32 %r<3>;
  ld.param.u64 %rd1, [data];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 8;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r2, [%rd3];
  st.global.u32 [%rd3], %r2;
  ret;
}
"""


LESSON = """title = "Mine"
[[scene]]
title = "Stride"
launch = "bank_stride:stride=2"
views = [["banks"]]
sentence = "Words with a <script>stride</script>."
"""


def check(holds, what):
    if not holds:
        raise AssertionError(what)


def explores(page, warplens, folder):
    begun = time.monotonic()
    page.open()
    page.picture()
    seconds = time.monotonic() - begun
    print(f"first picture after {seconds:.2f} s")
    check(seconds < MOST_SECONDS_TO_PICTURE, f"the first picture took {seconds:.1f} s")
    check("line 25" in page.text("access"), page.text("access"))
    check(page.value("document.querySelector('#picture svg').getAttribute('aria-label')").startswith("Banks"), "the picture has no name")

    page.choose("kernel", "tiled_swapped")
    page.wait("document.getElementById('access').textContent.includes('32 wavefronts')")
    page.value("document.getElementById('view_source').click()")
    page.wait("document.querySelector('#picture svg title').textContent === 'Source'")
    page.value("document.getElementById('table_details').open = true")
    page.wait("document.querySelectorAll('#table tbody tr').length > 5")
    page.value("document.getElementById('report_details').open = true")
    report = json.loads(page.wait("document.getElementById('report').textContent"))
    expected = json.loads(subprocess.run([warplens, "report", "tiled_swapped", "--json"], capture_output=True, check=True).stdout)
    check(report == expected, "the report is not the desktop's")


def goes_by_keyboard(page):
    page.open("?kernel=tiled&size=64&view=banks")
    before = page.text("access")
    page.value("document.getElementById('at_step').focus()")
    for kind in ("keyDown", "keyUp"):
        page.browser.ask("Input.dispatchKeyEvent", type=kind, key="ArrowRight", code="ArrowRight", windowsVirtualKeyCode=39)
    page.wait(f"document.getElementById('access').textContent !== {json.dumps(before)}")
    page.value("document.querySelector('[role=tab][aria-selected=true]').focus()")
    for kind in ("keyDown", "keyUp"):
        page.browser.ask("Input.dispatchKeyEvent", type=kind, key="ArrowRight", code="ArrowRight", windowsVirtualKeyCode=39)
    page.wait("document.activeElement.id === 'view_heat'")
    page.wait("document.querySelector('#picture svg title').textContent === 'Matrix heat'")
    unnamed = page.value("""[...document.querySelectorAll("button, input, select, textarea")].filter((e) => !e.textContent.trim() && !e.labels?.length && !e.getAttribute("aria-label")).map((e) => e.outerHTML)""")
    check(unnamed == [], f"without a name: {unnamed}")
    select = page.value("new URLSearchParams(location.search).get('select')")
    page.open(f"?kernel=tiled&size=64&view=banks&select={select}")
    check(page.value("new URLSearchParams(location.search).get('select')") == select, "the address does not lead to the place")


def stops(page):
    """A launch that takes long ends when it is told to, and the next one begins."""
    page.open("?kernel=tiled&size=64")
    page.value("""{ document.getElementById("kernel").value = "register_tile"; document.getElementById("kernel").dispatchEvent(new Event("change", { bubbles: true }));
      for (const name of ["m", "p", "n"]) document.getElementById("launch").elements[name].value = 512;
      document.getElementById("launch").requestSubmit(); }""")
    page.wait("!document.getElementById('stop').hidden")
    page.value("document.getElementById('stop').click()")
    page.idle()
    check(page.text("error") == "Stopped.", page.text("error"))
    page.choose("kernel", "vector_add")
    page.wait("document.getElementById('access').textContent.includes('line')")
    page.idle()
    check(page.text("error") == "", page.text("error"))


def opens_files(page, warplens, folder):
    recording = os.path.join(folder, "a.wlr")
    subprocess.run([warplens, "record", "volkov_padded", "--size", "64", "-o", recording], capture_output=True, check=True)
    page.open()
    with open(recording, "rb") as file:
        contents = file.read()
    page.drop("<script>alert(1)<&.wlr", contents)
    check(page.text("error") == "", page.text("error"))
    page.wait("document.getElementById('access').textContent.length > 10")

    page.drop("broken.wlr", contents[: len(contents) // 2])
    check("broken.wlr" in page.text("error"), "a damaged recording is no error")
    page.drop("mine.cu", b"__global__ void k() {}")
    check("nvcc -ptx" in page.text("error"), page.text("error"))
    page.drop("notes.txt", b"nothing")
    check("notes.txt" in page.text("error"), page.text("error"))

    page.drop("copy.ptx", PTX.encode())
    check(page.text("error") != "" and not page.value("document.getElementById('file_launch').hidden"), "the launch of PTX is not asked for")
    page.value("""{ for (const [id, value] of [["grid", "1"], ["block_shape", "32"], ["arguments", "data=i32[64]"]]) document.getElementById(id).value = value;
      document.getElementById("file_launch").requestSubmit(); }""")
    page.idle()
    check(page.text("error") == "", page.text("error"))
    page.wait("document.getElementById('access').textContent.includes('8 sectors')")

    page.drop("accesses.csv", b"op,bytes_per_lane,active_mask,lane_byte_offsets\nshared_load,4,0x3,0 128\n")
    page.wait("document.querySelector('#predictions td:last-child') !== null")
    page.open("?url=../a.wlr")
    page.picture()
    check(page.value("new URLSearchParams(location.search).get('url')") == "../a.wlr", "the address does not lead to the file")
    page.open("?url=a.wlr")
    check("404" in page.text("error"), page.text("error"))
    page.open("?url=http://127.0.0.1:1/a.wlr")
    check("CORS" in page.text("error"), page.text("error"))


def plays(page):
    page.open("?mode=playground")
    page.wait("document.getElementById('access').textContent.includes('32 wavefronts')")
    page.value("""{ const e = document.querySelector("#playground [name=padding]"); e.value = 1; e.dispatchEvent(new Event("input", { bubbles: true })); }""")
    page.wait("!document.getElementById('access').textContent.includes('32 wavefronts')")
    page.value("""{ const e = document.querySelector("#playground [name=space]"); e.value = "global"; e.dispatchEvent(new Event("input", { bubbles: true })); }""")
    page.wait("document.querySelector('#picture svg title').textContent === 'Coalescing'")
    page.value("""{ const e = document.querySelector("#playground [name=items]"); e.value = "lane *"; e.dispatchEvent(new Event("input", { bubbles: true })); }""")
    page.wait("document.getElementById('error').textContent !== ''")


def gives_lessons(page):
    page.open("?lesson=banks&scene=2")
    check(page.text("sentence") == "" and page.value("document.querySelector('#scene_views svg') === null"), "the answer is shown before it is asked for")
    page.value("document.querySelectorAll('#answers input')[1].click(); document.getElementById('question').requestSubmit()")
    page.wait("document.querySelector('#scene_views svg') !== null")
    check("2 wavefronts" in page.text("sentence"), page.text("sentence"))
    check(page.text("verdict") == "Right.", page.text("verdict"))
    page.value("document.getElementById('scene_forward').click()")
    page.wait("document.getElementById('scene_number').textContent.includes('3 / ')")
    page.idle()
    check(page.value("document.activeElement.id") == "scene_title", "the next scene has not the focus")


def tries_other_values(page):
    page.open("?lesson=banks&scene=1")
    page.value("""{ const e = document.querySelector("#scene_fields select"); e.value = "32"; e.dispatchEvent(new Event("change", { bubbles: true })); }""")
    page.idle()
    check(page.text("error") == "", page.text("error"))
    check("32 wavefronts" in page.text("sentence"), page.text("sentence"))
    page.value("document.getElementById('as_in_lesson').click()")
    page.wait("!document.getElementById('sentence').textContent.includes('32 wavefronts')")


def handouts_are_live(page, warplens, folder):
    """A handout beside the page's folder, a lesson that ships and one that does not."""
    with open(os.path.join(folder, "mine.toml"), "w", encoding="utf-8") as file:
        file.write(LESSON)
    for lesson in ("banks", os.path.join(folder, "mine.toml")):
        subprocess.run([warplens, "lesson", lesson, "--handout", os.path.join(folder, "handout.html"), "--page", "page"], capture_output=True, check=True)
        page.browser.go(page.address.replace("/page/", "/") + "handout.html")
        page.wait("document.querySelectorAll('.live button').length > 0")
        page.value("document.querySelector('.live button').click()")
        inner = "document.querySelector('.live iframe')?.contentDocument"
        page.wait(f"Boolean({inner}?.querySelector('#scene_fields select')) && !{inner}.body.hasAttribute('aria-busy')")
        check(page.value(f"{inner}.body.classList.contains('alone')"), "the frame shows the whole page")
        page.value(f"""{{ const e = {inner}.querySelector("#scene_fields select"); e.value = "32"; e.dispatchEvent(new Event("change", {{ bubbles: true }})); }}""")
        page.wait(f"{inner}.getElementById('sentence').textContent.includes('32 wavefronts')")


def speaks(page):
    for tag in ("de", "fr", "pl", "ru", "zh"):
        page.open(f"?lang={tag}&kernel=tiled&size=64")
        page.picture()
        check(page.value("document.documentElement.lang") == tag, tag)
        check("line 25" not in page.text("access"), f"{tag}: {page.text('access')}")
        loads = page.value("document.fonts.ready.then((fonts) => [...fonts].some((font) => font.family.includes('SC') && font.status === 'loaded'))")
        check(loads == (tag == "zh"), f"{tag}: the font for Chinese is fetched: {loads}")


def is_narrow(page):
    for query in ("", "?lesson=banks&scene=1", "?mode=playground", "?mode=patterns"):
        page.open(query, width=360, height=800)
        check(page.value("document.documentElement.scrollWidth <= innerWidth"), f"{query} is wider than a telephone")


def stands_in_a_frame(page):
    page.open("?alone=1&kernel=tiled&size=64&view=coalescing")
    page.wait("document.querySelector('#picture svg title')?.textContent === 'Coalescing'")
    shown = page.value("['header', '#views', '#files', '#launch', '#place', '#picture'].filter((name) => document.querySelector(name).checkVisibility())")
    check(shown == ["#launch", "#place", "#picture"], f"shown in a frame: {shown}")
    check(page.value("new URLSearchParams(location.search).get('alone')") == "1", "the address forgets that the page stands alone")


def keep_pictures(page, folder):
    os.makedirs(folder, exist_ok=True)
    for name, query in (("explore", ""), ("source", "?kernel=volkov_transposed&view=source"), ("lesson", "?lesson=banks&scene=1"), ("playground", "?mode=playground"), ("patterns", "?mode=patterns")):
        for width, scale, dark in ((1280, 1, False), (1600, 2, True), (390, 2, False), (390, 1, True)):
            page.open(query, width=width, scale=scale, dark=dark)
            page.wait("document.querySelector('#picture svg, #scene_views svg, #predictions table') !== null")
            data = page.browser.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
            with open(os.path.join(folder, f"{name}_{width}_{scale}x_{'dark' if dark else 'light'}.png"), "wb") as file:
                file.write(base64.b64decode(data))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page")
    parser.add_argument("warplens")
    parser.add_argument("--pictures")
    arguments = parser.parse_args()
    with opened(arguments.page) as (page, folder):
        files = [os.path.join(arguments.page, name) for name in os.listdir(arguments.page)]
        compressed = sum(len(gzip.compress(open(file, "rb").read())) for file in files)
        print(f"{compressed} bytes compressed")
        check(compressed < MOST_BYTES, f"the page has {compressed} bytes compressed")
        explores(page, arguments.warplens, folder)
        goes_by_keyboard(page)
        stops(page)
        opens_files(page, arguments.warplens, folder)
        plays(page)
        gives_lessons(page)
        tries_other_values(page)
        handouts_are_live(page, arguments.warplens, folder)
        speaks(page)
        is_narrow(page)
        stands_in_a_frame(page)
        if arguments.pictures:
            keep_pictures(page, arguments.pictures)
    check(page.errors == [], f"the page has errors: {page.errors}")


main()
