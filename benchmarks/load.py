"""An hour of a busy study: 200 people answer, 20 look at Studio's pages, and a scoring run is taken in, all at once.

    uv run benchmarks/load.py [--people 200 --viewers 20 --think 15 --seconds 300 --speed 1] [--quick] [--json FILE]

The server is the real one, over a project of its own; people and viewers are HTTP clients in this process, on the same cores.
People answer as the form does: a draft, then the answer under an id of their own, which is sent again under the same id when it
failed, and one in twenty is sent twice on purpose; what comes next rides along. They think for a time that is lognormal, with a
mean of ``--think`` seconds; ``--speed`` makes all of them so many times faster. Viewers follow their pages as a browser does.
Finished folders of a scorer's run wait to be taken in by ``import scores``, one after the other, over all the
time. In the end the server is killed, and the database is asserted to hold what was acknowledged: nothing lost, nothing twice.

A viewer opens a page, asks for what its JavaScript asks for, and follows it: it asks for the version as
``assets/js/live_updates.js`` does, and for the page anew when that has moved. Nothing is drawn: twenty browsers are too
much for the machine that runs the server, too. The folders of the scorer's run are made without any model.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import statistics
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

if not __package__:
    # run as a script, whose folder comes first
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks import annotators
from benchmarks.annotate import served
from benchmarks.annotators import Choose, Http, Refused
from benchmarks.measuring import command_line, machine, percentile, planned, processor_seconds, resident, written
from concord import thumbnails
from concord.common import forwarding
from data.images.widths import IN_GRIDS
from data.jobs.runs import Detection, Observation, Run, RunFolder, WorkItem
from data.prompts.coco import COCO
from data.prompts.geneval_suite import COLORS
from data.store.browse import contents
from data.store.core import rows
from data.store.core.store import Store
from scorers import registry
from ui.shell.followed_versions import POLL_SECONDS, poll

PAGES: Final = {
    "results": ("places/results", "places/results?whole=true"),
    "agreement": ("places/agreement", "places/agreement?whole=true"),
    "people": ("places/people", "places/people?whole=true"),
    "images": ("images", "items", "facets"),
}
"""The routes that each page's JavaScript asks for below ``/api/studio``, when it opens and when the project has moved."""
Timed = Callable[[str, float, str | None], None]
"""Is told of each request: its kind, seconds, and what went wrong."""


class Viewer:
    """One open page."""

    def __init__(self, port: int, page: str, timed: Timed) -> None:
        self._page = page
        self._http = Http(port)
        self._timed = timed
        self._version = ""

    async def open(self) -> None:
        """Load the page, and what its JavaScript asks for."""
        await self._http.connect()
        await self._http.text("GET", f"/studio/{self._page}")
        await self._draw("open")

    async def follow(self, until: float, seconds: float = POLL_SECONDS) -> None:
        """Keep the page current until this moment of ``time.perf_counter``."""
        while (now := time.perf_counter()) < until:
            await asyncio.sleep(max(0.0, min(seconds, until - now)))
            try:
                start = time.perf_counter()
                asked = await self._http.json("GET", f"/api/studio/version?of={quote(str(poll()['of']))}")
                self._timed("poll", time.perf_counter() - start, None)
                if asked["version"] != self._version:
                    self._version = asked["version"]
                    await self._draw("follow")
            except (Refused, OSError, asyncio.IncompleteReadError, ValueError, KeyError) as error:
                self._timed("follow", 0.0, f"{type(error).__name__}: {error}"[:200])
                return

    async def _draw(self, kind: str) -> None:
        for path in PAGES[self._page]:
            start = time.perf_counter()
            await self._http.json("GET", f"/api/studio/{path}")
            self._timed(kind, time.perf_counter() - start, None)

    def close(self) -> None:
        self._http.close()


SCORER: Final = "geneval"
PROFILE: Final = "playground"
OVERLAP: Final = 12
_SIDE: Final = 128
"""Small pictures: what is measured is not how fast pixels are made."""
_PART: Final = 32


def make_load_project(project: Path, folder: Path, images: int) -> list[annotators.ItemQuestions]:
    """A running campaign about so many pictures, ``OVERLAP`` people each, some time after its start: thumbnails are made.

    Returns what is asked of each.
    """
    with Store(project) as store:
        annotators.make_campaign(store, folder, images, OVERLAP, side=_SIDE)
        for sha256 in contents.image_hashes(store):
            thumbnails.make_ahead(store, sha256, IN_GRIDS)
        return annotators.questions_by_ticket(store, folder)


