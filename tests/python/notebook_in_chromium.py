#!/usr/bin/env python3
"""Opens the notebook of the documentation in JupyterLab, in headless Chromium, runs it and moves its slider.
notebook_in_chromium.py NOTEBOOK PICTURE.png        (with jupyterlab and playwright; Chromium is the system's)"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import Page, sync_playwright
from playwright.sync_api import TimeoutError as TimeoutExpired

PORT, TOKEN = 18888, "warplens"


def wait_for_server(process: subprocess.Popen[bytes]) -> None:
    for _ in range(240):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{PORT}/api?token={TOKEN}", timeout=2).close()
            return
        except OSError:
            if process.poll() is not None:
                raise
            time.sleep(0.5)
    raise TimeoutError("JupyterLab did not start")


def use(page: Page, name: str, picture: Path) -> None:
    page.goto(f"http://127.0.0.1:{PORT}/lab/tree/{name}?token={TOKEN}&reset", timeout=180_000)
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=180_000)
    with contextlib.suppress(TimeoutExpired):  # Some releases ask which kernel
        page.locator(".jp-Dialog button.jp-mod-accept").click(timeout=20_000)
    page.get_by_text("Run", exact=True).first.click()
    page.get_by_text("Run All Cells", exact=True).click()
    slider = page.locator("input[type=range][aria-label=step]")
    slider.wait_for(timeout=180_000)
    drawn = page.locator("img[alt^='phase ']")
    drawn.wait_for()
    all_ran = "() => ![...document.querySelectorAll('.jp-InputPrompt')].some(prompt => prompt.textContent.includes('*'))"
    page.wait_for_function(all_ran, timeout=120_000)
    before = drawn.get_attribute("src")
    slider.focus()
    slider.press("ArrowRight")
    page.wait_for_function("before => document.querySelector(\"img[alt^='phase ']\").src !== before", arg=before, timeout=60_000)
    slider.scroll_into_view_if_needed()
    time.sleep(1)
    page.screenshot(path=str(picture))
    outputs = page.locator("img[alt='a view of Warplens']").count()
    assert outputs >= 1, "no picture is shown"
    text = page.locator(".jp-Notebook").inner_text()
    assert "Error" not in text, text


def main() -> None:
    notebook, picture = Path(sys.argv[1]), Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(notebook, folder)
        server = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "jupyterlab",
                "--no-browser",
                "--allow-root",
                f"--port={PORT}",
                f"--IdentityProvider.token={TOKEN}",
            ],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            wait_for_server(server)
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
                use(browser.new_page(viewport={"width": 1300, "height": 1000}), notebook.name, picture)
                browser.close()
        finally:
            server.terminate()
            server.wait()
    print(f"{notebook.name}: ran in Chromium, and its slider draws")


if __name__ == "__main__":
    main()
