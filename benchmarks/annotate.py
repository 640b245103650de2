"""Our form against the same form of queued Gradio components: durable answers a second, and the wait from click to next prompt.

    uv run benchmarks/annotate.py [--clients 50 --answers 20 --rounds 3 --clicks 14] [--quick] [--json FILE]

Each side is a server of its own over a copy of the same project; its clients are in this process, its browser is Chromium.
Rounds take turns. In the end both servers are killed, so that only what was on disk is left, and both databases are asserted to
hold the same: every answer that was acknowledged, of the same item, by the same person, with the same judgements.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.request import ProxyHandler, build_opener

if not __package__:
    # run as a script, whose folder comes first
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from playwright.sync_api import Browser

from benchmarks import clicks, geneval_campaign
from benchmarks.clicks import Clicker
from benchmarks.closed_loop import Choose, Http, Loop, Ours, Queued, enter, work
from benchmarks.geneval_campaign import Shown
from data.store.store import Store

T = TypeVar("T")

ROOT: Final = Path(__file__).resolve().parents[1]
QUESTIONS: Final = (
    "objects", "count_0", "color_0", "realism_0", "count_1", "color_1", "realism_1", "position_x", "position_y", "caption_fit",
)  # fmt: skip
BROWSER_PERSON: Final = "at the browser"
_START_SECONDS: Final = 120


@dataclass(frozen=True, slots=True)
class Plan:
    """``rounds`` times, each of ``clients`` sends ``answers`` answers to each side, then a browser clicks ``clicks`` times.

    ``limit`` is how many events of a kind Gradio's queue works on at once, 0: as many as come.
    """

    clients: int = 50
    answers: int = 20
    rounds: int = 3
    clicks: int = 14
    images: int = 500
    limit: int = 0


SMALL: Final = Plan(clients=4, answers=3, rounds=1, clicks=2, images=12)


@dataclass(frozen=True, slots=True)
class Work:
    """Who answers what; ``browser`` is None where there is none."""

    names: Sequence[str]
    choose: Choose
    items: Sequence[Shown]
    browser: Browser | None


@dataclass
class Side:
    """One form: its server, the people at it, and what was measured; processor time is of servers and clients, in seconds."""

    name: str
    process: subprocess.Popen[bytes]
    port: int
    people: Sequence[Ours | Queued]
    clicker: Clicker | None = None
    loops: list[Loop] = field(default_factory=list)
    clicks: list[float] = field(default_factory=list)
    server_seconds: float = 0.0
    client_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Told:
    """What is told of a side: answers a second (median of the rounds), milliseconds, processor milliseconds for one answer."""

    per_second: float
    rounds: list[float]
    p50: float
    p95: float
    server: float
    client: float
    click_p50: float | None
    click_p95: float | None


def together(work_: Coroutine[Any, Any, T]) -> T:
    """Run clients in a loop of their own: Playwright's runs in this thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work_).result()


def measure(side: Side, plan: Plan) -> None:
    """One round."""
    before, own = _processor_seconds(side.process.pid), time.process_time()
    side.loops.append(together(work(side.people, plan.answers)))
    side.server_seconds += _processor_seconds(side.process.pid) - before
    side.client_seconds += time.process_time() - own
    if side.clicker is not None:
        side.clicks += [side.clicker.click() for _ in range(plan.clicks)]


def _processor_seconds(pid: int) -> float:
    """What a process has used so far; 0 where the system does not tell."""
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        return 0.0
    user, system = stat.read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def told(side: Side, plan: Plan) -> Told:
    """A side's figures."""
    n = plan.clients * plan.answers
    waits = [1000 * wait for loop in side.loops for wait in loop.waits]
    rates = [n / loop.seconds for loop in side.loops]
    seen = [1000 * one for one in side.clicks]
    return Told(
        statistics.median(rates),
        rates,
        *percentiles(waits),
        1000 * side.server_seconds / (n * plan.rounds),
        1000 * side.client_seconds / (n * plan.rounds),
        *(percentiles(seen) if seen else (None, None)),
    )


