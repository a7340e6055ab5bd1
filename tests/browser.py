"""A real browser for tests: headless Chromium, driven by its DevTools protocol over a pipe; nothing to be installed.

    with Browser(folder) as browser:
        page = browser.open(path)
        page.run("document.title")

Messages are JSON, each ended by a zero byte: Chromium reads them from its file descriptor 3 and writes to 4.
"""

import base64
import io
import itertools
import json
import os
import select
import shutil
import subprocess
import sys
import time

import numpy as np
from matplotlib import image

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = """
    --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-sync
    --disable-component-update --disable-dev-shm-usage --enable-unsafe-swiftshader --window-size=900,600
    --remote-debugging-pipe
""".split()
OFFLINE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost"
LAUNCHER = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in sys.argv[1:3]]
for number, end in zip((3, 4), ends):
    os.dup2(end, number)
os.execv(sys.argv[3], sys.argv[3:])
"""
PATIENCE = 60.0  # s that an answer may take
CODES = {"Tab": 9, "Enter": 13, " ": 32, "PageUp": 33, "PageDown": 34, "End": 35, "Home": 36, "ArrowLeft": 37,
         "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}  # fmt: skip
TEXTS = {"Enter": "\r"}  # what such a key types, beside those of one letter


def program():
    """The path of a Chromium, or None."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Browser:
    def __init__(self, folder, *flags):
        self.folder = folder
        self.flags = flags

    def __enter__(self):
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()
        words = [program(), *FLAGS, OFFLINE, *self.flags, f"--user-data-dir={self.folder}", "about:blank"]
        command = [sys.executable, "-c", LAUNCHER, str(to_read), str(to_write), *words]
        self._log = open(self.folder / "chromium.log", "wb")
        self._process = subprocess.Popen(
            command, pass_fds=(to_read, to_write), stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log
        )
        os.close(to_read)
        os.close(to_write)
        self._numbers = itertools.count(1)
        self._rest, self._messages = b"", []
        return self

    def __exit__(self, *_):
        try:
            self.send("Browser.close")
            self._process.wait(20)
        except Exception:  # it has to end, whatever happened
            self._process.kill()
            self._process.wait()
        os.close(self._write)
        os.close(self._read)
        self._log.close()

    def receive(self, until):
        """Read messages until one for which `until` is true, which is returned; others are kept."""
        end = time.monotonic() + PATIENCE
        while True:
            for k, message in enumerate(self._messages):
                if until(message):
                    return self._messages.pop(k)
            left = end - time.monotonic()
            if left <= 0 or not select.select([self._read], [], [], left)[0]:
                raise TimeoutError(f"the browser said nothing for {PATIENCE:g} s")
            got = os.read(self._read, 1 << 20)
            if not got:
                raise ConnectionError("the browser has ended: " + (self.folder / "chromium.log").read_text()[-500:])
            *whole, self._rest = (self._rest + got).split(b"\0")
            self._messages += [json.loads(text) for text in whole]

    def post(self, method, session=None, **parameters):
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters} | ({"sessionId": session} if session else {})
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._write, data) :]
        return number

    def send(self, method, session=None, **parameters):
        number = self.post(method, session, **parameters)
        answer = self.receive(lambda message: message.get("id") == number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def open(self, path, width=900, height=600, media=(), ratio=1):
        """A page of a file, or of an address given as a string, loaded and in front.

        `media` are settings of the reader, by name; `ratio` says how many pixels of the screen are as wide as one of
        the page.
        """
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session, target)
        page.send("Emulation.setEmulatedMedia", features=[{"name": n, "value": v} for n, v in dict(media).items()])
        page.send("Page.bringToFront")
        for domain in ("Page", "Runtime", "Log"):
            page.send(f"{domain}.enable")
        page.resize(width, height, ratio)
        page.send("Page.navigate", url=path if isinstance(path, str) else path.resolve().as_uri())
        self.receive(lambda m: m.get("method") == "Page.loadEventFired" and m.get("sessionId") == session)
        return page

    def frames(self, page, count):
        """The frames of a page that are documents of their own, by their titles, once there are so many.

        What they say in the console is kept apart from what the page says.
        """

        def inside():
            targets = self.send("Target.getTargets")["targetInfos"]
            return [t["targetId"] for t in targets if t["type"] == "iframe" and t.get("parentId") == page.target]

        end = time.monotonic() + PATIENCE
        while len(found := inside()) < count:
            if time.monotonic() > end:
                raise TimeoutError(f"the page has {len(found)} frames, expected {count}")
            time.sleep(0.02)
        frames = []
        for target in found:
            session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            frames.append(Page(self, session, target))
            for domain in ("Runtime", "Log"):
                frames[-1].send(f"{domain}.enable")  # what was said before is told now
            frames[-1].until("document.readyState === 'complete'")
        return {frame.run("document.title"): frame for frame in frames}

    def close(self, page):
        """Close a page."""
        self.send("Target.closeTarget", targetId=page.target)

    def complaints(self, session):
        """What pages said in the console, and errors, so far.

        One remark is not the page's: taking a picture of it makes the software that draws without a graphics card wait.
        """
        waited = "GPU stall due to ReadPixels"
        kinds = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        found = [m for m in self._messages if m.get("method") in kinds and m.get("sessionId") == session]
        return [m for m in found if waited not in m["params"].get("entry", {}).get("text", "")]