def prepare(project: Path, folder: Path, each: int) -> list[Path]:
    """Finished folders of a scorer's run, of ``each`` images, which only wait to be taken in."""
    with Store(project) as store, store.read() as cursor:
        records = rows.dicts(
            cursor,
            "select t.item_id, i.path, i.sha256, p.text, p.spec from items t join images i on i.image_id = t.item_id"
            " join prompts p on p.prompt_id = i.prompt_id order by t.item_id",
        )
    work = [WorkItem(**rows.decoded(row, "spec")) for row in records]
    return list(_folders(folder, [work[start : start + each] for start in range(0, len(work), each)]))


def _folders(folder: Path, parts: Sequence[Sequence[WorkItem]]) -> Iterator[Path]:
    scorer = registry.get(SCORER)
    settings = {**scorer.options, **scorer.profiles[PROFILE]}
    for number, work in enumerate(parts):
        made = RunFolder(folder / f"{number:04}")
        made.create(Run(f"{number:04}", SCORER, scorer.version, PROFILE, settings, part_size=_PART), work)
        for part, start in enumerate(range(0, len(work), _PART)):
            made.write_part(part, [_detections(item) for item in work[start : start + _PART]])
        yield made.path


def _detections(work: WorkItem) -> Observation:
    """Two thirds of what is asked for is found, and something else beside it; always the same."""
    chance = zlib.crc32(work.item_id.encode())
    found_classes = [entry["class"] for n, entry in enumerate(work.spec["include"]) if chance >> n & 3]
    colors = tuple(1.0 if n == chance % len(COLORS) else 0.0 for n in range(len(COLORS)))
    detections = [
        Detection(label, 0.9 - 0.1 * n, (8.0 + 40 * n, 8.0, 40.0 + 40 * n, 60.0), None, colors)
        for n, label in enumerate([*found_classes, COCO[chance % len(COCO)]])
    ]
    return Observation(work.item_id, {"width": _SIDE, "height": _SIDE}, tuple(detections))


_SIGMA: Final = 0.6
"""Of the logarithm of the time that people think: a few answer at once, a few take a minute."""
_TWICE: Final = 0.05
_RELOADS: Final = 0.02
"""So many answers are followed by loading the page anew, which asks what is next."""
_GIVE_UP: Final = 30
_EACH: Final = 64


@dataclass(frozen=True, slots=True)
class LoadPlan:
    """``people`` answer, ``think`` seconds each on average, ``speed`` times faster; ``viewers`` look on; for ``seconds``.

    Meanwhile ``scored`` images a second of a scorer's run are taken in, so long as there are any.
    """

    people: int = 200
    viewers: int = 20
    think: float = 15.0
    seconds: float = 300.0
    speed: float = 1.0
    images: int = 5000
    scored: float = 5.0


SMALL: Final = LoadPlan(people=12, viewers=4, think=1.0, seconds=6.0, speed=2.0, images=200, scored=30.0)


@dataclass
class LoadResult:
    """What was seen: seconds by kind of request, errors by kind and words, the server's memory over time."""

    waits: dict[str, list[float]] = field(default_factory=dict)
    errors: Counter[str] = field(default_factory=Counter)
    memory: list[tuple[float, float]] = field(default_factory=list)
    acknowledged: dict[str, tuple[str, str]] = field(default_factory=dict)
    attempted: set[str] = field(default_factory=set)
    twice: int = 0
    imported: int = 0
    seconds: float = 0.0
    server: float = 0.0
    client: float = 0.0

    def timed(self, kind: str, seconds: float, error: str | None) -> None:
        if error is None:
            self.waits.setdefault(kind, []).append(seconds)
        else:
            self.errors[f"{kind}: {error}"] += 1


