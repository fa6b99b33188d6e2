#!/usr/bin/env python3
"""Opens reports in a headless Chromium and uses them as a reader would.

    report_page.py REGATTA SYNTHETIC_RECORDS.py    (TAP)

The browser is driven over its debugging pipe (Chrome DevTools Protocol), so nothing but Chromium is needed. Without
it the test is skipped. SCREENSHOTS=FOLDER keeps pictures of what it saw.
"""

import base64
import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import tap_lines
from tap_lines import say

# Small enough for slow machines: (tasks, rows, kind).
REPORTS = {
    "plain": (60, 20, "plain"),
    "wrong": (40, 8, "wrong"),
    "disputed": (40, 8, "disputed"),
    "nothing": (5, 3, "nothing"),
    "hostile": (30, 12, "hostile"),
    "one": (1, 1, "plain"),
    "one-row": (20, 1, "plain"),
    "empty": (0, 0, "plain"),
}


class Browser:
    def __init__(self, program, folder):
        to_child, self.out = os.pipe()
        self.input, from_child = os.pipe()
        # Chromium reads descriptor 3 and writes 4: take these two away from what pipes may have got.
        low = [to_child, from_child]
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 20) for fd in low]
        for fd in low:
            os.close(fd)
        self.out, self.input = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 20) for fd in (self.out, self.input))

        def pipes():
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--remote-debugging-pipe", f"--user-data-dir={folder}/profile"],
            preexec_fn=pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        for fd in high:
            os.close(fd)
        self.rest, self.number, self.events = b"", 0, []

    def call(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                got = os.read(self.input, 1 << 16)
                if not got:
                    raise EOFError("the browser ended")
                self.rest += got
            line, self.rest = self.rest.split(b"\0", 1)
            answer = json.loads(line)
            if answer.get("id") != self.number:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError(answer["error"])
            else:
                return answer["result"]

    def close(self):
        try:
            self.call("Browser.close")
        except EOFError:
            pass
        self.process.wait()


class Page:
    def __init__(self, browser, path, width=1280, dark=False):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        browser.events.clear()
        for domain in ("Runtime", "Page", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url=pathlib.Path(path).as_uri())
        self.run("new Promise(done => document.readyState === 'complete' ? done() : addEventListener('load', done))")

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def run(self, script):
        """The value of an expression in the page."""
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise AssertionError(json.dumps(result["exceptionDetails"])[:500])
        return result["result"].get("value")

    def faults(self):
        """What the page complained about or fetched."""
        found = []
        for event in self.browser.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(json.dumps(parameters["exceptionDetails"])[:600])
            elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
                found.append(parameters["entry"]["text"])
            elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "assert"):
                found.append(str(parameters["args"])[:300])
            elif method == "Network.requestWillBeSent":
                url = parameters["request"]["url"]
                if not url.startswith(("file:", "blob:", "data:")):
                    found.append("fetched " + url)
        return found

    def picture(self, name):
        if "SCREENSHOTS" in os.environ:
            height = self.run("document.documentElement.scrollHeight")
            width = self.run("innerWidth")
            clip = {"x": 0, "y": 0, "width": width, "height": min(height, 9000), "scale": 1}
            shot = self.call("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
            pathlib.Path(os.environ["SCREENSHOTS"], name + ".png").write_bytes(base64.b64decode(shot["data"]))


COLUMN = "[...document.querySelectorAll('#%s tbody tr')].map(row => row.cells[%d].textContent)"


def sorts_and_filters(page):
    head = "document.querySelectorAll('#scores thead button')[%d].click()"
    solved = lambda: [int(n.replace(",", "")) for n in page.run(COLUMN % ("scores", 2))[:-1]]
    page.run(head % 2)
    down = solved()
    page.run(head % 2)
    up = solved()
    say(len(down) > 3 and down == sorted(down, reverse=True) and len(set(down)) > 1, "sorts downwards", down)
    say(up == sorted(down), "sorts upwards", up)
    last = page.run(COLUMN % ("scores", 0))[-1]
    say(last == "virtual best", "the virtual best stays last", last)
    page.run("{const box = document.querySelector('input[placeholder^=\"Filter tasks\"]');"
             "box.value = 'task-0007 safe'; box.dispatchEvent(new Event('input'));}")
    left = page.run(COLUMN % ("tasks", 0))
    say(len(left) == 1 and left[0].endswith("/task-0007"), "filters", left)
    page.run("{const box = document.querySelector('input[placeholder^=\"Filter tasks\"]');"
             "box.value = ''; box.dispatchEvent(new Event('input'));}")
    before = len(page.run(COLUMN % ("tasks", 0)))
    page.run("[...document.querySelectorAll('button')].filter(b => b.textContent.startsWith('Show more') && !b.hidden)"
             ".forEach(b => b.click())")
    after = len(page.run(COLUMN % ("tasks", 0)))
    say(before == 40 and after == 60, "shows more", (before, after))


def chooses(page):
    select = ("{const s = document.querySelectorAll('%s select')[%d]; s.value = '%d';"
              "s.dispatchEvent(new Event('change'));}")
    labels = "[...document.querySelectorAll('#pair select')].map(s => s.selectedOptions[0].textContent)"
    axes = "[...document.querySelectorAll('svg[aria-label=\"Scatter plot\"] text.name')].map(t => t.textContent).join()"
    before = page.run(axes)
    page.run(select % ("#pair", 0, 3))
    page.run(select % ("#pair", 1, 5))
    a, b = page.run(labels)
    after = page.run(axes)
    say(a + ", s" in after and b + ", s" in after and before != after, "compares the chosen two", (a, b, after))
    diagonal = page.run("[...document.querySelectorAll('#matrix tbody tr')].at(-1).cells[0].textContent")
    total = page.run("[...document.querySelectorAll('#matrix tbody tr')].at(-1).lastChild.textContent")
    say(diagonal == "all" and total == "60", "the pairs of outcomes add up", (diagonal, total))
    cells = "[...document.querySelectorAll('#heat svg g text')].map(t => t.textContent).join()"
    before = page.run(cells)
    page.run(select % ("#heat", 0, 1))
    say(before != page.run(cells), "the heat map shows another measure")
    lines = "document.querySelectorAll('#quantile path.line').length"
    before = page.run(lines)
    page.run("document.querySelectorAll('#quantile input')[0].click()")
    say(page.run(lines) == before - 1, "the quantile plot leaves a row out")
    bars = page.run("document.querySelectorAll('#timeline svg rect').length")
    say(bars == 4, "the timeline has a bar for each attempt", bars)


def saves(page):
    page.run("URL.createObjectURL = blob => { (window.saved ??= []).push(blob.text()); return 'blob:none'; };"
             "HTMLAnchorElement.prototype.click = () => {};"
             "document.querySelectorAll('figure > button').forEach(button => button.click())")
    figures = page.run("Promise.all(window.saved)")
    kinds = [xml.etree.ElementTree.fromstring(figure).tag for figure in figures]
    say(len(figures) == 5 and set(kinds) == {"{http://www.w3.org/2000/svg}svg"}, "figures are saved as SVG", kinds)
    say(not any("var(" in figure for figure in figures), "saved figures have colours of their own")


def theme(page, browser, path):
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.run(ground)
    page.run("document.querySelector('header button').click()")
    dark = page.run(ground)
    other = Page(browser, path, width=390, dark=True)
    say(light != dark and other.run(ground) == dark, "is light and dark", (light, dark))
    wide = other.run("document.documentElement.scrollWidth")
    say(wide <= 390, "fits a narrow screen", wide)
    other.picture("narrow-dark")


def look(browser, folder, name):
    path = folder / f"{name}.html"
    page = Page(browser, path)
    say(page.faults() == [], f"{name}: no error and nothing fetched", "\n".join(page.faults()))
    say(page.run("window.hacked === undefined"), f"{name}: names are text")
    say(page.run("document.documentElement.scrollWidth") <= 1280, f"{name}: fits")
    page.picture(name)
    alarms = page.run("document.getElementById('alarms').textContent")
    if name == "wrong":
        rows = page.run("document.querySelectorAll('#alarm-table tbody tr').length")
        first = page.run("document.getElementById('alarms').compareDocumentPosition(document.getElementById('scores')) & 4")
        say(rows > 0 and first == 4 and "wrong verdicts" in alarms, "wrong verdicts come first", (rows, alarms[:80]))
        say("contradict" in page.run(COLUMN % ("alarm-table", 2))[0], "contradictions before them")
    elif name == "disputed":
        first = page.run("document.getElementById('disagreements').compareDocumentPosition(document.getElementById('scores')) & 4")
        disputed = page.run("document.querySelectorAll('#disagreement-table tbody tr').length")
        say(first == 4 and disputed > 0, "tells of answers that contradict each other", (first, disputed))
    elif name == "empty":
        say(page.run("document.getElementById('empty') !== null"), "says that there is nothing")
    else:
        say("No wrong verdict" in alarms, f"{name}: no alarm", alarms)
    if name == "plain":
        sorts_and_filters(page)
        chooses(page)
        saves(page)
        theme(page, browser, path)
        say(page.faults() == [], "no error while it was used", "\n".join(page.faults()))


def main():
    regatta, synthetic = sys.argv[1:3]
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        print("1..0 # SKIP no Chromium", flush=True)
        return 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as work:
        folder = pathlib.Path(work)
        for name, (tasks, rows, kind) in REPORTS.items():
            records, page = folder / f"{name}.db", folder / f"{name}.html"
            subprocess.run([sys.executable, synthetic, regatta, records, "--tasks", str(tasks), "--rows", str(rows),
                            "--kind", kind], check=True)
            subprocess.run([regatta, "report", records, "-o", page], check=True)
        browser = Browser(program, folder)
        try:
            browser.call("Browser.getVersion")
        except (EOFError, BrokenPipeError):
            print("1..0 # SKIP Chromium does not start here", flush=True)
            return 0
        try:
            for name in REPORTS:
                look(browser, folder, name)
            browser.close()
        finally:
            browser.process.kill()
            browser.process.wait()
    return tap_lines.end()


sys.exit(main())