class Page:
    def __init__(self, browser, session, target):
        self.browser, self.session, self.target = browser, session, target

    def send(self, method, **parameters):
        return self.browser.send(method, self.session, **parameters)

    def run(self, expression):
        """The value of an expression of JavaScript, waited for."""
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def until(self, expression):
        """Wait until an expression of JavaScript is true."""
        end = time.monotonic() + PATIENCE
        while not self.run(expression):
            if time.monotonic() > end:
                raise TimeoutError(f"{expression} has not come true in {PATIENCE:g} s")
            time.sleep(0.02)

    def settle(self):
        """Wait until two pictures have been drawn."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def still(self, box=None):
        """The picture, or that of a box, when nothing moves any more: the first that is the same twice."""
        end = time.monotonic() + PATIENCE
        self.settle()
        before = self.picture(box=box)
        while True:
            self.settle()
            after = self.picture(box=box)
            if np.array_equal(after, before):
                return after
            if time.monotonic() > end:
                raise TimeoutError(f"the picture has not come to rest in {PATIENCE:g} s")
            before = after

    def key(self, key, shift=False):
        """A key, pressed and released as by hand: the browser does what it does with it as well."""
        text = {"text": TEXTS.get(key, key)} if len(key) == 1 or key in TEXTS else {}
        code = {"windowsVirtualKeyCode": CODES[key]} if key in CODES else {}
        for kind in ("keyDown" if text else "rawKeyDown", "keyUp"):
            parameters = {"key": key, "modifiers": 8 if shift else 0} | code | (text if kind == "keyDown" else {})
            self.send("Input.dispatchKeyEvent", type=kind, **parameters)
        self.settle()

    def touch(self, *places):
        """Fingers that go through these places together, each a list of points (x, y): down, along, up."""
        for kind, now in [
            ("touchStart", [p[0] for p in places]),
            *(("touchMove", points) for points in zip(*(p[1:] for p in places), strict=True)),
            ("touchEnd", []),
        ]:
            points = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(now)]
            self.send("Input.dispatchTouchEvent", type=kind, touchPoints=points)
        self.settle()

    def box(self, selector):
        """Left, top, width, height of an element (px)."""
        box = f"document.querySelector({json.dumps(selector)}).getBoundingClientRect()"
        return self.run(f"(b => [b.left, b.top, b.width, b.height])({box})")

    def click(self, selector):
        """Press in the middle of an element."""
        x, y, w, h = self.box(selector)
        self.drag((x + w / 2, y + h / 2), (x + w / 2, y + h / 2))

    def resize(self, width, height, ratio=1):
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=ratio, mobile=False
        )
        self.settle()

    def close(self):
        self.send("Page.close")

    def mouse(self, kind, x, y, **parameters):
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **parameters)

    def drag(self, start, end, button="left", modifiers=0):
        held = {"left": 1, "right": 2}[button]
        self.mouse("mousePressed", *start, button=button, buttons=held, clickCount=1, modifiers=modifiers)
        for s in (0.25, 0.5, 0.75, 1.0):
            x, y = (a + s * (b - a) for a, b in zip(start, end, strict=True))
            self.mouse("mouseMoved", x, y, button=button, buttons=held, modifiers=modifiers)
        self.mouse("mouseReleased", *end, button=button, clickCount=1, modifiers=modifiers)
        self.settle()

    @property
    def console(self):
        """What was said in the console, and errors: empty when all is well."""
        self.run("1")
        return [json.dumps(m["params"])[:500] for m in self.browser.complaints(self.session)]

    def picture(self, path=None, box=None):
        """A screenshot, (height, width, 3) of numbers from 0 to 255; written to `path` as well if given.

        Of a box (left, top, width, height) if given, in pixels of the page.
        """
        clip = {"clip": dict(zip(("x", "y", "width", "height"), box, strict=True)) | {"scale": 1}} if box else {}
        data = base64.b64decode(self.send("Page.captureScreenshot", format="png", **clip)["data"])
        if path is not None:
            path.write_bytes(data)
        return np.round(255 * image.imread(io.BytesIO(data), format="png")[..., :3]).astype(np.uint8)
