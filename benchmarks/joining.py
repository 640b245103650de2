"""People who join at the same moment: how long until each has the first question, and its picture.

    uv run benchmarks/joining.py [--people 50 --images 200 --side 1024] [--quick] [--json FILE]

The server is the real one, over a project of its own with a running campaign; people are HTTP clients in this process, on the
same cores. Each does what a browser does that opens the form: the page, its script and styles, a name, the campaign, what is
next, and the picture as the form shows it. All begin at once, and once more as other people, when the server is warm.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Final

if not __package__:
    # run as a script, whose folder comes first
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks import annotators
from benchmarks.annotate import served
from benchmarks.annotators import Http
from benchmarks.measuring import command_line, machine, percentile, processor_seconds, tell
from data.store.core.store import Store
from ui.web.api.images import IN_FORM
from ui.web.assets import SCRIPT, STYLES

ROUNDS: Final = ("just started", "warm")


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
    for one in task["images"]:
        await http.content("GET", f"{one['image']}?w={IN_FORM}")
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


def run(folder: Path, people: int, images: int, side: int) -> list[Round]:
    """Make the project, serve it, and let all join, by round."""
    with Store(folder / "project") as store:
        annotators.make_campaign(store, folder / "pictures", images, len(ROUNDS) * people, side)
    line: list[str | Path] = ["app.py", "serve", "--no-browser", "--project", folder / "project"]
    with served(line, "/api/next") as (process, port):
        return [asyncio.run(_round(name, people, port, process.pid)) for name in ROUNDS]


def lines_of(found: Sequence[Round]) -> list[str]:
    """The table."""
    people = len(found[0].joined)
    head = f"{people} people at once; shared with the clients: {machine()}"
    lines = [head, "", f"{'':14}{'until':<12}{'p50':>8}{'p95':>8}{'worst':>8}  s"]
    for name, round_ in zip(ROUNDS, found, strict=True):
        for one in fields(JoinTimes):
            waits = [float(getattr(person, one.name)) for person in round_.joined]
            figures = "".join(f"{percentile(waits, share):>8.2f}" for share in (0.5, 0.95, 1.0))
            lines.append(f"{name:14}{one.name:<12}{figures}")
        lines.append(f"{name:14}the server's processor: {round_.processor:.2f} s")
    return lines


def main(arguments: Sequence[str] | None = None) -> list[str]:
    """Measure, print; the printed lines."""
    parser = command_line(__doc__)
    parser.add_argument("--people", type=int, default=50, help="who join (default 50)")
    parser.add_argument("--images", type=int, default=200, help="of the campaign (default 200)")
    parser.add_argument("--side", type=int, default=1024, help="pixels of a picture's side (default 1024)")
    parser.add_argument("--quick", action="store_true", help="a small size, to see that it runs")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    asked = parser.parse_args(arguments)
    people, images, side = (3, 8, 64) if asked.quick else (asked.people, asked.images, asked.side)
    with tempfile.TemporaryDirectory() as folder:
        found = run(Path(folder), people, images, side)
    lines = lines_of(found)
    if asked.json is not None:
        rounds = {name: asdict(round_) for name, round_ in zip(ROUNDS, found, strict=True)}
        asked.json.write_text(json.dumps({"rounds": rounds, "lines": lines}) + "\n", encoding="utf-8")
    return tell(lines)


if __name__ == "__main__":
    main()
