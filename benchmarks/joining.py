"""People who join at the same moment and go on to work: how long until each has the first question, its picture, the next one.

    uv run benchmarks/joining.py [--people 50 --images 200 --side 1024 --seconds 60 --think 6] [--quick] [--no-browser]

The server is the real one, over a project of its own with a running campaign; people are HTTP clients in this process, on the
same cores. Each does what a browser does that opens the form: the page, its script and styles, a name, the campaign, what is
next, and the picture as the form shows it. All begin at once, and once more as other people, when the server is warm.

Then others join at once and work, ``--seconds`` from their joining on: each thinks for a time that is lognormal with a mean of
``--think`` seconds, sends a draft, then the answer, and loads ahead the pictures that they are offered. Among them somebody
works in Chromium, by keyboard: the clock runs from the time stamp of Enter until the next picture is painted with its question.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser

if not __package__:
    # run as a script, whose folder comes first
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks import annotators
from benchmarks.annotate import BROWSER_PERSON, OUR_MARKS, Clicker, open_browser, open_our_form, served, together
from benchmarks.annotators import Http
from benchmarks.load import LoadPlan, LoadResult, SimulatedAnnotator
from benchmarks.measuring import command_line, machine, percentile, planned, processor_seconds, written
from data.images.widths import IN_FORM
from data.store.core.store import Store
from ui.web.assets import SCRIPT, STYLES

ROUNDS: Final = ("just started", "warm")
SMALL: Final = LoadPlan(people=3, images=30, seconds=4.0, think=0.5)


@dataclass(frozen=True, slots=True)
class JoinTimes:
    """Of one person, the seconds from the click to the page with its script and styles, to the question, to its picture."""

    page: float
    question: float
    picture: float


async def join(name: str, port: int) -> JoinTimes:
    """One person opens the form."""
    start = time.perf_counter()
    http = Http(port)
    await http.connect()
    await http.text("GET", "/annotate/")
    for asset in (SCRIPT, STYLES):
        await http.content("GET", f"/assets/{asset}")
    page = time.perf_counter() - start
    await http.json("POST", "/api/name", {"name": name})
    await http.json("POST", "/api/campaign", {"campaign": annotators.NAME})
    task = (await http.json("GET", "/api/next"))["tasks"][0]
    question = time.perf_counter() - start
    for image in task["images"]:
        await http.content("GET", f"{image['image']}?w={IN_FORM}")
    http.close()
    return JoinTimes(page, question, time.perf_counter() - start)


@dataclass(frozen=True, slots=True)
class Round:
    """All who joined at once, and the seconds of processor that the server took for them."""

    joined: Sequence[JoinTimes]
    processor: float


async def _round(name: str, people: int, port: int, pid: int) -> Round:
    before = processor_seconds(pid)
    joined = await asyncio.gather(*(join(f"{name} {n}", port) for n in range(people)))
    return Round(joined, processor_seconds(pid) - before)


class Joiner(SimulatedAnnotator):
    """Somebody who opens the form as a browser does, and loads ahead what they are offered."""

    def __init__(self, name: str, port: int, choose: annotators.Choose, result: LoadResult, plan: LoadPlan, seed: int) -> None:
        super().__init__(name, port, choose, result, plan, seed)
        self._port = port
        self._seen: set[str] = set()
        self._loading: set[asyncio.Task[None]] = set()

    async def join_and_work(self, until: float) -> None:
        await join(self.name, self._port)
        await self.enter()
        await self.work(until)
        await asyncio.gather(*self._loading)
        self.close()

    def _look(self, result: Mapping[str, Any]) -> None:
        super()._look(result)
        paths = [f"{image['image']}?w={IN_FORM}" for task in result.get("tasks", ()) for image in task["images"]]
        if ahead := [path for path in paths if path not in self._seen]:
            self._seen.update(ahead)
            self._loading.add(task := asyncio.create_task(self._load(ahead)))
            task.add_done_callback(self._loading.discard)

    async def _load(self, paths: Sequence[str]) -> None:
        line = Http(self._port)
        await line.connect()
        for path in paths:
            start = time.perf_counter()
            await line.content("GET", path)
            self._result.timed("picture", time.perf_counter() - start, None)
        line.close()


async def _work(port: int, choose: annotators.Choose, plan: LoadPlan, until: float) -> LoadResult:
    result = LoadResult()
    joiners = [Joiner(f"at work {n}", port, choose, result, plan, n) for n in range(plan.people)]
    await asyncio.gather(*(joiner.join_and_work(until) for joiner in joiners))
    return result


def at_work(port: int, choose: annotators.Choose, plan: LoadPlan, clicker: Clicker | None) -> LoadResult:
    """All join and work; what they waited for, and of the browser from Enter to the next picture."""
    with ThreadPoolExecutor(1) as thread:
        until = time.perf_counter() + plan.seconds
        working = thread.submit(asyncio.run, _work(port, choose, plan, until))
        shown: list[float] = []
        while clicker is not None and time.perf_counter() < until:
            shown.append(clicker.click())
        result = working.result()
    return replace(result, waits=result.waits | ({"browser": shown} if shown else {}))


def run(folder: Path, plan: LoadPlan, side: int, browser: Browser | None) -> tuple[list[Round], LoadResult]:
    """Make the project, serve it, let all join, by round, and others join and work."""
    with Store(folder / "project") as store:
        annotators.make_campaign(store, folder / "pictures", plan.images, (len(ROUNDS) + 1) * plan.people + 1, side)
        items = annotators.questions_by_ticket(store, folder / "pictures")
    line: list[str | Path] = ["app.py", "serve", "--no-browser", "--project", folder / "project"]
    with served(line, "/api/next") as (process, port):
        rounds = [together(_round(name, plan.people, port, process.pid)) for name in ROUNDS]
        clicker = None
        if browser is not None:
            expected = {questions.sha256: annotators.first_count(questions.questionnaire) for questions in items}
            marks = replace(OUR_MARKS, key="Enter")
            clicker = open_our_form(browser, f"http://127.0.0.1:{port}", BROWSER_PERSON, expected, marks)
            clicker.thinking = 1000 * plan.think / _FASTER
        before, start = processor_seconds(process.pid), time.perf_counter()
        result = at_work(port, annotators.chooser(items), plan, clicker)
        result.seconds, result.server = time.perf_counter() - start, processor_seconds(process.pid) - before
    return rounds, result


_FASTER: Final = 4
"""Whoever works in the browser thinks so many times faster than the others, for more figures."""
_KINDS: Final = {
    "submit": "submit (what is next rides along)",
    "draft": "a draft",
    "picture": "a picture, loaded ahead",
    "browser": "in Chromium: Enter to next picture",
}


def lines_of(rounds: Sequence[Round], result: LoadResult, plan: LoadPlan) -> list[str]:
    """The tables."""
    head = f"{plan.people} people at once; shared with the clients: {machine()}"
    lines = [head, "", f"{'':14}{'until':<12}{'p50':>8}{'p95':>8}{'worst':>8}  s"]
    for name, round_ in zip(ROUNDS, rounds, strict=True):
        for field in fields(JoinTimes):
            waits = [float(getattr(person, field.name)) for person in round_.joined]
            figures = "".join(f"{percentile(waits, share):>8.2f}" for share in (0.5, 0.95, 1.0))
            lines.append(f"{name:14}{field.name:<12}{figures}")
        lines.append(f"{name:14}the server's processor: {round_.processor:.2f} s")
    lines += ["", f"{plan.people} others join and work for {result.seconds:.0f} s, thinking {plan.think:g} s"]
    lines.append(f"{'':36}{'n':>7}{'p50':>8}{'p95':>8}{'worst':>8}  ms")
    for kind, words in _KINDS.items():
        if times := result.waits.get(kind):
            figures = "".join(f"{1000 * percentile(times, share):>8.0f}" for share in (0.5, 0.95, 1.0))
            lines.append(f"{words:36}{len(times):>7,}{figures}")
    lines.append(
        f"the server's processor: {100 * result.server / result.seconds:.0f} % of a core; errors: {result.errors.total()}"
    )
    return lines


def main(arguments: Sequence[str] | None = None) -> list[str]:
    """Measure, print; the printed lines."""
    parser = command_line(__doc__)
    helps = {"people": "who join", "images": "of the campaign", "seconds": "that they work", "think": "seconds, on average"}
    parser.add_argument("--side", type=int, default=1024, help="pixels of a picture's side (default 1024)")
    parser.add_argument("--no-browser", action="store_true", help="leave the browser out")
    whole = LoadPlan(people=50, images=200, seconds=60.0, think=6.0)
    plan, options = planned(parser, whole, SMALL, helps, arguments)
    side = 64 if options["quick"] else options["side"]
    with tempfile.TemporaryDirectory() as folder, nullcontext() if options["no_browser"] else open_browser() as browser:
        joined, result = run(Path(folder), plan, side, browser)
    lines = lines_of(joined, result, plan)
    rounds = {name: asdict(round_) for name, round_ in zip(ROUNDS, joined, strict=True)}
    return written(options, {"rounds": rounds, "seconds": result.waits, "lines": lines}, lines)


if __name__ == "__main__":
    main()
