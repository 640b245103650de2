"""Wrong files for every reader and every importer: a hundred thousand, or as many as are asked for.

    uv run benchmarks/fuzz.py [--cases 100000] [--seconds S] [--only WORD ...] [--state FILE] [--save DIR] [--again DIR]
    uv run benchmarks/fuzz.py --tables 20000

A case is a number of a target (``tests/fuzz``): the same number is the same files. Found is what a reader must not do: an
error that it does not promise, a message that tells nobody anything, a hang, an import that is there in part. Of each kind of
mistake the first case is kept, made as small as it will go, below ``--save``; ``--again`` gives such a case to its reader anew.
``--tables`` tries right tables instead, as people have them: what is stored is compared with what they were made from.
``--state`` remembers how far each target is, so that a long run can be done in pieces of ``--seconds``.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

if not __package__:
    # run as a script, whose folder comes first: there this very file would be taken for a package
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.measuring import command_line, tell
from data.store.core.store import Store
from tests.fuzz.cases import FuzzFinding, draw_case, try_case, write_files
from tests.fuzz.importers import bench, targets_of
from tests.fuzz.mutation import Files
from tests.fuzz.peoples_tables import Tally, run_tables
from tests.fuzz.targets import READERS, Target

MEMORY: Final = 12 << 30
"""Bytes of address space: a file that makes a reader take more of it is found as a ``MemoryError``."""
_TURN: Final = 25
"""Cases of a target, before it is another's turn."""
_SMALLER: Final = 400
"""Attempts at most to make a case smaller."""
_SLOW: Final = 50
"""An importer's case takes so many times as long as a reader's, and it gets as many fewer."""


@dataclass(slots=True)
class FuzzProgress:
    """How far a target is: the next number, seconds, and by kind of mistake how often it was met."""

    next: int = 0
    seconds: float = 0.0
    found: dict[str, int] = field(default_factory=dict)