def percentiles(values: Sequence[float]) -> tuple[float, float]:
    """The median, and what 95 % stay under."""
    return statistics.median(values), statistics.quantiles(values, n=20, method="inclusive")[-1]


@contextmanager
def served(line: Sequence[str | Path], path: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """A server, from when it answers until it is killed."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    process = subprocess.Popen([sys.executable, *map(str, line), "--port", str(port)], cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        _wait(process, f"http://127.0.0.1:{port}{path}")
        yield process, port
    finally:
        process.kill()
        process.wait()


def _wait(process: subprocess.Popen[bytes], url: str) -> None:
    opener = build_opener(ProxyHandler({}))
    for _ in range(10 * _START_SECONDS):
        if process.poll() is not None:
            raise RuntimeError(f"the server of {url} ended with status {process.returncode}")
        try:
            opener.open(url, timeout=10).close()
        except OSError:  # it does not listen yet, or has not read its project
            time.sleep(0.1)
        else:
            return
    raise RuntimeError(f"{url} does not answer")


def ours(open_: ExitStack, project: Path, work_: Work) -> Side:
    """Concord itself."""
    line: list[str | Path] = ["app.py", "serve", "--no-browser", "--project", project]
    process, port = open_.enter_context(served(line, "/api/next"))
    people = [Ours(name, geneval_campaign.NAME, work_.choose, Http(port)) for name in work_.names]
    side = Side("ours", process, port, people)
    if work_.browser is not None:
        expected = {one.sha256: geneval_campaign.first_count(one.questionnaire) for one in work_.items}
        address = f"http://127.0.0.1:{port}"
        side.clicker = clicks.ours(work_.browser, address, geneval_campaign.NAME, BROWSER_PERSON, expected)
    return side


def queued(open_: ExitStack, project: Path, pictures: Path, work_: Work, limit: int) -> Side:
    """The form of Gradio's components."""
    line: list[str | Path] = [
        "benchmarks/queued_form.py",
        project,
        "--campaign",
        geneval_campaign.NAME,
        "--pictures",
        pictures,
        "--limit",
        str(limit),
    ]
    process, port = open_.enter_context(served(line, "/config"))
    side = Side("queued", process, port, [Queued(name, work_.choose, Http(port), QUESTIONS) for name in work_.names])
    if work_.browser is not None:
        expected = {one.file: geneval_campaign.first_count(one.questionnaire) for one in work_.items}
        side.clicker = clicks.queued(work_.browser, f"http://127.0.0.1:{port}", BROWSER_PERSON, expected)
    return side


def run(folder: Path, plan: Plan, browser: Browser | None) -> tuple[Told, Told, int]:
    """Measure both sides and compare what they stored; ours, theirs, and how many answers each has."""
    mine, other, pictures = folder / "ours", folder / "queued", folder / "pictures"
    with Store(mine) as store:
        geneval_campaign.make(store, pictures, plan.images, plan.clients + 1)
        items = geneval_campaign.shown(store, pictures)
    shutil.copytree(mine, other)
    names = [f"person {n:02}" for n in range(plan.clients)]
    work_ = Work(names, geneval_campaign.chooser(items), items, browser)
    with ExitStack() as open_:
        sides = ours(open_, mine, work_), queued(open_, other, pictures, work_, plan.limit)
        for side in sides:
            together(enter(side.people))
            together(work(side.people, 1))  # what only the first answer costs
            if side.clicker is not None:
                side.clicker.click()
        for _ in range(plan.rounds):
            for side in sides:
                measure(side, plan)
    n = compare([(side, project) for side, project in zip(sides, (mine, other), strict=True)], plan)
    return told(sides[0], plan), told(sides[1], plan), n


def compare(sides: Sequence[tuple[Side, Path]], plan: Plan) -> int:
    """How many answers both databases hold, which is as many as were acknowledged.

    Raises:
        AssertionError: an acknowledged answer is missing, there is one too many, or the sides differ.
    """
    found: list[list[geneval_campaign.Row]] = []
    for side, project in sides:
        rows, tickets = geneval_campaign.stored(project)
        acknowledged = {pair for person in side.people for pair in person.saved}
        there = {(row[1], tickets[row[0]]) for row in rows}
        at_browser = side.clicker.answered if side.clicker is not None else 0
        assert len(acknowledged) == plan.clients * (1 + plan.answers * plan.rounds)
        assert acknowledged <= there, f"{side.name}: {len(acknowledged - there)} acknowledged answers are missing"
        assert len(rows) == len(there) == len(acknowledged) + at_browser, f"{side.name}: {len(rows)} answers"
        assert all(row[2] == "valid" and row[4] for row in rows)
        found.append(rows)
    assert found[0] == found[1], "the two sides stored different answers"
    return len(found[0])


def lines_of(mine: Told, other: Told, n: int, plan: Plan) -> list[str]:
    """The table."""
    ratio = mine.per_second / other.per_second

    def row(what: str, a: float, b: float, better: float, unit: str = "") -> str:
        return f"{what:52}{a:>9.1f}{unit:3}{b:>9.1f}{unit:3}{better:>8.2f}"

    lines = [
        f"{plan.clients} people at once, {plan.rounds} rounds of {plan.answers} answers each; {plan.images} images",
        f"{os.cpu_count()} cores shared with the clients, load {os.getloadavg()[0]:.1f}, Python {platform.python_version()},"
        f" Gradio {version('gradio')}",
        "",
        f"{'':52}{'ours':>12}{'queued':>12}{'ratio':>8}",
        row("durable answers a second (median of the rounds)", mine.per_second, other.per_second, ratio),
        row("answer to next item, median", mine.p50, other.p50, other.p50 / mine.p50, "ms"),
        row("answer to next item, 95 % under", mine.p95, other.p95, other.p95 / mine.p95, "ms"),
    ]
    if mine.server and other.server:
        lines += [
            row("the server's processor time for an answer", mine.server, other.server, other.server / mine.server, "ms"),
            row("the clients' processor time for an answer", mine.client, other.client, other.client / mine.client, "ms"),
        ]
    if mine.click_p50 and other.click_p50 and mine.click_p95 and other.click_p95:
        what = f"in Chromium: click to next prompt ({plan.clicks * plan.rounds} clicks)"
        lines += [
            row(f"{what}, median", mine.click_p50, other.click_p50, other.click_p50 / mine.click_p50, "ms"),
            row("in Chromium: 95 % under", mine.click_p95, other.click_p95, other.click_p95 / mine.click_p95, "ms"),
        ]
    return [*lines, "", f"both databases hold the same {n:,} answers; of those acknowledged none is missing"]


def main(arguments: Sequence[str] | None = None) -> list[str]:
    """Measure, print; the printed lines."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    for name, what in (
        ("clients", "people at once"),
        ("answers", "of each person in a round"),
        ("rounds", "of both sides in turn"),
        ("clicks", "in the browser in a round"),
        ("images", "of the campaign"),
        ("limit", "events of a kind that Gradio works on at once, 0: as many as come; its own default is 1"),
    ):
        default = getattr(Plan(), name)
        parser.add_argument(f"--{name}", type=int, default=default, help=f"{what} (default {default})")
    parser.add_argument("--quick", action="store_true", help="a small size, to see that it runs")
    parser.add_argument("--no-browser", action="store_true", help="leave the browser out")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    asked = vars(parser.parse_args(arguments))
    file, quick, none = asked.pop("json"), asked.pop("quick"), asked.pop("no_browser")
    plan = SMALL if quick else Plan(**asked)
    with tempfile.TemporaryDirectory() as folder, nullcontext() if none else clicks.browser() as browser:
        mine, other, n = run(Path(folder), plan, browser)
    lines = lines_of(mine, other, n, plan)
    if file is not None:
        figures = {"plan": asdict(plan), "ours": asdict(mine), "queued": asdict(other), "answers": n}
        file.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    print("\n".join(lines))
    return lines


if __name__ == "__main__":
    # whoever ends it ends its servers
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    main()
