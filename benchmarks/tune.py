"""Seconds that Tune takes to draw again when a slider moves: 2,000 images, the playground's evidence under new ids.

    uv run benchmarks/tune.py [--images 2000]

Each slider is moved step by step, with the curve along each of them, and every redraw is timed as the server does it: the
address read, evidence judged again, means, agreement, the curve with its band and its cross-validated best, and pictures.
The verdicts are asserted equal to the scorer's own, image by image; and the agreement to the report's, once settings are kept.
"""

from __future__ import annotations

import io
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

if not __package__:
    # run as a script, whose folder comes first
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from agreement import Options
from agreement.tuning import STATISTICS, agreements
from annotation import simulated
from annotation.simulated import DepictedItem
from benchmarks.measuring import command_line, machine, tell
from concord.agreement import compute
from concord.error_analysis import rejudging
from concord.error_analysis.rejudging import save_as_rater
from concord.importing import playground
from concord.judging import judge, rule_version_of
from data.jobs.runs import Run
from data.playground import sample
from data.playground.drawing import CARELESS
from data.playground.sample import SUITE, PlaygroundSample
from data.records import Evidence, Image, Rater, image_item
from data.selection import Selection
from data.spec import parse_spec
from data.store import imports, runs
from data.store.core.store import Store
from data.store.imports import ImportBundle, ImportedRun
from data.store.judgements import scorer_evidence
from scorers import registry
from ui.pages.tune import TunePage
from ui.shell.html import rendered

RATER: Final = "geneval-playground"
TARGET_MS: Final = 200
TOLERANCE: Final = 1e-12
MOVES: Final[Mapping[str, Sequence[float]]] = {
    "threshold": [round(0.31 + 0.01 * k, 2) for k in range(30)],
    "counting_threshold": [round(0.69 - 0.01 * k, 2) for k in range(30)],
    "position_threshold": [round(0.11 + 0.01 * k, 2) for k in range(30)],
    "max_overlap": [round(0.95 - 0.05 * k, 2) for k in range(19)],
}
"""Sliders, and the values through which each is moved."""


_APART: Final = 1000