def run(
    targets: Sequence[Target], tallies: dict[str, FuzzProgress], cases: int, seconds: float, save: Path, folder: Path
) -> None:
    """Give the targets turns until all have had ``cases``, or time is up."""
    until = time.monotonic() + seconds
    weights = {target.name: 1 if target.name.startswith(("import ", "campaigns ")) else _SLOW for target in targets}
    wanted = {target.name: -(-cases * weights[target.name] // sum(weights.values())) for target in targets}
    while (
        left := [target for target in targets if tallies[target.name].next < wanted[target.name]]
    ) and time.monotonic() < until:
        for target in left:
            tally, began = tallies[target.name], time.monotonic()
            stop = min(tally.next + _TURN, wanted[target.name])
            while tally.next < stop and time.monotonic() < until:
                files = draw_case(target, tally.next)
                if (finding := try_case(target, files, folder / "case")) is not None:
                    _note(target, finding, tally, save, folder)
                tally.next += 1
            tally.seconds += time.monotonic() - began


def _note(target: Target, finding: FuzzFinding, tally: FuzzProgress, save: Path, folder: Path) -> None:
    kind = f"{finding.where} {finding.why[:60]}"
    tally.found[kind] = tally.found.get(kind, 0) + 1
    if tally.found[kind] > 1:
        return
    print(f"{target.name}, number {tally.next}: {finding.why} (at {finding.where})", flush=True)
    small = smaller(target, finding, folder)
    path = save / f"{target.name.replace(' ', '-').replace(':', '')}-{tally.next}"
    path.mkdir(parents=True, exist_ok=True)
    write_files(small, path)
    (path / ".target").write_text(target.name, encoding="utf-8")


def smaller(target: Target, finding: FuzzFinding, folder: Path) -> Files:
    """The case without what does not matter for its mistake."""
    files = dict(finding.files)
    left = _SMALLER
    for name, content in files.items():
        size = len(content or b"") // 2
        while size and left:
            content = files[name] or b""
            for start in range(0, len(content), size):
                shorter = content[:start] + content[start + size :]
                left -= 1
                if (again := try_case(target, {**files, name: shorter}, folder / "case")) and again.where == finding.where:
                    files[name] = shorter
                    break
                if not left:
                    break
            else:
                size //= 2
    return files


def lines_of(tallies: Mapping[str, FuzzProgress]) -> list[str]:
    """A line for each target, and one for all."""
    lines = [f"{'target':36} {'cases':>9} {'ms each':>9} {'found':>6}"]
    for name, tally in tallies.items():
        each = tally.seconds / tally.next * 1000 if tally.next else 0.0
        lines.append(f"{name:36} {tally.next:9,} {each:9.2f} {len(tally.found):6}")
    kinds = [f"{name}: {kind} ({n} times)" for name, tally in tallies.items() for kind, n in tally.found.items()]
    n = sum(tally.next for tally in tallies.values())
    return [*lines, f"{n:,} cases over {len(tallies)} targets, {len(kinds)} kinds of mistake", *kinds]


def _again(targets: Sequence[Target], saved: Path, folder: Path) -> str:
    name = (saved / ".target").read_text(encoding="utf-8")
    files = {
        str(path.relative_to(saved)): path.read_bytes() if path.is_file() else None
        for path in sorted(saved.rglob("*"))
        if path.name != ".target" and (path.is_file() or not any(path.iterdir()))
    }
    return str(
        try_case(next(target for target in targets if target.name == name), files, folder / "case") or f"{name}: nothing wrong"
    )


def _parser() -> argparse.ArgumentParser:
    parser = command_line(__doc__)
    parser.add_argument("--cases", type=int, default=100_000, help="in all, over all targets (default 100,000)")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop then, wherever it is")
    parser.add_argument("--only", nargs="*", default=[], help="targets with one of these words in their names")
    parser.add_argument("--state", type=Path, help="a file that remembers how far each target is")
    parser.add_argument("--save", type=Path, default=Path("found"), help="folder for cases with mistakes (default ./found)")
    parser.add_argument("--again", type=Path, help="a folder with such a case: try it again")
    parser.add_argument("--tables", type=int, default=0, help="try so many tables as people have them, and nothing else")
    parser.add_argument("--app", action="store_true", help="show what is imported in the studio, too")
    return parser


def try_tables(count: int) -> list[str]:
    """Import so many tables as people have them; what became of them, line by line."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "project") as store:
        for start in range(0, count, _TURN):
            tally.add(run_tables(store, range(start, min(start + _TURN, count)), Path(folder)))
    return [*tally.lines(), *tally.wrong]


def main(arguments: Sequence[str] | None = None) -> list[str]:
    """Run and print; the printed lines."""
    options = _parser().parse_args(arguments)
    tallies: dict[str, FuzzProgress] = {}
    if options.state is not None and options.state.is_file():
        stored = json.loads(options.state.read_text(encoding="utf-8"))
        tallies = {name: FuzzProgress(**saved) for name, saved in stored.items()}
    if options.tables:
        return tell(try_tables(options.tables))
    with tempfile.TemporaryDirectory() as folder, bench(Path(folder) / "bench", app=options.app) as made:
        targets = [
            target
            for target in (*READERS, *targets_of(made))
            if not options.only or any(word in target.name for word in options.only)
        ]
        if options.again is not None:
            lines = [_again(targets, options.again, Path(folder))]
        else:
            for target in targets:
                tallies.setdefault(target.name, FuzzProgress())
            run(targets, tallies, options.cases, options.seconds, options.save, Path(folder))
            lines = lines_of(tallies)
    if options.state is not None:
        state: dict[str, Any] = {
            name: {"next": tally.next, "seconds": tally.seconds, "found": tally.found} for name, tally in tallies.items()
        }
        options.state.write_text(json.dumps(state, indent=1), encoding="utf-8")
    return tell(lines)


if __name__ == "__main__":
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, hard))
    main()