class SimulatedAnnotator:
    """Somebody with the form open."""

    def __init__(self, name: str, port: int, choose: Choose, result: LoadResult, plan: LoadPlan, seed: int) -> None:
        self.name = name
        self._http = Http(port)
        self._choose = choose
        self._result = result
        self._plan = plan
        self._random = random.Random(seed)
        self._task: Mapping[str, Any] | None = None

    async def enter(self) -> None:
        await self._http.connect()
        await self._http.json("POST", "/api/name", {"name": self.name})
        await self._http.json("POST", "/api/campaign", {"campaign": annotators.NAME})
        await self._next()

    async def work(self, until: float) -> None:
        """Answer until this moment of ``time.perf_counter``."""
        await asyncio.sleep(self._random.random() * self._plan.think / self._plan.speed)
        while time.perf_counter() < until:
            if self._task is None:
                await asyncio.sleep(1)
                await self._next()
                continue
            think = self._random.lognormvariate(0, _SIGMA) / _MEAN * self._plan.think / self._plan.speed
            if time.perf_counter() + think > until:
                return
            await asyncio.sleep(think * 0.7)
            await self._ask("draft", "POST", "/api/draft", self._about() | {"answers": self._answers()})
            await asyncio.sleep(think * 0.3)
            await self._submit()
            if self._random.random() < _RELOADS:
                await self._next()

    def _about(self) -> dict[str, Any]:
        assert self._task is not None
        return {"ticket": self._task["ticket"], "campaign": self._task["campaign"]}

    def _answers(self) -> Mapping[str, Any]:
        assert self._task is not None
        return self._choose(self.name, self._task["ticket"])

    async def _submit(self) -> None:
        assert self._task is not None
        body = annotators.answer_body(self._task, self._answers())
        ticket, reply = self._task["ticket"], None
        self._result.attempted.add(body["id"])
        for _ in range(_GIVE_UP):
            if reply := await self._ask("submit", "POST", "/api/submit", body):
                break
            await asyncio.sleep(1)  # as the outbox does, under the same id
        if reply is None:
            return
        self._result.acknowledged[body["id"]] = (self.name, ticket)
        if self._random.random() < _TWICE:
            again = await self._ask("submit", "POST", "/api/submit", body)
            self._result.twice += 1
            if again is not None and again["new"]:
                self._result.errors["an answer sent twice was taken for two"] += 1
            reply = again or reply
        self._look(reply["next"])

    async def _next(self) -> None:
        if reply := await self._ask("next", "GET", "/api/next", None):
            self._look(reply)

    def _look(self, reply: Mapping[str, Any]) -> None:
        self._task = reply["tasks"][0] if reply["state"] == "label" else None

    async def _ask(self, kind: str, method: str, path: str, body: Any) -> Any:
        start = time.perf_counter()
        try:
            reply = await self._http.json(method, path, body)
        except (OSError, asyncio.IncompleteReadError, Refused) as error:
            self._result.timed(kind, 0.0, f"{type(error).__name__} {str(error)[:160]}")
            if not isinstance(error, Refused):
                await self._http.connect()
            return None
        self._result.timed(kind, time.perf_counter() - start, None)
        return reply

    def close(self) -> None:
        self._http.close()


_MEAN: Final = 2.718281828459045 ** (_SIGMA**2 / 2)
"""Of a lognormal time with a median of 1."""


async def _take_in(project: Path, folders: Sequence[Path], until: float, result: LoadResult) -> None:
    """Have the open app take in one folder after the other, evenly over the time."""
    server = forwarding.running(project)
    assert server is not None
    start = time.perf_counter()
    with Path(os.devnull).open("w", encoding="utf-8") as nothing:
        for n, folder in enumerate(folders):
            await asyncio.sleep(max(0.0, start + n * (until - start) / len(folders) - time.perf_counter()))
            if time.perf_counter() >= until:
                return
            began = time.perf_counter()
            parameters = {"directory": str(folder)}
            status = await asyncio.to_thread(forwarding.send, server, "import scores", parameters, nothing, nothing)
            result.timed("import", time.perf_counter() - began, None if status == 0 else f"exit status {status}")
            result.imported += len(RunFolder(folder).work()) if status == 0 else 0


async def _watch(pid: int, until: float, result: LoadResult) -> None:
    """The server's memory, in MB, every few seconds."""
    start = time.perf_counter()
    while (now := time.perf_counter()) < until:
        result.memory.append((now - start, resident(pid)))
        await asyncio.sleep(min(5.0, max(0.01, until - now)))


async def _all(port: int, pid: int, project: Path, folders: Sequence[Path], choose: Choose, plan: LoadPlan) -> LoadResult:
    result = LoadResult()
    people = [SimulatedAnnotator(f"person {n:03}", port, choose, result, plan, n) for n in range(plan.people)]
    viewers = [Viewer(port, list(PAGES)[n % len(PAGES)], result.timed) for n in range(plan.viewers)]
    wanted = min(len(folders), round(plan.scored * plan.seconds / _EACH) + 1)
    for person in people:
        await person.enter()
    for viewer in viewers:
        await viewer.open()
    result.waits.clear()
    before, own, start = processor_seconds(pid), time.process_time(), time.perf_counter()
    until = start + plan.seconds
    await asyncio.gather(
        *(person.work(until) for person in people),
        *(viewer.follow(until) for viewer in viewers),
        _take_in(project, folders[:wanted], until, result),
        _watch(pid, until, result),
    )
    result.seconds = time.perf_counter() - start
    result.server, result.client = processor_seconds(pid) - before, time.process_time() - own
    result.memory.append((result.seconds, resident(pid)))
    for annotator in people:
        annotator.close()
    for viewer in viewers:
        viewer.close()
    return result


