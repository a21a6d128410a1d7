"""One headless Chromium for the tests of pages. Where there is none, find_browser says so and ends with 77, which CTest takes as skipped."""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys

PATIENCE = 120  # Seconds


def find_browser():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    print("skipped: no Chromium is here (apt-get install chromium)")
    sys.exit(77)


class Browser:
    """One Chromium for all pages, spoken to through a pipe in the DevTools protocol: to start it takes longer than a page."""

    def __init__(self, program, folder):
        command = [program, "--headless", "--disable-gpu", "--no-first-run", "--hide-scrollbars", "--window-size=1300,1000", "--remote-debugging-pipe"]
        command.append(f"--user-data-dir={os.path.join(folder, 'profile')}")
        if os.geteuid() == 0:
            command.append("--no-sandbox")
        to_browser, self.requests = os.pipe()
        self.answers, from_browser = os.pipe()
        # It reads at descriptor 3 and writes at 4, which are duplicated from higher ones so that neither is overwritten.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (to_browser, from_browser)]

        def place_ends():
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=place_ends, pass_fds=(3, 4))
        for end in (to_browser, from_browser, *ends):
            os.close(end)
        self.number, self.unread, self.events, self.session = 0, b"", [], None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.ask("Page.enable")

    def read(self):
        while b"\0" not in self.unread:
            if not select.select([self.answers], [], [], PATIENCE)[0]:
                raise TimeoutError("Chromium does not answer")
            more = os.read(self.answers, 1 << 20)
            if not more:
                raise EOFError("Chromium has ended")
            self.unread += more
        message, self.unread = self.unread.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        left = json.dumps(request).encode() + b"\0"
        while left:
            left = left[os.write(self.requests, left) :]
        while (answer := self.read()).get("id") != self.number:
            self.events.append(answer.get("method"))
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def open(self, page):
        self.go(f"file://{page}")

    def go(self, address):
        self.events.clear()
        self.ask("Page.navigate", url=address)
        while "Page.loadEventFired" not in self.events:
            self.events.append(self.read().get("method"))

    def text_of(self, element):
        """None: the page has no element of that id."""
        return self.ask("Runtime.evaluate", expression=f"document.getElementById('{element}')?.textContent")["result"].get("value")

    def picture(self, scheme):
        """Of the page for readers who prefer that scheme, as PNG."""
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        return base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"])

    def printed(self):
        """As PDF."""
        return base64.b64decode(self.ask("Page.printToPDF", preferCSSPageSize=True)["data"])

    def close(self):
        self.session = None
        self.ask("Browser.close")
        self.process.wait(timeout=PATIENCE)
