"""One line that says how far the tests are, in place of dots; a plug-in of pytest that `start.py test` loads.

On a terminal the line is written over; elsewhere, as in the log of a service, there is a new one now and then. What
fails is named at once. In the end the counts are written to the file that `EASYDYN_COUNTS` names, for start.py.
"""

import math
import os
import shutil
import sys
import time
from pathlib import Path

import pytest

OFTEN, SELDOM = 0.3, 20.0  # s between two lines: on a terminal, elsewhere


def duration(seconds):
    """As one says it: 45 s, 2 min 10 s."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def in_words(done, total, failed, seconds, now):
    """What runs now, how far, about how long."""
    words = f"{done} of {total} tests ({100 * done // max(total, 1)} %), {failed} failed; {duration(seconds)}"
    if done >= total / 20 and seconds > 5:
        words += f", about {duration(10 * round(seconds * (total - done) / done / 10))} more"
    return f"{words}; now {now}"


class Progress:
    def __init__(self, config):
        self.reporter = config.pluginmanager.getplugin("terminalreporter")
        self.reporter.showfspath = False
        self.live = sys.stdout.isatty()
        self.began = time.monotonic()
        self.told = -math.inf
        self.done, self.failed, self.now, self.total = set(), 0, "", 0

    def line(self, words):
        """A line of its own; on a terminal the next one is written over it."""
        width = shutil.get_terminal_size().columns - 1
        self.reporter.write("\r" + words[:width].ljust(width) if self.live else words + "\n", flush=True)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids):
        self.total = len(ids)

    def pytest_collection_finish(self, session):
        self.total = self.total or len(session.items)

    def pytest_runtest_logstart(self, nodeid):
        self.now = nodeid.split("::")[0]

    @pytest.hookimpl(wrapper=True)
    def pytest_report_teststatus(self):
        """As ever, but for the letter."""
        category, _, word = yield
        return category, "", word

    def pytest_runtest_logreport(self, report):
        self.done.add(report.nodeid)
        if report.failed:
            self.failed += 1
            if self.live:
                self.line("")
            self.reporter.write(f"{chr(13) * self.live}failed: {report.nodeid}\n", flush=True)
        now = time.monotonic()
        if now - self.told > (OFTEN if self.live else SELDOM):
            self.told = now
            self.line(in_words(len(self.done), self.total, self.failed, now - self.began, self.now))

    def pytest_sessionfinish(self):
        if self.live:
            self.line("")
            self.reporter.write("\r")
        counts = {kind: len(self.reporter.stats.get(kind, ())) for kind in ("passed", "failed", "error", "skipped")}
        text = f"{counts['passed']} passed, {counts['failed'] + counts['error']} failed"
        if counts["skipped"]:
            text += f", {counts['skipped']} skipped"
        if "EASYDYN_COUNTS" in os.environ:
            Path(os.environ["EASYDYN_COUNTS"]).write_text(text + "\n", encoding="utf-8")


@pytest.hookimpl(trylast=True)  # the reporter has come
def pytest_configure(config):
    if not hasattr(config, "workerinput") and not config.option.verbose > 0 and not config.option.collectonly:
        config.pluginmanager.register(Progress(config), "easydyn-progress")