def run(folder: Path, plan: LoadPlan) -> LoadResult:
    """Make the project, serve it, let everybody work, kill the server, and check what is left.

    Raises:
        AssertionError: an acknowledged answer is missing, or something is there twice.
    """
    project = folder / "project"
    items = make_load_project(project, folder / "pictures", plan.images)
    folders = prepare(project, folder / "runs", _EACH)
    line: list[str | Path] = ["app.py", "serve", "--no-browser", "--project", project]
    with served(line, "/api/next") as (process, port):
        choose = annotators.chooser(items)
        result = asyncio.run(_all(port, process.pid, project, folders, choose, plan))
        process.kill()
        process.wait()
    check(project, result)
    return result


def check(project: Path, result: LoadResult) -> None:
    """What was acknowledged is there, each once, and nothing that nobody sent.

    Raises:
        AssertionError: it is not so.
    """
    with Store(project) as store, store.read() as cursor:
        records = cursor.execute(
            "select annotation_id, a.rater_id, public_id from annotations a join items using (item_id)"
        ).fetchall()
        judged = cursor.execute("select count(distinct source_id) from judgements where source_id like '%:%'").fetchone()
    there = {str(id_): (person, ticket) for id_, person, ticket in records}
    lost = [id_ for id_, about in result.acknowledged.items() if there.get(id_) != about]
    assert not lost, f"{len(lost)} acknowledged answers are missing"
    pairs = Counter(there.values())
    twice = [pair for pair, n in pairs.items() if n > 1]
    assert len(there) == len(records), "an id is there twice"
    assert not twice, f"{len(twice)} answers are there twice"
    assert set(there) <= result.attempted, "an answer is there that nobody sent"
    assert judged is not None
    assert judged[0] == result.imported, f"{judged[0]} images judged, {result.imported} taken in"


_KINDS: Final = {
    "submit": "submit (what is next rides along)",
    "next": "what is next, at a reload",
    "draft": "a draft",
    "poll": "a page asks for the version",
    "follow": "a page's event, to its end",
    "import": f"{_EACH} images of a run taken in",
}


def lines_of(result: LoadResult, plan: LoadPlan) -> list[str]:
    """The table."""
    lines = [
        f"{plan.people} people who think {plan.think / plan.speed:g} s, {plan.viewers} viewers, {plan.images} images,"
        f" {result.seconds:.0f} s; shared with the clients: {machine()}",
        "",
        f"{'':38}{'n':>8}{'a second':>10}{'p50':>8}{'p95':>8}{'p99':>8}{'worst':>8}  ms",
    ]
    for kind, words in _KINDS.items():
        if waits := result.waits.get(kind):
            figures = (1000 * percentile(waits, share) for share in (0.5, 0.95, 0.99, 1.0))
            lines.append(
                f"{words:38}{len(waits):>8,}{len(waits) / result.seconds:>10.1f}"
                + "".join(f"{figure:>8.0f}" for figure in figures)
            )
    memory = [mb for _, mb in result.memory]
    quarter = max(1, len(memory) // 4)
    middles = [statistics.median(memory[start : start + quarter]) for start in range(0, len(memory), quarter)][:4]
    lines += [
        "",
        f"processor: server {100 * result.server / result.seconds:.0f} % of a core,"
        f" clients {100 * result.client / result.seconds:.0f} %",
        f"the server's memory: {memory[0]:.0f} MB at the start, {memory[-1]:.0f} at the end, {max(memory):.0f} at most;"
        f" medians of the quarters {', '.join(f'{middle:.0f}' for middle in middles)}",
        f"images of the run taken in: {result.imported:,}",
        f"errors: {sum(result.errors.values())}"
        + "".join(f"\n  {n} x {problem}" for problem, n in result.errors.most_common(12)),
        f"after kill -9: {len(result.acknowledged):,} answers acknowledged, {result.twice:,} of them sent twice;"
        " lost 0, duplicated 0",
    ]
    return lines


def main(arguments: Sequence[str] | None = None) -> list[str]:
    """Measure, print; the printed lines."""
    parser = command_line(__doc__)
    helps = {
        "people": "who answer",
        "viewers": "who look at Studio's pages",
        "think": "seconds, on average",
        "seconds": "that it lasts",
        "speed": "so many times faster do people think",
        "images": "of the campaign",
        "scored": "images a second by the run that is taken in",
    }
    plan, options = planned(parser, LoadPlan(), SMALL, helps, arguments)
    with tempfile.TemporaryDirectory() as folder:
        result = run(Path(folder), plan)
    lines = lines_of(result, plan)
    waits = {kind: [round(1000 * seconds, 2) for seconds in all_] for kind, all_ in result.waits.items()}
    figures = {"plan": asdict(plan), "ms": waits, "errors": result.errors, "memory": result.memory, "lines": lines}
    return written(options, figures, lines)


if __name__ == "__main__":
    # whoever ends it ends its server
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    main()
