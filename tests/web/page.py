"""The page of build/web/page, served in this machine and opened in headless Chromium in a fresh profile, for the tests of it."""

import base64
import contextlib
import functools
import http.server
import json
import os
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from chromium import Browser, find_browser  # noqa: E402

PATIENCE = 60  # Seconds


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Page:
    def __init__(self, browser, address):
        self.browser, self.address, self.errors = browser, address, []
        read = browser.read

        def read_and_note():
            message = read()
            if message.get("method") == "Runtime.exceptionThrown":
                self.errors.append(json.dumps(message["params"])[:500])
            return message

        browser.read = read_and_note
        browser.ask("Runtime.enable")

    def value(self, expression):
        answer = self.browser.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, expression):
        end = time.monotonic() + PATIENCE
        while not (value := self.value(expression)):
            if time.monotonic() > end:
                raise TimeoutError(f"never true: {expression}; the page says: {self.value('document.body.innerText.slice(0, 400)')}")
            time.sleep(0.05)
        return value

    def open(self, query="", width=1280, height=900, scale=1, dark=False):
        self.browser.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)
        self.browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.browser.go(self.address + query)
        self.wait("document.getElementById('status').textContent + document.getElementById('error').textContent !== '' && !document.body.hasAttribute('aria-busy')")

    def text(self, element):
        return self.value(f"document.getElementById('{element}').textContent")

    def picture(self):
        return self.wait("document.querySelector('#picture svg')?.outerHTML")

    def idle(self):
        self.wait("!document.body.hasAttribute('aria-busy')")

    def choose(self, element, value):
        self.value(f"{{ const e = document.getElementById('{element}'); e.value = {json.dumps(value)}; e.dispatchEvent(new Event('change', {{ bubbles: true }})); }}")

    def drop(self, name, contents):
        data = base64.b64encode(contents).decode()
        self.value(f"""{{
          const bytes = Uint8Array.from(atob({json.dumps(data)}), (c) => c.charCodeAt(0)), transfer = new DataTransfer();
          transfer.items.add(new File([bytes], {json.dumps(name)}));
          document.dispatchEvent(new DragEvent("drop", {{ dataTransfer: transfer, bubbles: true, cancelable: true }}));
        }}""")
        self.idle()


@contextlib.contextmanager
def opened(pages):
    """The page in the folder `pages`, and the folder that is served around it. Ends with 77, which CTest takes as skipped, where
    there is no page or no Chromium."""
    if not os.path.exists(os.path.join(pages, "warplens.wasm")):
        print(f"skipped: {pages} has no page (tools/dev/build-web.sh)")
        sys.exit(77)
    program = find_browser()
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.abspath(pages), os.path.join(folder, "page"))
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = Browser(program, folder)
        try:
            yield Page(browser, f"http://127.0.0.1:{server.server_port}/page/"), folder
        finally:
            browser.close()