def fill(store: Store, n: int) -> None:
    """The playground, then copies of its images, evidence and simulated people until there are n images."""
    playground_sample = sample.read_sample(sample.FOLDER)
    playground.fill_missing(store, playground_sample, io.StringIO())
    more = n - len(playground_sample.images)
    copies = [
        (image, replace(image, index=image.index + _APART * (1 + k // len(playground_sample.images))))
        for k in range(max(more, 0))
        for image in [playground_sample.images[k % len(playground_sample.images)]]
    ]
    if copies:
        imports.apply(store, [_bundle(store, playground_sample, copies)])


def _bundle(store: Store, playground_sample: PlaygroundSample, copies: Sequence[tuple[Image, Image]]) -> ImportBundle:
    """Copies (image, its copy) with what ``RATER`` saw of the images, and with people of their own."""
    row = next(row for row in runs.listed(store) if row.rater_id == RATER)
    scorer = registry.get(row.scorer)
    sights = scorer_evidence.evidence_without_masks(store, [image.image_id for image, _ in copies], RATER)
    assert sights is not None
    prompts = {prompt.prompt_id: prompt for prompt in playground_sample.prompts}
    items = [image_item(copy, prompts[copy.prompt_id]) for _, copy in copies]
    seen = [replace(sights.seen[image.image_id], item_id=copy.image_id) for image, copy in copies]
    run = Run("0009-copies", row.scorer, row.version, row.profile, row.settings)
    evidence = [
        Evidence(
            f"{run.run_id}:{observation.item_id}",
            observation.item_id,
            RATER,
            observation.payload,
            judge(scorer, prompts[copy.prompt_id], observation, row.settings),
            rule_version_of(scorer),
        )
        for observation, (_, copy) in zip(seen, copies, strict=True)
    ]
    known = [
        DepictedItem(
            item, parse_spec(prompts[copy.prompt_id].spec), sample.careless_drawing(prompts[copy.prompt_id], image.index).scene
        )
        for item, (image, copy) in zip(items, copies, strict=True)
        if image.generator == CARELESS
    ]
    return ImportBundle(
        "benchmark",
        "copies",
        "copies",
        images=[copy for _, copy in copies],
        items=items,
        raters=[Rater(RATER, "scorer", None, row.version, row.settings)],
        annotations=simulated.annotate(known),
        evidence=evidence,
        observed=ImportedRun(run, RATER, row.folder, seen),
    )


def redraw(store: Store, query: Mapping[str, str | float]) -> float:
    """Milliseconds for one redraw, from what the browser sends to what it gets."""
    start = time.perf_counter()
    (drawing,) = TunePage(store).draw_place(lambda name: [str(query[name])] if name in query else [])
    rendered(drawing.content)
    return 1000 * (time.perf_counter() - start)


def moved(store: Store, name: str, along: str, steps: int) -> list[float]:
    """One slider moved step by step."""
    base = {"suite": SUITE, "rater": RATER, "along": along}
    redraw(store, base)
    return [redraw(store, base | {name: value}) for value in MOVES[name][:steps]]


def check(store: Store) -> int:
    """Verdicts and agreement at each slider's last value against the scorer's own and the report's; how many numbers.

    Raises:
        AssertionError: something differs.
    """
    evidence = rejudging.evidence(store, SUITE, RATER)
    assert evidence is not None
    numbers = 0
    for name, values in MOVES.items():
        turned = {name: values[-1]}
        judged = evidence.again.correct(turned).tolist()
        settings = {**evidence.again.settings, **turned}
        own = [evidence.scorer.judge(case.spec, case.seen, settings).correct for case in evidence.again.cases]
        assert judged == [-1 if verdict is None else int(verdict) for verdict in own]
        rater = save_as_rater(store, RATER, turned)
        report = compute(store, Selection(suite=(SUITE,), aspect=("correct",)), Options(intervals=False, matrix=False))
        rows = {
            (row.task, row.statistic): row.value
            for row in report.raters
            if (row.rater, row.generator, row.people) == (rater.rater_id, "all", "simulated")
        }
        heard = rejudging.people_verdicts(store, evidence)["simulated"]
        for agreement in agreements(evidence.again.correct(turned), heard, evidence.places):
            theirs = rows[agreement.place.task, agreement.key.statistic]
            assert (theirs is None) == (agreement.outcome.value is None)
            ours = agreement.outcome.value
            assert theirs is None or ours is None or abs(theirs - ours) <= TOLERANCE
            numbers += 1
        imports.undo(store, rater.import_id or 0)
    return numbers


def run(store: Store, n: int, steps: int) -> list[str]:
    """Measure, each slider moved ``steps`` times at most; the lines to print."""
    fill(store, n)
    first = redraw(store, {"suite": SUITE, "rater": RATER})
    evidence = rejudging.evidence(store, SUITE, RATER)
    assert evidence is not None
    heard = rejudging.people_verdicts(store, evidence)["simulated"]
    lines = [
        f"{len(evidence.items):,} images, {int((heard.no + heard.yes).sum()):,} answers, {len(STATISTICS)} statistics by task",
        machine(),
        "",
        f"first drawing, everything read and judged: {first:.0f} ms",
        f"{'moved':20}{'curve along':22}{'median':>9}{'90 %':>9}{'slowest':>9}",
    ]
    every: list[float] = []
    for name in MOVES:
        for along in MOVES:
            seconds = moved(store, name, along, steps)
            every += seconds
            tenth = statistics.quantiles(seconds, n=10)[-1]
            lines.append(f"{name:20}{along:22}{statistics.median(seconds):>6.0f} ms{tenth:>6.0f} ms{max(seconds):>6.0f} ms")
    within = sum(ms < TARGET_MS for ms in every)
    lines += ["", f"{within} of {len(every)} redraws under {TARGET_MS} ms; median {statistics.median(every):.0f} ms"]
    numbers = check(store)
    lines.append(f"verdicts equal to the scorer's own; {numbers} numbers of agreement equal to the report's to {TOLERANCE:g}")
    return lines


def main(arguments: Sequence[str] | None = None) -> list[str]:
    """Make a project, measure, print; the printed lines."""
    parser = command_line(__doc__)
    parser.add_argument("--images", type=int, default=2000, help="at least the playground's 504 (default 2000)")
    parser.add_argument("--steps", type=int, default=30, help="how often each slider is moved (default 30)")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "project") as store:
        lines = run(store, options.images, options.steps)
    return tell(lines)


if __name__ == "__main__":
    main()
